//! Rules: what a puzzle or game is, as checked data. Symbols and players are numbers here; names are for messages.

mod check;
mod composition;
mod data;
mod exclusive;
mod inverse;
mod model;
mod normal;
mod notation;
mod symmetry;

pub use data::{EndData, MoveData, PatternData, RULES_SCHEMA, RulesData, SourceData, SymmetriesData, SymmetryData};
pub use model::{
    End, MAX_CELLS, MAX_SYMBOLS, Move, Pattern, Rules, Source, Stuck, Symbol, SymbolMap, SymbolSet, Symmetry,
};
pub use notation::Notation;
pub use symmetry::SymmetryCheck;
