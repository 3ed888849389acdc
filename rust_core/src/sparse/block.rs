//! The successors of a block of states, and all that is known before they are made.

use super::end_tests::EndTests;
use super::seen::SeenOfOpen;
use super::sorted::Sorted;
use super::state_graph::StateGraph;
use crate::compile::{CellMoves, Compiled, EndScreen, ImageDelta, Images, Lanes, Word};

/// The successors of a block of states. The memory of its lists is used again for the next block.
pub struct Block<W> {
    /// The successors of each kind: open ones first, then those of each outcome. A successor of two states is listed
    /// twice.
    pub kinds: Vec<Sorted<W>>,
    /// The number of successors.
    pub generated: u64,
    /// The counts of the states of the block themselves, if [`BlockTask::counts`] is `true`.
    pub seen: SeenOfOpen,
    /// Memory for the images of one state.
    pub images: Vec<Lanes<W>>,
}

/// Says which tests and counts are made when a block is expanded.
#[derive(Debug, Clone, Copy)]
pub struct BlockTask {
    /// The states that are tested for ends.
    pub tests: EndTests,
    /// `true` if [`Block::seen`] is to be filled.
    pub counts: bool,
}

impl BlockTask {
    /// All successors are tested for ends, and the states themselves are not counted.
    pub const ENDS: Self = Self { tests: EndTests::Successors, counts: false };
}

impl<W: Word> Block<W> {
    /// A block without successors.
    pub fn new(kinds: usize) -> Self {
        let kinds = (0..kinds).map(|_| Sorted::new()).collect();
        Self { kinds, generated: 0, seen: SeenOfOpen::default(), images: Vec::new() }
    }

    /// Forgets the successors.
    pub fn clear(&mut self) {
        self.kinds.iter_mut().for_each(|kind| kind.raw.clear());
        self.seen = SeenOfOpen::default();
    }

    /// Counts the successors, and sorts those of each kind into `1 << bits` partitions.
    #[inline(always)]
    pub fn sort(&mut self, bits: u32) {
        self.generated = self.kinds.iter().map(|kind| kind.raw.len() as u64).sum();
        for kind in &mut self.kinds {
            kind.sort(bits);
        }
    }

    /// Exchanges the lists of the successors that are not sorted yet, one for each kind, with the given ones.
    pub fn exchange_raw(&mut self, raw: &mut [Vec<W>]) {
        self.kinds.iter_mut().zip(raw).for_each(|(kind, raw)| std::mem::swap(&mut kind.raw, raw));
    }

    /// The bytes of memory that the lists take.
    pub fn bytes(&self) -> usize {
        self.kinds.iter().map(Sorted::bytes).sum()
    }
}

/// A player's moves, and the changes that they make to images.
pub struct Expander<'a, W> {
    pub compiled: &'a Compiled<W>,
    pub images: &'a Images<W>,
    pub player: usize,
    /// For each move of the player, the change that it makes to images.
    pub changes: &'a [ImageDelta<W>],
    /// The same changes as flips of one block, if all of them are such.
    pub flips: &'a [Lanes<W>],
    pub screens: &'a [EndScreen<W>],
    /// The player's moves, if there is one for each cell that holds the pivot.
    pub cell_moves: Option<&'a CellMoves<W>>,
    pub task: BlockTask,
}

impl<'a, W: Word> Expander<'a, W> {
    /// The expander of the states of a depth.
    pub fn new(graph: &'a StateGraph<W>, task: BlockTask, depth: u64) -> Self {
        let player = graph.player(depth);
        Self {
            compiled: graph.compiled,
            images: graph.images,
            player,
            changes: &graph.changes[player],
            flips: &graph.flips[player],
            screens: &graph.screens[player],
            cell_moves: graph.cell_moves[player].as_ref(),
            task,
        }
    }

    /// Counts a state without a move. When moves are made backward, no state is stuck.
    #[cold]
    #[inline(never)]
    pub fn count_stuck(&self, word: W, seen: &mut SeenOfOpen) {
        if !self.compiled.steps[self.player].always {
            seen.add_stuck(self.compiled.stuck_outcome(word, self.player));
        }
    }
}
