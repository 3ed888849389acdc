//! The files of jobs. A job is a folder of complete files, with a manifest that describes them. Nothing else touches
//! files.

mod array_files;
mod arrays;
mod bits;
mod blocks;
mod codec;
mod definition;
mod depth_entry;
mod disk;
mod folder;
mod frames;
mod kinds;
mod listing;
mod lists;
mod local;
mod lock;
mod manifest;
mod opening;
mod outbox;
mod places;
mod reader;
mod recent;
mod room;
mod shard_parts;
mod snapshot;
mod spread;
mod stage;
mod subject;
mod sums;
mod table_cache;
mod tier_files;
mod values;
mod word_files;

use crate::error::Error;

/// `false` on a system without files, such as a page in a browser. Nothing makes a [`Job`] there, so all code that
/// takes one is left out of the page's module.
pub const HAS_FILES: bool = !cfg!(all(target_family = "wasm", target_os = "unknown"));

/// The error of a page in a browser that would need a file: it has none.
pub fn no_files() -> Error {
    Error::Job("a page keeps no files; use the command line".to_owned())
}

/// Returns the error of [`no_files`] from a function that needs files, on a system without them. There, the rest of the
/// function is left out of the program.
macro_rules! needs_files {
    () => {
        if !$crate::job::HAS_FILES {
            return Err($crate::job::no_files());
        }
    };
}
pub(crate) use needs_files;

pub use codec::WordsReader;
#[cfg(feature = "fuzzing")]
pub use codec::{WordsWriter, read_array, write_array};
pub use definition::Definition;
pub use depth_entry::DepthEntry;
#[cfg(feature = "tables")]
pub use disk::Disk;
#[cfg(test)]
pub use disk::{Fault, Step};
pub use disk::{FileEntry, JobPlace};
pub use folder::Job;
pub use kinds::Kind;
pub use listing::{Follows, KeptListing, ListedBlock, NewListing};
pub use local::LocalShards;
pub use lock::is_locked;
pub use manifest::{MOST_SHARDS, Manifest};
pub use opening::NewJob;
pub use outbox::{Outbox, Sent};
pub use places::{ShardPlaces, missing};
#[cfg(feature = "fuzzing")]
pub use reader::{Reader, digest};
pub use recent::RecentBlocks;
pub use room::free_bytes;
pub use spread::{BY_SECOND, KeptCodes};
pub use stage::{LongestEntry, ValuesEntry, ValuesStage};
pub use subject::{ARRAYS, Encoding, SNAPSHOT, Subject};
pub use sums::DepthBlocks;
pub use table_cache::{Key, Stops, TableCache, key as table_key};
pub use tier_files::TierBlocks;
pub use values::ValueFiles;
pub use word_files::NewWords;
