//! Every shortest solution of a state, in puzzles of any kind: the paths to the goal in the graph of the states that
//! follow the state.

use std::ops::Range;

use super::answer::Every;
use super::clock::Clock;
use crate::graph::{Edges, ExploredGraph, Graph, MoveFrom};
use crate::run::{Final, Watch, Worth};

/// The bytes that a state takes beside the graph: one `bool`, `true` if the state lies on a shortest path.
pub const STATE_BYTES: usize = 1;

/// All solutions of a state that have `length` moves, which is proven to be the fewest, up to `most` of them. The graph
/// has all states that can be reached from the state by that many moves. The state itself has the number 0, and `word`
/// is its packed form. `None` if the watch stops the search.
pub fn all_solutions(
    graph: &dyn ExploredGraph,
    word: &[u8],
    length: usize,
    most: usize,
    watch: Watch,
) -> Option<Every> {
    let mut clock = Clock::new(watch);
    let ways = Ways { graph, length, leads: leading(graph, length, &mut clock)? };
    ways.collect(word, most, &mut clock)
}

/// For each state, `true` if it lies on a shortest path to the goal. From such a state of depth `d`, the goal is
/// `length - d` moves away, so each move of the path leads to the next depth. `None` if the clock stops the search.
fn leading(graph: &dyn Graph, length: usize, clock: &mut Clock) -> Option<Vec<bool>> {
    let (mut leads, mut edges, mut over) = (vec![false; graph.len() as usize], Edges::default(), Vec::new());
    for of_depth in graph.depths().iter().rev() {
        for block in graph.blocks(&of_depth.states) {
            if clock.spends(block.end - block.start) {
                return None;
            }
            if of_depth.depth == length {
                graph.over(block.clone(), &mut over);
                let is_solved = |over: &Option<Final>| *over == Some(Final::Worth(Worth::Win));
                block.zip(&over).for_each(|(state, over)| leads[state as usize] = is_solved(over));
                continue;
            }
            graph.successors(block.clone(), &mut edges);
            for (state, (_, after)) in block.zip(edges.iter()) {
                // Only a successor of the next depth counts: a path through any other successor would be longer.
                leads[state as usize] =
                    after.iter().any(|&after| after >= of_depth.states.end && leads[after as usize]);
            }
        }
    }
    Some(leads)
}

/// The shortest paths from state 0 to the goal.
struct Ways<'a> {
    graph: &'a dyn ExploredGraph,
    length: usize,
    /// For each state, `true` if it lies on a shortest path.
    leads: Vec<bool>,
}

impl Ways<'_> {
    /// Follows all shortest paths from state 0 to the goal, and collects up to `most` of them. The moves that are left
    /// to try are in a list, not on the thread's stack, so a long solution cannot overflow it. `None` if the clock
    /// stops the search.
    fn collect(&self, word: &[u8], most: usize, clock: &mut Clock) -> Option<Every> {
        let mut found = Every { solutions: Vec::new(), complete: true };
        let mut moves = Vec::new();
        let mut open = vec![self.on(0, word)];
        while let Some(depth) = open.len().checked_sub(1) {
            if clock.stops() {
                return None;
            }
            if depth == self.length {
                found.complete = found.solutions.len() < most;
                if !found.complete {
                    break;
                }
                found.solutions.push(moves.clone());
            } else if let Some(step) = open[depth].next() {
                moves.push(step.index);
                open.push(self.on(depth + 1, &step.word));
                continue;
            }
            open.pop();
            moves.pop();
        }
        Some(found)
    }

    /// The moves of a state of depth `depth` that stay on a shortest path, in the order of the rules.
    fn on(&self, depth: usize, word: &[u8]) -> std::vec::IntoIter<MoveFrom> {
        let mut moves = Vec::new();
        if depth < self.length {
            self.graph.moves_from(word, 0, &mut moves);
            let later = self.graph.depths().get(depth + 1).map_or(0..0, |next| next.states.clone());
            moves.retain(|step| self.is_on(step, &later));
        }
        moves.into_iter()
    }

    fn is_on(&self, step: &MoveFrom, later: &Range<u64>) -> bool {
        step.number.is_some_and(|after| later.contains(&after) && self.leads[after as usize])
    }
}
