//! The symmetries that the engine finds in rules, whether the rules declare some or not.

use std::sync::Arc;

use pyo3::prelude::*;

use super::engine::PyEngine;
use super::watch;
use crate::{Error, FoundSymmetries};

/// The symmetries that the engine found.
#[pyclass(frozen, get_all, name = "FoundSymmetries", module = "puzzlekit._core")]
pub(super) struct PyFoundSymmetries {
    /// The generators as JSON, in the form of the rules' own symmetries.
    generators: String,
    order: usize,
    /// The number of all symmetries; `None` if it is too large.
    whole: Option<u128>,
    idle: Option<u128>,
    complete: bool,
}

#[pymethods]
impl PyEngine {
    fn find_symmetries(&self, py: Python<'_>) -> PyResult<PyFoundSymmetries> {
        let engine = Arc::clone(&self.engine);
        let (found, generators) = watch::unwatched(py, move || {
            let rules = engine.written_rules()?;
            let found = engine.structure().found().cloned().unwrap_or_else(|| FoundSymmetries::of_rules(&rules));
            let generators = serde_json::to_string(&found.to_data(&rules));
            Ok((found, generators.map_err(|error| Error::Rules(format!("the symmetries cannot be written: {error}")))?))
        })?;
        let FoundSymmetries { order, whole, idle, complete, .. } = found;
        let counted = |count: u128| (count < u128::MAX).then_some(count);
        Ok(PyFoundSymmetries { generators, order, whole: counted(whole), idle: counted(idle), complete })
    }
}
