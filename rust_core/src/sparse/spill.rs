//! A depth that outgrows the memory: its new states are spilled to sorted runs on disk, and the runs are merged with
//! the depths that they are compared with into the files of the depth. See `docs/jobs.md`.
//!
//! # What is on disk, and how a run goes on from there
//!
//! Depths 0 to d are done; depth d + 1 is being found from the frontier, `depth-d.open`, which is read in order. The
//! manifest names every file that counts, and it is replaced by one rename. So the folder is always in one of these
//! states:
//!
//! | state | the manifest says of depth d + 1 | how a run goes on |
//! |---|---|---|
//! | 1. nothing | nothing | the frontier is expanded from its beginning, in memory if it fits |
//! | 2. runs | `expanded: n`, and runs | n states of the frontier are skipped, and it is expanded from there |
//! | 3. expanded | `expanded` is all of the frontier, and runs | the runs are merged |
//! | 4. done | its files and counts; no runs | depth d + 2 is begun |
//!
//! The steps between them:
//!
//! - *1 or 2 to 2 or 3, from memory*: all new states in partitions are written as runs, which take the place of earlier
//!   ones.
//! - *1 or 2 to 2 or 3, on disk*: successors fill a buffer, and then it is written as one more run of each kind. n
//!   grows.
//! - *2 to 2, 3 to 3*: if there are more than 64 runs of a kind, the 32 smallest are merged into one, which takes their
//!   place. n stays.
//! - *3 to 3*: if runs are compared with more than 64 files, they are merged into one run, without the words of 64 of
//!   these files. Taking away the same words once more does no harm.
//! - *3 to 4*: the files of the depth are written, and the manifest names them in place of the runs.
//!
//! A kill leaves files that no manifest names: files that were being written (`.new`), files that were written after
//! the last manifest, and files that the last manifest no longer names. They are removed when the job is opened again.
//! The job is then in the state of its manifest. So a kill loses one step at most. The files of a depth hold the same
//! bytes whichever steps led to them, in memory or on disk, because they are the same words in order.
//!
//! A run that is stopped writes the states found since the last manifest, which is a step to 2 or 3, and ends. A merge
//! that is stopped is dropped.
//!
//! # Four states
//!
//! Let the frontier be 2, 4. The first run holds 1 and 3, the successors of 2. The second run holds 3 and 6, the
//! successors of 4. Depths 0 and 1 have the words 1, 2 and 4. Merged, the runs are 1, 3, 6. Without the words of the
//! earlier depths, 3, 6 remain, and that is depth 2.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::block::BlockTask;
use super::close::{Closed, close_one, nothing_of};
use super::hash::summand;
use super::held::HeldWords;
use super::history::{Advance, History};
use super::limits::Limits;
use super::merge::{MergeInput, merge};
use super::ordering::sort_once;
use super::runs::{Reached, write_run};
use super::state_graph::StateGraph;
use super::wave::{Wave, WaveShape, WaveStates};
use crate::compile::Word;
use crate::error::{Error, Result};
use crate::job::{DepthEntry, FileEntry, Job, Kind, NewWords, needs_files};
use crate::memory;
use crate::run::{CheckpointClock, DepthReport, Monitor, parallel};
use crate::sorting;

/// The most runs of a kind, so that not too many files are open at once. If there are more, the smallest are merged
/// into one.
const MOST_RUNS: usize = 64;

/// The number of runs that are merged at a time. So a word is written once more each time that runs have grown 32-fold.
const MERGED_RUNS: usize = 32;

/// The most runs of a kind that a shard merges at once: one from each of the 300 shards that a job may have, and some
/// more. With the files of earlier depths, that is less than half of the files that a process may usually open.
const MOST_RECEIVED: usize = 320;

/// The number of states that one thread counts at a time.
const COUNTED_AT_ONCE: usize = 1 << 12;

/// The most words that each thread merges at a time.
const MERGED_AT_ONCE: usize = 1 << 17;

/// Everything that is needed to find a depth on disk.
pub struct OnDisk<'a, 'g, W> {
    pub graph: &'a StateGraph<'g, W>,
    pub limits: &'a Limits<'g>,
    pub history: &'a mut History,
    pub wave: &'a mut Wave<W>,
    pub checkpoints: &'a mut CheckpointClock,
    pub job: &'a mut Job,
    /// The words that a shard holds in memory; `None` if it must hold none, or if the job is not of a shard.
    pub held: Option<&'a mut HeldWords<W>>,
}

impl<W: Word> OnDisk<'_, '_, W> {
    /// Finds the next depth. A depth on disk never outgrows the memory.
    ///
    /// # Errors
    ///
    /// The errors of reading and writing the job.
    pub fn next_depth(&mut self) -> Result<Advance> {
        needs_files!();
        let advance = self.expand_frontier().and_then(|advance| match advance {
            Advance::Done => {
                self.wave.give_back();
                memory::trim();
                let merged = self.merge_runs();
                memory::trim();
                merged.map(|()| Advance::Done)
            }
            unfinished => Ok(unfinished),
        });
        if advance == Err(Error::Stopped) {
            // The watch stopped a merge. The next run merges the same runs from the beginning, so they are kept.
            self.job.unstage();
            return Ok(Advance::Stopped);
        }
        advance
    }

    /// The progress of the search when `expanded` states of the frontier are expanded.
    fn reached(&self, expanded: u64) -> Reached {
        Reached { expanded, generated: self.history.generated }
    }

    /// Reads the frontier, and writes its successors as runs.
    fn expand_frontier(&mut self) -> Result<Advance> {
        let (graph, depth) = (self.graph, self.history.last());
        let lacks = |job: &Job| job.lacks(depth as usize);
        let (already, open) = (self.job.partial().expanded, self.history.open(depth));
        if self.job.manifest().partial.is_some() {
            self.history.generated = self.job.partial().generated;
        }
        let monitor = self.limits.monitor(self.history, self.wave.bytes());
        let shape = WaveShape::new(graph, self.limits, self.history.branching, depth);
        let mut buffers = Buffers::new(graph.kinds(), self.limits.run_words::<W>());
        let mut expanded = 0;
        let mut reader = self.job.words(depth as usize, Kind::Open)?.ok_or_else(|| lacks(self.job))?;
        let (mut pending, mut more): (Vec<W>, bool) = (Vec::new(), true);
        while more || !pending.is_empty() {
            while more && pending.len() < shape.states() {
                more = reader.next(&mut pending)?;
            }
            let states = pending.len().min(shape.states());
            if !graph.are_all_states(&pending[..states]) {
                return Err(lacks(self.job));
            }
            // States that were expanded before the job was interrupted are skipped.
            let skipped = already.saturating_sub(expanded).min(states as u64) as usize;
            monitor.add(skipped as u64);
            // Runs keep the kind of each word, so it must be known before a word is known to be new.
            let expanded_now = WaveStates { states: &pending[skipped..states], shape, task: BlockTask::ENDS };
            let blocks = self.wave.expand(graph, depth, expanded_now, 0, &monitor);
            if monitor.stopped() {
                // The runs in the job already cover the states that are still being skipped.
                if expanded > already {
                    self.write_runs(&mut buffers, expanded, &monitor)?;
                }
                return Ok(Advance::Stopped);
            }
            for block in blocks {
                self.history.generated += block.generated;
                buffers.extend(block.kinds.iter().map(|kind| kind.partition(0)));
            }
            pending.drain(..states);
            expanded += states as u64;
            if buffers.are_full() || (self.checkpoints.is_due() && expanded > already) {
                self.write_runs(&mut buffers, expanded, &monitor)?;
                self.checkpoints.put_off(Duration::ZERO);
            }
        }
        if expanded != open {
            return Err(lacks(self.job));
        }
        if open > already {
            self.write_runs(&mut buffers, expanded, &monitor)?;
        }
        Ok(Advance::Done)
    }

    /// Writes the words in the buffers as runs, one for each kind, and notes the progress through the frontier.
    fn write_runs(&mut self, buffers: &mut Buffers<W>, expanded: u64, monitor: &Monitor) -> Result<()> {
        buffers.sort();
        for (kind, words) in buffers.kinds.iter_mut().enumerate() {
            write_run(self.job, Kind::of_place(kind), words)?;
        }
        let reached = self.reached(expanded);
        self.job.commit_partial(reached.expanded, reached.generated, &|_| true)?;
        for kind in (0..buffers.kinds.len()).map(Kind::of_place) {
            if self.job.runs(kind).len() > MOST_RUNS {
                self.merge_smallest(kind, MERGED_RUNS, (reached, monitor))?;
            }
        }
        Ok(())
    }

    /// Merges the smallest runs of a kind into one.
    fn merge_smallest(&mut self, kind: Kind, count: usize, at: (Reached, &Monitor)) -> Result<()> {
        self.merge_into_run(kind, &smallest_runs(self.job, kind, count), &[], at)
    }

    /// Merges the runs that a shard has received of the next depth into its files.
    ///
    /// # Errors
    ///
    /// The errors of reading and writing the job; [`Error::Stopped`] if the watch stops it.
    pub fn merge_received(&mut self) -> Result<()> {
        let monitor = self.limits.monitor(self.history, 0);
        let reached = self.reached(self.job.partial().expanded);
        for kind in (0..self.graph.kinds()).map(Kind::of_place) {
            while self.job.runs(kind).len() > MOST_RECEIVED {
                self.merge_smallest(kind, MOST_RECEIVED / 2, (reached, &monitor))?;
            }
        }
        self.merge_runs()
    }

    /// Returns `true` if there are runs of a kind, on disk or in memory.
    fn has_runs(&self, kind: Kind) -> bool {
        let own = self.held.as_ref().map_or(&[][..], |held| &held.own[..]);
        let mut own = own.iter().enumerate().filter(|&(place, _)| Kind::of_place(place) == kind);
        own.any(|(_, words)| !words.is_empty()) || !self.job.runs(kind).is_empty()
    }

    /// Merges the given runs into one run, without the words of some files of earlier depths.
    fn merge_into_run(
        &mut self,
        kind: Kind,
        runs: &[FileEntry],
        seen: &[(u64, Kind)],
        (reached, monitor): (Reached, &Monitor),
    ) -> Result<()> {
        let job = &mut *self.job;
        let mut merged: NewWords<W> = job.new_run(kind)?;
        // A run in memory is merged only when all runs are.
        let own = if seen.is_empty() { Vec::new() } else { own_run(&mut self.held, kind) };
        merge(inputs((job, &self.held), runs, own, seen)?, merged_at_once::<W>(self.limits), &mut |parts| {
            go_on(monitor)?;
            merged.write(job, parts)
        })?;
        merged.keep(job)?;
        job.commit_partial(reached.expanded, reached.generated, &|file| !runs.iter().any(|run| run.name == file))
    }

    /// Merges the runs into the files of the next depth.
    fn merge_runs(&mut self) -> Result<()> {
        let monitor = self.limits.monitor(self.history, self.wave.bytes());
        let depth = self.history.next();
        let mut report = nothing_of(depth, self.graph.outcomes());
        // A shard may have no state of a depth in which other shards have some. Only the sum of all shards counts.
        let of_shard = self.job.manifest().subject.shard.is_some();
        let mut sum = 0u128;
        let mut stuck: Option<NewWords<W>> = None;
        let needed = [self.graph.compared(depth), self.graph.compared(depth + 1)].concat();
        let mut room = self.held.as_mut().map_or(0, |held| held.forget(&needed, self.limits));
        let mut to_hold = Vec::new();
        for kind in 0..self.graph.kinds() {
            let name = Kind::of_place(kind);
            let seen = self.subtract_many(name, &monitor)?;
            let own = own_run(&mut self.held, name);
            let mut holding = (room > 0).then(Vec::new);
            let (graph, job) = (self.graph, &mut *self.job);
            let mut file: Option<NewWords<W>> = None;
            merge(
                inputs((job, &self.held), &job.runs(name), own, &seen)?,
                merged_at_once::<W>(self.limits),
                &mut |parts| {
                    go_on(&monitor)?;
                    let mut counted: Vec<Option<Counted<W>>> = parts.iter().map(|_| None).collect();
                    let mut pairs: Vec<_> = parts.iter_mut().zip(&mut counted).collect();
                    parallel::each_mut(&mut pairs, |_, (words, counted)| {
                        **counted = count((graph, depth, kind), words, of_shard);
                    });
                    if counted.iter().any(Option::is_none) {
                        return Err(job.lacks(depth as usize - 1));
                    }
                    append(job, &mut file, name, parts)?;
                    let words = parts.iter().map(Vec::len).sum::<usize>();
                    holding = holding.take().filter(|holding: &Vec<W>| holding.len() + words <= room);
                    if let Some(holding) = &mut holding {
                        for part in &*parts {
                            holding.extend_from_slice(part);
                        }
                    }
                    for part in counted.into_iter().flatten() {
                        sum = sum.wrapping_add(part.sum);
                        part.closed.add_to(&mut report);
                        append(job, &mut stuck, Kind::Stuck, &[part.closed.stuck])?;
                    }
                    Ok(())
                },
            )?;
            if let Some(file) = file {
                file.keep(job)?;
            }
            room -= holding.as_ref().map_or(0, Vec::len);
            to_hold.extend(holding.map(|words| (name, words)));
        }
        if let Some(stuck) = stuck {
            stuck.keep(self.job)?;
        }
        // A depth without states does not count as one: the depth before was the last.
        if report.states > 0 || of_shard {
            commit(self.job, self.history, report, of_shard.then_some(sum))?;
        }
        if let Some(held) = &mut self.held {
            for (kind, words) in to_hold {
                held.hold(depth, kind, words);
            }
        }
        Ok(())
    }

    /// The files, by their depths and kinds, whose words are not new in the next depth: at most [`MOST_RUNS`]. If there
    /// are more such files, the words of the others are taken out of the runs first.
    fn subtract_many(&mut self, kind: Kind, monitor: &Monitor) -> Result<Vec<(u64, Kind)>> {
        let mut seen = seen_files(self.job, &self.graph.compared(self.history.next()), kind);
        let reached = self.reached(self.history.open(self.history.last()));
        // Files that are held in memory are not opened.
        if self.held.as_ref().is_some_and(|held| seen.iter().all(|&(depth, kind)| held.of(depth, kind).is_some())) {
            return Ok(seen);
        }
        while seen.len() > MOST_RUNS && self.has_runs(kind) {
            let rest = seen.split_off(MOST_RUNS);
            self.merge_into_run(kind, &self.job.runs(kind), &seen, (reached, monitor))?;
            seen = rest;
        }
        Ok(seen)
    }
}

/// The words of a kind that a shard holds in memory as one run more. Afterwards it holds none.
fn own_run<W>(held: &mut Option<&mut HeldWords<W>>, kind: Kind) -> Vec<W> {
    let kinds = held.as_mut().map_or(&mut [][..], |held| &mut held.own[..]);
    let own = kinds.iter_mut().enumerate().find(|&(place, _)| Kind::of_place(place) == kind);
    own.map(|(_, words)| std::mem::take(words)).unwrap_or_default()
}

/// The number of words that are merged at a time, such that they stay in the cache until they are counted and written.
/// Half as many words are held in each of three places: in the sorted lists, in merged parts, and while they are
/// written.
fn merged_at_once<W: Word>(limits: &Limits) -> usize {
    limits.words_in::<W>(4).min(MERGED_AT_ONCE * parallel::threads())
}

/// Adds up the numbers that [`summand`] gives to words, modulo 2^128. The sum identifies the set of words.
pub fn sum_of<W: Word>(words: &[W]) -> u128 {
    let sum = |range: Range<usize>| words[range].iter().copied().map(summand).fold(0, u128::wrapping_add);
    parallel::map(words.len(), COUNTED_AT_ONCE, sum).into_iter().fold(0, u128::wrapping_add)
}

/// The new states of a depth before they are written as runs.
pub struct Buffers<W> {
    /// The words of each kind.
    pub kinds: Vec<Vec<W>>,
    /// The number of words that the buffers may hold.
    most: usize,
    /// `true` if the words are in order, and each is there once.
    sorted: bool,
}

impl<W: Word> Buffers<W> {
    /// Empty buffers, which together hold at most `most` words.
    pub fn new(kinds: usize, most: usize) -> Self {
        Self { kinds: vec![Vec::new(); kinds], most, sorted: true }
    }

    fn len(&self) -> usize {
        self.kinds.iter().map(Vec::len).sum()
    }

    /// Adds words of each kind.
    pub fn extend<'a>(&mut self, kinds: impl Iterator<Item = &'a [W]>) {
        self.sorted = false;
        self.kinds.iter_mut().zip(kinds).for_each(|(buffer, words)| buffer.extend_from_slice(words));
    }

    /// Returns `true` if it is time to write the buffers: they are full, and still more than half full after duplicates
    /// are removed.
    pub fn are_full(&mut self) -> bool {
        if self.len() >= self.most {
            self.sort();
        }
        self.sorted && self.len() > self.most / 2
    }

    /// Puts the words in order, each once.
    pub fn sort(&mut self) {
        for words in &mut self.kinds {
            if W::LIMBS == 1 {
                sort_once(words);
            } else {
                parallel::sort(words);
                words.dedup();
            }
        }
        self.sorted = true;
    }
}

/// The counts of new states, and the sum that identifies them.
struct Counted<W> {
    closed: Closed<W>,
    /// The sum that [`sum_of`] makes of the words that were counted; 0 if it is not needed.
    sum: u128,
}

/// Counts new states of a depth and a kind, and sets the states without a move apart. `None` if a word is no state.
fn count<W: Word>(
    (graph, depth, kind): (&StateGraph<W>, u64, usize),
    words: &mut Vec<W>,
    with_sum: bool,
) -> Option<Counted<W>> {
    let sum = if with_sum { sum_of(words) } else { 0 };
    graph.are_states(words).then(|| Counted { closed: close_one(graph, depth, kind, words), sum })
}

/// Writes parts, one after another, to a file. The file is begun with the first word.
fn append<W: Word>(job: &Job, file: &mut Option<NewWords<W>>, kind: Kind, parts: &[Vec<W>]) -> Result<()> {
    if parts.iter().all(Vec::is_empty) {
        return Ok(());
    }
    if file.is_none() {
        *file = Some(job.new_words(kind)?);
    }
    file.as_mut().map_or(Ok(()), |file| file.write(job, parts))
}

/// The `count` smallest runs of a kind.
fn smallest_runs(job: &Job, kind: Kind, count: usize) -> Vec<FileEntry> {
    let mut runs = job.runs(kind);
    sorting::sort_by_key(&mut runs, |run| run.bytes);
    runs.truncate(count);
    runs
}

/// The inputs of a merge: some runs, words in memory as one run more, and files of earlier depths. Empty if there are
/// no runs.
fn inputs<W: Word>(
    (job, held): (&Job, &Option<&mut HeldWords<W>>),
    runs: &[FileEntry],
    own: Vec<W>,
    seen: &[(u64, Kind)],
) -> Result<Vec<MergeInput<W>>> {
    let mut inputs: Vec<MergeInput<W>> = Vec::new();
    if !own.is_empty() {
        inputs.push(MergeInput::held(Arc::new(own)));
    }
    for run in runs {
        inputs.push(MergeInput::found(job.words_of(run)?));
    }
    if !inputs.is_empty() {
        for &(depth, kind) in seen {
            if let Some(words) = held.as_ref().and_then(|held| held.of(depth, kind)) {
                inputs.push(MergeInput::held(words).seen_before());
                continue;
            }
            inputs.extend(job.words(depth as usize, kind)?.map(|reader| MergeInput::found(reader).seen_before()));
        }
    }
    Ok(inputs)
}

/// The files of some depths, by their depths and kinds, that may have words of the kind `kind` of the next depth.
fn seen_files(job: &Job, depths: &[u64], kind: Kind) -> Vec<(u64, Kind)> {
    let mut seen = Vec::new();
    for &depth in depths {
        // A state of the next depth that is open here may have been stuck at an earlier depth.
        for kind in [Some(kind), (kind == Kind::Open).then_some(Kind::Stuck)].into_iter().flatten() {
            if job.has(depth as usize, kind) {
                seen.push((depth, kind));
            }
        }
    }
    seen
}

/// Makes the files that were written a depth of the job. `sum` identifies the words of a shard.
fn commit(job: &mut Job, history: &mut History, report: DepthReport, sum: Option<u128>) -> Result<()> {
    let sum = sum.map(|sum| format!("{sum:032x}"));
    job.commit(DepthEntry { sum, ..DepthEntry::new(&report, history.generated) })?;
    history.add(report);
    Ok(())
}

/// Returns [`Error::Stopped`] if the watch has stopped the run.
fn go_on(monitor: &Monitor) -> Result<()> {
    monitor.add(0);
    if monitor.stopped() { Err(Error::Stopped) } else { Ok(()) }
}
