//! Perfect indexes: a number for each state, with no gaps or few, so that a bit says what a key would have said.

mod arrangements;
mod colourings;
mod combinations;
mod cut;
mod fixed;
mod multiset;
mod order;
mod permutation;
mod placements;
mod sequence;
mod subsets;

pub use arrangements::Arrangements;
pub use colourings::{Change, Colourings};
pub use combinations::Combinations;
pub use cut::Cut;
pub use multiset::{Heads, MOST_PLACES, Multiset};
pub use placements::{Cells, Placements};
pub use sequence::{Sequences, Table};
pub use subsets::{BitMap, Numbers, choose, subsets};
