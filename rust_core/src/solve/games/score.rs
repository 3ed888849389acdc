//! Values of positions as numbers, for a search: the winner, and the number of moves.
//!
//! A win in `n` moves is `WIN - n`, a loss in `n` moves is `n - WIN`, and a draw is 0. So a larger score is better for
//! the player to move: to win soon is better than to win late, and to lose late is better than to lose soon.

/// The value of a position for the player to move.
pub type Score = i16;

/// A win in no moves: play is over, and the player to move has won.
pub const WIN: Score = 32_000;

/// The score of a position from which the only move leads to a position of the given score. Three moves before the end
/// a win is `WIN - 3`; one move later it is the other player's turn, who loses in two: `2 - WIN`.
#[inline(always)]
pub fn before(after: Score) -> Score {
    after.signum() - after
}

/// The highest score of a position after a move for which the position before scores at least `score`: the inverse of
/// [`before`].
#[inline(always)]
pub fn after(score: Score) -> Score {
    -score - score.signum()
}

/// A win or a loss (`won` is 1 or -1) in some moves, or a draw (0).
pub fn score_of(won: Score, moves: Score) -> Score {
    won * (WIN - moves)
}

/// The number of moves until play ends, from a score; 0 for a draw.
pub fn moves_of(score: Score) -> u32 {
    if score == 0 { 0 } else { u32::from((WIN - score.abs()).unsigned_abs()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_takes_the_end_one_move_further_away() {
        let scores = [WIN, WIN - 1, WIN - 2, WIN - 700, 0, 700 - WIN, 2 - WIN, 1 - WIN, -WIN];
        assert_eq!(before(2 - WIN), WIN - 3);
        assert_eq!(before(WIN - 2), 3 - WIN);
        assert_eq!(before(0), 0);
        for score in scores {
            assert_eq!(after(before(score)), score);
            // A search hands this condition on for every threshold, also for those between the values.
            for least in [WIN - 1, WIN - 2, WIN - 3, 1, 0, -1, 1 - WIN, 2 - WIN] {
                assert_eq!(before(score) >= least, score <= after(least), "{score} {least}");
            }
        }
        assert_eq!((moves_of(WIN - 3), moves_of(4 - WIN), moves_of(0)), (3, 4, 0));
        assert_eq!((score_of(1, 3), score_of(-1, 4), score_of(0, 9)), (WIN - 3, 4 - WIN, 0));
    }
}
