//! A state that was drawn at random, how it was drawn, and the list of states that it may be drawn from.

use super::state::State;
use crate::random::Random;
use crate::rules::Symbol;

/// The way in which a state was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Each state that play can reach was equally likely, except states that are solved or over.
    Uniform,
    /// Each state that play can reach and that can be solved was equally likely, except solved ones.
    Solvable,
    /// Each state that play can reach was equally likely, except states in which play is over. None of these states can
    /// be solved.
    Unsolvable,
    /// By random moves.
    Walk,
    /// By random moves, of which some cannot be undone. So it may be that the state cannot be solved.
    OneWay,
}

/// A random state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scramble {
    /// The state.
    pub state: State,
    /// The moves that the walk made, by their places in the rules, if the caller gave the number of moves; otherwise
    /// `None`.
    pub moves: Option<Vec<usize>>,
    /// The way in which the state was chosen.
    pub method: Method,
}

/// All states that a scramble may be, if play reaches few. An engine gathers them once, for its first scramble.
pub(super) struct Gathered {
    method: Method,
    /// The number of cells of a state; a cell more than in the rules if it says whose turn it is.
    cells: usize,
    /// The symbols of the first state's cells, then those of the second state's, and so on.
    symbols: Vec<Symbol>,
    /// The player to move in each state.
    players: Vec<usize>,
}

impl Gathered {
    pub(super) fn new(states: &[State], method: Method) -> Self {
        let cells = states.first().map_or(0, |state| state.cells.len());
        let mut symbols = Vec::with_capacity(states.len() * cells);
        for state in states {
            symbols.extend_from_slice(&state.cells);
        }
        Self { method, cells, symbols, players: states.iter().map(|state| state.player).collect() }
    }

    /// One of the states, each equally likely; `None` if there is none.
    pub(super) fn choose(&self, random: &mut Random) -> Option<Scramble> {
        if self.players.is_empty() {
            return None;
        }
        let place = random.below(self.players.len() as u64) as usize;
        let cells = self.symbols[place * self.cells..][..self.cells].to_vec();
        Some(Scramble { state: State { cells, player: self.players[place] }, moves: None, method: self.method })
    }
}
