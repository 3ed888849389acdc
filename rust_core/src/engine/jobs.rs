//! Begins, resumes, checks and reads jobs: enumerations that are kept in a folder.

use std::path::Path;
use std::sync::Arc;

use super::choice::Choice;
use super::compiled::Engine;
use super::indexed_rules::IndexedRules;
use super::machine::Machine;
use super::word_width::{self, MOST_WORD_BITS};
use crate::dense::{Dense, Tuning};
use crate::error::{Error, Result};
use crate::job::{
    ARRAYS, Definition, DepthEntry, Encoding, Job, JobPlace, Manifest, NewJob, SNAPSHOT, ShardPlaces, Subject,
    ValuesStage, free_bytes, is_locked, missing,
};
use crate::rules::Varying;
use crate::run::{Options, Report, Store};

/// The folder of a job, and what the manifest notes about the source of the rules.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobFolder {
    /// The folder, and the disk on which it is.
    pub place: JobPlace,
    /// `true` if the folder holds a job that is to be resumed.
    pub resume: bool,
    /// `true` if a resumed job is to forget the part that it has kept of a depth that is not done, for example because
    /// a file of that part was lost.
    pub drop_partial: bool,
    /// The puzzle's text id.
    pub puzzle: String,
    /// The plugin that defines the puzzle; empty if there is none.
    pub plugin: String,
    /// The plugin's version.
    pub plugin_version: String,
    /// The data with which states are written and drawn, as JSON that the engine only keeps; it may be empty.
    pub shown: String,
}

impl JobFolder {
    /// The folder.
    pub fn folder(&self) -> &Path {
        self.place.folder()
    }

    /// `true` if the folder holds a job.
    pub(super) fn has_job(&self) -> bool {
        Manifest::is_in(self.folder())
    }
}

/// A job that is open: its files, its options, its store with a perfect index if it has one, and the rules compiled for
/// it.
pub(super) struct Opened {
    pub job: Job,
    pub options: Options,
    pub choice: Choice,
    /// The compiled rules whose words have the form of the words in the files.
    pub machine: Arc<dyn Machine>,
}

impl Engine {
    pub(super) fn begin(&self, options: &Options, folder: &JobFolder, values: Option<ValuesStage>) -> Result<Opened> {
        // The store is chosen as for all depths, because a job that stops at some depth may go on from there.
        // Arrays on disk are not begun if the disk has no room for them.
        let room = &Options { disk: options.disk.min(free_bytes(folder.folder())), ..*options };
        let choice = self.choose(room, None, true)?;
        let machine = Arc::clone(&self.machine);
        let subject = self.subject(folder, options, choice.store(), &*machine);
        let snapshots = choice.dense.as_ref().is_some_and(|dense| dense.keeps_snapshot(options));
        let in_place = choice.dense.as_ref().is_some_and(|dense| dense.keeps_arrays(room));
        let keeps = match (in_place, snapshots) {
            (true, _) => ARRAYS.to_owned(),
            (false, true) => SNAPSHOT.to_owned(),
            (false, false) => String::new(),
        };
        let subject = Subject { cut: choice.dense.as_ref().map(Dense::cut), keeps, ..subject };
        let new = NewJob { values, max_depth: options.max_depth, ..self.new_job(folder, subject) };
        let job = Job::begin(&folder.place, new)?;
        Ok(Opened { job, options: *options, choice, machine })
    }

    /// A new job that holds the rules and the text of their puzzle.
    pub(super) fn new_job(&self, folder: &JobFolder, subject: Subject) -> NewJob {
        let puzzle = Definition::text(&folder.puzzle, &self.text, &folder.shown);
        NewJob { puzzle: Some(puzzle), ..NewJob::of(subject) }
    }

    pub(super) fn resume(&self, options: &Options, folder: &JobFolder) -> Result<Opened> {
        let check = |manifest: &Manifest| {
            self.is_ours(manifest, folder)?;
            undivided(folder.folder(), &manifest.subject)
        };
        let mut job = Job::resume(&folder.place, check)?;
        if folder.drop_partial {
            if job.manifest().subject.keeps_snapshot() {
                return Err(Error::Job(
                    "the job keeps one snapshot and no depths, so nothing would be left without it; resume it without \
                     --drop-partial, or begin it again"
                        .to_owned(),
                ));
            }
            job.drop_partial()?;
        }
        let options = of_manifest(options, job.manifest())?;
        let machine = self.machine_of_job(job.manifest())?;
        let dense = Self::index_of(&*machine, &options, job.manifest())?;
        if let Some(dense) = &dense {
            let subject = &job.manifest().subject;
            if subject.keeps_arrays() {
                dense.check_memory_beside(&options)?;
            } else {
                dense.check_memory(&options, !subject.keeps_snapshot())?;
            }
        }
        Ok(Opened { job, options, choice: Choice { dense, reason: "that of the job".to_owned() }, machine })
    }

    /// Opens a job to read it. Another process may go on with the job meanwhile.
    pub(super) fn look(&self, options: &Options, folder: &JobFolder) -> Result<Opened> {
        let mut job = Job::look(&folder.place, |manifest| self.is_ours(manifest, folder))?;
        if job.manifest().subject.is_divided() {
            let shards = shards_of(folder.folder(), job.manifest())?;
            job.attach(shards);
        }
        let options = of_manifest(options, job.manifest())?;
        let machine = self.machine_of_job(job.manifest())?;
        let dense = Self::index_of(&*machine, &options, job.manifest())?;
        Ok(Opened { job, options, choice: Choice { dense, reason: String::new() }, machine })
    }

    /// The subject of a job of these rules.
    pub(super) fn subject(
        &self,
        folder: &JobFolder,
        options: &Options,
        store: Store,
        machine: &dyn Machine,
    ) -> Subject {
        let rules = self.rules();
        Subject {
            puzzle: folder.puzzle.clone(),
            plugin: folder.plugin.clone(),
            plugin_version: folder.plugin_version.clone(),
            rules: self.fingerprint.clone(),
            backward: self.counts_back(),
            symmetry: options.symmetry,
            symmetry_order: machine.symmetry_order(options),
            store: store.name().to_owned(),
            cut: None,
            keeps: String::new(),
            encoding: encoding_of(machine),
            word_bits: machine.word_bits(),
            outcomes: rules.outcomes.clone(),
            shards: None,
            shard: None,
        }
    }

    /// Refuses a job that counts something else than this engine.
    pub(super) fn is_ours(&self, manifest: &Manifest, folder: &JobFolder) -> Result<()> {
        let options = of_manifest(&Options::default(), manifest)?;
        let machine = match self.machine_of_job(manifest) {
            // The job may have other rules. Then its list of cells may make no sense for these rules. The check below
            // reports this with a clearer message: that the rules differ.
            Err(_) if manifest.subject.rules != self.fingerprint => Arc::clone(&self.machine),
            machine => machine?,
        };
        manifest.subject.check(&self.subject(folder, &options, options.store, &*machine))
    }

    /// The compiled rules (machine) whose words have the form of the words in a job's files. Another version of the
    /// engine may have written them, which found more cells that vary, or fewer.
    pub(super) fn machine_of_job(&self, manifest: &Manifest) -> Result<Arc<dyn Machine>> {
        let (encoding, words) = (&manifest.subject.encoding, manifest.subject.word_bits);
        if encoding_of(&*self.machine) == *encoding || !(1..=2).contains(&encoding.word_layout) {
            // A layout that this version does not know is refused later, when the subjects are compared.
            return Ok(Arc::clone(&self.machine));
        }
        let rules = self.structure.rules();
        let varying = match encoding.word_layout {
            1 => Some(Varying::whole(rules)),
            _ => Varying::given(rules, &encoding.cells, &encoding.symbols),
        };
        let varying = varying.ok_or_else(|| {
            Error::Corrupt("the manifest lists cells that do not tell a state; the job is damaged".to_owned())
        })?;
        word_width::narrowest(&self.structure, varying, words.min(MOST_WORD_BITS))
    }

    /// The perfect index of a job's files, made with the cut in its manifest; `None` if the job is of the sparse store.
    pub(super) fn index_of(machine: &dyn Machine, options: &Options, manifest: &Manifest) -> Result<Option<Dense>> {
        if options.store != Store::Dense {
            return Ok(None);
        }
        let cut = manifest.subject.cut.as_ref().ok_or_else(|| {
            Error::Corrupt("the manifest does not say how a perfect index is cut; the job is damaged".to_owned())
        })?;
        let IndexedRules { structure, varying } = machine.indexed();
        let symmetries = structure.counted_by(options.symmetry);
        let index = Dense::of_cut(structure, symmetries, cut, Tuning::new(options.grain))?.over(varying);
        index.check_addresses(manifest.depths.len() as u64)?;
        Ok(Some(index))
    }

    /// The puzzle of the job in a folder, as data: the rules, and the data with which states are written and drawn.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the folder holds no job, [`Error::Corrupt`] if a file has changed since it was written.
    pub fn job_definition(folder: &Path) -> Result<Definition> {
        Definition::of_folder(folder)
    }

    /// The manifest of the job in a folder.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the folder holds no job, [`Error::Corrupt`] if the manifest has changed since it was written.
    pub fn job_status(folder: &Path) -> Result<Manifest> {
        Manifest::of_folder(folder)
    }

    /// `true` if a process works on the job in a folder; `None` if that cannot be determined, as without a lock file.
    pub fn job_is_running(folder: &Path) -> Option<bool> {
        is_locked(folder)
    }
}

/// The form in which the words of compiled rules are written in files.
fn encoding_of(machine: &dyn Machine) -> Encoding {
    let varying = machine.varying();
    if varying.is_whole() {
        return Encoding::default();
    }
    let (cells, symbols) = (varying.cells.clone(), varying.symbols.clone());
    Encoding { word_layout: 2, cells, symbols, ..Encoding::default() }
}

/// The given options, but with the job's store and symmetry, and with its last depth if the options name none.
pub(super) fn of_manifest(options: &Options, manifest: &Manifest) -> Result<Options> {
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

/// Refuses to resume in one process a job that is divided into shards. Several processes work on such a job.
fn undivided(folder: &Path, subject: &Subject) -> Result<()> {
    match (subject.shards, subject.shard) {
        (None, _) => Ok(()),
        (Some(shards), None) => Err(Error::Job(format!(
            "{} holds a job of {shards} shards; resume it on processes:{shards}",
            folder.display()
        ))),
        (Some(shards), Some(shard)) => Err(Error::Job(format!(
            "{} holds shard {shard} of a job of {shards}; resume the whole job, in the folder that --out named",
            folder.display()
        ))),
    }
}

/// The jobs of all shards of a job, each cut to the depths of the whole job. Refuses shards that together do not have
/// the states that the job counts.
fn shards_of(folder: &Path, manifest: &Manifest) -> Result<Vec<Job>> {
    let (depths, every) = (manifest.depths.len(), 0..manifest.subject.shards.unwrap_or(0));
    let here = "not on this machine";
    let places = match ShardPlaces::new(folder, manifest) {
        // The error says that this machine lacks the variable that names its disk. So it has no shard's folder.
        Err(_) if depths > 0 => return Err(missing(manifest, &every.collect::<Vec<u64>>(), here)),
        Err(_) => return Ok(Vec::new()),
        Ok(places) => places,
    };
    let lost = |shard: u64| {
        Error::Corrupt(format!(
            "{} does not hold what the job counts of shard {shard}; put back a copy of it, or begin the job anew",
            places.shard(shard).display()
        ))
    };
    let (mut shards, mut elsewhere) = (Vec::new(), Vec::new());
    for shard in every {
        let check = |found: &Manifest| {
            let ours = found.subject == manifest.subject.of_shard(shard);
            if ours && found.depths.len() >= depths { Ok(()) } else { Err(lost(shard)) }
        };
        let mut job = match Job::look(&JobPlace::new(places.shard(shard)), check) {
            Err(Error::Job(_)) if depths == 0 => continue,
            Err(Error::Job(_)) if manifest.local.is_some() => {
                elsewhere.push(shard);
                continue;
            }
            Err(Error::Job(_)) => return Err(lost(shard)),
            job => job?,
        };
        // A shard may have one depth more than the whole job.
        job.forget_depths(depths);
        shards.push(job);
    }
    if !elsewhere.is_empty() {
        return Err(missing(manifest, &elsewhere, here));
    }
    for (depth, entry) in manifest.depths.iter().enumerate() {
        let parts: Vec<&DepthEntry> = shards.iter().map(|job| &job.manifest().depths[depth]).collect();
        let together = DepthEntry::together(depth as u64, entry.ended.len(), manifest.subject.symmetry_order, &parts);
        let bytes = entry.bytes.map(|_| DepthEntry::bytes_of(&parts));
        if together.map(|together| DepthEntry { bytes, ..together }).as_ref() != Some(entry) {
            return Err(Error::Corrupt(format!(
                "the shards in {} do not hold together what the job counts of depth {depth}; the job is damaged",
                folder.display()
            )));
        }
    }
    Ok(shards)
}

/// The data with which states are written and drawn, read from the job in `folder`. A job inside this folder gets the
/// same data. It is read from the folder because a caller who resumes the outer job does not give it.
pub(super) fn shown_of(folder: &JobFolder) -> Result<String> {
    Ok(Definition::of_folder(folder.folder())?.shown.to_string())
}

/// The report of a job that is complete.
pub(super) fn report_of(manifest: &Manifest, choice: Choice) -> Report {
    Report { store: choice.store(), reason: choice.reason, ..manifest.report() }
}
