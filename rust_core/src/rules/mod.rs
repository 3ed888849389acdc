//! Rules: a puzzle or game as checked data. Symbols and players are numbers here; names are for messages.

mod compare;
mod composition;
mod condition;
mod data;
mod goal;
mod inverse;
mod model;
mod move_names;
mod normal;
mod notation;
mod pattern;
mod symmetry;
mod turns;
mod validate;
mod varying;
mod witness;

#[cfg(test)]
pub use data::CountedGoalData;
pub use data::{
    ConnectionData, CountData, EndData, GoalData, MoveData, PatternData, RulesData, ScoreData, SourceData, SumData,
    SymmetriesData, SymmetryData,
};
pub use model::{
    Condition, Connection, Count, End, Goal, MAX_CELLS, Move, Rules, Scoring, Source, Stuck, SymbolMap, Symmetry,
};
pub use notation::Notation;
pub use pattern::{Comparison, Pattern, Symbol, SymbolSet};
pub use symmetry::SymmetryCheck;
pub use varying::Varying;
