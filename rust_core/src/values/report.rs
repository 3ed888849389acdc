//! The result of a search for the values of all states.

use std::time::Instant;

use super::value_code::Value;
use crate::run::{DepthValues, DistanceCount, Stop, Store, TierValues};

/// The values of all states that play can reach.
#[derive(Debug, Clone, PartialEq)]
pub struct AllValues<S> {
    /// The values in each depth.
    pub depths: Vec<DepthValues>,
    /// `true` if values are points.
    pub scored: bool,
    /// The values by the number of moves to the end. With a score, by the number of points ahead or behind.
    pub distances: Vec<DistanceCount>,
    /// The value of the start. The length of a draw is not looked for.
    pub start: Value,
    /// The first state from which the way to a win or a loss is longest, and its value; `None` if all are draws. With a
    /// score, the first one with the most points ahead or behind.
    pub longest: Option<(S, Value)>,
    /// The number of symmetries up to which states were counted.
    pub symmetry_order: usize,
    /// The number of successors of all states.
    pub generated: u64,
    /// The seconds that all took, including the search for the states.
    pub seconds: f64,
    /// `true` if numbers of moves are known. If not, `distances` and `longest` are empty, and wins and losses have 0
    /// moves.
    pub has_distances: bool,
    /// `true` if a depth is a number of moves to the goal; if `false`, it is a number of moves from the start.
    pub backward: bool,
    /// The store that held the states.
    pub store: Store,
}

/// A state as the bytes of its word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordState {
    /// The bytes.
    pub word: Vec<u8>,
    /// The player to move.
    pub player: usize,
}

impl<S> AllValues<S> {
    /// The same values, with the longest state written in another way.
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

/// The result of the search for all values.
#[derive(Debug, Clone, PartialEq)]
pub enum ValuesFound<S> {
    /// All values, with the moves to the end.
    All(AllValues<S>),
    /// All values, without the moves to the end.
    Tiers(TierValues),
    /// The search for the states stopped before all were known, after this number of depths.
    Stopped(Stop, u64),
}

impl<S> ValuesFound<S> {
    /// The same result, with the longest state written in another way.
    pub fn map<T>(self, write: impl FnOnce(S) -> T) -> ValuesFound<T> {
        match self {
            Self::Stopped(stop, depths) => ValuesFound::Stopped(stop, depths),
            Self::Tiers(values) => ValuesFound::Tiers(values),
            Self::All(all) => ValuesFound::All(all.map(write)),
        }
    }
}

/// A search that found all states, and came to its end.
#[derive(Debug, Clone, Copy)]
pub struct SearchEnd {
    /// The number of symmetries up to which the search counted.
    pub symmetry_order: usize,
    /// The number of successors of all states.
    pub generated: u64,
    /// The time at which the search began.
    pub begun: Instant,
}
