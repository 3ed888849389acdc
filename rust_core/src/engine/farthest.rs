//! The deepest states of a puzzle or game, found in memory without a job. Those of a job are read in `job_queries.rs`.

use super::compiled::{Engine, ToGoal};
use super::enumeration::goal_roots;
use super::goal_roots::{GoalRoots, Roots};
use super::reached::AllReached;
use super::state::State;
use crate::error::Result;
use crate::run::{Budget, Options, Watch};

/// The deepest states, each with its depth: the deepest first, and the states of one depth in the order of their
/// symbols.
pub type Farthest = Vec<(u64, State)>;

impl Engine {
    /// The `count` states, up to symmetry, that are farthest from the start; or from the goal, if this engine counts
    /// backward. [`Engine::hardest`] finds the same states in a job. Here all states must fit the memory. `None` if
    /// they do not, or if the watch stops the work.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Memory`] and [`crate::Error::Options`], as from a run in memory.
    pub fn farthest(&self, options: &Options, count: usize, watch: Watch) -> Result<Option<Farthest>> {
        match self.to_goal {
            None => self.far_from(None, options, count, watch),
            Some(ToGoal::FromGoals) => {
                let GoalRoots { states, reached } = goal_roots(&*self.machine, None, None, options, watch)?;
                match reached.stop {
                    Some(_) => Ok(None),
                    None if states.is_empty() => Ok(Some(Vec::new())),
                    None => self.far_from(Some(states), options, count, watch),
                }
            }
            Some(ToGoal::Spread) => self.far_from_goal(options, count, watch),
        }
    }

    /// The states that are farthest from the start, or from the nearest of `roots`.
    fn far_from(
        &self,
        roots: Option<Roots>,
        options: &Options,
        count: usize,
        watch: Watch,
    ) -> Result<Option<Farthest>> {
        let found = self.machine.found_states(roots, options, watch)?;
        if found.report.stop.is_some() {
            return Ok(None);
        }
        let (mut farthest, players) = (Vec::new(), self.rules().player_count());
        for depth in (0..found.states.counts().len()).rev() {
            let graph = found.states.depth(depth, None)?;
            let state = |at| self.machine.state_of_word(&graph.word(at), depth % players);
            let wanted = count - farthest.len();
            farthest.extend(smallest((0..graph.len()).map(state), wanted).map(|state| (depth as u64, state)));
            if farthest.len() == count {
                break;
            }
        }
        Ok(Some(farthest))
    }

    fn far_from_goal(&self, options: &Options, count: usize, watch: Watch) -> Result<Option<Farthest>> {
        let budget = Budget { bytes: options.memory, threads: options.threads, ..Budget::default() };
        let AllReached::Whole(graph) = self.all_reached(budget, watch) else { return Ok(None) };
        let Some(distances) = graph.distances(&graph.solved(), options.memory, watch)? else { return Ok(None) };
        let (mut farthest, most) = (Vec::new(), distances.iter().max().copied().unwrap_or(-1));
        for distance in (0..=most).rev() {
            // Of each orbit, only the smallest state is listed.
            let mut states = Vec::new();
            for number in (0..graph.len()).filter(|&number| distances[number as usize] == distance) {
                let state = graph.state(number);
                if !options.symmetry || self.canonical(&state)? == state {
                    states.push(state);
                }
            }
            let wanted = count - farthest.len();
            farthest.extend(smallest(states.into_iter(), wanted).map(|state| (distance as u64, state)));
            if farthest.len() == count {
                break;
            }
        }
        Ok(Some(farthest))
    }
}

/// The smallest states, in order of their symbols; at most `count`.
fn smallest(states: impl Iterator<Item = State>, count: usize) -> impl Iterator<Item = State> {
    let mut kept: Vec<State> = Vec::new();
    for state in states {
        if kept.len() < count || kept.last().is_some_and(|last| state.cells < last.cells) {
            let at = kept.partition_point(|other| other.cells < state.cells);
            kept.insert(at, state);
            kept.truncate(count);
        }
    }
    kept.into_iter()
}
