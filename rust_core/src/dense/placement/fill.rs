//! Fills the rows of a depth from the depth before, counts their states, and drops states in which play is over.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! # Four cells
//!
//! Number the cells of a board of 2 by 2 from 0 to 3, row by row, and use all eight symmetries. The sets of two first
//! marks form two orbits: {0, 1} and its images, the sides of the square; and {1, 2} and its image, the diagonals. Read
//! as binary numbers, {0, 1} and {1, 2} are the smallest sets of their orbits. So these two are the rows of the depths
//! with two first marks.
//!
//! The mirror that exchanges 0 with 1 and 2 with 3 carries row {0, 1} onto itself. The places of this row are the cells
//! 2 and 3. The mirror carries a second mark in cell 3 to cell 2. So of the two columns with one mark, only the smaller
//! one, the mark in cell 2, ever has its bit set.
//!
//! # Which first mark came last
//!
//! Take a state of row R whose last move put a first mark into cell p. The state came from the row R without p. Let H
//! be the stabiliser of R. H splits the cells of R into orbits, and it is enough to try one cell p of each orbit. The
//! smallest is tried.
//!
//! Why is one enough? Let h in H carry p to q, and let C be a column. The state (R, C) came from (R without p, C). Its
//! image (R, hC) came from (R without q, hC). Now h carries the first source onto the second, so the two sources are in
//! one orbit: if that orbit was reached, trying p finds it. And C and hC have the same smallest image under H, so (R,
//! C) and (R, hC) set the same bit.
//!
//! In the example, the mirror carries cell 1 to cell 0. So for row {0, 1} only cell 0 is tried. The source's first
//! marks are {1}. They are found in row {0}, their smallest image.
//!
//! The row in which a source is found stands for all its images. A bit in that row stands for all images of its column
//! under the row's stabiliser. So on the way back each element of that stabiliser is applied. Then comes the element
//! that carries the smallest image to the source itself.

use std::sync::Arc;

use super::cell_sets::{LineSets, SetImages};
use super::layer::{LayerCount, PlacementLayer};
use crate::compile::cpu;
use crate::index::{BitMap, Cells, SubsetNumbers};

/// The rank of a cell among the cells that are not in a set, counted from 0; `None` if the cell is in the set.
#[inline(always)]
pub(super) fn place(set: Cells, cell: u8) -> Option<u8> {
    (set >> cell & 1 == 0).then(|| cell - (set & ((1 << cell) - 1)).count_ones() as u8)
}

/// For each place, a bit set of the columns (sets of places with a second mark) that lack that place.
fn without(columns: &[Cells], places: usize, stride: usize) -> Vec<u64> {
    let mut bits = vec![0; places * stride];
    for (at, &column) in columns.iter().enumerate() {
        for place in (0..places).filter(|place| column >> place & 1 == 0) {
            bits[place * stride + at / 64] |= 1 << (at % 64);
        }
    }
    bits
}

/// Tables for filling or counting the rows of one depth.
pub(super) struct RowTables {
    rows: Arc<Vec<Cells>>,
    columns: Arc<Vec<Cells>>,
    /// The number of each column.
    numbers: SubsetNumbers,
    /// For each place of the previous depth, the columns of that depth without a mark in that place.
    without: Vec<u64>,
    /// The player who has moved.
    pub player: usize,
    /// The mark of that player: 0 for the mark of rows, 1 for the mark of columns.
    mark: usize,
    /// The outcome of a state with a full board in which no end holds; `None` if the board is not full.
    stuck: Option<usize>,
}

impl RowTables {
    /// The tables for a layer that is to be filled from the layer before it, or only to be counted.
    pub fn new(
        before: Option<&PlacementLayer>,
        layer: &PlacementLayer,
        cells: usize,
        player: usize,
        mark: usize,
        stuck: Option<usize>,
    ) -> Self {
        let without = |layer: &PlacementLayer| without(&layer.columns, cells - layer.counts[0], layer.stride);
        Self {
            rows: Arc::clone(&layer.rows),
            columns: Arc::clone(&layer.columns),
            numbers: SubsetNumbers::new(cells - layer.counts[0]),
            without: before.map_or_else(Vec::new, without),
            player,
            mark,
            stuck,
        }
    }
}

/// Fills the rows of one depth, and counts their states. A row has all states with the same first marks.
pub(super) struct RowFiller<'a> {
    pub images: &'a SetImages,
    /// The depth that is expanded; `None` if the rows are only counted.
    pub before: Option<&'a PlacementLayer>,
    pub tables: &'a RowTables,
    /// The ends that a move of the player can complete.
    pub lines: &'a [(usize, Arc<LineSets>)],
    pub cells: usize,
    /// `true` if states in which play is over are dropped.
    pub drops_ended: bool,
}

/// Fills some neighbouring rows.
pub(super) struct FillRows<'a> {
    pub filler: &'a RowFiller<'a>,
    pub first: usize,
    pub bits: &'a mut [u64],
    pub live: &'a mut [bool],
    pub count: &'a mut LayerCount,
}

impl cpu::Task for FillRows<'_> {
    #[inline(always)]
    fn run(self) {
        if self.filler.tables.numbers.whole() { self.all::<true>() } else { self.all::<false>() }
    }

    /// Looks a set up in two tables even if one is enough, as that needs half the code.
    fn run_without_avx2(self) {
        self.all::<false>();
    }
}

impl FillRows<'_> {
    #[inline(always)]
    fn all<const WHOLE: bool>(self) {
        let Self { filler, first, bits, live, count } = self;
        let tables = filler.tables;
        let stride = tables.columns.len().div_ceil(64);
        let mut maps = Vec::new();
        for ((at, live), bits) in live.iter_mut().enumerate().zip(bits.chunks_exact_mut(stride)) {
            let row = tables.rows[first + at];
            let stabiliser: Vec<usize> = filler.images.stabiliser(row).collect();
            let any = match filler.before {
                Some(layer) if tables.mark == 0 => filler.put_first::<WHOLE>(layer, row, &stabiliser, bits, &mut maps),
                Some(layer) => filler.put_second::<WHOLE>(layer, first + at, &stabiliser, bits, &mut maps),
                None => true,
            };
            *live = any && filler.close::<WHOLE>(row, &stabiliser, bits, &mut maps, count);
        }
    }
}

impl RowFiller<'_> {
    /// Fills `maps` with a map for each symmetry in `then`: from the places of row `from` to the places of row `to`,
    /// under the symmetry `element` followed by the one in `then`.
    #[inline(always)]
    fn maps(&self, from: Cells, element: usize, then: &[usize], to: Cells, maps: &mut Vec<BitMap>) {
        maps.resize_with(then.len(), BitMap::default);
        let mut cells = [0u8; 32];
        let mut count = 0;
        for cell in (0..self.cells as u8).filter(|cell| from >> cell & 1 == 0) {
            cells[count] = self.images.elements[element][cell as usize];
            count += 1;
        }
        for (map, &element) in maps.iter_mut().zip(then) {
            let images = &self.images.elements[element];
            map.set(cells[..count].iter().map(|&cell| place(to, images[cell as usize])));
        }
    }

    /// Collects the states of a row that are made by putting a first mark in states of the depth before. Returns `true`
    /// if a row of that depth from which such moves lead here has open states.
    #[inline(always)]
    fn put_first<const WHOLE: bool>(
        &self,
        before: &PlacementLayer,
        row: Cells,
        stabiliser: &[usize],
        bits: &mut [u64],
        maps: &mut Vec<BitMap>,
    ) -> bool {
        let (stride, columns) = (before.stride, &before.columns[..]);
        let mut any = false;
        let mut rest = row;
        while rest != 0 {
            let put = rest & rest.wrapping_neg();
            rest ^= put;
            // Only the smallest cell of each orbit under the stabiliser is tried; see the head of this file.
            if stabiliser[1..].iter().any(|&element| {
                self.images.elements[element][put.trailing_zeros() as usize] < put.trailing_zeros() as u8
            }) {
                continue;
            }
            let (source, back) = self.images.smallest(row ^ put);
            // If the row before the move is not listed, or has no open states, no move leads from there.
            let Ok(number) = before.rows.binary_search(&source) else { continue };
            if !before.live[number] {
                continue;
            }
            any = true;
            let words = &before.bits.get::<u64>()[number * stride..][..stride];
            // A bit stands for all images of a state under the stabiliser of its row.
            for own in self.images.stabiliser(source) {
                let there = self.images.then(own, back);
                let element = &self.images.elements[there];
                let gap = (0..self.cells as u8).find(|&cell| element[cell as usize] as u32 == put.trailing_zeros());
                let gap = place(source, gap.unwrap_or(0)).unwrap_or(0) as usize;
                let without = &self.tables.without[gap * stride..][..stride];
                self.maps(source, there, stabiliser, row, maps);
                collect::<WHOLE>(&self.tables.numbers, words, without, columns, maps, bits);
            }
        }
        any
    }

    /// Collects the states of a row that are made by putting a second mark in states of the depth before, which are in
    /// the row `number` of that depth. Returns `true` if that row has open states.
    #[inline(always)]
    fn put_second<const WHOLE: bool>(
        &self,
        before: &PlacementLayer,
        number: usize,
        stabiliser: &[usize],
        bits: &mut [u64],
        maps: &mut Vec<BitMap>,
    ) -> bool {
        if !before.live[number] {
            return false;
        }
        let row = self.tables.rows[number];
        let whole = (1u32 << (self.cells - row.count_ones() as usize)).wrapping_sub(1);
        let stride = before.stride;
        let words = &before.bits.get::<u64>()[number * stride..][..stride];
        let alone = stabiliser.len() == 1;
        if !alone {
            self.maps(row, 0, stabiliser, row, maps);
        }
        for (word, columns) in words.iter().zip(before.columns.chunks(64)) {
            let mut rest = *word;
            while rest != 0 {
                let column = columns[rest.trailing_zeros() as usize];
                rest &= rest - 1;
                let mut free = whole & !column;
                while free != 0 {
                    let put = free & free.wrapping_neg();
                    free ^= put;
                    let set = if alone { column | put } else { smallest(maps, column | put) };
                    let at = self.tables.numbers.of::<WHOLE>(set);
                    bits[at >> 6] |= 1 << (at & 63);
                }
            }
        }
        true
    }

    /// Counts the states of a row, and drops those in which play is over, if [`Self::drops_ended`] is set. Returns
    /// `true` if the row has open states.
    #[inline(always)]
    fn close<const WHOLE: bool>(
        &self,
        row: Cells,
        stabiliser: &[usize],
        bits: &mut [u64],
        maps: &mut Vec<BitMap>,
        count: &mut LayerCount,
    ) -> bool {
        let states: u64 = bits.iter().map(|word| u64::from(word.count_ones())).sum();
        count.states += states;
        count.raw_states += if stabiliser.len() == 1 {
            states * self.images.elements.len() as u64
        } else {
            self.maps(row, 0, stabiliser, row, maps);
            let mut sum = 0;
            for (word, columns) in bits.iter().zip(self.tables.columns.chunks(64)) {
                let mut rest = *word;
                while rest != 0 {
                    let column = columns[rest.trailing_zeros() as usize];
                    rest &= rest - 1;
                    let fixed = maps.iter().filter(|map| map.apply(column) == column).count();
                    sum += (self.images.elements.len() / fixed) as u64;
                }
            }
            sum
        };
        let mut open = states;
        if self.tables.mark == 0 {
            if let Some((outcome, _)) = self.lines.iter().find(|(_, lines)| lines.hold(row)) {
                count.ended[*outcome] += states;
                if self.drops_ended {
                    bits.fill(0);
                }
                return false;
            }
        } else if let Some(shortest) = self.lines.iter().map(|(_, lines)| lines.shortest).min()
            && self.tables.columns.first().is_some_and(|column| column.count_ones() >= shortest)
        {
            let mut cells = [0u8; 32];
            let mut places = 0;
            for cell in (0..self.cells as u8).filter(|cell| row >> cell & 1 == 0) {
                cells[places] = cell;
                places += 1;
            }
            maps.resize_with(maps.len().max(1), BitMap::default);
            let map = &mut maps[0];
            map.set(cells[..places].iter().map(|&cell| Some(cell)));
            for (word, columns) in bits.iter_mut().zip(self.tables.columns.chunks(64)) {
                let mut rest = *word;
                while rest != 0 {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let set = map.apply(columns[bit]);
                    if let Some((outcome, _)) = self.lines.iter().find(|(_, lines)| lines.hold(set)) {
                        count.ended[*outcome] += 1;
                        if self.drops_ended {
                            *word ^= 1 << bit;
                        }
                        open -= 1;
                    }
                }
            }
        }
        if let Some(outcome) = self.tables.stuck {
            count.ended[outcome] += open;
            open = 0;
            if self.drops_ended {
                bits.fill(0);
            }
        }
        count.open += open;
        open > 0
    }
}

/// Takes the columns that are set both in `words` and in `without`. For each, sets the bit of its smallest image under
/// the given maps.
#[inline(always)]
fn collect<const WHOLE: bool>(
    numbers: &SubsetNumbers,
    words: &[u64],
    without: &[u64],
    columns: &[Cells],
    maps: &[BitMap],
    bits: &mut [u64],
) {
    let (first, others) = maps.split_first().expect("a stabiliser has the identity");
    for ((word, without), columns) in words.iter().zip(without).zip(columns.chunks(64)) {
        let mut rest = word & without;
        while rest != 0 {
            let column = columns[rest.trailing_zeros() as usize];
            rest &= rest - 1;
            let mut set = first.apply(column);
            for map in others {
                set = set.min(map.apply(column));
            }
            let at = numbers.of::<WHOLE>(set);
            bits[at >> 6] |= 1 << (at & 63);
        }
    }
}

/// The smallest of the images of a set under the given maps.
#[inline(always)]
fn smallest(maps: &[BitMap], set: Cells) -> Cells {
    maps.iter().map(|map| map.apply(set)).min().unwrap_or(set)
}
