//! The sparse store: exact packed words, partitioned by hash into tables that fit the second-level cache.

mod layer;
mod numbered;
mod pages;
mod partition;
mod table;

pub use layer::Layer;
pub use numbered::Numbered;
pub use pages::Pages;
pub use partition::{Partition, Sorted, partition_of};
pub use table::Table;
