//! The perfect index of the states that toggles can reach: which of some independent moves are made to reach them.
//!
//! Toggles commute and undo themselves, so a state is the start plus a sum of moves over GF(2). In a basis of moves each state
//! has one such sum; read as a binary number, a move adds the same number to all states, without carry.

use crate::rules::{Rules, Symbol, Symmetry};
use crate::structure::Toggles;

/// The most cells: a set of them is a word.
const MOST_CELLS: usize = 128;

/// The most independent moves: no machine would hold the bits of more.
const MOST_BITS: usize = 40;

/// A set of cells.
pub type Flips = u128;

/// Rules whose moves toggle cells.
#[derive(Debug, Clone)]
pub struct Combinations {
    /// What the moves that change something add to a number, each once.
    pub moves: Vec<u64>,
    /// For each bit of a number, the cells that it flips.
    pub basis: Vec<Flips>,
    /// Sums of the basis whose lowest cells differ, and their numbers.
    rows: Vec<(Flips, u64)>,
    start: Vec<Symbol>,
}

impl Combinations {
    /// The rules as toggles, where they are: one player, no ends, and every move flips some cells of two symbols, whatever
    /// they hold.
    pub fn of_rules(rules: &Rules) -> Option<Self> {
        if rules.cells() > MOST_CELLS || rules.moves.is_empty() || Toggles::of_rules(rules)?.rank() > MOST_BITS {
            return None;
        }
        let flips = |cells: &[usize]| cells.iter().fold(0, |flips: Flips, cell| flips | 1 << cell);
        let moves: Vec<Flips> = rules
            .moves
            .iter()
            .map(|given| flips(&given.then.iter().map(|&(cell, _)| cell).collect::<Vec<_>>()))
            .collect();
        let mut index = Self { moves: Vec::new(), basis: Vec::new(), rows: Vec::new(), start: rules.start.clone() };
        for &flips in &moves {
            let (rest, number) = index.reduce(flips);
            if rest != 0 {
                index.rows.push((rest, number | 1 << index.basis.len()));
                index.basis.push(flips);
            }
        }
        index.moves = moves.iter().filter_map(|&flips| index.number(flips)).filter(|&number| number != 0).collect();
        index.moves.sort_unstable();
        index.moves.dedup();
        Some(index)
    }

    /// How many bits a number has: each number of so many is one of a state.
    pub fn bits(&self) -> usize {
        self.basis.len()
    }

    /// The state of a number.
    pub fn write(&self, number: u64) -> Vec<Symbol> {
        let bits = (0..self.basis.len()).filter(|bit| number >> bit & 1 != 0);
        let flips = bits.fold(0, |flips, bit| flips ^ self.basis[bit]);
        self.start.iter().enumerate().map(|(cell, &symbol)| symbol ^ (flips >> cell & 1) as Symbol).collect()
    }

    /// Independent numbers, smallest first, whose sums are those of the states that a symmetry leaves as they are. The start, whose number is
    /// 0, is one of them: so the others are where what is flipped lies symmetrically.
    pub fn fixed(&self, symmetry: &Symmetry) -> Vec<u64> {
        let (mut rows, mut fixed): (Vec<(u64, u64)>, _) = (Vec::new(), Vec::new());
        for (bit, &flips) in self.basis.iter().enumerate() {
            let cells = (0..self.start.len()).filter(|cell| flips >> cell & 1 != 0);
            let image = cells.fold(0, |image, cell| image | 1 << symmetry.cells[cell]);
            let moved = self.number(image).expect("a symmetry takes sums of moves to sums of moves");
            // What the symmetry changes of this number, less what it changes of others: nothing, in the end, for a sum of
            // them that it leaves as it is.
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

    use super::*;
    use crate::rules::RulesData;

    /// Rules of so many cells, with the moves that flip these, and maybe a symmetry.
    fn rules(cells: usize, moves: &[&[usize]], symmetry: Option<&[usize]>) -> Rules {
        let flip = |&cell: &usize| serde_json::json!([cell, {"copy": cell, "map": {".": "#", "#": "."}}]);
        let moves = moves.iter().enumerate().map(|(name, cells)| {
            serde_json::json!({"name": name.to_string(), "then": cells.iter().map(flip).collect::<Vec<_>>()})
        });
        let symmetries: Vec<_> =
            symmetry.iter().map(|cells| serde_json::json!({"name": "mirror", "cells": cells})).collect();
        let data = serde_json::json!({"symbols": [".", "#"], "start": vec!["."; cells],
            "moves": moves.collect::<Vec<_>>(), "symmetries": symmetries});
        Rules::new(&serde_json::from_value::<RulesData>(data).unwrap()).unwrap()
    }

    #[test]
    fn every_number_has_a_state_of_its_own_and_moves_add_to_it() {
        let presses: [&[usize]; 5] = [&[0, 1], &[1, 2], &[0, 2], &[3], &[0, 1, 3]];
        let rules = rules(4, &presses, None);
        let index = Combinations::of_rules(&rules).unwrap();
        assert_eq!(index.bits(), 3);
        let states: HashSet<Vec<Symbol>> = (0..8).map(|number| index.write(number)).collect();
        assert_eq!(states.len(), 8);
        assert_eq!(index.moves.len(), 5);
        for number in 0..8 {
            let after: HashSet<Vec<Symbol>> = index.moves.iter().map(|added| index.write(number ^ added)).collect();
            let flipped: HashSet<Vec<Symbol>> = presses
                .iter()
                .map(|cells| {
                    let mut state = index.write(number);
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
        let rules = rules(4, &[&[0, 1], &[2, 3], &[1, 2], &[1], &[2]], Some(&mirror));
        let index = Combinations::of_rules(&rules).unwrap();
        let basis = index.fixed(&rules.group[1]);
        let sums = |chosen: usize| {
            basis.iter().enumerate().filter(|(at, _)| chosen >> at & 1 != 0).fold(0, |sum, (_, number)| sum ^ number)
        };
        let found: HashSet<u64> = (0..1 << basis.len()).map(sums).collect();
        let fixed = |number: &u64| {
            let state = index.write(*number);
            (0..4).all(|cell| state[mirror[cell]] == state[cell])
        };
        assert_eq!(found, (0..1 << index.bits()).filter(fixed).collect());
    }
}
