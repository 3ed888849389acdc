//! Puzzles of toggles as linear algebra over GF(2): which states can be reached, and by which fewest presses.

use std::collections::HashSet;

use super::action::{Action, Need};
use crate::random::Random;
use crate::rules::{Rules, Symbol};

/// The most presses beside a basis whose sums are all tried for the fewest presses: 2^20 sums.
const MOST_TRIED: usize = 20;

/// A set of bits, as many as are needed.
pub type Bits = Vec<u64>;

/// The presses of a puzzle in which every move flips some cells of two symbols, whatever they hold.
///
/// Then the order of presses does not matter, pressing twice does nothing, and the state is the start plus the sum of the
/// pressed patterns over GF(2). The first presses that are no sums of earlier ones are a basis; a sum of the basis is written as
/// its *number*, whose bit `i` says whether it has press `i` of the basis.
///
/// For example, four lamps in a row, and presses that flip lamps 0 1, 1 2, 0 2 and 3. The third is the sum of the first two, so
/// the basis is 0 1, 1 2 and 3, and the numbers of the four presses are 001, 010, 011 and 100. Pressing the first three changes
/// nothing: such combinations are the kernel, one independent one for each press beside the basis.
#[derive(Debug, Clone)]
pub struct Toggles {
    /// The places of the presses of the basis.
    basis: Vec<usize>,
    /// Sums of the basis, reduced after Gauss and Jordan: what each flips, whose lowest bit no other row has, and its number.
    rows: Vec<(Bits, Bits)>,
    /// The other presses: their places, and the numbers of what they flip.
    others: Vec<(usize, Bits)>,
    start: Vec<Symbol>,
}

impl Toggles {
    /// The presses of some rules; `None` if a move does anything else than flip cells, or play can end.
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

    /// How many independent presses there are: 2 to the power of this many states can be reached.
    pub fn rank(&self) -> usize {
        self.rows.len()
    }

    /// How many independent combinations of presses change nothing.
    pub fn nullity(&self) -> usize {
        self.others.len()
    }

    /// The places of the presses of the basis.
    pub fn basis(&self) -> &[usize] {
        &self.basis
    }

    /// Sums of the basis of which each has a lowest cell that no other has: the cells, as bits, and the number.
    pub fn rows(&self) -> &[(Bits, Bits)] {
        &self.rows
    }

    /// The number of what flips some cells; `None` if no presses do.
    fn number(&self, mut flips: Bits) -> Option<Bits> {
        let number = self.reduce(&mut flips);
        flips.iter().all(|&bits| bits == 0).then_some(number)
    }

    /// The fewest presses that lead from one state to another that was found, in order of their places in the rules, and whether
    /// they are proven to be the fewest. `None` if no presses do.
    ///
    /// They are proven unless there are more than 20 presses beside the basis, of those that flip something and different cells.
    pub fn presses_between(&self, from: &[Symbol], to: &[Symbol]) -> Option<(Vec<usize>, bool)> {
        let mut number = self.number(bits_of(from.len(), (0..from.len()).filter(|&cell| from[cell] != to[cell])))?;
        // Of presses that flip the same, one is enough.
        let mut seen = HashSet::from([bits_of(self.start.len(), std::iter::empty())]);
        let useful: Vec<&(usize, Bits)> =
            self.others.iter().filter(|(_, number)| seen.insert(number.clone())).collect();
        let tried = &useful[..useful.len().min(MOST_TRIED)];
        let (mut chosen, mut best) = (0u64, (number.clone(), 0u64));
        let mut fewest = count(&number);
        // In Gray code order, each choice of other presses differs from the one before by one of them. What they do not do, the
        // basis does, in one way.
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

    /// A state, each equally likely among those that presses can reach from the start.
    pub fn random_state(&self, random: &mut Random) -> Vec<Symbol> {
        let mut flips = vec![0; self.start.len().div_ceil(64)];
        for (row, _) in &self.rows {
            if random.below(2) == 1 {
                add(&mut flips, row);
            }
        }
        self.start.iter().enumerate().map(|(cell, &symbol)| symbol ^ u8::from(has(&flips, cell))).collect()
    }

    /// Adds a press by Gauss and Jordan: rows stay reduced.
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

    /// Takes rows away as long as that clears a pivot, and tells the number of what was taken.
    fn reduce(&self, flips: &mut Bits) -> Bits {
        // A basis has no more presses than there are cells.
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

/// Some of so many bits.
fn bits_of(bits: usize, some: impl Iterator<Item = usize>) -> Bits {
    let mut set_bits = vec![0; bits.div_ceil(64)];
    some.for_each(|at| set(&mut set_bits, at));
    set_bits
}

fn set(bits: &mut Bits, at: usize) {
    bits[at / 64] |= 1 << (at % 64);
}

fn has(bits: &Bits, at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

fn add(bits: &mut Bits, other: &Bits) {
    bits.iter_mut().zip(other).for_each(|(bits, other)| *bits ^= other);
}

fn lowest(bits: &Bits) -> Option<usize> {
    let limb = bits.iter().position(|&bits| bits != 0)?;
    Some(limb * 64 + bits[limb].trailing_zeros() as usize)
}

fn count(bits: &Bits) -> u32 {
    bits.iter().map(|bits| bits.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The presses that flip these cells of a board of so many.
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
            prop_assert_eq!(found.as_ref().map(|(presses, proven)| (presses.len() as u32, *proven)), fewest.map(|few| (few, true)));
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
