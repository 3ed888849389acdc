//! Ends a depth of the sparse store: counts what was found, and makes the open states the next layer.

use rayon::prelude::*;

use super::frontier::Search;
use super::keep::keep_depth;
use super::partition::Partition;
use crate::compile::{Compiled, Images, Word, cpu};
use crate::error::Result;
use crate::run::{DepthReport, Monitor, Stop};
use crate::structure::Window;

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
        // The open states are copied to one array, and so are a job's other ones, to be sorted.
        let found = |kind: usize| self.partitions[set].iter().map(|partition| partition.found[kind].len()).sum();
        let kinds = if keep { self.partitions[set][0].found.len() } else { 1 };
        let copies = (found(0) + (1..kinds).map(found).max().unwrap_or(0)) * size_of::<W>();
        if depth > 0 && self.progress().store_bytes + copies as u64 > self.memory {
            return Ok(Some(Stop::Memory));
        }
        let partitions = &mut self.partitions[set];
        let tallies: Vec<Tally<W>> = partitions
            .par_iter_mut()
            .map(|partition| {
                let mut tally = Tally::new(compiled.rules.outcomes.len());
                if !stopped() {
                    for (kind, words) in partition.found.iter_mut().enumerate() {
                        cpu::run(Close { compiled, images, player, kind, words, keep, tally: &mut tally });
                    }
                    if let Some(monitor) = &monitor {
                        monitor.add(0);
                    }
                }
                tally
            })
            .collect();
        if stopped() {
            for (partition, tally) in partitions.iter_mut().zip(tallies) {
                partition.found[0].extend(tally.stuck);
            }
            return Ok(Some(Stop::Watch));
        }
        let report = report(depth, partitions, &tallies, compiled.rules.outcomes.len());
        // A depth without states shows that the one before was the last.
        let current = match &mut self.job {
            Some(job) if report.states > 0 => keep_depth(job, &report, self.generated, partitions, &tallies)?,
            _ => gathered(partitions, 0),
        };
        partitions
            .par_iter_mut()
            .for_each(|partition| partition.found.iter_mut().for_each(|words| *words = Vec::new()));
        self.previous = std::mem::replace(&mut self.current, current);
        if self.window != Window::InverseClosed {
            self.previous = Vec::new();
        }
        self.total += report.states;
        if report.states > 0 {
            self.depths.push(report);
        }
        Ok(None)
    }
}

/// The words of a kind that all partitions found, in one list.
pub(super) fn gathered<W: Word>(partitions: &[Partition<W>], kind: usize) -> Vec<W> {
    concatenated(&partitions.iter().map(|partition| &partition.found[kind][..]).collect::<Vec<_>>())
}

/// Some lists in one.
pub(super) fn concatenated<W: Word>(lists: &[&[W]]) -> Vec<W> {
    let mut words = vec![W::ZERO; lists.iter().map(|list| list.len()).sum()];
    let mut rest = &mut words[..];
    let mut places = Vec::with_capacity(lists.len());
    for list in lists {
        let (place, after) = rest.split_at_mut(list.len());
        places.push(place);
        rest = after;
    }
    places.into_par_iter().zip(lists).for_each(|(place, list)| place.copy_from_slice(list));
    words
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
    pub fn new(outcomes: usize) -> Self {
        Self { raw_states: 0, ended: vec![0; outcomes], stuck: Vec::new() }
    }
}

/// Counts states of a kind that are new, and drops those that are stuck.
pub(super) struct Close<'a, W> {
    pub compiled: &'a Compiled<W>,
    pub images: &'a Images<W>,
    pub player: usize,
    /// 0 for states that are open as far as ends go, else one more than the outcome.
    pub kind: usize,
    pub words: &'a mut Vec<W>,
    /// Whether states without a move are kept.
    pub keep: bool,
    pub tally: &'a mut Tally<W>,
}

impl<W: Word> cpu::Task for Close<'_, W> {
    #[inline(always)]
    fn run(self) {
        let Self { compiled, images, player, kind, words, keep, tally } = self;
        tally.raw_states += words.iter().map(|&word| images.orbit_size(word)).sum::<u64>();
        if let Some(outcome) = kind.checked_sub(1) {
            tally.ended[outcome] += words.len() as u64;
            return;
        }
        let steps = &compiled.steps[player];
        if !steps.always {
            words.retain(|&word| {
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
