//! The trait of a game as a search sees it: a look at a position, and the position after a move.

use super::score::Score;

/// A move that a search may try.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    /// Its number among the moves of its player.
    pub step: u32,
    /// Moves with larger merit are tried first.
    pub merit: i32,
}

/// Bounds of a position's score from one look at it.
#[derive(Debug, Clone, Copy)]
pub struct Glance {
    /// The score is at least this.
    pub least: Score,
    /// The score is at most this.
    pub most: Score,
    /// The best score of the moves that need no search, because play is over after them, or surely lost. The lowest
    /// possible score if every move needs a search.
    pub best: Score,
}

impl Glance {
    /// A look that settles the score.
    pub fn settled(score: Score) -> Self {
        Self { least: score, most: score, best: score }
    }
}

/// A game as a search sees it. No end holds in its positions.
pub trait Board<W> {
    /// A position.
    type Spot: Copy;

    /// A position from its word.
    fn spot(&self, word: W) -> Self::Spot;

    /// The word of a position.
    fn word(&self, spot: &Self::Spot) -> W;

    /// Looks at a position, and adds the moves that need a search. If the look settles the score, there may be none.
    fn look(&self, spot: &Self::Spot, player: usize, found: &mut Vec<Candidate>) -> Glance;

    /// The merit of a move: more promising moves have more.
    fn merit(&self, spot: &Self::Spot, player: usize, step: u32) -> i32;

    /// The position after a move.
    fn follow(&self, spot: &Self::Spot, player: usize, step: u32) -> Self::Spot;

    /// The first cell that a move writes.
    fn cell(&self, player: usize, step: u32) -> usize;
}
