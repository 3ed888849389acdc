//! The trait of every perfect index: its length, the number of a state, and the state with a number.

use super::cut::Cut;
use crate::rules::Symbol;

/// A perfect index: each state that moves can reach has a number, and no two states have the same number.
///
/// Some numbers may belong to states that no moves reach from the start. For example, an index of boards with three
/// crosses and two noughts also numbers boards on which a player went on after the game was won.
pub trait Index: Send + Sync {
    /// The length of the range of numbers, which begins at 0.
    fn len(&self) -> u64;

    /// The number of a state; `None` if the state has none.
    fn rank(&self, state: &[Symbol]) -> Option<u64>;

    /// The state with a number below [`Self::len`].
    fn unrank(&self, number: u64) -> Vec<Symbol>;

    /// The cut of the index into blocks, and the order in which cells are read. The cut and the rules together
    /// determine the index.
    fn cut(&self) -> Cut;
}
