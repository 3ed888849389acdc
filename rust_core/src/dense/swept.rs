//! What a sweep needs to know of an index: how it is cut, and how the states of a chunk are found.

use std::ops::{BitAnd, BitOr, Not};

use bytemuck::Pod;

use crate::rules::Rules;

/// A word of bits of an index. Each bit stands for a state or for none.
pub(super) trait BitWord:
    Pod + Send + Sync + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// How many bits are set.
    fn count(self) -> u64;
}

impl BitWord for u64 {
    #[inline(always)]
    fn count(self) -> u64 {
        u64::from(self.count_ones())
    }
}

impl BitWord for u32 {
    #[inline(always)]
    fn count(self) -> u64 {
        u64::from(self.count_ones())
    }
}

impl BitWord for u16 {
    #[inline(always)]
    fn count(self) -> u64 {
        u64::from(self.count_ones())
    }
}

/// An index whose bits are one array of words. The array is cut into blocks. When a depth is expanded, blocks without a
/// state of that depth are skipped. Neighbouring blocks form a chunk, the unit of parallel work. Whoever expands a
/// chunk writes nothing outside it.
pub(super) trait SweptIndex: Sync {
    /// What the array is made of.
    type Word: BitWord;

    /// How many blocks there are.
    fn blocks(&self) -> usize;
    /// The first word of a block. For the number of blocks, it is the length of the array.
    fn begin(&self, block: usize) -> usize;
    /// The block that a word belongs to.
    fn block_of(&self, at: usize) -> usize;
    /// How many chunks there are.
    fn chunks(&self) -> usize;
    /// The first block of a chunk. For the number of chunks, it is the number of blocks.
    fn first_block(&self, chunk: usize) -> usize;
    /// How many chunks make a part of a depth.
    fn part_chunks(&self) -> usize;
    /// The start: its word, and its bit.
    fn start(&self, rules: &Rules) -> (usize, Self::Word);
    /// The bits of a word that stand for no state.
    fn holes(&self, at: usize) -> Self::Word;
    /// How many moves can be made, in all, in the states whose bits are set in `value`, the word at `at`.
    fn moves(&self, at: usize, value: Self::Word) -> u64;
    /// Finds the new states of the next depth that lie in a chunk.
    fn expand(&self, chunk: &mut SweepChunk<Self::Word>, count: &mut SweepCount);
    /// For each symmetry but the identity, how many of the given states it fixes; the sum of these numbers. `states` is
    /// how many states are given.
    fn fixed(&self, values: &[Self::Word], states: u64) -> u64;
    /// How many symmetries there are.
    fn symmetry_order(&self) -> usize;
    /// The bytes of memory that a run takes.
    fn bytes(&self) -> u64;
}

/// What the expansion of one chunk reads and writes.
pub(super) struct SweepChunk<'a, V> {
    pub first_block: usize,
    /// The last depth: the words of all chunks.
    pub current: &'a [V],
    /// Which blocks hold states of the last depth.
    pub occupied: &'a [u8],
    /// The chunk's part of the next depth, of all states seen, and of the marks that say which blocks hold states of
    /// the next depth.
    pub next: &'a mut [V],
    pub seen: &'a mut [V],
    pub occupied_next: &'a mut [u8],
}

/// What was counted in one chunk, or in several.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SweepCount {
    /// How many states of the last depth were expanded.
    pub expanded: u64,
    /// How many states are new in the next depth, and how many moves can be made in them.
    pub states: u64,
    pub moves: u64,
}

impl SweepCount {
    /// The sum of both.
    pub fn and(self, other: Self) -> Self {
        Self {
            expanded: self.expanded + other.expanded,
            states: self.states + other.states,
            moves: self.moves + other.moves,
        }
    }
}

/// Clears the bits of `new` that are set in `seen`, and sets the remaining ones in `seen`. Returns how many remain.
#[inline(always)]
pub(super) fn keep_new<V: BitWord>(new: &mut [V], seen: &mut [V]) -> u64 {
    let mut count = 0;
    for (new, seen) in new.iter_mut().zip(seen) {
        *new = *new & !*seen;
        *seen = *seen | *new;
        count += new.count();
    }
    count
}

/// Writes the places of the bits that are set, and returns how many there are.
#[inline(always)]
pub(super) fn list_bits(words: &[u64], places: &mut [u16]) -> usize {
    let mut count = 0;
    for (at, &word) in words.iter().enumerate() {
        let mut word = word;
        while word != 0 {
            places[count] = (at * 64) as u16 + word.trailing_zeros() as u16;
            word &= word - 1;
            count += 1;
        }
    }
    count
}
