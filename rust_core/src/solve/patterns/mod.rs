//! Lower bounds on the number of moves, computed from the rules alone: pattern databases, and the gap heuristic.

mod by_blank_region;
mod choose;
mod every_solution;
mod gap;
mod kept_tables;
mod pattern_table;
mod permutation_rules;
mod search;
mod solver;

pub use choose::choose;
pub use gap::GapHeuristic;
pub use pattern_table::{Cost, NEVER, PatternTable};
pub use permutation_rules::{PermutationMove, PermutationRules};
pub use solver::PatternSolver;

use crate::job::TableCache;
use crate::rules::{Symbol, Symmetry};
use crate::solve::clock::Clock;
use pattern_table::MOST_TRACKED;

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
    /// The number of values that are added: that of the tables, or 1 if values may not be added.
    summed: usize,
    /// For each symbol: the look-ups whose table tracks it.
    tracking: Vec<Vec<TrackedIn>>,
    /// For each symbol, each look-up that tracks it, and each cell: the number that the symbol in that cell adds to the
    /// index into the table. An index into a table is called a *place*.
    shares: Vec<u32>,
}

/// A look-up whose table tracks a symbol.
#[derive(Debug, Clone, Copy)]
struct TrackedIn {
    /// The number of the look-up.
    lookup: u8,
    /// The number of its table.
    table: u8,
    /// The index in [`Patterns::shares`] at which the entries of the symbol and the look-up begin.
    shares: u32,
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
        let tables: Vec<PatternTable> = chosen
            .iter()
            .map(|symbols| kept_tables::table(rules, symbols, cost, cache, clock))
            .collect::<Option<_>>()?;
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
                    let lookup = (round * tables.len() + number) as u8;
                    tracking.push(TrackedIn { lookup, table: number as u8, shares: shares.len() as u32 });
                    let weight = PatternTable::weight(rules.cells, at);
                    shares.extend(symmetry.cells.iter().map(|&cell| weight * cell as u32));
                }
            }
        }
        let summed = if added { tables.len() } else { 1 };
        Some(Self { lookups: used.len() * tables.len(), tables, added, summed, tracking, shares })
    }

    /// Returns the most symbols that each pattern may track within limits. The search for one table may visit at most
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
///
/// Its methods have plain loops, because the search spends its time in them: in a build for size, the closures of a
/// chain of iterators would not be inlined, but called.
#[derive(Debug, Clone, Copy)]
pub struct Looked<const L: usize> {
    places: [u32; L],
    values: [u8; L],
}

impl<const L: usize> Looked<L> {
    /// Looks a state up: computes its places, and reads the values there. Without patterns, nothing is looked up.
    pub fn new(patterns: Option<&Patterns>, state: &[Symbol]) -> Self {
        let mut looked = Self { places: [0; L], values: [0; L] };
        let Some(patterns) = patterns else { return looked };
        for (cell, &symbol) in state.iter().enumerate() {
            for tracked in &patterns.tracking[symbol as usize] {
                looked.places[tracked.lookup as usize] += patterns.shares[tracked.shares as usize + cell];
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
        let (mut largest, mut at) = (0, 0);
        while at < patterns.lookups {
            largest = self.sum(patterns, at).max(largest);
            at += patterns.summed;
        }
        largest
    }

    /// Looks up the state after the move `given`. `state` has the symbols before the move.
    ///
    /// Returns a lower bound for that state: the largest one, or one that is `enough`. In the latter case the rest is
    /// not looked up, and the places and values may be wrong.
    #[inline(always)]
    pub fn follow(&mut self, patterns: &Patterns, given: &PermutationMove, state: &[Symbol], enough: u32) -> u32 {
        let mut changed = 0u32;
        for &(from, to) in &given.pairs {
            for &TrackedIn { lookup, table, shares } in &patterns.tracking[state[from as usize] as usize] {
                let share = |cell: u8| patterns.shares[shares as usize + cell as usize];
                let place = &mut self.places[lookup as usize];
                *place = place.wrapping_add(share(to)).wrapping_sub(share(from));
                if !patterns.added {
                    changed |= 1 << lookup;
                    continue;
                }
                // The move displaces no other symbol of this table, so its value is known, and so is the sum of the
                // tables under this symmetry.
                self.values[lookup as usize] = patterns.tables[table as usize].value(*place);
                let sum = self.sum(patterns, (lookup - table) as usize);
                if sum >= enough {
                    return sum;
                }
            }
        }
        while changed != 0 {
            let lookup = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            self.values[lookup] = patterns.value(lookup, self.places[lookup]);
        }
        self.bound(patterns)
    }

    /// The sum of the values from a look-up on that are added; [`u32::MAX`] if the goal cannot be reached.
    #[inline(always)]
    fn sum(&self, patterns: &Patterns, from: usize) -> u32 {
        let (mut sum, mut at) = (0, from);
        while at < from + patterns.summed {
            let value = self.values[at];
            if value == NEVER {
                return u32::MAX;
            }
            sum += u32::from(value);
            at += 1;
        }
        sum
    }
}
