//! Breadth-first enumeration by depth, in memory, on all cores. The order in which states are found depends on the
//! rules alone: blocks of states are expanded in parallel, and taken in one after the other within each partition.

use std::time::Instant;

use rayon::prelude::*;

use super::expand::{Block, Expander};
use super::monitor::Monitor;
use super::{DepthReport, Grain, Options, Progress, Report, Stop, Store, Watch};
use crate::compile::{Compiled, ImageFlips, Images, Word, cpu};
use crate::error::{Error, Result};
use crate::rules::Window;
use crate::store::{Job, Layer, Partition, partition_of};

/// How many bytes of successors a block should make: few enough to stay in the second-level cache while they are sorted.
const BLOCK_BYTES: usize = 256 << 10;

/// How many blocks are in flight at once: enough to keep many threads busy, few enough to bound the memory.
const WAVE_BLOCKS: usize = 256;

/// The most states in a block: the watch is consulted once a block.
const MOST_STATES: usize = 4096;

/// The most guards that a block tries, counted by the integers of a word: some hundredths of a second.
const MOST_WORK: usize = 1 << 22;

/// How many bytes a partition's table should have: few enough to stay in the second-level cache.
const TABLE_BYTES: usize = 256 << 10;

/// The most partitions, as a power of two: with more, the slices of a block get shorter than a cache line.
const MOST_BITS: u32 = 12;

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

/// Runs some work on as many threads as the options say.
///
/// # Errors
///
/// [`Error::Options`] where the threads cannot be started.
pub fn in_pool<T: Send>(options: &Options, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build()
        .map_err(|error| Error::Options(format!("cannot start {} threads: {error}", options.threads)))?;
    Ok(pool.install(work))
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
    /// The open states of the last depth that was expanded, kept only where new ones are compared with them, and their
    /// number; and those of the depth that is next.
    pub(super) previous: Layer<W>,
    pub(super) previous_len: usize,
    pub(super) current: Layer<W>,
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
        let window = compiled.rules.window();
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
            previous: Layer::empty(),
            previous_len: 0,
            current: Layer::empty(),
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
            if self.current.words.is_empty() {
                break None;
            }
            if self.max_depth.is_some_and(|most| most <= self.depth()) {
                break Some(Stop::MaxDepth);
            }
            if let Some(stop) = self.expand_depth() {
                break Some(stop);
            }
            if let Some(stop) = self.close_depth()? {
                break Some(stop);
            }
        };
        if let Some(job) = &mut self.job {
            job.close(stop.is_none())?;
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

    /// The last depth that was found.
    fn depth(&self) -> u64 {
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
    fn expand_depth(&mut self) -> Option<Stop> {
        if let Some(stop) = self.prepare_partitions() {
            return Some(stop);
        }
        let depth = self.depth();
        let (player, set, bits) = (self.player(depth), self.set(depth + 1), self.bits);
        let monitor = Monitor::new(self.watch, self.begun, self.progress());
        let expander = Expander { compiled: self.compiled, images: self.images, player, flips: &self.flips[player] };
        let frontier = &self.current.words;
        let kinds = self.partitions[set][0].found.len();
        let work = expander.compiled.steps[player].list.len() * W::LIMBS;
        let block_states = (BLOCK_BYTES / size_of::<W>() / self.branching).min(MOST_WORK / work.max(1));
        let block_states = block_states.clamp(1, MOST_STATES);
        let (block_states, wave_blocks) = self.grain.map_or((block_states, WAVE_BLOCKS), |grain| {
            (grain.block_states.min(MOST_STATES), grain.wave_blocks.min(WAVE_BLOCKS))
        });
        // The blocks of a wave may take an eighth of the memory.
        let wave_blocks = wave_blocks.min((self.memory / (16 * BLOCK_BYTES as u64)).max(1) as usize);
        let before = self.generated;
        for wave in frontier.chunks(block_states * wave_blocks) {
            // Partitions differ a little.
            let more = wave.len() * self.branching * 5 / 4 / self.partitions[set].len() + 64;
            let growth: usize = self.partitions[set].iter().map(|partition| partition.growth(more)).sum();
            if self.progress().store_bytes + growth as u64 > self.memory {
                return Some(Stop::Memory);
            }
            let count = wave.len().div_ceil(block_states);
            if self.blocks.len() < count {
                self.blocks.resize_with(count, || Block::new(kinds));
            }
            let blocks = &mut self.blocks[..count];
            blocks.par_iter_mut().zip(wave.par_chunks(block_states)).for_each(|(block, states)| {
                if !monitor.stopped() {
                    block.fill(&expander, states, bits);
                    monitor.add(states.len() as u64);
                }
            });
            if monitor.stopped() {
                return Some(Stop::Watch);
            }
            self.generated += blocks.iter().map(|block| block.generated).sum::<u64>();
            let partitions = self.partitions[set].par_iter_mut().enumerate();
            partitions.for_each(|(number, partition)| {
                if !monitor.stopped() {
                    cpu::run(Absorb { number, partition, blocks });
                    monitor.add(0);
                }
            });
            if monitor.stopped() {
                return Some(Stop::Watch);
            }
        }
        self.branching = ((self.generated - before) as usize).div_ceil(frontier.len()).max(1);
        None
    }

    pub(super) fn progress(&self) -> Progress {
        let tables = self.partitions.iter().flatten().map(Partition::bytes).sum::<usize>();
        let blocks = self.blocks.iter().map(Block::bytes).sum::<usize>();
        let layers = (self.previous.words.len() + self.current.words.len()) * size_of::<W>();
        Progress {
            depth: (self.depths.len() as u64).saturating_sub(1),
            frontier: self.current.words.len() as u64,
            expanded: 0,
            states: self.total,
            store_bytes: (tables + blocks + layers) as u64,
            seconds: 0.0,
        }
    }

    /// Makes room for the next depth: chooses how many partitions there are, and tells them what is not new. Tells whether
    /// there is no such room.
    fn prepare_partitions(&mut self) -> Option<Stop> {
        let (last, now) = (self.previous_len, self.current.words.len());
        // A depth grows about as the last one did. Too low a guess costs little: tables grow.
        let expected = now.saturating_mul(now).checked_div(last).unwrap_or(8).clamp(now / 2, now.saturating_mul(2));
        let known = match self.window {
            Window::Layered => 0,
            Window::InverseClosed => last + now,
            Window::Directed => self.partitions.iter().flatten().map(|partition| partition.seen.len()).sum(),
        };
        let bits = self.bits_for(known + expected);
        // A guess must not take what the limit does not give: then tables grow as they must.
        let layers = (last + now) * size_of::<W>() + self.blocks.iter().map(Block::bytes).sum::<usize>();
        let tables = |states: usize| ((states >> bits) * 2).next_power_of_two() << bits;
        let fits = |states: usize| (tables(states) * size_of::<W>() + layers) as u64 <= self.memory / 4 * 3;
        let room = if fits(known + expected) { known + expected } else { known } >> bits;
        if self.window != Window::Directed && (tables(known) * size_of::<W>() + layers) as u64 > self.memory {
            return Some(Stop::Memory);
        }
        // With two players, the states of the last depth have the other player to move.
        let window: &[&Layer<W>] = match (self.window, self.flips.len()) {
            (Window::InverseClosed, 1) => &[&self.previous, &self.current],
            (Window::InverseClosed, _) => &[&self.previous],
            _ => &[],
        };
        if self.window == Window::Directed {
            self.make_room(known + expected);
        } else {
            reset_partitions(&mut self.partitions[0], bits, room, window);
            self.bits = bits;
        }
        None
    }

    /// Makes so many partitions that tables with some states fit the cache.
    pub(super) fn make_room(&mut self, states: usize) {
        let bits = self.bits_for(states);
        if bits > self.bits {
            self.split_partitions(bits);
            self.bits = bits;
        }
    }

    /// How many partitions tables with some states need, as a power of two.
    fn bits_for(&self, states: usize) -> u32 {
        let tables = states * 2 * size_of::<W>() / TABLE_BYTES;
        let fewest_bits = self.grain.map_or(0, |grain| grain.partition_bits);
        tables.next_power_of_two().trailing_zeros().max(fewest_bits).min(MOST_BITS)
    }

    /// Divides each partition into smaller ones.
    fn split_partitions(&mut self, bits: u32) {
        let wider = bits - self.bits;
        let kinds = self.partitions[0][0].found.len();
        for set in &mut self.partitions {
            let old = &*set;
            let split = (0..1usize << bits).into_par_iter().map(|number| {
                let seen = &old[number >> wider].seen;
                let mut partition = Partition::new(bits, kinds);
                partition.seen.reset(bits, seen.len() >> wider);
                for word in seen.iter().filter(|&word| partition_of(word, bits) == number) {
                    partition.seen.insert(word);
                }
                partition
            });
            *set = split.collect();
        }
    }
}

/// Makes `1 << bits` partitions that have seen the states of some layers, and no others.
fn reset_partitions<W: Word>(partitions: &mut Vec<Partition<W>>, bits: u32, room: usize, seen: &[&Layer<W>]) {
    let kinds = partitions[0].found.len();
    partitions.resize_with(1 << bits, || Partition::new(bits, kinds));
    partitions.par_iter_mut().enumerate().for_each(|(number, partition)| {
        partition.seen.reset(bits, room);
        for word in seen.iter().flat_map(|layer| layer.members(number, bits)) {
            partition.seen.insert(word);
        }
    });
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
