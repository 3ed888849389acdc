//! A transposition table: the proven bounds of positions, in a bounded amount of memory.
//!
//! The table keeps whole words, so no two positions are mistaken for each other. If a bucket is full, it forgets the
//! position whose search was shortest. The search can find the lost bounds again, so the size of the table changes only
//! how long a search takes.

use std::marker::PhantomData;

use super::score::{Score, WIN};
use crate::compile::{Word, cpu};
use crate::dense::Pages;

/// Bounds of the score of a position that are proven, and the best move that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proven {
    /// A lower bound of the score.
    pub least: Score,
    /// An upper bound of the score.
    pub most: Score,
    /// The first cell that the best known move writes, or [`NO_CELL`].
    pub hint: u16,
}

/// Stands for "no cell", if no best move is known.
pub const NO_CELL: u16 = u16::MAX;

impl Proven {
    /// The bounds of a position of which nothing is proven.
    pub const NOTHING: Self = Self { least: -WIN, most: WIN, hint: NO_CELL };
}

/// What an entry has beside the word of its position. It takes 64 bits, which are all zero in a free entry.
#[derive(Debug, Clone, Copy)]
struct KeptBounds {
    known: Proven,
    /// How long the search of this position was: the number of binary digits of the number of positions that it looked
    /// at.
    work: u8,
    /// The player to move, plus one; 0 if the entry is free.
    turn: u8,
}

impl KeptBounds {
    #[inline(always)]
    fn to_bits(self) -> u64 {
        let Proven { least, most, hint } = self.known;
        let bounds = u64::from(least as u16) | u64::from(most as u16) << 16 | u64::from(hint) << 32;
        bounds | u64::from(self.work) << 48 | u64::from(self.turn) << 56
    }

    #[inline(always)]
    fn of_bits(bits: u64) -> Self {
        let known = Proven { least: bits as Score, most: (bits >> 16) as Score, hint: (bits >> 32) as u16 };
        Self { known, work: (bits >> 48) as u8, turn: (bits >> 56) as u8 }
    }
}

/// The bytes of a line of the processor's cache. Memory comes in whole lines.
const LINE: usize = 64;

/// The logarithm to base 2 of the number of buckets with which a table begins.
const FIRST_BITS: u32 = 5;

/// A transposition table. It doubles whenever it is more than half full, until it has its largest size.
///
/// The word of a position decides in which bucket it is kept. A bucket has a few entries, each of them a word and 64
/// bits of [`KeptBounds`].
#[derive(Debug)]
pub struct Transpositions<W> {
    buckets: Pages,
    /// The number of entries that are not free.
    taken: usize,
    bits: u32,
    most_bits: u32,
    words: PhantomData<W>,
}

impl<W: Word> Transpositions<W> {
    /// The bytes of an entry.
    const ENTRY: usize = W::BYTES + size_of::<u64>();
    /// The bytes of a bucket: the fewest lines that have room for three entries, and a power of two.
    const BUCKET_BYTES: usize = (3 * Self::ENTRY).next_multiple_of(LINE).next_power_of_two();
    /// The number of entries of a bucket.
    const BUCKET: usize = Self::BUCKET_BYTES / Self::ENTRY;

    /// An empty table that will never take more than `bytes` bytes, nor hold more than `positions` positions. It has at
    /// least one bucket, even if one bucket exceeds these limits.
    ///
    /// # Panics
    ///
    /// If the system does not give some kilobytes of memory.
    pub fn new(positions: usize, bytes: u64) -> Self {
        // While the table doubles, the old one is in memory as well.
        let buckets = (bytes / Self::BUCKET_BYTES as u64 * 2 / 3).min((positions / Self::BUCKET) as u64).max(1);
        let most_bits = buckets.ilog2().min(40);
        let bits = most_bits.min(FIRST_BITS);
        let buckets = Pages::new::<u8>(Self::BUCKET_BYTES << bits).expect("the system gives some kilobytes");
        Self { buckets, taken: 0, bits, most_bits, words: PhantomData }
    }

    /// The number of positions in the table.
    pub fn len(&self) -> usize {
        self.taken
    }

    /// The place of the first byte of the bucket for a position.
    #[inline(always)]
    fn begin(&self, word: W, player: usize) -> usize {
        // The player to move flips the top bit of the hash.
        let hash = word.hash64() ^ (player as u64) << 63;
        (hash.unbounded_shr(u64::BITS - self.bits) as usize) * Self::BUCKET_BYTES
    }

    /// The word of an entry of a bucket.
    #[inline(always)]
    fn word(bucket: &[u8], at: usize) -> W {
        W::from_bytes(&bucket[at * Self::ENTRY..][..W::BYTES])
    }

    /// What an entry of a bucket has beside the word.
    #[inline(always)]
    fn kept(bucket: &[u8], at: usize) -> KeptBounds {
        let bytes = bucket[at * Self::ENTRY + W::BYTES..].first_chunk();
        KeptBounds::of_bits(bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    #[inline(always)]
    fn keep(bucket: &mut [u8], at: usize, kept: KeptBounds) {
        bucket[at * Self::ENTRY + W::BYTES..][..size_of::<u64>()].copy_from_slice(&kept.to_bits().to_le_bytes());
    }

    #[inline(always)]
    fn write(bucket: &mut [u8], at: usize, word: W, kept: KeptBounds) {
        word.to_bytes(&mut bucket[at * Self::ENTRY..][..W::BYTES]);
        Self::keep(bucket, at, kept);
    }

    /// Tells the processor to fetch the entries among which [`Self::get`] will look for a position.
    #[inline(always)]
    pub fn prefetch(&self, word: W, player: usize) {
        let begin = self.begin(word, player);
        for line in 0..Self::BUCKET_BYTES / LINE {
            cpu::prefetch(self.buckets.get::<u8>(), begin + line * LINE);
        }
    }

    /// The proven bounds of a position; `None` if the table does not have it.
    #[inline(always)]
    pub fn get(&self, word: W, player: usize) -> Option<Proven> {
        let bucket = &self.buckets.get::<u8>()[self.begin(word, player)..][..Self::BUCKET_BYTES];
        for at in 0..Self::BUCKET {
            let kept = Self::kept(bucket, at);
            if Self::word(bucket, at).same(word) && usize::from(kept.turn) == player + 1 {
                return Some(kept.known);
            }
        }
        None
    }

    /// Adds proven bounds of a position. `effort` is the number of binary digits of the number of positions that the
    /// search looked at to prove them.
    #[inline(always)]
    pub fn add(&mut self, word: W, player: usize, more: Proven, effort: u8) {
        let begin = self.begin(word, player);
        let bucket = &mut self.buckets.get_mut::<u8>()[begin..][..Self::BUCKET_BYTES];
        let turn = player as u8 + 1;
        let (mut place, mut least) = (0, u32::MAX);
        for at in 0..Self::BUCKET {
            let KeptBounds { mut known, work, turn: other } = Self::kept(bucket, at);
            if other == turn && Self::word(bucket, at).same(word) {
                known.least = known.least.max(more.least);
                known.most = known.most.min(more.most);
                known.hint = more.hint;
                return Self::keep(bucket, at, KeptBounds { known, work: work.max(effort), turn });
            }
            let worth = if other == 0 { 0 } else { 1 + u32::from(work) };
            if worth < least {
                (place, least) = (at, worth);
            }
        }
        if least == 0 {
            self.taken += 1;
        } else {
            // Whenever a position is forgotten, the others in its bucket count as a little less work. Otherwise a
            // bucket would keep positions for ever that once took long.
            for at in 0..Self::BUCKET {
                let kept = Self::kept(bucket, at);
                Self::keep(bucket, at, KeptBounds { work: kept.work.saturating_sub(1), ..kept });
            }
        }
        Self::write(bucket, place, word, KeptBounds { known: more, work: effort, turn });
        if self.taken * 2 > Self::BUCKET << self.bits && self.bits < self.most_bits {
            self.grow();
        }
    }

    /// Doubles the number of buckets. Each bucket's entries are divided between two buckets. If the system does not
    /// give the memory, the table keeps its size for good.
    #[cold]
    fn grow(&mut self) {
        let Ok(larger) = Pages::new::<u8>(Self::BUCKET_BYTES << (self.bits + 1)) else {
            self.most_bits = self.bits;
            return;
        };
        self.bits += 1;
        let old = std::mem::replace(&mut self.buckets, larger);
        for bucket in old.get::<u8>().chunks(Self::BUCKET_BYTES) {
            for at in 0..Self::BUCKET {
                let (word, kept) = (Self::word(bucket, at), Self::kept(bucket, at));
                if kept.turn == 0 {
                    continue;
                }
                let begin = self.begin(word, usize::from(kept.turn) - 1);
                let bucket = &mut self.buckets.get_mut::<u8>()[begin..][..Self::BUCKET_BYTES];
                let free = (0..Self::BUCKET).find(|&at| Self::kept(bucket, at).turn == 0);
                Self::write(bucket, free.expect("a bucket takes no more than it had"), word, kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::random::Random;

    #[test]
    fn what_is_held_is_what_was_added() {
        let mut random = Random::new("transpositions");
        for (positions, bytes) in [(0, 0), (40, u64::MAX), (5000, 4000), (100_000, u64::MAX)] {
            let (mut table, mut all) = (Transpositions::<u64>::new(positions, bytes), HashMap::new());
            for _ in 0..20_000 {
                let (word, player) = (random.below(3000), random.below(2) as usize);
                let (least, most) = (random.below(50) as Score - 100, random.below(50) as Score + 100);
                let known = Proven { least, most, hint: random.below(9) as u16 };
                table.add(word, player, known, random.below(20) as u8);
                let so_far = all.entry((word, player)).or_insert(Proven::NOTHING);
                so_far.least = so_far.least.max(least);
                so_far.most = so_far.most.min(most);
                let held = table.get(word, player).unwrap();
                // Bounds that the table has forgotten in between may be missing. The bounds that it has are true.
                assert!(held.least >= least && held.least <= so_far.least);
                assert!(held.most <= most && held.most >= so_far.most);
                assert_eq!(held.hint, known.hint);
            }
            assert!(table.len() <= positions.max(Transpositions::<u64>::BUCKET));
            if positions == 100_000 {
                // There is room for all 6,000 positions, so few are forgotten.
                assert!(table.len() > 5500, "{}", table.len());
            }
        }
    }
}
