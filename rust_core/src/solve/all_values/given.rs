//! What is searched, and the values of the states in which play is over.

use std::time::Instant;

use super::known::{Known, Worth};
use crate::compile::{Compiled, Images, Word};
use crate::run::{Progress, Watch};

/// How many states a thread handles between two looks at the watch.
pub(super) const AT_ONCE: usize = 1 << 12;

/// What is searched, within what limits.
pub(super) struct Given<'a, W> {
    pub compiled: &'a Compiled<W>,
    pub images: &'a Images<W>,
    pub watch: Watch<'a>,
    pub begun: Instant,
    /// The bytes that may be taken beside the states.
    pub room: u64,
}

impl<W: Word> Given<'_, W> {
    /// How many players there are.
    pub fn players(&self) -> usize {
        self.compiled.rules.player_count()
    }

    /// The value of a state in which play is over by an end or at the goal; `None` if it is not.
    #[inline(always)]
    pub fn over(&self, word: W, player: usize) -> Option<Known> {
        if self.players() == 1 {
            if self.compiled.solved(word) {
                return Some(Known::decided(Worth::Win, 0));
            }
            return self.compiled.ended(word, player).map(|_| Known::DRAW);
        }
        self.compiled.ended(word, player).map(|outcome| self.worth(outcome, player))
    }

    /// The value of a state without a move.
    pub fn stuck(&self, player: usize) -> Known {
        if self.players() == 1 {
            Known::DRAW
        } else {
            self.worth(self.compiled.rules.stuck_outcome(player, false), player)
        }
    }

    /// What an outcome is worth to the player to move.
    fn worth(&self, outcome: usize, player: usize) -> Known {
        Known::decided(Worth::of(&self.compiled.rules, outcome, player), 0)
    }

    /// What is told while values spread.
    pub fn progress(&self, depth: u64, frontier: u64, states: u64) -> Progress {
        Progress { depth, frontier, expanded: 0, states, store_bytes: self.room, seconds: 0.0 }
    }
}
