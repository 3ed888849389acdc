//! Symmetries for solving: those that keep the goal and the moves. They need not keep the start.

use std::sync::Arc;

use crate::rules::{Rules, Symmetry};
use crate::structure::Structure;

/// The symmetries that keep the moves, the ends and the goal, as a group with the identity first. All states that such
/// a symmetry carries onto each other are equally far from the goal.
///
/// If the goal is one state, the symmetries are searched for in the rules with the goal as their start. Otherwise they
/// are the symmetries of the rules themselves, which keep the start, too.
pub fn goal_keeping(structure: &Structure) -> Vec<Symmetry> {
    let (rules, own) = (structure.rules(), structure.turn_keeping().to_vec());
    let [goal] = &rules.goal[..] else { return own };
    let Some(start) = goal.single_state(rules.cells(), rules.symbols.len()) else { return own };
    let rules = Rules { start, generators: Vec::new(), seeks_symmetries: true, ..Rules::clone(rules) };
    Structure::new(Arc::new(rules)).map_or(own, |found| found.turn_keeping().to_vec())
}
