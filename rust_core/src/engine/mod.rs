//! The engine: rules compiled for the narrowest word that holds a state, behind one type for all widths.
//!
//! ```text
//! batch, scramble, kept, values, answering, every → both_ends → jobs → compiled → machine → read, sight → rows, choice
//! → state
//! ```

mod answering;
mod batch;
mod both_ends;
mod choice;
mod compiled;
mod ends_kept;
mod every;
mod jobs;
mod kept;
mod lookup;
mod machine;
mod read;
mod rows;
mod scramble;
mod shards;
mod sight;
mod state;
mod valued;
mod values;
mod whereabouts;

pub use answering::{Answered, Asked, Limit};
pub use choice::RunPlan;
pub use compiled::Engine;
pub use jobs::JobFolder;
pub use kept::Hard;
pub use lookup::Lookup;
pub use rows::{KeptValue, LookedUp, Packed, Rows, Span};
pub use scramble::Method;
pub use shards::{ShardDriver, ShardJob};
pub use state::{State, Successors};
