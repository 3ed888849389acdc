//! Compositions: the number of cells that hold each symbol, and the change of these numbers by a move.

use std::ops::RangeInclusive;

use super::model::{Count, Move, Rules, Source};
use super::pattern::SymbolSet;

impl Rules {
    /// For each symbol, how many more cells hold it after a move than before. `None` if that depends on the state.
    pub fn composition_change(&self, given: &Move) -> Option<Vec<i128>> {
        composition_change(given, self.symbols.len())
    }

    /// The range by which a move can raise the number of cells that a count counts. For example, a move that moves a
    /// mark out of the counted cells gives `-1..=-1`.
    ///
    /// The bounds follow from the move's pattern alone. They may be wider than what its comparisons and conditions
    /// allow.
    pub fn count_change(&self, given: &Move, count: &Count) -> RangeInclusive<i64> {
        let counted = |cell| count.cells.len() == self.cells() || count.cells.binary_search(&cell).is_ok();
        let written = Rewritten::new(given, self.symbols.len(), counted);
        let number = |sets: &[SymbolSet], holds: &dyn Fn(SymbolSet) -> bool| {
            sets.iter().filter(|&&set| holds(set)).count() as i64
        };
        let (sure, possible) =
            (|set: SymbolSet| set.within(count.symbols), |set: SymbolSet| !set.and(count.symbols).is_empty());
        let least = number(&written.after, &sure) - number(&written.before, &possible);
        let most = number(&written.after, &possible) - number(&written.before, &sure);
        least..=most
    }
}

/// For each symbol, how many more cells hold it after a move than before. `None` if that depends on the state.
pub(super) fn composition_change(given: &Move, symbols: usize) -> Option<Vec<i128>> {
    let written = Rewritten::new(given, symbols, |_| true);
    let mut change = vec![0; symbols];
    for set in written.before {
        change[set.single()? as usize] -= 1;
    }
    for set in written.after {
        change[set.single()? as usize] += 1;
    }
    Some(change)
}

/// For each cell that a move writes, the symbols that the cell may hold before the move and after it. If the move
/// copies a symbol from one written cell to another, the symbol is in neither list, because it does not change the
/// composition.
struct Rewritten {
    before: Vec<SymbolSet>,
    after: Vec<SymbolSet>,
}

impl Rewritten {
    /// The lists for those cells that a move writes and for which `counted` returns `true`.
    fn new(given: &Move, symbols: usize, counted: impl Fn(usize) -> bool) -> Self {
        let every = SymbolSet::all(symbols);
        let allowed = |cell: usize| given.when.allowed(cell, symbols).and(every);
        let written = || given.then.iter().filter(|(cell, _)| counted(*cell));
        let mut before: Vec<usize> = written().map(|(cell, _)| *cell).collect();
        let mut after = Vec::new();
        for (_, source) in written() {
            after.push(match source {
                Source::Symbol(symbol) => [*symbol].into_iter().collect(),
                Source::Copy(from, None) => match before.iter().position(|cell| cell == from) {
                    Some(carried) => {
                        before.swap_remove(carried);
                        continue;
                    }
                    None => allowed(*from),
                },
                Source::Copy(from, Some(map)) => allowed(*from).iter().map(|symbol| map[symbol as usize]).collect(),
            });
        }
        Self { before: before.into_iter().map(allowed).collect(), after }
    }
}
