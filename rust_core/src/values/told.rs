//! The messages in which shards send each other values. The head of `graph/shard_graph.rs` explains questions.
//!
//! A message is a sorted list of words. A word has the code of a value, and the number of the question that it answers,
//! among the questions that the receiver has sent to the sender. Take a shard that has asked about three states, which
//! are lost in 2, won in 1 and lost in 2. It gets the message `4 1 | 7 0 | 7 2`: the code 4 for question 1, and the
//! code 7 for the questions 0 and 2.

use super::value_code::ValueCode;
use crate::error::{Error, Result};
use crate::graph::{Inquiry, ShardGraph};
use crate::job::{FileEntry, Job, Kind, Outbox};
use crate::run::{Options, Watch, parallel};

/// The number of the question is in this many low bits of a word.
const QUESTION_BITS: u32 = 32;

/// What a shard needs to ask other shards about successors.
pub struct AskingShard<'a> {
    /// The job of the shard.
    pub job: &'a Job,
    /// The place where messages to other shards are put.
    pub outbox: &'a mut Outbox,
    /// The options of the run.
    pub options: &'a Options,
    /// The watch, which may stop the work.
    pub watch: Watch<'a>,
}

/// The questions that another shard has sent to this one: for each, the number of the state that it asks about.
pub(super) struct Listener {
    pub shard: usize,
    pub numbers: Vec<u32>,
}

/// Reads all questions that other shards have sent to this one about the states of `graph`.
pub(super) fn listeners(
    graph: &dyn ShardGraph,
    job: &Job,
    shards: usize,
    files: &[FileEntry],
) -> Result<Vec<Listener>> {
    let mut listeners: Vec<Listener> = (0..shards).map(|shard| Listener { shard, numbers: Vec::new() }).collect();
    let tables = if graph.keeps_turns() { 1 } else { graph.players() };
    for player in 0..tables {
        for file in files {
            if let Some(sent) = job.sent_here(file, Kind::Asked(player))? {
                graph.asked(job, file, player, &mut listeners[sent.from as usize].numbers)?;
            }
        }
    }
    Ok(listeners)
}

/// Sends a shard the codes of values, each with the number of the shard's question, as words of [`told`]. Sorts the
/// list, sends it, and empties it.
pub(super) fn tell(outbox: &mut Outbox, shard: usize, told: &mut Vec<u64>) -> Result<()> {
    parallel::sort(told);
    outbox.send(shard, Kind::Told, told)?;
    told.clear();
    Ok(())
}

/// The word of a message for the code of a value, and the number of the question that it answers.
pub(super) fn told(code: u32, question: usize) -> u64 {
    u64::from(code) << QUESTION_BITS | question as u64
}

/// The code that a shard sends about one of its states. If moves may keep the turn, it is the value for the first
/// player, because a question does not say whose move leads to the state. Otherwise, it is the value for the player to
/// move.
pub(super) fn of_first(graph: &dyn ShardGraph, state: u64, code: ValueCode) -> ValueCode {
    code.of_other(graph.keeps_turns() && graph.mover(state) == 1)
}

/// Turns a code that a shard has received into the value for the opponent of the player to move in `state`. A move
/// leads from `state` to the state that was asked about.
pub(super) fn of_opponent(graph: &dyn ShardGraph, state: u64, told: ValueCode) -> ValueCode {
    told.of_other(graph.keeps_turns() && graph.mover(state) == 0)
}

/// Reads the answers of other shards. Calls `found` with each: the number of the question among all that this shard has
/// asked, and the code of the value.
///
/// # Errors
///
/// [`Error::Corrupt`] if a file has changed, or answers what was not asked.
pub(super) fn read_told(
    asked: &Inquiry,
    job: &Job,
    files: &[FileEntry],
    found: &mut dyn FnMut(u32, u32),
) -> Result<()> {
    for file in files {
        let Some(sent) = job.sent_here(file, Kind::Told)? else { continue };
        let begin = asked.begins.get(sent.from as usize).copied();
        let end = asked.begins.get(sent.from as usize + 1).copied();
        let (Some(begin), Some(end)) = (begin, end) else { return Err(wrong(job, file)) };
        let (mut reader, mut words): (_, Vec<u64>) = (job.words_of(file)?, Vec::new());
        while reader.next(&mut words)? {
            for &word in &words {
                let question = begin.checked_add(word as u32).filter(|&question| question < end);
                found(question.ok_or_else(|| wrong(job, file))?, (word >> QUESTION_BITS) as u32);
            }
            words.clear();
        }
    }
    Ok(())
}

fn wrong(job: &Job, file: &FileEntry) -> Error {
    let folder = job.folder().display();
    Error::Corrupt(format!("{} answers what {folder} did not ask; resume the job", file.name))
}
