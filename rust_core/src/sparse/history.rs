//! The history of a run: the counts of each depth, and the size that the next depth is expected to have.

use super::seen::SeenOfOpen;
use crate::job::{DepthEntry, Manifest};
use crate::run::{DepthReport, Progress};
use crate::structure::Window;

/// The most open states of a small depth.
const SMALL: u64 = 1 << 20;

/// The way in which the search of a depth ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Advance {
    /// The whole depth was found. If it has no states, the history does not get it as a new depth.
    Done,
    /// The watch stopped the search. In memory, the new states are still in the partitions.
    Stopped,
    /// The depth does not fit the memory. What was found is still in the partitions.
    Outgrown,
}

/// The counts of the depths so far.
pub struct History {
    /// The depths that are done, from 0.
    pub depths: Vec<DepthReport>,
    /// The number of states in `depths`.
    pub total: u64,
    /// The number of successors that were generated, including those of a depth that is not done.
    pub generated: u64,
    /// The number of successors of a state in the last depth that was expanded in memory. It decides the size of
    /// blocks.
    pub branching: usize,
    /// `true` if the open states of the last depth are counted as they are expanded; see [`SeenOfOpen`]. Until then,
    /// its report lacks their images, and states without a move are open in it.
    pub uncounted: bool,
}

impl History {
    /// The history of a run that has found nothing yet.
    pub fn new() -> Self {
        Self { depths: Vec::new(), total: 0, generated: 0, branching: 8, uncounted: false }
    }

    /// The history of a job with at least one depth.
    pub fn of_job(manifest: &Manifest) -> Self {
        let depths = &manifest.depths;
        let mut history = Self::new();
        for entry in depths {
            history.add(DepthEntry::report(entry));
        }
        history.generated = depths[depths.len() - 1].generated;
        if let [.., before, last] = &depths[..] {
            let made = last.generated.saturating_sub(before.generated);
            history.branching = made.div_ceil(before.open.max(1)).clamp(1, 1 << 16) as usize;
        }
        history
    }

    /// Adds a depth.
    pub fn add(&mut self, report: DepthReport) {
        self.total += report.states;
        self.depths.push(report);
    }

    /// Completes the report of the last depth, if its open states were [not counted](Self::uncounted).
    pub fn complete_last(&mut self, seen: &SeenOfOpen) {
        if std::mem::take(&mut self.uncounted)
            && let Some(last) = self.depths.last_mut()
        {
            seen.complete(last);
        }
    }

    /// The depth that is found next.
    pub fn next(&self) -> u64 {
        self.depths.len() as u64
    }

    /// The last depth that was found; there is one as soon as the start is counted.
    pub fn last(&self) -> u64 {
        self.next() - 1
    }

    /// The number of open states of a depth; 0 if it was not found.
    pub fn open(&self, depth: u64) -> u64 {
        self.depths.get(depth as usize).map_or(0, |report| report.open)
    }

    /// The number of open states of the last depth, and of the depth before it.
    fn last_two(&self) -> (u64, u64) {
        (self.open(self.last()), self.last().checked_sub(1).map_or(0, |depth| self.open(depth)))
    }

    /// Estimates among how many successors the last depth was found, and returns how many of them were new. Both are 0
    /// before depth 1.
    pub fn last_generated(&self) -> (u64, u64) {
        let (_, before) = self.last_two();
        let new = if before == 0 { 0 } else { self.depths.last().map_or(0, |report| report.states) };
        (before.saturating_mul(self.branching as u64), new)
    }

    /// The expected number of states of the next depth. It is expected to grow as the last one did, but at most to
    /// twice its size.
    pub fn expected(&self) -> u64 {
        self.grown().min(self.last_two().0.saturating_mul(2))
    }

    /// The number of states of the next depth if it grows as the last one did, but at most 16 times as many after a
    /// small depth, and twice as many after a large one. If the memory is ample, the depth gets room for all of them.
    pub fn hoped(&self) -> u64 {
        let now = self.last_two().0;
        if now <= SMALL { self.grown().min(16 * now) } else { self.expected() }
    }

    /// The number of states of the next depth if it grows as the last one did, and at least half of those of the last.
    fn grown(&self) -> u64 {
        let (now, before) = self.last_two();
        now.saturating_mul(now).checked_div(before).unwrap_or(8).max(now / 2)
    }

    /// The number of states of earlier depths that must be known while the next one is found.
    pub fn known(&self, window: Window) -> u64 {
        match window {
            Window::Layered => 0,
            Window::InverseClosed => {
                let (now, before) = self.last_two();
                now + before
            }
            Window::Directed => self.total,
        }
    }

    /// The progress for a watch when the next depth begins, with `held` bytes in memory.
    pub fn progress(&self, held: usize) -> Progress {
        Progress {
            depth: self.next().saturating_sub(1),
            frontier: self.depths.last().map_or(0, |report| report.open),
            states: self.total,
            store_bytes: held as u64,
            ..Progress::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn history(open: &[u64]) -> History {
        let mut history = History::new();
        for (depth, &open) in (0..).zip(open) {
            history.add(DepthReport { depth, states: open + 1, raw_states: open + 1, open, ended: vec![1] });
        }
        history
    }

    #[test]
    fn the_next_depth_grows_as_the_last_one_did() {
        let both = |open: &[u64]| (history(open).expected(), history(open).hoped());
        assert_eq!(both(&[1]), (2, 8));
        assert_eq!(both(&[1, 4, 6]), (9, 9));
        assert_eq!(both(&[1, 4, 40]), (80, 400));
        assert_eq!(both(&[1, 4, 100]), (200, 1600), "at most twofold and sixteenfold");
        assert_eq!(both(&[1, SMALL + 1]), (2 * SMALL + 2, 2 * SMALL + 2));
        assert_eq!(history(&[100, 10]).expected(), 5, "at least half");
    }

    #[test]
    fn what_is_known_depends_on_the_window() {
        let history = history(&[1, 4, 6]);
        assert_eq!(history.known(Window::Layered), 0);
        assert_eq!(history.known(Window::InverseClosed), 10);
        assert_eq!(history.known(Window::Directed), 14, "ended states, too");
        assert_eq!((history.last(), history.next(), history.open(1), history.open(9)), (2, 3, 4, 0));
        assert_eq!(history.last_generated(), (4 * 8, 7), "eight successors of each state");
    }

    /// The low 32 bits of the last count are zero: if a `usize` of 32 bits held it, a run would seem complete.
    #[test]
    fn a_depth_on_disk_may_have_more_states_than_32_bits_count() {
        let history = history(&[1 << 31, 1 << 32]);
        assert_eq!((history.open(1), history.known(Window::InverseClosed)), (1 << 32, 3 << 31));
        assert_eq!(history.known(Window::Directed), (3 << 31) + 2);
        assert!((1 << 32..=1 << 33).contains(&history.expected()));
    }

    proptest! {
        #[test]
        fn no_count_is_too_large(open in prop::collection::vec(0..=u64::MAX >> 8, 1..5)) {
            let history = history(&open);
            let now = history.open(history.last());
            prop_assert!(history.expected() >= now / 2);
            prop_assert!(history.expected() <= now.saturating_mul(2));
            prop_assert!(history.hoped() >= history.expected());
            prop_assert!(history.hoped() <= history.expected().max(16 * SMALL));
            prop_assert_eq!(history.progress(7).frontier, *open.last().unwrap());
        }
    }
}
