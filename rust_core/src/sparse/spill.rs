//! A depth of the sparse store that does not fit the memory: successors as sorted runs on disk, merged with the depths that
//! they are compared with into the files of the depth.
//!
//! What is on disk of a depth is known to the job, so it goes on from there after anything. The files of the depth are the same
//! however it was found.

use std::time::Instant;

use rayon::prelude::*;

use super::close::{Close, Tally};
use super::frontier::Search;
use super::merge::{Source, merge};
use crate::compile::{Word, cpu};
use crate::error::{Error, Result};
use crate::job::{DepthEntry, FileEntry, Job, Kind, NewWords};
use crate::memory;
use crate::run::{DepthReport, Monitor, Stop, later};

/// The most runs of a kind, so that not too many files are open at once: of more, the smallest are merged into one.
const MOST_RUNS: usize = 64;

/// How many are merged then: so each word is written again as often as runs grow by this factor.
const MERGED_RUNS: usize = 32;

/// How many states are counted by one thread at a time.
const COUNTED_AT_ONCE: usize = 1 << 12;

/// What is found of a depth before it is written as a run.
struct Buffers<W> {
    kinds: Vec<Vec<W>>,
    /// How many words there may be.
    most: usize,
    /// Whether they are in order, each once.
    sorted: bool,
}

impl<W: Word> Buffers<W> {
    fn len(&self) -> usize {
        self.kinds.iter().map(Vec::len).sum()
    }

    fn sort(&mut self) {
        for words in &mut self.kinds {
            words.par_sort_unstable();
            words.dedup();
        }
        self.sorted = true;
    }
}

impl<W: Word> Search<'_, W> {
    /// Finds the next depth on disk; tells why it stopped before the end, if it did. Then goes on in memory where that is
    /// enough for what comes.
    pub(super) fn next_depth_on_disk(&mut self) -> Result<Option<Stop>> {
        let job = self.job.take().expect("what is not in memory is in a job");
        let merged = |search: &mut Self, job: &mut Job| match search.expand_on_disk(job)? {
            None => {
                search.blocks.clear();
                memory::trim();
                let merged = search.merge_runs(job);
                memory::trim();
                merged.map(|()| None)
            }
            stop => Ok(stop),
        };
        let stop = match merged(self, job) {
            // A merge begins again; the runs that it reads are kept.
            Err(Error::Stopped) => {
                job.unstage();
                Some(Stop::Watch)
            }
            other => other?,
        };
        if stop.is_none() && self.fits() && self.grain.is_none_or(|grain| grain.run_words == 0) {
            self.load(job)?;
        }
        self.job = Some(job);
        Ok(stop)
    }

    /// Keeps what was found of a depth so far, as runs.
    pub(super) fn keep_found(&mut self) -> Result<()> {
        let begun = Instant::now();
        let job = self.job.take().expect("a job keeps it");
        let set = self.set(self.depth() + 1);
        // All of it: instead of what was kept before.
        for kind in 0..self.partitions[set][0].found.len() {
            let mut words: Vec<W> = Vec::new();
            let most = self.run_words();
            for partition in &self.partitions[set] {
                let found = &partition.found[kind];
                if words.len() + found.len() > most {
                    write_run(job, Kind::of_place(kind), &mut words)?;
                }
                words.extend_from_slice(found);
            }
            write_run(job, Kind::of_place(kind), &mut words)?;
        }
        job.commit_partial(self.expanded, self.generated, |_| false)?;
        self.job = Some(job);
        // Where that takes long, it is not done often.
        self.keep_at = later(self.checkpoint.max(begun.elapsed() * 10));
        Ok(())
    }

    /// Keeps what was found of a depth so far, and frees the memory that it takes.
    pub(super) fn leave_memory(&mut self) -> Result<()> {
        self.partitions.iter_mut().flatten().for_each(|partition| partition.seen.reset(self.bits, 0));
        self.keep_found()?;
        self.give_back();
        self.resident = false;
        Ok(())
    }

    /// How many words make a run where what was found is written bit by bit.
    fn run_words(&self) -> usize {
        (self.memory as usize / 16 / size_of::<W>()).max(1)
    }

    /// Writes the successors of the current depth as runs.
    fn expand_on_disk(&mut self, job: &mut Job) -> Result<Option<Stop>> {
        let depth = self.depth();
        let (expanded, open) = (job.partial().expanded, self.open_of(depth) as u64);
        if job.manifest().partial.is_some() {
            self.generated = job.partial().generated;
        }
        self.expanded = 0;
        let monitor = Monitor::new(self.watch, self.begun, self.progress());
        let most = self.grain.map_or(0, |grain| grain.run_words);
        let most = if most > 0 { most } else { (self.memory as usize / 4 / size_of::<W>()).max(1) };
        let mut buffers = Buffers { kinds: vec![Vec::new(); self.partitions[0][0].found.len()], most, sorted: true };
        let (wave, mut pending) = (self.wave_states(depth), Vec::new());
        let mut reader = job.words(depth as usize, Kind::Open)?.ok_or_else(|| job.lacks(depth as usize))?;
        let mut more = true;
        while more || !pending.is_empty() {
            while more && pending.len() < wave {
                more = reader.next(&mut pending)?;
            }
            let states = pending.len().min(wave);
            // What was expanded before the job was interrupted.
            let done = (expanded.saturating_sub(self.expanded) as usize).min(states);
            if !pending[..states].par_iter().all(|&word| self.compiled.layout.fits(word)) {
                return Err(job.lacks(depth as usize));
            }
            monitor.add(done as u64);
            let count = self.fill(depth, &pending[done..states], 0, &monitor);
            if monitor.stopped() {
                // What was kept before goes farther than where this run is still looking for its place.
                if self.expanded > expanded {
                    self.write_runs(job, &mut buffers, &monitor)?;
                }
                return Ok(Some(Stop::Watch));
            }
            buffers.sorted = false;
            for block in &self.blocks[..count] {
                self.generated += block.generated;
                for (buffer, kind) in buffers.kinds.iter_mut().zip(&block.kinds) {
                    buffer.extend_from_slice(kind.partition(0));
                }
            }
            pending.drain(..states);
            self.expanded += states as u64;
            if buffers.len() >= buffers.most {
                buffers.sort();
            }
            // Where much came twice, there is room for more before it is written.
            let full = buffers.len() > buffers.most / 2 && buffers.sorted;
            if full || (Instant::now() >= self.keep_at && self.expanded > expanded) {
                self.write_runs(job, &mut buffers, &monitor)?;
                self.keep_at = later(self.checkpoint);
            }
        }
        if self.expanded != open {
            return Err(job.lacks(depth as usize));
        }
        if open > expanded {
            self.write_runs(job, &mut buffers, &monitor)?;
        }
        Ok(None)
    }

    /// Writes what was found as runs, one a kind, and notes how far the depth is.
    fn write_runs(&self, job: &mut Job, buffers: &mut Buffers<W>, monitor: &Monitor) -> Result<()> {
        buffers.sort();
        for (kind, words) in buffers.kinds.iter_mut().enumerate() {
            write_run(job, Kind::of_place(kind), words)?;
        }
        job.commit_partial(self.expanded, self.generated, |_| true)?;
        for kind in 0..buffers.kinds.len() {
            let kind = Kind::of_place(kind);
            let mut runs = job.runs(kind);
            if runs.len() > MOST_RUNS {
                runs.sort_by_key(|run| run.bytes);
                runs.truncate(MERGED_RUNS);
                self.merge_into_run(job, kind, &runs, &[], monitor)?;
            }
        }
        Ok(())
    }

    /// Makes one run of some, without what some files of depths hold.
    fn merge_into_run(
        &self,
        job: &mut Job,
        kind: Kind,
        runs: &[FileEntry],
        seen: &[(u64, Kind)],
        monitor: &Monitor,
    ) -> Result<()> {
        let mut merged: NewWords<W> = job.new_run(kind)?;
        merge(sources_of(job, runs, seen)?, self.merged_words(), |words| {
            go_on(monitor)?;
            merged.write(job, words)
        })?;
        merged.keep(job)?;
        job.commit_partial(self.expanded, self.generated, |file| !runs.iter().any(|run| run.name == file))
    }

    /// How many words a merge may hold. As many again are read, and as many again counted.
    fn merged_words(&self) -> usize {
        self.memory as usize / 4 / size_of::<W>()
    }

    /// Makes the runs the next depth.
    fn merge_runs(&mut self, job: &mut Job) -> Result<()> {
        let monitor = Monitor::new(self.watch, self.begun, self.progress());
        let depth = self.depth() + 1;
        let kinds = self.partitions[0][0].found.len();
        let outcomes = self.compiled.rules.outcomes.len();
        let mut report = DepthReport { depth, states: 0, raw_states: 0, open: 0, ended: vec![0; outcomes] };
        let mut stuck: Option<NewWords<W>> = None;
        for kind in 0..kinds {
            let name = Kind::of_place(kind);
            let mut file: Option<NewWords<W>> = None;
            let compared = self.compared(depth);
            let kinds_of = |&depth: &u64| [Some(name), (kind == 0).then_some(Kind::Stuck)].map(|kind| (depth, kind));
            let mut seen: Vec<(u64, Kind)> = compared
                .iter()
                .flat_map(kinds_of)
                .filter_map(|(depth, kind)| Some((depth, kind?)))
                .filter(|&(depth, kind)| job.has(depth as usize, kind))
                .collect();
            // Not too many files are open at once: what some hold is taken away before.
            while seen.len() > MOST_RUNS && !job.runs(name).is_empty() {
                let rest = seen.split_off(MOST_RUNS);
                self.merge_into_run(job, name, &job.runs(name), &seen, &monitor)?;
                seen = rest;
            }
            merge(sources_of(job, &job.runs(name), &seen)?, self.merged_words(), |words| {
                go_on(&monitor)?;
                for (open, tally) in self.count(kind, depth, words).ok_or_else(|| job.lacks(depth as usize - 1))? {
                    report.raw_states += tally.raw_states;
                    report.ended.iter_mut().zip(&tally.ended).for_each(|(sum, count)| *sum += count);
                    report.open += if kind == 0 { open.len() as u64 } else { 0 };
                    append(job, &mut file, name, &open)?;
                    append(job, &mut stuck, Kind::Stuck, &tally.stuck)?;
                }
                Ok(())
            })?;
            if let Some(file) = file {
                file.keep(job)?;
            }
        }
        if let Some(stuck) = stuck {
            stuck.keep(job)?;
        }
        report.states = report.open + report.ended.iter().sum::<u64>();
        // A depth without states shows that the one before was the last.
        if report.states > 0 {
            job.commit(DepthEntry::new(&report, self.generated))?;
            self.total += report.states;
            self.depths.push(report);
        }
        Ok(())
    }

    /// Counts new states, some at a time, and sets those apart that are stuck; `None` where one is no state.
    fn count(&self, kind: usize, depth: u64, words: &[W]) -> Option<Vec<(Vec<W>, Tally<W>)>> {
        let (compiled, images, player) = (self.compiled, self.images, self.player(depth));
        words
            .par_chunks(COUNTED_AT_ONCE)
            .map(|chunk| {
                let mut words = chunk.to_vec();
                let mut tally = Tally::new(compiled.rules.outcomes.len());
                let states = words.iter().all(|&word| compiled.layout.fits(word));
                states.then(|| {
                    let (words, tally) = (&mut words, &mut tally);
                    cpu::run(Close { compiled, images, player, kind, words, keep: true, tally });
                })?;
                Some((words, tally))
            })
            .collect()
    }
}

/// Writes words to a file that is begun when there are any.
fn append<W: Word>(job: &Job, file: &mut Option<NewWords<W>>, kind: Kind, words: &[W]) -> Result<()> {
    if words.is_empty() {
        return Ok(());
    }
    if file.is_none() {
        *file = Some(job.new_words(kind)?);
    }
    file.as_mut().map_or(Ok(()), |file| file.write(job, words))
}

/// Writes words as a run, and empties the list.
fn write_run<W: Word>(job: &mut Job, kind: Kind, words: &mut Vec<W>) -> Result<()> {
    words.par_sort_unstable();
    job.write_run(kind, words)?;
    words.clear();
    Ok(())
}

/// Some runs, and files of earlier depths, by their kinds.
fn sources_of<W: Word>(job: &Job, runs: &[FileEntry], seen: &[(u64, Kind)]) -> Result<Vec<Source<W>>> {
    let mut sources = Vec::new();
    for run in runs {
        sources.push(Source::found(job.words_of(run)?));
    }
    if !sources.is_empty() {
        for &(depth, kind) in seen {
            sources.extend(job.words(depth as usize, kind)?.map(Source::seen));
        }
    }
    Ok(sources)
}

/// Stops where the watch says so.
fn go_on(monitor: &Monitor) -> Result<()> {
    monitor.add(0);
    if monitor.stopped() { Err(Error::Stopped) } else { Ok(()) }
}
