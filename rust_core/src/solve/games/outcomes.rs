//! The worth of each outcome to each player, and how early a game can be won or lost.

use super::score::{Score, WIN, score_of};
use crate::compile::{Compiled, Word};
use crate::rules::Stuck;

/// The player who wins with each outcome, and the scores that follow from it for positions in which play goes on.
#[derive(Debug)]
pub struct Outcomes {
    /// For each outcome, the player who wins; `None` if it is no player's win.
    winners: Vec<Option<usize>>,
    /// The score of a position for the player to move, if that player has no move.
    pub stuck: Score,
    /// For each player, the highest score that a move can have if play goes on after it.
    most: [Score; 2],
    /// `true` if a move may keep the turn.
    keeps_turns: bool,
}

impl Outcomes {
    /// Finds the winners and bounds for a game.
    pub fn new<W: Word>(compiled: &Compiled<W>) -> Self {
        let rules = &compiled.rules;
        let winner = |name: &String| rules.players.iter().position(|player| player == name);
        let winners: Vec<Option<usize>> = rules.outcomes.iter().map(winner).collect();
        let stuck = match rules.stuck {
            Stuck::Win => WIN,
            Stuck::Loss => -WIN,
            Stuck::Draw | Stuck::Puzzle => 0,
        };
        // The highest score is the earliest possible win. Play goes on after the move, so the win takes 1 move only if
        // the other player then has no move, and loses by that. The win takes 2 moves if the other player makes a move
        // that completes a win of this player, or if this player has no move afterwards and wins by that. Otherwise
        // this player must make another move, so the win takes 3. If a move may keep the turn, the player may also have
        // no move after it, or win by a second move.
        let keeps_turns = rules.turn.is_some();
        let most = [0, 1].map(|player| {
            if keeps_turns {
                return score_of(1, if stuck == 0 { 2 } else { 1 });
            }
            let mut ends = compiled.steps[1 - player].list.iter().flat_map(|step| &step.ends);
            let given = ends.any(|&end| winners[rules.ends[end].outcome] == Some(player));
            score_of(
                1,
                if stuck < 0 {
                    1
                } else if stuck > 0 || given {
                    2
                } else {
                    3
                },
            )
        });
        Self { winners, stuck, most, keeps_turns }
    }

    /// The player who wins with an outcome, if it is a win; otherwise `None`.
    pub fn winner(&self, outcome: usize) -> Option<usize> {
        self.winners[outcome]
    }

    /// The worth of an outcome to a player: 1 for a win, -1 for a loss, and 0 otherwise.
    #[inline(always)]
    pub fn won(&self, outcome: usize, player: usize) -> Score {
        match self.winners[outcome] {
            Some(winner) if winner == player => 1,
            Some(_) => -1,
            None => 0,
        }
    }

    /// The lowest score that a move can have if play goes on after it: the earliest possible loss. The loss takes 1
    /// move only if the other player then has no move and wins by that; or, if moves may keep the turn, if this player
    /// then has no move and loses by that. Otherwise the loss takes at least 2.
    #[inline(always)]
    pub fn least(&self) -> Score {
        score_of(-1, if self.stuck > 0 || (self.keeps_turns && self.stuck < 0) { 1 } else { 2 })
    }

    /// The highest score that a move of a player can have if play goes on after it.
    #[inline(always)]
    pub fn most(&self, player: usize) -> Score {
        self.most[player]
    }
}
