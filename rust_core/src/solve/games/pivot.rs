//! Games in which each move writes one cell and overwrites the same symbol, such as "empty": the cells that a player
//! can write, as one mask.
//!
//! Take disks that fall into columns: a disk may be put into an empty cell if all cells below it are taken. On a board
//! of seven columns, "the cell below" is the cell whose number is larger by seven, for every cell but those of the
//! lowest row. So the mask of taken cells, shifted by seven, says for all cells at once whether the one below is taken.
//! The next cell below is a shift by fourteen, and so on.

use std::ops::Range;

use super::masks::{CellChange, MOST_CELLS, SETS, SetMove};
use crate::rules::{Symbol, SymbolSet};

/// With more different shifts than this, it takes less time to test the guards of the moves one by one.
const MOST_SHIFTS: usize = 16;

/// A demand that the guards of several moves have in common: the cell that is a number of places further on holds a
/// symbol of a set.
#[derive(Debug, PartialEq, Eq)]
struct Shifted {
    /// The number of the set of symbols.
    set: u8,
    /// The number of places from the cell that the move writes on to the demanded cell, and the number of places back.
    /// One of them is 0.
    on: u8,
    back: u8,
    /// The cells that are written by the moves whose guards have the demand.
    cells: u64,
}

/// The moves of a player by the cells that they write, and the cells that the player can write.
#[derive(Debug)]
pub struct PivotMoves {
    /// The number of the set that has the overwritten symbol alone.
    pub set: u8,
    /// For each cell, the range of the moves that write it.
    ranges: Box<[(u32, u32); MOST_CELLS]>,
    /// The cells that some move writes.
    pub cells: u64,
    /// The other demands of the guards.
    shifted: Vec<Shifted>,
    /// `false` if the demands are not told for each cell at once, because several moves write one cell or there are too
    /// many shifts. Then there are none in [`Self::shifted`].
    knows: bool,
}

impl PivotMoves {
    /// `None` if some moves write several cells, or overwrite different symbols. `written` has, for each move, the
    /// cells that it writes, with the symbols before and after.
    pub fn new(sets: &[SymbolSet], moves: &[SetMove], written: &[Vec<CellChange>]) -> Option<Self> {
        let [(_, symbol, _)] = written.first()?[..] else { return None };
        let mut ranges = Box::new([(0, 0); MOST_CELLS]);
        let (mut cells, mut alone) = (0, true);
        for (at, changes) in written.iter().enumerate() {
            let [(cell, old, _)] = changes[..] else { return None };
            let range: &mut (u32, u32) = &mut ranges[cell];
            // The moves that write one cell must follow one another in the list, since a range stands for them.
            if old != symbol || range.1 > 0 && range.1 != at as u32 {
                return None;
            }
            alone &= range.1 == 0;
            *range = (if range.1 > 0 { range.0 } else { at as u32 }, at as u32 + 1);
            cells |= 1 << cell;
        }
        let set = number_of_alone(sets, symbol)?;
        let shifted = if alone { shifts(set, moves, written) } else { None };
        Some(Self { set, ranges, cells, knows: shifted.is_some(), shifted: shifted.unwrap_or_default() })
    }

    /// The cells that a move may write, if its guard holds in the cells that the move does not write.
    #[inline(always)]
    pub fn free(&self, sets: &[u64; SETS]) -> u64 {
        sets[usize::from(self.set) % SETS] & self.cells
    }

    /// The cells that the player can write. If [`Self::knows`] is `false`, some of these moves have guards that do not
    /// hold.
    #[inline(always)]
    pub fn ready(&self, sets: &[u64; SETS]) -> u64 {
        let mut ready = self.free(sets);
        for Shifted { set, on, back, cells } in &self.shifted {
            let have = sets[usize::from(*set) % SETS];
            ready &= have >> (on & 63) << (back & 63) | !cells;
        }
        ready
    }

    /// `true` if these moves and others are ready in the same cells of every position.
    pub fn ready_as(&self, other: &Self) -> bool {
        (self.set, self.cells, self.knows, &self.shifted) == (other.set, other.cells, other.knows, &other.shifted)
    }

    /// `true` if every move that writes a cell of [`Self::ready`] can be made.
    #[inline(always)]
    pub fn knows(&self) -> bool {
        self.knows
    }

    /// `true` if some moves wait until other cells have certain symbols.
    #[inline(always)]
    pub fn waits(&self) -> bool {
        !self.shifted.is_empty()
    }

    /// The range of the moves that write a cell.
    #[inline(always)]
    pub fn moves(&self, cell: usize) -> Range<u32> {
        let (begin, end) = self.ranges[cell % MOST_CELLS];
        begin..end
    }
}

fn number_of_alone(sets: &[SymbolSet], symbol: Symbol) -> Option<u8> {
    let alone = [symbol].into_iter().collect();
    Some(sets.iter().position(|&set| set == alone)? as u8)
}

/// The demands of all guards except that the written cells hold the symbols of the set `pivot`. `None` if there are
/// more than [`MOST_SHIFTS`].
fn shifts(pivot: u8, moves: &[SetMove], written: &[Vec<CellChange>]) -> Option<Vec<Shifted>> {
    let mut shifted: Vec<Shifted> = Vec::new();
    for (given, changes) in moves.iter().zip(written) {
        let cell = changes[0].0;
        for wanted in &given.guard {
            let mut rest = if wanted.set == pivot { wanted.cells & !given.writes } else { wanted.cells };
            while rest != 0 {
                let at = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let (set, on, back) = (wanted.set, at.saturating_sub(cell) as u8, cell.saturating_sub(at) as u8);
                match shifted.iter_mut().find(|known| (known.set, known.on, known.back) == (set, on, back)) {
                    Some(known) => known.cells |= 1 << cell,
                    None => shifted.push(Shifted { set, on, back, cells: 1 << cell }),
                }
            }
        }
    }
    (shifted.len() <= MOST_SHIFTS).then_some(shifted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::solve::games::masks::Wanted;

    /// Moves into cells with the symbol 0, whose guards ask for random other cells; and the set of the symbol 0 alone.
    fn random_moves(random: &mut Random, cells: u64) -> (Vec<SetMove>, Vec<Vec<CellChange>>, Vec<SymbolSet>) {
        let sets: Vec<SymbolSet> = [&[0][..], &[1], &[1, 2]].map(|set: &[Symbol]| set.iter().copied().collect()).into();
        let by: Vec<(u8, u64)> = (0..3).map(|_| (random.below(3) as u8, random.below(cells))).collect();
        let (mut moves, mut written) = (Vec::new(), Vec::new());
        for cell in (0..cells).filter(|cell| cell % 5 != 3) {
            let mut guard = vec![Wanted { set: 0, live: 0, cells: 1 << cell }];
            for &(set, by) in &by {
                for at in [cell + by, cell.wrapping_sub(by)] {
                    if by > 0 && at < cells && random.below(2) == 0 {
                        guard.push(Wanted { set, live: set, cells: 1 << at });
                    }
                }
            }
            let (writes, touches) = (1 << cell, guard.iter().fold(0, |all, wanted| all | wanted.cells));
            moves.push(SetMove { flips: [0; SETS], writes, touches, guard: guard.into(), ends: Box::default() });
            written.push(vec![(cell as usize, 0, 1)]);
        }
        (moves, written, sets)
    }

    #[test]
    fn the_cells_that_are_ready_are_those_whose_guards_hold() {
        let mut random = Random::new("pivots");
        let mut ready = 0;
        for round in 0..60 {
            let cells = if round % 2 == 0 { 64 } else { 2 + random.below(50) };
            let (moves, written, numbers) = random_moves(&mut random, cells);
            let pivot = PivotMoves::new(&numbers, &moves, &written).unwrap();
            assert!(pivot.knows());
            for _ in 0..8 {
                let mut sets = [0; SETS];
                for cell in 0..cells {
                    let symbol = random.below(3) as Symbol;
                    for (mask, set) in sets.iter_mut().zip(&numbers) {
                        *mask |= u64::from(set.contains(symbol)) << cell;
                    }
                }
                let can = moves.iter().filter(|given| given.can(&sets)).fold(0, |all, given| all | given.writes);
                assert_eq!(pivot.ready(&sets), can);
                ready += can.count_ones();
            }
        }
        assert!(ready > 500, "{ready}");
    }

    #[test]
    fn moves_of_one_cell_are_told_apart_by_their_guards_alone() {
        let mut random = Random::new("pivots twice");
        let (mut moves, mut written, sets) = random_moves(&mut random, 9);
        let (again, of_again, _) = random_moves(&mut random, 1);
        moves.splice(1..1, again);
        written.splice(1..1, of_again);
        let pivot = PivotMoves::new(&sets, &moves, &written).unwrap();
        assert!(!pivot.knows());
        assert_eq!((pivot.moves(0), pivot.moves(1), pivot.moves(3)), (0..2, 2..3, 0..0));
        // A move that overwrites another symbol, or writes two cells, leaves no pivot.
        written[0][0].1 = 1;
        assert!(PivotMoves::new(&sets, &moves, &written).is_none());
    }
}
