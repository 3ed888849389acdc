//! Answers about one state: shortest ways to the goal, and values of games, one strategy a file.

mod gather;
mod numbered;
mod path;
mod values;

pub use gather::gather;
pub use path::{Solution, shortest};
pub use values::{Play, Value, best_moves};
