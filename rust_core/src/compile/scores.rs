//! Ends as tests of a word, and the score of a word.

use super::guards::Guard;
use super::layout::Layout;
use super::word::{Slot, Word};
use crate::rules::{End, Rules, Scoring};

/// A compiled end.
#[derive(Debug, Clone)]
pub struct EndTest<W> {
    /// The pattern, and what else must hold.
    pub guard: Guard<W>,
    /// The outcome's place in the rules, if there is no score.
    pub outcome: usize,
    /// The points of the first player, if the end says them.
    pub points: Option<i32>,
}

impl<W: Word> EndTest<W> {
    /// Compiles an end.
    pub fn new(rules: &Rules, layout: &Layout, end: &End) -> Self {
        let guard = Guard::new(rules, layout, &end.when, &[], &end.conditions);
        Self { guard, outcome: end.outcome, points: end.points }
    }
}

/// A compiled score.
#[derive(Debug, Clone)]
pub struct ScoreTest {
    base: i32,
    /// The cells that count, each with the points for each symbol.
    cells: Box<[(Slot, Box<[i32]>)]>,
    cell_mask: u64,
}

impl ScoreTest {
    /// Compiles a score.
    pub fn new(layout: &Layout, scoring: &Scoring) -> Self {
        let cells = scoring.cells.iter().map(|(cell, points)| (layout.slots[*cell], points.clone()));
        Self { base: scoring.base, cells: cells.collect(), cell_mask: layout.mask }
    }

    /// The points of the first player, by the cells of a state.
    pub fn of<W: Word>(&self, word: W) -> i32 {
        let points = |(slot, points): &(Slot, Box<[i32]>)| points[word.bits(*slot, self.cell_mask) as usize];
        self.base + self.cells.iter().map(points).sum::<i32>()
    }
}
