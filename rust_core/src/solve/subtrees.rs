//! Depth-first searches of many subtrees on all cores; the answer is the one that a single core would find.
//!
//! The subtrees are in a list, and the answer is the solution of the first subtree that has one. Threads take the
//! subtrees in the order of the list. If a subtree has a solution, the solutions of later subtrees are dropped, and the
//! states that were searched in them are not counted. So the answer and the number of searched states are those of one
//! thread that searches one subtree after the other.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::instant::Instant;
use crate::run::{Progress, Watch, parallel};

/// The number of states that a thread searches before it checks the other threads and calls the watch again: about a
/// millisecond of work.
const LOOK_EVERY: u64 = 1 << 14;

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended<T> {
    /// All subtrees were searched, and there is no solution.
    Nothing,
    /// The solution of the first subtree that has one.
    Found(T),
    /// The limit of states was reached.
    Full,
    /// The watch stopped the search.
    Stopped,
}

/// The limit of states of a search.
#[derive(Debug, Clone, Copy)]
pub struct StateLimit {
    /// The number of states that were searched before this search. It is only used in reports to the watch.
    pub spent: u64,
    /// The most states that this search may search.
    pub most: u64,
}

/// The data that all threads of a search share.
struct Shared<'a> {
    watch: Watch<'a>,
    begun: Instant,
    limit: StateLimit,
    total: AtomicU64,
    stopped: AtomicBool,
    /// The number of the first subtree that has a solution, or in which the limit of states is reached.
    first: AtomicUsize,
    /// For each subtree that is done, the number of its states; for all others, the largest number.
    done: Vec<AtomicU64>,
}

/// Counts the states of a subtree for the thread that searches it, and signals when the thread has to stop.
pub struct Meter<'a> {
    shared: &'a Shared<'a>,
    subtree: usize,
    states: u64,
    /// The number of further states that the thread searches before it checks the other threads and calls the watch
    /// again.
    left: u64,
    full: bool,
}

impl Meter<'_> {
    /// The number of states that were searched in this subtree so far.
    pub fn states(&self) -> u64 {
        self.states
    }

    /// Counts a state. Returns `true` if the search is to stop.
    #[inline(always)]
    pub fn stops(&mut self) -> bool {
        self.states += 1;
        self.left -= 1;
        self.left == 0 && self.looks()
    }

    #[cold]
    #[inline(never)]
    fn looks(&mut self) -> bool {
        let shared = self.shared;
        self.left = LOOK_EVERY;
        let total = shared.limit.spent + shared.total.fetch_add(LOOK_EVERY, Ordering::Relaxed) + LOOK_EVERY;
        let seconds = shared.begun.elapsed().as_secs_f64();
        let progress = Progress { expanded: total, states: total, seconds, ..Progress::default() };
        if (shared.watch)(&progress).is_break() {
            shared.stopped.store(true, Ordering::Relaxed);
        }
        let earlier = || {
            let done = shared.done[..self.subtree].iter().map(|states| states.load(Ordering::Relaxed));
            done.filter(|&states| states != u64::MAX).sum::<u64>()
        };
        if shared.limit.most != u64::MAX && earlier() + self.states > shared.limit.most {
            self.full = true;
            shared.first.fetch_min(self.subtree, Ordering::Relaxed);
        }
        self.full || shared.stopped.load(Ordering::Relaxed) || shared.first.load(Ordering::Relaxed) < self.subtree
    }
}

/// Asks the watch after a search of few states, so that it is asked once in about [`LOOK_EVERY`] states. `before` is
/// the number of states of all searches before this one, and `spent` is the number with this one.
pub fn stops_between(watch: Watch, before: u64, spent: u64) -> bool {
    let progress = Progress { expanded: spent, states: spent, ..Progress::default() };
    spent / LOOK_EVERY > before / LOOK_EVERY && watch(&progress).is_break()
}

/// Searches subtrees for the first solution, within a limit. `search` returns a solution of a subtree; `None` if there
/// is none, or if the meter has stopped it. Also returns the number of states that were searched.
pub fn search<P: Sync, T: Send>(
    subtrees: &[P],
    limit: StateLimit,
    watch: Watch,
    search: impl Fn(&P, &mut Meter) -> Option<T> + Sync,
) -> (Ended<T>, u64) {
    let shared = Shared {
        watch,
        begun: Instant::now(),
        limit,
        total: AtomicU64::new(0),
        stopped: AtomicBool::new(false),
        first: AtomicUsize::new(usize::MAX),
        done: subtrees.iter().map(|_| AtomicU64::new(u64::MAX)).collect(),
    };
    let found: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::new());
    let next = AtomicUsize::new(0);
    let work = || {
        let mut left = LOOK_EVERY;
        loop {
            let subtree = next.fetch_add(1, Ordering::Relaxed);
            let late = shared.first.load(Ordering::Relaxed) < subtree || shared.stopped.load(Ordering::Relaxed);
            let Some(given) = subtrees.get(subtree).filter(|_| !late) else { return };
            let mut meter = Meter { shared: &shared, subtree, states: 0, left, full: false };
            let solution = search(given, &mut meter);
            left = meter.left;
            if let Some(solution) = solution {
                shared.first.fetch_min(subtree, Ordering::Relaxed);
                found.lock().unwrap_or_else(PoisonError::into_inner).push((subtree, solution));
            }
            shared.done[subtree].store(if meter.full { u64::MAX } else { meter.states }, Ordering::Relaxed);
        }
    };
    if subtrees.len() > 1 {
        parallel::on_each_thread(&work);
    } else {
        work();
    }
    if shared.stopped.into_inner() {
        return (Ended::Stopped, shared.total.into_inner());
    }
    let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    let first = found.into_iter().min_by_key(|&(subtree, _)| subtree);
    let last = first.as_ref().map_or(subtrees.len(), |&(subtree, _)| subtree + 1);
    // A subtree whose search was given up has `u64::MAX` in `done`, so the sum exceeds the limit.
    let states = shared.done[..last].iter().fold(0u64, |sum, done| sum.saturating_add(done.load(Ordering::Relaxed)));
    if states > limit.most {
        return (Ended::Full, limit.most);
    }
    (first.map_or(Ended::Nothing, |(_, solution)| Ended::Found(solution)), states)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use proptest::prelude::*;

    use super::*;
    use crate::run::{Options, in_pool};

    /// Searches subtrees, each given as its number of states and, if it has a solution, the number of the state that
    /// solves it.
    fn run(threads: usize, subtrees: &[(u64, Option<u64>)], most: u64) -> (Ended<u64>, u64) {
        let options = Options { threads, ..Options::default() };
        let visit = |&(states, solution): &(u64, Option<u64>), meter: &mut Meter| {
            for state in 0..states {
                if meter.stops() {
                    return None;
                }
                if solution == Some(state) {
                    return Some(states * 1000 + state);
                }
            }
            None
        };
        in_pool(&options, || search(subtrees, StateLimit { spent: 0, most }, &|_| ControlFlow::Continue(()), visit))
            .unwrap()
    }

    proptest! {
        #[test]
        fn threads_find_what_one_subtree_after_the_other_finds(
            subtrees in prop::collection::vec((1u64..60_000, prop::option::weighted(0.1, 0u64..60_000)), 1..20),
            most in prop_oneof![Just(u64::MAX), 1u64..300_000],
        ) {
            let (mut states, mut expected) = (0, Ended::Nothing);
            for &(count, solution) in &subtrees {
                let solution = solution.filter(|&at| at < count);
                states += solution.map_or(count, |at| at + 1);
                if let Some(at) = solution {
                    expected = Ended::Found(count * 1000 + at);
                    break;
                }
            }
            if states > most {
                (expected, states) = (Ended::Full, most);
            }
            for threads in [1, 3] {
                prop_assert_eq!(run(threads, &subtrees, most), (expected.clone(), states));
            }
        }
    }

    #[test]
    fn the_watch_stops_all_threads() {
        let options = Options { threads: 2, ..Options::default() };
        let endless = |_: &u8, meter: &mut Meter| {
            while !meter.stops() {}
            None::<u8>
        };
        let watch: Watch = &|progress| {
            if progress.states > 100_000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let limit = StateLimit { spent: 0, most: u64::MAX };
        let (ended, states) = in_pool(&options, || search(&[0u8; 9], limit, watch, endless)).unwrap();
        assert_eq!(ended, Ended::Stopped);
        assert!(states > 100_000);
    }
}
