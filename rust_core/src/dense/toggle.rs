//! Toggles: rules whose moves flip cells. Each sum of moves has a bit.
//!
//! A move adds one number to the numbers of all states. So it exchanges whole words of bits, or bits within words. The
//! theory is in `docs/enumeration.md`, "The dense store".
//!
//! # Four cells
//!
//! Let moves flip the cells {0, 1}, {1, 2}, {2, 3} and {0, 1, 2, 3}. The first three are a basis. The state that
//! differs from the start in the cells 0 and 2 is the sum of the first two, so its number is 0b011. The last move is
//! the sum of the first and the third, 0b101. It leads from number `n` to `n ^ 0b101`. So bit `n` of the next depth is
//! bit `n ^ 0b101` of the current one. In an array of several words, the low six bits of a move's number exchange bits
//! within each word. Its other bits choose the word from which each word takes its bits.

use std::sync::Arc;

use super::dense_shape::{DenseShape, DepthStates, Place, StorageNeeds};
use super::driver::DenseStorage;
use super::sweep::Sweep;
use super::swept::{Division, SweepChunk, SweepCount, SweptIndex, keep_new};
use super::tuning::Tuning;
use crate::compile::cpu;
use crate::error::Result;
use crate::index::{Flips, Index, ToggleIndex};
use crate::rules::{Rules, Symbol, Symmetry};
use crate::run::parallel;
use crate::structure::Structure;

/// After each part of a depth, of this many chunks, a job may write to disk the states that it has found. A part takes
/// some seconds.
const PART_CHUNKS: usize = 1 << 14;

/// The number of words that are handled at once.
const LANES: usize = 8;

/// The index of rules whose moves toggle cells, and its division into blocks and chunks.
#[derive(Debug)]
pub struct ToggleShape {
    pub(super) index: ToggleIndex,
    /// The number of moves of the rules. Each can be made in every state.
    moves: u64,
    division: Division,
    /// For each symmetry but the identity, a basis of the numbers of the states that it fixes: these numbers are all
    /// sums (exclusive ors) of the basis.
    fixed: Vec<Vec<u64>>,
}

impl ToggleShape {
    /// The shape of some rules, if their moves do nothing but flip cells.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        let shape = Self::of_index(ToggleIndex::of_structure(structure)?, structure, symmetries, tuning);
        let bits = shape.index.bits();
        // In each depth, all states that symmetries fix are looked up. If that would take much longer than finding the
        // depth, the rules get no such index.
        let some = shape.fixed.iter().filter(|numbers| numbers.len() < bits);
        let looks = some.fold(0, |sum, numbers| sum + (1u64 << numbers.len()));
        (looks <= (1 << bits) / 4 + (1 << 20)).then_some(shape)
    }

    /// The shape with a basis that is given: for each bit of a number, the cells that it flips. `None` if the rules
    /// have no index with this basis.
    pub fn of_cut(
        structure: &Structure,
        symmetries: &[Symmetry],
        basis: &[Vec<usize>],
        tuning: Tuning,
    ) -> Option<Self> {
        let flips = |cells: &Vec<usize>| {
            let known = cells.iter().all(|&cell| cell < structure.rules().cells().min(Flips::BITS as usize));
            known.then(|| cells.iter().fold(0, |flips: Flips, &cell| flips | 1 << cell))
        };
        let basis: Vec<Flips> = basis.iter().map(flips).collect::<Option<_>>()?;
        Some(Self::of_index(ToggleIndex::of_basis(structure, &basis)?, structure, symmetries, tuning))
    }

    fn of_index(index: ToggleIndex, structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Self {
        let fixed = symmetries[1..].iter().map(|symmetry| index.fixed(symmetry)).collect();
        let word_bits = index.bits().saturating_sub(6);
        let block_bits = word_bits.min(tuning.block_word_bits);
        let blocks = 1u64 << (word_bits - block_bits);
        let chunk_blocks = (tuning.chunk_bytes as u64 >> (block_bits + 3)).clamp(1, blocks);
        Self {
            index,
            moves: structure.rules().moves.len() as u64,
            division: Division {
                blocks: blocks as usize,
                block_words: 1 << block_bits,
                // A power of two, so that it divides the number of blocks.
                chunk_blocks: 1 << chunk_blocks.ilog2(),
                part_chunks: tuning.part_chunks.unwrap_or(PART_CHUNKS),
            },
            fixed,
        }
    }

    /// The bytes of one array of bits.
    pub fn array_bytes(&self) -> u64 {
        8 << self.index.bits().saturating_sub(6)
    }
}

impl DenseShape for ToggleShape {
    fn index(&self) -> &dyn Index {
        &self.index
    }

    fn bytes(&self, _max_depth: Option<u64>, _kept: bool) -> u64 {
        SweptIndex::bytes(self)
    }

    fn doubtful(&self, max_depth: Option<u64>) -> u64 {
        max_depth.map_or(0, |_| self.array_bytes() * 8)
    }

    fn reading(&self, _depth: u64) -> Box<dyn DepthStates + '_> {
        Box::new(self)
    }

    fn storage(self: Arc<Self>, rules: &Arc<Rules>, _needs: StorageNeeds) -> Result<Box<dyn DenseStorage>> {
        Ok(Box::new(Sweep::new(self, rules)?))
    }
}

impl DepthStates for &ToggleShape {
    fn bytes(&self) -> usize {
        self.array_bytes() as usize
    }

    fn place(&self, bit: usize) -> Option<Place> {
        (bit >> self.index.bits() == 0).then_some(Place { block: bit, within: 0 })
    }

    fn bit(&self, state: &[Symbol]) -> Option<u64> {
        self.index.rank(state)
    }

    fn state(&self, place: Place) -> Vec<Symbol> {
        self.index.unrank(place.block as u64)
    }
}

impl SweptIndex for ToggleShape {
    type Word = u64;

    fn division(&self) -> Division {
        self.division
    }

    fn start(&self, _rules: &Rules) -> (usize, u64) {
        (0, 1)
    }

    fn holes(&self, _at: usize) -> u64 {
        match self.index.bits() {
            bits @ ..6 => !((1 << (1 << bits)) - 1),
            _ => 0,
        }
    }

    fn moves(&self, _at: usize, value: u64) -> u64 {
        u64::from(value.count_ones()) * self.moves
    }

    fn expand(&self, chunk: &mut SweepChunk<u64>, count: &mut SweepCount) {
        cpu::run(ExpandToggles { shape: self, chunk, count });
    }

    fn fixed(&self, values: &[u64], states: u64) -> u64 {
        let counts = self.fixed.iter().map(|numbers| match numbers.len() {
            all if all == self.index.bits() => states,
            _ => count_sums(numbers, values),
        });
        counts.sum()
    }

    fn symmetry_order(&self) -> usize {
        self.fixed.len() + 1
    }

    fn bytes(&self) -> u64 {
        3 * self.array_bytes() + 2 * self.division.blocks as u64
    }
}

/// Takes all sums (exclusive ors) of the given numbers. Returns how many of them have their bit set in `values`.
fn count_sums(numbers: &[u64], values: &[u64]) -> u64 {
    // In Gray code order, each sum differs from the one before it by one number. Each task has one sum of the last
    // numbers, and goes through all sums of the first ones.
    let (few, many) = numbers.split_at(numbers.len().min(16));
    let begin = |part: u64| (0..many.len()).filter(|at| part >> at & 1 != 0).fold(0, |sum, at| sum ^ many[at]);
    let is_set = |number: u64| values[(number >> 6) as usize] >> (number & 63) & 1;
    let counts = parallel::map(1 << many.len(), 1, |part| {
        let mut number = begin(part.start as u64);
        let mut count = is_set(number);
        for step in 1..1u64 << few.len() {
            number ^= few[step.trailing_zeros() as usize];
            count += is_set(number);
        }
        count
    });
    counts.into_iter().sum()
}

/// Finds the new states of the next depth that lie in a chunk.
struct ExpandToggles<'a, 'b> {
    shape: &'a ToggleShape,
    chunk: &'a mut SweepChunk<'b, u64>,
    count: &'a mut SweepCount,
}

impl cpu::Task for ExpandToggles<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { shape, chunk, count } = self;
        let words = shape.division.block_words;
        let block_bits = words.ilog2();
        let moves = &shape.index.moves;
        for (block, next) in chunk.next.chunks_exact_mut(words).enumerate() {
            let number = chunk.first_block + block;
            next.fill(0);
            for &added in moves {
                let from = number ^ (added >> 6) as usize >> block_bits;
                if chunk.occupied[from] != 0 {
                    let source = &chunk.current[from * words..][..words];
                    add(next, source, (added >> 6) as usize & (words - 1), added as u32 & 63);
                }
            }
            let states = keep_new(next, &mut chunk.seen[block * words..][..words]);
            chunk.occupied_next[block] = u8::from(states > 0);
            count.states += states;
            if chunk.occupied[number] != 0 {
                let current = &chunk.current[number * words..][..words];
                count.expanded += current.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            }
        }
        count.moves = count.states * shape.moves;
    }
}

/// Adds word `i ^ place` of `source` to each word `i` of the block `target`. On the way, bit `b` becomes bit `b ^ bit`.
#[inline(always)]
fn add(target: &mut [u64], source: &[u64], place: usize, bit: u32) {
    if target.len() < LANES {
        for (at, target) in target.iter_mut().enumerate() {
            let mut word = [source[at ^ place]];
            exchange(&mut word, bit);
            *target |= word[0];
        }
        return;
    }
    match place % LANES {
        0 => add_lanes::<0>(target, source, place / LANES, bit),
        1 => add_lanes::<1>(target, source, place / LANES, bit),
        2 => add_lanes::<2>(target, source, place / LANES, bit),
        3 => add_lanes::<3>(target, source, place / LANES, bit),
        4 => add_lanes::<4>(target, source, place / LANES, bit),
        5 => add_lanes::<5>(target, source, place / LANES, bit),
        6 => add_lanes::<6>(target, source, place / LANES, bit),
        _ => add_lanes::<7>(target, source, place / LANES, bit),
    }
}

/// Does the same as [`add`], eight words at a time. `LANE` is the low three bits of the place, and `place` the other
/// bits. Since `LANE` is a constant, the compiler knows which of eight words goes to which.
#[inline(always)]
fn add_lanes<const LANE: usize>(target: &mut [u64], source: &[u64], place: usize, bit: u32) {
    let source = source.as_chunks::<LANES>().0;
    for (at, target) in target.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let from = &source[at ^ place];
        let mut words = [0; LANES];
        for lane in 0..LANES {
            words[lane] = from[lane ^ LANE];
        }
        exchange(&mut words, bit);
        for lane in 0..LANES {
            target[lane] |= words[lane];
        }
    }
}

/// Exchanges bit `b` and bit `b ^ bit` of each word.
#[inline(always)]
fn exchange(words: &mut [u64], bit: u32) {
    /// For each of the six bits of a place: the places from 0 to 63 in which it is 0.
    const LOW: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    // A loop over these six steps would not be unrolled, and so not be vectorised.
    exchange_at::<1>(words, bit & 1 != 0, LOW[0]);
    exchange_at::<2>(words, bit & 2 != 0, LOW[1]);
    exchange_at::<4>(words, bit & 4 != 0, LOW[2]);
    exchange_at::<8>(words, bit & 8 != 0, LOW[3]);
    exchange_at::<16>(words, bit & 16 != 0, LOW[4]);
    exchange_at::<32>(words, bit & 32 != 0, LOW[5]);
}

/// Exchanges bits at a distance of `APART`, if `wanted`. `low` has the lower bit of each pair.
#[inline(always)]
fn exchange_at<const APART: u32>(words: &mut [u64], wanted: bool, low: u64) {
    if wanted {
        for word in words {
            *word = (*word & low) << APART | *word >> APART & low;
        }
    }
}
