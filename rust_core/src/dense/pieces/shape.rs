//! Rules whose states are arrangements of pieces that twist, of one kind or several: their index, and its cut into
//! chunks.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! # Four cells
//!
//! Four pancakes that may be turned over have 24 arrangements, and each has a block of 16 bits, one for each
//! combination of twists, at the beginning of a word. Turning over the upper two leads from each arrangement to another
//! one. Its effect on twists is the same for all arrangements: it exchanges two digits and changes both. So each block
//! collects, for each move, the block of one other arrangement, with its bits permuted by a table.
//!
//! With pieces of several kinds, the block of a state determines the arrangements of some kinds, and its bit in the
//! block determines the arrangements of the other kinds and the twists. The index decides which kinds these are. A move
//! still permutes the bits of all blocks in the same way.

use crate::dense::dense_shape::Place;
use crate::dense::swept::Division;
use crate::dense::tuning::Tuning;
use crate::index::{FixedByClass, Index, PieceFactor, PieceIndex, PieceOrder};
use crate::rules::{Symbol, Symmetry};
use crate::structure::Structure;

/// After each part of a depth, of this many chunks, a job may write to disk the states that it has found. A part takes
/// some seconds.
const PART_CHUNKS: usize = 1024;

/// Rules whose states are arrangements of pieces that twist.
#[derive(Debug)]
pub struct PieceShape {
    pub(in crate::dense) index: PieceIndex,
    pub(super) division: Division,
    /// The number of moves of the rules. Each can be made in every state.
    pub(super) move_count: u64,
    /// For each class of conjugate symmetries but that of the identity: the numbers of the states that one symmetry of
    /// the class fixes.
    pub(super) fixed: Vec<FixedByClass<u64>>,
}

impl PieceShape {
    /// The shape of some rules, if their moves do nothing but permute pieces and twist them.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        Self::of_index(PieceIndex::of_structure(structure)?, structure, symmetries, tuning)
    }

    /// The shape with the choices of a [cut](crate::index::Cut::Pieces). `None` if the rules have no index with this
    /// cut.
    pub fn of_cut(
        structure: &Structure,
        symmetries: &[Symmetry],
        order: PieceOrder<'_>,
        tuning: Tuning,
    ) -> Option<Self> {
        Self::of_index(PieceIndex::of_order(structure, order)?, structure, symmetries, tuning)
    }

    fn of_index(index: PieceIndex, structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        let block_words = (index.combinations as usize).div_ceil(64);
        Some(Self {
            division: Division {
                blocks: usize::try_from(index.blocks).ok()?,
                block_words,
                chunk_blocks: (tuning.chunk_bytes / (8 * block_words)).max(1),
                part_chunks: tuning.part_chunks.unwrap_or(PART_CHUNKS),
            },
            move_count: structure.rules().moves.len() as u64,
            fixed: index.fixed(symmetries)?,
            index,
        })
    }

    /// The number of bytes of one array of bits.
    pub fn array_bytes(&self) -> u64 {
        self.division.blocks as u64 * 8 * self.division.block_words as u64
    }

    /// The place of the state of a bit; `None` if the bit belongs to no state.
    pub fn place(&self, bit: usize) -> Option<Place> {
        let bits = 64 * self.division.block_words;
        let (block, within) = (bit / bits, bit % bits);
        ((within as u64) < self.index.combinations).then_some(Place { block, within })
    }

    /// The bit of the state with a number in the index.
    pub fn bit(&self, number: u64) -> u64 {
        number / self.index.combinations * (64 * self.division.block_words) as u64 + number % self.index.combinations
    }

    /// The state at a place.
    pub fn state(&self, Place { block, within }: Place) -> Vec<Symbol> {
        self.index.unrank(block as u64 * self.index.combinations + within as u64)
    }

    /// The bytes of memory that a run takes.
    pub fn bytes(&self) -> u64 {
        let (blocks, moves) = (self.division.blocks as u64, self.index.moves.len() as u64);
        let outer = self.index.block_factors().next().map_or(1, PieceFactor::len);
        let inner = blocks / outer;
        let fixed = FixedByClass::bytes(&self.fixed);
        3 * self.array_bytes()
            + 2 * blocks
            + 4 * moves * (outer + inner)
            + 4 * moves * self.index.combinations
            + fixed as u64
    }
}
