//! Every shortest solution of a state, in puzzles of any kind: layer by layer, by storing states.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::answer::Every;
use super::state_search::StateSearch;
use crate::rules::Symbol;
use crate::run::{Budget, Progress, Watch};
use crate::sorting;

/// The states of one depth that lead to the goal, each with the moves that lead on: their places in the rules, and the
/// states after them.
type Layer = HashMap<Vec<Symbol>, Vec<(usize, Vec<Symbol>)>>;

/// All solutions of a state that have `length` moves, which is proven to be the fewest, up to `most` of these
/// solutions. `None` if the budget is used up, or the watch stops the search.
pub fn all_solutions(
    search: &dyn StateSearch,
    cells: &[Symbol],
    length: usize,
    most: usize,
    budget: Budget,
    watch: Watch,
) -> Option<Every> {
    layers(search, cells, length, budget, watch).map(|layers| collect(&layers, cells, most))
}

/// The states that lie on shortest ways, depth by depth. First all states are found by their distance from `from`, and
/// then, from the last depth to the first, those that lead on to the goal.
fn layers(
    search: &dyn StateSearch,
    from: &[Symbol],
    length: usize,
    budget: Budget,
    watch: Watch,
) -> Option<Vec<Layer>> {
    // Each state is held twice, with one word of the hash table, and with the moves that lead on from it.
    let most = budget.states_of(4 * from.len() + 200);
    let mut seen = HashSet::from([from.to_vec()]);
    let mut depths = vec![vec![from.to_vec()]];
    for depth in 0..length {
        let mut next = Vec::new();
        for cells in &depths[depth] {
            search.each_successor(cells, &mut |_, after| {
                if seen.insert(after.clone()) {
                    next.push(after);
                }
            });
            let progress = Progress { states: seen.len() as u64, depth: depth as u64, ..Progress::default() };
            if seen.len() > most || (next.len() % 64 == 0 && watch(&progress) == ControlFlow::Break(())) {
                return None;
            }
        }
        depths.push(next);
    }
    let last = depths.pop().unwrap_or_default();
    let mut layers: Vec<Layer> =
        vec![last.into_iter().filter(|cells| search.is_solved(cells)).map(|cells| (cells, Vec::new())).collect()];
    for cells in depths.into_iter().rev() {
        let on = &layers[layers.len() - 1];
        let leading = |cells: Vec<Symbol>| {
            let mut ways = Vec::new();
            search.each_successor(&cells, &mut |index, after| {
                if on.contains_key(&after) {
                    ways.push((index, after));
                }
            });
            sorting::sort(&mut ways);
            (!ways.is_empty()).then_some((cells, ways))
        };
        let layer = cells.into_iter().filter_map(leading).collect();
        layers.push(layer);
    }
    layers.reverse();
    Some(layers)
}

/// Follows all ways from a state to the last layer, up to `most` of them. The ways that are still to be followed are in
/// a list, so that a long solution takes no more of the thread's stack than a short one.
fn collect(layers: &[Layer], cells: &[Symbol], most: usize) -> Every {
    let mut found = Every { solutions: Vec::new(), complete: true };
    let mut moves = Vec::new();
    let on = |depth: usize, cells: &[Symbol]| layers[depth].get(cells).map(|ways| ways.iter());
    let mut open: Vec<_> = on(0, cells).into_iter().collect();
    while let Some(depth) = open.len().checked_sub(1) {
        if depth + 1 == layers.len() {
            found.complete = found.solutions.len() < most;
            if !found.complete {
                break;
            }
            found.solutions.push(moves.clone());
        } else if let Some((index, after)) = open[depth].next() {
            moves.push(*index);
            open.extend(on(depth + 1, after));
            continue;
        }
        open.pop();
        moves.pop();
    }
    found
}
