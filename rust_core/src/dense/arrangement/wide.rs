//! Moves that rearrange places of the head together with many places of the tail. For each state of a block, its target
//! or its source is computed, since tables for all blocks would be as large as the index.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! # The computation
//!
//! Say that a move takes the sequence `t` to the sequence `s`, so that place `j` of `s` holds the thing at place
//! `source[j]` of `t`. Digit `j` of `s` is the number of things after place `j` that are smaller than `s[j]`: the
//! number of all smaller things, minus the number of smaller things before `j`. The number of `s` adds up the digits,
//! each with its weight. In one block, the things in the head of `t` are the same for all states. So what a pair of
//! things adds to the number of `s` is
//!
//! - the same for all states, if both come from the head of `t`;
//! - a number that depends only on the tail, whatever the block, if both come from the tail;
//! - a number that depends on one thing from the tail and on its place, if the other comes from the head.
//!
//! So the number of `s` is a sum of one number for the block, one for the tail, and one for each place of the tail,
//! which is looked up by the thing there. The tables for these look-ups are small: at most eight places with at most
//! eight things. They are made anew for each block, with the numbers for two places added up. So a state takes five
//! look-ups, however many places move.
//!
//! For example, reverse the four places of `2 0 | 3 1`, with a tail of two digits. The head holds 2 and 0, so the tail
//! is `3 1` or `1 3`. Reversed, the sequences are `1 3 | 0 2` and `3 1 | 0 2`, with the digits 1 2 0 0 and 3 1 0 0, and
//! the numbers 10 and 20. The order of 2 and 0 at the end adds the same to both numbers. The order of 1 and 3 adds a
//! number that depends on the tail. And the comparisons of 1 and 3 with 2 and 0 are looked up, for each of the two
//! places.

use super::planes::{MOST_TAIL, PlaneLayout, WORD};
use super::pull::PlaneTails;
use crate::index::SequenceMove;

/// The number of pairs of neighbouring places in a tail.
const PAIRS: usize = MOST_TAIL / 2;

/// The number of codes for a pair of things: three bits for each thing.
const PAIR: usize = 64;

/// A move that is computed for one state at a time, or for a stretch of states at a time.
#[derive(Debug)]
pub(super) struct WideMove {
    /// The lane (place of the pivot) of the given states: those whose bits the caller has.
    pub given: usize,
    /// The lane (place of the pivot) of the sought states: those whose bits are computed from the given states.
    pub sought: usize,
    /// The first place that the move changes.
    first: usize,
    /// The place after the last one that the move changes.
    end: usize,
    /// For each place of the given sequence, the place that its thing has in the sought sequence.
    to: Vec<usize>,
    /// The number of states of a stretch. They are neighbours in a plane, and their sought states are neighbours in the
    /// same order.
    pub stretch: usize,
    /// 2^32 divided by the length of a stretch, rounded up. Multiplying by it replaces a division, which is slower.
    reciprocal: u64,
    /// For even tails and for odd tails, and for each stretch: the things (symbols) in the tail, two to a byte.
    codes: [Vec<[u8; PAIRS]>; 2],
    /// For even tails and for odd tails, and for each stretch: the part of the place of the sought bit that depends
    /// on the tail alone.
    fixed: [Vec<i64>; 2],
    /// For even tails and for odd tails: the new place of each place of a plane. Only for moves that leave all states
    /// in their block, and need no codes; otherwise empty.
    within: [Vec<u16>; 2],
    /// The weight of each digit, counted in bits of the array.
    weights: Vec<i64>,
    /// The distance in bits between the planes of two lanes.
    plane_bits: i64,
}

/// A wide move in one block: the sums from which the sought bits of all states of the block are computed.
pub(super) struct WideBlock<'a> {
    base: i64,
    within: Option<&'a [u16]>,
    codes: &'a [[u8; PAIRS]],
    fixed: &'a [i64],
    pairs: [[i64; PAIR]; PAIRS],
}

impl WideMove {
    /// The move of a way (a move on sequences). If `back` is `false`, the given states are those before the move, and
    /// the sought states those after it. If it is `true`, it is the other way round.
    pub fn new(layout: &PlaneLayout, tails: &PlaneTails, way: &SequenceMove, back: bool) -> Self {
        let (head, places, plane_bits) = (layout.head, layout.places, (layout.words * WORD) as i64);
        let (given, sought) = if back { (way.to, way.from) } else { (way.from, way.to) };
        let mut to: Vec<usize> = (0..places).collect();
        let (mut first, mut end) = (head, head);
        if let Some(shuffle) = &way.shuffle {
            (first, end) = (shuffle.first.min(head), (shuffle.last() + 1).max(head));
            for (at, &source) in shuffle.source.iter().enumerate() {
                if back {
                    to[shuffle.first + at] = source;
                } else {
                    to[source] = shuffle.first + at;
                }
            }
        }
        let weight = |at| layout.weight(at) * if at < head { layout.lanes as i64 * plane_bits } else { 1 };
        let weights: Vec<i64> = (0..places).map(weight).collect();
        // If the move reaches the hidden digit, neighbouring states do not stay neighbours, because that digit depends
        // on the whole tail.
        let parity = layout.odd.is_some() && end + 1 >= places;
        let stretch = if end == head {
            layout.block
        } else if parity {
            1
        } else {
            layout.weight(end - 1) as usize
        };
        let mut wide = Self {
            given,
            sought,
            first,
            end,
            to,
            stretch,
            reciprocal: 0,
            codes: [Vec::new(), Vec::new()],
            fixed: [Vec::new(), Vec::new()],
            within: [Vec::new(), Vec::new()],
            weights,
            plane_bits,
        };
        let stays = way.shuffle.as_ref().is_none_or(|shuffle| shuffle.first >= head);
        for odd in if layout.odd.is_some() { &[false, true][..] } else { &[false] } {
            for place in (0..layout.block).step_by(stretch) {
                let (code, fixed) = wide.of_tail(layout, &tails.get(place, *odd).things[..end - head]);
                wide.codes[usize::from(*odd)].push(code);
                wide.fixed[usize::from(*odd)].push(fixed);
            }
            if stays {
                // The move changes nothing in the head (the first places, which choose the block), so its effect is the
                // same in all blocks, and is computed for the first one. The head of that block is even.
                let block = wide.block(layout, &vec![0; head], *odd);
                let begin = wide.sought as i64 * plane_bits;
                let place = |place: usize| (block.bit(place / stretch) + place % stretch) as i64 - begin;
                let within = (0..layout.block).map(|at| place(at) as u16).collect();
                wide.within[usize::from(*odd)] = within;
            }
        }
        if stays {
            wide.stretch = 1;
            (wide.codes, wide.fixed) = Default::default();
        }
        wide.reciprocal = (1u64 << 32).div_ceil(wide.stretch as u64);
        wide
    }

    /// The things in a tail, packed in pairs, and what the order of these things adds to the number of the sought
    /// state.
    fn of_tail(&self, layout: &PlaneLayout, things: &[u8]) -> ([u8; PAIRS], i64) {
        let to = &self.to[layout.head..];
        let (mut code, mut fixed) = ([0; PAIRS], 0);
        for (at, &thing) in things.iter().enumerate() {
            code[at / 2] |= if at % 2 == 0 { thing << 3 } else { thing };
            for other in 0..at {
                // If the smaller of two things comes first, the digit of the larger thing does not count it.
                let (smaller, larger) = if things[other] < thing { (to[other], to[at]) } else { (to[at], to[other]) };
                if smaller < larger {
                    fixed -= self.weights[larger];
                }
            }
        }
        (code, fixed)
    }

    /// Prepares the move for one block, from the digits of the block's head, and from whether the tails of the plane
    /// are odd.
    pub fn block<'a>(&'a self, layout: &PlaneLayout, head: &[usize], odd: bool) -> WideBlock<'a> {
        let (first, heads, weights) = (self.first, layout.head, &self.weights);
        let mut base = self.sought as i64 * self.plane_bits;
        base += (0..first).map(|at| head[at] as i64 * weights[at]).sum::<i64>();
        // The things that come from place `first` on are numbered from 0. At the end, `left` has those of them that are
        // not in the head.
        let mut left: [u8; 16] = std::array::from_fn(|at| at as u8);
        let mut count = layout.places - first;
        let mut things = [(0usize, 0u8); 16];
        let width = heads - first;
        for at in 0..width {
            let digit = head[first + at];
            things[at] = (self.to[first + at], left[digit]);
            left.copy_within(digit + 1..count, digit);
            count -= 1;
        }
        let things = &things[..width];
        for &(place, thing) in things {
            let before = things.iter().filter(|&&(other, smaller)| other < place && smaller < thing).count();
            base += weights[place] * (i64::from(thing) - before as i64);
        }
        let odd = usize::from(odd);
        if !self.within[odd].is_empty() {
            let (codes, fixed, pairs) = (&[][..], &[][..], [[0; PAIR]; PAIRS]);
            return WideBlock { base, within: Some(&self.within[odd]), codes, fixed, pairs };
        }
        let mut singles = [[0i64; MOST_TAIL]; MOST_TAIL];
        for at in heads..self.end {
            let place = self.to[at];
            let single = &mut singles[at - heads];
            for (sum, &thing) in single.iter_mut().zip(&left[..count]) {
                *sum = weights[place] * i64::from(thing);
            }
            for &(other, smaller) in things {
                // The things are in ascending order. So the things larger than `smaller` are at the end, and the others
                // at the beginning.
                let middle = left[..count].iter().take_while(|&&thing| thing < smaller).count();
                if other < place {
                    single[middle..count].iter_mut().for_each(|sum| *sum -= weights[place]);
                } else {
                    single[..middle].iter_mut().for_each(|sum| *sum -= weights[other]);
                }
            }
        }
        let mut pairs = [[0; PAIR]; PAIRS];
        for (pair, sums) in pairs.iter_mut().enumerate().take((self.end - heads).div_ceil(2)) {
            for one in 0..count {
                for other in 0..count {
                    sums[one << 3 | other] = singles[2 * pair][one] + singles[2 * pair + 1][other];
                }
            }
        }
        WideBlock { base, within: None, codes: &self.codes[odd], fixed: &self.fixed[odd], pairs }
    }

    /// The stretch to which a place of a plane belongs. Places and stretches are below 2^16, so the product is exact
    /// enough, and faster than a division.
    #[inline(always)]
    pub fn stretch_of(&self, place: usize) -> usize {
        ((place as u64 * self.reciprocal) >> 32) as usize
    }

    /// Returns `true` if a stretch has at least as many states as a word has bits. Such moves always pull, stretch by
    /// stretch.
    pub fn is_long(&self) -> bool {
        self.stretch >= WORD
    }

    /// The bytes of the tables.
    pub fn bytes(&self) -> usize {
        let within: usize = self.within.iter().map(|within| within.len() * 2).sum();
        self.codes.iter().map(|codes| codes.len() * (PAIRS + 8)).sum::<usize>() + within
    }
}

impl WideBlock<'_> {
    /// The place of the first sought bit of a stretch in the array of all planes: where the stretch goes if the move is
    /// made forward, and where it comes from if it is read back.
    #[inline(always)]
    pub fn bit(&self, stretch: usize) -> usize {
        if let Some(within) = self.within {
            return self.base as usize + usize::from(within[stretch]);
        }
        let code = self.codes[stretch];
        let sum = (0..PAIRS).map(|pair| self.pairs[pair][usize::from(code[pair]) % PAIR]).sum::<i64>();
        (self.base + self.fixed[stretch] + sum) as usize
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::dense::arrangement::pull::PlanePull;
    use crate::index::ArrangementIndex;
    use crate::rules::{Rules, RulesData};
    use crate::structure::Structure;

    /// Cells with distinct symbols. Each move brings to cell `at` the symbol of cell `source[at]`, and may need the
    /// symbol `0` in a cell.
    fn structure(cells: usize, moves: &[(Vec<usize>, Option<usize>)]) -> Structure {
        let symbols: Vec<String> = (0..cells).map(|symbol| symbol.to_string()).collect();
        let a_move = |(name, (source, needs)): (usize, &(Vec<usize>, Option<usize>))| {
            let then: Vec<_> =
                source.iter().enumerate().map(|(to, from)| serde_json::json!([to, {"copy": from}])).collect();
            let when: Vec<_> = needs.iter().map(|cell| serde_json::json!([cell, ["0"]])).collect();
            serde_json::json!({"name": name.to_string(), "when": when, "then": then})
        };
        let moves: Vec<_> = moves.iter().enumerate().map(a_move).collect();
        let data = serde_json::json!({"symbols": symbols, "start": symbols, "moves": moves});
        let data: RulesData = serde_json::from_value(data).unwrap();
        Structure::new(Arc::new(Rules::new(&data).unwrap())).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: crate::tests::quick_or_long(20, 60), ..ProptestConfig::default() })]
        #[test]
        fn moves_lead_where_the_sequences_say(
            source in (3usize..=8).prop_flat_map(|cells| Just((0..cells).collect::<Vec<_>>()).prop_shuffle()),
            needs in prop::option::of(0usize..3),
            tail in 2usize..=8,
            ring: bool,
        ) {
            let cells = source.len();
            // If the pivot were in a cell without a move, play would be over. So each cell gets a move that changes
            // nothing.
            let idle = (0..cells).map(|cell| ((0..cells).collect(), needs.map(|_| cell)));
            let moves: Vec<_> = std::iter::once((source.clone(), needs)).chain(idle).collect();
            let rules = structure(cells, &moves);
            let around: Vec<usize> = (0..cells).collect();
            let ring = (ring && needs.is_none()).then(|| ArrangementIndex::of_ring(&rules, &around, 1).unwrap());
            let index = ring.unwrap_or_else(|| ArrangementIndex::of_structure(&rules).unwrap());
            let Some(layout) = PlaneLayout::new(&index, tail) else { return Ok(()) };
            let tails = PlaneTails::new(&layout);
            let bits = layout.array_words() * WORD as u64;
            let states: Vec<_> = (0..bits).filter_map(|bit| Some((bit, layout.state(bit)?))).collect();
            for (bit, (sequence, lane)) in &states {
                prop_assert_eq!(layout.bit(sequence, *lane), Some(*bit));
            }
            prop_assert_eq!(states.len() as u64, crate::index::Index::len(&index));
            for way in &index.ways {
                let (wide, back) =
                    (WideMove::new(&layout, &tails, way, false), WideMove::new(&layout, &tails, way, true));
                let pull = PlanePull::new(&layout, &tails, way, u64::MAX);
                // Testing one bit of the array after another would take long. So all bits are set at random, and the
                // test compares the bits that the moves collect.
                let words = 0..layout.array_words() + 2;
                let mut array: Vec<u64> = words.map(|at| at.wrapping_mul(0x9E37_79B9_7F4A_7C15)).collect();
                for at in 0..bits {
                    if layout.state(at).is_none() {
                        array[1 + at as usize / WORD] &= !(1 << (at as usize % WORD));
                    }
                }
                for (bit, (sequence, lane)) in states.iter().filter(|(_, (_, lane))| *lane == way.from) {
                    let mut after = sequence.clone();
                    if let Some(shuffle) = &way.shuffle {
                        for (at, &from) in shuffle.source.iter().enumerate() {
                            after[shuffle.first + at] = sequence[from];
                        }
                    }
                    let expected = layout.bit(&after, way.to).unwrap();
                    let plane_bits = (layout.words * WORD) as u64;
                    let along = |wide: &WideMove, bit: u64, lane: usize| {
                        let (plane, place) = (bit / plane_bits, (bit % plane_bits) as usize);
                        let head = layout.head_digits(plane / layout.lanes as u64);
                        let odd = layout.odd_tail(lane, head.iter().sum::<usize>() % 2 == 1);
                        let block = wide.block(&layout, &head, odd);
                        (block.bit(place / wide.stretch) + place % wide.stretch) as u64
                    };
                    prop_assert_eq!(along(&wide, *bit, *lane), expected);
                    prop_assert_eq!(along(&back, expected, way.to), *bit);
                    if let Some(pull) = &pull {
                        let plane = expected / plane_bits;
                        let head = layout.head_digits(plane / layout.lanes as u64);
                        let odd = layout.odd_tail(way.to, head.iter().sum::<usize>() % 2 == 1);
                        let mut target = vec![0; layout.words];
                        for part in pull.parts(&head, layout.places, odd) {
                            let from = plane as i64 / layout.lanes as i64 + part.delta;
                            let begin = 1 + (from as usize * layout.lanes + way.from) * layout.words;
                            part.add(pull, &mut target, &array, begin);
                        }
                        let place = (expected % plane_bits) as usize;
                        let is_set = |words: &[u64], bit: usize| words[bit / WORD] >> (bit % WORD) & 1;
                        prop_assert_eq!(is_set(&target, place), is_set(&array[1..], *bit as usize));
                        for (at, word) in target.iter().enumerate() {
                            prop_assert_eq!(word & !layout.valid(at), 0);
                        }
                    }
                }
            }
        }
    }
}
