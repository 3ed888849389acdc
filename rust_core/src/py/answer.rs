//! The search for a solution of one state within limits. If Ctrl-C interrupts the search, it returns what it has found
//! so far.

use std::path::PathBuf;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

use super::engine::PyEngine;
use super::solve::{budget_of, name_of, name_of_limit};
use super::watch;
use crate::{Answered, Asked, Proof, Solution, Solved, State, TableCache};

/// All that a search within limits has found about a state.
#[pyclass(frozen, get_all, name = "Answered", module = "puzzlekit._core")]
pub(super) struct PyAnswered {
    /// `solved`, `unreachable`, or `unknown` if a limit came before there was an answer.
    status: &'static str,
    moves: Vec<usize>,
    /// `true` if it is proven that no shorter solution exists.
    optimal: bool,
    /// The limit that ended the search before the answer was proven: `states`, `memory`, `seconds`, `searched` or
    /// `watch`. `None` if the answer is proven.
    limit: Option<&'static str>,
    /// `true` if Ctrl-C stopped the search.
    interrupted: bool,
    /// The number of states that the search stored.
    states: u64,
    /// The name of the technique that found the moves; see [`name_of`].
    technique: &'static str,
    /// No solution has fewer moves than this.
    lower_bound: u32,
    /// For each bound that iterative deepening has searched: the bound, and the number of states that the search
    /// visited.
    searched: Vec<(u32, u64)>,
}

#[pymethods]
impl PyEngine {
    #[pyo3(signature = (cells, player, max_states, memory, seconds = None, first = None, cache = None, watch = None))]
    #[expect(clippy::too_many_arguments, reason = "they are the options of one run")]
    fn answer(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        max_states: usize,
        memory: u64,
        seconds: Option<f64>,
        first: Option<Vec<usize>>,
        cache: Option<(PathBuf, u64)>,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyAnswered> {
        let (state, budget) = (State { cells, player }, budget_of(max_states, memory));
        let cache = cache.map(|(folder, most_bytes)| TableCache::new(&folder, most_bytes));
        let asked = Asked { budget, seconds, first, cache };
        let (found, raised) = watch::run_to_the_end(py, watch, |watch| self.engine.answer(&state, &asked, watch));
        let interrupted = raised.as_ref().is_some_and(|raised| raised.is_instance_of::<PyKeyboardInterrupt>(py));
        if let Some(raised) = raised.filter(|_| !interrupted) {
            return Err(raised);
        }
        let Answered { solved, limit } = found?;
        let Solved { solution, technique, states, proof: Proof { lower_bound, searched, .. } } = solved;
        let (status, moves, optimal) = match solution {
            Solution::Moves(moves, optimal) => ("solved", moves, optimal),
            Solution::Unreachable => ("unreachable", Vec::new(), false),
            Solution::Full | Solution::Stopped => ("unknown", Vec::new(), false),
        };
        let technique = name_of(technique);
        let limit = limit.map(name_of_limit);
        Ok(PyAnswered { status, moves, optimal, limit, interrupted, states, technique, lower_bound, searched })
    }
}
