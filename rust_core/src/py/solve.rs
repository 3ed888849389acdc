//! Answers about one state, and random states.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::engine::PyEngine;
use super::values::name_of_score;
use super::watch;
use crate::{
    Budget, Every, Foreseen, Judged, Limit, Method, Play, Proof, ProvenLength, Question, Solution, State, Technique,
    Value,
};

/// The result of a search for the fewest moves.
#[pyclass(frozen, get_all, name = "Solution", module = "puzzlekit._core")]
pub(super) struct PySolution {
    /// `solved`, `unreachable`, `full` if the budget ran out, or `stopped`.
    status: &'static str,
    moves: Vec<usize>,
    /// `true` if it is proven that no shorter solution exists.
    optimal: bool,
    /// The number of states that the search stored.
    states: u64,
    /// The name of the technique that found the moves; see [`name_of`].
    technique: &'static str,
    /// No solution has fewer moves than this number.
    lower_bound: u32,
    /// For each bound that iterative deepening has searched: the bound, and the number of states that the search
    /// visited.
    searched: Vec<(u32, u64)>,
}

/// The result of a search for the value of a position.
#[pyclass(frozen, get_all, name = "Play", module = "puzzlekit._core")]
pub(super) struct PyPlay {
    /// `win`, `draw` or `loss`; `None` if a limit came first, or the watch stopped the search.
    value: Option<&'static str>,
    /// In a game with a score, the points that the player to move can force, less those of the other. `None` in other
    /// games.
    score: Option<i32>,
    /// The number of moves to the end; `None` if it is not known, or in a game with a score. If `exact` is `false`, a
    /// win or a loss takes at most this many.
    length: Option<u32>,
    /// All best moves, by their places in the rules. If `exact` is `false`, one of them; if there is no value, the best
    /// move so far.
    best: Vec<usize>,
    line: Vec<usize>,
    /// `true` if `length` and all best moves are proven.
    exact: bool,
    /// If there is no value: up to how many moves ahead all play was searched.
    ahead: u32,
    /// The number of positions that the search stored, up to symmetry.
    states: u64,
    /// The name of the technique that found the moves; see [`name_of`].
    technique: &'static str,
    /// If there is no value: the limit that came first. See [`name_of_limit`].
    limit: Option<&'static str>,
}

/// The number of a move, and what it forces, if that is known: `win`, `draw` or `loss`, the number of moves in which it
/// does so, and `None`. In a game with a score: the same word, depending on the sign of the points, then 0, and the
/// points.
type ForeseenMove = (usize, Option<(&'static str, u32, Option<i32>)>);

/// The name of a value, and the number of moves to the end. `None` for a draw whose length is not known, and in a game
/// with a score.
fn named(value: Value) -> (&'static str, Option<u32>) {
    match value {
        Value::Win(length) => ("win", Some(length)),
        Value::Draw(length) => ("draw", length),
        Value::Loss(length) => ("loss", Some(length)),
        Value::Score(points) => (name_of_score(points), None),
    }
}

/// The points of a value, in a game with a score; otherwise `None`.
fn score_of(value: Value) -> Option<i32> {
    if let Value::Score(points) = value { Some(points) } else { None }
}

/// A random state.
#[pyclass(frozen, get_all, name = "Scramble", module = "puzzlekit._core")]
pub(super) struct PyScramble {
    cells: Py<PyBytes>,
    player: usize,
    /// The moves of the random walk that led to the state; `None` if the state was not made by a walk.
    moves: Option<Vec<usize>>,
    method: &'static str,
}

/// The name of a technique.
pub(super) fn name_of(technique: Technique) -> &'static str {
    match technique {
        Technique::Algebra => "algebra",
        Technique::BothEnds => "both ends",
        Technique::Deepening => "deepening",
        Technique::Shortening => "shortening",
        Technique::Phases => "phases",
        Technique::Words => "words",
        Technique::Retrograde => "retrograde",
        Technique::AlphaBeta => "alpha-beta",
        Technique::LookAhead => "look ahead",
    }
}

/// The name of a limit.
pub(super) fn name_of_limit(limit: Limit) -> &'static str {
    match limit {
        Limit::States => "states",
        Limit::Memory => "memory",
        Limit::Seconds => "seconds",
        Limit::Searched => "searched",
        Limit::Watch => "watch",
    }
}

/// The limits of a search that uses all cores.
pub(super) fn budget_of(max_states: usize, memory: u64) -> Budget {
    Budget { states: max_states, bytes: memory, ..Budget::default() }
}

/// The technique with the given name.
fn technique_of(name: &str) -> Technique {
    let proving = [Technique::Algebra, Technique::BothEnds, Technique::Deepening];
    let other = [Technique::Shortening, Technique::Phases, Technique::Words];
    let all = [proving, other].concat();
    all.into_iter().find(|&technique| name_of(technique) == name).unwrap_or(Technique::BothEnds)
}

#[pymethods]
impl PyEngine {
    /// All shortest solutions, at most `most` of them, each as the places of its moves in the rules; and `true` if
    /// there are no more than these. `None` if a limit came first.
    #[pyo3(signature = (cells, player, length, technique, most, max_states, memory, watch = None))]
    #[expect(clippy::too_many_arguments, reason = "they are the options of one run")]
    fn every(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        length: usize,
        technique: &str,
        most: usize,
        max_states: usize,
        memory: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<(Vec<Vec<usize>>, bool)>> {
        let (state, budget) = (State { cells, player }, budget_of(max_states, memory));
        let proven = ProvenLength { length, technique: technique_of(technique) };
        let found = watch::run(py, watch, |watch| self.engine.every(&state, proven, most, budget, watch))?;
        Ok(found.map(|Every { solutions, complete }| (solutions, complete)))
    }

    #[pyo3(signature = (cells, player, max_states, memory, watch = None))]
    fn solve(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        max_states: usize,
        memory: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PySolution> {
        let (state, budget) = (State { cells, player }, budget_of(max_states, memory));
        let solved = watch::run(py, watch, |watch| self.engine.solve(&state, budget, watch))?;
        let (status, moves, optimal) = match solved.solution {
            Solution::Moves(moves, optimal) => ("solved", moves, optimal),
            Solution::Unreachable => ("unreachable", Vec::new(), false),
            Solution::Full => ("full", Vec::new(), false),
            Solution::Stopped => ("stopped", Vec::new(), false),
        };
        let technique = name_of(solved.technique);
        let Proof { lower_bound, searched, .. } = solved.proof;
        Ok(PySolution { status, moves, optimal, states: solved.states, technique, lower_bound, searched })
    }

    #[pyo3(signature = (cells, player, max_states, memory, exact, watch = None))]
    #[expect(clippy::too_many_arguments, reason = "the options of a question, each by its name in Python")]
    fn best_moves(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        max_states: usize,
        memory: u64,
        exact: bool,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyPlay> {
        let (state, budget) = (State { cells, player }, budget_of(max_states, memory));
        let question = Question { budget, exact };
        let Judged { found, states, technique, limit } =
            watch::run(py, watch, |watch| self.engine.best_moves(&state, question, watch))?;
        let (technique, limit) = (name_of(technique), limit.map(name_of_limit));
        let unknown = |best, ahead| PyPlay {
            value: None,
            score: None,
            length: None,
            best,
            line: Vec::new(),
            exact: false,
            ahead,
            states,
            technique,
            limit,
        };
        Ok(match found {
            Play::Solved { value, moves, line, exact } => {
                let score = score_of(value);
                let (value, length) = named(value);
                PyPlay { value: Some(value), score, length, best: moves, line, exact, ..unknown(Vec::new(), 0) }
            }
            Play::Unknown { best, ahead } => unknown(best.into_iter().collect(), ahead),
            // `Full` and `Stopped` come only from a search of all positions that can follow. It finds no best move
            // before it has ended.
            Play::Full | Play::Stopped => unknown(Vec::new(), 0),
        })
    }

    #[pyo3(signature = (cells, player, ahead, positions, watch = None))]
    fn foresee(
        &self,
        py: Python<'_>,
        cells: Vec<u8>,
        player: usize,
        ahead: u32,
        positions: u64,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<(u32, Vec<ForeseenMove>)> {
        let state = State { cells, player };
        let seen = watch::run(py, watch, |watch| self.engine.foresee(&state, ahead, positions, watch))?;
        let told = |seen: &Foreseen| {
            (seen.index, seen.end.map(|end| (named(end).0, named(end).1.unwrap_or(0), score_of(end))))
        };
        Ok((seen.moves, seen.found.iter().map(told).collect()))
    }

    #[pyo3(signature = (seed, moves = None))]
    fn scramble(&self, py: Python<'_>, seed: &str, moves: Option<usize>) -> PyResult<PyScramble> {
        let (engine, seed) = (Arc::clone(&self.engine), seed.to_owned());
        let found = watch::unwatched(py, move || engine.scramble(&seed, moves))?;
        let method = match found.method {
            Method::Uniform => "uniform",
            Method::Solvable => "solvable",
            Method::Unsolvable => "unsolvable",
            Method::Walk => "walk",
            Method::OneWay => "one-way",
        };
        let cells = PyBytes::new(py, &found.state.cells).unbind();
        Ok(PyScramble { cells, player: found.state.player, moves: found.moves, method })
    }
}
