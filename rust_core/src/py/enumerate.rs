//! The enumeration of all states, and its plan. The options come as JSON, and the report goes back as an object.

use std::sync::Arc;

use pyo3::prelude::*;

use super::engine::PyEngine;
use super::errors::UsageError;
use super::jobs::PyJobFolder;
use super::watch;
use crate::json;
use crate::{DepthReport, Options, Report, RunPlan, Stop};

/// The states of one depth.
#[pyclass(frozen, get_all, name = "DepthReport", module = "puzzlekit._core", skip_from_py_object)]
#[derive(Clone)]
pub(super) struct PyDepthReport {
    depth: u64,
    states: u64,
    raw_states: u64,
    open: u64,
    /// For each outcome, in the engine's order, the number of states that ended with it.
    ended: Vec<u64>,
}

/// The report of an enumeration: the states of each depth, and how the run went.
#[pyclass(frozen, get_all, name = "RunReport", module = "puzzlekit._core")]
pub(super) struct PyRunReport {
    depths: Vec<PyDepthReport>,
    stopped: Option<&'static str>,
    store: &'static str,
    reason: String,
    symmetry_order: usize,
    unsolvable: Option<u64>,
    raw_unsolvable: Option<u64>,
    generated: u64,
    seconds: f64,
}

/// The plan of a run: the store that it would use, and its size.
#[pyclass(frozen, get_all, name = "RunPlan", module = "puzzlekit._core")]
pub(super) struct PyRunPlan {
    store: &'static str,
    reason: String,
    memory_bytes: Option<u64>,
    disk_bytes: Option<u64>,
}

impl From<DepthReport> for PyDepthReport {
    fn from(report: DepthReport) -> Self {
        let DepthReport { depth, states, raw_states, open, ended } = report;
        Self { depth, states, raw_states, open, ended }
    }
}

impl From<Report> for PyRunReport {
    fn from(report: Report) -> Self {
        let Report { depths, stop, store, reason, symmetry_order, unsolvable, generated, seconds } = report;
        let depths = depths.into_iter().map(PyDepthReport::from).collect();
        Self {
            depths,
            stopped: stop.map(Stop::name),
            store: store.name(),
            reason,
            symmetry_order,
            unsolvable: unsolvable.map(|unsolvable| unsolvable.states),
            raw_unsolvable: unsolvable.map(|unsolvable| unsolvable.raw_states),
            generated,
            seconds,
        }
    }
}

impl From<RunPlan> for PyRunPlan {
    fn from(plan: RunPlan) -> Self {
        let RunPlan { store, reason, memory_bytes, disk_bytes } = plan;
        Self { store: store.name(), reason, memory_bytes, disk_bytes }
    }
}

#[pymethods]
impl PyEngine {
    #[pyo3(signature = (options, job = None, watch = None))]
    fn enumerate(
        &self,
        py: Python<'_>,
        options: &str,
        job: Option<&PyJobFolder>,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyRunReport> {
        let options = options_of(options)?;
        let run = watch::run(py, watch, |watch| match job {
            Some(job) => self.engine.enumerate_job(&options, &job.folder, watch),
            None => self.engine.enumerate(&options, watch),
        });
        run.map(PyRunReport::from)
    }

    fn plan(&self, py: Python<'_>, options: &str, kept: bool) -> PyResult<PyRunPlan> {
        let (engine, options) = (Arc::clone(&self.engine), options_of(options)?);
        watch::unwatched(py, move || engine.plan(&options, kept)).map(PyRunPlan::from)
    }
}

/// Reads the options of a run from JSON.
pub(super) fn options_of(text: &str) -> PyResult<Options> {
    json::from_text(text).map_err(|error| UsageError::new_err(format!("the options make no sense: {error}")))
}
