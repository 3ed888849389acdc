//! The perfect index of the arrangements of a multiset: all orders of a given number of each label.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! An arrangement is cut into a head, its first labels, and a tail, its other labels. A block is all arrangements with
//! the same head; all tails of a block have the same labels. The *composition* of some labels is the number of each
//! label among them. It determines how many arrangements the labels have.
//!
//! Two labels `a` and two `b` have six arrangements. With a head of one label, block 0 has the head `a` and the tails
//! `abb`, `bab` and `bba`. Block 1 has the head `b` and the tails `aab`, `aba` and `baa`.

use crate::rules::Symbol;

/// The most labels in an arrangement.
pub const MOST_PLACES: usize = 32;

/// The most compositions of parts of an arrangement. The tables have an entry for each composition.
const MOST_COMPOSITIONS: usize = 1 << 16;

/// The arrangements of a multiset of labels, cut into heads and tails.
#[derive(Debug, Clone)]
pub struct Multiset {
    /// The number of places.
    pub places: usize,
    /// The number of places of the head: the first places, whose labels choose the block.
    pub head: usize,
    /// For each label, how often it occurs.
    counts: Vec<usize>,
    /// A composition is stored as a number. For each label: by how much that number grows if the composition has one
    /// label more.
    weights: Vec<usize>,
    /// For each composition, the number of each label in it.
    contents: Vec<u8>,
    /// For each composition, the number of its arrangements.
    tails: Vec<u64>,
    /// The first labels of a head leave a composition of labels for all later places. For each such composition: the
    /// number of ways to complete the head.
    heads: Vec<u64>,
}

impl Multiset {
    /// The arrangements with `counts[l]` of each label `l`, all in the tail; `None` if they are too many to count.
    pub fn new(counts: Vec<usize>) -> Option<Self> {
        let places = counts.iter().sum();
        let compositions = counts.iter().try_fold(1usize, |product, count| product.checked_mul(count + 1))?;
        if places == 0 || places > MOST_PLACES || compositions > MOST_COMPOSITIONS {
            return None;
        }
        let weight = |weight: &mut usize, count: &usize| Some(std::mem::replace(weight, *weight * (count + 1)));
        let weights: Vec<usize> = counts.iter().scan(1, weight).collect();
        let content = |composition: usize| {
            let labels = weights.iter().zip(&counts);
            labels.map(move |(weight, count)| (composition / weight % (count + 1)) as u8)
        };
        let contents = (0..compositions).flat_map(content).collect();
        let (tails, heads) = (vec![1; compositions], vec![1; compositions]);
        let mut multiset = Self { places, head: 0, counts, weights, contents, tails, heads };
        for composition in 1..compositions {
            multiset.tails[composition] = multiset.sum(composition, &multiset.tails);
        }
        (multiset.tails[compositions - 1] < u64::MAX).then_some(multiset)
    }

    /// The same arrangements, cut so that the first `head` places, the head, choose the block.
    #[must_use]
    pub fn with_head(mut self, head: usize) -> Self {
        self.head = head;
        for composition in 0..self.heads.len() {
            if self.size(composition) > self.places - head {
                self.heads[composition] = self.sum(composition, &self.heads);
            } else {
                self.heads[composition] = 1;
            }
        }
        self
    }

    /// The sum of the table's entries for all compositions with one label less than `composition`.
    fn sum(&self, composition: usize, table: &[u64]) -> u64 {
        let less = (0..self.labels()).filter(|&label| self.has(composition, label));
        less.fold(0, |sum, label| sum.saturating_add(table[composition - self.weights[label]]))
    }

    /// The number of different labels.
    pub fn labels(&self) -> usize {
        self.counts.len()
    }

    /// The number of places with a label.
    pub fn count_of(&self, label: u8) -> usize {
        self.counts[label as usize]
    }

    /// The composition of the whole arrangement.
    pub fn whole(&self) -> usize {
        self.tails.len() - 1
    }

    /// The number of arrangements of a composition.
    pub fn arrangements(&self, composition: usize) -> u64 {
        self.tails[composition]
    }

    /// The number of heads. Each head is a block.
    pub fn blocks(&self) -> u64 {
        self.heads[self.whole()]
    }

    /// The number of labels in a composition, in all.
    pub fn size(&self, composition: usize) -> usize {
        (0..self.labels()).map(|label| self.count(composition, label)).sum()
    }

    /// The number of times that a composition has a label.
    #[inline(always)]
    fn count(&self, composition: usize, label: usize) -> usize {
        self.contents[composition * self.counts.len() + label] as usize
    }

    /// Returns `true` if a composition has a label.
    #[inline(always)]
    pub fn has(&self, composition: usize, label: usize) -> bool {
        self.count(composition, label) > 0
    }

    /// A composition with the given labels added; `None` if the multiset does not have that many.
    pub fn with(&self, labels: &[u8], composition: usize) -> Option<usize> {
        labels.iter().try_fold(composition, |composition, &label| {
            let more = self.count(composition, label as usize) < self.counts[label as usize];
            more.then(|| composition + self.weights[label as usize])
        })
    }

    /// The compositions of `size` labels that can be left at the end of an arrangement, each with the number of
    /// beginnings before it.
    pub fn endings(&self, size: usize) -> impl Iterator<Item = (usize, u64)> + '_ {
        let all = 0..self.tails.len();
        all.filter(move |&composition| self.size(composition) == size)
            .map(|composition| (composition, self.tails[self.whole() - composition]))
    }

    /// `beginnings` has, for each composition, the number of beginnings of one length. Returns the same table for
    /// beginnings that are one label longer.
    pub fn longer(&self, beginnings: &[u64]) -> Vec<u64> {
        (0..beginnings.len()).map(|composition| self.sum(composition, beginnings)).collect()
    }

    /// For each length, how many different beginnings of that length the arrangements have.
    pub fn beginnings(&self) -> Vec<u64> {
        let mut sums = vec![0u64; self.places + 1];
        for composition in 0..self.tails.len() {
            let sum = &mut sums[self.size(composition)];
            *sum = sum.saturating_add(self.tails[composition]);
        }
        sums
    }

    /// The number of an arrangement in lexicographic order, however it is cut; `None` if it is no arrangement of the
    /// multiset.
    pub fn rank_whole(&self, labels: &[u8]) -> Option<u64> {
        let mut counts = vec![0; self.labels()];
        for &label in labels {
            counts[label as usize] += 1;
        }
        (counts == self.counts).then(|| self.rank(labels, self.whole(), &self.tails).0)
    }

    /// The arrangement with the given number in lexicographic order.
    pub fn unrank_whole(&self, number: u64) -> Vec<u8> {
        self.unrank(self.whole(), number, self.places, &self.tails)
    }

    /// Returns the number of tails of a composition that come before the tails that begin with the given labels, and
    /// the composition that is left when these labels are taken away.
    pub fn rank_tail(&self, labels: &[u8], composition: usize) -> (u64, usize) {
        self.rank(labels, composition, &self.tails)
    }

    /// `composition` has the labels that the first places of a head leave, and `labels` are those of the places that
    /// follow. Among the heads with the same first places, returns the number of those that come before the heads that
    /// go on with `labels`; and the composition that is left when `labels` are taken away.
    pub fn rank_head(&self, labels: &[u8], composition: usize) -> (u64, usize) {
        self.rank(labels, composition, &self.heads)
    }

    fn rank(&self, labels: &[u8], mut composition: usize, table: &[u64]) -> (u64, usize) {
        let mut rank = 0;
        for &given in labels {
            for label in (0..given as usize).filter(|&label| self.has(composition, label)) {
                rank += table[composition - self.weights[label]];
            }
            composition -= self.weights[given as usize];
        }
        (rank, composition)
    }

    /// The tail with the given number. A tail is an order of the labels of a composition, in the places after the head.
    pub fn tail(&self, composition: usize, number: u64) -> Vec<u8> {
        self.unrank(composition, number, self.places - self.head, &self.tails)
    }

    fn unrank(&self, mut composition: usize, mut number: u64, size: usize, table: &[u64]) -> Vec<u8> {
        let mut labels = Vec::with_capacity(size);
        for _ in 0..size {
            for label in (0..self.labels()).filter(|&label| self.has(composition, label)) {
                let ways = table[composition - self.weights[label]];
                if number < ways {
                    composition -= self.weights[label];
                    labels.push(label as u8);
                    break;
                }
                number -= ways;
            }
        }
        labels
    }

    /// Calls `found` with each sequence of `size` labels that arrangements of a composition begin with, in order. The
    /// function calls itself once for each label, so at most [`MOST_PLACES`] times.
    pub fn each_beginning(&self, size: usize, composition: usize, found: &mut impl FnMut(&[u8])) {
        fn go_on(
            multiset: &Multiset,
            labels: &mut Vec<u8>,
            size: usize,
            composition: usize,
            found: &mut impl FnMut(&[u8]),
        ) {
            if labels.len() == size {
                return found(labels);
            }
            for label in 0..multiset.labels() {
                if multiset.has(composition, label) {
                    labels.push(label as u8);
                    go_on(multiset, labels, size, composition - multiset.weights[label], found);
                    labels.pop();
                }
            }
        }
        go_on(self, &mut Vec::with_capacity(size), size, composition, found);
    }
}

/// Goes through the heads of all blocks in order, and holds one head at a time.
#[derive(Debug, Clone)]
pub struct HeadWalk<'a> {
    multiset: &'a Multiset,
    /// The labels of the head, which are the first labels of all arrangements of the block.
    pub labels: Vec<u8>,
    /// The composition of the tail: how often each label occurs among the labels after the head.
    pub left: usize,
}

impl<'a> HeadWalk<'a> {
    /// The head of a block: the first labels of all its arrangements.
    pub fn new(multiset: &'a Multiset, block: usize) -> Self {
        let labels = multiset.unrank(multiset.whole(), block as u64, multiset.head, &multiset.heads);
        let (_, left) = multiset.rank_head(&labels, multiset.whole());
        Self { multiset, labels, left }
    }

    /// Moves on to the head of the next block, and from the last block to the first.
    #[inline(always)]
    pub fn next(&mut self) {
        let (multiset, size) = (self.multiset, self.labels.len());
        let mut from = 0;
        for at in (0..size).rev() {
            self.left += multiset.weights[self.labels[at] as usize];
            let more = (self.labels[at] as usize + 1..multiset.labels()).find(|&label| multiset.has(self.left, label));
            if let Some(label) = more {
                self.put(at, label);
                from = at + 1;
                break;
            }
        }
        for at in from..size {
            let least = (0..multiset.labels()).find(|&label| multiset.has(self.left, label));
            self.put(at, least.expect("a head has no more places than labels"));
        }
    }

    #[inline(always)]
    fn put(&mut self, at: usize, label: usize) {
        self.labels[at] = label as u8;
        self.left -= self.multiset.weights[label];
    }
}

/// The number of arrangements of the given symbols, or the largest number if there are more. For example, 0, 1, 1 have
/// three: 011, 101 and 110.
pub fn arrangements(symbols: impl Iterator<Item = Symbol>) -> u128 {
    let mut counts = std::collections::HashMap::<Symbol, u128>::new();
    // The n-th symbol multiplies the number of arrangements by n, and divides it by how often the symbol has occurred
    // up to here.
    let times = |product: u128, (symbol, number): (Symbol, u128)| {
        let count = counts.entry(symbol).or_default();
        *count += 1;
        Some(product.checked_mul(number)? / *count)
    };
    symbols.zip(1..).try_fold(1, times).unwrap_or(u128::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrangements_come_in_order_each_with_a_number_of_its_own() {
        for (counts, all) in [(vec![3], 1), (vec![2, 1, 2], 30), (vec![1, 1, 1, 1], 24), (vec![1, 3, 2], 60)] {
            let multiset = Multiset::new(counts).unwrap();
            for head in 0..=multiset.places {
                let multiset = multiset.clone().with_head(head);
                let mut arrangements = Vec::new();
                let mut heads = HeadWalk::new(&multiset, 0);
                for block in 0..multiset.blocks() {
                    assert_eq!(heads.labels, HeadWalk::new(&multiset, block as usize).labels);
                    assert_eq!(multiset.rank_head(&heads.labels, multiset.whole()), (block, heads.left));
                    for number in 0..multiset.arrangements(heads.left) {
                        let tail = multiset.tail(heads.left, number);
                        assert_eq!(multiset.rank_tail(&tail, heads.left), (number, 0));
                        arrangements.push([&heads.labels[..], &tail].concat());
                    }
                    heads.next();
                }
                assert!(arrangements.is_sorted());
                arrangements.dedup();
                assert_eq!(arrangements.len(), all);
                let mut beginnings = Vec::new();
                multiset.each_beginning(head, multiset.whole(), &mut |labels| {
                    beginnings.push(labels.to_vec());
                });
                assert_eq!(beginnings.len() as u64, multiset.blocks());
                assert_eq!(multiset.beginnings()[head], multiset.blocks());
                let ends: Vec<(usize, u64)> = multiset.endings(multiset.places - head).collect();
                assert_eq!(ends.iter().map(|(_, heads)| heads).sum::<u64>(), multiset.blocks());
                let table = (0..head).fold(vec![1; multiset.whole() + 1], |table, _| multiset.longer(&table));
                assert_eq!(table[multiset.whole()], multiset.blocks());
            }
        }
    }

    #[test]
    fn what_is_too_large_to_count_is_refused() {
        assert!(Multiset::new(vec![1; 17]).is_none());
        assert!(Multiset::new(vec![33]).is_none());
        assert!(Multiset::new(Vec::new()).is_none());
        assert_eq!(Multiset::new(vec![16, 16]).unwrap().arrangements(17 * 17 - 1), 601_080_390);
    }

    #[test]
    fn arrangements_of_symbols_are_counted() {
        assert_eq!(arrangements([0, 1, 1].into_iter()), 3);
        assert_eq!(arrangements(std::iter::empty()), 1);
        assert_eq!(arrangements(0..20), 2_432_902_008_176_640_000);
        assert_eq!(arrangements(0..200), u128::MAX);
        assert_eq!(arrangements(std::iter::repeat_n(7, 200)), 1);
    }
}
