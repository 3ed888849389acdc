//! The interface through which a search sees a game: a look at a position, and the position after a move.

use super::score::{self, Score};
use crate::compile::Word;
use crate::rules::Symmetry;

/// A move that can be made in a position and that the search may have to try.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// The number of the move in the list of its player's moves.
    pub step: u32,
    /// The merit of the move. Moves with larger merit are tried first.
    pub merit: i32,
}

/// The result of one look at a position, without a search: bounds of its score.
#[derive(Debug, Clone, Copy)]
pub struct Glance {
    /// A lower bound of the score. It is at least `best`.
    pub least: Score,
    /// An upper bound of the score.
    pub most: Score,
    /// The best score of the moves that need no search, because play is over after them, or because they surely lose.
    /// It is the lowest possible score if all moves need a search.
    pub best: Score,
}

impl Glance {
    /// The result of a look that tells the exact score.
    pub fn settled(score: Score) -> Self {
        Self { least: score, most: score, best: score }
    }
}

/// The key of a position in the table: the smallest of some images, and the number of the symmetry that carries the
/// position there, if the number is known.
#[derive(Debug, Clone, Copy)]
pub struct PositionKey<K> {
    pub word: K,
    pub symmetry: Option<usize>,
}

/// The interface through which a search sees a game. The search asks only about positions in which play is not over.
pub trait Board {
    /// The form in which this game keeps a position.
    type Spot: Copy;

    /// The form in which the table keeps a position.
    type Key: Word;

    /// `true` if the key of a position takes so little time that keys are found before they are needed, so that the
    /// table's entries are fetched in the meantime.
    fn keys_are_quick(&self) -> bool;

    /// The number of images that the key of a position takes, `ahead` moves from the root of the search.
    fn images(&self, ahead: usize) -> usize;

    /// The key of a position that is `ahead` moves from the root of the search.
    fn key(&self, spot: &Self::Spot, ahead: usize) -> PositionKey<Self::Key>;

    /// The key of the position after a move of `player`; `None` if that takes longer than it saves.
    #[inline(always)]
    fn key_after(&self, _spot: &Self::Spot, _player: usize, _step: u32) -> Option<PositionKey<Self::Key>> {
        None
    }

    /// A symmetry, by its number.
    fn symmetry(&self, number: usize) -> &Symmetry;

    /// Looks at a position with `player` to move, and adds the moves that need a search to `found`. If the look alone
    /// tells the score, it may add no moves.
    fn look(&self, spot: &Self::Spot, player: usize, found: &mut Vec<Candidate>) -> Glance;

    /// Gives each move its merit: how promising it is, as a number that is larger if it is better. `to_win` says
    /// whether the player is asked for a win, and not only to keep from losing.
    fn rank(&self, spot: &Self::Spot, player: usize, to_win: bool, found: &mut [Candidate]);

    /// The position to which a move leads.
    fn follow(&self, spot: &Self::Spot, player: usize, step: u32) -> Self::Spot;

    /// The first cell that a move writes. The transposition table stores this cell as a hint at the best move.
    fn cell(&self, player: usize, step: u32) -> usize;

    /// The player to move in a position to which a move of `player` leads. That is the other player, unless the move
    /// keeps the turn.
    #[inline(always)]
    fn next_player(&self, _after: &Self::Spot, player: usize) -> usize {
        1 - player
    }

    /// The score of a position whose only move leads to a position with the score `after` for the other player.
    #[inline(always)]
    fn before(&self, after: Score) -> Score {
        score::before(after)
    }

    /// The most that the position after a move may score for the other player, if the move is to be worth at least
    /// `score` to the player who makes it.
    #[inline(always)]
    fn after(&self, score: Score) -> Score {
        score::after(score)
    }
}
