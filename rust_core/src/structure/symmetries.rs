//! From generators to the whole symmetry group.

use std::collections::HashSet;

use crate::error::{Result, rules_error};
use crate::rules::Symmetry;

/// The most elements that a symmetry group may have. Each costs a look-up for each state, so a larger group does not
/// pay.
const MAX_ORDER: usize = 4096;

/// The group that the generators generate. The identity comes first, then the others in order of discovery; elements
/// that swap the players come last.
pub(super) fn close(generators: &[Symmetry], cells: usize, symbols: usize) -> Result<Vec<Symmetry>> {
    let key = |element: &Symmetry| (element.cells.clone(), element.symbols.clone(), element.swap_players);
    let mut group = vec![Symmetry::identity(cells, symbols)];
    let mut seen = HashSet::from([key(&group[0])]);
    let mut next = 0;
    while next < group.len() {
        for generator in generators {
            let element = group[next].then(generator);
            if seen.insert(key(&element)) {
                group.push(element);
            }
        }
        if group.len() > MAX_ORDER {
            return Err(rules_error!(
                "the symmetries generate a group of more than {MAX_ORDER} elements; give fewer of them"
            ));
        }
        next += 1;
    }
    group.sort_by_key(|element| element.swap_players);
    Ok(group)
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
    }

    #[test]
    fn a_group_too_large_is_refused() {
        let generators = [permutation(&[1, 2, 3, 4, 5, 6, 0]), permutation(&[1, 0, 2, 3, 4, 5, 6])];
        assert!(close(&generators, 7, 1).unwrap_err().to_string().contains("more than 4096"));
    }
}
