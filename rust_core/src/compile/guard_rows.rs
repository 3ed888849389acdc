//! Guards in rows: those of the moves that need the pivot in one cell are tested side by side, without a jump that
//! depends on which of them hold. No processor could foresee such a jump.
//!
//! For example, a peg may jump into an empty cell from four sides. The four guards are a row. Each is one mask and one
//! value, so a few operations test all of them, whether or not the processor has vectors.

use super::guard_tree::ListedMoves;
use super::word::Word;

/// The number of guards of a row.
const LANES: usize = 4;

/// Rows are used if so many moves for each cell demand more than the pivot.
const FEWEST_OF_A_CELL: usize = 2;

/// For each set of lanes, given by a bit for each: these lanes, one after the other. What follows does not matter.
const HOLDING: [[u8; LANES]; 1 << LANES] = {
    let mut lists = [[0; LANES]; 1 << LANES];
    let mut set = 0;
    while set < lists.len() {
        let (mut lane, mut count) = (0, 0);
        while lane < LANES {
            if set >> lane & 1 == 1 {
                lists[set][count] = lane as u8;
                count += 1;
            }
            lane += 1;
        }
        set += 1;
    }
    lists
};

/// The demands of a guard that a mask can express: the bits under `mask` must be those of `value`.
#[derive(Debug, Clone, Copy)]
pub struct MaskedGuard<W> {
    pub mask: W,
    pub value: W,
    /// The bits that must not be set among the top bits of the cells that hold the pivot.
    pub without: W,
}

/// The guards of some neighbouring moves of a list. Lanes without a move never hold.
#[derive(Debug)]
struct GuardRow<W> {
    masks: [W; LANES],
    values: [W; LANES],
    withouts: [W; LANES],
    /// The place of the first of these moves.
    first: u32,
}

/// The guards of moves with a pivot.
#[derive(Debug)]
pub struct GuardRows<W> {
    rows: Vec<GuardRow<W>>,
    /// For each bit that is the top bit of a cell: the range of the rows of the moves that need the pivot there.
    ranges: Vec<(u32, u32)>,
    /// The number of moves.
    moves: usize,
}

impl<W: Word> GuardRows<W> {
    /// The rows of a list of guards. `ranges` has the range of the moves for each bit that is the top bit of a cell.
    /// `None` if fewer than two moves for each cell demand more than the pivot.
    pub fn new(guards: &[MaskedGuard<W>], ranges: &[(u32, u32)]) -> Option<Box<Self>> {
        let demands = guards.iter().filter(|guard| guard.mask != W::ZERO || guard.without != W::ZERO).count();
        let cells = ranges.iter().filter(|(begin, end)| begin < end).count();
        if demands < FEWEST_OF_A_CELL * cells {
            return None;
        }
        let mut made = Self { rows: Vec::new(), ranges: Vec::with_capacity(ranges.len()), moves: guards.len() };
        for &(begin, end) in ranges {
            let first = made.rows.len() as u32;
            for first in (begin..end).step_by(LANES) {
                let lane = |at: usize| guards[..end as usize].get(first as usize + at);
                made.rows.push(GuardRow {
                    masks: std::array::from_fn(|at| lane(at).map_or(W::ZERO, |guard| guard.mask)),
                    values: std::array::from_fn(|at| lane(at).map_or(W::ZERO.not(), |guard| guard.value)),
                    withouts: std::array::from_fn(|at| lane(at).map_or(W::ZERO, |guard| guard.without)),
                    first,
                });
            }
            made.ranges.push((first, made.rows.len() as u32));
        }
        Some(Box::new(made))
    }

    /// Lists the places of the moves whose guards hold, as far as masks tell it. The moves need the pivot in one of
    /// `cells`. In `held` are the top bits of all cells that hold it.
    #[inline(always)]
    pub fn list<'a>(&self, word: W, cells: W, held: W, listed: &'a mut ListedMoves) -> &'a [u32] {
        let (places, mut cells, mut count) = (listed.places(self.moves + LANES), cells, 0);
        while let Some(bit) = cells.take_bit() {
            let (begin, end) = self.ranges[bit];
            for row in &self.rows[begin as usize..end as usize] {
                let mut differ = [W::ZERO; LANES];
                for (lane, differ) in differ.iter_mut().enumerate() {
                    let fixed = word.and(row.masks[lane]).xor(row.values[lane]);
                    *differ = fixed.or(held.and(row.withouts[lane]));
                }
                let mut holding = 0;
                for (lane, differ) in differ.iter().enumerate() {
                    holding |= usize::from(differ.is_zero()) << lane;
                }
                // Four places are written, and the next ones are written over those whose guards do not hold.
                let room = places[count..].first_chunk_mut::<LANES>().expect("there is room after the last move");
                let (first, lanes) = (row.first, HOLDING[holding]);
                for (lane, place) in room.iter_mut().enumerate() {
                    *place = first + u32::from(lanes[lane]);
                }
                count += holding.count_ones() as usize;
            }
        }
        &places[..count]
    }
}
