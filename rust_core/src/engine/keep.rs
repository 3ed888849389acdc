//! Jobs: enumerations that are kept in a folder.

use std::path::{Path, PathBuf};

use super::Engine;
use crate::error::{Error, Result};
use crate::job::{Fault, Job, Manifest, Subject, is_locked};
use crate::rules::{Rules, Symmetry};
use crate::run::{Options, Report, Store, Watch};

/// Where an enumeration is kept, and what is noted of where its rules come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keep {
    /// The folder.
    pub folder: PathBuf,
    /// Whether the folder holds a job to go on with.
    pub resume: bool,
    /// Whether what the job has of a depth that is not done is forgotten: after one of those files was lost, say.
    pub drop_partial: bool,
    /// The puzzle's text id.
    pub puzzle: String,
    /// The plugin that brings the puzzle, and its version; empty where there is none.
    pub plugin: String,
    /// The plugin's version.
    pub plugin_version: String,
}

/// What a machine needs to open a job.
pub(super) struct Keeping<'a> {
    pub keep: &'a Keep,
    pub rules: String,
    pub fault: Option<Fault>,
}

impl Keeping<'_> {
    /// What the job counts.
    fn subject(
        &self,
        rules: &Rules,
        symmetries: &[Symmetry],
        (store, index): (Store, &str),
        word_bits: usize,
        options: &Options,
    ) -> Subject {
        Subject {
            puzzle: self.keep.puzzle.clone(),
            plugin: self.keep.plugin.clone(),
            plugin_version: self.keep.plugin_version.clone(),
            rules: self.rules.clone(),
            backward: rules.backward,
            symmetry: options.symmetry,
            symmetry_order: symmetries.len(),
            store: store.name().to_owned(),
            index: index.to_owned(),
            word_bits,
            outcomes: rules.outcomes.clone(),
        }
    }

    /// Opens the job to read it, whatever its index.
    pub fn look(
        &self,
        rules: &Rules,
        symmetries: &[Symmetry],
        store: Store,
        word_bits: usize,
        options: &Options,
    ) -> Result<Job> {
        Job::look(&self.keep.folder, &self.subject(rules, symmetries, (store, ""), word_bits, options))
    }

    /// Opens the job.
    pub fn open(
        self,
        rules: &Rules,
        symmetries: &[Symmetry],
        store: (Store, &str),
        word_bits: usize,
        options: &Options,
    ) -> Result<Job> {
        let subject = self.subject(rules, symmetries, store, word_bits, options);
        if !self.keep.resume {
            let mut job = Job::begin(&self.keep.folder, subject, options.max_depth, self.fault)?;
            job.set_room(options.disk);
            return Ok(job);
        }
        let mut job = Job::resume(&self.keep.folder, &subject, self.fault)?;
        if self.keep.drop_partial {
            job.drop_partial()?;
        }
        job.set_room(options.disk);
        Ok(job)
    }
}

impl Engine {
    /// Enumerates as [`Self::enumerate`] does, and keeps each depth in a folder as soon as it is done. Whatever ends the run,
    /// it can go on from the last depth that was kept, and then writes the same files as if nothing had happened.
    ///
    /// To resume, the store and whether symmetries are used come from the folder, and so does the last depth where the options
    /// name none.
    ///
    /// # Errors
    ///
    /// As [`Self::enumerate`]; [`Error::Job`] where the job cannot be begun or gone on with, [`Error::Disk`] where a file
    /// cannot be written, [`Error::Corrupt`] where one is not what was written.
    pub fn enumerate_job(&self, options: &Options, keep: &Keep, watch: Watch) -> Result<Report> {
        self.enumerate_faulty(options, keep, None, watch)
    }

    /// The same with a disk that fails, for tests.
    pub(crate) fn enumerate_faulty(
        &self,
        options: &Options,
        keep: &Keep,
        fault: Option<Fault>,
        watch: Watch,
    ) -> Result<Report> {
        let options = Self::of_job(options, keep)?;
        let keeping = Keeping { keep, rules: self.fingerprint.clone(), fault };
        self.machine.enumerate(&options, Some(keeping), watch)
    }

    /// Checks a job: every file against its checksum, every state for its place and its kind, and every count. Tells what the
    /// folder says.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] where anything is not as it should be, [`Error::Job`] where the folder holds no job or another
    /// process works on it, [`Error::Stopped`] where the watch said so.
    pub fn verify_job(&self, memory: u64, keep: &Keep, watch: Watch) -> Result<Manifest> {
        let keep = Keep { resume: true, ..keep.clone() };
        let options = Self::of_job(&Options { memory, ..Options::default() }, &keep)?;
        let keeping = Keeping { keep: &keep, rules: self.fingerprint.clone(), fault: None };
        self.machine.verify(&options, keeping, watch)
    }

    /// The options with what a job to resume was begun with.
    pub(super) fn of_job(options: &Options, keep: &Keep) -> Result<Options> {
        let mut options = *options;
        if keep.resume {
            let manifest = Manifest::of_folder(&keep.folder)?;
            options.symmetry = manifest.subject.symmetry;
            options.max_depth = options.max_depth.or(manifest.max_depth);
            options.store = match manifest.subject.store.as_str() {
                "dense" => Store::Dense,
                "sparse" => Store::Sparse,
                other => {
                    return Err(Error::Corrupt(format!(
                        "the manifest names the store \"{other}\"; the job is damaged"
                    )));
                }
            };
        }
        Ok(options)
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
