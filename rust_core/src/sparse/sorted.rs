//! Words sorted by partition, so that each partition takes its own in one stretch.

use super::hash::{partition_of, shard_of};
use crate::compile::Word;
use crate::memory::provide_pages;

/// Words in order of their partitions. The words of one partition stay in the order in which they came, so the result
/// does not depend on threads.
///
/// With two partitions, the even words in the first, 3 8 5 6 are sorted into 8 6 | 3 5.
#[derive(Debug)]
pub struct Sorted<W> {
    /// The words in the order in which they were added; [`Self::sort`] sorts them into `words`.
    pub raw: Vec<W>,
    words: Vec<W>,
    /// For each partition, the index of its first word in `words`; and at the end, the number of words.
    starts: Vec<u32>,
}

impl<W: Word> Sorted<W> {
    /// Lists without words.
    pub fn new() -> Self {
        Self { raw: Vec::new(), words: Vec::new(), starts: Vec::new() }
    }

    /// The bytes of memory that the lists take.
    pub fn bytes(&self) -> usize {
        (self.raw.capacity() + self.words.capacity()) * size_of::<W>() + self.starts.capacity() * size_of::<u32>()
    }

    /// Sorts the raw words into `1 << bits` partitions.
    #[inline(always)]
    pub fn sort(&mut self, bits: u32) {
        self.sort_by(
            1 << bits,
            #[inline(always)]
            |word| partition_of(word, bits),
        );
    }

    /// Sorts the words by shard, after [`Self::sort`] has put all of them into one partition; see [`shard_of`].
    pub fn divide(&mut self, shards: usize) {
        std::mem::swap(&mut self.raw, &mut self.words);
        self.sort_by(shards, |word| shard_of(word, shards as u64));
    }

    /// Sorts the raw words into partitions by their numbers (a counting sort).
    #[inline(always)]
    fn sort_by(&mut self, count: usize, number: impl Fn(W) -> usize) {
        assert!(u32::try_from(self.raw.len()).is_ok(), "a block has fewer than 2^32 successors");
        self.starts.clear();
        self.starts.resize(count + 2, 0);
        if count == 1 {
            std::mem::swap(&mut self.raw, &mut self.words);
            self.starts[1] = self.words.len() as u32;
            return;
        }
        make_room(&mut self.words, self.raw.len());
        self.words.resize(self.raw.len(), W::ZERO);
        // A counting sort whose counts and places share one array. First, `starts[p + 2]` counts the words of partition
        // p. After summing, `starts[p + 1]` is the beginning of partition p. It moves on with each word that is placed.
        // In the end it is the beginning of partition p + 1, which is the meaning of `starts`.
        let (raw, words, starts) = (&self.raw[..], &mut self.words[..], &mut self.starts[..]);
        for &word in raw {
            starts[number(word) + 2] += 1;
        }
        for at in 3..starts.len() {
            starts[at] += starts[at - 1];
        }
        for &word in raw {
            let place = &mut starts[number(word) + 1];
            words[*place as usize] = word;
            *place += 1;
        }
    }

    /// The words of a partition, after [`Self::sort`].
    #[inline(always)]
    pub fn partition(&self, partition: usize) -> &[W] {
        &self.words[self.starts[partition] as usize..self.starts[partition + 1] as usize]
    }
}

/// Gives a list room for `count` words. If it had less room, its words are dropped.
#[inline(never)]
fn make_room<W>(words: &mut Vec<W>, count: usize) {
    if words.capacity() < count {
        *words = Vec::new();
        *words = Vec::with_capacity(count);
        provide_pages(words.spare_capacity_mut());
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn sorting_keeps_every_word_and_its_order(
            lists in prop::collection::vec((prop::collection::vec(0u64..300, 0..300), 0u32..7), 1..4),
        ) {
            // Each list is sorted in the same memory as the one before, as blocks do it.
            let mut sorted = Sorted::new();
            for (given, bits) in lists {
                sorted.raw.clear();
                sorted.raw.extend_from_slice(&given);
                sorted.sort(bits);
                for partition in 0..1usize << bits {
                    let expected: Vec<u64> =
                        given.iter().copied().filter(|&word| partition_of(word, bits) == partition).collect();
                    prop_assert_eq!(sorted.partition(partition), expected);
                }
                sorted.raw.clear();
                sorted.raw.extend_from_slice(&given);
                sorted.sort(0);
                prop_assert_eq!(sorted.partition(0), &given[..]);
                sorted.divide(3);
                for shard in 0..3 {
                    let expected: Vec<u64> = given.iter().copied().filter(|&word| shard_of(word, 3) == shard).collect();
                    prop_assert_eq!(sorted.partition(shard), expected);
                }
            }
        }
    }
}
