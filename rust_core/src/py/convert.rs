//! The engine's errors and results in Python's terms.

use std::path::PathBuf;

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::{Error, Keep, Progress, Report, State, Stop, Store};

pyo3::import_exception!(puzzlekit.errors, RulesError);
pyo3::import_exception!(puzzlekit.errors, StateError);
pyo3::import_exception!(puzzlekit.errors, MoveError);
pyo3::import_exception!(puzzlekit.errors, UsageError);
pyo3::import_exception!(puzzlekit.errors, LimitError);
pyo3::import_exception!(puzzlekit.errors, JobError);
pyo3::import_exception!(puzzlekit.errors, DiskError);
pyo3::import_exception!(puzzlekit.errors, CorruptError);

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::Rules(message) => RulesError::new_err(message),
            Error::State(message) => StateError::new_err(message),
            Error::Move(message) => MoveError::new_err(message),
            Error::Options(message) => UsageError::new_err(message),
            Error::Memory(message) => LimitError::new_err(message),
            Error::Job(message) => JobError::new_err(message),
            Error::Disk(message) => DiskError::new_err(message),
            Error::Corrupt(message) => CorruptError::new_err(message),
            Error::Stopped => LimitError::new_err(error.to_string()),
        }
    }
}

/// What `watch` is given: depth, frontier, expanded, states, store bytes, seconds.
pub(super) type ProgressRow = (u64, u64, u64, u64, u64, f64);

pub(super) fn progress_row(progress: &Progress) -> ProgressRow {
    let Progress { depth, frontier, expanded, states, store_bytes, seconds } = *progress;
    (depth, frontier, expanded, states, store_bytes, seconds)
}

/// Depth, states, raw states, open states, and the ended states of each outcome.
pub(super) type DepthRow = (u64, u64, u64, u64, Vec<u64>);

/// The depths, why it stopped, the symmetry order, the successors generated, the seconds, the store and why it.
pub(super) type ReportRow = (Vec<DepthRow>, Option<&'static str>, usize, u64, f64, &'static str, String);

pub(super) fn report_row(report: Report) -> ReportRow {
    let depths = report
        .depths
        .into_iter()
        .map(|depth| (depth.depth, depth.states, depth.raw_states, depth.open, depth.ended))
        .collect();
    let stop = report.stop.map(|stop| match stop {
        Stop::MaxDepth => "max-depth",
        Stop::Watch => "watch",
        Stop::Memory => "memory",
    });
    let (order, generated, seconds) = (report.symmetry_order, report.generated, report.seconds);
    (depths, stop, order, generated, seconds, report.store.name(), report.reason)
}

pub(super) fn keep_of(
    (folder, resume, puzzle, plugin, plugin_version): (PathBuf, bool, String, String, String),
) -> Keep {
    Keep { folder, resume, drop_partial: false, puzzle, plugin, plugin_version }
}

pub(super) fn store_of(name: &str) -> Store {
    match name {
        "dense" => Store::Dense,
        "sparse" => Store::Sparse,
        _ => Store::Auto,
    }
}

/// The cells, the player to move, the moves that were made where it was a walk, and how the state was chosen.
pub(super) type ScrambleRow<'py> = (Bound<'py, PyBytes>, usize, Option<Vec<usize>>, &'static str);

/// The depth, the cells, the player to move, how many states it stands for, and how it ended.
pub(super) type HardRow<'py> = (u64, Bound<'py, PyBytes>, usize, u32, Option<u16>);

/// The value or why there is none, its length, the best moves, and the line that they begin.
pub(super) type PlayRow = (&'static str, Option<u32>, Vec<usize>, Vec<usize>);

pub(super) fn state_row<'py>(py: Python<'py>, state: &State) -> (Bound<'py, PyBytes>, usize) {
    (PyBytes::new(py, &state.cells), state.player)
}

/// A copy of the bytes that an object exposes as a buffer of unsigned bytes, in C order.
pub(super) fn bytes_of(py: Python<'_>, rows: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    PyBuffer::<u8>::get(rows)?.to_vec(py)
}
