//! The parts of a state's number in an index of pieces: for each kind of pieces their arrangement, and for each number
//! of twists the twists of all pieces that have this number.
//!
//! A move does the same to a part whatever the other parts are. So it permutes the numbers of each part by itself, and
//! a table for each part says how.

use super::multinomial::Multiset;
use super::sequence::{Sequences, digits_of, sequence_of};
use crate::structure::PieceMove;

/// A part of the state of pieces.
#[derive(Debug, Clone)]
pub struct PieceFactor {
    /// The places of the part, by their numbers in the order in which places are read. They ascend.
    pub places: Vec<usize>,
    pub numbers: FactorNumbers,
}

/// The way in which a part is numbered. In each of its places a part has a *label*, such as the number of a piece
/// there.
#[derive(Debug, Clone)]
pub enum FactorNumbers {
    /// The orders of pieces that are all different. A label is the number of a piece.
    Distinct(Sequences),
    /// The orders of pieces of which some look alike, or are treated as if they did. A label is the number of a piece.
    Alike(Multiset),
    /// The twists. A label is the number of twists of the piece in a place.
    Twists(TwistNumbers),
}

/// The numbers of the twists of some places. Each place is a digit, and the first one is the lowest.
#[derive(Debug, Clone)]
pub struct TwistNumbers {
    /// The number of twists of a piece.
    pub twists: usize,
    /// Digits that follow from other digits, and so are left out of the number.
    pub sums: Vec<TwistSum>,
}

/// A digit that follows from others: a constant plus the sum of some multiples of them, modulo the number of twists.
/// None of these others follows from others itself.
///
/// For example, no turn of a cube changes the sum of the twists of its corners, modulo three. So the last one is minus
/// the sum of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TwistSum {
    /// The digit.
    pub digit: usize,
    pub constant: usize,
    /// For each digit, the number by which it is multiplied.
    pub factors: Vec<usize>,
}

impl TwistSum {
    fn value(&self, labels: &[u8], twists: usize) -> u8 {
        let terms = self.factors.iter().zip(labels).map(|(&factor, &label)| factor * label as usize);
        ((self.constant + terms.sum::<usize>()) % twists) as u8
    }
}

impl TwistNumbers {
    fn is_free(&self, digit: usize) -> bool {
        !self.sums.iter().any(|sum| sum.digit == digit)
    }

    /// Returns `true` if each digit that follows from others has the value that follows.
    pub fn holds(&self, labels: &[u8]) -> bool {
        self.sums.iter().all(|sum| labels[sum.digit] == sum.value(labels, self.twists))
    }
}

impl PieceFactor {
    /// The length of the part's range of numbers; [`u64::MAX`] if it is longer.
    pub fn len(&self) -> u64 {
        match &self.numbers {
            FactorNumbers::Distinct(sequences) => sequences.len(),
            FactorNumbers::Alike(multiset) => multiset.arrangements(multiset.whole()),
            FactorNumbers::Twists(TwistNumbers { twists, sums }) => {
                (*twists as u64).saturating_pow((self.places.len() - sums.len()) as u32)
            }
        }
    }

    /// The number of the labels of this part's places; `None` if no state has these labels.
    pub fn rank(&self, labels: &[u8]) -> Option<u64> {
        match &self.numbers {
            FactorNumbers::Distinct(sequences) => {
                let mut sorted = labels.to_vec();
                sorted.sort_unstable();
                let distinct = sorted.iter().enumerate().all(|(at, &label)| at == label as usize);
                (distinct && sequences.holds(labels)).then(|| self.number(labels))
            }
            FactorNumbers::Alike(multiset) => multiset.rank_whole(labels),
            FactorNumbers::Twists(twists) => twists.holds(labels).then(|| self.number(labels)),
        }
    }

    /// The number of the labels of this part's places, as [`Self::rank`] returns it, but without its check.
    pub fn number(&self, labels: &[u8]) -> u64 {
        match &self.numbers {
            FactorNumbers::Distinct(sequences) => number_of(sequences, labels),
            FactorNumbers::Alike(multiset) => multiset.rank_tail(labels, multiset.whole()).0,
            FactorNumbers::Twists(numbers) => {
                let digits = labels.iter().enumerate().rev().filter(|&(digit, _)| numbers.is_free(digit));
                digits.fold(0, |number, (_, &label)| number * numbers.twists as u64 + u64::from(label))
            }
        }
    }

    /// The labels with a number: the inverse of [`Self::number`].
    pub fn labels(&self, mut number: u64) -> Vec<u8> {
        match &self.numbers {
            FactorNumbers::Distinct(sequences) => sequence_of(&sequences.digits_of_number(number)),
            FactorNumbers::Alike(multiset) => multiset.unrank_whole(number),
            FactorNumbers::Twists(numbers) => {
                let mut labels = vec![0; self.places.len()];
                for digit in (0..labels.len()).filter(|&digit| numbers.is_free(digit)) {
                    labels[digit] = (number % numbers.twists as u64) as u8;
                    number /= numbers.twists as u64;
                }
                for sum in &numbers.sums {
                    labels[sum.digit] = sum.value(&labels, numbers.twists);
                }
                labels
            }
        }
    }

    /// Replaces the labels with the given number by those with the next number. After the last number, the labels are
    /// undefined.
    pub fn step(&self, labels: &mut Vec<u8>) {
        match &self.numbers {
            FactorNumbers::Distinct(sequences) => while next_order(labels) && !sequences.holds(labels) {},
            FactorNumbers::Alike(_) => {
                next_order(labels);
            }
            FactorNumbers::Twists(_) => *labels = self.labels((self.number(labels) + 1) % self.len()),
        }
    }

    /// The change that a move makes to the labels of this part's places.
    pub fn change(&self, given: &PieceMove) -> LabelChange {
        let within = |place: &usize| self.places.binary_search(place).expect("a move keeps each part");
        let source = self.places.iter().map(|&place| within(&given.source[place])).collect();
        let by = match &self.numbers {
            FactorNumbers::Twists(_) => self.places.iter().map(|&place| given.twists[place] as u8).collect(),
            _ => vec![0; self.places.len()],
        };
        let twists = if let FactorNumbers::Twists(numbers) = &self.numbers { numbers.twists } else { 256 };
        LabelChange { source, by, twists }
    }

    /// For each number, the number that a move makes of it.
    pub fn images(&self, given: &PieceMove) -> Vec<u32> {
        let change = self.change(given);
        let mut after = vec![0; self.places.len()];
        let to = |number: u64| {
            change.after(&self.labels(number), &mut after);
            self.number(&after) as u32
        };
        (0..self.len()).map(to).collect()
    }
}

/// The change that a move makes to the labels of a part. A label is the number of the piece in a place, or its twist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelChange {
    source: Vec<usize>,
    by: Vec<u8>,
    twists: usize,
}

impl LabelChange {
    /// Writes the labels after the move, given those before it.
    pub fn after(&self, before: &[u8], after: &mut [u8]) {
        for ((after, &from), &by) in after.iter_mut().zip(&self.source).zip(&self.by) {
            *after = ((before[from] as usize + by as usize) % self.twists) as u8;
        }
    }

    /// Writes the labels before the move, given those after it.
    pub fn before(&self, after: &[u8], before: &mut [u8]) {
        for ((&after, &from), &by) in after.iter().zip(&self.source).zip(&self.by) {
            before[from] = ((after as usize + self.twists - by as usize) % self.twists) as u8;
        }
    }
}

/// The number of a sequence. For each thing, it counts the smaller ones that follow.
fn number_of(sequences: &Sequences, sequence: &[u8]) -> u64 {
    let mut later = (1u32 << sequence.len()) - 1;
    let mut number = 0;
    for (at, &thing) in sequence.iter().enumerate() {
        later &= !(1 << thing);
        number = number * sequences.radix(at) as u64 + u64::from((later & ((1 << thing) - 1)).count_ones());
    }
    if sequences.even { number / 2 } else { number }
}

/// Steps to the next order of some things, in lexicographic order. Returns `false` if there is none.
fn next_order(things: &mut [u8]) -> bool {
    // Looks for the last place whose thing is smaller than the thing after it. That place gets the smallest larger
    // thing that follows.
    let Some(at) = (1..things.len()).rev().find(|&at| things[at - 1] < things[at]) else { return false };
    let other = (at..things.len()).rev().find(|&other| things[other] > things[at - 1]).unwrap_or(at);
    things.swap(at - 1, other);
    things[at..].reverse();
    true
}

/// Returns `true` if an order of distinct things is an odd permutation.
pub fn is_odd(order: &[u8]) -> bool {
    digits_of(order).iter().sum::<usize>() % 2 == 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_has_labels_of_its_own_and_the_next_ones_follow() {
        let sum = |digit, constant, factors: &[usize]| TwistSum { digit, constant, factors: factors.to_vec() };
        let factors = [
            (FactorNumbers::Distinct(Sequences::new(4, false)), 4, 24),
            (FactorNumbers::Distinct(Sequences::new(4, true)), 4, 12),
            (FactorNumbers::Distinct(Sequences::new(1, true)), 1, 1),
            (FactorNumbers::Alike(Multiset::new(vec![1, 1, 2]).unwrap()), 4, 12),
            (FactorNumbers::Twists(TwistNumbers { twists: 3, sums: Vec::new() }), 3, 27),
            // The third digit is 1 + 2a + 2b, and the fourth is b.
            (
                FactorNumbers::Twists(TwistNumbers {
                    twists: 3,
                    sums: vec![sum(2, 1, &[2, 2, 0, 0]), sum(3, 0, &[0, 1, 0, 0])],
                }),
                4,
                9,
            ),
        ];
        for (numbers, places, len) in factors {
            let factor = PieceFactor { places: (0..places).collect(), numbers };
            assert_eq!(factor.len(), len);
            let mut labels = factor.labels(0);
            let mut seen = std::collections::BTreeSet::new();
            for number in 0..len {
                assert_eq!(labels, factor.labels(number));
                assert_eq!((factor.rank(&labels), factor.number(&labels)), (Some(number), number));
                seen.insert(labels.clone());
                factor.step(&mut labels);
            }
            assert_eq!(seen.len() as u64, len);
        }
        let last = PieceFactor {
            places: vec![0, 1],
            numbers: FactorNumbers::Twists(TwistNumbers { twists: 3, sums: vec![sum(1, 0, &[2, 0])] }),
        };
        assert_eq!([[1, 2], [1, 1]].map(|labels| last.rank(&labels)), [Some(1), None]);
    }

    #[test]
    fn a_change_takes_labels_there_and_back() {
        let numbers = FactorNumbers::Twists(TwistNumbers { twists: 4, sums: Vec::new() });
        let factor = PieceFactor { places: vec![1, 3, 4], numbers };
        let change = factor.change(&PieceMove { source: vec![2, 4, 0, 1, 3], twists: vec![0, 1, 0, 3, 2] });
        let (mut after, mut before) = ([0; 3], [0; 3]);
        change.after(&[1, 2, 3], &mut after);
        assert_eq!(after, [(3 + 1) % 4, (1 + 3) % 4, (2 + 2) % 4]);
        change.before(&after, &mut before);
        assert_eq!(before, [1, 2, 3]);
    }
}
