//! The searches over packed words that a solver calls, behind a trait that hides the width of words.

use super::answer::Solved;
use crate::error::Result;
use crate::graph::{ExploreLimits, Explored};
use crate::rules::Symbol;
use crate::run::{Budget, Watch};

/// Searches that store states. A state is given by the symbols of all its cells.
pub trait StateSearch: Sync {
    /// The fewest moves to the goal, by breadth-first search from both ends. With `first`, once that many states are
    /// stored, the search goes on only while a half closes: its last depth has no more states than the one before, so
    /// it will soon have found all its states.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Options`] if threads cannot be started.
    fn both_ends(&self, cells: &[Symbol], first: Option<usize>, budget: Budget, watch: Watch) -> Result<Solved>;

    /// The states that follow a state, not up to symmetry, and the bytes of its word.
    fn explore(&self, cells: &[Symbol], limits: &ExploreLimits, watch: Watch) -> (Explored, Vec<u8>);
}
