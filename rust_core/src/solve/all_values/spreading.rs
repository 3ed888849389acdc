//! Values if play may come back to a state: they spread backward from the states in which play is over, one number of
//! moves after the other.
//!
//! A state that has a successor which is lost in `m` moves, and none that is lost sooner, is won in `m + 1`. A state all
//! of whose successors are won, the last of them in `m` moves, is lost in `m + 1`. So each state counts how many of its
//! successors are not known to be won. Different moves may lead to one canonical state: only different ones count.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

use super::super::numbered::Numbered;
use super::given::{AT_ONCE, Given};
use super::known::{Known, Worth};
use super::tally::Tallies;
use crate::compile::Word;
use crate::error::Result;
use crate::run::Monitor;

/// The most bytes that it takes beside the states: the table that finds them, for each a value, a count, the place of
/// its predecessors in their list, and its place in two frontiers; and the list.
pub fn bytes<W: Word>(states: usize, generated: u64) -> u64 {
    let each = size_of::<Known>() + size_of::<u32>() + size_of::<u64>() + 4 * size_of::<u32>();
    ((states * each + Numbered::<W>::slot_bytes(states)) as u64).saturating_add(generated.saturating_mul(4))
}

/// Counts the values of all states; `None` if the watch stops it.
pub fn spread<W: Word>(given: &Given<W>, depths: Vec<Vec<W>>, tally: &mut Tallies<W>) -> Option<()> {
    let graph = Graph::new(given, depths);
    let values = graph.values(Spread::new(graph.len()), &mut |_, _| Ok(())).ok()??;
    for run in &graph.runs {
        graph.count(run.depth, &values, tally);
    }
    tally.start = values[0];
    Some(())
}

/// The states, numbered: first those in which the first player is to move, in order of their depths, then the others.
pub struct Graph<'a, 'g, W> {
    given: &'a Given<'g, W>,
    /// For each player, the states in which that player is to move.
    words: Vec<Numbered<W>>,
    /// For each player, the number of the first of them.
    first: Vec<u32>,
    /// The runs of states of one depth, in order of their numbers.
    runs: Vec<Run>,
}

/// The states of one depth.
struct Run {
    depth: usize,
    player: usize,
    /// Where they are among the states of that player.
    begin: usize,
    end: usize,
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
}

/// Which states come before each state.
struct Predecessors {
    /// For each state, where its predecessors begin in the list; and where the last ones end.
    begins: Vec<u64>,
    list: Vec<AtomicU32>,
    /// For each state, how many different successors it has.
    successors: Vec<AtomicU32>,
}

impl<'a, 'g, W: Word> Graph<'a, 'g, W> {
    /// The states of all depths.
    pub fn new(given: &'a Given<'g, W>, depths: Vec<Vec<W>>) -> Self {
        let players = given.players();
        let room = |player: usize| depths.iter().skip(player).step_by(players).map(Vec::len).sum();
        let mut lists: Vec<Vec<W>> = (0..players).map(|player| Vec::with_capacity(room(player))).collect();
        let mut runs = Vec::new();
        for (depth, words) in depths.into_iter().enumerate() {
            let (player, begin) = (depth % players, lists[depth % players].len());
            lists[player].extend(words);
            runs.push(Run { depth, player, begin, end: lists[player].len() });
        }
        runs.sort_by_key(|run| (run.player, run.depth));
        let mut first = vec![0];
        for list in &lists[..players - 1] {
            first.push(first[first.len() - 1] + list.len() as u32);
        }
        Self { given, words: lists.into_iter().map(Numbered::of_different).collect(), first, runs }
    }

    /// The values of the states of a depth, in the order in which the states were given; and the states.
    pub fn of_depth<'v>(&self, depth: usize, values: &'v [Known]) -> (&[W], &'v [Known]) {
        let key = (depth % self.given.players(), depth);
        let Ok(run) = self.runs.binary_search_by_key(&key, |run| (run.player, run.depth)) else { return (&[], &[]) };
        let run = &self.runs[run];
        let words = &self.words[run.player].words[run.begin..run.end];
        (words, &values[self.first[run.player] as usize + run.begin..][..words.len()])
    }

    /// Counts the values of the states of a depth.
    pub fn count(&self, depth: usize, values: &[Known], tally: &mut Tallies<W>) {
        let ((words, values), player) = (self.of_depth(depth, values), depth % self.given.players());
        let parts = words.par_chunks(AT_ONCE).zip(values.par_chunks(AT_ONCE)).map(|(words, values)| {
            let mut counted = Tallies::new(tally.depths.len());
            for (&word, known) in words.iter().zip(values) {
                counted.add(depth, (word, player), *known, self.given.images.orbit_size(word));
            }
            counted
        });
        let counted = parts.reduce(|| Tallies::new(tally.depths.len()), Tallies::merge);
        *tally = std::mem::replace(tally, Tallies::new(0)).merge(counted);
    }

    /// Parts of the list of all states: the number of the first one, the player to move, and their words.
    fn chunks(&self) -> impl ParallelIterator<Item = (usize, usize, &[W])> {
        self.runs.par_iter().flat_map(|run| {
            let words = &self.words[run.player].words[run.begin..run.end];
            let number = self.first[run.player] as usize + run.begin;
            let chunks = words.par_chunks(AT_ONCE).enumerate();
            chunks.map(move |(chunk, words)| (number + chunk * AT_ONCE, run.player, words))
        })
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(Numbered::len).sum()
    }

    /// The numbers of the different successors of a state in which play is not over, in order.
    fn successors(&self, word: W, player: usize, found: &mut Vec<u32>) {
        let next = self.given.compiled.rules.next_player(player);
        found.clear();
        self.given.compiled.steps[player].each(word, |_, step| {
            let after = self.given.images.smallest(step.effect.apply(word));
            let number = self.words[next].get(after).expect("the search forward has found every successor");
            found.push(self.first[next] + number);
            true
        });
        found.sort_unstable();
        found.dedup();
    }

    /// Calls `each` with the number of each state of which nothing is known, and the numbers of its successors; `over`
    /// with the numbers of those in which play is over, and their values. `None` if the watch stops it.
    fn walk(&self, spread: &Spread, each: impl Fn(u32, &[u32]) + Sync, over: impl Fn(u32, Known) + Sync) -> Option<()> {
        let count = self.len() as u64;
        let monitor = Monitor::new(self.given.watch, self.given.begun, self.given.progress(0, count, count));
        self.chunks().for_each(|(number, player, words)| {
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
                self.successors(word, player, &mut found);
                if found.is_empty() { over(number, self.given.stuck(player)) } else { each(number, &found) }
            }
            monitor.add(words.len() as u64);
        });
        (!monitor.stopped()).then_some(())
    }

    /// Lists the states before each state that has not told its value: first how many each has, then which. So all moves
    /// are made twice. What is known already needs no list.
    fn predecessors(&self, spread: &Spread) -> Option<Predecessors> {
        let zeros = |count: usize| (0..count).map(|_| AtomicU32::new(0)).collect::<Vec<_>>();
        let (counts, successors) = (zeros(self.len()), zeros(self.len()));
        let counted = |number: u32, found: &[u32]| {
            let left = found.iter().filter(|&&after| !spread.has_told(after));
            successors[number as usize].store(left.clone().count() as u32, Ordering::Relaxed);
            for &after in left {
                counts[after as usize].fetch_add(1, Ordering::Relaxed);
            }
        };
        self.walk(spread, counted, |number, known| spread.values[number as usize].store(known.0, Ordering::Relaxed))?;
        let mut begins = vec![0; counts.len() + 1];
        for (at, count) in counts.iter().enumerate() {
            begins[at + 1] = begins[at] + u64::from(count.load(Ordering::Relaxed));
        }
        let list = zeros(begins[counts.len()] as usize);
        let listed = |number: u32, found: &[u32]| {
            for &after in found.iter().filter(|&&after| !spread.has_told(after)) {
                // The places of a state are filled from the last one, in no certain order.
                let place = counts[after as usize].fetch_sub(1, Ordering::Relaxed) - 1;
                list[(begins[after as usize] + u64::from(place)) as usize].store(number, Ordering::Relaxed);
            }
        };
        self.walk(spread, listed, |_, _| ())?;
        Some(Predecessors { begins, list, successors })
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
        let Some(before) = self.predecessors(&spread) else { return Ok(None) };
        let is_next = |&number: &u32| {
            let known = spread.known(number);
            known.worth() != Worth::Draw && known.moves() == spread.moves
        };
        let mut frontier: Vec<u32> = (0..spread.values.len() as u32).filter(is_next).collect();
        let mut decided = 0;
        while !frontier.is_empty() {
            decided += frontier.len() as u64;
            let progress = self.given.progress(u64::from(spread.moves), frontier.len() as u64, decided);
            let monitor = Monitor::new(self.given.watch, self.given.begun, progress);
            let next: Vec<Vec<u32>> = frontier
                .par_chunks(AT_ONCE)
                .map(|numbers| {
                    let mut found = Vec::new();
                    if !monitor.stopped() {
                        for &number in numbers {
                            self.decide(number, spread.moves + 1, (&spread.values, &before), &mut found);
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
            frontier = next.concat();
            spread.moves += 1;
            keep(&spread, false)?;
        }
        Ok(Some(spread.values.into_iter().map(|value| Known(value.into_inner())).collect()))
    }

    /// Lists the states before a state whose value it decides, and sets it.
    fn decide(&self, number: u32, moves: u32, (values, before): (&[AtomicU32], &Predecessors), found: &mut Vec<u32>) {
        let lost = Known(values[number as usize].load(Ordering::Relaxed)).worth() == Worth::Loss;
        let (begin, end) = (before.begins[number as usize] as usize, before.begins[number as usize + 1] as usize);
        for predecessor in &before.list[begin..end] {
            let predecessor = predecessor.load(Ordering::Relaxed);
            let worth = if lost || self.given.players() == 1 {
                Worth::Win
            } else if before.successors[predecessor as usize].fetch_sub(1, Ordering::Relaxed) == 1 {
                Worth::Loss
            } else {
                continue;
            };
            // Of several threads that decide it, which all find the same, one lists it.
            let value = Known::decided(worth, moves).0;
            let place = &values[predecessor as usize];
            if place.compare_exchange(Known::NOTHING.0, value, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
                found.push(predecessor);
            }
        }
    }
}
