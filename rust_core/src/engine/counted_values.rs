//! The values of puzzles whose moves can all be undone, by a count back from the goal. See `docs/values.md`, "Counts
//! from the goal".
//!
//! If each move is undone by a move, and no state ends play, then moves lead back from wherever moves lead. So all
//! states that play reaches from the start can reach each other. If the goal is one of these states, all of them can be
//! solved; if it is not, none can. A count back from the goal finds the states that can be solved, and the depth of
//! each is its distance.
//!
//! Take four states in a row, a - b - c - d, with the start in b and the goal in d. The count finds d, c, b and a: one
//! state at each distance from 0 to 3. It meets the start at distance 2, and a is farthest.

use std::ops::Range;
use std::sync::Arc;

use super::choice::Choice;
use super::compiled::Engine;
use super::goal_count::GoalCount;
use super::jobs::{JobFolder, Opened, report_of};
use super::machine::Machine;
use super::state::State;
use crate::dense::Dense;
use crate::error::{Error, Result};
use crate::instant::Instant;
use crate::job::ValuesStage;
use crate::memory::in_words;
use crate::run::{DepthReport, DepthValues, DistanceCount, Options, Report, Store, Tally, Watch, in_pool, parallel};
use crate::structure::Window;
use crate::values::{AllValues, Value, ValuesFound};

/// The number of bytes of the dense store that one thread reads in one step.
const AT_ONCE: usize = 1 << 12;

impl Engine {
    /// The engine that counts back from the goal, if the depths of that count are the values of all states. This is so
    /// if the goal is a single state, and each move of the one player is undone by a move. If the start is the goal,
    /// that engine counts in the same way as this one.
    pub(crate) fn goal_counter(&self) -> Option<Self> {
        let undone = self.window() == Window::InverseClosed && !self.to_goal && !self.rules().backward;
        // A start without a move is the only state, and needs no count.
        if !undone || self.machine.moves(&self.start()).is_empty() {
            return None;
        }
        if self.rules().backward().ok()?.start == self.start().cells {
            return Some(self.forward());
        }
        self.backward().ok()
    }

    /// Finds the values that [`Self::values`] finds. The engine `from_goal` counts back from the goal for it.
    pub(super) fn counted_values(
        &self,
        from_goal: &Self,
        options: &Options,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        let (begun, options) = (Instant::now(), &Options { max_depth: None, ..*options });
        let Choice { dense, reason } = from_goal.choose(options, None, false)?;
        // The states of the last depth are read afterwards. So each depth must be in an array of its own, as in a job.
        let apart = |dense: &Dense| dense.bytes(None, true) <= Dense::most_bytes(options);
        let choice = match dense {
            Some(dense) if !apart(&dense) => {
                if options.store == Store::Dense {
                    dense.check_memory(options, true)?;
                }
                let bytes = in_words(dense.bytes(None, true));
                Choice { dense: None, reason: format!("a perfect index of which depths are told would take {bytes}") }
            }
            dense => Choice { dense, reason },
        };
        let (machine, start) = (&from_goal.machine, self.start());
        let count = match &choice.dense {
            Some(dense) => count_in_bits(&**machine, dense, options, &start, watch)?,
            None => machine.goal_count(options, &start, watch)?,
        };
        self.values_of_count(
            &GoalCount { report: Report { reason: choice.reason, ..count.report }, ..count },
            begun,
            options,
            watch,
        )
    }

    /// Finds the values that [`Self::values_job`] finds. The job in the folder is the count of the engine `from_goal`.
    /// No values are kept beside its states, because the depth of a state is its distance.
    pub(super) fn counted_values_job(
        &self,
        from_goal: Self,
        options: &Options,
        folder: &JobFolder,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        let (begun, options) = (Instant::now(), &Options { max_depth: None, ..*options });
        let from_goal = Arc::new(from_goal);
        let Opened { mut job, options: given, choice, machine } = from_goal.begin_count(options, folder)?;
        job.set_room(options.disk);
        let report = if job.manifest().complete {
            report_of(job.manifest(), choice)
        } else {
            machine.enumerate(&Options { max_depth: None, ..given }, choice, Some(&mut job), watch)?
        };
        drop(job);
        if let Some(stop) = report.stop {
            return Ok(ValuesFound::Stopped(stop, report.depths.len() as u64));
        }
        let options = Options { symmetry: given.symmetry, ..*options };
        let found = self.values_of_counted(from_goal, report, folder, &options, watch)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(if let ValuesFound::All(all) = found { ValuesFound::All(AllValues { seconds, ..all }) } else { found })
    }

    /// The values that follow from a complete job of the engine `from_goal`, which has counted back from the goal.
    pub(super) fn values_of_counted(
        &self,
        from_goal: impl Into<Arc<Self>>,
        report: Report,
        folder: &JobFolder,
        options: &Options,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        let (begun, from_goal): (_, Arc<Self>) = (Instant::now(), from_goal.into());
        let place = JobFolder { resume: true, ..folder.clone() };
        let start = from_goal.lookup(&place)?.look_up(&self.start().cells, 0, watch)?.first().copied().flatten();
        let farthest = from_goal.hardest(&place, 1, watch)?.pop().map(|hard| hard.state);
        let start = start.and_then(|found| found.depth).map(u64::from);
        self.values_of_count(&GoalCount { report, start, farthest }, begun, options, watch)
    }

    /// Begins the job of a count from the goal, or goes on with it.
    fn begin_count(&self, options: &Options, folder: &JobFolder) -> Result<Opened> {
        if folder.has_job() {
            let mut opened = self.resume(options, folder)?;
            if opened.job.manifest().values.is_none() {
                opened.job.begin_counted_values()?;
            }
            return Ok(opened);
        }
        let snapshots = |dense: &Dense| dense.keeps_snapshot(options);
        let store = match self.choose(options, None, true)?.dense {
            Some(dense) if !snapshots(&dense) => Store::Dense,
            Some(_) if options.store == Store::Dense => return Err(Error::Options(
                "values are looked up in the bits of all depths, and those would not fit the memory or would be very \
                 many; leave the store to the engine"
                    .to_owned(),
            )),
            _ => Store::Sparse,
        };
        self.begin(&Options { store, ..*options }, folder, Some(ValuesStage::counted()))
    }

    /// The values of all states, made from a count back from the goal.
    fn values_of_count(
        &self,
        count: &GoalCount,
        begun: Instant,
        options: &Options,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        let GoalCount { report, start, farthest } = count;
        if let Some(stop) = report.stop {
            return Ok(ValuesFound::Stopped(stop, report.depths.len() as u64));
        }
        let all = AllValues {
            depths: Vec::new(),
            distances: Vec::new(),
            scored: false,
            start: Value::Draw(None),
            longest: None,
            symmetry_order: report.symmetry_order,
            generated: report.generated,
            seconds: 0.0,
            has_distances: true,
            backward: true,
            store: report.store,
        };
        let all = if let Some(moves) = *start {
            let farthest = farthest.clone().zip(report.depths.last());
            AllValues {
                depths: report
                    .depths
                    .iter()
                    .map(|depth| DepthValues { win: tally(depth), ..DepthValues::default() })
                    .collect(),
                scored: false,
                distances: report.depths.iter().map(|depth| DistanceCount { win: depth.states, loss: 0 }).collect(),
                start: Value::Win(moves as u32),
                longest: farthest.map(|(state, last)| (state, Value::Win(last.depth as u32))),
                ..all
            }
        } else {
            // Play does not reach the goal, so none of its states can be solved. A count from the start finds how many
            // states there are.
            let store = if options.store == Store::Dense { Store::Auto } else { options.store };
            let all_depths = Options { max_depth: None, store, ..*options };
            let forth = self.enumerate(&all_depths, watch)?;
            if let Some(stop) = forth.stop {
                return Ok(ValuesFound::Stopped(stop, forth.depths.len() as u64));
            }
            AllValues {
                depths: forth
                    .depths
                    .iter()
                    .map(|depth| DepthValues { draw: tally(depth), ..DepthValues::default() })
                    .collect(),
                symmetry_order: forth.symmetry_order,
                generated: forth.generated,
                backward: false,
                store: forth.store,
                ..all
            }
        };
        Ok(ValuesFound::All(AllValues { seconds: begun.elapsed().as_secs_f64(), ..all }))
    }
}

/// The number of states of a depth.
fn tally(depth: &DepthReport) -> Tally {
    Tally { states: depth.states, raw_states: depth.raw_states }
}

/// Counts back from the goal in the dense store. `machine` is that of the engine that counts.
fn count_in_bits(
    machine: &dyn Machine,
    dense: &Dense,
    options: &Options,
    start: &State,
    watch: Watch,
) -> Result<GoalCount> {
    let reading = dense.reading(0);
    let start = reading.bit(&start.cells);
    let (mut met, mut farthest) = (None, None);
    let mut see = |depth: u64, held: &[u8], is_last: bool| {
        if let (Some(bit), None) = (start, met) {
            met = (held[(bit / 8) as usize] >> (bit % 8) & 1 != 0).then_some(depth);
        }
        if is_last {
            let smallest = |range: Range<usize>| {
                let mut places = Vec::new();
                // The places need no check: a search never sets a bit that stands for no state.
                let _ = reading.places_of(range.start, &held[range], &mut places);
                // Packed words compare in the same way as the states' symbols, so the smallest word is the first state.
                let word = |cells: Vec<u8>| {
                    let mut word = Vec::new();
                    machine.words_of_rows(&cells, options.symmetry, &mut word);
                    word
                };
                places.iter().map(|&place| word(reading.state(place))).min()
            };
            farthest = parallel::map(held.len(), AT_ONCE, smallest).into_iter().flatten().min();
        }
    };
    let report = in_pool(options, || dense.show(options, &mut see, watch))??;
    let farthest = farthest.map(|word| machine.state_of_word(&word, 0));
    Ok(GoalCount { report, start: met, farthest })
}
