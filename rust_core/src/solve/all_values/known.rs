//! A value in four bytes.

use super::super::values::Value;
pub(super) use crate::run::Worth;

/// What is known of a state: nothing, that it is a draw, or after how many moves it is won or lost.
///
/// Nothing is 0, and a draw is 1. A win in `m` moves is `2 + 2 m`, and a loss `3 + 2 m`: so a win in 3 is 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Known(pub u32);

impl Known {
    pub const NOTHING: Self = Self(0);
    pub const DRAW: Self = Self(1);

    /// A win or a loss in a number of moves. There are fewer than 2^30, since each needs a state of its own.
    #[inline(always)]
    pub fn decided(worth: Worth, moves: u32) -> Self {
        match worth {
            Worth::Win => Self(2 + 2 * moves),
            Worth::Loss => Self(3 + 2 * moves),
            Worth::Draw => Self::DRAW,
        }
    }

    /// What the state is worth. What is not known when all has spread is a draw.
    #[inline(always)]
    pub fn worth(self) -> Worth {
        match self.0 {
            0 | 1 => Worth::Draw,
            code if code % 2 == 0 => Worth::Win,
            _ => Worth::Loss,
        }
    }

    /// The moves to the win or the loss; 0 for a draw.
    #[inline(always)]
    pub fn moves(self) -> u32 {
        self.0.saturating_sub(2) / 2
    }

    /// The same as others read it.
    pub fn value(self) -> Value {
        match self.worth() {
            Worth::Win => Value::Win(self.moves()),
            Worth::Draw => Value::Draw(None),
            Worth::Loss => Value::Loss(self.moves()),
        }
    }
}

/// The value of a state, from those of its successors, taken one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Best {
    alone: bool,
    /// The fewest moves to a successor's loss; in a puzzle, to the goal.
    soonest: Option<u32>,
    /// The most moves to a successor's win.
    latest: u32,
    draws: bool,
}

impl Best {
    /// Of no successor yet; `alone` says whether there is one player.
    pub fn new(alone: bool) -> Self {
        Self { alone, soonest: None, latest: 0, draws: false }
    }

    /// Takes a successor's value into account.
    #[inline(always)]
    pub fn take(&mut self, after: Known) {
        match after.worth() {
            Worth::Draw => self.draws = true,
            Worth::Win if !self.alone => self.latest = self.latest.max(after.moves()),
            _ => self.soonest = Some(self.soonest.map_or(after.moves(), |moves| moves.min(after.moves()))),
        }
    }

    /// The value of the state.
    #[inline(always)]
    pub fn known(self) -> Known {
        match self.soonest {
            Some(moves) => Known::decided(Worth::Win, moves + 1),
            None if self.draws || self.alone => Known::DRAW,
            None => Known::decided(Worth::Loss, self.latest + 1),
        }
    }
}
