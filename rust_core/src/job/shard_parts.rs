//! Jobs that are divided into shards: the folder of the whole job, and the folder of each shard.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::depth_entry::Partial;
use super::disk::{Disk, FileEntry, make_durably};
use super::folder::Job;
use super::kinds::{FileName, Kind, Sending};
use super::manifest::Manifest;
use super::opening::remedy;
use crate::error::{Error, Result};

impl Job {
    /// Lets other shards send their runs to a folder that is not the job's own. The folder is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] if the folder cannot be made.
    pub fn set_inbox(&mut self, folder: &Path) -> Result<()> {
        let disk = Disk::passing(folder, remedy);
        make_durably(folder).map_err(|error| disk.failed("", &error))?;
        self.inbox = Some(disk);
        self.remove_leftovers();
        Ok(())
    }

    /// Takes in the pieces (runs) of the next depth that shards have sent here, once all shards have expanded the whole
    /// last depth. In memory, the pieces become the kept part of the next depth. The manifest on disk does not name
    /// them, because a process that begins the depth again gets other pieces.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the name of a file is not that of such a piece.
    pub fn receive(&mut self, files: Vec<FileEntry>, generated: u64) -> Result<()> {
        let (depth, shard) = (self.manifest.depths.len() as u64, self.manifest.subject.shard);
        let ours = |file: &FileEntry| {
            FileName::read(&file.name)
                .is_some_and(|name| name.depth == depth && shard.is_some() && name.sending.map(|sent| sent.to) == shard)
        };
        if let Some(file) = files.iter().find(|file| !ours(file)) {
            return Err(self.stray(file));
        }
        let expanded = self.manifest.depths.last().map_or(0, |last| last.open);
        self.manifest.partial = Some(Partial { expanded, generated, runs: 0, files });
        self.reckon();
        Ok(())
    }

    /// Removes the questions and answers that other shards have sent, once they are read.
    pub fn drop_received(&self) {
        self.remove_leftovers();
        self.reckon();
    }

    /// Checks files that this shard is to read: each was sent here, is of one of the kinds, and is named once. So a
    /// step that reads all files of these kinds reads each file once. Until they are dropped, they take of the bytes
    /// that the files of this folder may take.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if a file does not belong here, or is named twice; [`Error::Disk`] if they take too many bytes.
    pub fn check_sent(&self, files: &[FileEntry], kinds: &[Kind]) -> Result<()> {
        let mut names = HashSet::new();
        for file in files {
            let of_kind = kinds.iter().map(|&kind| self.sent_here(file, kind)).collect::<Result<Vec<_>>>()?;
            if of_kind.iter().all(Option::is_none) {
                return Err(self.stray(file));
            }
            if !names.insert(&file.name) {
                let folder = self.disk.folder().display();
                return Err(Error::Job(format!("{} was named twice to {folder}; resume the job", file.name)));
            }
            if self.inbox_of(file).is_none() {
                self.disk.take(&file.name, file.bytes)?;
            }
        }
        Ok(())
    }

    /// The sender of a file, if the file is of the given kind; otherwise `None`. The file may be read with
    /// [`Self::list_of`].
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the file was not sent to this shard.
    pub fn sent_here(&self, file: &FileEntry, kind: Kind) -> Result<Option<Sending>> {
        let (name, shard) = (FileName::read(&file.name), self.manifest.subject.shard);
        let sent =
            name.and_then(|name| name.sending.filter(|sent| Some(sent.to) == shard).map(|sent| (name.kind, sent)));
        let Some((is, sent)) = sent else { return Err(self.stray(file)) };
        Ok((is == kind).then_some(sent))
    }

    fn stray(&self, file: &FileEntry) -> Error {
        let folder = self.disk.folder().display();
        Error::Job(format!("{} was sent to {folder}, where it does not belong; resume the job", file.name))
    }

    /// Notes that this process drives the shards of the job from now on, and returns the new epoch.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn next_epoch(&mut self) -> Result<u64> {
        let epoch = self.manifest.epoch + 1;
        self.save(Manifest { epoch, ..self.manifest.clone() })?;
        Ok(epoch)
    }

    /// Notes that no process drives the shards any more, because the job has all values and its shards have dropped
    /// their checkpoints.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn end_values(&mut self) -> Result<()> {
        self.save(Manifest { epoch: 0, ..self.manifest.clone() })
    }

    /// Notes the places of the shards' folders, if they are on the disks of machines. The next manifest has them.
    pub fn set_seen(&mut self, seen: Vec<String>) {
        if let Some(local) = &mut self.manifest.local {
            local.seen = seen;
        }
    }

    /// The folder of a shard inside the folder of the job.
    pub fn shard_folder(folder: &Path, shard: u64) -> PathBuf {
        folder.join(format!("shard-{shard:05}"))
    }

    /// Gives a divided job the jobs of its shards, in order, so that the states can be read.
    pub fn attach(&mut self, shards: Vec<Self>) {
        self.shards = shards;
    }
}
