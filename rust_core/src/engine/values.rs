//! The value of every state that play can reach.

use std::collections::HashSet;
use std::ops::ControlFlow;

use super::choice::Choice;
use super::compiled::Engine;
use super::jobs::{JobFolder, Opened};
use super::machine::ReachedStates;
use super::recount::check_longest;
use super::state::State;
use crate::dense::{Dense, KeepsTiers};
use crate::error::{Error, Result, no_goal};
use crate::index::{Cut, Index, PlacementIndex};
use crate::instant::Instant;
use crate::job::{Job, Manifest, Subject, ValuesStage};
use crate::memory::in_words;
use crate::rules::{Move, Stuck};
use crate::run::{Options, Progress, Stop, Store, TierValues, Watch, in_pool};
use crate::structure::Window;
use crate::values::{AllValues, ValuesFound, WordState, all_values, kept_values};

/// If play can reach at most this many states, up to symmetry, they are found one by one, with the moves to the end.
/// That takes a second or two, and half a gigabyte.
const ONE_BY_ONE: u64 = 4_000_000;

impl Engine {
    /// Finds all states that play can reach, and the value of each: for a game, who wins if both play perfectly, and in
    /// how many moves; for a puzzle, the fewest moves to the goal, or that no moves lead there. Outcomes that are no
    /// player's win count as draws, and so does play that never ends.
    ///
    /// All states are held in memory, with two exceptions. The dense store finds values without the number of moves:
    /// see [`Options::distances`]. If all moves of a puzzle can be undone, the engine counts back from the goals
    /// instead, and the depths of the result are distances.
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
    /// let go_on = |_: &_| ControlFlow::Continue(());
    /// let ValuesFound::All(found) = engine.values(&Options::default(), &go_on)? else { panic!() };
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
        if options.grundy {
            self.check_impartial()?;
            return self.values_of_states(options, watch);
        }
        if let Some(from_goal) = self.goals_counter() {
            return self.counted_values(&from_goal, options, watch);
        }
        if let Some(dense) = self.tiers(options)? {
            let found = in_pool(options, || dense.values(KeepsTiers::No, watch))??;
            return Ok(found.map_or(ValuesFound::Stopped(Stop::Watch, 0), ValuesFound::Tiers));
        }
        self.values_of_states(options, watch)
    }

    /// Finds the values of states that are all held in memory.
    pub(crate) fn values_of_states(&self, options: &Options, watch: Watch) -> Result<ValuesFound<State>> {
        let ReachedStates { report, end, mut states } = self.machine.found_states(None, options, watch)?;
        if let Some(stop) = report.stop {
            return Ok(ValuesFound::Stopped(stop, report.depths.len() as u64));
        }
        let found = all_values(&mut *states, end, options, watch)?;
        Ok(found.map(|WordState { word, player }| self.machine.state_of_word(&word, player)))
    }

    /// Finds the values that [`Self::values`] finds, and keeps all states and their values in a folder. If the folder
    /// holds a job of these rules, that job goes on: first with the states, and then with their values. However the run
    /// ends, the job can go on from what it has kept, and writes the same files.
    ///
    /// `distances` says whether the numbers of moves to the end are kept. If it is `None`, a job that goes on does as
    /// it did before, and a new job keeps them, unless the dense store finds the values (see [`Self::values`]). If play
    /// may come back to a state, they are always kept, because values alone would not show the way to the end.
    ///
    /// # Errors
    ///
    /// As [`Self::values`] and [`Self::enumerate_job`]; [`Error::Job`] if the job keeps no states, or differs in
    /// `distances`.
    pub fn values_job(
        &self,
        options: &Options,
        distances: Option<bool>,
        folder: &JobFolder,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        let begun = Instant::now();
        if let Some(from_goal) = self.check_kept_values(self.goals_counter(), options, distances, folder)? {
            return self.counted_values_job(from_goal, options, folder, watch);
        }
        let all = Options { max_depth: None, store: Store::Sparse, ..*options };
        let Opened { mut job, options: given, choice, machine } = if folder.has_job() {
            self.resume(&all, folder)?
        } else {
            let wanted = Options { distances: distances.unwrap_or(options.distances), ..*options };
            let tiers = self.tiers(&wanted)?;
            let store = if tiers.is_some() { Store::Dense } else { Store::Sparse };
            let distances = distances.unwrap_or(true) && tiers.is_none();
            let stage = ValuesStage { distances, ..ValuesStage::default() };
            self.begin(&Options { store, ..all }, folder, Some(stage))?
        };
        job.set_room(options.disk);
        if job.manifest().values.is_none() {
            job.begin_values(choice.dense.is_none() && distances.unwrap_or(true))?;
        }
        let mut dense = choice.dense;
        if !job.manifest().complete {
            let choice = Choice { dense, reason: choice.reason };
            let report =
                machine.enumerate(None, &Options { max_depth: None, ..given }, choice, Some(&mut job), watch)?;
            if let Some(stop) = report.stop {
                return Ok(ValuesFound::Stopped(stop, report.depths.len() as u64));
            }
            dense = Self::index_of(&*machine, &given, job.manifest())?;
        }
        let found = if let Some(dense) = &dense {
            Self::kept_tiers(dense, &given, &mut job, watch)?
        } else {
            let (mut states, order) = (machine.states_of_job(&given, &job), job.manifest().subject.symmetry_order);
            let found = kept_values(&mut *states, order, &mut job, &given, watch)?;
            if let ValuesFound::All(all) = &found {
                check_longest(&*machine, all, &job)?;
            }
            found.map(|WordState { word, player }| machine.state_of_word(&word, player))
        };
        let seconds = begun.elapsed().as_secs_f64();
        Ok(match found {
            ValuesFound::All(all) => ValuesFound::All(AllValues { seconds, ..all }),
            ValuesFound::Tiers(all) => ValuesFound::Tiers(TierValues { seconds, ..all }),
            stopped @ ValuesFound::Stopped(..) => stopped,
        })
    }

    /// Refuses values that cannot be kept in a folder, or not in this one. If the values are the depths of a count back
    /// from the goals, which the engine `from_goal` makes, returns this engine. But if the folder has a count in words
    /// from the start, and several goals would first have to be found, the values are kept beside the words.
    pub(super) fn check_kept_values(
        &self,
        from_goal: Option<Self>,
        options: &Options,
        distances: Option<bool>,
        folder: &JobFolder,
    ) -> Result<Option<Self>> {
        self.check_goal()?;
        if distances == Some(false) && self.rules().scoring.is_some() {
            return Err(Error::Options(
                "the values of a game with a score are points, which are kept in place of the moves to the end; keep \
                 the distances"
                    .to_owned(),
            ));
        }
        if options.grundy {
            return Err(Error::Options("Grundy numbers are not kept in a folder; leave the folder out".to_owned()));
        }
        if distances == Some(false) && self.window() != Window::Layered {
            return Err(Error::Options(
                "play may come back to a state of these rules, and then the numbers of moves alone tell the way to the \
                 end; keep the distances"
                    .to_owned(),
            ));
        }
        let mut from_goal = from_goal;
        if folder.has_job() {
            let Subject { backward, store, .. } = Manifest::of_folder(folder.folder())?.subject;
            let beside_words = !backward && store == Store::Sparse.name();
            from_goal = from_goal.filter(|engine| engine.to_goal.is_none() || !beside_words);
            self.check_values(from_goal.as_ref(), options, distances, folder)?;
        }
        Ok(from_goal)
    }

    /// Finds the values of all states of a job of the dense store that has all states, and keeps them tier by tier.
    fn kept_tiers(dense: &Dense, options: &Options, job: &mut Job, watch: Watch) -> Result<ValuesFound<State>> {
        if job.whole_values().is_err() {
            Self::check_tiers(dense, options, "what the job had is kept: resume it with more memory")?;
        }
        let found = in_pool(options, || dense.values(KeepsTiers::In(job), watch))??;
        Ok(found.map_or(ValuesFound::Stopped(Stop::Watch, 0), ValuesFound::Tiers))
    }

    /// Refuses values tier by tier if they take more memory than the options allow. `remedy` is part of the message.
    pub(super) fn check_tiers(dense: &Dense, options: &Options, remedy: &str) -> Result<()> {
        let (takes, leaves) = (dense.values_bytes(options).unwrap_or(0), Dense::most_bytes(options));
        if takes <= leaves {
            return Ok(());
        }
        let (takes, leaves) = (in_words(takes), in_words(leaves));
        Err(Error::Memory(format!("the values would take {takes}, and the limit leaves {leaves}; {remedy}")))
    }

    /// Refuses a job that cannot have values, or whose values are of another kind, such as values without distances. If
    /// the values are the depths of a count back from the goal, `from_goal` is the engine that makes this count.
    fn check_values(
        &self,
        from_goal: Option<&Self>,
        options: &Options,
        distances: Option<bool>,
        folder: &JobFolder,
    ) -> Result<()> {
        let manifest = Manifest::of_folder(folder.folder())?;
        let refused = |what: &str| Err(Error::Job(format!("the job in {} {what}", folder.folder().display())));
        let Subject { backward, store, symmetry, symmetry_order, .. } = &manifest.subject;
        let counted = from_goal.is_some();
        match from_goal {
            None if *backward => {
                return refused(
                    "counts back from the goal, and values need the states that play reaches; give another folder",
                );
            }
            Some(from_goal) if *backward != from_goal.counts_back() => {
                return refused(
                    "counts from the start, and the values of a puzzle whose moves can all be undone are a count back \
                     from the goal; give another folder, or one of enumerate --backward",
                );
            }
            _ => {}
        }
        if counted && manifest.subject.keeps_snapshot() {
            return refused("keeps the counts of its depths and no states; begin the values in another folder");
        }
        if store != Store::Sparse.name() && !counted {
            let placed = matches!(manifest.subject.cut, Some(Cut::Placement {}));
            if !placed || self.rules().player_count() != 2 {
                return refused(
                    "has its states as bits of the dense store, and values are kept beside words, or beside bits of \
                     games that only place marks, or are a count back from the goals; begin the values in another \
                     folder, or count with --store sparse",
                );
            }
            if distances == Some(true) {
                return refused("has its states as bits, which know no moves to the end; give another folder");
            }
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

    /// Refuses Grundy numbers for games that have none, and for games in which play may come back to a state.
    fn check_impartial(&self) -> Result<()> {
        let (rules, structure) = (self.rules(), self.structure());
        let moves_of = |player: usize| {
            let may = |given: &&Move| given.player.is_none_or(|mover| mover == player) && !given.when.never();
            let alike = |given: &Move| Move { name: String::new(), player: None, ..given.clone() };
            let moves: HashSet<Move> = rules.moves.iter().filter(may).map(alike).collect();
            moves
        };
        let start = self.start();
        let begins_at_end = (0..rules.moves.len()).all(|index| self.apply(&start, index).is_err());
        let once = begins_at_end
            || structure.window() == Window::Layered
            || structure.tiers().is_some_and(|tiers| (0..tiers.count()).all(|tier| !tiers.repeats(tier)));
        let lacks = if rules.player_count() != 2 {
            "the rules are no game of two players"
        } else if rules.scoring.is_some() || rules.stuck != Stuck::Loss || !rules.ends.is_empty() {
            "play ends otherwise than with a player who has no move and loses"
        } else if rules.turn.is_some() {
            "a move may keep the turn"
        } else if rules.forces_passes() || moves_of(0) != moves_of(1) {
            "the players have different moves"
        } else if !once {
            "it is not proved that play cannot come back to a state"
        } else {
            return Ok(());
        };
        Err(Error::Options(format!("there are no Grundy numbers to find: {lacks}; leave grundy out")))
    }

    fn check_goal(&self) -> Result<()> {
        if self.rules().player_count() == 1 && self.rules().goal.is_empty() {
            return Err(no_goal("no state has a distance to it"));
        }
        Ok(())
    }

    /// The perfect index, if the dense store is to find the values, tier by tier.
    fn tiers(&self, options: &Options) -> Result<Option<Dense>> {
        let forced = options.store == Store::Dense;
        if options.distances || options.store == Store::Sparse {
            let refused = "the dense store knows no moves to the end; ask for values without distances, or leave the \
                           store to the engine";
            return if forced { Err(Error::Options(refused.to_owned())) } else { Ok(None) };
        }
        let Some(index) =
            PlacementIndex::of_structure(&self.machine.indexed().structure).filter(|index| index.marks.len() == 2)
        else {
            let refused = "the dense store finds the values of games whose moves only put marks into empty cells; \
                           leave the store to the engine";
            return if forced { Err(Error::Options(refused.to_owned())) } else { Ok(None) };
        };
        if !forced && index.len() / self.structure().counted_by(options.symmetry).len() as u64 <= ONE_BY_ONE {
            return Ok(None);
        }
        let all = &Options { max_depth: None, ..*options };
        let Some(dense) = self.choose(all, None, false)?.dense else { return Ok(None) };
        let (takes, leaves) = (dense.values_bytes(options), Dense::most_bytes(options));
        if forced {
            Self::check_tiers(&dense, options, "give more memory")?;
        }
        let fits = takes.is_some_and(|takes| takes <= leaves);
        Ok((fits && (forced || Self::reaches_many(&dense, all)?)).then_some(dense))
    }

    /// `true` if play reaches too many states to find them one by one. On boards with lines of two, play ends so early
    /// that it reaches hardly any of the placements. So the dense store counts the states until there are too many.
    fn reaches_many(dense: &Dense, options: &Options) -> Result<bool> {
        let watch = |progress: &Progress| {
            if progress.states > ONE_BY_ONE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let report = in_pool(options, || dense.enumerate(options, None, None, &watch))??;
        Ok(report.stop.is_some() || report.states() > ONE_BY_ONE)
    }
}
