//! The value of a state in two forms, readable and as a code of four bytes; and what is a draw: a state of which
//! nothing is known when all values have spread, because no player can force more.

use crate::graph::Graph;
use crate::run::{Final, Worth};

/// The value of a state: what perfect play brings to the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The player to move can win, and needs at most this many moves, counting those of both players.
    Win(u32),
    /// Neither player can force a win. The number is the most moves that drawn play can take; `None` if such play may
    /// never end, or if the number is not known.
    Draw(Option<u32>),
    /// The other player can win. The player to move can delay that for this many moves, counting those of both players.
    Loss(u32),
    /// With a score: the most points that the player to move can force, less those of the other player.
    Score(i32),
}

impl Value {
    /// The value of a state whose only successor has this value.
    #[must_use]
    pub fn before(self) -> Self {
        match self {
            Self::Win(moves) => Self::Loss(moves + 1),
            Self::Draw(moves) => Self::Draw(moves.map(|moves| moves + 1)),
            Self::Loss(moves) => Self::Win(moves + 1),
            Self::Score(points) => Self::Score(-points),
        }
    }

    /// The value of a state whose only move keeps the turn and leads to a state with this value.
    #[must_use]
    pub fn before_again(self) -> Self {
        match self {
            Self::Win(moves) => Self::Win(moves + 1),
            Self::Draw(moves) => Self::Draw(moves.map(|moves| moves + 1)),
            Self::Loss(moves) => Self::Loss(moves + 1),
            Self::Score(points) => Self::Score(points),
        }
    }
}

impl From<Final> for Value {
    /// The value of a state in which play is over.
    fn from(at: Final) -> Self {
        ValueCode::at_end(at).value_of(matches!(at, Final::Score(_)))
    }
}

impl From<Worth> for Value {
    /// The value of a state in which play is over, or of one whose number of moves to the end was not counted.
    fn from(worth: Worth) -> Self {
        ValueCode::decided(worth, 0).value()
    }
}

/// The knowledge about a state's value, as a number: nothing is known, it is a draw, or it is won or lost in a number
/// of moves. In a puzzle, a state that can be solved is won, and every other state is a draw.
///
/// The code of "nothing" is 0, and that of a draw 1. A win in `m` moves has the code `2 + 2 m`, and a loss `3 + 2 m`,
/// so a win in 3 moves is 8. With a score, points take the place of moves: 3 points ahead is 8, 3 points behind is 9,
/// and 0 points is 1, like a draw. If values are Grundy numbers, these take the place of moves: the number 3 is 8, and
/// the number 0, which means a loss, is 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ValueCode(pub u32);

impl ValueCode {
    /// The code for "nothing is known".
    pub const NOTHING: Self = Self(0);
    /// The code of a draw.
    pub const DRAW: Self = Self(1);

    /// A win or a loss in a number of moves. The number is less than 2^30, since each move needs a state of its own.
    #[inline(always)]
    pub fn decided(worth: Worth, moves: u32) -> Self {
        match worth {
            Worth::Win => Self(2 + 2 * moves),
            Worth::Loss => Self(3 + 2 * moves),
            Worth::Draw => Self::DRAW,
        }
    }

    /// The code of a number of points: those of the player to move, less those of the other player.
    #[inline(always)]
    pub fn scored(points: i32) -> Self {
        match points {
            0 => Self::DRAW,
            1.. => Self::decided(Worth::Win, points.unsigned_abs()),
            _ => Self::decided(Worth::Loss, points.unsigned_abs()),
        }
    }

    /// The code of a Grundy number. A state with the number 0 is lost, and every other state is won.
    #[inline(always)]
    pub fn grundy(number: u32) -> Self {
        Self::decided(if number == 0 { Worth::Loss } else { Worth::Win }, number)
    }

    /// The points that this code stands for, if the rules have a score.
    #[inline(always)]
    pub fn points(self) -> i32 {
        let points = self.moves().cast_signed();
        if self.worth() == Worth::Loss { -points } else { points }
    }

    /// The code of a state in which play is over.
    #[inline(always)]
    pub fn at_end(at: Final) -> Self {
        match at {
            Final::Worth(worth) => Self::decided(worth, 0),
            Final::Score(points) => Self::scored(points),
        }
    }

    /// Returns the worth of the state: won, lost or a draw. "Nothing is known" counts as a draw, which is right once
    /// all values have spread.
    #[inline(always)]
    pub fn worth(self) -> Worth {
        match self.0 {
            0 | 1 => Worth::Draw,
            code if code % 2 == 0 => Worth::Win,
            _ => Worth::Loss,
        }
    }

    /// The moves to the win or the loss; 0 for a draw. With a score, how many points one player is ahead.
    #[inline(always)]
    pub fn moves(self) -> u32 {
        self.0.saturating_sub(2) / 2
    }

    /// If `other` is `true`, the code of the same state as the other player sees it: a win becomes a loss, and a loss a
    /// win. If `false`, the code itself. The value of a state follows from the values of its successors for the
    /// opponent. A successor by a move that keeps the turn has a value for the same player, which must be changed to
    /// the opponent's.
    #[inline(always)]
    #[must_use]
    pub fn of_other(self, other: bool) -> Self {
        if other && self.0 >= 2 { Self(self.0 ^ 1) } else { self }
    }

    /// The same win, loss or draw, with 0 as its number of moves.
    #[must_use]
    pub fn in_no_moves(self) -> Self {
        if self.0 < 2 { self } else { Self(2 + self.0 % 2) }
    }

    /// The readable value. `scored` is `true` if the rules have a score.
    pub fn value_of(self, scored: bool) -> Value {
        if scored { Value::Score(self.points()) } else { self.value() }
    }

    /// The readable value, if the rules have no score.
    pub fn value(self) -> Value {
        match self.worth() {
            Worth::Win => Value::Win(self.moves()),
            Worth::Draw => Value::Draw(None),
            Worth::Loss => Value::Loss(self.moves()),
        }
    }
}

/// Finds the value of a state from the values of its successors, which are taken one by one.
#[derive(Debug, Clone)]
pub(super) struct Best {
    kind: ValuesOf,
    /// The fewest moves to the end from a successor that the opponent loses; in a puzzle, to the goal from a successor.
    /// `None` if no successor that was taken so far is lost for the opponent, or leads to the goal.
    soonest: Option<u32>,
    /// The most moves to the end from a successor that the opponent wins.
    latest: u32,
    draws: bool,
    /// With a score, the most points that a successor taken so far gives. `None` before the first successor.
    points: Option<i32>,
    /// The set of the Grundy numbers of the successors, as bits.
    numbers: Vec<u64>,
}

/// The rule by which the value of a state follows from its successors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValuesOf {
    Puzzle,
    Game,
    Scored,
    Grundy,
}

impl ValuesOf {
    /// The kind of values of rules with this number of players. `scored` is `true` if they have a score.
    pub fn new(players: usize, scored: bool) -> Self {
        match players {
            _ if scored => Self::Scored,
            1 => Self::Puzzle,
            _ => Self::Game,
        }
    }
}

impl Best {
    /// Begins with no successor. `graph` tells the kind of the rules. With `grundy`, values are Grundy numbers.
    pub fn new(graph: &dyn Graph, grundy: bool) -> Self {
        let of_rules = ValuesOf::new(graph.players(), graph.scored().is_some());
        let kind = if grundy { ValuesOf::Grundy } else { of_rules };
        Self { kind, soonest: None, latest: 0, draws: false, points: None, numbers: Vec::new() }
    }

    /// The same with no successor. It takes less than a clone.
    #[inline(always)]
    #[must_use]
    pub fn anew(&self) -> Self {
        Self { kind: self.kind, soonest: None, latest: 0, draws: false, points: None, numbers: Vec::new() }
    }

    /// Goes on where [`Self::code`] returned `code`, when only some successors were taken. Not for Grundy numbers.
    ///
    /// Take a state with two successors, one lost for the opponent in 2 moves and one in 4. After the second alone, the
    /// code is that of a win in 5. With it, the first one makes the state a win in 3, as both together do.
    #[inline(always)]
    #[must_use]
    pub fn with(&self, code: ValueCode) -> Self {
        let mut best = self.anew();
        match code.worth() {
            _ if self.kind == ValuesOf::Scored => {
                best.points = (code != ValueCode::NOTHING).then(|| code.points());
            }
            Worth::Win => best.soonest = Some(code.moves() - 1),
            Worth::Draw => best.draws = true,
            Worth::Loss => best.latest = code.moves() - 1,
        }
        best
    }

    /// Takes a successor's value into account.
    #[inline(always)]
    pub fn take(&mut self, after: ValueCode) {
        if self.kind == ValuesOf::Scored {
            let points = -after.points();
            self.points = Some(self.points.map_or(points, |most| most.max(points)));
            return;
        }
        if self.kind == ValuesOf::Grundy {
            let (place, bit) = (after.moves() as usize / 64, after.moves() % 64);
            if self.numbers.len() <= place {
                self.numbers.resize(place + 1, 0);
            }
            self.numbers[place] |= 1 << bit;
            return;
        }
        match after.worth() {
            Worth::Draw => self.draws = true,
            Worth::Win if self.kind == ValuesOf::Game => self.latest = self.latest.max(after.moves()),
            _ => self.soonest = Some(self.soonest.map_or(after.moves(), |moves| moves.min(after.moves()))),
        }
    }

    /// The value of the state, when all successors are taken.
    #[inline(always)]
    pub fn code(&self) -> ValueCode {
        match self.soonest {
            _ if self.kind == ValuesOf::Grundy => ValueCode::grundy(self.least_other()),
            _ if self.kind == ValuesOf::Scored => self.points.map_or(ValueCode::NOTHING, ValueCode::scored),
            Some(moves) => ValueCode::decided(Worth::Win, moves + 1),
            None if self.draws || self.kind == ValuesOf::Puzzle => ValueCode::DRAW,
            None => ValueCode::decided(Worth::Loss, self.latest + 1),
        }
    }

    /// The smallest number that is not the Grundy number of a successor (mex).
    fn least_other(&self) -> u32 {
        let place = self.numbers.iter().position(|&bits| bits != u64::MAX).unwrap_or(self.numbers.len());
        place as u32 * 64 + self.numbers.get(place).map_or(0, |bits| bits.trailing_ones())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn successors_may_be_taken_in_two_parts(
            one in prop::collection::vec(0u32..12, 0..5),
            other in prop::collection::vec(0u32..12, 0..5),
            kind in 0usize..3,
        ) {
            let kind = [ValuesOf::Puzzle, ValuesOf::Game, ValuesOf::Scored][kind];
            let none =
                Best { kind, soonest: None, latest: 0, draws: false, points: None, numbers: Vec::new() };
            let mut best = none.anew();
            for &code in &one {
                best.take(ValueCode(code));
            }
            let mut on = none.with(best.code());
            for &code in &other {
                best.take(ValueCode(code));
                on.take(ValueCode(code));
            }
            prop_assert_eq!(on.code(), best.code());
        }
    }

    #[test]
    fn codes_are_read_as_they_are_made() {
        for value in [Value::Win(0), Value::Loss(0), Value::Win(3), Value::Loss(700_000), Value::Draw(None)] {
            let code = match value {
                Value::Win(moves) => ValueCode::decided(Worth::Win, moves),
                Value::Loss(moves) => ValueCode::decided(Worth::Loss, moves),
                Value::Draw(_) | Value::Score(_) => ValueCode::DRAW,
            };
            assert_eq!(code.value(), value);
        }
        for points in [-(1 << 24), -1, 0, 1, 1 << 24] {
            let code = ValueCode::scored(points);
            let worth = [Worth::Loss, Worth::Draw, Worth::Win][(points.signum() + 1) as usize];
            assert_eq!((code.value_of(true), code.points(), code.worth()), (Value::Score(points), points, worth));
        }
        assert_eq!(ValueCode(8).value(), Value::Win(3));
        assert_eq!((ValueCode(8).in_no_moves(), ValueCode(9).in_no_moves()), (ValueCode(2), ValueCode(3)));
    }
}
