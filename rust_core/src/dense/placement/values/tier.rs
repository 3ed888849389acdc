//! One tier: all placements with the same numbers of marks.

use std::sync::Arc;

use crate::index::{Cells, subsets};

/// All placements with the numbers of marks of one depth. There is a row for each set of first marks that is the
/// smallest of its images. A row has a bit for each column: each set of second marks, numbered among the cells without
/// a first mark. While a search that counts keeps only one column of each orbit, a tier keeps all columns.
pub(super) struct Tier {
    /// The number of cells without a first mark: the places of a row.
    pub places: usize,
    /// The sets of first marks, in ascending order.
    pub rows: Arc<Vec<Cells>>,
    /// The sets of second marks, in ascending order.
    pub columns: Vec<Cells>,
    /// The number of marks of each set of second marks.
    pub seconds: usize,
    /// The number of words that have a bit for each column.
    pub stride: usize,
    /// A bit for each column, all set: the sets of all columns.
    pub all: Vec<u64>,
    /// For each place, the columns with a mark there, as `stride` words with a bit for each column.
    having: Vec<u64>,
}

impl Tier {
    /// Makes the tier of the given rows, with `seconds` second marks in the `places` places of each row.
    pub fn new(rows: Arc<Vec<Cells>>, places: usize, seconds: usize) -> Self {
        let columns = subsets(places, seconds);
        let stride = columns.len().div_ceil(64);
        let (mut all, mut having) = (vec![0; stride], vec![0; places * stride]);
        for (at, &column) in columns.iter().enumerate() {
            all[at / 64] |= 1 << (at % 64);
            for place in (0..places).filter(|place| column >> place & 1 != 0) {
                having[place * stride + at / 64] |= 1 << (at % 64);
            }
        }
        Self { places, rows, columns, seconds, stride, all, having }
    }

    /// The columns with a mark in a place.
    #[inline(always)]
    pub fn having(&self, place: usize) -> &[u64] {
        &self.having[place * self.stride..][..self.stride]
    }

    /// The number of words of a row's values: two for each 64 columns.
    pub fn row_words(&self) -> usize {
        2 * self.stride
    }

    /// The number of placements.
    pub fn placements(&self) -> u64 {
        (self.rows.len() * self.columns.len()) as u64
    }
}
