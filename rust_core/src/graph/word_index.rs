//! Numbers for packed words: a hash table that finds the number of a word.

use crate::compile::{Word, cpu};
use crate::sparse::SHARD_BITS;

/// While a table is filled, the slot of a word is fetched from memory this many words before.
const FILLED_AHEAD: usize = 16;

/// A hash table that finds the number of a word in a list. The list is kept elsewhere. A slot has one more than the
/// number of a word, or 0 if it is free. Words with the same place are found by linear probing.
#[derive(Debug, Clone)]
pub struct Slots {
    slots: Vec<u32>,
    shift: u32,
}

impl Slots {
    /// An empty table for `words` words, which will take at most two thirds of its slots.
    pub fn with_room(words: usize) -> Self {
        Self::of_slots((words + words / 2).next_power_of_two().max(16))
    }

    fn of_slots(slots: usize) -> Self {
        Self { slots: vec![0; slots], shift: u64::BITS - slots.trailing_zeros() }
    }

    /// The bytes of a table that [`Self::with_room`] makes.
    pub fn bytes(words: usize) -> usize {
        words.saturating_add(words / 2).checked_next_power_of_two().unwrap_or(usize::MAX).max(16).saturating_mul(4)
    }

    /// Adds the words with the given numbers in the list `words`. None of them may be in the table yet.
    pub fn fill<W: Word>(&mut self, words: &[W], numbers: std::ops::Range<usize>) {
        for number in numbers {
            if let Some(&later) = words.get(number + FILLED_AHEAD) {
                self.prefetch(later);
            }
            let slot = self.slot(words, words[number]);
            self.slots[slot] = number as u32 + 1;
        }
    }

    /// Tells the processor to fetch the slot of a word, which will be looked up soon.
    #[inline(always)]
    pub fn prefetch<W: Word>(&self, word: W) {
        cpu::prefetch(&self.slots, self.home(word));
    }

    /// Tells the processor to fetch the word of the list that the first slot for `word` names. The slot must have been
    /// fetched by [`Self::prefetch`].
    #[inline(always)]
    pub fn prefetch_word<W: Word>(&self, words: &[W], word: W) {
        cpu::prefetch(words, self.first_named(word));
    }

    /// The number that the first slot for `word` names, which most often is that of the word; 0 if the slot is free.
    #[inline(always)]
    pub fn first_named<W: Word>(&self, word: W) -> usize {
        (self.slots[self.home(word) & (self.slots.len() - 1)] as usize).saturating_sub(1)
    }

    /// The number of a word; `None` if the table does not have it.
    #[inline(always)]
    pub fn get<W: Word>(&self, words: &[W], word: W) -> Option<u32> {
        self.slots[self.slot(words, word)].checked_sub(1)
    }

    /// Adds a word to the list and to the table, and returns its number. If the table has the word already, nothing
    /// changes, and the error is the number that the word has. One slot must be free.
    #[inline(always)]
    pub fn insert<W: Word>(&mut self, words: &mut Vec<W>, word: W) -> Result<u32, u32> {
        let slot = self.slot(words, word);
        if let Some(number) = self.slots[slot].checked_sub(1) {
            return Err(number);
        }
        let number = words.len() as u32;
        words.push(word);
        self.slots[slot] = number + 1;
        Ok(number)
    }

    /// Returns `true` if a list of `words` words takes more than half of the slots, so that the table should grow.
    #[inline(always)]
    pub fn is_full(&self, words: usize) -> bool {
        words * 2 > self.slots.len()
    }

    /// An empty table of twice the size.
    pub fn twice(&self) -> Self {
        Self::of_slots(self.slots.len() * 2)
    }

    /// The first slot in which a word may be. The first bits of hashes are left out: they are alike in all words of a
    /// shard, which would crowd into a part of the table.
    #[inline(always)]
    fn home<W: Word>(&self, word: W) -> usize {
        ((word.hash64() << SHARD_BITS) >> self.shift) as usize
    }

    /// The slot of a word or, if the table does not have the word, the free slot where it would go.
    #[inline(always)]
    fn slot<W: Word>(&self, words: &[W], word: W) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = self.home(word);
        while self.slots[at & mask] != 0 && !words[self.slots[at & mask] as usize - 1].same(word) {
            at += 1;
        }
        at & mask
    }
}

/// A set of fewer than 2^32 words, numbered from 0 in the order in which they were added.
#[derive(Debug, Clone)]
pub struct WordIndex<W> {
    /// The words, by number.
    pub words: Vec<W>,
    slots: Slots,
}

impl<W: Word> WordIndex<W> {
    /// The empty set.
    pub fn new() -> Self {
        Self { words: Vec::new(), slots: Slots::of_slots(16) }
    }

    /// The set of the given words, which must all be different.
    pub fn of_different(words: Vec<W>) -> Self {
        let mut slots = Slots::with_room(words.len());
        slots.fill(&words, 0..words.len());
        Self { words, slots }
    }

    /// The number of words in the set.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The number of a word; `None` if the set does not have it.
    #[inline(always)]
    pub fn get(&self, word: W) -> Option<u32> {
        self.slots.get(&self.words, word)
    }

    /// Tells the processor to fetch the slot of a word, which will be looked up soon.
    #[inline(always)]
    pub fn prefetch(&self, word: W) {
        self.slots.prefetch(word);
    }

    /// Tells the processor to fetch the word of the list that the first slot for `word` names.
    #[inline(always)]
    pub fn prefetch_word(&self, word: W) {
        self.slots.prefetch_word(&self.words, word);
    }

    /// Adds a word to the set and returns its number. If the set has the word already, the error is the word's number.
    pub fn insert(&mut self, word: W) -> Result<u32, u32> {
        let number = self.slots.insert(&mut self.words, word)?;
        if self.slots.is_full(self.words.len()) {
            self.slots = self.slots.twice();
            self.slots.fill(&self.words, 0..self.words.len());
        }
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_first_time(words in prop::collection::vec(0u64..100, 0..300)) {
            let (mut index, mut map) = (WordIndex::new(), HashMap::new());
            for word in words {
                prop_assert_eq!(index.get(word), map.get(&word).copied());
                let next = map.len() as u32;
                let number = *map.entry(word).or_insert(next);
                prop_assert_eq!(index.insert(word).unwrap_or_else(|known| known), number);
                prop_assert_eq!(index.words[number as usize], word);
            }
            prop_assert_eq!(index.len(), map.len());
            let different = WordIndex::of_different(index.words.clone());
            prop_assert!((0..120).all(|word| different.get(word) == index.get(word)));
            prop_assert_eq!(different.slots.slots.len() * 4, Slots::bytes(map.len()));
        }
    }
}
