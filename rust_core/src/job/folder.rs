//! A job: an enumeration that keeps its depths in a folder, so that it can resume after any interruption.

use std::io::Write;
use std::path::Path;

use super::blocks::Parts;
use super::depth_entry::{DepthEntry, Partial};
use super::disk::{Disk, FileEntry};
use super::kinds::{FileName, Kind};
use super::lock::Lock;
use super::manifest::{MANIFEST, Manifest};
use super::reader::Reader;
use super::stage::ValuesStage;
use crate::error::{Error, Result};
use crate::run::Unsolvable;

/// The folder of a job. If this process may change it, no other process may.
#[derive(Debug)]
pub struct Job {
    pub(super) disk: Disk,
    pub(super) manifest: Manifest,
    /// Files that were written for a depth, and that the manifest does not name yet.
    pub(super) staged: Vec<FileEntry>,
    /// The most bytes that the files of states may take.
    pub(super) room: u64,
    /// The jobs of the shards, if this one is divided and was opened to be read.
    pub(super) shards: Vec<Job>,
    /// The folder with the runs that other shards have sent, if it is not the job's own folder.
    pub(super) inbox: Option<Disk>,
    /// The lock that keeps other processes away, if this process may change the job.
    pub(super) lock: Option<Lock>,
    /// The states without a distance to the goal, if they are known before the job is complete.
    pub(super) unsolvable: Option<Unsolvable>,
}

impl Job {
    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The jobs that have the states: the jobs of the shards, or else this one.
    pub fn parts(&self) -> &[Self] {
        if self.manifest.subject.is_divided() { &self.shards } else { std::slice::from_ref(self) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.disk.folder()
    }

    /// Writes one more file of a depth that is done. The file counts as soon as the next manifest, which names it, is
    /// written.
    pub(super) fn write_beside(
        &mut self,
        depth: usize,
        kind: Kind,
        content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        let entry = self.write_named(FileName { depth: depth as u64, run: None, sending: None, kind }, content)?;
        self.staged.push(entry);
        Ok(())
    }

    /// Writes a file that the manifest does not name yet.
    pub(super) fn write_named(
        &self,
        name: FileName,
        content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<FileEntry> {
        self.disk.write(&name.to_string(), content)
    }

    /// Empties the list of written files, and returns it. The files count as soon as the next manifest names them.
    pub(super) fn take_staged(&mut self) -> Vec<FileEntry> {
        std::mem::take(&mut self.staged)
    }

    /// A file of a depth that is done, to read any part of it.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if there is no such file, or it has another size.
    pub fn parts_of(&self, depth: usize, kind: Kind) -> Result<Parts> {
        let entry = self.file(depth, kind).ok_or_else(|| self.lacks(depth))?;
        self.in_parts(entry)
    }

    /// Opens a file of which any part is to be read.
    pub(super) fn in_parts(&self, entry: &FileEntry) -> Result<Parts> {
        self.disk.parts(entry, "the job is damaged")
    }

    /// Compares a file of a completed depth with its checksum.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn check_file(&self, entry: &FileEntry) -> Result<()> {
        self.read(entry)?.skip()
    }

    /// Limits the bytes that the files of states may take.
    pub fn set_room(&mut self, bytes: u64) {
        self.room = bytes;
        self.reckon();
    }

    /// Sets how many bytes the disk may still write, so that all files of states keep within [`Self::room`].
    pub(super) fn reckon(&self) {
        let here = self.manifest.files().filter(|file| self.inbox_of(file).is_none());
        let held = here.map(|file| file.bytes).sum();
        self.disk.set_left(self.room.saturating_sub(held));
    }

    /// Compares the files of the depth that is not done with their checksums. Arrays in place have none.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn check_partial(&self) -> Result<()> {
        if self.manifest.subject.keeps_arrays() {
            return Ok(());
        }
        self.partial().files.iter().try_for_each(|entry| self.read_piece(entry)?.skip())
    }

    /// Opens a file of the depth that is not done, to be read to its end. If the file is damaged, the error says that
    /// all whole depths are still there.
    pub(super) fn read_piece(&self, entry: &FileEntry) -> Result<Reader> {
        let remedy = "the depths before are whole: resume with --drop-partial, which begins this depth again";
        self.inbox_of(entry).unwrap_or(&self.disk).read(entry, remedy)
    }

    /// The inbox, if the file is a run that another shard has sent. `None` if the file is in the job's own folder.
    pub(super) fn inbox_of(&self, entry: &FileEntry) -> Option<&Disk> {
        let inbox = self.inbox.as_ref()?;
        let sending = FileName::read(&entry.name)?.sending?;
        (sending.from != sending.to).then_some(inbox)
    }

    /// A file of a depth that is done, to be read to its end.
    pub(super) fn read(&self, entry: &FileEntry) -> Result<Reader> {
        self.disk.read(entry, "the job is damaged")
    }

    /// Forgets the part of the depth that is not done.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn drop_partial(&mut self) -> Result<()> {
        if self.manifest.partial.is_some() {
            self.save(Manifest { partial: None, ..self.manifest.clone() })?;
            self.remove_leftovers();
        }
        let spreads = |stage: &ValuesStage| stage.spread.is_some() || stage.listing.is_some() || stage.tiers.is_some();
        if let Some(stage) = self.manifest.values.clone().filter(spreads) {
            self.save_values(ValuesStage { spread: None, listing: None, tiers: None, ..stage })?;
            self.remove_leftovers();
        }
        Ok(())
    }

    /// The name of a file of the next depth.
    pub(super) fn name(&self, kind: Kind) -> FileName {
        FileName { depth: self.manifest.depths.len() as u64, run: None, sending: None, kind }
    }

    /// The name of the next piece (run) of the next depth.
    pub(super) fn run_name(&self, kind: Kind) -> FileName {
        FileName { run: Some(self.next_run()), ..self.name(kind) }
    }

    /// The pieces (runs) of one kind that are kept of the depth that is not done.
    pub fn runs(&self, kind: Kind) -> Vec<FileEntry> {
        let of_kind = |file: &&FileEntry| FileName::read(&file.name).is_some_and(|name| name.kind == kind);
        self.manifest.partial.iter().flat_map(|partial| partial.files.iter().filter(of_kind).cloned()).collect()
    }

    /// Adds a depth to the manifest, with the files that were written for it. The manifest is written last.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub(super) fn commit_written(&mut self, entry: DepthEntry) -> Result<()> {
        let mut manifest = self.manifest.clone();
        manifest.depths.push(DepthEntry { files: std::mem::take(&mut self.staged), ..entry });
        manifest.partial = None;
        self.save(manifest)?;
        self.remove_leftovers();
        Ok(())
    }

    /// Forgets written files that are not part of the job yet.
    pub fn unstage(&mut self) {
        self.staged.clear();
        self.remove_leftovers();
        self.reckon();
    }

    /// The part that is kept of the depth that is not done.
    pub fn partial(&self) -> Partial {
        self.manifest.partial.clone().unwrap_or_default()
    }

    /// Adds the written files to the part that is kept of the depth that is not done. Files of that depth for which
    /// `keeps` returns `false` are dropped.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn commit_partial(&mut self, expanded: u64, generated: u64, keeps: &dyn Fn(&str) -> bool) -> Result<()> {
        let mut partial = self.partial();
        partial.files.retain(|file| keeps(&file.name));
        partial.runs = self.next_run();
        partial.files.append(&mut self.staged);
        (partial.expanded, partial.generated) = (expanded, generated);
        let manifest = Manifest { partial: Some(partial), ..self.manifest.clone() };
        if manifest.subject.shard.is_some() {
            // Runs that other shards have sent are not durable, so no manifest on disk names them. A process that
            // begins this depth again gets new runs.
            self.manifest = manifest;
            self.reckon();
        } else {
            self.save(manifest)?;
        }
        self.remove_leftovers();
        Ok(())
    }

    /// The number of the next file of the depth that is not done.
    pub(super) fn next_run(&self) -> u64 {
        self.manifest.partial.as_ref().map_or(0, |partial| partial.runs).saturating_add(self.staged.len() as u64)
    }

    /// Removes files of depths that the manifest does not name. Interrupted runs left them.
    pub(super) fn remove_leftovers(&self) {
        let known: std::collections::HashSet<&str> = self.manifest.files().map(|file| &file.name[..]).collect();
        for folder in [Some(&self.disk), self.inbox.as_ref()].into_iter().flatten().map(Disk::folder) {
            let Ok(held) = std::fs::read_dir(folder) else { continue };
            for name in held.filter_map(|entry| entry.ok()?.file_name().into_string().ok()) {
                let plain = name.strip_suffix(".new").unwrap_or(&name);
                if FileName::read(plain).is_some() && !known.contains(&name[..]) {
                    // A file that cannot be removed does no harm.
                    let _ = std::fs::remove_file(folder.join(name));
                }
            }
        }
    }

    /// Keeps only the first depths, and drops all others and the part of the depth that is not done.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn keep_depths(&mut self, count: usize) -> Result<()> {
        self.staged.clear();
        if self.manifest.depths.len() > count || self.manifest.partial.is_some() {
            let mut manifest = Manifest { partial: None, ..self.manifest.clone() };
            manifest.depths.truncate(count);
            self.save(manifest)?;
        }
        self.remove_leftovers();
        Ok(())
    }

    /// Leaves out all but the first depths in memory, for a reader. The folder stays as it is.
    pub fn forget_depths(&mut self, count: usize) {
        self.manifest.depths.truncate(count);
        self.manifest.partial = None;
    }

    /// Lets other processes work on the job. This one may not change it any more.
    pub fn unlock(&mut self) {
        drop(self.lock.take());
    }

    /// Ends a run. If the job is complete, notes this, and the number of generated successors. If not, there is nothing
    /// to write: all depths are kept already.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn close(&mut self, complete: bool, generated: u64) -> Result<()> {
        self.close_with(complete, generated, self.unsolvable)
    }

    /// Has [`Self::close`] note these states as those without a distance, if the job is complete then.
    pub fn note_unsolvable(&mut self, unsolvable: Unsolvable) {
        self.unsolvable = Some(unsolvable);
    }

    /// Closes a job whose depths are distances to the goal. Also notes the states without a distance.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn close_with(&mut self, complete: bool, generated: u64, unsolvable: Option<Unsolvable>) -> Result<()> {
        // All depths are saved already, so only the completion may be new.
        if self.manifest.complete == complete {
            return Ok(());
        }
        // A complete job does not depend on the limits of its runs, so it has no last depth.
        let max_depth = if complete { None } else { self.manifest.max_depth };
        let partial = self.manifest.partial.clone().filter(|_| !complete);
        let generated = if complete { generated } else { 0 };
        let mut manifest = Manifest { max_depth, complete, generated, unsolvable, partial, ..self.manifest.clone() };
        // No process drives a job that has all states and values it was begun for, so its epoch is 0.
        if manifest.is_whole() {
            manifest.epoch = 0;
        }
        self.save(manifest)?;
        self.remove_leftovers();
        Ok(())
    }

    /// Makes `stage` the job's stage of values.
    pub(super) fn save_values(&mut self, stage: ValuesStage) -> Result<()> {
        self.save(Manifest { values: Some(stage), ..self.manifest.clone() })
    }

    /// The files that were written and count from the next manifest on.
    pub(super) fn written(&self) -> Vec<FileEntry> {
        self.staged.clone()
    }

    /// Writes the manifest. The files that it names are the job from then on.
    pub(super) fn save(&mut self, manifest: Manifest) -> Result<()> {
        // The limit of bytes does not hold for the manifest. It takes a few hundred bytes for each depth, and without
        // it everything else is lost.
        self.disk.set_left(u64::MAX);
        self.disk.write(MANIFEST, |to| to.write_all(manifest.to_text().as_bytes()))?;
        self.manifest = manifest;
        self.reckon();
        Ok(())
    }

    /// The error for a depth whose files do not hold the states that its entry counts.
    pub fn lacks(&self, depth: usize) -> Error {
        let folder = self.disk.folder().display();
        Error::Corrupt(format!("{folder}: the files of depth {depth} do not hold what it counts; the job is damaged"))
    }

    /// Returns `true` if a depth has a file of a kind.
    pub fn has(&self, depth: usize, kind: Kind) -> bool {
        self.file(depth, kind).is_some()
    }

    pub(super) fn file(&self, depth: usize, kind: Kind) -> Option<&FileEntry> {
        let name = FileName { depth: depth as u64, run: None, sending: None, kind }.to_string();
        let depths = &self.manifest.depths;
        let files = match &self.manifest.values {
            Some(stage) if matches!(kind, Kind::Values | Kind::Distances) => &stage.entry(depth, depths.len())?.files,
            _ => &depths.get(depth)?.files,
        };
        files.iter().find(|file| file.name == name)
    }
}
