//! The states of a job as tables: columns for other programs, files, and texts.
//!
//! Users find it explained in `docs/tables.md`.

mod arrow_types;
mod columns;
mod export;
mod parquet;
mod stream;

pub use export::Format;
