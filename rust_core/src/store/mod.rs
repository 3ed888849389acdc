//! How states are held: in memory as exact packed words, partitioned by hash into tables that fit the second-level cache, and
//! on disk as jobs, depth by depth.

mod codec;
mod disk;
mod job;
mod layer;
mod manifest;
mod numbered;
mod pages;
mod partition;
mod table;

pub use disk::{Fault, FileEntry};
pub use job::Job;
pub use layer::Layer;
pub use manifest::{DepthEntry, Manifest, Subject};
pub use numbered::Numbered;
pub use pages::Pages;
pub use partition::{Partition, Sorted, partition_of};
pub use table::Table;
