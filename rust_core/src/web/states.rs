//! Verbs about single states: their moves, the states after moves, and random states.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::loaded::Loaded;
use super::problem::{Answer, Problem};
use super::request::Request;
use crate::Method;
use crate::engine::State;

/// The most moves of a scramble.
const MOST_MOVES: u64 = 1_000_000;

impl Loaded {
    /// The verb `read`: a state as text and as the symbols of its cells.
    pub fn read_state(&self, request: &Request) -> Answer {
        let state = self.state_of(request)?;
        Ok(json!({"state": self.write(&state), "cells": self.symbols_of(&state)}))
    }

    /// The symbol of each cell.
    pub fn symbols_of(&self, state: &State) -> Vec<&str> {
        let symbols = &self.engine.rules().symbols;
        state.cells.iter().map(|&cell| symbols[cell as usize].as_str()).collect()
    }

    /// The verb `legal`: whose turn it is in a state, the moves that can be made, and whether play is over.
    pub fn legal(&self, request: &Request) -> Answer {
        let state = self.state_of(request)?;
        let outcome = self.outcome(&state)?;
        let solved = self.engine.solved(&state)?;
        let why = if solved && !self.is_game() { Some("solved") } else { outcome };
        let player = self.is_game() && why.is_none();
        Ok(json!({
            "state": self.write(&state),
            "moves": self.names(&self.engine.moves(&state)?),
            "player": player.then(|| self.engine.rules().players[state.player].as_str()),
            "solved": solved,
            "outcome": outcome,
            "over": why.is_some(),
            "why": why,
        }))
    }

    /// The verb `apply`: the states after one move of a list, after two moves, and so on.
    pub fn apply(&self, request: &Request) -> Answer {
        let (mut state, mut states) = (self.state_of(request)?, Vec::new());
        for name in request.texts("moves")? {
            let index = self.index(&state, name)?;
            state = self.engine.apply(&state, index)?;
            states.push(self.write(&state));
        }
        Ok(json!({"states": states}))
    }

    /// The place in the rules of a move that can be made in a state.
    ///
    /// # Errors
    ///
    /// `MoveError` if there is no such move. Its message lists the moves that can be made.
    pub fn index(&self, state: &State, name: &str) -> Answer<usize> {
        let legal = self.engine.moves(state)?;
        if let Some(&index) = legal.iter().find(|&&index| self.name(index) == name) {
            return Ok(index);
        }
        let text = self.write(state);
        if legal.is_empty() {
            let over = format!("the move \"{name}\" cannot be made in {text}, where play is over");
            return Err(Problem::new("MoveError", over));
        }
        let mut seen = BTreeSet::new();
        let mut known = self.names(&legal);
        known.retain(|&name| seen.insert(name));
        let known = known.join(", ");
        Err(Problem::new("MoveError", format!("the move \"{name}\" cannot be made in {text}; the moves are {known}")))
    }

    /// The verb `after`: all moves of a state, each with the state after it.
    pub fn after(&self, request: &Request) -> Answer {
        let state = self.state_of(request)?;
        let all = self.engine.expand(&state)?;
        let told = |(index, after): &(usize, State)| json!({"move": self.name(*index), "state": self.write(after)});
        Ok(json!({"state": self.write(&state), "after": all.iter().map(told).collect::<Vec<Value>>()}))
    }

    /// The verb `scramble`: the random state that `Puzzle.scramble` gives for the same seed.
    pub fn scramble(&self, request: &Request) -> Answer {
        let moves = request.number("moves", 1, MOST_MOVES)?.map(|moves| moves as usize);
        let seed = request.text("seed")?.ok_or_else(|| Problem::usage("the request has no seed; give a text"))?;
        let found = self.engine.scramble(&format!("{}/{seed}", self.puzzle), moves)?;
        let method = match found.method {
            Method::Uniform => "each reachable state equally likely",
            Method::Solvable => "each reachable state that can be solved equally likely",
            Method::Unsolvable => "each reachable state equally likely, none of which can be solved",
            Method::Walk => "random moves",
            Method::OneWay => "random moves, not all of which can be undone: perhaps it cannot be solved",
        };
        Ok(json!({
            "state": self.write(&found.state),
            "cells": self.symbols_of(&found.state),
            "seed": seed,
            "moves": found.moves.map(|moves| self.names(&moves).into_iter().map(str::to_owned).collect::<Vec<_>>()),
            "method": method,
        }))
    }

    /// The verb `canonical`: the canonical form of a state, which is the smallest of its images under the symmetries.
    pub fn canonical(&self, request: &Request) -> Answer {
        let state = self.state_of(request)?;
        Ok(json!({"state": self.write(&self.engine.canonical(&state)?)}))
    }

    /// The verb `random`: a random number for each bound in a list, from 0 to the bound less one. `puzzlekit.Random`
    /// gives the same numbers for the same seed.
    pub fn random(request: &Request) -> Answer {
        let seed = request.text("seed")?.ok_or_else(|| Problem::usage("the request has no seed; give a text"))?;
        let mut random = crate::random::Random::new(seed);
        let given = request.get("bounds").and_then(Value::as_array).cloned().unwrap_or_default();
        let none = || Problem::usage("no number is below 0; give a bound of at least 1");
        let below = |bound: &Value| {
            let bound = bound.as_u64().filter(|&bound| bound > 0).ok_or_else(none)?;
            Ok(random.below(bound).to_string().parse::<Value>().unwrap_or(Value::Null))
        };
        let numbers = given.iter().map(below).collect::<Answer<Vec<Value>>>()?;
        Ok(json!({"numbers": numbers}))
    }
}
