//! The dense store of pieces that twist: a block for each arrangement, with a bit for each combination of twists.

mod expand;
mod network;
mod shape;
mod sweep;
mod tables;

pub(super) use shape::PieceShape;
