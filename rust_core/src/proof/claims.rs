//! The claims of a job about its states: a row of cells for each, what is claimed of it, and a table that finds a row.

use super::player::{CellCodes, Outcome};

/// What a job claims of a state's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimedValue {
    Win,
    Draw,
    Loss,
    Solvable,
    Unsolvable,
    /// Points for the player to move.
    Points(i32),
}

/// What a job claims of one state.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    pub depth: u32,
    pub player: u8,
    pub orbit_size: u32,
    pub outcome: Option<Outcome>,
    pub value: Option<ClaimedValue>,
    /// The number of moves to the end, if it is claimed.
    pub distance: Option<u32>,
}

/// The claims of a job.
pub struct Claims {
    cells: usize,
    rows: Vec<u8>,
    pub said: Vec<Claim>,
    /// Places of claims, plus one, where the hash of a state says or right after it; 0 is empty. The length is a power
    /// of two, and at least half of it is empty.
    table: Vec<u32>,
}

/// The most claims: their places have 32 bits.
const MOST: usize = u32::MAX as usize - 1;

impl Claims {
    pub fn new(cells: usize) -> Self {
        Self { cells, rows: Vec::new(), said: Vec::new(), table: vec![0; 1 << 10] }
    }

    pub fn len(&self) -> usize {
        self.said.len()
    }

    /// The cells of the state of a claim.
    pub fn cells(&self, place: usize) -> &CellCodes {
        &self.rows[place * self.cells..][..self.cells]
    }

    /// The player to move in the state of a claim.
    pub fn player(&self, place: usize) -> usize {
        usize::from(self.said[place].player)
    }

    /// Adds a claim. Returns `false` if there is one of the same state.
    pub fn add(&mut self, cells: &CellCodes, claim: Claim) -> bool {
        assert!(self.len() < MOST, "a proof takes fewer than 2^32 states");
        if 2 * (self.len() + 1) > self.table.len() {
            self.table = vec![0; 2 * self.table.len()];
            for place in 0..self.len() {
                let slot = self.slot(self.cells(place), self.player(place));
                self.table[slot] = place as u32 + 1;
            }
        }
        let slot = self.slot(cells, usize::from(claim.player));
        if self.table[slot] != 0 {
            return false;
        }
        self.rows.extend_from_slice(cells);
        self.said.push(claim);
        self.table[slot] = self.len() as u32;
        true
    }

    /// The place of the claim of a state.
    pub fn find(&self, cells: &CellCodes, player: usize) -> Option<usize> {
        (self.table[self.slot(cells, player)] as usize).checked_sub(1)
    }

    /// The slot that has the state, or the empty one where it would be.
    fn slot(&self, cells: &CellCodes, player: usize) -> usize {
        let mut slot = hash(cells, player) as usize & (self.table.len() - 1);
        while let Some(place) = (self.table[slot] as usize).checked_sub(1) {
            if self.player(place) == player && self.cells(place) == cells {
                break;
            }
            slot = (slot + 1) & (self.table.len() - 1);
        }
        slot
    }
}

fn hash(cells: &CellCodes, player: usize) -> u64 {
    let mut hash = player as u64;
    for eight in cells.chunks(8) {
        let mut word = [0; 8];
        word[..eight.len()].copy_from_slice(eight);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 29;
    }
    hash.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}
