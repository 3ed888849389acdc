//! A set of words: a hash table with open addressing and linear probing.

use super::hash::bits_before_slot;
use crate::compile::{Word, cpu};

/// A set of words of one partition. It holds the words themselves, and not only hashes of them.
#[derive(Debug, Clone)]
pub struct WordSet<W> {
    /// A zero marks a free slot, so the zero word has no slot of its own.
    slots: Vec<W>,
    /// `true` if the zero word is in the set.
    has_zero: bool,
    /// The number of taken slots.
    len: usize,
    /// The number of bits at the top of a hash that choose the shard and the partition, and not the slot.
    skip: u32,
    /// The number of bits of a hash minus the number of bits that choose the slot.
    shift: u32,
}

/// The slot of a word is prefetched this many words before the word is added: about as many as the memory works on at
/// once.
const AHEAD: usize = 12;

/// The fewest slots of a set.
const LEAST: usize = 16;

impl<W: Word> WordSet<W> {
    /// An empty set for the words of one of `1 << bits` partitions.
    pub fn new(bits: u32) -> Self {
        let mut set = Self { slots: Vec::new(), has_zero: false, len: 0, skip: 0, shift: 0 };
        set.reset(bits, 0);
        set
    }

    /// Empties the set, for the words of one of `1 << bits` partitions, and gives it slots for `expected` words. If
    /// more words are added, it grows.
    pub fn reset(&mut self, bits: u32, expected: usize) {
        self.resize(bits_before_slot(bits), expected);
    }

    fn resize(&mut self, skip: u32, expected: usize) {
        let capacity = (expected * 2).next_power_of_two().max(LEAST);
        // An earlier depth may have been much larger: then its memory is given back. Fresh memory is zero already.
        if (capacity..=capacity * 4).contains(&self.slots.capacity()) {
            self.slots.clear();
            self.slots.resize(capacity, W::ZERO);
        } else {
            self.slots = Vec::new();
            self.slots = vec![W::ZERO; capacity];
        }
        self.has_zero = false;
        self.len = 0;
        self.skip = skip;
        self.shift = u64::BITS - capacity.trailing_zeros();
    }

    /// The number of words in the set.
    pub fn len(&self) -> usize {
        self.len + usize::from(self.has_zero)
    }

    /// The bytes of memory that the set holds.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<W>()
    }

    /// The number of further bytes that the set takes for `more` new words: 0 if it has enough slots.
    pub fn growth(&self, more: usize) -> usize {
        if (self.len + more) * 8 > self.slots.len() * 5 { self.slots.len().max(more * 2) * size_of::<W>() } else { 0 }
    }

    /// Adds words. Calls `added` for each, with `true` if the word was new.
    #[inline(always)]
    pub fn insert_all(&mut self, words: &[W], mut added: impl FnMut(W, bool)) {
        for (at, &word) in words.iter().enumerate() {
            if let Some(&later) = words.get(at + AHEAD) {
                cpu::prefetch(&self.slots, self.slot(later));
            }
            added(word, self.insert(word));
        }
    }

    /// The slot at which the search for a word begins.
    #[inline(always)]
    fn slot(&self, word: W) -> usize {
        // The shifts drop the bits before those of the slot, and the bits after them.
        ((word.hash64() << self.skip) >> self.shift) as usize
    }

    /// Adds a word. Returns `true` if it is new.
    #[inline(always)]
    pub fn insert(&mut self, word: W) -> bool {
        if word.is_zero() {
            return !std::mem::replace(&mut self.has_zero, true);
        }
        let mask = self.slots.len() - 1;
        let mut at = self.slot(word);
        loop {
            let slot = &mut self.slots[at & mask];
            if slot.is_zero() {
                *slot = word;
                break;
            }
            if slot.same(word) {
                return false;
            }
            at += 1;
        }
        self.len += 1;
        // With more than five eighths of the slots taken, a search for a word would probe too many of them.
        if self.len * 8 > self.slots.len() * 5 {
            self.grow();
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut larger = Self { slots: Vec::new(), has_zero: false, len: 0, skip: 0, shift: 0 };
        larger.resize(self.skip, self.slots.len());
        self.iter().for_each(|word| {
            larger.insert(word);
        });
        *self = larger;
    }

    /// Replaces `words` by the words of one of the `1 << bits` parts into which the bits of a hash before those of the
    /// slot's number divide the set. Their order depends on the order in which they were added.
    ///
    /// The slot of a word begins with the number of its part. So the words of a part lie in a range of slots, and in
    /// those after it, up to a free one. For example, with 16 slots, the second of two parts has the slots 8 to 15. If
    /// 15 was taken, a word of this part may be in slot 0.
    pub fn list_part(&self, part: usize, bits: u32, words: &mut Vec<W>) {
        let (count, within) = (self.slots.len(), self.slots.len() >> bits);
        // A part of less than a slot is looked for everywhere.
        let (begin, least) = if within == 0 { (0, count) } else { (part * within, within) };
        let belongs = |word: W| bits == 0 || ((word.hash64() << self.skip) >> (u64::BITS - bits)) as usize == part;
        words.clear();
        words.resize(least, W::ZERO);
        let mut listed = 0;
        // No jump depends on which slots are free, since it could not be foreseen: what they hold is listed, and the
        // next word is written over it.
        for &word in &self.slots[begin..begin + least] {
            words[listed] = word;
            listed += usize::from(!word.is_zero() & belongs(word));
        }
        words.truncate(listed);
        let after = (least..count).map(|at| self.slots[(begin + at) & (count - 1)]);
        words.extend(after.take_while(|word| !word.is_zero()).filter(|&word| belongs(word)));
        if self.has_zero && belongs(W::ZERO) {
            words.push(W::ZERO);
        }
    }

    /// The words of the set, in an order that depends on the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = W> + '_ {
        let zero = self.has_zero.then_some(W::ZERO);
        zero.into_iter().chain(self.slots.iter().copied().filter(|&word| word != W::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;
    use crate::sparse::hash::partition_of;

    proptest! {
        #[test]
        fn a_word_set_is_a_set(words in prop::collection::vec(0u64..200, 0..500), bits in 0u32..20) {
            let mut words_seen = WordSet::new(bits);
            let mut set = HashSet::new();
            for word in words {
                // Small and large words, zero among them.
                let word = if word % 3 == 0 { word << 55 } else { word };
                prop_assert_eq!(words_seen.insert(word), set.insert(word));
                prop_assert_eq!(words_seen.len(), set.len());
            }
            prop_assert_eq!(words_seen.iter().collect::<HashSet<_>>(), set);
        }

        #[test]
        fn growth_foretells_the_bytes(first in 0usize..3000, more in 1usize..3000) {
            let mut set = WordSet::new(0);
            (1..=first as u64).for_each(|word| assert!(set.insert(word)));
            let foretold = set.bytes() + set.growth(more);
            (1..=more as u64).for_each(|word| assert!(set.insert(word << 32)));
            // A set grows by doubling, which may take it beyond the bytes that it needs.
            prop_assert!(set.bytes() <= 2 * foretold, "{} bytes, {foretold} foretold", set.bytes());
        }
    }

    proptest! {
        #[test]
        fn the_parts_of_a_set_are_divided_by_partition(
            mut words in prop::collection::hash_set(any::<u64>(), 0..400),
            (few, more) in (0u32..4, 0u32..7),
        ) {
            let mut set = WordSet::new(few);
            words.insert(0);
            words.retain(|&word| partition_of(word, few) == partition_of(0u64, few));
            for &word in &words {
                prop_assert!(set.insert(word));
            }
            let mut found = vec![7];
            for part in 0..1 << more {
                set.list_part(part, more, &mut found);
                let unique: HashSet<u64> = found.iter().copied().collect();
                let holds = |word: &u64| partition_of(*word, few + more) & ((1 << more) - 1) == part;
                let expected = words.iter().copied().filter(holds);
                prop_assert_eq!(found.len(), unique.len());
                prop_assert_eq!(unique, expected.collect::<HashSet<_>>());
            }
        }
    }

    #[test]
    fn a_reset_set_is_empty_and_takes_what_it_expects_without_growing() {
        let mut set = WordSet::new(3);
        assert!(set.insert(0u32) && set.insert(7));
        set.reset(3, 1000);
        assert_eq!((set.len(), set.iter().count(), set.growth(1000)), (0, 0, 0));
        let bytes = set.bytes();
        assert!((1..=1000u32).all(|word| set.insert(word)));
        assert_eq!(set.bytes(), bytes);
    }
}
