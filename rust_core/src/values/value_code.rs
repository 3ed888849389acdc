//! The value of a state, readable and as a code of four bytes. A state that never gets a code is a draw.

use crate::run::Worth;

/// The result of perfect play for the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The player to move can win within this many moves.
    Win(u32),
    /// Nobody can force a win. If play cannot repeat itself, this is the most moves that it can take.
    Draw(Option<u32>),
    /// The other player can win. The player to move can put that off for this many moves.
    Loss(u32),
}

impl Value {
    /// The value of a state from which the only move leads to a state of this value.
    #[must_use]
    pub fn before(self) -> Self {
        match self {
            Self::Win(moves) => Self::Loss(moves + 1),
            Self::Draw(moves) => Self::Draw(moves.map(|moves| moves + 1)),
            Self::Loss(moves) => Self::Win(moves + 1),
        }
    }
}

impl From<Worth> for Value {
    /// The value of a state in which play is over, or whose moves to the end were not counted.
    fn from(worth: Worth) -> Self {
        ValueCode::decided(worth, 0).value()
    }
}

/// The knowledge about a state: nothing, that it is a draw, or the number of moves in which it is won or lost. In a
/// puzzle, states that can be solved are won, and the others are draws.
///
/// Nothing is 0, and a draw is 1. A win in `m` moves is `2 + 2 m`, and a loss `3 + 2 m`: so a win in 3 is 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ValueCode(pub u32);

impl ValueCode {
    /// Nothing is known.
    pub const NOTHING: Self = Self(0);
    /// A draw.
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

    /// The worth of the state. A state that is unknown after all has spread is a draw.
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

    /// The code without the number of moves: a win or a loss in 0.
    #[must_use]
    pub fn in_no_moves(self) -> Self {
        if self.0 < 2 { self } else { Self(2 + self.0 % 2) }
    }

    /// The value in its readable form.
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
    /// The beginning, without a successor. `alone` is `true` if there is one player.
    pub fn new(alone: bool) -> Self {
        Self { alone, soonest: None, latest: 0, draws: false }
    }

    /// Takes a successor's value into account.
    #[inline(always)]
    pub fn take(&mut self, after: ValueCode) {
        match after.worth() {
            Worth::Draw => self.draws = true,
            Worth::Win if !self.alone => self.latest = self.latest.max(after.moves()),
            _ => self.soonest = Some(self.soonest.map_or(after.moves(), |moves| moves.min(after.moves()))),
        }
    }

    /// The value of the state.
    #[inline(always)]
    pub fn code(self) -> ValueCode {
        match self.soonest {
            Some(moves) => ValueCode::decided(Worth::Win, moves + 1),
            None if self.draws || self.alone => ValueCode::DRAW,
            None => ValueCode::decided(Worth::Loss, self.latest + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_as_they_are_made() {
        for value in [Value::Win(0), Value::Loss(0), Value::Win(3), Value::Loss(700_000), Value::Draw(None)] {
            let code = match value {
                Value::Win(moves) => ValueCode::decided(Worth::Win, moves),
                Value::Loss(moves) => ValueCode::decided(Worth::Loss, moves),
                Value::Draw(_) => ValueCode::DRAW,
            };
            assert_eq!(code.value(), value);
        }
        assert_eq!(ValueCode(8).value(), Value::Win(3));
        assert_eq!((ValueCode(8).in_no_moves(), ValueCode(9).in_no_moves()), (ValueCode(2), ValueCode(3)));
    }
}
