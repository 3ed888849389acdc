//! The head states of a table, and which row each of them chooses: one row for each orbit under the symmetries.
//! `coset_table.rs` explains rows.

use std::collections::HashMap;
use std::sync::Arc;

use super::colouring::{NONE, StickerColouring};
use super::images::{ImageNumbers, Positions};
use super::sticker_group::{Sticker, StickerSymmetry, Stickers};
use crate::dense::Pages;
use crate::run::{Progress, Watch};
use crate::structure::permuting::inverse;

/// The most rows: the number of a row takes 24 bits.
const MOST_ROWS: usize = 1 << 24;

/// Computes images under symmetries of *joint states*, which combine one state of each of several colourings.
pub struct Carrier<'a> {
    stickers: &'a Stickers,
    factors: &'a [Arc<StickerColouring>],
    /// The places that do not look the same in all states of some colouring.
    places: Vec<usize>,
    /// For each place of `places`, and each list of its looks in all colourings: a sticker that gives the place these
    /// looks if it is in the first cell of the place.
    examples: Vec<HashMap<Vec<u8>, Sticker>>,
    /// For each place of `places` and each colouring, the place's number in the colouring's own list, if it is there.
    at: Vec<Vec<Option<usize>>>,
    /// The number of a joint state is a sum: for each colouring, its state's number times this factor.
    units: Vec<usize>,
}

impl<'a> Carrier<'a> {
    pub fn new(stickers: &'a Stickers, factors: &'a [Arc<StickerColouring>]) -> Self {
        let places: Vec<usize> = (0..stickers.places.len())
            .filter(|place| factors.iter().any(|factor| factor.places.contains(place)))
            .collect();
        let examples = places.iter().map(|&place| {
            let alike = |sticker: &usize| stickers.orbits[stickers.home[*sticker].0] == stickers.orbits[place];
            let shown = |sticker: usize| factors.iter().map(|factor| factor.looks[sticker]).collect::<Vec<u8>>();
            (0..stickers.len()).filter(alike).map(|sticker| (shown(sticker), sticker as Sticker)).collect()
        });
        let examples = examples.collect();
        let at = |&place: &usize| {
            factors.iter().map(|factor| factor.places.iter().position(|&known| known == place)).collect()
        };
        let at = places.iter().map(at).collect();
        let units = factors.iter().scan(1, |unit, factor| Some(std::mem::replace(unit, *unit * factor.len))).collect();
        Self { stickers, factors, places, examples, at, units }
    }

    /// For each place of `places`, a sticker that could be the first one there in the joint state `number`. `None` if
    /// the states of the colourings that the number stands for never occur together.
    pub fn seen(&self, mut number: usize) -> Option<Positions> {
        let numbers: Vec<usize> = self
            .factors
            .iter()
            .map(|factor| {
                let own = number % factor.len;
                number /= factor.len;
                own
            })
            .collect();
        let (mut seen, mut shown) = (Positions::default(), Vec::with_capacity(self.factors.len()));
        for ((&place, at), examples) in self.places.iter().zip(&self.at).zip(&self.examples) {
            shown.clear();
            let looks = self.factors.iter().zip(&numbers).zip(at);
            shown.extend(looks.map(|((factor, &number), at)| at.map_or(0, |at| factor.shown(number)[at])));
            seen[place] = *examples.get(&shown)?;
        }
        Some(seen)
    }

    /// Makes the sums from which the numbers of a state's images under a symmetry are read.
    pub fn images(&self, symmetry: &StickerSymmetry) -> ImageNumbers {
        ImageNumbers::new(self.stickers, self.factors, symmetry)
    }

    /// The number of the image of a joint state. `seen` has the first sticker in each place of the state. `None` if the
    /// image is no joint state.
    pub fn image(&self, seen: &Positions, images: &ImageNumbers) -> Option<usize> {
        let (mut number, mut known) = (0, true);
        images.each(seen, |at, code| {
            let own = self.factors[at].number(code);
            known &= own != NONE;
            number += if own == NONE { 0 } else { own as usize * self.units[at] };
        });
        known.then_some(number)
    }
}

/// The images of this many states are computed before the watch is asked again. That takes some milliseconds.
const LOOK_EVERY: usize = 256;

/// Returns `true` if the watch stops the work. It is asked now and then.
pub fn stopped(done: usize, watch: Watch) -> bool {
    let progress = Progress { expanded: done as u64, ..Progress::default() };
    done.is_multiple_of(LOOK_EVERY) && watch(&progress).is_break()
}

/// The row that each head state chooses, and all else that is known of the rows.
pub struct HeadRows {
    /// For each head state, the number of its row, and in the lowest eight bits the symmetry that carries the head
    /// state onto the one of that row.
    pub rows: Pages,
    pub rest: OfRows,
}

/// The knowledge about rows that is needed while a table is filled.
pub struct OfRows {
    /// For each row, its head state.
    pub first: Vec<u32>,
    /// For each row whose head state is a fixed point of symmetries other than the identity: the numbers of these
    /// symmetries.
    pub fixing: HashMap<u32, Vec<usize>>,
}

impl HeadRows {
    /// Finds the rows. Head states are those of the head's colourings `factors`, together. Of each orbit of them under
    /// the symmetries `own`, the first one gets a row. `None` if the watch stops the search, or if there are too many
    /// rows or too little memory.
    pub fn find(
        stickers: &Stickers,
        own: &[&StickerSymmetry],
        factors: &[Arc<StickerColouring>],
        watch: Watch,
    ) -> Option<Self> {
        let undoing = |symmetry: &&StickerSymmetry| {
            let inverse = inverse(&symmetry.image);
            own.iter().position(|other| other.image == inverse)
        };
        let undone: Vec<usize> = own.iter().map(undoing).collect::<Option<_>>()?;
        let (head, head_len) = (Carrier::new(stickers, factors), factors.iter().map(|factor| factor.len).product());
        let images: Vec<_> = own.iter().map(|symmetry| head.images(symmetry)).collect();
        let mut pages = Pages::new::<u32>(head_len).ok()?;
        let rows: &mut [u32] = &mut pages.get_mut()[..head_len];
        rows.fill(NONE);
        let mut first: Vec<u32> = Vec::new();
        let mut fixing: HashMap<u32, Vec<usize>> = HashMap::new();
        for number in 0..head_len {
            if stopped(number, watch) {
                return None;
            }
            if rows[number] != NONE {
                continue;
            }
            let Some(seen) = head.seen(number) else { continue };
            let row = first.len() as u32;
            if row as usize >= MOST_ROWS {
                return None;
            }
            first.push(number as u32);
            for (at, images) in images.iter().enumerate() {
                let Some(image) = head.image(&seen, images) else { continue };
                if rows[image] == NONE {
                    rows[image] = row << 8 | undone[at] as u32;
                } else if image == number && at > 0 {
                    fixing.entry(row).or_default().push(at);
                }
            }
        }
        Some(Self { rows: pages, rest: OfRows { first, fixing } })
    }
}
