//! Answers about one state: shortest ways to the goal, and values of games, one strategy a file.

mod bounded;
mod clock;
mod deepening;
mod gather;
mod numbered;
mod path;
mod patterns;
mod values;

pub use bounded::Deepening;
pub use deepening::Proof;
pub use gather::gather;
pub use path::{Solution, shortest};
pub use values::{Play, Value, best_moves};

/// How the fewest moves were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Technique {
    /// Linear algebra, or the group of the moves.
    Algebra,
    /// A breadth-first search from both ends, or only from the state.
    BothEnds,
    /// Iterative deepening, cut off by lower bounds.
    Deepening,
}

/// What is known of a state after looking for the fewest moves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solved {
    /// The moves, or why there are none.
    pub solution: Solution,
    /// What found them, or proved most.
    pub technique: Technique,
    /// How many states were stored.
    pub states: u64,
    /// What iterative deepening has proven, or what follows from the depths of the search from both ends.
    pub proof: Proof,
}

/// What a search found, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched<T> {
    /// What was found.
    pub found: T,
    /// How many states were stored for it; 0 if no search was needed.
    pub states: u64,
}
