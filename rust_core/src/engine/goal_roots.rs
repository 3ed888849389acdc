//! The goal states that play reaches. A count back from several goals begins with all of them.
//!
//! If each move is undone by a move, the same moves lead back. So a count that begins with all goals at once finds, at
//! each depth, the states that are as many moves from the nearest goal. Only goals that play reaches are its roots,
//! since the others lie among states that play does not reach either. A count from the start finds them.
//!
//! Take five states in a row, a - b - c - d - e, with the start in b, and goals in a and d. The count from the start
//! reaches both. The count from the goals has a and d at depth 0, and b, c and e at depth 1.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

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
    /// The states.
    pub states: Roots,
    /// The count of all states that play reaches. If it was stopped, not all goals may be known.
    pub reached: Report,
}

/// The states of depth 0 of a count, in the form of its store: packed words of the width of the rules, or the bytes of
/// an array of bits. The type of the items is hidden. So code that only passes them from one function to another need
/// not be compiled for each width.
pub(crate) struct Roots {
    items: Box<dyn Any + Send + Sync>,
    is_empty: bool,
}

impl Roots {
    /// Words, or the bytes of an array of bits in which some bit is set.
    fn new<T: Send + Sync + 'static>(items: Vec<T>) -> Self {
        Self { is_empty: items.is_empty(), items: Box::new(items) }
    }

    /// Returns `true` if there are no states.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// The words, or the bytes.
    pub fn into_items<T: 'static>(self) -> Vec<T> {
        *self.items.downcast().expect("a count takes the roots that were found for its store")
    }
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
    // When the goals become the first depth of a job, some lists of them are in memory at the same time.
    let most = if forward.is_some() { options.memory / 3 } else { options.memory };
    let (search, goals) = (GoalSearch::new(most, watch), Mutex::new(Vec::new()));
    let take = &mut |depth: u64, words: &[W]| {
        // A job is read without a watch of its own.
        if forward.is_none() || search.watch(&again(depth)).is_continue() {
            parallel::all(words.len(), AT_ONCE, &|range| {
                let found: Vec<W> = words[range].iter().copied().filter(|&word| compiled.solved(word)).collect();
                let mut goals = goals.lock().unwrap_or_else(PoisonError::into_inner);
                goals.extend(found);
                search.held.store(goals.capacity() * W::BYTES, Ordering::Relaxed);
                true
            });
        }
    };
    let reached = if let Some(job) = forward {
        for depth in 0..job.manifest().depths.len() {
            let read = sparse::each_of_depth(compiled, images, job, depth, &mut |words| {
                take(depth as u64, words);
                !search.is_stopped()
            });
            if search.is_stopped() {
                break;
            }
            read?;
        }
        search.report_of(job)
    } else {
        let (asked, watch) =
            (WordSearch { see: Some(take), ..WordSearch::default() }, |progress: &_| search.watch(progress));
        search.ended(sparse::search(compiled, images, asked, options, None, &watch)?.report)
    };
    Ok(GoalRoots { states: Roots::new(goals.into_inner().unwrap_or_else(PoisonError::into_inner)), reached })
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
    let (reading, search) = (dense.reading(0), GoalSearch::new(u64::MAX, watch));
    let mut goals = vec![0; reading.bytes()];
    // If each goal is a single state, its bit is looked at. Otherwise each state is.
    let single = |goal: &Goal| goal.single_state(rules.cells(), rules.symbols.len());
    let listed: Option<Vec<Vec<Symbol>>> = rules.goal.iter().map(single).collect();
    let listed: Option<Vec<u64>> = listed.map(|goals| goals.iter().filter_map(|goal| reading.bit(goal)).collect());
    let mut take = |depth: u64, begin: usize, bytes: &[u8]| {
        if let Some(listed) = &listed {
            for (at, bit) in listed.iter().map(|bit| ((bit / 8) as usize, 1 << (bit % 8))) {
                goals[at] |= bytes.get(at.wrapping_sub(begin)).map_or(0, |byte| byte & bit);
            }
            return;
        }
        let mut parts: Vec<_> = goals[begin..].chunks_mut(AT_ONCE).zip(bytes.chunks(AT_ONCE)).collect();
        parallel::each_mut(&mut parts, |number, (goals, bytes)| {
            if search.watch(&again(depth)).is_continue() {
                mark_goals(rules, &reading, begin + number * AT_ONCE, bytes, goals);
            }
        });
    };
    let reached = if let Some(job) = forward {
        for depth in 0..job.manifest().depths.len() {
            if search.watch(&again(depth as u64)).is_break() {
                break;
            }
            job.read_array(depth, reading.bytes(), &mut |begin, bytes| {
                take(depth as u64, begin, bytes);
                Ok(())
            })?;
        }
        search.report_of(job)
    } else {
        let mut see = |depth: u64, bits: &[u8], is_last: bool| {
            if !is_last {
                take(depth, 0, bits);
            }
        };
        search.ended(dense.show(options, None, &mut see, &|progress| search.watch(progress))?)
    };
    if goals.iter().all(|&byte| byte == 0) {
        goals = Vec::new();
    }
    Ok(GoalRoots { states: Roots::new(goals), reached })
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

/// The watch over a search for goals, and the memory that the goals take.
struct GoalSearch<'a> {
    /// The most bytes that the goals may take together with the count that finds them.
    most: u64,
    asked: Watch<'a>,
    /// The bytes that the goals take so far.
    held: AtomicUsize,
    outgrown: AtomicBool,
    stopped: AtomicBool,
}

impl<'a> GoalSearch<'a> {
    fn new(most: u64, asked: Watch<'a>) -> Self {
        let [outgrown, stopped] = [AtomicBool::new(false), AtomicBool::new(false)];
        Self { most, asked, held: AtomicUsize::new(0), outgrown, stopped }
    }

    /// Stops the search if the goals have outgrown the memory, or if the watch that was given stops it or has done so.
    fn watch(&self, progress: &Progress) -> ControlFlow<()> {
        if progress.store_bytes.saturating_add(self.held.load(Ordering::Relaxed) as u64) > self.most {
            self.outgrown.store(true, Ordering::Relaxed);
            self.stopped.store(true, Ordering::Relaxed);
        } else if !self.is_stopped() && (self.asked)(progress).is_break() {
            self.stopped.store(true, Ordering::Relaxed);
        }
        if self.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The counts of a job whose states were read.
    #[inline(never)]
    fn report_of(&self, job: &Job) -> Report {
        self.ended(job.manifest().report())
    }

    /// The report of the count, with the reason why the search for goals was stopped, if it was.
    #[inline(never)]
    fn ended(&self, reached: Report) -> Report {
        let why = if self.outgrown.load(Ordering::Relaxed) { Stop::Memory } else { Stop::Watch };
        Report { stop: if self.is_stopped() { Some(why) } else { reached.stop }, ..reached }
    }
}
