//! Scores: the values of positions as numbers, which tell the winner and the number of moves to the end.
//!
//! A win in `n` moves is `WIN - n`, a loss in `n` moves is `n - WIN`, and a draw is 0. So a larger score is better for
//! the player to move: an early win is better than a late one, and a late loss is better than an early one.

/// The value of a position for the player to move, as a number.
pub type Score = i16;

/// The score of a position in which play is over, and the player to move has won.
pub const WIN: Score = 32_000;

/// The score of a position whose only move leads to a position with the score `after`. For example, a win in three
/// moves is `WIN - 3`. After the first of them, the other player is to move and loses in two: `2 - WIN`.
#[inline(always)]
pub fn before(after: Score) -> Score {
    after.signum() - after
}

/// The most that the position after a move may score for the other player, if the move is to be worth at least `score`
/// to the player who makes it. So this function inverts [`before`].
#[inline(always)]
pub fn after(score: Score) -> Score {
    -score - score.signum()
}

/// The score of a win in a number of moves (`won` is 1), of a loss (-1), or of a draw (0).
pub fn score_of(won: Score, moves: Score) -> Score {
    won * (WIN - moves)
}

/// The number of moves to the end that a score tells; 0 for a draw.
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
            // A search uses this equivalence with any bound, also with one that is no value of a position.
            for least in [WIN - 1, WIN - 2, WIN - 3, 1, 0, -1, 1 - WIN, 2 - WIN] {
                assert_eq!(before(score) >= least, score <= after(least), "{score} {least}");
            }
        }
        assert_eq!((moves_of(WIN - 3), moves_of(4 - WIN), moves_of(0)), (3, 4, 0));
        assert_eq!((score_of(1, 3), score_of(-1, 4), score_of(0, 9)), (WIN - 3, 4 - WIN, 0));
    }
}
