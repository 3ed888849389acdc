//! The points that play can still bring, in a game with a score.
//!
//! A cell is worth points by its symbol, and moves may change the symbol. So the points of a cell are a range: from the
//! least to the most points of any symbol that its symbol can turn into. Take two boxes of dots and boxes. The first
//! belongs to A for good, and is worth 1. The second is open, so it may become A's or B's, and is worth from -1 to 1.
//! So A has from 0 to 2 points in the end.

use super::score::{Score, WIN};
use crate::compile::{Compiled, Word};
use crate::rules::Rules;
use crate::structure::symbols_to_come;

/// The most points for which a [`Score`] has room: `WIN` and `-WIN` stand for bounds that are not known.
const MOST_POINTS: i32 = WIN as i32 - 1;

/// The least and the most points of one player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PointsRange {
    pub least: Score,
    pub most: Score,
}

impl PointsRange {
    /// The same range as the other player sees it.
    fn turned(self) -> Self {
        Self { least: -self.most, most: -self.least }
    }
}

/// A cell that is worth points.
#[derive(Debug)]
struct WorthCell {
    cell: usize,
    /// For each symbol, the range of the points that the cell may come to bring to the first player.
    ranges: Box<[PointsRange]>,
}

/// The ranges of points of the positions of a game with a score.
#[derive(Debug)]
pub struct PointsToCome {
    base: Score,
    cells: Vec<WorthCell>,
    /// The range of the points that ends bring; `None` if no end states its points.
    ends: Option<PointsRange>,
}

impl PointsToCome {
    /// Works out the ranges for all cells. `None` if the rules have no score, or if points may be larger than a
    /// [`Score`] has room for.
    pub fn new(rules: &Rules) -> Option<Self> {
        let scoring = rules.scoring.as_ref()?;
        let largest = |points: &[i32]| points.iter().map(|points| i64::from(points.abs())).max().unwrap_or(0);
        let most = scoring.cells.iter().map(|(_, points)| largest(points)).sum::<i64>() + i64::from(scoring.base.abs());
        let of_ends: Vec<i32> = rules.ends.iter().filter_map(|end| end.points).collect();
        if most.max(largest(&of_ends)) > i64::from(MOST_POINTS) {
            return None;
        }
        let to_come = symbols_to_come(rules);
        let worth = |(cell, points): &(usize, Box<[i32]>)| {
            let range =
                |symbol: usize| range_of(to_come[*cell][symbol].iter().filter_map(|at| points.get(usize::from(at))));
            let ranges = (0..points.len()).map(|symbol| range(symbol).expect("a symbol may stay")).collect();
            WorthCell { cell: *cell, ranges }
        };
        let cells = scoring.cells.iter().map(worth).collect();
        Some(Self { base: scoring.base as Score, cells, ends: range_of(of_ends.iter()) })
    }

    /// The range of the points of a position, for `player`.
    pub fn range<W: Word>(&self, compiled: &Compiled<W>, word: W, player: usize) -> PointsRange {
        let mut range = PointsRange { least: self.base, most: self.base };
        for WorthCell { cell, ranges } in &self.cells {
            let of_cell = ranges[usize::from(compiled.layout.get(word, *cell))];
            range = PointsRange { least: range.least + of_cell.least, most: range.most + of_cell.most };
        }
        if let Some(ends) = self.ends {
            range = PointsRange { least: range.least.min(ends.least), most: range.most.max(ends.most) };
        }
        if player == 0 { range } else { range.turned() }
    }
}

/// The least and the most of some points; `None` if there are none.
fn range_of<'a>(points: impl Iterator<Item = &'a i32>) -> Option<PointsRange> {
    points.fold(None, |range: Option<PointsRange>, &points| {
        let points = points as Score;
        let range = range.unwrap_or(PointsRange { least: points, most: points });
        Some(PointsRange { least: range.least.min(points), most: range.most.max(points) })
    })
}
