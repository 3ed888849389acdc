//! Retrograde analysis: values spread backward from the states in which play is over, through all states of a graph, or
//! through those of one tier if the values of later tiers are known.
//!
//! If a state has a successor that is lost in `m` moves, and none that is lost sooner, the state is won in `m + 1`. If
//! all successors of a state are won, the last of them in `m` moves, the state is lost in `m + 1`. So values are found
//! in order of the number of moves. For each state of a game, a count says how many of its successors in the tier are
//! not yet known to be won. Several moves to the same successor count once. In a puzzle, a state is won if moves lead
//! from it to the goal.
//!
//! The values of successors in later tiers are known from the start, with numbers of moves of their own. A value that
//! follows from them waits until values have spread that far. For example, take two states of a tier with the moves a →
//! b and b → a. Another move from a leads to a state in which the player to move has lost, so a is won in 1. Another
//! move from b leads to a later tier, to a state that is lost in 6, so b can be won in 7. From b, the move to a would
//! lose. So b waits, and gets its value when values have spread to 7 moves.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::allowance::{Allowance, each_block};
use super::frontier::{Frontier, NextFrontier, each_place};
use super::score_spread::{SPREAD_BYTES, ScoreSpread, UNKNOWN, endless};
use super::value_code::{Best, ValueCode, ValuesOf};
use crate::error::Result;
use crate::graph::{Edges, Graph, Lists, SuccessorCounts};
use crate::job::{Follows, HAS_FILES, KeptListing};
use crate::run::{Monitor, Scored, Worth, of_mover, parallel};

/// A flag in the count of a state: some successor in a later tier is not won by the opponent, so the state can no
/// longer be lost. A tier has fewer states than this number, so counts do not reach the flag.
const NEVER_LOST: u32 = 1 << 31;

/// The way in which the predecessors of a state are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PredecessorWay {
    /// By undoing moves. This needs no memory beside the values and, in a game, the counts of successors. It serves
    /// only rules that have inverse moves.
    Undone,
    /// From a list of the predecessors of all states, which is made before values spread.
    Listed,
    /// By trying, for each number of moves to the end, all moves of all states without a value. This is slow, but needs
    /// no list. It serves only puzzles.
    Tried,
}

/// Finds the values of a range of states of a graph. The range is called the *tier* here, even if it has all states. A
/// move from a state of the tier leads to a state of the tier, or to a state with a larger number, whose value is
/// known.
pub(super) struct Retrograde<'a> {
    pub graph: &'a dyn Graph,
    pub states: Range<u64>,
    /// For each state of the graph, by number, its [`ValueCode`].
    pub values: &'a [AtomicU32],
    /// `true` if some moves of the tier lead to states after the tier, whose values are known.
    pub leads_on: bool,
    pub way: PredecessorWay,
    /// The successors of the tier's states, if a job has listed them. Otherwise they are found by the rules, each time
    /// that they are needed.
    pub listing: Option<&'a KeptListing>,
    pub allowed: &'a Allowance<'a>,
}

/// The values of the tier's states, as far as they have spread.
pub(super) struct Spread<'a> {
    /// The [`ValueCode`] of each state of the tier, by its place in the tier.
    pub values: &'a [AtomicU32],
    /// All values of up to this many moves are known. States with exactly this number of moves have not yet passed
    /// their values on to their predecessors.
    pub moves: u32,
}

/// The report to `keep` after each step.
pub(super) struct SpreadStep<'a> {
    pub so_far: SoFar<'a>,
    /// `true` if the watch has stopped the search. Then some states that need one move more may have values already.
    pub stopped: bool,
}

/// The values that have spread so far, by numbers of moves or by scores.
#[derive(Clone, Copy)]
pub(super) enum SoFar<'a> {
    /// By numbers of moves: each step finds all states of one more. The frontier has the states that are won or lost in
    /// exactly `spread.moves` moves.
    Moves { spread: &'a Spread<'a>, frontier: &'a Frontier },
    /// Scores spread; the game has points.
    Scores(&'a ScoreSpread),
}

impl SoFar<'_> {
    /// A number that grows with each step.
    pub fn reached(self) -> u64 {
        match self {
            Self::Moves { spread, .. } => u64::from(spread.moves),
            Self::Scores(scores) => scores.reached,
        }
    }
}

/// The function that [`Retrograde::values`] calls before the first step and after each. It returns `false` to end the
/// search.
pub(super) type Keep<'a> = &'a mut dyn FnMut(&SpreadStep) -> Result<bool>;

/// Called by [`Retrograde::walk`] with the place of a state in which play goes on, its different successors in the
/// tier, and the value that follows from its successors in later tiers.
type EachOpen<'a> = &'a (dyn Fn(u32, &[u64], ValueCode) + Sync);

/// Called by [`Retrograde::walk`] with the place of a state in which play is over, and its value.
type EachOver<'a> = &'a (dyn Fn(u32, ValueCode) + Sync);

/// The most bytes that spreading takes beside the states and their values. They are for the frontiers; with two
/// players, for a count for each state; with a list, for the predecessors, and for each state for the place where its
/// predecessors begin. If moves lead to later tiers, each state may also take room among the waiting states, and for
/// the moves in which it can be lost. A game with a score has other tables.
pub(super) fn bytes(states: u64, moves: u64, kind: ValuesOf, leads_on: bool, way: PredecessorWay) -> u64 {
    if kind == ValuesOf::Scored {
        return states.saturating_mul(SPREAD_BYTES as u64).saturating_add(moves.saturating_mul(4));
    }
    let counts = if kind == ValuesOf::Game { size_of::<u32>() } else { 0 };
    let list = if way == PredecessorWay::Listed { size_of::<u64>() + size_of::<u32>() } else { 0 };
    let waiting = if leads_on { 2 * size_of::<u32>() + counts } else { 0 };
    let each = states.saturating_mul((counts + list + waiting) as u64).saturating_add(Frontier::most_bytes(states));
    if way == PredecessorWay::Listed { each.saturating_add(moves.saturating_mul(4)) } else { each }
}

/// A list with a code for each of `states` states. The codes say that no value is known.
pub(super) fn nothing_known(states: u64) -> Vec<AtomicU32> {
    zeros(states as usize)
}

fn zeros(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

impl Spread<'_> {
    fn known(&self, place: u32) -> ValueCode {
        ValueCode(self.values[place as usize].load(Ordering::Relaxed))
    }

    /// The code that a state had when only the values of up to [`Self::moves`] moves were known.
    pub fn code(&self, place: usize) -> u32 {
        let known = self.known(place as u32);
        if known.moves() > self.moves { ValueCode::NOTHING.0 } else { known.0 }
    }

    /// Returns `true` if a state has already passed its value on to its predecessors.
    fn has_told(&self, place: u32) -> bool {
        if self.moves == 0 {
            return false;
        }
        let known = self.known(place);
        known.worth() != Worth::Draw && known.moves() < self.moves
    }

    /// Returns `true` if a state is won or lost in exactly [`Self::moves`] moves.
    pub fn is_next(&self, place: u32) -> bool {
        let known = self.known(place);
        known.worth() != Worth::Draw && known.moves() == self.moves
    }

    /// Gives a value to a state that has none, and returns `true`. Returns `false` if the state has a value already. If
    /// several threads find the value of a state, only one of them gets `true`.
    fn decide(&self, place: u32, code: ValueCode) -> bool {
        let value = &self.values[place as usize];
        value.compare_exchange(ValueCode::NOTHING.0, code.0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// States that wait until values have spread far enough: for each value, as a code, the states that will get it unless
/// they are decided sooner.
#[derive(Default)]
struct Waiting(Mutex<BTreeMap<u32, Vec<u32>>>);

impl Waiting {
    fn push(&self, code: ValueCode, place: u32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(code.0).or_default().push(place);
    }

    fn take(&mut self, code: ValueCode) -> Vec<u32> {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).remove(&code.0).unwrap_or_default()
    }

    fn is_empty(&mut self) -> bool {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// The tables that are made before values spread.
struct Before {
    way: PredecessorWay,
    /// For each state, the place in `list` where its predecessors begin; and as the last entry, the length of `list`.
    /// Empty if predecessors are not listed.
    begins: Vec<u64>,
    list: Vec<AtomicU32>,
    /// For each state, the number of its different successors in the tier that are not yet known to be won; perhaps
    /// with the flag [`NEVER_LOST`]. Empty in a puzzle.
    successors: Vec<AtomicU32>,
    /// For each state whose successors in later tiers are all won by the opponent, the fewest moves in which it can be
    /// lost. Empty in a puzzle, or if no move leads to a later tier.
    least: Vec<AtomicU32>,
}

/// For each state, the place where its entries begin in a common list; and as the last entry, the length of that list.
/// `counts` has the number of entries of each state.
fn begins_of(counts: &[AtomicU32]) -> Vec<u64> {
    let mut begins = vec![0; counts.len() + 1];
    for (at, count) in counts.iter().enumerate() {
        begins[at + 1] = begins[at] + u64::from(count.load(Ordering::Relaxed));
    }
    begins
}

impl Retrograde<'_> {
    /// The values of the tier's states, if they have spread up to `moves` moves.
    fn spread(&self, moves: u32) -> Spread<'_> {
        Spread { values: &self.values[self.states.start as usize..self.states.end as usize], moves }
    }

    pub fn count(&self) -> usize {
        (self.states.end - self.states.start) as usize
    }

    fn is_puzzle(&self) -> bool {
        self.graph.players() == 1
    }

    /// The place of a state in the tier, given by its number in the graph.
    pub fn place(&self, state: u64) -> u32 {
        (state - self.states.start) as u32
    }

    pub fn monitor(&self, moves: u32, frontier: u64, known: u64) -> Monitor<'_> {
        self.allowed.monitor(u64::from(moves), frontier, known, self.count() as u64)
    }

    /// Looks at each state of the tier that has no value yet. If play is over there, `over` is called with its place
    /// and value. Otherwise, `each` is called with its place, its different successors in the tier, and the value that
    /// follows from its successors in later tiers. `None` if the watch stops the walk.
    fn walk(&self, spread: &Spread, each: EachOpen, over: EachOver) -> Result<Option<()>> {
        let count = self.count() as u64;
        let monitor = self.monitor(0, count, 0);
        let unknown = |place: u32| spread.known(place) == ValueCode::NOTHING;
        if let Some(listing) = self.listing.filter(|_| HAS_FILES) {
            return self.walk_listed(listing, &monitor, &unknown, (each, over));
        }
        Ok(each_block(self.graph, &self.states, &monitor, &|block| {
            self.look(block, &unknown, &mut |place, follows| match follows {
                Follows::Over(code) => over(place, ValueCode(code)),
                Follows::On(inside, code) => each(place, inside, ValueCode(code)),
            });
        }))
    }

    /// Finds what follows from each state of a block of the graph for which `wanted` returns `true`, and calls `each`
    /// with the place of the state. Different moves to the same successor count once.
    pub fn look(&self, block: Range<u64>, wanted: &dyn Fn(u32) -> bool, each: &mut dyn FnMut(u32, Follows<u64>)) {
        let (none, keeps_turns) = (Best::new(self.graph, self.allowed.grundy), self.graph.keeps_turns());
        let mut edges = Edges::default();
        self.graph.successors(block.clone(), &mut edges);
        edges.after.make_distinct();
        for (state, (worth, after)) in block.zip(edges.iter()) {
            let place = self.place(state);
            if !wanted(place) {
                continue;
            }
            if let Some(worth) = worth {
                each(place, Follows::Over(ValueCode::at_end(worth).0));
                continue;
            }
            let (inside, later) = after.split_at(after.partition_point(|&after| after < self.states.end));
            let mut best = none.anew();
            for &after in later {
                let code = ValueCode(self.values[after as usize].load(Ordering::Relaxed));
                best.take(code.of_other(keeps_turns && self.graph.keeps_turn(state, after)));
            }
            let best = if later.is_empty() { ValueCode::NOTHING } else { best.code() };
            each(place, Follows::On(inside, best.0));
        }
    }

    /// Does what [`Self::walk`] does, by what a job has listed.
    fn walk_listed(
        &self,
        listing: &KeptListing,
        monitor: &Monitor,
        unknown: &(dyn Fn(u32) -> bool + Sync),
        (each, over): (EachOpen, EachOver),
    ) -> Result<Option<()>> {
        let failed = Mutex::new(Ok(()));
        parallel::each(listing.blocks(), &|block| {
            if monitor.stopped() {
                return;
            }
            let mut inside = Vec::new();
            let read = listing.read(block, &mut |place, follows| match follows {
                _ if !unknown(place) => {}
                Follows::Over(code) => over(place, ValueCode(code)),
                Follows::On(after, code) => {
                    inside.clear();
                    inside.extend(after.iter().map(|&after| self.states.start + u64::from(after)));
                    each(place, &inside, ValueCode(code));
                }
            });
            match read {
                Ok(states) => monitor.add(states),
                Err(error) => *failed.lock().unwrap_or_else(PoisonError::into_inner) = Err(error),
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        Ok((!monitor.stopped()).then_some(()))
    }

    /// Finds the values of the tier if every move leads out of it. `None` if the watch stops the work.
    ///
    /// # Errors
    ///
    /// The errors of [`KeptListing::read`].
    pub fn sweep(&self) -> Result<Option<()>> {
        let spread = self.spread(0);
        let set = |place: u32, code: ValueCode| spread.values[place as usize].store(code.0, Ordering::Relaxed);
        // Without a score, only a state in which play is over gets the code of a draw. Any other state that is neither
        // won nor lost keeps the code for "nothing is known".
        let each = |place: u32, _: &[u64], best: ValueCode| {
            let forced = best.worth() != Worth::Draw || self.graph.scored().is_some();
            set(place, if forced { best } else { ValueCode::NOTHING });
        };
        self.walk(&spread, &each, &set)
    }

    /// Finds the states in which play is over, and makes the tables. `None` if the watch stops the work. The list of
    /// predecessors takes two passes: the first counts the predecessors of each state, and the second lists them. The
    /// predecessors of a state that has passed its value on already are left out.
    ///
    /// # Errors
    ///
    /// The errors of [`KeptListing::read`].
    fn before(&self, spread: &Spread, waiting: &Waiting) -> Result<Option<Before>> {
        let (listed, game) = (self.way == PredecessorWay::Listed, !self.is_puzzle());
        let zeros_if = |wanted: bool| zeros(if wanted { self.count() } else { 0 });
        let (counts, successors, least) = (zeros_if(listed), zeros_if(game), zeros_if(self.leads_on && game));
        let over = |place: u32, code: ValueCode| spread.values[place as usize].store(code.0, Ordering::Relaxed);
        if !listed && self.listing.is_none() && !self.leads_on && (!game || spread.moves == 0) {
            let found = if game { self.count_successors(spread, &successors) } else { self.find_ends(spread) };
            let made = || Before { way: self.way, begins: Vec::new(), list: Vec::new(), successors, least };
            return Ok(found.map(|()| made()));
        }
        let counted = |place: u32, inside: &[u64], best: ValueCode| {
            let untold = || inside.iter().map(|&after| self.place(after)).filter(|&after| !spread.has_told(after));
            let mut left = 0;
            for after in untold() {
                left += 1;
                if listed {
                    counts[after as usize].fetch_add(1, Ordering::Relaxed);
                }
            }
            match best.worth() {
                Worth::Win => waiting.push(best, place),
                // The opponent wins in all successors, and none of them is still to pass on its value. So the state is
                // lost. It waits until values have spread to its number of moves.
                Worth::Loss if left == 0 => waiting.push(best, place),
                Worth::Loss => least[place as usize].store(best.moves(), Ordering::Relaxed),
                Worth::Draw => {}
            }
            if best != ValueCode::NOTHING && best.worth() != Worth::Loss {
                left |= NEVER_LOST;
            }
            if game {
                successors[place as usize].store(left, Ordering::Relaxed);
            }
        };
        if self.walk(spread, &counted, &over)?.is_none() {
            return Ok(None);
        }
        if !listed {
            return Ok(Some(Before { way: self.way, begins: Vec::new(), list: Vec::new(), successors, least }));
        }
        let begins = begins_of(&counts);
        let list = zeros(begins[counts.len()] as usize);
        let fill = |place: u32, inside: &[u64], _: ValueCode| {
            let untold = inside.iter().copied().filter(|&after| !spread.has_told(self.place(after)));
            self.list(place, untold, &counts, &begins, &list);
        };
        let filled = self.walk(spread, &fill, &|_, _| ())?;
        Ok(filled.map(|()| Before { way: self.way, begins, list, successors, least }))
    }

    /// Finds the states in which play is over, without making their successors. `None` if the watch stops the work.
    fn find_ends(&self, spread: &Spread) -> Option<()> {
        let count = self.count() as u64;
        let monitor = self.monitor(0, count, 0);
        each_block(self.graph, &self.states, &monitor, &|block| {
            let mut over = Vec::new();
            self.graph.over(block.clone(), &mut over);
            for (state, worth) in block.zip(over) {
                if let Some(worth) = worth {
                    spread.decide(self.place(state), ValueCode::at_end(worth));
                }
            }
        })
    }

    /// Finds the states of a game in which play is over, and counts the successors of each other state, without finding
    /// their numbers. No value has spread yet. `None` if the watch stops the work.
    fn count_successors(&self, spread: &Spread, successors: &[AtomicU32]) -> Option<()> {
        let count = self.count() as u64;
        let monitor = self.monitor(0, count, 0);
        each_block(self.graph, &self.states, &monitor, &|block| {
            let mut counts = SuccessorCounts::default();
            self.graph.different_successors(block.clone(), &mut counts);
            for ((state, over), different) in block.zip(counts.over).zip(counts.different) {
                let place = self.place(state);
                match over {
                    Some(worth) => spread.values[place as usize].store(ValueCode::at_end(worth).0, Ordering::Relaxed),
                    None => successors[place as usize].store(different, Ordering::Relaxed),
                }
            }
        })
    }

    /// Finds all values, from those of up to `moves` moves, which are known already; or all scores, from those that are
    /// known. `keep` is called before the first step and after each step. `None` if the watch or `keep` ends the
    /// search.
    ///
    /// # Errors
    ///
    /// Errors of `keep`.
    pub fn values(&self, moves: u32, keep: Keep) -> Result<Option<()>> {
        if let Some(scored) = self.graph.scored() {
            return Ok(self.scores(scored, keep)?.map(|_| ()));
        }
        let (mut spread, mut waiting) = (self.spread(moves), Waiting::default());
        let Some(before) = self.before(&spread, &waiting)? else { return Ok(None) };
        let next = NextFrontier::new(self.count());
        each_place(self.count(), &|place| spread.is_next(place), &|places| next.extend(places.to_vec()));
        let (mut frontier, mut decided) = (next.close(), 0);
        let mut step = |spread: &Spread, frontier: &Frontier, stopped: bool| {
            keep(&SpreadStep { so_far: SoFar::Moves { spread, frontier }, stopped })
        };
        if !step(&spread, &frontier, false)? {
            return Ok(None);
        }
        while !(frontier.is_empty() && waiting.is_empty()) {
            decided += frontier.len();
            let next = NextFrontier::new(self.count());
            let monitor = self.monitor(spread.moves, frontier.len(), decided);
            self.tell_all(&spread, &before, &frontier, (&monitor, &next, &waiting));
            if monitor.stopped() {
                step(&spread, &frontier, true)?;
                return Ok(None);
            }
            spread.moves += 1;
            for worth in [Worth::Win, Worth::Loss] {
                let code = ValueCode::decided(worth, spread.moves);
                let due = waiting.take(code);
                next.extend(due.into_iter().filter(|&place| spread.decide(place, code)).collect());
            }
            frontier = next.close();
            if !step(&spread, &frontier, false)? {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    /// Finds the scores of the tier's states, if play may come back to a state. If codes are known already, they are
    /// those of [`ScoreSpread::code`]. `keep` is called before the first step and after each step. `None` if the watch
    /// or `keep` ends the search. Returns for each state the number that [`ScoreSpread::spread`] returns.
    ///
    /// # Errors
    ///
    /// Errors of `keep`; [`crate::Error::Options`] if play may never end, and the rules do not say what that scores.
    pub fn scores(&self, scored: Scored, keep: Keep) -> Result<Option<Vec<u32>>> {
        let spread = self.spread(0);
        let Some(mut found) = self.score_spread(&spread, scored)? else { return Ok(None) };
        let monitor = self.monitor(0, self.count() as u64, 0);
        monitor.add(found.reached);
        if !keep(&SpreadStep { so_far: SoFar::Scores(&found), stopped: false })? {
            return Ok(None);
        }
        let mut look = |found: &ScoreSpread, told: u64| {
            monitor.add(told);
            let stopped = monitor.stopped();
            Ok(keep(&SpreadStep { so_far: SoFar::Scores(found), stopped })? && !stopped)
        };
        let Some(to_end) = found.spread(scored.endless, &mut look)? else { return Ok(None) };
        for ((value, &points), &second) in spread.values.iter().zip(&found.points).zip(&found.second) {
            if points == UNKNOWN {
                return Err(endless());
            }
            value.store(ValueCode::scored(of_mover(points, usize::from(second))).0, Ordering::Relaxed);
        }
        Ok(Some(to_end))
    }

    /// The tier in the form of a [`ScoreSpread`]: its states and moves, the scores of states in which play is over and
    /// of states in later tiers, and the scores that are known already. `None` if the watch stops the work.
    ///
    /// # Errors
    ///
    /// The errors of [`KeptListing::read`].
    fn score_spread(&self, spread: &Spread, scored: Scored) -> Result<Option<ScoreSpread>> {
        let count = self.count();
        let known: Vec<u32> =
            spread.values.iter().map(|value| value.swap(ValueCode::NOTHING.0, Ordering::Relaxed)).collect();
        let mut second = vec![false; count];
        for range in self.graph.depths().iter().filter(|range| range.player == 1) {
            let (begin, end) = (range.states.start.max(self.states.start), range.states.end.min(self.states.end));
            (begin..end).for_each(|state| second[self.place(state) as usize] = true);
        }
        if self.graph.keeps_turns() {
            let movers = self.states.clone().map(|state| self.graph.mover(state) == 1);
            second = movers.collect();
        }
        let (counts, successors, best) = (zeros(count), zeros(count), zeros(count));
        let over = |place: u32, code: ValueCode| spread.values[place as usize].store(code.0, Ordering::Relaxed);
        let counted = |place: u32, inside: &[u64], later: ValueCode| {
            for &after in inside {
                counts[self.place(after) as usize].fetch_add(1, Ordering::Relaxed);
            }
            successors[place as usize].store(inside.len() as u32, Ordering::Relaxed);
            best[place as usize].store(later.0, Ordering::Relaxed);
        };
        if self.walk(spread, &counted, &over)?.is_none() {
            return Ok(None);
        }
        let begins = begins_of(&counts);
        let list = zeros(begins[count] as usize);
        let fill = |place: u32, inside: &[u64], _: ValueCode| {
            self.list(place, inside.iter().copied(), &counts, &begins, &list);
        };
        if self.walk(spread, &fill, &over)?.is_none() {
            return Ok(None);
        }
        let points = |codes: &[AtomicU32]| -> Vec<i32> {
            let points = |(code, &second): (&AtomicU32, &bool)| match ValueCode(code.load(Ordering::Relaxed)) {
                ValueCode::NOTHING => UNKNOWN,
                code => of_mover(code.points(), usize::from(second)),
            };
            codes.iter().zip(&second).map(points).collect()
        };
        let numbers = |atomic: Vec<AtomicU32>| atomic.into_iter().map(AtomicU32::into_inner).collect();
        let (points, elsewhere) = (points(spread.values), points(&best));
        let mut found = ScoreSpread {
            points,
            second,
            elsewhere,
            successors: numbers(successors),
            begins,
            predecessors: numbers(list),
            told: vec![0; count],
            reached: 0,
        };
        for (place, code) in known.into_iter().enumerate().filter(|(_, code)| *code > 0) {
            found.restore(place, code, scored.endless);
        }
        Ok(Some(found))
    }

    /// Enters the state at `place` into the list of predecessors of each of its successors `after`. The list of a state
    /// is filled from its end, in no certain order.
    fn list(
        &self,
        place: u32,
        after: impl Iterator<Item = u64>,
        counts: &[AtomicU32],
        begins: &[u64],
        list: &[AtomicU32],
    ) {
        for after in after.map(|after| self.place(after) as usize) {
            let at = counts[after].fetch_sub(1, Ordering::Relaxed) - 1;
            list[(begins[after] + u64::from(at)) as usize].store(place, Ordering::Relaxed);
        }
    }

    /// Passes the values of the frontier on to the predecessors. Predecessors that then get a value are put into the
    /// next frontier.
    fn tell_all(
        &self,
        spread: &Spread,
        before: &Before,
        frontier: &Frontier,
        (monitor, next, waiting): (&Monitor, &NextFrontier, &Waiting),
    ) {
        if before.way == PredecessorWay::Tried {
            return self.try_all(spread, monitor, next);
        }
        let work = |places: &[u32]| {
            if monitor.stopped() {
                return;
            }
            let mut now = Vec::new();
            if before.way == PredecessorWay::Listed {
                for &place in places {
                    self.tell(place, (spread, before), &mut now, waiting);
                }
            } else {
                self.undo(places, (spread, before), &mut now, waiting);
            }
            next.extend(now);
            monitor.add(places.len() as u64);
        };
        frontier.each(self.count(), &|place| spread.is_next(place), &work);
    }

    /// Passes the value of one state on to its listed predecessors.
    fn tell(&self, place: u32, (spread, before): (&Spread, &Before), now: &mut Vec<u32>, waiting: &Waiting) {
        let (begin, end) = (before.begins[place as usize] as usize, before.begins[place as usize + 1] as usize);
        let predecessors = before.list[begin..end].iter().map(|predecessor| predecessor.load(Ordering::Relaxed));
        self.pass_on(place, predecessors, (spread, before), now, waiting);
    }

    /// Passes the value of one state on to the given predecessors. In a game, none of them is given twice.
    fn pass_on(
        &self,
        place: u32,
        predecessors: impl Iterator<Item = u32>,
        (spread, before): (&Spread, &Before),
        now: &mut Vec<u32>,
        waiting: &Waiting,
    ) {
        let (code, keeps_turns) = (spread.known(place), self.graph.keeps_turns());
        let number = |place: u32| self.states.start + u64::from(place);
        let moves = spread.moves + 1;
        for predecessor in predecessors {
            let again = keeps_turns && self.graph.keeps_turn(number(predecessor), number(place));
            let lost = code.of_other(again).worth() == Worth::Loss;
            if lost || self.is_puzzle() {
                if spread.decide(predecessor, ValueCode::decided(Worth::Win, moves)) {
                    now.push(predecessor);
                }
            } else if before.successors[predecessor as usize].fetch_sub(1, Ordering::Relaxed) == 1 {
                let least = before.least.get(predecessor as usize).map_or(0, |least| least.load(Ordering::Relaxed));
                let code = ValueCode::decided(Worth::Loss, moves.max(least));
                if least > moves {
                    waiting.push(code, predecessor);
                } else if spread.decide(predecessor, code) {
                    now.push(predecessor);
                }
            }
        }
    }

    /// Undoes the moves that lead to the given states, and passes their values on to each state found in this way.
    fn undo(&self, places: &[u32], (spread, before): (&Spread, &Before), now: &mut Vec<u32>, waiting: &Waiting) {
        let states: Vec<u64> = places.iter().map(|&place| self.states.start + u64::from(place)).collect();
        let mut found = Lists::default();
        self.graph.predecessors(&states, &mut found);
        if !self.is_puzzle() {
            found.make_distinct();
        }
        for (&place, predecessors) in places.iter().zip(found.iter()) {
            // A predecessor in an earlier tier is left out. It gets its value when that tier is worked on. Play may
            // be over in a predecessor, which then has a value.
            let ours = predecessors.iter().filter(|&state| self.states.contains(state));
            let open = ours.map(|&state| self.place(state)).filter(|&at| spread.known(at) == ValueCode::NOTHING);
            self.pass_on(place, open, (spread, before), now, waiting);
        }
    }

    /// Tries all moves of all states of a puzzle that have no value yet. States from which a move leads to the frontier
    /// get a value, and are added to `next`.
    fn try_all(&self, spread: &Spread, monitor: &Monitor, next: &NextFrontier) {
        let code = ValueCode::decided(Worth::Win, spread.moves + 1);
        // The result is not needed, because the caller asks the monitor whether the watch has stopped the work.
        let _ = each_block(self.graph, &self.states, monitor, &|block| {
            let places = || block.clone().map(|state| self.place(state));
            if places().all(|place| spread.known(place) != ValueCode::NOTHING) {
                return;
            }
            let mut edges = Edges::default();
            self.graph.successors(block.clone(), &mut edges);
            let leads = |after: &[u64]| {
                after.iter().any(|after| self.states.contains(after) && spread.is_next(self.place(*after)))
            };
            let found = places().zip(edges.after.iter()).filter(|(_, after)| leads(after));
            next.extend(found.map(|(place, _)| place).filter(|&place| spread.decide(place, code)).collect());
        });
    }
}
