//! Any rules as a search needs them: all moves are tried one by one, with all ends that each can complete.

use super::board::{Board, Candidate, Glance};
use super::outcomes::Outcomes;
use super::score::{Score, score_of};
use crate::compile::{Compiled, Word};

/// A game of any rules, as a search needs it. A position is its packed word.
pub struct PlainBoard<'a, W> {
    compiled: &'a Compiled<W>,
    outcomes: Outcomes,
    /// For each player and each move of that player, the first cell that the move writes.
    cells: Vec<Vec<usize>>,
}

impl<'a, W: Word> PlainBoard<'a, W> {
    /// Prepares the compiled rules of a game for a search.
    pub fn new(compiled: &'a Compiled<W>) -> Self {
        let rules = &compiled.rules;
        let first = |index: usize| rules.moves[index].then.first().map_or(0, |(cell, _)| *cell);
        let cells = compiled.steps.iter().map(|steps| steps.list.iter().map(|step| first(step.index)).collect());
        Self { outcomes: Outcomes::new(compiled), cells: cells.collect(), compiled }
    }
}

impl<W: Word> Board<W> for PlainBoard<'_, W> {
    type Spot = W;

    fn spot(&self, word: W) -> W {
        word
    }

    #[inline(always)]
    fn word(&self, spot: &W) -> W {
        *spot
    }

    fn look(&self, spot: &W, player: usize, found: &mut Vec<Candidate>) -> Glance {
        let (begin, mut best, mut any) = (found.len(), Score::MIN, false);
        self.compiled.steps[player].each(*spot, |place, step| {
            any = true;
            match self.compiled.first_end(step.effect.apply(*spot), &step.ends) {
                Some(outcome) => best = best.max(score_of(self.outcomes.won(outcome, player), 1)),
                None => found.push(Candidate { step: place as u32, merit: 0 }),
            }
            best < score_of(1, 1)
        });
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
        Glance { least: self.outcomes.least(), most: self.outcomes.most(player).max(best), best }
    }

    fn merit(&self, _spot: &W, _player: usize, _step: u32) -> i32 {
        0
    }

    #[inline(always)]
    fn follow(&self, spot: &W, player: usize, step: u32) -> W {
        self.compiled.steps[player].list[step as usize].effect.apply(*spot)
    }

    #[inline(always)]
    fn cell(&self, player: usize, step: u32) -> usize {
        self.cells[player][step as usize]
    }
}
