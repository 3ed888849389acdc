//! The value of outcomes for each player, and the earliest possible win or loss.

use super::score::{Score, WIN, score_of};
use crate::compile::{Compiled, Word};
use crate::rules::Stuck;

/// The values of outcomes.
#[derive(Debug)]
pub struct Outcomes {
    /// For each outcome, the player who wins.
    winners: Vec<Option<usize>>,
    /// The score of a player who has no move when it is their turn.
    pub stuck: Score,
    /// For each player, the highest score of a move after which play goes on.
    most: [Score; 2],
}

impl Outcomes {
    /// The outcomes of a game.
    pub fn new<W: Word>(compiled: &Compiled<W>) -> Self {
        let rules = &compiled.rules;
        let winner = |name: &String| rules.players.iter().position(|player| player == name);
        let winners: Vec<Option<usize>> = rules.outcomes.iter().map(winner).collect();
        let stuck = match rules.stuck {
            Stuck::Win => WIN,
            Stuck::Loss => -WIN,
            Stuck::Draw | Stuck::Puzzle => 0,
        };
        // After such a move, the other player has no move and has lost, or makes a move that completes a win of this
        // player, or this player has no move and has won; or else this player wins by a move of their own.
        let most = [0, 1].map(|player| {
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
        Self { winners, stuck, most }
    }

    /// The player who wins with an outcome, if it is a win.
    pub fn winner(&self, outcome: usize) -> Option<usize> {
        self.winners[outcome]
    }

    /// The value of an outcome for a player: 1 for a win, -1 for a loss, and 0 for neither.
    #[inline(always)]
    pub fn won(&self, outcome: usize, player: usize) -> Score {
        match self.winners[outcome] {
            Some(winner) if winner == player => 1,
            Some(_) => -1,
            None => 0,
        }
    }

    /// The lowest score of a move after which play goes on. Such a move loses at once only if the other player has no
    /// move and wins by that.
    #[inline(always)]
    pub fn least(&self) -> Score {
        score_of(-1, if self.stuck > 0 { 1 } else { 2 })
    }

    /// The highest score of a player's move after which play goes on.
    #[inline(always)]
    pub fn most(&self, player: usize) -> Score {
        self.most[player]
    }
}
