//! The searches over packed words that the plan for one answer needs, for any width of words.

use super::answer::Solved;
use crate::error::Result;
use crate::rules::Symbol;
use crate::run::{Budget, Watch};

/// Searches that store states, and steps from one state to the next. A state is given by the symbols of all its cells.
pub trait StateSearch: Sync {
    /// The fewest moves to the goal, by breadth-first search from both ends. With `first`, once that many states are
    /// stored, the search goes on only while a half closes: it finds fewer and fewer states, so it will soon have found
    /// all.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Options`] if threads cannot be started.
    fn both_ends(&self, cells: &[Symbol], first: Option<usize>, budget: Budget, watch: Watch) -> Result<Solved>;

    /// Calls `found` with each move that can be made, by its place in the rules, and the state after it.
    fn each_successor(&self, cells: &[Symbol], found: &mut dyn FnMut(usize, Vec<Symbol>));

    /// `true` if a state satisfies the goal.
    fn is_solved(&self, cells: &[Symbol]) -> bool;
}
