//! The claims of a job about a whole run, and the result of a proof.

/// The claims of a job about the whole run.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// `true` if the job claims to have all states.
    pub complete: bool,
    /// `true` if the depth of a state is its number of moves to the goal.
    pub backward: bool,
    /// For each depth, the number of states up to symmetry, and the number of raw states.
    pub counts: Vec<(u64, u64)>,
    /// If the run counts backward over the states that play reaches: how many of these cannot be solved, as a pair of
    /// numbers like those of a depth. `None` if it counts back from a goal state, or does not count backward.
    pub unsolvable: Option<(u64, u64)>,
}

impl Run {
    /// `true` if the run counts back from a goal state, where it does not look whether play ends.
    pub fn is_from_goal(&self) -> bool {
        self.backward && self.unsolvable.is_none()
    }
}

/// The numbers of proven claims: of states up to symmetry, of raw states, of moves that were made, and of values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProvenClaims {
    pub states: u64,
    pub raw_states: u64,
    pub moves: u64,
    pub values: u64,
}

/// The reason why the claims of a job are not proven.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// A claim is false.
    Wrong(String),
    /// A claim cannot be proven. It may be true or false.
    Unproven(String),
    /// The watch stopped the proof.
    Stopped,
}
