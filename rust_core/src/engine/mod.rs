//! The engine: rules compiled for the narrowest word that holds a state, behind one type for all widths.
//!
//! ```text
//! batch, scramble, kept, values, answering, every → jobs → compiled → machine → read → rows, choice → state
//! ```

mod answering;
mod batch;
#[cfg(test)]
mod brute;
mod choice;
mod compiled;
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
mod state;
#[cfg(test)]
mod tiered;
#[cfg(test)]
mod tiers;
mod valued;
mod values;
#[cfg(test)]
mod walls;

pub use answering::{Answered, Asked, Limit};
pub use choice::RunPlan;
pub use compiled::Engine;
pub use jobs::JobFolder;
pub use kept::Hard;
pub use lookup::{LookedUp, Lookup};
pub use rows::{KeptValue, Packed, Rows, Span};
pub use scramble::{Method, Scramble};
pub use shards::{Expanded, Received, ShardDriver, ShardJob};
pub use state::{State, Successors};
