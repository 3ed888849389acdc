//! A clock for searches on one thread: it counts states, and asks the watch now and then whether to stop.

use crate::instant::Instant;
use crate::run::{Progress, Watch};

/// The number of states that are searched between two calls of the watch: some milliseconds of work.
const LOOK_EVERY: u64 = 1 << 15;

/// Counts states, and calls the watch after every few thousand of them.
pub struct Clock<'a> {
    watch: Watch<'a>,
    begun: Instant,
    /// The number of states that were searched.
    pub states: u64,
    /// The length of the shortest answer so far, for the report to the watch; 0 if there is no answer.
    pub at_most: u32,
}

impl<'a> Clock<'a> {
    /// A clock that begins now.
    pub fn new(watch: Watch<'a>) -> Self {
        Self { watch, begun: Instant::now(), states: 0, at_most: 0 }
    }

    /// Counts a state. Returns `true` if the search is to stop.
    #[inline(always)]
    pub fn stops(&mut self) -> bool {
        self.states += 1;
        self.states.is_multiple_of(LOOK_EVERY) && self.asks()
    }

    /// Counts other work as if it were the search of `states` states. Returns `true` if the search is to stop.
    pub fn spends(&mut self, states: u64) -> bool {
        let looks = self.states / LOOK_EVERY;
        self.states += states;
        self.states / LOOK_EVERY > looks && self.asks()
    }

    /// Asks the watch at once. Returns `true` if the search is to stop.
    #[cold]
    pub fn asks(&self) -> bool {
        let seconds = self.begun.elapsed().as_secs_f64();
        let (states, at_most) = (self.states, self.at_most);
        let progress = Progress { expanded: states, states, seconds, at_most, ..Progress::default() };
        (self.watch)(&progress).is_break()
    }
}
