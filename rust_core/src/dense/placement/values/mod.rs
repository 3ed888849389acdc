//! The values of all placements, tier by tier: `docs/values.md`, "Placements".

mod kept;
mod kernel;
mod sweep;
mod terminal;
mod tier;
mod transpose;

pub use kept::{KeptTier, TierPlace};
pub use sweep::KeepsTiers;
pub(in crate::dense) use sweep::{bytes, values};
