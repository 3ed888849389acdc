//! The engine: rules compiled for the narrowest word that holds a state, behind one type for all widths.
//!
//! ```text
//! shard_values → farthest, scramble, shards, values → counted_values → lookup, job_queries → batch, reached,
//! values_in_order, enumeration → jobs → compiled → recount, word_width → machine → job_reader, goal_count,
//! indexed_rules → rows, choice, drawn → goal_roots, state
//! ```

mod batch;
mod choice;
mod compiled;
mod counted_values;
mod drawn;
mod enumeration;
mod farthest;
mod goal_count;
mod goal_roots;
mod indexed_rules;
mod job_queries;
mod job_reader;
mod jobs;
mod lookup;
mod machine;
mod reached;
mod recount;
mod rows;
mod scramble;
mod shard_values;
mod shards;
mod state;
mod values;
mod values_in_order;
mod word_width;

pub use choice::RunPlan;
pub use compiled::Engine;
pub use drawn::Method;
pub use job_queries::Hard;
pub use jobs::JobFolder;
pub use lookup::Lookup;
pub use reached::{AllReached, JobEdges, ReachedGraph};
pub use rows::{KeptValue, LookedUp, Packed, Rows, Span};
pub use shards::{ShardDriver, ShardFolders, ShardJob};
pub use state::{State, Successors};
