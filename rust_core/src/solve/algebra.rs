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
        // If a cell that turns holds a symbol that no press brings there, the equations say nothing, and a search
        // decides.
        let from = dials.vector_of_turning(cells)?;
        let goals = goals.iter().filter(|goal| !dials.part_for_ever(cells, goal));
        let goals = goals.filter_map(|goal| dials.vector_of_turning(goal));
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
