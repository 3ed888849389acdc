//! Arrangements of distinct symbols: each cell holds another one, and moves put them into another order.

mod bits;
mod lanes;
mod plan;
mod shape;
mod sweep;

pub use shape::ArrangementShape;
pub(in crate::dense) use sweep::ArrangementSweep;
