//! One colouring of the stickers: an abstraction that does not tell stickers of one colour apart.
//!
//! Take two pieces with two stickers each, `Aa` and `Bb`, in two places. Colour `A` and `B` red, and `a` and `b` blue:
//! then there are four states, red-blue red-blue, red-blue blue-red, and so on. They show how the pieces are turned,
//! but not which piece is in which place. Colour `A` and `a` red, and `B` and `b` blue: then there are two states,
//! red-red blue-blue and blue-blue red-red. They show which piece is in which place.

use std::collections::HashMap;

use super::stickers::{Sticker, Stickers};

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
    /// The places that do not look the same in all states.
    pub places: Vec<usize>,
    /// For each place of `places` and each sticker: the number that is added to the code of a state if this sticker is
    /// the first one in that place.
    pub weights: Vec<Vec<u64>>,
    /// For each sticker, the number of the look of a place in which it is the first one. See [`looks`].
    pub looks: Vec<u8>,
    /// For each state, one after another: the look of each place of `places`.
    shown: Vec<u8>,
    codes: Codes,
}

/// Finds the number of a state from its code.
#[derive(Debug)]
struct Codes {
    /// If codes are small: for each code, the number of its state.
    direct: Vec<u32>,
    /// If codes are large: the codes with the numbers of their states, in a hash table with open addressing.
    slots: Vec<(u64, u32)>,
    shift: u32,
}

/// The value that stands for no number.
pub const NONE: u32 = u32::MAX;

/// If all codes are smaller than this, they are looked up in a list, and not in a hash table.
const MOST_DIRECT: u64 = 1 << 18;

impl StickerColouring {
    /// The states of a colouring; `None` if it has more than `most` states.
    pub fn new(stickers: &Stickers, colours: Colours, most: usize) -> Option<Self> {
        let looks = looks(stickers, &[&colours]);
        let place_looks = |place: usize| -> u8 {
            let orbit = stickers.orbits[place];
            let places = (0..stickers.places.len()).filter(|&other| stickers.orbits[other] == orbit);
            places.flat_map(|place| &stickers.places[place]).map(|&at| looks[at as usize]).max().unwrap_or(0)
        };
        let places: Vec<usize> = (0..stickers.places.len()).filter(|&place| place_looks(place) > 0).collect();
        let (mut weights, mut unit) = (Vec::new(), 1u64);
        for &place in &places {
            weights.push(looks.iter().map(|&look| unit.saturating_mul(u64::from(look))).collect::<Vec<_>>());
            unit = unit.checked_mul(u64::from(place_looks(place)) + 1)?;
        }
        // For each orbit, look and number of steps: the look of the place if the piece there is turned by these steps.
        let mut turned: HashMap<(usize, u8, usize), u8> = HashMap::new();
        for (sticker, &(place, _)) in stickers.home.iter().enumerate() {
            let size = stickers.places[place].len();
            for by in 0..size {
                let before = stickers.turned(sticker as Sticker, size - by);
                turned.insert((stickers.orbits[place], looks[sticker], by), looks[before as usize]);
            }
        }
        let at = |place: usize| places.iter().position(|&known| known == place);
        // For each move and each place: the place to which its piece goes, and the new look for each look.
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
        let mut numbers: HashMap<Vec<u8>, u32> = HashMap::from([(shown.clone(), 0)]);
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); steps.len()];
        let (mut number, mut count) = (0, 1);
        while number < count {
            let state = shown[number * places.len()..(number + 1) * places.len()].to_vec();
            for (step, next) in steps.iter().zip(&mut next) {
                let mut after = vec![0; places.len()];
                step.iter().zip(&state).for_each(|((to, of), &look)| after[*to] = of[look as usize]);
                let known = numbers.get(&after).copied().unwrap_or_else(|| {
                    shown.extend(&after);
                    numbers.insert(after, count as u32);
                    count += 1;
                    count as u32 - 1
                });
                next.push(known);
            }
            if count > most {
                return None;
            }
            number += 1;
        }
        let before = next.iter().map(|next| {
            let mut before = vec![0; count];
            next.iter().enumerate().for_each(|(from, &to)| before[to as usize] = from as u32);
            before
        });
        let before = before.collect();
        let units: Vec<u64> = weights
            .iter()
            .map(|of| of.iter().zip(&looks).find(|(_, look)| **look == 1).map_or(0, |(weight, _)| *weight))
            .collect();
        let code = |state: &[u8]| state.iter().zip(&units).map(|(&look, unit)| u64::from(look) * unit).sum::<u64>();
        let codes = Codes::new(unit, numbers.iter().map(|(state, &number)| (code(state), number)));
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

    /// The number of bytes that the colouring takes.
    pub fn bytes(&self) -> u64 {
        let weights: usize = self.weights.iter().map(Vec::len).sum();
        let codes = self.codes.direct.len() * 4 + self.codes.slots.len() * 16;
        (self.len * (self.next.len() * 8 + self.places.len()) + weights * 8 + codes) as u64
    }
}

impl Codes {
    fn new(end: u64, given: impl ExactSizeIterator<Item = (u64, u32)>) -> Self {
        let mut codes = Self { direct: Vec::new(), slots: Vec::new(), shift: 0 };
        if end <= MOST_DIRECT {
            codes.direct = vec![NONE; end as usize];
            given.for_each(|(code, number)| codes.direct[code as usize] = number);
            return codes;
        }
        let slots = (given.len() * 2).next_power_of_two().max(16);
        codes.slots = vec![(0, NONE); slots];
        codes.shift = u64::BITS - slots.trailing_zeros();
        for (code, number) in given {
            let slot = codes.slot(code);
            codes.slots[slot] = (code, number);
        }
        codes
    }

    #[inline(always)]
    fn slot(&self, code: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (code.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize;
        while self.slots[at & mask].1 != NONE && self.slots[at & mask].0 != code {
            at += 1;
        }
        at & mask
    }

    #[inline(always)]
    fn number(&self, code: u64) -> u32 {
        if self.direct.is_empty() { self.slots[self.slot(code)].1 } else { self.direct[code as usize] }
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
