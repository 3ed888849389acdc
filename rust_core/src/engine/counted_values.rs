//! The values of puzzles whose moves can all be undone, by a count back from the goals. See `docs/values.md`, "Counts
//! from the goal".
//!
//! If each move is undone by a move, and no state ends play, then moves lead back from wherever moves lead. So all
//! states that play reaches from the start can reach each other. If a goal is one of these states, all of them can be
//! solved; if none is, none can. A count back from the goals finds the states that can be solved, and the depth of each
//! is its distance. If the goal is a single state, the count begins with it. Otherwise it begins with all goals that
//! play reaches, which a count from the start finds before; see `goal_roots.rs`.
//!
//! Take four states in a row, a - b - c - d, with the start in b and the goal in d. The count finds d, c, b and a: one
//! state at each distance from 0 to 3. It meets the start at distance 2, and a is farthest.

use std::ops::Range;
use std::sync::Arc;

use super::compiled::Engine;
use super::enumeration::{DistancesJob, goal_roots};
use super::goal_count::GoalCount;
use super::goal_roots::Roots;
use super::jobs::{JobFolder, Opened, report_of};
use super::machine::Machine;
use super::state::State;
use crate::dense::Dense;
use crate::error::Result;
use crate::instant::Instant;
use crate::job::ValuesStage;
use crate::run::{DepthReport, DepthValues, DistanceCount, Options, Report, Store, Tally, Watch, in_pool, parallel};
use crate::values::{AllValues, Value, ValuesFound};

/// The number of bytes of the dense store that one thread reads in one step.
const AT_ONCE: usize = 1 << 12;

impl Engine {
    /// The engine that counts back from a single goal state, if the depths of that count are the values of all states.
    /// This is so if each move of the one player is undone by a move. If the start is the goal, that engine counts in
    /// the same way as this one.
    pub(crate) fn goal_counter(&self) -> Option<Self> {
        if self.to_goal.is_some() || !self.leads_back() {
            return None;
        }
        if self.rules().backward().ok()?.start == self.start().cells {
            return Some(self.forward());
        }
        self.backward().ok()
    }

    /// The engine that counts back from all goals, however many there are, if the depths of that count are the values
    /// of all states.
    pub(crate) fn goals_counter(&self) -> Option<Self> {
        let several = || (self.to_goal.is_none() && self.leads_back()).then(|| self.backward().ok()).flatten();
        self.goal_counter().or_else(several)
    }

    /// Finds the values that [`Self::values`] finds. The engine `from_goal` counts back from the goals for it.
    pub(super) fn counted_values(
        &self,
        from_goal: &Self,
        options: &Options,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        let (begun, options) = (Instant::now(), &Options { max_depth: None, ..*options });
        let choice = from_goal.choose_told(options, false)?;
        let (machine, start, dense) = (&*from_goal.machine, self.start(), choice.dense.as_ref());
        let (mut roots, mut reached) = (None, None);
        if from_goal.to_goal.is_some() {
            let found = goal_roots(machine, dense, None, options, watch)?;
            if let Some(stop) = found.reached.stop {
                return Ok(ValuesFound::Stopped(stop, found.reached.depths.len() as u64));
            }
            if found.states.is_empty() {
                let report = Report { depths: Vec::new(), ..found.reached.clone() };
                let count = GoalCount { report, start: None, farthest: None };
                return self.values_of_count(&count, Some(found.reached), begun, options, watch);
            }
            (roots, reached) = (Some(found.states), Some(found.reached));
        }
        let count = match dense {
            Some(dense) => count_in_bits(machine, dense, roots, options, &start, watch)?,
            None => machine.goal_count(roots, options, &start, watch)?,
        };
        let count = GoalCount { report: Report { reason: choice.reason, ..count.report }, ..count };
        self.values_of_count(&count, reached, begun, options, watch)
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
        let given = Options { max_depth: None, ..given };
        let report = if job.manifest().complete {
            report_of(job.manifest(), choice)
        } else if let Some(way) = from_goal.to_goal {
            let to = DistancesJob { folder, job: &mut job, machine: &*machine, choice };
            from_goal.distances_job(way, &given, to, watch)?
        } else {
            machine.enumerate(None, &given, choice, Some(&mut job), watch)?
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
        if report.states() == 0 {
            // Several goals were looked for, and play reaches none of them.
            let (count, reached) =
                (GoalCount { report, start: None, farthest: None }, Self::reached_by_forward(folder)?);
            return self.values_of_count(&count, Some(reached), begun, options, watch);
        }
        let place = JobFolder { resume: true, ..folder.clone() };
        let start = from_goal.lookup(&place)?.look_up(&self.start().cells, 0, watch)?.first().copied().flatten();
        let farthest = from_goal.hardest(&place, 1, watch)?.pop().map(|hard| hard.state);
        let start = start.and_then(|found| found.depth).map(u64::from);
        self.values_of_count(&GoalCount { report, start, farthest }, None, begun, options, watch)
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
        let store = self.choose_told(options, true)?.store();
        self.begin(&Options { store, ..*options }, folder, Some(ValuesStage::counted()))
    }

    /// The values of all states, made from a count back from the goals. If a count from the start was made, too, it is
    /// `reached`.
    fn values_of_count(
        &self,
        count: &GoalCount,
        reached: Option<Report>,
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
            let forth = if let Some(reached) = reached { reached } else { self.enumerate(&all_depths, watch)? };
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

/// Counts back from the goals in the dense store: from `roots`, or else from the start of the rules that are counted.
/// `machine` is that of the engine that counts.
fn count_in_bits(
    machine: &dyn Machine,
    dense: &Dense,
    roots: Option<Roots>,
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
    let report = in_pool(options, || dense.show(options, roots.map(Roots::into_items), &mut see, watch))??;
    let farthest = farthest.map(|word| machine.state_of_word(&word, 0));
    Ok(GoalCount { report, start: met, farthest })
}
