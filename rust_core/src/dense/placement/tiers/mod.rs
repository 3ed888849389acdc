//! The values of all placements, tier by tier: `docs/values.md`, "Placements".

mod best;
mod kept;
mod referee;
mod sweep;
mod tier;
mod transpose;

pub use kept::{KeptTier, TierPlace};
pub use sweep::KeepsTiers;
pub(in crate::dense) use sweep::{bytes, values};
