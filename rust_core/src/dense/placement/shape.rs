//! Rules whose moves put marks into empty cells: their index, and the memory that a run takes.

use super::cell_sets::classes;
use crate::dense::tuning::Tuning;
use crate::index::{PlacementIndex, choose};
use crate::rules::Symmetry;
use crate::structure::Structure;

/// The most symmetries up to which a new run counts states. A cube of cells has 48. The work for a row grows with the
/// square of the size of its stabiliser.
const MOST_SYMMETRIES: usize = 64;

/// The most symmetries up to which a given job may count states. No version has made jobs with as many. There is a
/// limit because a table has the products of all pairs of symmetries.
const MOST_GIVEN_SYMMETRIES: usize = 16 * MOST_SYMMETRIES;

/// A part of a depth has [`Tuning::rows`] times this many rows. It takes some seconds of work on a large board.
const PART_CHUNKS: usize = 1024;

/// Rules whose moves put marks into empty cells, and the symmetries to count by.
#[derive(Debug)]
pub struct PlacementShape {
    pub(in crate::dense) index: PlacementIndex,
    pub(in crate::dense) symmetries: Vec<Symmetry>,
    /// The number of rows that a thread fills at a time.
    pub(super) rows_at_a_time: usize,
    /// The number of rows in a part of a depth.
    pub(super) part_rows: usize,
}

impl PlacementShape {
    /// The shape of some rules, if their moves do nothing but put marks into empty cells.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        Self::with_symmetries(structure, symmetries, MOST_SYMMETRIES, tuning)
    }

    /// The shape for a given job, which may have more symmetries than a new run. `None` if the rules have no such
    /// index. (Placements have only one cut, so none is given.)
    pub fn of_cut(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        Self::with_symmetries(structure, symmetries, MOST_GIVEN_SYMMETRIES, tuning)
    }

    fn with_symmetries(structure: &Structure, symmetries: &[Symmetry], most: usize, tuning: Tuning) -> Option<Self> {
        let index = PlacementIndex::of_structure(structure)?;
        let kept = symmetries.iter().all(|symmetry| index.keeps(&symmetry.symbols));
        let part_rows = tuning.rows.saturating_mul(tuning.part_chunks.unwrap_or(PART_CHUNKS));
        let symmetries = symmetries.to_vec();
        (kept && symmetries.len() <= most).then_some(Self { index, symmetries, rows_at_a_time: tuning.rows, part_rows })
    }

    /// The most bytes of memory that a run takes: for two depths, for the tables of lines, and for the numbers of sets.
    pub fn bytes(&self, max_depth: Option<u64>) -> u64 {
        let cells = self.index.cells;
        let last = self.index.last_depth();
        let depths = 0..=max_depth.unwrap_or(last).min(last);
        let rows = classes(&self.symmetries, cells);
        let layer = |depth: u64| {
            let [first, second] = self.index.counts(depth);
            rows[first] * (columns(cells, first, second).div_ceil(64) * 8 + 5)
        };
        let most = depths
            .map(|depth| {
                let first = self.index.counts(depth)[0];
                // All sets of first marks are listed before only the smallest images are kept.
                layer(depth) + layer((depth + 1).min(last)) + choose(cells, first) * 4
            })
            .max()
            .unwrap_or(0);
        let lines: usize = self.index.ends.iter().map(Vec::len).sum();
        // Each list of lines has a table with a bit for each set of cells. One more table has the numbers of the sets
        // of up to twenty cells.
        most + lines as u64 * ((1 << cells) / 8) + (8 << 20).min(4 << cells)
    }
}

/// The number of columns of a row: in how many ways `second` second marks can stand in the cells that `first` first
/// marks leave free.
fn columns(cells: usize, first: usize, second: usize) -> u64 {
    choose(cells - first, second)
}
