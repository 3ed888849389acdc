//! The clock of a run's checkpoints.

use std::time::Duration;

use crate::instant::Instant;

/// The clock that decides when the next checkpoint is due.
pub struct CheckpointClock {
    every: Duration,
    due: Instant,
}

impl CheckpointClock {
    /// A clock whose next checkpoint is due when the given time has passed.
    pub fn new(every: Duration) -> Self {
        Self { every, due: later(every) }
    }

    /// Returns `true` if a checkpoint is due.
    pub fn is_due(&self) -> bool {
        Instant::now() >= self.due
    }

    /// Puts off the next checkpoint, after one that took the given time, so that checkpoints take a tenth of the time
    /// at most.
    pub fn put_off(&mut self, took: Duration) {
        self.due = later(self.every.max(took * 10));
    }
}

/// The instant that is `time` from now. If the clock cannot express one that is so late, it is a year from now.
fn later(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or(now + Duration::from_secs(366 * 86_400))
}
