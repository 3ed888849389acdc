//! The value of a state (win, draw, loss, or a score), and the number of states with each value.
//!
//! `docs/values.md` explains values to users.

use serde::{Deserialize, Serialize};

use crate::rules::Rules;

/// The value of a state for the player to move.
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
    /// The value of an outcome of a game for the player to move: an outcome that is no player's win is a draw.
    pub fn of(rules: &Rules, outcome: usize, player: usize) -> Self {
        match rules.players.iter().position(|other| *other == rules.outcomes[outcome]) {
            Some(winner) if winner == player => Self::Win,
            Some(_) => Self::Loss,
            None => Self::Draw,
        }
    }
}

/// The value of a state in which play is over, for the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Final {
    /// In a game without a score.
    Worth(Worth),
    /// In a game with a score: the points of the player to move, less those of the other.
    Score(i32),
}

impl From<Worth> for Final {
    fn from(worth: Worth) -> Self {
        Self::Worth(worth)
    }
}

impl Final {
    /// The value of a state in which the first player has these points.
    pub fn of_score(points: i32, player: usize) -> Self {
        Self::Score(of_mover(points, player))
    }
}

/// Points of the first player as points of the player to move, and the other way round.
#[inline(always)]
pub fn of_mover(points: i32, player: usize) -> i32 {
    if player == 0 { points } else { -points }
}

/// Marks a game with a score: its values are numbers of points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scored {
    /// The points of the first player for play that never ends, if the rules say them.
    pub endless: Option<i32>,
}

/// A number of states, counted in two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// The number of orbits.
    pub states: u64,
    /// The number of states, with symmetric ones counted apart.
    pub raw_states: u64,
}

/// For one number of moves, the states that are won and lost in that many moves, up to symmetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistanceCount {
    /// The number of states in which the player to move wins in that number of moves.
    pub win: u64,
    /// The number of states in which the player to move can put off the loss for that number of moves.
    pub loss: u64,
}

/// The values of the states of one depth, for the player to move there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DepthValues {
    /// The states that are won; in a puzzle, those that can be solved.
    pub win: Tally,
    /// The states that are draws; in a puzzle, those that cannot be solved.
    pub draw: Tally,
    /// The states that are lost.
    pub loss: Tally,
}

impl Tally {
    /// Adds another count.
    pub fn add(&mut self, other: Self) {
        self.states += other.states;
        self.raw_states += other.raw_states;
    }
}

impl DepthValues {
    /// Adds the counts of other states of the depth.
    pub fn add(&mut self, other: &Self) {
        self.win.add(other.win);
        self.draw.add(other.draw);
        self.loss.add(other.loss);
    }

    /// The number of states, whatever their values.
    pub fn all(&self) -> Tally {
        let mut sum = self.win;
        sum.add(self.draw);
        sum.add(self.loss);
        sum
    }
}

/// The values of all states, tier by tier, for rules in which a state can appear in only one depth. They come without
/// the number of moves to the end.
#[derive(Debug, Clone, PartialEq)]
pub struct TierValues {
    /// The values in each depth, by the number of moves from the start.
    pub depths: Vec<DepthValues>,
    /// The number of symmetries up to which states were counted.
    pub symmetry_order: usize,
    /// The number of successors of all states.
    pub generated: u64,
    /// The seconds that the search took.
    pub seconds: f64,
}

impl TierValues {
    /// The value of the start, the only state of its depth.
    pub fn start(&self) -> Worth {
        match self.depths.first() {
            Some(DepthValues { win: Tally { states: 1, .. }, .. }) => Worth::Win,
            Some(DepthValues { loss: Tally { states: 1, .. }, .. }) => Worth::Loss,
            _ => Worth::Draw,
        }
    }
}
