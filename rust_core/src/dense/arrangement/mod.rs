//! The dense store of arrangements of distinct symbols: no two cells hold the same symbol, and moves rearrange the
//! symbols.

mod plane_search;
mod plane_shape;
mod plane_sweep;
mod planes;
mod pull;
mod wide;

pub(super) use plane_shape::PlaneShape;
