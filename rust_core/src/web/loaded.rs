//! A puzzle that the page has loaded: its engine, the text of its states, and the names of its moves.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::problem::{Answer, Problem};
use super::request::Request;
use crate::engine::{Engine, State};
use crate::rules::{Notation, RulesData};

/// The memory of a search, in bytes, if the page does not say.
const MEMORY: u64 = 1 << 30;

/// A puzzle that the page has loaded.
pub struct Loaded {
    /// The compiled rules.
    pub engine: Engine,
    /// The puzzle's text id, which is a part of the seed of each scramble.
    pub puzzle: String,
    /// The bytes of memory that a search may take.
    pub memory: u64,
    /// The outcomes that reports name even if no state has them.
    pub outcomes: Vec<String>,
    notation: Notation,
    /// The characters that may stand for holes of the board.
    hole_marks: HashSet<char>,
    holes: usize,
}

impl Loaded {
    /// Compiles the rules of a request.
    ///
    /// # Errors
    ///
    /// `RulesError` if the rules make no sense; `UsageError` if a field makes no sense.
    pub fn new(request: &mut Request) -> Answer<Self> {
        let given = request.take("rules");
        let rules = match &given {
            Some(Value::String(text)) => RulesData::from_json(text)?,
            Some(rules) => RulesData::from_json(&rules.to_string())?,
            None => return Err(Problem::usage("the request has no rules; give those of the puzzle")),
        };
        let lengths = request.get("rows").and_then(Value::as_array).into_iter().flatten();
        let rows: Vec<usize> = lengths.filter_map(|row| Some(row.as_u64()?.min(1 << 20) as usize)).collect();
        let puzzle = request.text("puzzle")?.unwrap_or_default().to_owned();
        let memory = request.number("memory", 0, i64::MAX as u64)?.unwrap_or(MEMORY);
        let outcomes = request.texts("outcomes")?.into_iter().map(str::to_owned).collect();
        let mut hole_marks: HashSet<char> = request.text("hole_marks")?.unwrap_or_default().chars().collect();
        let holes = request.number("holes", 0, 1 << 20)?.unwrap_or(0) as usize;
        let engine = Engine::new(&rules)?;
        for c in engine.rules().written_symbols().iter().flat_map(|symbol| symbol.chars()).chain(" /,:".chars()) {
            hole_marks.remove(&c);
        }
        let notation = Notation::new(engine.rules(), &rows);
        Ok(Self { engine, puzzle, memory, outcomes, notation, hole_marks, holes })
    }

    /// Returns `true` if there are two players.
    pub fn is_game(&self) -> bool {
        self.engine.rules().player_count() == 2
    }

    /// The text of a state.
    pub fn write(&self, state: &State) -> String {
        let mut text = String::new();
        self.notation.write(&state.cells, state.player, &mut text);
        text
    }

    /// Reads the text of a state. Characters that stand for holes of the board are skipped.
    ///
    /// # Errors
    ///
    /// `StateError` if the text is no state.
    pub fn read(&self, text: &str) -> Answer<State> {
        let bare = self.without_holes(text);
        let (cells, player) = self.notation.read(bare.as_deref().unwrap_or(text))?;
        let player = player.unwrap_or_else(|| self.engine.turn(&cells));
        Ok(State { cells, player })
    }

    /// The state in the field `state` of a request; the start if the field is left out.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::read`].
    pub fn state_of(&self, request: &Request) -> Answer<State> {
        match request.get("state") {
            None => Ok(self.engine.start()),
            Some(Value::String(text)) => self.read(text),
            Some(other) => Err(self.no_text(other)),
        }
    }

    /// The error for a state that is not given as a text.
    pub fn no_text(&self, value: &Value) -> Problem {
        let example = self.write(&State { cells: vec![0; self.engine.rules().board()], player: 0 });
        let shown = super::request::shown(value);
        Problem::new("StateError", format!("a state is a text, not {shown}; give one like {example}"))
    }

    /// A text without the characters that stand for holes; `None` if it has no such characters, or more than the board
    /// has holes.
    fn without_holes(&self, text: &str) -> Option<String> {
        if self.holes == 0 || self.hole_marks.is_empty() {
            return None;
        }
        let (board, mover) = match text.find(':') {
            Some(at) if self.is_game() => text.split_at(at),
            _ => (text, ""),
        };
        let marks = board.chars().filter(|c| self.hole_marks.contains(c)).count();
        let bare = board.chars().filter(|c| !self.hole_marks.contains(c)).chain(mover.chars());
        (1..=self.holes).contains(&marks).then(|| bare.collect())
    }

    /// The name of a move.
    pub fn name(&self, index: usize) -> &str {
        &self.engine.rules().moves[index].name
    }

    /// The names of moves.
    pub fn names(&self, moves: &[usize]) -> Vec<&str> {
        moves.iter().map(|&index| self.name(index)).collect()
    }

    /// The name of the outcome with which play is over in a state; `None` if play goes on.
    pub fn outcome(&self, state: &State) -> Answer<Option<&str>> {
        Ok(self.engine.outcome(state)?.map(|place| self.engine.rules().outcomes[place].as_str()))
    }

    /// The facts about the puzzle that the page asks for first.
    pub fn to_data(&self) -> Value {
        let (rules, structure) = (self.engine.rules(), self.engine.structure());
        let toggles = structure.dials().filter(|dials| dials.are_toggles());
        json!({
            "puzzle": self.puzzle,
            "game": self.is_game(),
            "players": if self.is_game() { rules.players.clone() } else { Vec::new() },
            "start": self.write(&self.engine.start()),
            "has_goal": !rules.goal.is_empty(),
            "goal": self.only_goal(),
            "scored": rules.scoring.is_some(),
            "cells": rules.board(),
            "symbols": rules.written_symbols(),
            "moves": rules.moves.iter().map(|each| each.name.as_str()).collect::<Vec<_>>(),
            "outcomes": rules.outcomes,
            "symmetry_order": structure.symmetries().len(),
            "word_bits": self.engine.word_bits(),
            "window": self.engine.window().name(),
            "fingerprint": self.engine.fingerprint(),
            "toggles": toggles.map(|toggles| json!([toggles.rank(), toggles.nullity()])),
            "version": env!("CARGO_PKG_VERSION"),
        })
    }

    /// The goal of a puzzle, if it is a single state; otherwise `None`.
    fn only_goal(&self) -> Option<String> {
        let rules = self.engine.rules();
        let [goal] = &rules.goal[..] else { return None };
        let cells = goal.single_state(rules.board(), rules.symbols.len()).filter(|_| !self.is_game())?;
        Some(self.write(&State { cells, player: 0 }))
    }
}
