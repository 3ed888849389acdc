//! Moves and demands of a game as masks of cells. `set_board.rs` explains them.

use crate::rules::Symbol;

/// The most cells, since a mask has 64 bits.
pub const MOST_CELLS: usize = u64::BITS as usize;

/// The most sets of symbols. A position has a mask of cells for each.
pub const SETS: usize = 8;

/// A demand of a guard or end: certain cells hold symbols of a certain set.
#[derive(Debug, Clone, Copy, Default)]
pub struct Wanted {
    /// The number of the set of symbols.
    pub set: u8,
    /// The number of a larger set: the symbols of `set`, and those that moves can turn into one of them.
    pub live: u8,
    pub cells: u64,
}

impl Wanted {
    /// The cells that do not hold a symbol of the set.
    #[inline(always)]
    pub fn missing(self, sets: &[u64; SETS]) -> u64 {
        self.cells & !sets[usize::from(self.set) % SETS]
    }

    /// The wanted cells whose symbol no moves can turn into one of the set.
    #[inline(always)]
    pub fn dead(self, sets: &[u64; SETS]) -> u64 {
        self.cells & !sets[usize::from(self.live) % SETS]
    }
}

/// A move, with masks of the cells that it reads and writes.
#[derive(Debug)]
pub struct SetMove {
    /// For each set of symbols, the bits that the move flips in the set's mask.
    pub flips: [u64; SETS],
    /// A mask of the cells that the move writes.
    pub writes: u64,
    /// A mask of the cells that the move writes or its guard reads.
    pub touches: u64,
    pub guard: Box<[Wanted]>,
    /// The numbers of the ends that the move can complete, in order of precedence.
    pub ends: Box<[u32]>,
}

impl SetMove {
    #[inline(always)]
    pub fn can(&self, sets: &[u64; SETS]) -> bool {
        let mut missing = 0;
        for wanted in &self.guard {
            missing |= wanted.missing(sets);
        }
        missing == 0
    }

    /// The masks of a position after the move.
    #[inline(always)]
    pub fn after(&self, sets: &[u64; SETS]) -> [u64; SETS] {
        let mut sets = *sets;
        for (set, flip) in sets.iter_mut().zip(&self.flips) {
            *set ^= flip;
        }
        sets
    }
}

/// A cell that a move changes, with the symbol there before the move and the one after it.
pub type CellChange = (usize, Symbol, Symbol);
