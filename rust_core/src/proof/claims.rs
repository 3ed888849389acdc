//! The claims of a job about its states: the cells of each state, what is claimed of it, and a table that finds a
//! state.

use super::player::{CellCodes, Outcome};
use crate::{Error, Result};

/// The value that a job claims for a state.
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

/// The claims of a job about one state.
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

/// The reason why a claim was not added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refused {
    /// There is a claim about this state already.
    Twice,
    /// There is no room for another claim.
    TooMany,
}

/// All claims of a job. Memory for all of them is reserved at the beginning, so nothing is copied when claims are
/// added.
pub struct Claims {
    cells: usize,
    room: usize,
    rows: Vec<u8>,
    pub said: Vec<Claim>,
    /// A hash table with linear probing. A slot has the place of a claim plus one, or 0 if it is empty. The number of
    /// slots is a power of two, and at least half of them are empty.
    table: Vec<u32>,
}

/// The most claims there can be, since a slot has 32 bits for the place of a claim plus one.
const MOST: u64 = u32::MAX as u64;

impl Claims {
    /// Reserves memory for claims about `states` states of `cells` cells.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if there are too many states for a proof, or for the memory.
    pub fn new(cells: usize, states: u64) -> Result<Self> {
        let too_many = || Error::Memory(format!("a proof takes {MOST} states at the most, and the job has {states}"));
        let room = usize::try_from(states).ok().filter(|_| states <= MOST).ok_or_else(too_many)?;
        let bytes = room.checked_mul(cells).ok_or_else(too_many)?;
        let slots = room.checked_mul(2).and_then(usize::checked_next_power_of_two).ok_or_else(too_many)?;
        let mut claims = Self { cells, room, rows: Vec::new(), said: Vec::new(), table: Vec::new() };
        let reserved = claims.rows.try_reserve_exact(bytes);
        let reserved = reserved.and_then(|()| claims.said.try_reserve_exact(room));
        reserved
            .and_then(|()| claims.table.try_reserve_exact(slots))
            .map_err(|_| Error::Memory(format!("the system gives no memory for the proof of {states} states")))?;
        claims.table.resize(slots, 0);
        Ok(claims)
    }

    pub fn len(&self) -> usize {
        self.said.len()
    }

    /// The cells of the state that a claim is about.
    pub fn cells(&self, place: usize) -> &CellCodes {
        &self.rows[place * self.cells..][..self.cells]
    }

    /// The player to move in the state that a claim is about.
    pub fn player(&self, place: usize) -> usize {
        usize::from(self.said[place].player)
    }

    /// Adds a claim. It is refused if there is no room, or if there is a claim about the same state.
    pub fn add(&mut self, cells: &CellCodes, claim: Claim) -> std::result::Result<(), Refused> {
        if self.len() == self.room {
            return Err(Refused::TooMany);
        }
        let slot = self.slot(cells, usize::from(claim.player));
        if self.table[slot] != 0 {
            return Err(Refused::Twice);
        }
        self.rows.extend_from_slice(cells);
        self.said.push(claim);
        self.table[slot] = self.len() as u32;
        Ok(())
    }

    /// The place of the claim about a state; `None` if there is no claim.
    pub fn find(&self, cells: &CellCodes, player: usize) -> Option<usize> {
        (self.table[self.slot(cells, player)] as usize).checked_sub(1)
    }

    /// The slot that has a state or, if no slot has it, the empty slot where it would go.
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
