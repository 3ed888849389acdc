//! Compositions: the number of cells that hold each symbol, and the change of these numbers by a move.

use super::model::{Move, Rules, Source, SymbolSet};

impl Rules {
    /// For each symbol, how many more cells hold it after a move than before. `None` if that depends on the state.
    pub fn composition_change(&self, given: &Move) -> Option<Vec<i128>> {
        composition_change(given, self.symbols.len())
    }
}

/// For each symbol, how many more cells hold it after a move than before. `None` if that depends on the state.
pub(super) fn composition_change(given: &Move, symbols: usize) -> Option<Vec<i128>> {
    let mut change = vec![0; symbols];
    // The written cells whose old symbol is not known. A copy must take that symbol to another cell.
    let mut unknown: Vec<usize> = Vec::new();
    for (cell, _) in &given.then {
        match given.when.get(*cell).and_then(SymbolSet::single) {
            Some(symbol) => change[symbol as usize] -= 1,
            None => unknown.push(*cell),
        }
    }
    for (_, source) in &given.then {
        match source {
            Source::Symbol(symbol) => change[*symbol as usize] += 1,
            Source::Copy(from, None) => {
                let left = unknown.iter().position(|cell| cell == from)?;
                unknown.swap_remove(left);
            }
            Source::Copy(_, Some(_)) => return None,
        }
    }
    unknown.is_empty().then_some(change)
}
