//! Answers by algebra alone: presses (moves) that solve a state, or a proof that no moves do. The linear equations are
//! solved in `structure/`.

use super::answer::Solution;
use crate::rules::{Goal, Symbol};
use crate::structure::Structure;

/// The presses (moves) that solve a state, from linear equations; or a proof that no moves solve it, from these
/// equations or from the group of the moves. `None` if a search must decide.
pub fn algebra(structure: &Structure, cells: &[Symbol]) -> Option<Solution> {
    let rules = structure.rules();
    let single = |goal: &Goal| goal.single_state(rules.cells(), rules.symbols.len());
    let goals: Vec<Vec<Symbol>> = rules.goal.iter().map(single).collect::<Option<_>>()?;
    if let Some(dials) = structure.dials() {
        // If a cell that moves write holds a symbol that it never holds in play, the equations say nothing, and a
        // search decides.
        let from = dials.vector_of_written(cells)?;
        let goals = goals.iter().filter(|goal| !dials.part_for_ever(cells, goal));
        let goals = goals.filter_map(|goal| dials.vector_of_written(goal));
        let fewest = goals.filter_map(|to| dials.presses_between(&from, &to)).min_by_key(|(presses, _)| presses.len());
        return Some(fewest.map_or(Solution::Unreachable, |(moves, proven)| Solution::Moves(moves, proven)));
    }
    // If every symbol occurs once, the state is a permutation of cells, and the group of the moves decides. If symbols
    // repeat, but no two pieces look alike, the group of the pieces decides.
    let leads_to = |goal: &Vec<Symbol>| {
        let by_cells = structure.group().and_then(|group| group.reaches(goal, cells));
        by_cells.or_else(|| structure.twisted()?.reaches(goal, cells))
    };
    let reached = goals.iter().map(leads_to).collect::<Option<Vec<bool>>>()?;
    (!reached.contains(&true)).then_some(Solution::Unreachable)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap};
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::rules::{Rules, RulesData};

    const SYMBOLS: [&str; 4] = ["a", "b", "c", "d"];

    /// Maps of the four symbols: swaps, and turns of three symbols. Each leaves some symbols as they are.
    const SWAPS: [[Symbol; 4]; 4] = [[1, 0, 2, 3], [0, 2, 1, 3], [0, 1, 3, 2], [1, 0, 3, 2]];
    const TURNS: [[Symbol; 4]; 2] = [[1, 2, 0, 3], [0, 2, 3, 1]];

    /// Every state of `cells` cells.
    fn states(cells: usize) -> impl Iterator<Item = Vec<Symbol>> {
        let digit = move |number: usize, cell: usize| (number / 4usize.pow(cell as u32) % 4) as Symbol;
        (0..4usize.pow(cells as u32)).map(move |number| (0..cells).map(|cell| digit(number, cell)).collect())
    }

    proptest! {
        /// Each cell has a map, which may leave the start's symbol as it is, and each move applies the maps of some
        /// cells. From every state, in which cells may hold what they never hold in play, the answer is that of a
        /// search.
        #[test]
        fn presses_are_those_of_a_search_from_any_state(
            by_swaps in any::<bool>(),
            maps in prop::collection::vec(0..4usize, 3),
            start in prop::collection::vec(0..4u8, 3),
            goal in prop::collection::vec(0..4u8, 3),
            moves in prop::collection::vec(prop::collection::btree_set(0..3usize, 0..3), 1..4),
        ) {
            let map = |cell: usize| if by_swaps { SWAPS[maps[cell]] } else { TURNS[maps[cell] % 2] };
            let named = |cell: usize| -> BTreeMap<&str, &str> {
                map(cell).iter().enumerate().map(|(from, &to)| (SYMBOLS[from], SYMBOLS[to as usize])).collect()
            };
            let name = |symbol: &Symbol| SYMBOLS[*symbol as usize];
            let written: Vec<_> = moves.iter().enumerate().map(|(number, cells)| {
                let then = cells.iter().map(|&cell| json!([cell, {"copy": cell, "map": named(cell)}]));
                let then: Vec<_> = then.collect();
                json!({"name": number.to_string(), "then": then})
            }).collect();
            let wanted: Vec<_> = goal.iter().enumerate().map(|(cell, symbol)| json!([cell, [name(symbol)]])).collect();
            let data = json!({"symbols": SYMBOLS, "start": start.iter().map(name).collect::<Vec<_>>(),
                "moves": written, "goal": [wanted]});
            let rules = Rules::new(&serde_json::from_value::<RulesData>(data).unwrap()).unwrap();
            let structure = Structure::new(Arc::new(rules)).unwrap();
            let after = |state: &[Symbol], press: usize| {
                let mut next = state.to_vec();
                moves[press].iter().for_each(|&cell| next[cell] = map(cell)[next[cell] as usize]);
                next
            };
            let mut depths = HashMap::new();
            for from in states(3) {
                let Some(found) = algebra(&structure, &from) else {
                    // Only a cell that moves write, and that holds what it never holds in play, leaves it to a search.
                    let circle = |cell: usize| {
                        let once = map(cell)[start[cell] as usize];
                        [start[cell], once, map(cell)[once as usize]]
                    };
                    let is_written = |cell: &usize| moves.iter().any(|cells| cells.contains(cell));
                    let is_foreign = |cell: usize| !circle(cell).contains(&from[cell]);
                    let turns = |cell: usize| circle(cell)[1] != start[cell];
                    prop_assert!((0..3).filter(is_written).any(is_foreign) || !(0..3).filter(is_written).any(turns));
                    continue;
                };
                depths.clear();
                depths.insert(from.clone(), 0);
                let mut frontier = vec![from.clone()];
                while let Some(state) = (!frontier.is_empty()).then(|| frontier.remove(0)) {
                    for press in 0..moves.len() {
                        let next = after(&state, press);
                        if !depths.contains_key(&next) {
                            depths.insert(next.clone(), depths[&state] + 1);
                            frontier.push(next);
                        }
                    }
                }
                match found {
                    Solution::Moves(presses, proven) => {
                        let reached = presses.iter().fold(from.clone(), |state, &press| after(&state, press));
                        prop_assert_eq!(&reached, &goal, "from {:?}", from);
                        prop_assert_eq!((depths.get(&goal), proven), (Some(&presses.len()), true), "from {:?}", from);
                    }
                    unsolved => {
                        prop_assert_eq!(unsolved, Solution::Unreachable);
                        prop_assert!(!depths.contains_key(&goal), "from {:?}", from);
                    }
                }
            }
        }
    }
}
