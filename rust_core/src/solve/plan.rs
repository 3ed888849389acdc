//! The strategies by which one state is solved, in the order in which they are tried. `docs/solving.md` explains each.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};

use super::algebra::algebra;
use super::all_solutions::{self, all_solutions};
use super::answer::{Answered, Asked, Every, Limit, Proof, ProvenLength, Solution, Solved, Technique};
use super::anytime::{Anytime, AnytimeEnd, Enough};
use super::attempt::{Attempt, Verdict};
use super::ida_star::{Deepened, Effort};
use super::patterns::PatternSolver;
use super::solvers::Solvers;
use super::state_search::StateSearch;
use super::stop_rule::StopRule;
use crate::error::Result;
use crate::graph::{ExploreLimits, Explored};
use crate::index::arrangements;
use crate::instant::Instant;
use crate::rules::Symbol;
use crate::run::{Budget, Progress, Watch};
use crate::structure::PermutationGroup;

/// The number of states that a search from both ends stores before a strategy that stores no states takes over.
const FIRST_STATES: usize = 50_000;

/// If symbols repeat, the group of the moves does not decide whether a state can be solved, but its order limits how
/// many states a search can find. If both halves of the search from both ends have no more states together than this,
/// that search may store them all.
const MOST_TO_CLOSE: usize = 1 << 23;

/// While iterative deepening goes on, the search from both ends is tried again and again, each time with four times as
/// many states to store. It is tried once iterative deepening has searched this many states for each state that it may
/// store, so that it takes about a hundredth of the time. Because of it, the search of a puzzle with few states ends,
/// however many moves a state needs, and even if the state cannot be solved.
const SEARCHED_FOR_ONE_STORED: u64 = 1_000;

/// The number of states that are searched for a first answer before any proof is tried.
const FIRST_SEARCHED: u64 = 1 << 16;

/// The number of states that are searched for shorter answers if no time is given. That takes some seconds, and the
/// number is the same on every machine.
const SEARCHED: u64 = 1 << 22;

/// If the budget allows fewer states than this, there is no search for answers without a proof.
const LEAST_STATES: usize = 10_000;

/// No tables are made if a first answer has over this many moves more than the lower bound, because then no proof can
/// be expected.
const MOST_GAP: u32 = 44;

/// `SEARCHED_IN_A_SECOND` is the number of states that iterative deepening is assumed to search in a second. If no time
/// is given, iterative deepening may take `MOST_SEARCHED` states, which is about an hour's work: it gives up if it can
/// be expected to take more, or, as long as no answer is known, if it has taken more.
const SEARCHED_IN_A_SECOND: f64 = 4e6;
const MOST_SEARCHED: f64 = 1.5e10;

/// A bound that can be expected to take at most this many states, which is a second's work or a few, is searched even
/// if the bounds ahead are too many. If a time is given, it is this share of the states for which there is time.
const CHEAP_BOUND: f64 = 1.6e7;
const CHEAP_SHARE: f64 = 0.25;

/// If an answer is known and a time is given: the share of the time after which the search for a proof ends. The rest
/// of the time is for making the answer shorter.
const PROOF_SHARE: f64 = 0.6;

/// If the group that the moves generate has more elements than this, and no quick search has found an answer, no proof
/// is expected.
const MOST_PROVEN: u128 = 1 << 100;

/// A search from both ends is not begun if it can be expected to need more than this many times the states of its
/// budget.
const BEYOND_BUDGET: f64 = 8.0;

impl Solvers {
    /// The fewest moves from a state to the goal; or no moves, if a limit ends the search before there is a proof.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Options`] if threads cannot be started.
    pub fn prove(&self, search: &dyn StateSearch, cells: &[Symbol], asked: &Asked, watch: Watch) -> Result<Answered> {
        self.attempt(search, cells, asked, false, watch)
    }

    /// Moves from a state to the goal within limits: the fewest if they can be proven, and otherwise as few as there is
    /// time for. If the caller gives moves that solve the state, there is an answer in any case.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::prove`].
    pub fn answer(&self, search: &dyn StateSearch, cells: &[Symbol], asked: &Asked, watch: Watch) -> Result<Answered> {
        self.attempt(search, cells, asked, asked.budget.states >= LEAST_STATES, watch)
    }

    /// All shortest solutions of a state, up to `most` of them; their length is proven already. `None` if the budget is
    /// used up, or the watch stops the search. The search uses the tables of the strategy that has proven the length.
    pub fn every(
        &self,
        search: &dyn StateSearch,
        cells: &[Symbol],
        proven: ProvenLength,
        most: usize,
        budget: Budget,
        watch: Watch,
    ) -> Option<Every> {
        // Each solution takes memory, too, so the budget may allow fewer.
        let most = most.min(budget.states_of(size_of::<usize>() * proven.length.max(1)).max(1));
        let patterns = self.patterns.get().and_then(Option::as_ref);
        if let Some(patterns) = patterns.filter(|_| proven.technique == Technique::Deepening) {
            return patterns.every(cells, proven.length, most, watch);
        }
        let depths = Some(proven.length);
        let limits = ExploreLimits { state_bytes: all_solutions::STATE_BYTES, depths, ..ExploreLimits::new(budget) };
        match search.explore(cells, &limits, watch) {
            (Explored::Whole(graph), word) => all_solutions(&*graph, &word, proven.length, most, watch),
            _ => None,
        }
    }

    fn attempt(
        &self,
        search: &dyn StateSearch,
        cells: &[Symbol],
        asked: &Asked,
        wanted: bool,
        watch: Watch,
    ) -> Result<Answered> {
        // Puzzles whose moves permute pieces need no beam search: their first answers come through a chain of
        // subgroups.
        let make = || self.anytime.get_or_init(|| Anytime::new(&self.structure)).as_ref();
        let anytime = if wanted && self.cosets().is_none() { make() } else { None };
        let unsettled = |solution, technique| Solved { solution, technique, states: 0, proof: Proof::default() };
        let Some(least) = self.structure.least_moves(cells) else {
            return Ok(Answered { solved: unsettled(Solution::Unreachable, Technique::Algebra), limit: None });
        };
        let found = unsettled(Solution::Full, Technique::BothEnds);
        let (best, begun) = (asked.first.clone(), Instant::now());
        let mut attempt = Attempt {
            solvers: self,
            search,
            cells,
            asked,
            begun,
            wanted,
            anytime,
            least,
            found,
            best,
            best_by: Technique::Shortening,
            proof_given_up: false,
            spent: false,
            at_most: &AtomicU32::new(0),
            at_least: &AtomicU32::new(0),
        };
        let (at_most, at_least) = (attempt.at_most, attempt.at_least);
        let told = |progress: &Progress| {
            let at_least = at_least.load(Ordering::Relaxed).max(progress.at_least);
            // A strategy may report a shorter answer to the watch before the strategy returns it. 0 means that no
            // answer is known.
            let known = [at_most.load(Ordering::Relaxed), progress.at_most].into_iter().filter(|&moves| moves > 0);
            watch(&Progress { at_most: known.min().unwrap_or(0), at_least, ..*progress })
        };
        let (watch, mut limit): (Watch, _) = (&told, None);
        for strategy in Attempt::STRATEGIES {
            attempt.note_bound(least);
            match strategy(&mut attempt, watch)? {
                Verdict::Next => {}
                Verdict::Limited(reached) => limit = Some(reached),
                Verdict::Done => break,
                Verdict::Stopped => {
                    limit = Some(Limit::Watch);
                    break;
                }
            }
        }
        Ok(attempt.answered(limit))
    }
}

impl<'a> Attempt<'a> {
    /// The strategies, in the order in which they are tried.
    const STRATEGIES: [fn(&mut Attempt<'a>, Watch) -> Result<Verdict>; 7] = [
        Self::solve_by_algebra,
        Self::search_both_ends,
        Self::search_cosets,
        Self::find_first_answer,
        Self::prove_the_fewest,
        Self::shorten_answer,
        Self::prove_with_larger_tables,
    ];

    /// Solves the state by linear equations (toggles and dials), or tests whether it is in the group of the moves. If
    /// fewer presses than the equations give may be enough, a search looks for them.
    fn solve_by_algebra(&mut self, watch: Watch) -> Result<Verdict> {
        let Some(solution) = algebra(&self.solvers.structure, self.cells) else { return Ok(Verdict::Next) };
        self.found.technique = Technique::Algebra;
        if let Solution::Moves(presses, false) = solution {
            let found = self.search.both_ends(self.cells, None, self.asked.budget, watch)?;
            let stopped = found.solution == Solution::Stopped;
            self.found = match found.solution {
                // Presses may be made in any order. They are sorted by their places in the rules, like the presses that
                // the equations give.
                Solution::Moves(mut moves, true) => {
                    moves.sort_unstable();
                    Solved { solution: Solution::Moves(moves, true), ..found }
                }
                // The search did not end. The presses that the equations gave may not be the fewest, but they lead to
                // the goal.
                _ => Solved { solution: Solution::Moves(presses, false), technique: Technique::Algebra, ..found },
            };
            if stopped {
                return Ok(Verdict::Stopped);
            }
        } else {
            self.found.solution = solution;
        }
        Ok(Verdict::Done)
    }

    /// Searches breadth-first from both ends, until the search has stored many states. It goes on longer while a half
    /// closes: while its last depth has no more states than the one before.
    fn search_both_ends(&mut self, watch: Watch) -> Result<Verdict> {
        let (solvers, budget) = (self.solvers, self.asked.budget);
        let cosets = solvers.cosets();
        let takes_over = cosets.is_some() || self.anytime.is_some() || solvers.patterns(budget).is_some();
        if !takes_over || cosets.is_some_and(|cosets| cosets.is_due(budget)) {
            return Ok(Verdict::Next);
        }
        let first = FIRST_STATES.max(self.states_to_close().unwrap_or(0));
        self.found = self.search.both_ends(self.cells, Some(first), budget, watch)?;
        if self.found.solution == Solution::Full {
            return Ok(Verdict::Next);
        }
        if let Some(cosets) = cosets {
            cosets.note(self.found.states);
        }
        Ok(Verdict::Done)
    }

    /// The most states that both halves can have together. The order of the group bounds both halves: the states that
    /// can follow the state, and the states that can come before the goal. `None` if algebra decides whether the state
    /// can be solved, or if the number is large.
    fn states_to_close(&self) -> Option<usize> {
        let group = self.solvers.structure.group()?;
        if group.reaches(self.cells, self.cells).is_some() {
            return None;
        }
        usize::try_from(group.order().saturating_mul(2)).ok().filter(|&states| states <= MOST_TO_CLOSE)
    }

    /// Finds some answer, if the caller wants answers without a proof.
    #[expect(clippy::unnecessary_wraps, reason = "all strategies have one type")]
    fn find_first_answer(&mut self, watch: Watch) -> Result<Verdict> {
        let Some(anytime) = self.anytime else { return Ok(Verdict::Next) };
        self.note_bound(anytime.bound(self.cells));
        let enough = Enough { states: Some(FIRST_SEARCHED), ..self.enough() };
        if self.shorten(anytime, enough, watch) == AnytimeEnd::Stopped {
            return Ok(Verdict::Stopped);
        }
        // A beam search seldom brings a piece of several stickers home, so words of moves are tried next.
        let pieces = self.solvers.structure.pieces();
        let several = pieces.is_some_and(|pieces| pieces.places.iter().any(|place| place.len() > 1));
        if self.best.is_none() && several && !self.put_words(watch) {
            return Ok(Verdict::Stopped);
        }
        Ok(self.unless_proven(Verdict::Next))
    }

    /// Searches for the fewest moves by iterative deepening with pattern databases; or, if the rules give no strong
    /// bounds, from both ends. If some answer is known, the search goes on only as long as it can be expected to end.
    fn prove_the_fewest(&mut self, watch: Watch) -> Result<Verdict> {
        let ended = self.try_proof(false, watch)?;
        Ok(if ended || self.anytime.is_none() { Verdict::Done } else { self.unless_proven(Verdict::Next) })
    }

    /// Makes the known answer shorter.
    #[expect(clippy::unnecessary_wraps, reason = "all strategies have one type")]
    fn shorten_answer(&mut self, watch: Watch) -> Result<Verdict> {
        let Some(anytime) = self.anytime else { return Ok(Verdict::Done) };
        let asked = self.asked;
        let enough = Enough {
            states: asked.seconds.is_none().then(|| SEARCHED.min(asked.budget.states as u64)),
            ..self.enough()
        };
        let limit = match self.shorten(anytime, enough, watch) {
            AnytimeEnd::Stopped => return Ok(Verdict::Stopped),
            AnytimeEnd::Memory => Limit::of_budget(asked.budget, self.found.states),
            AnytimeEnd::Done | AnytimeEnd::Enough if asked.seconds.is_some() => Limit::Seconds,
            AnytimeEnd::Done | AnytimeEnd::Enough => Limit::Searched,
        };
        Ok(self.unless_proven(Verdict::Limited(limit)))
    }

    /// Tries the proof again, with larger tables, if it was given up before: the first answer may have been too long to
    /// predict a short proof, or the tables too small.
    fn prove_with_larger_tables(&mut self, watch: Watch) -> Result<Verdict> {
        if self.asked.seconds.is_some() || !self.proof_given_up || self.try_proof(true, watch)? {
            return Ok(Verdict::Done);
        }
        Ok(if self.found.solution == Solution::Stopped { Verdict::Stopped } else { Verdict::Done })
    }

    /// Tries to find and prove the fewest moves. Returns `true` if that has settled the state. With `in_larger_tables`,
    /// larger tables are made if the search is given up with the present ones.
    fn try_proof(&mut self, in_larger_tables: bool, watch: Watch) -> Result<bool> {
        // An answer made of words of moves is so long that its length does not predict the cost of a proof. It is used
        // to predict only for very large groups, where no proof is expected.
        let order = self.solvers.structure.group().map_or(u128::MAX, PermutationGroup::order);
        let telling = self.best_by != Technique::Words || order > MOST_PROVEN;
        let (asked, length) = (self.asked, self.length().filter(|_| self.anytime.is_some() && telling));
        let known = self.anytime.map_or(0, |anytime| anytime.bound(self.cells));
        let gap = length.map_or(0, |length| length.saturating_sub(known));
        let share = asked.seconds.filter(|_| length.is_some()).map(|seconds| seconds * PROOF_SHARE);
        let begun = self.begun;
        let in_time = move |progress: &Progress| match share {
            Some(share) if begun.elapsed().as_secs_f64() > share => ControlFlow::Break(()),
            _ => watch(progress),
        };
        self.proof_given_up = true;
        match self.solvers.patterns(asked.budget) {
            Some(_) if gap > MOST_GAP => return Ok(false),
            Some(patterns) => {
                let states = match asked.seconds {
                    None => MOST_SEARCHED,
                    Some(seconds) if length.is_some() => seconds * SEARCHED_IN_A_SECOND,
                    Some(_) => f64::INFINITY, // the watch ends it in time
                };
                let cheap = if asked.seconds.is_some() { states * CHEAP_SHARE } else { CHEAP_BOUND };
                let in_larger_tables = in_larger_tables || self.anytime.is_none();
                let stop = StopRule { length, states, cheap, in_larger_tables };
                self.deepen(patterns, &stop, &in_time)?;
            }
            None if length.is_some_and(|length| self.is_beyond(length)) => return Ok(false),
            None => {
                self.proof_given_up = false;
                let (known, stored) = (self.found.proof.lower_bound, self.found.states);
                let solved = self.search.both_ends(self.cells, None, asked.budget, &in_time)?;
                self.found = Solved { states: stored.max(solved.states), ..solved };
                self.note_bound(known);
            }
        }
        Ok(matches!(self.found.solution, Solution::Moves(_, true) | Solution::Unreachable))
    }

    /// Searches by iterative deepening. Between bounds, now and then, searches from both ends with more states than
    /// before.
    fn deepen(&mut self, patterns: &PatternSolver, stop: &StopRule, watch: Watch) -> Result<()> {
        let (search, cells, budget) = (self.search, self.cells, self.asked.budget);
        let (mut stored, mut best_aside) = (FIRST_STATES, None);
        let mut aside = |searched: u64| {
            let more = stored.saturating_mul(4).min(budget.states);
            if more <= stored || searched / SEARCHED_FOR_ONE_STORED < more as u64 {
                return false;
            }
            stored = more;
            let budget = Budget { states: more, bytes: budget.bytes / 2, ..budget };
            let found = search.both_ends(cells, None, budget, watch);
            let settled = found.as_ref().map_or(true, |found| found.solution != Solution::Full);
            best_aside = Some(found);
            settled
        };
        let (bytes, farthest) = (budget.bytes, self.farthest());
        let mut effort = Effort { states: u64::MAX, bytes, farthest, stop, aside: &mut aside };
        let (mut proof, cache) = (Proof::default(), self.asked.cache.as_ref());
        let deepened = patterns.solve(cells, budget, cache, &mut proof, &mut effort, watch)?;
        match best_aside.transpose()? {
            Some(found) if deepened == Deepened::SettledAside => {
                let known = proof.lower_bound;
                self.found = Solved { proof: Proof { lower_bound: found.proof.lower_bound, ..proof }, ..found };
                self.note_bound(known);
            }
            found => {
                let (bound, states) = found.map_or((0, 0), |found| (found.proof.lower_bound, found.states));
                self.note_bound(bound);
                self.deepened(deepened, proof, states);
            }
        }
        Ok(())
    }

    /// If moves permute cells, no state needs more moves than this. A shortest solution visits no state twice, and
    /// there are no more states than arrangements of the symbols, and no more than elements of the group.
    fn farthest(&self) -> u64 {
        let group = self.solvers.structure.group().map_or(u128::MAX, PermutationGroup::order);
        let states = arrangements(self.cells.iter().copied()).min(group);
        u64::try_from(states.saturating_sub(1)).unwrap_or(u64::MAX)
    }

    /// Returns `true` if a search from both ends can be expected to need far more states than it may store. The depths
    /// that are done predict by which factor the number of states grows from depth to depth.
    fn is_beyond(&self, length: u32) -> bool {
        let done = self.found.proof.lower_bound.saturating_sub(1).max(1);
        let growth = (self.found.states as f64 / 2.0).powf(2.0 / f64::from(done));
        // On average, a first answer has about an eighth more moves than the fewest.
        let ahead = (f64::from(length) * 0.88 - f64::from(done)).max(0.0);
        self.found.states as f64 * growth.powf(ahead / 2.0) > self.asked.budget.states as f64 * BEYOND_BUDGET
    }
}
