//! The numbers of packed words: a table of numbers, and the words by their numbers.

use crate::compile::{Word, cpu};

/// Finds the numbers of words that stand in a list. Open addressing with linear probing: a slot holds one more than a
/// word's number, or 0 if it is free.
#[derive(Debug, Clone)]
pub struct Slots {
    slots: Vec<u32>,
    shift: u32,
}

impl Slots {
    /// A table with room for some words. At most two thirds of its slots will be taken.
    pub fn with_room(words: usize) -> Self {
        Self::of_slots((words + words / 2).next_power_of_two().max(16))
    }

    fn of_slots(slots: usize) -> Self {
        Self { slots: vec![0; slots], shift: u64::BITS - slots.trailing_zeros() }
    }

    /// The bytes of a table with room for some words.
    pub fn bytes(words: usize) -> usize {
        words.saturating_add(words / 2).checked_next_power_of_two().unwrap_or(usize::MAX).max(16).saturating_mul(4)
    }

    /// Puts words with these numbers in, which are not in the table yet.
    pub fn fill<W: Word>(&mut self, words: &[W], numbers: std::ops::Range<usize>) {
        for number in numbers {
            let slot = self.slot(words, words[number]);
            self.slots[slot] = number as u32 + 1;
        }
    }

    /// Asks for the place of a word, which will be looked up soon.
    #[inline(always)]
    pub fn prefetch<W: Word>(&self, word: W) {
        cpu::prefetch(&self.slots, (word.hash64() >> self.shift) as usize);
    }

    /// The number of a word, if it is there.
    #[inline(always)]
    pub fn get<W: Word>(&self, words: &[W], word: W) -> Option<u32> {
        self.slots[self.slot(words, word)].checked_sub(1)
    }

    /// Adds a word, which gets the next number, and returns that number. If the word was there already, its number is
    /// the error. There must be a free slot.
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

    /// Returns `true` if more than half of the slots are taken once the table has this many words.
    #[inline(always)]
    pub fn is_full(&self, words: usize) -> bool {
        words * 2 > self.slots.len()
    }

    /// An empty table of twice the size.
    pub fn twice(&self) -> Self {
        Self::of_slots(self.slots.len() * 2)
    }

    /// The slot that has a word, or in which it would be put.
    #[inline(always)]
    fn slot<W: Word>(&self, words: &[W], word: W) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (word.hash64() >> self.shift) as usize;
        while self.slots[at & mask] != 0 && !words[self.slots[at & mask] as usize - 1].same(word) {
            at += 1;
        }
        at & mask
    }
}

/// A set of words, numbered from 0 in the order in which they came in. Holds fewer than 2^32 words.
#[derive(Debug, Clone)]
pub struct WordIndex<W> {
    /// The words, by their numbers.
    pub words: Vec<W>,
    slots: Slots,
}

impl<W: Word> WordIndex<W> {
    /// No words.
    pub fn new() -> Self {
        Self { words: Vec::new(), slots: Slots::of_slots(16) }
    }

    /// Words that are all different, numbered in the order in which they are given.
    pub fn of_different(words: Vec<W>) -> Self {
        let mut slots = Slots::with_room(words.len());
        slots.fill(&words, 0..words.len());
        Self { words, slots }
    }

    /// The number of words.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The number of a word, if it is there.
    #[inline(always)]
    pub fn get(&self, word: W) -> Option<u32> {
        self.slots.get(&self.words, word)
    }

    /// Asks for the place of a word, which will be looked up soon.
    #[inline(always)]
    pub fn prefetch(&self, word: W) {
        self.slots.prefetch(word);
    }

    /// Adds a word and returns its number. If the word was there already, its number is the error.
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
