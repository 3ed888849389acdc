//! All states that play can reach from the start of a puzzle, numbered, with answers to the questions of a survey.
//! Symmetric states count separately.

use std::sync::Arc;

use super::compiled::Engine;
use super::machine::Machine;
use super::state::State;
use crate::error::Result;
use crate::graph::{AT_ONCE, ExploreLimits, Explored, ExploredGraph, Graph, MoveFrom};
use crate::rules::Symbol;
use crate::run::{Budget, Watch};
use crate::sorting;
use crate::values::{DISTANCE_BYTES, distances_to};

/// All states that play can reach, numbered from 0 in order of their depths.
pub struct ReachedGraph {
    machine: Arc<dyn Machine>,
    graph: Box<dyn ExploredGraph>,
    threads: usize,
}

/// The result of [`Engine::all_reached`].
pub enum AllReached {
    /// All states.
    Whole(ReachedGraph),
    /// The budget ended the search when it had found this number of states.
    Full(u64),
    /// The watch stopped the search.
    Stopped,
}

impl Engine {
    /// Finds all states that play can reach from the start of a puzzle, within a budget. Solved states have their
    /// moves, too.
    pub fn all_reached(&self, budget: Budget, watch: Watch) -> AllReached {
        let undone = self.rules().inverse_moves().is_some();
        let limits = ExploreLimits {
            budget,
            state_bytes: DISTANCE_BYTES,
            move_bytes: 0,
            depths: None,
            past_goal: true,
            in_order: true,
            keeps_moves: !undone,
        };
        match self.machine.explore(&self.start().cells, &limits, watch).0 {
            Explored::Whole(graph) => {
                AllReached::Whole(ReachedGraph { machine: Arc::clone(&self.machine), graph, threads: budget.threads })
            }
            Explored::Full(states) => AllReached::Full(states),
            Explored::Stopped(_) => AllReached::Stopped,
        }
    }
}

impl ReachedGraph {
    fn graph(&self) -> &dyn Graph {
        &*self.graph
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        self.graph().len()
    }

    /// Returns `true` if there are no states.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The state with a number.
    pub fn state(&self, number: u64) -> State {
        self.machine.state_of_word(&self.graph.word(number), 0)
    }

    /// For each state 1 if `test` holds for its cells, and 0 if not.
    fn marked(&self, test: &dyn Fn(&[Symbol]) -> bool) -> Vec<u8> {
        let (width, mut rows, mut marks) = (self.machine.structure().rules().board(), Vec::new(), Vec::new());
        for block in self.graph().blocks(&(0..self.len())) {
            self.graph.cells(block, &mut rows);
            marks.extend(rows.chunks_exact(width).map(|cells| u8::from(test(cells))));
        }
        marks
    }

    /// For each state 1 if each cell of a pattern holds its symbol, and 0 if not.
    pub fn meeting(&self, pattern: &[(usize, Symbol)]) -> Vec<u8> {
        self.marked(&|cells| pattern.iter().all(|&(cell, symbol)| cells[cell] == symbol))
    }

    /// For each state 1 if it satisfies the goal, and 0 if not.
    pub fn solved(&self) -> Vec<u8> {
        self.marked(&|cells| self.machine.solved(&State { cells: cells.to_vec(), player: 0 }))
    }

    /// The number of the state to which moves with these names lead, one after the other, from the state `number`;
    /// `None` if one of them cannot be made.
    pub fn follow(&self, number: u64, moves: &[String]) -> Option<u64> {
        let named = &self.machine.structure().rules().moves;
        let (mut at, mut found) = (number, Vec::<MoveFrom>::new());
        for name in moves {
            self.graph.moves_from(&self.graph.word(at), 0, &mut found);
            at = found.iter().find(|step| named[step.index].name == *name)?.number?;
        }
        Some(at)
    }

    /// The fewest moves from each state to one of those marked by 1; -1 if no moves lead there. `None` if the watch
    /// stops it. `room` is the number of bytes of memory that the work may take.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Memory`] if they are not enough; [`crate::Error::Options`] if threads cannot be started.
    pub fn distances(&self, goals: &[u8], room: u64, watch: Watch) -> Result<Option<Vec<i32>>> {
        distances_to(&*self.graph, goals, room, self.threads, watch)
    }
}

/// The moves between the states of a job, state by state.
pub struct JobEdges {
    graph: Box<dyn ExploredGraph>,
    /// The depths in their order, and the row of the first state of each.
    depths: Vec<DepthRows>,
    next: u64,
}

/// The states of a depth: where they lie among the rows of a job and in the graph.
struct DepthRows {
    row: u64,
    player: usize,
    /// The number that the graph gives to the first state of this depth.
    first: u64,
}

/// Moves of some states, as columns.
#[derive(Debug, Default)]
pub struct EdgeRows {
    /// For each move, the row of the state in which it is made.
    pub states: Vec<u64>,
    /// For each move, its place in the rules.
    pub moves: Vec<u32>,
    /// For each move, the row of the state to which it leads.
    pub successors: Vec<u64>,
}

impl JobEdges {
    /// The moves between the states of a graph, whose depths have the states in order of their rows.
    pub(super) fn new(graph: Box<dyn ExploredGraph>) -> Self {
        let mut ranges = graph.depths().to_vec();
        sorting::sort_by_key(&mut ranges, |range| range.depth);
        let mut row = 0;
        let mut depths = Vec::new();
        for range in ranges {
            depths.push(DepthRows { row, player: range.player, first: range.states.start });
            row += range.states.end - range.states.start;
        }
        Self { graph, depths, next: 0 }
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        (&*self.graph as &dyn Graph).len()
    }

    /// Returns `true` if there are no states.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of states whose moves [`Self::next_rows`] has returned.
    pub fn done(&self) -> u64 {
        self.next
    }

    /// The row of the state that has a number in the graph. Rows are counted through all depths in their order.
    fn row(&self, number: u64) -> u64 {
        let of_depth = self.graph.depths().iter().find(|range| range.states.contains(&number));
        let first = of_depth.expect("each state has a depth").states.start;
        let depth = self.depths.iter().find(|depth| depth.first == first).expect("each depth has its rows");
        depth.row + number - first
    }

    /// The moves of the next states, in order of the rows and then of the moves. There are no more states if
    /// [`Self::done`] is [`Self::len`]. Moves to states that the job does not have are left out.
    pub fn next_rows(&mut self) -> EdgeRows {
        let (mut found, mut moves) = (EdgeRows::default(), Vec::new());
        let end = self.len().min(self.next + AT_ONCE);
        for row in self.next..end {
            let depth = &self.depths[self.depths.partition_point(|depth| depth.row <= row) - 1];
            let word = self.graph.word(depth.first + row - depth.row);
            self.graph.moves_from(&word, depth.player, &mut moves);
            for step in &moves {
                if let Some(number) = step.number {
                    found.states.push(row);
                    found.moves.push(step.index as u32);
                    found.successors.push(self.row(number));
                }
            }
        }
        self.next = end;
        found
    }
}
