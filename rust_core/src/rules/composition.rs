//! Compositions: how many cells hold each symbol, and how moves change that.

use super::model::{Move, Rules, Source, SymbolSet};

impl Rules {
    /// How many more cells hold each symbol after a move, if that is the same in every state.
    pub fn composition_change(&self, given: &Move) -> Option<Vec<i128>> {
        composition_change(given, self.symbols.len())
    }
}

/// How many more cells hold each symbol after a move, if that is the same in every state.
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
