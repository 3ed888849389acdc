//! Perfect indexes: a number for each state, so that one bit can say whether a state was found.
//!
//! Four shapes of rules have one: [`ArrangementIndex`], [`MultisetIndex`], [`PlacementIndex`] and [`ToggleIndex`]. Each
//! has a file. The other files are their parts. The numbers here have no gaps between blocks; the dense store may leave
//! gaps between the bits of blocks.

mod arrangement;
mod cut;
mod fixed;
mod multinomial;
mod multiset;
mod order;
mod perfect;
mod placement;
#[cfg(test)]
mod samples;
mod sequence;
mod subsets;
mod toggle;

pub use arrangement::{ArrangementIndex, MOST_CELLS, Way};
pub use cut::Cut;
pub use multinomial::{HeadWalk, MOST_PLACES, Multiset};
pub use multiset::{LabelMove, MultisetIndex};
pub use perfect::Index;
pub use placement::PlacementIndex;
pub use sequence::{Sequences, Shuffle, Table, digits_of, sequence_of};
pub use subsets::{BitMap, Cells, Numbers, choose, subsets};
pub use toggle::{Flips, ToggleIndex};

use crate::structure::Structure;

/// The index of the states of the rules, if these have one of the four shapes.
pub fn index_of(structure: &Structure) -> Option<Box<dyn Index>> {
    let arrangement = || ArrangementIndex::of_structure(structure).map(|index| Box::new(index) as Box<dyn Index>);
    let placement = || PlacementIndex::of_structure(structure).map(|index| Box::new(index) as Box<dyn Index>);
    let toggle = || ToggleIndex::of_structure(structure).map(|index| Box::new(index) as Box<dyn Index>);
    let multiset = || MultisetIndex::of_structure(structure).map(|index| Box::new(index) as Box<dyn Index>);
    arrangement().or_else(placement).or_else(toggle).or_else(multiset)
}
