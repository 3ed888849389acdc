//! A set of words, numbered in the order in which they came in.

use crate::compile::Word;

/// Words and their numbers, from 0. Holds fewer than 2^32 words.
#[derive(Debug, Clone)]
pub struct Numbered<W> {
    /// The words, by their numbers.
    pub words: Vec<W>,
    /// Open addressing with linear probing. A slot holds one more than a word's number, or 0 if it is free.
    slots: Vec<u32>,
    shift: u32,
}

impl<W: Word> Numbered<W> {
    /// No words.
    pub fn new() -> Self {
        Self { words: Vec::new(), slots: vec![0; 16], shift: u64::BITS - 4 }
    }

    /// The bytes that [`Self::of_different`] takes for `count` words, in addition to the words themselves.
    pub fn slot_bytes(count: usize) -> usize {
        slots_for(count).saturating_mul(size_of::<u32>())
    }

    /// Words that are all different, numbered in the order in which they are given. There is no room for more.
    pub fn of_different(words: Vec<W>) -> Self {
        let slots = slots_for(words.len());
        let mut numbered = Self { words, slots: vec![0; slots], shift: u64::BITS - slots.trailing_zeros() };
        numbered.fill();
        numbered
    }

    /// How many words there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The number of a word, if it is there.
    pub fn get(&self, word: W) -> Option<u32> {
        match self.slots[self.slot(word)] {
            0 => None,
            number => Some(number - 1),
        }
    }

    /// Adds a word and returns its number. If the word was there already, its number is the error.
    pub fn insert(&mut self, word: W) -> Result<u32, u32> {
        let slot = self.slot(word);
        if let Some(number) = self.slots[slot].checked_sub(1) {
            return Err(number);
        }
        let number = self.words.len() as u32;
        self.words.push(word);
        self.slots[slot] = number + 1;
        if self.words.len() * 2 > self.slots.len() {
            self.grow();
        }
        Ok(number)
    }

    /// Where a word is, or would be put.
    fn slot(&self, word: W) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = (word.hash64() >> self.shift) as usize;
        while self.slots[at & mask] != 0 && !self.words[self.slots[at & mask] as usize - 1].same(word) {
            at += 1;
        }
        at & mask
    }

    fn grow(&mut self) {
        self.slots = vec![0; self.slots.len() * 2];
        self.shift -= 1;
        self.fill();
    }

    fn fill(&mut self) {
        for number in 0..self.words.len() {
            let slot = self.slot(self.words[number]);
            self.slots[slot] = number as u32 + 1;
        }
    }
}

/// How many slots are enough for so many words: at most two thirds of them are taken.
fn slots_for(words: usize) -> usize {
    (words + words / 2).next_power_of_two().max(16)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_the_first_time(words in prop::collection::vec(0u64..100, 0..300)) {
            let (mut numbered, mut map) = (Numbered::new(), HashMap::new());
            for word in words {
                prop_assert_eq!(numbered.get(word), map.get(&word).copied());
                let next = map.len() as u32;
                let number = *map.entry(word).or_insert(next);
                prop_assert_eq!(numbered.insert(word).unwrap_or_else(|known| known), number);
                prop_assert_eq!(numbered.words[number as usize], word);
            }
            prop_assert_eq!(numbered.len(), map.len());
            let different = Numbered::of_different(numbered.words.clone());
            prop_assert!((0..120).all(|word| different.get(word) == numbered.get(word)));
            prop_assert_eq!(different.slots.len() * 4, Numbered::<u64>::slot_bytes(map.len()));
        }
    }
}
