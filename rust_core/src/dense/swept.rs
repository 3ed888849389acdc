//! The trait of an index that a sweep can go through: its bits, cut into blocks and chunks, and the way to expand a
//! chunk.

use std::ops::{BitAnd, BitOr, Not};

use bytemuck::Pod;

use crate::rules::Rules;

/// A word of bits of an index. Each bit stands for a state or for none.
pub(super) trait BitWord:
    Pod + Send + Sync + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self>
{
    /// A word with the low bits of a number.
    fn of(bits: u64) -> Self;
    /// The number of set bits.
    fn count(self) -> u64;
    /// 1 if the bit in a place is set, and 0 if not.
    fn bit(self, place: u64) -> u64;
}

macro_rules! bit_word {
    ($($word:ty)*) => {$(
        impl BitWord for $word {
            #[inline(always)]
            fn of(bits: u64) -> Self {
                bits as $word
            }

            #[inline(always)]
            fn count(self) -> u64 {
                u64::from(self.count_ones())
            }

            #[inline(always)]
            fn bit(self, place: u64) -> u64 {
                u64::from(self >> place & 1)
            }
        }
    )*};
}

bit_word!(u16 u32 u64);

/// An index whose bits are one array of words. The array is cut into blocks. When a depth is expanded, blocks without a
/// state of that depth are skipped. Neighbouring blocks form a chunk, the unit of parallel work: a thread that expands
/// a chunk writes nothing outside it.
pub(super) trait SweptIndex: Sync {
    /// The type of the words of the array.
    type Word: BitWord;

    /// How the array is divided.
    fn division(&self) -> Division;
    /// The first word of a block. `block` may be the number of blocks; then the result is the length of the array.
    fn begin(&self, block: usize) -> usize {
        block * self.division().block_words
    }
    /// The block that a word belongs to.
    fn block_of(&self, at: usize) -> usize {
        at / self.division().block_words
    }
    /// The number of chunks.
    fn chunks(&self) -> usize {
        let Division { blocks, chunk_blocks, .. } = self.division();
        blocks.div_ceil(chunk_blocks)
    }
    /// The first block of a chunk. `chunk` may be the number of chunks; then the result is the number of blocks.
    fn first_block(&self, chunk: usize) -> usize {
        let Division { blocks, chunk_blocks, .. } = self.division();
        (chunk * chunk_blocks).min(blocks)
    }
    /// The place of the word with the bit of the start, and a mask of that bit.
    fn start(&self, rules: &Rules) -> (usize, Self::Word);
    /// The bits of the word at `at` that belong to no state.
    fn holes(&self, at: usize) -> Self::Word;
    /// The number of moves that can be made in the states whose bits are set in `value`, the word at `at`, added up
    /// over these states.
    fn moves(&self, at: usize, value: Self::Word) -> u64;
    /// Finds the new states of the next depth that lie in a chunk.
    fn expand(&self, chunk: &mut SweepChunk<Self::Word>, count: &mut SweepCount);
    /// The sum, over all symmetries but the identity, of the number of given states that the symmetry fixes. `states`
    /// is the number of states that are given.
    fn fixed(&self, values: &[Self::Word], states: u64) -> u64;
    /// The number of symmetries.
    fn symmetry_order(&self) -> usize;
    /// The bytes of memory that a run takes.
    fn bytes(&self) -> u64;
}

/// How an array is divided into blocks, and these into chunks and parts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Division {
    /// The number of blocks.
    pub blocks: usize,
    /// The number of words of a block; 0 if blocks have different numbers of words.
    pub block_words: usize,
    /// The number of blocks of a chunk. The last chunk may have fewer.
    pub chunk_blocks: usize,
    /// The number of chunks in a part of a depth. After each part, a job may keep what was found so far.
    pub part_chunks: usize,
}

/// The data that the expansion of one chunk reads and writes.
pub(super) struct SweepChunk<'a, V> {
    pub first_block: usize,
    /// The last depth: the words of all chunks.
    pub current: &'a [V],
    /// For each block of the array, 1 if it holds a state of the last depth, and 0 if not.
    pub occupied: &'a [u8],
    /// The chunk's part of the next depth.
    pub next: &'a mut [V],
    /// The chunk's part of the array of all states that were seen.
    pub seen: &'a mut [V],
    /// For each block of the chunk, 1 if it holds a state of the next depth, and 0 if not.
    pub occupied_next: &'a mut [u8],
}

/// The counts of one chunk, or of several.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SweepCount {
    /// The number of states of the last depth that were expanded.
    pub expanded: u64,
    /// The number of states that are new in the next depth.
    pub states: u64,
    /// The number of moves that can be made in these new states, added up over the states.
    pub moves: u64,
}

impl SweepCount {
    /// Adds up two counts.
    pub fn plus(self, other: Self) -> Self {
        Self {
            expanded: self.expanded + other.expanded,
            states: self.states + other.states,
            moves: self.moves + other.moves,
        }
    }
}

/// Clears the bits of `new` that are set in `seen`, and then sets the remaining bits of `new` in `seen`, too. Returns
/// the number of remaining bits.
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

/// Writes the places of the set bits into `places`, and returns their number.
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
