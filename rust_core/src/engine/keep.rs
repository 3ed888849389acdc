//! Jobs: enumerations that are kept in a folder.

use std::path::PathBuf;

use super::Engine;
use crate::error::{Error, Result};
use crate::rules::{Rules, Symmetry};
use crate::search::{Options, Report, Store, Watch};
use crate::store::{Fault, Job, Manifest, Subject};

/// Where an enumeration is kept, and what is noted of where its rules come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keep {
    /// The folder.
    pub folder: PathBuf,
    /// Whether the folder holds a job to go on with.
    pub resume: bool,
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
    /// Opens the job.
    pub fn open(
        self,
        rules: &Rules,
        symmetries: &[Symmetry],
        store: Store,
        word_bits: usize,
        options: &Options,
    ) -> Result<Job> {
        let subject = Subject {
            puzzle: self.keep.puzzle.clone(),
            plugin: self.keep.plugin.clone(),
            plugin_version: self.keep.plugin_version.clone(),
            rules: self.rules,
            backward: rules.backward,
            symmetry: options.symmetry,
            symmetry_order: symmetries.len(),
            store: store.name().to_owned(),
            word_bits,
            outcomes: rules.outcomes.clone(),
        };
        if !self.keep.resume {
            return Job::begin(&self.keep.folder, subject, options.max_depth, self.fault);
        }
        let mut job = Job::resume(&self.keep.folder, &subject, self.fault)?;
        job.set_max_depth(options.max_depth);
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
    fn of_job(options: &Options, keep: &Keep) -> Result<Options> {
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
    pub fn job_status(folder: &std::path::Path) -> Result<Manifest> {
        Manifest::of_folder(folder)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::ops::ControlFlow;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Four dials in a ring that turn one way, two at a time: directed, and up to a symmetry.
    fn dials() -> Engine {
        let turn = r#"{"copy": 0, "map": {"a": "b", "b": "c", "c": "a"}}"#;
        let moves: Vec<String> = (0..4)
            .map(|at| {
                let write = |cell: usize| format!("[{cell}, {}]", turn.replace('0', &cell.to_string()));
                format!(r#"{{"name": "{at}", "then": [{}, {}]}}"#, write(at), write((at + 1) % 4))
            })
            .collect();
        engine(&format!(
            r#"{{"symbols": ["a", "b", "c"], "start": ["a", "a", "a", "a"], "moves": [{}],
                "symmetries": [{{"name": "turn", "cells": [1, 2, 3, 0]}}]}}"#,
            moves.join(", ")
        ))
    }

    /// Five tiles that change places with their neighbours: arrangements.
    fn tiles() -> Engine {
        let moves: Vec<String> = (0..4)
            .map(|at| {
                format!(
                    r#"{{"name": "{at}", "then": [[{at}, {{"copy": {}}}], [{}, {{"copy": {at}}}]]}}"#,
                    at + 1,
                    at + 1
                )
            })
            .collect();
        engine(&format!(
            r#"{{"symbols": ["a", "b", "c", "d", "e"], "start": ["a", "b", "c", "d", "e"], "moves": [{}]}}"#,
            moves.join(", ")
        ))
    }

    fn engine(json: &str) -> Engine {
        Engine::new(&serde_json::from_str(json).unwrap()).unwrap()
    }

    fn keep(folder: &Path, resume: bool) -> Keep {
        Keep { folder: folder.to_owned(), resume, puzzle: "test".to_owned(), ..Keep::default() }
    }

    fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
        entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
    }

    fn run(engine: &Engine, keep: &Keep, fault: Option<Fault>) -> Result<Report> {
        let options = Options { threads: 1, ..Options::default() };
        engine.enumerate_faulty(&options, keep, fault, &|_| ControlFlow::Continue(()))
    }

    /// Fails at every step of writing, one after the other, and goes on each time from what is there.
    fn fails_everywhere(engine: &Engine, name: &str) {
        let base = std::env::temp_dir().join(format!("puzzlekit-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&base);
        let whole = base.join("whole");
        let steps = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&steps);
        let counting: Fault = Box::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
        let report = run(engine, &keep(&whole, false), Some(counting)).unwrap();
        let expected = files(&whole);
        let steps = steps.load(Ordering::Relaxed);
        assert!(steps > 50);
        for kind in [std::io::ErrorKind::StorageFull, std::io::ErrorKind::Other] {
            for failing in 0..steps {
                let folder = base.join(format!("{failing}"));
                let count = AtomicUsize::new(0);
                let fault: Fault = Box::new(move |_| match count.fetch_add(1, Ordering::Relaxed) {
                    at if at == failing => Err(kind.into()),
                    _ => Ok(()),
                });
                let error = run(engine, &keep(&folder, false), Some(fault)).unwrap_err();
                assert!(matches!(&error, Error::Disk(text) if text.starts_with("cannot write ")), "{error}");
                // Before the first manifest there is no job yet, and it can be begun anew.
                let begun = folder.join("manifest.json").exists();
                let resumed = run(engine, &keep(&folder, begun), None).unwrap();
                assert_eq!(resumed.depths, report.depths);
                let found = files(&folder);
                assert_eq!(found, expected);
                fs::remove_dir_all(&folder).unwrap();
            }
        }
        fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn a_sparse_job_outlives_every_fault() {
        fails_everywhere(&dials(), "sparse");
    }

    #[test]
    fn a_dense_job_outlives_every_fault() {
        fails_everywhere(&tiles(), "dense");
    }
}
