//! Every shortest solution of a state, in puzzles of any kind: ways through the graph of the states that can follow it.

use std::ops::Range;

use super::answer::Every;
use crate::graph::{Edges, ExploredGraph, Graph, MoveFrom};
use crate::run::{Final, Worth};

/// The most bytes that a state takes for this beside its graph: whether it leads to the goal.
pub const STATE_BYTES: usize = 1;

/// All solutions of a state that have `length` moves, which is proven to be the fewest, up to `most` of them. The graph
/// has the states that follow the state within that many moves. The state has the number 0, and `word` is its word.
pub fn all_solutions(graph: &dyn ExploredGraph, word: &[u8], length: usize, most: usize) -> Every {
    let ways = Ways { graph, length, leads: leading(graph, length) };
    ways.collect(word, most)
}

/// For each state, `true` if it lies on a shortest way to the goal. From a state of depth `d`, the goal is then
/// `length - d` moves away, so a way goes to the next depth with each move.
fn leading(graph: &dyn Graph, length: usize) -> Vec<bool> {
    let (mut leads, mut edges, mut over) = (vec![false; graph.len() as usize], Edges::default(), Vec::new());
    for of_depth in graph.depths().iter().rev() {
        for block in graph.blocks(&of_depth.states) {
            if of_depth.depth == length {
                graph.over(block.clone(), &mut over);
                let is_solved = |over: &Option<Final>| *over == Some(Final::Worth(Worth::Win));
                block.zip(&over).for_each(|(state, over)| leads[state as usize] = is_solved(over));
                continue;
            }
            graph.successors(block.clone(), &mut edges);
            for (state, (_, after)) in block.zip(edges.iter()) {
                // States that lead on and are no deeper would make the way longer.
                leads[state as usize] =
                    after.iter().any(|&after| after >= of_depth.states.end && leads[after as usize]);
            }
        }
    }
    leads
}

/// The shortest ways from a state to the goal.
struct Ways<'a> {
    graph: &'a dyn ExploredGraph,
    length: usize,
    /// For each state, whether it lies on one.
    leads: Vec<bool>,
}

impl Ways<'_> {
    /// Follows all ways from the first state to the goal, up to `most` of them. The moves that are left to try are in a
    /// list, so that a long solution takes no more of the thread's stack than a short one.
    fn collect(&self, word: &[u8], most: usize) -> Every {
        let mut found = Every { solutions: Vec::new(), complete: true };
        let mut moves = Vec::new();
        let mut open = vec![self.on(0, word)];
        while let Some(depth) = open.len().checked_sub(1) {
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
        found
    }

    /// The moves by which ways go on from a state of a depth, in order.
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
