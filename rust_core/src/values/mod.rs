//! The value of every state that play can reach. `docs/values.md` explains it to users.
//!
//! A search has found all states before, depth by depth. The states and moves are a [`graph`](crate::graph), through
//! which values spread backward.
//!
//! - If every state tells its own depth, each move leads to the next depth. Then one sweep over the depths, from the
//!   last to the first, is enough: the value of a state follows from the values of its successors ([`backward_sweep`]).
//! - Otherwise, play may go round in circles. Then values spread from the states in which play is over, in order of the
//!   number of moves to the end ([`retrograde`]). A state that no value reaches is a draw, as `value_code.rs` reads it.
//!   If the rules have tiers, sets of states that play leaves for good, values spread through one tier after the other,
//!   from the last to the first ([`tiers`]).
//!
//! For example, take four states with the moves a → b, b → a, b → c and c → d, and let the player to move in d have
//! lost. Then c is won in 1 move. The player to move in b can go to c, which the other player wins, or to a. That
//! player prefers a, and play goes from a to b and back for ever. So a and b are draws. Without the move from b to a, b
//! would be lost in 2 moves.
//!
//! If the rules have a score, a value is a number of points. It is the best of the successors' values with the sign
//! changed, because the players take turns. The same sweep finds it if play cannot go round in circles. If play can,
//! scores are decided from the highest one downward and from the lowest one upward ([`ScoreSpread`]).
//!
//! A puzzle is treated as a game in which only one player moves. States from which moves lead to the goal are won, and
//! all others are draws. So the distances to the goal are values, too ([`distances()`]).
//!
//! The same code finds the values of the states that can follow one position of a game (`following.rs`).
//!
//! A job in shards has a sweep (`shard_sweep.rs`) and a spread (`shard_spread.rs`) of its own. There, the values of
//! successors are in other processes, so a depth or a round is a question, an answer and a conclusion, which all shards
//! do together; in one process, a value is read where it is needed.
//!
//! States are counted up to symmetry. A symmetry carries moves onto moves and ends onto ends, so all states of an orbit
//! have the same value. Several moves may lead from a state to states of one orbit, which count as one successor.

mod all_values;
mod allowance;
mod backward_sweep;
mod census;
mod checkpoints;
mod distances;
mod following;
mod frontier;
mod kept_depths;
mod kept_tiers;
mod listing;
mod report;
mod retrograde;
mod score_spread;
mod shard_spread;
mod shard_sweep;
mod tally;
mod tiers_in_memory;
mod told;
mod value_code;

pub use all_values::{all_values, states_in_memory};
pub use distances::{DISTANCE_BYTES, DistanceJobs, distances, distances_to};
pub use following::{MOVE_BYTES, Recurrence, STATE_BYTES, ValuesAfter, values_after};
pub use kept_depths::{all_of, kept_values};
pub use report::{AllValues, SearchEnd, ValuesFound, WordState};
pub use shard_spread::{ShardSpread, ShardValues};
pub use tally::together;
pub use told::AskingShard;
pub use value_code::{Value, ValueCode};

pub use crate::run::{DepthValues, Tally};
