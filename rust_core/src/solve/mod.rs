//! Answers about one state: shortest solutions of puzzles, and values of games, one strategy a file.

mod algebra;
mod all_solutions;
mod answer;
mod anytime;
mod attempt;
mod bidirectional;
mod bidirectional_large;
mod by_pieces;
mod clock;
mod cosets;
mod games;
mod goal_keeping;
mod ida_star;
mod move_pruning;
mod patterns;
mod phases;
mod plan;
mod play;
mod solvers;
mod state_search;
mod stop_rule;
mod subtrees;
mod table_ladder;

pub use answer::{Answered, Asked, Every, Limit, Proof, ProvenLength, Solution, Solved, Technique};
pub use bidirectional_large::from_both_ends;
pub use games::{Foreseen, KeptBoard, LookAhead, Question, foresee, judge};
pub use goal_keeping::goal_keeping;
pub use play::{Judged, Play, Position};
pub use solvers::Solvers;
pub use state_search::StateSearch;
