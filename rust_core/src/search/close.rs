//! Ends a depth of the sparse store: counts what was found, and makes the open states the next layer.

use rayon::prelude::*;

use super::keep::keep_depth;
use super::layers::Search;
use super::monitor::Monitor;
use super::{DepthReport, Stop};
use crate::compile::{Compiled, Images, Word, cpu};
use crate::error::Result;
use crate::rules::Window;
use crate::store::{Layer, Partition};

impl<W: Word> Search<'_, W> {
    /// Counts the states that were found, and makes the open ones the next layer; tells why it stopped before the end, if
    /// it did.
    pub(super) fn close_depth(&mut self) -> Result<Option<Stop>> {
        let depth = self.depths.len() as u64;
        // The start is always counted.
        let monitor = (depth > 0).then(|| Monitor::new(self.watch, self.begun, self.progress()));
        let stopped = || monitor.as_ref().is_some_and(Monitor::stopped);
        let (set, player) = (self.set(depth), self.player(depth));
        let (compiled, images, keep) = (self.compiled, self.images, self.job.is_some());
        // The open states are copied to one array, and a job's to another, to be sorted.
        let open = self.partitions[set].iter().map(|partition| partition.found[0].len()).sum::<usize>();
        let copies = open * size_of::<W>() * if keep { 2 } else { 1 };
        if depth > 0 && self.progress().store_bytes + copies as u64 > self.memory {
            return Ok(Some(Stop::Memory));
        }
        let partitions = &mut self.partitions[set];
        let tallies: Vec<Tally<W>> = partitions
            .par_iter_mut()
            .map(|partition| {
                let mut tally = Tally::new(compiled.rules.outcomes.len());
                if !stopped() {
                    cpu::run(Close { compiled, images, player, partition, keep, tally: &mut tally });
                    if let Some(monitor) = &monitor {
                        monitor.add(0);
                    }
                }
                tally
            })
            .collect();
        if stopped() {
            return Ok(Some(Stop::Watch));
        }
        let report = report(depth, partitions, &tallies, compiled.rules.outcomes.len());
        // A depth without states shows that the one before was the last.
        if report.states > 0
            && let Some(job) = &mut self.job
        {
            keep_depth(job, &report, self.generated, partitions, &tallies)?;
        }
        let open: Vec<&[W]> = partitions.iter().map(|partition| &partition.found[0][..]).collect();
        self.previous_len = self.current.words.len();
        self.previous = std::mem::replace(&mut self.current, Layer::empty());
        if self.window != Window::InverseClosed {
            self.previous = Layer::empty();
        }
        self.current = Layer::new(&open);
        partitions
            .par_iter_mut()
            .for_each(|partition| partition.found.iter_mut().for_each(|words| *words = Vec::new()));
        self.total += report.states;
        if report.states > 0 {
            self.depths.push(report);
        }
        Ok(None)
    }
}

/// What the partitions found, as a depth.
fn report<W: Word>(depth: u64, partitions: &[Partition<W>], tallies: &[Tally<W>], outcomes: usize) -> DepthReport {
    let mut ended = vec![0; outcomes];
    for tally in tallies {
        ended.iter_mut().zip(&tally.ended).for_each(|(sum, count)| *sum += count);
    }
    let open = partitions.iter().map(|partition| partition.found[0].len() as u64).sum::<u64>();
    let raw_states = tallies.iter().map(|tally| tally.raw_states).sum();
    DepthReport { depth, states: open + ended.iter().sum::<u64>(), raw_states, open, ended }
}

/// What one partition found in a depth.
pub(super) struct Tally<W> {
    pub raw_states: u64,
    pub ended: Vec<u64>,
    /// The states without a move, where they are kept.
    pub stuck: Vec<W>,
}

impl<W> Tally<W> {
    fn new(outcomes: usize) -> Self {
        Self { raw_states: 0, ended: vec![0; outcomes], stuck: Vec::new() }
    }
}

/// Counts what one partition found, and drops the states that are stuck.
struct Close<'a, W> {
    compiled: &'a Compiled<W>,
    images: &'a Images<W>,
    player: usize,
    partition: &'a mut Partition<W>,
    /// Whether states without a move are kept.
    keep: bool,
    tally: &'a mut Tally<W>,
}

impl<W: Word> cpu::Task for Close<'_, W> {
    #[inline(always)]
    fn run(self) {
        let Self { compiled, images, player, partition, keep, tally } = self;
        let (open, ended) = partition.found.split_at_mut(1);
        for (outcome, words) in ended.iter().enumerate() {
            tally.ended[outcome] += words.len() as u64;
        }
        for words in open.iter().chain(&*ended) {
            tally.raw_states += words.iter().map(|&word| images.orbit_size(word)).sum::<u64>();
        }
        let steps = &compiled.steps[player];
        if !steps.always {
            open[0].retain(|&word| {
                let goes_on = steps.any(word);
                if !goes_on {
                    tally.ended[compiled.rules.stuck_outcome(player, compiled.solved(word))] += 1;
                    if keep {
                        tally.stuck.push(word);
                    }
                }
                goes_on
            });
        }
    }
}
