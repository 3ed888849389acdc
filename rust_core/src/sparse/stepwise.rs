//! A search in memory that is driven from outside, a depth at a time, and keeps the states of every depth.

use super::history::{Advance, History};
use super::in_memory::InMemory;
use super::limits::Limits;
use super::residence::Residence;
use super::state_graph::StateGraph;
use crate::compile::Word;
use crate::error::Result;
use crate::run::{CheckpointClock, Options, Watch, parallel};
use crate::structure::Window;

/// A search of which the caller asks one depth after another.
///
/// Two such searches can meet: one from a state, and one from a goal by inverse moves.
pub struct Stepwise<'g, W> {
    graph: &'g StateGraph<'g, W>,
    limits: Limits<'g>,
    history: History,
    residence: Residence<W>,
    checkpoints: CheckpointClock,
    /// The last depth that is found, and whose states are sorted.
    depth: usize,
}

impl<'g, W: Word> Stepwise<'g, W> {
    /// A search that has found its roots.
    ///
    /// # Errors
    ///
    /// None, since nothing is written.
    pub fn new(graph: &'g StateGraph<'g, W>, options: &Options, watch: Watch<'g>) -> Result<Self> {
        let limits = Limits::new(options, watch);
        let mut residence = Residence::new(graph, &limits);
        residence.kept = Some(Vec::new());
        let checkpoints = CheckpointClock::new(options.checkpoint);
        let mut search = Self { graph, limits, history: History::new(), residence, checkpoints, depth: 0 };
        search.parts().first_depth(None, None)?;
        if let Some(roots) = search.residence.kept.as_mut().and_then(|kept| kept.last_mut()) {
            parallel::sort(roots);
        }
        Ok(search)
    }

    /// Finds the next depth, which may have at most `states` states. All that is held may take at most `bytes` bytes.
    /// If the next depth has no states, [`Self::depth`] stays the same.
    ///
    /// # Errors
    ///
    /// None, since nothing is written.
    pub fn next(&mut self, bytes: u64, states: usize) -> Result<Advance> {
        // The allocator's own share is subtracted, as in any run.
        self.residence.allow(bytes - bytes / 8);
        self.limits.states = states;
        let advance = self.parts().next_depth(None)?;
        // The caller may run another search next, which needs the memory of the blocks, and the room in lists. Both are
        // made anew for each depth.
        self.residence.wave.give_back();
        self.residence.give_back_room();
        if self.graph.window != Window::Directed {
            self.residence.give_back_seen();
        }
        let found = self.history.last() as usize > self.depth;
        Ok(if found && !self.sort_last() { Advance::Stopped } else { advance })
    }

    /// The last depth that was found.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The number of open states of the last depth.
    pub fn open(&self) -> u64 {
        self.history.open(self.depth as u64)
    }

    /// The canonical states of a depth that was found, in order.
    pub fn states(&self, depth: usize) -> &[W] {
        self.residence.kept.as_ref().map_or(&[], |kept| &kept[depth])
    }

    /// Drops each state of the last depth for which `fits` returns `false`.
    pub fn retain_last(&mut self, fits: impl Fn(W) -> bool) {
        if let Some(last) = self.residence.kept.as_mut().and_then(|kept| kept.last_mut()) {
            last.retain(|&word| fits(word));
        }
    }

    /// The number of kept states.
    pub fn len(&self) -> usize {
        self.residence.kept.iter().flatten().map(Vec::len).sum()
    }

    /// The bytes of memory that the search holds.
    pub fn bytes(&self) -> u64 {
        self.residence.bytes() as u64
    }

    /// Sorts the states of the depth that was just found. Returns `false` if the watch stops it. Then the depth does
    /// not count as found.
    fn sort_last(&mut self) -> bool {
        let monitor = self.limits.monitor(&self.history, self.residence.bytes());
        let stops = || {
            monitor.add(0);
            monitor.stopped()
        };
        let last = self.residence.kept.as_mut().and_then(|kept| kept.last_mut());
        let sorted = last.is_none_or(|last| parallel::sort_unless(last, &stops));
        if sorted {
            self.depth = self.history.last() as usize;
        }
        sorted
    }

    fn parts(&mut self) -> InMemory<'_, 'g, W> {
        InMemory {
            graph: self.graph,
            limits: &self.limits,
            history: &mut self.history,
            residence: &mut self.residence,
            checkpoints: &mut self.checkpoints,
            shows: true, // the caller asks for the open states of each depth
        }
    }
}
