//! Searches over compiled rules, one strategy a file.

mod budget;
mod close;
mod dense;
mod expand;
mod gather;
mod keep;
mod layers;
mod merge;
mod monitor;
mod path;
mod progress;
mod read;
mod report;
mod room;
mod spill;
mod values;
mod verify;

pub use budget::Budget;
pub use dense::Dense;
pub use gather::gather;
pub use keep::report_of;
pub use layers::{enumerate, in_pool};
pub use path::{Solution, shortest};
pub use progress::{Progress, Watch};
pub use read::read;
pub use report::{DepthReport, Grain, Options, Report, Stop, Store};
pub use values::{Play, Value, best_moves};
pub use verify::{verify, verify_part};
