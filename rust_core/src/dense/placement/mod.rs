//! The dense store of placements: games in which players put marks of their own into empty cells.

mod cell_sets;
mod fill;
mod layer;
mod layers;
mod shape;
mod values;

pub(super) use shape::PlacementShape;
pub use values::{KeepsTiers, KeptTier, TierPlace};
pub(in crate::dense) use values::{bytes as values_bytes, values};
