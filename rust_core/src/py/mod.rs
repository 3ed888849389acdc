//! The Python binding: convert, run, convert. Nothing else in the crate knows of Python.

mod convert;
mod random;
mod run;
mod table;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::{
    Budget, Engine, Format, Grain, Method, Notation, Options, PermutationGroup, Play, Solution, Span, State, Toggles,
    Value,
};
use convert::{
    HardRow, PlayRow, ReportRow, RulesError, ScrambleRow, bytes_of, keep_of, report_row, state_row, store_of,
};
use table::PyStream;

/// Compiled rules.
#[pyclass(frozen, name = "Engine", module = "puzzlekit._core")]
struct PyEngine {
    engine: Arc<Engine>,
}

#[pymethods]
impl PyEngine {
    #[new]
    #[pyo3(signature = (rules, /, least_word_bits = 0))]
    fn new(rules: &str, least_word_bits: usize) -> PyResult<Self> {
        let data = serde_json::from_str(rules)
            .map_err(|error| RulesError::new_err(format!("the rules are malformed: {error}")))?;
        Ok(Self { engine: Arc::new(Engine::with_word_bits(&data, least_word_bits)?) })
    }

    #[getter]
    fn outcomes(&self) -> Vec<String> {
        self.engine.rules().outcomes.clone()
    }

    #[getter]
    fn symmetry_order(&self) -> usize {
        self.engine.rules().group.len()
    }

    #[getter]
    fn word_bits(&self) -> usize {
        self.engine.word_bits()
    }

    #[getter]
    fn window(&self) -> &'static str {
        self.engine.window().name()
    }

    #[getter]
    fn conserved(&self) -> Vec<Option<usize>> {
        self.engine.rules().conserved()
    }

    #[getter]
    fn row_bytes(&self) -> usize {
        self.engine.row_bytes()
    }

    #[expect(clippy::too_many_arguments, reason = "each is an option of a run")]
    #[pyo3(signature = (max_depth, symmetry, threads, watch, store, memory, grain = None, keep = None, backward = false, disk = None, checkpoint = None))]
    fn enumerate(
        &self,
        py: Python<'_>,
        max_depth: Option<u64>,
        symmetry: bool,
        threads: usize,
        watch: Option<&Bound<'_, PyAny>>,
        store: &str,
        memory: u64,
        grain: Option<(u32, usize, usize, usize)>,
        keep: Option<(PathBuf, bool, String, String, String)>,
        backward: bool,
        disk: Option<u64>,
        checkpoint: Option<f64>,
    ) -> PyResult<ReportRow> {
        let grain = grain.map(|(partition_bits, block_states, wave_blocks, run_words)| Grain {
            partition_bits,
            block_states,
            wave_blocks,
            run_words,
        });
        let rest = Options::default();
        let options = Options {
            store: store_of(store),
            memory,
            disk: disk.unwrap_or(rest.disk),
            checkpoint: checkpoint
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
                .unwrap_or(rest.checkpoint),
            max_depth,
            symmetry,
            threads,
            grain,
        };
        let keep = keep.map(keep_of);
        let engine = self.turned(backward)?;
        run::run(py, watch, |watch| match &keep {
            Some(keep) => engine.enumerate_job(&options, keep, watch),
            None => engine.enumerate(&options, watch),
        })
        .map(report_row)
    }

    fn verify_job(
        &self,
        py: Python<'_>,
        keep: (PathBuf, bool, String, String, String),
        memory: u64,
        backward: bool,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let keep = keep_of(keep);
        let engine = self.turned(backward)?;
        run::run(py, watch, |watch| engine.verify_job(memory, &keep, watch)).map(|manifest| manifest.to_text())
    }

    fn plan(
        &self,
        max_depth: Option<u64>,
        symmetry: bool,
        store: &str,
        memory: u64,
        backward: bool,
    ) -> PyResult<(&'static str, String, Option<u64>)> {
        let options = Options { store: store_of(store), memory, max_depth, symmetry, ..Options::default() };
        let plan = self.turned(backward)?.plan(&options)?;
        Ok((plan.store.name(), plan.reason, plan.bytes))
    }

    fn hash_job(
        &self,
        py: Python<'_>,
        keep: (PathBuf, bool, String, String, String),
        backward: bool,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<u128>> {
        let (engine, keep) = (self.turned(backward)?, keep_of(keep));
        run::run(py, watch, |watch| engine.hash_job(&keep, watch))
    }

    fn hardest<'py>(
        &self,
        py: Python<'py>,
        keep: (PathBuf, bool, String, String, String),
        backward: bool,
        count: usize,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Vec<HardRow<'py>>> {
        let (engine, keep) = (self.turned(backward)?, keep_of(keep));
        let found = run::run(py, watch, |watch| engine.hardest(&keep, count, watch))?;
        Ok(found
            .into_iter()
            .map(|hard| {
                let (cells, player) = state_row(py, &hard.state);
                (hard.depth, cells, player, hard.orbit_size, hard.outcome)
            })
            .collect())
    }

    #[expect(clippy::too_many_arguments, reason = "each is an option of an export")]
    fn export_job(
        &self,
        py: Python<'_>,
        keep: (PathBuf, bool, String, String, String),
        backward: bool,
        depths: (u64, u64),
        to: &str,
        form: &str,
        columns: Option<usize>,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let (engine, keep) = (self.turned(backward)?, keep_of(keep));
        let format = match form {
            "csv" => Format::Csv,
            "npy" => Format::Npy,
            _ => Format::Parquet,
        };
        let span = Span { first: depths.0, last: depths.1, ..Span::default() };
        let notation = columns.map(|columns| Notation::new(engine.rules(), columns));
        run::run(py, watch, |watch| engine.export_job(&keep, &span, (format, Path::new(to)), notation, watch))
    }

    fn stream_job(
        &self,
        keep: (PathBuf, bool, String, String, String),
        backward: bool,
        depths: (u64, u64, usize),
        columns: Option<usize>,
    ) -> PyResult<PyStream> {
        let (engine, keep) = (self.turned(backward)?, keep_of(keep));
        let notation = columns.map(|columns| Notation::new(engine.rules(), columns));
        let span = Span { first: depths.0, last: depths.1, rows: depths.2 };
        Ok(PyStream::new(engine.stream_job(keep, span, notation)?))
    }

    fn depth_by_composition(&self, cells: &[u8]) -> Option<u64> {
        self.engine.rules().depth_by_composition(cells)
    }

    fn moves(&self, cells: Vec<u8>, player: usize) -> PyResult<Vec<usize>> {
        Ok(self.engine.moves(&State { cells, player })?)
    }

    fn apply<'py>(
        &self,
        py: Python<'py>,
        cells: Vec<u8>,
        player: usize,
        index: usize,
    ) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        Ok(state_row(py, &self.engine.apply(&State { cells, player }, index)?))
    }

    fn outcome(&self, cells: Vec<u8>, player: usize) -> PyResult<Option<usize>> {
        Ok(self.engine.outcome(&State { cells, player })?)
    }

    fn solved(&self, cells: Vec<u8>, player: usize) -> PyResult<bool> {
        Ok(self.engine.solved(&State { cells, player })?)
    }

    fn canonical<'py>(&self, py: Python<'py>, cells: Vec<u8>, player: usize) -> PyResult<(Bound<'py, PyBytes>, usize)> {
        Ok(state_row(py, &self.engine.canonical(&State { cells, player })?))
    }

    fn key(&self, cells: Vec<u8>, player: usize) -> PyResult<u128> {
        Ok(self.engine.key(&State { cells, player })?)
    }

    fn solve(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        budget: (usize, u64),
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(&'static str, Vec<usize>, bool)> {
        let state = State { cells, player };
        let (states, bytes) = budget;
        let solution = run::run(py, watch, |watch| self.engine.solve(&state, Budget { states, bytes }, watch))?;
        Ok(match solution {
            Solution::Moves(moves, optimal) => ("solved", moves, optimal),
            Solution::Unreachable => ("unreachable", Vec::new(), false),
            Solution::Full => ("full", Vec::new(), false),
            Solution::Stopped => ("stopped", Vec::new(), false),
        })
    }

    fn best_moves(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        budget: (usize, u64),
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PlayRow> {
        let state = State { cells, player };
        let (states, bytes) = budget;
        let budget = Budget { states, bytes };
        Ok(match run::run(py, watch, |watch| self.engine.best_moves(&state, budget, watch))? {
            Play::Solved { value, moves, line } => match value {
                Value::Win(length) => ("win", Some(length), moves, line),
                Value::Draw(length) => ("draw", length, moves, line),
                Value::Loss(length) => ("loss", Some(length), moves, line),
            },
            Play::Full => ("full", None, Vec::new(), Vec::new()),
            Play::Stopped => ("stopped", None, Vec::new(), Vec::new()),
        })
    }

    fn scramble<'py>(&self, py: Python<'py>, seed: &str, moves: Option<usize>) -> PyResult<ScrambleRow<'py>> {
        let found = run::run(py, None, |_| self.engine.scramble(seed, moves))?;
        let (cells, player) = state_row(py, &found.state);
        let method = match found.method {
            Method::Uniform => "uniform",
            Method::Walk => "walk",
        };
        Ok((cells, player, found.moves, method))
    }

    fn group_orbits(&self) -> Option<Vec<usize>> {
        PermutationGroup::of_rules(self.engine.rules()).map(|group| group.orbit_sizes())
    }

    fn toggles(&self) -> Option<(usize, usize)> {
        Toggles::of_rules(self.engine.rules()).map(|toggles| (toggles.rank(), toggles.nullity()))
    }

    fn expand<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let rows = bytes_of(py, rows)?;
        let found = run::run(py, None, |watch| self.engine.expand_rows(&rows, watch))?;
        let numbers = |list: &[u32]| {
            let bytes: Vec<u8> = list.iter().flat_map(|number| number.to_ne_bytes()).collect();
            PyBytes::new(py, &bytes)
        };
        Ok((PyBytes::new(py, &found.rows), numbers(&found.parents), numbers(&found.moves)))
    }

    fn canonical_rows<'py>(&self, py: Python<'py>, rows: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
        let rows = bytes_of(py, rows)?;
        Ok(PyBytes::new(py, &run::run(py, None, |watch| self.engine.canonical_rows(&rows, watch))?))
    }
}

impl PyEngine {
    /// The engine, or that of the rules the other way round.
    fn turned(&self, backward: bool) -> crate::Result<Arc<Engine>> {
        if backward { self.engine.backward().map(Arc::new) } else { Ok(Arc::clone(&self.engine)) }
    }
}

/// The manifest of the job in a folder, as JSON.
#[pyfunction]
fn job_status(folder: &str) -> PyResult<String> {
    Ok(Engine::job_status(Path::new(folder))?.to_text())
}

/// Whether a process works on the job in a folder.
#[pyfunction]
fn job_is_running(folder: &str) -> Option<bool> {
    Engine::job_is_running(Path::new(folder))
}

/// The bytes of memory that this process may use.
#[pyfunction]
fn memory_bytes() -> u64 {
    crate::memory_bytes()
}

/// The engine.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::PyEngine;
    #[pymodule_export]
    use super::job_is_running;
    #[pymodule_export]
    use super::job_status;
    #[pymodule_export]
    use super::memory_bytes;
    #[pymodule_export]
    use super::random::PyRandom;
    #[pymodule_export]
    use super::table::PyStream;
    #[pymodule_export]
    use super::table::depths_stream;

    /// The version of the distribution, which is that of the crate.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
}
