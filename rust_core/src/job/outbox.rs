//! The runs that one shard of a job sends to the others: sorted words of the next depth, or bits of the last one. They
//! are written into the folders of their owners, or into the owners' inboxes if those folders are on other machines.
//!
//! The runs are not made durable, which would take most of the time on many disks. No manifest on disk names a run:
//! runs are merged into the files of the depth, which are made durable before the manifest names them. If a machine
//! loses its power, the depth is found again. An incomplete run is noticed, because its owner learns its size and
//! digest.

use std::io::Write;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::codec::{WordsWriter, write_bits};
use super::disk::{Disk, FileEntry};
use super::folder::Job;
use super::kinds::{FileName, Kind, Sending};
use super::lists::write_list;
use super::places::ShardPlaces;
use super::reader::digest;
use crate::compile::Word;
use crate::error::Result;

/// A run that was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sent {
    /// The shard that it was sent to.
    pub to: u64,
    /// The number of words of the run: successors, each once. If states are bits, the number of states.
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

    /// The shard that sends.
    pub fn from(&self) -> usize {
        self.from as usize
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
        self.write(to, kind, words.len() as u64, &mut |file| {
            let mut writer = WordsWriter::new();
            writer.write(words, file)?;
            writer.finish(file)
        })
    }

    /// Sends a list of words in any order, given in parts that follow one another.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`].
    pub fn send_list<W: Word>(&mut self, to: usize, kind: Kind, parts: &[&[W]]) -> Result<()> {
        let count: usize = parts.iter().map(|part| part.len()).sum();
        if count == 0 {
            return Ok(());
        }
        self.write(to, kind, count as u64, &mut |file| write_list(parts, file))
    }

    /// Sends bits of the last depth to all other shards: those of an array that are in the bytes `within`.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`].
    pub fn send_bits(&mut self, array: &[u8], within: &Range<usize>) -> Result<()> {
        let mut content = Vec::new();
        let states = write_bits(array, within, &mut content).expect("a list takes all");
        self.send_to_others(states, &content)
    }

    /// Sends the shard's file of the last depth to all other shards, as [`Job::write_share`] wrote it.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`]; [`crate::Error::Corrupt`] if the file has changed since it was written.
    pub fn send_share(&mut self, job: &Job) -> Result<()> {
        let depths = &job.manifest().depths;
        let Some(last) = depths.last().filter(|last| last.raw_states > 0 && self.shards() > 1) else { return Ok(()) };
        let lacks = || job.lacks(depths.len() - 1);
        let entry = job.file(depths.len() - 1, Kind::States).ok_or_else(lacks)?;
        let content = job.in_parts(entry)?.read(0, entry.bytes as usize)?;
        if digest().update(&content).finalize().to_hex().as_str() != entry.checksum {
            return Err(lacks());
        }
        self.send_to_others(last.raw_states, &content)
    }

    fn send_to_others(&mut self, states: u64, content: &[u8]) -> Result<()> {
        let others = (0..self.shards()).filter(|&to| states > 0 && to as u64 != self.from).collect::<Vec<_>>();
        others.into_iter().try_for_each(|to| self.write(to, Kind::Part, states, &mut |file| file.write_all(content)))
    }

    fn write(
        &mut self,
        to: usize,
        kind: Kind,
        states: u64,
        content: &mut dyn FnMut(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        let sending = Sending { epoch: self.epoch, from: self.from, to: to as u64 };
        let run = Some(self.sent.len() as u64);
        let name = FileName { depth: self.depth, run, sending: Some(sending), kind };
        let file = self.disks[to].write(&name.to_string(), content)?;
        self.sent.push(Sent { to: to as u64, words: states, file });
        Ok(())
    }
}
