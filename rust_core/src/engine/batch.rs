//! Many states at a time, as rows of bytes: the interface for arrays.
//!
//! A row has one byte for each cell, the place of its symbol in [`crate::Rules::symbols`]. In a game, it has one more
//! byte for the player to move. Rows lie one after another without gaps.

use std::sync::{Mutex, PoisonError};

use super::compiled::Engine;
use super::machine::Machine;
use super::state::{State, Successors};
use crate::error::{Error, Result};
use crate::index::{Index, VaryingIndex, index_of};
use crate::rules::Symbol;
use crate::run::{Progress, Watch, on_all_cores, parallel};

/// The number of rows that one task handles.
const TASK_ROWS: usize = 1024;

/// A block has this number of tasks for each thread. With 16 cells and nine successors a row, the successors of these
/// tasks take 1 MiB.
const TASKS_AT_ONCE: usize = 4;

/// The most tasks of a block.
const MOST_TASKS: usize = 32;

/// Returns an error if the watch stops the work.
pub(super) fn go_on(watch: Watch) -> Result<()> {
    if watch(&Progress::default()).is_break() { Err(Error::Stopped) } else { Ok(()) }
}

impl Engine {
    /// The number of bytes of a row.
    pub fn row_bytes(&self) -> usize {
        State::row_bytes(self.rules())
    }

    /// The successors of many states. `take` is called with some of them at a time, in order. A state in which play is
    /// over has none.
    ///
    /// The successors of some thousand rows, a block, are made in the same memory as those of the block before the last
    /// one. So they stay in the cache until they are taken, and the time for a row does not depend on the number of
    /// rows. While the calling thread takes those of a block, the others make those of the next one.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the bytes are no rows or a row does not fit the rules, [`Error::Stopped`] if the watch stops
    /// the work, and each error of `take`.
    pub fn expand_rows(
        &self,
        rows: &[u8],
        watch: Watch,
        take: &mut (dyn FnMut(&Successors) -> Result<()> + Send),
    ) -> Result<()> {
        self.check_length(rows)?;
        let width = self.row_bytes();
        if rows.len() <= TASK_ROWS * width {
            // One task needs no other threads, and to wake them takes longer than a few rows.
            let mut found = Successors::default();
            self.expand_task(rows, 0, watch, &mut found)?;
            return take(&found);
        }
        on_all_cores(|| {
            let at_once = MOST_TASKS.min(TASKS_AT_ONCE * parallel::threads()) * TASK_ROWS;
            let tasks = rows.len().min(at_once * width).div_ceil(TASK_ROWS * width);
            let (mut made, mut next) = (Vec::new(), vec![Successors::default(); tasks]);
            for (number, block) in rows.chunks(at_once * width).enumerate() {
                let (taken, expanded) = parallel::beside(
                    || made.iter().try_for_each(&mut *take),
                    || self.expand_block(block, number * at_once, watch, &mut next),
                );
                taken.and(expanded)?;
                made.resize_with(tasks, Successors::default);
                std::mem::swap(&mut made, &mut next);
            }
            made.iter().try_for_each(take)
        })?
    }

    /// Makes the successors of a block of rows, of which the first one has the number `first`: each task those of
    /// [`TASK_ROWS`] rows. Of several errors, returns that of the first task that has one.
    fn expand_block(&self, block: &[u8], first: usize, watch: Watch, tasks: &mut [Successors]) -> Result<()> {
        let task_bytes = TASK_ROWS * self.row_bytes();
        let errors = Mutex::new(None);
        parallel::each_mut(tasks, |task, found| {
            let begin = (task * task_bytes).min(block.len());
            let rows = &block[begin..(begin + task_bytes).min(block.len())];
            if let Err(error) = self.expand_task(rows, (first + task * TASK_ROWS) as u32, watch, found) {
                let mut errors = errors.lock().unwrap_or_else(PoisonError::into_inner);
                if errors.as_ref().is_none_or(|&(other, _)| task < other) {
                    *errors = Some((task, error));
                }
            }
        });
        errors.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
    }

    /// Makes the successors of some rows, of which the first one has the number `first`.
    fn expand_task(&self, rows: &[u8], first: u32, watch: Watch, found: &mut Successors) -> Result<()> {
        found.clear();
        if rows.is_empty() {
            return Ok(());
        }
        go_on(watch)?;
        let mut parent = first;
        self.by_machine(rows, |machine, rows| {
            machine.expand_rows(rows, None, parent, found);
            parent += (rows.len() / self.row_bytes()) as u32;
        })
    }

    /// The canonical forms of the states in the rows, as rows in the same order. They come in parts that follow one
    /// another.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the bytes are no rows or a row does not fit the rules, [`Error::Stopped`] if the watch stops
    /// the work.
    pub fn canonical_rows(&self, rows: &[u8], watch: Watch) -> Result<Vec<Vec<u8>>> {
        self.check_length(rows)?;
        on_all_cores(|| {
            let canonical = parallel::map(rows.len(), TASK_ROWS * self.row_bytes(), |range| {
                go_on(watch)?;
                let mut found = Vec::with_capacity(range.len());
                self.by_machine(&rows[range], |machine, rows| machine.canonical_rows(rows, &mut found))?;
                Ok(found)
            });
            canonical.into_iter().collect()
        })?
    }

    /// The perfect index of these rules. Its numbers begin at 0.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if the rules have no perfect index.
    pub fn index(&self) -> Result<&dyn Index> {
        self.index
            .get_or_init(|| {
                let rules = self.machine.indexed();
                index_of(&rules.structure).map(|index| VaryingIndex::over(index, &rules.varying))
            })
            .as_deref()
            .ok_or_else(|| {
                Error::Options(
                "these rules have no perfect index, so their states have no numbers; docs/enumeration.md, \"The dense \
                 store\", says which have one"
                    .to_owned(),
            )
            })
    }

    /// The number of each row's state in the perfect index; [`u64::MAX`] for a state that has none. The number does not
    /// depend on whose turn it is.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if the rules have no index, [`Error::State`] if the bytes are no rows, [`Error::Stopped`] if
    /// the watch stops the work.
    pub fn rank_rows(&self, rows: &[u8], watch: Watch) -> Result<Vec<u64>> {
        let (index, states) = (self.index()?, self.states_of(rows)?);
        let tasks: Vec<Vec<u64>> = on_all_cores(|| {
            let numbers = parallel::map(states.len(), TASK_ROWS, |range| {
                go_on(watch)?;
                let number = |state: &State| {
                    self.check(state)?;
                    Ok(index.rank(&state.cells).unwrap_or(u64::MAX))
                };
                states[range].iter().map(number).collect()
            });
            numbers.into_iter().collect::<Result<_>>()
        })??;
        Ok(tasks.concat())
    }

    /// The states with the given numbers, row by row. In a game, the player to move follows from the number of moves
    /// made.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if the rules have no index, [`Error::State`] if a number is too large, [`Error::Stopped`] if
    /// the watch stops the work.
    pub fn unrank_rows(&self, numbers: &[u64], watch: Watch) -> Result<Vec<u8>> {
        let index = self.index()?;
        let length = index.len();
        if let Some(number) = numbers.iter().find(|&&number| number >= length) {
            return Err(Error::State(format!("there is no state {number}; numbers go from 0 to {}", length - 1)));
        }
        let tasks: Vec<Vec<u8>> = on_all_cores(|| {
            let rows = parallel::map(numbers.len(), TASK_ROWS, |range| {
                go_on(watch)?;
                let mut found = Vec::with_capacity(range.len() * self.row_bytes());
                for &number in &numbers[range] {
                    let cells = index.unrank(number);
                    let player = self.turn(&cells);
                    State { cells, player }.push_row(&mut found, self.rules());
                }
                Ok(found)
            });
            rows.into_iter().collect::<Result<_>>()
        })??;
        Ok(tasks.concat())
    }

    /// The player to move in a state with these cells, if the number of moves made follows from the cells; otherwise
    /// the first player.
    pub fn turn(&self, cells: &[Symbol]) -> usize {
        // If a move may keep the turn, whose turn it is does not follow from the cells.
        if self.rules().alternating() < 2 {
            return 0;
        }
        self.structure.depth_by_composition(cells).unwrap_or(0) as usize % 2
    }

    /// Calls `work` with all rows and the machine for states that play can reach. If a row has a symbol in a cell where
    /// play never puts it, calls `work` with one row at a time, each with a machine that can hold its state.
    fn by_machine<'a>(&self, rows: &'a [u8], mut work: impl FnMut(&dyn Machine, &'a [u8])) -> Result<()> {
        let (width, cells) = (self.row_bytes(), self.rules().board());
        self.check_rows(rows)?;
        let varying = self.machine.varying();
        let stranger = |row: &[u8]| varying.stranger(&row[..cells]).is_some();
        if varying.is_whole() || !rows.chunks_exact(width).any(stranger) {
            work(&*self.machine, rows);
            return Ok(());
        }
        for row in rows.chunks_exact(width) {
            work(self.machine_of(&self.state_of(row))?, row);
        }
        Ok(())
    }

    /// Refuses bytes that are no rows, and rows that do not fit the rules.
    pub(super) fn check_rows(&self, rows: &[u8]) -> Result<()> {
        self.check_length(rows)?;
        let (cells, symbols, players) =
            (self.rules().board(), self.rules().written_symbols().len(), self.rules().player_count());
        let below = |bytes: &[u8], bound: usize| bytes.iter().max().is_none_or(|&byte| (byte as usize) < bound);
        let fits = |row: &&[u8]| below(&row[..cells], symbols) && below(&row[cells..], players);
        match rows.chunks_exact(self.row_bytes()).find(|row| !fits(row)) {
            Some(wrong) => self.check(&self.state_of(wrong)),
            None => Ok(()),
        }
    }

    pub(super) fn state_of(&self, row: &[u8]) -> State {
        State::of_row(row, self.rules())
    }

    fn states_of(&self, rows: &[u8]) -> Result<Vec<State>> {
        self.check_length(rows)?;
        Ok(rows.chunks_exact(self.row_bytes()).map(|row| self.state_of(row)).collect())
    }

    fn check_length(&self, rows: &[u8]) -> Result<()> {
        let width = self.row_bytes();
        if !rows.len().is_multiple_of(width) {
            let given = rows.len();
            return Err(Error::State(format!("{given} bytes are no whole number of rows; a row has {width} bytes")));
        }
        if rows.len() / width > u32::MAX as usize {
            return Err(Error::State(format!("{} rows are too many; give fewer than 2^32", rows.len() / width)));
        }
        Ok(())
    }
}
