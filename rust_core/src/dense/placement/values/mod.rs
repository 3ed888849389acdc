//! The values of all placements, tier by tier: `docs/values.md`, "Placements".

mod kept_lookup;
mod kernel;
mod terminal;
mod tier;
mod tier_sweep;
mod transpose;

pub use kept_lookup::{KeptTier, TierPlace};
pub use tier_sweep::KeepsTiers;
pub(in crate::dense) use tier_sweep::{bytes, values};
