//! What states are worth, and how many have each value.

use serde::{Deserialize, Serialize};

use crate::rules::Rules;

/// What a state is worth to the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// The player to move wins; in a puzzle, the state can be solved.
    Win,
    /// Nobody wins; in a puzzle, the state cannot be solved.
    Draw,
    /// The other player wins.
    Loss,
}

impl Worth {
    /// What the outcome of a game is worth to the player to move: an outcome that is no player's win is a draw.
    pub fn of(rules: &Rules, outcome: usize, player: usize) -> Self {
        match rules.players.iter().position(|other| *other == rules.outcomes[outcome]) {
            Some(winner) if winner == player => Self::Win,
            Some(_) => Self::Loss,
            None => Self::Draw,
        }
    }
}

/// A number of states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Up to symmetry.
    pub states: u64,
    /// With symmetric ones counted apart.
    pub raw_states: u64,
}

/// How many states are won and lost in one number of moves, up to symmetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistanceCount {
    /// States in which the player to move wins in this number of moves.
    pub win: u64,
    /// States in which the player to move can put off the loss for this number of moves.
    pub loss: u64,
}

/// The values of the states of one depth, for the player to move there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DepthValues {
    /// How many states are won; in a puzzle, can be solved.
    pub win: Tally,
    /// How many are draws; in a puzzle, cannot be solved.
    pub draw: Tally,
    /// How many are lost.
    pub loss: Tally,
}

impl Tally {
    /// Adds other states.
    pub fn add(&mut self, other: Self) {
        self.states += other.states;
        self.raw_states += other.raw_states;
    }
}

impl DepthValues {
    /// Adds other states of the depth.
    pub fn add(&mut self, other: &Self) {
        self.win.add(other.win);
        self.draw.add(other.draw);
        self.loss.add(other.loss);
    }

    /// How many states there are, whatever they are worth.
    pub fn all(&self) -> Tally {
        let mut sum = self.win;
        sum.add(self.draw);
        sum.add(self.loss);
        sum
    }
}

/// The values of all states of rules in which no state of a depth is met again, found tier by tier. Nobody counted the
/// moves to the end.
#[derive(Debug, Clone, PartialEq)]
pub struct TierValues {
    /// By the number of moves from the start.
    pub depths: Vec<DepthValues>,
    /// How many symmetries states were counted by.
    pub symmetry_order: usize,
    /// How many successors all states have.
    pub generated: u64,
    /// Seconds that it took.
    pub seconds: f64,
}

impl TierValues {
    /// What the start is worth, the only state of its depth.
    pub fn start(&self) -> Worth {
        match self.depths.first() {
            Some(DepthValues { win: Tally { states: 1, .. }, .. }) => Worth::Win,
            Some(DepthValues { loss: Tally { states: 1, .. }, .. }) => Worth::Loss,
            _ => Worth::Draw,
        }
    }
}
