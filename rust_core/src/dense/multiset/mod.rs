//! Arrangements in which symbols repeat: moves rearrange the symbols.

mod copies;
mod cost;
mod expand;
mod shape;
mod sweep;
mod tables;

pub(super) use shape::MultisetShape;
