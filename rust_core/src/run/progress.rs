//! The progress of a running search, and the watch that may stop it.

use std::ops::ControlFlow;

/// The progress of a search.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// The depth whose states are being expanded.
    pub depth: u64,
    /// The number of states in that depth.
    pub frontier: u64,
    /// The number of states of that depth that have been expanded.
    pub expanded: u64,
    /// The number of states found in all completed depths.
    pub states: u64,
    /// Bytes of memory that the store holds.
    pub store_bytes: u64,
    /// Seconds since the search began.
    pub seconds: f64,
    /// In a search for the fewest moves: the length of the shortest solution so far, or 0 if there is none yet.
    pub at_most: u32,
    /// In a search for the fewest moves: the number of moves that every solution needs, as far as it is proven.
    pub at_least: u32,
    /// In a search for the values of states that were counted before: the number of these states, or 0 in any other
    /// search. `depth` is then a step of the search, and `states` the number of states whose values are known.
    pub wanted: u64,
    /// `true` as long as a search only does again what an earlier run has done. If it is stopped, nothing new is kept.
    pub again: bool,
}

/// A function that is called every few thousand states, from any thread. If it returns `Break`, the search stops. This
/// is the one mechanism for progress, budgets, deadlines and interrupts.
pub type Watch<'a> = &'a (dyn Fn(&Progress) -> ControlFlow<()> + Sync);
