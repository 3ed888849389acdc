//! What every perfect index offers: how many numbers it has, the number of a state, and the state of a number.

use super::cut::Cut;
use crate::rules::Symbol;

/// A perfect index: each state that moves can lead to has a number, and no two states have the same number.
///
/// Some numbers may belong to states that no moves lead to from the start. For example, an index of boards with three
/// crosses and two noughts also numbers boards on which a player went on after the game was won.
pub trait Index: Send + Sync {
    /// How many numbers there are. They begin at 0.
    fn len(&self) -> u64;

    /// The number of a state; `None` if it has none.
    fn rank(&self, state: &[Symbol]) -> Option<u64>;

    /// The state of a number below [`Self::len`].
    fn unrank(&self, number: u64) -> Vec<Symbol>;

    /// How the dense store cuts the index into blocks, and in which order cells are read. The cut and the rules
    /// together determine the index.
    fn cut(&self) -> Cut;
}
