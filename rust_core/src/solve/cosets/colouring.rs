//! One colouring of the stickers: an abstraction in which stickers of one colour are the same.
//!
//! Take two pieces with two stickers each, `Aa` and `Bb`, in two places. Colour `A` and `B` red, and `a` and `b` blue:
//! then there are four states, red-blue red-blue, red-blue blue-red, and so on. They show how the pieces are turned,
//! but not which piece is in which place. Colour `A` and `a` red, and `B` and `b` blue: then there are two states,
//! red-red blue-blue and blue-blue red-red. They show which piece is in which place.

use std::collections::HashMap;

use super::sticker_group::{Sticker, Stickers};
use crate::graph::WordIndex;
use crate::sorting;

/// The colour of each sticker.
pub type Colours = Vec<u8>;

/// The abstract states of a colouring, numbered from 0. The goal has the number 0.
#[derive(Debug)]
pub struct StickerColouring {
    /// The colour of each sticker.
    pub colours: Colours,
    /// The number of states.
    pub len: usize,
    /// For each move and each state, the number of the state to which the move leads.
    pub next: Vec<Vec<u32>>,
    /// For each move and each state, the number of the state from which the move leads to it.
    pub before: Vec<Vec<u32>>,
    /// The places of pieces that do not look the same in all states.
    pub places: Vec<usize>,
    /// The code of a state is a sum over places. For each place of `places` and each sticker: the number that is added
    /// if this sticker is the first one in that place.
    pub weights: Vec<Vec<u64>>,
    /// For each sticker, the number of the look of a place in which it is the first one. See [`looks`].
    pub looks: Vec<u8>,
    /// For each state, one after another: the look of each place of `places`.
    shown: Vec<u8>,
    codes: Codes,
}

/// Finds the number of a state from its code, by perfect hashing: each code has a slot of its own. Codes whose hashes
/// begin with the same bits are in one bucket. All codes of a bucket are displaced by the same amount, which is chosen
/// so that they fall into free slots.
#[derive(Debug, Default)]
struct Codes {
    /// The number in each slot.
    slots: Vec<u16>,
    /// The code of each number.
    of_number: Vec<u64>,
    /// For each bucket, by how much the slots of its codes are moved. Empty if all codes are small: then a code is its
    /// slot.
    displaced: Vec<u32>,
    multiplier: u64,
    /// Each code is smaller than this.
    end: u64,
}

/// In place of the number of a state: there is no such state.
pub const NONE: u32 = u32::MAX;

/// If all codes are smaller than this, they need no hashing: each code is its own place (slot) in the table.
const MOST_DIRECT: u64 = 1 << 16;

impl StickerColouring {
    /// The states of a colouring; `None` if there are more than `most`, which must be at most 65,536.
    pub fn new(stickers: &Stickers, colours: Colours, most: usize) -> Option<Self> {
        let looks = looks(stickers, &[&colours]);
        let place_looks = |place: usize| -> u8 {
            let orbit = stickers.orbits[place];
            let places = (0..stickers.places.len()).filter(|&other| stickers.orbits[other] == orbit);
            places.flat_map(|place| &stickers.places[place]).map(|&at| looks[at as usize]).max().unwrap_or(0)
        };
        let places: Vec<usize> = (0..stickers.places.len()).filter(|&place| place_looks(place) > 0).collect();
        // The code of a state is the sum of the looks of its places, each times the unit of the place.
        let (mut weights, mut units, mut unit) = (Vec::new(), Vec::new(), 1u64);
        for &place in &places {
            units.push(unit);
            weights.push(looks.iter().map(|&look| unit.saturating_mul(u64::from(look))).collect::<Vec<_>>());
            unit = unit.checked_mul(u64::from(place_looks(place)) + 1)?;
        }
        // Maps (orbit, look of a place, steps) to the look that the place has once its piece is turned by that many
        // steps.
        let mut turned: HashMap<(usize, u8, usize), u8> = HashMap::new();
        for (sticker, &(place, _)) in stickers.home.iter().enumerate() {
            let size = stickers.places[place].len();
            for by in 0..size {
                let before = stickers.turned(sticker as Sticker, size - by);
                turned.insert((stickers.orbits[place], looks[sticker], by), looks[before as usize]);
            }
        }
        let at = |place: usize| places.iter().position(|&known| known == place);
        // For each move and each place: the place to which the move carries the piece that is there; and for each look
        // of the piece, its look after the move.
        let mut steps: Vec<Vec<(usize, Vec<u8>)>> = Vec::new();
        for given in &stickers.moves {
            let step = |&place: &usize| {
                let (to, by) = stickers.home[given.image[stickers.places[place][0] as usize] as usize];
                let of = |look: u8| turned.get(&(stickers.orbits[place], look, by)).copied().unwrap_or(0);
                Some((at(to)?, (0..=place_looks(place)).map(of).collect()))
            };
            steps.push(places.iter().map(step).collect::<Option<_>>()?);
        }
        let mut shown: Vec<u8> = places.iter().map(|&place| looks[stickers.places[place][0] as usize]).collect();
        // The codes of the states, numbered in the order in which they are found.
        let goal = shown.iter().zip(&units).map(|(&look, unit)| u64::from(look) * unit).sum();
        let mut codes = WordIndex::of_different(vec![goal]);
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); steps.len()];
        let (mut number, mut state) = (0, Vec::new());
        while number < codes.len() {
            state.clear();
            state.extend_from_slice(&shown[number * places.len()..][..places.len()]);
            for (step, next) in steps.iter().zip(&mut next) {
                let moved = || step.iter().zip(&state).map(|((to, of), &look)| (*to, of[look as usize]));
                let code = moved().map(|(to, look)| units[to] * u64::from(look)).sum();
                let found = codes.insert(code);
                if found.is_ok() {
                    let begin = shown.len();
                    shown.resize(begin + places.len(), 0);
                    moved().for_each(|(to, look)| shown[begin + to] = look);
                }
                next.push(found.unwrap_or_else(|known| known));
            }
            if codes.len() > most.min(1 << 16) {
                return None;
            }
            number += 1;
        }
        let count = codes.len();
        let before = next.iter().map(|next| {
            let mut before = vec![0; count];
            next.iter().enumerate().for_each(|(from, &to)| before[to as usize] = from as u32);
            before
        });
        let before = before.collect();
        let codes = Codes::new(unit, codes.words);
        Some(Self { colours, len: count, next, before, places, weights, looks, shown, codes })
    }

    /// The look of each of [`Self::places`] in a state.
    pub fn shown(&self, number: usize) -> &[u8] {
        &self.shown[number * self.places.len()..(number + 1) * self.places.len()]
    }

    /// The number of a state, from its code, which is the sum of the weights of its stickers. [`NONE`] if no state has
    /// this code.
    #[inline(always)]
    pub fn number(&self, code: u64) -> u32 {
        self.codes.number(code)
    }

    /// The number of the state that has a code. If no state has it, the result is any number.
    #[inline(always)]
    pub fn number_of_state(&self, code: u64) -> u16 {
        self.codes.slots[self.codes.slot(code)]
    }

    /// The number of bits that hold each code, at least one.
    pub fn code_bits(&self) -> u32 {
        u64::BITS - (self.codes.end - 1).max(1).leading_zeros()
    }

    /// The number of bytes that the colouring takes.
    pub fn bytes(&self) -> u64 {
        let weights: usize = self.weights.iter().map(Vec::len).sum();
        let codes = self.codes.slots.len() * 2 + self.codes.of_number.len() * 8 + self.codes.displaced.len() * 4;
        (self.len * (self.next.len() * 8 + self.places.len()) + weights * 8 + codes) as u64
    }
}

impl Codes {
    /// Prepares look-ups of codes, each of which is smaller than `end`. The number of a code is its place in the list.
    fn new(end: u64, codes: Vec<u64>) -> Self {
        if end <= MOST_DIRECT {
            let mut slots = vec![0; end as usize];
            codes.iter().enumerate().for_each(|(number, &code)| slots[code as usize] = number as u16);
            return Self { slots, of_number: codes, end, ..Self::default() };
        }
        let slots = (codes.len() * 2).next_power_of_two().max(16);
        // A multiplier fails if codes of one bucket have the same hash, so another one is tried.
        let mut made = Self { of_number: codes, end, multiplier: 0x9E37_79B9_7F4A_7C15, ..Self::default() };
        while !made.displace(slots) {
            made.multiplier = made.multiplier.wrapping_mul(0xD134_2543_DE82_EF95);
        }
        made
    }

    /// Finds a slot for each code, bucket by bucket. Returns `false` if that fails with the present multiplier.
    fn displace(&mut self, slots: usize) -> bool {
        self.slots = vec![0; slots];
        self.displaced = vec![0; slots / 8];
        let mut buckets: Vec<Vec<usize>> = vec![Vec::new(); self.displaced.len()];
        for (number, &code) in self.of_number.iter().enumerate() {
            buckets[self.bucket(code)].push(number);
        }
        // Large buckets come first, while there are many free slots.
        let mut order: Vec<usize> = (0..buckets.len()).collect();
        sorting::sort_by_key(&mut order, |&bucket| std::cmp::Reverse(buckets[bucket].len()));
        let (mut taken, mut own) = (vec![false; slots], Vec::new());
        for bucket in order {
            // The slots of the bucket's codes before they are moved. No two may be the same.
            own.clear();
            own.extend(buckets[bucket].iter().map(|&number| self.slot(self.of_number[number])));
            if (1..own.len()).any(|at| own[..at].contains(&own[at])) {
                return false;
            }
            let free = |by: &usize| own.iter().all(|&slot| !taken[(slot + by) & (slots - 1)]);
            let Some(by) = (0..slots).find(free) else { return false };
            self.displaced[bucket] = by as u32;
            for (&number, slot) in buckets[bucket].iter().zip(&own) {
                let slot = (slot + by) & (slots - 1);
                (self.slots[slot], taken[slot]) = (number as u16, true);
            }
        }
        true
    }

    #[inline(always)]
    fn bucket(&self, code: u64) -> usize {
        (code.wrapping_mul(self.multiplier) >> 48) as usize & (self.displaced.len() - 1)
    }

    #[inline(always)]
    fn slot(&self, code: u64) -> usize {
        if self.displaced.is_empty() {
            return code as usize;
        }
        let hash = (code.wrapping_mul(self.multiplier) >> 24) as usize;
        (hash + self.displaced[self.bucket(code)] as usize) & (self.slots.len() - 1)
    }

    fn number(&self, code: u64) -> u32 {
        let number = self.slots.get(self.slot(code)).map_or(0, |&number| usize::from(number));
        if self.of_number[number] == code { number as u32 } else { NONE }
    }
}

/// For each sticker, the number of the *look* of a place in which it is the first one. A look is the list of the
/// colours around the circle of the place, in all the given colourings. Looks of different orbits may have the same
/// number.
pub fn looks(stickers: &Stickers, colourings: &[&Colours]) -> Vec<u8> {
    let mut numbers: HashMap<(usize, Vec<u8>), u8> = HashMap::new();
    let mut counts: HashMap<usize, u8> = HashMap::new();
    let look = |(sticker, &(place, _)): (usize, &(usize, usize))| {
        let circle = (0..stickers.places[place].len()).map(|by| stickers.turned(sticker as Sticker, by) as usize);
        let seen: Vec<u8> = circle.flat_map(|at| colourings.iter().map(move |colours| colours[at])).collect();
        let orbit = stickers.orbits[place];
        let count = counts.entry(orbit).or_default();
        *numbers.entry((orbit, seen)).or_insert_with(|| {
            *count += 1;
            *count - 1
        })
    };
    stickers.home.iter().enumerate().map(look).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_code_has_its_number_and_others_have_none(
            codes in prop::collection::hash_set(0u64..1 << 40, 1..3000),
            small in any::<bool>(),
        ) {
            let end = if small { MOST_DIRECT } else { 1 << 40 };
            let mut codes: Vec<u64> = codes.into_iter().map(|code| code % end).collect();
            codes.sort_unstable();
            codes.dedup();
            let made = Codes::new(end, codes.clone());
            for (number, &code) in codes.iter().enumerate() {
                prop_assert_eq!((made.number(code), made.slots[made.slot(code)]), (number as u32, number as u16));
                let next = (code + 1) % end;
                prop_assert_eq!(made.number(next) == NONE, codes.binary_search(&next).is_err());
            }
        }
    }
}
