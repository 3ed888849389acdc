//! Every shortest solution of a state, in puzzles of any kind.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::compiled::Engine;
use super::machine::Machine;
use super::state::State;
use crate::error::Result;
use crate::rules::Symbol;
use crate::run::{Budget, Progress, Watch};
use crate::solve::{Every, Technique};

/// The states of one depth that lead to the goal, with the moves that lead on: their places, and the states after them.
type Layer = HashMap<Vec<Symbol>, Vec<(usize, Vec<Symbol>)>>;

impl Engine {
    /// All solutions of a state that have `length` moves, which is proven to be the fewest, up to `most` of them. `None` if
    /// the budget is used up, or the watch stops the search. `technique` is what has proven it: its tables are used again.
    ///
    /// # Errors
    ///
    /// As [`Engine::solve`].
    pub fn every(
        &self,
        state: &State,
        (length, technique): (usize, Technique),
        most: usize,
        budget: Budget,
        watch: Watch,
    ) -> Result<Option<Every>> {
        self.check(state)?;
        if technique == Technique::Deepening
            && let Some(deepening) = self.deepening.get().and_then(Option::as_ref)
        {
            return Ok(deepening.every(&state.cells, length, most, watch));
        }
        let machine = self.machine_of(state)?;
        Ok(layers(machine, state, length, budget, watch).map(|layers| collect(&layers, &state.cells, most)))
    }
}

/// The states that lie on shortest ways, depth by depth: first all states by their distance from the first one, and then,
/// from the last depth to the first, those that lead on.
fn layers(machine: &dyn Machine, state: &State, length: usize, budget: Budget, watch: Watch) -> Option<Vec<Layer>> {
    // A state is held twice, with a word of its hash table, and with the ways that lead on.
    let most = budget.states_of(4 * state.cells.len() + 200);
    let mut seen = HashSet::from([state.cells.clone()]);
    let mut depths = vec![vec![state.cells.clone()]];
    let at = |cells: &[Symbol]| State { cells: cells.to_vec(), player: state.player };
    for depth in 0..length {
        let mut next = Vec::new();
        for cells in &depths[depth] {
            for (_, after) in machine.successors(&at(cells)) {
                if seen.insert(after.cells.clone()) {
                    next.push(after.cells);
                }
            }
            let progress = Progress { states: seen.len() as u64, depth: depth as u64, ..Progress::default() };
            if seen.len() > most || (next.len() % 64 == 0 && watch(&progress) == ControlFlow::Break(())) {
                return None;
            }
        }
        depths.push(next);
    }
    let last = depths.pop().unwrap_or_default();
    let mut layers: Vec<Layer> =
        vec![last.into_iter().filter(|cells| machine.solved(&at(cells))).map(|cells| (cells, Vec::new())).collect()];
    for cells in depths.into_iter().rev() {
        let on = &layers[layers.len() - 1];
        let leading = |cells: Vec<Symbol>| {
            let mut ways = Vec::new();
            for (index, after) in machine.successors(&at(&cells)) {
                if on.contains_key(&after.cells) {
                    ways.push((index, after.cells));
                }
            }
            ways.sort();
            (!ways.is_empty()).then_some((cells, ways))
        };
        let layer = cells.into_iter().filter_map(leading).collect();
        layers.push(layer);
    }
    layers.reverse();
    Some(layers)
}

/// Follows all ways from a state to the last layer, up to `most` of them. The ways that are left to follow are in a list,
/// so that a long solution takes no more of the thread's stack than a short one.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::{PatternSolver, Solution, StopRule};

    /// A sliding puzzle of 2 by 3 cells.
    fn slider() -> Engine {
        let name = |symbol: usize| format!("s{symbol}");
        let mut moves = Vec::new();
        for (a, b) in [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)] {
            for (from, to) in [(a, b), (b, a)] {
                moves.push(serde_json::json!({"name": format!("{from}-{to}"), "when": [[from, [name(0)]]],
                    "then": [[from, {"copy": to}], [to, {"copy": from}]]}));
            }
        }
        let names: Vec<String> = (0..6).map(name).collect();
        let goal: Vec<_> = (0..6).map(|cell| serde_json::json!([cell, [name(cell)]])).collect();
        let data = serde_json::json!({"symbols": names, "start": names, "moves": moves, "goal": [goal]});
        Engine::new(&serde_json::from_value(data).unwrap()).unwrap()
    }

    /// All sequences of so many moves that lead to the goal.
    fn obvious(engine: &Engine, state: &State, length: usize) -> Vec<Vec<usize>> {
        if length == 0 {
            return if engine.solved(state).unwrap() { vec![Vec::new()] } else { Vec::new() };
        }
        let mut found = Vec::new();
        for index in engine.moves(state).unwrap() {
            let after = engine.apply(state, index).unwrap();
            found.extend(obvious(engine, &after, length - 1).into_iter().map(|rest| [vec![index], rest].concat()));
        }
        found
    }

    #[test]
    fn all_shortest_solutions_are_those_of_the_obvious_search() {
        let engine = slider();
        let go_on: Watch = &|_| ControlFlow::Continue(());
        let deepening = PatternSolver::new(&engine.structure).unwrap();
        let mut several = 0;
        for seed in 0..40 {
            let state = engine.scramble(&format!("{seed}"), Some(9)).unwrap().state;
            let Solution::Moves(moves, true) = engine.solve(&state, Budget::default(), go_on).unwrap().solution else {
                panic!("it is solved")
            };
            let expected = obvious(&engine, &state, moves.len());
            let proven = (moves.len(), Technique::BothEnds);
            let found = engine.every(&state, proven, 1000, Budget::default(), go_on).unwrap().unwrap();
            assert_eq!((&found.solutions, found.complete), (&expected, true));
            // With tables, and without any.
            deepening
                .solve(&state.cells, Budget::default(), &StopRule::default(), None, go_on)
                .expect("threads can be started");
            let mut found = deepening.every(&state.cells, moves.len(), 1000, go_on).unwrap();
            found.solutions.sort();
            assert_eq!((found.solutions, found.complete), (expected.clone(), true));
            if expected.len() > 1 {
                several += 1;
                let first = engine.every(&state, proven, 1, Budget::default(), go_on).unwrap().unwrap();
                assert_eq!((first.solutions, first.complete), (expected[..1].to_vec(), false));
            }
        }
        assert!(several > 0);
        let state = engine.scramble("far", None).unwrap().state;
        let few = Budget { states: 3, ..Budget::default() };
        assert_eq!(engine.every(&state, (15, Technique::BothEnds), 10, few, go_on).unwrap(), None);
    }
}
