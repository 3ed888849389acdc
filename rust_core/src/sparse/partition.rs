//! Successors sorted by partition, and the partition that takes them in: the unit of parallel work.

use super::table::Table;
use crate::compile::Word;

/// The partition of a word where there are `1 << bits` of them: the first bits of its hash.
#[inline(always)]
pub fn partition_of<W: Word>(word: W, bits: u32) -> usize {
    if bits == 0 { 0 } else { (word.hash64() >> (u64::BITS - bits)) as usize }
}

/// Words in order of their partitions, words of one partition in the order in which they came.
#[derive(Debug)]
pub struct Sorted<W> {
    /// The words as they come; [`Self::sort`] puts them in order.
    pub raw: Vec<W>,
    words: Vec<W>,
    /// Where each partition begins, and after them the end.
    starts: Vec<u32>,
}

impl<W: Word> Sorted<W> {
    /// No words.
    pub fn new() -> Self {
        Self { raw: Vec::new(), words: Vec::new(), starts: Vec::new() }
    }

    /// The bytes of memory that the words hold.
    pub fn bytes(&self) -> usize {
        (self.raw.capacity() + self.words.capacity()) * size_of::<W>() + self.starts.capacity() * size_of::<u32>()
    }

    /// Sorts the raw words by partition (a counting sort).
    #[inline(always)]
    pub fn sort(&mut self, bits: u32) {
        assert!(u32::try_from(self.raw.len()).is_ok(), "a block has fewer than 2^32 successors");
        self.starts.clear();
        self.starts.resize((1 << bits) + 2, 0);
        if bits == 0 {
            std::mem::swap(&mut self.raw, &mut self.words);
            self.starts[1] = self.words.len() as u32;
            return;
        }
        // Counted two places on, so that while words are placed each count runs from its partition's begin to its end.
        for &word in &self.raw {
            self.starts[partition_of(word, bits) + 2] += 1;
        }
        for at in 3..self.starts.len() {
            self.starts[at] += self.starts[at - 1];
        }
        self.words.resize(self.raw.len(), W::ZERO);
        for &word in &self.raw {
            let place = &mut self.starts[partition_of(word, bits) + 1];
            self.words[*place as usize] = word;
            *place += 1;
        }
    }

    /// The words of a partition.
    #[inline(always)]
    pub fn partition(&self, partition: usize) -> &[W] {
        &self.words[self.starts[partition] as usize..self.starts[partition + 1] as usize]
    }
}

/// One partition: what was seen of it, and what is new.
#[derive(Debug, Clone)]
pub struct Partition<W> {
    /// The words that are not new any more.
    pub seen: Table<W>,
    /// The new words of each kind, in the order in which they came.
    pub found: Vec<Vec<W>>,
}

impl<W: Word> Partition<W> {
    /// A partition that has seen nothing, for words that share the first `bits` bits of their hashes.
    pub fn new(bits: u32, kinds: usize) -> Self {
        Self { seen: Table::new(bits), found: vec![Vec::new(); kinds] }
    }

    /// The bytes of memory that the partition holds.
    pub fn bytes(&self) -> usize {
        self.seen.bytes() + self.found.iter().map(Vec::capacity).sum::<usize>() * size_of::<W>()
    }

    /// How many bytes more the partition holds after some more words came in, if its table or lists have to grow for them.
    pub fn growth(&self, more: usize) -> usize {
        let lists = self.found.iter().filter(|list| list.len() + more > list.capacity());
        self.seen.growth(more) + lists.map(|list| list.capacity().max(more)).sum::<usize>() * size_of::<W>()
    }

    /// Takes in words of one kind, and keeps those that are new.
    #[inline(always)]
    pub fn absorb(&mut self, kind: usize, words: &[W]) {
        let found = &mut self.found[kind];
        for &word in words {
            if self.seen.insert(word) {
                found.push(word);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorting_keeps_every_word_and_its_order() {
        for bits in [0, 1, 5] {
            let mut sorted = Sorted::new();
            sorted.raw = (0..999u64).map(|i| i * i % 701).collect();
            let given = sorted.raw.clone();
            sorted.sort(bits);
            for partition in 0..1usize << bits {
                let expected: Vec<u64> =
                    given.iter().copied().filter(|&word| partition_of(word, bits) == partition).collect();
                assert_eq!(sorted.partition(partition), expected);
            }
        }
    }
}
