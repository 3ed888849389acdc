//! The values of all placements, tier by tier: `docs/values.md`, "Placements".

mod best;
mod referee;
mod sweep;
mod tier;
mod transpose;

pub(in crate::dense) use sweep::{bytes, values};
