//! What is on disk. A job is a folder of whole files, with a manifest that says how to read them. Nothing else touches
//! files.

mod codec;
mod disk;
mod folder;
mod kinds;
mod lock;
mod manifest;
mod outbox;
mod shelf;

pub use codec::WordsReader;
#[cfg(feature = "fuzzing")]
pub use codec::{WordsWriter, read_array, write_array};
#[cfg(feature = "tables")]
pub use disk::Disk;
pub use disk::{Fault, FileEntry};
#[cfg(feature = "fuzzing")]
pub use disk::{Reader, digest};
pub use folder::{Job, NewWords};
pub use kinds::Kind;
pub use lock::is_locked;
pub use manifest::{DepthEntry, Encoding, MANIFEST, MOST_SHARDS, Manifest, Partial, SNAPSHOT, Subject};
pub use outbox::{Outbox, Sent};
pub use shelf::{Shelf, key as table_key};
