//! Answers about one state: shortest ways to the goal, and values of games, one strategy a file.

mod answer;
mod anytime;
mod bidirectional;
mod bidirectional_large;
mod clock;
mod cosets;
mod every;
mod games;
mod gather;
mod goal_keeping;
mod ida_star;
mod move_pruning;
mod patterns;
mod stop_rule;
mod subtrees;
mod table_ladder;
mod values;

pub use answer::{Proof, Searched, Solution, Solved, Technique};
pub use anytime::{Anytime, AnytimeEnd, Enough};
pub use bidirectional::shortest;
pub use bidirectional_large::meet;
pub use cosets::Cosets;
pub use every::Every;
pub use games::{Foreseen, Question, foresee, judge};
pub use gather::gather;
pub use goal_keeping::goal_keeping;
pub use stop_rule::StopRule;
pub use table_ladder::PatternSolver;
pub use values::Play;
