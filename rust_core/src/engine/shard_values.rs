//! The values of all states of a job in shards: the driver of the job, and the work of one shard.
//!
//! The shards exchange questions and values in messages, which are files beside the runs; see `graph/shard_graph.rs`
//! and the two ways in `values/`. `docs/cluster.md` explains it to users.

use serde::{Deserialize, Serialize};

use super::choice::Choice;
use super::compiled::Engine;
use super::jobs::{JobFolder, report_of};
use super::recount::check_longest;
use super::shards::{ShardDriver, ShardJob};
use super::state::State;
use crate::error::{Error, Result};
use crate::job::{FileEntry, Job, LocalShards, Manifest, Outbox, Sent, ValuesStage};
use crate::run::{Options, Stop, Store, Watch, in_pool};
use crate::sparse::ShardMemory;
use crate::structure::Window;
use crate::values::{AskingShard, ShardSpread, ShardValues, ValuesFound, WordState, all_of, together};

/// The answer of a shard to one step: the files that it has sent to others, and how far it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchanged {
    /// The files that the shard has sent.
    pub sent: Vec<Sent>,
    /// `true` if the shard has further states of the depth, about whose successors it asks in another step; or further
    /// values to pass on once more.
    pub more: bool,
    /// If values spread backward: the shard's checkpoint has the values of all states with at most this many moves to
    /// the end. Otherwise 0.
    pub moves: u32,
    /// The number of states whose values the shard has sent to others.
    pub told: u64,
}

impl Engine {
    /// Begins a job in shards that keeps the values of all states, or goes on with one. Returns its driver. If the
    /// values are found by a count back from the goal, also returns the engine of the backward rules; otherwise `None`,
    /// because the shards then use this engine.
    ///
    /// # Errors
    ///
    /// The errors of [`Engine::values_job`] and of [`Engine::drive_shards`].
    pub fn drive_values(
        &self,
        options: &Options,
        distances: Option<bool>,
        folder: &JobFolder,
        shards: u64,
        local: Option<LocalShards>,
    ) -> Result<(ShardDriver, Option<Self>)> {
        let in_bits = |manifest: &Manifest| manifest.subject.store == Store::Dense.name();
        if options.store == Store::Dense || (folder.has_job() && in_bits(&Manifest::of_folder(folder.folder())?)) {
            return Err(Error::Options(
                "values in shards are found of words, and not of bits; leave --store dense out, and begin another job"
                    .to_owned(),
            ));
        }
        let from_goal = self.check_kept_values(self.goal_counter(), options, distances, folder)?;
        let counted = from_goal.is_some();
        if !counted && self.rules().scoring.is_some() && self.window() != Window::Layered {
            return Err(Error::Options(
                "scores of play that may come back to a state are found in the memory of one process; leave --on out"
                    .to_owned(),
            ));
        }
        let stage = if counted {
            ValuesStage::counted()
        } else {
            ValuesStage { distances: distances.unwrap_or(true), ..ValuesStage::default() }
        };
        let all = Options { max_depth: None, ..*options };
        let engine = from_goal.as_ref().unwrap_or(self);
        let place = JobFolder { resume: folder.has_job(), ..folder.clone() };
        let mut driver = engine.drive(&all, &place, shards, local, Some(stage.clone()))?;
        Self::want(&mut driver.job, &stage)?;
        Ok((driver, from_goal))
    }

    /// Writes into a job's manifest that the job is to have values, unless the manifest says so already.
    fn want(job: &mut Job, stage: &ValuesStage) -> Result<()> {
        match &job.manifest().values {
            Some(_) => Ok(()),
            None if stage.counted => job.begin_counted_values(),
            None => job.begin_values(stage.distances),
        }
    }

    /// Writes into the manifest of a shard's job that the job is to have values, if the manifest of the whole job says
    /// so.
    pub(super) fn want_values(job: &mut Job, whole: &Manifest) -> Result<()> {
        whole.values.as_ref().map_or(Ok(()), |stage| Self::want(job, stage))
    }

    /// The values of all states of a job in shards, or the reason why they are not known yet.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if files have changed since they were written.
    pub fn values_of_shards(
        &self,
        driver: &ShardDriver,
        folder: &JobFolder,
        options: &Options,
        seconds: f64,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        let manifest = driver.manifest();
        if !manifest.has_values() {
            return Ok(ValuesFound::Stopped(Stop::Watch, manifest.depths.len() as u64));
        }
        if let Some(from_goal) = self.goal_counter() {
            let report = report_of(manifest, Choice { dense: None, reason: String::new() });
            return self.values_of_counted(from_goal, report, folder, options, watch);
        }
        let rules = self.rules();
        let (scored, players) = (rules.scoring.is_some(), rules.alternating());
        let all = all_of(&driver.job, scored, players, manifest.subject.symmetry_order, seconds)?;
        let machine = self.machine_of_job(manifest)?;
        check_longest(&*machine, &all, &driver.job)?;
        Ok(ValuesFound::All(all.map(|WordState { word, player }| machine.state_of_word(&word, player))))
    }
}

impl ShardDriver {
    /// `true` if the depth of every state follows from its cells, so that values are found depth by depth.
    pub fn is_layered(&self) -> bool {
        self.layered
    }

    /// Adds up the counts of all shards for the next depth of which they have found the values, and keeps the sums in
    /// the manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if another process drives the job now, or if the parts are not those of the next depth of all
    /// shards; [`Error::Disk`].
    pub fn commit_values(&mut self, parts: &[ValuesStage]) -> Result<()> {
        self.check_epoch()?;
        let before = self.manifest().values.clone().unwrap_or_default();
        let stage = together(&before, parts, self.job.word_bytes());
        let left = self.manifest().depths.len().checked_sub(before.depths.len() + 1);
        let depths = &self.manifest().depths;
        let fits = |stage: &ValuesStage| {
            let entry = stage.depths.first();
            let counts = entry.map(|entry| entry.win.states + entry.draw.states + entry.loss.states);
            let states = left.map(|depth| depths[depth].states);
            entry.map(|entry| entry.depth as usize) == left && counts == states
        };
        let stage = stage.filter(|_| Some(parts.len() as u64) == self.manifest().subject.shards).filter(fits);
        let Some(mut stage) = stage else {
            return Err(Error::Job(format!(
                "the shards of {} do not have the values of one depth alike; resume the job",
                self.job.folder().display()
            )));
        };
        let entry = stage.depths.pop().unwrap_or_default();
        self.job.commit_values(&entry, stage)
    }

    /// Ends the work on a job that has all values, once its shards have dropped their checkpoints.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if another process drives the job now; [`Error::Disk`].
    pub fn end_values(&mut self) -> Result<()> {
        self.check_epoch()?;
        self.job.end_values()?;
        self.remove_inboxes();
        Ok(())
    }
}

impl ShardJob {
    /// Takes the next states of a depth, and asks the shards that own their successors for the values of the
    /// successors. If `depth` is `None`, values are not found depth by depth: the shard asks about the successors of
    /// all its states.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if the states do not fit; [`Error::Job`] if another process drives the job now; and the errors
    /// of [`Engine::values_job`].
    pub fn ask(&mut self, epoch: u64, depth: Option<u64>, watch: Watch) -> Result<Exchanged> {
        self.check_epoch(epoch)?;
        self.memory = ShardMemory::default();
        let mut outbox = self.outbox(epoch, depth.unwrap_or(0));
        let found = self.machine.states_of_job(&self.options, &self.job);
        let asking = AskingShard { job: &self.job, outbox: &mut outbox, options: &self.options, watch };
        let values = &mut self.values;
        let (more, moves) = in_pool(&self.options, || -> Result<(bool, u32)> {
            let Some(depth) = depth else {
                let spread = ShardSpread::ask(&*found, asking)?;
                let moves = spread.moves();
                *values = ShardValues::Spread(Box::new(spread));
                return Ok((false, moves));
            };
            let mut sweep = match std::mem::replace(values, ShardValues::Unknown) {
                ShardValues::Sweep(sweep) => sweep,
                _ => Box::default(),
            };
            let more = sweep.ask(&*found, depth as usize, asking)?;
            *values = ShardValues::Sweep(sweep);
            Ok((more, 0))
        })??;
        Ok(Exchanged { sent: outbox.sent, more, moves, told: 0 })
    }

    /// Sends values to other shards. If values are found depth by depth, they are the answers to the questions in
    /// `files`. If values spread backward, the shard first gets the questions, once, when the run begins or goes on; it
    /// notes who has asked, and passes on some of the values of fewer than `moves` moves to the end. With `again`, it
    /// passes on more of these. Later, without either, it sends the values that it decided last.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::ask`].
    pub fn tell(&mut self, epoch: u64, moves: u64, files: Option<&[FileEntry]>, again: bool) -> Result<Exchanged> {
        self.check_epoch(epoch)?;
        let mut outbox = self.outbox(epoch, moves);
        let (job, values) = (&self.job, &mut self.values);
        let (told, more) = in_pool(&self.options, || match (values, files) {
            (ShardValues::Sweep(sweep), files) => {
                sweep.tell(job, files.unwrap_or(&[]), &mut outbox).map(|()| (0, false))
            }
            (ShardValues::Spread(spread), Some(files)) => {
                spread.listen(job, files, moves as u32, outbox.shards())?;
                spread.tell_again(&mut outbox).map(|more| (0, more))
            }
            (ShardValues::Spread(spread), None) if again => spread.tell_again(&mut outbox).map(|more| (0, more)),
            (ShardValues::Spread(spread), None) => spread.tell(&mut outbox).map(|told| (told, false)),
            (ShardValues::Unknown, _) => Err(out_of_turn()),
        })??;
        Ok(Exchanged { sent: outbox.sent, told, more, ..Exchanged::default() })
    }

    /// Reads the values that other shards have sent, and finds the values that follow from them. `again` is `true` if
    /// these values were already sent before a checkpoint. Then the checkpoint has the values that follow, and only the
    /// number of successors with unknown values is reduced for each state.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::ask`].
    pub fn take(&mut self, epoch: u64, files: &[FileEntry], again: bool) -> Result<()> {
        self.check_epoch(epoch)?;
        let (job, values) = (&self.job, &mut self.values);
        in_pool(&self.options, || match values {
            ShardValues::Sweep(sweep) => sweep.take(job, files),
            ShardValues::Spread(spread) => spread.take(job, files, again),
            ShardValues::Unknown => Err(out_of_turn()),
        })??;
        // Every message of the round has been read, and no other shard reads this folder, so the files are removed.
        self.job.drop_received();
        Ok(())
    }

    /// Writes the values of a depth, and returns the shard's counts.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::ask`].
    pub fn keep_values(&mut self, epoch: u64, depth: u64) -> Result<ValuesStage> {
        self.check_epoch(epoch)?;
        let (job, values) = (&mut self.job, &mut self.values);
        in_pool(&self.options, || match values {
            ShardValues::Sweep(sweep) => sweep.keep(job),
            ShardValues::Spread(spread) => spread.keep(depth as usize, job),
            ShardValues::Unknown => Err(out_of_turn()),
        })?
    }

    /// Writes a checkpoint with the values that have spread so far.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::ask`].
    pub fn keep_spread(&mut self, epoch: u64) -> Result<()> {
        self.check_epoch(epoch)?;
        match &self.values {
            ShardValues::Spread(spread) => spread.keep_spread(&mut self.job),
            _ => Err(out_of_turn()),
        }
    }

    fn outbox(&self, epoch: u64, depth: u64) -> Outbox {
        Outbox::new(&self.places, self.shards, depth, epoch, self.shard)
    }
}

fn out_of_turn() -> Error {
    Error::Job("a shard was asked for values before its states were read; resume the job".to_owned())
}
