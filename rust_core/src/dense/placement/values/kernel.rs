//! The values of the rows of one tier, from those of the tier after it.
//!
//! A row has two bits for each column: one says that the player to move has lost, and one that this player has not won.
//! A move leads to a state in which the other player is to move. So a state is won if some move leads to a state that
//! the other player has lost; and it is lost if no move leads to a state that the other player has not won.

use super::terminal::{RowStatus, Terminals};
use super::tier::Tier;
use super::transpose::{transpose, transpose_called};
use crate::compile::cpu::{self, Deposit};
use crate::dense::pages::Pages;
use crate::dense::placement::cell_sets::SetImages;
use crate::dense::placement::fill::place;
use crate::index::{BitMap, Cells, SubsetNumbers};
use crate::run::{DepthValues, Tally, Worth};

/// The number of rows that a thread handles at a time: as many as a word has bits.
pub(super) const AT_ONCE: usize = 64;

/// A tier with its values. It is the tier after the one that is swept.
pub(super) struct LaterTier {
    pub tier: Tier,
    pub terminals: Terminals,
    pub values: Pages,
}

impl LaterTier {
    /// The values of a row: the columns in which the player to move has lost, and those in which this player has not
    /// won.
    #[inline(always)]
    fn row(&self, number: usize) -> (&[u64], &[u64]) {
        self.values.get::<u64>()[number * self.tier.row_words()..][..self.tier.row_words()].split_at(self.tier.stride)
    }
}

/// The marks that the player to move can put.
enum Put {
    /// The board is full.
    Nothing,
    /// A first mark. The state after the move is in another row. From a set of second marks, the table gives its column
    /// in the later tier.
    First(SubsetNumbers),
    /// A second mark. The state after the move is in the same row. For each column, the list has the columns of the
    /// later tier to which moves lead: the same number for each column, which is the second field.
    Second(Vec<u32>, usize),
}

/// Finds the values of the rows of a tier, with tables that are made once for the tier.
pub(super) struct TierSweeper<'a> {
    images: &'a SetImages,
    cells: u8,
    tier: &'a Tier,
    terminals: &'a Terminals,
    later: Option<&'a LaterTier>,
    put: Put,
    deposit: Deposit,
    /// `true` if states that play does not reach are marked: as lost, but without the bit for "not won".
    marks: bool,
}

impl<'a> TierSweeper<'a> {
    /// A sweeper for a tier. `later` is the tier after it.
    pub fn new(
        images: &'a SetImages,
        tier: &'a Tier,
        terminals: &'a Terminals,
        later: Option<&'a LaterTier>,
        marks: bool,
    ) -> Self {
        let put = match later {
            None => Put::Nothing,
            Some(later) if later.terminals.last == 0 => Put::First(SubsetNumbers::in_halves(later.tier.places)),
            Some(_) => {
                let numbers = SubsetNumbers::in_halves(tier.places);
                let after = tier.columns.iter().flat_map(|&column| {
                    let free = (0..tier.places).filter(move |place| column >> place & 1 == 0);
                    free.map(move |place| column | 1 << place)
                });
                let after = after.map(|column| numbers.of::<false>(column) as u32).collect();
                Put::Second(after, tier.places - tier.seconds)
            }
        };
        let cells = images.elements[0].len() as u8;
        Self { images, cells, tier, terminals, later, put, deposit: Deposit::detect(), marks }
    }
}

/// The row after a first mark is put, as the smallest image of that row, which is the one that is stored.
struct TurnedRow {
    /// The place in which the first mark is put.
    place: usize,
    /// The number, in the later tier, of the row that is the smallest image of the row with that mark.
    number: usize,
    /// The symmetry that carries the row with the mark onto that image.
    element: usize,
}

/// The buffers of a thread for some rows.
#[derive(Default)]
pub(super) struct Scratch {
    status: RowStatus,
    turned: Vec<TurnedRow>,
    map: BitMap,
    maps: Vec<BitMap>,
    /// For each column of the later tier, two words with a bit for each of up to 64 rows: lost, and not won.
    ahead: Vec<[u64; 2]>,
}

/// The counts of some rows.
#[derive(Default)]
pub(super) struct RowsCounted {
    pub values: DepthValues,
    /// The number of open states, up to symmetry.
    pub open: u64,
}

impl RowsCounted {
    /// The sums of both counts.
    #[expect(clippy::needless_pass_by_value, reason = "parallel sums are made of values")]
    pub fn and(mut self, other: Self) -> Self {
        self.values.add(&other.values);
        self.open += other.open;
        self
    }
}

/// Gives some neighbouring rows their values, and counts them.
pub(super) struct TierRows<'a> {
    pub sweeper: &'a TierSweeper<'a>,
    pub first: usize,
    pub values: &'a mut [u64],
    pub scratch: &'a mut Scratch,
    pub counted: &'a mut RowsCounted,
}

impl cpu::Task for TierRows<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        self.with(transpose);
    }

    fn run_without_avx2(self) {
        self.with(transpose_called);
    }
}

impl TierRows<'_> {
    /// Does the work. `transpose` transposes 64 words.
    #[inline(always)]
    fn with(self, transpose: impl Fn(&mut [u64; 64])) {
        let Self { sweeper, first, values, scratch, counted } = self;
        let (tier, terminals) = (sweeper.tier, sweeper.terminals);
        // While successors are collected, the two bits of a state mean: "a successor is lost for the other player", and
        // "a successor is not won for the other player". `close` turns them into the state's value.
        let rows = &tier.rows[first..][..values.len() / tier.row_words()];
        if let (Put::Second(after, each), Some(later)) = (&sweeper.put, sweeper.later)
            && rows.iter().any(|&row| terminals.may_reach(row))
        {
            put_second(tier, later, first, (after, *each), values, &mut scratch.ahead, transpose);
        }
        for (row, values) in rows.iter().zip(values.chunks_exact_mut(tier.row_words())) {
            if !terminals.judge(tier, *row, &mut scratch.status) {
                values.fill(0);
                if sweeper.marks {
                    values[..tier.stride].copy_from_slice(&tier.all);
                }
                continue;
            }
            if let (Put::First(numbers), Some(later)) = (&sweeper.put, sweeper.later) {
                sweeper.put_first(*row, later, numbers, values, scratch);
            }
            close(&scratch.status, values);
            sweeper.count(*row, values, scratch, counted);
            if sweeper.marks {
                let RowStatus { open, over, .. } = &scratch.status;
                for (word, lost) in values[..tier.stride].iter_mut().enumerate() {
                    *lost |= tier.all[word] & !(open[word] | over[word]);
                }
            }
        }
    }
}

/// Collects the values of the successors of up to 64 rows if a second mark is put. The rows lie side by side: a word
/// has a bit for each row.
#[inline(always)]
fn put_second(
    tier: &Tier,
    later: &LaterTier,
    first: usize,
    (after, each): (&[u32], usize),
    values: &mut [u64],
    ahead: &mut Vec<[u64; 2]>,
    transpose: impl Fn(&mut [u64; 64]),
) {
    let (row_words, rows) = (tier.row_words(), values.len() / tier.row_words());
    let (stride, later_words) = (later.tier.stride, later.tier.row_words());
    let words = &later.values.get::<u64>()[first * later_words..][..rows * later_words];
    ahead.clear();
    ahead.resize(stride * 64, [0; 2]);
    let mut block = [0; 64];
    for (word, ahead) in ahead.as_chunks_mut::<64>().0.iter_mut().enumerate() {
        for which in 0..2 {
            block.fill(0);
            for (to, row) in block.iter_mut().zip(words.chunks_exact(later_words)) {
                *to = row[which * stride + word];
            }
            transpose(&mut block);
            for (to, &from) in ahead.iter_mut().zip(&block) {
                to[which] = from;
            }
        }
    }
    for (word, after) in after.chunks((64 * each).max(1)).enumerate() {
        let mut blocks = [[0; 64]; 2];
        for (at, after) in after.chunks_exact(each).enumerate() {
            let mut sum = [0; 2];
            for &column in after {
                let [lost, unwon] = ahead[column as usize];
                sum = [sum[0] | lost, sum[1] | unwon];
            }
            [blocks[0][at], blocks[1][at]] = sum;
        }
        for (which, block) in blocks.iter_mut().enumerate() {
            transpose(block);
            for (row, &from) in values.chunks_exact_mut(row_words).zip(&*block) {
                row[which * tier.stride + word] = from;
            }
        }
    }
}

impl TierSweeper<'_> {
    /// Collects the values of the successors of a row if a first mark is put.
    #[inline(always)]
    fn put_first(
        &self,
        row: Cells,
        later: &LaterTier,
        numbers: &SubsetNumbers,
        values: &mut [u64],
        scratch: &mut Scratch,
    ) {
        let Scratch { status, turned, map, .. } = scratch;
        let open = &status.open[..];
        let tier = self.tier;
        values.fill(0);
        let (lost, unwon) = values.split_at_mut(tier.stride);
        turned.clear();
        for (place, cell) in (0..self.cells).filter(|cell| row >> cell & 1 == 0).enumerate() {
            let set = row | 1 << cell;
            if let Some(worth) = later.terminals.ended(set) {
                // Open states have no line of second marks, so play reaches the state after every first mark.
                for (word, &having) in tier.having(place).iter().enumerate().filter(|_| worth != Worth::Win) {
                    let put = open[word] & !having;
                    unwon[word] |= put;
                    lost[word] |= if worth == Worth::Loss { put } else { 0 };
                }
                continue;
            }
            let (image, element) = self.images.to_smallest(set);
            let number = later.tier.rows.binary_search(&image).expect("all smallest images have a row");
            if element == 0 {
                self.spread(later.row(number), place, (&mut *lost, &mut *unwon));
            } else {
                turned.push(TurnedRow { place, number, element });
            }
        }
        for TurnedRow { place: put, number, element } in turned {
            let image = later.tier.rows[*number];
            let (later_lost, later_unwon) = later.row(*number);
            let elements = &self.images.elements[*element];
            let mut targets = [None; 32];
            let free = (0..self.cells).filter(|cell| row >> cell & 1 == 0);
            for (at, cell) in free.enumerate().filter(|(at, _)| at != put) {
                targets[at] = place(image, elements[cell as usize]);
            }
            map.set(targets[..tier.places].iter().copied());
            let (having, columns) = (tier.having(*put), tier.columns.chunks(64));
            let rows = lost.iter_mut().zip(unwon.iter_mut()).zip(open.iter().zip(having)).zip(columns);
            for (((lost, unwon), (open, having)), columns) in rows {
                let mut rest = open & !having & !*lost;
                while rest != 0 {
                    let bit = rest.trailing_zeros();
                    rest &= rest - 1;
                    let at = numbers.of::<false>(map.apply(columns[bit as usize]));
                    *lost |= (later_lost[at >> 6] >> (at & 63) & 1) << bit;
                    *unwon |= (later_unwon[at >> 6] >> (at & 63) & 1) << bit;
                }
            }
        }
    }

    /// Adds the values of a row of the later tier that is the smallest of its images. The columns of that row are, in
    /// the same order, the columns of this tier without a mark in the place that is filled.
    ///
    /// Take three places and columns with one mark: 001, 010 and 100. If the place in the middle is filled, two places
    /// are left. Their columns 01 and 10 are 001 and 100. So two bits of the later row go to the first and the third
    /// bit.
    #[inline(always)]
    fn spread(&self, later: (&[u64], &[u64]), place: usize, row: (&mut [u64], &mut [u64])) {
        let mut begin = 0;
        let words = self.tier.all.iter().zip(self.tier.having(place)).zip(row.0.iter_mut().zip(row.1));
        for ((all, having), (lost, unwon)) in words {
            let lacking = all & !having;
            *lost |= self.deposit.put(bits_from(later.0, begin), lacking);
            *unwon |= self.deposit.put(bits_from(later.1, begin), lacking);
            begin += lacking.count_ones() as usize;
        }
    }

    /// Counts the values of a row.
    #[inline(always)]
    fn count(&self, row: Cells, values: &[u64], scratch: &mut Scratch, counted: &mut RowsCounted) {
        let Scratch { status, maps, .. } = scratch;
        let tier = self.tier;
        let (lost, unwon) = values.split_at(tier.stride);
        let stabiliser: Vec<usize> = self.images.stabiliser(row).collect();
        let order = stabiliser.len() as u64;
        maps.resize_with(maps.len().max(stabiliser.len()), BitMap::default);
        for (map, &element) in maps.iter_mut().zip(&stabiliser).skip(1) {
            let images = &self.images.elements[element];
            let mut targets = [None; 32];
            for (at, cell) in (0..self.cells).filter(|cell| row >> cell & 1 == 0).enumerate() {
                targets[at] = place(row, images[cell as usize]);
            }
            map.set(targets[..tier.places].iter().copied());
        }
        let maps = &maps[1..stabiliser.len()];
        // By Burnside's lemma, an orbit of columns has as many pairs of a column and an element that fixes the column
        // as the stabiliser has elements. So counting these pairs counts each orbit that often.
        let fixing = |word: usize, states: u64| {
            let mut sum = u64::from(states.count_ones());
            let mut rest = if maps.is_empty() { 0 } else { states };
            while rest != 0 {
                let column = tier.columns[word * 64 + rest.trailing_zeros() as usize];
                rest &= rest - 1;
                sum += maps.iter().filter(|map| map.apply(column) == column).count() as u64;
            }
            sum
        };
        let mut sums = [Tally::default(); 4];
        for (word, (&lost, &unwon)) in lost.iter().zip(unwon).enumerate() {
            let reached = status.open[word] | status.over[word];
            let classes = [reached & !unwon, unwon & !lost, lost, status.open[word]];
            for (sum, class) in sums.iter_mut().zip(classes) {
                sum.states += fixing(word, class);
                sum.raw_states += u64::from(class.count_ones());
            }
        }
        let images = self.images.elements.len() as u64 / order;
        let [won, drawn, losses, open] =
            sums.map(|sum| Tally { states: sum.states / order, raw_states: sum.raw_states * images });
        counted.values.win.add(won);
        counted.values.draw.add(drawn);
        counted.values.loss.add(losses);
        counted.open += open.states;
    }
}

/// Turns the two bits of each state of a row, which describe its successors, into the state's own value.
#[inline(always)]
fn close(status: &RowStatus, values: &mut [u64]) {
    let (lost, unwon) = values.split_at_mut(status.open.len());
    for (word, (lost, unwon)) in lost.iter_mut().zip(unwon).enumerate() {
        let open = status.open[word];
        (*lost, *unwon) = (open & !*unwon | status.lost[word], open & !*lost | status.unwon[word]);
    }
}

/// The 64 bits from bit `begin` on. Beyond the end of the words, there are zeros.
#[inline(always)]
fn bits_from(words: &[u64], begin: usize) -> u64 {
    let (at, shift) = (begin / 64, begin % 64);
    let word = |at: usize| words.get(at).copied().unwrap_or(0);
    word(at) >> shift | word(at + 1) << 1 << (63 - shift)
}
