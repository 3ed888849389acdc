//! The values of puzzles whose moves can all be undone, by counts from both ends: `docs/values.md`, "Counts from both
//! ends".
//!
//! If each move is undone by a move, and no state ends play, then moves lead back from wherever moves lead. So all
//! states that play reaches from the start can reach each other. If the goal is one of them, all can be solved; if it
//! is not, none can. How many moves the start is away is what a count from the start tells, and a count from the goal
//! tells the distances. No state is held for longer than that takes.
//!
//! Take four states in a row, a - b - c - d, with a start in b and the goal in d. The count from the start finds b,
//! then a and c, then d: the depths have 1, 2 and 1 states. The count from the goal finds d, c, b and a: one state for
//! each distance from 0 to 3. It meets the start at distance 2, and a is farthest.

use std::time::Instant;

use super::choice::Choice;
use super::compiled::Engine;
use super::sight::{LastDepth, Sighted, Sought};
use super::state::State;
use crate::dense::Dense;
use crate::error::Result;
use crate::memory::in_words;
use crate::run::{DepthReport, DepthValues, DistanceCount, Options, Report, Stop, Store, Tally, Watch};
use crate::structure::Window;
use crate::values::{AllValues, Value, ValuesFound};

impl Engine {
    /// The goal, if values are counted from both ends: if it is a single state, and each move of one player is undone
    /// by a move.
    pub(crate) fn other_end(&self) -> Option<State> {
        let undone = self.window() == Window::InverseClosed && !self.to_goal && !self.rules().backward;
        // A start without a move is the only state.
        if !undone || self.machine.moves(&self.start()).is_empty() {
            return None;
        }
        Some(State { cells: self.rules().backward().ok()?.start, player: 0 })
    }

    /// Finds the values that [`Self::values`] finds, for rules with a goal at the other end.
    pub(super) fn values_from_both_ends(
        &self,
        goal: &State,
        options: &Options,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        let (begun, start) = (Instant::now(), self.start());
        let options = &Options { max_depth: None, ..*options };
        let same = *goal == start;
        let last = if same { LastDepth::Smallest } else { LastDepth::Nothing };
        let sought = Sought { states: std::slice::from_ref(goal), no_further: false, last };
        let forth = self.sight(options, sought, watch)?;
        if let Some(stop) = forth.report.stop {
            return Ok(ValuesFound::Stopped(stop, forth.report.depths.len() as u64));
        }
        let found = Found { forth: &forth.report, symmetry_order: forth.report.symmetry_order };
        let Some((moves, _)) = forth.met else { return Ok(found.unsolvable()) };
        let all = if same {
            let longest = forth.last.into_iter().next().zip(last_depth(&forth.report));
            found.all(&forth.report, moves, longest)
        } else {
            let backward = self.backward()?;
            let sought = Sought { states: &[], no_further: false, last: LastDepth::All };
            let Sighted { report, mut last, .. } = backward.sight(options, sought, watch)?;
            if let Some(stop) = report.stop {
                return Ok(ValuesFound::Stopped(stop, 0));
            }
            if last.len() > 1 {
                // The state among them that is met at the smallest depth is named. Rarely there are several.
                let sought = Sought { states: &last, no_further: true, last: LastDepth::Nothing };
                match self.sight(options, sought, watch)? {
                    Sighted { met: Some((_, first)), .. } => last = vec![first],
                    Sighted { report, .. } => return Ok(ValuesFound::Stopped(report.stop.unwrap_or(Stop::Watch), 0)),
                }
            }
            let longest = last.pop().zip(last_depth(&report));
            found.all(&report, moves, longest)
        };
        Ok(ValuesFound::All(AllValues { seconds: begun.elapsed().as_secs_f64(), ..all }))
    }

    /// Counts in memory, in the store that the engine chooses.
    fn sight(&self, options: &Options, sought: Sought, watch: Watch) -> Result<Sighted> {
        let Choice { dense, reason } = self.choose(options, None, false)?;
        let apart = |dense: &Dense| dense.bytes(None, true) <= Dense::most_bytes(options);
        let choice = match dense {
            // Each depth is kept apart, as in a job, so that the states of the last one can be read.
            Some(dense) if sought.last != LastDepth::Nothing && !apart(&dense) => {
                if options.store == Store::Dense {
                    dense.check_memory(options, true)?;
                }
                let bytes = in_words(dense.bytes(None, true));
                Choice { dense: None, reason: format!("a perfect index of which depths are told would take {bytes}") }
            }
            dense => Choice { dense, reason },
        };
        let mut found = self.machine.sight(options, choice.dense.as_ref(), sought, watch)?;
        found.report.reason = choice.reason;
        Ok(found)
    }
}

/// The last depth of a count.
fn last_depth(report: &Report) -> Option<u64> {
    report.depths.last().map(|last| last.depth)
}

/// A count from the start that is complete.
struct Found<'a> {
    forth: &'a Report,
    symmetry_order: usize,
}

impl Found<'_> {
    /// The values if the goal is not among the states.
    fn unsolvable(&self) -> ValuesFound<State> {
        let depths = self.forth.depths.iter().map(|depth| DepthValues { draw: tally(depth), ..DepthValues::default() });
        let all = AllValues {
            depths: depths.collect(),
            distances: Vec::new(),
            start: Value::Draw(None),
            longest: None,
            ..self.nothing()
        };
        ValuesFound::All(all)
    }

    /// The values from a count of the distances. The start is `moves` moves away from the goal.
    fn all(&self, back: &Report, moves: u64, longest: Option<(State, u64)>) -> AllValues<State> {
        debug_assert_eq!((self.forth.states(), self.forth.raw_states()), (back.states(), back.raw_states()));
        let depths = self.forth.depths.iter().map(|depth| DepthValues { win: tally(depth), ..DepthValues::default() });
        AllValues {
            depths: depths.collect(),
            distances: back.depths.iter().map(|depth| DistanceCount { win: depth.states, loss: 0 }).collect(),
            start: Value::Win(moves as u32),
            longest: longest.map(|(state, moves)| (state, Value::Win(moves as u32))),
            ..self.nothing()
        }
    }

    fn nothing(&self) -> AllValues<State> {
        AllValues {
            depths: Vec::new(),
            distances: Vec::new(),
            start: Value::Draw(None),
            longest: None,
            symmetry_order: self.symmetry_order,
            generated: self.forth.generated,
            seconds: self.forth.seconds,
            has_distances: true,
            store: self.forth.store,
        }
    }
}

/// The number of states of a depth.
fn tally(depth: &DepthReport) -> Tally {
    Tally { states: depth.states, raw_states: depth.raw_states }
}
