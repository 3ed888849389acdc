//! The states of dials that a symmetry fixes, and how many of them a depth has.
//!
//! A symmetry fixes the start and carries moves onto moves, so the vectors of the states that it fixes are a space. For
//! lamps, its numbers are the sums of a basis, and are gone through anew for each depth. For other dials they are
//! listed once.

use crate::dense::swept::BitWord;
use crate::index::{DialIndex, Index};
use crate::rules::Symmetry;
use crate::run::parallel;
use crate::structure::add_times;

/// The most states that all symmetries together may fix, if they are listed; symmetries that fix every state are not
/// counted.
const MOST_LISTED: u64 = 1 << 22;

/// The states that a symmetry fixes.
#[derive(Debug)]
pub(super) enum FixedStates {
    /// The symmetry fixes all states.
    All,
    /// The symmetry fixes the states with these numbers.
    Listed(Vec<u64>),
    /// The symmetry fixes the states whose numbers are sums (exclusive ors) of these numbers.
    Sums(Vec<u64>),
}

impl FixedStates {
    /// For each symmetry but the identity, the states that it fixes. `None` if these are too many, or if a symmetry is
    /// not linear.
    pub fn of_symmetries(index: &DialIndex, symmetries: &[Symmetry]) -> Option<Vec<Self>> {
        // All fixed states are looked up in each depth. Those of lamps may be many, but if that would take much longer
        // than finding the depth, the rules get no such index.
        let mut left = if index.are_lamps() { index.len() / 4 + (1 << 20) } else { MOST_LISTED };
        let of = |symmetry: &Symmetry| {
            let basis = index.fixed(symmetry)?;
            if basis.len() == index.digits() {
                return Some(Self::All);
            }
            left = left.checked_sub(u64::from(index.modulus()).pow(basis.len() as u32))?;
            if index.are_lamps() {
                return Some(Self::Sums(by_highest(basis.iter().map(|digits| index.number(digits)))));
            }
            let mut numbers = vec![0];
            add_sums(index, &basis, &mut vec![0; index.digits()], &mut numbers);
            numbers.sort_unstable();
            Some(Self::Listed(numbers))
        };
        symmetries[1..].iter().map(of).collect()
    }

    /// The number of fixed states whose bit is set in `values`. `states` is the number of all set bits, and
    /// `word_states` the number of states of a word.
    pub fn count<W: BitWord>(&self, values: &[W], states: u64, word_states: u64) -> u64 {
        match self {
            Self::All => states,
            Self::Listed(numbers) => {
                let bit = |&number: &u64| values[(number / word_states) as usize].bit(number % word_states);
                numbers.iter().map(bit).sum()
            }
            // The states of a word of lamps are a power of two.
            Self::Sums(numbers) => {
                let (bits, mask) = (word_states.trailing_zeros(), word_states - 1);
                count_sums(
                    numbers,
                    #[inline(always)]
                    |number| values[(number >> bits) as usize].bit(number & mask),
                )
            }
        }
    }

    /// The bytes that a list takes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Listed(numbers) => 8 * numbers.len() as u64,
            Self::All | Self::Sums(_) => 0,
        }
    }
}

/// Adds to `numbers` the number of each sum of `digits` and a vector that the basis spans, except that of `digits`
/// itself. The function calls itself once for each vector of the basis, at most 22 times, because at most
/// [`MOST_LISTED`] sums are listed.
fn add_sums(index: &DialIndex, basis: &[Vec<u8>], digits: &mut Vec<u8>, numbers: &mut Vec<u64>) {
    let Some((first, rest)) = basis.split_first() else { return };
    for factor in 0..index.modulus() {
        if factor > 0 {
            numbers.push(index.number(digits));
        }
        add_sums(index, rest, digits, numbers);
        add_times(digits, first, 1, index.modulus());
    }
}

/// Takes all sums (exclusive ors) of the given numbers, and adds up what `bit` returns for each.
fn count_sums(numbers: &[u64], bit: impl Fn(u64) -> u64 + Sync) -> u64 {
    // In Gray code order, each sum differs from the one before it by one number. Each task has one sum of the last
    // numbers, and goes through all sums of the first ones.
    let (few, many) = numbers.split_at(numbers.len().min(16));
    let begin = |part: u64| (0..many.len()).filter(|at| part >> at & 1 != 0).fold(0, |sum, at| sum ^ many[at]);
    let counts = parallel::map(1 << many.len(), 1, |part| {
        let mut number = begin(part.start as u64);
        let mut count = bit(number);
        for step in 1..1u64 << few.len() {
            number ^= few[step.trailing_zeros() as usize];
            count += bit(number);
        }
        count
    });
    counts.into_iter().sum()
}

/// Another basis of the sums of the given numbers, the smallest number first, in which no two numbers have the same
/// highest bit. With it, sums of the first numbers lie close to each other in memory.
fn by_highest(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut reduced: Vec<u64> = Vec::new();
    for mut number in numbers {
        // Going down from the highest number, each number clears its own highest bit in the new number.
        for &other in reduced.iter().rev() {
            number = number.min(number ^ other);
        }
        let at = reduced.partition_point(|&other| other < number);
        reduced.insert(at, number);
    }
    reduced
}
