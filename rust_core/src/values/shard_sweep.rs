//! Finds the values of one shard's states if every state tells its own depth: depth by depth, from the last to the
//! first. `docs/cluster.md` explains it to users.
//!
//! Two depths are in memory: one whose values are known, and the one before it. The states of the earlier depth are
//! handled in portions, each as large as the memory allows. A portion takes three steps, which all shards do together:
//! each shard asks the owners for the values of the successors that are not its own, the owners answer, and the values
//! of the states follow.

use std::sync::atomic::{AtomicU32, Ordering};

use super::allowance::Allowance;
use super::checkpoints::known_values;
use super::retrograde::nothing_known;
use super::tally::Tallies;
use super::told::{AskingShard, ToldCodes, listen, of_first, of_opponent, read_told};
use super::value_code::{Best, ValueCode};
use crate::error::{Error, Result};
use crate::graph::{FoundStates, Graph, Inquiry, Lists, OwnSuccessors, ShardGraph, bytes_of_pair};
use crate::instant::Instant;
use crate::job::{FileEntry, Job, Kind, Outbox, ValuesStage};
use crate::run::parallel;

/// The fewest states that are asked about at a time.
const LEAST: u64 = 1 << 12;

/// The advice of the message if the memory is not enough.
pub(super) const RESUME: &str = "what the job had is kept: resume it with more memory, or begin it with more shards";

/// The states of a depth whose values are known, and their codes as other shards are told them.
struct KnownCodes {
    graph: Box<dyn ShardGraph>,
    codes: ToldCodes,
}

impl KnownCodes {
    fn new(graph: Box<dyn ShardGraph>, count: usize, code_at: impl Fn(usize) -> ValueCode + Sync) -> Self {
        let keeps_turns = graph.keeps_turns();
        let told = |state: usize| {
            let code = code_at(state);
            if keeps_turns { of_first(&*graph, state as u64, code) } else { code }
        };
        let codes = ToldCodes::new(count, told);
        Self { graph, codes }
    }
}

/// The states of one depth, and their values as far as they are known.
struct Swept {
    depth: usize,
    graph: Box<dyn ShardGraph>,
    /// `true` if a move may keep the turn.
    keeps_turns: bool,
    /// For each state, the code of its value. As long as the answers to questions are missing, it is the value that
    /// would follow if the state had only the successors that this shard owns.
    values: Vec<AtomicU32>,
}

impl Swept {
    fn new(depth: usize, graph: Box<dyn ShardGraph>, values: Vec<AtomicU32>) -> Self {
        let keeps_turns = graph.keeps_turns();
        Self { depth, graph, keeps_turns, values }
    }

    #[inline(always)]
    fn code(&self, state: u64) -> ValueCode {
        ValueCode(self.values[state as usize].load(Ordering::Relaxed))
    }
}

/// A sweep over the states of one shard.
#[derive(Default)]
pub struct ShardSweep {
    later: Option<KnownCodes>,
    now: Option<Swept>,
    /// The number of states of the earlier depth whose values are known. These are the first ones.
    known: u64,
    asked: Inquiry,
}

impl ShardSweep {
    /// Asks about the next states of a depth. Returns `false` if these are the last ones.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if two depths do not fit; [`Error::Disk`], [`Error::Corrupt`], and [`Error::Stopped`].
    pub fn ask(
        &mut self,
        found: &dyn FoundStates,
        depth: usize,
        AskingShard { job, outbox, options, watch }: AskingShard,
    ) -> Result<bool> {
        let allowed = &Allowance::new(options, Instant::now(), watch);
        if self.now.as_ref().is_none_or(|now| now.depth != depth) {
            self.begin(found, depth, job, allowed)?;
        }
        let now = self.now.as_ref().expect("the depth has begun");
        let entry = &job.manifest().depths[depth];
        let count = now.values.len() as u64;
        // It is assumed that each state has as many successors as the states of all depths have on average.
        let open: u64 = job.manifest().depths.iter().map(|entry| entry.open).sum();
        let moves = job.manifest().depths.last().map_or(0, |last| last.generated).div_ceil(open.max(1));
        let each = (moves + 1) * (found.word_bytes() as u64 + 24) + 32;
        let most = (allowed.room / 2 / each).max(LEAST);
        let end = count.min(self.known.saturating_add(most));
        let monitor = allowed.monitor(entry.depth, end - self.known, self.known, count);
        // States of the last depth have no successors.
        let last = ToldCodes::Bytes(Vec::new());
        let (later, codes) = self.later.as_ref().map_or((&now.graph, &last), |later| (&later.graph, &later.codes));
        let (graph, none) = (&*now.graph, Best::new(&*now.graph, false));
        let taken = |first: u64, lists: &Lists<u32>| {
            for (state, own) in (first..).zip(lists.iter()) {
                let mut best = none.anew();
                for &after in own {
                    let code = codes.of(after);
                    best.take(if now.keeps_turns { of_opponent(graph, state, code) } else { code });
                }
                now.values[state as usize].store(best.code().0, Ordering::Relaxed);
            }
        };
        let own = OwnSuccessors { later: Some(&**later), taken: Some(&taken), next: Some(codes.read_next()) };
        self.asked = now.graph.ask(self.known..end, own, job, outbox, &monitor)?;
        if monitor.stopped() { Err(Error::Stopped) } else { Ok(end < count) }
    }

    /// Reads the states of a depth, and the values of the next one unless they are known from before.
    fn begin(&mut self, found: &dyn FoundStates, depth: usize, job: &Job, allowed: &Allowance) -> Result<()> {
        let depths = &job.manifest().depths;
        let (now, next) = (depths[depth].states, depths.get(depth + 1).map_or(0, |next| next.states));
        let bytes = bytes_of_pair(now, next, found.word_bytes());
        allowed.check(now, bytes, &format!("{} states of two depths of a shard", now + next), RESUME)?;
        self.later = None;
        self.later = match self.now.take().filter(|before| before.depth == depth + 1) {
            Some(Swept { graph, values, .. }) => {
                let code_at = |state: usize| ValueCode(values[state].load(Ordering::Relaxed));
                Some(KnownCodes::new(graph, values.len(), code_at))
            }
            None if depth + 1 < depths.len() => {
                let graph = found.of_shard(depth + 1..depth + 2, job)?;
                let values = known_values(&*graph, depth + 1, job)?;
                Some(KnownCodes::new(graph, values.len(), |state| values[state]))
            }
            None => None,
        };
        let graph = found.of_shard(depth..depth + 1, job)?;
        let values = nothing_known(graph.depths()[0].states.end);
        self.now = Some(Swept::new(depth, graph, values));
        self.known = 0;
        Ok(())
    }

    /// Answers the questions of all shards.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] and [`Error::Corrupt`].
    pub fn tell(&self, job: &Job, files: &[FileEntry], outbox: &mut Outbox) -> Result<()> {
        let Some(later) = &self.later else { return Ok(()) };
        let (codes, mut told) = (&later.codes, vec![Vec::new(); outbox.shards()]);
        listen(&*later.graph, job, files, Some(codes.read_next()), &mut |shard, states| {
            told[shard].extend(states.iter().map(|&state| codes.of(state).0));
        })?;
        told.iter().enumerate().try_for_each(|(shard, codes)| outbox.send_list(shard, Kind::Told, &[&codes[..]]))
    }

    /// Finds the values of the states that were asked about from the answers.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if answers are missing.
    pub fn take(&mut self, job: &Job, files: &[FileEntry]) -> Result<()> {
        let Some(now) = &mut self.now else { return Ok(()) };
        let asked = std::mem::take(&mut self.asked);
        let answers = read_told(&asked, job, files)?.ok_or_else(|| job.lacks(now.depth + 1))?;
        let (graph, mut rest) = (&*now.graph, &mut now.values[self.known as usize..]);
        let mut parts = Vec::new();
        for part in &asked.parts {
            let (values, after) = rest.split_at_mut(part.len());
            parts.push((self.known, part, values));
            self.known += part.len() as u64;
            rest = after;
        }
        let (none, keeps_turns) = (Best::new(graph, false), now.keeps_turns);
        parallel::each_mut(&mut parts, |_, (first, part, values)| {
            for ((state, value), asked) in (*first..).zip(values.iter_mut()).zip(part.asked()) {
                let mut best = none.with(ValueCode(*value.get_mut()));
                for question in asked {
                    let code = ValueCode(answers[question as usize]);
                    best.take(if keeps_turns { of_opponent(graph, state, code) } else { code });
                }
                *value.get_mut() = best.code().0;
            }
            for &(place, over) in &part.over {
                *values[place as usize].get_mut() = ValueCode::at_end(over).0;
            }
        });
        Ok(())
    }

    /// Writes the values of the depth, and returns the shard's counts.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] and [`Error::Corrupt`].
    pub fn keep(&mut self, job: &mut Job) -> Result<ValuesStage> {
        let distances = job.manifest().values.as_ref().is_some_and(|stage| stage.distances);
        let now = self.now.as_mut().filter(|now| self.known as usize == now.values.len());
        let now = now.ok_or_else(|| job.lacks(0))?;
        let part = keep_depth(&*now.graph, now.depth, job, &|number| now.code(number))?;
        if !distances {
            now.values.iter_mut().map(AtomicU32::get_mut).for_each(|value| *value = ValueCode(*value).in_no_moves().0);
        }
        Ok(part)
    }
}

/// Writes the values of one shard's states at a depth, and returns how many of these states have each value.
pub(super) fn keep_depth(
    graph: &dyn Graph,
    depth: usize,
    job: &mut Job,
    code_at: &(dyn Fn(u64) -> ValueCode + Sync),
) -> Result<ValuesStage> {
    let distances = job.manifest().values.as_ref().is_some_and(|stage| stage.distances);
    let range = graph.depths().iter().find(|range| range.depth == depth).map(|range| range.states.clone());
    let range = range.ok_or_else(|| job.lacks(depth))?;
    let mut tally = Tallies::new(depth + 1);
    tally.count(graph, &range, code_at);
    job.write_values(depth, &|at| code_at(range.start + at as u64).0, distances)?;
    let stage = tally.stage(distances, depth);
    let entry = stage.depths[0].clone();
    job.commit_values(&entry, ValuesStage { distances, ..ValuesStage::default() })?;
    Ok(stage)
}
