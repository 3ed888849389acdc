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

use super::permutation_rules::PermutationRules;
use super::table::{Cost, MOST_TRACKED, NEVER, PatternTable};
use crate::rules::Symbol;
use crate::solve::clock::Clock;

/// The bytes that the search may need for each place of the table: an entry of `level` (8), and an entry of `regions`
/// (16).
const ENTRY_BYTES: u64 = 8 + 16;

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

cells!(u8, u16, u32, u64);

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
    let bits = (rules.cells as u64).next_power_of_two().max(8);
    // For each place: the set of the pivot's cells that were reached, and perhaps an entry of `level` and one of
    // `regions`.
    PatternTable::places(rules, tracked).saturating_mul(bits / 8 + ENTRY_BYTES)
}

/// Makes a table: by a search over regions if the rules fit, and otherwise by a search that handles one state after the
/// other. `None` if the clock stops the search.
pub fn table(rules: &PermutationRules, symbols: &[Symbol], cost: Cost, clock: &mut Clock) -> Option<PatternTable> {
    if cost != Cost::Own || !fit(rules) {
        return PatternTable::new(rules, symbols, cost, clock);
    }
    let values = match rules.cells {
        0..=8 => search::<u8>(rules, symbols, clock),
        9..=16 => search::<u16>(rules, symbols, clock),
        17..=32 => search::<u32>(rules, symbols, clock),
        _ => search::<u64>(rules, symbols, clock),
    };
    values.map(|values| PatternTable::of_values(symbols, values))
}

/// The cells of the tracked symbols in the abstract states whose value is at `place` in the table.
#[inline(always)]
fn cells_at(place: u32, cells: u32, tracked: usize) -> [u8; MOST_TRACKED] {
    let (mut found, mut left) = ([0; MOST_TRACKED], place);
    for cell in &mut found[..tracked] {
        *cell = (left % cells) as u8;
        left /= cells;
    }
    found
}

fn search<C: CellBits>(rules: &PermutationRules, symbols: &[Symbol], clock: &mut Clock) -> Option<Vec<u8>> {
    let (cells, tracked) = (rules.cells as u32, symbols.len());
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
    let (mut values, mut reached) = (vec![NEVER; places], vec![C::default(); places]);
    // The abstract states that the last round has found, and from which the next round begins. A state may be listed
    // more than once. For each: its place in the table, and the cell of the pivot. A state is marked in `reached` when
    // its region is found.
    let mut level = vec![(goal, rules.pivot_cell(&rules.goal) as u8)];
    let mut regions: Vec<(u32, C)> = Vec::new();
    for moves in 0..NEVER {
        // First, find all states that this level reaches at no cost. This must be complete before states that take one
        // move more are found, because one of these could also be reached at no cost.
        regions.clear();
        for &(place, pivot) in &level {
            if clock.stops() {
                return None;
            }
            let known = &mut reached[place as usize];
            if known.get() >> pivot & 1 == 1 {
                continue; // it is in a region that was found before
            }
            let occupied = cells_at(place, cells, tracked)[..tracked].iter().fold(0u64, |set, cell| set | 1 << cell);
            let (mut region, mut edge, closed) = (1u64 << pivot, 1u64 << pivot, occupied | known.get());
            while edge != 0 {
                let mut next = 0;
                while edge != 0 {
                    next |= before[edge.trailing_zeros() as usize];
                    edge &= edge - 1;
                }
                edge = next & !closed & !region;
                region |= edge;
            }
            *known = C::of(known.get() | region);
            let value = &mut values[place as usize];
            *value = (*value).min(moves);
            regions.push((place, C::of(region)));
        }
        level.clear();
        for &(place, region) in &regions {
            if clock.stops() {
                return None;
            }
            let held = cells_at(place, cells, tracked);
            for (&cell, weight) in held[..tracked].iter().zip(&weights) {
                // Going backward, the pivot moves to the cell of a tracked symbol, and that symbol moves to the pivot's
                // cell.
                let mut from = after[cell as usize] & region.get();
                while from != 0 {
                    let pivot = from.trailing_zeros();
                    from &= from - 1;
                    let earlier = place.wrapping_add(pivot.wrapping_sub(cell.into()).wrapping_mul(*weight));
                    if reached[earlier as usize].get() >> cell & 1 == 0 {
                        level.push((earlier, cell));
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
