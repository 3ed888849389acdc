//! Lists of numbers, such as the numbers of successors, one list for each state of a block. The same memory serves one
//! block after another.

use crate::run::Final;

/// A list of numbers for each of some states.
#[derive(Debug, Default)]
pub struct Lists {
    /// The end of each list.
    ends: Vec<u32>,
    numbers: Vec<u64>,
}

impl Lists {
    /// Forgets all lists.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.numbers.clear();
    }

    /// Adds a number to the list that is not closed yet.
    #[inline(always)]
    pub fn push(&mut self, number: u64) {
        self.numbers.push(number);
    }

    /// Closes the list. The next numbers belong to another state.
    #[inline(always)]
    pub fn close(&mut self) {
        self.ends.push(self.numbers.len() as u32);
    }

    /// Takes lists whose numbers follow one another. `ends` has the end of each.
    pub fn set(&mut self, numbers: &[u32], ends: impl Iterator<Item = u64>) {
        self.clear();
        self.numbers.extend(numbers.iter().map(|&number| u64::from(number)));
        self.ends.extend(ends.map(|end| end as u32));
    }

    /// Each list, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[u64]> {
        let mut begin = 0;
        self.ends.iter().map(move |&end| {
            let list = &self.numbers[begin..end as usize];
            begin = end as usize;
            list
        })
    }

    /// Puts each list in order, with each number once.
    pub fn make_distinct(&mut self) {
        let (mut begin, mut kept) = (0, 0);
        for end in &mut self.ends {
            self.numbers[begin..*end as usize].sort_unstable();
            let first = kept;
            for at in begin..*end as usize {
                let number = self.numbers[at];
                if kept == first || self.numbers[kept - 1] != number {
                    self.numbers[kept] = number;
                    kept += 1;
                }
            }
            begin = *end as usize;
            *end = kept as u32;
        }
        self.numbers.truncate(kept);
    }
}

/// The successors of some states, and the ends of play among them.
#[derive(Debug, Default)]
pub struct Edges {
    /// For each state, its value if play is over, also because there is no move. Then its list is empty.
    pub over: Vec<Option<Final>>,
    /// For each state, the numbers of its successors.
    pub after: Lists,
}

impl Edges {
    /// Forgets all states.
    pub fn clear(&mut self) {
        self.over.clear();
        self.after.clear();
    }

    /// Each state: its value if play is over, and its successors.
    pub fn iter(&self) -> impl Iterator<Item = (Option<Final>, &[u64])> {
        self.over.iter().copied().zip(self.after.iter())
    }
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
