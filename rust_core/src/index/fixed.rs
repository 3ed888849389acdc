//! The arrangements that a symmetry leaves as they are.

use crate::rules::{Symbol, Symmetry};

/// Calls `found` with each state of so many of each symbol that a symmetry leaves as it is, until it says to stop. Tells whether
/// it never did.
pub fn each_fixed(symmetry: &Symmetry, counts: &[usize], mut found: impl FnMut(&[Symbol]) -> bool) -> bool {
    // A cycle of cells holds the images of the symbol in its first cell, one after the other.
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

/// Fills the cycles in all ways that the symmetry leaves as they are.
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
        // The last cell of the cycle goes to the first.
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
