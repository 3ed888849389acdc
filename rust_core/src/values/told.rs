//! The messages in which shards send each other values. The head of `graph/shard_graph.rs` explains questions.
//!
//! The answer to a list of questions is a list of the codes of values, in the same order. Take a shard that has asked
//! another one about three states, which are lost in 2, won in 1 and lost in 2. It gets the codes 7, 4 and 7.

use super::value_code::ValueCode;
use crate::error::{Error, Result};
use crate::graph::{Inquiry, ShardGraph};
use crate::job::{FileEntry, Job, Kind, Outbox};
use crate::run::{Options, Watch};

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
    let asked: Vec<Kind> = (0..tables(graph)).map(Kind::Asked).collect();
    job.check_sent(files, &asked)?;
    let mut listeners: Vec<Listener> = (0..shards).map(|shard| Listener { shard, numbers: Vec::new() }).collect();
    for player in 0..tables(graph) {
        for file in files {
            if let Some(sent) = job.sent_here(file, Kind::Asked(player))? {
                graph.listed(job, file, player, false, &mut listeners[sent.from as usize].numbers)?;
            }
        }
    }
    Ok(listeners)
}

/// The number of players who may be to move in a state whose word does not say it.
pub(super) fn tables(graph: &dyn ShardGraph) -> usize {
    if graph.keeps_turns() { 1 } else { graph.players() }
}

/// The code that a shard sends about one of its states. If moves may keep the turn, it is the value for the first
/// player, because a question does not say whose move leads to the state. Otherwise, it is the value for the player to
/// move.
#[inline(always)]
pub(super) fn of_first(graph: &dyn ShardGraph, state: u64, code: ValueCode) -> ValueCode {
    code.of_other(graph.keeps_turns() && graph.mover(state) == 1)
}

/// Turns a code that a shard has received into the value for the opponent of the player to move in `state`. A move
/// leads from `state` to the state that was asked about.
#[inline(always)]
pub(super) fn of_opponent(graph: &dyn ShardGraph, state: u64, told: ValueCode) -> ValueCode {
    told.of_other(graph.keeps_turns() && graph.mover(state) == 0)
}

/// Sends a shard the answers to its questions.
pub(super) fn tell(outbox: &mut Outbox, listener: &Listener, code_at: &dyn Fn(u32) -> ValueCode) -> Result<()> {
    let codes: Vec<u32> = listener.numbers.iter().map(|&number| code_at(number).0).collect();
    outbox.send_list(listener.shard, Kind::Told, &[&codes])
}

/// Reads the answers of other shards: for each question that this shard has asked, the code of the value. `None` if not
/// all were answered.
///
/// # Errors
///
/// [`Error::Corrupt`] if a file has changed, or answers what was not asked.
pub(super) fn read_told(asked: &Inquiry, job: &Job, files: &[FileEntry]) -> Result<Option<Vec<ValueCode>>> {
    job.check_sent(files, &[Kind::Told])?;
    let (mut answers, mut count) = (vec![ValueCode::NOTHING; asked.questions], 0);
    let mut sent: Vec<_> = asked.sent.iter().map(|questions| questions.iter()).collect();
    for file in files {
        let Some(from) = job.sent_here(file, Kind::Told)? else { continue };
        let Some(questions) = sent.get_mut(from.from as usize) else { return Err(wrong(job, file)) };
        let (mut reader, mut codes) = (job.list_of(file)?, Vec::new());
        while reader.next(&mut codes)? {
            for code in codes.drain(..) {
                let &question = questions.next().ok_or_else(|| wrong(job, file))?;
                answers[question as usize] = ValueCode(code);
                count += 1;
            }
        }
    }
    Ok((count == answers.len()).then_some(answers))
}

/// The error for a message that does not fit what was asked.
pub(super) fn wrong(job: &Job, file: &FileEntry) -> Error {
    let folder = job.folder().display();
    Error::Corrupt(format!("{} answers what {folder} did not ask; resume the job", file.name))
}
