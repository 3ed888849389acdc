//! Permutations as numbers, by the digits of the factorial number system: the arithmetic of `arrangement.rs` and
//! `piece.rs`.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! Digit `i` of a sequence is the number of things at later places that are smaller than the thing at place `i`. For
//! example, the sequence 2 0 3 1 has the digits 2 0 1 0: two things smaller than 2 follow it, none smaller than 0, one
//! smaller than 3, and none after the last. Its number is 2·3! + 0·2! + 1·1! + 0·0! = 13.
//!
//! **Windows.** Take a change that rearranges only the places from `a` to `b`, its window. It changes only the digits
//! from `a` to `b`. A digit before `a` counts smaller things among those that follow, and these are the same things in
//! another order. A digit after `b` depends only on the things that follow it. The new digits of the window depend only
//! on the old digits of the window. For these say how the things in the window compare with each other and with later
//! things. So the change of the number is looked up by the digits of the window. No number has to be unranked and
//! ranked again. For example, exchanging places 1 and 2 of 2 0 3 1 gives 2 3 0 1, which has the digits 2 2 0 0. Digits
//! 1 and 2 went from 0 1 to 2 0. This adds 2·2! - 1·1! = 3 to the number, whatever digits 0 and 3 are.
//!
//! **Parity.** The sum of the digits of a permutation is the number of its inversions. The permutation is odd if that
//! sum is odd. If no move is odd, only even permutations have a number. The last digit but one is 0 or 1, and the other
//! digits determine it: it makes the sum even. So the number is halved. For example, 2 3 0 1 has the sum 4, so it is
//! even. Its number is (2·3! + 2·2! + 0) / 2 = 8, one of 12.

/// A change of places within a window: place `first + i` takes the thing of place `source[i]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Shuffle {
    /// The first place of the window.
    pub first: usize,
    /// For each place of the window, the place (in the window, too) from which its thing comes.
    pub source: Vec<usize>,
}

impl Shuffle {
    /// The narrowest window around a change of all places, in which place `i` takes the thing of place `source[i]`.
    /// `None` if nothing changes.
    pub fn new(source: &[usize]) -> Option<Self> {
        let first = (0..source.len()).find(|&at| source[at] != at)?;
        let last = (0..source.len()).rfind(|&at| source[at] != at)?;
        Some(Self { first, source: source[first..=last].to_vec() })
    }

    /// The last place of the window.
    pub fn last(&self) -> usize {
        self.first + self.source.len() - 1
    }

    /// The change that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut source = vec![0; self.source.len()];
        for (at, &from) in self.source.iter().enumerate() {
            source[from - self.first] = self.first + at;
        }
        Self { first: self.first, source }
    }

    /// Returns `true` if the change is an odd permutation.
    pub fn is_odd(&self) -> bool {
        let inversions = (0..self.source.len())
            .flat_map(|at| (0..at).map(move |before| (before, at)))
            .filter(|&(before, at)| self.source[before] > self.source[at]);
        inversions.count() % 2 == 1
    }
}

/// The digits of a sequence of distinct numbers.
pub fn digits_of(sequence: &[u8]) -> Vec<usize> {
    (0..sequence.len()).map(|at| sequence[at + 1..].iter().filter(|&&later| later < sequence[at]).count()).collect()
}

/// The sequence that has the given digits.
pub fn sequence_of(digits: &[usize]) -> Vec<u8> {
    let mut rest: Vec<u8> = (0..digits.len() as u8).collect();
    digits.iter().map(|&digit| rest.remove(digit)).collect()
}

/// All sequences of `places` things; or only the even ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequences {
    /// The number of things.
    pub places: usize,
    /// `true` if only even permutations have a number. Then the order of the last two things follows from the others.
    pub even: bool,
}

impl Sequences {
    /// All sequences of `places` things, or only the even ones.
    pub fn new(places: usize, even: bool) -> Self {
        Self { places, even: even && places >= 2 }
    }

    /// The number of values of digit `at`.
    pub fn radix(&self, at: usize) -> usize {
        self.places - at
    }

    /// The number of sequences that have a number.
    pub fn len(&self) -> u64 {
        let all: u64 = (1..=self.places as u64).product();
        if self.even { all / 2 } else { all }
    }

    /// The number of the sequence with the given digits. It is less than [`Self::len`].
    pub fn number(&self, digits: &[usize]) -> u64 {
        let value = (0..self.places).fold(0, |value, at| value * self.radix(at) as u64 + digits[at] as u64);
        if self.even { value / 2 } else { value }
    }

    /// The digits of the sequence that has a number: the inverse of [`Self::number`].
    pub fn digits_of_number(&self, number: u64) -> Vec<usize> {
        let (mut digits, mut value) = (vec![0; self.places], if self.even { number * 2 } else { number });
        for at in (0..self.places).rev() {
            let radix = self.radix(at) as u64;
            digits[at] = (value % radix) as usize;
            value /= radix;
        }
        self.make_even(&mut digits);
        digits
    }

    /// If only even permutations have a number, sets the last digit but one so that the permutation is even.
    fn make_even(&self, digits: &mut [usize]) {
        if self.even {
            let last = self.places - 2;
            digits[last] = digits[..last].iter().sum::<usize>() % 2;
        }
    }

    /// Returns `true` if a sequence has a number. Odd sequences have none if [`Self::even`] is `true`.
    pub fn holds(&self, sequence: &[u8]) -> bool {
        !self.even || digits_of(sequence).iter().sum::<usize>().is_multiple_of(2)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_sequence_has_a_number_of_its_own() {
        for (places, even) in [(1, false), (4, false), (5, true), (6, true), (3, true), (1, true)] {
            let sequences = Sequences::new(places, even);
            let mut seen = std::collections::HashSet::new();
            for number in 0..sequences.len() {
                let digits = sequences.digits_of_number(number);
                assert_eq!(sequences.number(&digits), number);
                let sequence = sequence_of(&digits);
                assert!(sequences.holds(&sequence));
                assert_eq!(digits_of(&sequence), digits);
                assert!(seen.insert(sequence));
            }
            let all: usize = (1..=places).product();
            assert_eq!(seen.len(), if sequences.even { all / 2 } else { all });
        }
    }

    /// Most of these numbers would overflow 32 bits.
    #[test]
    fn numbers_of_sixteen_places_have_64_bits() {
        for even in [false, true] {
            let sequences = Sequences::new(16, even);
            let all = 20_922_789_888_000 / if even { 2 } else { 1 };
            assert_eq!(sequences.len(), all);
            for number in [0, 1, all / 3, all - 1] {
                let digits = sequences.digits_of_number(number);
                assert_eq!(sequences.number(&digits), number);
                assert_eq!(digits_of(&sequence_of(&digits)), digits);
            }
        }
    }

    proptest! {
        #[test]
        fn a_shuffle_changes_the_digits_of_its_window_alone(
            source in (2usize..=7).prop_flat_map(|places| Just((0..places).collect::<Vec<_>>()).prop_shuffle()),
            seed: prop::sample::Index,
        ) {
            let Some(shuffle) = Shuffle::new(&source) else { return Ok(()) };
            prop_assert_eq!(shuffle.inverse().inverse(), shuffle.clone());
            let sequences = Sequences::new(source.len(), false);
            let digits = sequences.digits_of_number(seed.index(sequences.len() as usize) as u64);
            let old = sequence_of(&digits);
            let new: Vec<u8> = source.iter().map(|&from| old[from]).collect();
            for (at, (before, after)) in digits.iter().zip(digits_of(&new)).enumerate() {
                prop_assert!(*before == after || (shuffle.first..=shuffle.last()).contains(&at));
            }
            let sum = |digits: &[usize]| digits.iter().sum::<usize>() % 2 == 1;
            prop_assert_eq!(sum(&digits) != sum(&digits_of(&new)), shuffle.is_odd());
        }
    }
}
