//! The options, the progress and the report of a run.

mod budget;
mod checkpoint_clock;
mod monitor;
pub mod parallel;
mod pool;
mod progress;
mod report;
mod values;
mod work;

pub use budget::Budget;
pub use checkpoint_clock::CheckpointClock;
pub use monitor::Monitor;
pub use pool::{in_pool, on_all_cores};
pub use progress::{Progress, Watch};
pub use report::{DepthReport, Grain, Options, Report, Stop, Store, Unsolvable};
pub use values::{DepthValues, DistanceCount, Final, Scored, Tally, TierValues, Worth, of_mover};
#[cfg(feature = "python")]
pub use work::{Called, SingleWork};
