//! Finds the values of a job's states, by a sweep over the depths or by spreading through all states, and writes
//! checkpoints.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::allowance::Allowance;
use super::backward_sweep::sweep_depth;
use super::listing::Listing;
use super::retrograde::{self, PredecessorWay, Retrograde, SoFar, SpreadStep, nothing_known};
use super::tally::Tallies;
use super::value_code::{ValueCode, ValuesOf};
use crate::error::{Error, Result};
use crate::graph::{FoundStates, Graph, bytes_of_pair, bytes_of_states, successors_in};
use crate::instant::Instant;
use crate::job::{Job, ValueFiles};
use crate::memory;
use crate::run::{CheckpointClock, Grain, Monitor, Options};

/// The advice in the message if the memory is not enough.
const RESUME: &str = "what the job had is kept: resume it with more memory";

/// The least memory with which a depth is swept in portions. With less, portions would be so small that the next depth
/// is read thousands of times.
const LEAST_ROOM: u64 = 4 << 20;

/// Finds the values of a job's states, and writes them to the job.
pub(super) struct Keeper<'a> {
    pub allowed: &'a Allowance<'a>,
    pub job: &'a mut Job,
    pub tally: Tallies,
    distances: bool,
}

/// A clock that decides when to write a checkpoint of the values that are spreading.
pub(super) struct KeepingClock {
    clock: CheckpointClock,
    /// The number [`SoFar::reached`] at the last checkpoint; `None` before the first step.
    kept: Option<u64>,
}

impl KeepingClock {
    /// A clock for values that are about to spread, perhaps from a checkpoint.
    pub fn new(every: Duration) -> Self {
        Self { clock: CheckpointClock::new(every), kept: None }
    }

    /// Writes a checkpoint if it is time, or if the watch has stopped the search and values have spread since the last
    /// one. What the first step has is in the job already.
    ///
    /// # Errors
    ///
    /// The errors of [`Job::keep_spread`].
    pub fn keep(&mut self, step: &SpreadStep, job: &mut Job, allowed: &Allowance) -> Result<()> {
        let (begun, reached) = (Instant::now(), step.so_far.reached());
        if *self.kept.get_or_insert(reached) == reached {
            return Ok(());
        }
        allowed.advance(true);
        if !(step.stopped || self.clock.is_due()) {
            return Ok(());
        }
        match step.so_far {
            SoFar::Moves { spread, .. } => {
                job.keep_spread(spread.moves, None, spread.values.len(), &|place| spread.code(place))?;
            }
            SoFar::Scores(scores) => {
                let (decided, most) = scores.so_far();
                job.keep_spread(most, Some(decided), scores.points.len(), &|place| scores.code(place))?;
            }
        }
        self.kept = Some(reached);
        self.clock.put_off(begun.elapsed());
        Ok(())
    }
}

impl<'a> Keeper<'a> {
    /// A keeper for a job. It goes on from the counts of values that the job's manifest has already.
    pub fn new(allowed: &'a Allowance<'a>, job: &'a mut Job) -> Self {
        let stage = job.manifest().values.clone().unwrap_or_default();
        let mut tally = Tallies::new(job.manifest().depths.len());
        tally.add_stage(&stage, job.word_bytes());
        Self { allowed, job, tally, distances: stage.distances }
    }

    /// The number of depths without values. These are the first depths, since values are written from the last depth
    /// on.
    pub fn left(&self) -> usize {
        let manifest = self.job.manifest();
        manifest.depths.len() - manifest.values.as_ref().map_or(0, |stage| stage.depths.len())
    }

    /// Refuses work on `what` that takes more memory than allowed.
    pub fn check_room(&self, states: u64, bytes: u64, what: &str) -> Result<()> {
        self.allowed.check(states, bytes, what, RESUME)
    }

    /// Finds the values by one sweep over the depths, from the last to the first. Two depths that fit the memory are
    /// held there; of others, a portion is at a time. Returns `false` if the watch stopped it.
    pub fn sweep(&mut self, found: &mut dyn FoundStates, grain: Option<Grain>) -> Result<bool> {
        let counts = found.counts().to_vec();
        let all: u64 = counts.iter().sum();
        // A grain with runs of some words is for tests: portions are as small.
        let given = grain.map_or(0, |grain| grain.run_words);
        // The states of the depths whose values an earlier run kept.
        let kept: u64 = counts[self.left()..].iter().sum();
        // The values of the depth after the one that is swept, if they are in memory.
        let mut after = None;
        for depth in (0..self.left()).rev() {
            let (now, next) = (counts[depth], counts.get(depth + 1).copied().unwrap_or(0));
            let fits = bytes_of_pair(now, next, found.word_bytes()) <= self.allowed.room && given == 0;
            let monitor = self.allowed.monitor(depth as u64, now, kept + self.tally.states(), all);
            if !fits || u32::try_from(now.saturating_add(next)).is_err() {
                after = None;
                let most = if given > 0 { given } else { successors_in(self.allowed.room, found.word_bytes()) };
                if given == 0 {
                    self.check_room(1, LEAST_ROOM, "a portion of a depth")?;
                }
                if !self.sweep_portions(found, depth, most, &monitor)? {
                    return Ok(false);
                }
                continue;
            }
            let later = match after.take() {
                Some(later) => later,
                None if next == 0 => Vec::new(),
                None => known_values(&*found.sweep(depth + 1, Some(self.job))?, depth + 1, self.job)?,
            };
            let graph = found.sweep(depth, Some(self.job))?;
            let Some(mut values) = sweep_depth(&*graph, false, &later, &monitor, &mut self.tally) else {
                return Ok(false);
            };
            drop(graph);
            if !self.distances {
                for value in &mut values {
                    *value = value.in_no_moves();
                }
            }
            self.keep(depth, &|at| values[at])?;
            after = Some(values);
        }
        Ok(true)
    }

    /// Finds the values of one depth, a portion of at most `most` different successors at a time. Returns `false` if
    /// the monitor stopped it.
    fn sweep_portions(
        &mut self,
        found: &mut dyn FoundStates,
        depth: usize,
        most: usize,
        monitor: &Monitor,
    ) -> Result<bool> {
        memory::trim();
        let job = &*self.job;
        let files = if depth + 1 < job.manifest().depths.len() { ValueFiles::open(job, depth + 1)? } else { None };
        let (mut writer, tally) = (job.new_values(depth, self.distances)?, &mut self.tally);
        let swept = found.portions(depth, job, most, monitor, &mut |portion| {
            let later = portion.later(files.as_ref(), job, &|end| ValueCode::at_end(end).0)?;
            let later: Vec<ValueCode> = later.into_iter().map(ValueCode).collect();
            let values = sweep_depth(&*portion.graph(), false, &later, monitor, tally).ok_or(Error::Stopped)?;
            let codes: Vec<u32> = values.into_iter().map(|value| value.0).collect();
            writer.as_mut().map_or(Ok(()), |writer| writer.write(job, &codes))
        });
        if swept == Err(Error::Stopped) {
            return Ok(false);
        }
        swept?;
        if let Some(writer) = writer {
            writer.keep(self.job)?;
        }
        self.commit(depth)?;
        Ok(true)
    }

    /// Finds all values by spreading them through all states at once. Returns `false` if the watch stopped it.
    pub fn spread(&mut self, found: &mut dyn FoundStates, way: PredecessorWay, options: &Options) -> Result<bool> {
        let (left, word_bytes) = (self.left(), found.word_bytes());
        let kind = ValuesOf::new(found.players(), found.scored().is_some());
        let all: u64 = found.counts().iter().sum();
        // While the states are sorted by the player to move, their words may be in memory twice.
        let bytes = retrograde::bytes(all, self.job.manifest().generated, kind, false, way);
        let states = bytes_of_states(all, word_bytes).saturating_add(all.saturating_mul(word_bytes as u64));
        self.check_room(all, bytes.saturating_add(states), &format!("{all} states"))?;
        let graph = found.whole(Some(self.job))?;
        let (graph, values) = (&*graph, nothing_known(all));
        let kept =
            self.job.read_spread(values.len(), &mut |place, code| values[place].store(code, Ordering::Relaxed))?;
        let (mut clock, states, values) = (KeepingClock::new(options.checkpoint), 0..all, &values[..]);
        let retrograde =
            Retrograde { graph, states, values, leads_on: false, way, listing: None, allowed: self.allowed };
        let listing = retrograde.list_in(self.job, kept, options.grain)?;
        if matches!(listing, Listing::Stopped) {
            return Ok(false);
        }
        let retrograde = Retrograde { listing: listing.whole(), ..retrograde };
        let job = &mut *self.job;
        let ended = retrograde.values(kept, &mut |step| clock.keep(step, job, self.allowed).map(|()| true))?;
        if ended.is_none() {
            retrograde.list_next_time(self.job, options.grain)?;
            return Ok(false);
        }
        let code_at = |number: u64| ValueCode(values[number as usize].load(Ordering::Relaxed));
        for depth in (0..left).rev() {
            let Some(range) = graph.depths().iter().find(|range| range.depth == depth) else { continue };
            self.tally.count(graph, &range.states, &code_at);
            self.keep(depth, &|at| code_at(range.states.start + at as u64))?;
        }
        Ok(true)
    }

    /// Writes the values of a depth, and what has been counted so far. `code_at` returns the value of each state, given
    /// by its place in the files of the depth.
    pub fn keep(&mut self, depth: usize, code_at: &dyn Fn(usize) -> ValueCode) -> Result<()> {
        self.job.write_values(depth, &|at| code_at(at).0, self.distances)?;
        self.commit(depth)
    }

    /// Makes the files of a depth's values part of the job, with what has been counted so far.
    fn commit(&mut self, depth: usize) -> Result<()> {
        let mut stage = self.tally.stage(self.distances, depth);
        let entry = stage.depths.pop().unwrap_or_default();
        self.job.commit_values(&entry, stage)?;
        self.allowed.advance(true);
        Ok(())
    }
}

/// Reads the values of a depth that a job has kept, in the order of the depth's states. The files have the values of
/// open states only. The values of states in which play is over follow from the rules. The depth must be the last one
/// in `graph`.
pub(super) fn known_values(graph: &dyn Graph, depth: usize, job: &Job) -> Result<Vec<ValueCode>> {
    let open = job.manifest().depths[depth].open as usize;
    let mut values = Vec::new();
    if let Some(files) = ValueFiles::open(job, depth)? {
        for block in 0..files.blocks() {
            values.extend(files.block(block)?.into_iter().map(ValueCode));
        }
    }
    let states = &graph.depths().last().ok_or_else(|| job.lacks(depth))?.states;
    if values.len() != open || open as u64 > states.end - states.start {
        return Err(job.lacks(depth));
    }
    let mut over = Vec::new();
    for block in graph.blocks(&(states.start + open as u64..states.end)) {
        graph.over(block, &mut over);
        values.extend(over.iter().map(|worth| worth.map_or(ValueCode::DRAW, ValueCode::at_end)));
    }
    Ok(values)
}
