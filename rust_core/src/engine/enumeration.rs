//! Enumerates, in memory and in a job: all states that play reaches by their depth, or by their distance to the nearest
//! goal. Checks jobs.

use super::choice::Choice;
use super::compiled::{Engine, ToGoal};
use super::goal_roots::{GoalRoots, Roots, goal_bits};
use super::jobs::{JobFolder, Opened, report_of, shown_of};
use super::machine::{Machine, ReachedStates};
use crate::dense::Dense;
use crate::error::{Error, Result};
use crate::instant::Instant;
use crate::job::{Definition, DepthEntry, Job, Manifest};
use crate::run::{DepthReport, Options, Report, Stop, Unsolvable, Watch, in_pool};
use crate::values::{DistanceJobs, SearchEnd, distances};

/// What distances need of a job whose depths they become.
pub(super) struct DistancesJob<'a> {
    pub folder: &'a JobFolder,
    pub job: &'a mut Job,
    /// The compiled rules whose words have the form of the words in the files.
    pub machine: &'a dyn Machine,
    pub choice: Choice,
}

impl Engine {
    /// Enumerates all states that play can reach, by depth. Except for the time, the report is the same for any number
    /// of threads.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if the threads cannot be started.
    pub fn enumerate(&self, options: &Options, watch: Watch) -> Result<Report> {
        if let Some(way) = self.to_goal {
            return self.distances(way, options, watch);
        }
        let choice = self.choose(options, options.max_depth, false)?;
        self.machine.enumerate(None, options, choice, None, watch)
    }

    /// Enumerates as [`Self::enumerate`] does, and keeps each depth in a folder as soon as the depth is done. However
    /// the run ends, the job can be resumed from the last depth that was kept. Its files are then the same as if the
    /// run had never ended.
    ///
    /// If the job is resumed, it keeps its store and its symmetries, whatever the options say. It also keeps its last
    /// depth, if the options name none.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::enumerate`]; [`Error::Job`] if the job cannot be begun or resumed, [`Error::Disk`] if a
    /// file cannot be written, [`Error::Corrupt`] if a file has changed since it was written.
    pub fn enumerate_job(&self, options: &Options, folder: &JobFolder, watch: Watch) -> Result<Report> {
        let opened = if folder.resume { self.resume(options, folder) } else { self.begin(options, folder, None) };
        let Opened { mut job, options, choice, machine } = opened?;
        if job.manifest().complete {
            return Ok(report_of(job.manifest(), choice));
        }
        if let Some(way) = self.to_goal {
            let reason = choice.reason.clone();
            let to = DistancesJob { folder, job: &mut job, machine: &*machine, choice };
            return Ok(Report { reason, ..self.distances_job(way, &options, to, watch)? });
        }
        job.set_room(options.disk);
        machine.enumerate(None, &options, choice, Some(&mut job), watch)
    }

    /// Finds the distances of all states that play reaches, in memory. The depths of the report are distances.
    pub(super) fn distances(&self, way: ToGoal, options: &Options, watch: Watch) -> Result<Report> {
        let (begun, choice) = (Instant::now(), self.choose(options, options.max_depth, false)?);
        if way == ToGoal::Spread {
            let ReachedStates { report, end, mut states } = self.machine.found_states(None, options, watch)?;
            if report.stop.is_some() {
                return Ok(Report { depths: Vec::new(), reason: choice.reason, ..report });
            }
            return Ok(Report { reason: choice.reason, ..distances(&mut *states, None, end, options, watch)? });
        }
        let GoalRoots { states, reached } = goal_roots(&*self.machine, choice.dense.as_ref(), None, options, watch)?;
        let report = if reached.stop.is_some() {
            Report { depths: Vec::new(), reason: choice.reason, ..reached }
        } else if states.is_empty() {
            Report { reason: choice.reason, ..self.none_solvable(reached) }
        } else {
            let report = self.machine.enumerate(Some(states), options, choice, None, watch)?;
            all_solvable(report, &reached)?
        };
        Ok(Report { seconds: begun.elapsed().as_secs_f64(), ..report })
    }

    /// Finds the distances in two stages. The first finds all states that play can reach, in a job of its own in the
    /// folder `forward`, which is resumed like any other. In the second, each distance becomes a depth of this job.
    pub(super) fn distances_job(
        &self,
        way: ToGoal,
        options: &Options,
        to: DistancesJob,
        watch: Watch,
    ) -> Result<Report> {
        let (begun, engine, place) = (Instant::now(), self.forward(), forward_folder(to.folder));
        // The folder `forward` may exist without being a job: a lock file is written into it first, and only a manifest
        // makes it a job.
        let place = JobFolder { resume: place.has_job(), shown: shown_of(to.folder)?, ..place };
        let all = Options { max_depth: None, store: to.choice.store(), ..*options };
        let found = engine.enumerate_job(&all, &place, watch)?;
        if found.stop.is_some() {
            let depths = to.job.manifest().depths.iter().map(DepthEntry::report).collect();
            return Ok(Report { depths, ..found });
        }
        let forward = engine.look(options, &place)?;
        let held: u64 = forward.job.manifest().files().map(|file| file.bytes).sum();
        to.job.set_room(options.disk.saturating_sub(held));
        match way {
            ToGoal::FromGoals => {
                let report = self.goals_job(options, to, &forward, watch)?;
                Ok(Report { seconds: begun.elapsed().as_secs_f64(), ..report })
            }
            ToGoal::Spread => {
                let (forward, machine) = (&forward.job, to.machine);
                let generated = forward.manifest().generated;
                let end = SearchEnd { symmetry_order: machine.symmetry_order(options), generated, begun };
                let jobs = DistanceJobs { forward, distances: to.job };
                distances(&mut *machine.states_of_job(options, forward), Some(jobs), end, options, watch)
            }
        }
    }

    /// Counts back from all goals that play reaches. The job `forward` has all states that play reaches.
    fn goals_job(&self, options: &Options, to: DistancesJob, forward: &Opened, watch: Watch) -> Result<Report> {
        let DistancesJob { folder, job, machine, choice } = to;
        let (reached, dense) = (forward.job.manifest(), forward.choice.dense.as_ref());
        // The goals are the first depth. If the job has it, they need not be found again.
        let first = job.manifest().depths.first().map(|goals| goals.states);
        let mut roots = None;
        if first.is_none() {
            let other_cut = dense.map(Dense::cut) != choice.dense.as_ref().map(Dense::cut);
            if other_cut || reached.subject.encoding != job.manifest().subject.encoding {
                return Err(Error::Job(format!(
                    "{} and the job inside it write their states in different ways; begin the job anew",
                    folder.folder().display()
                )));
            }
            let found = goal_roots(machine, dense, Some(&forward.job), options, watch)?;
            if found.reached.stop.is_some() {
                return Ok(Report { depths: Vec::new(), ..found.reached });
            }
            roots = Some(found.states);
        }
        let reached = reached.report();
        if roots.as_ref().map_or(first == Some(0), Roots::is_empty) {
            let report = self.none_solvable(reached);
            if first.is_none() {
                if let Some(dense) = &choice.dense {
                    job.write_array(&vec![0; dense.reading(0).bytes()])?;
                }
                job.commit(DepthEntry::new(&report.depths[0], 0))?;
            }
            job.close_with(true, report.generated, report.unsolvable)?;
            return Ok(report);
        }
        job.note_unsolvable(Unsolvable::default());
        let report = all_solvable(machine.enumerate(roots, options, choice, Some(job), watch)?, &reached)?;
        if report.stop.is_none() {
            job.close_with(true, report.generated, report.unsolvable)?;
        }
        Ok(report)
    }

    /// Returns `true` if a complete job with this manifest has looked for several goals, and play reaches none of them.
    pub(super) fn none_solvable_in(&self, manifest: &Manifest) -> bool {
        let none = manifest.depths.first().is_some_and(|goals| goals.states == 0);
        self.to_goal == Some(ToGoal::FromGoals) && manifest.complete && none
    }

    /// Checks a job: the checksum of every file, the depth and the kind of every state, and every count. Returns the
    /// manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if anything is wrong, [`Error::Job`] if the folder holds no job of these rules,
    /// [`Error::Stopped`] if the watch stops the check.
    pub fn verify_job(&self, memory: u64, folder: &JobFolder, watch: Watch) -> Result<Manifest> {
        let Opened { job, options, choice, machine } = self.look(&Options { memory, ..Options::default() }, folder)?;
        if self.to_goal.is_some() && !job.manifest().depths.is_empty() {
            self.verify_forward(job.manifest(), memory, folder, watch)?;
        }
        self.verify_definition(&job)?;
        // The bits of all shards are read together, depth by depth: no two may have the same one.
        let together = if choice.dense.is_some() { std::slice::from_ref(&job) } else { job.parts() };
        together.iter().try_for_each(|part| machine.verify(&options, choice.dense.as_ref(), part, watch))?;
        job.parts().iter().try_for_each(Job::check_sums)?;
        match &choice.dense {
            _ if job.manifest().is_counted() => {}
            Some(dense) => Self::verify_tiers(dense, &options, &job, watch)?,
            None => self.verify_values(folder, &job, &*machine, watch)?,
        }
        let manifest = job.manifest().clone();
        let piece = machine.verify_piece(&options, choice.dense.as_ref(), &job, watch);
        // If another process has gone on with the job meanwhile, the files of the unfinished depth may be gone, which
        // is no damage.
        match piece {
            Err(Error::Corrupt(_)) if Manifest::of_folder(folder.folder())?.partial != manifest.partial => {}
            piece => piece?,
        }
        Ok(manifest)
    }

    /// Checks the puzzle that a job holds as data. The job of one shard holds none.
    fn verify_definition(&self, job: &Job) -> Result<()> {
        if job.manifest().definition.is_none() {
            return Ok(());
        }
        let rules = Definition::of_folder(job.folder())?.rules;
        if serde_json::to_string(&rules).is_ok_and(|text| text == *self.text) {
            return Ok(());
        }
        Err(Error::Corrupt(format!(
            "{} has the rules of another puzzle beside its manifest; the job is damaged",
            job.folder().display()
        )))
    }

    /// Checks the job inside a job of distances, and that both have as many states.
    pub(super) fn verify_forward(
        &self,
        manifest: &Manifest,
        memory: u64,
        folder: &JobFolder,
        watch: Watch,
    ) -> Result<()> {
        let forward = self.forward().verify_job(memory, &forward_folder(folder), watch)?;
        let states = |manifest: &Manifest| manifest.depths.iter().map(|depth| depth.raw_states).sum::<u64>();
        let unsolvable = manifest.unsolvable.map_or(0, |unsolvable| unsolvable.raw_states);
        if manifest.complete && states(manifest).saturating_add(unsolvable) != states(&forward) {
            return Err(Error::Corrupt(format!(
                "{} has other states than the job inside it; the job is damaged",
                folder.folder().display()
            )));
        }
        Ok(())
    }

    /// The report of distances if play reaches no goal: no state has the distance 0.
    fn none_solvable(&self, reached: Report) -> Report {
        let ended = vec![0; self.rules().outcomes.len()];
        let nothing = DepthReport { depth: 0, states: 0, raw_states: 0, open: 0, ended };
        let unsolvable = Some(Unsolvable { states: reached.states(), raw_states: reached.raw_states() });
        Report { depths: vec![nothing], unsolvable, ..reached }
    }

    /// The counts of all states that play reaches, from the job inside a complete job of distances.
    pub(super) fn reached_by_forward(folder: &JobFolder) -> Result<Report> {
        Ok(Manifest::of_folder(forward_folder(folder).folder())?.report())
    }
}

/// A job of distances first finds the states that play can reach, in a job of its own. This is the folder of that job,
/// inside the folder of the job of distances.
pub(super) fn forward_folder(folder: &JobFolder) -> JobFolder {
    JobFolder { place: folder.place.within("forward"), ..folder.clone() }
}

/// Finds the goals that play reaches, in the form of the store.
pub(super) fn goal_roots(
    machine: &dyn Machine,
    dense: Option<&Dense>,
    forward: Option<&Job>,
    options: &Options,
    watch: Watch,
) -> Result<GoalRoots> {
    let all = &Options { max_depth: None, ..*options };
    let find = || match dense {
        Some(dense) => goal_bits(machine.structure().rules(), dense, forward, all, watch),
        None => machine.goal_words(forward, all, watch),
    };
    // A search of words in memory starts the threads itself.
    if dense.is_none() && forward.is_none() { find() } else { in_pool(all, find)? }
}

/// The report of a count that began with all goals, of which there are some. If it has found as many states as play
/// reaches, it is complete, also if it was to end with that depth.
///
/// # Errors
///
/// [`Error::Corrupt`] if it came to its end with other states.
fn all_solvable(report: Report, reached: &Report) -> Result<Report> {
    let (back, forth) = (report.raw_states(), reached.raw_states());
    if report.stop.is_none() && back != forth {
        return Err(Error::Corrupt(format!(
            "a count back from the goals finds {back} states, and a count from the start {forth}; one of them is wrong"
        )));
    }
    if report.stop.is_none() || (report.stop == Some(Stop::MaxDepth) && back == forth) {
        let generated = reached.generated;
        return Ok(Report { stop: None, unsolvable: Some(Unsolvable::default()), generated, ..report });
    }
    Ok(report)
}
