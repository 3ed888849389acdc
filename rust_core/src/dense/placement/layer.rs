//! The states of one depth of placements, and how many there are.

use std::sync::Arc;

use crate::dense::pages::Pages;
use crate::index::Cells;
use crate::run::DepthReport;

/// The states of one depth.
pub(in crate::dense) struct Layer {
    /// How many cells hold each mark.
    pub counts: [usize; 2],
    /// The sets of first marks, each the smallest of its images, in order.
    pub rows: Arc<Vec<Cells>>,
    /// The sets of second marks among the cells of a row that are not first marks, as bits of their places there.
    pub columns: Arc<Vec<Cells>>,
    /// How many words a row has, and the rows: a bit for each column.
    pub stride: usize,
    pub bits: Pages,
    /// Which rows have open states.
    pub live: Vec<bool>,
}

/// What was found of a depth.
#[derive(Clone, Default)]
pub(in crate::dense) struct Tally {
    pub states: u64,
    pub raw_states: u64,
    pub open: u64,
    pub ended: Vec<u64>,
}

impl Tally {
    pub fn sum(tallies: Vec<Self>, outcomes: usize) -> Self {
        let mut sum = Self { ended: vec![0; outcomes], ..Self::default() };
        for tally in tallies {
            sum.states += tally.states;
            sum.raw_states += tally.raw_states;
            sum.open += tally.open;
            sum.ended.iter_mut().zip(tally.ended).for_each(|(sum, count)| *sum += count);
        }
        sum
    }

    pub fn report(self, depth: u64) -> DepthReport {
        let Self { states, raw_states, open, ended } = self;
        DepthReport { depth, states, raw_states, open, ended }
    }
}
