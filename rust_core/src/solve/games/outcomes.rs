//! What outcomes are worth to each player, and how soon a game can be won or lost.

use super::score::{Score, WIN, score_of};
use crate::compile::{Compiled, Word};
use crate::rules::Stuck;

/// What outcomes are worth.
#[derive(Debug)]
pub struct Outcomes {
    /// For each outcome, the player who wins.
    winners: Vec<Option<usize>>,
    /// What it is worth to be to move and have none.
    pub stuck: Score,
    /// For each player, the most that a move is worth after which play goes on.
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

    /// Whether a player wins with an outcome (1), loses (-1), or neither (0).
    #[inline(always)]
    pub fn won(&self, outcome: usize, player: usize) -> Score {
        match self.winners[outcome] {
            Some(winner) if winner == player => 1,
            Some(_) => -1,
            None => 0,
        }
    }

    /// The least that a move is worth after which play goes on: it is lost at once only if the other player has no move
    /// and has won.
    #[inline(always)]
    pub fn least(&self) -> Score {
        score_of(-1, if self.stuck > 0 { 1 } else { 2 })
    }

    /// The most that a move of a player is worth after which play goes on.
    #[inline(always)]
    pub fn most(&self, player: usize) -> Score {
        self.most[player]
    }
}
