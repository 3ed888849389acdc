//! The engine: rules compiled for the narrowest word that holds a state, behind one type for all widths.
//!
//! ```text
//! scramble, shards, lookup, job_queries, values → batch, values_in_order, both_ends, ends_kept →
//! whereabouts → jobs → compiled → machine → job_reader, sight, indexed_rules → rows, choice → state
//! ```

mod batch;
mod both_ends;
mod choice;
mod compiled;
mod ends_kept;
mod indexed_rules;
mod job_queries;
mod job_reader;
mod jobs;
mod lookup;
mod machine;
mod rows;
mod scramble;
mod shards;
mod sight;
mod state;
mod values;
mod values_in_order;
mod whereabouts;

pub use choice::RunPlan;
pub use compiled::Engine;
pub use job_queries::Hard;
pub use jobs::JobFolder;
pub use lookup::Lookup;
pub use rows::{KeptValue, LookedUp, Packed, Rows, Span};
pub use scramble::Method;
pub use shards::{ShardDriver, ShardJob};
pub use state::{State, Successors};
