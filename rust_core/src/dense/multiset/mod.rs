//! The dense store of rules whose moves rearrange symbols, some of which occur more than once.

mod copies;
mod cost;
mod expand;
mod shape;
mod sweep;
mod tables;

pub(super) use shape::MultisetShape;
