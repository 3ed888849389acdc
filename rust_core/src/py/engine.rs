//! Compiled rules as a Python object, and what is known of them without a search.

use std::sync::Arc;

use pyo3::prelude::*;

use super::watch;
use crate::structure::{RuleTiers, Structure};
use crate::{Engine, RulesData};

/// Compiled rules.
#[pyclass(frozen, name = "Engine", module = "puzzlekit._core")]
pub(super) struct PyEngine {
    pub engine: Arc<Engine>,
}

#[pymethods]
impl PyEngine {
    #[new]
    #[pyo3(signature = (rules, /, least_word_bits = 0))]
    fn new(py: Python<'_>, rules: &str, least_word_bits: usize) -> PyResult<Self> {
        let data = RulesData::from_json(rules)?;
        let engine = watch::unwatched(py, move || Engine::with_word_bits(&data, least_word_bits))?;
        Ok(Self { engine: Arc::new(engine) })
    }

    /// The engine of the rules for play backward from the goal.
    fn backward(&self, py: Python<'_>) -> PyResult<Self> {
        let engine = Arc::clone(&self.engine);
        Ok(Self { engine: Arc::new(watch::unwatched(py, move || engine.backward())?) })
    }

    /// `true` if these rules start from the goal of other rules, and undo their moves.
    #[getter]
    fn counts_from_goal(&self) -> bool {
        self.engine.rules().backward
    }

    #[getter]
    fn outcomes(&self) -> Vec<String> {
        self.engine.rules().outcomes.clone()
    }

    #[getter]
    fn symmetry_order(&self) -> usize {
        self.engine.structure().symmetries().len()
    }

    #[getter]
    fn rules_json(&self) -> &str {
        self.engine.rules_json()
    }

    #[getter]
    fn fingerprint(&self) -> &str {
        self.engine.fingerprint()
    }

    #[getter]
    fn word_bits(&self) -> usize {
        self.engine.word_bits()
    }

    #[getter]
    fn state_bytes(&self) -> usize {
        self.engine.state_bytes()
    }

    #[getter]
    fn window(&self) -> &'static str {
        self.engine.window().name()
    }

    #[getter]
    fn tiers(&self, py: Python<'_>) -> PyResult<usize> {
        self.known(py, |structure| structure.tiers().map_or(1, RuleTiers::count))
    }

    fn never_repeats(&self, py: Python<'_>) -> PyResult<bool> {
        self.known(py, Structure::never_repeats)
    }

    #[getter]
    fn conserved(&self) -> Vec<Option<usize>> {
        self.engine.rules().conserved()
    }

    #[getter]
    fn row_bytes(&self) -> usize {
        self.engine.row_bytes()
    }

    fn group_orbits(&self, py: Python<'_>) -> PyResult<Option<Vec<usize>>> {
        self.known(py, |structure| {
            if structure.dials().is_some() {
                return None; // their ranks say it shorter
            }
            let twisted = || structure.twisted()?.orbit_sizes();
            structure.group().map(crate::PermutationGroup::orbit_sizes).or_else(twisted)
        })
    }

    fn group_states(&self, py: Python<'_>) -> PyResult<Option<(Vec<usize>, Vec<usize>)>> {
        self.known(py, |structure| structure.group_states().map(|states| (states.orbits, states.alike)))
    }

    fn toggles(&self, py: Python<'_>) -> PyResult<Option<(usize, usize)>> {
        self.known(py, |structure| {
            let toggles = structure.dials().filter(|dials| dials.are_toggles())?;
            Some((toggles.rank(), toggles.nullity()))
        })
    }

    fn dials(&self, py: Python<'_>) -> PyResult<Option<(u8, usize, usize)>> {
        self.known(py, |structure| {
            let dials = structure.dials().filter(|dials| !dials.are_toggles())?;
            Some((dials.modulus(), dials.rank(), dials.nullity()))
        })
    }
}

impl PyEngine {
    /// A fact about the structure of the rules. If rules are large, the first call takes seconds.
    fn known<T: Send + 'static>(
        &self,
        py: Python<'_>,
        fact: impl FnOnce(&Structure) -> T + Send + 'static,
    ) -> PyResult<T> {
        let engine = Arc::clone(&self.engine);
        watch::unwatched(py, move || Ok(fact(engine.structure())))
    }
}
