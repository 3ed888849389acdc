//! The answers of searches for one state: the moves, or the reason why there are none, and the proof.

use crate::job::TableCache;
use crate::run::Budget;

/// The result of looking for a solution.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Solution {
    /// The moves of a solution, by their places in the rules, and `true` if it is proven that no shorter one exists.
    Moves(Vec<usize>, bool),
    /// No moves lead to the goal.
    Unreachable,
    /// The budget of states or bytes is used up, and no solution was found.
    Full,
    /// The watch stopped the search.
    Stopped,
}

/// The lower bound that is proven for a state, and the searches that have proven it, one for each bound.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Proof {
    /// No solution has fewer moves than this number.
    pub lower_bound: u32,
    /// The bounds that were searched to their end, or until a solution was found. Each comes with the number of states
    /// that its search visited.
    pub searched: Vec<(u32, u64)>,
    /// The number of states in each subtree of the last bound, in the order of the rules. Empty if it is not known. The
    /// search for the next bound begins with the subtrees that had most.
    pub subtrees: Vec<u64>,
}

impl Proof {
    /// The number of states that were searched for all bounds.
    pub fn states(&self) -> u64 {
        self.searched.iter().map(|&(_, states)| states).sum()
    }
}

/// The technique that looked for the fewest moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Technique {
    /// Linear equations of the moves, or the permutation group that the moves generate.
    Algebra,
    /// A breadth-first search from the state and from the goal, or only from the state.
    BothEnds,
    /// Iterative deepening, cut off by lower bounds.
    Deepening,
    /// A beam search: it keeps the most promising states of each depth, and then makes the answers that it finds
    /// shorter.
    Shortening,
    /// A search through a chain of subgroups of the moves.
    Phases,
    /// Short sequences of moves, each of which brings one more cell home.
    Words,
    /// In a game, retrograde analysis of all positions that can follow.
    Retrograde,
    /// In a game, alpha-beta search.
    AlphaBeta,
    /// In a game, a short look ahead, after a limit has ended the search of all positions that can follow.
    LookAhead,
}

/// The result of looking for the fewest moves from a state to the goal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Solved {
    /// The moves, or why there are none.
    pub solution: Solution,
    /// The technique that found the moves, or proved most about them.
    pub technique: Technique,
    /// The number of states that were stored.
    pub states: u64,
    /// The proof of iterative deepening; or the proof that follows from the depths of the search from both ends.
    pub proof: Proof,
}

impl Solved {
    /// The answer of a search from both ends, which has all states of so many depths of both halves together.
    pub fn by_both_ends(solution: Solution, depths: u32, states: u64) -> Self {
        let lower_bound = match &solution {
            Solution::Moves(moves, _) => moves.len() as u32,
            // The halves have no state in common. So a solution has at least one move more than their depths together.
            _ => depths + 1,
        };
        let proof = Proof { lower_bound, ..Proof::default() };
        Self { solution, technique: Technique::BothEnds, states, proof }
    }
}

/// The solutions that a search for all of them found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Every {
    /// Each solution: moves by their places in the rules. Solutions are in the order of their moves.
    pub solutions: Vec<Vec<usize>>,
    /// `true` if these are all solutions; `false` if there are more than were asked for.
    pub complete: bool,
}

/// A question about the solution of a state.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The states and bytes that may be stored.
    pub budget: Budget,
    /// The time for the search, if it is limited. The search only divides this time among its strategies; the watch
    /// stops it.
    pub seconds: Option<f64>,
    /// Moves that lead to the goal, by their places in the rules, if some are known.
    pub first: Option<Vec<usize>>,
    /// The folder of tables that are kept from run to run, if there is one.
    pub cache: Option<TableCache>,
}

/// A limit that kept an answer from being found, or from being proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The most states that may be stored were stored.
    States,
    /// The bytes that stored states may take were used up.
    Memory,
    /// The time that was given for the search is over.
    Seconds,
    /// No time was given, and the search reached its own limit of states, or had nothing left to try.
    Searched,
    /// The watch stopped the search.
    Watch,
}

impl Limit {
    /// The limit that ended a search whose budget is used up. It is [`Limit::States`] if at least half of the allowed
    /// states are stored, and otherwise [`Limit::Memory`].
    pub fn of_budget(budget: Budget, stored: u64) -> Self {
        if stored.saturating_mul(2) >= budget.states as u64 { Self::States } else { Self::Memory }
    }
}

/// The answer for a state.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The moves, or why there are none.
    pub solved: Solved,
    /// The limit that prevented a proof; `None` if the answer is proven.
    pub limit: Option<Limit>,
}

/// The length of the shortest solutions of a state, which is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProvenLength {
    /// The fewest moves that solve the state.
    pub length: usize,
    /// The technique that has proven the length.
    pub technique: Technique,
}
