//! Counts the values of a job anew, from its files, and compares the counts with those of its manifest.

use super::machine::Machine;
use super::rows::Rows;
use super::state::State;
use crate::error::{Error, Result};
use crate::job::{Job, LongestEntry, ValuesEntry, ValuesStage};
use crate::run::{DistanceCount, Tally};
use crate::values::{AllValues, WordState};

/// The state that a manifest names as one from which the way to the end is longest.
pub(super) struct NamedState<'a> {
    entry: &'a LongestEntry,
    state: State,
}

/// The state that a job names as one from which the way to the end is longest; `None` if it names none. `players`
/// is the number of players who move in turn.
///
/// # Errors
///
/// [`Error::Corrupt`] if there is no such state.
pub(super) fn longest_of<'a>(
    machine: &dyn Machine,
    stage: &'a ValuesStage,
    players: usize,
    job: &Job,
) -> Result<Option<NamedState<'a>>> {
    let Some(entry) = &stage.longest else { return Ok(None) };
    let player = (entry.depth % players as u64) as usize;
    let word = entry.word_bytes(job.word_bytes()).filter(|word| machine.is_word(word));
    let word = word.ok_or_else(|| damaged(job, "longest state"))?;
    Ok(Some(NamedState { entry, state: machine.state_of_word(&word, player) }))
}

/// Refuses values of a job whose longest state is no state of its rules.
///
/// # Errors
///
/// [`Error::Corrupt`].
pub(super) fn check_longest(machine: &dyn Machine, all: &AllValues<WordState>, job: &Job) -> Result<()> {
    let is_state = all.longest.as_ref().is_none_or(|(longest, _)| machine.is_word(&longest.word));
    if is_state { Ok(()) } else { Err(damaged(job, "longest state")) }
}

/// The error for a number of the manifest that does not follow from the files.
fn damaged(job: &Job, what: &str) -> Error {
    let folder = job.folder().display();
    Error::Corrupt(format!("{folder}: the {what} of its values is not that of its states; the job is damaged"))
}

/// The counts of a job's values, made anew.
pub(super) struct Recount {
    /// For each depth, the last one first, the number of states with each value.
    depths: Vec<ValuesEntry>,
    /// For each number of moves to the end, or of points, how many states are won and lost.
    ends: Vec<DistanceCount>,
    /// The number of moves from the start to the end.
    start_moves: Option<u32>,
    /// The first depth with a state that has the last number of moves in `ends`.
    longest_depth: u64,
    /// `true` if the state that the manifest names is there, with the value that the manifest says.
    named: bool,
}

impl Recount {
    /// No counts yet, for a number of depths.
    pub fn new(depths: usize) -> Self {
        let entry = |depth| ValuesEntry { depth: depth as u64, ..ValuesEntry::default() };
        let depths = (0..depths).rev().map(entry).collect();
        Self { depths, ends: Vec::new(), start_moves: None, longest_depth: 0, named: false }
    }

    /// Counts some states. All states of a depth must be counted before those of the next depth.
    pub fn add(&mut self, rows: &Rows, longest: Option<&NamedState>) {
        let last = self.depths.len() - 1;
        let Some(entry) = last.checked_sub(rows.depth as usize).and_then(|at| self.depths.get_mut(at)) else { return };
        for (row, (value, &orbit)) in rows.values.iter().flatten().zip(&rows.orbit_sizes).enumerate() {
            let place = value.place();
            let counts: &mut Tally = match place {
                0 => &mut entry.win,
                1 => &mut entry.draw,
                _ => &mut entry.loss,
            };
            counts.states += 1;
            counts.raw_states += u64::from(orbit);
            let Some(moves) = value.ahead().filter(|_| value.has_distance && place != 1) else { continue };
            let wins = place == 0;
            if self.ends.len() <= moves as usize {
                self.ends.resize(moves as usize + 1, DistanceCount::default());
                self.longest_depth = rows.depth;
            }
            let count = &mut self.ends[moves as usize];
            *(if wins { &mut count.win } else { &mut count.loss }) += 1;
            if rows.depth == 0 {
                self.start_moves = Some(moves);
            }
            let is_named = |longest: &&NamedState| {
                let NamedState { entry, state } = longest;
                (entry.depth, entry.moves, entry.wins) == (rows.depth, moves, wins)
                    && state.player == rows.player_of(row)
                    && state.cells == rows.cells_of(row)
            };
            self.named |= longest.as_ref().is_some_and(is_named);
        }
    }

    /// Compares the counts with those of the manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if some of them differ.
    pub fn compare(self, stage: &ValuesStage, job: &Job) -> Result<()> {
        let counts = |entry: &ValuesEntry| (entry.win, entry.draw, entry.loss);
        if let Some((entry, _)) =
            self.depths.iter().zip(&stage.depths).find(|(one, other)| counts(one) != counts(other))
        {
            return Err(job.lacks(entry.depth as usize));
        }
        if !stage.distances {
            return Ok(());
        }
        if self.ends != stage.ends {
            return Err(damaged(job, "table of moves to the end"));
        }
        if self.start_moves != stage.start_moves {
            return Err(damaged(job, "number of moves from the start"));
        }
        let longest = stage.longest.as_ref();
        let is_first = longest.is_none_or(|longest| longest.depth == self.longest_depth && self.named);
        if is_first { Ok(()) } else { Err(damaged(job, "longest state")) }
    }
}
