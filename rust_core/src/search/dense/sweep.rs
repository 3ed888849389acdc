//! Arrangements, breadth first by depth: sweeps over chunks of an index that stay in the cache.

use std::ops::{BitAnd, BitOr, Range};
use std::time::Instant;

use bytemuck::Pod;
use rayon::prelude::*;

use super::plan::Plan;
use super::{Checkpoints, bits, keep, lanes};
use crate::compile::cpu;
use crate::error::Result;
use crate::rank::Arrangements;
use crate::rules::{Rules, Symmetry};
use crate::search::keep::report;
use crate::search::monitor::Monitor;
use crate::search::{DepthReport, Grain, Options, Progress, Report, Stop, Store, Watch};
use crate::store::{Job, Pages};

/// How many chunks make a part of a depth, at which threads wait for each other: some seconds of work.
const PART_CHUNKS: usize = 1024;

/// What one chunk reads and writes.
pub(super) struct Chunk<'a, T> {
    pub first_block: usize,
    /// The last depth, all chunks of it.
    pub current: &'a [T],
    /// Which blocks hold states of the last depth.
    pub occupied: &'a [u8],
    /// The chunk's part of the next depth, of all that was seen, and of the blocks that hold states of the next depth.
    pub next: &'a mut [T],
    pub seen: &'a mut [T],
    pub occupied_next: &'a mut [u8],
}

/// What one chunk found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// The states of the last depth in the chunk.
    pub expanded: u64,
    /// The new states of the next depth in the chunk, and how many moves can be made in them.
    pub states: u64,
    pub moves: u64,
}

impl Found {
    /// Both together.
    fn and(self, other: Self) -> Self {
        Self {
            expanded: self.expanded + other.expanded,
            states: self.states + other.states,
            moves: self.moves + other.moves,
        }
    }
}

/// How the lanes of a sequence are held.
pub(super) trait Lane: Pod + Send + Sync + PartialEq + BitAnd<Output = Self> + BitOr<Output = Self> {
    /// How many bits a sequence takes.
    const BITS: usize;
    /// To which multiple of sequences blocks are filled up.
    const UNIT: usize;

    /// Finds the states of a chunk that are new in the next depth.
    fn expand(plan: &Plan, chunk: &mut Chunk<Self>, found: &mut Found);
    /// The bit of a lane of an index: which value, and which bit of it.
    fn bit(index: usize, lane: usize) -> (usize, Self);
    /// How many bits are set.
    fn count(self) -> u64;
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

    fn count(self) -> u64 {
        u64::from(self.count_ones())
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

    fn count(self) -> u64 {
        u64::from(self.count_ones())
    }

    fn holes(plan: &Plan, at: usize) -> Self {
        let lanes = plan.moves.iter().fold(0, |lanes, &(some, _)| lanes | some) as u16;
        if at % plan.sequences.stride < plan.sequences.block { !lanes } else { Self::MAX }
    }

    fn moves(self, plan: &Plan) -> u64 {
        plan.moves.iter().map(|&(lanes, times)| (self & lanes as u16).count() * times).sum()
    }
}

/// Rules whose states are arrangements, and how their index is swept.
#[derive(Debug)]
pub struct Arranged {
    pub(super) arrangements: Arrangements,
    pub(super) plan: Plan,
    outcomes: usize,
    /// How many chunks are expanded before it is looked whether a part of the depth should be kept.
    part_chunks: usize,
    /// For each symmetry but the identity, the states that it leaves as they are, as indexes and lanes.
    fixed: Vec<Vec<(usize, usize)>>,
}

impl Arranged {
    /// The index of some rules, where each cell holds another symbol and moves do nothing but rearrange them.
    pub fn new(rules: &Rules, symmetries: &[Symmetry], grain: Option<Grain>) -> Option<Self> {
        let arrangements = Arrangements::of_rules(rules)?;
        let plan = if arrangements.pivot.is_some() {
            Plan::new(rules, &arrangements, u16::BITS as usize, u16::UNIT, grain)?
        } else {
            Plan::new(rules, &arrangements, 1, u64::UNIT, grain)?
        };
        let fixed = arrangements.fixed(symmetries, &plan.sequences)?;
        let part_chunks = if grain.is_some() { 1 } else { PART_CHUNKS };
        Some(Self { arrangements, plan, outcomes: rules.outcomes.len(), part_chunks, fixed })
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
    pub fn verify(&self, job: &Job) -> Result<()> {
        let watch: Watch = &|_| std::ops::ControlFlow::Continue(());
        if self.arrangements.pivot.is_some() {
            Sweep::<u16>::new(self, watch)?.verify(job)
        } else {
            Sweep::<u64>::new(self, watch)?.verify(job)
        }
    }

    /// Enumerates all states that play can reach, by depth.
    ///
    /// # Errors
    ///
    /// As [`super::Dense::enumerate`].
    pub fn enumerate(&self, rules: &Rules, options: &Options, job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        if self.arrangements.pivot.is_some() {
            Sweep::<u16>::new(self, watch)?.run(rules, options, job)
        } else {
            Sweep::<u64>::new(self, watch)?.run(rules, options, job)
        }
    }
}

pub(super) struct Sweep<'a, T> {
    pub dense: &'a Arranged,
    watch: Watch<'a>,
    begun: Instant,
    pub current: Pages,
    pub next: Pages,
    pub seen: Pages,
    pub occupied: Vec<u8>,
    pub occupied_next: Vec<u8>,
    lane: std::marker::PhantomData<T>,
}

impl<'a, T: Lane> Sweep<'a, T> {
    fn new(dense: &'a Arranged, watch: Watch<'a>) -> Result<Self> {
        let blocks = dense.plan.sequences.blocks();
        let values = blocks * (dense.plan.sequences.stride * T::BITS / 8 / size_of::<T>());
        let pages = || Pages::new::<T>(values);
        let occupied = vec![0; blocks];
        Ok(Self {
            dense,
            watch,
            begun: Instant::now(),
            current: pages()?,
            next: pages()?,
            seen: pages()?,
            occupied_next: occupied.clone(),
            occupied,
            lane: std::marker::PhantomData,
        })
    }

    fn run(mut self, rules: &Rules, options: &Options, mut job: Option<&mut Job>) -> Result<Report> {
        let mut depths: Vec<DepthReport> = Vec::new();
        let mut generated = 0;
        let mut found = match &job {
            Some(job) if !job.manifest().depths.is_empty() => {
                let found = self.restore(job)?;
                depths.extend(job.manifest().depths.iter().map(report));
                generated = job.manifest().depths.last().map_or(0, |depth| depth.generated);
                found
            }
            _ => {
                let found = self.begin(rules);
                depths.push(self.depth(0, found.states));
                if let Some(job) = &mut job {
                    keep(job, &self.current, &depths[0], generated)?;
                }
                found
            }
        };
        let mut total = depths.iter().map(|depth| depth.raw_states).sum();
        let mut checkpoints = Checkpoints::new(options.checkpoint);
        let stop = loop {
            let depth = depths.len() as u64 - 1;
            if options.max_depth.is_some_and(|most| most <= depth) {
                break Some(Stop::MaxDepth);
            }
            let progress = Progress {
                depth,
                frontier: found.states,
                states: total,
                store_bytes: self.dense.bytes(),
                ..Progress::default()
            };
            let keeping = job.as_deref_mut().map(|job| (job, &mut checkpoints, generated));
            let Some(next) = self.expand(progress, keeping)? else { break Some(Stop::Watch) };
            generated += found.moves;
            found = next;
            if found.states == 0 {
                break None;
            }
            std::mem::swap(&mut self.current, &mut self.next);
            std::mem::swap(&mut self.occupied, &mut self.occupied_next);
            total += found.states;
            depths.push(self.depth(depth + 1, found.states));
            if let Some(job) = &mut job {
                keep(job, &self.current, &depths[depths.len() - 1], generated)?;
            }
        };
        if let Some(job) = job {
            job.close(stop.is_none(), generated)?;
        }
        Ok(Report {
            depths,
            stop,
            store: Store::Dense,
            reason: String::new(),
            symmetry_order: self.dense.fixed.len() + 1,
            generated,
            seconds: self.begun.elapsed().as_secs_f64(),
        })
    }

    /// Puts the start into the current depth.
    fn begin(&mut self, rules: &Rules) -> Found {
        let plan = &self.dense.plan;
        let (sequence, place) = self.dense.arrangements.read(&rules.start);
        let index = plan.sequences.rank(&sequence);
        let (at, bit) = T::bit(index, place);
        self.current.get_mut::<T>()[at] = bit;
        self.seen.get_mut::<T>()[at] = bit;
        self.occupied[index / plan.sequences.stride] = 1;
        let moves = plan.moves.iter().filter(|(lanes, _)| lanes >> place & 1 != 0).map(|(_, times)| times).sum();
        Found { expanded: 0, states: 1, moves }
    }

    /// Finds the next depth, and what was found of it; `None` where the watch stopped the search. A job keeps what there is
    /// of it then, and from time to time.
    fn expand(
        &mut self,
        progress: Progress,
        mut keeping: Option<(&mut Job, &mut Checkpoints, u64)>,
    ) -> Result<Option<Found>> {
        let monitor = Monitor::new(self.watch, self.begun, progress);
        let (mut done, mut found) = match &keeping {
            Some((job, ..)) => self.restore_part(job)?,
            None => (0, Found::default()),
        };
        monitor.add(found.expanded);
        let kept = done;
        let blocks = self.dense.plan.sequences.blocks();
        let values = self.dense.plan.sequences.stride * T::BITS / 8 / size_of::<T>();
        while done < blocks {
            // Without a job, all at once: there is nothing to wait for in between.
            let most = if keeping.is_some() { self.dense.part_chunks * self.dense.plan.chunk_blocks } else { blocks };
            let end = (done + most).min(blocks);
            let part = self.expand_blocks(done..end, &monitor);
            let stopped = monitor.stopped();
            if !stopped {
                done = end;
                found = found.and(part);
            }
            if let Some((job, checkpoints, generated)) = &mut keeping
                && done > kept
                && done < blocks
            {
                let bytes = bytemuck::cast_slice(&self.next.get::<T>()[..done * values]);
                checkpoints.keep(job, bytes, done, *generated, stopped)?;
            }
            if stopped {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Finds what some blocks have of the next depth.
    fn expand_blocks(&mut self, blocks: Range<usize>, monitor: &Monitor) -> Found {
        let plan = &self.dense.plan;
        let (current, occupied) = (self.current.get::<T>(), &self.occupied[..]);
        let each = plan.sequences.stride * T::BITS / 8 / size_of::<T>();
        let (values, range) = (plan.chunk_blocks * each, blocks.start * each..blocks.end * each);
        let chunks = self.next.get_mut::<T>()[range.clone()]
            .par_chunks_exact_mut(values)
            .zip(self.seen.get_mut::<T>()[range].par_chunks_exact_mut(values))
            .zip(self.occupied_next[blocks.clone()].par_chunks_exact_mut(plan.chunk_blocks))
            .enumerate();
        chunks
            .map(|(number, ((next, seen), occupied_next))| {
                let mut found = Found::default();
                if !monitor.stopped() {
                    let first_block = blocks.start + number * plan.chunk_blocks;
                    let mut chunk = Chunk { first_block, current, occupied, next, seen, occupied_next };
                    T::expand(plan, &mut chunk, &mut found);
                    monitor.add(found.expanded);
                }
                found
            })
            .reduce(Found::default, Found::and)
    }

    /// The report of a depth, which is the current one.
    pub fn depth(&self, depth: u64, raw_states: u64) -> DepthReport {
        let values = self.current.get::<T>();
        let fixed = self.dense.fixed.iter().flatten().filter(|&&(index, lane)| {
            let (at, bit) = T::bit(index, lane);
            values[at] & bit == bit
        });
        // Burnside's lemma: the classes of states are as many as a symmetry fixes states on average.
        let sum = raw_states + fixed.count() as u64;
        let states = sum / (self.dense.fixed.len() as u64 + 1);
        DepthReport { depth, states, raw_states, open: states, ended: vec![0; self.dense.outcomes] }
    }
}
