//! The value of every state that play can reach: `docs/values.md` explains it to users.
//!
//! A search has found all states before, by depth. They are a [`graph`](crate::graph), through which values spread
//! backward.
//!
//! * If the number of moves that led to a state follows from the state, play never comes back to a depth. Then one
//!   sweep over the depths, from the last to the first, is enough: the value of a state follows from those of its
//!   successors ([`backward_sweep`]).
//! * Otherwise play may go round in circles. Then values spread from the states in which play is over, in order of the
//!   number of moves to get there ([`retrograde`]). States that they never reach are draws. If play leaves some sets of
//!   states for good, as their compositions show, that is done for one of these tiers after the other, from the last
//!   to the first ([`tiers`]).
//!
//! Take four states, a → b, b → a, b → c and c → d, and let the player to move in d have lost. Then c is won in 1 move.
//! In b, one successor is won for the other player, and the other, a, is not decided: b is undecided, too. So a and b
//! are draws: play goes from one to the other for ever. Without the move from b to a, b would be lost in 2 moves.
//!
//! If the rules have a score, a value is a number of points: the best of the successors', with the other sign. It is
//! found by the same sweep, or, where play may go round in circles, from the highest score downward and from the lowest
//! one upward ([`ScoreSpread`]).
//!
//! A puzzle is a game against nobody: states from which moves lead to the goal are won, the others are draws. So the
//! distances to the goal are values, too ([`distances()`]).
//!
//! The values of the states that can follow one position of a game are found by the same code ([`values_after`]).
//!
//! States are counted up to symmetry. A symmetry carries moves onto moves and ends onto ends, so all states of an orbit
//! have one value. Several moves may lead to states of one orbit. They count once.

mod all_values;
mod allowance;
mod backward_sweep;
mod census;
mod checkpoints;
mod distances;
mod following;
mod frontier;
mod kept;
mod kept_tiers;
mod report;
mod retrograde;
mod score_spread;
mod tally;
mod tiers;
mod value_code;

pub use all_values::{all_values, states_in_memory};
pub use distances::{DISTANCE_BYTES, DistanceJobs, distances, distances_to};
pub use following::{MOVE_BYTES, STATE_BYTES, ValuesAfter, values_after};
pub use kept::kept_values;
pub use report::{AllValues, SearchEnd, ValuesFound, WordState};
pub use value_code::{Value, ValueCode};

pub use crate::run::{DepthValues, Tally};
