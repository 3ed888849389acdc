//! Answers about one state: shortest ways to the goal, and values of games, one strategy a file.

mod all_values;
mod answer;
mod bounded;
mod clock;
mod cosets;
mod deepening;
mod distances;
mod every;
mod games;
mod gather;
mod goal_keeping;
mod hope;
mod meeting;
mod numbered;
mod path;
mod patterns;
mod sequences;
mod shorten;
mod subtrees;
mod values;

pub use all_values::{AllValues, DepthValues, ReachedDepths, Tally, ValuesFound, all_values, kept_values};
pub use answer::{Proof, Searched, Solution, Solved, Technique};
pub use bounded::Deepening;
pub use cosets::Cosets;
pub use distances::{Reached, distances, room_beside, unfinished};
pub use every::Every;
pub use games::{Foreseen, Question, foresee, judge};
pub use gather::gather;
pub use goal_keeping::goal_keeping;
pub use hope::Hope;
pub use meeting::meet;
pub use path::shortest;
pub use shorten::{Ended, Enough, Shortener};
pub use values::{Play, Value};
