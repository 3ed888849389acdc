//! Values that spread backward, from the states in which play is over: of all states, or of those of a tier, the later
//! tiers being known.
//!
//! A state that has a successor which is lost in `m` moves, and none that is lost sooner, is won in `m + 1`. A state
//! all of whose successors are won, the last of them in `m` moves, is lost in `m + 1`. So values are found in order
//! of the moves, and each state counts how many of its successors in the tier are not known to be won. Different
//! moves may lead to one state: only different ones count. A puzzle is a game against nobody: states from which moves
//! lead to the goal are won.
//!
//! What a state owes to later tiers has a number of moves of its own. It waits until values have spread that far.
//! Take two states of a tier, a → b and b → a, let play be over, and lost, one move after a, and let b lead to a
//! later tier, to a state that is lost in 6. From there alone b is won in 7. But from a, which is won in 1, nothing
//! follows for b: so b waits and is won in 7, and not sooner.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};

use super::allowance::{Allowance, each_block};
use super::frontier::{Frontier, NextFrontier, each_place};
use super::value_code::{Best, ValueCode};
use crate::error::Result;
use crate::graph::{Edges, Graph, Lists};
use crate::run::{Monitor, Worth};

/// What a state counts down from if it can no more be lost. There are fewer states than that in a tier.
const NEVER_LOST: u32 = 1 << 31;

/// How the states before a state are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PredecessorWay {
    /// Moves are undone. Nothing is held beside the values. It serves puzzles that say how moves are undone.
    Undone,
    /// From a list that is made before, of all predecessors of each state.
    Listed,
    /// All moves of all states that have no value yet are tried, once for each number of moves. It serves puzzles,
    /// and is slow.
    Tried,
}

/// The states whose values are to be found. Moves lead from them to each other, or to states with larger numbers, whose
/// values are known.
pub(super) struct Retrograde<'a> {
    pub graph: &'a dyn Graph,
    pub states: Range<u64>,
    /// For each state of the graph, by its number, a [`ValueCode`].
    pub values: &'a [AtomicU32],
    /// Whether moves lead to states with larger numbers.
    pub leads_on: bool,
    pub way: PredecessorWay,
    pub allowed: &'a Allowance<'a>,
}

/// How far values have spread.
pub(super) struct Spread<'a> {
    /// For each state, by its place among those whose values are to be found, a [`ValueCode`].
    pub values: &'a [AtomicU32],
    /// The states whose play is over within this number of moves are all known. Those that need exactly this number
    /// have not told their predecessors yet.
    pub moves: u32,
}

/// A step that is done: the states with a number of moves are all known.
pub(super) struct SpreadStep<'a> {
    pub spread: &'a Spread<'a>,
    /// The states that need exactly the moves of `spread`.
    pub frontier: &'a Frontier,
    /// Whether the watch stops the search here. Then some states may be known that need one move more.
    pub stopped: bool,
}

impl SpreadStep<'_> {
    /// Whether a state is in the frontier.
    pub fn is_next(&self, place: u32) -> bool {
        self.spread.is_next(place)
    }
}

/// Is told of each step, and says whether to go on.
pub(super) type Keep<'a> = &'a mut dyn FnMut(&SpreadStep) -> Result<bool>;

/// The most bytes that spreading takes beside the states and their values: the frontiers; with a list, for each state
/// where its predecessors begin, and the list; and with two players a count. If moves lead to later tiers, also what
/// each state owes to these, and its place among those that wait.
pub(super) fn bytes(states: u64, moves: u64, players: usize, leads_on: bool, way: PredecessorWay) -> u64 {
    let counts = if players == 2 { size_of::<u32>() } else { 0 };
    let list = if way == PredecessorWay::Listed { size_of::<u64>() + size_of::<u32>() } else { 0 };
    let waiting = if leads_on { 2 * size_of::<u32>() + counts } else { 0 };
    let each = states.saturating_mul((counts + list + waiting) as u64).saturating_add(Frontier::most_bytes(states));
    if way == PredecessorWay::Listed { each.saturating_add(moves.saturating_mul(4)) } else { each }
}

/// No value is known yet.
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

    /// The code of a state, as it was when all of `moves` moves were known.
    pub fn code(&self, place: usize) -> u32 {
        let known = self.known(place as u32);
        if known.moves() > self.moves { ValueCode::NOTHING.0 } else { known.0 }
    }

    /// Whether a state has told its predecessors what it is worth.
    fn has_told(&self, place: u32) -> bool {
        let known = self.known(place);
        self.moves > 0 && known.worth() != Worth::Draw && known.moves() < self.moves
    }

    /// Whether a state is won or lost in exactly so many moves as all are known of.
    fn is_next(&self, place: u32) -> bool {
        let known = self.known(place);
        known.worth() != Worth::Draw && known.moves() == self.moves
    }

    /// Sets the value of a state of which nothing is known. Returns whether that was so: of several threads that decide
    /// it, which all find the same, one does it.
    fn decide(&self, place: u32, code: ValueCode) -> bool {
        let value = &self.values[place as usize];
        value.compare_exchange(ValueCode::NOTHING.0, code.0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// States that are decided once values have spread far enough: for each value, the states that will have it, unless
/// they are won sooner.
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

/// What is held beside the values while they spread.
struct Before {
    way: PredecessorWay,
    /// For each state, where its predecessors begin in the list, and where the last ones end; empty without a list.
    begins: Vec<u64>,
    list: Vec<AtomicU32>,
    /// For each state, how many different successors it has in its tier; empty in a puzzle.
    successors: Vec<AtomicU32>,
    /// For each state all of whose successors in later tiers are won, how many moves it is lost in at least. Empty if
    /// no move leads to a later tier.
    least: Vec<AtomicU32>,
}

impl Retrograde<'_> {
    /// The values of the tier's states.
    fn spread(&self, moves: u32) -> Spread<'_> {
        Spread { values: &self.values[self.states.start as usize..self.states.end as usize], moves }
    }

    fn count(&self) -> usize {
        (self.states.end - self.states.start) as usize
    }

    fn is_puzzle(&self) -> bool {
        self.graph.players() == 1
    }

    /// The place of a state of the tier.
    fn place(&self, state: u64) -> u32 {
        (state - self.states.start) as u32
    }

    fn monitor(&self, moves: u32, frontier: u64, states: u64) -> Monitor<'_> {
        self.allowed.monitor(u64::from(moves), frontier, states)
    }

    /// Calls `each` with the place of each state of which nothing is known, its different successors in the tier, and
    /// what those in later tiers make of it; `over` with the places of those in which play is over, and their values.
    /// `None` if the watch stops it.
    fn walk(
        &self,
        spread: &Spread,
        each: &(dyn Fn(u32, &[u64], ValueCode) + Sync),
        over: &(dyn Fn(u32, ValueCode) + Sync),
    ) -> Option<()> {
        let count = self.count() as u64;
        let monitor = self.monitor(0, count, count);
        each_block(self.graph, &self.states, &monitor, &|block| {
            let mut edges = Edges::default();
            self.graph.successors(block.clone(), &mut edges);
            edges.after.make_distinct();
            for (state, (worth, after)) in block.zip(edges.iter()) {
                let place = self.place(state);
                if spread.known(place) != ValueCode::NOTHING {
                    continue;
                }
                if let Some(worth) = worth {
                    over(place, ValueCode::decided(worth, 0));
                    continue;
                }
                let (inside, later) = after.split_at(after.partition_point(|&after| after < self.states.end));
                let mut best = Best::new(self.is_puzzle());
                for &after in later {
                    best.take(ValueCode(self.values[after as usize].load(Ordering::Relaxed)));
                }
                each(place, inside, if later.is_empty() { ValueCode::NOTHING } else { best.code() });
            }
        })
    }

    /// Finds the values if each move leads to a later tier; `None` if the watch stops it.
    pub fn sweep(&self) -> Option<()> {
        let spread = self.spread(0);
        let set = |place: u32, code: ValueCode| spread.values[place as usize].store(code.0, Ordering::Relaxed);
        // Nobody forces a draw that play is not over with.
        let each = |place: u32, _: &[u64], best: ValueCode| {
            set(place, if best.worth() == Worth::Draw { ValueCode::NOTHING } else { best });
        };
        self.walk(&spread, &each, &set)
    }

    /// Finds where play is over, and what is needed to spread on. A list is made in two passes: first how many
    /// predecessors each state has that has not told its value, then which. What is known already needs no list.
    /// `None` if the watch stops it.
    fn before(&self, spread: &Spread, waiting: &Waiting) -> Option<Before> {
        let (listed, game) = (self.way == PredecessorWay::Listed, !self.is_puzzle());
        let zeros_if = |wanted: bool| zeros(if wanted { self.count() } else { 0 });
        let (counts, successors, least) = (zeros_if(listed), zeros_if(game), zeros_if(self.leads_on && game));
        let over = |place: u32, code: ValueCode| spread.values[place as usize].store(code.0, Ordering::Relaxed);
        if !listed && !self.leads_on {
            self.find_ends(spread)?;
            return Some(Before { way: self.way, begins: Vec::new(), list: Vec::new(), successors, least });
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
                // All that is left are moves that lead to states which are won.
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
        self.walk(spread, &counted, &over)?;
        if !listed {
            return Some(Before { way: self.way, begins: Vec::new(), list: Vec::new(), successors, least });
        }
        let mut begins = vec![0; counts.len() + 1];
        for (at, count) in counts.iter().enumerate() {
            begins[at + 1] = begins[at] + u64::from(count.load(Ordering::Relaxed));
        }
        let list = zeros(begins[counts.len()] as usize);
        let fill = |place: u32, inside: &[u64], _: ValueCode| {
            for after in inside.iter().map(|&after| self.place(after)).filter(|&after| !spread.has_told(after)) {
                // The places of a state are filled from the last one, in no certain order.
                let at = counts[after as usize].fetch_sub(1, Ordering::Relaxed) - 1;
                list[(begins[after as usize] + u64::from(at)) as usize].store(place, Ordering::Relaxed);
            }
        };
        self.walk(spread, &fill, &|_, _| ())?;
        Some(Before { way: self.way, begins, list, successors, least })
    }

    /// Finds the states in which play is over, without following moves; `None` if the watch stops it.
    fn find_ends(&self, spread: &Spread) -> Option<()> {
        let count = self.count() as u64;
        let monitor = self.monitor(0, count, count);
        each_block(self.graph, &self.states, &monitor, &|block| {
            let mut over = Vec::new();
            self.graph.over(block.clone(), &mut over);
            for (state, worth) in block.zip(over) {
                if let Some(worth) = worth {
                    spread.decide(self.place(state), ValueCode::decided(worth, 0));
                }
            }
        })
    }

    /// Finds the values, which have spread up to a number of moves already; `None` if the watch or `keep` stops it.
    /// `keep` is told of each step, the first one among them.
    ///
    /// # Errors
    ///
    /// Errors of `keep`.
    pub fn values(&self, moves: u32, keep: Keep) -> Result<Option<()>> {
        let (mut spread, mut waiting) = (self.spread(moves), Waiting::default());
        let Some(before) = self.before(&spread, &waiting) else { return Ok(None) };
        let next = NextFrontier::new(self.count());
        each_place(self.count(), &|place| spread.is_next(place), &|places| next.extend(places.to_vec()));
        let (mut frontier, mut decided) = (next.close(), 0);
        if !keep(&SpreadStep { spread: &spread, frontier: &frontier, stopped: false })? {
            return Ok(None);
        }
        while !(frontier.is_empty() && waiting.is_empty()) {
            decided += frontier.len();
            let next = NextFrontier::new(self.count());
            let monitor = self.monitor(spread.moves, frontier.len(), decided);
            self.tell_all(&spread, &before, &frontier, (&monitor, &next, &waiting));
            if monitor.stopped() {
                keep(&SpreadStep { spread: &spread, frontier: &frontier, stopped: true })?;
                return Ok(None);
            }
            spread.moves += 1;
            for worth in [Worth::Win, Worth::Loss] {
                let code = ValueCode::decided(worth, spread.moves);
                let due = waiting.take(code);
                next.extend(due.into_iter().filter(|&place| spread.decide(place, code)).collect());
            }
            frontier = next.close();
            if !keep(&SpreadStep { spread: &spread, frontier: &frontier, stopped: false })? {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    /// Tells the states before those of the frontier that their values are known, and lists those whose values follow.
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
                self.undo(places, spread, &mut now);
            }
            next.extend(now);
            monitor.add(places.len() as u64);
        };
        frontier.each(self.count(), &|place| spread.is_next(place), &work);
    }

    /// Tells the listed predecessors of a state that its value is known.
    fn tell(&self, place: u32, (spread, before): (&Spread, &Before), now: &mut Vec<u32>, waiting: &Waiting) {
        let lost = spread.known(place).worth() == Worth::Loss;
        let moves = spread.moves + 1;
        let (begin, end) = (before.begins[place as usize] as usize, before.begins[place as usize + 1] as usize);
        for predecessor in &before.list[begin..end] {
            let predecessor = predecessor.load(Ordering::Relaxed);
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

    /// Undoes the moves that lead to solved states of a puzzle.
    fn undo(&self, places: &[u32], spread: &Spread, now: &mut Vec<u32>) {
        let states: Vec<u64> = places.iter().map(|&place| self.states.start + u64::from(place)).collect();
        let (mut found, code) = (Lists::default(), ValueCode::decided(Worth::Win, spread.moves + 1));
        self.graph.predecessors(&states, &mut found);
        // States of earlier tiers follow when their tiers are looked at.
        let ours = found.iter().flatten().filter(|&state| self.states.contains(state));
        now.extend(ours.map(|&state| self.place(state)).filter(|&place| spread.decide(place, code)));
    }

    /// Tries all moves of all states of a puzzle of which nothing is known.
    fn try_all(&self, spread: &Spread, monitor: &Monitor, next: &NextFrontier) {
        let code = ValueCode::decided(Worth::Win, spread.moves + 1);
        // It does not matter whether the watch stops this: the caller asks the monitor.
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
