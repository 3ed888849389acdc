//! The value of every state that play can reach: `docs/values.md` explains it to users.
//!
//! All states are known before, by depth: a forward search has found them. Values then spread backward.
//!
//! * If a state tells how many moves led to it, play never comes back to a depth. Then the depths are gone through once,
//!   from the last to the first: the value of a state follows from those of its successors ([`layered`]).
//! * Otherwise play may go round in circles. Then values spread from the states in which play is over, in order of how
//!   many moves it takes to get there ([`spreading`]). States that they never reach are draws. If play leaves some sets of
//!   states for good, which their compositions tell, that is done for one of these tiers after the other, from the last to
//!   the first ([`by_tiers`]).
//!
//! Take four states, a → b, b → a, b → c and c → d, and let the player to move in d have lost. Then c is won in 1 move.
//! In b, one successor is won for the other player, and the other, a, is not decided: b is undecided, too. So a and b
//! are draws: play goes from one to the other for ever. Without the move from b to a, b would be lost in 2 moves.
//!
//! A puzzle is a game against nobody: states from which moves lead to the goal are won, the others are draws.
//!
//! States are counted up to symmetry. A symmetry carries moves onto moves and ends onto ends, so all states of an orbit
//! have one value. Several moves may lead to states of one orbit. They count once.

mod by_tiers;
mod census;
mod given;
mod keeper;
mod kept;
mod kept_tiers;
mod known;
mod layered;
mod numbered_states;
mod spreading;
mod tally;
mod tier_map;

use std::time::Instant;

use census::Census;
use given::Given;
pub use kept::kept_values;
use numbered_states::{NumberedStates, Outside};
use spreading::{Graph, Spread};
use tally::Tallies;
pub use tally::{DepthValues, DistanceCount, Tally};
use tier_map::TierMap;

use super::values::Value;
use crate::compile::{Compiled, Images, Word};
use crate::error::{Error, Result};
use crate::memory::in_words;
use crate::run::{Options, Stop, TierValues, Watch, in_pool};
use crate::structure::Window;

/// The values of all states that play can reach.
#[derive(Debug, Clone, PartialEq)]
pub struct AllValues<S> {
    /// By the number of moves from the start.
    pub depths: Vec<DepthValues>,
    /// By the number of moves to the end.
    pub distances: Vec<DistanceCount>,
    /// The value of the start. The length of a draw is not looked for.
    pub start: Value,
    /// The first state from which the way to a win or a loss is longest, and its value; `None` if all are draws.
    pub longest: Option<(S, Value)>,
    /// How many symmetries states were counted by.
    pub symmetry_order: usize,
    /// How many successors all states have.
    pub generated: u64,
    /// Seconds, with the search for the states.
    pub seconds: f64,
    /// Whether numbers of moves are known. If not, `distances` and `longest` are empty, and wins and losses are in 0.
    pub has_distances: bool,
}

impl<S> AllValues<S> {
    /// The same with the longest state written in another way.
    pub fn map<T>(self, write: impl FnOnce(S) -> T) -> AllValues<T> {
        let Self { depths, distances, start, longest, symmetry_order, generated, seconds, has_distances } = self;
        let longest = longest.map(|(state, value)| (write(state), value));
        AllValues { depths, distances, start, longest, symmetry_order, generated, seconds, has_distances }
    }
}

/// What came of the search for all values.
#[derive(Debug, Clone, PartialEq)]
pub enum ValuesFound<S> {
    /// All values, with the moves to the end.
    All(AllValues<S>),
    /// All values, without the moves to the end.
    Tiers(TierValues),
    /// It stopped before they were known, after so many depths of the search for the states.
    Stopped(Stop, u64),
}

impl<S> ValuesFound<S> {
    /// The same with the longest state written in another way.
    pub fn map<T>(self, write: impl FnOnce(S) -> T) -> ValuesFound<T> {
        match self {
            Self::Stopped(stop, depths) => ValuesFound::Stopped(stop, depths),
            Self::Tiers(values) => ValuesFound::Tiers(values),
            Self::All(all) => ValuesFound::All(all.map(write)),
        }
    }
}

/// The states that play can reach, by depth, and how many successors they have.
pub struct ReachedDepths<W> {
    /// For each depth its states, each the smallest of its images, in any order.
    pub depths: Vec<Vec<W>>,
    /// How many successors all of them have.
    pub generated: u64,
    /// When the search for them began.
    pub begun: Instant,
}

/// Finds the values of all states that play can reach. The state in the result is a word with the player to move.
///
/// # Errors
///
/// [`Error::Memory`] if they need more than the limit; [`Error::Options`] if the threads cannot be started.
pub fn all_values<W: Word>(
    (compiled, images): (&Compiled<W>, &Images<W>),
    reached: ReachedDepths<W>,
    options: &Options,
    watch: Watch,
) -> Result<ValuesFound<(W, usize)>> {
    let ReachedDepths { depths, generated, begun } = reached;
    let limit = options.memory - options.memory / 8;
    let given = Given { compiled, images, watch, begun, room: limit };
    let found = in_pool(options, || found_in_memory(&given, depths, generated))??;
    let Some(tally) = found else { return Ok(ValuesFound::Stopped(Stop::Watch, 0)) };
    Ok(ValuesFound::All(AllValues {
        depths: tally.depths,
        distances: tally.distances,
        start: tally.start.value(),
        longest: tally.longest.map(|longest| (longest.state, longest.known.value())),
        symmetry_order: images.order,
        generated,
        seconds: begun.elapsed().as_secs_f64(),
        has_distances: true,
    }))
}

/// What is counted of the values of all states, which are in memory; `None` if the watch stops it.
fn found_in_memory<W: Word>(given: &Given<W>, depths: Vec<Vec<W>>, generated: u64) -> Result<Option<Tallies<W>>> {
    let (count, most) = (depths.iter().map(Vec::len).sum::<usize>(), depths.iter().map(Vec::len).max().unwrap_or(0));
    let words = (count * size_of::<W>()) as u64;
    let fits = |bytes: u64, numbered: usize| {
        if u32::try_from(numbered).is_ok() && bytes <= given.room {
            return Ok(());
        }
        Err(Error::Memory(format!(
            "the values of {count} states take {}, and the limit leaves {}; give more memory",
            in_words(bytes),
            in_words(given.room)
        )))
    };
    let mut tally = Tallies::new(depths.len());
    if given.compiled.structure.window() == Window::Layered {
        fits(layered::bytes(&depths).saturating_add(words), count)?;
        return Ok(layered::sweep(given, depths, &mut tally).map(|()| tally));
    }
    let Some(map) = TierMap::new(given.compiled) else {
        fits(spreading::bytes(count, generated, false).saturating_add(NumberedStates::<W>::bytes(count)), count)?;
        let states = NumberedStates::new(given.players(), depths.into_iter().enumerate().collect());
        let graph = Graph { given, states: &states, outside: Outside { map: None, later: &[] } };
        let values = graph.values(Spread::new(states.len()), &mut |_, _| Ok(()))?;
        return Ok(values.map(|values| {
            spreading::count(given, &states, &values, &mut tally);
            tally
        }));
    };
    let mut census = Census::new(map.tiers.count());
    for words in &depths {
        census.begin_depth();
        if census.add(given, &map, words).is_none() {
            return Ok(None);
        }
    }
    // While the states of the largest depth are put in order of the tiers, they are there twice.
    let gathered = words + (most * size_of::<W>()) as u64;
    let largest = census.states.iter().copied().max().unwrap_or(0);
    // A state of a tier has a number of 31 bits.
    fits(census.bytes::<W>(&map, &(0..map.tiers.count())).max(gathered), 2 * largest)?;
    Ok(by_tiers::spread(given, &map, depths, &census, &mut tally)?.map(|()| tally))
}
