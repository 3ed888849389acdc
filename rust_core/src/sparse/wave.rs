//! A wave: the blocks of states that are expanded at a time, on all cores.

use std::sync::{Mutex, MutexGuard, PoisonError};

use super::block::{Block, BlockTask};
use super::limits::Limits;
use super::state_graph::StateGraph;
use crate::compile::Word;
use crate::run::{Monitor, parallel};

/// The number of bytes of successors that a block should make: few enough to stay in the second-level cache while they
/// are sorted.
const BLOCK_BYTES: usize = 256 << 10;

/// The number of blocks of a wave: enough to keep many threads busy, few enough to bound the memory.
const WAVE_BLOCKS: usize = 256;

/// The number of blocks for each thread, in a wave whose words are taken in while the cache still has them.
const BLOCKS_A_THREAD: usize = 8;

/// The words of a block are enough for so many parts: some hundreds for each.
const PARTS_OF_BLOCK: usize = 64;

/// The most states in a block, since the watch is called only once for each block.
const MOST_STATES: usize = 4096;

/// The most work of a block: the number of guards that its states try, times the integers of a word. That takes some
/// hundredths of a second.
const MOST_WORK: usize = 1 << 22;

/// The sizes of the blocks and waves into which the states of a depth are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WaveShape {
    block_states: usize,
    blocks: usize,
}

impl WaveShape {
    /// The sizes for a depth whose states have about `branching` successors each.
    pub fn new<W: Word>(graph: &StateGraph<W>, limits: &Limits, branching: usize, depth: u64) -> Self {
        let work = graph.compiled.steps[graph.player(depth)].list.len() * W::LIMBS;
        let block_states = (BLOCK_BYTES / size_of::<W>() / branching).min(MOST_WORK / work.max(1));
        let block_states = block_states.clamp(1, MOST_STATES);
        let (block_states, blocks) = limits.grain.map_or((block_states, WAVE_BLOCKS), |grain| {
            (grain.block_states.min(MOST_STATES), grain.wave_blocks.min(WAVE_BLOCKS))
        });
        // The blocks of a wave take a sixteenth of the memory at most.
        Self { block_states, blocks: blocks.min((limits.memory / (16 * BLOCK_BYTES as u64)).max(1) as usize) }
    }

    /// The same sizes with fewer blocks in a wave, which the cache still has when `parts` partitions or shards take in
    /// their words. If there are many parts, there are blocks enough that each part gets some hundred words at a time.
    pub fn in_cache(self, parts: usize) -> Self {
        let blocks = (BLOCKS_A_THREAD * parallel::threads()).max(parts / PARTS_OF_BLOCK);
        Self { blocks: self.blocks.min(blocks), ..self }
    }

    /// The number of states of a wave.
    pub fn states(self) -> usize {
        self.block_states * self.blocks
    }
}

/// States that are expanded together, and the sizes into which they are cut.
#[derive(Clone, Copy)]
pub struct WaveStates<'a, W> {
    pub states: &'a [W],
    pub shape: WaveShape,
    pub task: BlockTask,
}

/// The blocks of a wave, used again for the next one.
pub struct Wave<W> {
    blocks: Vec<Block<W>>,
    /// Lists of successors that are not sorted yet, one for each kind. A block has such lists only while it is made,
    /// and then lends them to the next one, so they stay in the second-level cache. There are as many as threads.
    raw: Mutex<Vec<Vec<Vec<W>>>>,
}

impl<W: Word> Wave<W> {
    /// A wave that has no blocks yet.
    pub fn new() -> Self {
        Self { blocks: Vec::new(), raw: Mutex::default() }
    }

    /// The bytes of memory that the blocks take.
    pub fn bytes(&self) -> usize {
        let raw: usize = lock(&self.raw).iter().flatten().map(Vec::capacity).sum();
        self.blocks.iter().map(Block::bytes).sum::<usize>() + raw * size_of::<W>()
    }

    /// Gives the memory of the blocks back.
    pub fn give_back(&mut self) {
        *self = Self::new();
    }

    /// Expands states of a depth, and sorts the successors into `1 << bits` partitions. Returns the blocks of
    /// successors, in the order of the states. If the monitor says that the run is stopped, the blocks must not be
    /// used.
    pub fn expand(
        &mut self,
        graph: &StateGraph<W>,
        depth: u64,
        states: WaveStates<W>,
        bits: u32,
        monitor: &Monitor,
    ) -> &mut [Block<W>] {
        self.expand_and(graph, depth, states, bits, monitor, &|_| ())
    }

    /// Does the same as [`Self::expand`], and calls a function with each block as soon as it is made, while the cache
    /// still has it.
    pub fn expand_and(
        &mut self,
        graph: &StateGraph<W>,
        depth: u64,
        states: WaveStates<W>,
        bits: u32,
        monitor: &Monitor,
        then: &(dyn Fn(&mut Block<W>) + Sync),
    ) -> &mut [Block<W>] {
        let WaveStates { states, shape, task } = states;
        let count = states.len().div_ceil(shape.block_states);
        if self.blocks.len() < count {
            self.blocks.resize_with(count, || Block::new(graph.kinds()));
        }
        let (blocks, lent) = (&mut self.blocks[..count], &self.raw);
        parallel::each_mut(blocks, |number, block| {
            let states = &states[number * shape.block_states..];
            let states = &states[..states.len().min(shape.block_states)];
            if !monitor.stopped() {
                let free = lock(lent).pop();
                let mut raw = free.unwrap_or_else(|| vec![Vec::new(); graph.kinds()]);
                block.exchange_raw(&mut raw);
                block.expand(graph, depth, states, bits, task);
                then(block);
                block.exchange_raw(&mut raw);
                lock(lent).push(raw);
                monitor.add(states.len() as u64);
            }
        });
        blocks
    }
}

/// The lists that blocks lend each other. A thread that panicked has left them in order.
fn lock<T>(lists: &Mutex<T>) -> MutexGuard<'_, T> {
    lists.lock().unwrap_or_else(PoisonError::into_inner)
}
