//! Strategies for puzzles whose moves permute pieces: tables of cosets, chains of subgroups, and words of moves.

use std::sync::atomic::Ordering;

use super::answer::{Proof, Solution, Technique};
use super::anytime::{AnytimeEnd, Enough};
use super::attempt::{Attempt, Verdict};
use super::clock::Clock;
use super::ida_star::{Deepened, Effort};
use super::phases::{PieceGroup, Words};
use super::stop_rule::StopRule;
use crate::error::Result;
use crate::run::{Options, Watch, in_pool};

/// If the moves generate a group of more elements than this, a first answer is found through a chain of subgroups.
const LEAST_IN_PHASES: u128 = 1 << 32;

/// The limits of the search for answers through a chain of subgroups. If a time is given, each such search may take
/// this share of the time that is left. The first search, before any proof is tried, visits at most `SEARCHED_AT_ONCE`
/// states. The second, before a proof that may take long, visits at most `SEARCHED_IN_PHASES` states if no time is
/// given.
const PHASES_SHARE: f64 = 0.5;
const SEARCHED_AT_ONCE: u64 = 1 << 20;
const SEARCHED_IN_PHASES: u64 = 1 << 22;

/// If the tables of cosets are made or in the cache, and no time is given, the first search through a chain of
/// subgroups visits at most this many states, because a proof may come soon.
const SEARCHED_BEFORE_A_PROOF: u64 = 1 << 17;

/// The number of states after which the first try of a proof with tables of cosets is given up.
const LOOKED_UP_AT_ONCE: u64 = 1 << 17;

/// The number of states after which the second try of a proof is given up. It is made if an answer is known, no time is
/// given, and the tables of cosets were made before this state or are in the cache.
const LOOKED_UP_FOR_LONG: u64 = 1 << 23;

impl Attempt<'_> {
    /// Solves a puzzle whose moves permute pieces, with tables of cosets. If the caller wants answers without a proof,
    /// and a proof may take long, searches through a chain of subgroups give answers before that.
    pub fn search_cosets(&mut self, watch: Watch) -> Result<Verdict> {
        let Some(cosets) = self.solvers.cosets() else { return Ok(Verdict::Next) };
        if !self.wanted || cosets.stickers().states() <= LEAST_IN_PHASES {
            return self.look_up_cosets(watch);
        }
        // If the tables are made already, the proof for a state near the goal takes less time than an answer without a
        // proof. Then the proof is tried first. If no time is given, it is also tried again before the long search for
        // shorter answers; and then a table in the cache is as good as one that is made.
        let (asked, cache) = (self.asked, self.asked.cache.as_ref());
        let ready = cosets.is_due(asked.budget) || (asked.seconds.is_none() && cosets.is_kept(asked.budget, cache));
        let strategies: &[fn(&mut Self, Watch) -> Result<Verdict>] = match (ready, asked.seconds) {
            (false, _) => &[Self::descend_briefly, Self::look_up_cosets_briefly],
            (true, Some(_)) => &[Self::look_up_cosets_briefly, Self::descend_briefly],
            (true, None) => &[Self::look_up_cosets_briefly, Self::descend_at_once, Self::look_up_cosets_for_long],
        };
        for strategy in strategies.iter().chain(&[Self::descend as _, Self::look_up_cosets as _]) {
            match strategy(self, watch)? {
                Verdict::Next => {}
                verdict => return Ok(verdict),
            }
        }
        Ok(Verdict::Next)
    }

    fn descend_at_once(&mut self, watch: Watch) -> Result<Verdict> {
        let enough = Enough { states: Some(SEARCHED_BEFORE_A_PROOF), ..self.enough() };
        Ok(self.descend_in_phases(enough, watch)?.unwrap_or(Verdict::Next))
    }

    fn descend_briefly(&mut self, watch: Watch) -> Result<Verdict> {
        let enough = self.enough();
        let seconds = enough.seconds.map(|seconds| seconds * PHASES_SHARE);
        let verdict = self.descend_in_phases(Enough { states: Some(SEARCHED_AT_ONCE), seconds, ..enough }, watch)?;
        Ok(verdict.unwrap_or(Verdict::Next))
    }

    /// Looks for shorter answers through a chain of subgroups. If there is no chain, makes an answer of words of moves.
    fn descend(&mut self, watch: Watch) -> Result<Verdict> {
        let enough = self.enough();
        let enough = match enough.seconds {
            Some(seconds) => Enough { seconds: Some(seconds * PHASES_SHARE), ..enough },
            None => Enough { states: Some(SEARCHED_IN_PHASES), ..enough },
        };
        match self.descend_in_phases(enough, watch)? {
            Some(verdict) => Ok(verdict),
            None if !self.put_words(watch) => Ok(Verdict::Stopped),
            None => Ok(self.unless_proven(Verdict::Next)),
        }
    }

    /// Finds answers through a chain of subgroups. `None` if there is no chain, or no memory for its tables.
    fn descend_in_phases(&mut self, enough: Enough, watch: Watch) -> Result<Option<Verdict>> {
        let Some(cosets) = self.solvers.cosets() else { return Ok(None) };
        let (stickers, symmetries) = (cosets.stickers(), &cosets.symmetries().1[..]);
        let Some(held) = stickers.read(self.cells) else { return Ok(Some(Verdict::Next)) };
        let (group, phases) = (PieceGroup { stickers, symmetries }, &self.solvers.phases);
        let (cache, budget) = (self.asked.cache.as_ref(), self.asked.budget);
        let options = Options { threads: budget.threads, ..Options::default() };
        match in_pool(&options, || phases.prepare(&group, budget.bytes, cache, watch))? {
            Ok(true) => {}
            Ok(false) => return Ok(None),
            Err(_) => return Ok(Some(Verdict::Stopped)),
        }
        let (at_most, before) = (self.at_most, self.length());
        let tell = |moves: usize| at_most.store(moves as u32, Ordering::Relaxed);
        let Some((end, bound)) = phases.run(&group, &held, &mut self.best, enough, &tell, watch) else {
            return Ok(None);
        };
        if self.length() != before {
            self.best_by = Technique::Phases;
        }
        self.note_bound(bound);
        Ok(Some(if end == AnytimeEnd::Stopped { Verdict::Stopped } else { self.unless_proven(Verdict::Next) }))
    }

    fn look_up_cosets(&mut self, watch: Watch) -> Result<Verdict> {
        self.deepen_with_cosets(u64::MAX, watch)
    }

    fn look_up_cosets_briefly(&mut self, watch: Watch) -> Result<Verdict> {
        self.deepen_with_cosets(LOOKED_UP_AT_ONCE, watch)
    }

    fn look_up_cosets_for_long(&mut self, watch: Watch) -> Result<Verdict> {
        if self.best.is_some() { self.deepen_with_cosets(LOOKED_UP_FOR_LONG, watch) } else { Ok(Verdict::Next) }
    }

    /// Searches by iterative deepening with tables of cosets, if a table fits the budget. After each bound, the search
    /// is given up if all bounds together have taken more than `most` states.
    fn deepen_with_cosets(&mut self, most: u64, watch: Watch) -> Result<Verdict> {
        let Some(cosets) = self.solvers.cosets() else { return Ok(Verdict::Next) };
        // If this search was given up before, it goes on from the bound that it had reached. Otherwise it begins
        // without a lower bound, even if other searches have proven one.
        let (before, stop) = (&self.found.proof, &StopRule::default());
        let mut proof = if before.searched.is_empty() { Proof::default() } else { before.clone() };
        let aside = &mut |searched: u64| searched > most;
        // Only answers that are shorter than the known one are looked for. If there are none, the known answer is
        // proven to be the shortest.
        let farthest = self.length().map_or(u64::MAX, |length| u64::from(length.saturating_sub(1)));
        let bytes = self.asked.budget.bytes;
        let mut effort = Effort { states: u64::MAX, bytes, farthest, stop, aside };
        let cache = self.asked.cache.as_ref();
        let found = cosets.solve(self.cells, self.asked.budget, cache, &mut proof, &mut effort, watch)?;
        let without_table = found.is_none();
        // If a solution has more moves than this search counts, the next strategies go on.
        let goes_on = |deepened: &Deepened| matches!(deepened, Deepened::SettledAside | Deepened::TooFar);
        let Some(deepened) = found.filter(|deepened| !goes_on(deepened)) else {
            let known = std::mem::replace(&mut self.found.proof, proof).lower_bound;
            self.note_bound(known);
            // If no table fits, and the answer came through a chain of subgroups, the group is too large for any other
            // search to prove something. So the plan ends here.
            let done = without_table && most == u64::MAX && self.best_by == Technique::Phases;
            return Ok(if done { Verdict::Done } else { self.unless_proven(Verdict::Next) });
        };
        let settled = if deepened == Deepened::Unreachable { self.best.clone() } else { None };
        self.deepened(deepened, proof, 0);
        if let Some(best) = settled {
            self.found.proof.lower_bound = best.len() as u32;
            self.found.solution = Solution::Moves(best, true);
        }
        Ok(Verdict::Done)
    }

    /// If no answer is known, makes one of words: short sequences of moves, each of which brings one more cell home.
    /// Returns `false` if the watch stops it.
    pub fn put_words(&mut self, watch: Watch) -> bool {
        let (solvers, mut clock) = (self.solvers, Clock::new(watch));
        if self.best.is_some() || solvers.words.get().is_some_and(Option::is_none) {
            return true;
        }
        if solvers.words.get().is_none() {
            let Ok(made) = Words::new(&solvers.structure, &mut clock) else { return false };
            let _ = solvers.words.set(made);
        }
        if let Some(words) = solvers.words.get().and_then(Option::as_ref) {
            self.best = words.solve(self.cells, &mut clock);
            if self.best.is_some() {
                self.best_by = Technique::Words;
            }
            self.tell();
        }
        true
    }
}
