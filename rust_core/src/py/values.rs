//! The values of all states that play can reach, computed in memory or in a folder that keeps them.

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::engine::PyEngine;
use super::enumerate::options_of;
use super::jobs::PyJobFolder;
use super::watch;
use crate::{AllValues, DepthValues, State, Stop, Store, Tally, TierValues, Value, ValuesFound, Worth};

/// For one depth, the number of states with each value.
#[pyclass(frozen, get_all, name = "DepthValues", module = "puzzlekit._core", skip_from_py_object)]
#[derive(Clone)]
pub(super) struct PyDepthValues {
    win: u64,
    draw: u64,
    loss: u64,
    raw_win: u64,
    raw_draw: u64,
    raw_loss: u64,
}

/// A value: `win`, `draw` or `loss`, and the number of moves to the end; `None` if that is not known, or if the value
/// is a number of points.
#[pyclass(frozen, get_all, name = "StateValue", module = "puzzlekit._core", skip_from_py_object)]
#[derive(Clone)]
pub(super) struct PyStateValue {
    value: &'static str,
    moves: Option<u32>,
    /// In a game with a score, the points of the player to move, less those of the other. `None` in other games.
    score: Option<i32>,
}

/// A state with its value.
#[pyclass(frozen, get_all, name = "ValuedState", module = "puzzlekit._core")]
pub(super) struct PyValuedState {
    cells: Py<PyBytes>,
    player: usize,
    value: PyStateValue,
}

/// The values of all states that play can reach.
#[pyclass(frozen, get_all, name = "AllValues", module = "puzzlekit._core")]
pub(super) struct PyAllValues {
    /// The reason why there are no values: `watch` or `memory`. `None` if there are values.
    stopped: Option<&'static str>,
    depths: Vec<PyDepthValues>,
    /// `true` if a depth is a number of moves to the goal; if `false`, a number of moves from the start.
    backward: bool,
    /// For each number of moves to the end, the number of states that are won.
    wins: Vec<u64>,
    /// For each number of moves to the end, the number of states that are lost.
    losses: Vec<u64>,
    /// `true` if values are points. Then `wins` and `losses` are by points, and not by moves.
    scored: bool,
    start: Option<PyStateValue>,
    longest: Option<Py<PyValuedState>>,
    /// The store that held the states.
    store: &'static str,
    symmetry_order: usize,
    generated: u64,
    seconds: f64,
}

/// `win`, `draw` or `loss`, for a number of points of the player to move.
pub(super) fn name_of_score(points: i32) -> &'static str {
    ["loss", "draw", "win"][(points.signum() + 1) as usize]
}

impl From<DepthValues> for PyDepthValues {
    fn from(DepthValues { win, draw, loss }: DepthValues) -> Self {
        let Tally { states: win, raw_states: raw_win } = win;
        let Tally { states: draw, raw_states: raw_draw } = draw;
        let Tally { states: loss, raw_states: raw_loss } = loss;
        Self { win, draw, loss, raw_win, raw_draw, raw_loss }
    }
}

impl From<Value> for PyStateValue {
    fn from(value: Value) -> Self {
        match value {
            Value::Win(moves) => Self { value: "win", moves: Some(moves), score: None },
            Value::Draw(moves) => Self { value: "draw", moves, score: None },
            Value::Loss(moves) => Self { value: "loss", moves: Some(moves), score: None },
            Value::Score(points) => Self { value: name_of_score(points), moves: None, score: Some(points) },
        }
    }
}

impl From<TierValues> for PyAllValues {
    fn from(found: TierValues) -> Self {
        let value = match found.start() {
            Worth::Win => "win",
            Worth::Draw => "draw",
            Worth::Loss => "loss",
        };
        Self {
            stopped: None,
            backward: false,
            wins: Vec::new(),
            losses: Vec::new(),
            scored: false,
            start: Some(PyStateValue { value, moves: None, score: None }),
            longest: None,
            store: Store::Dense.name(),
            symmetry_order: found.symmetry_order,
            generated: found.generated,
            seconds: found.seconds,
            depths: found.depths.into_iter().map(PyDepthValues::from).collect(),
        }
    }
}

impl PyAllValues {
    fn stopped(stop: Stop) -> Self {
        Self {
            stopped: Some(stop.name()),
            depths: Vec::new(),
            backward: false,
            wins: Vec::new(),
            losses: Vec::new(),
            scored: false,
            start: None,
            longest: None,
            store: Store::Sparse.name(),
            symmetry_order: 0,
            generated: 0,
            seconds: 0.0,
        }
    }

    pub(super) fn of(py: Python<'_>, found: ValuesFound<State>) -> PyResult<Self> {
        match found {
            ValuesFound::Stopped(stop, _) => Ok(Self::stopped(stop)),
            ValuesFound::Tiers(found) => Ok(found.into()),
            ValuesFound::All(found) => Self::whole(py, found),
        }
    }

    fn whole(py: Python<'_>, found: AllValues<State>) -> PyResult<Self> {
        let valued = |(state, value): (State, Value)| {
            let cells = PyBytes::new(py, &state.cells).unbind();
            Py::new(py, PyValuedState { cells, player: state.player, value: value.into() })
        };
        Ok(Self {
            stopped: None,
            backward: found.backward,
            wins: found.distances.iter().map(|count| count.win).collect(),
            scored: found.scored,
            losses: found.distances.iter().map(|count| count.loss).collect(),
            depths: found.depths.into_iter().map(PyDepthValues::from).collect(),
            start: Some(PyStateValue {
                moves: PyStateValue::from(found.start).moves.filter(|_| found.has_distances),
                ..found.start.into()
            }),
            longest: found.longest.map(valued).transpose()?,
            store: found.store.name(),
            symmetry_order: found.symmetry_order,
            generated: found.generated,
            seconds: found.seconds,
        })
    }
}

#[pymethods]
impl PyEngine {
    #[pyo3(signature = (options, watch = None))]
    fn values(&self, py: Python<'_>, options: &str, watch: Option<&Bound<'_, PyAny>>) -> PyResult<PyAllValues> {
        let options = options_of(options)?;
        PyAllValues::of(py, watch::run(py, watch, |watch| self.engine.values(&options, watch))?)
    }

    /// Computes the values of all states in the folder of a job, which keeps them.
    #[pyo3(signature = (options, job, distances = None, watch = None))]
    fn values_job(
        &self,
        py: Python<'_>,
        options: &str,
        job: &PyJobFolder,
        distances: Option<bool>,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyAllValues> {
        let options = options_of(options)?;
        let found = watch::run(py, watch, |watch| self.engine.values_job(&options, distances, &job.folder, watch))?;
        PyAllValues::of(py, found)
    }
}
