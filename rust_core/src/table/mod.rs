//! The states of a job as tables: columns for other programs, files, and texts.
//!
//! `docs/tables.md` explains this to users.

mod arrow_types;
mod columns;
mod encodings;
mod export;
mod parquet;
mod stream;
mod thrift;

pub use export::Format;
