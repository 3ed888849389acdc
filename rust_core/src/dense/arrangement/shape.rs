//! Rules whose states are arrangements of distinct symbols: their index, how it is cut, and how it is swept.

use super::plan::{ArrangementPlan, SequenceRoom};
use crate::dense::tuning::Tuning;
use crate::index::{ArrangementIndex, Cut, Sequences};
use crate::rules::Symmetry;
use crate::structure::Structure;

/// How many chunks make a part of a depth: some seconds of work.
const PART_CHUNKS: usize = 1024;

/// With a pivot, a sequence is a word of 16 lanes, one for each place where the pivot may be. Four such words fill 64
/// bits.
const LANES_ROOM: SequenceRoom = SequenceRoom { bits: u16::BITS as usize, unit: 4 };

/// Without a pivot, a sequence is a bit. Blocks are filled up to whole words of 64 bits.
const BIT_ROOM: SequenceRoom = SequenceRoom { bits: 1, unit: u64::BITS as usize };

/// Rules whose states are arrangements of distinct symbols.
#[derive(Debug)]
pub struct ArrangementShape {
    pub(in crate::dense) index: ArrangementIndex,
    pub(in crate::dense) plan: ArrangementPlan,
    /// How many chunks make a part of a depth.
    pub(super) part_chunks: usize,
    /// For each symmetry but the identity, the states that it fixes, each as an index and a lane.
    pub(super) fixed: Vec<Vec<(u64, usize)>>,
}

impl ArrangementShape {
    /// The shape of the rules, if no two cells hold the same symbol and moves only rearrange symbols.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        let index = ArrangementIndex::of_structure(structure)?.uncoupled();
        let plan = ArrangementPlan::propose(&index, room(&index), tuning)?;
        Self::of_plan(index, plan, symmetries, tuning)
    }

    /// The shape with a given cut: the order of cells, the digits of the tail, and the stride of blocks.
    pub fn of_cut(
        structure: &Structure,
        symmetries: &[Symmetry],
        order: &[usize],
        (tail, stride): (usize, usize),
        tuning: Tuning,
    ) -> Option<Self> {
        let index = ArrangementIndex::of_order(structure, order)?.uncoupled();
        let plan = ArrangementPlan::of_cut(&index, room(&index), (tail, stride), tuning)?;
        Self::of_plan(index, plan, symmetries, tuning)
    }

    fn of_plan(
        mut index: ArrangementIndex,
        plan: ArrangementPlan,
        symmetries: &[Symmetry],
        tuning: Tuning,
    ) -> Option<Self> {
        index.sequences = plan.sequences.clone();
        let fixed = index.fixed(symmetries)?;
        Some(Self { index, plan, part_chunks: tuning.part_chunks.unwrap_or(PART_CHUNKS), fixed })
    }

    /// How the index is cut.
    pub fn cut(&self) -> Cut {
        let Sequences { places, head, stride, .. } = self.plan.sequences;
        Cut::Arrangement { order: self.index.order.clone(), tail: places - head, stride }
    }

    /// The numbers of which jobs of form 1 keep a digest.
    pub fn layout(&self) -> Vec<u64> {
        let Sequences { head, stride, even, .. } = self.plan.sequences;
        let order = self.index.order.iter().map(|&cell| cell as u64);
        order.chain([head as u64, stride as u64, u64::from(even)]).collect()
    }

    /// Whether a symbol is set apart as the pivot. Then a sequence is a `u16` of lanes; otherwise it is one bit of a
    /// `u64`.
    pub fn has_pivot(&self) -> bool {
        self.index.pivot.is_some()
    }

    /// How many bits a sequence takes.
    pub fn sequence_bits(&self) -> usize {
        room(&self.index).bits
    }

    /// The bytes of one array of bits.
    pub fn array_bytes(&self) -> u64 {
        self.plan.sequences.blocks() * (self.plan.sequences.stride * self.sequence_bits() / 8) as u64
    }

    /// The bytes of memory that a run takes.
    pub fn bytes(&self) -> u64 {
        let blocks = self.plan.sequences.blocks();
        let arrays = 3 * self.array_bytes() + 2 * blocks;
        let fixed: usize = self.fixed.iter().map(|states| states.len() * size_of::<(u64, usize)>()).sum();
        arrays + (self.plan.table_bytes() + fixed) as u64
    }
}

/// How much room a sequence takes.
fn room(index: &ArrangementIndex) -> SequenceRoom {
    if index.pivot.is_some() { LANES_ROOM } else { BIT_ROOM }
}
