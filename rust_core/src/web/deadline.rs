//! The watch of a search in a page: it reports the progress, and stops the search when the time is over.

use std::ops::ControlFlow;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::instant::Instant;
use crate::run::Progress;

/// The least seconds between two reports of the progress.
const TELL_EVERY: f64 = 0.1;

/// A function of the page that gets a report of the progress, as JSON. It returns `true` to stop the search.
pub type Told<'a> = &'a (dyn Fn(&str) -> bool + Sync);

/// The watch of a search in a page: it reports the progress, and stops the search when the time is over.
pub struct Deadline<'a> {
    begun: Instant,
    seconds: Option<f64>,
    told: Told<'a>,
    state: Mutex<Watched>,
}

/// The state of a watch: when the next report is due, in seconds since the beginning; and whether the time was over, or
/// the page has stopped the search.
#[derive(Default)]
struct Watched {
    next: f64,
    over: bool,
    stopped: bool,
}

impl<'a> Deadline<'a> {
    /// A watch that begins now.
    pub fn new(seconds: Option<f64>, told: Told<'a>) -> Self {
        let state = Mutex::new(Watched { next: TELL_EVERY, ..Watched::default() });
        Self { begun: Instant::now(), seconds, told, state }
    }

    /// Looks at the clock, reports the progress if a report is due, and returns `Break` if the search has to stop. Once
    /// it has returned `Break`, it always does.
    pub fn look(&self, progress: &Progress) -> ControlFlow<()> {
        let now = self.elapsed();
        let mut state = self.state();
        if self.seconds.is_some_and(|seconds| now >= seconds) && !state.stopped {
            state.over = true;
        } else if now >= state.next && !state.stopped {
            state.next = now + TELL_EVERY;
            state.stopped = (self.told)(&told_data(progress).to_string());
        }
        if state.over || state.stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Returns `true` if the search was stopped because the time was over.
    pub fn over(&self) -> bool {
        self.state().over
    }

    /// Returns `true` if the page has stopped the search.
    pub fn stopped(&self) -> bool {
        self.state().stopped
    }

    /// The seconds since the watch began.
    pub fn elapsed(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    fn state(&self) -> MutexGuard<'_, Watched> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn told_data(progress: &Progress) -> Value {
    let Progress { depth, frontier, expanded, states, store_bytes, seconds, at_most, at_least, .. } = progress;
    json!({
        "depth": depth, "frontier": frontier, "expanded": expanded, "states": states, "store_bytes": store_bytes,
        "seconds": seconds, "at_most": at_most, "at_least": at_least,
    })
}
