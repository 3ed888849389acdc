//! Sweeps over arrangements: a bit for each sequence, or a word of lanes.

use super::bits::ExpandBits;
use super::lanes::ExpandLanes;
use super::plan::ArrangementPlan;
use super::shape::ArrangementShape;
use crate::compile::cpu;
use crate::dense::swept::{BitWord, SweepChunk, SweepCount, SweptIndex};
use crate::rules::Rules;

/// A word of lanes. A `u16` holds all lanes of one sequence; a `u64` holds the only lane of each of 64 sequences.
pub(in crate::dense) trait LaneWord: BitWord {
    /// How many bits a sequence takes.
    const BITS: usize;

    /// Finds the new states of the next depth that lie in a chunk.
    fn expand(plan: &ArrangementPlan, chunk: &mut SweepChunk<Self>, count: &mut SweepCount);
    /// The bit of a lane of the sequence with an index: the number of its word, and the bit in that word.
    fn bit(index: usize, lane: usize) -> (usize, Self);
    /// The bits of a word that stand for no state.
    fn holes(plan: &ArrangementPlan, at: usize) -> Self;
    /// How many moves can be made in the states of a word.
    fn moves(self, plan: &ArrangementPlan) -> u64;
}

impl LaneWord for u64 {
    const BITS: usize = 1;

    fn expand(plan: &ArrangementPlan, chunk: &mut SweepChunk<Self>, count: &mut SweepCount) {
        cpu::run(ExpandBits { plan, chunk, count });
    }

    fn bit(index: usize, _lane: usize) -> (usize, Self) {
        (index / 64, 1 << (index % 64))
    }

    fn holes(plan: &ArrangementPlan, at: usize) -> Self {
        // How many sequences the block has from this word on.
        let filled = plan.sequences.block.saturating_sub(at * 64 % plan.sequences.stride);
        if filled >= 64 { 0 } else { !((1 << filled) - 1) }
    }

    fn moves(self, plan: &ArrangementPlan) -> u64 {
        self.count() * plan.moves.iter().map(|&(_, times)| times).sum::<u64>()
    }
}

impl LaneWord for u16 {
    const BITS: usize = 16;

    fn expand(plan: &ArrangementPlan, chunk: &mut SweepChunk<Self>, count: &mut SweepCount) {
        cpu::run(ExpandLanes { plan, chunk, count });
    }

    fn bit(index: usize, lane: usize) -> (usize, Self) {
        (index, 1 << lane)
    }

    fn holes(plan: &ArrangementPlan, at: usize) -> Self {
        let lanes = plan.moves.iter().fold(0, |lanes, &(some, _)| lanes | some) as u16;
        if at % plan.sequences.stride < plan.sequences.block { !lanes } else { Self::MAX }
    }

    fn moves(self, plan: &ArrangementPlan) -> u64 {
        plan.moves.iter().map(|&(lanes, times)| (self & lanes as u16).count() * times).sum()
    }
}

/// Arrangements whose sequences are held in words of type `W`.
pub(in crate::dense) struct ArrangementSweep<'a, W> {
    shape: &'a ArrangementShape,
    word: std::marker::PhantomData<W>,
}

impl<'a, W: LaneWord> ArrangementSweep<'a, W> {
    pub fn new(shape: &'a ArrangementShape) -> Self {
        debug_assert_eq!(W::BITS, shape.sequence_bits());
        Self { shape, word: std::marker::PhantomData }
    }

    /// How many words a block has.
    fn block_words(&self) -> usize {
        self.shape.plan.sequences.stride * W::BITS / 8 / size_of::<W>()
    }
}

impl<W: LaneWord> SweptIndex for ArrangementSweep<'_, W> {
    type Word = W;

    fn blocks(&self) -> usize {
        self.shape.plan.sequences.blocks() as usize
    }

    fn begin(&self, block: usize) -> usize {
        block * self.block_words()
    }

    fn block_of(&self, at: usize) -> usize {
        at / self.block_words()
    }

    fn chunks(&self) -> usize {
        self.blocks() / self.shape.plan.chunk_blocks
    }

    fn first_block(&self, chunk: usize) -> usize {
        chunk * self.shape.plan.chunk_blocks
    }

    fn part_chunks(&self) -> usize {
        self.shape.part_chunks
    }

    fn start(&self, rules: &Rules) -> (usize, W) {
        let (sequence, place) = self.shape.index.read(&rules.start);
        W::bit(self.shape.plan.sequences.rank(&sequence) as usize, place)
    }

    fn holes(&self, at: usize) -> W {
        W::holes(&self.shape.plan, at)
    }

    fn moves(&self, _at: usize, value: W) -> u64 {
        value.moves(&self.shape.plan)
    }

    fn expand(&self, chunk: &mut SweepChunk<W>, count: &mut SweepCount) {
        W::expand(&self.shape.plan, chunk, count);
    }

    fn fixed(&self, values: &[W], _states: u64) -> u64 {
        let fixed = self.shape.fixed.iter().flatten().filter(|&&(index, lane)| {
            let (at, bit) = W::bit(index as usize, lane);
            values[at] & bit == bit
        });
        fixed.count() as u64
    }

    fn symmetry_order(&self) -> usize {
        self.shape.fixed.len() + 1
    }

    fn bytes(&self) -> u64 {
        self.shape.bytes()
    }
}
