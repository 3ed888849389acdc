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
    /// What the job counts.
    fn subject(
        &self,
        rules: &Rules,
        symmetries: &[Symmetry],
        store: Store,
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
            word_bits,
            outcomes: rules.outcomes.clone(),
        }
    }

    /// Opens the job to read it.
    pub fn look(
        &self,
        rules: &Rules,
        symmetries: &[Symmetry],
        store: Store,
        word_bits: usize,
        options: &Options,
    ) -> Result<Job> {
        Job::look(&self.keep.folder, &self.subject(rules, symmetries, store, word_bits, options))
    }

    /// Opens the job.
    pub fn open(
        self,
        rules: &Rules,
        symmetries: &[Symmetry],
        store: Store,
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
        job.set_max_depth(options.max_depth);
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
    use crate::search::Grain;

    /// Dials in a ring that turn one way, two at a time: directed, and up to a symmetry.
    fn dials(count: usize) -> Engine {
        let turn = r#"{"copy": 0, "map": {"a": "b", "b": "c", "c": "a"}}"#;
        let moves: Vec<String> = (0..count)
            .map(|at| {
                let write = |cell: usize| format!("[{cell}, {}]", turn.replace('0', &cell.to_string()));
                format!(r#"{{"name": "{at}", "then": [{}, {}]}}"#, write(at), write((at + 1) % count))
            })
            .collect();
        engine(&format!(
            r#"{{"symbols": ["a", "b", "c"], "start": [{}], "moves": [{}],
                "symmetries": [{{"name": "turn", "cells": {:?}}}]}}"#,
            vec![r#""a""#; count].join(", "),
            moves.join(", "),
            (1..=count).map(|cell| cell % count).collect::<Vec<_>>()
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

    fn run(engine: &Engine, options: &Options, keep: &Keep, fault: Option<Fault>) -> Result<Report> {
        engine.enumerate_faulty(options, keep, fault, &|_| ControlFlow::Continue(()))
    }

    /// One thread, and the store that the engine chooses.
    fn plain() -> Options {
        Options { threads: 1, ..Options::default() }
    }

    /// Small blocks, and runs of so many words on disk.
    fn cut(run_words: usize) -> Options {
        let grain = Some(Grain { partition_bits: 1, block_states: 3, wave_blocks: 2, run_words });
        Options { store: Store::Sparse, grain, ..plain() }
    }

    fn folder(name: &str) -> PathBuf {
        let base = std::env::temp_dir().join(format!("puzzlekit-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&base);
        base
    }

    /// Stops at every look of the watch, one after the other, and goes on each time from what is there.
    fn stops_everywhere(engine: &Engine, options: &Options, name: &str) {
        let base = folder(name);
        let report = run(engine, options, &keep(&base.join("whole"), false), None).unwrap();
        let expected = files(&base.join("whole"));
        let mut kept = 0;
        for stop in 0.. {
            let folder = base.join(format!("{stop}"));
            let looks = AtomicUsize::new(0);
            let watch = |_: &crate::Progress| match looks.fetch_add(1, Ordering::Relaxed) {
                at if at >= stop => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            };
            let first = engine.enumerate_job(options, &keep(&folder, false), &watch).unwrap();
            kept += usize::from(Engine::job_status(&folder).unwrap().partial.is_some_and(|partial| partial.runs > 0));
            let resumed = run(engine, options, &keep(&folder, true), None).unwrap();
            assert_eq!((&resumed.depths, resumed.generated), (&report.depths, report.generated), "stopped at {stop}");
            assert_eq!(files(&folder), expected, "stopped at {stop}");
            fs::remove_dir_all(&folder).unwrap();
            if first.stop.is_none() {
                break;
            }
        }
        assert!(kept > 10, "of {kept} runs something was kept within a depth");
        fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn a_job_goes_on_from_anywhere_in_a_depth() {
        stops_everywhere(&dials(6), &cut(0), "stopped");
    }

    #[test]
    fn a_job_on_disk_goes_on_from_anywhere_in_a_depth() {
        stops_everywhere(&dials(6), &cut(7), "stopped-on-disk");
    }

    #[test]
    fn what_is_kept_within_a_depth_changes_no_file() {
        let base = folder("checkpoints");
        let often = Options { checkpoint: std::time::Duration::ZERO, ..cut(0) };
        let counts = |options: &Options, name: &str| {
            run(&dials(6), options, &keep(&base.join(name), false), None).unwrap();
            files(&base.join(name))
        };
        let expected = counts(&plain(), "plain");
        assert_eq!(counts(&often, "often"), expected);
        assert_eq!(counts(&Options { checkpoint: std::time::Duration::ZERO, ..cut(1000) }, "on-disk"), expected);
        // One word a run: many are merged on the way.
        assert_eq!(counts(&cut(1), "tiny"), expected);
        fs::remove_dir_all(&base).unwrap();
    }

    #[test]
    fn files_keep_their_bound() {
        let base = folder("bound");
        let whole = run(&dials(6), &plain(), &keep(&base.join("whole"), false), None).unwrap();
        let expected = files(&base.join("whole"));
        let size = |folder: &Path| {
            let states =
                |(name, content): (&String, &Vec<u8>)| if name.starts_with("depth-") { content.len() } else { 0 };
            files(folder).iter().map(states).sum::<usize>() as u64
        };
        for options in [plain(), cut(7)] {
            for part in 1..=10 {
                let (folder, disk) = (base.join("part"), size(&base.join("whole")) * part / 10);
                match run(&dials(6), &Options { disk, ..options }, &keep(&folder, false), None) {
                    Ok(report) => assert_eq!((part, report.depths), (10, whole.depths.clone())),
                    Err(Error::Disk(text)) => assert!(text.contains("may take no more room on the disk"), "{text}"),
                    Err(other) => panic!("{other}"),
                }
                assert!(size(&folder) <= disk);
                let begun = folder.join("manifest.json").exists();
                run(&dials(6), &options, &keep(&folder, begun), None).unwrap();
                assert_eq!(files(&folder), expected);
                fs::remove_dir_all(&folder).unwrap();
            }
        }
        fs::remove_dir_all(&base).unwrap();
    }

    /// Fails at every step of writing, one after the other, and goes on each time from what is there.
    fn fails_everywhere(engine: &Engine, options: &Options, name: &str) {
        let base = folder(name);
        let whole = base.join("whole");
        let steps = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&steps);
        let counting: Fault = Box::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
            Ok(())
        });
        let report = run(engine, options, &keep(&whole, false), Some(counting)).unwrap();
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
                let error = run(engine, options, &keep(&folder, false), Some(fault)).unwrap_err();
                assert!(matches!(&error, Error::Disk(text) if text.starts_with("cannot write ")), "{error}");
                // Before the first manifest there is no job yet, and it can be begun anew.
                let begun = folder.join("manifest.json").exists();
                let resumed = run(engine, options, &keep(&folder, begun), None).unwrap();
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
        fails_everywhere(&dials(4), &plain(), "sparse");
    }

    #[test]
    fn a_sparse_job_on_disk_outlives_every_fault() {
        fails_everywhere(&dials(4), &cut(40), "sparse-on-disk");
    }

    #[test]
    fn a_dense_job_outlives_every_fault() {
        fails_everywhere(&tiles(), &plain(), "dense");
    }
}
