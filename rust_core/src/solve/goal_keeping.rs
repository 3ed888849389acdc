//! The symmetries that a solver uses: they keep the goal and the moves, but need not keep the start.

use std::sync::Arc;

use crate::rules::{Rules, Symmetry};
use crate::structure::Structure;

/// The symmetries that keep the moves, the ends and the goal, as a group with the identity first. All states that such
/// a symmetry carries onto each other are equally far from the goal.
///
/// If the goal is one state, this function puts the goal in the place of the start, and finds the symmetries of those
/// rules. Otherwise it returns the symmetries of the rules themselves, which keep the start, too.
pub fn goal_keeping(structure: &Structure) -> Vec<Symmetry> {
    let (rules, own) = (structure.rules(), structure.turn_keeping().to_vec());
    let [goal] = &rules.goal[..] else { return own };
    let Some(start) = goal.single_state(rules.cells(), rules.symbols.len()) else { return own };
    let rules = Rules { start, generators: Vec::new(), seeks_symmetries: true, ..Rules::clone(rules) };
    Structure::new(Arc::new(rules)).map_or(own, |found| found.turn_keeping().to_vec())
}
