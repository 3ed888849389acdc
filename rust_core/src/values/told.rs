//! The messages in which shards send each other values. The head of `graph/shard_graph.rs` explains questions.
//!
//! The answer to a list of questions is a list of the codes of values, in the same order. Take a shard that has asked
//! another one about three states, which are lost in 2, won in 1 and lost in 2. It gets the codes 7, 4 and 7.

use super::value_code::ValueCode;
use crate::error::{Error, Result};
use crate::graph::{AnsweredCount, Inquiry, Listed, ReadNext, ShardGraph};
use crate::job::{FileEntry, Job, Kind, Outbox};
use crate::run::{Options, Watch, parallel};

/// The number of states whose codes one thread copies at a time.
const COPIED_AT_ONCE: usize = 1 << 16;

/// A shard that asks other shards about successors.
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

/// The codes of the states of one depth, as [`of_first`] tells them to other shards. They are bytes if all codes are so
/// small, and then most of them are in the cache.
pub(super) enum ToldCodes {
    Bytes(Vec<u8>),
    Words(Vec<u32>),
}

impl ToldCodes {
    /// The codes of `count` states. `code_at` returns the code of each state, as it is told.
    pub fn new(count: usize, code_at: impl Fn(usize) -> ValueCode + Sync) -> Self {
        let small = parallel::all(count, COPIED_AT_ONCE, &|range| {
            range.into_iter().all(|state| u8::try_from(code_at(state).0).is_ok())
        });
        if small {
            Self::Bytes(copied(count, |state| code_at(state).0 as u8))
        } else {
            Self::Words(copied(count, |state| code_at(state).0))
        }
    }

    /// The code of a state.
    #[inline(always)]
    pub fn of(&self, state: u32) -> ValueCode {
        match self {
            Self::Bytes(codes) => ValueCode(u32::from(codes[state as usize])),
            Self::Words(codes) => ValueCode(codes[state as usize]),
        }
    }

    /// The bytes that are read of a state to tell its value.
    pub fn read_next(&self) -> ReadNext<'_> {
        match self {
            Self::Bytes(codes) => ReadNext { bytes: codes, each: 1 },
            Self::Words(codes) => ReadNext { bytes: bytemuck::cast_slice(codes), each: size_of::<u32>() },
        }
    }
}

/// A list of `count` numbers, which are made on all threads.
fn copied<T: Copy + Default + Send>(count: usize, number_at: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut numbers = vec![T::default(); count];
    let mut parts: Vec<&mut [T]> = numbers.chunks_mut(COPIED_AT_ONCE).collect();
    parallel::each_mut(&mut parts, |part, numbers| {
        let begin = part * COPIED_AT_ONCE;
        numbers.iter_mut().zip(begin..).for_each(|(number, at)| *number = number_at(at));
    });
    numbers
}

/// Reads all questions that other shards have sent to this one about the states of `graph`. Calls `asked` with the
/// shard that has asked and the numbers of the states, some thousand at a time, in the order of the questions. `next`
/// is what is read of each state then.
pub(super) fn listen(
    graph: &dyn ShardGraph,
    job: &Job,
    files: &[FileEntry],
    next: Option<ReadNext>,
    asked: &mut dyn FnMut(usize, &[u32]),
) -> Result<()> {
    let kinds: Vec<Kind> = (0..tables(graph)).map(Kind::Asked).collect();
    job.check_sent(files, &kinds)?;
    for (player, &kind) in kinds.iter().enumerate() {
        for file in files {
            if let Some(sent) = job.sent_here(file, kind)? {
                let list = Listed { player, some: false, next };
                graph.listed(job, file, list, &mut |numbers| asked(sent.from as usize, numbers))?;
            }
        }
    }
    Ok(())
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

/// Reads the answers of other shards: for each question that this shard has asked, the code of the value. `None` if not
/// all were answered.
///
/// # Errors
///
/// [`Error::Corrupt`] if a file has changed, or answers what was not asked.
pub(super) fn read_told(asked: &Inquiry, job: &Job, files: &[FileEntry]) -> Result<Option<Vec<u32>>> {
    job.check_sent(files, &[Kind::Told])?;
    let (mut answers, mut count) = (vec![ValueCode::NOTHING.0; asked.questions], 0);
    let mut answered: Vec<AnsweredCount> = asked.sent.iter().map(|_| AnsweredCount::default()).collect();
    for file in files {
        let Some(sent) = job.sent_here(file, Kind::Told)? else { continue };
        let from = sent.from as usize;
        let (Some(answered), Some(questions)) = (answered.get_mut(from), asked.sent.get(from)) else {
            return Err(wrong(job, file));
        };
        let (mut reader, mut codes) = (job.list_of(file)?, Vec::new());
        while reader.next(&mut codes)? {
            if !answered.take(questions, &codes, &mut answers) {
                return Err(wrong(job, file));
            }
            count += codes.len();
            codes.clear();
        }
    }
    Ok((count == answers.len()).then_some(answers))
}

/// The error for a message that does not fit what was asked.
pub(super) fn wrong(job: &Job, file: &FileEntry) -> Error {
    let folder = job.folder().display();
    Error::Corrupt(format!("{} answers what {folder} did not ask; resume the job", file.name))
}
