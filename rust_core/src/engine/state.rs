//! One state as plain data, and the digest that is its key.

use crate::rules::{Rules, Symbol};

/// One position: a symbol for each cell, and the player to move (0 in a puzzle).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct State {
    /// The symbol of each cell.
    pub cells: Vec<Symbol>,
    /// The player to move.
    pub player: usize,
}

impl State {
    /// The number of bytes of a row: one for each cell, and in a game one more for the player to move.
    pub(super) fn row_bytes(rules: &Rules) -> usize {
        rules.board() + usize::from(rules.player_count() == 2)
    }

    /// The state that a row holds.
    pub(super) fn of_row(row: &[u8], rules: &Rules) -> Self {
        let (cells, player) = row.split_at(rules.board());
        Self { cells: cells.to_vec(), player: player.first().map_or(0, |&player| player as usize) }
    }

    /// Adds the state to some rows.
    pub(super) fn push_row(&self, rows: &mut Vec<u8>, rules: &Rules) {
        rows.extend_from_slice(&self.cells);
        if rules.player_count() == 2 {
            rows.push(self.player as u8);
        }
    }
}

/// The successors of many states.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Successors {
    /// A row for each successor, in order of the parents, and then in order of the moves.
    pub rows: Vec<u8>,
    /// For each successor, the number of the given state that it comes from.
    pub parents: Vec<u32>,
    /// For each successor, the number of the move that leads to it.
    pub moves: Vec<u32>,
}

impl Successors {
    /// Drops all successors, and keeps the memory of the lists.
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.parents.clear();
        self.moves.clear();
    }
}

/// Makes the digests of keys independent of every other use of the hash function.
const KEY_PERSONALISATION: &[u8; 16] = b"puzzlekit-key-1\0";

/// The digest of a state: see [`super::Engine::key`].
pub(super) fn digest(player: usize, cells: &[u8]) -> u128 {
    let hash = blake2b_simd::Params::new()
        .hash_length(16)
        .personal(KEY_PERSONALISATION)
        .to_state()
        .update(&[player as u8])
        .update(cells)
        .finalize();
    hash.as_bytes().iter().fold(0, |key, &byte| key << 8 | u128::from(byte))
}
