//! States from and to Python: single states as bytes, and many states as arrays.

use std::sync::Arc;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use super::engine::PyEngine;
use super::successors::{GivenColumns, GrownColumns, SuccessorArrays};
use super::watch;
use crate::{Engine, Notation, State};

/// A state: the bytes of its cells, and the number of the player to move.
pub(super) type StateRow<'py> = (Bound<'py, PyBytes>, usize);

pub(super) fn state_row<'py>(py: Python<'py>, state: &State) -> StateRow<'py> {
    (PyBytes::new(py, &state.cells), state.player)
}

/// Reads and writes states as text.
#[pyclass(frozen, name = "Notation", module = "puzzlekit._core")]
pub(super) struct PyNotation {
    engine: Arc<Engine>,
    notation: Notation,
}

#[pymethods]
impl PyNotation {
    /// Reads the text of a state. If the text of a game does not name the player to move, that player follows from the
    /// cells in games in which they show how many moves were made. In other games, the first player is to move.
    fn read<'py>(&self, py: Python<'py>, text: &str) -> PyResult<StateRow<'py>> {
        let (cells, player) = self.notation.read(text)?;
        let player = player.unwrap_or_else(|| self.engine.turn(&cells));
        Ok((PyBytes::new(py, &cells), player))
    }

    fn write(&self, cells: &[u8], player: usize) -> PyResult<String> {
        Ok(self.notation.try_write(cells, player)?)
    }
}

#[pymethods]
impl PyEngine {
    /// The notation of states for a board whose rows have the given numbers of cells.
    #[expect(clippy::needless_pass_by_value, reason = "a list of Python is converted to one that is owned")]
    fn notation(&self, rows: Vec<usize>) -> PyNotation {
        PyNotation { engine: Arc::clone(&self.engine), notation: Notation::new(self.engine.rules(), &rows) }
    }

    fn moves(&self, cells: &[u8], player: usize) -> PyResult<Vec<usize>> {
        Ok(self.engine.moves(&State { cells: cells.to_vec(), player })?)
    }

    fn apply<'py>(&self, py: Python<'py>, cells: &[u8], player: usize, index: usize) -> PyResult<StateRow<'py>> {
        Ok(state_row(py, &self.engine.apply(&State { cells: cells.to_vec(), player }, index)?))
    }

    fn outcome(&self, cells: &[u8], player: usize) -> PyResult<Option<usize>> {
        Ok(self.engine.outcome(&State { cells: cells.to_vec(), player })?)
    }

    fn solved(&self, cells: &[u8], player: usize) -> PyResult<bool> {
        Ok(self.engine.solved(&State { cells: cells.to_vec(), player })?)
    }

    fn least_moves(&self, cells: &[u8], player: usize) -> PyResult<Option<u32>> {
        Ok(self.engine.least_moves(&State { cells: cells.to_vec(), player })?)
    }

    fn canonical<'py>(&self, py: Python<'py>, cells: &[u8], player: usize) -> PyResult<StateRow<'py>> {
        Ok(state_row(py, &self.engine.canonical(&State { cells: cells.to_vec(), player })?))
    }

    fn key(&self, cells: &[u8], player: usize) -> PyResult<u128> {
        Ok(self.engine.key(&State { cells: cells.to_vec(), player })?)
    }

    /// The successors of rows of states, as three arrays of bytes: the row of each successor, the number of the row
    /// that it comes from, and the number of the move that leads to it. Numbers have 32 bits.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are converted to ones that are owned")]
    fn expand(&self, py: Python<'_>, rows: PyBackedBytes) -> PyResult<SuccessorArrays> {
        let mut columns = GrownColumns::new(py);
        let states = rows.len() / self.engine.row_bytes();
        watch::run_on_states(py, states, |watch| {
            self.engine.expand_rows(&rows, watch, &mut |found| columns.take(found))
        })?;
        Ok((columns.rows, columns.parents, columns.moves))
    }

    /// Does the same as `expand`, but writes into three buffers that the caller gives. Returns the number of
    /// successors.
    #[expect(clippy::needless_pass_by_value, reason = "arguments from Python are converted to ones that are owned")]
    fn expand_into(
        &self,
        py: Python<'_>,
        rows: PyBackedBytes,
        children: PyBuffer<u8>,
        parents: PyBuffer<u8>,
        moves: PyBuffer<u8>,
    ) -> PyResult<usize> {
        let mut columns = GivenColumns { buffers: [children, parents, moves], successors: 0 };
        let states = rows.len() / self.engine.row_bytes();
        watch::run_on_states(py, states, |watch| {
            self.engine.expand_rows(&rows, watch, &mut |found| columns.take(found))
        })?;
        Ok(columns.successors)
    }

    fn canonical_rows<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let rows = bytes_of(py, rows)?;
        let found = watch::run(py, None, |watch| self.engine.canonical_rows(&rows, watch))?;
        joined(py, found.iter().map(Vec::as_slice))
    }

    /// The length of the perfect index: all its numbers are below this one.
    fn index_length(&self, py: Python<'_>) -> PyResult<u64> {
        let engine = Arc::clone(&self.engine);
        watch::unwatched(py, move || Ok(engine.index()?.len()))
    }

    /// The numbers of states in the perfect index, as 64-bit numbers.
    fn rank_rows<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let rows = bytes_of(py, rows)?;
        let numbers = watch::run(py, None, |watch| self.engine.rank_rows(&rows, watch))?;
        Ok(PyBytes::new(py, bytemuck::cast_slice(&numbers)))
    }

    /// The states with the given numbers in the perfect index. The numbers have 64 bits.
    fn unrank_rows<'py>(&self, py: Python<'py>, numbers: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let numbers: Vec<u64> = numbers.as_chunks().0.iter().map(|&bytes| u64::from_ne_bytes(bytes)).collect();
        Ok(PyBytes::new(py, &watch::run(py, None, |watch| self.engine.unrank_rows(&numbers, watch))?))
    }
}

/// Joins parts into one object of bytes, and copies each part only once, since arrays may be large.
fn joined<'py, 'a>(py: Python<'py>, parts: impl Iterator<Item = &'a [u8]> + Clone) -> PyResult<Bound<'py, PyBytes>> {
    PyBytes::new_with(py, parts.clone().map(<[u8]>::len).sum(), |mut to| {
        for part in parts {
            let (here, rest) = to.split_at_mut(part.len());
            here.copy_from_slice(part);
            to = rest;
        }
        Ok(())
    })
}

/// A copy of the bytes that an object exposes as a buffer of unsigned bytes, in C order.
pub(super) fn bytes_of(py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    PyBuffer::<u8>::get(rows)?.to_vec(py)
}
