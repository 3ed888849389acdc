//! A counter for the states that worker threads have expanded, which asks the watch whether to go on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::progress::{Progress, Watch};
use crate::instant::Instant;

/// Counts the expanded states of one depth for all threads, and remembers whether the watch has stopped the search.
pub struct Monitor<'a> {
    watch: Watch<'a>,
    begun: Instant,
    base: Progress,
    expanded: AtomicU64,
    stopped: AtomicBool,
}

impl<'a> Monitor<'a> {
    /// Begins to count. `base` is the progress before this depth. The watch is asked once at the beginning.
    pub fn new(watch: Watch<'a>, begun: Instant, base: Progress) -> Self {
        let monitor = Self { watch, begun, base, expanded: AtomicU64::new(0), stopped: AtomicBool::new(false) };
        monitor.add(0);
        monitor
    }

    /// Adds to the number of expanded states.
    pub fn add(&self, states: u64) {
        let expanded = self.expanded.fetch_add(states, Ordering::Relaxed) + states;
        let progress = Progress { expanded, seconds: self.begun.elapsed().as_secs_f64(), ..self.base };
        if (self.watch)(&progress).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Returns `true` if the watch has stopped the search.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}
