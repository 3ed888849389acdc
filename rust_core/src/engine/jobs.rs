//! Jobs: enumerations that are kept in a folder, begun, gone on with, checked and read.

use std::path::{Path, PathBuf};

use super::choice::Choice;
use super::compiled::Engine;
use crate::dense::{Dense, Tuning};
use crate::error::{Error, Result};
use crate::job::{DepthEntry, Encoding, Fault, Job, Manifest, Subject, is_locked};
use crate::run::{Options, Report, Store, Watch};

/// The folder of a job, and what is noted there of where its rules come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobFolder {
    /// The folder.
    pub folder: PathBuf,
    /// Whether it holds a job to go on with.
    pub resume: bool,
    /// Whether to forget what a job to go on with has of a depth that is not done, such as after one of those files was lost.
    pub drop_partial: bool,
    /// The puzzle's text id.
    pub puzzle: String,
    /// The plugin that brings the puzzle; empty if there is none.
    pub plugin: String,
    /// The plugin's version.
    pub plugin_version: String,
}

/// A job that is open: its files, the options that it was begun with, and its perfect index if it has one.
pub(super) struct Opened {
    pub job: Job,
    pub options: Options,
    pub choice: Choice,
}

impl Engine {
    /// Enumerates as [`Self::enumerate`] does, and keeps each depth in a folder as soon as it is done. Whatever ends the run,
    /// it can go on from the last depth that was kept, and then writes the same files as if nothing had happened.
    ///
    /// To resume, the store and whether symmetries are used come from the folder, and so does the last depth if the options
    /// name none.
    ///
    /// # Errors
    ///
    /// As [`Self::enumerate`]; [`Error::Job`] where the job cannot be begun or gone on with, [`Error::Disk`] where a file
    /// cannot be written, [`Error::Corrupt`] where one is not what was written.
    pub fn enumerate_job(&self, options: &Options, folder: &JobFolder, watch: Watch) -> Result<Report> {
        self.enumerate_faulty(options, folder, None, watch)
    }

    /// The same with a disk that fails, for tests.
    pub(crate) fn enumerate_faulty(
        &self,
        options: &Options,
        folder: &JobFolder,
        fault: Option<Fault>,
        watch: Watch,
    ) -> Result<Report> {
        let opened =
            if folder.resume { self.resume(options, folder, fault) } else { self.begin(options, folder, fault) };
        let Opened { mut job, options, choice } = opened?;
        job.set_room(options.disk);
        if job.manifest().complete {
            return Ok(report_of(job.manifest(), choice));
        }
        self.machine.enumerate(&options, choice, Some(&mut job), watch)
    }

    fn begin(&self, options: &Options, folder: &JobFolder, fault: Option<Fault>) -> Result<Opened> {
        // A job that stops at some depth may go on from there.
        let choice = self.machine.choose(options, None)?;
        let subject =
            Subject { cut: choice.dense.as_ref().map(Dense::cut), ..self.subject(folder, options, choice.store()) };
        let job = Job::begin(&folder.folder, subject, options.max_depth, fault)?;
        Ok(Opened { job, options: *options, choice })
    }

    fn resume(&self, options: &Options, folder: &JobFolder, fault: Option<Fault>) -> Result<Opened> {
        let mut job = Job::resume(&folder.folder, |manifest| self.is_ours(manifest, folder), fault)?;
        if folder.drop_partial {
            job.drop_partial()?;
        }
        let options = of_manifest(options, job.manifest())?;
        let dense = self.index_of(&options, job.manifest())?;
        if let Some(dense) = &dense {
            dense.check_memory(&options)?;
        }
        Ok(Opened { job, options, choice: Choice { dense, reason: "that of the job".to_owned() } })
    }

    /// Opens a job to read it; another process may go on with it meanwhile.
    pub(super) fn look(&self, options: &Options, folder: &JobFolder) -> Result<Opened> {
        let job = Job::look(&folder.folder, |manifest| self.is_ours(manifest, folder))?;
        let options = of_manifest(options, job.manifest())?;
        let dense = self.index_of(&options, job.manifest())?;
        Ok(Opened { job, options, choice: Choice { dense, reason: String::new() } })
    }

    /// What a job of these rules counts.
    fn subject(&self, folder: &JobFolder, options: &Options, store: Store) -> Subject {
        let rules = self.rules();
        Subject {
            puzzle: folder.puzzle.clone(),
            plugin: folder.plugin.clone(),
            plugin_version: folder.plugin_version.clone(),
            rules: self.fingerprint.clone(),
            backward: rules.backward,
            symmetry: options.symmetry,
            symmetry_order: self.symmetries(options).len(),
            store: store.name().to_owned(),
            index: String::new(),
            cut: None,
            encoding: Encoding::default(),
            word_bits: self.word_bits(),
            outcomes: rules.outcomes.clone(),
        }
    }

    /// Refuses a job that counts something else.
    fn is_ours(&self, manifest: &Manifest, folder: &JobFolder) -> Result<()> {
        let options = of_manifest(&Options::default(), manifest)?;
        manifest.subject.check(&self.subject(folder, &options, options.store))
    }

    /// The perfect index by which a job's files are laid out, as its manifest says.
    fn index_of(&self, options: &Options, manifest: &Manifest) -> Result<Option<Dense>> {
        if options.store != Store::Dense {
            return Ok(None);
        }
        let (structure, symmetries, subject) = (self.structure(), self.symmetries(options), &manifest.subject);
        let index = match &subject.cut {
            Some(cut) => Some(Dense::of_cut(structure, symmetries, cut, Tuning::new(options.grain))?),
            // A job of form 1 has a digest of the layout that its version chose.
            None => {
                Dense::new(structure, symmetries, Tuning::default()).filter(|dense| dense.layout() == subject.index)
            }
        };
        let index = index.ok_or_else(|| {
            Error::Corrupt(
                "the manifest has a digest of a perfect index, and these rules have none like it; the job is damaged"
                    .to_owned(),
            )
        })?;
        index.check_addresses(manifest.depths.len() as u64)?;
        Ok(Some(index))
    }

    /// Checks a job: every file against its checksum, every state for its place and its kind, and every count. Tells what the
    /// folder says.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where anything is not as it should be, [`Error::Job`] where the folder holds no job of these rules,
    /// [`Error::Stopped`] where the watch said so.
    pub fn verify_job(&self, memory: u64, folder: &JobFolder, watch: Watch) -> Result<Manifest> {
        let Opened { job, options, choice } = self.look(&Options { memory, ..Options::default() }, folder)?;
        self.machine.verify(&options, choice.dense.as_ref(), &job, watch)?;
        let manifest = job.manifest().clone();
        let piece = self.machine.verify_piece(&options, choice.dense.as_ref(), &job, watch);
        // Another process may have gone on meanwhile: then those files are gone.
        match piece {
            Err(Error::Corrupt(_)) if Manifest::of_folder(&folder.folder)?.partial != manifest.partial => {}
            piece => piece?,
        }
        Ok(manifest)
    }

    /// What a folder says of the job that it holds.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] where it holds none, [`Error::Corrupt`] where the manifest is not what was written.
    pub fn job_status(folder: &Path) -> Result<Manifest> {
        Manifest::of_folder(folder)
    }

    /// Whether a process works on the job in a folder; `None` where that cannot be told.
    pub fn job_is_running(folder: &Path) -> Option<bool> {
        is_locked(folder)
    }
}

/// The options with what a job was begun with.
fn of_manifest(options: &Options, manifest: &Manifest) -> Result<Options> {
    let store = match manifest.subject.store.as_str() {
        "dense" => Store::Dense,
        "sparse" => Store::Sparse,
        other => {
            return Err(Error::Corrupt(format!("the manifest names the store \"{other}\"; the job is damaged")));
        }
    };
    let max_depth = options.max_depth.or(manifest.max_depth);
    Ok(Options { symmetry: manifest.subject.symmetry, max_depth, store, ..*options })
}

/// The report of a job that is complete.
fn report_of(manifest: &Manifest, choice: Choice) -> Report {
    Report {
        depths: manifest.depths.iter().map(DepthEntry::report).collect(),
        stop: None,
        store: choice.store(),
        symmetry_order: manifest.subject.symmetry_order,
        reason: choice.reason,
        generated: manifest.generated,
        seconds: 0.0,
    }
}
