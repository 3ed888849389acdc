//! What a sweep needs to know of an index: how it is cut up, and how the states of a piece are found.

use std::ops::{BitAnd, BitOr, Not};

use bytemuck::Pod;

use crate::rules::Rules;

/// Some bits of an index, each of which stands for a state or for none.
pub(super) trait Value:
    Pod + Send + Sync + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// How many bits are set.
    fn count(self) -> u64;
}

impl Value for u64 {
    #[inline(always)]
    fn count(self) -> u64 {
        u64::from(self.count_ones())
    }
}

impl Value for u16 {
    #[inline(always)]
    fn count(self) -> u64 {
        u64::from(self.count_ones())
    }
}

/// An index in one array of values. Blocks are skipped where they hold nothing of a depth; chunks, which are some blocks, are the
/// unit of parallel work, and what one finds goes into itself alone.
pub(super) trait Shape: Sync {
    /// What the array is made of.
    type Value: Value;

    /// How many blocks there are.
    fn blocks(&self) -> usize;
    /// Where a block begins among the values; where all end, for the block after the last.
    fn begin(&self, block: usize) -> usize;
    /// The block of a value.
    fn block_of(&self, at: usize) -> usize;
    /// How many chunks there are.
    fn chunks(&self) -> usize;
    /// With which block a chunk begins; how many blocks there are, for the chunk after the last.
    fn first_block(&self, chunk: usize) -> usize;
    /// How many chunks are expanded before it is looked whether a part of the depth should be kept.
    fn part_chunks(&self) -> usize;
    /// Where the start is: the value and its bit.
    fn start(&self, rules: &Rules) -> (usize, Self::Value);
    /// The bits of the value at a place that stand for no state.
    fn holes(&self, at: usize) -> Self::Value;
    /// How many moves can be made in the states of the value at a place.
    fn moves(&self, at: usize, value: Self::Value) -> u64;
    /// Finds the states of a chunk that are new in the next depth.
    fn expand(&self, chunk: &mut Chunk<Self::Value>, found: &mut Found);
    /// How many of some states, so many in all, the symmetries other than the identity leave as they are, summed over those.
    fn fixed(&self, values: &[Self::Value], states: u64) -> u64;
    /// How many symmetries there are.
    fn order(&self) -> usize;
    /// The bytes of memory that a run takes.
    fn bytes(&self) -> u64;
}

/// What one chunk reads and writes.
pub(super) struct Chunk<'a, V> {
    pub first_block: usize,
    /// The last depth, all chunks of it.
    pub current: &'a [V],
    /// Which blocks hold states of the last depth.
    pub occupied: &'a [u8],
    /// The chunk's part of the next depth, of all that was seen, and of the blocks that hold states of the next depth.
    pub next: &'a mut [V],
    pub seen: &'a mut [V],
    pub occupied_next: &'a mut [u8],
}

/// What one chunk found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// The states of the last depth in the chunk.
    pub expanded: u64,
    /// The new states of the next depth in the chunk, and how many moves can be made in them.
    pub states: u64,
    pub moves: u64,
}

impl Found {
    /// Both together.
    pub fn and(self, other: Self) -> Self {
        Self {
            expanded: self.expanded + other.expanded,
            states: self.states + other.states,
            moves: self.moves + other.moves,
        }
    }
}

/// Drops what was seen, adds the rest to it, and counts that.
#[inline(always)]
pub(super) fn keep_new<V: Value>(new: &mut [V], seen: &mut [V]) -> u64 {
    let mut count = 0;
    for (new, seen) in new.iter_mut().zip(seen) {
        *new = *new & !*seen;
        *seen = *seen | *new;
        count += new.count();
    }
    count
}

/// Writes the places of the bits that are set, and tells how many there are.
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
