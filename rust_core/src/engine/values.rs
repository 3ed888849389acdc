//! The value of every state that play can reach.

use std::ops::ControlFlow;

use super::compiled::Engine;
use super::state::State;
use crate::dense::Dense;
use crate::error::{Error, Result};
use crate::index::{Index, PlacementIndex};
use crate::memory::in_words;
use crate::run::{Options, Progress, Stop, Store, Watch, in_pool};
use crate::solve::ValuesFound;

/// If no more states can be reached than these, up to symmetry, they are found one by one, with the moves to the end.
/// That takes a second or two, and half a gigabyte.
const ONE_BY_ONE: u64 = 4_000_000;

impl Engine {
    /// Finds all states that play can reach, and the value of each: for a game, who wins if both play perfectly, and in
    /// how many moves; for a puzzle, the fewest moves to the goal, or that no moves lead there. Outcomes that are no
    /// player's win count as draws, and so does play that never ends. All states are held in memory, unless the dense
    /// store finds the values, without the moves: see [`Options::distances`].
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
        if self.rules().player_count() == 1 && self.rules().goal.is_empty() {
            return Err(Error::Options(
                "the rules have no goal, so no state has a distance to it; give them a goal".to_owned(),
            ));
        }
        if let Some(dense) = self.tiers(options)? {
            let found = in_pool(options, || dense.values(self.rules(), watch))??;
            return Ok(found.map_or(ValuesFound::Stopped(Stop::Watch, 0), ValuesFound::Tiers));
        }
        self.machine.values(options, watch)
    }

    /// The perfect index, if the values are to be found tier by tier.
    fn tiers(&self, options: &Options) -> Result<Option<Dense>> {
        let forced = options.store == Store::Dense;
        if options.distances || options.store == Store::Sparse {
            let refused = "the dense store knows no moves to the end; ask for values without distances, or leave the \
                           store to the engine";
            return if forced { Err(Error::Options(refused.to_owned())) } else { Ok(None) };
        }
        let Some(index) = PlacementIndex::of_structure(&self.structure).filter(|index| index.marks.len() == 2) else {
            let refused = "the dense store finds the values of games whose moves only put marks into empty cells; leave \
                           the store to the engine";
            return if forced { Err(Error::Options(refused.to_owned())) } else { Ok(None) };
        };
        if !forced && index.len() / self.symmetries(options).len() as u64 <= ONE_BY_ONE {
            return Ok(None);
        }
        let all = &Options { max_depth: None, ..*options };
        let Some(dense) = self.choose(all, None, false)?.dense else { return Ok(None) };
        let (takes, leaves) = (dense.values_bytes(options), Dense::most_bytes(options));
        if takes.is_some_and(|takes| takes > leaves) && forced {
            let (takes, leaves) = (in_words(takes.unwrap_or(0)), in_words(leaves));
            return Err(Error::Memory(format!(
                "the values would take {takes}, and the limit leaves {leaves}; give more memory"
            )));
        }
        let fits = takes.is_some_and(|takes| takes <= leaves);
        Ok((fits && (forced || self.reaches_many(&dense, all)?)).then_some(dense))
    }

    /// Whether play reaches so many states that they should not be found one by one. Lines of two end play so early that
    /// hardly any of the placements of a board are reached. A count that goes no further than it must tells that.
    fn reaches_many(&self, dense: &Dense, options: &Options) -> Result<bool> {
        let watch = |progress: &Progress| {
            if progress.states > ONE_BY_ONE { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let report = in_pool(options, || dense.enumerate(self.rules(), options, None, &watch))??;
        Ok(report.stop.is_some() || report.states() > ONE_BY_ONE)
    }
}
