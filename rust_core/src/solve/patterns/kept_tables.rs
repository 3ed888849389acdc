//! Pattern databases that are kept on disk. The key of a table is a digest of everything on which its values depend.

use super::by_blank_region;
use super::pattern_table::{Cost, PatternTable};
use super::permutation_rules::PermutationRules;
use crate::job::{TableCache, table_key};
use crate::rules::{Symbol, SymbolSet};
use crate::solve::clock::Clock;

/// If the search for a table visits fewer states than this, the table is not put into the cache: making it is faster
/// than reading it.
const LEAST_WORK: u64 = 1 << 20;

/// A text that is part of each key in the cache, and stands for the meaning and the order of the values. It must be
/// changed whenever either changes, so that old tables are not read any more.
const MEANING: &[u8] = b"byte for each place; least over pivots; 2026-11";

/// The table of `symbols`, from the cache if it is there. Otherwise the table is made, and put into the cache. `None`
/// if the watch stops the search for it.
pub fn table(
    rules: &PermutationRules,
    symbols: &[Symbol],
    cost: Cost,
    cache: Option<&TableCache>,
    clock: &mut Clock,
) -> Option<PatternTable> {
    table_of(rules, symbols, cost, cache, LEAST_WORK, clock)
}

/// Does the same as [`table`], but uses the cache only if the search for the table visits at least `least_work` states.
/// `None` if the watch stops the search.
fn table_of(
    rules: &PermutationRules,
    symbols: &[Symbol],
    cost: Cost,
    cache: Option<&TableCache>,
    least_work: u64,
    clock: &mut Clock,
) -> Option<PatternTable> {
    let Some(cache) = cache.filter(|_| PatternTable::work(rules, symbols.len()) >= least_work) else {
        return by_blank_region::table(rules, symbols, cost, clock);
    };
    let cost_byte = [u8::from(cost == Cost::Own)];
    let key = table_key(&[MEANING, &written(rules), symbols, &cost_byte]);
    let places = usize::try_from(PatternTable::places(rules, symbols.len())).ok()?;
    if let Some(values) = cache.read(&key, places, &|| clock.asks()) {
        return Some(PatternTable::of_values(symbols, values));
    }
    let table = by_blank_region::table(rules, symbols, cost, clock)?;
    cache.write(&key, table.values(), &|| clock.asks());
    Some(table)
}

/// The rules as bytes, for the key: sizes, the goal, the pivot, and for each move the cells that it displaces and the
/// guard.
fn written(rules: &PermutationRules) -> Vec<u8> {
    let set = |set: SymbolSet| {
        (0..rules.symbols).map(|symbol| symbol as Symbol).filter(|&symbol| set.contains(symbol)).collect::<Vec<_>>()
    };
    let length = |length: usize| (length as u32).to_le_bytes();
    let mut bytes = [length(rules.cells), length(rules.symbols), length(rules.moves.len())].concat();
    bytes.extend(rules.pivot.map_or([0, 0], |pivot| [1, pivot]));
    bytes.extend(&rules.goal);
    for given in &rules.moves {
        bytes.extend(length(given.pairs.len()));
        bytes.extend(given.pairs.iter().flat_map(|&(from, to)| [from, to]));
        bytes.extend(given.pivot.map_or([0, 0, 0], |(from, to)| [1, from, to]));
        bytes.extend(length(given.guard.len()));
        for &(cell, allowed) in &given.guard {
            let allowed = set(allowed);
            bytes.push(cell);
            bytes.extend(length(allowed.len()));
            bytes.extend(allowed);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use crate::random::Random;
    use crate::rules::Rules;
    use crate::structure::Structure;

    /// Cells in a ring: symbol 0 changes places with its neighbours. In the goal, `goal_of_last` and the last symbol
    /// are exchanged.
    fn rules(cells: usize, goal_of_last: usize) -> PermutationRules {
        let name = |symbol: usize| format!("s{symbol}");
        let moves: Vec<_> = (0..cells)
            .flat_map(|a| [(a, (a + 1) % cells), ((a + 1) % cells, a)])
            .map(|(a, b)| {
                serde_json::json!({"name": format!("{a}-{b}"), "when": [[a, [name(0)]]],
                    "then": [[a, {"copy": b}], [b, {"copy": a}]]})
            })
            .collect();
        let names: Vec<String> = (0..cells).map(name).collect();
        let mut goal: Vec<usize> = (0..cells).collect();
        goal.swap(goal_of_last, cells - 1);
        let goal: Vec<_> =
            goal.iter().enumerate().map(|(cell, &symbol)| serde_json::json!([cell, [name(symbol)]])).collect();
        let data = serde_json::json!({"symbols": names, "start": names, "moves": moves, "goal": [goal]});
        let rules = Rules::new(&serde_json::from_value(data).unwrap()).unwrap();
        PermutationRules::new(&Structure::new(Arc::new(rules)).unwrap()).unwrap()
    }

    #[test]
    fn two_hundred_damaged_files_change_no_value() {
        let folder: PathBuf = std::env::temp_dir().join(format!("puzzlekit-kept-{}", std::process::id()));
        let cache = TableCache::new(&folder, 1 << 20);
        let rules = rules(6, 5);
        let mut clock = Clock::new(&|_| ControlFlow::Continue(()));
        let mut made =
            |cache: Option<&TableCache>| table_of(&rules, &[1, 2, 3], Cost::Own, cache, 0, &mut clock).unwrap();
        let fresh = made(None);
        assert_eq!(made(Some(&cache)).values(), fresh.values());
        let path = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
        let whole = std::fs::read(&path).unwrap();
        let mut random = Random::new("damage");
        for round in 0..200 {
            let mut bytes = whole.clone();
            let at = random.below(bytes.len() as u64) as usize;
            match round % 4 {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes.truncate(at),
                2 => bytes[at..].fill(0),
                _ => bytes.extend(&whole[at..]),
            }
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(made(Some(&cache)).values(), fresh.values(), "round {round}");
            // The damaged table was made anew and put there again.
            assert_eq!(std::fs::read(&path).unwrap(), whole, "round {round}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn other_rules_goals_patterns_and_costs_have_other_files() {
        let folder: PathBuf = std::env::temp_dir().join(format!("puzzlekit-keys-{}", std::process::id()));
        let cache = TableCache::new(&folder, 1 << 20);
        let mut clock = Clock::new(&|_| ControlFlow::Continue(()));
        let mut files = 0;
        for (rules, symbols, cost) in [
            (rules(6, 5), vec![1, 2, 3], Cost::Own),
            (rules(6, 5), vec![1, 2, 3], Cost::All),
            (rules(6, 5), vec![1, 3, 2], Cost::Own),
            (rules(6, 4), vec![1, 2, 3], Cost::Own),
            (rules(7, 6), vec![1, 2, 3], Cost::Own),
        ] {
            let fresh = PatternTable::new(&rules, &symbols, cost, &mut clock).unwrap();
            let kept = table_of(&rules, &symbols, cost, Some(&cache), 0, &mut clock).unwrap();
            let again = table_of(&rules, &symbols, cost, Some(&cache), 0, &mut clock).unwrap();
            assert_eq!((kept.values(), again.values()), (fresh.values(), fresh.values()));
            files += 1;
            assert_eq!(std::fs::read_dir(&folder).unwrap().count(), files);
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
