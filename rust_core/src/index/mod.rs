//! Perfect indexes: a number for each state, with no gaps or few, so that a bit says what a key would have said.

mod arrangements;
mod cut;
mod fixed;
mod multiset;
mod multiset_permutations;
mod order;
mod placements;
mod sequence;
mod subsets;
mod sums;

pub use arrangements::Arrangements;
pub use cut::Cut;
pub use multiset::{Heads, MOST_PLACES, Multiset};
pub use multiset_permutations::{Change, MultisetPermutations};
pub use placements::{Cells, Placements};
pub use sequence::{Sequences, Table};
pub use subsets::{BitMap, Numbers, choose, subsets};
pub use sums::{Flips, Sums};
