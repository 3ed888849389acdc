//! An answer for one state within limits: the fewest moves if they can be found, and otherwise as few as there is time
//! for.

use std::ops::ControlFlow;
use std::time::Instant;

use super::compiled::{Engine, FIRST_STATES};
use super::state::State;
use crate::error::Result;
use crate::job::TableCache;
use crate::run::{Budget, Progress, Watch};
use crate::solve::{Anytime, AnytimeEnd, Cosets, Enough, PatternSolver, Proof, Solution, Solved, StopRule, Technique};

/// How many states are searched for a first answer before any proof is tried.
const FIRST_SEARCHED: u64 = 1 << 16;

/// How many states are searched for shorter answers if no time is given: some seconds, and the same on every machine.
const SEARCHED: u64 = 1 << 22;

/// With fewer states than this, there is no search for answers that are not proven.
const LEAST_STATES: usize = 10_000;

/// If a first answer has so many moves more than are needed for sure, tables are not made: no proof can be expected.
const MOST_GAP: u32 = 44;

/// How many states a second iterative deepening is thought to search, and how many it may be expected to search if no
/// time is given: about an hour's.
const SEARCHED_IN_A_SECOND: f64 = 4e6;
const MOST_SEARCHED: f64 = 1.5e10;

/// How much of the time is for the proof. The rest is for shorter answers if the proof does not come.
const PROOF_SHARE: f64 = 0.6;

/// A search from both ends that may be expected to store more than this many times its budget is not begun.
const BEYOND_BUDGET: f64 = 8.0;

/// What is asked about a state.
#[derive(Debug, Clone)]
pub struct Asked {
    /// How much may be stored.
    pub budget: Budget,
    /// How long it may take. The watch stops the search then; this only divides the time.
    pub seconds: Option<f64>,
    /// Moves that lead to the goal, by their places in the rules, if some are known.
    pub first: Option<Vec<usize>>,
    /// The tables that are kept, if any are.
    pub cache: Option<TableCache>,
}

/// A limit that kept an answer from being found, or from being proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// The most states that may be stored.
    States,
    /// The bytes that they may take.
    Memory,
    /// The time that was given.
    Seconds,
    /// No time was given, and the search for shorter answers has done its share.
    Searched,
    /// The watch stopped the search.
    Watch,
}

/// What is known of a state.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The moves, or why there are none.
    pub solved: Solved,
    /// What kept it from being proven.
    pub limit: Option<Limit>,
}

impl Engine {
    /// Moves from a state of a puzzle to its goal within limits, and what is proven about them.
    ///
    /// [`Engine::solve`] comes first, as long as it can be expected to end. If the rules allow it, an answer that is not
    /// proven is found beside it, and is made shorter until a limit is reached.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use puzzlekit_core::{Asked, Budget, Engine, Solution, State};
    ///
    /// // Three cells in a ring that turn one way.
    /// let json = r#"{"symbols": ["a", "b", "c"], "start": ["a", "b", "c"],
    ///     "moves": [{"name": "turn", "then": [[1, {"copy": 0}], [2, {"copy": 1}], [0, {"copy": 2}]]}],
    ///     "goal": [[[0, ["a"]], [1, ["b"]], [2, ["c"]]]]}"#;
    /// let engine = Engine::new(&serde_json::from_str(json)?)?;
    /// let asked = Asked { budget: Budget::default(), seconds: Some(10.0), first: None, cache: None };
    /// let answered = engine.answer(&State { cells: vec![1, 2, 0], player: 0 }, &asked, &|_| ControlFlow::Continue(()))?;
    /// assert_eq!(answered.solved.solution, Solution::Moves(vec![0], true));
    /// assert_eq!(answered.limit, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`Engine::solve`].
    pub fn answer(&self, state: &State, asked: &Asked, watch: Watch) -> Result<Answered> {
        self.check(state)?;
        let begun = Instant::now();
        let puzzle = self.rules().player_count() == 1 && !self.rules().goal.is_empty();
        // Puzzles of twisted pieces have tables of their own, and their searches end.
        let tables = || self.cosets.get_or_init(|| Cosets::new(&self.structure)).is_some();
        let shortener = if puzzle && asked.budget.states >= LEAST_STATES && !tables() {
            self.shortener.get_or_init(|| Anytime::new(&self.structure)).as_ref()
        } else {
            None
        };
        let Some(shortener) = shortener.filter(|_| self.solve_by_algebra(state).is_none()) else {
            let within = (asked.budget, asked.cache.as_ref());
            return Ok(named(self.solve_with(state, within, watch)?, asked.budget));
        };
        let first = Budget { states: asked.budget.states.min(FIRST_STATES), ..asked.budget };
        let found = self.machine_of(state)?.solve(state, first, watch)?;
        if found.solution != Solution::Full {
            return Ok(named(found, first));
        }
        let mut answering = Answering {
            engine: self,
            state,
            asked,
            begun,
            shortener,
            found,
            best: asked.first.clone(),
            hopeless: false,
        };
        answering.go(watch)
    }
}

/// An answer with the limit that kept it from being proven.
fn named(solved: Solved, budget: Budget) -> Answered {
    let limit = match solved.solution {
        Solution::Full | Solution::Moves(_, false) => Some(full(budget, solved.states)),
        Solution::Stopped => Some(Limit::Watch),
        Solution::Moves(_, true) | Solution::Unreachable => None,
    };
    Answered { solved, limit }
}

/// Which limit was used up: states, if nearly as many are stored as were allowed.
fn full(budget: Budget, stored: u64) -> Limit {
    if stored.saturating_mul(2) >= budget.states as u64 { Limit::States } else { Limit::Memory }
}

/// The search for one answer.
struct Answering<'a> {
    engine: &'a Engine,
    state: &'a State,
    asked: &'a Asked,
    begun: Instant,
    shortener: &'a Anytime,
    /// What is proven so far.
    found: Solved,
    /// The shortest answer so far.
    best: Option<Vec<usize>>,
    /// Whether no proof was tried, or one was given up, because it would have taken too long.
    hopeless: bool,
}

impl Answering<'_> {
    fn go(&mut self, watch: Watch) -> Result<Answered> {
        self.prove(self.shortener.bound(&self.state.cells));
        let enough = Enough { states: Some(FIRST_SEARCHED), ..self.enough() };
        if self.shorten(enough, watch) == AnytimeEnd::Stopped {
            return Ok(self.answered(Limit::Watch));
        }
        if !self.is_proven() && self.try_proof(false, watch)? {
            return Ok(named(self.found.clone(), self.asked.budget));
        }
        if self.is_proven() {
            return Ok(self.answered(Limit::Watch));
        }
        let enough = Enough {
            states: self.asked.seconds.is_none().then(|| SEARCHED.min(self.asked.budget.states as u64)),
            ..self.enough()
        };
        let ended = self.shorten(enough, watch);
        // The first answer may have been so long, or the tables so small, that there was no hope for a proof.
        let again = self.asked.seconds.is_none() && ended != AnytimeEnd::Stopped && self.hopeless;
        if again && !self.is_proven() {
            if self.try_proof(true, watch)? {
                return Ok(named(self.found.clone(), self.asked.budget));
            }
            if self.found.solution == Solution::Stopped {
                return Ok(self.answered(Limit::Watch));
            }
        }
        let limit = match ended {
            AnytimeEnd::Stopped => Limit::Watch,
            AnytimeEnd::Memory => full(self.asked.budget, self.found.states),
            AnytimeEnd::Done | AnytimeEnd::Enough if self.asked.seconds.is_some() => Limit::Seconds,
            AnytimeEnd::Done | AnytimeEnd::Enough => Limit::Searched,
        };
        Ok(self.answered(limit))
    }

    /// Tries to find the fewest moves. Returns whether that has ended everything: with a proof, or because there is
    /// nothing to be found. `in_larger_tables` says whether such tables are made if there is no hope without them.
    fn try_proof(&mut self, in_larger_tables: bool, watch: Watch) -> Result<bool> {
        let length = self.length();
        self.hopeless = true;
        let gap = length.map_or(0, |length| length.saturating_sub(self.shortener.bound(&self.state.cells)));
        let deepening = self.engine.deepening.get_or_init(|| PatternSolver::new(&self.engine.structure)).as_ref();
        let share = self.asked.seconds.filter(|_| length.is_some()).map(|seconds| seconds * PROOF_SHARE);
        let begun = self.begun;
        let in_time = move |progress: &Progress| match share {
            Some(share) if begun.elapsed().as_secs_f64() > share => ControlFlow::Break(()),
            _ => watch(progress),
        };
        let solved = match deepening.filter(|deepening| deepening.is_strong(self.asked.budget)) {
            Some(_) if gap > MOST_GAP => return Ok(false),
            Some(deepening) => {
                let states = self.asked.seconds.map_or(MOST_SEARCHED, |seconds| seconds * SEARCHED_IN_A_SECOND);
                let hope = StopRule { length, states, in_larger_tables };
                let cache = self.asked.cache.as_ref();
                deepening.solve(&self.state.cells, self.asked.budget, &hope, cache, &in_time)?
            }
            None if length.is_some_and(|length| self.is_beyond(length)) => return Ok(false),
            None => {
                self.hopeless = false;
                self.engine.machine_of(self.state)?.solve(self.state, self.asked.budget, &in_time)?
            }
        };
        let ended = matches!(solved.solution, Solution::Moves(_, true) | Solution::Unreachable);
        let (known, stored) = (self.found.proof.lower_bound, self.found.states);
        self.found = Solved { states: stored.max(solved.states), ..solved };
        self.prove(known);
        Ok(ended)
    }

    /// Whether a search from both ends will need far more states than it may store. The depths that are done tell how
    /// many times as many states each depth has.
    fn is_beyond(&self, length: u32) -> bool {
        let done = self.found.proof.lower_bound.saturating_sub(1).max(1);
        let growth = (self.found.states as f64 / 2.0).powf(2.0 / f64::from(done));
        // The first answer has about an eighth more moves than are needed.
        let ahead = (f64::from(length) * 0.88 - f64::from(done)).max(0.0);
        self.found.states as f64 * growth.powf(ahead / 2.0) > self.asked.budget.states as f64 * BEYOND_BUDGET
    }

    fn enough(&self) -> Enough {
        let left = self.asked.seconds.map(|seconds| (seconds - self.begun.elapsed().as_secs_f64()).max(0.0));
        Enough { seconds: left, moves: self.found.proof.lower_bound as usize, states: None }
    }

    fn shorten(&mut self, enough: Enough, watch: Watch) -> AnytimeEnd {
        self.shortener.run(&self.state.cells, &mut self.best, self.asked.budget, enough, watch)
    }

    fn prove(&mut self, bound: u32) {
        let proof = &mut self.found.proof;
        proof.lower_bound = proof.lower_bound.max(bound);
    }

    /// The length of the shortest answer so far.
    fn length(&self) -> Option<u32> {
        self.best.as_ref().map(|moves| moves.len() as u32)
    }

    fn is_proven(&self) -> bool {
        self.best.as_ref().is_some_and(|moves| moves.len() == self.found.proof.lower_bound as usize)
    }

    /// The best answer so far, and the limit that kept it from being proven.
    fn answered(&self, limit: Limit) -> Answered {
        let proof: Proof = self.found.proof.clone();
        let (states, proven) = (self.found.states, self.is_proven());
        let solution = match &self.best {
            Some(moves) => Solution::Moves(moves.clone(), proven),
            None if limit == Limit::Watch => Solution::Stopped,
            None => Solution::Full,
        };
        let technique = if self.best.is_some() { Technique::Shortening } else { self.found.technique };
        Answered { solved: Solved { solution, technique, states, proof }, limit: (!proven).then_some(limit) }
    }
}
