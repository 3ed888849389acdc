//! The index of rules of which some cells never change: it numbers the cells that do change.
//!
//! Take four cells `#ab#`, of which the two in the middle exchange their symbols. Their arrangements `ab` and `ba` have
//! the numbers 0 and 1, and so have the states `#ab#` and `#ba#`. The state `aab#` has none.

use std::sync::Arc;

use super::cut::Cut;
use super::perfect::Index;
use crate::rules::{Symbol, Varying};

/// The index of the cells that vary, as an index of whole states.
pub struct VaryingIndex {
    index: Box<dyn Index>,
    varying: Arc<Varying>,
}

impl VaryingIndex {
    /// The index of whole states, made from the index of their varying part.
    pub fn over(index: Box<dyn Index>, varying: &Arc<Varying>) -> Box<dyn Index> {
        if varying.is_whole() { index } else { Box::new(Self { index, varying: Arc::clone(varying) }) }
    }
}

impl Index for VaryingIndex {
    fn len(&self) -> u64 {
        self.index.len()
    }

    fn rank(&self, state: &[Symbol]) -> Option<u64> {
        self.index.rank(&self.varying.part(state)?)
    }

    fn unrank(&self, number: u64) -> Vec<Symbol> {
        self.varying.state(&self.index.unrank(number))
    }

    fn cut(&self) -> Cut {
        self.index.cut()
    }
}
