//! How states are held: in memory as exact packed words, partitioned by hash into tables that fit the second-level cache, and
//! on disk as jobs, depth by depth.

mod codec;
mod disk;
mod job;
mod lock;
mod manifest;
mod names;
mod numbered;
mod pages;
mod partition;
mod table;

pub use codec::WordsReader;
#[cfg(feature = "fuzzing")]
pub use codec::{WordsWriter, read_array, write_array};
pub use disk::{Disk, Fault, FileEntry};
#[cfg(feature = "fuzzing")]
pub use disk::{Reader, digest};
pub use job::{Job, NewWords};
pub use lock::is_locked;
pub use manifest::{DepthEntry, Manifest, Partial, Subject};
pub use numbered::Numbered;
pub use pages::Pages;
pub use partition::{Partition, Sorted, partition_of};
pub use table::Table;
