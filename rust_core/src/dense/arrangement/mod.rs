//! Arrangements of distinct symbols: how their index is cut up, and what it holds.

mod bits;
mod lanes;
mod plan;

use super::shape::{Chunk, Found, Shape, Value};
use super::sweep::Sweep;
use crate::compile::cpu;
use crate::error::Result;
use crate::index::{Arrangements, Sequences};
use crate::job::Job;
use crate::rules::{Rules, Symmetry};
use crate::run::{Grain, Options, Report, Watch};
use crate::structure::Structure;
use plan::Plan;

/// How many chunks make a part of a depth, at which threads wait for each other: some seconds of work.
const PART_CHUNKS: usize = 1024;

/// How the lanes of a sequence are held.
trait Lane: Value {
    /// How many bits a sequence takes.
    const BITS: usize;
    /// To which multiple of sequences blocks are filled up.
    const UNIT: usize;

    /// Finds the states of a chunk that are new in the next depth.
    fn expand(plan: &Plan, chunk: &mut Chunk<Self>, found: &mut Found);
    /// The bit of a lane of an index: which value, and which bit of it.
    fn bit(index: usize, lane: usize) -> (usize, Self);
    /// The bits of the value at a place that stand for no state.
    fn holes(plan: &Plan, at: usize) -> Self;
    /// How many moves can be made in the states of a value.
    fn moves(self, plan: &Plan) -> u64;
}

impl Lane for u64 {
    const BITS: usize = 1;
    const UNIT: usize = 64;

    fn expand(plan: &Plan, chunk: &mut Chunk<Self>, found: &mut Found) {
        cpu::run(bits::ExpandBits { plan, chunk, found });
    }

    fn bit(index: usize, _lane: usize) -> (usize, Self) {
        (index / 64, 1 << (index % 64))
    }

    fn holes(plan: &Plan, at: usize) -> Self {
        // The places of the block before the value, which fill a part of it, or all.
        let filled = plan.sequences.block.saturating_sub(at * 64 % plan.sequences.stride);
        if filled >= 64 { 0 } else { !((1 << filled) - 1) }
    }

    fn moves(self, plan: &Plan) -> u64 {
        self.count() * plan.moves.iter().map(|&(_, times)| times).sum::<u64>()
    }
}

impl Lane for u16 {
    const BITS: usize = 16;
    const UNIT: usize = 4;

    fn expand(plan: &Plan, chunk: &mut Chunk<Self>, found: &mut Found) {
        cpu::run(lanes::ExpandLanes { plan, chunk, found });
    }

    fn bit(index: usize, lane: usize) -> (usize, Self) {
        (index, 1 << lane)
    }

    fn holes(plan: &Plan, at: usize) -> Self {
        let lanes = plan.moves.iter().fold(0, |lanes, &(some, _)| lanes | some) as u16;
        if at % plan.sequences.stride < plan.sequences.block { !lanes } else { Self::MAX }
    }

    fn moves(self, plan: &Plan) -> u64 {
        plan.moves.iter().map(|&(lanes, times)| (self & lanes as u16).count() * times).sum()
    }
}

/// Rules whose states are arrangements of distinct symbols, and how their index is swept.
#[derive(Debug)]
pub struct Arranged {
    pub(super) arrangements: Arrangements,
    pub(super) plan: Plan,
    /// How many chunks are expanded before it is looked whether a part of the depth should be kept.
    part_chunks: usize,
    /// For each symmetry but the identity, the states that it leaves as they are, as indexes and lanes.
    fixed: Vec<Vec<(usize, usize)>>,
}

impl Arranged {
    /// The index of some rules, where each cell holds another symbol and moves do nothing but rearrange them.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], grain: Option<Grain>) -> Option<Self> {
        let arrangements = Arrangements::of_structure(structure)?;
        let plan = if arrangements.pivot.is_some() {
            Plan::new(&arrangements, u16::BITS as usize, u16::UNIT, grain)?
        } else {
            Plan::new(&arrangements, 1, u64::UNIT, grain)?
        };
        let fixed = arrangements.fixed(symmetries, &plan.sequences)?;
        let part_chunks = if grain.is_some() { 1 } else { PART_CHUNKS };
        Some(Self { arrangements, plan, part_chunks, fixed })
    }

    /// The numbers that the layout depends on.
    pub fn layout(&self) -> Vec<u64> {
        let Sequences { head, stride, even, .. } = self.plan.sequences;
        let order = self.arrangements.order.iter().map(|&cell| cell as u64);
        order.chain([head as u64, stride as u64, u64::from(even)]).collect()
    }

    /// The bytes of memory that a run takes.
    pub fn bytes(&self) -> u64 {
        let bits = if self.arrangements.pivot.is_some() { u16::BITS as usize } else { 1 };
        let blocks = self.plan.sequences.blocks() as u64;
        let arrays = 3 * blocks * (self.plan.sequences.stride * bits / 8) as u64 + 2 * blocks;
        let fixed: usize = self.fixed.iter().map(|states| states.len() * size_of::<(usize, usize)>()).sum();
        arrays + (self.plan.table_bytes() + fixed) as u64
    }

    /// Checks the depths of a job: that each holds what it counts, and none what an earlier one holds.
    ///
    /// # Errors
    ///
    /// As [`super::Dense::verify`].
    pub fn verify(&self, rules: &Rules, job: &Job) -> Result<()> {
        if self.arrangements.pivot.is_some() {
            Sweep::new(&Laned::<u16>::new(self), rules)?.verify(job)
        } else {
            Sweep::new(&Laned::<u64>::new(self), rules)?.verify(job)
        }
    }

    /// Enumerates all states that play can reach, by depth.
    ///
    /// # Errors
    ///
    /// As [`super::Dense::enumerate`].
    pub fn enumerate(&self, rules: &Rules, options: &Options, job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        if self.arrangements.pivot.is_some() {
            Sweep::new(&Laned::<u16>::new(self), rules)?.run(options, job, watch)
        } else {
            Sweep::new(&Laned::<u64>::new(self), rules)?.run(options, job, watch)
        }
    }
}

/// Arrangements whose sequences take one value of a type, or one bit of it.
struct Laned<'a, T> {
    arranged: &'a Arranged,
    value: std::marker::PhantomData<T>,
}

impl<'a, T: Lane> Laned<'a, T> {
    fn new(arranged: &'a Arranged) -> Self {
        Self { arranged, value: std::marker::PhantomData }
    }

    /// How many values a block has.
    fn block_values(&self) -> usize {
        self.arranged.plan.sequences.stride * T::BITS / 8 / size_of::<T>()
    }
}

impl<T: Lane> Shape for Laned<'_, T> {
    type Value = T;

    fn blocks(&self) -> usize {
        self.arranged.plan.sequences.blocks()
    }

    fn begin(&self, block: usize) -> usize {
        block * self.block_values()
    }

    fn block_of(&self, at: usize) -> usize {
        at / self.block_values()
    }

    fn chunks(&self) -> usize {
        self.blocks() / self.arranged.plan.chunk_blocks
    }

    fn first_block(&self, chunk: usize) -> usize {
        chunk * self.arranged.plan.chunk_blocks
    }

    fn part_chunks(&self) -> usize {
        self.arranged.part_chunks
    }

    fn start(&self, rules: &Rules) -> (usize, T) {
        let (sequence, place) = self.arranged.arrangements.read(&rules.start);
        T::bit(self.arranged.plan.sequences.rank(&sequence), place)
    }

    fn holes(&self, at: usize) -> T {
        T::holes(&self.arranged.plan, at)
    }

    fn moves(&self, _at: usize, value: T) -> u64 {
        value.moves(&self.arranged.plan)
    }

    fn expand(&self, chunk: &mut Chunk<T>, found: &mut Found) {
        T::expand(&self.arranged.plan, chunk, found);
    }

    fn fixed(&self, values: &[T], _states: u64) -> u64 {
        let fixed = self.arranged.fixed.iter().flatten().filter(|&&(index, lane)| {
            let (at, bit) = T::bit(index, lane);
            values[at] & bit == bit
        });
        fixed.count() as u64
    }

    fn order(&self) -> usize {
        self.arranged.fixed.len() + 1
    }

    fn bytes(&self) -> u64 {
        self.arranged.bytes()
    }
}
