//! Answers about one state: shortest ways to the goal, and values of games, one strategy a file.

mod answer;
mod bounded;
mod clock;
mod cosets;
mod deepening;
mod every;
mod games;
mod gather;
mod goal_keeping;
mod hope;
mod meeting;
mod path;
mod patterns;
mod sequences;
mod shorten;
mod subtrees;
mod values;

pub use answer::{Proof, Searched, Solution, Solved, Technique};
pub use bounded::Deepening;
pub use cosets::Cosets;
pub use every::Every;
pub use games::{Foreseen, Question, foresee, judge};
pub use gather::gather;
pub use goal_keeping::goal_keeping;
pub use hope::Hope;
pub use meeting::meet;
pub use path::shortest;
pub use shorten::{Ended, Enough, Shortener};
pub use values::Play;
