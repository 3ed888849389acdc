//! Finds the values of one shard's states if play may come back to a state: values spread in rounds through all shards,
//! in order of the number of moves to the end. `docs/cluster.md` explains it to users, and `retrograde.rs` why it is
//! right.
//!
//! At first, each shard asks once about the successors of all its states: it sends a question to the shard that owns
//! the successor, and notes which of its own states have asked. The owner notes which shards have asked about each of
//! its states. In round `m`, each shard sends the values of its states that are won or lost in `m` moves to the shards
//! that have asked about them. These conclude which of their own states are decided in `m + 1` moves. If a round
//! decides no state in any shard, all states that are left are draws.
//!
//! A message belongs to one round, and is read once in that round, so no successor is counted twice. If a run is
//! resumed after `m` rounds, the shards ask again. Before the first round of the new run, each shard sends all values
//! of fewer than `m` moves once more; these only update the counts of successors.

use super::allowance::Allowance;
use super::retrograde::PredecessorWay;
use super::retrograde::bytes;
use super::shard_sweep::{RESUME, ShardSweep, keep_depth};
use super::told::{AskingShard, listeners, of_first, of_opponent, read_told, tell, told};
use super::value_code::{ValueCode, ValuesOf};
use crate::error::{Error, Result};
use crate::graph::{FoundStates, Inquiry, ShardGraph, bytes_of_states};
use crate::instant::Instant;
use crate::job::{FileEntry, Job, Outbox, ValuesStage};
use crate::run::Worth;

/// The values of one shard's states, as far as they have spread.
pub struct ShardSpread {
    graph: Box<dyn ShardGraph>,
    values: Vec<ValueCode>,
    /// All values of up to this many moves are known in all shards.
    moves: u32,
    /// For each state of a game, the number of its successors that are not yet known to be won.
    successors: Vec<u32>,
    asked: Inquiry,
    /// For each question, the place in `asking` where the list of the states that have asked it begins. A question is
    /// about one successor.
    begins: Vec<u64>,
    asking: Vec<u32>,
    /// For each state, the place in `listening` where the list of the questions about it begins: each is a shard, and
    /// the number of the question in that shard.
    told_to: Vec<u64>,
    listening: Vec<(u16, u32)>,
    /// The states that are decided, but whose values have not been sent yet.
    frontier: Vec<u32>,
}

/// The progress of a shard in finding the values of its states.
pub enum ShardValues {
    /// The shard has not begun.
    Unknown,
    /// A sweep over the depths, because every state tells its own depth.
    Sweep(Box<ShardSweep>),
    /// Spreading in rounds, because play may come back to a state.
    Spread(Box<ShardSpread>),
}

/// Sorts entries into lists, one for each number below `count`: returns the place where each list begins if they lie
/// one after another, and as the last entry the length of all. `numbers` has, for each entry, the number of its list.
fn begins_of(count: usize, numbers: impl Iterator<Item = u32>) -> Vec<u64> {
    let mut begins = vec![0u64; count + 1];
    numbers.for_each(|number| begins[number as usize + 1] += 1);
    for at in 1..=count {
        begins[at] += begins[at - 1];
    }
    begins
}

impl ShardSpread {
    /// Asks about the successors of all states of the shard, and reads the values that a checkpoint has.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if all states do not fit; [`Error::Disk`], [`Error::Corrupt`], and [`Error::Stopped`].
    pub fn ask(found: &dyn FoundStates, asking: AskingShard) -> Result<Self> {
        let AskingShard { job, outbox, options, watch } = asking;
        let allowed = &Allowance::new(options, Instant::now(), watch);
        let manifest = job.manifest();
        let depths = manifest.depths.len();
        let all: u64 = found.counts().iter().sum();
        let moves = manifest.depths.last().map_or(0, |last| last.generated);
        // A question takes an entry in a table. A shard is asked about as many questions as it asks.
        let questions = moves.saturating_mul(found.word_bytes() as u64 + 40);
        let kind = ValuesOf::new(found.players(), found.scored().is_some());
        let spread = bytes(all, moves, kind, false, PredecessorWay::Listed);
        let takes = bytes_of_states(all, found.word_bytes()).saturating_add(spread).saturating_add(questions);
        allowed.check(all, takes, &format!("{all} states of a shard"), RESUME)?;
        let graph = found.of_shard(0..depths, job)?;
        let mut values = vec![ValueCode::NOTHING; all as usize];
        let kept = job.read_spread(values.len(), &mut |place, code| values[place] = ValueCode(code))?;
        let monitor = allowed.monitor(0, all, 0, all);
        let mut asked = graph.ask(0..all, outbox, &monitor)?;
        if monitor.stopped() {
            return Err(Error::Stopped);
        }
        asked.make_distinct();
        for &(place, over) in &asked.over {
            values[place as usize] = ValueCode::at_end(over);
        }
        let count = asked.begins.last().map_or(0, |&all| all as usize);
        let begins = begins_of(count, asked.questions.iter().copied());
        let mut next = begins.clone();
        let mut asking = vec![0; asked.questions.len()];
        let mut successors = Vec::with_capacity(values.len());
        for (state, list) in asked.lists().enumerate() {
            successors.push(list.len() as u32);
            for &question in list {
                asking[next[question as usize] as usize] = state as u32;
                next[question as usize] += 1;
            }
        }
        // From here on, only `begins` is needed: the number of the first question to each shard.
        let asked = Inquiry { begins: asked.begins, ..Inquiry::default() };
        let (told_to, listening, frontier) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { graph, values, moves: kept, successors, asked, begins, asking, told_to, listening, frontier })
    }

    /// The number of moves up to which all values are known.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    /// Reads the questions of the other shards, and sends them all values of fewer than `moves` moves. Values have
    /// spread up to `moves` moves in all shards. If this shard has values of more moves, it forgets them, and finds
    /// them again.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] and [`Error::Corrupt`].
    pub fn listen(&mut self, job: &Job, files: &[FileEntry], moves: u32, outbox: &mut Outbox) -> Result<()> {
        let listeners = listeners(&*self.graph, job, outbox.shards(), files)?;
        let numbers = listeners.iter().flat_map(|listener| listener.numbers.iter().copied());
        self.told_to = begins_of(self.values.len(), numbers);
        let mut next = self.told_to.clone();
        self.listening = vec![(0, 0); self.told_to.last().map_or(0, |&all| all as usize)];
        for listener in listeners {
            for (question, number) in listener.numbers.into_iter().enumerate() {
                self.listening[next[number as usize] as usize] = (listener.shard as u16, question as u32);
                next[number as usize] += 1;
            }
        }
        self.moves = moves;
        let (mut before, mut frontier) = (Vec::new(), Vec::new());
        for (state, value) in self.values.iter_mut().enumerate() {
            match value.worth() {
                Worth::Draw => {}
                _ if value.moves() < moves => before.push(state as u32),
                _ if value.moves() == moves => frontier.push(state as u32),
                _ => *value = ValueCode::NOTHING,
            }
        }
        self.frontier = before;
        self.tell(outbox)?;
        self.frontier = frontier;
        Ok(())
    }

    /// Sends the values of the states that were decided last. Returns the number of these states.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn tell(&mut self, outbox: &mut Outbox) -> Result<u64> {
        let frontier = std::mem::take(&mut self.frontier);
        let mut messages: Vec<Vec<u64>> = vec![Vec::new(); outbox.shards()];
        for &state in &frontier {
            let (begin, end) = (self.told_to[state as usize] as usize, self.told_to[state as usize + 1] as usize);
            for &(shard, question) in &self.listening[begin..end] {
                messages[usize::from(shard)].push(told(
                    of_first(&*self.graph, u64::from(state), self.values[state as usize]).0,
                    question as usize,
                ));
            }
        }
        for (shard, message) in messages.iter_mut().enumerate() {
            tell(outbox, shard, message)?;
        }
        Ok(frontier.len() as u64)
    }

    /// Reads the values that other shards have sent, and decides the states whose values follow from them. With
    /// `again`, these values were already used before a checkpoint, so only the counts of successors are updated.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn take(&mut self, job: &Job, files: &[FileEntry], again: bool) -> Result<()> {
        let puzzle = self.graph.players() == 1;
        let next = self.moves + 1;
        let graph: &dyn ShardGraph = &*self.graph;
        let Self { values, successors, begins, asking, frontier, .. } = self;
        read_told(&self.asked, job, files, &mut |question, code| {
            let askers = begins[question as usize] as usize..begins[question as usize + 1] as usize;
            for &state in &asking[askers] {
                let lost = of_opponent(graph, u64::from(state), ValueCode(code)).worth() == Worth::Loss;
                let worth = if lost || puzzle {
                    Worth::Win
                } else {
                    successors[state as usize] = successors[state as usize].saturating_sub(1);
                    if successors[state as usize] > 0 {
                        continue;
                    }
                    Worth::Loss
                };
                if !again && values[state as usize] == ValueCode::NOTHING {
                    values[state as usize] = ValueCode::decided(worth, next);
                    frontier.push(state);
                }
            }
        })?;
        if !again {
            self.moves = next;
        }
        Ok(())
    }

    /// Writes the values that have spread so far to the job, as a checkpoint.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn keep_spread(&self, job: &mut Job) -> Result<()> {
        job.keep_spread(self.moves, None, self.values.len(), &|place| self.values[place].0)
    }

    /// Writes the values of a depth when all are known, and returns the shard's counts.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] and [`Error::Corrupt`].
    pub fn keep(&self, depth: usize, job: &mut Job) -> Result<ValuesStage> {
        keep_depth(&*self.graph, depth, job, &|number| self.values[number as usize])
    }
}
