//! One shard of a search on several machines: the states whose hashes lie in the shard's part of the range of hashes.
//! It has a job of its own, with its states of each depth. `docs/cluster.md` explains it to users.
//!
//! A depth takes three steps:
//!
//! 1. [`expand`]: all shards expand their open states of the last depth. The successors of one shard's states belong to
//!    all shards. They are sorted, and each shard is sent its own, in runs.
//! 2. absorb: a run is a file in the folder of its owner. It counts once the owner has been informed of it
//!    ([`Job::receive`]), so a run that comes late, twice or from another epoch does no harm. What a shard finds for
//!    itself stays in its memory if there is room.
//! 3. [`close`]: each shard merges its runs, without the words of its own earlier depths, into its files of the depth,
//!    and counts them.
//!
//! Take two lamps, and for each a move that toggles it, and let 00 and 11 belong to the first of two shards, and 01 and
//! 10 to the second. The first shard expands 00, and sends 01 and 10 to the second. The second closes depth 1 with
//! both, and the first with none. Then the second sends 00 and 11 to the first, which has 00 already and closes depth 2
//! with 11 alone.

use super::block::BlockTask;
use super::close::{close as close_words, nothing_of};
use super::hash::shard_of;
use super::held::{HeldWords, ShardMemory};
use super::history::History;
use super::limits::Limits;
use super::merge::MergeInput;
use super::spill::{Buffers, OnDisk, sum_of};
use super::state_graph::StateGraph;
use super::wave::{Wave, WaveShape, WaveStates};
use crate::compile::{Compiled, Images, Word};
use crate::error::{Error, Result};
use crate::job::{DepthEntry, Job, Kind, Outbox};
use crate::run::{CheckpointClock, Options, Watch, in_pool, parallel};

/// The fewest bytes of words that a shard gathers for another shard before it sends them. At the end of a depth it
/// sends the rest, however few.
const LEAST_RUN: usize = 1 << 20;

/// Finds depth 0 of a shard: the roots that belong to it.
///
/// # Errors
///
/// [`Error::Disk`].
pub fn roots<W: Word>(compiled: &Compiled<W>, images: &Images<W>, job: &mut Job) -> Result<()> {
    let graph = StateGraph::new(compiled, images);
    let subject = &job.manifest().subject;
    let (shards, shard) = (subject.shards.unwrap_or(1), subject.shard.unwrap_or(0));
    let mut found: Vec<Vec<W>> = vec![Vec::new(); graph.kinds()];
    for &(kind, root) in &graph.roots {
        if shard_of(root, shards) as u64 == shard {
            found[kind].push(root);
        }
    }
    let sum = found.iter().map(|words| sum_of(words)).fold(0, u128::wrapping_add);
    let mut report = nothing_of(0, graph.outcomes());
    let closed = close_words(&graph, 0, &mut found);
    closed.add_to(&mut report);
    for (kind, words) in found.iter().enumerate() {
        job.write_words(Kind::of_place(kind), words)?;
    }
    job.write_words(Kind::Stuck, &closed.stuck)?;
    job.commit(DepthEntry { sum: Some(format!("{sum:032x}")), ..DepthEntry::new(&report, 0) })
}

/// Expands the open states of a shard's last depth, and sends the successors to the shards that they belong to. Those
/// that belong to this shard itself stay in its memory for [`close`], if there is room. Returns the number of
/// successors, with repetitions.
///
/// # Errors
///
/// [`Error::Disk`] and [`Error::Corrupt`] if files cannot be written or read, [`Error::Stopped`] if the watch stops the
/// run.
pub fn expand<W: Word>(
    graph: &StateGraph<W>,
    options: &Options,
    job: &Job,
    outbox: &mut Outbox,
    memory: &mut ShardMemory,
    watch: Watch,
) -> Result<u64> {
    let (limits, history) = (&Limits::new(options, watch), &History::of_job(job.manifest()));
    let held = memory.words(limits);
    in_pool(options, || Expansion { graph, limits, history, job, wave: Wave::new() }.run(outbox, held))?
}

/// Everything that is needed to expand a shard's last depth.
struct Expansion<'a, 'g, W> {
    graph: &'a StateGraph<'g, W>,
    limits: &'a Limits<'a>,
    history: &'a History,
    job: &'a Job,
    wave: Wave<W>,
}

impl<W: Word> Expansion<'_, '_, W> {
    fn run(&mut self, outbox: &mut Outbox, held: Option<&mut HeldWords<W>>) -> Result<u64> {
        let (graph, depth) = (self.graph, self.history.last());
        let lacks = || self.job.lacks(depth as usize);
        let open = self.history.open(depth);
        let in_memory = held.as_ref().and_then(|held| held.of(depth, Kind::Open));
        let Some(mut frontier) = (match in_memory {
            Some(words) => Some(MergeInput::held(words)),
            None => self.job.words(depth as usize, Kind::Open)?.map(MergeInput::found),
        }) else {
            return if open == 0 { Ok(0) } else { Err(lacks()) };
        };
        let monitor = self.limits.monitor(self.history, 0);
        let shape = WaveShape::new(graph, self.limits, self.history.branching, depth);
        let shards = outbox.shards();
        let shape = shape.in_cache(shards);
        let most = self.limits.run_words::<W>() / shards;
        let most = if self.limits.always_on_disk() { most.max(1) } else { most.max(LEAST_RUN / size_of::<W>()) };
        let mut outgoing: Vec<Buffers<W>> = (0..shards).map(|_| Buffers::new(graph.kinds(), most)).collect();
        let (mut expanded, mut generated) = (0, 0);
        loop {
            let states = frontier.next(shape.states())?;
            if states.is_empty() {
                break;
            }
            if !graph.are_all_states(states) {
                return Err(lacks());
            }
            let states = WaveStates { states, shape, task: BlockTask::ENDS };
            let blocks = self.wave.expand_and(graph, depth, states, 0, &monitor, &|block| {
                block.kinds.iter_mut().for_each(|kind| kind.divide(shards));
            });
            if monitor.stopped() {
                return Err(Error::Stopped);
            }
            generated += blocks.iter().map(|block| block.generated).sum::<u64>();
            parallel::each_mut(&mut outgoing, |shard, buffers| {
                for block in &*blocks {
                    buffers.extend(block.kinds.iter().map(|kind| kind.partition(shard)));
                }
            });
            for (shard, buffers) in outgoing.iter_mut().enumerate() {
                if buffers.are_full() {
                    send(outbox, shard, buffers)?;
                }
            }
            expanded += states.states.len() as u64;
        }
        if expanded != open {
            return Err(lacks());
        }
        if let Some(held) = held {
            let buffers = &mut outgoing[outbox.from()];
            buffers.sort();
            held.own = std::mem::take(&mut buffers.kinds);
        }
        for (shard, buffers) in outgoing.iter_mut().enumerate() {
            send(outbox, shard, buffers)?;
        }
        Ok(generated)
    }
}

/// Sends the words in the buffers for a shard, and empties them.
fn send<W: Word>(outbox: &mut Outbox, shard: usize, buffers: &mut Buffers<W>) -> Result<()> {
    buffers.sort();
    for (kind, words) in buffers.kinds.iter_mut().enumerate() {
        outbox.send(shard, Kind::of_place(kind), words)?;
        words.clear();
    }
    Ok(())
}

/// Merges the runs that a shard's job has received, and the words that [`expand`] has left in its memory, into the next
/// depth of the job.
///
/// # Errors
///
/// The errors of [`expand`].
pub fn close<W: Word>(
    graph: &StateGraph<W>,
    options: &Options,
    job: &mut Job,
    memory: &mut ShardMemory,
    watch: Watch,
) -> Result<()> {
    let limits = Limits::new(options, watch);
    let mut history = History::of_job(job.manifest());
    history.generated = job.partial().generated;
    let closed = in_pool(options, || {
        OnDisk {
            graph,
            limits: &limits,
            history: &mut history,
            wave: &mut Wave::new(),
            checkpoints: &mut CheckpointClock::new(options.checkpoint),
            job: &mut *job,
            held: memory.words(&limits),
        }
        .merge_received()
    })?;
    if closed.is_err() {
        job.unstage();
    }
    closed
}
