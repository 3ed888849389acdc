//! The runs that one shard of a job sends to the others: sorted words of the next depth, written into the folders of
//! their owners, or into the owners' inboxes if those folders are on other machines.
//!
//! The runs are not made durable, which would take most of the time on many disks. No manifest on disk names a run:
//! runs are merged into the files of the depth, which are made durable before the manifest names them. If a machine
//! loses its power, the depth is found again. An incomplete run is noticed, because its owner learns its size and
//! digest.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::codec::WordsWriter;
use super::disk::{Disk, FileEntry};
use super::kinds::{FileName, Kind, Sending};
use super::places::ShardPlaces;
use crate::compile::Word;
use crate::error::Result;

/// A run that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The shard that it was sent to.
    pub to: u64,
    /// The number of words of the run: successors, each once.
    pub words: u64,
    /// The file with the run.
    pub file: FileEntry,
}

/// The folders into which one shard writes its runs. While it expands a depth, it sends each shard the successors that
/// belong there.
pub struct Outbox {
    disks: Vec<Disk>,
    depth: u64,
    epoch: u64,
    from: u64,
    /// The runs that were sent, in the order in which they were written.
    pub sent: Vec<Sent>,
}

impl Outbox {
    /// Writes runs of a depth from one shard to each of `shards` shards of a job. The epoch is in the names of the
    /// runs, so that runs of an earlier epoch are never used.
    pub fn new(places: &ShardPlaces, shards: u64, depth: u64, epoch: u64, from: u64) -> Self {
        let remedy = |_: &Path| "the depths before are kept: make room, or mend the disk, and resume the job";
        let disk = |shard| Disk::passing(&places.runs(from, shard), remedy);
        Self { disks: (0..shards).map(disk).collect(), depth, epoch, from, sent: Vec::new() }
    }

    /// The number of shards.
    pub fn shards(&self) -> usize {
        self.disks.len()
    }

    /// Sends sorted words of one kind, each once.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`].
    pub fn send<W: Word>(&mut self, to: usize, kind: Kind, words: &[W]) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let sending = Sending { epoch: self.epoch, from: self.from, to: to as u64 };
        let run = Some(self.sent.len() as u64);
        let name = FileName { depth: self.depth, run, sending: Some(sending), kind };
        let file = self.disks[to].write(&name.to_string(), |file| {
            let mut writer = WordsWriter::new();
            writer.write(words, file)?;
            writer.finish(file)
        })?;
        self.sent.push(Sent { to: to as u64, words: words.len() as u64, file });
        Ok(())
    }
}
