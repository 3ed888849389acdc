//! Perfect indexes: each state has a number, so a set of states is an array of bits.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! Five shapes of rules have a perfect index: [`ArrangementIndex`], [`MultisetIndex`], [`PlacementIndex`],
//! [`DialIndex`] and [`PieceIndex`]. Each has a file; the other files hold parts of them. The numbers
//! here have no gaps between blocks; the dense store may leave gaps between the bits of blocks.

mod arrangement;
mod cut;
mod dial;
mod factor;
mod fixed;
mod multinomial;
mod multiset;
mod order;
mod perfect;
mod piece;
mod placement;
#[cfg(test)]
mod samples;
mod sequence;
mod subsets;
mod varying;

pub use arrangement::{ArrangementIndex, MOST_CELLS, SequenceMove};
pub use cut::Cut;
pub use dial::{DialIndex, TurnedCells};
pub use factor::{LabelChange, PieceFactor};
pub use fixed::FixedByClass;
pub use multinomial::{HeadWalk, MOST_PLACES, Multiset, arrangements};
pub use multiset::{LabelMove, MultisetIndex};
pub use perfect::Index;
pub use piece::{MOST_DISTINCT, PieceIndex, PieceOrder};
pub use placement::PlacementIndex;
pub use sequence::{Shuffle, digits_of, sequence_of};
pub use subsets::{BitMap, Cells, SubsetNumbers, choose, rank_subset, subsets};
pub use varying::VaryingIndex;

use crate::structure::Structure;

/// Returns `true` if the rules have pieces, and an index of the pieces has far fewer numbers than the symbols have
/// arrangements. The stickers of the 2x2x2 cube have a billion times as many arrangements as its corners with their
/// twists.
pub fn pieces_first(structure: &Structure) -> bool {
    if structure.dials().is_some() {
        return false; // they have an index of their own, and nothing is saved
    }
    let fewer = |index: PieceIndex| {
        let start = &structure.rules().start;
        // The number of arrangements is a product of fractions n/c, one for each cell: n is the number of cells up to
        // this one, and c is how many of them hold the same symbol as this one.
        let mut counts = std::collections::HashMap::<_, f64>::new();
        let arrangements = start.iter().enumerate().map(|(at, symbol)| {
            let count = counts.entry(symbol).or_default();
            *count += 1.0;
            (at + 1) as f64 / *count
        });
        index.len() as f64 * 8.0 <= arrangements.product()
    };
    PieceIndex::of_structure(structure).is_some_and(fewer)
}

/// A shape of rules that have a perfect index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexShape {
    /// No two cells hold the same symbol, and moves rearrange the symbols.
    Arrangement,
    /// Players fill empty cells with marks of their own.
    Placement,
    /// Moves turn cells in circles of symbols.
    Dial,
    /// Symbols repeat, and moves rearrange them.
    Multiset,
    /// Moves permute pieces and twist them.
    Pieces,
}

impl IndexShape {
    /// The shapes in the order in which they are tried for rules. The first shape that the rules have is taken.
    pub fn in_order(structure: &Structure) -> &'static [Self] {
        let all = &[Self::Arrangement, Self::Placement, Self::Dial, Self::Multiset, Self::Pieces];
        let by_pieces = &[Self::Dial, Self::Pieces];
        if pieces_first(structure) { by_pieces } else { all }
    }

    fn index(self, structure: &Structure) -> Option<Box<dyn Index>> {
        fn boxed<I: Index + 'static>(index: I) -> Box<dyn Index> {
            Box::new(index)
        }
        match self {
            Self::Arrangement => ArrangementIndex::of_structure(structure).map(boxed),
            Self::Placement => PlacementIndex::of_structure(structure).map(boxed),
            Self::Dial => DialIndex::of_structure(structure).map(boxed),
            Self::Multiset => MultisetIndex::of_structure(structure).map(boxed),
            Self::Pieces => PieceIndex::of_structure(structure).map(boxed),
        }
    }
}

/// The index of the states of the rules, if these have one of the shapes.
pub fn index_of(structure: &Structure) -> Option<Box<dyn Index>> {
    IndexShape::in_order(structure).iter().find_map(|shape| shape.index(structure))
}
