//! What searches for one state tell: the moves, or why there are none, and what is proven.

/// The result of looking for a solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Solution {
    /// The moves of a solution, by their places in the rules, and whether there is no shorter one.
    Moves(Vec<usize>, bool),
    /// No moves lead to the goal.
    Unreachable,
    /// The budget of states or bytes is used up, and no solution was found.
    Full,
    /// The watch stopped the search.
    Stopped,
}

/// What is proven of a state, bound by bound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proof {
    /// Fewer moves than this do not solve the state.
    pub lower_bound: u32,
    /// For each bound that was searched to its end, or until a solution was found: how many states were searched.
    pub searched: Vec<(u32, u64)>,
}

/// How the fewest moves were looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Technique {
    /// Linear algebra, or the group of the moves.
    Algebra,
    /// A breadth-first search from both ends, or only from the state.
    BothEnds,
    /// Iterative deepening, cut off by lower bounds.
    Deepening,
    /// A search that keeps the most promising states of each depth, and makes its answer shorter.
    Shortening,
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
