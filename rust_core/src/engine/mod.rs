//! The engine: rules compiled for the narrowest word that holds a state, behind one type for all widths.
//!
//! ```text
//! batch, scramble, kept, values, answering, every → both_ends → jobs → compiled → machine → read, sight → rows, choice
//! → state
//! ```

mod answering;
mod batch;
mod both_ends;
#[cfg(test)]
mod brute;
mod choice;
mod compiled;
#[cfg(test)]
mod ends;
mod ends_kept;
mod every;
#[cfg(test)]
mod faults;
mod jobs;
mod kept;
mod lookup;
mod machine;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod oracle;
mod read;
mod rows;
mod scramble;
mod shards;
mod sight;
mod state;
#[cfg(test)]
mod tiered;
#[cfg(test)]
mod tiers;
mod valued;
mod values;
#[cfg(test)]
mod walls;
mod whereabouts;

pub use answering::{Answered, Asked, Limit};
pub use choice::RunPlan;
pub use compiled::Engine;
pub use jobs::JobFolder;
pub use kept::Hard;
pub use lookup::Lookup;
pub use rows::{KeptValue, LookedUp, Packed, Rows, Span};
pub use scramble::{Method, Scramble};
pub use shards::{Expanded, Received, ShardDriver, ShardJob};
pub use state::{State, Successors};
