//! What every perfect index offers: how many numbers it has, the number of a state, and the state of a number.

use super::cut::Cut;
use crate::rules::Symbol;

/// A perfect index: each state that moves may lead to has a number, and no two have the same.
///
/// Some numbers may belong to states that no moves lead to from the start: an index of boards of three crosses and two
/// noughts numbers also those on which a player went on after the game was won.
pub trait Index: Send + Sync {
    /// How many numbers there are: from 0 to one less.
    fn len(&self) -> u64;

    /// The number of a state; `None` if it has none.
    fn rank(&self, state: &[Symbol]) -> Option<u64>;

    /// The state of a number below [`Self::len`].
    fn unrank(&self, number: u64) -> Vec<Symbol>;

    /// How the dense store cuts the index into blocks, and in which order cells are read: with the rules, it says all
    /// that there is to know of an index.
    fn cut(&self) -> Cut;
}
