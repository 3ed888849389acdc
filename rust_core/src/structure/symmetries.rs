//! Makes the whole symmetry group from its generators.
//!
//! The theory is in `docs/rules.md`, "Symmetries".

use std::collections::HashSet;

use crate::error::{Result, rules_error};
use crate::rules::Symmetry;
use crate::sorting;

/// The most elements of a symmetry group. Each element costs a look-up for each state, so a larger group does not pay.
pub const MAX_ORDER: usize = 4096;

/// The group that the generators make. The identity comes first, then the other elements in order of discovery;
/// elements that exchange the players come last.
pub(super) fn close(generators: &[Symmetry], cells: usize, symbols: usize) -> Result<Vec<Symmetry>> {
    let mut group = SymmetryGroup::trivial(cells, symbols);
    for generator in generators {
        group = group.with(generator, MAX_ORDER).ok_or_else(|| {
            rules_error!("the symmetries generate a group of more than {MAX_ORDER} elements; give fewer of them")
        })?;
    }
    let mut elements = group.elements;
    sorting::sort_by_key(&mut elements, |element| element.swap_players);
    Ok(elements)
}

/// A group of symmetries, with all its elements.
#[derive(Debug, Clone)]
pub struct SymmetryGroup {
    /// Generators of the group. None of them is a product of earlier ones.
    pub generators: Vec<Symmetry>,
    /// The elements, the identity first.
    pub elements: Vec<Symmetry>,
    seen: HashSet<SymmetryKey>,
}

/// An element of a group without its name: two elements are equal if their keys are equal.
type SymmetryKey = (Vec<usize>, Box<[u8]>, bool);

fn key(element: &Symmetry) -> SymmetryKey {
    (element.cells.clone(), element.symbols.clone(), element.swap_players)
}

impl SymmetryGroup {
    /// The group of the identity alone.
    pub fn trivial(cells: usize, symbols: usize) -> Self {
        let identity = Symmetry::identity(cells, symbols);
        Self { generators: Vec::new(), seen: HashSet::from([key(&identity)]), elements: vec![identity] }
    }

    /// Returns `true` if the group has an element.
    pub fn contains(&self, element: &Symmetry) -> bool {
        self.seen.contains(&key(element))
    }

    /// The group that has one more generator; `None` if that group has more than `most` elements.
    ///
    /// After L. L. Dimino (1971): the larger group consists of cosets of the smaller one. Once one element of a coset
    /// is found, the whole coset is added.
    pub fn with(&self, generator: &Symmetry, most: usize) -> Option<Self> {
        if self.contains(generator) {
            return Some(self.clone());
        }
        // Cosets are as large as the smaller group, so that the larger one has twice as many elements at least.
        if 2 * self.elements.len() > most {
            return None;
        }
        let mut group = self.clone();
        group.generators.push(generator.clone());
        let mut at = 0; // the first element of a coset
        while at < group.elements.len() {
            for next in 0..group.generators.len() {
                let first = group.elements[at].then(&group.generators[next]);
                if group.contains(&first) {
                    continue;
                }
                if group.elements.len() + self.elements.len() > most {
                    return None;
                }
                for element in &self.elements {
                    let element = element.then(&first);
                    group.seen.insert(key(&element));
                    group.elements.push(element);
                }
            }
            at += self.elements.len();
        }
        Some(group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permutation(cells: &[usize]) -> Symmetry {
        Symmetry { cells: cells.to_vec(), ..Symmetry::identity(cells.len(), 1) }
    }

    #[test]
    fn a_rotation_and_a_reflection_of_the_square_generate_eight() {
        let generators = [permutation(&[1, 3, 0, 2]), permutation(&[1, 0, 3, 2])];
        let group = close(&generators, 4, 1).unwrap();
        assert_eq!(group.len(), 8);
        assert_eq!(group[0], Symmetry::identity(4, 1));
        let distinct: HashSet<_> = group.iter().map(key).collect();
        assert_eq!(distinct.len(), 8);
    }

    #[test]
    fn a_cycle_and_a_swap_generate_all_permutations() {
        let generators = [permutation(&[1, 0, 2, 3, 4, 5]), permutation(&[1, 2, 3, 4, 5, 0])];
        let group = close(&generators, 6, 1).unwrap();
        assert_eq!(group.iter().map(key).collect::<HashSet<_>>().len(), 720);
        assert_eq!(group.len(), 720);
    }

    #[test]
    fn a_group_too_large_is_refused() {
        let generators = [permutation(&[1, 2, 3, 4, 5, 6, 0]), permutation(&[1, 0, 2, 3, 4, 5, 6])];
        assert!(close(&generators, 7, 1).unwrap_err().to_string().contains("more than 4096"));
    }
}
