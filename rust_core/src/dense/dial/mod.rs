//! The dense store of dials: moves turn cells in circles of symbols, and each sum of moves has a bit.

mod exchange;
mod expand;
mod fixed;
mod shape;
mod sweep;

pub(super) use shape::DialShape;
