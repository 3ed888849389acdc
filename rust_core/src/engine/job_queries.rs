//! Reads parts of jobs: rows of states, the hashes of depths, and the hardest (deepest) states.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use super::compiled::Engine;
use super::jobs::{JobFolder, Opened};
use super::reached::JobEdges;
use super::rows::{AT_ONCE, KeptValue, Rows, Span};
use super::state::{State, digest};
use super::values_in_order::ValuesInOrder;
use crate::error::{Error, Result};
use crate::graph::bytes_of_states;
use crate::job::Manifest;
use crate::memory::in_words;
use crate::run::{Options, Watch, parallel};
use crate::values::Value;

/// One of the states that are farthest from the start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hard {
    /// The depth of the state.
    pub depth: u64,
    /// The state.
    pub state: State,
    /// The number of states in the orbit of the state.
    pub orbit_size: u32,
    /// The outcome, if play is over.
    pub outcome: Option<u16>,
}

/// A state of one depth, ordered by its symbols.
struct BySymbols(Hard);

impl Ord for BySymbols {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.state.cells.cmp(&other.0.state.cells)
    }
}

impl PartialOrd for BySymbols {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for BySymbols {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for BySymbols {}

impl Opened {
    /// Reads the states of the job, without values, and returns the job's manifest.
    fn read(&self, span: &Span, watch: Watch, found: &mut (dyn FnMut(Rows) -> Result<()> + Send)) -> Result<Manifest> {
        self.machine.read(&self.options, self.choice.dense.as_ref(), &self.job, span, watch, found)?;
        Ok(self.job.manifest().clone())
    }
}

impl Engine {
    /// Reads the states of a job, depth by depth, and calls `found` with some at a time. Each state comes once up to
    /// symmetry, as the smallest of its images. Another process may go on with the job meanwhile: only the depths that
    /// are done when the job is opened are read.
    ///
    /// # Errors
    ///
    /// The errors of [`Engine::verify_job`], and those of `found`.
    pub fn read_job(
        &self,
        folder: &JobFolder,
        span: &Span,
        watch: Watch,
        found: &mut (dyn FnMut(Rows) -> Result<()> + Send),
    ) -> Result<Manifest> {
        let opened = self.look(&Options::default(), folder)?;
        let job = &opened.job;
        let (dense, manifest) = (opened.choice.dense.as_ref(), job.manifest());
        let (kept, counted) = (manifest.has_values(), manifest.has_values() && manifest.is_counted());
        let mut values = (kept && !counted).then(|| ValuesInOrder::new(self, job, dense, &*opened.machine));
        opened.read(span, watch, &mut |mut rows| {
            if counted {
                let value = KeptValue { value: Value::Win(rows.depth as u32), has_distance: true };
                rows.values = Some(vec![value; rows.len()]);
            }
            if let Some(values) = &mut values {
                rows.values = Some(values.of(&rows)?);
            }
            found(rows)
        })
    }

    /// The moves between the states of a job. Its states are held in memory, of which `memory` bytes may be taken.
    ///
    /// # Errors
    ///
    /// The errors of [`Engine::read_job`], and [`Error::Memory`] if the states do not fit.
    pub fn edges_of_job(&self, folder: &JobFolder, memory: u64, watch: Watch) -> Result<JobEdges> {
        let opened = self.look(&Options::default(), folder)?;
        let states = opened.job.manifest().depths.iter().map(|depth| depth.states).sum();
        // While states are sorted by the player to move, some of them are in memory twice. So the memory of two words
        // is counted for each state.
        let bytes = bytes_of_states(states, 2 * opened.job.word_bytes());
        if bytes > memory || u32::try_from(states).is_err() {
            return Err(Error::Memory(format!(
                "the moves between {states} states take {}, and the limit leaves {}; give more memory",
                in_words(bytes),
                in_words(memory)
            )));
        }
        let Opened { machine, options, choice, job, .. } = &opened;
        Ok(JobEdges::new(machine.graph_of_job(options, choice.dense.as_ref(), job, watch)?))
    }

    /// For each depth of a job, the sum of the digests of its states, modulo 2 to the power 128. The sum identifies the
    /// set of states, and does not depend on their order. The digest of a state is made as in [`Engine::key`], but from
    /// the state's smallest image under the symmetries up to which the job counts.
    ///
    /// # Errors
    ///
    /// The errors of [`Engine::read_job`].
    pub fn hash_job(&self, folder: &JobFolder, watch: Watch) -> Result<Vec<u128>> {
        let mut sums = vec![0u128; Manifest::of_folder(folder.folder())?.depths.len()];
        // Depths that the job has found since its manifest was read are left out.
        let Some(last) = (sums.len() as u64).checked_sub(1) else { return Ok(sums) };
        let span = Span { last, ..Span::default() }.within(self.rules().cells());
        self.read_job(folder, &span, watch, &mut |rows| {
            let sum = |range: Range<usize>| -> u128 {
                range.map(|row| digest(rows.player_of(row), rows.cells_of(row))).fold(0, u128::wrapping_add)
            };
            let sum = parallel::map(rows.len(), AT_ONCE, sum).into_iter().fold(0, u128::wrapping_add);
            let total = &mut sums[rows.depth as usize];
            *total = total.wrapping_add(sum);
            Ok(())
        })?;
        Ok(sums)
    }

    /// The `count` states of a job that are farthest from the start: the deepest first, and of one depth the smallest
    /// first.
    ///
    /// # Errors
    ///
    /// The errors of [`Engine::read_job`].
    pub fn hardest(&self, folder: &JobFolder, count: usize, watch: Watch) -> Result<Vec<Hard>> {
        let mut hardest: Vec<Hard> = Vec::new();
        let depths = Manifest::of_folder(folder.folder())?.depths.len() as u64;
        for depth in (0..depths).rev() {
            let wanted = count - hardest.len();
            if wanted == 0 {
                break;
            }
            let span = Span { first: depth, last: depth, ..Span::default() }.within(self.rules().cells());
            // The heap has the smallest states that were found so far. The largest of these is on top, and is dropped
            // when a smaller one is found. Each list of rows is in order, but all lists together need not be.
            let mut smallest: BinaryHeap<BySymbols> = BinaryHeap::new();
            self.read_job(folder, &span, watch, &mut |rows| {
                for row in 0..rows.len() {
                    if smallest.len() == wanted {
                        match smallest.peek_mut() {
                            Some(largest) if rows.cells_of(row) < &largest.0.state.cells[..] => PeekMut::pop(largest),
                            _ => break,
                        };
                    }
                    smallest.push(BySymbols(Hard {
                        depth,
                        state: rows.state(row),
                        orbit_size: rows.orbit_sizes[row],
                        outcome: rows.outcomes[row],
                    }));
                }
                Ok(())
            })?;
            hardest.extend(smallest.into_sorted_vec().into_iter().map(|BySymbols(hard)| hard));
        }
        Ok(hardest)
    }
}
