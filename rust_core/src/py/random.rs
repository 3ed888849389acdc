//! The engine's random numbers.

use std::sync::Mutex;

use pyo3::prelude::*;

use super::errors::UsageError;
use crate::Random;

/// A stream of random numbers that depends only on a text, the seed.
#[pyclass(frozen, name = "Random", module = "puzzlekit._core")]
pub(super) struct PyRandom {
    random: Mutex<Random>,
}

#[pymethods]
impl PyRandom {
    #[new]
    #[pyo3(signature = (seed, /))]
    fn new(seed: &str) -> Self {
        Self { random: Mutex::new(Random::new(seed)) }
    }

    #[pyo3(signature = (bound, /))]
    fn below(&self, bound: u64) -> PyResult<u64> {
        if bound == 0 {
            return Err(UsageError::new_err("no number is below 0; give a bound of at least 1"));
        }
        Ok(self.random.lock().unwrap_or_else(std::sync::PoisonError::into_inner).below(bound))
    }
}
