//! The states that a search has found, as numbers, and the moves between them. The rooms above, such as values and
//! distances, work with numbers alone: this is the last room that depends on the width of a packed word.
//!
//! Take four states, a → b, b → a, b → c and c → d, with the numbers 0 to 3, and let the player to move in d have lost.
//! Then [`Graph::successors`] of all of them are the lists 1 | 0 2 | 3 | nothing, and play is over in 3, which is lost.
//!
//! * [`FoundStates`] are all states of a search by depth, in memory or in a job. Graphs are made of them: of all
//!   states, of some tiers, or of one depth beside the next one.
//! * [`explore`] makes a graph of the states that can follow a given one.
//! * [`Graph`] answers for a range of numbers at a time, some thousand states. A call costs a jump through a pointer,
//!   and the code behind it is compiled for each width of words.
//! * [`Edges`] has the results of such a call.
//!
//! Numbers have 64 bits here, so that a graph may be larger than the memory. Those in memory have 32 inside.

mod depth_pair;
mod edges;
mod explored;
mod found_states;
mod kept_moves;
mod tier_map;
mod word_graph;
mod word_index;
mod word_rules;

use std::ops::Range;

pub use depth_pair::bytes_of_pair;
pub use edges::{Edges, Lists};
pub use explored::{ExploreLimits, Explored, explore};
pub use found_states::{FoundStates, StatesOfWords};
pub use tier_map::TierMap;
pub use word_graph::{DepthWords, WordGraph, bytes_of, bytes_of_states};
pub use word_index::WordIndex;
pub use word_rules::WordRules;

use crate::error::Result;
use crate::job::{Job, Kind};
use crate::rules::Symbol;
use crate::run::{Final, Scored};

/// The number of states that are asked for at a time: enough to make the cost of a call small, and few enough for the
/// results to stay in the cache.
pub const AT_ONCE: u64 = 1 << 10;

/// States with numbers, each once up to symmetry, and the moves between them.
pub trait Graph: Sync {
    /// The number of players.
    fn players(&self) -> usize;

    /// The score of the rules, if they have one. Then values are numbers of points.
    fn scored(&self) -> Option<Scored>;

    /// The states by their depths: ranges that follow each other, from 0 to the number of states.
    fn depths(&self) -> &[DepthRange];

    /// Finds, for each state of a range, its value for the player to move if play is over; `None` if it is not. A state
    /// without a move is over, too.
    fn over(&self, states: Range<u64>, found: &mut Vec<Option<Final>>);

    /// Finds the successors of the states of a range, which are of one depth: a list for each. Several moves may lead
    /// to one state; then it comes several times.
    fn successors(&self, states: Range<u64>, found: &mut Edges);

    /// Finds the number of moves of each state of a range; 0 if play is over.
    fn moves(&self, states: Range<u64>, found: &mut Vec<u32>);

    /// Finds the number of different images of each state of a range.
    fn orbits(&self, states: Range<u64>, found: &mut Vec<u64>);

    /// The tier of each state of a range.
    fn tiers(&self, map: &TierMap, states: Range<u64>, found: &mut Vec<u32>);

    /// Finds the states of the graph from which moves lead to given ones, by undoing moves: a list for each. Play may
    /// be over in some of them, so that no move leads on from there. Only if [`FoundStates::undoes_moves`].
    fn predecessors(&self, states: &[u64], found: &mut Lists);

    /// The one of some states that comes first by its symbols; `None` if there are none.
    fn first(&self, states: &[u64]) -> Option<u64>;

    /// The bytes of the word of a state.
    fn word(&self, state: u64) -> Vec<u8>;

    /// Finds for each of some states the file of its depth that has it, and the number of its different images.
    fn entries(&self, states: &[u64], found: &mut Vec<StateEntry>);

    /// Writes states as words of a kind to the depth of a job that is not done yet, in order of their words.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`].
    fn write(&self, states: &[u64], kind: Kind, job: &mut Job) -> Result<()>;

    /// Reads the words of a kind that a depth of a job has, and adds their numbers.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file has changed since it was written, or has a state that the graph does not
    /// have.
    fn read(&self, job: &Job, depth: usize, kind: Kind, found: &mut Vec<u64>) -> Result<()>;
}

/// States that can follow a given one, and the moves between them.
pub trait ExploredGraph: Graph + Send {
    /// The number of moves that are kept; `None` if they are not, because they can be undone.
    fn kept_moves(&self) -> Option<u64>;

    /// Finds the symbols of all cells of the states of a range, one after the other.
    fn cells(&self, states: Range<u64>, found: &mut Vec<Symbol>);

    /// Finds the moves of a state, which is given by the bytes of any image of its word, in order of the moves.
    fn moves_from(&self, word: &[u8], player: usize, found: &mut Vec<MoveFrom>);
}

/// A move of a state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveFrom {
    /// Its place in the rules.
    pub index: usize,
    /// The bytes of the word of the state after it.
    pub word: Vec<u8>,
    /// The number of that state; `None` if the graph does not have it.
    pub number: Option<u64>,
}

/// The entry of a state in the files of its depth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StateEntry {
    /// Open, without a move, or ended.
    pub kind: Kind,
    /// The outcome, if play is over.
    pub outcome: Option<usize>,
    /// The number of its different images.
    pub orbit: u64,
}

/// States of one depth, which have numbers that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DepthRange {
    /// The number of moves that led to them.
    pub depth: usize,
    /// The player to move.
    pub player: usize,
    /// Their numbers.
    pub states: Range<u64>,
}

impl dyn Graph + '_ {
    /// The number of states.
    pub fn len(&self) -> u64 {
        self.depths().last().map_or(0, |last| last.states.end)
    }

    /// Parts of a range of states, each of one depth and of [`AT_ONCE`] states at the most.
    pub fn blocks(&self, states: &Range<u64>) -> Vec<Range<u64>> {
        // There may be as many ranges as tiers and depths together, so those before and after are not looked at.
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
