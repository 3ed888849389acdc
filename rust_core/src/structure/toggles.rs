//! Puzzles of toggles as linear algebra over GF(2): which states are reachable, and with how few presses (moves).
//!
//! `docs/solving.md`, "How an answer is found", explains to users what it is for.

use std::collections::HashSet;

use super::action::{Action, Need};
use crate::random::Random;
use crate::rules::{Rules, Symbol};

/// If at most this many presses are outside the basis, the search for the fewest presses tries all combinations of
/// them, which are at most 2^20.
const MOST_TRIED: usize = 20;

/// A vector over GF(2): a bit for each entry, 64 to an integer.
pub type BitVector = Vec<u64>;

/// The presses (moves) of a puzzle in which every move flips some cells of two symbols, whatever they hold.
///
/// The order of presses does not matter, and pressing twice does nothing. So a state is the start plus the sum of the
/// pressed patterns over GF(2). The presses that are not sums of earlier presses form a basis. A sum of the basis is
/// written as its *number*: bit `i` is set if press `i` of the basis is in the sum.
///
/// For example, take four lamps in a row, and presses that flip the lamps 0 1, 1 2, 0 2 and 3. The third press is the
/// sum of the first two. So the basis is 0 1, 1 2 and 3, and the numbers of the four presses are 001, 010, 011 and 100.
/// Pressing the first three changes nothing. The combinations that change nothing are the *kernel*. It has one
/// independent combination for each press outside the basis.
#[derive(Debug, Clone)]
pub struct Toggles {
    /// For each press of the basis, its place in the rules.
    basis: Vec<usize>,
    /// Sums of presses of the basis, reduced by Gauss-Jordan elimination. Each row has the cells that the sum flips,
    /// and the number of the sum. The lowest cell of a row is in no other row.
    rows: Vec<(BitVector, BitVector)>,
    /// The presses outside the basis. Each has its place in the rules, and the number of the sum of the basis that
    /// flips the same cells.
    others: Vec<(usize, BitVector)>,
    start: Vec<Symbol>,
}

impl Toggles {
    /// The presses of the rules; `None` if a move does anything but flip cells, or if play can end.
    pub(super) fn of_moves(rules: &Rules, moves: &[(Need, Action)]) -> Option<Self> {
        if rules.symbols.len() != 2 || rules.player_count() > 1 || !rules.ends.is_empty() {
            return None;
        }
        let flips = moves.iter().map(|shape| match shape {
            (Need::Nothing, Action::Flips(cells)) => Some(&cells[..]),
            (Need::Nothing, Action::Nothing) => Some(&[][..]),
            _ => None,
        });
        let flips = flips.collect::<Option<Vec<_>>>()?;
        let mut toggles = Self { basis: Vec::new(), rows: Vec::new(), others: Vec::new(), start: rules.start.clone() };
        for (place, cells) in flips.into_iter().enumerate() {
            toggles.add(place, cells);
        }
        Some(toggles)
    }

    /// The number of independent presses. 2 to the power of this number is the number of reachable states.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// The number of independent combinations of presses that change nothing.
    pub fn nullity(&self) -> usize {
        self.others.len()
    }

    /// For each press of the basis, its place in the rules.
    pub fn basis(&self) -> &[usize] {
        &self.basis
    }

    /// Sums of presses of the basis. Each has the cells that it flips, as bits, and its number. Its lowest cell is in
    /// no other of these sums.
    pub fn rows(&self) -> &[(BitVector, BitVector)] {
        &self.rows
    }

    /// The number of the sum that flips the given cells; `None` if no presses do.
    fn number(&self, mut flips: BitVector) -> Option<BitVector> {
        let number = self.reduce(&mut flips);
        flips.iter().all(|&bits| bits == 0).then_some(number)
    }

    /// The fewest presses found that lead from one state to another, in order of their places in the rules; and `true`
    /// if it is proven that no fewer presses do. `None` if no presses lead there.
    ///
    /// A proof is missing only if more than 20 presses outside the basis are useful: presses that flip something, where
    /// presses that flip the same cells count once. A single press, or none, is always proven.
    pub fn presses_between(&self, from: &[Symbol], to: &[Symbol]) -> Option<(Vec<usize>, bool)> {
        let mut number = self.number(bits_of(from.len(), (0..from.len()).filter(|&cell| from[cell] != to[cell])))?;
        // Of several presses that flip the same cells, one is enough.
        let mut seen = HashSet::from([bits_of(self.start.len(), std::iter::empty())]);
        let useful: Vec<&(usize, BitVector)> =
            self.others.iter().filter(|(_, number)| seen.insert(number.clone())).collect();
        let tried = &useful[..useful.len().min(MOST_TRIED)];
        let (mut chosen, mut best) = (0u64, (number.clone(), 0u64));
        let mut fewest = count(&number);
        // In Gray code order, each choice of presses outside the basis differs from the one before by one press. For
        // each choice, only one combination of presses of the basis leads to the wanted state.
        for step in 1..1u64 << tried.len() {
            let at = step.trailing_zeros() as usize;
            add(&mut number, &tried[at].1);
            chosen ^= 1 << at;
            let presses = count(&number) + chosen.count_ones();
            if presses < fewest {
                (fewest, best) = (presses, (number.clone(), chosen));
            }
        }
        let own = (0..self.basis.len()).filter(|&bit| has(&best.0, bit)).map(|bit| self.basis[bit]);
        let others = (0..tried.len()).filter(|at| best.1 >> at & 1 != 0).map(|at| tried[at].0);
        let mut presses: Vec<usize> = own.chain(others).collect();
        presses.sort_unstable();
        Some((presses, tried.len() == useful.len() || fewest <= 1))
    }

    /// A random state. All states that presses can reach from the start are equally likely.
    pub fn random_state(&self, random: &mut Random) -> Vec<Symbol> {
        let mut flips = vec![0; self.start.len().div_ceil(64)];
        for (row, _) in &self.rows {
            if random.below(2) == 1 {
                add(&mut flips, row);
            }
        }
        self.start.iter().enumerate().map(|(cell, &symbol)| symbol ^ u8::from(has(&flips, cell))).collect()
    }

    /// Adds a press to the basis or to the others, by Gauss-Jordan elimination, so that the rows stay reduced.
    fn add(&mut self, place: usize, cells: &[usize]) {
        let mut flips = bits_of(self.start.len(), cells.iter().copied());
        let mut number = self.reduce(&mut flips);
        let Some(pivot) = lowest(&flips) else {
            self.others.push((place, number));
            return;
        };
        set(&mut number, self.basis.len());
        self.basis.push(place);
        for (row, sum) in &mut self.rows {
            if has(row, pivot) {
                add(row, &flips);
                add(sum, &number);
            }
        }
        self.rows.push((flips, number));
    }

    /// Reduces `flips` by the rows: adds each row whose lowest cell is still in `flips`, which clears that cell.
    /// Returns the number of the sum of the added rows.
    fn reduce(&self, flips: &mut BitVector) -> BitVector {
        // The number has a bit for each press of the basis. The basis has at most as many presses as there are cells,
        // so a list of the length of `flips` has room for it.
        let mut number = vec![0; flips.len()];
        for (row, sum) in &self.rows {
            if lowest(row).is_some_and(|pivot| has(flips, pivot)) {
                add(flips, row);
                add(&mut number, sum);
            }
        }
        number
    }
}

/// A bit vector with room for `bits` bits, in which the given bits are set.
fn bits_of(bits: usize, some: impl Iterator<Item = usize>) -> BitVector {
    let mut set_bits = vec![0; bits.div_ceil(64)];
    some.for_each(|at| set(&mut set_bits, at));
    set_bits
}

fn set(bits: &mut BitVector, at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

fn has(bits: &BitVector, at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

fn add(bits: &mut BitVector, other: &BitVector) {
    bits.iter_mut().zip(other).for_each(|(bits, other)| *bits ^= other);
}

fn lowest(bits: &BitVector) -> Option<usize> {
    let limb = bits.iter().position(|&bits| bits != 0)?;
    Some(limb * 64 + bits[limb].trailing_zeros() as usize)
}

fn count(bits: &BitVector) -> u32 {
    bits.iter().map(|bits| bits.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The presses that flip the given cells of a board of `cells` cells.
    fn toggles(cells: usize, presses: &[Vec<usize>]) -> Toggles {
        let start = vec![0; cells];
        let mut toggles = Toggles { basis: Vec::new(), rows: Vec::new(), others: Vec::new(), start };
        for (place, cells) in presses.iter().enumerate() {
            toggles.add(place, cells);
        }
        toggles
    }

    proptest! {
        #[test]
        fn the_fewest_presses_are_those_of_all_combinations(
            presses in prop::collection::vec(prop::collection::btree_set(0..5usize, 0..5), 0..9),
            wanted in 0..32usize,
        ) {
            let presses: Vec<Vec<usize>> = presses.into_iter().map(|cells| cells.into_iter().collect()).collect();
            let toggles = toggles(5, &presses);
            let flipped = |chosen: usize| {
                let some = (0..presses.len()).filter(|press| chosen >> press & 1 != 0);
                some.flat_map(|press| &presses[press]).fold(0, |flips, cell| flips ^ 1usize << cell)
            };
            let all = 0..1usize << presses.len();
            let fewest = all.clone().filter(|&chosen| flipped(chosen) == wanted).map(usize::count_ones).min();
            let to: Vec<Symbol> = (0..5).map(|cell| (wanted >> cell & 1) as Symbol).collect();
            let found = toggles.presses_between(&[0; 5], &to);
            let told = found.as_ref().map(|(presses, proven)| (presses.len() as u32, *proven));
            prop_assert_eq!(told, fewest.map(|few| (few, true)));
            if let Some((found, _)) = found {
                prop_assert!(found.is_sorted());
                prop_assert_eq!(flipped(found.iter().fold(0, |chosen, press| chosen | 1 << press)), wanted);
            }
            let reached: HashSet<usize> = all.clone().map(flipped).collect();
            prop_assert_eq!(1 << toggles.rank(), reached.len());
            prop_assert_eq!(all.filter(|&chosen| flipped(chosen) == 0).count(), 1 << toggles.nullity());
        }
    }
}
