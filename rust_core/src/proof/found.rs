//! What is claimed of a whole run, and what a proof finds.

/// The claims of a job about the whole run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// `true` if all states are there.
    pub complete: bool,
    /// `true` if depths are moves to the goal.
    pub backward: bool,
    /// For each depth the states, and those with symmetric ones counted apart.
    pub counts: Vec<(u64, u64)>,
    /// How many states of play cannot be solved, if the run counts backward over what play reaches.
    pub unsolvable: Option<u64>,
}

/// The number of states that were proven, of those that they stand for, of moves followed, and of values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProvenClaims {
    pub states: u64,
    pub raw_states: u64,
    pub moves: u64,
    pub values: u64,
}

/// The reason why a job is not proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// A claim is false.
    Wrong(String),
    /// A claim cannot be proven, whether or not it is true.
    Unproven(String),
    /// The watch stopped the proof.
    Stopped,
}
