//! The depths of the sparse store in a job's files, and back.

use rayon::prelude::*;

use super::close::Tally;
use super::layers::Search;
use super::{DepthReport, Report, Store};
use crate::compile::Word;
use crate::error::{Error, Result};
use crate::rules::Window;
use crate::store::{DepthEntry, Job, Layer, Partition};

/// The name of the file of the open states.
pub(super) const OPEN: &str = "open";

/// The name of the file of the states without a move.
pub(super) const STUCK: &str = "stuck";

/// The name of the file of the states that ended with an outcome.
pub(super) fn ended(outcome: usize) -> String {
    format!("ended-{outcome}")
}

/// The entry of a depth, without its files.
pub(super) fn entry(report: &DepthReport, generated: u64) -> DepthEntry {
    let DepthReport { depth, states, raw_states, open, ref ended } = *report;
    DepthEntry { depth, states, raw_states, open, ended: ended.clone(), generated, files: Vec::new() }
}

/// The report of an entry.
pub(super) fn report(entry: &DepthEntry) -> DepthReport {
    let DepthEntry { depth, states, raw_states, open, ref ended, .. } = *entry;
    DepthReport { depth, states, raw_states, open, ended: ended.clone() }
}

/// The report of a job that is complete.
pub fn report_of(job: &Job) -> Report {
    let depths = &job.manifest().depths;
    Report {
        depths: depths.iter().map(report).collect(),
        stop: None,
        store: Store::Auto,
        reason: String::new(),
        symmetry_order: 1,
        generated: depths.last().map_or(0, |depth| depth.generated),
        seconds: 0.0,
    }
}

/// Makes what the partitions found a depth of the job.
pub(super) fn keep_depth<W: Word>(
    job: &mut Job,
    report: &DepthReport,
    generated: u64,
    partitions: &[Partition<W>],
    tallies: &[Tally<W>],
) -> Result<()> {
    for kind in 0..partitions[0].found.len() {
        let words = sorted(partitions.iter().map(|partition| &partition.found[kind]));
        job.write_words(&if kind == 0 { OPEN.to_owned() } else { ended(kind - 1) }, &words)?;
    }
    job.write_words(STUCK, &sorted(tallies.iter().map(|tally| &tally.stuck)))?;
    job.commit(entry(report, generated))
}

fn sorted<'a, W: Word>(lists: impl Iterator<Item = &'a Vec<W>>) -> Vec<W> {
    let mut words: Vec<W> = lists.flatten().copied().collect();
    words.par_sort_unstable();
    words
}

impl<W: Word> Search<'_, W> {
    /// Takes up a job where it was left: its counts, the depths that new states are compared with, and the last one.
    pub(super) fn restore(&mut self) -> Result<()> {
        let job = self.job.take().expect("a job is taken up");
        let depths = &job.manifest().depths;
        let last = depths.len() - 1;
        self.depths = depths.iter().map(report).collect();
        self.total = depths.iter().map(|depth| depth.states).sum();
        self.generated = depths[last].generated;
        if last > 0 {
            let made = depths[last].generated.saturating_sub(depths[last - 1].generated);
            self.branching = (made.div_ceil(depths[last - 1].open.max(1)) as usize).clamp(1, 1 << 16);
        }
        let wanted = |depth: usize| depth == last || (depth + 1 == last && self.window == Window::InverseClosed);
        let held = (0..=last).filter(|&depth| wanted(depth)).map(|depth| depths[depth].open).sum::<u64>();
        let seen = if self.window == Window::Directed { self.total.saturating_mul(4) } else { 0 };
        let needs = (held + seen).saturating_mul(size_of::<W>() as u64);
        if needs > self.memory {
            return Err(Error::Memory(format!(
                "what the job has found takes {needs} bytes, and the limit leaves {}; give more memory",
                self.memory
            )));
        }
        let mut layers = Vec::new();
        for depth in (0..=last).filter(|&depth| wanted(depth)) {
            let mut words: Vec<W> = Vec::with_capacity(depths[depth].open as usize);
            job.read_words(depth, OPEN, |found| {
                words.extend_from_slice(found);
                Ok(())
            })?;
            if words.len() as u64 != depths[depth].open || !words.iter().all(|&word| self.compiled.layout.fits(word)) {
                return Err(job.lacks(depth));
            }
            layers.push(Layer::of(words));
        }
        self.current = layers.pop().expect("the last depth is wanted");
        self.previous = layers.pop().unwrap_or_else(Layer::empty);
        self.previous_len = if last == 0 { 0 } else { depths[last - 1].open as usize };
        if self.window == Window::Directed {
            self.make_room(self.total as usize);
            for depth in 0..=last {
                self.see(job, depth)?;
            }
        }
        self.job = Some(job);
        Ok(())
    }

    /// Marks all states of a depth as seen.
    fn see(&mut self, job: &Job, depth: usize) -> Result<()> {
        let outcomes = self.compiled.rules.outcomes.len();
        let kinds = [OPEN.to_owned(), STUCK.to_owned()].into_iter().chain((0..outcomes).map(ended));
        let set = self.set(depth as u64);
        let (bits, mut count) = (self.bits, 0);
        for kind in kinds {
            job.read_words(depth, &kind, |words: &[W]| {
                count += words.len() as u64;
                for &word in words {
                    let partition = &mut self.partitions[set][crate::store::partition_of(word, bits)];
                    if !self.compiled.layout.fits(word) || !partition.seen.insert(word) {
                        return Err(job.lacks(depth));
                    }
                }
                Ok(())
            })?;
        }
        if count == job.manifest().depths[depth].states { Ok(()) } else { Err(job.lacks(depth)) }
    }
}
