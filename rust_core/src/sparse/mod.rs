//! The sparse store: exact packed words, partitioned by hash into tables that fit the second-level cache, and sorted runs on
//! disk where they outgrow the memory.

mod close;
mod expand;
mod frontier;
mod keep;
mod merge;
mod partition;
mod residence;
mod spill;
mod table;
mod verify;

pub use frontier::enumerate;
pub use merge::{Source, merge};
pub use verify::{verify, verify_part};
