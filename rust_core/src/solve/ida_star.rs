//! Iterative deepening (IDA*): a depth-first search for each bound, cut off by lower bounds. `docs/solving.md` explains
//! it.
//!
//! R. Korf, "Depth-first iterative-deepening: an optimal admissible tree search" (1985). It stores nothing but the way
//! to the present state, so its memory is that of the tables of lower bounds. This file has the loop over bounds. The
//! searches of pattern databases and of cosets define states and their bounds.

use std::sync::atomic::{AtomicU32, Ordering};

use super::answer::Proof;
use super::stop_rule::StopRule;
use super::subtrees::{Ended, Meter, StateLimit, search, stops_between};
use crate::run::Watch;

/// A bound that took this many states is followed by one on all cores.
const LARGE: u64 = 1 << 15;

/// The number of subtrees that the threads share out. They are of different sizes.
pub const SUBTREES: usize = 512;

/// The result of iterative deepening.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deepened {
    /// The fewest moves, by their places in the rules.
    Solved(Vec<usize>),
    /// No moves lead to the goal.
    Unreachable,
    /// The limit of states was reached, or the way to a state would take more memory than is allowed.
    Full,
    /// The bounds that lie ahead would take too many states.
    Hopeless,
    /// Another search has settled the state meanwhile.
    SettledAside,
    /// The watch stopped it.
    Stopped,
}

/// The limits of a search, and a way to ask if another search has settled the state.
pub struct Effort<'a> {
    /// The most states that it searches.
    pub states: u64,
    /// The most bytes that the ways to the present states of all threads take.
    pub bytes: u64,
    /// No state from which the goal can be reached needs more moves than this.
    pub farthest: u64,
    /// The rule by which it gives up before a bound.
    pub stop: &'a StopRule,
    /// Called after each bound with the number of states that were searched for the answer. It returns `true` if
    /// another search has settled the state.
    pub aside: &'a mut (dyn FnMut(u64) -> bool + Send),
}

/// A depth-first search of all states that can be reached within a bound.
pub trait BoundedSearch: Sync {
    /// A state where a search begins, and the moves that led to it.
    type Subtree: Sync;

    /// The most moves that it can search for.
    const MOST_MOVES: u32;

    /// The number of bytes that a thread takes for each move of the way to its state.
    const MOVE_BYTES: usize;

    /// The search as a whole.
    fn root(&self) -> Self::Subtree;

    /// Cuts the search for a bound into subtrees, in order. `None` if the watch stops it. `spent` is the number of
    /// states that were searched before, for the watch.
    fn split(&self, bound: u32, spent: u64, watch: Watch) -> Option<Split<Self::Subtree>>;

    /// Searches a subtree for a solution of at most `bound` moves.
    fn visit(&self, subtree: &Self::Subtree, bound: u32, meter: &mut Meter) -> Visited;
}

/// A search in parts.
pub struct Split<T> {
    /// The parts.
    pub subtrees: Vec<T>,
    /// The smallest bound that was cut off before them; the largest number if none was.
    pub next: u32,
}

/// The result of searching a subtree.
pub struct Visited {
    /// The moves of a solution from the state that was asked for, by their places in the rules.
    pub solution: Option<Vec<usize>>,
    /// The smallest bound that was cut off; the largest number if none was.
    pub next: u32,
}

/// Searches for the fewest moves to the goal, bound by bound beginning with the proven one, and adds to the proof. The
/// state must not be the goal.
pub fn deepen<S: BoundedSearch>(searched: &S, proof: &mut Proof, effort: &mut Effort, watch: Watch) -> Deepened {
    let most_moves = effort.bytes / (S::MOVE_BYTES * rayon::current_num_threads()) as u64;
    let most_moves = most_moves.min(S::MOST_MOVES.into());
    let (mut spent, mut large) = (0, false);
    proof.lower_bound = proof.lower_bound.max(1);
    loop {
        let bound = proof.lower_bound;
        if u64::from(bound) > effort.farthest {
            return Deepened::Unreachable;
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
            return Deepened::Hopeless;
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
