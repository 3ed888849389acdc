//! The group that the moves of a permutation puzzle generate, by the algorithm of Schreier and Sims.
//!
//! `docs/solving.md`, "How an answer is found", explains to users what it is for.

use std::collections::HashSet;

use super::action::Permutation;
use super::permuting::{carried, identity, inverse, is_identity, then};
use crate::random::Random;
use crate::rules::{Rules, Symbol};

/// A permutation of cells: the symbol of cell `i` goes to cell `p[i]`.
type CellMap = Vec<u16>;

/// The group is worked out for boards of at most this many cells. The time grows with the fifth power of their number.
const MOST_CELLS: usize = 128;

/// A group of permutations of cells, as a chain of stabilisers: each level fixes one more cell.
///
/// The algorithm is that of C. C. Sims, "Computational methods in the study of permutation groups" (1970), in the form
/// of D. E. Knuth, "Efficient representation of perm groups" (1991). Level `k` is the group of the permutations that
/// leave all cells after `k` in place. For each cell to which one of these can carry cell `k`, the level keeps one
/// permutation that does so. The kept permutations are a *transversal*: one for each coset of the stabiliser of cell
/// `k`, which is level `k - 1`.
#[derive(Debug, Clone)]
pub struct PermutationGroup {
    degree: usize,
    /// `transversals[level][cell]` is a permutation of the level that carries the cell `level` to `cell`, if there is
    /// one.
    transversals: Vec<Vec<Option<CellMap>>>,
    /// For each level: permutations that generate the group that leaves all later cells in place.
    generators: Vec<Vec<CellMap>>,
}

impl PermutationGroup {
    /// The group that the moves of the rules generate, if every move permutes cells and can be made in every state.
    /// `None` for other rules, and for boards of more than 128 cells.
    pub(super) fn of_moves(rules: &Rules, moves: Option<Vec<Permutation>>) -> Option<Self> {
        if rules.cells() > MOST_CELLS || !rules.ends.is_empty() || rules.player_count() > 1 {
            return None;
        }
        let moves = moves?.into_iter().map(|Permutation { image, needs, .. }| {
            needs.is_none().then(|| image.into_iter().map(|to| to as u16).collect::<CellMap>())
        });
        Some(Self::new(rules.cells(), &moves.collect::<Option<Vec<_>>>()?))
    }

    /// The group that the given permutations of `degree` cells generate.
    pub fn new(degree: usize, generators: &[CellMap]) -> Self {
        let still: CellMap = identity(degree);
        let transversals =
            (0..degree).map(|level| (0..degree).map(|cell| (cell == level).then(|| still.clone())).collect()).collect();
        let mut group = Self { degree, transversals, generators: vec![Vec::new(); degree] };
        for generator in generators {
            group.add(generator);
        }
        group
    }

    /// Makes the group larger: a permutation is one more generator.
    pub(super) fn add(&mut self, generator: &[u16]) {
        if let Some(top) = self.degree.checked_sub(1) {
            self.add_generator(top, generator);
        }
    }

    /// For each cell, the number of cells to which the group can carry it while all later cells stay in place. The
    /// product of these numbers is the order of the group.
    pub fn orbit_sizes(&self) -> Vec<usize> {
        self.transversals.iter().map(|level| level.iter().flatten().count()).collect()
    }

    /// The number of elements: the product of [`Self::orbit_sizes`]; or [`u128::MAX`] if the product is larger.
    pub fn order(&self) -> u128 {
        self.orbit_sizes().iter().fold(1, |product, &size| product.saturating_mul(size as u128))
    }

    /// The orbits of cells: two cells are in one orbit if an element of the group carries the one to the other.
    pub fn orbits(&self) -> Vec<Vec<usize>> {
        let mut orbits: Vec<Vec<usize>> = Vec::new();
        for cell in 0..self.degree {
            if orbits.iter().any(|orbit| orbit.contains(&cell)) {
                continue;
            }
            let (mut orbit, mut at) = (vec![cell], 0);
            while let Some(&from) = orbit.get(at) {
                for generator in self.generators.iter().flatten() {
                    let to = generator[from] as usize;
                    if !orbit.contains(&to) {
                        orbit.push(to);
                    }
                }
                at += 1;
            }
            orbits.push(orbit);
        }
        orbits
    }

    /// Returns `true` if a permutation is in the group.
    pub fn contains(&self, permutation: &[u16]) -> bool {
        self.is_member(self.degree, permutation.to_vec())
    }

    /// A random state with the symbols of `start`. All states that the moves can reach are equally likely, even if
    /// symbols repeat: the elements that lead to one state are a coset of a stabiliser, and all cosets have the same
    /// size.
    pub fn random_state(&self, start: &[Symbol], random: &mut Random) -> Vec<Symbol> {
        carried(start, &self.random_element(random))
    }

    /// A random element of the group. All elements are equally likely.
    pub fn random_element(&self, random: &mut Random) -> Vec<u16> {
        let mut permutation: CellMap = identity(self.degree);
        for level in &self.transversals {
            let choices: Vec<&CellMap> = level.iter().flatten().collect();
            permutation = then(&permutation, random.choose::<&CellMap>(&choices));
        }
        permutation
    }

    /// `true` if the moves lead from the start to a state. `None` if a symbol is repeated, because several permutations
    /// could then lead there.
    pub fn reaches(&self, start: &[Symbol], state: &[Symbol]) -> Option<bool> {
        let distinct: HashSet<Symbol> = start.iter().copied().collect();
        if distinct.len() < start.len() {
            return None;
        }
        let permutation: Option<CellMap> =
            start.iter().map(|symbol| state.iter().position(|other| other == symbol).map(|to| to as u16)).collect();
        Some(permutation.is_some_and(|permutation| self.contains(&permutation)))
    }

    /// Returns `true` if a permutation is a product of the transversals of the levels below `levels`.
    fn is_member(&self, levels: usize, mut permutation: CellMap) -> bool {
        for level in (0..levels).rev() {
            if usize::from(permutation[level]) == level {
                continue; // the level's permutation for this is the identity
            }
            let Some(known) = &self.transversals[level][permutation[level] as usize] else { return false };
            permutation = then(&permutation, &inverse(known));
        }
        is_identity(&permutation)
    }

    /// Knuth's algorithm A: adds a generator to a level, and closes the level under products.
    fn add_generator(&mut self, level: usize, permutation: &[u16]) {
        if self.is_member(level + 1, permutation.to_vec()) {
            return;
        }
        self.generators[level].push(permutation.to_vec());
        let known: Vec<CellMap> = self.transversals[level].iter().flatten().cloned().collect();
        for element in known {
            self.add_product(level, then(&element, permutation));
        }
    }

    /// Knuth's algorithm B: adds a product of a transversal's element and a generator to a level.
    fn add_product(&mut self, level: usize, product: CellMap) {
        let mut pending = vec![product];
        while let Some(product) = pending.pop() {
            let to = product[level] as usize;
            if let Some(known) = &self.transversals[level][to] {
                if level > 0 {
                    let rest = then(&product, &inverse(known));
                    self.add_generator(level - 1, &rest);
                }
                continue;
            }
            pending.extend(self.generators[level].iter().map(|generator| then(&product, generator)));
            self.transversals[level][to] = Some(product);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All elements of the group, by multiplying with the generators until nothing new is found.
    fn elements(degree: usize, generators: &[CellMap]) -> HashSet<CellMap> {
        let identity: CellMap = (0..degree as u16).collect();
        let (mut all, mut new) = (HashSet::from([identity.clone()]), vec![identity]);
        while let Some(element) = new.pop() {
            for generator in generators {
                let product = then(&element, generator);
                if all.insert(product.clone()) {
                    new.push(product);
                }
            }
        }
        all
    }

    proptest! {
        #[test]
        fn orders_and_members_are_those_of_the_closure(
            generators in prop::collection::vec(Just((0..6u16).collect::<Vec<_>>()).prop_shuffle(), 0..3),
            others in prop::collection::vec(Just((0..6u16).collect::<Vec<_>>()).prop_shuffle(), 10),
        ) {
            let group = PermutationGroup::new(6, &generators);
            let all = elements(6, &generators);
            prop_assert_eq!(group.order(), all.len() as u128);
            for orbit in group.orbits() {
                let images: HashSet<usize> = all.iter().map(|element| element[orbit[0]] as usize).collect();
                prop_assert_eq!(orbit.iter().copied().collect::<HashSet<usize>>(), images);
            }
            prop_assert_eq!(group.orbits().iter().map(Vec::len).sum::<usize>(), 6);
            for other in others {
                prop_assert_eq!(group.contains(&other), all.contains(&other));
            }
        }
    }

    #[test]
    fn random_states_are_even() {
        let group = PermutationGroup::new(4, &[vec![1, 2, 3, 0]]);
        let mut random = Random::new("even");
        let mut counts = std::collections::HashMap::new();
        for _ in 0..4000 {
            *counts.entry(group.random_state(&[0, 1, 2, 3], &mut random)).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 4);
        assert!(counts.values().all(|count| (830..1170).contains(count)), "{counts:?}");
    }
}
