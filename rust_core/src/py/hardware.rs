//! The hardware as the engine sees it: the processor, the threads, and the memory with its limits.

use std::path::PathBuf;

use pyo3::prelude::*;

use crate::run::{Options, in_pool, parallel};
use crate::{GroupLimit, InstructionSet, MemoryLimit};

/// The processor as the engine uses it.
#[pyclass(frozen, get_all, name = "Processor", module = "puzzlekit._core")]
pub(super) struct PyProcessor {
    architecture: &'static str,
    /// The instructions that hot loops use: `avx512`, `avx2` or `baseline`.
    instruction_set: &'static str,
}

/// The memory that a control group allows.
#[pyclass(frozen, get_all, name = "GroupLimit", module = "puzzlekit._core", skip_from_py_object)]
#[derive(Clone)]
pub(super) struct PyGroupLimit {
    file: PathBuf,
    version: u8,
    bytes: u64,
}

/// The memory that this process may use, and the control groups that limit it.
#[pyclass(frozen, get_all, name = "MemoryLimit", module = "puzzlekit._core")]
pub(super) struct PyMemoryLimit {
    bytes: u64,
    machine: u64,
    groups: Vec<PyGroupLimit>,
    /// The group that allows the least; `None` if no group allows less than the machine has.
    binding: Option<PyGroupLimit>,
}

impl From<GroupLimit> for PyGroupLimit {
    fn from(limit: GroupLimit) -> Self {
        let GroupLimit { file, version, bytes } = limit;
        Self { file, version, bytes }
    }
}

impl From<MemoryLimit> for PyMemoryLimit {
    fn from(limit: MemoryLimit) -> Self {
        let (bytes, binding) = (limit.bytes(), limit.binding().cloned().map(PyGroupLimit::from));
        let MemoryLimit { machine, groups } = limit;
        Self { bytes, machine, groups: groups.into_iter().map(PyGroupLimit::from).collect(), binding }
    }
}

/// The processor that this process runs on.
#[pyfunction]
pub(super) fn processor() -> PyProcessor {
    PyProcessor { architecture: std::env::consts::ARCH, instruction_set: InstructionSet::detect().name() }
}

/// The number of threads of a run whose options do not choose it. The threads are started for a moment to find out.
#[pyfunction]
pub(super) fn default_threads() -> PyResult<usize> {
    Ok(in_pool(&Options::default(), parallel::threads)?)
}

/// The bytes of memory that this process may use.
#[pyfunction]
pub(super) fn memory_bytes() -> u64 {
    crate::memory_bytes()
}

/// The memory that this process may use, and the control groups that limit it.
#[pyfunction]
pub(super) fn memory_limit() -> PyMemoryLimit {
    crate::memory_limit().into()
}
