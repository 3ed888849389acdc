//! Many states at a time, as rows of bytes: the interface for arrays.
//!
//! A row is one byte a cell, its symbol's place in [`crate::Rules::symbols`], and in a game one more for the player to
//! move. Rows lie one after another without gaps.

use rayon::prelude::*;

use super::compiled::Engine;
use super::state::State;
use crate::error::{Error, Result};
use crate::run::{Progress, Watch};

/// How many rows one task handles.
const TASK_ROWS: usize = 1024;

/// An error where the watch has stopped the work.
fn go_on(watch: Watch) -> Result<()> {
    if watch(&Progress::default()).is_break() { Err(Error::Stopped) } else { Ok(()) }
}

/// The successors of many states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Successors {
    /// A row for each successor, in order of the parents and then of the moves.
    pub rows: Vec<u8>,
    /// For each successor, which of the given states it comes from.
    pub parents: Vec<u32>,
    /// For each successor, which of the moves leads to it.
    pub moves: Vec<u32>,
}

impl Engine {
    /// The bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.rules().cells() + usize::from(self.rules().player_count() == 2)
    }

    /// The successors of many states. A state in which play is over has none.
    ///
    /// # Errors
    ///
    /// [`Error::State`] where the bytes are no rows, or a row does not fit the rules,
    /// [`Error::Stopped`] where the watch said so.
    pub fn expand_rows(&self, rows: &[u8], watch: Watch) -> Result<Successors> {
        let states = self.states(rows)?;
        let tasks: Vec<Successors> = states
            .par_chunks(TASK_ROWS)
            .enumerate()
            .map(|(task, states)| {
                go_on(watch)?;
                let mut found = Successors::default();
                for (at, state) in states.iter().enumerate() {
                    for (index, next) in self.expand(state)? {
                        self.push_row(&mut found.rows, &next);
                        found.parents.push((task * TASK_ROWS + at) as u32);
                        found.moves.push(index as u32);
                    }
                }
                Ok(found)
            })
            .collect::<Result<_>>()?;
        let mut all = Successors::default();
        for task in tasks {
            all.rows.extend(task.rows);
            all.parents.extend(task.parents);
            all.moves.extend(task.moves);
        }
        Ok(all)
    }

    /// The canonical forms of many states, row by row.
    ///
    /// # Errors
    ///
    /// [`Error::State`] where the bytes are no rows, or a row does not fit the rules,
    /// [`Error::Stopped`] where the watch said so.
    pub fn canonical_rows(&self, rows: &[u8], watch: Watch) -> Result<Vec<u8>> {
        let states = self.states(rows)?;
        let tasks: Vec<Vec<u8>> = states
            .par_chunks(TASK_ROWS)
            .map(|states| {
                go_on(watch)?;
                let mut found = Vec::with_capacity(states.len() * self.row_bytes());
                for state in states {
                    self.push_row(&mut found, &self.canonical(state)?);
                }
                Ok(found)
            })
            .collect::<Result<_>>()?;
        Ok(tasks.concat())
    }

    fn push_row(&self, rows: &mut Vec<u8>, state: &State) {
        rows.extend_from_slice(&state.cells);
        if self.rules().player_count() == 2 {
            rows.push(state.player as u8);
        }
    }

    fn states(&self, rows: &[u8]) -> Result<Vec<State>> {
        let width = self.row_bytes();
        if !rows.len().is_multiple_of(width) {
            let given = rows.len();
            return Err(Error::State(format!("{given} bytes are no whole number of rows; a row has {width} bytes")));
        }
        if rows.len() / width > u32::MAX as usize {
            return Err(Error::State(format!("{} rows are too many; give fewer than 2^32", rows.len() / width)));
        }
        let cells = self.rules().cells();
        Ok(rows
            .chunks_exact(width)
            .map(|row| State {
                cells: row[..cells].to_vec(),
                player: row.get(cells).map_or(0, |&player| player as usize),
            })
            .collect())
    }
}
