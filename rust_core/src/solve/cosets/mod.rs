//! A solver for puzzles whose moves permute and twist pieces in every state: pattern databases over *cosets*.
//! `docs/solving.md` explains them to users.
//!
//! The states are the elements of a group (see [`sticker_group`]). An abstraction is a colouring of the stickers
//! ([`colouring`]): stickers of one colour are the same in it, so it merges all states of a coset. A move leads from
//! one abstract state to one abstract state, so every solution is also an abstract path to the goal. So the abstract
//! distance is a lower bound. A table of abstract distances ([`table`]) covers several colourings at once, and has one
//! entry for all states that symmetries carry onto each other, and tells odd states from even ones if the colours do
//! not ([`parity`], [`entries`]). [`choose`] proposes colourings, and [`bounds`] looks
//! up a state and its inverse under all symmetries, for [`search`].

mod bounds;
mod choose;
mod colouring;
mod coset_table;
mod entries;
mod fill_row;
mod fill_table;
mod head_rows;
mod images;
mod parity;
mod search;
mod sticker_group;
#[cfg(test)]
pub mod tests;
mod verdicts;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::answer::Proof;
use super::goal_keeping::goal_keeping;
use super::ida_star::{Deepened, Effort};
use super::table_ladder::{Climber, Rung, TableLadder};
use crate::error::Result;
use crate::job::TableCache;
use crate::memory;
use crate::rules::{Symbol, Symmetry};
use crate::run::{Budget, Options, Watch, in_pool};
use crate::structure::Structure;
use bounds::CosetBounds;
use choose::choose;
use coset_table::{CosetTable, Shape};
use search::fewest_moves;

pub use colouring::{Colours, NONE as NO_STATE, StickerColouring};
pub use sticker_group::{Sticker, StickerSymmetry, Stickers};

/// The most values of a table, for each rung of the ladder of tables. Making a table of the first rung takes seconds,
/// and of the second minutes.
const ENTRIES: [u64; 2] = [1 << 28, 1 << 32];

/// Making a table takes a step for each value and each move. This many steps take as long as one state of a search. The
/// next rung's tables are made when the search without them has taken as long as making them will.
const ENTRIES_FOR_ONE: u64 = 500;

/// A table with fewer values than this is not put into the cache: making it is faster than reading it.
const LEAST_KEPT: u64 = 1 << 20;

/// The number of values of a table that are read from the cache in the time in which a search visits one state.
const KEPT_FOR_ONE: u64 = 3000;

/// The number of bytes of a table that count as one stored state of the budget.
const BYTES_FOR_ONE: u64 = 128;

/// If pieces have no twists, tables are used only up to this many states. With more states, no single colouring can
/// give each piece its own colour, and other bounds are better.
const MOST_UNTWISTED: u128 = 1 << 16;

/// A solver for puzzles whose moves permute pieces. It keeps its tables, and uses them again for the next state.
#[derive(Debug)]
pub struct Cosets {
    structure: Arc<Structure>,
    stickers: Stickers,
    symmetries: OnceLock<(Vec<Symmetry>, Vec<StickerSymmetry>)>,
    /// The last shape that was chosen for each rung, since a choice may take tenths of a second.
    chosen: Mutex<Vec<ChosenShape>>,
    ladder: TableLadder<CosetTables>,
}

/// The shape that was chosen for the table of a rung of the ladder.
#[derive(Debug)]
struct ChosenShape {
    rung: usize,
    /// The bytes that the table may take.
    room: u64,
    /// The shape; `None` if none fits.
    shape: Option<Shape>,
}

/// The tables of a rung of the ladder.
#[derive(Debug)]
struct CosetTables {
    /// The tables. Empty if no table fits, or if the tables of the rung before are as large.
    tables: Vec<CosetTable>,
    /// The bytes of memory for which the tables were chosen.
    bytes: u64,
    /// The cost of the next rung's tables: the number of states that a search visits in the time that it takes to make
    /// them or, if they are in the cache, to read them. `None` if there is no next rung, or if its tables are no
    /// larger.
    next: Option<u64>,
}

impl Cosets {
    /// Makes the solver. `None` unless moves can always be made and permute pieces that all look different, the goal is
    /// one state, and pieces have twists or there are few states.
    pub fn new(structure: &Arc<Structure>) -> Option<Self> {
        let stickers = Stickers::new(structure)?;
        let twists = stickers.places.iter().any(|place| place.len() > 1);
        (twists || stickers.states() <= MOST_UNTWISTED).then(|| Self {
            structure: Arc::clone(structure),
            stickers,
            symmetries: OnceLock::new(),
            chosen: Mutex::default(),
            ladder: TableLadder::new(ENTRIES.len()),
        })
    }

    /// Returns `true` if tables should be used now: either a table is made, or the searches that stored states have
    /// taken as long as making one takes.
    pub fn is_due(&self, budget: Budget) -> bool {
        let small = self.stickers.states() <= u128::from(ENTRIES[0]);
        let moves = self.stickers.moves.len() as u64;
        let cost = || (self.stickers.states() as u64).saturating_mul(moves) / ENTRIES_FOR_ONE;
        let made = self.ladder.made().any(|made| made.bytes <= room(budget) && !made.tables.is_empty());
        made || (small && self.ladder.searched_without() > cost())
    }

    /// Returns `true` if the table of the first rung is in the cache, so that reading it takes less than a second.
    pub fn is_kept(&self, budget: Budget, cache: Option<&TableCache>) -> bool {
        let Some(cache) = cache else { return false };
        let shape = self.shape(1, room(budget));
        shape.is_some_and(|shape| CosetTable::is_kept(&self.stickers, &self.symmetries().1, &shape, cache))
    }

    /// The shape of the table of a rung that takes at most `room` bytes. `None` if there is none.
    fn shape(&self, rung: usize, room: u64) -> Option<Shape> {
        let mut chosen = self.chosen.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = chosen.iter().find(|known| known.rung == rung && known.room == room) {
            return known.shape.clone();
        }
        let (given, symmetries) = self.symmetries();
        let shape = choose(&self.stickers, given, symmetries, *ENTRIES.get(rung - 1)?, room);
        chosen.retain(|known| known.rung != rung);
        chosen.push(ChosenShape { rung, room, shape: shape.clone() });
        shape
    }

    /// Adds the states that another search has stored to the number of states searched without tables. So the tables
    /// are made sooner.
    pub fn note(&self, states: u64) {
        self.ladder.note(states);
    }

    /// Searches for the fewest moves from a state to the goal, and notes in `proof` what it proves. Tables take no more
    /// memory than the budget allows; the search itself stores no states. `None` if not even the smallest table fits.
    /// With a cache, tables are read from it, and new ones are put there.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Options`] if the threads cannot be started.
    pub fn solve(
        &self,
        state: &[Symbol],
        budget: Budget,
        cache: Option<&TableCache>,
        proof: &mut Proof,
        effort: &mut Effort,
        watch: Watch,
    ) -> Result<Option<Deepened>> {
        let options = Options { threads: budget.threads, ..Options::default() };
        in_pool(&options, || {
            let Some(held) = self.stickers.read(state) else { return Some(Deepened::Unreachable) };
            let climber = CosetClimber { solver: self, held, budget, cache };
            self.ladder.climb(&climber, proof, effort, watch)
        })
    }

    /// Makes the tables of a rung. `None` if the watch stops the work.
    fn make(&self, rung: usize, budget: Budget, cache: Option<&TableCache>, watch: Watch) -> Option<CosetTables> {
        let symmetries = &self.symmetries().1;
        let shape = |rung: usize| {
            let shape = self.shape(rung, room(budget))?;
            let earlier = (1..rung).filter_map(|rung| self.ladder.tables(rung)).flat_map(|made| &made.tables);
            earlier.into_iter().all(|table| table.shape.states < shape.states).then_some(shape)
        };
        let mut made = CosetTables { tables: Vec::new(), bytes: room(budget), next: None };
        if let Some(own) = shape(rung) {
            if let Some(next) = shape(rung + 1).filter(|next| next.states > own.states) {
                let work = next.entries().saturating_mul(self.stickers.moves.len() as u64) / ENTRIES_FOR_ONE;
                let kept = cache.is_some_and(|cache| CosetTable::is_kept(&self.stickers, symmetries, &next, cache));
                made.next = Some(if kept { next.entries() / KEPT_FOR_ONE } else { work });
            }
            let cache = cache.filter(|_| own.entries() >= LEAST_KEPT);
            made.tables.push(CosetTable::new(&self.stickers, symmetries, own, cache, watch)?);
        }
        Some(made)
    }

    /// The rules as permutations of stickers.
    pub fn stickers(&self) -> &Stickers {
        &self.stickers
    }

    /// The symmetries that keep the goal and the moves, in two forms: as symmetries of the rules, and as permutations
    /// of stickers.
    pub fn symmetries(&self) -> &(Vec<Symmetry>, Vec<StickerSymmetry>) {
        self.symmetries.get_or_init(|| {
            let given = goal_keeping(&self.structure);
            let own = self.stickers.symmetries(&given);
            (given, own)
        })
    }
}

/// The solver, with the state that it solves.
struct CosetClimber<'a> {
    solver: &'a Cosets,
    held: Vec<Sticker>,
    budget: Budget,
    cache: Option<&'a TableCache>,
}

impl Climber for CosetClimber<'_> {
    fn prepare(&self, rung: usize, watch: Watch) -> Rung {
        if rung == 0 {
            return Rung::Missing;
        }
        let make = || self.solver.make(rung, self.budget, self.cache, watch);
        match self.solver.ladder.tables_or(rung, make) {
            None => Rung::Stopped,
            Some(kept) if kept.tables.is_empty() || kept.bytes > room(self.budget) => Rung::Missing,
            Some(kept) => Rung::Ready { next: kept.next },
        }
    }

    fn search(&self, rung: usize, proof: &mut Proof, effort: &mut Effort, watch: Watch) -> Deepened {
        let solver = self.solver;
        let tables = solver.ladder.tables(rung).map_or(&[][..], |made| &made.tables);
        let bounds = CosetBounds::new(&solver.stickers, &solver.symmetries().1, tables);
        fewest_moves(&bounds, &self.held, proof, effort, watch)
    }
}

/// The bytes that a table may take.
fn room(budget: Budget) -> u64 {
    budget.bytes.min((budget.states as u64).saturating_mul(BYTES_FOR_ONE)).min(memory::memory_bytes() / 2)
}
