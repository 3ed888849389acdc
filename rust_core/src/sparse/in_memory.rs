//! A depth that is found in memory: the frontier is expanded wave by wave, and partitions absorb the blocks of each
//! wave. In the end the partitions are closed, and their open states are the next frontier.

use std::sync::{Mutex, PoisonError};

use super::absorb::absorb;
use super::block::BlockTask;
use super::close::{Closed, close, close_ended, count_open, nothing_of};
use super::depth_files::{gather, write_depth};
use super::end_tests::EndTests;
use super::history::{Advance, History};
use super::limits::Limits;
use super::partition::Partition;
use super::residence::Residence;
use super::runs::{Reached, write_found};
use super::seen::SeenOfOpen;
use super::state_graph::StateGraph;
use super::wave::{WaveShape, WaveStates};
use crate::compile::Word;
use crate::error::Result;
use crate::instant::Instant;
use crate::job::Job;
use crate::run::{CheckpointClock, Monitor, parallel};
use crate::structure::Window;

/// Open states may be counted as they are expanded if they have at most this many images together; 16 million states
/// with eight symmetries or fewer. If the search stops, they are counted at once, and nothing stops that.
const MOST_UNCOUNTED_IMAGES: usize = 1 << 27;

/// The number of states that are counted at a time if a depth is not expanded.
const COUNTED_AT_ONCE: usize = 1 << 14;

/// The data and the methods with which the next depth is found in memory.
pub struct InMemory<'a, 'g, W> {
    pub graph: &'a StateGraph<'g, W>,
    pub limits: &'a Limits<'g>,
    pub history: &'a mut History,
    pub residence: &'a mut Residence<W>,
    pub checkpoints: &'a mut CheckpointClock,
    /// `true` if the caller is shown the open states of each depth as soon as they are found.
    pub shows: bool,
}

impl<W: Word> InMemory<'_, '_, W> {
    /// Finds depth 0: the given roots, which are open states, or else those of the graph.
    ///
    /// # Errors
    ///
    /// The errors of writing the job.
    pub fn first_depth(&mut self, roots: Option<Vec<W>>, job: Option<&mut Job>) -> Result<Advance> {
        debug_assert!(roots.is_none() || self.graph.window == Window::InverseClosed, "only then roots are given");
        let partition = &mut self.residence.sets[0][0];
        if let Some(roots) = roots {
            // They need not be added to the set of words that were seen. It is made anew for each further depth, from
            // the frontier.
            partition.found[0] = roots;
        } else {
            for &(kind, root) in &self.graph.roots {
                partition.take_in(kind, &[&[root]]);
            }
        }
        self.close_depth(job)
    }

    /// Finds the next depth.
    ///
    /// # Errors
    ///
    /// The errors of writing the job.
    pub fn next_depth(&mut self, mut job: Option<&mut Job>) -> Result<Advance> {
        self.residence.expanded = 0;
        let on_disk = job.is_some() && self.limits.always_on_disk();
        let advance = if on_disk || !self.residence.prepare(self.graph, self.history) {
            Advance::Outgrown
        } else {
            self.expand_frontier(job.as_deref_mut())?
        };
        let advance = if advance == Advance::Done {
            self.close_depth(job)?
        } else {
            self.count_frontier();
            advance
        };
        // If no state of the last depth has a move, there is no next depth to find.
        Ok(if self.history.open(self.history.last()) == 0 { Advance::Done } else { advance })
    }

    /// Counts the open states of the last depth, if they were to be counted while they are expanded.
    fn count_frontier(&mut self) {
        if self.history.uncounted {
            let (graph, depth, frontier) = (self.graph, self.history.last(), &self.residence.frontier);
            let seen = Mutex::new(SeenOfOpen::default());
            parallel::ranges(frontier.len(), COUNTED_AT_ONCE, &|range| {
                let part = count_open(graph, depth, &frontier[range]);
                seen.lock().unwrap_or_else(PoisonError::into_inner).add(&part);
            });
            self.history.complete_last(&seen.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Writes the new states of the depth so far as runs of the job. These replace the runs that were written before.
    ///
    /// # Errors
    ///
    /// The errors of writing the job.
    pub fn checkpoint(&mut self, job: &mut Job) -> Result<()> {
        let begun = Instant::now();
        let set = self.graph.set(self.history.next());
        let reached = Reached { expanded: self.residence.expanded as u64, generated: self.history.generated };
        let most = self.limits.words_in::<W>(16).max(1);
        write_found(job, &self.residence.sets[set], most, reached)?;
        self.checkpoints.put_off(begun.elapsed());
        Ok(())
    }

    /// Expands the frontier, and lets partitions absorb the successors.
    fn expand_frontier(&mut self, mut job: Option<&mut Job>) -> Result<Advance> {
        let (graph, depth) = (self.graph, self.history.last());
        let set = graph.set(depth + 1);
        let shape = WaveShape::new(graph, self.limits, self.history.branching, depth);
        let shape = shape.in_cache(self.residence.sets[set].len());
        let monitor = self.limits.monitor(self.history, self.residence.bytes());
        let generated_before = self.history.generated;
        let tests = self.limits.end_tests(&graph.ends[graph.player(depth)], self.history);
        let (task, mut seen) = (BlockTask { tests, counts: self.history.uncounted }, SeenOfOpen::default());
        while self.residence.expanded < self.residence.frontier.len() {
            let begin = self.residence.expanded;
            let end = (begin + shape.states()).min(self.residence.frontier.len());
            if !self.residence.may_take(self.growth(set, end - begin)) {
                return Ok(Advance::Outgrown);
            }
            let Residence { sets, bits, frontier, wave, .. } = &mut *self.residence;
            let states = WaveStates { states: &frontier[begin..end], shape, task };
            let blocks = wave.expand(graph, depth, states, *bits, &monitor);
            parallel::each_mut(&mut sets[set], |number, partition| {
                if !monitor.stopped() {
                    let known = partition.found[0].len();
                    absorb(partition, number, blocks);
                    if tests == EndTests::NewStates {
                        partition.sort_out(known, &|word| graph.outcome_after(depth, word));
                    }
                    monitor.add(0);
                }
            });
            if monitor.stopped() {
                return Ok(Advance::Stopped);
            }
            self.history.generated += blocks.iter().map(|block| block.generated).sum::<u64>();
            for block in &*blocks {
                seen.add(&block.seen);
            }
            self.residence.expanded = end;
            if self.residence.found(set) > self.limits.states {
                return Ok(Advance::Outgrown);
            }
            if let Some(job) = job.as_deref_mut()
                && self.checkpoints.is_due()
            {
                self.checkpoint(job)?;
            }
        }
        self.history.complete_last(&seen);
        let generated = self.history.generated - generated_before;
        self.history.branching = generated.div_ceil(self.residence.frontier.len() as u64).max(1) as usize;
        Ok(Advance::Done)
    }

    /// An estimate of the most further bytes that the partitions take while `states` more states are expanded. A set
    /// that grows is there twice until its words are copied. Each thread copies one at a time.
    fn growth(&self, set: usize, states: usize) -> usize {
        let partitions = &self.residence.sets[set];
        // Some partitions get more words than the average. So the estimate for each is a fourth higher, plus a few
        // words.
        let more = states * self.history.branching * 5 / 4 / partitions.len() + 64;
        let copied = partitions.iter().map(|partition| partition.seen.copied_to_grow(more)).max().unwrap_or(0);
        partitions.iter().map(|partition| partition.growth(more)).sum::<usize>()
            + copied * parallel::threads().min(partitions.len())
    }

    /// Counts the states that were found, writes them if there is a job, and makes the open ones the next frontier.
    fn close_depth(&mut self, job: Option<&mut Job>) -> Result<Advance> {
        let (graph, depth) = (self.graph, self.history.next());
        let (writes, keeps, is_ample) = (job.is_some(), self.residence.kept.is_some(), self.residence.is_ample());
        let is_last = self.limits.max_depth.is_some_and(|most| depth >= most);
        let late = !writes && !is_last && self.may_count_late(depth);
        let gathers = writes || !is_last || self.shows;
        // Depth 0 has no monitor: it is counted even if the watch or a limit would stop the run.
        let monitor = (depth > 0).then(|| self.limits.monitor(self.history, self.residence.bytes()));
        let stopped = || monitor.as_ref().is_some_and(Monitor::stopped);
        let set = graph.set(depth);
        if depth > 0 && !self.residence.may_take(self.copied(set, writes, gathers)) {
            return Ok(Advance::Outgrown);
        }
        let partitions = &mut self.residence.sets[set];
        let mut closed: Vec<Closed<W>> = partitions.iter().map(|_| Closed::nothing()).collect();
        let mut closing: Vec<(&mut Partition<W>, &mut Closed<W>)> = partitions.iter_mut().zip(&mut closed).collect();
        parallel::each_mut(&mut closing, |_, (partition, closed)| {
            if !stopped() {
                let close = if late { close_ended } else { close };
                **closed = close(graph, depth, &mut partition.found);
                if let Some(monitor) = &monitor {
                    monitor.add(0);
                }
            }
        });
        if stopped() {
            // States without a move were taken out of the lists of open states. They are put back, so that all new
            // states can be written.
            for (partition, closed) in partitions.iter_mut().zip(&mut closed) {
                partition.found[0].append(&mut closed.stuck);
            }
            return Ok(Advance::Stopped);
        }
        let mut report = nothing_of(depth, graph.outcomes());
        for closed in &closed {
            closed.add_to(&mut report);
        }
        // At first, this is a list of states that are needed no more. If the memory is ample, the list's memory is used
        // again. If not, it is given back at once.
        let mut frontier = Vec::new();
        if report.states > 0 {
            std::mem::swap(&mut frontier, &mut self.residence.frontier);
            if graph.window == Window::InverseClosed {
                std::mem::swap(&mut frontier, &mut self.residence.previous);
            }
        }
        if !is_ample {
            frontier = Vec::new();
        }
        match job {
            // A depth without states is not written: the depth before it is the last one.
            Some(job) if report.states > 0 => {
                frontier = write_depth(job, &report, self.history.generated, partitions, &closed)?;
            }
            // The open states of the last depth are counted, and not looked at again.
            _ if !gathers => frontier = Vec::new(),
            // One partition has all open states in one list. It is taken, not copied, unless all states are kept.
            _ if partitions.len() == 1 && !keeps => {
                frontier.clear();
                std::mem::swap(&mut frontier, &mut partitions[0].found[0]);
            }
            _ => gather(partitions, 0, &mut frontier),
        }
        if let Some(kept) = &mut self.residence.kept {
            let mut all = Vec::with_capacity(report.states as usize);
            for (partition, closed) in partitions.iter().zip(&closed) {
                for words in &partition.found {
                    all.extend_from_slice(words);
                }
                all.extend_from_slice(&closed.stuck);
            }
            kept.push(all);
        }
        parallel::each_mut(partitions, |_, partition| partition.forget_found(is_ample));
        // If the new depth has no states, the last depth stays the frontier. But if the caller keeps all states, the
        // frontier becomes empty.
        if report.states > 0 || keeps {
            self.residence.frontier = frontier;
        }
        if report.states > 0 {
            self.history.add(report);
            self.history.uncounted = late;
        }
        Ok(Advance::Done)
    }

    /// Returns `true` if the open states of the depth that was just found may be counted when they are expanded.
    fn may_count_late(&self, depth: u64) -> bool {
        let open = || self.residence.sets[self.graph.set(depth)].iter().map(|partition| partition.found[0].len());
        let images = self.graph.images.order.max(8);
        !self.shows && open().sum::<usize>() <= MOST_UNCOUNTED_IMAGES / images
    }

    /// The number of bytes that are copied to close a depth. If the depth `gathers` its open states, they are copied to
    /// one list. If it is written, the states of one other kind at a time are copied, too, to be sorted.
    fn copied(&self, set: usize, writes: bool, gathers: bool) -> usize {
        let partitions = &self.residence.sets[set];
        let found = |kind: usize| partitions.iter().map(|partition| partition.found[kind].len()).sum::<usize>();
        let kinds = if writes { self.graph.kinds() } else { 1 };
        let kept = if self.residence.kept.is_some() { (0..self.graph.kinds()).map(found).sum() } else { 0 };
        let open = if gathers { found(0) } else { 0 };
        (open + (1..kinds).map(found).max().unwrap_or(0) + kept) * size_of::<W>()
    }
}
