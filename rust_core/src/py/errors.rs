//! The engine's errors as Python exceptions, whose classes are defined in Python.

use pyo3::prelude::*;

use crate::Error;

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
