//! Lists of numbers for the states of a block, such as the numbers of each state's successors. The same value is filled
//! again for block after block, so that its memory is reused.

use std::ops::Range;

use crate::run::Final;

/// One list of numbers for each state of a block. The lists lie one after another in memory. Numbers of states are 64
/// bits wide, unless all that can occur are known to fit 32.
#[derive(Debug, Default)]
pub struct Lists<N = u64> {
    /// For each list, the place in [`Self::numbers`] where it ends.
    pub(super) ends: Vec<u32>,
    pub(super) numbers: Vec<N>,
}

impl<N> Lists<N> {
    /// Removes all lists, and keeps their memory.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.numbers.clear();
    }

    /// The lists, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[N]> {
        let mut begin = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.numbers[begin..end as usize];
            begin = end as usize;
            list
        })
    }
}

impl Lists {
    /// Adds a number to the list that is being made.
    #[inline(always)]
    pub fn push(&mut self, number: u64) {
        self.numbers.push(number);
    }

    /// Ends the list that is being made. The numbers that follow belong to the next list.
    #[inline(always)]
    pub fn close(&mut self) {
        self.ends.push(self.numbers.len() as u32);
    }

    /// Replaces all lists by the given ones. Their numbers lie one after another in `numbers`, and `ends` has the place
    /// where each list ends.
    pub fn set(&mut self, numbers: &[u32], ends: impl Iterator<Item = u64>) {
        self.clear();
        self.numbers.extend(numbers.iter().map(|&number| u64::from(number)));
        self.ends.extend(ends.map(|end| end as u32));
    }

    /// Sorts each list and removes repeated numbers from it.
    pub fn make_distinct(&mut self) {
        let (mut begin, mut kept) = (0, 0);
        for end in &mut self.ends {
            kept = move_distinct(&mut self.numbers, begin..*end as usize, kept);
            begin = *end as usize;
            *end = kept as u32;
        }
        self.numbers.truncate(kept);
    }
}

/// Sorts a stretch of `numbers`, and writes its numbers, each once, from the place `kept` on, which is not after the
/// stretch's beginning. Returns the place after the last number written.
pub(super) fn move_distinct<T: Copy + Ord>(numbers: &mut [T], stretch: Range<usize>, mut kept: usize) -> usize {
    numbers[stretch.clone()].sort_unstable();
    let first = kept;
    for at in stretch {
        let number = numbers[at];
        if kept == first || numbers[kept - 1] != number {
            numbers[kept] = number;
            kept += 1;
        }
    }
    kept
}

/// The successors of some states, and the values of those states in which play is over.
#[derive(Debug, Default)]
pub struct Edges {
    /// For each state, its value if play is over there by an end, at the goal, or because no move can be made. Its list
    /// of successors is empty then. `None` if play goes on.
    pub over: Vec<Option<Final>>,
    /// For each state, the numbers of its successors.
    pub after: Lists,
}

impl Edges {
    /// Removes all states and their successors, and keeps the memory.
    pub fn clear(&mut self) {
        self.over.clear();
        self.after.clear();
    }

    /// For each state, its value if play is over there, and the numbers of its successors.
    pub fn iter(&self) -> impl Iterator<Item = (Option<Final>, &[u64])> {
        self.over.iter().copied().zip(self.after.iter())
    }
}

/// For some states, how many different successors each has, and its value if play is over there.
#[derive(Debug, Default)]
pub struct SuccessorCounts {
    /// For each state, its value if play is over there; `None` if play goes on.
    pub over: Vec<Option<Final>>,
    /// For each state, the number of its different successors.
    pub different: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_number_is_kept_once(lists in prop::collection::vec(prop::collection::vec(0u64..8, 0..9), 0..9)) {
            let mut made = Lists::default();
            for list in &lists {
                for &number in list {
                    made.push(number);
                }
                made.close();
            }
            prop_assert_eq!(made.iter().map(<[u64]>::to_vec).collect::<Vec<_>>(), lists.clone());
            made.make_distinct();
            let distinct = |list: &Vec<u64>| std::collections::BTreeSet::from_iter(list.clone()).into_iter().collect();
            let expected: Vec<Vec<u64>> = lists.iter().map(distinct).collect();
            prop_assert_eq!(made.iter().map(<[u64]>::to_vec).collect::<Vec<_>>(), expected);
        }
    }
}
