//! A job: an enumeration that keeps its depths in a folder, so that it can resume after any interruption.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use super::blocks::Parts;
use super::codec::{WordsReader, WordsWriter, read_array, write_array};
use super::depth_entry::{DepthEntry, Partial};
use super::disk::{Disk, FileEntry, JobPlace, NewFile, Reader, make_durably};
use super::kinds::{FileName, Kind};
use super::local::LocalShards;
use super::lock::{LOCK, lock};
use super::manifest::{DEFINITION, MANIFEST, Manifest};
use super::stage::ValuesStage;
use super::subject::Subject;
use crate::compile::Word;
use crate::error::{Error, Result};
use crate::run::Unsolvable;

/// The remedy in the message if a file of a job cannot be written.
pub(super) fn remedy(folder: &Path) -> &'static str {
    if folder.join(MANIFEST).is_file() {
        "what the job had is kept: make room, or mend the disk, and resume it"
    } else {
        "nothing is kept yet: make room, or mend the disk, and begin it again"
    }
}

/// The folder of a job. If this process may change it, no other process may.
#[derive(Debug)]
pub struct Job {
    pub(super) disk: Disk,
    pub(super) manifest: Manifest,
    /// The files of the depth that is being written.
    pub(super) staged: Vec<FileEntry>,
    /// The most bytes that the folder may take.
    pub(super) room: u64,
    /// The jobs of the shards, if this one is divided and was opened to be read.
    pub(super) shards: Vec<Job>,
    /// The folder with the runs that other shards have sent, if that is not the job's own.
    pub(super) inbox: Option<Disk>,
    /// The lock that keeps other processes away, if this one may change the job.
    pub(super) lock: Option<File>,
}

/// A job that is to be begun.
pub struct NewJob {
    /// The subject of the count.
    pub subject: Subject,
    /// The text of its puzzle, as [`super::Definition::text`] makes it; the job of one shard has none.
    pub puzzle: Option<String>,
    /// The last depth to find; `None` stands for all depths.
    pub max_depth: Option<u64>,
    /// The stage of values, if the job goes on with the values of all states once it has these.
    pub values: Option<ValuesStage>,
    /// The places of the shards' folders, if the job is divided into shards and these folders are on the disks of
    /// machines.
    pub local: Option<LocalShards>,
}

impl NewJob {
    /// A job that counts all states, without a puzzle.
    pub fn of(subject: Subject) -> Self {
        Self { subject, puzzle: None, max_depth: None, values: None, local: None }
    }
}

impl Job {
    /// Begins a job in a folder that does not exist yet, or is empty.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the folder holds anything or cannot be made, [`Error::Disk`] if it cannot be written.
    pub fn begin(place: &JobPlace, new: NewJob) -> Result<Self> {
        let NewJob { subject, puzzle, max_depth, values, local } = new;
        let manifest = Manifest { local, values, ..Manifest::of_new(subject, max_depth) };
        Self::begin_as(place, manifest, puzzle.as_deref())
    }

    fn begin_as(place: &JobPlace, mut manifest: Manifest, puzzle: Option<&str>) -> Result<Self> {
        let folder = place.folder();
        let refused = |what: String| Error::Job(format!("{} {what}", folder.display()));
        if folder.as_os_str().is_empty() {
            return Err(Error::Job("the folder has no name; give one".to_owned()));
        }
        make_durably(folder).map_err(|error| refused(format!("cannot be made: {error}; give another folder")))?;
        // Files that a run leaves if it is killed before its first manifest.
        let begun = |name: &str| [LOCK, DEFINITION, MANIFEST].contains(&name.strip_suffix(".new").unwrap_or(name));
        let check = || {
            if folder.join(MANIFEST).symlink_metadata().is_ok() {
                return Err(refused("holds a job already; resume it, or give another folder".to_owned()));
            }
            let held = std::fs::read_dir(folder).map_err(|error| refused(format!("cannot be read: {error}")))?;
            for entry in held {
                let name = entry.map_err(|error| refused(format!("cannot be read: {error}")))?.file_name();
                if !name.to_str().is_some_and(begun) {
                    return Err(refused(format!("holds {}; give an empty folder", name.display())));
                }
            }
            Ok(())
        };
        check()?;
        let lock = lock(folder)?;
        // This checks again, because another process may have written files before this one had the lock.
        check()?;
        let disk = Disk::new(place, remedy);
        if let Some(puzzle) = puzzle {
            manifest.definition = Some(disk.write(DEFINITION, |to| to.write_all(puzzle.as_bytes()))?);
        }
        let mut job = Self {
            disk,
            manifest: manifest.clone(),
            staged: Vec::new(),
            room: u64::MAX,
            shards: Vec::new(),
            inbox: None,
            lock: Some(lock),
        };
        job.save(manifest)?;
        Ok(job)
    }

    /// Resumes a job that passes a check.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the folder holds no job, if another process works on it, or if the check refuses it;
    /// [`Error::Corrupt`] if it is damaged.
    pub fn resume(place: &JobPlace, check: impl FnOnce(&Manifest) -> Result<()>) -> Result<Self> {
        let folder = place.folder();
        if !folder.is_dir() {
            return Err(Error::Job(format!("{} is no folder; give that of a job", folder.display())));
        }
        // A folder without a job gets no lock either.
        Manifest::exists(folder)?;
        let lock = lock(folder)?;
        let manifest = Manifest::of_folder(folder)?;
        check(&manifest)?;
        let job = Self {
            disk: Disk::new(place, remedy),
            manifest,
            staged: Vec::new(),
            room: u64::MAX,
            shards: Vec::new(),
            inbox: None,
            lock: Some(lock),
        };
        job.sweep();
        Ok(job)
    }

    /// Opens a job to read it. Other processes may find more depths in the meantime.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::resume`], except that other processes may work on the job.
    pub fn look(place: &JobPlace, check: impl FnOnce(&Manifest) -> Result<()>) -> Result<Self> {
        let manifest = Manifest::of_folder(place.folder())?;
        check(&manifest)?;
        let disk = Disk::new(place, remedy);
        Ok(Self { disk, manifest, staged: Vec::new(), room: u64::MAX, shards: Vec::new(), inbox: None, lock: None })
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The jobs that have the states: those of the shards, or this one.
    pub fn parts(&self) -> &[Self] {
        if self.manifest.subject.is_divided() { &self.shards } else { std::slice::from_ref(self) }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        self.disk.folder()
    }

    /// Writes a file of a depth that is done, which counts from the next manifest on that names it.
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

    /// Writes a file that no manifest names yet.
    pub(super) fn write_named(
        &self,
        name: FileName,
        content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<FileEntry> {
        self.disk.write(&name.to_string(), content)
    }

    /// The files that were written and count from now on.
    pub(super) fn take_staged(&mut self) -> Vec<FileEntry> {
        std::mem::take(&mut self.staged)
    }

    /// A file of a depth that is done, to read any part of it.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if there is none, or it has another size.
    pub fn parts_of(&self, depth: usize, kind: Kind) -> Result<Parts> {
        let entry = self.file(depth, kind).ok_or_else(|| self.lacks(depth))?;
        self.in_parts(entry)
    }

    /// A file of which any part is to be read.
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

    /// Tells the disk the number of bytes that are left.
    pub(super) fn reckon(&self) {
        let here = self.manifest.files().filter(|file| self.inbox_of(file).is_none());
        let held = here.map(|file| file.bytes).sum();
        self.disk.set_left(self.room.saturating_sub(held));
    }

    /// Writes a file of the next depth: sorted words.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write_words<W: Word>(&mut self, kind: Kind, words: &[W]) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let mut file = self.new_words(kind)?;
        file.write(self, &[words])?;
        file.keep(self)
    }

    /// Writes a run: sorted words of one kind, which are some of the words of the next depth.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write_run<W: Word>(&mut self, kind: Kind, words: &[W]) -> Result<()> {
        if words.is_empty() {
            return Ok(());
        }
        let mut file = self.new_run(kind)?;
        file.write(self, &[words])?;
        file.keep(self)
    }

    /// Begins a file of the next depth, for words that come in order.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn new_words<W: Word>(&self, kind: Kind) -> Result<NewWords<W>> {
        self.begin_words(self.name(kind))
    }

    /// Begins a run of the next depth, for words that come in order.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn new_run<W: Word>(&self, kind: Kind) -> Result<NewWords<W>> {
        self.begin_words(self.run_name(kind))
    }

    fn begin_words<W: Word>(&self, name: FileName) -> Result<NewWords<W>> {
        let file = self.disk.create(&name.to_string())?;
        Ok(NewWords { file, words: WordsWriter::new() })
    }

    /// Writes a file of the next depth: an array of bits.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write_array(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_bits(self.name(Kind::States), bytes)
    }

    fn write_bits(&mut self, name: FileName, bytes: &[u8]) -> Result<()> {
        let entry = self.disk.write(&name.to_string(), |to| write_array(bytes, to))?;
        self.staged.push(entry);
        Ok(())
    }

    /// Writes a file of a part of the next depth: the beginning of an array of bits. Each such file has another name.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write_part(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_bits(self.run_name(Kind::Part), bytes)
    }

    /// Reads the files that [`Self::write_part`] wrote of an array of `bytes` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`], also if the job keeps something else of the depth.
    pub fn read_part(&self, bytes: usize, found: impl FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        match &self.partial().files[..] {
            [entry] => read_array(self.read_piece(entry)?, bytes, found),
            _ => Err(self.lacks(self.manifest.depths.len())),
        }
    }

    /// Compares the files of the depth that is not done with their checksums.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn check_partial(&self) -> Result<()> {
        self.partial().files.iter().try_for_each(|entry| self.read_piece(entry)?.skip())
    }

    /// A file of the depth that is not done, to be read to its end. If it is damaged, all whole depths are still there.
    pub(super) fn read_piece(&self, entry: &FileEntry) -> Result<Reader> {
        let remedy = "the depths before are whole: resume with --drop-partial, which begins this depth again";
        self.inbox_of(entry).unwrap_or(&self.disk).read(entry, remedy)
    }

    /// The inbox, if a file is there rather than in the job's own folder: a run that another shard has sent.
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
            self.sweep();
        }
        let spreads = |stage: &ValuesStage| stage.spread.is_some() || stage.tiers.is_some();
        if let Some(stage) = self.manifest.values.clone().filter(spreads) {
            self.save_values(ValuesStage { spread: None, tiers: None, ..stage })?;
            self.sweep();
        }
        Ok(())
    }

    /// The name of a file of the next depth.
    fn name(&self, kind: Kind) -> FileName {
        FileName { depth: self.manifest.depths.len() as u64, run: None, sending: None, kind }
    }

    /// The name of the next piece of the next depth.
    fn run_name(&self, kind: Kind) -> FileName {
        FileName { run: Some(self.next_run()), ..self.name(kind) }
    }

    /// The pieces of one kind that are kept of the depth that is not done.
    pub fn runs(&self, kind: Kind) -> Vec<FileEntry> {
        let of_kind = |file: &&FileEntry| FileName::read(&file.name).is_some_and(|name| name.kind == kind);
        self.manifest.partial.iter().flat_map(|partial| partial.files.iter().filter(of_kind).cloned()).collect()
    }

    /// Makes the written files a depth of the job. The manifest is written last.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub(super) fn commit_written(&mut self, entry: DepthEntry) -> Result<()> {
        let mut manifest = self.manifest.clone();
        manifest.depths.push(DepthEntry { files: std::mem::take(&mut self.staged), ..entry });
        manifest.partial = None;
        self.save(manifest)?;
        self.sweep();
        Ok(())
    }

    /// Forgets written files that are not part of the job yet.
    pub fn unstage(&mut self) {
        self.staged.clear();
        self.sweep();
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
    pub fn commit_partial(&mut self, expanded: u64, generated: u64, keeps: impl Fn(&str) -> bool) -> Result<()> {
        let mut partial = self.partial();
        partial.files.retain(|file| keeps(&file.name));
        partial.runs = self.next_run();
        partial.files.append(&mut self.staged);
        (partial.expanded, partial.generated) = (expanded, generated);
        let manifest = Manifest { partial: Some(partial), ..self.manifest.clone() };
        if manifest.subject.shard.is_some() {
            // The runs that a shard was sent are not durable, so no manifest on disk names them. A process that begins
            // the depth again gets other runs.
            self.manifest = manifest;
            self.reckon();
        } else {
            self.save(manifest)?;
        }
        self.sweep();
        Ok(())
    }

    /// The number of the next file of the depth that is not done.
    pub(super) fn next_run(&self) -> u64 {
        self.manifest.partial.as_ref().map_or(0, |partial| partial.runs).saturating_add(self.staged.len() as u64)
    }

    /// Removes files of interrupted runs: of depths that the manifest does not name.
    pub(super) fn sweep(&self) {
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
        self.sweep();
        Ok(())
    }

    /// Leaves out all but the first depths, for a reader.
    pub fn forget_depths(&mut self, count: usize) {
        self.manifest.depths.truncate(count);
        self.manifest.partial = None;
    }

    /// Lets other processes work on the job. This one may not change it any more.
    pub fn unlock(&mut self) {
        drop(self.lock.take());
    }

    /// Notes that the job is complete, and the number of its successors; or that it is not, and its last depth to find.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn close(&mut self, complete: bool, generated: u64) -> Result<()> {
        self.close_with(complete, generated, None)
    }

    /// Closes a job whose depths are distances to the goal: notes the states without one as well.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn close_with(&mut self, complete: bool, generated: u64, unsolvable: Option<Unsolvable>) -> Result<()> {
        // All earlier finds are saved. Only this is new.
        if self.manifest.complete == complete {
            return Ok(());
        }
        // A complete job is the same whatever its limits were.
        let max_depth = if complete { None } else { self.manifest.max_depth };
        let partial = self.manifest.partial.clone().filter(|_| !complete);
        let generated = if complete { generated } else { 0 };
        // No process drives a complete job.
        let epoch = if complete { 0 } else { self.manifest.epoch };
        self.save(Manifest { max_depth, complete, generated, epoch, unsolvable, partial, ..self.manifest.clone() })?;
        self.sweep();
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
        // The manifest is not limited. It takes a few hundred bytes for each depth, and without it everything else is
        // lost.
        self.disk.set_left(u64::MAX);
        self.disk.write(MANIFEST, |to| to.write_all(manifest.to_text().as_bytes()))?;
        self.manifest = manifest;
        self.reckon();
        Ok(())
    }

    /// Reads the words of one kind of a depth, if it has such a file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn read_words<W: Word>(
        &self,
        depth: usize,
        kind: Kind,
        mut found: impl FnMut(&[W]) -> Result<()>,
    ) -> Result<()> {
        let Some(mut reader) = self.words(depth, kind)? else { return Ok(()) };
        let mut words = Vec::new();
        while reader.next(&mut words)? {
            found(&words)?;
            words.clear();
        }
        Ok(())
    }

    /// The words of one kind of a depth, if it has such a file.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn words<W: Word>(&self, depth: usize, kind: Kind) -> Result<Option<WordsReader<W>>> {
        self.file(depth, kind).map(|entry| Ok(WordsReader::new(self.read(entry)?))).transpose()
    }

    /// The words of a piece of the depth that is not done.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn words_of<W: Word>(&self, entry: &FileEntry) -> Result<WordsReader<W>> {
        Ok(WordsReader::new(self.read_piece(entry)?))
    }

    /// Reads an array of `bytes` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`], also if the depth has no such file.
    pub fn read_array(&self, depth: usize, bytes: usize, found: impl FnMut(usize, &[u8]) -> Result<()>) -> Result<()> {
        let entry = self.file(depth, Kind::States).ok_or_else(|| self.lacks(depth))?;
        read_array(self.read(entry)?, bytes, found)
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

    fn file(&self, depth: usize, kind: Kind) -> Option<&FileEntry> {
        let name = FileName { depth: depth as u64, run: None, sending: None, kind }.to_string();
        let depths = &self.manifest.depths;
        let files = match &self.manifest.values {
            Some(stage) if matches!(kind, Kind::Values | Kind::Distances) => &stage.entry(depth, depths.len())?.files,
            _ => &depths.get(depth)?.files,
        };
        files.iter().find(|file| file.name == name)
    }
}

/// A file of the next depth that is being written.
pub struct NewWords<W> {
    file: NewFile,
    words: WordsWriter<W>,
}

impl<W: Word> NewWords<W> {
    /// Writes further words, in parts that follow one another.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write(&mut self, job: &Job, parts: &[impl AsRef<[W]>]) -> Result<()> {
        let parts: Vec<&[W]> = parts.iter().map(AsRef::as_ref).collect();
        let written = self.words.write_parts(&parts, &mut self.file);
        written.map_err(|error| job.disk.failed(self.file.name(), &error))
    }

    /// Makes the file part of the depth.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn keep(mut self, job: &mut Job) -> Result<()> {
        let written = self.words.finish(&mut self.file);
        written.map_err(|error| job.disk.failed(self.file.name(), &error))?;
        job.staged.push(job.disk.keep(self.file)?);
        Ok(())
    }
}
