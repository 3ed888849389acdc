//! Short codes for positions of games whose cells are filled only along [chains](super::chains). The table of a search
//! keeps these codes rather than words, so twice as many fit the same memory.
//!
//! Take disks that fall into columns of three cells. Each column has four bits. The first bits are those of the taken
//! cells, from the lowest one on: 1 for a disk of the first player, and 0 for one of the second. The next bit is 1, and
//! tells how many cells are taken; the bits after it are 0. So a column in which the first player has the lowest cell
//! and the second player the next one has the bits 1, 0, 1 and 0, and an empty column has 1, 0, 0 and 0.
//!
//! A move flips the same bits wherever it is made: if the first player moves, the bit after that of the cell; if the
//! second player moves, the bit of the cell as well. So codes, and those of images under a symmetry, need no tables.

use super::chains::Chains;
use super::masks::{MOST_CELLS, SETS};
use crate::rules::Symmetry;

/// The code of a position, and that of its image under the symmetry; the same code twice if there is no symmetry.
pub type CodePair = [u64; 2];

/// Finds the codes of positions.
#[derive(Debug)]
pub struct ChainCodes {
    /// The number of the set that has the symbol of free cells alone.
    free: usize,
    /// The number of a set that has the first player's symbol, but not the second's.
    first: usize,
    /// The codes of the board on which all cells are free.
    empty: CodePair,
    cells: u64,
    /// For each player and cell, what a move into the cell flips.
    flips: [Box<[CodePair; MOST_CELLS]>; 2],
}

impl ChainCodes {
    /// The codes for the chains of a board all of whose cells are in chains. `free` and `first` are the numbers of sets
    /// of symbols. `symmetry` keeps symbols and players. `None` if a code has more than 64 bits.
    pub fn new(chains: &Chains, free: u8, first: u8, symmetry: &Symmetry) -> Option<Self> {
        let cells = symmetry.cells.len();
        // Where the bits of each cell's chain begin.
        let (mut begins, mut bits, mut empty) = ([0; MOST_CELLS], 0, 0);
        for cell in (0..cells).filter(|&cell| chains.before(cell) == 0) {
            empty |= 1u64.checked_shl(bits)?;
            for other in (0..cells).filter(|&other| chains.chain(cell) >> other & 1 == 1) {
                begins[other] = bits;
            }
            bits += chains.chain(cell).count_ones() + 1;
        }
        if bits > u64::BITS {
            return None;
        }
        let bit = |cell: usize| 1u64 << (begins[cell] + chains.before(cell).count_ones());
        let mut flips = [Box::new([[0; 2]; MOST_CELLS]), Box::new([[0; 2]; MOST_CELLS])];
        for (cell, &image) in symmetry.cells.iter().enumerate() {
            let bits = [cell, image].map(bit);
            flips[0][cell] = bits.map(|bit| bit << 1);
            flips[1][cell] = bits.map(|bit| bit | bit << 1);
        }
        let (free, first, empty) = (usize::from(free), usize::from(first), [empty; 2]);
        Some(Self { free, first, empty, cells: u64::MAX >> (MOST_CELLS - cells), flips })
    }

    /// The codes of a position.
    pub fn of(&self, sets: &[u64; SETS]) -> CodePair {
        let (mut codes, mut taken) = (self.empty, self.cells & !sets[self.free]);
        while taken != 0 {
            let cell = taken.trailing_zeros() as usize;
            codes = self.after(codes, usize::from(sets[self.first] >> cell & 1 == 0), cell);
            taken &= taken - 1;
        }
        codes
    }

    /// The codes of the position after a move of a player into a cell.
    #[inline(always)]
    pub fn after(&self, [code, image]: CodePair, player: usize, cell: usize) -> CodePair {
        let [one, other] = self.flips[player][cell % MOST_CELLS];
        [code ^ one, image ^ other]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn codes_tell_positions_apart_and_know_their_images() {
        // Three columns of two cells: 0, 2 and 4 stand on 1, 3 and 5. The symmetry swaps the first and the last column.
        let mut before = [0; MOST_CELLS];
        [before[0], before[2], before[4]] = [1 << 1, 1 << 3, 1 << 5];
        let chains = Chains::new(0b11_1111, &before).unwrap();
        let symmetry = Symmetry { cells: vec![4, 5, 2, 3, 0, 1], ..Symmetry::identity(6, 3) };
        let codes = ChainCodes::new(&chains, 0, 1, &symmetry).unwrap();
        let image =
            |cells: u64| (0..6).filter(|cell| cells >> cell & 1 == 1).map(|cell| 1 << symmetry.cells[cell]).sum();
        let mut known: HashMap<CodePair, [u64; 2]> = HashMap::new();
        let mut open = vec![[0b11_1111u64, 0]];
        while let Some([free, first]) = open.pop() {
            let of = |free: u64, first: u64| codes.of(&[free, first, 0, 0, 0, 0, 0, 0]);
            let [code, other] = of(free, first);
            assert_eq!(of(image(free), image(first)), [other, code]);
            if let Some(before) = known.insert([code, other], [free, first]) {
                assert_eq!(before, [free, first]);
                continue;
            }
            for cell in (0..6).filter(|&cell| free >> cell & 1 == 1 && free & chains.before(cell) == 0) {
                for player in 0..2 {
                    let next = [free & !(1 << cell), first | u64::from(player == 0) << cell];
                    assert_eq!(codes.after([code, other], player, cell), of(next[0], next[1]));
                    open.push(next);
                }
            }
        }
        // A column has no disk, one of either player, or two.
        assert_eq!(known.len(), 7 * 7 * 7);
    }

    #[test]
    fn long_chains_have_no_codes() {
        // Four columns of fifteen cells have 64 bits, and four of sixteen would have 68.
        for (height, fits) in [(15, true), (16, false)] {
            let mut before = [0; MOST_CELLS];
            for cell in (0..4 * height).filter(|cell| cell % height > 0) {
                before[cell] = before[cell - 1] | 1 << (cell - 1);
            }
            let chains = Chains::new(u64::MAX >> (MOST_CELLS - 4 * height), &before).unwrap();
            assert_eq!(ChainCodes::new(&chains, 0, 1, &Symmetry::identity(4 * height, 3)).is_some(), fits);
        }
    }
}
