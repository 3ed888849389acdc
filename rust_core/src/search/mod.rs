//! Searches over compiled rules, one strategy a file.

mod expand;
mod layers;
mod monitor;
mod progress;
mod report;

pub use layers::enumerate;
pub use progress::{Progress, Watch};
pub use report::{DepthReport, Grain, Options, Report, Stop};
