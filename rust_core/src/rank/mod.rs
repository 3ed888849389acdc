//! Perfect indexes: a number for each state, with no gaps or few, so that a bit says what a key would have said.

mod arrangements;
mod order;
mod sequence;

pub use arrangements::{Arrangements, Way};
pub use sequence::{Sequences, Table};
