//! Arrangements of distinct symbols: no two cells hold the same symbol, and moves rearrange the symbols.

mod bits;
mod lanes;
mod plan;
mod shape;
mod sweep;

pub use shape::ArrangementShape;
pub(in crate::dense) use sweep::ArrangementSweep;
