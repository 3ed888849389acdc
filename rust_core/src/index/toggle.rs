//! The perfect index of the states that toggles can reach. A state's number is the set of moves of a basis that lead to
//! it.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! Toggles commute and undo themselves, so a state is the start plus a sum of moves over GF(2). With a basis of moves,
//! each state has exactly one such sum. The sum, read as a binary number with a bit for each basis move, is the number
//! of the state. A move flips the same bits in the numbers of all states. See [`crate::structure::Toggles`] for an
//! example.

use super::cut::Cut;
use super::perfect::Index;
use crate::rules::{Symbol, Symmetry};
use crate::structure::{Action, Structure};

/// The most cells of rules with this index: a set of cells is one word.
const MOST_CELLS: usize = 128;

/// The most independent moves. Each is a bit of a state's number, and no machine could hold a bit for each of more
/// states.
const MOST_BITS: usize = 40;

/// A set of cells.
pub type Flips = u128;

/// The index of rules whose moves toggle cells.
#[derive(Debug, Clone)]
pub struct ToggleIndex {
    /// For each move, the bits that it flips in a number. Equal moves are listed once, and moves that change nothing
    /// are left out.
    pub moves: Vec<u64>,
    /// For each bit of a number, the cells that the bit flips.
    pub basis: Vec<Flips>,
    /// Sums of moves of the basis, each with the cells that it flips and its number. No two sums have the same lowest
    /// cell.
    rows: Vec<(Flips, u64)>,
    start: Vec<Symbol>,
}

impl ToggleIndex {
    /// The index of the rules, if they have this shape: one player, no ends, and cells of two symbols. Every move must
    /// flip some cells, whatever they hold.
    pub fn of_structure(structure: &Structure) -> Option<Self> {
        let (rules, toggles) = (structure.rules(), structure.toggles()?);
        if rules.cells() > MOST_CELLS || rules.moves.is_empty() || toggles.rank() > MOST_BITS {
            return None;
        }
        let flips: Vec<Flips> = structure
            .actions()
            .iter()
            .map(|(_, action)| match action {
                Action::Flips(cells) => cells.iter().fold(0, |flips: Flips, cell| flips | 1 << cell),
                _ => 0,
            })
            .collect();
        let word = |bits: &[u64]| bits.iter().rev().fold(0, |word: Flips, &limb| word << 64 | Flips::from(limb));
        let rows = toggles.rows().iter().map(|(row, number)| (word(row), number[0])).collect();
        let basis = toggles.basis().iter().map(|&place| flips[place]).collect();
        let mut index = Self { moves: Vec::new(), basis, rows, start: rules.start.clone() };
        index.moves = flips.iter().filter_map(|&flips| index.number(flips)).filter(|&number| number != 0).collect();
        index.moves.sort_unstable();
        index.moves.dedup();
        Some(index)
    }

    /// The index with the given basis. `None` if the rules have no such index, or if `basis` is no basis of the sums of
    /// moves.
    pub fn of_basis(structure: &Structure, basis: &[Flips]) -> Option<Self> {
        let own = Self::of_structure(structure)?;
        let mut index = Self { moves: Vec::new(), basis: basis.to_vec(), rows: Vec::new(), start: own.start.clone() };
        for (bit, &flips) in basis.iter().enumerate().take(own.bits()) {
            let (rest, number) = index.reduce(flips);
            if rest == 0 {
                return None; // a sum of those before it
            }
            index.rows.push((rest, number | 1 << bit));
        }
        if basis.len() != own.bits() {
            return None;
        }
        let renumbered = |&number: &u64| {
            let bits = (0..own.bits()).filter(|bit| number >> bit & 1 != 0);
            index.number(bits.fold(0, |flips, bit| flips ^ own.basis[bit]))
        };
        index.moves = own.moves.iter().map(renumbered).collect::<Option<_>>()?;
        index.moves.sort_unstable();
        Some(index)
    }

    /// The number of bits of a number. Each number with that many bits belongs to a state.
    pub fn bits(&self) -> usize {
        self.basis.len()
    }

    /// A basis, the smallest number first, of the states that a symmetry fixes: their numbers are the sums of the
    /// basis.
    ///
    /// Let σ be the action of the symmetry on numbers. It is linear, because it fixes the start, whose number is 0. It
    /// fixes a state if σ(n) = n for the state's number n, which means that `(σ - 1)(n) = 0`. So the numbers of the
    /// fixed states are the kernel of `σ - 1`.
    ///
    /// The kernel is found by elimination. Each bit of the basis is paired with its image under `σ - 1`. Images of
    /// earlier bits are added to the image, to clear as many of its bits as they can. The sums of bits that have those
    /// images are added to the bit alongside. If nothing of the image remains, the sum of bits is in the kernel.
    ///
    /// For example, take four lamps in a row with a switch each, and the mirror. It carries bit 0 to bit 3, so 0001 has
    /// the image 1001. Likewise 0010 has the image 0110, and so has 0100. Adding the image of 0010 to that of 0100
    /// leaves nothing, so 0010 + 0100 = 0110 is in the kernel. In the same way 1001 is. The sums 0000, 0110, 1001 and
    /// 1111 are the four states that the mirror fixes.
    pub fn fixed(&self, symmetry: &Symmetry) -> Vec<u64> {
        let (mut rows, mut fixed): (Vec<(u64, u64)>, _) = (Vec::new(), Vec::new());
        for (bit, &flips) in self.basis.iter().enumerate() {
            let cells = (0..self.start.len()).filter(|cell| flips >> cell & 1 != 0);
            let image = cells.fold(0, |image, cell| image | 1 << symmetry.cells[cell]);
            let moved = self.number(image).expect("a symmetry takes sums of moves to sums of moves");
            // `sum` is a sum of bits, at first this bit alone, and `change` is its image under σ - 1.
            let (mut change, mut sum) = (moved ^ 1 << bit, 1 << bit);
            for &(other, numbers) in &rows {
                if change >> other.trailing_zeros() & 1 != 0 {
                    (change, sum) = (change ^ other, sum ^ numbers);
                }
            }
            if change == 0 { fixed.push(sum) } else { rows.push((change, sum)) }
        }
        by_highest(fixed)
    }

    /// The number of the sum of moves that flips the given cells, if there is one.
    fn number(&self, flips: Flips) -> Option<u64> {
        let (rest, number) = self.reduce(flips);
        (rest == 0).then_some(number)
    }

    /// Adds each row whose lowest cell is still flipped, which clears that cell. Returns the cells that remain, and the
    /// number of the sum of the added rows.
    fn reduce(&self, mut flips: Flips) -> (Flips, u64) {
        let mut number = 0;
        for &(row, sum) in &self.rows {
            if flips >> row.trailing_zeros() & 1 != 0 {
                (flips, number) = (flips ^ row, number ^ sum);
            }
        }
        (flips, number)
    }
}

impl Index for ToggleIndex {
    fn len(&self) -> u64 {
        1 << self.bits()
    }

    fn rank(&self, state: &[Symbol]) -> Option<u64> {
        let flipped = |cell: usize| self.start[cell] ^ state[cell];
        if state.len() != self.start.len() || (0..state.len()).any(|cell| flipped(cell) > 1) {
            return None;
        }
        self.number((0..state.len()).fold(0, |flips: Flips, cell| flips | Flips::from(flipped(cell)) << cell))
    }

    fn unrank(&self, number: u64) -> Vec<Symbol> {
        let bits = (0..self.basis.len()).filter(|bit| number >> bit & 1 != 0);
        let flips = bits.fold(0, |flips, bit| flips ^ self.basis[bit]);
        self.start.iter().enumerate().map(|(cell, &symbol)| symbol ^ (flips >> cell & 1) as Symbol).collect()
    }

    fn cut(&self) -> Cut {
        let cells = |flips: &Flips| (0..Flips::BITS as usize).filter(|cell| flips >> cell & 1 != 0).collect();
        Cut::Toggle { basis: self.basis.iter().map(cells).collect() }
    }
}

/// Another basis of the sums of the given numbers, the smallest number first, in which no two numbers have the same
/// highest bit. With it, sums of the first numbers lie close to each other in memory.
fn by_highest(numbers: Vec<u64>) -> Vec<u64> {
    let mut reduced: Vec<u64> = Vec::with_capacity(numbers.len());
    for mut number in numbers {
        // Going down from the highest number, each number clears its own highest bit in the new number.
        for &other in reduced.iter().rev() {
            number = number.min(number ^ other);
        }
        let at = reduced.partition_point(|&other| other < number);
        reduced.insert(at, number);
    }
    reduced
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::rules::{Rules, RulesData};

    /// Rules of `cells` cells with moves that flip the given cells, and with a symmetry if one is given.
    fn structure(cells: usize, moves: &[&[usize]], symmetry: Option<&[usize]>) -> Structure {
        let flip = |&cell: &usize| serde_json::json!([cell, {"copy": cell, "map": {".": "#", "#": "."}}]);
        let moves = moves.iter().enumerate().map(|(name, cells)| {
            serde_json::json!({"name": name.to_string(), "then": cells.iter().map(flip).collect::<Vec<_>>()})
        });
        let symmetries: Vec<_> =
            symmetry.iter().map(|cells| serde_json::json!({"name": "mirror", "cells": cells})).collect();
        let data = serde_json::json!({"symbols": [".", "#"], "start": vec!["."; cells],
            "moves": moves.collect::<Vec<_>>(), "symmetries": symmetries});
        Structure::new(Arc::new(Rules::new(&serde_json::from_value::<RulesData>(data).unwrap()).unwrap())).unwrap()
    }

    #[test]
    fn every_number_has_a_state_of_its_own_and_moves_add_to_it() {
        let presses: [&[usize]; 5] = [&[0, 1], &[1, 2], &[0, 2], &[3], &[0, 1, 3]];
        let index = ToggleIndex::of_structure(&structure(4, &presses, None)).unwrap();
        assert_eq!(index.bits(), 3);
        let states: HashSet<Vec<Symbol>> = (0..8).map(|number| index.unrank(number)).collect();
        assert_eq!(states.len(), 8);
        assert_eq!(index.moves.len(), 5);
        for number in 0..8 {
            let after: HashSet<Vec<Symbol>> = index.moves.iter().map(|added| index.unrank(number ^ added)).collect();
            let flipped: HashSet<Vec<Symbol>> = presses
                .iter()
                .map(|cells| {
                    let mut state = index.unrank(number);
                    cells.iter().for_each(|&cell| state[cell] ^= 1);
                    state
                })
                .collect();
            assert_eq!(after, flipped);
        }
    }

    #[test]
    fn sums_of_what_is_fixed_are_fixed_and_no_others_are() {
        let mirror = [3, 2, 1, 0];
        let structure = structure(4, &[&[0, 1], &[2, 3], &[1, 2], &[1], &[2]], Some(&mirror));
        let index = ToggleIndex::of_structure(&structure).unwrap();
        let basis = index.fixed(&structure.symmetries()[1]);
        let sums = |chosen: usize| {
            basis.iter().enumerate().filter(|(at, _)| chosen >> at & 1 != 0).fold(0, |sum, (_, number)| sum ^ number)
        };
        let found: HashSet<u64> = (0..1 << basis.len()).map(sums).collect();
        let fixed = |number: &u64| {
            let state = index.unrank(*number);
            (0..4).all(|cell| state[mirror[cell]] == state[cell])
        };
        assert_eq!(found, (0..1 << index.bits()).filter(fixed).collect());
    }
}
