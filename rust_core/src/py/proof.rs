//! The proof of a job: takes its states batch by batch, and then derives what the job claims of them.

use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use super::errors::CorruptError;
use super::watch;
use crate::proof::{self, Claim, ClaimedEnds, ClaimedValue, Claims, Doubt, Packing, Player, Refused, Run};
use crate::{Error, RulesData};

/// Derives the claims of a job from the rules. First, `take` is called with all states; then `prove` is called once.
#[pyclass(frozen, name = "Prover", module = "puzzlekit._core")]
pub(super) struct PyProver {
    player: Player,
    /// For each outcome in the job's list, its number in [`Player::outcomes`].
    outcomes: Vec<u16>,
    claims: Mutex<Claims>,
}

/// A batch of states and claims, read from the attributes of a Python object such as `Batch`.
#[derive(FromPyObject)]
struct ClaimColumns {
    depths: PyBackedBytes,
    states: PyBackedBytes,
    state_bytes: usize,
    orbit_sizes: PyBackedBytes,
    outcomes: PyBackedBytes,
    values: Option<PyBackedBytes>,
    distances: Option<PyBackedBytes>,
    scores: Option<PyBackedBytes>,
}

/// The result of a proof: the numbers of proven claims, or the reason why there is no proof. The reason is `wrong` if a
/// claim is false, and `unproven` if it may be true.
#[pyclass(frozen, get_all, name = "Proof", module = "puzzlekit._core")]
#[derive(Default)]
pub(super) struct PyProof {
    states: u64,
    raw_states: u64,
    moves: u64,
    values: u64,
    wrong: Option<String>,
    unproven: Option<String>,
}

/// The numbers of states that a job claims to be won and lost in each number of moves; see [`ClaimedEnds`].
#[pyclass(frozen, get_all, name = "ClaimedEnds", module = "puzzlekit._core")]
pub(super) struct PyClaimedEnds {
    wins: Vec<u64>,
    losses: Vec<u64>,
    longest_win: Option<u32>,
    longest_loss: Option<u32>,
}

#[pymethods]
impl PyProver {
    /// Prepares the proof of a job with `states` states. `outcomes` is the job's list of outcomes. If `symmetry` is
    /// `false`, the job counts states without symmetry.
    #[new]
    #[expect(clippy::needless_pass_by_value, reason = "a list of Python becomes a vector")]
    fn new(rules: &str, states: u64, outcomes: Vec<String>, symmetry: bool) -> PyResult<Self> {
        let mut player = Player::new(&RulesData::from_json(rules)?)?;
        if !symmetry {
            player.group.truncate(1);
        }
        let place = |outcome: &String| player.outcomes.iter().position(|each| each == outcome);
        // An outcome that the rules do not have gets a number that the proof never derives. So each claim of this
        // outcome is refused.
        let outcomes = outcomes.iter().map(|outcome| place(outcome).map_or(u16::MAX, |place| place as u16)).collect();
        let claims = Mutex::new(Claims::new(player.start.len(), states)?);
        Ok(Self { player, outcomes, claims })
    }

    /// Adds a batch of states, with what the job claims of each.
    #[expect(clippy::needless_pass_by_value, reason = "it is made of an object of Python")]
    fn take(&self, batch: ClaimColumns) -> PyResult<()> {
        let four = |bytes: &PyBackedBytes| numbers(bytes, i32::from_ne_bytes);
        let two = |bytes: &PyBackedBytes| numbers(bytes, i16::from_ne_bytes);
        let (depths, orbit_sizes, outcomes) = (four(&batch.depths), four(&batch.orbit_sizes), two(&batch.outcomes));
        let values = batch.values.as_ref().map(two);
        let (distances, scores) = (batch.distances.as_ref().map(four), batch.scores.as_ref().map(four));
        let player = &self.player;
        // If a move may keep the turn, a packed state has one more cell, which says who is to move.
        let again = player.keeps_turns();
        let cells = player.start.len() + usize::from(again);
        let packing = Packing { bytes: batch.state_bytes, cells, symbols: player.symbols() };
        let mut claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
        let mut cells = Vec::new();
        let states = batch.states.chunks_exact(batch.state_bytes.max(1));
        for (row, packed) in states.enumerate() {
            let whole = packing.fits() && packing.unpack(packed, &mut cells);
            if !whole || again && cells.last().is_some_and(|&turn| turn > 1) {
                return Err(CorruptError::new_err("a state holds a symbol that the rules do not have"));
            }
            let value = values.as_ref().filter(|values| values[row] >= 0).map(|values| {
                match (values[row], player.players, &scores) {
                    (_, _, Some(scores)) => ClaimedValue::Points(scores[row]),
                    (0, 2, _) => ClaimedValue::Win,
                    (1, 2, _) => ClaimedValue::Draw,
                    (_, 2, _) => ClaimedValue::Loss,
                    (0, _, _) => ClaimedValue::Solvable,
                    _ => ClaimedValue::Unsolvable,
                }
            });
            let outcome = usize::try_from(outcomes[row]).ok();
            let turn = if again { cells.pop().unwrap_or(0) } else { (depths[row] as usize % player.players) as u8 };
            let claim = Claim {
                depth: depths[row] as u32,
                player: turn,
                orbit_size: orbit_sizes[row] as u32,
                outcome: outcome.map(|place| self.outcomes.get(place).copied().unwrap_or(u16::MAX)),
                value,
                distance: distances.as_ref().and_then(|distances| u32::try_from(distances[row]).ok()),
            };
            claims.add(&cells, claim).map_err(|refused| match refused {
                Refused::Twice => {
                    CorruptError::new_err(format!("{} is there twice", player.text(&cells, usize::from(turn))))
                }
                Refused::TooMany => {
                    CorruptError::new_err("the job tells other numbers of states for its depths than it has")
                }
            })?;
        }
        Ok(())
    }

    /// Counts the claims by the number of moves to the end, or by points.
    fn ends(&self, py: Python<'_>) -> PyClaimedEnds {
        let ends = py.detach(|| self.claims.lock().unwrap_or_else(PoisonError::into_inner).ends());
        let ClaimedEnds { wins, losses, longest_win, longest_loss } = ends;
        PyClaimedEnds { wins, losses, longest_win, longest_loss }
    }

    /// Derives all claims. For each depth, `counts` has the number of states up to symmetry and the number of raw
    /// states. `unsolvable` is such a pair, too.
    #[pyo3(signature = (complete, backward, counts, unsolvable = None, watch = None))]
    fn prove(
        &self,
        py: Python<'_>,
        complete: bool,
        backward: bool,
        counts: Vec<(u64, u64)>,
        unsolvable: Option<(u64, u64)>,
        watch: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyProof> {
        let run = Run { complete, backward, counts, unsolvable };
        let found = watch::run(py, watch, |watch| {
            let claims = self.claims.lock().unwrap_or_else(PoisonError::into_inner);
            match proof::prove(&self.player, &run, &claims, watch)? {
                Err(Doubt::Stopped) => Err(Error::Stopped),
                found => Ok(found),
            }
        })?;
        Ok(match found {
            Ok(proven) => PyProof {
                states: proven.states,
                raw_states: proven.raw_states,
                moves: proven.moves,
                values: proven.values,
                ..PyProof::default()
            },
            Err(Doubt::Wrong(wrong)) => PyProof { wrong: Some(wrong), ..PyProof::default() },
            Err(Doubt::Unproven(unproven)) => PyProof { unproven: Some(unproven), ..PyProof::default() },
            Err(Doubt::Stopped) => unreachable!("a stopped proof is an error"),
        })
    }
}

/// The numbers of a column, in the byte order of this machine.
fn numbers<T, const N: usize>(bytes: &[u8], number: fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&bytes| number(bytes)).collect()
}
