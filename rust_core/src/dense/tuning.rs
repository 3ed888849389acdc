//! How much the dense store does at a time: what makes a run faster or slower, and changes no count.
//!
//! What a new index is cut into may depend on it, too. A job keeps that cut, so the files of a job never depend on it.

use crate::run::Grain;

/// How much is done at a time. Whoever makes an index gives it; tests make all of it small, to reach the seams on
/// small rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tuning {
    /// The most bytes of a chunk of a swept index: three chunks, of the last depth, the next one and all before, stay
    /// in the second-level cache.
    pub chunk_bytes: usize,
    /// The most states of a block of a multiset that is cut anew: its words, and the places that moves lead to, stay
    /// in the first-level cache.
    pub block_states: u64,
    /// How many words a block of toggles has, as a power of two: enough that finding a block costs nothing beside
    /// adding it.
    pub block_word_bits: usize,
    /// How many rows of placements a thread makes at a time.
    pub rows: usize,
    /// How many chunks, or times so many rows, make a part of a depth, after which a job may keep it; where this is
    /// `None`, so many as take some seconds. Threads wait for each other at the end of a part.
    pub part_chunks: Option<usize>,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { chunk_bytes: 64 << 10, block_states: 8192, block_word_bits: 7, rows: 64, part_chunks: None }
    }
}

impl Tuning {
    /// The tuning for a grain, where one is asked for.
    pub fn new(grain: Option<Grain>) -> Self {
        let Some(Grain { block_states, .. }) = grain else { return Self::default() };
        Self {
            chunk_bytes: block_states,
            block_states: (block_states as u64).clamp(1, Self::default().block_states),
            block_word_bits: 1,
            rows: block_states.max(1),
            part_chunks: Some(1),
        }
    }
}
