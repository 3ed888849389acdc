//! The limits of a search for values: its memory, and the watch that can stop it.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::instant::Instant;
use crate::memory::in_words;
use crate::run::{Monitor, Options, Progress, Watch, parallel};

/// The memory and the watch of a search for values, and which kind of values it finds.
pub(super) struct Allowance<'a> {
    pub watch: Watch<'a>,
    pub begun: Instant,
    /// The number of bytes of memory that the search may take.
    pub room: u64,
    /// `true` if values are Grundy numbers, as in impartial games.
    pub grundy: bool,
    /// In a job, this is `true` if the run keeps something that the job has not had before, even if it is stopped now.
    pub advanced: Option<&'a AtomicBool>,
}

impl<'a> Allowance<'a> {
    /// The allowance under the options of a run. An eighth of the memory is left for the overhead of the allocator.
    pub fn new(options: &Options, begun: Instant, watch: Watch<'a>) -> Self {
        Self { watch, begun, room: options.memory - options.memory / 8, grundy: options.grundy, advanced: None }
    }

    /// Notes whether the run has something new to keep.
    pub fn advance(&self, new: bool) {
        if let Some(advanced) = self.advanced {
            advanced.store(new, Ordering::Relaxed);
        }
    }

    /// Returns `true` if the run has something new to keep.
    pub fn has_advanced(&self) -> bool {
        self.advanced.is_some_and(|advanced| advanced.load(Ordering::Relaxed))
    }

    /// The monitor of a step of the search, which looks at `frontier` states. It tells the watch how far the step is.
    /// Of the `wanted` states whose values are sought, `known` have values.
    pub fn monitor(&self, step: u64, frontier: u64, known: u64, wanted: u64) -> Monitor<'a> {
        Monitor::new(self.watch, self.begun, Self::progress(step, frontier, known, wanted))
    }

    /// The progress report that the watch gets while values spread.
    pub fn progress(step: u64, frontier: u64, known: u64, wanted: u64) -> Progress {
        Progress { depth: step, frontier, states: known, wanted, ..Progress::default() }
    }

    /// Refuses work on `what` if it takes more than the allowed memory, or if 32 bits are not enough to number its
    /// states. `remedy` is the advice in the message.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`].
    pub fn check(&self, states: u64, bytes: u64, what: &str, remedy: &str) -> Result<()> {
        if u32::try_from(states).is_err() {
            return Err(Error::Memory(format!(
                "the values of {what} are not found in memory; a smaller board has fewer"
            )));
        }
        if bytes <= self.room {
            return Ok(());
        }
        let (takes, leaves) = (in_words(bytes), in_words(self.room));
        Err(Error::Memory(format!("the values of {what} take {takes}, and the limit leaves {leaves}; {remedy}")))
    }
}

/// Calls `work` with blocks of a range of states, on all cores. `None` if the monitor has stopped the search; then some
/// blocks have been left out.
pub(super) fn each_block(
    graph: &dyn Graph,
    states: &Range<u64>,
    monitor: &Monitor,
    work: &(dyn Fn(Range<u64>) + Sync),
) -> Option<()> {
    let blocks = graph.blocks(states);
    parallel::each(blocks.len(), &|number| {
        let block = &blocks[number];
        if !monitor.stopped() {
            work(block.clone());
            monitor.add(block.end - block.start);
        }
    });
    (!monitor.stopped()).then_some(())
}
