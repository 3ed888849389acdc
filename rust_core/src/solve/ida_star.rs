//! Iterative deepening (IDA*): a depth-first search for each bound, cut off by lower bounds. `docs/solving.md` explains
//! it.
//!
//! R. Korf, "Depth-first iterative-deepening: an optimal admissible tree search" (1985). The search stores nothing but
//! the moves that led to the present state, so it needs little memory beside the tables of lower bounds. This file has
//! the loop over bounds. The searches with pattern databases and with tables of cosets define what a state is, and its
//! lower bound.

use std::sync::atomic::{AtomicU32, Ordering};

use super::answer::Proof;
use super::stop_rule::StopRule;
use super::subtrees::{Ended, Meter, StateLimit, search, stops_between};
use crate::run::{Progress, Watch, parallel};

/// If a bound took this many states, the next bound is searched on all cores. In tests, searches are small.
const LARGE: u64 = if cfg!(test) { 1 << 4 } else { 1 << 15 };

/// A search on all threads is divided until it has at least this many subtrees. They are many more than threads,
/// because some subtrees are much larger than others.
pub const SUBTREES: usize = 512;

/// The result of iterative deepening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deepened {
    /// The fewest moves, by their places in the rules.
    Solved(Vec<usize>),
    /// No moves lead to the goal.
    Unreachable,
    /// The limit of states was reached, or the list of moves to a state would take more memory than is allowed.
    Full,
    /// A solution has more moves than the search can count.
    TooFar,
    /// The search gave up, because the next bounds can be expected to take too many states.
    TooLong,
    /// [`Effort::aside`] ended the search between two bounds, mostly because another search has settled the state.
    SettledAside,
    /// The watch stopped the search.
    Stopped,
}

/// The limits of a search, and a function that may end it between two bounds.
pub struct Effort<'a> {
    /// The most states that the search may search.
    pub states: u64,
    /// The most bytes that the lists of moves to the present states of all threads may take.
    pub bytes: u64,
    /// The largest bound that is searched: the most moves that any solvable state can need; or, to find only answers
    /// shorter than a known one, its length less one. If no solution has this many moves or fewer, the result is
    /// [`Deepened::Unreachable`].
    pub farthest: u64,
    /// The rule that decides before each bound whether the search gives up.
    pub stop: &'a StopRule,
    /// Called after each bound with the number of states that were searched for the answer so far. The search ends if
    /// it returns `true`, for example because another search has settled the state.
    pub aside: &'a mut (dyn FnMut(u64) -> bool + Send),
}

/// A depth-first search of all states that can be reached within a bound on the number of moves.
pub trait BoundedSearch: Sync {
    /// A part of the search: a state where it begins, and the moves that led there.
    type Subtree: Sync;

    /// The most moves of a solution that the search can find.
    const MOST_MOVES: u32;

    /// The number of bytes that a thread takes for each move on the path to its present state.
    const MOVE_BYTES: usize;

    /// The search as a whole, as one subtree.
    fn root(&self) -> Self::Subtree;

    /// Divides the search for a bound into subtrees, in the order in which one thread would search them. `None` if the
    /// watch stops it. `spent` is the number of states that were searched before. It is needed only for the progress
    /// that the watch gets.
    fn split(&self, bound: u32, spent: u64, watch: Watch) -> Option<Split<Self::Subtree>>;

    /// Searches a subtree for a solution of at most `bound` moves.
    fn visit(&self, subtree: &Self::Subtree, bound: u32, meter: &mut Meter) -> Visited;
}

/// A search for a bound, divided into subtrees.
pub struct Split<T> {
    /// The subtrees, in the order in which one thread would search them.
    pub subtrees: Vec<T>,
    /// Some states may have been cut off while the subtrees were made. This is the smallest bound that would have
    /// admitted one of these states; `u32::MAX` if none was cut off.
    pub next: u32,
}

/// The result of searching a subtree.
pub struct Visited {
    /// The moves of a solution from the state that was asked for, by their places in the rules. `None` if the subtree
    /// has no solution within the bound.
    pub solution: Option<Vec<usize>>,
    /// The smallest bound that would have admitted a state which the search of the subtree cut off; `u32::MAX` if it
    /// cut off none.
    pub next: u32,
}

/// Searches for the fewest moves to the goal, and notes in `proof` what it proves. The first bound is the lower bound
/// that is proven already. Each next bound is the smallest one that admits more states. The state must not be the goal.
pub fn deepen<S: BoundedSearch>(searched: &S, proof: &mut Proof, effort: &mut Effort, watch: Watch) -> Deepened {
    let bound_so_far = AtomicU32::new(proof.lower_bound);
    let told = |progress: &Progress| {
        let at_least = bound_so_far.load(Ordering::Relaxed).max(progress.at_least);
        watch(&Progress { at_least, ..*progress })
    };
    let watch: Watch = &told;
    let most_moves = effort.bytes / (S::MOVE_BYTES * parallel::threads()) as u64;
    let mut spent = 0;
    // A search that goes on after an earlier one begins with a bound that is as large as the earlier one tells.
    let mut large = proof.searched.last().is_some_and(|&(_, states)| states >= LARGE);
    proof.lower_bound = proof.lower_bound.max(1);
    loop {
        let bound = proof.lower_bound;
        bound_so_far.store(bound, Ordering::Relaxed);
        if u64::from(bound) > effort.farthest {
            return Deepened::Unreachable;
        }
        if bound > S::MOST_MOVES {
            return Deepened::TooFar;
        }
        if u64::from(bound) > most_moves {
            return Deepened::Full;
        }
        let split = if large {
            searched.split(bound, spent, watch)
        } else {
            Some(Split { subtrees: vec![searched.root()], next: u32::MAX })
        };
        let Some(Split { subtrees, next }) = split else { return Deepened::Stopped };
        let cut = AtomicU32::new(next);
        let visit = |subtree: &S::Subtree, meter: &mut Meter| {
            let visited = searched.visit(subtree, bound, meter);
            cut.fetch_min(visited.next, Ordering::Relaxed);
            visited.solution
        };
        let limit = StateLimit { spent, most: effort.states - spent };
        let (end, states) = search(&subtrees, limit, watch, visit);
        spent += states;
        if let Ended::Nothing | Ended::Found(_) = end {
            proof.searched.push((bound, states));
        }
        let next = cut.into_inner();
        match end {
            Ended::Full => return Deepened::Full,
            Ended::Stopped => return Deepened::Stopped,
            Ended::Found(moves) => return Deepened::Solved(moves),
            Ended::Nothing if next == u32::MAX => return Deepened::Unreachable,
            Ended::Nothing => proof.lower_bound = next,
        }
        if effort.stop.is_lost(proof) {
            return Deepened::TooLong;
        }
        if (effort.aside)(proof.states()) {
            return Deepened::SettledAside;
        }
        if stops_between(watch, spent - states, spent) {
            return Deepened::Stopped;
        }
        large = states >= LARGE;
    }
}
