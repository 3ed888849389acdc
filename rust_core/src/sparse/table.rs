//! A set of words: open addressing with linear probing.

use crate::compile::Word;

/// A set of words that share the first `skip` bits of their hashes.
#[derive(Debug, Clone)]
pub struct Table<W> {
    /// The zero word marks a free slot; whether it is itself in the set is kept aside.
    slots: Vec<W>,
    has_zero: bool,
    len: usize,
    skip: u32,
    shift: u32,
}

/// The fewest slots of a table.
const LEAST: usize = 16;

impl<W: Word> Table<W> {
    /// An empty set for words that share the first `skip` bits of their hashes.
    pub fn new(skip: u32) -> Self {
        let mut table = Self { slots: Vec::new(), has_zero: false, len: 0, skip, shift: 0 };
        table.reset(skip, 0);
        table
    }

    /// Empties the set, and makes room for as many words as are expected.
    pub fn reset(&mut self, skip: u32, expected: usize) {
        let capacity = (expected * 2).next_power_of_two().max(LEAST);
        self.slots.clear();
        // What a much larger depth needed is given back.
        self.slots.shrink_to(capacity * 4);
        self.slots.resize(capacity, W::ZERO);
        self.has_zero = false;
        self.len = 0;
        self.skip = skip;
        self.shift = u64::BITS - capacity.trailing_zeros();
    }

    /// How many words are in the set.
    pub fn len(&self) -> usize {
        self.len + usize::from(self.has_zero)
    }

    /// The bytes of memory that the set holds.
    pub fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<W>()
    }

    /// How many bytes more the set holds after some more words came in, if it has to grow for them.
    pub fn growth(&self, more: usize) -> usize {
        if (self.len + more) * 8 > self.slots.len() * 5 { self.slots.len().max(more * 2) * size_of::<W>() } else { 0 }
    }

    /// Adds a word, and tells whether it is new.
    #[inline(always)]
    pub fn insert(&mut self, word: W) -> bool {
        if word.same(W::ZERO) {
            return !std::mem::replace(&mut self.has_zero, true);
        }
        let mask = self.slots.len() - 1;
        let mut at = ((word.hash64() << self.skip) >> self.shift) as usize;
        loop {
            let slot = &mut self.slots[at & mask];
            if slot.same(W::ZERO) {
                *slot = word;
                break;
            }
            if slot.same(word) {
                return false;
            }
            at += 1;
        }
        self.len += 1;
        // Beyond five eighths, probes grow long.
        if self.len * 8 > self.slots.len() * 5 {
            self.grow();
        }
        true
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut larger = Self::new(self.skip);
        larger.reset(self.skip, self.slots.len());
        self.iter().for_each(|word| {
            larger.insert(word);
        });
        *self = larger;
    }

    /// The words of the set, in an order that depends on how they came in.
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

    proptest! {
        #[test]
        fn a_table_is_a_set(words in prop::collection::vec(0u64..200, 0..500), skip in 0u32..4) {
            let mut table = Table::new(skip);
            let mut set = HashSet::new();
            for word in words {
                // Small and large words, zero among them.
                let word = if word % 3 == 0 { word << 55 } else { word };
                prop_assert_eq!(table.insert(word), set.insert(word));
                prop_assert_eq!(table.len(), set.len());
            }
            prop_assert_eq!(table.iter().collect::<HashSet<_>>(), set);
        }
    }
}
