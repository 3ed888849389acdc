//! Toggles: a bit for each sum of moves, and moves that exchange whole words, or bits within them.

use rayon::prelude::*;

use super::shape::{Chunk, Found, Shape, keep_new};
use super::sweep::Sweep;
use crate::compile::cpu;
use crate::error::Result;
use crate::index::Sums;
use crate::job::Job;
use crate::rules::{Rules, Symmetry};
use crate::run::{Grain, Options, Report, Watch};
use crate::structure::Structure;

/// How many words a block has, as a power of two: enough that finding it costs nothing beside adding it.
const BLOCK_BITS: usize = 7;

/// The most bytes of a chunk: what it collects stays in the second-level cache.
const CHUNK_BYTES: usize = 64 << 10;

/// How many chunks make a part of a depth, at which threads wait for each other: some seconds of work.
const PART_CHUNKS: usize = 1 << 14;

/// How many words are added at once.
const LANES: usize = 8;

/// Rules whose moves toggle cells, and how their index is swept.
#[derive(Debug)]
pub struct Toggled {
    pub(super) combinations: Sums,
    /// How many moves can be made in any state.
    moves: u64,
    /// How many words a block has, as a power of two, and how many blocks a chunk.
    block_bits: usize,
    chunk_blocks: usize,
    part_chunks: usize,
    /// For each symmetry but the identity, numbers whose sums are those of the states that it leaves as they are.
    fixed: Vec<Vec<u64>>,
}

impl Toggled {
    /// The index of some rules, where their moves do nothing but flip cells.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], grain: Option<Grain>) -> Option<Self> {
        let combinations = Sums::of_structure(structure)?;
        let bits = combinations.bits();
        let fixed: Vec<Vec<u64>> = symmetries[1..].iter().map(|symmetry| combinations.fixed(symmetry)).collect();
        // They are looked at for each depth, which should not take longer than to find it.
        let looks = fixed.iter().filter(|numbers| numbers.len() < bits).fold(0, |sum, some| sum + (1u64 << some.len()));
        if looks > (1 << bits) / 4 + (1 << 20) {
            return None;
        }
        let word_bits = bits.saturating_sub(6);
        let block_bits = word_bits.min(if grain.is_some() { 1 } else { BLOCK_BITS });
        let bytes = grain.map_or(CHUNK_BYTES, |grain| grain.block_states);
        let blocks = 1usize << (word_bits - block_bits);
        let chunk_blocks = (bytes >> (block_bits + 3)).clamp(1, blocks);
        Some(Self {
            combinations,
            moves: structure.rules().moves.len() as u64,
            block_bits,
            // A power of two, as the number of blocks is.
            chunk_blocks: 1 << chunk_blocks.ilog2(),
            part_chunks: if grain.is_some() { 1 } else { PART_CHUNKS },
            fixed,
        })
    }

    /// The numbers that the layout depends on.
    pub fn layout(&self) -> Vec<u64> {
        self.combinations.basis.iter().flat_map(|&flips| [flips as u64, (flips >> 64) as u64]).collect()
    }

    /// The bytes of memory that a run takes.
    pub fn bytes(&self) -> u64 {
        3 * 8 * self.begin(self.blocks()) as u64 + 2 * self.blocks() as u64
    }

    /// Checks the depths of a job: that each holds what it counts, and none what an earlier one holds.
    ///
    /// # Errors
    ///
    /// As [`super::Dense::verify`].
    pub fn verify(&self, rules: &Rules, job: &Job) -> Result<()> {
        Sweep::new(self, rules)?.verify(job)
    }

    /// Enumerates all states that play can reach, by depth.
    ///
    /// # Errors
    ///
    /// As [`super::Dense::enumerate`].
    pub fn enumerate(&self, rules: &Rules, options: &Options, job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        Sweep::new(self, rules)?.run(options, job, watch)
    }
}

impl Shape for Toggled {
    type Value = u64;

    fn blocks(&self) -> usize {
        1 << (self.combinations.bits().saturating_sub(6) - self.block_bits)
    }

    fn begin(&self, block: usize) -> usize {
        block << self.block_bits
    }

    fn block_of(&self, at: usize) -> usize {
        at >> self.block_bits
    }

    fn chunks(&self) -> usize {
        self.blocks() / self.chunk_blocks
    }

    fn first_block(&self, chunk: usize) -> usize {
        chunk * self.chunk_blocks
    }

    fn part_chunks(&self) -> usize {
        self.part_chunks
    }

    fn start(&self, _rules: &Rules) -> (usize, u64) {
        (0, 1)
    }

    fn holes(&self, _at: usize) -> u64 {
        match self.combinations.bits() {
            bits @ ..6 => !((1 << (1 << bits)) - 1),
            _ => 0,
        }
    }

    fn moves(&self, _at: usize, value: u64) -> u64 {
        u64::from(value.count_ones()) * self.moves
    }

    fn expand(&self, chunk: &mut Chunk<u64>, found: &mut Found) {
        cpu::run(Expand { toggled: self, chunk, found });
    }

    fn fixed(&self, values: &[u64], states: u64) -> u64 {
        let counts = self.fixed.iter().map(|numbers| match numbers.len() {
            all if all == self.combinations.bits() => states,
            _ => count_sums(numbers, values),
        });
        counts.sum()
    }

    fn order(&self) -> usize {
        self.fixed.len() + 1
    }

    fn bytes(&self) -> u64 {
        self.bytes()
    }
}

/// How many sums of some numbers have their bit set.
fn count_sums(numbers: &[u64], values: &[u64]) -> u64 {
    // In Gray code order each sum differs from the one before by one number. Threads share the sums of the last numbers.
    let (few, many) = numbers.split_at(numbers.len().min(16));
    let begin = |part: u64| (0..many.len()).filter(|at| part >> at & 1 != 0).fold(0, |sum, at| sum ^ many[at]);
    let is_set = |number: u64| values[(number >> 6) as usize] >> (number & 63) & 1;
    (0..1u64 << many.len())
        .into_par_iter()
        .map(|part| {
            let mut number = begin(part);
            let mut count = is_set(number);
            for step in 1..1u64 << few.len() {
                number ^= few[step.trailing_zeros() as usize];
                count += is_set(number);
            }
            count
        })
        .sum()
}

/// Finds the states of a chunk that are new in the next depth.
struct Expand<'a, 'b> {
    toggled: &'a Toggled,
    chunk: &'a mut Chunk<'b, u64>,
    found: &'a mut Found,
}

impl cpu::Task for Expand<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { toggled, chunk, found } = self;
        let words = 1usize << toggled.block_bits;
        let moves = &toggled.combinations.moves;
        for (block, next) in chunk.next.chunks_exact_mut(words).enumerate() {
            let number = chunk.first_block + block;
            next.fill(0);
            for &added in moves {
                let from = number ^ (added >> 6) as usize >> toggled.block_bits;
                if chunk.occupied[from] != 0 {
                    let source = &chunk.current[from << toggled.block_bits..][..words];
                    add(next, source, (added >> 6) as usize & (words - 1), added as u32 & 63);
                }
            }
            let states = keep_new(next, &mut chunk.seen[block << toggled.block_bits..][..words]);
            chunk.occupied_next[block] = u8::from(states > 0);
            found.states += states;
            if chunk.occupied[number] != 0 {
                let current = &chunk.current[number << toggled.block_bits..][..words];
                found.expanded += current.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            }
        }
        found.moves = found.states * toggled.moves;
    }
}

/// Adds to each word of a block another one of `source`, whose place differs by some bits, with its own bits exchanged likewise.
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

/// The same some words at a time; the lane that comes to a lane is known when this is compiled.
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

/// Exchanges the bits of words whose places differ by some bits.
#[inline(always)]
fn exchange(words: &mut [u64], bit: u32) {
    /// The places whose bit of a certain value is not set.
    const LOW: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    // A loop over these would not be unrolled, and so not be vectorised.
    exchange_at::<1>(words, bit & 1 != 0, LOW[0]);
    exchange_at::<2>(words, bit & 2 != 0, LOW[1]);
    exchange_at::<4>(words, bit & 4 != 0, LOW[2]);
    exchange_at::<8>(words, bit & 8 != 0, LOW[3]);
    exchange_at::<16>(words, bit & 16 != 0, LOW[4]);
    exchange_at::<32>(words, bit & 32 != 0, LOW[5]);
}

/// Exchanges bits so many places apart, if that is wanted.
#[inline(always)]
fn exchange_at<const APART: u32>(words: &mut [u64], wanted: bool, low: u64) {
    if wanted {
        for word in words {
            *word = (*word & low) << APART | *word >> APART & low;
        }
    }
}
