//! Two graphs, with states as numbers: all states that play can reach, and the states of a job with the moves between
//! them.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::engine::PyEngine;
use super::jobs::PyJobFolder;
use super::solve::budget_of;
use super::states::{StateRow, state_row};
use super::watch;
use crate::{AllReached, Error, JobEdges, ReachedGraph};

/// All states that play can reach from the start of a puzzle.
#[pyclass(frozen, name = "ReachedGraph", module = "puzzlekit._core")]
pub(super) struct PyReachedGraph {
    graph: ReachedGraph,
}

#[pymethods]
impl PyReachedGraph {
    fn __len__(&self) -> usize {
        self.graph.len() as usize
    }

    fn state<'py>(&self, py: Python<'py>, number: u64) -> StateRow<'py> {
        state_row(py, &self.graph.state(number))
    }

    /// A byte for each state: 1 if all cells of the pattern hold their symbols, and 0 if not.
    #[expect(clippy::needless_pass_by_value, reason = "a list of Python is converted to one that is owned")]
    fn meeting<'py>(&self, py: Python<'py>, pattern: Vec<(usize, u8)>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.graph.meeting(&pattern)))
    }

    /// A byte for each state: 1 if it satisfies the goal, and 0 if not.
    fn solved<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &py.detach(|| self.graph.solved()))
    }

    /// The state that is reached by making moves with these names, one after another; `None` if one of them cannot be
    /// made.
    #[expect(clippy::needless_pass_by_value, reason = "a list of Python is converted to one that is owned")]
    fn follow(&self, number: u64, moves: Vec<String>) -> Option<u64> {
        self.graph.follow(number, &moves)
    }

    /// The fewest moves from each state to one of the states that have a 1 in `goals`, as 32-bit numbers; -1 if no
    /// moves lead there.
    fn distances<'py>(
        &self,
        py: Python<'py>,
        goals: &[u8],
        room: u64,
        watch: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let found =
            watch::run(py, Some(watch), |watch| self.graph.distances(goals, room, watch)?.ok_or(Error::Stopped))?;
        Ok(PyBytes::new(py, bytemuck::cast_slice(&found)))
    }
}

/// The moves between the states of a job.
#[pyclass(frozen, name = "JobEdges", module = "puzzlekit._core")]
pub(super) struct PyJobEdges {
    edges: Mutex<JobEdges>,
}

/// Three columns with an item for each move: the row of the state in which it is made, the number of the move, and the
/// row of the state that it leads to. Rows are 64-bit numbers, and numbers of moves have 32 bits.
type EdgeColumns<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl PyJobEdges {
    fn __len__(&self) -> usize {
        self.edges.lock().unwrap_or_else(PoisonError::into_inner).len() as usize
    }

    /// The number of states whose moves have been returned.
    #[getter]
    fn done(&self) -> u64 {
        self.edges.lock().unwrap_or_else(PoisonError::into_inner).done()
    }

    /// The moves of the next states that have not been returned.
    fn next_rows<'py>(&self, py: Python<'py>) -> EdgeColumns<'py> {
        let found = py.detach(|| self.edges.lock().unwrap_or_else(PoisonError::into_inner).next_rows());
        let numbers = |numbers: &[u64]| PyBytes::new(py, bytemuck::cast_slice(numbers));
        let moves = PyBytes::new(py, bytemuck::cast_slice(&found.moves));
        (numbers(&found.states), moves, numbers(&found.successors))
    }
}

#[pymethods]
impl PyEngine {
    /// The graph of all states that play can reach, or `None` if there are more than the budget allows; and the number
    /// of states that were found.
    fn all_reached(
        &self,
        py: Python<'_>,
        max_states: usize,
        memory: u64,
        watch: &Bound<'_, PyAny>,
    ) -> PyResult<(Option<PyReachedGraph>, u64)> {
        let budget = budget_of(max_states, memory);
        let found = watch::run(py, Some(watch), |watch| Ok(self.engine.all_reached(budget, watch)))?;
        match found {
            AllReached::Whole(graph) => {
                let states = graph.len();
                Ok((Some(PyReachedGraph { graph }), states))
            }
            AllReached::Full(states) => Ok((None, states)),
            AllReached::Stopped => Err(Error::Stopped.into()),
        }
    }

    #[pyo3(signature = (job, memory, watch = None))]
    fn edges_of_job(
        &self,
        py: Python<'_>,
        job: &PyJobFolder,
        memory: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyJobEdges> {
        let edges = watch::run(py, watch, |watch| self.engine.edges_of_job(&job.folder, memory, watch))?;
        Ok(PyJobEdges { edges: Mutex::new(edges) })
    }
}
