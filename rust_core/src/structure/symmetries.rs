//! Makes the whole symmetry group from its generators, and finds its conjugacy classes.
//!
//! The theory is in `docs/rules.md`, "Symmetries".

use std::collections::{HashMap, HashSet};

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

/// A conjugacy class of a group: an element g, with all hgh⁻¹ for the elements h of the group.
#[derive(Debug)]
pub struct ConjugacyClass<'a> {
    /// One element of the class.
    pub element: &'a Symmetry,
    /// The number of elements of the class.
    pub len: usize,
}

/// The most elements of a group whose classes are looked for. Finding a class costs a product for each element of the
/// group.
const MOST_CONJUGATED: usize = 1024;

/// The conjugacy classes of a group, without that of the identity, which must be the first element. In a group of more
/// than [`MOST_CONJUGATED`] elements, each element counts as a class of its own.
///
/// Burnside's lemma needs, for each element, the number of states that it leaves as they are, in a set that all
/// symmetries carry onto itself, such as the states of one depth. All elements of a class have the same number: h
/// carries the states that g fixes onto the states that hgh⁻¹ fixes.
pub fn conjugacy_classes(group: &[Symmetry]) -> Vec<ConjugacyClass<'_>> {
    let places: HashMap<SymmetryKey, usize> =
        group.iter().enumerate().map(|(at, element)| (key(element), at)).collect();
    let mut seen = vec![false; group.len()];
    let mut classes = Vec::new();
    for (at, element) in group.iter().enumerate().skip(1) {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        let mut len = 1;
        for by in group.iter().filter(|_| group.len() <= MOST_CONJUGATED) {
            if let Some(&image) = places.get(&key(&conjugate(element, by)))
                && !std::mem::replace(&mut seen[image], true)
            {
                len += 1;
            }
        }
        classes.push(ConjugacyClass { element, len });
    }
    classes
}

/// The symmetry hgh⁻¹. If g carries a state onto another one, this symmetry carries the first's image under h onto the
/// second's.
fn conjugate(g: &Symmetry, h: &Symmetry) -> Symmetry {
    let mut image = g.clone();
    for (cell, &to) in g.cells.iter().enumerate() {
        image.cells[h.cells[cell]] = h.cells[to];
    }
    for (symbol, &to) in g.symbols.iter().enumerate() {
        image.symbols[h.symbols[symbol] as usize] = h.symbols[to as usize];
    }
    image
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

    /// The group that one more generator makes of this group; `None` if it has more than `most` elements.
    ///
    /// This is Dimino's algorithm (1971): the larger group consists of cosets of the smaller one. Once one element of a
    /// coset is found, the whole coset is added.
    pub fn with(&self, generator: &Symmetry, most: usize) -> Option<Self> {
        if self.contains(generator) {
            return Some(self.clone());
        }
        // Cosets are as large as the smaller group, so the larger group has at least twice as many elements.
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
    fn classes_are_those_of_the_cycles_in_the_group_of_all_permutations() {
        let generators = [permutation(&[1, 0, 2, 3]), permutation(&[1, 2, 3, 0])];
        let group = close(&generators, 4, 1).unwrap();
        let mut lengths: Vec<usize> = conjugacy_classes(&group).iter().map(|class| class.len).collect();
        lengths.sort_unstable();
        // The classes: two exchanges of pairs, one exchange, a cycle of four cells, and a cycle of three.
        assert_eq!(lengths, [3, 6, 6, 8]);
    }

    #[test]
    fn elements_of_a_class_fix_as_many_states_of_a_set_that_the_group_keeps() {
        let two_symbols = |cells: [usize; 4]| Symmetry { cells: cells.to_vec(), ..Symmetry::identity(4, 2) };
        let generators = [[1, 3, 0, 2], [1, 0, 3, 2]].map(two_symbols);
        let group = close(&generators, 4, 2).unwrap();
        let states: Vec<Vec<u8>> = (0..16u8).map(|code| (0..4).map(|at| code >> at & 1).collect()).collect();
        let fixed = |element: &Symmetry| states.iter().filter(|state| element.apply(state) == **state).count();
        let one_by_one: usize = group[1..].iter().map(fixed).sum();
        let classes = conjugacy_classes(&group);
        assert_eq!(classes.iter().map(|class| class.len * fixed(class.element)).sum::<usize>(), one_by_one);
        assert_eq!(classes.iter().map(|class| class.len).sum::<usize>(), 7);
        assert_eq!(classes.len(), 4);
    }

    #[test]
    fn a_group_too_large_is_refused() {
        let generators = [permutation(&[1, 2, 3, 4, 5, 6, 0]), permutation(&[1, 0, 2, 3, 4, 5, 6])];
        assert!(close(&generators, 7, 1).unwrap_err().to_string().contains("more than 4096"));
    }
}
