//! The sizes of the parts of the dense store's work. They make a run faster or slower, and change no count.
//!
//! The cut of a new index may depend on these sizes, too. A job keeps that cut, so reading its files never depends on
//! them.

use crate::run::Grain;

/// The sizes of the parts of the work, given when an index is made. Tests make all sizes small, so that even small
/// rules have several chunks, blocks and parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// The most bytes of a chunk of a swept index. Three chunks stay in the second-level cache: one of the last depth,
    /// one of the next depth, and one of all states seen.
    pub chunk_bytes: usize,
    /// The most states of a block when the index of a multiset is cut anew. The words of a block, and the places that
    /// moves lead to, then stay in the first-level cache.
    pub block_states: u64,
    /// The most entries of the table of a move of an arrangement. A move that needs more is computed state by state.
    pub table_entries: u64,
    /// The binary logarithm of the number of words of a block of lamps. With blocks of this size, adding a block
    /// takes far longer than finding its source.
    pub block_word_bits: usize,
    /// The number of rows of placements that a thread fills at a time.
    pub rows: usize,
    /// The number of chunks in a part of a depth; for placements, the factor for [`Self::rows`] rows. A job may keep a
    /// depth after each part. Threads wait for each other at the end of a part. With `None`, a part takes some seconds.
    pub part_chunks: Option<usize>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            chunk_bytes: 64 << 10,
            block_states: 8192,
            table_entries: 1 << 16,
            block_word_bits: 7,
            rows: 64,
            part_chunks: None,
        }
    }
}

impl Tuning {
    /// The sizes that a caller has chosen with `grain`, as tests do, or the default sizes without it.
    pub fn new(grain: Option<Grain>) -> Self {
        let Some(Grain { block_states, .. }) = grain else { return Self::default() };
        Self {
            chunk_bytes: block_states,
            block_states: (block_states as u64).clamp(1, Self::default().block_states),
            table_entries: block_states as u64,
            block_word_bits: 1,
            rows: block_states.max(1),
            part_chunks: Some(1),
        }
    }
}
