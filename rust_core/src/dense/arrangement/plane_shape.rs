//! The index of rules whose states are arrangements, the layout of its bits in planes, and the tables of the moves.
//!
//! A plane has the bits of the states of one block whose pivot is in one place; `planes.rs` explains the layout.

use super::planes::{PlaneLayout, WORD};
use super::pull::{PlanePull, PlaneTails};
use super::wide::WideMove;
use crate::dense::tuning::Tuning;
use crate::index::{ArrangementIndex, Cut, FixedByClass, Index};
use crate::rules::{Symbol, Symmetry};
use crate::sorting;
use crate::structure::{PermutationGroup, Structure};

/// After each part of a depth, of this many chunks, a job may write to disk the states that it has found. A part takes
/// some seconds.
const PART_CHUNKS: usize = 4096;

/// The number of unused words before the first plane and after the last one. A shift of bits reads a word and its
/// neighbour, so the first word and the last one need a neighbour, too.
pub(super) const GUARDS: usize = 1;

/// A move whose table would be too large. Instead, its effect is computed state by state: `forth` computes the state to
/// which a given state leads, to push it, and `back` the state from which a given state comes, to pull it.
#[derive(Debug)]
pub(super) struct WidePair {
    /// `true` if the move leads from each state to a state of the same chunk.
    pub local: bool,
    pub forth: WideMove,
    pub back: WideMove,
}

/// Rules whose states are arrangements of distinct symbols, with their bits in planes.
#[derive(Debug)]
pub struct PlaneShape {
    pub(in crate::dense) index: ArrangementIndex,
    pub(super) layout: PlaneLayout,
    pub(super) pulls: Vec<PlanePull>,
    pub(super) wides: Vec<WidePair>,
    /// The number of reachable states, if the group of the moves determines it; otherwise the number of states with a
    /// bit.
    pub(super) reachable: u64,
    /// The number of blocks of a chunk.
    pub(super) chunk_blocks: usize,
    /// The number of chunks in a part of a depth. After each part, a job may keep what was found so far.
    pub(super) part_chunks: usize,
    /// For each class of conjugate symmetries but that of the identity: the states that one symmetry of the class
    /// fixes, each given by its bit in the array.
    pub(super) fixed: Vec<FixedByClass<u64>>,
}

impl PlaneShape {
    /// The shape of the rules, if no two cells hold the same symbol and moves only rearrange symbols.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        let index = ArrangementIndex::around(structure)?;
        // The longest tail, that is, the most digits that choose the place in a block, with which a block has at most
        // `tuning.block_states` states.
        let states = |tail: usize| (1..=tail as u64).product::<u64>();
        let most = (2..=index.places().min(7)).rev().find(|&tail| states(tail) <= tuning.block_states);
        let tail = most.unwrap_or(index.places().min(2));
        Self::of_index(structure, index, symmetries, tail, tuning)
    }

    /// The shape with a given cut: the order of cells, the digits of the tail, and the pivot of a ring. `None` if the
    /// rules have no index with this cut.
    pub fn of_cut(
        structure: &Structure,
        symmetries: &[Symmetry],
        order: &[usize],
        tail: usize,
        ring: Option<Symbol>,
        tuning: Tuning,
    ) -> Option<Self> {
        let index = match ring {
            None => ArrangementIndex::of_order(structure, order),
            Some(pivot) => ArrangementIndex::of_ring(structure, order, pivot),
        }?;
        Self::of_index(structure, index, symmetries, tail, tuning)
    }

    fn of_index(
        structure: &Structure,
        index: ArrangementIndex,
        symmetries: &[Symmetry],
        tail: usize,
        tuning: Tuning,
    ) -> Option<Self> {
        let layout = PlaneLayout::new(&index, tail)?;
        let fixed = index.fixed_by(symmetries, |sequence, lane| layout.bit(sequence, lane))?;
        let tails = PlaneTails::new(&layout);
        let chunk_bytes = tuning.chunk_bytes as u64;
        let block_bytes = layout.lanes * layout.words * 8;
        let blocks = |digits: usize| (digits..layout.head).map(|at| layout.radix(at)).product::<usize>();
        // A chunk is all blocks that share their first `chunk_digits` digits. The fewer digits, the larger the chunk.
        // This takes the fewest with which a chunk has at most `chunk_bytes` bytes.
        let fits = |&digits: &usize| (blocks(digits) as u64).saturating_mul(block_bytes as u64) <= chunk_bytes;
        let chunk_digits = (0..layout.head).find(fits).unwrap_or(layout.head);
        let chunk_blocks = blocks(chunk_digits);
        let (mut pulls, mut wides) = (Vec::new(), Vec::new());
        for way in &index.ways {
            if let Some(pull) = PlanePull::new(&layout, &tails, way, tuning.table_entries) {
                pulls.push(pull);
            } else {
                let wide = |back| WideMove::new(&layout, &tails, way, back);
                let local = way.shuffle.as_ref().is_none_or(|shuffle| shuffle.first >= chunk_digits);
                wides.push(WidePair { local, forth: wide(false), back: wide(true) });
            }
        }
        // Moves with long stretches come first: they find most states, so fewer are left for look-ups one by one.
        sorting::sort_by_key(&mut wides, |wide| std::cmp::Reverse(wide.back.stretch));
        let part_chunks = tuning.part_chunks.unwrap_or(PART_CHUNKS);
        let order = |group: &PermutationGroup| group.order() as u64;
        // No two cells hold the same symbol, so the group of the moves has one element for each state.
        let all = layout.blocks() * (layout.lanes * layout.block) as u64;
        let reachable = structure.group().map_or(all, order);
        Some(Self { index, layout, pulls, wides, reachable, chunk_blocks, part_chunks, fixed })
    }

    /// The cut of the index. [`Self::of_cut`] makes the same shape from it.
    pub fn cut(&self) -> Cut {
        let ring = self.index.pivot.filter(|_| self.index.ring);
        Cut::Planes { order: self.index.order.clone(), tail: self.layout.tail(), ring }
    }

    /// The number of bytes of one array of bits.
    pub fn array_bytes(&self) -> u64 {
        self.layout.array_words() * 8
    }

    /// The number of words of one array of a search, with guards.
    pub fn array_words(&self) -> usize {
        self.layout.array_words() as usize + 2 * GUARDS
    }

    /// The number of states that have a bit.
    pub fn states(&self) -> u64 {
        self.layout.blocks() * (self.layout.lanes * self.layout.block) as u64
    }

    /// Returns `true` if some moves push states one by one. Then a run is faster if it keeps the states of the last
    /// depth apart from earlier ones.
    pub fn pushes(&self) -> bool {
        self.wides.iter().any(|wide| !wide.forth.is_long())
    }

    /// The bytes of memory that a run takes, with a third array if `third` is `true`; see [`super::PlaneSearch`].
    pub fn bytes(&self, third: bool) -> u64 {
        let arrays = if third { 3 } else { 2 };
        // Three arrays, `occupied`, `occupied_next` and `open`, have two bytes for each block.
        let marks = 6 * self.layout.blocks();
        let pulls: usize = self.pulls.iter().map(PlanePull::bytes).sum();
        let wides: usize = self.wides.iter().map(|wide| wide.forth.bytes() + wide.back.bytes()).sum();
        let fixed = FixedByClass::bytes(&self.fixed);
        arrays * (self.array_bytes() + 16 * GUARDS as u64) + marks + (pulls + wides + fixed) as u64
    }

    /// Returns `true` if the bit belongs to a state.
    pub fn has_state(&self, bit: u64) -> bool {
        let place = (bit % (self.layout.words * WORD) as u64) as usize;
        place < self.layout.block && bit / 8 < self.array_bytes()
    }

    /// The bit of a state; `None` if the state has none.
    pub fn bit(&self, state: &[Symbol]) -> Option<u64> {
        self.index.rank(state)?;
        let (sequence, lane) = self.index.read(state);
        self.layout.bit(&sequence, lane)
    }

    /// The state of a bit; `None` if the bit belongs to no state.
    pub fn state(&self, bit: u64) -> Option<Vec<Symbol>> {
        self.layout.state(bit).map(|(sequence, lane)| self.index.write(&sequence, lane))
    }
}
