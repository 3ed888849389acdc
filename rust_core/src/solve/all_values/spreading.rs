//! The values of the states of a tier, from those of later tiers.
//!
//! If play may come back to a state of the tier, values spread backward from the states in which play is over, and from
//! those that lead to later tiers, one number of moves after the other. A state that has a successor which is lost in `m`
//! moves, and none that is lost sooner, is won in `m + 1`. A state all of whose successors are won, the last of them in `m`
//! moves, is lost in `m + 1`. So each state counts how many of its successors in the tier are not known to be won.
//! Different moves may lead to one canonical state: only different ones count.
//!
//! What a state owes to later tiers has a number of moves of its own. It waits until values have spread that far. Take two
//! states of a tier, a → b and b → a, let play be over, and lost, one move after a, and let b lead to a later tier, to a
//! state that is lost in 6. From there alone b is won in 7. But from a, which is won in 1, nothing follows for b: so b waits
//! and is won in 7, and not sooner.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::given::{AT_ONCE, Given};
use super::known::{Best, Known, Worth};
use super::numbered_states::{NumberedStates, Outside};
use super::tally::Tallies;
use crate::compile::Word;
use crate::error::Result;
use crate::run::Monitor;

/// What a state counts down from if it can no more be lost. There are fewer states than that in a tier.
const NEVER_LOST: u32 = 1 << 31;

/// The most bytes that spreading takes beside the states and their values: for each state a count, the place of its
/// predecessors in their list, and its place in two frontiers; and the list. If moves lead to later tiers, also what each
/// state owes to these, and its place among those that wait.
pub fn bytes(states: usize, moves: u64, leads_on: bool) -> u64 {
    let each = size_of::<u32>() + size_of::<u64>() + 4 * size_of::<u32>();
    let waiting = if leads_on { 3 * size_of::<u32>() } else { 0 };
    (states.saturating_mul(each + waiting) as u64).saturating_add(moves.saturating_mul(4))
}

/// States whose values are to be found.
pub struct Graph<'a, 'g, W> {
    pub given: &'a Given<'g, W>,
    pub states: &'a NumberedStates<W>,
    pub outside: Outside<'a, W>,
}

/// How far values have spread.
pub struct Spread {
    /// For each state, by its number, a [`Known`].
    pub values: Vec<AtomicU32>,
    /// The states whose play is over within this number of moves are all known. Those that need exactly this number
    /// have not told their predecessors yet.
    pub moves: u32,
}

impl Spread {
    /// Nothing is known of any state yet. There are `states` of them.
    pub fn new(states: usize) -> Self {
        Self { values: (0..states).map(|_| AtomicU32::new(Known::NOTHING.0)).collect(), moves: 0 }
    }

    fn known(&self, number: u32) -> Known {
        Known(self.values[number as usize].load(Ordering::Relaxed))
    }

    /// The code of a state, as it was when all of `moves` moves were known.
    pub fn code(&self, number: usize) -> u32 {
        let known = self.known(number as u32);
        if known.moves() > self.moves { Known::NOTHING.0 } else { known.0 }
    }

    /// Whether a state has told its predecessors what it is worth.
    fn has_told(&self, number: u32) -> bool {
        let known = self.known(number);
        self.moves > 0 && known.worth() != Worth::Draw && known.moves() < self.moves
    }

    /// Sets the value of a state of which nothing is known. Returns whether that was so: of several threads that decide
    /// it, which all find the same, one does it.
    fn decide(&self, number: u32, known: Known) -> bool {
        let place = &self.values[number as usize];
        place.compare_exchange(Known::NOTHING.0, known.0, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn into_values(self) -> Vec<Known> {
        self.values.into_iter().map(|value| Known(value.into_inner())).collect()
    }
}

/// States that are decided once values have spread far enough: for each value, the states that will have it, unless they
/// are won sooner.
type Waiting = BTreeMap<u32, Vec<u32>>;

/// What follows from states whose values are known: states that are decided now, and states that will be, with the values
/// that they will have.
#[derive(Default)]
struct Following {
    now: Vec<u32>,
    later: Vec<(u32, Known)>,
}

/// Which states come before each state.
struct Predecessors {
    /// For each state, where its predecessors begin in the list; and where the last ones end.
    begins: Vec<u64>,
    list: Vec<AtomicU32>,
    /// For each state, how many different successors it has in its tier.
    successors: Vec<AtomicU32>,
    /// For each state all of whose successors in later tiers are won, how many moves it is lost in at least. Empty if no
    /// move leads to a later tier.
    least: Vec<AtomicU32>,
}

fn zeros(count: usize) -> Vec<AtomicU32> {
    (0..count).map(|_| AtomicU32::new(0)).collect()
}

/// Counts the values of states.
pub fn count<W: Word>(given: &Given<W>, states: &NumberedStates<W>, values: &[Known], tally: &mut Tallies<W>) {
    for run in &states.runs {
        let (words, first) = states.of_run(run);
        count_depth(given, (run.depth, words), &values[first..][..words.len()], tally);
    }
}

/// Counts the values of the states of a depth. If it is depth 0, the first one is the start.
pub fn count_depth<W: Word>(given: &Given<W>, (depth, words): (usize, &[W]), values: &[Known], tally: &mut Tallies<W>) {
    let player = depth % given.players();
    let parts = words.par_chunks(AT_ONCE).zip(values.par_chunks(AT_ONCE)).map(|(words, values)| {
        let mut counted = Tallies::new(tally.depths.len());
        for (&word, known) in words.iter().zip(values) {
            counted.add(depth, (word, player), *known, given.images.orbit_size(word));
        }
        counted
    });
    let counted = parts.reduce(|| Tallies::new(tally.depths.len()), Tallies::merge);
    *tally = std::mem::replace(tally, Tallies::new(0)).merge(counted);
    if depth == 0 {
        tally.start = values.first().copied().unwrap_or(Known::DRAW);
    }
}

impl<W: Word> Graph<'_, '_, W> {
    /// The numbers of the different successors of a state in its tier, in order; and if `best` is given, the best of all
    /// others. Returns whether there is any successor. Play is not over in the state.
    fn successors(&self, word: W, player: usize, found: &mut Vec<u32>, mut best: Option<&mut Option<Best>>) -> bool {
        let next = self.given.compiled.rules.next_player(player);
        let mut any = false;
        found.clear();
        self.given.compiled.steps[player].each(word, |_, step| {
            let after = self.given.images.smallest(step.effect.apply(word));
            any = true;
            match (self.states.number(after, next), &mut best) {
                (Some(number), _) => found.push(number),
                (None, Some(best)) => best
                    .get_or_insert_with(|| Best::new(self.given.players() == 1))
                    .take(self.outside.known(after, next)),
                (None, None) => {}
            }
            true
        });
        found.sort_unstable();
        found.dedup();
        any
    }

    /// Calls `each` with the number of each state of which nothing is known, the numbers of its successors in the tier,
    /// and, with `later`, what those in later tiers make of it; `over` with the numbers of those in which play is over, and
    /// their values. `None` if the watch stops it.
    fn walk(
        &self,
        spread: &Spread,
        later: bool,
        each: impl Fn(u32, &[u32], Known) + Sync,
        over: impl Fn(u32, Known) + Sync,
    ) -> Option<()> {
        let count = self.states.len() as u64;
        let monitor = Monitor::new(self.given.watch, self.given.begun, self.given.progress(0, count, count));
        self.states.chunks().for_each(|(number, player, words)| {
            if monitor.stopped() {
                return;
            }
            let mut found = Vec::new();
            for (number, &word) in (number as u32..).zip(words) {
                if spread.known(number) != Known::NOTHING {
                    continue;
                }
                if let Some(known) = self.given.over(word, player) {
                    over(number, known);
                    continue;
                }
                let mut best = None;
                if self.successors(word, player, &mut found, later.then_some(&mut best)) {
                    each(number, &found, best.map_or(Known::NOTHING, Best::known));
                } else {
                    over(number, self.given.stuck(player));
                }
            }
            monitor.add(words.len() as u64);
        });
        (!monitor.stopped()).then_some(())
    }

    /// The values if each move leads to a later tier; `None` if the watch stops it.
    pub fn sweep(&self) -> Option<Vec<Known>> {
        let spread = Spread::new(self.states.len());
        let set = |number: u32, known: Known| spread.values[number as usize].store(known.0, Ordering::Relaxed);
        // Nobody forces a draw that play is not over with.
        let each = |number: u32, _: &[u32], best: Known| {
            set(number, if best.worth() == Worth::Draw { Known::NOTHING } else { best });
        };
        self.walk(&spread, true, each, set)?;
        Some(spread.into_values())
    }

    /// Lists the states before each state that has not told its value: first how many each has, then which. So all moves
    /// are made twice. What is known already needs no list.
    fn predecessors(&self, spread: &Spread) -> Option<(Predecessors, Waiting)> {
        let count = self.states.len();
        let leads_on = self.outside.map.is_some();
        let (counts, successors, least) = (zeros(count), zeros(count), zeros(if leads_on { count } else { 0 }));
        let waiting = std::sync::Mutex::new(Waiting::new());
        let wait = |number: u32, known: Known| {
            let mut waiting = waiting.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            waiting.entry(known.0).or_default().push(number);
        };
        let counted = |number: u32, found: &[u32], best: Known| {
            let left = found.iter().filter(|&&after| !spread.has_told(after));
            let mut successors_left = left.clone().count() as u32;
            match best.worth() {
                Worth::Win => wait(number, best),
                // All that is left are moves that lead to states which are won.
                Worth::Loss if successors_left == 0 => wait(number, best),
                Worth::Loss => least[number as usize].store(best.moves(), Ordering::Relaxed),
                Worth::Draw => {}
            }
            if best != Known::NOTHING && best.worth() != Worth::Loss {
                successors_left |= NEVER_LOST;
            }
            successors[number as usize].store(successors_left, Ordering::Relaxed);
            for &after in left {
                counts[after as usize].fetch_add(1, Ordering::Relaxed);
            }
        };
        let over = |number: u32, known: Known| spread.values[number as usize].store(known.0, Ordering::Relaxed);
        self.walk(spread, leads_on, counted, over)?;
        let mut begins = vec![0; counts.len() + 1];
        for (at, count) in counts.iter().enumerate() {
            begins[at + 1] = begins[at] + u64::from(count.load(Ordering::Relaxed));
        }
        let list = zeros(begins[counts.len()] as usize);
        let listed = |number: u32, found: &[u32], _: Known| {
            for &after in found.iter().filter(|&&after| !spread.has_told(after)) {
                // The places of a state are filled from the last one, in no certain order.
                let place = counts[after as usize].fetch_sub(1, Ordering::Relaxed) - 1;
                list[(begins[after as usize] + u64::from(place)) as usize].store(number, Ordering::Relaxed);
            }
        };
        self.walk(spread, false, listed, |_, _| ())?;
        let waiting = waiting.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Some((Predecessors { begins, list, successors, least }, waiting))
    }

    /// The value of each state, by its number, from how far values have spread; `None` if the watch stops it. `keep` is
    /// told how far they have after each number of moves, and whether the watch has stopped it.
    ///
    /// # Errors
    ///
    /// Those of `keep`.
    pub fn values(
        &self,
        mut spread: Spread,
        keep: &mut dyn FnMut(&Spread, bool) -> Result<()>,
    ) -> Result<Option<Vec<Known>>> {
        let Some((before, mut waiting)) = self.predecessors(&spread) else { return Ok(None) };
        let is_next = |&number: &u32| {
            let known = spread.known(number);
            known.worth() != Worth::Draw && known.moves() == spread.moves
        };
        let mut frontier: Vec<u32> = (0..spread.values.len() as u32).filter(is_next).collect();
        let mut decided = 0;
        while !(frontier.is_empty() && waiting.is_empty()) {
            decided += frontier.len() as u64;
            let progress = self.given.progress(u64::from(spread.moves), frontier.len() as u64, decided);
            let monitor = Monitor::new(self.given.watch, self.given.begun, progress);
            let next: Vec<Following> = frontier
                .par_chunks(AT_ONCE)
                .map(|numbers| {
                    let mut found = Following::default();
                    if !monitor.stopped() {
                        for &number in numbers {
                            self.tell(number, (&spread, &before), &mut found);
                        }
                        monitor.add(numbers.len() as u64);
                    }
                    found
                })
                .collect();
            if monitor.stopped() {
                keep(&spread, true)?;
                return Ok(None);
            }
            frontier.clear();
            for Following { now, later } in next {
                frontier.extend(now);
                for (number, known) in later {
                    waiting.entry(known.0).or_default().push(number);
                }
            }
            spread.moves += 1;
            for worth in [Worth::Win, Worth::Loss] {
                let known = Known::decided(worth, spread.moves);
                let due = waiting.remove(&known.0).unwrap_or_default();
                frontier.extend(due.into_iter().filter(|&number| spread.decide(number, known)));
            }
            keep(&spread, false)?;
        }
        Ok(Some(spread.into_values()))
    }

    /// Tells the states before a state that its value is known. Lists those whose value follows: those that are decided
    /// now, and those that will be.
    fn tell(&self, number: u32, (spread, before): (&Spread, &Predecessors), found: &mut Following) {
        let lost = spread.known(number).worth() == Worth::Loss;
        let moves = spread.moves + 1;
        let (begin, end) = (before.begins[number as usize] as usize, before.begins[number as usize + 1] as usize);
        for predecessor in &before.list[begin..end] {
            let predecessor = predecessor.load(Ordering::Relaxed);
            if lost || self.given.players() == 1 {
                if spread.decide(predecessor, Known::decided(Worth::Win, moves)) {
                    found.now.push(predecessor);
                }
            } else if before.successors[predecessor as usize].fetch_sub(1, Ordering::Relaxed) == 1 {
                let least = before.least.get(predecessor as usize).map_or(0, |least| least.load(Ordering::Relaxed));
                let known = Known::decided(Worth::Loss, moves.max(least));
                if least > moves {
                    found.later.push((predecessor, known));
                } else if spread.decide(predecessor, known) {
                    found.now.push(predecessor);
                }
            }
        }
    }
}
