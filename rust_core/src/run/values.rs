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
    /// The value of an outcome for `player`, in a game. An outcome that is no player's win is a draw.
    pub fn of(rules: &Rules, outcome: usize, player: usize) -> Self {
        match rules.players.iter().position(|other| *other == rules.outcomes[outcome]) {
            Some(winner) if winner == player => Self::Win,
            Some(_) => Self::Loss,
            None => Self::Draw,
        }
    }
}

/// The value, for the player to move, of a state in which play is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Final {
    /// The value in a game without a score.
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
    /// The value for `player`, if the first player has this number of points.
    pub fn of_score(points: i32, player: usize) -> Self {
        Self::Score(of_mover(points, player))
    }
}

/// Turns points of the first player into points of `player`, and back: for the second player, it changes the sign.
#[inline(always)]
pub fn of_mover(points: i32, player: usize) -> i32 {
    if player == 0 { points } else { -points }
}

/// In a game with a score, values are numbers of points. This has what the rules say about them beside the points
/// themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scored {
    /// The points of the first player if play never ends; `None` if the rules do not define them.
    pub endless: Option<i32>,
}

/// A number of states, counted in two ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// The number of orbits.
    pub states: u64,
    /// The number of states, in which all images of a state are counted.
    pub raw_states: u64,
}

/// The numbers of states, up to symmetry, that are won and lost in one number of moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DistanceCount {
    /// The number of states in which the player to move wins in that number of moves.
    pub win: u64,
    /// The number of states in which the player to move can put off the loss for that number of moves.
    pub loss: u64,
}

/// The numbers of states of one depth that are won, drawn and lost for the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DepthValues {
    /// The number of states that are won; in a puzzle, of those that can be solved.
    pub win: Tally,
    /// The number of states that are draws; in a puzzle, of those that cannot be solved.
    pub draw: Tally,
    /// The number of states that are lost.
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

/// The values of all states, for rules in which the cells of a state determine its depth. The number of moves to the
/// end is not among them.
#[derive(Debug, Clone, PartialEq)]
pub struct TierValues {
    /// For each depth, a number of moves from the start, how many of its states have each value.
    pub depths: Vec<DepthValues>,
    /// The number of symmetries up to which states were counted.
    pub symmetry_order: usize,
    /// The number of successors that were generated.
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
