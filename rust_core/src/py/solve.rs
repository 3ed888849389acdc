//! Answers about one state, and random states.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::engine::PyEngine;
use super::watch;
use crate::{Budget, Every, Method, Play, Proof, Searched, Solution, State, Technique, Value};

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
    /// `win`, `draw`, `loss`, `full` where the budget ran out, or `stopped`.
    status: &'static str,
    length: Option<u32>,
    best: Vec<usize>,
    line: Vec<usize>,
    /// How many positions were stored for it, up to symmetry.
    states: u64,
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
        let (state, budget) = (State { cells, player }, Budget { states: max_states, bytes: memory });
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
        let (state, budget) = (State { cells, player }, Budget { states: max_states, bytes: memory });
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

    #[pyo3(signature = (cells, player, max_states, memory, watch = None))]
    fn best_moves(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        max_states: usize,
        memory: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPlay> {
        let (state, budget) = (State { cells, player }, Budget { states: max_states, bytes: memory });
        let Searched { found, states } = watch::run(py, watch, |watch| self.engine.best_moves(&state, budget, watch))?;
        let (status, length, best, line) = match found {
            Play::Solved { value, moves, line } => match value {
                Value::Win(length) => ("win", Some(length), moves, line),
                Value::Draw(length) => ("draw", length, moves, line),
                Value::Loss(length) => ("loss", Some(length), moves, line),
            },
            Play::Full => ("full", None, Vec::new(), Vec::new()),
            Play::Stopped => ("stopped", None, Vec::new(), Vec::new()),
        };
        Ok(PyPlay { status, length, best, line, states })
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
