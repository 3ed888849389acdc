//! A fast search for a pattern database whose values may be added: over all cells of the pivot (the blank) at once.
//!
//! The search serves rules such as those of sliding puzzles: each move exchanges the pivot with the symbol of another
//! cell, and needs nothing else. A move of the pivot to a cell without a tracked symbol costs nothing. So the cells
//! that the pivot can reach at no cost form a *region*, which is kept as a set of bits. The search handles a whole
//! region at a time, not one cell of the pivot at a time.
//!
//! Take a ring of four cells with a tracked symbol in cell 1 and the pivot in cell 3. The pivot's region is
//! `{0, 2, 3}`. The pivot can get to cell 1 from the cells 0 and 2; the symbol is then in the cell from which the pivot
//! came.

use super::pattern_table::{Cost, MOST_TRACKED, NEVER, PatternTable};
use super::permutation_rules::PermutationRules;
use crate::rules::Symbol;
use crate::solve::clock::Clock;

/// The bytes that the search may need for each place of the table, beside two sets of cells: an entry of `level` (4),
/// and an entry of `regions` (16 at the most). A place may have several regions, but not all places have one at a time.
const ENTRY_BYTES: u64 = 4 + 16;

/// A set of cells, with a bit for each.
trait CellBits: Copy + Default {
    fn get(self) -> u64;
    fn of(cells: u64) -> Self;
}

macro_rules! cells {
    ($($word:ty),*) => {
        $(impl CellBits for $word {
            #[inline(always)]
            fn get(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn of(cells: u64) -> Self {
                cells as Self
            }
        })*
    };
}

cells!(u16, u32, u64);

/// Returns `true` if each move of the rules exchanges the pivot with a neighbour, and needs nothing else.
pub fn fit(rules: &PermutationRules) -> bool {
    let exchanges = rules.moves.iter().all(|given| {
        given.guard.is_empty()
            && given.pairs.len() == 2
            && given.pivot.is_some_and(|(from, to)| given.image(from) == to && given.image(to) == from)
    });
    rules.pivot.is_some() && rules.cells <= u64::BITS as usize && exchanges
}

/// The number of bytes that the search for a table takes beside the table.
pub fn search_bytes(rules: &PermutationRules, tracked: usize) -> u64 {
    if !rules.displaces_one() || !fit(rules) {
        return PatternTable::search_bytes(rules, tracked);
    }
    let bits = (rules.cells as u64).next_power_of_two().max(16);
    PatternTable::places(rules, tracked).saturating_mul(2 * bits / 8 + ENTRY_BYTES)
}

/// Makes a table: by a search over regions if the rules fit, and otherwise by a search that handles one state after the
/// other. `None` if the clock stops the search.
pub fn table(rules: &PermutationRules, symbols: &[Symbol], cost: Cost, clock: &mut Clock) -> Option<PatternTable> {
    if cost != Cost::Own || !fit(rules) {
        return PatternTable::new(rules, symbols, cost, clock);
    }
    let values = match rules.cells {
        0..=16 => search::<u16>(rules, symbols, clock),
        17..=32 => search::<u32>(rules, symbols, clock),
        _ => search::<u64>(rules, symbols, clock),
    };
    values.map(|values| PatternTable::of_values(symbols, values))
}

/// For one place of the table: the cells of the pivot whose regions were found, and other cells of the pivot that the
/// last round has found.
#[derive(Clone, Copy, Default)]
struct PivotCells<C> {
    reached: C,
    found: C,
}

/// Splits the places of a table into the cells of its tracked symbols.
struct PlaceReader {
    cells: u32,
    tracked: usize,
    /// To divide by the number of cells is to multiply by this number, and to shift. Both numbers are right for all
    /// places of the table. A division takes several times as long, and each region needs one for each symbol.
    times: u64,
    shift: u32,
}

impl PlaceReader {
    fn new(cells: usize, tracked: usize, places: usize) -> Self {
        // With `times` = 2^shift / cells, rounded up, the result for a place is too large by less than place / 2^shift.
        // That must be less than 1 / cells, so 2^shift must be at least the number of places times that of cells.
        let shift = (places as u64 * cells as u64).ilog2() + 1;
        debug_assert!(places <= 1 << 31, "place times `times` fits 64 bits");
        Self { cells: cells as u32, tracked, times: (1 << shift) / cells as u64 + 1, shift }
    }

    /// The cells of the tracked symbols in the abstract states whose value is at `place` in the table.
    #[inline(always)]
    fn cells_at(&self, place: u32) -> [u8; MOST_TRACKED] {
        let (mut found, mut left) = ([0; MOST_TRACKED], place);
        for cell in &mut found[..self.tracked] {
            let next = ((u64::from(left) * self.times) >> self.shift) as u32;
            *cell = (left - next * self.cells) as u8;
            left = next;
        }
        found
    }
}

fn search<C: CellBits>(rules: &PermutationRules, symbols: &[Symbol], clock: &mut Clock) -> Option<Vec<u8>> {
    let tracked = symbols.len();
    // For each cell: the cells from which the pivot can move to it, and the cells to which the pivot can move from it.
    let (mut before, mut after) = ([0u64; 64], [0u64; 64]);
    for (from, to) in rules.moves.iter().filter_map(|given| given.pivot) {
        before[to as usize] |= 1 << from;
        after[from as usize] |= 1 << to;
    }
    let mut weights = [0u32; MOST_TRACKED];
    (0..tracked).for_each(|number| weights[number] = PatternTable::weight(rules.cells, number));
    let goal_cell = |symbol: Symbol| rules.goal.iter().position(|&held| held == symbol).unwrap_or(0) as u32;
    let goal = symbols.iter().zip(&weights).map(|(&symbol, weight)| goal_cell(symbol) * weight).sum::<u32>();
    let places = rules.cells.pow(tracked as u32);
    let reader = PlaceReader::new(rules.cells, tracked, places);
    let (mut values, mut pivots) = (vec![NEVER; places], vec![PivotCells::<C>::default(); places]);
    // The places with abstract states that the last round has found, and all regions of this round with their places.
    let (mut level, mut regions) = (vec![goal], Vec::<(u32, C)>::new());
    pivots[goal as usize].found = C::of(1 << rules.pivot_cell(&rules.goal));
    for moves in 0..NEVER {
        // First, find all states that this level reaches at no cost. This must be complete before states that take one
        // move more are found, because one of these could also be reached at no cost.
        regions.clear();
        for &place in &level {
            if clock.stops() {
                return None;
            }
            let pivots = &mut pivots[place as usize];
            let (mut edge, mut closed) = (pivots.found.get(), pivots.reached.get());
            for &cell in &reader.cells_at(place)[..tracked] {
                closed |= 1 << cell;
            }
            let mut region = edge;
            while edge != 0 {
                let mut around = 0;
                while edge != 0 {
                    around |= before[edge.trailing_zeros() as usize];
                    edge &= edge - 1;
                }
                edge = around & !closed & !region;
                region |= edge;
            }
            *pivots = PivotCells { reached: C::of(pivots.reached.get() | region), found: C::default() };
            let value = &mut values[place as usize];
            *value = (*value).min(moves);
            regions.push((place, C::of(region)));
        }
        level.clear();
        for &(place, region) in &regions {
            if clock.stops() {
                return None;
            }
            let held = reader.cells_at(place);
            for (&cell, weight) in held[..tracked].iter().zip(&weights) {
                // Going backward, the pivot moves to the cell of a tracked symbol, and that symbol moves to the pivot's
                // cell.
                let mut from = after[cell as usize] & region.get();
                while from != 0 {
                    let pivot = from.trailing_zeros();
                    from &= from - 1;
                    let earlier = place.wrapping_add(pivot.wrapping_sub(cell.into()).wrapping_mul(*weight));
                    let pivots = &mut pivots[earlier as usize];
                    let found = pivots.found.get();
                    if pivots.reached.get() >> cell & 1 == 0 {
                        if found == 0 {
                            level.push(earlier);
                        }
                        pivots.found = C::of(found | 1 << cell);
                    }
                }
            }
        }
        if level.is_empty() {
            break;
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::rules::Rules;
    use crate::structure::Structure;

    /// Rules in which symbol 0 moves between the given pairs of cells. If `twice`, two cells hold the last symbol.
    /// `None` if these rules are refused, or do not permute cells.
    fn rules(cells: usize, ways: &[(usize, usize)], twice: bool) -> Option<PermutationRules> {
        let name = |cell: usize| format!("s{}", if twice { cell.min(cells - 2) } else { cell });
        let written: Vec<_> = ways
            .iter()
            .map(|&(a, b)| (a % cells, b % cells))
            .filter(|(a, b)| a != b)
            .enumerate()
            .map(|(number, (a, b))| {
                serde_json::json!({"name": format!("m{number}"), "when": [[a, ["s0"]]],
                    "then": [[a, {"copy": b}], [b, {"copy": a}]]})
            })
            .collect();
        let names: Vec<String> = (0..cells).map(name).collect();
        let mut symbols = names.clone();
        symbols.dedup();
        let goal: Vec<_> = names.iter().enumerate().map(|(cell, name)| serde_json::json!([cell, [name]])).collect();
        let data = serde_json::json!({"symbols": symbols, "start": names, "moves": written, "goal": [goal]});
        let rules = Rules::new(&serde_json::from_value(data).ok()?).ok()?;
        PermutationRules::new(&Structure::new(Arc::new(rules)).ok()?)
    }

    proptest! {
        #[test]
        fn a_place_is_split_as_by_division(cells in 2..=64usize, tracked in 1..=MOST_TRACKED, part in 0.0..1.0) {
            let places = cells.pow(tracked as u32);
            prop_assume!(places <= 1 << 31);
            let reader = PlaceReader::new(cells, tracked, places);
            for place in [(part * places as f64) as usize, places - 1, places - cells, 0] {
                let divided = (0..tracked).map(|number| (place / cells.pow(number as u32) % cells) as u8);
                prop_assert_eq!(&reader.cells_at(place as u32)[..tracked], &divided.collect::<Vec<_>>()[..]);
            }
        }

        #[test]
        fn regions_of_the_pivot_give_the_same_values(
            cells in 3..10usize,
            ways in prop::collection::vec((0..10usize, 0..10usize), 1..16),
            back in any::<bool>(),
            twice in any::<bool>(),
            tracked in prop::collection::btree_set(1u8..8, 1..4),
        ) {
            // If `back` is `false`, a pair of cells is a move in one direction only.
            let both = ways.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).collect::<Vec<_>>();
            let Some(rules) = rules(cells, if back { &both } else { &ways }, twice) else { return Ok(()) };
            let trackable = rules.trackable().into_iter();
            let symbols: Vec<Symbol> = trackable.filter(|symbol| tracked.contains(symbol)).collect();
            if symbols.is_empty() || !rules.displaces_one() {
                return Ok(());
            }
            prop_assert!(fit(&rules));
            let mut clock = Clock::new(&|_| ControlFlow::Continue(()));
            let made = table(&rules, &symbols, Cost::Own, &mut clock).unwrap();
            let plain = PatternTable::new(&rules, &symbols, Cost::Own, &mut clock).unwrap();
            prop_assert_eq!(made.values(), plain.values());
        }
    }
}
