//! The states that a symmetry fixes: they are listed by class of symmetries, and counted in each depth, as the lemma of
//! Burnside needs it for states up to symmetry.

use crate::rules::{Symbol, Symmetry};

/// The states that one symmetry of a conjugacy class fixes. Every symmetry of the class fixes the same number of states
/// of a depth, so one stands for all.
#[derive(Debug, Clone)]
pub struct FixedByClass<T> {
    /// The number of symmetries of the class.
    pub symmetries: usize,
    /// The places of the states, in ascending order.
    pub states: Vec<T>,
}

impl<T> FixedByClass<T> {
    /// The number of symmetries in all classes, and one more for the identity.
    pub fn order(classes: &[Self]) -> usize {
        1 + classes.iter().map(|class| class.symmetries).sum::<usize>()
    }

    /// The number of states of a depth that a symmetry fixes, added up over all symmetries of the classes. `holds`
    /// returns `true` if the depth has the state at a place.
    pub fn count(classes: &[Self], holds: impl Fn(&T) -> bool) -> u64 {
        let of = |class: &Self| class.symmetries * class.states.iter().filter(|place| holds(place)).count();
        classes.iter().map(of).sum::<usize>() as u64
    }

    /// The bytes that the lists of some classes take.
    pub fn bytes(classes: &[Self]) -> usize {
        classes.iter().map(|class| class.states.len() * size_of::<T>()).sum()
    }
}

/// Calls `found` with each state that a symmetry fixes and that has `counts[s]` cells with each symbol `s`, until
/// `found` returns `false`. Returns `true` if `found` never did.
///
/// One cell of each cycle of cells decides the whole cycle. For example, let a symmetry exchange the cells 0 and 1, the
/// cells 2 and 3, and the symbols `a` and `b`. The cycles are 0 1 and 2 3. If cell 0 holds `a`, cell 1 must hold `b`,
/// and likewise for the other cycle. So of the six arrangements of `aabb`, the symmetry fixes four: `abab`, `abba`,
/// `baab` and `baba`.
pub fn each_fixed(symmetry: &Symmetry, counts: &[usize], mut found: impl FnMut(&[Symbol]) -> bool) -> bool {
    // The cells of a cycle hold the symbol of its first cell, that symbol's image, the image of that, and so on.
    let mut cycles: Vec<Vec<usize>> = Vec::new();
    let mut seen = vec![false; symmetry.cells.len()];
    for cell in 0..seen.len() {
        let mut cycle = Vec::new();
        let mut at = cell;
        while !std::mem::replace(&mut seen[at], true) {
            cycle.push(at);
            at = symmetry.cells[at];
        }
        if !cycle.is_empty() {
            cycles.push(cycle);
        }
    }
    let mut state = vec![0; seen.len()];
    fill(&cycles, symmetry, &mut counts.to_vec(), &mut state, &mut found)
}

/// Fills the cycles in all ways that the symmetry fixes, and calls `found` with each state. Returns `false` as soon as
/// `found` does, and otherwise `true`. The function calls itself once for each cycle, and an index that uses it has at
/// most 32 cells.
fn fill(
    cycles: &[Vec<usize>],
    symmetry: &Symmetry,
    left: &mut Vec<usize>,
    state: &mut Vec<Symbol>,
    found: &mut impl FnMut(&[Symbol]) -> bool,
) -> bool {
    let Some((cycle, rest)) = cycles.split_first() else { return found(state) };
    for first in 0..left.len() {
        let mut symbol = first as Symbol;
        let mut filled = 0;
        while filled < cycle.len() && left[symbol as usize] > 0 {
            left[symbol as usize] -= 1;
            state[cycle[filled]] = symbol;
            symbol = symmetry.symbols[symbol as usize];
            filled += 1;
        }
        // The symmetry carries the last cell of the cycle to the first, so the next symbol must be the first one.
        let closed = filled == cycle.len() && symbol as usize == first;
        let go_on = !closed || fill(rest, symmetry, left, state, found);
        let mut symbol = first as Symbol;
        for _ in 0..filled {
            left[symbol as usize] += 1;
            symbol = symmetry.symbols[symbol as usize];
        }
        if !go_on {
            return false;
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_fixed_is_found_and_nothing_else(
            cells in Just((0..5usize).collect::<Vec<_>>()).prop_shuffle(),
            symbols in Just((0..3u8).collect::<Vec<_>>()).prop_shuffle(),
            counts in prop::sample::select(vec![[5, 0, 0], [2, 2, 1], [1, 1, 3], [4, 1, 0]]),
        ) {
            let symmetry = Symmetry { name: String::new(), cells, symbols: symbols.into(), swap_players: false };
            let mut found = Vec::new();
            let whole = each_fixed(&symmetry, &counts, |state| {
                found.push(state.to_vec());
                true
            });
            prop_assert!(whole);
            // The search stops when `found` returns `false`.
            prop_assert_eq!(each_fixed(&symmetry, &counts, |_| false), found.is_empty());
            let state = |code: usize| (0..5).map(|at| (code / 3usize.pow(at) % 3) as Symbol).collect::<Vec<_>>();
            let states = (0..243).map(state);
            let counted = |state: &Vec<Symbol>| (0..3).all(|symbol| {
                state.iter().filter(|&&held| held as usize == symbol).count() == counts[symbol]
            });
            let expected: BTreeSet<Vec<Symbol>> =
                states.filter(|state| counted(state) && symmetry.apply(state) == *state).collect();
            prop_assert_eq!(found.len(), expected.len());
            prop_assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
        }
    }
}
