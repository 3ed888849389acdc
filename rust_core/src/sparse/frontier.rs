//! Breadth-first enumeration by depth, in memory, on all cores. The order in which states are found depends on the
//! rules alone: blocks of states are expanded in parallel, and taken in one after the other within each partition.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::expand::{Block, Expander};
use super::partition::Partition;
use crate::compile::{Compiled, ImageFlips, Images, Word, cpu};
use crate::error::{Error, Result};
use crate::job::Job;
use crate::run::{DepthReport, Grain, Monitor, Options, Report, Stop, Store, Watch, in_pool, later};
use crate::structure::Window;

/// How many bytes of successors a block should make: few enough to stay in the second-level cache while they are sorted.
const BLOCK_BYTES: usize = 256 << 10;

/// How many blocks are in flight at once: enough to keep many threads busy, few enough to bound the memory.
const WAVE_BLOCKS: usize = 256;

/// The most states in a block: the watch is consulted once a block.
const MOST_STATES: usize = 4096;

/// The most guards that a block tries, counted by the integers of a word: some hundredths of a second.
const MOST_WORK: usize = 1 << 22;

/// How many bytes a partition's table should have: few enough to stay in the second-level cache.
pub(super) const TABLE_BYTES: usize = 256 << 10;

/// The most partitions, as a power of two: with more, the slices of a block get shorter than a cache line.
pub(super) const MOST_BITS: u32 = 12;

/// The least memory with which a depth is found on disk.
pub(super) const LEAST_ON_DISK: u64 = 14 << 20;

/// Enumerates all states that play can reach, by depth, up to the symmetries of `images`.
///
/// # Errors
///
/// [`Error::Options`] where the threads cannot be started, or the grain is zero; [`Error::Disk`] and [`Error::Corrupt`] where
/// a job's files cannot be written or read.
pub fn enumerate<W: Word>(
    compiled: &Compiled<W>,
    images: &Images<W>,
    options: &Options,
    job: Option<&mut Job>,
    watch: Watch,
) -> Result<Report> {
    if options.grain.is_some_and(|grain| grain.block_states == 0 || grain.wave_blocks == 0) {
        return Err(Error::Options(
            "a block or a wave of nothing makes no progress; give at least 1 of each".to_owned(),
        ));
    }
    in_pool(options, || Search::new(compiled, images, options, job, watch).run())?
}

pub(super) struct Search<'a, W> {
    pub(super) compiled: &'a Compiled<W>,
    pub(super) images: &'a Images<W>,
    pub(super) flips: Vec<ImageFlips<W>>,
    pub(super) window: Window,
    pub(super) max_depth: Option<u64>,
    /// The bytes of memory that the run may take.
    pub(super) memory: u64,
    pub(super) grain: Option<Grain>,
    /// Where the depths are kept, if they are.
    pub(super) job: Option<&'a mut Job>,
    pub(super) watch: Watch<'a>,
    pub(super) begun: Instant,
    /// What is known of each partition. In a directed graph with two players there is a list for each player to move:
    /// the same cells with another player to move are another state.
    pub(super) partitions: Vec<Vec<Partition<W>>>,
    /// How many partitions there are, as a power of two.
    pub(super) bits: u32,
    pub(super) blocks: Vec<Block<W>>,
    /// The open states of the last depth that was expanded, kept only where new ones are compared with them, and those of
    /// the depth that is next.
    pub(super) previous: Vec<W>,
    pub(super) current: Vec<W>,
    /// Whether they are in memory. Otherwise they are on disk alone.
    pub(super) resident: bool,
    /// How many states of the current layer were expanded.
    pub(super) expanded: u64,
    /// How long a job goes on without keeping what it has of a depth, and when it does so next.
    pub(super) checkpoint: Duration,
    pub(super) keep_at: Instant,
    /// The states of all depths so far.
    pub(super) total: u64,
    pub(super) depths: Vec<DepthReport>,
    pub(super) generated: u64,
    /// Successors a state in the last depth, to size blocks by.
    pub(super) branching: usize,
}

impl<'a, W: Word> Search<'a, W> {
    fn new(
        compiled: &'a Compiled<W>,
        images: &'a Images<W>,
        options: &Options,
        job: Option<&'a mut Job>,
        watch: Watch<'a>,
    ) -> Self {
        let players = compiled.rules.player_count();
        let window = compiled.structure.window();
        let sets = if window == Window::Directed { players } else { 1 };
        let kinds = 1 + compiled.rules.outcomes.len();
        Self {
            compiled,
            flips: (0..players).map(|player| compiled.image_flips(images, player)).collect(),
            images,
            window,
            max_depth: options.max_depth,
            // An eighth is left for what the allocator holds beside.
            memory: options.memory - options.memory / 8,
            grain: options.grain,
            job,
            watch,
            begun: Instant::now(),
            partitions: vec![vec![Partition::new(0, kinds)]; sets],
            bits: 0,
            blocks: Vec::new(),
            previous: Vec::new(),
            current: Vec::new(),
            resident: true,
            expanded: 0,
            checkpoint: options.checkpoint,
            keep_at: later(options.checkpoint),
            total: 0,
            depths: Vec::new(),
            generated: 0,
            branching: 8,
        }
    }

    fn run(mut self) -> Result<Report> {
        if self.job.as_ref().is_none_or(|job| job.manifest().depths.is_empty()) {
            let start = self.images.smallest(self.compiled.start());
            let kind = self.compiled.ended(start, 0).map_or(0, |outcome| outcome + 1);
            self.partitions[0][0].absorb(kind, &[start]);
            self.close_depth()?;
        } else {
            self.restore()?;
        }
        let stop = loop {
            if self.open_of(self.depth()) == 0 {
                break None;
            }
            if self.max_depth.is_some_and(|most| most <= self.depth()) {
                break Some(Stop::MaxDepth);
            }
            let before = self.depth();
            if let Some(stop) = self.next_depth()? {
                break Some(stop);
            }
            if self.depth() == before {
                break None;
            }
        };
        if let Some(job) = &mut self.job {
            job.close(stop.is_none(), self.generated)?;
        }
        Ok(Report {
            depths: self.depths,
            stop,
            store: Store::Sparse,
            reason: String::new(),
            symmetry_order: self.images.order,
            generated: self.generated,
            seconds: self.begun.elapsed().as_secs_f64(),
        })
    }

    /// Finds the next depth, in memory or, where a job has none left, on disk; tells why it stopped before the end, if it did.
    fn next_depth(&mut self) -> Result<Option<Stop>> {
        if self.resident {
            let stop = match self.expand_depth()? {
                None => self.close_depth()?,
                stop => stop,
            };
            match stop {
                Some(Stop::Memory) if self.job.is_some() && self.can_spill() => self.leave_memory()?,
                Some(Stop::Watch) if self.job.is_some() && self.expanded > 0 => {
                    self.keep_found()?;
                    return Ok(stop);
                }
                stop => return Ok(stop),
            }
        }
        self.next_depth_on_disk()
    }

    /// Whether the memory does for what a depth on disk needs in any case: blocks, buffers of files, and some words of each.
    pub(super) fn can_spill(&self) -> bool {
        self.memory >= LEAST_ON_DISK || self.grain.is_some()
    }

    /// The last depth that was found.
    pub(super) fn depth(&self) -> u64 {
        self.depths.len() as u64 - 1
    }

    /// The player to move at a depth.
    pub(super) fn player(&self, depth: u64) -> usize {
        (depth % self.compiled.rules.player_count() as u64) as usize
    }

    /// Which list of partitions holds the states of a depth.
    pub(super) fn set(&self, depth: u64) -> usize {
        if self.partitions.len() == 1 { 0 } else { self.player(depth) }
    }

    /// Finds the successors of the current layer; tells why it stopped before the end, if it did.
    fn expand_depth(&mut self) -> Result<Option<Stop>> {
        self.expanded = 0;
        if self.grain.is_some_and(|grain| grain.run_words > 0) && self.job.is_some() {
            return Ok(Some(Stop::Memory));
        }
        if let Some(stop) = self.prepare_partitions() {
            return Ok(Some(stop));
        }
        let depth = self.depth();
        let (set, bits) = (self.set(depth + 1), self.bits);
        let monitor = Monitor::new(self.watch, self.begun, self.progress());
        let wave_states = self.wave_states(depth);
        let before = self.generated;
        while (self.expanded as usize) < self.current.len() {
            let begin = self.expanded as usize;
            let end = (begin + wave_states).min(self.current.len());
            // Partitions differ a little.
            let more = (end - begin) * self.branching * 5 / 4 / self.partitions[set].len() + 64;
            let growth: usize = self.partitions[set].iter().map(|partition| partition.growth(more)).sum();
            if self.progress().store_bytes + growth as u64 > self.memory {
                return Ok(Some(Stop::Memory));
            }
            let wave = std::mem::take(&mut self.current);
            let count = self.fill(depth, &wave[begin..end], bits, &monitor);
            self.current = wave;
            let blocks = &self.blocks[..count];
            let partitions = self.partitions[set].par_iter_mut().enumerate();
            partitions.for_each(|(number, partition)| {
                if !monitor.stopped() {
                    cpu::run(Absorb { number, partition, blocks });
                    monitor.add(0);
                }
            });
            if monitor.stopped() {
                return Ok(Some(Stop::Watch));
            }
            self.generated += blocks.iter().map(|block| block.generated).sum::<u64>();
            self.expanded = end as u64;
            if self.job.is_some() && Instant::now() >= self.keep_at {
                self.keep_found()?;
            }
        }
        self.branching = ((self.generated - before) as usize).div_ceil(self.current.len()).max(1);
        Ok(None)
    }

    /// How many states of a depth are expanded at a time.
    pub(super) fn wave_states(&self, depth: u64) -> usize {
        let (states, blocks) = self.wave(depth);
        states * blocks
    }

    /// How many states a block has, and how many blocks a wave.
    fn wave(&self, depth: u64) -> (usize, usize) {
        let work = self.compiled.steps[self.player(depth)].list.len() * W::LIMBS;
        let block_states = (BLOCK_BYTES / size_of::<W>() / self.branching).min(MOST_WORK / work.max(1));
        let block_states = block_states.clamp(1, MOST_STATES);
        let (block_states, wave_blocks) = self.grain.map_or((block_states, WAVE_BLOCKS), |grain| {
            (grain.block_states.min(MOST_STATES), grain.wave_blocks.min(WAVE_BLOCKS))
        });
        // The blocks of a wave may take an eighth of the memory.
        (block_states, wave_blocks.min((self.memory / (16 * BLOCK_BYTES as u64)).max(1) as usize))
    }

    /// Fills the blocks with the successors of some states, sorted by partition, and tells how many blocks there are.
    pub(super) fn fill(&mut self, depth: u64, states: &[W], bits: u32, monitor: &Monitor) -> usize {
        let player = self.player(depth);
        let kinds = self.partitions[0][0].found.len();
        let (block_states, _) = self.wave(depth);
        let count = states.len().div_ceil(block_states);
        if self.blocks.len() < count {
            self.blocks.resize_with(count, || Block::new(kinds));
        }
        let expander = Expander { compiled: self.compiled, images: self.images, player, flips: &self.flips[player] };
        let blocks = &mut self.blocks[..count];
        blocks.par_iter_mut().zip(states.par_chunks(block_states)).for_each(|(block, states)| {
            if !monitor.stopped() {
                block.fill(&expander, states, bits);
                monitor.add(states.len() as u64);
            }
        });
        count
    }
}

/// Takes the successors of all blocks into one partition.
struct Absorb<'a, W> {
    number: usize,
    partition: &'a mut Partition<W>,
    blocks: &'a [Block<W>],
}

impl<W: Word> cpu::Task for Absorb<'_, W> {
    #[inline(always)]
    fn run(self) {
        for kind in 0..self.partition.found.len() {
            for block in self.blocks {
                self.partition.absorb(kind, block.kinds[kind].partition(self.number));
            }
        }
    }
}
