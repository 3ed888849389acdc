//! Jobs in folders: status, check, look-ups, and export as tables.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::engine::PyEngine;
use super::errors::UsageError;
use super::states::bytes_of;
use super::table::PyStream;
use super::watch;
use crate::{Engine, Format, JobFolder, JobPlace, LookedUp, Lookup, Notation, Span};

/// The folder of a job, and the source of its rules.
#[pyclass(frozen, name = "JobFolder", module = "puzzlekit._core")]
pub(super) struct PyJobFolder {
    pub folder: JobFolder,
}

#[pymethods]
impl PyJobFolder {
    #[new]
    #[pyo3(signature = (folder, puzzle, plugin, plugin_version, *, shown = "", resume = false, drop_partial = false))]
    fn new(
        folder: PathBuf,
        puzzle: String,
        plugin: String,
        plugin_version: String,
        shown: &str,
        resume: bool,
        drop_partial: bool,
    ) -> Self {
        Self {
            folder: JobFolder {
                place: JobPlace::new(folder),
                resume,
                drop_partial,
                puzzle,
                plugin,
                plugin_version,
                shown: shown.to_owned(),
            },
        }
    }
}

/// The depths of a job to read, and the number of states to read at a time.
#[pyclass(frozen, name = "Span", module = "puzzlekit._core")]
pub(super) struct PySpan {
    span: Span,
}

#[pymethods]
impl PySpan {
    #[new]
    #[pyo3(signature = (first, last, rows = None))]
    fn new(first: u64, last: u64, rows: Option<usize>) -> Self {
        let rest = Span::default();
        Self { span: Span { first, last, rows: rows.unwrap_or(rest.rows) } }
    }
}

/// A hard state: one of those that are farthest from the start, or from the goal if the job counts backward.
#[pyclass(frozen, get_all, name = "HardState", module = "puzzlekit._core")]
pub(super) struct PyHardState {
    depth: u64,
    cells: Py<PyBytes>,
    player: usize,
    orbit_size: u32,
    outcome: Option<u16>,
}

/// A job that is open for looking up states.
#[pyclass(frozen, name = "Lookup", module = "puzzlekit._core")]
pub(super) struct PyLookup {
    lookup: Lookup,
}

/// Three columns with an item for each state. The first has a byte: 0 if the state was not found, and otherwise 1, 2 or
/// 3 for a win, a draw or a loss. The second has the state's distance or, in a game with a score, the points by which
/// the winner is ahead, and the third its depth. Both are 32-bit numbers, -1 if unknown.
type LookedUpRows<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

#[pymethods]
impl PyLookup {
    /// Returns `true` if depths are distances to the goal.
    #[getter]
    fn backward(&self) -> bool {
        self.lookup.is_backward()
    }

    /// Looks up states, one in each row. Depths near `around` are searched first.
    #[pyo3(signature = (rows, around = 0, watch = None))]
    fn rows<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
        around: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<LookedUpRows<'py>> {
        let rows = bytes_of(py, rows)?;
        let found = watch::run(py, watch, |watch| self.lookup.look_up(&rows, around, watch))?;
        let places: Vec<u8> =
            found.iter().map(|state| state.map_or(0, |state| 1 + state.value.place() as u8)).collect();
        let numbers = |number: fn(&LookedUp) -> Option<u32>| {
            let number = |state: &Option<LookedUp>| state.as_ref().and_then(number).map_or(-1, |number| number as i32);
            PyBytes::new(py, bytemuck::cast_slice(&found.iter().map(number).collect::<Vec<i32>>()))
        };
        Ok((PyBytes::new(py, &places), numbers(|state| state.value.ahead()), numbers(|state| state.depth)))
    }
}

#[pymethods]
impl PyEngine {
    /// Opens a job to look up states.
    fn lookup(&self, py: Python<'_>, job: &PyJobFolder) -> PyResult<PyLookup> {
        let lookup = watch::run(py, None, |_| self.engine.lookup(&job.folder))?;
        Ok(PyLookup { lookup })
    }

    #[pyo3(signature = (job, memory, watch = None))]
    fn verify_job(
        &self,
        py: Python<'_>,
        job: &PyJobFolder,
        memory: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let manifest = watch::run(py, watch, |watch| self.engine.verify_job(memory, &job.folder, watch))?;
        Ok(manifest.to_text())
    }

    #[pyo3(signature = (job, watch = None))]
    fn hash_job(&self, py: Python<'_>, job: &PyJobFolder, watch: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<u128>> {
        watch::run(py, watch, |watch| self.engine.hash_job(&job.folder, watch))
    }

    #[pyo3(signature = (job, count, watch = None))]
    fn hardest(
        &self,
        py: Python<'_>,
        job: &PyJobFolder,
        count: usize,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<PyHardState>> {
        let found = watch::run(py, watch, |watch| self.engine.hardest(&job.folder, count, watch))?;
        let row = |hard: crate::Hard| PyHardState {
            depth: hard.depth,
            cells: PyBytes::new(py, &hard.state.cells).unbind(),
            player: hard.state.player,
            orbit_size: hard.orbit_size,
            outcome: hard.outcome,
        };
        Ok(found.into_iter().map(row).collect())
    }

    /// Exports the states of a job to a file. `rows` has the number of cells in each row of a state's text; without it
    /// the table has no column of texts.
    #[pyo3(signature = (job, span, to, form, rows = None, watch = None))]
    #[expect(clippy::too_many_arguments, reason = "what is read, what is written, and the watch")]
    #[expect(clippy::needless_pass_by_value, reason = "a path is made for each call")]
    fn export_job(
        &self,
        py: Python<'_>,
        job: &PyJobFolder,
        span: &PySpan,
        to: PathBuf,
        form: &str,
        rows: Option<Vec<usize>>,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let format = match form {
            "csv" => Format::Csv,
            "npy" => Format::Npy,
            "parquet" => Format::Parquet,
            other => {
                return Err(UsageError::new_err(format!("there is no format \"{other}\"; give parquet, csv or npy")));
            }
        };
        let notation = rows.map(|rows| Notation::new(self.engine.rules(), &rows));
        watch::run(py, watch, |watch| self.engine.export_job(&job.folder, &span.span, format, &to, notation, watch))
    }

    #[pyo3(signature = (job, span, rows = None))]
    fn stream_job(
        &self,
        py: Python<'_>,
        job: &PyJobFolder,
        span: &PySpan,
        rows: Option<Vec<usize>>,
    ) -> PyResult<PyStream> {
        let notation = rows.map(|rows| Notation::new(self.engine.rules(), &rows));
        let engine = Arc::clone(&self.engine);
        watch::run(py, None, |_| engine.stream_job(job.folder.clone(), span.span, notation)).map(PyStream::new)
    }
}

/// The manifest of the job in a folder, as JSON.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "a path is made for each call")]
pub(super) fn job_status(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    Ok(watch::run(py, None, |_| Engine::job_status(&folder))?.to_text())
}

/// The definition of the puzzle whose states the job in a folder has, as JSON.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "a path is made for each call")]
pub(super) fn job_definition(py: Python<'_>, folder: PathBuf) -> PyResult<String> {
    let found = watch::run(py, None, |_| Engine::job_definition(&folder))?;
    Ok(serde_json::to_string(&found).expect("a puzzle is plain data"))
}

/// `true` if a process works on the job in a folder; `None` if that cannot be determined.
#[pyfunction]
#[expect(clippy::needless_pass_by_value, reason = "a path is made for each call")]
pub(super) fn job_is_running(folder: PathBuf) -> Option<bool> {
    Engine::job_is_running(&folder)
}
