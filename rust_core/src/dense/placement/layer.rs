//! The states of one depth of placements, as rows of bits, and counts of these states.

use std::sync::Arc;

use crate::dense::pages::Pages;
use crate::index::Cells;
use crate::run::DepthReport;

/// The states of one depth: a row for each set of first marks (up to symmetry), with a bit for each set of second
/// marks.
pub(super) struct PlacementLayer {
    /// For each mark, the number of cells that hold it.
    pub counts: [usize; 2],
    /// The sets of first marks that are the smallest of their images, in ascending order.
    pub rows: Arc<Vec<Cells>>,
    /// The sets of second marks. Bit `i` of a set is place `i` of a row: the row's `i`-th cell without a first mark.
    pub columns: Arc<Vec<Cells>>,
    /// The number of words that a row takes in `bits`.
    pub stride: usize,
    /// The rows, with a bit for each column.
    pub bits: Pages,
    /// For each row, `true` if it has open states.
    pub live: Vec<bool>,
}

/// Counts of the states in some rows of a layer.
#[derive(Clone, Default)]
pub(super) struct LayerCount {
    pub states: u64,
    pub raw_states: u64,
    pub open: u64,
    pub ended: Vec<u64>,
}

impl LayerCount {
    /// Counts of zero, with a zero for each outcome.
    pub fn none(outcomes: usize) -> Self {
        Self { ended: vec![0; outcomes], ..Self::default() }
    }

    /// Adds the counts of other rows.
    pub fn add(&mut self, other: &Self) {
        self.states += other.states;
        self.raw_states += other.raw_states;
        self.open += other.open;
        self.ended.iter_mut().zip(&other.ended).for_each(|(sum, count)| *sum += count);
    }

    /// The report of a depth with these counts.
    pub fn report(self, depth: u64) -> DepthReport {
        let Self { states, raw_states, open, ended } = self;
        DepthReport { depth, states, raw_states, open, ended }
    }
}
