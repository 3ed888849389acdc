//! Searches over compiled rules, one strategy a file.

mod budget;
mod expand;
mod gather;
mod layers;
mod monitor;
mod path;
mod progress;
mod report;
mod values;

pub use budget::Budget;
pub use gather::gather;
pub use layers::enumerate;
pub use path::{Solution, shortest};
pub use progress::{Progress, Watch};
pub use report::{DepthReport, Grain, Options, Report, Stop};
pub use values::{Play, Value, best_moves};
