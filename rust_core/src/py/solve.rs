//! Answers about one state, and random states.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::engine::PyEngine;
use super::watch;
use crate::{Budget, Every, Foreseen, Method, Play, Proof, Question, Searched, Solution, State, Technique, Value};

/// What a search for the fewest moves found.
#[pyclass(frozen, get_all, name = "Solution", module = "puzzlekit._core")]
pub(super) struct PySolution {
    /// `solved`, `unreachable`, `full` where the budget ran out, or `stopped`.
    status: &'static str,
    moves: Vec<usize>,
    /// Whether it is proven that no fewer moves do.
    optimal: bool,
    /// How many states were stored for it.
    states: u64,
    /// See [`name_of`].
    technique: &'static str,
    /// Fewer moves than this do not solve the state.
    lower_bound: u32,
    /// For each bound of iterative deepening, how many states were searched.
    searched: Vec<(u32, u64)>,
}

/// What a search for the value of a position found.
#[pyclass(frozen, get_all, name = "Play", module = "puzzlekit._core")]
pub(super) struct PyPlay {
    /// `win`, `draw` or `loss`; `None` if a limit came first, or the watch stopped the search.
    value: Option<&'static str>,
    /// The moves to the end; if it is not exact, the most that a win or a loss takes.
    length: Option<u32>,
    /// All best moves; if it is not exact, one of them; without a value, the best move so far.
    best: Vec<usize>,
    line: Vec<usize>,
    /// Whether the moves to the end and all best moves are proven.
    exact: bool,
    /// Without a value: how many moves ahead all play was looked at.
    ahead: u32,
    /// How many positions were stored for it, up to symmetry.
    states: u64,
}

/// A move by its place in the rules, and what it leads to, `win` or `loss`, within how many moves.
type ForeseenMove = (usize, Option<(&'static str, u32)>);

/// The name of a value, and its moves.
fn named(value: Value) -> (&'static str, Option<u32>) {
    match value {
        Value::Win(length) => ("win", Some(length)),
        Value::Draw(length) => ("draw", length),
        Value::Loss(length) => ("loss", Some(length)),
    }
}

/// A random state.
#[pyclass(frozen, get_all, name = "Scramble", module = "puzzlekit._core")]
pub(super) struct PyScramble {
    cells: Py<PyBytes>,
    player: usize,
    /// The moves that were made, if it was a walk of so many.
    moves: Option<Vec<usize>>,
    method: &'static str,
}

/// The name of a technique.
pub(super) fn name_of(technique: Technique) -> &'static str {
    match technique {
        Technique::Algebra => "algebra",
        Technique::BothEnds => "both ends",
        Technique::Deepening => "deepening",
        Technique::Shortening => "shortening",
    }
}

/// How much a search may store, on all cores.
pub(super) fn budget_of(max_states: usize, memory: u64) -> Budget {
    Budget { states: max_states, bytes: memory, ..Budget::default() }
}

/// The technique of a name.
fn technique_of(name: &str) -> Technique {
    let all = [Technique::Algebra, Technique::BothEnds, Technique::Deepening, Technique::Shortening];
    all.into_iter().find(|&technique| name_of(technique) == name).unwrap_or(Technique::BothEnds)
}

#[pymethods]
impl PyEngine {
    /// All shortest solutions, up to `most`, and whether there are no others; `None` at a limit.
    #[pyo3(signature = (cells, player, length, technique, most, max_states, memory, watch = None))]
    #[expect(clippy::too_many_arguments, reason = "they are the options of one run")]
    fn every(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        length: usize,
        technique: &str,
        most: usize,
        max_states: usize,
        memory: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<(Vec<Vec<usize>>, bool)>> {
        let (state, budget) = (State { cells, player }, budget_of(max_states, memory));
        let proven = (length, technique_of(technique));
        let found = watch::run(py, watch, |watch| self.engine.every(&state, proven, most, budget, watch))?;
        Ok(found.map(|Every { solutions, complete }| (solutions, complete)))
    }

    #[pyo3(signature = (cells, player, max_states, memory, watch = None))]
    fn solve(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        max_states: usize,
        memory: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PySolution> {
        let (state, budget) = (State { cells, player }, budget_of(max_states, memory));
        let solved = watch::run(py, watch, |watch| self.engine.solve(&state, budget, watch))?;
        let (status, moves, optimal) = match solved.solution {
            Solution::Moves(moves, optimal) => ("solved", moves, optimal),
            Solution::Unreachable => ("unreachable", Vec::new(), false),
            Solution::Full => ("full", Vec::new(), false),
            Solution::Stopped => ("stopped", Vec::new(), false),
        };
        let technique = name_of(solved.technique);
        let Proof { lower_bound, searched } = solved.proof;
        Ok(PySolution { status, moves, optimal, states: solved.states, technique, lower_bound, searched })
    }

    #[pyo3(signature = (cells, player, max_states, memory, exact, watch = None))]
    #[expect(clippy::too_many_arguments, reason = "the options of a question, each by its name in Python")]
    fn best_moves(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        max_states: usize,
        memory: u64,
        exact: bool,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPlay> {
        let (state, budget) = (State { cells, player }, budget_of(max_states, memory));
        let question = Question { budget, exact };
        let Searched { found, states } =
            watch::run(py, watch, |watch| self.engine.best_moves(&state, question, watch))?;
        Ok(match found {
            Play::Solved { value, moves, line, exact } => {
                let (value, length) = named(value);
                PyPlay { value: Some(value), length, best: moves, line, exact, ahead: 0, states }
            }
            Play::Unknown { best, ahead } => PyPlay {
                value: None,
                length: None,
                best: best.into_iter().collect(),
                line: Vec::new(),
                exact: false,
                ahead,
                states,
            },
            // Only a search of the whole game ends like that, and what comes after it has the best move so far.
            Play::Full | Play::Stopped => {
                PyPlay { value: None, length: None, best: Vec::new(), line: Vec::new(), exact: false, ahead: 0, states }
            }
        })
    }

    #[pyo3(signature = (cells, player, ahead, positions, watch = None))]
    fn foresee(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        ahead: u32,
        positions: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u32, Vec<ForeseenMove>)> {
        let state = State { cells, player };
        let (reached, moves) = watch::run(py, watch, |watch| self.engine.foresee(&state, ahead, positions, watch))?;
        let told = |seen: &Foreseen| (seen.index, seen.end.map(|end| (named(end).0, named(end).1.unwrap_or(0))));
        Ok((reached, moves.iter().map(told).collect()))
    }

    #[pyo3(signature = (seed, moves = None))]
    fn scramble(&self, py: Python<'_>, seed: &str, moves: Option<usize>) -> PyResult<PyScramble> {
        let found = watch::run(py, None, |_| self.engine.scramble(seed, moves))?;
        let method = match found.method {
            Method::Uniform => "uniform",
            Method::Walk => "walk",
        };
        let cells = PyBytes::new(py, &found.state.cells).unbind();
        Ok(PyScramble { cells, player: found.state.player, moves: found.moves, method })
    }
}
