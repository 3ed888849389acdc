//! The result of a search for the values of all states.

use super::value_code::Value;
use crate::instant::Instant;
use crate::run::{DepthValues, DistanceCount, Stop, Store, TierValues};

/// The values of all states that play can reach. `S` is the form in which a state is written.
#[derive(Debug, Clone, PartialEq)]
pub struct AllValues<S> {
    /// For each depth, the number of its states with each value.
    pub depths: Vec<DepthValues>,
    /// `true` if values are numbers of points, because the rules have a score.
    pub scored: bool,
    /// For each number of moves to the end, the number of states that are won or lost in that many. With a score, for
    /// each number of points, the number of states in which one player is that far ahead.
    pub distances: Vec<DistanceCount>,
    /// The value of the start. If it is a draw, its length is not known.
    pub start: Value,
    /// The first of the states that take the most moves to a win or a loss, and its value; `None` if all states are
    /// draws. With a score, it is the first of the states in which one player is the most points ahead.
    pub longest: Option<(S, Value)>,
    /// The number of symmetries up to which states were counted.
    pub symmetry_order: usize,
    /// The number of successors that were made while the states were found, repeated ones included.
    pub generated: u64,
    /// The seconds that all work took, including the search for the states.
    pub seconds: f64,
    /// `true` if the numbers of moves to the end are known. If not, `distances` and `longest` are empty, and a win or
    /// loss is said to take 0 moves.
    pub has_distances: bool,
    /// `true` if a depth is a number of moves to the goal, `false` if it is a number of moves from the start.
    pub backward: bool,
    /// The store that held the states.
    pub store: Store,
}

/// A state, written as the bytes of its packed word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordState {
    /// The bytes of the word.
    pub word: Vec<u8>,
    /// The player to move in the state.
    pub player: usize,
}

impl<S> AllValues<S> {
    /// The same values, in which `write` turns the longest state into another form.
    pub fn map<T>(self, write: impl FnOnce(S) -> T) -> AllValues<T> {
        AllValues {
            longest: self.longest.map(|(state, value)| (write(state), value)),
            depths: self.depths,
            distances: self.distances,
            scored: self.scored,
            start: self.start,
            symmetry_order: self.symmetry_order,
            generated: self.generated,
            seconds: self.seconds,
            has_distances: self.has_distances,
            backward: self.backward,
            store: self.store,
        }
    }
}

/// The result of a search for all values, which may have been stopped.
#[derive(Debug, Clone, PartialEq)]
pub enum ValuesFound<S> {
    /// All values, with the numbers of moves to the end.
    All(AllValues<S>),
    /// All values, without the numbers of moves to the end.
    Tiers(TierValues),
    /// The search ended before all states were known, for this reason and after this number of depths.
    Stopped(Stop, u64),
}

impl<S> ValuesFound<S> {
    /// The same result, in which `write` turns the longest state into another form.
    pub fn map<T>(self, write: impl FnOnce(S) -> T) -> ValuesFound<T> {
        match self {
            Self::Stopped(stop, depths) => ValuesFound::Stopped(stop, depths),
            Self::Tiers(values) => ValuesFound::Tiers(values),
            Self::All(all) => ValuesFound::All(all.map(write)),
        }
    }
}

/// Facts about the search that found all states, known when it ended.
#[derive(Debug, Clone, Copy)]
pub struct SearchEnd {
    /// The number of symmetries up to which the search counted states.
    pub symmetry_order: usize,
    /// The number of successors that the search made, repeated ones included.
    pub generated: u64,
    /// The time at which the search began.
    pub begun: Instant,
}
