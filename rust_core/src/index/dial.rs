//! The perfect index of the states that dials can reach. A state's number lists the moves of a basis that lead to it.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! Turning dials commutes, so a state is the start plus a sum of moves, modulo the number of places of a dial, which is
//! prime. With a basis of moves, each state has exactly one such sum. The factors are the digits of the state's number,
//! the first move's digit last. A move adds a digit to each digit, without carry. See [`crate::structure::Dials`] for
//! an example.

use super::cut::Cut;
use super::perfect::Index;
use crate::rules::{Symbol, Symmetry};
use crate::sorting;
use crate::structure::{Dials, Structure, Vector, VectorSpan, add_times, negative};

/// The most states that an index may have. No machine could hold the bits of more.
const MOST_STATES: u64 = 1 << 40;

/// Describes a basis vector by the state to which one step of it leads from the start: the cells that change, in
/// ascending order, each with the symbol that it then holds.
pub type TurnedCells = Vec<(usize, Symbol)>;

/// The index of rules whose moves turn dials.
#[derive(Debug, Clone)]
pub struct DialIndex {
    /// For each move, the digits that it adds to a number. Equal moves are listed once, and moves that change nothing
    /// are left out.
    pub moves: Vec<Vector>,
    dials: Dials,
    /// For each digit of a state's number, the number of places by which one step of this digit turns each cell.
    basis: Vec<Vector>,
    span: VectorSpan,
    len: u64,
}

impl DialIndex {
    /// The index of the rules, if they have this shape: one player, no ends, and every move turns some cells in circles
    /// of one prime length, whatever they hold. Rules without a move have no need of an index.
    pub fn of_structure(structure: &Structure) -> Option<Self> {
        let dials = structure.dials().filter(|dials| !dials.moves().is_empty())?;
        Self::new(dials, dials.basis().map(|place| dials.moves()[place].clone()).collect())
    }

    /// The index with a given basis. Each vector is described by the cells that it changes from the start. `None` if
    /// the rules have no such index, if the vectors are not a basis of the sums of moves, or if their cells are not in
    /// ascending order.
    pub fn of_basis(structure: &Structure, basis: &[TurnedCells]) -> Option<Self> {
        let (dials, start) = (structure.dials()?, &structure.rules().start);
        let vector = |turned: &TurnedCells| {
            let mut state = start.clone();
            for &(cell, symbol) in turned {
                *state.get_mut(cell)? = symbol;
            }
            dials.vector(&state)
        };
        Self::new(dials, basis.iter().map(vector).collect::<Option<_>>()?)
    }

    fn new(dials: &Dials, basis: Vec<Vector>) -> Option<Self> {
        let modulus = dials.modulus();
        let len = Some(dials.states()).filter(|&len| len <= MOST_STATES)?;
        let mut span = VectorSpan::new(modulus);
        if basis.len() != dials.rank() || !basis.iter().all(|vector| span.add(vector)) {
            return None;
        }
        // The sums of moves form a space, and there are as many vectors as it has dimensions. So if each move is a sum
        // of the vectors, they are a basis.
        let mut moves: Vec<Vector> = dials.moves().iter().map(|move_| span.number(move_)).collect::<Option<_>>()?;
        moves.retain(|digits| digits.iter().any(|&digit| digit != 0));
        sorting::sort(&mut moves);
        moves.dedup();
        Some(Self { moves, dials: dials.clone(), basis, span, len })
    }

    /// The number of values of a digit: a prime.
    pub fn modulus(&self) -> u8 {
        self.dials.modulus()
    }

    /// Returns `true` if the dials are lamps: digits are bits.
    pub fn are_lamps(&self) -> bool {
        self.dials.are_lamps()
    }

    /// The number of digits of a state's number.
    pub fn digits(&self) -> usize {
        self.basis.len()
    }

    /// A basis of the states that a symmetry fixes, as digits. `None` if the symmetry is not known to be linear.
    ///
    /// A symmetry fixes the start and carries moves onto moves. So its action σ on vectors is linear. It fixes a state
    /// if `(σ - 1)(n) = 0` for the state's vector `n`. These vectors are the kernel of `σ - 1`. Whenever the image of a
    /// digit under `σ - 1` is a sum of the images of earlier digits, the difference is in the kernel.
    ///
    /// For example, take two dials with a move for each, and the mirror. The images of the two digits under `σ - 1` are
    /// -1 1 and 1 -1. The second image is the first times -1. So one of the first digit plus one of the second is in
    /// the kernel: these states have both dials turned alike.
    pub fn fixed(&self, symmetry: &Symmetry) -> Option<Vec<Vector>> {
        let modulus = self.modulus();
        let (mut images, mut sources, mut fixed) = (VectorSpan::new(modulus), Vec::new(), Vec::new());
        for (digit, vector) in self.basis.iter().enumerate() {
            let mut change = self.image(symmetry, vector)?;
            add_times(&mut change, vector, modulus - 1, modulus);
            if images.add(&change) {
                sources.push(digit);
                continue;
            }
            let mut kernel = vec![0; self.digits()];
            kernel[digit] = 1;
            for (&source, &factor) in sources.iter().zip(&images.number(&change)?) {
                kernel[source] = negative(factor, modulus);
            }
            fixed.push(kernel);
        }
        Some(fixed)
    }

    /// The image of a vector under a symmetry. `None` if the images of the vector's multiples are not the multiples of
    /// its image.
    fn image(&self, symmetry: &Symmetry, vector: &[u8]) -> Option<Vector> {
        let multiple = |vector: &[u8], factor: u8| {
            let mut made = vec![0; vector.len()];
            add_times(&mut made, vector, factor, self.modulus());
            made
        };
        let image = |vector: &[u8]| self.dials.vector(&symmetry.apply(&self.dials.state(vector)));
        let once = image(vector)?;
        (0..self.modulus())
            .all(|factor| image(&multiple(vector, factor)) == Some(multiple(&once, factor)))
            .then_some(once)
    }

    /// The number whose digits are the given ones.
    pub fn number(&self, digits: &[u8]) -> u64 {
        digits.iter().rev().fold(0, |number, &digit| number * u64::from(self.modulus()) + u64::from(digit))
    }
}

impl Index for DialIndex {
    fn len(&self) -> u64 {
        self.len
    }

    fn rank(&self, state: &[Symbol]) -> Option<u64> {
        Some(self.number(&self.span.number(&self.dials.vector(state)?)?))
    }

    fn unrank(&self, mut number: u64) -> Vec<Symbol> {
        let modulus = u64::from(self.modulus());
        let mut vector = vec![0; self.dials.cells()];
        for basis in &self.basis {
            add_times(&mut vector, basis, (number % modulus) as u8, self.modulus());
            number /= modulus;
        }
        self.dials.state(&vector)
    }

    fn cut(&self) -> Cut {
        let start = self.dials.state(&vec![0; self.dials.cells()]);
        let turned = |vector: &Vector| {
            let state = self.dials.state(vector);
            (0..start.len()).filter(|&cell| state[cell] != start[cell]).map(|cell| (cell, state[cell])).collect()
        };
        Cut::Dial { basis: self.basis.iter().map(turned).collect() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::rules::{Rules, RulesData};

    /// Rules of `cells` lamps with moves that flip the given ones, and with a symmetry if one is given.
    fn lamps(cells: usize, moves: &[&[usize]], symmetry: Option<&[usize]>) -> Structure {
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
    fn every_number_of_lamps_has_a_state_of_its_own_and_moves_add_to_it() {
        let presses: [&[usize]; 5] = [&[0, 1], &[1, 2], &[0, 2], &[3], &[0, 1, 3]];
        let index = DialIndex::of_structure(&lamps(4, &presses, None)).unwrap();
        assert_eq!(index.digits(), 3);
        let states: HashSet<Vec<Symbol>> = (0..8).map(|number| index.unrank(number)).collect();
        assert_eq!(states.len(), 8);
        assert_eq!(index.moves.len(), 5);
        for number in 0..8 {
            let added = index.moves.iter().map(|digits| index.number(digits));
            let after: HashSet<Vec<Symbol>> = added.map(|added| index.unrank(number ^ added)).collect();
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
        let structure = lamps(4, &[&[0, 1], &[2, 3], &[1, 2], &[1], &[2]], Some(&mirror));
        let index = DialIndex::of_structure(&structure).unwrap();
        let basis = index.fixed(&structure.symmetries()[1]).unwrap();
        let sums = |chosen: usize| {
            let some = basis.iter().enumerate().filter(|(at, _)| chosen >> at & 1 != 0);
            some.fold(0, |sum, (_, digits)| sum ^ index.number(digits))
        };
        let found: HashSet<u64> = (0..1 << basis.len()).map(sums).collect();
        let fixed = |number: &u64| {
            let state = index.unrank(*number);
            (0..4).all(|cell| state[mirror[cell]] == state[cell])
        };
        assert_eq!(found, (0..index.len()).filter(fixed).collect());
    }
}
