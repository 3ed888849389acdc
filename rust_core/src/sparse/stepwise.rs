//! A search in memory that is driven from outside, a depth at a time, and keeps the states of every depth.

use super::graph::StateGraph;
use super::history::{Advance, History};
use super::in_memory::InMemory;
use super::limits::Limits;
use super::residence::Residence;
use super::runs::CheckpointClock;
use crate::compile::Word;
use crate::error::Result;
use crate::run::{Options, Watch, parallel};
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
        let mut search = Self { graph, limits, history: History::new(), residence, checkpoints };
        search.parts().first_depth(None)?;
        search.sort_last();
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
        let depth = self.depth();
        let advance = self.parts().next_depth(None)?;
        // The caller may run another search next, which needs the memory of the blocks. They are made anew for each
        // depth.
        self.residence.wave.give_back();
        if self.graph.window != Window::Directed {
            self.residence.give_back_seen();
        }
        if self.depth() > depth {
            self.sort_last();
        }
        Ok(advance)
    }

    /// The last depth that was found.
    pub fn depth(&self) -> usize {
        self.history.last() as usize
    }

    /// The number of open states of the last depth.
    pub fn open(&self) -> u64 {
        self.history.open(self.history.last())
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

    fn sort_last(&mut self) {
        if let Some(last) = self.residence.kept.as_mut().and_then(|kept| kept.last_mut()) {
            parallel::sort(last);
        }
    }

    fn parts(&mut self) -> InMemory<'_, 'g, W> {
        InMemory {
            graph: self.graph,
            limits: &self.limits,
            history: &mut self.history,
            residence: &mut self.residence,
            checkpoints: &mut self.checkpoints,
        }
    }
}
