//! Placements: players put marks of their own into empty cells.

mod fill;
mod layer;
mod layers;
mod masks;
mod shape;
mod values;

pub(in crate::dense) use layers::PlacementLayers;
pub(in crate::dense) use masks::SetImages;
pub use shape::PlacementShape;
pub use values::{KeepsTiers, KeptTier, TierPlace};
pub(in crate::dense) use values::{bytes as values_bytes, values};
