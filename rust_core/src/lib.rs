//! The engine of puzzlekit: puzzles and board games described as data, enumerated exactly and up to symmetry.
//!
//! A puzzle is *guarded cell rewriting*: cells hold symbols. A move has a guard (the symbols that some cells may hold)
//! and an effect (the new symbols; all reads come before all writes). [`RulesData`] describes both in plain data.
//! [`Engine::new`] checks the data, packs states into the narrowest word that holds them, and compiles moves to a few
//! bit operations and symmetries to tables. No puzzle is known here by name.
//!
//! # Examples
//!
//! Two cells, a mark for each player, and a mirror symmetry:
//!
//! ```
//! use std::ops::ControlFlow;
//! use puzzlekit_core::{Engine, Options};
//!
//! let json = r#"{
//!     "symbols": [".", "X", "O"], "start": [".", "."], "players": ["X", "O"], "stuck": "draw",
//!     "moves": [
//!         {"name": "0", "player": "X", "when": [[0, ["."]]], "then": [[0, "X"]]},
//!         {"name": "1", "player": "X", "when": [[1, ["."]]], "then": [[1, "X"]]},
//!         {"name": "0", "player": "O", "when": [[0, ["."]]], "then": [[0, "O"]]},
//!         {"name": "1", "player": "O", "when": [[1, ["."]]], "then": [[1, "O"]]}
//!     ],
//!     "symmetries": [{"name": "mirror", "cells": [1, 0]}]
//! }"#;
//! let engine = Engine::new(&serde_json::from_str(json)?)?;
//! let report = engine.enumerate(&Options::default(), &|_| ControlFlow::Continue(()))?;
//! assert_eq!((report.states(), report.raw_states()), (3, 5));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The tree
//!
//! A folder is one idea. The folders stand in the order of their layers: each uses only what stands below it.
//!
//! ```text
//! py/            the only code that knows of Python: convert, run, convert
//! web/           the engine in a page: one call, JSON in and JSON out
//! fuzzing.rs     what the fuzz targets call
//! proof/         a second program that derives what a job claims, from the rules as they are written
//! table/         the states of a job as columns, and their export
//! engine/        one type for all widths of words: run, plan, read, scramble, states one at a time and in arrays
//! solve/         answers about one state, one strategy a file
//! values/        what all states are worth, and distances to the goal: swept by depth, spread backward, kept in a job
//! graph/         found states as numbers, and the moves between them; its traits hide the width of a word
//! dense/         enumeration over bits: a perfect index, a bit a state; a folder or file for each shape of rules
//! sparse/        enumeration over packed words: expand, partition, close, spill to disk, merge
//! job/           the files of jobs: manifest, columns, lock, codec; nothing else touches files
//! run/           the options, the progress and the report of a run
//! index/         perfect indexes: a state to its number and back, one shape a file
//! compile/       packed words; guards, moves and symmetries as bit operations and tables
//! structure/     knowledge without a search: effects of moves, groups, dials, symmetries, depths
//! rules/         the data: validation, inverses, the check of symmetries, the text of states
//! ordered.rs     ordered sets and maps of few items
//! json.rs        data from JSON
//! sorting.rs     sorting of lists that are short
//! random.rs      random numbers that are the same for ever
//! instant.rs     points in time, by the clock of the system or of a page
//! memory.rs      the memory that this process may use, and its limits
//! error.rs       the one Error
//! tests/         tests across folders: each fast path compared with a plain one, jobs that fail at every step
//! ```
//!
//! # Layers
//!
//! Each uses only what stands to its right, and no two files use each other:
//!
//! ```text
//! py, web → fuzzing → proof, table → engine → solve → values → graph → dense, sparse → job →
//! run → index, compile → structure → rules → memory → ordered, sorting, json, random, instant, error
//! ```

mod compile;
mod dense;
mod engine;
mod error;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod graph;
mod index;
mod instant;
mod job;
mod json;
mod memory;
mod ordered;
#[cfg_attr(not(feature = "python"), allow(dead_code, unused_imports, reason = "only the binding of Python calls it"))]
mod proof;
#[cfg(feature = "python")]
mod py;
mod random;
mod rules;
mod run;
mod solve;
mod sorting;
mod sparse;
mod structure;
#[cfg(feature = "tables")]
mod table;
#[cfg(test)]
mod tests;
mod values;
#[cfg(feature = "web")]
pub mod web;

pub use compile::cpu::InstructionSet;
pub use engine::{
    AllReached, Engine, Hard, JobEdges, JobFolder, KeptValue, LookedUp, Lookup, Method, Packed, ReachedGraph, Rows,
    RunPlan, ShardDriver, ShardFolders, ShardJob, Span, State, Successors,
};
pub use error::{Error, Result};
pub use job::{DepthEntry, FileEntry, JobPlace, LocalShards, TableCache, ValuesStage};
pub use memory::{GroupLimit, MemoryLimit, memory_bytes, memory_limit};
pub use random::Random;
pub use rules::{EndData, MoveData, Notation, PatternData, Rules, RulesData, SourceData, SymmetryData};
pub use run::{Budget, DepthReport, Options, Progress, Report, Stop, Store, TierValues, Watch, Worth};
pub use solve::{
    Answered, Asked, Every, Foreseen, Judged, Limit, Play, Proof, ProvenLength, Question, Solution, Solved, Technique,
};
pub use structure::{FoundSymmetries, PermutationGroup};
#[cfg(feature = "tables")]
pub use table::Format;
pub use values::{AllValues, DepthValues, Tally, Value, ValuesFound};
