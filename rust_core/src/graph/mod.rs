//! The graph of the states that a search has found: the states as numbers, and the moves between them. The modules that
//! use it, such as values and distances, work with the numbers alone. So they do not depend on the width of a packed
//! word, as this module does.
//!
//! For example, take four states with the moves a → b, b → a, b → c and c → d, and let the player to move in d have
//! lost. The states have the numbers 0 to 3. [`Graph::successors`] of all four gives the lists 1 | 0 2 | 3 | nothing,
//! and says that play is over in 3, which is lost.
//!
//! - [`FoundStates`] has all states of a search, depth by depth, in memory or in a job. It makes graphs of all states,
//!   of some tiers, or of one depth beside the next one.
//! - A `Portion` has some states of a depth and their successors, if two depths do not fit the memory.
//! - [`explore`] makes a graph of the states that can follow a given one.
//! - [`Graph`] answers questions about a range of some thousand numbers at a time. A call goes through a pointer, and
//!   the code behind it is compiled for each width of words.
//! - [`ShardGraph`] has states of one shard, which asks the owners of their successors.
//! - [`Edges`] holds the answer of [`Graph::successors`].
//!
//! A number has 64 bits here, so that a graph may be larger than the memory. A graph in memory stores numbers of 32
//! bits.

mod depth_pair;
mod edges;
mod explored;
mod found_states;
mod inquiry;
mod kept_moves;
mod portions;
mod shard_graph;
mod tier_map;
mod word_graph;
mod word_index;
mod word_rules;

use std::ops::Range;

pub use depth_pair::bytes_of_pair;
pub use edges::{Edges, Lists, SuccessorCounts};
pub use explored::{ExploreLimits, Explored, explore};
pub use found_states::{FoundStates, StatesOfWords};
pub use inquiry::{AnsweredCount, Inquiry, InquiryPart, QuestionNumbers};
pub use portions::successors_in;
pub use shard_graph::{Listed, OwnSuccessors, ReadNext, ShardGraph};
pub use tier_map::TierMap;
pub use word_graph::{DepthWords, WordGraph, bytes_of, bytes_of_states};
pub use word_index::WordIndex;
pub use word_rules::WordRules;

use crate::error::Result;
use crate::job::{Job, Kind};
use crate::rules::Symbol;
use crate::run::{Final, Scored};

/// The number of states in one question: enough to make the cost of a call small, and few enough for the answers to
/// stay in the cache.
pub const AT_ONCE: u64 = 1 << 10;

/// Numbered states and the moves between them. Each orbit of states has one number, and its canonical form stands for
/// it.
pub trait Graph: Sync {
    /// The number of players.
    fn players(&self) -> usize;

    /// Returns `true` if a move may keep the turn. If not, turns alternate.
    fn keeps_turns(&self) -> bool;

    /// The player to move in a state.
    fn mover(&self, state: u64) -> usize;

    /// The score of the rules; `None` if they have none. With a score, the values of states are numbers of points.
    fn scored(&self) -> Option<Scored>;

    /// The ranges of the states of each depth. They follow one another, from 0 to the number of states.
    fn depths(&self) -> &[DepthRange];

    /// Finds, for each state of a range, its value for the player to move if play is over there; `None` if play goes
    /// on. Play is also over in a state without a move.
    fn over(&self, states: Range<u64>, found: &mut Vec<Option<Final>>);

    /// Finds a list of successors for each state of a range. All states of the range are of one depth. A successor is
    /// listed once for each move that leads to it.
    fn successors(&self, states: Range<u64>, found: &mut Edges);

    /// Finds, for each state of a range, how many different successors it has. All states of the range are of one
    /// depth. Successors that the graph does not have count, too. This works only if [`FoundStates::undoes_moves`].
    fn different_successors(&self, states: Range<u64>, found: &mut SuccessorCounts);

    /// Finds the number of moves of each state of a range; 0 if play is over.
    fn moves(&self, states: Range<u64>, found: &mut Vec<u32>);

    /// Finds the size of the orbit of each state of a range.
    fn orbits(&self, states: Range<u64>, found: &mut Vec<u64>);

    /// Finds the tier of each state of a range.
    fn tiers(&self, map: &TierMap, states: Range<u64>, found: &mut Vec<u32>);

    /// Finds, for each of the given states, a list of its predecessors in the graph, by undoing moves. Play may be over
    /// in a listed state, so that in fact no move leads on from it. This works only if [`FoundStates::undoes_moves`].
    fn predecessors(&self, states: &[u64], found: &mut Lists);

    /// The one of the given states whose word is the smallest; `None` if `states` is empty.
    fn first(&self, states: &[u64]) -> Option<u64>;

    /// The word of a state, as bytes.
    fn word(&self, state: u64) -> Vec<u8>;

    /// Finds, for each of the given states, which file of its depth has it, and the size of its orbit.
    fn entries(&self, states: &[u64], found: &mut Vec<StateEntry>);

    /// Writes the words of the given states, in order, to the file of one kind of the job's depth that is being
    /// written.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`].
    fn write(&self, states: &[u64], kind: Kind, job: &mut Job) -> Result<()>;

    /// Reads the words of one kind in a depth of a job, and adds their numbers to `found`.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file has changed since it was written, or has a state that the graph does not
    /// have.
    fn read(&self, job: &Job, depth: usize, kind: Kind, found: &mut Vec<u64>) -> Result<()>;
}

/// A graph of the states that can follow a given one, which [`explore`] has made.
pub trait ExploredGraph: Graph + Send {
    /// The number of moves that the graph holds; `None` if it holds none, and finds successors anew for each question.
    fn kept_moves(&self) -> Option<u64>;

    /// Finds the symbols of all cells of each state of a range. The states follow one another in `found`.
    fn cells(&self, states: Range<u64>, found: &mut Vec<Symbol>);

    /// Finds the moves of a state, in the order of the rules. The state is given by the bytes of its word, or of the
    /// word of any of its images.
    fn moves_from(&self, word: &[u8], player: usize, found: &mut Vec<MoveFrom>);
}

/// A move that can be made in a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveFrom {
    /// The number of the move in the rules.
    pub index: usize,
    /// The bytes of the word of the state that the move leads to.
    pub word: Vec<u8>,
    /// The number of the state that the move leads to; `None` if the graph does not have it.
    pub number: Option<u64>,
}

/// The entry of one state in the files of a depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateEntry {
    /// The kind of the state: open, stuck or ended.
    pub kind: Kind,
    /// The outcome if play is over in the state; `None` if it is open.
    pub outcome: Option<usize>,
    /// The size of the state's orbit.
    pub orbit: u64,
}

/// The states of one depth, whose numbers follow one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthRange {
    /// The depth of these states: the fewest moves that lead to them.
    pub depth: usize,
    /// The player to move in these states; 0 if a state itself says whose turn it is.
    pub player: usize,
    /// The numbers of these states in the graph.
    pub states: Range<u64>,
}

impl dyn Graph + '_ {
    /// Returns `true` if a move from one state to another keeps the turn.
    #[inline(always)]
    pub fn keeps_turn(&self, from: u64, to: u64) -> bool {
        self.keeps_turns() && self.mover(from) == self.mover(to)
    }

    /// The number of states in the graph.
    pub fn len(&self) -> u64 {
        self.depths().last().map_or(0, |last| last.states.end)
    }

    /// Cuts a range of states into blocks, each of at most [`AT_ONCE`] states of one depth.
    pub fn blocks(&self, states: &Range<u64>) -> Vec<Range<u64>> {
        // A graph of many tiers has as many ranges as there are pairs of a tier and a depth. So only the ranges that
        // meet the given one are looked at.
        let first = self.depths().partition_point(|of_depth| of_depth.states.end <= states.start);
        let of_depths = self.depths()[first..].iter().take_while(|of_depth| of_depth.states.start < states.end);
        let mut blocks = Vec::new();
        for of_depth in of_depths {
            let end = of_depth.states.end.min(states.end);
            let mut begin = of_depth.states.start.max(states.start);
            while begin < end {
                blocks.push(begin..end.min(begin + AT_ONCE));
                begin += AT_ONCE;
            }
        }
        blocks
    }
}
