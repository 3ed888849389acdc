//! The depths of the sparse store in a job's files, and back.

use rayon::prelude::*;

use super::close::{Tally, concatenated, gathered};
use super::frontier::{LEAST_ON_DISK, Search};
use super::partition::Partition;
use crate::compile::Word;
use crate::error::{Error, Result};
use crate::job::{DepthEntry, Job, Kind};
use crate::run::DepthReport;
use crate::structure::Window;

/// How many states of a file are marked as seen at a time.
const SEEN_AT_ONCE: usize = 1 << 16;

/// Makes what the partitions found a depth of the job, and returns its open states in order.
pub(super) fn keep_depth<W: Word>(
    job: &mut Job,
    report: &DepthReport,
    generated: u64,
    partitions: &[Partition<W>],
    tallies: &[Tally<W>],
) -> Result<Vec<W>> {
    let open = sorted(gathered(partitions, 0));
    job.write_words(Kind::Open, &open)?;
    for kind in 1..partitions[0].found.len() {
        job.write_words(Kind::of_place(kind), &sorted(gathered(partitions, kind)))?;
    }
    let stuck: Vec<&[W]> = tallies.iter().map(|tally| &tally.stuck[..]).collect();
    job.write_words(Kind::Stuck, &sorted(concatenated(&stuck)))?;
    job.commit(DepthEntry::new(report, generated))?;
    Ok(open)
}

fn sorted<W: Word>(mut words: Vec<W>) -> Vec<W> {
    words.par_sort_unstable();
    words
}

impl<W: Word> Search<'_, W> {
    /// Takes up a job where it was left: its counts, the depths that new states are compared with, and the last one.
    pub(super) fn restore(&mut self) -> Result<()> {
        let job = self.job.take().expect("a job is taken up");
        let depths = &job.manifest().depths;
        let last = depths.len() - 1;
        self.depths = depths.iter().map(DepthEntry::report).collect();
        self.total = depths.iter().map(|depth| depth.states).sum();
        self.generated = depths[last].generated;
        if last > 0 {
            let made = depths[last].generated.saturating_sub(depths[last - 1].generated);
            self.branching = (made.div_ceil(depths[last - 1].open.max(1)) as usize).clamp(1, 1 << 16);
        }
        // A part of a depth is on disk, and so is what is left of it.
        if job.manifest().partial.is_none() && self.fits() {
            self.load(job)?;
        } else if self.can_spill() {
            self.resident = false;
        } else {
            return Err(Error::Memory(format!(
                "the limit leaves {} bytes, and to go on with this job takes at least {LEAST_ON_DISK}; give more memory",
                self.memory
            )));
        }
        self.job = Some(job);
        Ok(())
    }

    /// Takes what the next depth needs of a job into memory.
    pub(super) fn load(&mut self, job: &Job) -> Result<()> {
        self.resident = true;
        let last = self.depth();
        self.current = self.open_states(job, last)?;
        if self.window == Window::InverseClosed && last > 0 {
            self.previous = self.open_states(job, last - 1)?;
        }
        if self.window == Window::Directed {
            self.make_room(self.total as usize);
            for depth in 0..=last {
                self.see_depth(job, depth as usize)?;
            }
        }
        Ok(())
    }

    fn open_states(&self, job: &Job, depth: u64) -> Result<Vec<W>> {
        let mut states: Vec<W> = Vec::with_capacity(self.open_of(depth));
        job.read_words(depth as usize, Kind::Open, |words: &[W]| {
            states.extend_from_slice(words);
            Ok(())
        })?;
        let right =
            states.len() == self.open_of(depth) && states.par_iter().all(|&word| self.compiled.layout.fits(word));
        if right { Ok(states) } else { Err(job.lacks(depth as usize)) }
    }

    /// Marks all states of a depth as seen.
    fn see_depth(&mut self, job: &Job, depth: usize) -> Result<()> {
        let (set, mut count) = (self.set(depth as u64), 0);
        for kind in Kind::of_words(self.compiled.rules.outcomes.len()) {
            let mut states: Vec<W> = Vec::new();
            let Some(mut reader) = job.words(depth, kind)? else { continue };
            loop {
                let more = reader.next(&mut states)?;
                if states.len() >= SEEN_AT_ONCE || !more {
                    count += states.len() as u64;
                    if !states.iter().all(|&word| self.compiled.layout.fits(word)) || !self.see(set, &states) {
                        return Err(job.lacks(depth));
                    }
                    states.clear();
                }
                if !more {
                    break;
                }
            }
        }
        if count == job.manifest().depths[depth].states { Ok(()) } else { Err(job.lacks(depth)) }
    }
}
