//! Puzzles of pieces that moves permute and twist, whatever else the state is: pattern databases over *cosets*.
//!
//! The states are the elements of a group (see [`stickers`]). To forget which of some stickers is which is to take
//! together the states of a coset, so an abstraction is a colouring of the stickers ([`colouring`]). From one abstract
//! state a move leads to one abstract state, and no true way is lost. So the abstract distance is a lower bound. A
//! table of it ([`table`]) covers several colourings at once, and is divided by symmetries. [`choose`] proposes
//! colourings, and [`search`] uses the table under all symmetries, for the state and for its inverse. `docs/solving.md`
//! is about users.

mod choose;
mod colouring;
mod search;
mod stickers;
mod table;
#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use super::answer::{Proof, Solution, Solved, Technique};
use super::goal_keeping::goal_keeping;
use super::subtrees::Ended;
use crate::error::Result;
use crate::job::TableCache;
use crate::memory;
use crate::rules::{Symbol, Symmetry};
use crate::run::{Budget, Options, Watch, in_pool};
use crate::structure::Structure;
use choose::choose;
use search::{CosetBounds, deepen};
use stickers::{StickerSymmetry, Stickers};
use table::CosetTable;

/// The most values of the tables of each level. The first takes seconds, and the second minutes.
const ENTRIES: [u64; 2] = [1 << 28, 1 << 32];

/// How many values and moves of a table take as long as one state of a search. The next level is made when the states
/// that were searched without it have taken as long as it will.
const ENTRIES_FOR_ONE: u64 = 500;

/// A table of fewer values is made in less time than it is read.
const LEAST_KEPT: u64 = 1 << 20;

/// How many values that are read from a cache take as long as one state of a search.
const KEPT_FOR_ONE: u64 = 3000;

/// How many bytes of a table count as one state of the budget.
const BYTES_FOR_ONE: u64 = 128;

/// If pieces have no twists, and there are more states than this, no one colouring tells all of them apart, and other
/// bounds are better.
const MOST_UNTWISTED: u128 = 1 << 16;

/// A solver for puzzles of pieces. It keeps what it has made for the next state.
#[derive(Debug)]
pub struct Cosets {
    structure: Arc<Structure>,
    stickers: Stickers,
    symmetries: OnceLock<(Vec<Symmetry>, Vec<StickerSymmetry>)>,
    levels: [OnceLock<TableLevel>; ENTRIES.len()],
    /// How many states were searched without tables, and with those of each level.
    searched: [AtomicU64; ENTRIES.len() + 1],
}

/// What is made for states that take a certain time.
#[derive(Debug)]
struct TableLevel {
    /// The tables; none if none fits, or if those of the level before are as large.
    tables: Vec<CosetTable>,
    /// The bytes for which they were chosen.
    bytes: u64,
    /// How many states a search may take for what the tables of the next level cost; the largest number if there are
    /// none.
    next: u64,
}

impl Cosets {
    /// The solver, if the rules allow one: moves can always be made and permute pieces that can be told apart, the goal
    /// is one state, and pieces have twists, or there are few states.
    pub fn new(structure: &Arc<Structure>) -> Option<Self> {
        let stickers = Stickers::new(structure)?;
        let twists = stickers.places.iter().any(|place| place.len() > 1);
        (twists || stickers.states() <= MOST_UNTWISTED).then(|| Self {
            structure: Arc::clone(structure),
            stickers,
            symmetries: OnceLock::new(),
            levels: Default::default(),
            searched: Default::default(),
        })
    }

    /// Whether states are to be looked up at once: there is a table, or the searches that stored states have taken as
    /// long as it takes to make one.
    pub fn is_due(&self, budget: Budget) -> bool {
        let small = self.stickers.states() <= u128::from(ENTRIES[0]);
        let moves = self.stickers.moves.len() as u64;
        let cost = || (self.stickers.states() as u64).saturating_mul(moves) / ENTRIES_FOR_ONE;
        let made = self.levels.iter().filter_map(OnceLock::get);
        let made = made.into_iter().any(|level| level.bytes <= room(budget) && !level.tables.is_empty());
        made || (small && self.searched[0].load(Ordering::Relaxed) > cost())
    }

    /// Takes note of states that were stored by a search without tables.
    pub fn note(&self, states: u64) {
        self.searched[0].fetch_add(states, Ordering::Relaxed);
    }

    /// The fewest moves from a state to the goal. Tables keep to the budget of bytes; the search itself stores nothing.
    /// `None` if not even the smallest table fits. Tables are taken from a cache and put there, if there is one.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Options`] if the threads cannot be started.
    pub fn solve(
        &self,
        state: &[Symbol],
        budget: Budget,
        cache: Option<&TableCache>,
        watch: Watch,
    ) -> Result<Option<Solved>> {
        let options = Options { threads: budget.threads, ..Options::default() };
        in_pool(&options, || {
            let mut proof = Proof::default();
            let found = self.search(state, (budget, cache), &mut proof, watch)?;
            let solution = match found {
                Ended::Found(moves) => Solution::Moves(moves, true),
                Ended::Nothing => Solution::Unreachable,
                Ended::Full => Solution::Full,
                Ended::Stopped => Solution::Stopped,
            };
            Some(Solved { solution, technique: Technique::Deepening, states: 0, proof })
        })
    }

    fn search(
        &self,
        state: &[Symbol],
        (budget, cache): (Budget, Option<&TableCache>),
        proof: &mut Proof,
        watch: Watch,
    ) -> Option<Ended<Vec<usize>>> {
        let Some(held) = self.stickers.read(state) else { return Some(Ended::Nothing) };
        let (_, symmetries) = self.symmetries();
        let mut last = None;
        for level in 0..ENTRIES.len() {
            let Some(made) = self.made(level, budget, cache, watch) else { return Some(Ended::Stopped) };
            if made.tables.is_empty() || made.bytes > room(budget) {
                continue;
            }
            let searched = &self.searched[level + 1];
            let most = match made.next {
                u64::MAX => u64::MAX,
                next => next.saturating_sub(searched.load(Ordering::Relaxed)),
            };
            let bounds = CosetBounds::new(&self.stickers, symmetries, &made.tables);
            let states = |proof: &Proof| proof.searched.iter().map(|&(_, states)| states).sum::<u64>();
            let before = states(proof);
            let found = deepen(&bounds, &held, proof, most, watch);
            let spent = if found == Ended::Full { most } else { states(proof) - before };
            searched.fetch_add(spent, Ordering::Relaxed);
            if found != Ended::Full {
                return Some(found);
            }
            last = Some(found);
        }
        last
    }

    /// What a level has, made when it is first asked for. `None` if the watch stops that.
    fn made(&self, level: usize, budget: Budget, cache: Option<&TableCache>, watch: Watch) -> Option<&TableLevel> {
        if self.levels[level].get().is_none() {
            let (given, symmetries) = self.symmetries();
            let shape = |level: usize| {
                let entries = *ENTRIES.get(level)?;
                let shape = choose(&self.stickers, (given, symmetries), entries, room(budget))?;
                let earlier = self.levels[..level].iter().filter_map(OnceLock::get).flat_map(|level| &level.tables);
                earlier.into_iter().all(|table| table.shape.states < shape.states).then_some(shape)
            };
            let mut made = TableLevel { tables: Vec::new(), bytes: room(budget), next: u64::MAX };
            if let Some(own) = shape(level) {
                if let Some(next) = shape(level + 1).filter(|next| next.states > own.states) {
                    let work = next.entries().saturating_mul(self.stickers.moves.len() as u64) / ENTRIES_FOR_ONE;
                    let kept = cache.is_some_and(|cache| CosetTable::is_kept(&self.stickers, symmetries, &next, cache));
                    made.next = if kept { next.entries() / KEPT_FOR_ONE } else { work };
                }
                let cache = cache.filter(|_| own.entries() >= LEAST_KEPT);
                made.tables.push(CosetTable::new(&self.stickers, symmetries, own, cache, watch)?);
            }
            let _ = self.levels[level].set(made);
        }
        self.levels[level].get()
    }

    fn symmetries(&self) -> &(Vec<Symmetry>, Vec<StickerSymmetry>) {
        self.symmetries.get_or_init(|| {
            let given = goal_keeping(&self.structure);
            let own = self.stickers.symmetries(&given);
            (given, own)
        })
    }
}

/// The bytes that a table may take.
fn room(budget: Budget) -> u64 {
    budget.bytes.min((budget.states as u64).saturating_mul(BYTES_FOR_ONE)).min(memory::memory_bytes() / 2)
}
