//! One partition: all words that a run has seen whose hashes choose this partition. Partitions share no word, so each
//! can be filled, counted, moved to another thread, to a file or to another machine independently of the others.

use super::word_set::{WordSet, room_for};
use crate::compile::Word;
use crate::memory;

/// The seen words of a partition, and the new ones among them.
///
/// A partition that has seen 5 and takes in 3, 5, 3, 8 has then seen 3, 5 and 8, and found 3 and 8.
#[derive(Debug)]
pub struct Partition<W> {
    /// The words that were seen: those of earlier depths, and those in `found`.
    pub seen: WordSet<W>,
    /// The new words of each kind, in the order in which they were found. Kind 0 has the open states; each outcome has
    /// a kind.
    pub found: Vec<Vec<W>>,
}

impl<W: Word> Partition<W> {
    /// A partition that has seen nothing, one of `1 << bits`; see [`super::hash::partition_of`].
    pub fn new(bits: u32, kinds: usize) -> Self {
        Self { seen: WordSet::new(bits), found: vec![Vec::new(); kinds] }
    }

    /// The bytes of memory that the partition takes.
    pub fn bytes(&self) -> usize {
        self.seen.bytes() + self.found.iter().map(Vec::capacity).sum::<usize>() * size_of::<W>()
    }

    /// The number of further bytes that the partition may take once it holds `more` more words: 0 if its set and its
    /// lists are large enough.
    pub fn growth(&self, more: usize) -> usize {
        let lists = self.found.iter().filter(|list| list.len() + more > list.capacity());
        self.seen.growth(more) + lists.map(|list| list.capacity().max(more)).sum::<usize>() * size_of::<W>()
    }

    /// Gives the list of open states room for so many new ones, so that it is not copied again and again as it grows.
    /// If it has much too much room, it gives that back. The list must be empty.
    pub fn expect(&mut self, new: u64) {
        memory::empty(&mut self.found[0], room_for(new) as usize);
    }

    /// Adds the words of some lists, all of one kind, to the seen words, and lists those that are new.
    pub fn take_in(&mut self, kind: usize, lists: &[&[W]]) {
        self.seen.insert_lists(lists, Some(&mut self.found[kind]));
    }

    /// Goes through the new words of kind 0 from the place `first` on. Those in which `outcome` says that play is over
    /// move to the lists of their outcomes.
    #[inline(never)]
    pub fn sort_out(&mut self, first: usize, outcome: &dyn Fn(W) -> Option<usize>) {
        let (open, ended) = self.found.split_at_mut(1);
        let mut kept = first;
        for at in first..open[0].len() {
            let word = open[0][at];
            if let Some(outcome) = outcome(word) {
                ended[outcome].push(word);
            } else {
                open[0][kept] = word;
                kept += 1;
            }
        }
        open[0].truncate(kept);
    }

    /// Empties the lists of new words. The words stay seen. If `keeps`, the list of open states keeps its memory, for
    /// the new ones of the next depth. The other lists give theirs back.
    pub fn forget_found(&mut self, keeps: bool) {
        for (kind, words) in self.found.iter_mut().enumerate() {
            words.clear();
            if kind > 0 || !keeps {
                *words = Vec::new();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn new_words_are_listed_once_in_the_order_in_which_they_came(
            earlier in prop::collection::vec(0u64..50, 0..40),
            blocks in prop::collection::vec((0usize..3, prop::collection::vec(0u64..50, 0..20)), 0..8),
        ) {
            let mut partition = Partition::new(0, 3);
            for &word in &earlier {
                partition.seen.insert(word);
            }
            let mut seen: HashSet<u64> = earlier.iter().copied().collect();
            let mut found = vec![Vec::new(); 3];
            for (kind, words) in &blocks {
                partition.take_in(*kind, &words.chunks(3).collect::<Vec<_>>());
                found[*kind].extend(words.iter().copied().filter(|&word| seen.insert(word)));
            }
            prop_assert_eq!(&partition.found, &found);
            prop_assert_eq!(partition.seen.iter().collect::<HashSet<_>>(), seen);
            let room = partition.found[0].capacity() * 8;
            partition.forget_found(true);
            prop_assert!(partition.found.iter().all(Vec::is_empty));
            prop_assert_eq!(partition.bytes(), partition.seen.bytes() + room);
            partition.forget_found(false);
            prop_assert_eq!(partition.bytes(), partition.seen.bytes());
        }

        #[test]
        fn new_words_are_sorted_out_by_outcome(
            (earlier, later) in (prop::collection::vec(0u64..50, 0..40), prop::collection::vec(0u64..50, 0..40)),
        ) {
            let outcome = |word: u64| (word % 3 < 2).then_some((word % 3) as usize);
            let mut partition = Partition::new(0, 3);
            partition.take_in(0, &[&earlier[..]]);
            let known = partition.found[0].clone();
            partition.take_in(0, &[&later[..]]);
            let new = partition.found[0][known.len()..].to_vec();
            partition.sort_out(known.len(), &outcome);
            let of = |kind: Option<usize>| new.iter().copied().filter(|&word| outcome(word) == kind).collect();
            prop_assert_eq!(&partition.found, &[[known, of(None)].concat(), of(Some(0)), of(Some(1))]);
        }

        #[test]
        fn a_partition_takes_no_more_than_its_growth(held in 0u64..200, more in 1usize..500) {
            let mut partition = Partition::new(2, 2);
            partition.take_in(0, &[&(1..=held).collect::<Vec<_>>()[..]]);
            let most = partition.bytes() + partition.growth(more);
            partition.take_in(0, &[&(1000..1000 + more as u64).collect::<Vec<_>>()[..]]);
            // Sets and lists grow to twice what they hold, and in steps.
            prop_assert!(partition.bytes() <= 2 * most + 256, "{} of {most}", partition.bytes());
        }
    }
}
