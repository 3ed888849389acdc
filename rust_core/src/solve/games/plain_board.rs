//! Games of any rules, as a search sees them: each move is tried, and then each end that the move can complete is
//! tested.

use std::cell::Cell;

use super::board::{Board, Candidate, Glance, PositionKey};
use super::keys::WordKeys;
use super::outcomes::Outcomes;
use super::points::PointsToCome;
use super::score::{self, Score, score_of};
use crate::compile::{Compiled, ListedMoves, Word};
use crate::rules::Symmetry;
use crate::run::of_mover;

thread_local! {
    /// The lists of moves for the next position on this thread. Their memory is used again and again.
    static LISTED: Cell<ListedMoves> = const { Cell::new(ListedMoves::new()) };
}

/// A game of any rules, as a search sees it. A position is its packed word.
pub struct PlainBoard<'a, W> {
    compiled: &'a Compiled<W>,
    keys: WordKeys<'a, W>,
    outcomes: Outcomes,
    /// In a game with a score: the range of the points that play from a position can still bring. There, a [`Score`] is
    /// a number of points. `None` in other games.
    points: Option<PointsToCome>,
    /// For each player and each move of that player, the first cell that the move writes.
    cells: Vec<Vec<usize>>,
}

impl<'a, W: Word> PlainBoard<'a, W> {
    /// Prepares the compiled rules of a game for a search. `points` are given in a game with a score.
    pub fn new(compiled: &'a Compiled<W>, keys: WordKeys<'a, W>, points: Option<PointsToCome>) -> Self {
        let rules = &compiled.rules;
        let first = |index: usize| rules.moves[index].then.first().map_or(0, |(cell, _)| *cell);
        let cells = compiled.steps.iter().map(|steps| steps.list.iter().map(|step| first(step.index)).collect());
        Self { outcomes: Outcomes::new(compiled), points, cells: cells.collect(), compiled, keys }
    }
}

/// The points of the player `whose`, less those of the other player, if play is over in a position with `player` to
/// move.
pub fn points_of<W: Word>(compiled: &Compiled<W>, word: W, player: usize, whose: usize) -> Score {
    of_mover(compiled.score(word, player).expect("the rules have a score"), whose) as Score
}

impl<W: Word> Board for PlainBoard<'_, W> {
    type Spot = W;
    type Key = W;

    fn keys_are_quick(&self) -> bool {
        self.keys.are_quick()
    }

    #[inline(always)]
    fn images(&self, ahead: usize) -> usize {
        self.keys.images(ahead)
    }

    #[inline(always)]
    fn key(&self, spot: &W, ahead: usize) -> PositionKey<W> {
        self.keys.key(*spot, ahead)
    }

    fn symmetry(&self, number: usize) -> &Symmetry {
        self.keys.symmetry(number)
    }

    fn look(&self, spot: &W, player: usize, found: &mut Vec<Candidate>) -> Glance {
        let points = self.points.as_ref().map(|points| points.range(self.compiled, *spot, player));
        let most = points.as_ref().map_or(score_of(1, 1), |range| range.most);
        let (begin, mut best, mut any) = (found.len(), Score::MIN, false);
        let steps = &self.compiled.steps[self.compiled.table_of(player)];
        let mut listed = LISTED.take();
        steps.each(*spot, &mut listed, |place, step| {
            any = true;
            let next = step.effect.apply(*spot);
            match self.compiled.first_end(next, step) {
                Some(_) if points.is_some() => best = best.max(points_of(self.compiled, next, 1 - player, player)),
                Some(outcome) => best = best.max(score_of(self.outcomes.won(outcome, player), 1)),
                None => found.push(Candidate { step: place as u32, merit: 0 }),
            }
            best < most
        });
        LISTED.set(listed);
        if let Some(range) = points {
            if !any {
                return Glance::settled(points_of(self.compiled, *spot, player, player));
            }
            return Glance { least: range.least.max(best), most: range.most, best };
        }
        if !any {
            return Glance::settled(self.outcomes.stuck);
        }
        if best == score_of(1, 1) {
            found.truncate(begin);
            return Glance::settled(best);
        }
        if found.len() == begin {
            return Glance::settled(best);
        }
        Glance { least: self.outcomes.least().max(best), most: self.outcomes.most(player).max(best), best }
    }

    fn rank(&self, _spot: &W, _player: usize, _to_win: bool, _found: &mut [Candidate]) {}

    #[inline(always)]
    fn follow(&self, spot: &W, player: usize, step: u32) -> W {
        self.compiled.steps[self.compiled.table_of(player)].list[step as usize].effect.apply(*spot)
    }

    #[inline(always)]
    fn cell(&self, player: usize, step: u32) -> usize {
        self.cells[self.compiled.table_of(player)][step as usize]
    }

    #[inline(always)]
    fn next_player(&self, after: &W, player: usize) -> usize {
        self.compiled.mover(*after, 1 - player)
    }

    #[inline(always)]
    fn before(&self, after: Score) -> Score {
        if self.points.is_some() { -after } else { score::before(after) }
    }

    #[inline(always)]
    fn after(&self, score: Score) -> Score {
        if self.points.is_some() { -score } else { score::after(score) }
    }
}
