//! The goal states that play reaches. A count back from several goals begins with all of them.
//!
//! If each move is undone by a move, the same moves lead back. So a count that begins with all goals at once finds, at
//! each depth, the states that are as many moves from the nearest goal. Only goals that play reaches are its roots,
//! since the others lie among states that play does not reach either. A count from the start finds them.
//!
//! Take five states in a row, a - b - c - d - e, with the start in b, and goals in a and d. The count from the start
//! reaches both. The count from the goals has a and d at depth 0, and b, c and e at depth 1.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::choice::Choice;
use super::jobs::report_of;
use crate::compile::{Compiled, Images, Word};
use crate::dense::{Dense, Reading};
use crate::error::Result;
use crate::job::Job;
use crate::rules::{Goal, Rules, Symbol};
use crate::run::{Options, Progress, Report, Stop, Watch, parallel};
use crate::sparse::{self, WordSearch};

/// The number of states, or of bytes of bits, in which one thread looks for goals in one step.
const AT_ONCE: usize = 1 << 12;

/// The goal states that play reaches.
pub(crate) struct GoalRoots {
    /// The states in the form of the store: packed words one after the other, or an array of bits. Empty if there are
    /// none.
    pub states: Vec<u8>,
    /// The count of all states that play reaches. If it was stopped, not all goals may be known.
    pub reached: Report,
}

/// Finds the goals that play reaches, as packed words: in a job that has all states, or else by a count in memory.
///
/// # Errors
///
/// [`crate::Error::Corrupt`] if files of the job have changed since they were written; [`crate::Error::Options`] if the
/// threads cannot be started.
pub(super) fn goal_words<W: Word>(
    compiled: &Compiled<W>,
    images: &Images<W>,
    forward: Option<&Job>,
    options: &Options,
    watch: Watch,
) -> Result<GoalRoots> {
    let goals = FoundGoals::new(options.memory, watch);
    let take = &mut |depth: u64, words: &[W]| {
        // A job is read without a watch of its own.
        if forward.is_none() || goals.watch(&again(depth)).is_continue() {
            parallel::all(words.len(), AT_ONCE, &|range| {
                let (mut found, mut bytes) = (Vec::new(), vec![0; W::BYTES]);
                for &word in &words[range] {
                    if compiled.solved(word) {
                        word.to_bytes(&mut bytes);
                        found.extend_from_slice(&bytes);
                    }
                }
                goals.add(&found);
                true
            });
        }
    };
    let Some(job) = forward else {
        let (asked, watch) =
            (WordSearch { see: Some(take), ..WordSearch::default() }, |progress: &_| goals.watch(progress));
        let reached = sparse::search(compiled, images, asked, options, None, &watch)?.report;
        return Ok(goals.into_roots(reached));
    };
    for depth in 0..job.manifest().depths.len() {
        sparse::each_of_depth(compiled, images, job, depth, &mut |words| {
            take(depth as u64, words);
            true
        })?;
    }
    Ok(goals.roots_of(job))
}

/// Finds the goals that play reaches, as bits of the index `dense`: in a job that has all states, or else by a count in
/// memory. `rules` are the whole rules, which say what the goals are.
///
/// # Errors
///
/// The errors of [`goal_words`]; [`crate::Error::Memory`] if the system does not give enough memory.
pub(super) fn goal_bits(
    rules: &Rules,
    dense: &Dense,
    forward: Option<&Job>,
    options: &Options,
    watch: Watch,
) -> Result<GoalRoots> {
    let (reading, goals) = (dense.reading(0), FoundGoals::new(u64::MAX, watch));
    let mut states = vec![0; reading.bytes()];
    // If each goal is a single state, its bit is looked at. Otherwise each state is.
    let single = |goal: &Goal| goal.single_state(rules.cells(), rules.symbols.len());
    let listed: Option<Vec<Vec<Symbol>>> = rules.goal.iter().map(single).collect();
    let listed: Option<Vec<u64>> = listed.map(|goals| goals.iter().filter_map(|goal| reading.bit(goal)).collect());
    let mut take = |begin: usize, bytes: &[u8]| {
        if let Some(listed) = &listed {
            for (at, bit) in listed.iter().map(|bit| ((bit / 8) as usize, 1 << (bit % 8))) {
                states[at] |= bytes.get(at.wrapping_sub(begin)).map_or(0, |byte| byte & bit);
            }
            return;
        }
        let mut parts: Vec<_> = states[begin..].chunks_mut(AT_ONCE).zip(bytes.chunks(AT_ONCE)).collect();
        parallel::each_mut(&mut parts, |number, (states, bytes)| {
            mark_goals(rules, &reading, begin + number * AT_ONCE, bytes, states);
        });
    };
    let reached = if let Some(job) = forward {
        for depth in 0..job.manifest().depths.len() {
            job.read_array(depth, reading.bytes(), &mut |begin, bytes| {
                if goals.watch(&again(depth as u64)).is_continue() {
                    take(begin, bytes);
                }
                Ok(())
            })?;
        }
        goals.roots_of(job).reached
    } else {
        let mut see = |_, bits: &[u8], is_last: bool| {
            if !is_last {
                take(0, bits);
            }
        };
        dense.show(options, None, &mut see, watch)?
    };
    if states.iter().all(|&byte| byte == 0) {
        states = Vec::new();
    }
    Ok(GoalRoots { states, reached })
}

/// Sets the bits of those states of `bytes` that are goals. The first of the bytes is byte `begin` of the index.
fn mark_goals(rules: &Rules, reading: &Reading, begin: usize, bytes: &[u8], goals: &mut [u8]) {
    let mut places = Vec::new();
    for (at, &byte) in bytes.iter().enumerate().filter(|&(_, &byte)| byte != 0) {
        places.clear();
        // A search never sets a bit that stands for no state, and bits of files are checked when they are read again.
        let _ = reading.places_of(begin + at, &[byte], &mut places);
        let set = (0..8).filter(|bit| byte >> bit & 1 != 0);
        for (bit, &place) in set.zip(&places) {
            let cells = reading.state(place);
            if rules.goal.iter().any(|goal| goal.holds(&cells)) {
                goals[at] |= 1 << bit;
            }
        }
    }
}

/// The progress of reading a depth of a job again.
fn again(depth: u64) -> Progress {
    Progress { depth, again: true, ..Progress::default() }
}

/// The goals that were found so far, and the watch over the search that finds them.
struct FoundGoals<'a> {
    /// The most bytes that the goals may take together with the search.
    most: u64,
    asked: Watch<'a>,
    states: Mutex<Vec<u8>>,
    held: AtomicUsize,
    outgrown: AtomicBool,
    stopped: AtomicBool,
}

impl<'a> FoundGoals<'a> {
    fn new(most: u64, asked: Watch<'a>) -> Self {
        let [outgrown, stopped] = [AtomicBool::new(false), AtomicBool::new(false)];
        Self { most, asked, states: Mutex::new(Vec::new()), held: AtomicUsize::new(0), outgrown, stopped }
    }

    /// Adds some goals.
    fn add(&self, states: &[u8]) {
        let mut held = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        held.extend_from_slice(states);
        self.held.store(held.capacity(), Ordering::Relaxed);
    }

    /// Stops the search if the goals have outgrown the memory, or if the watch that was given stops it.
    fn watch(&self, progress: &Progress) -> ControlFlow<()> {
        if progress.store_bytes.saturating_add(self.held.load(Ordering::Relaxed) as u64) > self.most {
            self.outgrown.store(true, Ordering::Relaxed);
        } else if (self.asked)(progress).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        } else {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(())
    }

    /// The goals that were found in a job whose states were read, and its counts.
    fn roots_of(self, job: &Job) -> GoalRoots {
        let counts = report_of(job.manifest(), Choice { dense: None, reason: String::new() });
        let stop = self.stopped.load(Ordering::Relaxed).then_some(Stop::Watch);
        self.into_roots(Report { stop, ..counts })
    }

    fn into_roots(self, mut reached: Report) -> GoalRoots {
        if self.outgrown.into_inner() {
            reached.stop = Some(Stop::Memory);
        }
        GoalRoots { states: self.states.into_inner().unwrap_or_else(PoisonError::into_inner), reached }
    }
}
