//! The value of every state that play can reach.

use std::time::Instant;

use super::compiled::Engine;
use super::jobs::{JobFolder, Opened};
use super::state::State;
use crate::error::{Error, Result};
use crate::job::{Fault, MANIFEST, Manifest, Subject, ValuesStage};
use crate::run::{Options, Store, Watch};
use crate::solve::{AllValues, ValuesFound};
use crate::structure::Window;

impl Engine {
    /// Finds all states that play can reach, and the value of each: for a game, who wins if both play perfectly, and in
    /// how many moves; for a puzzle, the fewest moves to the goal, or that no moves lead there. Outcomes that are no
    /// player's win count as draws, and so does play that never ends. All states are held in memory.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// use puzzlekit_core::{Engine, Options, Value, ValuesFound};
    ///
    /// // Two cells, and a move for each player that marks one of them. Who marks the last one wins.
    /// let json = r#"{"symbols": [".", "x"], "start": [".", "."], "players": ["A", "B"], "stuck": "loss", "moves": [
    ///     {"name": "0", "player": "A", "when": [[0, ["."]]], "then": [[0, "x"]]},
    ///     {"name": "1", "player": "A", "when": [[1, ["."]]], "then": [[1, "x"]]},
    ///     {"name": "0", "player": "B", "when": [[0, ["."]]], "then": [[0, "x"]]},
    ///     {"name": "1", "player": "B", "when": [[1, ["."]]], "then": [[1, "x"]]}]}"#;
    /// let engine = Engine::new(&serde_json::from_str(json)?)?;
    /// let ValuesFound::All(found) = engine.values(&Options::default(), &|_| ControlFlow::Continue(()))? else { panic!() };
    /// assert_eq!(found.start, Value::Loss(2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if a puzzle has no goal, or the threads cannot be started; [`Error::Memory`] if there is less
    /// memory than the values take.
    pub fn values(&self, options: &Options, watch: Watch) -> Result<ValuesFound<State>> {
        self.check_goal()?;
        self.machine.values(options, watch)
    }

    /// Finds the values as [`Self::values`] does, and keeps all states and their values in a folder. The folder may hold a
    /// job of these rules, which goes on: first with the states, and then with their values. However the run ends, it can
    /// go on from what was kept, and writes the same files.
    ///
    /// `distances` says whether the numbers of moves to the end are kept. If it is `None`, they are, or it is as the job
    /// has it. If play may come back to a state, they are always kept: without them, nobody could tell the way.
    ///
    /// # Errors
    ///
    /// As [`Self::values`] and [`Self::enumerate_job`]; [`Error::Job`] if the job has none of the states, or keeps other
    /// distances.
    pub fn values_job(
        &self,
        options: &Options,
        distances: Option<bool>,
        folder: &JobFolder,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        self.values_faulty(options, distances, folder, None, watch)
    }

    /// The same with a disk that fails, for tests.
    pub(crate) fn values_faulty(
        &self,
        options: &Options,
        distances: Option<bool>,
        folder: &JobFolder,
        fault: Option<Fault>,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        self.check_goal()?;
        let begun = Instant::now();
        if distances == Some(false) && self.window() != Window::Layered {
            return Err(Error::Options(
                "play may come back to a state of these rules, and then the numbers of moves alone tell the way to the \
                 end; keep the distances"
                    .to_owned(),
            ));
        }
        let stage = ValuesStage { distances: distances.unwrap_or(true), ..ValuesStage::default() };
        let all = Options { max_depth: None, store: Store::Sparse, ..*options };
        let Opened { mut job, options: given, choice, machine } = if folder.folder.join(MANIFEST).is_file() {
            Self::check_values(options, distances, folder)?;
            self.resume(&all, folder, fault)?
        } else {
            self.begin(&all, folder, Some(stage.clone()), fault)?
        };
        job.set_room(options.disk);
        if job.manifest().values.is_none() {
            job.begin_values(stage.distances)?;
        }
        if !job.manifest().complete {
            let report = machine.enumerate(&Options { max_depth: None, ..given }, choice, Some(&mut job), watch)?;
            if let Some(stop) = report.stop {
                return Ok(ValuesFound::Stopped(stop, report.depths.len() as u64));
            }
        }
        let found = machine.kept_values(&given, &mut job, watch)?;
        let seconds = begun.elapsed().as_secs_f64();
        Ok(match found {
            ValuesFound::All(all) => ValuesFound::All(AllValues { seconds, ..all }),
            stopped @ ValuesFound::Stopped(..) => stopped,
        })
    }

    /// Refuses a job that values cannot go on with, or other values than it has.
    fn check_values(options: &Options, distances: Option<bool>, folder: &JobFolder) -> Result<()> {
        let manifest = Manifest::of_folder(&folder.folder)?;
        let refused = |what: &str| Err(Error::Job(format!("the job in {} {what}", folder.folder.display())));
        let Subject { backward, store, symmetry, symmetry_order, .. } = &manifest.subject;
        if *backward {
            return refused(
                "counts back from the goal, and values need the states that play reaches; give another folder",
            );
        }
        if store != Store::Sparse.name() {
            return refused(
                "has its states as bits of the dense store, and values are kept beside words; begin the values in another \
                 folder, or count with --store sparse",
            );
        }
        if *symmetry && *symmetry_order > 1 && !options.symmetry {
            return refused("counts states up to symmetry; give another folder to count symmetric states apart");
        }
        let has = manifest.values.map(|stage| stage.distances);
        match (has, distances) {
            (Some(true), Some(false)) => refused("keeps distances; give another folder to keep none"),
            (Some(false), Some(true)) => refused("keeps no distances; give another folder to keep them"),
            _ => Ok(()),
        }
    }

    fn check_goal(&self) -> Result<()> {
        if self.rules().player_count() == 1 && self.rules().goal.is_empty() {
            return Err(Error::Options(
                "the rules have no goal, so no state has a distance to it; give them a goal".to_owned(),
            ));
        }
        Ok(())
    }
}
