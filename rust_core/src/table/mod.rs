//! The states of a job as tables: columns for other programs, files, and texts.

mod columns;
mod export;
mod stream;

pub use columns::Columns;
pub use export::Format;
