//! Answers about one state: shortest ways to the goal, and values of games, one strategy a file.

mod distances;
mod gather;
mod numbered;
mod path;
mod values;

pub use distances::{Reached, distances, room_beside, unfinished};
pub use gather::gather;
pub use path::{Solution, shortest};
pub use values::{Play, Value, best_moves};

/// What a search found, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched<T> {
    /// What was found.
    pub found: T,
    /// How many states were stored for it; 0 if no search was needed.
    pub states: u64,
}
