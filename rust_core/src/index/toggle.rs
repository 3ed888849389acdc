//! The perfect index of the states that toggles can reach: which of some independent moves are made to reach them.
//!
//! Toggles commute and undo themselves, so a state is the start plus a sum of moves over GF(2). In a basis of moves each state
//! has one such sum; read as a binary number, a move adds the same number to all states, without carry. See
//! [`crate::structure::Toggles`] for an example.

use super::cut::Cut;
use super::perfect::Index;
use crate::rules::{Symbol, Symmetry};
use crate::structure::{Action, Structure};

/// The most cells: a set of them is a word.
const MOST_CELLS: usize = 128;

/// The most independent moves: no machine would hold the bits of more.
const MOST_BITS: usize = 40;

/// A set of cells.
pub type Flips = u128;

/// Rules whose moves toggle cells.
#[derive(Debug, Clone)]
pub struct ToggleIndex {
    /// What the moves that change something add to a number, each once.
    pub moves: Vec<u64>,
    /// For each bit of a number, the cells that it flips.
    pub basis: Vec<Flips>,
    /// Sums of the basis whose lowest cells differ, and their numbers.
    rows: Vec<(Flips, u64)>,
    start: Vec<Symbol>,
}

impl ToggleIndex {
    /// The rules as toggles, if they are: one player, no ends, and every move flips some cells of two symbols, whatever
    /// they hold.
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

    /// The same with a basis that is given; `None` also if it is no basis of the sums of moves.
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

    /// How many bits a number has: each number of so many is one of a state.
    pub fn bits(&self) -> usize {
        self.basis.len()
    }

    /// Independent numbers, the smallest first, whose sums are the numbers of all states that a symmetry leaves as they are.
    ///
    /// Let σ be what the symmetry does to numbers. It is linear, because the start, whose number is 0, stays as it is. A state
    /// stays as it is if σ of its number is the number, so if (σ - 1) of it is 0: these numbers are the kernel of σ - 1. It is found
    /// by elimination: for each bit of the basis, (σ - 1) of it is reduced by those of earlier bits, and the same bits are added up
    /// beside it. Where nothing remains of the first, the second is in the kernel.
    ///
    /// For example, four lamps in a row with a switch each, and the mirror. Bit 0 goes to bit 3, so (σ - 1) of 0001 is 1001, and
    /// likewise 0010 gives 0110. Bit 2 gives 0110 again, less that of bit 1 nothing: 0110 is in the kernel; and so is 1001. The sums
    /// 0000, 0110, 1001 and 1111 are the four states that the mirror leaves as they are.
    pub fn fixed(&self, symmetry: &Symmetry) -> Vec<u64> {
        let (mut rows, mut fixed): (Vec<(u64, u64)>, _) = (Vec::new(), Vec::new());
        for (bit, &flips) in self.basis.iter().enumerate() {
            let cells = (0..self.start.len()).filter(|cell| flips >> cell & 1 != 0);
            let image = cells.fold(0, |image, cell| image | 1 << symmetry.cells[cell]);
            let moved = self.number(image).expect("a symmetry takes sums of moves to sums of moves");
            // (σ - 1) of a sum that begins with this bit, and the sum.
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

    /// The number of what flips some cells, where sums of moves do.
    fn number(&self, flips: Flips) -> Option<u64> {
        let (rest, number) = self.reduce(flips);
        (rest == 0).then_some(number)
    }

    /// Takes sums of the basis away as long as that clears a lowest cell: what is left, and the number of what was taken.
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

/// Independent numbers with the same sums whose highest bits differ, the lowest first: so that sums of the first ones are close
/// to each other in memory.
fn by_highest(numbers: Vec<u64>) -> Vec<u64> {
    let mut reduced: Vec<u64> = Vec::with_capacity(numbers.len());
    for mut number in numbers {
        // From the highest down, each takes away the bit that it is the only one to have on top.
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

    /// Rules of so many cells, with the moves that flip these, and maybe a symmetry.
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
