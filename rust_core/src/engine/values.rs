//! The value of every state that play can reach.

use super::compiled::Engine;
use super::state::State;
use crate::error::{Error, Result};
use crate::run::{Options, Watch};
use crate::solve::ValuesFound;

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
        if self.rules().player_count() == 1 && self.rules().goal.is_empty() {
            return Err(Error::Options(
                "the rules have no goal, so no state has a distance to it; give them a goal".to_owned(),
            ));
        }
        self.machine.values(options, watch)
    }
}
