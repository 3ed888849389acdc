//! Lower bounds on the number of moves, computed from the rules alone: pattern databases, and the gap heuristic.

mod by_blank_region;
mod choose;
mod every_solution;
mod gap;
mod kept;
mod permutation_rules;
mod search;
mod solver;
mod table;

pub use choose::choose;
pub use gap::GapHeuristic;
pub use permutation_rules::{PermutationMove, PermutationRules};
pub use solver::PatternSolver;
pub use table::{Cost, NEVER, PatternTable};

use crate::job::TableCache;
use crate::rules::{Symbol, Symmetry};
use crate::solve::clock::Clock;
use table::MOST_TRACKED;

/// The most look-ups for one bound. If the symmetries would need more, the last ones are not used.
pub const MOST_LOOKUPS: usize = 16;

/// Several pattern databases. Each is looked up once for each symmetry, and the values are combined into one bound.
///
/// If values may be added, the bound is the largest sum of all tables under one symmetry; otherwise it is the largest
/// single value.
#[derive(Debug)]
pub struct Patterns {
    tables: Vec<PatternTable>,
    /// `true` if the values of all tables under a symmetry are added.
    pub added: bool,
    /// The number of look-ups, which is the number of tables times the number of symmetries. They are in this order:
    /// first every table without a symmetry, then every table under the next symmetry, and so on.
    lookups: usize,
    /// For each symbol: the look-ups whose table tracks it, by their numbers. Each comes with the index in
    /// [`Self::shares`] at which its entries begin.
    tracking: Vec<Vec<(u8, u32)>>,
    /// For each symbol, each look-up that tracks it, and each cell: the number that the symbol in that cell adds to the
    /// index into the table. An index into a table is called a *place*.
    shares: Vec<u32>,
}

impl Patterns {
    /// Chooses patterns of at most `tracked` symbols, and searches for their tables. `None` if there is no symbol to
    /// track, or if the watch stops it.
    ///
    /// The `symmetries` keep the moves and the goal; the identity may be among them or not. Tables are read from the
    /// cache if they are there; new tables are put there.
    pub fn new(
        rules: &PermutationRules,
        symmetries: &[Symmetry],
        tracked: usize,
        cache: Option<&TableCache>,
        clock: &mut Clock,
    ) -> Option<Self> {
        let added = rules.displaces_one();
        let cost = if added { Cost::Own } else { Cost::All };
        let mut chosen = choose(rules, cost, tracked, clock)?;
        chosen.truncate(MOST_LOOKUPS);
        let tables: Vec<PatternTable> =
            chosen.iter().map(|symbols| kept::table(rules, symbols, cost, cache, clock)).collect::<Option<_>>()?;
        if tables.is_empty() {
            return None;
        }
        let identity = Symmetry::identity(rules.cells, rules.symbols);
        let others = symmetries
            .iter()
            .filter(|symmetry| symmetry.cells != identity.cells || symmetry.symbols != identity.symbols);
        let used: Vec<&Symmetry> = std::iter::once(&identity).chain(others).take(MOST_LOOKUPS / tables.len()).collect();
        let mut tracking = vec![Vec::new(); rules.symbols];
        let mut shares = Vec::new();
        for (round, symmetry) in used.iter().enumerate() {
            for (number, table) in tables.iter().enumerate() {
                for (symbol, tracking) in tracking.iter_mut().enumerate() {
                    // A look-up under a symmetry looks up the image of the state. There, the image of this symbol is in
                    // the image of its cell.
                    let image = symmetry.symbols[symbol];
                    let Some(at) = table.symbols.iter().position(|&tracked| tracked == image) else { continue };
                    tracking.push(((round * tables.len() + number) as u8, shares.len() as u32));
                    let weight = PatternTable::weight(rules.cells, at);
                    shares.extend(symmetry.cells.iter().map(|&cell| weight * cell as u32));
                }
            }
        }
        Some(Self { lookups: used.len() * tables.len(), tables, added, tracking, shares })
    }

    /// How many symbols each pattern may track at most, within limits. The search for one table may visit at most
    /// `work` abstract states. All tables together may have at most `places` entries, and take at most `bytes` bytes
    /// while they are made. `None` if tables of one symbol are too large.
    pub fn most_tracked(rules: &PermutationRules, work: u64, places: u64, bytes: u64) -> Option<usize> {
        let symbols = rules.trackable().len();
        let fits = |&tracked: &usize| {
            let all = PatternTable::places(rules, tracked).saturating_mul(symbols.div_ceil(tracked) as u64);
            let made = all.saturating_add(by_blank_region::search_bytes(rules, tracked));
            PatternTable::work(rules, tracked) <= work && all <= places && made <= bytes && u32::try_from(all).is_ok()
        };
        (1..=MOST_TRACKED.min(symbols)).rev().find(fits)
    }

    /// The most abstract states that the searches for all tables together visit.
    pub fn work(rules: &PermutationRules, tracked: usize) -> u64 {
        let symbols = rules.trackable().len();
        let whole = PatternTable::work(rules, tracked).saturating_mul((symbols / tracked) as u64);
        let rest = symbols % tracked;
        if rest == 0 { whole } else { whole.saturating_add(PatternTable::work(rules, rest)) }
    }

    /// Returns `true` if tables are made by the faster search over regions of the pivot.
    pub fn has_regions(rules: &PermutationRules) -> bool {
        rules.displaces_one() && by_blank_region::fit(rules)
    }

    /// The number of table values from which a bound is made.
    pub fn lookups(&self) -> usize {
        self.lookups
    }

    #[inline(always)]
    fn value(&self, lookup: usize, place: u32) -> u8 {
        self.tables[lookup % self.tables.len()].value(place)
    }
}

/// For each of at most `L` look-ups: the index into the table (the place) for a state, and the value there.
#[derive(Debug, Clone, Copy)]
pub struct Looked<const L: usize> {
    places: [u32; L],
    values: [u8; L],
}

impl<const L: usize> Looked<L> {
    /// Looks a state up: computes its places, and reads the values there.
    pub fn new(patterns: &Patterns, state: &[Symbol]) -> Self {
        let mut looked = Self { places: [0; L], values: [0; L] };
        for (cell, &symbol) in state.iter().enumerate() {
            for &(lookup, shares) in &patterns.tracking[symbol as usize] {
                looked.places[lookup as usize] += patterns.shares[shares as usize + cell];
            }
        }
        for lookup in 0..patterns.lookups {
            looked.values[lookup] = patterns.value(lookup, looked.places[lookup]);
        }
        looked
    }

    /// A lower bound on the moves of the state; [`u32::MAX`] if the goal cannot be reached.
    #[inline(always)]
    pub fn bound(&self, patterns: &Patterns) -> u32 {
        let values = &self.values[..patterns.lookups];
        if values.contains(&NEVER) {
            return u32::MAX;
        }
        if patterns.added {
            let sum = |values: &[u8]| values.iter().map(|&value| u32::from(value)).sum::<u32>();
            values.chunks_exact(patterns.tables.len()).map(sum).max().unwrap_or(0)
        } else {
            values.iter().copied().max().unwrap_or(0).into()
        }
    }

    /// Updates the places and the values to those after the move `given`. `state` has the symbols before the move.
    #[inline(always)]
    pub fn follow(&mut self, patterns: &Patterns, given: &PermutationMove, state: &[Symbol]) {
        let mut changed = 0u32;
        for &(from, to) in &given.pairs {
            for &(lookup, shares) in &patterns.tracking[state[from as usize] as usize] {
                let share = |cell: u8| patterns.shares[shares as usize + cell as usize];
                let place = &mut self.places[lookup as usize];
                *place = place.wrapping_add(share(to)).wrapping_sub(share(from));
                changed |= 1 << lookup;
            }
        }
        while changed != 0 {
            let lookup = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            self.values[lookup] = patterns.value(lookup, self.places[lookup]);
        }
    }
}
