//! The search for one answer: the shortest answer and the bounds that are proven so far, both of which are reported to
//! the watch.

use std::sync::atomic::{AtomicU32, Ordering};

use super::answer::{Answered, Asked, Limit, Proof, Solution, Solved, Technique};
use super::anytime::{Anytime, AnytimeEnd, Enough};
use super::ida_star::Deepened;
use super::solvers::Solvers;
use super::state_search::StateSearch;
use crate::instant::Instant;
use crate::rules::Symbol;
use crate::run::Watch;

/// The result of one strategy. It decides whether another strategy is tried.
pub enum Verdict {
    /// The next strategy is tried.
    Next,
    /// The next strategy is tried. If no later strategy finds a proof, the caller gets this limit as the reason.
    Limited(Limit),
    /// The plan is done: no other strategy is tried.
    Done,
    /// The watch stopped the strategy.
    Stopped,
}

/// The search for one answer.
pub struct Attempt<'a> {
    pub solvers: &'a Solvers,
    pub search: &'a dyn StateSearch,
    pub cells: &'a [Symbol],
    pub asked: &'a Asked,
    pub begun: Instant,
    /// `true` if the caller takes an answer that is not proven to be the shortest.
    pub wanted: bool,
    /// The search for answers that are not proven, if they are wanted.
    pub anytime: Option<&'a Anytime>,
    /// A lower bound on the number of moves, from how many cells hold each symbol in the state and in the goal.
    pub least: u32,
    /// The result of the searches for a proof so far. Answers without a proof are in `best`.
    pub found: Solved,
    /// The shortest answer so far, as places of moves in the rules; `None` if there is none.
    pub best: Option<Vec<usize>>,
    /// The technique that found `best`.
    pub best_by: Technique,
    /// `true` if no proof was tried, or a proof was given up, because it would have taken too long.
    pub proof_given_up: bool,
    /// `true` if iterative deepening ended without an answer because it had searched too many states.
    pub spent: bool,
    /// Reported to the watch: the length of the shortest answer so far, or 0 if there is none. `at_least` is the number
    /// of moves that is proven to be needed.
    pub at_most: &'a AtomicU32,
    pub at_least: &'a AtomicU32,
}

impl Attempt<'_> {
    /// Records the result of iterative deepening. A larger lower bound that was proven before is kept.
    pub fn deepened(&mut self, deepened: Deepened, proof: Proof, stored: u64) {
        let without_answer = deepened == Deepened::TooLong && self.length().is_none();
        let solution = match deepened {
            Deepened::Solved(moves) => Solution::Moves(moves, true),
            Deepened::Unreachable => Solution::Unreachable,
            Deepened::Full | Deepened::TooFar | Deepened::TooLong => Solution::Full,
            Deepened::Stopped | Deepened::SettledAside => Solution::Stopped,
        };
        let (known, states) = (self.found.proof.lower_bound, self.found.states.max(stored));
        self.spent |= without_answer;
        self.found = Solved { solution, technique: Technique::Deepening, states, proof };
        self.note_bound(known);
    }

    /// The limits of a search for shorter answers: it ends when the time is over, or when an answer has as few moves as
    /// the lower bound.
    pub fn enough(&self) -> Enough {
        let left = self.asked.seconds.map(|seconds| (seconds - self.begun.elapsed().as_secs_f64()).max(0.0));
        let moves = self.found.proof.lower_bound as usize;
        Enough { seconds: left, moves, parts_first: self.best_by == Technique::Words, states: None }
    }

    /// Looks for an answer that is shorter than the shortest one so far; or for a first answer if there is none.
    pub fn shorten(&mut self, anytime: &Anytime, enough: Enough, watch: Watch) -> AnytimeEnd {
        let before = self.length();
        let ended = anytime.run(self.cells, &mut self.best, self.asked.budget, enough, watch);
        if self.length() != before {
            self.best_by = Technique::Shortening;
            self.tell();
        }
        ended
    }

    /// Notes a lower bound: no answer has fewer than `bound` moves.
    pub fn note_bound(&mut self, bound: u32) {
        let proof = &mut self.found.proof;
        proof.lower_bound = proof.lower_bound.max(bound);
        self.tell();
    }

    /// Updates the bounds that are reported to the watch: `at_most` and `at_least`.
    pub fn tell(&self) {
        self.at_most.store(self.length().unwrap_or(0), Ordering::Relaxed);
        self.at_least.fetch_max(self.found.proof.lower_bound, Ordering::Relaxed);
    }

    /// The length of the shortest answer so far; `None` if there is no answer.
    pub fn length(&self) -> Option<u32> {
        self.best.as_ref().map(|moves| moves.len() as u32)
    }

    /// Returns `true` if no answer is shorter than the shortest one so far.
    pub fn is_proven(&self) -> bool {
        self.best.as_ref().is_some_and(|moves| moves.len() == self.found.proof.lower_bound as usize)
    }

    /// Returns [`Verdict::Done`] if the shortest answer is proven, and otherwise `verdict`.
    pub fn unless_proven(&self, verdict: Verdict) -> Verdict {
        if self.is_proven() { Verdict::Done } else { verdict }
    }

    /// The best answer found, and the limit that prevented a proof.
    pub fn answered(mut self, limit: Option<Limit>) -> Answered {
        let length = match &self.found.solution {
            Solution::Moves(_, true) | Solution::Unreachable => return Answered { solved: self.found, limit: None },
            Solution::Moves(moves, false) => Some(moves.len()),
            Solution::Full | Solution::Stopped => None,
        };
        self.note_bound(self.least);
        let limit = limit.unwrap_or_else(|| match self.found.solution {
            Solution::Stopped => Limit::Watch,
            _ if self.spent => Limit::Searched,
            _ => Limit::of_budget(self.asked.budget, self.found.states),
        });
        let proven = self.is_proven();
        match self.best.take().filter(|best| length.is_none_or(|length| best.len() < length)) {
            Some(best) => {
                self.found.solution = Solution::Moves(best, proven);
                self.found.technique = self.best_by;
            }
            None if length.is_some() => {}
            None if limit == Limit::Watch => self.found.solution = Solution::Stopped,
            None => self.found.solution = Solution::Full,
        }
        Answered { solved: self.found, limit: (!proven).then_some(limit) }
    }
}
