//! A job that is divided into shards: the driver of the job, and the work of one shard, each in a process of its own.
//!
//! The driver asks all shards for one step of a depth at a time, and adds up their counts. A depth is done when the
//! driver's manifest has it. See `docs/cluster.md`, and `sparse/shard.rs` and `dense/shard.rs` for the steps.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::compiled::Engine;
use super::jobs::{JobFolder, of_manifest};
use super::machine::Machine;
use crate::dense::{Dense, DenseShard};
use crate::error::{Error, Result};
use crate::job::{
    DepthEntry, FileEntry, Job, JobPlace, LocalShards, MOST_SHARDS, Manifest, NewJob, Outbox, Sent, ShardPlaces,
    Subject, ValuesStage, missing,
};
use crate::run::{Options, Report, Stop, Store, Watch};
use crate::sparse::ShardMemory;
use crate::structure::Window;
use crate::values::ShardValues;

/// The part of a message that says where the folder of a shard was not found. The folder is on another machine, or
/// lost.
const HERE: &str = "not on this machine";

/// The report of a shard that has expanded its last depth: the runs of the next depth that it has sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expanded {
    /// The number of successors of the states of the last depth.
    pub generated: u64,
    /// The runs that were sent, each with its receiver.
    pub sent: Vec<Sent>,
}

/// The message from which a shard makes its next depth.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Received {
    /// The number of successors of the shard's own states of the last depth.
    pub generated: u64,
    /// The runs that all shards have sent to this one.
    pub files: Vec<FileEntry>,
}

/// The job of all shards, in the one process that drives them.
pub struct ShardDriver {
    pub(super) job: Job,
    folder: PathBuf,
    options: Options,
    epoch: u64,
    /// The number of generated successors in all depths, including the one that is not done.
    generated: u64,
    /// `true` if the depth of every state follows from its cells.
    pub(super) layered: bool,
}

/// The folders of one shard.
pub struct ShardFolders {
    /// The folder in which the shard works.
    pub own: PathBuf,
    /// The folder into which other shards send runs for it; it may be the same.
    pub inbox: PathBuf,
}

/// The job of one shard, in the process that works on it.
pub struct ShardJob {
    pub(super) job: Job,
    pub(super) machine: Arc<dyn Machine>,
    pub(super) options: Options,
    folder: PathBuf,
    pub(super) places: ShardPlaces,
    pub(super) shards: u64,
    pub(super) shard: u64,
    /// The values of the states, while they are being found.
    pub(super) values: ShardValues,
    /// The words that the shard holds from one step to the next.
    pub(super) memory: ShardMemory,
    /// The search in bits; `None` if states are words.
    dense: Option<DenseShard>,
}

impl Engine {
    /// Begins a job that is divided into shards, or resumes it. A new epoch begins, so an earlier driver of the job
    /// stops. With `local`, a new job has the folders of its shards on the disks of machines.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if a job with these rules and options cannot be divided; [`Error::Job`] if the job cannot be
    /// begun or resumed, or has another number of shards; [`Error::Disk`] and [`Error::Corrupt`] like
    /// [`Engine::enumerate_job`].
    pub fn drive_shards(
        &self,
        options: &Options,
        folder: &JobFolder,
        shards: u64,
        local: Option<LocalShards>,
    ) -> Result<ShardDriver> {
        self.drive(options, folder, shards, local, None)
    }

    /// Does the same as [`Self::drive_shards`] for a job that may keep values. A new job begins with the stage of
    /// values `stage`; `None` if it keeps no values.
    pub(super) fn drive(
        &self,
        options: &Options,
        folder: &JobFolder,
        shards: u64,
        local: Option<LocalShards>,
        stage: Option<ValuesStage>,
    ) -> Result<ShardDriver> {
        let place = folder.folder().to_owned();
        let mut job = if folder.resume {
            Job::resume(&folder.place, |manifest| self.is_divided(manifest, folder, shards))?
        } else {
            self.check_shards(shards)?;
            let store = if options.store == Store::Dense { Store::Dense } else { Store::Sparse };
            let options = Options { store, ..*options };
            // Each shard compares its own part with the memory that it may take.
            let whole = Options { memory: u64::MAX, ..options };
            let cut = self.machine.choose(&whole, None, true)?.dense.as_ref().map(Dense::cut);
            let subject = self.subject(folder, &options, store, &*self.machine);
            let subject = Subject { shards: Some(shards), cut, ..subject };
            local.as_ref().map_or(Ok(()), LocalShards::check)?;
            let new = NewJob { max_depth: options.max_depth, local, values: stage, ..self.new_job(folder, subject) };
            Job::begin(&folder.place, new)?
        };
        let options = of_manifest(options, job.manifest())?;
        let done = job.manifest().is_whole() && job.manifest().epoch == 0;
        let epoch = if done { 0 } else { job.next_epoch()? };
        let generated = job.manifest().depths.last().map_or(0, |last| last.generated);
        let layered = self.window() == Window::Layered;
        Ok(ShardDriver { job, folder: place, options, epoch, generated, layered })
    }

    /// Refuses rules and options whose job cannot be divided into shards.
    fn check_shards(&self, shards: u64) -> Result<()> {
        if !(1..=MOST_SHARDS).contains(&shards) {
            return Err(Error::Options(format!("{shards} shards cannot be made; give 1 to {MOST_SHARDS}")));
        }
        if self.to_goal.is_some() {
            return Err(Error::Options(
                "distances to this goal are found by one process; count them on one machine, or count the states \
                 without --backward"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    /// Refuses a job that counts something else, or has another number of shards.
    fn is_divided(&self, manifest: &Manifest, folder: &JobFolder, shards: u64) -> Result<()> {
        self.is_ours(manifest, folder)?;
        let place = folder.folder().display();
        match (manifest.subject.shards, manifest.subject.shard) {
            (Some(has), None) if has == shards => Ok(()),
            (Some(has), None) => Err(Error::Job(format!(
                "{place} holds a job of {has} shards, which cannot become {shards}; resume it with {has}"
            ))),
            (Some(_), Some(shard)) => Err(Error::Job(format!(
                "{place} holds shard {shard} of a job; resume the whole job, in the folder that --out named"
            ))),
            (None, _) => Err(Error::Job(format!("{place} holds a job of one process; resume it without --on"))),
        }
    }

    /// Opens the job of one shard to work on it. The shard's folder is inside that of the whole job, or on the disk of
    /// this machine.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if another process works on the shard, or if its folder was lost; and the errors of
    /// [`Engine::enumerate_job`].
    pub fn open_shard(&self, options: &Options, folder: &JobFolder, shard: u64) -> Result<ShardJob> {
        let whole = Manifest::of_folder(folder.folder())?;
        let shards = whole.subject.shards.unwrap_or(0);
        self.is_divided(&whole, folder, shards)?;
        let subject = whole.subject.of_shard(shard);
        if shard >= shards {
            return Err(Error::Options(format!("there is no shard {shard}; the job has {shards}, counted from 0")));
        }
        let places = ShardPlaces::new(folder.folder(), &whole)?;
        let place = places.shard(shard);
        let lost = |what: &str| {
            Error::Corrupt(format!(
                "{} {what}, and its states are in no other shard; put back a copy of it, or begin the job anew",
                place.display()
            ))
        };
        let has_job = Manifest::require(&place).is_ok();
        if !has_job && !whole.depths.is_empty() && whole.local.is_some() {
            return Err(missing(&whole, &[shard], HERE));
        }
        if !has_job && !whole.depths.is_empty() {
            return Err(lost("is lost"));
        }
        let mut job = if has_job {
            let check = |found: &Manifest| {
                if found.subject != subject {
                    return Err(lost("holds something else than this shard"));
                }
                if found.depths.len() < whole.depths.len() {
                    return Err(lost("lacks a depth that the job counts"));
                }
                Ok(())
            };
            Job::resume(&JobPlace::new(&place), check)?
        } else {
            Job::begin(&JobPlace::new(&place), NewJob::of(subject))?
        };
        Self::want_values(&mut job, &whole)?;
        if let Some(inbox) = places.inbox(shard) {
            job.set_inbox(&inbox)?;
        }
        job.set_room(options.disk);
        let options = of_manifest(options, &whole)?;
        let machine = self.machine_of_job(&whole)?;
        let dense = Self::index_of(&*machine, &options, &whole)?;
        let dense = dense.map(|dense| DenseShard::new(dense, shards, shard, &options)).transpose()?;
        let (folder, values) = (folder.folder().to_owned(), ShardValues::Unknown);
        let memory = ShardMemory::default();
        Ok(ShardJob { job, machine, options, folder, places, shards, shard, values, memory, dense })
    }

    /// The shards whose own folders this machine has, with all depths that the job counts.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the folder holds no job, [`Error::Corrupt`] if its manifest is damaged.
    pub fn held_shards(folder: &Path) -> Result<Vec<u64>> {
        let whole = Manifest::of_folder(folder)?;
        // The error says that this machine lacks the variable that names its disk. So it has no shard's folder.
        Ok(ShardPlaces::new(folder, &whole).map_or_else(|_| Vec::new(), |places| places.held(&whole)))
    }

    /// Refuses to resume a job with depths if the folders of some shards are on no machine. `held` lists the shards
    /// whose folders are on some machine.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`], which names the missing shards; `place` is the message's phrase for the places that were
    /// searched. Also the errors of [`Self::held_shards`].
    pub fn check_held(folder: &Path, held: &[u64], place: &str) -> Result<()> {
        let whole = Manifest::of_folder(folder)?;
        let every = 0..whole.subject.shards.unwrap_or(0);
        let nowhere: Vec<u64> = every.filter(|shard| !held.contains(shard)).collect();
        if whole.depths.is_empty() || nowhere.is_empty() { Ok(()) } else { Err(missing(&whole, &nowhere, place)) }
    }
}

impl ShardDriver {
    /// The number of times that a process began to drive the job.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// The manifest.
    pub fn manifest(&self) -> &Manifest {
        self.job.manifest()
    }

    /// The last depth to find, if there is one.
    pub fn max_depth(&self) -> Option<u64> {
        self.options.max_depth
    }

    /// Begins another epoch. Runs that were sent for the next depth in an earlier epoch no longer count.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if another process drives the job now, [`Error::Disk`].
    pub fn next_epoch(&mut self) -> Result<u64> {
        self.check_epoch()?;
        self.epoch = self.job.next_epoch()?;
        Ok(self.epoch)
    }

    /// Joins the parts of the next depth that all shards have found, and keeps the depth in the job. A depth without
    /// states is left out, because the depth before was the last. Returns the number of states.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if another process drives the job now, or if the parts are not those of the next depth of all
    /// shards; [`Error::Disk`].
    pub fn commit(&mut self, parts: &[DepthEntry]) -> Result<u64> {
        self.check_epoch()?;
        let (depth, subject) = (self.manifest().depths.len() as u64, &self.manifest().subject);
        let parts: Vec<&DepthEntry> = parts.iter().collect();
        let entry = DepthEntry::together(depth, subject.outcomes.len(), subject.symmetry_order, &parts);
        let entry = entry.filter(|_| Some(parts.len() as u64) == subject.shards);
        let entry = entry.ok_or_else(|| {
            Error::Job(format!(
                "the shards of {} do not have depth {depth} alike; resume the job",
                self.folder.display()
            ))
        })?;
        let states = entry.states;
        let bytes = self.manifest().local.as_ref().map(|_| DepthEntry::bytes_of(&parts));
        let entry = DepthEntry { bytes, ..entry };
        self.generated = entry.generated;
        if states > 0 {
            self.job.commit(entry)?;
        }
        Ok(states)
    }

    /// Closes the job. `complete` is `true` if the job has all states.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::next_epoch`].
    pub fn finish(&mut self, complete: bool) -> Result<()> {
        if self.manifest().complete {
            return Ok(());
        }
        self.check_epoch()?;
        self.job.close(complete, self.generated)?;
        self.remove_inboxes();
        Ok(())
    }

    /// Removes the folders for runs of a job that is whole.
    pub(super) fn remove_inboxes(&self) {
        if self.manifest().is_whole() && self.is_local() {
            let places = ShardPlaces::new(&self.folder, self.manifest());
            places.iter().for_each(ShardPlaces::remove_inboxes);
        }
    }

    /// Returns an error if another driver has replaced this one.
    pub(super) fn check_epoch(&self) -> Result<()> {
        check_epoch(&self.folder, self.epoch)
    }

    /// Returns `true` if the folders of shards are on the disks of machines.
    pub fn is_local(&self) -> bool {
        self.manifest().local.is_some()
    }

    /// Notes the places of the shards' folders, one for each shard: the machine, a colon, and the path. The next
    /// manifest has them.
    pub fn set_seen(&mut self, seen: Vec<String>) {
        self.job.set_seen(seen);
    }

    /// Lets other processes drive the job. Only the report may be asked for afterwards.
    pub fn release(&mut self) {
        self.job.unlock();
    }

    /// The report of all depths that are done.
    pub fn report(&self, stop: Option<Stop>, seconds: f64) -> Report {
        let manifest = self.manifest();
        Report {
            depths: manifest.depths.iter().map(DepthEntry::report).collect(),
            stop,
            store: self.options.store,
            symmetry_order: manifest.subject.symmetry_order,
            reason: format!("in {} shards", manifest.subject.shards.unwrap_or(1)),
            unsolvable: None,
            generated: if manifest.complete { manifest.generated } else { self.generated },
            seconds,
        }
    }
}

impl ShardJob {
    /// The folder of a shard, inside that of the whole job.
    pub fn folder(folder: &Path, shard: u64) -> PathBuf {
        Job::shard_folder(folder, shard)
    }

    /// The folders of a shard, as this machine sees them.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if there is no job, or if the machine lacks the variable that names its own folders of shards.
    pub fn places(folder: &Path, shard: u64) -> Result<ShardFolders> {
        let places = ShardPlaces::new(folder, &Manifest::of_folder(folder)?)?;
        let own = places.shard(shard);
        Ok(ShardFolders { inbox: places.inbox(shard).unwrap_or_else(|| own.clone()), own })
    }

    /// Drops all depths of the shard but the first `depths`, which are those of the whole job, and the values of all
    /// depths but the last `valued`. With `anew`, also drops the checkpoint of values that spread.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if another process drives the job now, or if the shard lacks one of these depths;
    /// [`Error::Disk`].
    pub fn begin(&mut self, epoch: u64, depths: u64, valued: u64, anew: bool) -> Result<()> {
        self.check_epoch(epoch)?;
        if anew {
            self.job.drop_partial()?;
        }
        (self.values, self.memory) = (ShardValues::Unknown, ShardMemory::default());
        if let Some(dense) = &mut self.dense {
            dense.forget();
        }
        if (self.job.manifest().depths.len() as u64) < depths {
            return Err(Error::Corrupt(format!(
                "{} lacks a depth that the job counts; put back a copy of it, or begin the job anew",
                self.places.shard(self.shard).display()
            )));
        }
        self.job.keep_depths(depths as usize)?;
        self.job.keep_last_values(valued as usize)
    }

    /// Expands the last depth, and sends the successors to the shards that they belong to. With `holds`, words that the
    /// shard has found for itself stay in its memory for [`Self::close`], and those of its files for later depths, if
    /// there is room.
    ///
    /// # Errors
    ///
    /// The errors of [`Engine::enumerate_job`], and [`Error::Job`] if another process drives the job now.
    pub fn expand(&mut self, epoch: u64, holds: bool, watch: Watch) -> Result<Expanded> {
        self.check_epoch(epoch)?;
        let depth = self.job.manifest().depths.len() as u64;
        let mut outbox = Outbox::new(&self.places, self.shards, depth, epoch, self.shard);
        let generated = if let Some(dense) = &mut self.dense {
            dense.expand(&self.options, &self.job, &mut outbox)?
        } else {
            if self.memory.holds() != holds {
                self.memory = ShardMemory::new(holds);
            }
            self.machine.expand_shard(&self.options, &self.job, &mut outbox, &mut self.memory, watch)?
        };
        Ok(Expanded { generated, sent: outbox.sent })
    }

    /// Merges the runs that the shard has received into its next depth, and returns the counts. Depth 0 needs no runs.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::expand`].
    pub fn close(&mut self, epoch: u64, received: Received, watch: Watch) -> Result<DepthEntry> {
        self.check_epoch(epoch)?;
        if let Some(last) = self.job.manifest().depths.last() {
            let generated = last.generated + received.generated;
            self.job.receive(received.files, generated)?;
            match &mut self.dense {
                Some(dense) => dense.close(&self.options, &mut self.job, watch)?,
                None => self.machine.close_shard(&self.options, &mut self.job, &mut self.memory, watch)?,
            }
        } else if let Some(dense) = &mut self.dense {
            dense.begin(&self.options, &mut self.job)?;
        } else {
            self.machine.shard_roots(&self.options, &mut self.job)?;
        }
        self.job.manifest().depths.last().cloned().ok_or_else(|| self.job.lacks(0))
    }

    /// The job's manifest.
    pub fn manifest(&self) -> &Manifest {
        self.job.manifest()
    }

    /// Returns an error if another driver has replaced this process's driver.
    pub(super) fn check_epoch(&self, epoch: u64) -> Result<()> {
        check_epoch(&self.folder, epoch)
    }
}

/// Returns an error if another driver has replaced this process's driver.
fn check_epoch(folder: &Path, epoch: u64) -> Result<()> {
    let now = Manifest::of_folder(folder)?.epoch;
    if now == epoch {
        return Ok(());
    }
    Err(Error::Job(format!(
        "the job in {} is at epoch {now}, and this process was started in epoch {epoch}; it stops, \
         and the other goes on",
        folder.display()
    )))
}
