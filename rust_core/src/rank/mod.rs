//! Perfect indexes: a number for each state, with no gaps or few, so that a bit says what a key would have said.

mod arrangements;
mod combinations;
mod order;
mod placements;
mod sequence;
mod subsets;

pub use arrangements::{Arrangements, MOST_CELLS};
pub use combinations::Combinations;
pub use placements::{Cells, Placements};
pub use sequence::{Sequences, Table};
pub use subsets::{BitMap, Numbers, choose, subsets};
