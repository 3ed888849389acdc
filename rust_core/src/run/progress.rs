//! How a running search is watched, and stopped.

use std::ops::ControlFlow;

/// Where a search stands.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Progress {
    /// The depth whose states are being expanded.
    pub depth: u64,
    /// How many states that depth has to expand.
    pub frontier: u64,
    /// How many of them have been expanded.
    pub expanded: u64,
    /// How many states were found in all depths that are done.
    pub states: u64,
    /// Bytes of memory that the store holds.
    pub store_bytes: u64,
    /// Seconds since the search began.
    pub seconds: f64,
}

/// Looks at a search every few thousand states, from any thread. `Break` stops the search. This is the one mechanism
/// for progress, budgets, deadlines and interrupts.
pub type Watch<'a> = &'a (dyn Fn(&Progress) -> ControlFlow<()> + Sync);
