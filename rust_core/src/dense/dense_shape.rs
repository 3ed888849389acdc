//! Two traits that each shape of rules implements in a file of its own: `DenseShape`, the index and the arrays of a
//! search, and `DepthStates`, the states of one depth as a job has kept them.

use std::fmt::Debug;
use std::fs::File;
use std::sync::Arc;

use super::driver::DenseStorage;
use super::placement::PlacementShape;
use crate::error::Result;
use crate::index::{Cut, Index};
use crate::rules::{Rules, Symbol};

/// The place of a state in an index.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// For a multiset or pieces, the number of the block; for a placement, its row. Other shapes have no blocks: then
    /// it is the bit of an arrangement, or the number of a toggle or a dial.
    pub(super) block: usize,
    /// The place in the block; for a placement, its column. Without blocks, it is 0.
    pub(super) within: usize,
}

/// The two arrays of a search, if they are files of its job that are mapped into memory.
#[derive(Debug, Clone, Copy)]
pub(super) struct InPlace<'a> {
    /// The states of even depth, and those of odd depth.
    pub files: &'a [File; 2],
    /// The bytes of the files that may be in memory at a time.
    pub resident: u64,
    /// `true` if the search changes the files, `false` if it only reads them.
    pub changes: bool,
}

/// The bytes that a search needs if its two arrays are files of its job.
#[derive(Debug, Clone, Copy)]
pub(super) struct InPlaceNeeds {
    /// The bytes of each file.
    pub file_bytes: u64,
    /// The bytes of memory for everything but the files.
    pub beside: u64,
    /// The bytes of the files for which memory must have room at a time.
    pub resident: u64,
    /// The number of symmetries up to which states are counted.
    pub symmetry_order: usize,
}

/// The needs of a run, which decide how many arrays of bits it has, and whether they are in memory or in files.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct StorageNeeds<'a> {
    /// `true` if a job keeps the run.
    pub kept: bool,
    /// `true` if the job keeps snapshots instead of the bits of each depth.
    pub snapshot: bool,
    /// `true` if a run without a job keeps the last depth in an array of its own, apart from earlier depths.
    pub apart: bool,
    /// The files of the arrays, if a job has them.
    pub in_place: Option<InPlace<'a>>,
}

/// One shape of rules, such as arrangements: its index, which gives each state a bit, and the arrays of a search.
pub(super) trait DenseShape: Debug + Send + Sync {
    /// The index itself: a number for each state.
    fn index(&self) -> &dyn Index;

    /// The cut of the index. The same shape can be made from it.
    fn cut(&self) -> Cut {
        self.index().cut()
    }

    /// The most bytes of memory that a run takes. `kept` is `true` if a job keeps the depths, or if the run has one
    /// array more than it needs because that is faster (see [`Self::gains_by_more`]).
    fn bytes(&self, max_depth: Option<u64>, kept: bool) -> u64;

    /// Returns `true` if a job with at most `most` bytes of memory keeps snapshots, and not a file for each depth.
    fn keeps_snapshot(&self, most: u64) -> bool {
        let _ = most;
        false
    }

    /// The bytes that a search needs if its two arrays are files of its job; `None` if all arrays must be in memory.
    fn in_place(&self) -> Option<InPlaceNeeds> {
        None
    }

    /// Returns `true` if a run without a job is faster with one array more than it needs.
    fn gains_by_more(&self) -> bool {
        false
    }

    /// Returns `true` if a search with the index is expected to be no faster than one without it.
    fn is_slow(&self) -> bool {
        false
    }

    /// Estimates how many states have a number in the index, if a run may reach only few of them; otherwise 0. If the
    /// result is not 0, the caller makes a short search to find out whether the index is worth its memory.
    fn doubtful(&self, max_depth: Option<u64>) -> u64;

    /// A reader of the states of a depth.
    fn reading(&self, depth: u64) -> Box<dyn DepthStates + '_>;

    /// The arrays of a search, which hold no state yet.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Memory`] if the system does not give enough memory.
    fn storage(self: Arc<Self>, rules: &Arc<Rules>, needs: StorageNeeds<'_>) -> Result<Box<dyn DenseStorage>>;

    /// Returns this shape if its states are placements, whose values a job can keep as bits; otherwise `None`.
    fn placement(&self) -> Option<&PlacementShape> {
        None
    }
}

/// The states of one depth as a job has kept them: an array of bits.
pub trait DepthStates: Send + Sync {
    /// Returns `true` if every state has a bit of its own. If `false`, each orbit has one bit, which stands for some
    /// state of the orbit, not always the smallest. Then [`Self::bit`] returns `None` for every state.
    fn is_raw(&self) -> bool {
        true
    }

    /// The number of bytes of the array.
    fn bytes(&self) -> usize;

    /// The place of the state of a bit, counted from the lowest bit of the array's first byte; `None` if the bit
    /// belongs to no state.
    fn place(&self, bit: usize) -> Option<Place>;

    /// The bit of a state: the inverse of [`Self::place`] followed by [`Self::state`]. `None` if the state has none.
    fn bit(&self, state: &[Symbol]) -> Option<u64>;

    /// The state at a place.
    fn state(&self, place: Place) -> Vec<Symbol>;
}
