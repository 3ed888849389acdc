//! Ends as tests of a word, and the score of a word.

use super::guards::Guard;
use super::layout::Layout;
use super::word::{Slot, Word};
use crate::rules::{End, Rules, Scoring};

/// An end, compiled to a test of a word, with its outcome or points.
#[derive(Debug)]
pub struct EndTest<W> {
    /// The test that a state passes if the end holds there.
    pub guard: Guard<W>,
    /// The outcome, as an index in [`Rules::outcomes`]. It counts only if the rules have no score.
    pub outcome: usize,
    /// The points of the first player at this end; `None` if the points are the sum over the cells.
    pub points: Option<i32>,
}

impl<W: Word> EndTest<W> {
    /// Compiles an end of the rules.
    pub fn new(rules: &Rules, layout: &Layout, end: &End) -> Self {
        let guard = Guard::new(rules, layout, &end.when, &[], &end.conditions);
        Self { guard, outcome: end.outcome, points: end.points }
    }
}

/// The score, compiled so that the points of a state are read from its word.
#[derive(Debug, Clone)]
pub struct ScoreTest {
    base: i32,
    /// The cells that are worth points, each with the points that each symbol brings there.
    cells: Box<[(Slot, Box<[i32]>)]>,
    cell_mask: u64,
}

impl ScoreTest {
    /// Compiles the score of the rules.
    pub fn new(layout: &Layout, scoring: &Scoring) -> Self {
        let cells = scoring.cells.iter().map(|(cell, points)| (layout.slots[*cell], points.clone()));
        Self { base: scoring.base, cells: cells.collect(), cell_mask: layout.mask }
    }

    /// The points of the first player in a state, as the sum over its cells.
    pub fn of<W: Word>(&self, word: W) -> i32 {
        let points = |(slot, points): &(Slot, Box<[i32]>)| points[word.bits(*slot, self.cell_mask) as usize];
        self.base + self.cells.iter().map(points).sum::<i32>()
    }
}
