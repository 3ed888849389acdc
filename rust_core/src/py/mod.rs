//! The Python binding: each file has a group of operations, which convert their arguments, run the engine, and convert
//! the result. Nothing else in the crate knows of Python.

mod answer;
mod engine;
mod enumerate;
mod errors;
mod hardware;
mod jobs;
mod proof;
mod random;
mod reached;
mod shards;
mod solve;
mod states;
mod successors;
mod symmetries;
mod table;
mod values;
mod watch;

use pyo3::prelude::*;

/// The engine.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::answer::PyAnswered;
    #[pymodule_export]
    use super::engine::PyEngine;
    #[pymodule_export]
    use super::enumerate::{PyDepthReport, PyRunPlan, PyRunReport};
    #[pymodule_export]
    use super::hardware::{
        PyGroupLimit, PyMemoryLimit, PyProcessor, default_threads, memory_bytes, memory_limit, processor,
    };
    #[pymodule_export]
    use super::jobs::{PyHardState, PyJobFolder, PyLookup, PySpan, job_definition, job_is_running, job_status};
    #[pymodule_export]
    use super::proof::{PyClaimedEnds, PyProof, PyProver};
    #[pymodule_export]
    use super::random::PyRandom;
    #[pymodule_export]
    use super::reached::{PyJobEdges, PyReachedGraph};
    #[pymodule_export]
    use super::shards::{PyShardDriver, PyShardJob, check_held, held_shards, shard_folder, shard_places};
    #[pymodule_export]
    use super::solve::{PyPlay, PyScramble, PySolution};
    #[pymodule_export]
    use super::states::PyNotation;
    #[pymodule_export]
    use super::symmetries::PyFoundSymmetries;
    #[pymodule_export]
    use super::table::{PyBatch, PyStream, depths_stream};
    #[pymodule_export]
    use super::values::{PyAllValues, PyDepthValues, PyStateValue, PyValuedState};
    #[pymodule_export]
    use super::watch::PyProgress;

    /// The version of the distribution, which is the version of the crate.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
