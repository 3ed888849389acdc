//! The states of a job as tables: columns for other programs, files, and texts.
//!
//! `docs/tables.md` explains this to users.

mod arrow_types;
mod columns;
mod export;
mod parquet;
mod stream;

pub use export::Format;
