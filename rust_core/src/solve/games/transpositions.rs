//! A transposition table: the proven bounds of positions, in a bounded amount of memory.
//!
//! The table keeps whole words, so no two positions are mistaken for each other. If a bucket is full, it forgets the
//! position whose search was shortest. The search can find the lost bounds again, so the size of the table changes only
//! how long a search takes.

use super::score::{Score, WIN};
use crate::compile::{Word, cpu};
use crate::memory::on_large_pages;
use crate::run::Budget;

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

/// The bytes of a line of the processor's cache. Memory comes in whole lines.
const LINE: usize = 64;

/// Stands for "no cell", if no best move is known.
pub const NO_CELL: u16 = u16::MAX;

impl Proven {
    /// The bounds of a position of which nothing is proven.
    pub const NOTHING: Self = Self { least: -WIN, most: WIN, hint: NO_CELL };
}

#[derive(Debug, Clone, Copy)]
struct Entry<W> {
    word: W,
    known: Proven,
    /// The length of the search of this position: the number of binary digits of the number of positions that it looked
    /// at.
    work: u8,
    /// The player to move, plus one; 0 if the entry is free.
    turn: u8,
}

/// The number of entries of a bucket. The word of a position decides in which bucket it is kept.
const BUCKET: usize = 4;

/// The entries of a bucket, which begin with a line of the processor's cache.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Bucket<W>([Entry<W>; BUCKET]);

/// The logarithm to base 2 of the number of buckets with which a table begins.
const FIRST_BITS: u32 = 8;

/// A transposition table. It doubles whenever it is more than half full, until it has its largest size.
#[derive(Debug)]
pub struct Transpositions<W> {
    buckets: Vec<Bucket<W>>,
    /// The number of entries that are not free.
    taken: usize,
    bits: u32,
    most_bits: u32,
}

impl<W: Word> Transpositions<W> {
    /// An empty table that will never take more bytes than the budget has, nor hold more positions. It has at least one
    /// bucket, even if one bucket exceeds these limits.
    pub fn new(Budget { states: positions, bytes, .. }: Budget) -> Self {
        let bucket = size_of::<Bucket<W>>() as u64;
        // While the table doubles, the old one is in memory as well.
        let buckets = (bytes / bucket * 2 / 3).min((positions / BUCKET) as u64).max(1);
        let most_bits = buckets.ilog2().min(40);
        let bits = most_bits.min(FIRST_BITS);
        Self { buckets: Self::free(bits), taken: 0, bits, most_bits }
    }

    /// Free buckets, as many as 2 to the power of `bits`.
    fn free(bits: u32) -> Vec<Bucket<W>> {
        let free = Entry { word: W::ZERO, known: Proven::NOTHING, work: 0, turn: 0 };
        let mut buckets = Vec::with_capacity(1 << bits);
        on_large_pages(buckets.spare_capacity_mut());
        buckets.resize(1 << bits, Bucket([free; BUCKET]));
        buckets
    }

    /// The number of positions in the table.
    pub fn len(&self) -> usize {
        self.taken
    }

    #[inline(always)]
    fn bucket(&self, word: W, player: usize) -> usize {
        // The player to move flips the top bit of the hash.
        let hash = word.hash64() ^ (player as u64) << 63;
        hash.unbounded_shr(u64::BITS - self.bits) as usize
    }

    /// Tells the processor to fetch the entries among which [`Self::get`] will look for a position.
    #[inline(always)]
    pub fn prefetch(&self, word: W, player: usize) {
        let at = self.bucket(word, player);
        cpu::prefetch(&self.buckets, at);
        if size_of::<Bucket<W>>() > LINE {
            let lines: &[[Entry<W>; BUCKET / 2]] = self.buckets[at].0.as_chunks().0;
            cpu::prefetch(lines, 1);
        }
    }

    /// The proven bounds of a position; `None` if the table does not have it.
    #[inline(always)]
    pub fn get(&self, word: W, player: usize) -> Option<Proven> {
        let turn = player as u8 + 1;
        for entry in &self.buckets[self.bucket(word, player)].0 {
            if entry.turn == turn && entry.word.same(word) {
                return Some(entry.known);
            }
        }
        None
    }

    /// Adds proven bounds of a position. `effort` is the number of binary digits of the number of positions that the
    /// search looked at to prove them.
    #[inline(always)]
    pub fn add(&mut self, word: W, player: usize, more: Proven, effort: u8) {
        let at = self.bucket(word, player);
        let turn = player as u8 + 1;
        let bucket = &mut self.buckets[at].0;
        let (mut place, mut least) = (0, u32::MAX);
        for (at, entry) in bucket.iter_mut().enumerate() {
            if entry.turn == turn && entry.word.same(word) {
                entry.known.least = entry.known.least.max(more.least);
                entry.known.most = entry.known.most.min(more.most);
                entry.known.hint = more.hint;
                entry.work = entry.work.max(effort);
                return;
            }
            let worth = if entry.turn == 0 { 0 } else { 1 + u32::from(entry.work) };
            if worth < least {
                (place, least) = (at, worth);
            }
        }
        if bucket[place].turn == 0 {
            self.taken += 1;
        } else {
            // Whenever a position is forgotten, the others in its bucket count as a little less work. Otherwise a
            // bucket would keep positions for ever that once took long.
            for entry in bucket.iter_mut() {
                entry.work = entry.work.saturating_sub(1);
            }
        }
        bucket[place] = Entry { word, known: more, work: effort, turn };
        if self.taken * 2 > self.buckets.len() * BUCKET && self.bits < self.most_bits {
            self.grow();
        }
    }

    /// Doubles the number of buckets. Each bucket's entries are divided between two buckets.
    #[cold]
    fn grow(&mut self) {
        self.bits += 1;
        let old = std::mem::replace(&mut self.buckets, Self::free(self.bits));
        for entry in old.into_iter().flat_map(|bucket| bucket.0).filter(|entry| entry.turn > 0) {
            let at = self.bucket(entry.word, usize::from(entry.turn) - 1);
            let free = self.buckets[at].0.iter_mut().find(|other| other.turn == 0);
            *free.expect("a bucket takes no more than it had") = entry;
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
            let (mut table, mut all) =
                (Transpositions::<u64>::new(Budget { states: positions, bytes, threads: 1 }), HashMap::new());
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
            assert!(table.len() <= positions.max(BUCKET));
            if positions == 100_000 {
                // There is room for all 6,000 positions, so few are forgotten.
                assert!(table.len() > 5500, "{}", table.len());
            }
        }
    }
}
