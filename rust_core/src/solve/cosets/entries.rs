//! The meaning of the four bits of an entry of a table.
//!
//! There are two forms. Without parities, an entry is the value of one abstract state, plus one; 0 means that no value
//! is set. With parities (see `parity.rs`), an entry is the values of two abstract states that look alike, one even and
//! one odd. Some odd move keeps the colours of the goal, so the two values differ by one at most: the solution of the
//! one, and that move after it, solves the other. So it is enough to know the smaller value, and which of the two
//! states has it. This takes two bits for the value and one bit for each state:
//!
//! | the four bits | the smaller value, if the table is filled to depth 10 |
//! |---|---|
//! | `11` and the states that have it: `01` even, `10` odd, `11` both | 10 |
//! | `10` and the states that have it | 9 |
//! | `01` and the states that have it | 8 |
//! | `00` and the states that have it | 7 |
//! | `01 00` | 6, and the states that have it are forgotten |
//! | `10 00` | 5 |
//! | `11 00` | 4 or less |
//! | `00 00` | 11 or more |
//!
//! Few states are near the goal, so little is lost with what is forgotten of them. While a table is filled, each depth
//! makes all entries *older* by one: what was the row for 10 is then that for 9.

use std::array::from_fn;

/// The value that stands for "no moves lead from this abstract state to the goal".
pub const NEVER: u8 = u8::MAX;

/// The number of entries in a word.
pub const IN_WORD: usize = 16;

/// A mask of the lowest bit of each entry of a word.
pub const LOW: u64 = 0x1111_1111_1111_1111;

/// The lower bounds that an entry gives for a state, on the number of moves to a state that has the colours of the
/// goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryValues {
    /// The moves to such a state that has the parity of the goal, too.
    pub same: u8,
    /// The moves to such a state that has the other parity. Without parities, it is the same number.
    pub other: u8,
}

/// For even states and for odd states: what each of the 16 codes says about them.
pub type Meanings = [[EntryValues; 16]; 2];

/// The form of the entries of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryForm {
    /// One value.
    Single,
    /// The values of an even and an odd state.
    Pair,
}

impl EntryForm {
    /// The number of abstract states for which an entry has the value.
    pub fn states(self) -> u64 {
        match self {
            Self::Single => 1,
            Self::Pair => 2,
        }
    }

    /// The largest value to which a table is filled. Four bits hold the values 0 to 14, and the code for no value.
    /// Pairs forget small values, so only the bytes in which values are told are a limit.
    pub fn largest(self) -> u8 {
        match self {
            Self::Single => 14,
            Self::Pair => NEVER - 5, // `meanings` adds up to three to it, in a byte
        }
    }

    /// The meaning of the codes of a table that is filled to the depth `last`. `unset` is the value of states without
    /// an entry.
    pub fn meanings(self, last: u8, unset: u8) -> Meanings {
        let known = |value: u8, states: u8| EntryValues {
            same: value + u8::from(states & 1 == 0),
            other: value + u8::from(states & 2 == 0),
        };
        let meaning = |code: u8| match (self, code, code & 3) {
            (_, 0, _) => known(unset, 3),
            (Self::Single, ..) => known(code - 1, 3),
            (Self::Pair, 12, _) => known(0, 3),
            (Self::Pair, _, 0) => known(last.saturating_sub(3 + code / 4), 3),
            (Self::Pair, _, states) => known((last + code / 4).saturating_sub(3), states),
        };
        // The first value of an entry is that of its even state. For an even state it is the value of the goal's
        // parity, and for an odd one that of the other parity.
        let swapped = |EntryValues { same, other }| EntryValues { same: other, other: same };
        [from_fn(|code| meaning(code as u8)), from_fn(|code| swapped(meaning(code as u8)))]
    }

    /// The states of a word that have the value `depth` and whose predecessors may learn from it: the entries of the
    /// even ones and of the odd ones, as the lowest bit of each entry. The word is filled to that depth.
    ///
    /// Say that the even state of an entry has the value `depth - 1`, so that of the odd one follows: it is left out.
    /// Its predecessor P has an entry with a state P' of the other parity, from which the same move leads to the even
    /// state. So P' has the value `depth` or less, and it follows that P has `depth + 1` or less.
    #[inline(always)]
    pub fn of_depth(self, word: u64, depth: u8) -> [u64; 2] {
        if self == Self::Single {
            return [has_code(word, depth + 1), 0];
        }
        // The table has been made older for the next depth.
        let of_it = word >> 3 & !(word >> 2) & LOW;
        [of_it & word, of_it & word >> 1]
    }

    /// The number of states of a word that have the value `depth + 1` because the other state of their entry has the
    /// value `depth`.
    #[inline(always)]
    pub fn implied(self, word: u64) -> u64 {
        let of_it = word >> 3 & !(word >> 2) & LOW;
        let one = (word ^ word >> 1) & of_it;
        if self == Self::Single { 0 } else { one.count_ones().into() }
    }

    /// The bits that give the value `depth` to those marked states of a word that have none. A mark is the lowest bit
    /// of an entry, or the next one for its odd state.
    #[inline(always)]
    pub fn additions(self, word: u64, marks: u64, depth: u8) -> u64 {
        if self == Self::Single {
            return (has_code(word, 0) & marks) * u64::from(depth + 1);
        }
        let newest = word >> 3 & word >> 2 & (word | word >> 1) & LOW;
        let open = has_code(word, 0) | newest;
        let new = marks & (open | open << 1) & !word;
        let entries = (new | new >> 1) & LOW;
        new | entries << 2 | entries << 3
    }

    /// The number of states of a word that get a value by `additions`, if the word was `known` before.
    #[inline(always)]
    pub fn added(self, known: u64, additions: u64) -> u64 {
        match self {
            Self::Single => (has_code(known, 0) & !has_code(additions, 0)).count_ones().into(),
            Self::Pair => (additions & !known & (LOW | LOW << 1)).count_ones().into(),
        }
    }
}

/// The entries of a word that are `code`: the lowest bit of each.
#[inline(always)]
pub fn has_code(word: u64, code: u8) -> u64 {
    let mut other = word ^ (LOW * u64::from(code));
    other |= other >> 1;
    !(other | other >> 2) & LOW
}

/// Makes the pairs of a word older by one depth.
#[inline(always)]
pub fn older(word: u64) -> u64 {
    let (states, low, high) = (word & (LOW | LOW << 1), word >> 2 & LOW, word >> 3 & LOW);
    let told = (states | states >> 1) & LOW;
    let oldest = told & !low & !high;
    let kept = states & !(oldest | oldest << 1);
    let new_low = told & high & !low | oldest | !told & high;
    let new_high = told & high & low | !told & (high | low);
    kept | (new_low & LOW) << 2 | (new_high & LOW) << 3
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The code of the entry `at` of a word.
    fn code(word: u64, at: usize) -> u8 {
        (word >> (at * 4) & 15) as u8
    }

    /// The values of the even and the odd state of a pair in a table that is filled to the depth `last`. `None` if a
    /// value is larger.
    fn pair(code: u8, last: u8) -> [Option<u8>; 2] {
        let EntryValues { same, other } = EntryForm::Pair.meanings(last, NEVER)[0][usize::from(code)];
        [same, other].map(|value| (value <= last).then_some(value))
    }

    proptest! {
        #[test]
        fn an_older_pair_has_its_values_until_they_are_forgotten(word in any::<u64>(), last in 8u8..100) {
            let after = older(word);
            for at in 0..IN_WORD {
                let meaning = |word, last| EntryForm::Pair.meanings(last, last + 1)[0][usize::from(code(word, at))];
                let (before, after) = (meaning(word, last), meaning(after, last + 1));
                let least = before.same.min(before.other);
                // The smaller value stays. Which state has it is forgotten when it is four less than the depth.
                let expected = match code(word, at) {
                    0 => EntryValues { same: last + 2, other: last + 2 },
                    _ if least + 3 > last => before,
                    _ if least + 5 > last => EntryValues { same: least, other: least },
                    _ => EntryValues { same: 0, other: 0 },
                };
                prop_assert_eq!(after, expected);
            }
        }

        #[test]
        fn marked_states_without_a_value_get_the_next_one(
            word in any::<u64>(), marks in any::<u64>(), depth in 8u8..100,
        ) {
            let marks = marks & (LOW | LOW << 1);
            // No state has the next value before the first is given it.
            let word = older(word);
            let before = EntryForm::Pair.of_depth(word, depth);
            let (additions, mut added, mut implied) = (EntryForm::Pair.additions(word, marks, depth + 1), 0, 0);
            for at in 0..IN_WORD {
                let (known, filled) = (pair(code(word, at), depth + 1), pair(code(word | additions, at), depth + 1));
                let one = known.iter().flatten().count() == 2 && known.contains(&Some(depth));
                let follows = known.contains(&Some(depth - 1));
                for (state, (known, filled)) in known.into_iter().zip(filled).enumerate() {
                    let marked = marks >> (at * 4 + state) & 1 == 1;
                    prop_assert_eq!(before[state] >> (at * 4) & 1 == 1, known == Some(depth) && !follows);
                    implied += u64::from(one && known == Some(depth + 1));
                    added += u64::from(known.is_none() && marked);
                    prop_assert_eq!(filled, known.or(marked.then_some(depth + 1)));
                }
            }
            prop_assert_eq!(EntryForm::Pair.implied(word), implied);
            prop_assert_eq!(EntryForm::Pair.added(word, additions), added);
        }

        #[test]
        fn single_values_are_set_once(
            word in any::<u64>(), marks in any::<u64>(), value in 0u8..=EntryForm::Single.largest(),
        ) {
            let marks = marks & LOW;
            let additions = EntryForm::Single.additions(word, marks, value);
            let mut added = 0;
            for at in 0..IN_WORD {
                let open = code(word, at) == 0 && marks >> (at * 4) & 1 == 1;
                added += u64::from(open);
                prop_assert_eq!(code(word | additions, at), if open { value + 1 } else { code(word, at) });
                prop_assert_eq!(has_code(word, value) >> (at * 4) & 1 == 1, code(word, at) == value);
            }
            prop_assert_eq!(EntryForm::Single.added(word, additions), added);
            prop_assert_eq!(EntryForm::Single.of_depth(word, value), [has_code(word, value + 1), 0]);
        }
    }
}
