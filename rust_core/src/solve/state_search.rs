//! The searches over packed words that the plan for one answer needs, for any width of words.

use super::answer::Solved;
use crate::error::Result;
use crate::graph::{ExploreLimits, Explored};
use crate::rules::Symbol;
use crate::run::{Budget, Watch};

/// Searches that store states. A state is given by the symbols of all its cells.
pub trait StateSearch: Sync {
    /// The fewest moves to the goal, by breadth-first search from both ends. With `first`, once that many states are
    /// stored, the search goes on only while a half closes: it finds fewer and fewer states, so it will soon have found
    /// all.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Options`] if threads cannot be started.
    fn both_ends(&self, cells: &[Symbol], first: Option<usize>, budget: Budget, watch: Watch) -> Result<Solved>;

    /// The states that follow a state, not up to symmetry, and the bytes of its word.
    fn explore(&self, cells: &[Symbol], limits: &ExploreLimits, watch: Watch) -> (Explored, Vec<u8>);
}
