//! How the rows of a depth are filled from those of the depth before, counted, and cleared of states that ended.

use std::sync::Arc;

use super::layer::{Layer, Tally};
use super::masks::{Images, Lines};
use crate::compile::cpu;
use crate::index::{BitMap, Cells, Numbers};

/// The place of a cell among those that are not in a set.
#[inline(always)]
fn place(set: Cells, cell: u8) -> Option<u8> {
    (set >> cell & 1 == 0).then(|| cell - (set & ((1 << cell) - 1)).count_ones() as u8)
}

/// For each place, which columns have nothing there: words of bits, as rows have them.
pub(super) fn without(columns: &[Cells], places: usize, stride: usize) -> Vec<u64> {
    let mut bits = vec![0; places * stride];
    for (at, &column) in columns.iter().enumerate() {
        for place in (0..places).filter(|place| column >> place & 1 == 0) {
            bits[place * stride + at / 64] |= 1 << (at % 64);
        }
    }
    bits
}

/// What is needed to fill the rows of a depth.
pub(in crate::dense) struct Fill<'a> {
    pub images: &'a Images,
    /// The layer that is expanded; without one, the next layer is counted as it is.
    pub current: Option<&'a Layer>,
    pub rows: Arc<Vec<Cells>>,
    pub columns: Arc<Vec<Cells>>,
    /// The numbers of columns.
    pub numbers: Numbers,
    /// For each place of the current depth, the columns without it.
    pub without: Vec<u64>,
    pub lines: &'a [(usize, Arc<Lines>)],
    /// The mark that is put.
    pub mark: usize,
    pub cells: usize,
    /// The outcome of a full board.
    pub stuck: Option<usize>,
    pub outcomes: usize,
    /// Whether states that ended are dropped.
    pub strip: bool,
}

/// Fills some neighbouring rows.
pub(super) struct FillRows<'a> {
    pub fill: &'a Fill<'a>,
    pub first: usize,
    pub bits: &'a mut [u64],
    pub live: &'a mut [bool],
    pub tally: &'a mut Tally,
}

impl cpu::Task for FillRows<'_> {
    #[inline(always)]
    fn run(self) {
        if self.fill.numbers.whole() { self.all::<true>() } else { self.all::<false>() }
    }
}

impl FillRows<'_> {
    #[inline(always)]
    fn all<const WHOLE: bool>(self) {
        let Self { fill, first, bits, live, tally } = self;
        let stride = fill.columns.len().div_ceil(64);
        let mut maps = Vec::new();
        for ((at, live), bits) in live.iter_mut().enumerate().zip(bits.chunks_exact_mut(stride)) {
            let row = fill.rows[first + at];
            let stabiliser: Vec<usize> = fill.images.stabiliser(row).collect();
            let any = match fill.current {
                Some(layer) if fill.mark == 0 => fill.put_first::<WHOLE>(layer, row, &stabiliser, bits, &mut maps),
                Some(layer) => fill.put_second::<WHOLE>(layer, first + at, &stabiliser, bits, &mut maps),
                None => true,
            };
            *live = any && fill.close::<WHOLE>(row, &stabiliser, bits, &mut maps, tally);
        }
    }
}

impl Fill<'_> {
    /// Makes maps from the places of one row to those of another, one for each of some elements after a first one.
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

    /// Collects what comes to a row when a first mark is put. Tells whether there was a source.
    #[inline(always)]
    fn put_first<const WHOLE: bool>(
        &self,
        current: &Layer,
        row: Cells,
        stabiliser: &[usize],
        bits: &mut [u64],
        maps: &mut Vec<BitMap>,
    ) -> bool {
        let (stride, columns) = (current.stride, &current.columns[..]);
        let mut any = false;
        let mut rest = row;
        while rest != 0 {
            let put = rest & rest.wrapping_neg();
            rest ^= put;
            // Marks that the row's own symmetries carry onto each other lead to the same columns.
            if stabiliser[1..].iter().any(|&element| {
                self.images.elements[element][put.trailing_zeros() as usize] < put.trailing_zeros() as u8
            }) {
                continue;
            }
            let (source, back) = self.images.smallest(row ^ put);
            // A source that ended, or cannot be reached, has no open states.
            let Ok(number) = current.rows.binary_search(&source) else { continue };
            if !current.live[number] {
                continue;
            }
            any = true;
            let words = &current.bits.get::<u64>()[number * stride..][..stride];
            // A state stands for all its images under the symmetries of its row.
            for own in self.images.stabiliser(source) {
                let there = self.images.then(own, back);
                let element = &self.images.elements[there];
                let gap = (0..self.cells as u8).find(|&cell| element[cell as usize] as u32 == put.trailing_zeros());
                let gap = place(source, gap.unwrap_or(0)).unwrap_or(0) as usize;
                let without = &self.without[gap * stride..][..stride];
                self.maps(source, there, stabiliser, row, maps);
                collect::<WHOLE>(&self.numbers, words, without, columns, maps, bits);
            }
        }
        any
    }

    /// Collects what comes to a row when a second mark is put. Tells whether there was a source.
    #[inline(always)]
    fn put_second<const WHOLE: bool>(
        &self,
        current: &Layer,
        number: usize,
        stabiliser: &[usize],
        bits: &mut [u64],
        maps: &mut Vec<BitMap>,
    ) -> bool {
        if !current.live[number] {
            return false;
        }
        let row = self.rows[number];
        let whole = (1u32 << (self.cells - row.count_ones() as usize)).wrapping_sub(1);
        let stride = current.stride;
        let words = &current.bits.get::<u64>()[number * stride..][..stride];
        let alone = stabiliser.len() == 1;
        if !alone {
            self.maps(row, 0, stabiliser, row, maps);
        }
        for (word, columns) in words.iter().zip(current.columns.chunks(64)) {
            let mut rest = *word;
            while rest != 0 {
                let column = columns[rest.trailing_zeros() as usize];
                rest &= rest - 1;
                let mut free = whole & !column;
                while free != 0 {
                    let put = free & free.wrapping_neg();
                    free ^= put;
                    let set = if alone { column | put } else { smallest(maps, column | put) };
                    let at = self.numbers.of::<WHOLE>(set);
                    bits[at >> 6] |= 1 << (at & 63);
                }
            }
        }
        true
    }

    /// Counts a row, and drops the states that ended. Tells whether any are open.
    #[inline(always)]
    fn close<const WHOLE: bool>(
        &self,
        row: Cells,
        stabiliser: &[usize],
        bits: &mut [u64],
        maps: &mut Vec<BitMap>,
        tally: &mut Tally,
    ) -> bool {
        let states: u64 = bits.iter().map(|word| u64::from(word.count_ones())).sum();
        tally.states += states;
        tally.raw_states += if stabiliser.len() == 1 {
            states * self.images.elements.len() as u64
        } else {
            self.maps(row, 0, stabiliser, row, maps);
            let mut sum = 0;
            for (word, columns) in bits.iter().zip(self.columns.chunks(64)) {
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
        if self.mark == 0 {
            if let Some((outcome, _)) = self.lines.iter().find(|(_, lines)| lines.hold(row)) {
                tally.ended[*outcome] += states;
                if self.strip {
                    bits.fill(0);
                }
                return false;
            }
        } else if let Some(shortest) = self.lines.iter().map(|(_, lines)| lines.shortest).min()
            && self.columns.first().is_some_and(|column| column.count_ones() >= shortest)
        {
            let mut cells = [0u8; 32];
            let mut count = 0;
            for cell in (0..self.cells as u8).filter(|cell| row >> cell & 1 == 0) {
                cells[count] = cell;
                count += 1;
            }
            maps.resize_with(maps.len().max(1), BitMap::default);
            let map = &mut maps[0];
            map.set(cells[..count].iter().map(|&cell| Some(cell)));
            for (word, columns) in bits.iter_mut().zip(self.columns.chunks(64)) {
                let mut rest = *word;
                while rest != 0 {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let set = map.apply(columns[bit]);
                    if let Some((outcome, _)) = self.lines.iter().find(|(_, lines)| lines.hold(set)) {
                        tally.ended[*outcome] += 1;
                        if self.strip {
                            *word ^= 1 << bit;
                        }
                        open -= 1;
                    }
                }
            }
        }
        if let Some(outcome) = self.stuck {
            tally.ended[outcome] += open;
            open = 0;
            if self.strip {
                bits.fill(0);
            }
        }
        tally.open += open;
        open > 0
    }
}

/// Adds the images of columns to a row, each as the smallest of its images under some maps.
#[inline(always)]
fn collect<const WHOLE: bool>(
    numbers: &Numbers,
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

/// The smallest image of a set under some maps.
#[inline(always)]
fn smallest(maps: &[BitMap], set: Cells) -> Cells {
    maps.iter().map(|map| map.apply(set)).min().unwrap_or(set)
}
