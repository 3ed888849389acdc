//! The bits of a word's hash that choose its shard, its partition, and its slot.
//!
//! From the most significant bit of [`Word::hash64`] down:
//!
//! | bits | choice |
//! |---|---|
//! | the first 24 | the shard of a run on several machines: `floor(hash * shards / 2^64)` |
//! | the next 0 to 20 | the partition within a process |
//! | those beneath | the slot in the partition's [`super::word_set::WordSet`] |
//!
//! A slot of a wide word also holds the first 24 bits, to tell the words of neighbouring slots apart.
//!
//! Each choice has bits of its own. If partitions used the shard's bits, a shard would fill only a few of its
//! partitions; if slots used the partition's bits, the words of a partition would crowd in a few of its slots. A number
//! of shards that is no power of two draws on the bits beneath the first 24, too, but only for words at the border of
//! two shards: with 300 shards, for fewer than 300 in 2^24 words.
//!
//! Shards end up in files, so a job has to keep its hash for ever. Partitions and slots are only in memory: no count
//! depends on them, and no file of a completed depth.

use crate::compile::Word;
use crate::random::spread;

/// The number of first bits of a hash that choose the shard of a word, and nothing else. That is enough for thousands
/// of shards. The other 40 bits are enough to choose partitions and slots for all the words that a machine can hold.
pub const SHARD_BITS: u32 = 24;

/// The partition of a word if there are `1 << bits` of them. With one bit more, each partition is divided in two:
/// `partition_of(word, bits + 1) >> 1` is `partition_of(word, bits)`.
#[inline(always)]
pub fn partition_of<W: Word>(word: W, bits: u32) -> usize {
    (word.hash64() >> (u64::BITS - SHARD_BITS - bits)) as usize & ((1 << bits) - 1)
}

/// The shard of a word, if the job has `shards` of them.
#[inline(always)]
pub fn shard_of<W: Word>(word: W, shards: u64) -> usize {
    ((u128::from(word.hash64()) * u128::from(shards)) >> 64) as usize
}

/// A number of 128 bits for each word. The sum of these numbers over a set of words, modulo 2 to the power 128,
/// identifies the set, whatever the order of the words. Two sets that differ by an accident have the same sum once in
/// 2^64 times or so.
#[inline(always)]
pub fn summand<W: Word>(word: W) -> u128 {
    u128::from(spread(word.hash64())) << 64 | u128::from(spread(word.not().hash64()))
}

/// The number of bits of a hash that come before those of the slot, if there are `1 << bits` partitions.
pub fn bits_before_slot(bits: u32) -> u32 {
    SHARD_BITS + bits
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::random::Random;

    const SUMMANDS: [u128; 2] = [0x0bdd_a96a_e06f_23ff_cf19_4b77_9695_6278, 0xef23_15c8_187d_f6b9_38f6_7ce7_44e4_10ff];

    /// For each pair of values, how often it occurs. The first value of a pair is below `first`, the second below
    /// `second`.
    fn counts(pairs: impl Iterator<Item = (usize, usize)>, (first, second): (usize, usize)) -> Vec<f64> {
        let mut counts = vec![0.0; first * second];
        pairs.for_each(|(a, b)| counts[a * second + b] += 1.0);
        counts
    }

    fn mean(counts: &[f64]) -> f64 {
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        assert!(mean >= 16.0, "{mean} words a pair tell nothing");
        mean
    }

    /// Chi squared, in standard deviations from its mean for independent choices.
    fn deviation(counts: &[f64]) -> f64 {
        let (mean, freedom) = (mean(counts), counts.len() as f64 - 1.0);
        let squares: f64 = counts.iter().map(|count| (count - mean).powi(2) / mean).sum();
        (squares - freedom) / (2.0 * freedom).sqrt()
    }

    /// The counts of pairs of choices: shard and partition, shard and slot, and partition and slot.
    fn all_counts<W: Word>(words: &[W]) -> Vec<Vec<f64>> {
        let slot = |word: W, bits: u32| ((word.hash64() << bits_before_slot(bits)) >> (u64::BITS - 5)) as usize;
        let mut found = Vec::new();
        for shards in [2, 3, 8, 100] {
            for bits in [1, 4] {
                let pairs = words.iter().map(|&word| (shard_of(word, shards), partition_of(word, bits)));
                found.push(counts(pairs, (shards as usize, 1 << bits)));
            }
            let pairs = words.iter().map(|&word| (shard_of(word, shards), slot(word, 4)));
            found.push(counts(pairs, (shards as usize, 32)));
        }
        found.push(counts(words.iter().map(|&word| (partition_of(word, 7), slot(word, 7))), (128, 32)));
        found
    }

    /// Jobs keep the sums for ever, so the numbers in `SUMMANDS` must never change. They were computed by another
    /// program.
    #[test]
    fn words_have_the_summands_of_version_1() {
        assert_eq!(summand(1u32), SUMMANDS[0]);
        assert_eq!(summand(0x0123_4567_89ab_cdefu64), SUMMANDS[1]);
    }

    /// Shards of a job stay on their machines, so the shard of a word must never change. Another program computed
    /// the numbers of this test, too.
    #[test]
    fn words_have_the_shards_of_version_1() {
        let shards = |count| [0, 1, 2, 3, 0x0123_4567_89ab_cdefu64].map(|word| shard_of(word, count));
        assert_eq!(shards(2), [0, 1, 0, 1, 1]);
        assert_eq!(shards(3), [0, 2, 0, 2, 2]);
        assert_eq!(shards(300), [53, 210, 96, 290, 285]);
    }

    #[test]
    fn shards_partitions_and_slots_of_random_words_are_independent() {
        let mut random = Random::new("shards");
        let words: Vec<u64> = (0..1 << 17).map(|_| random.next_u64()).collect();
        for counts in all_counts(&words) {
            let far = deviation(&counts);
            assert!(far.abs() < 6.0, "{far} standard deviations for {} pairs", counts.len());
        }
    }

    /// Checks that shards, partitions and slots get about equally many of some words at equal steps. A test of
    /// randomness would fail here: hashing by multiplication may spread such words more evenly than at random.
    fn are_spread<W: Word>(word: impl Fn(u64) -> W) {
        let words: Vec<W> = (0..1 << 17).map(word).collect();
        for counts in all_counts(&words) {
            let mean = mean(&counts);
            let few = counts.iter().filter(|&&count| count < mean / 4.0).count();
            let most = counts.iter().copied().fold(0.0, f64::max);
            assert!(most <= 3.0 * mean, "{most} words of a pair, {mean} on average");
            assert!(few * 10 <= counts.len(), "{few} of {} pairs have hardly a word", counts.len());
        }
    }

    #[test]
    fn shards_partitions_and_slots_of_words_in_steps_are_spread() {
        // Words that differ at the bottom, in the middle and at the top.
        are_spread(|i| i as u32);
        are_spread(|i| (i << 15) as u32);
        are_spread(|i| i);
        are_spread(|i| i << 20);
        are_spread(|i| i << 47);
        are_spread(|i| u128::from(i) << 111);
        are_spread(|i| u128::from(i) << 55);
        are_spread(|i| [0, i << 8, 0, 7]);
        are_spread(|i| [i << 47, 0, 0, 0]);
    }

    proptest! {
        #[test]
        fn more_partitions_divide_those_there_are(word: u64, bits in 0u32..20) {
            prop_assert!(partition_of(word, bits) < 1 << bits);
            prop_assert_eq!(partition_of(word, bits + 1) >> 1, partition_of(word, bits));
        }
    }
}
