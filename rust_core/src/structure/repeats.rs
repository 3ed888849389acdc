//! Proves for some rules, from single cells, that play can never come back to a state.

use crate::rules::{Move, Rules, Source, Symbol, SymbolSet};

/// Returns `true` if each move surely changes a cell, and no cell ever comes back to a symbol that it has left. Then
/// play never repeats a state.
///
/// In tic-tac-toe, a cell goes from `.` to `X` or to `O`, and stays. In a bar of chocolate, a piece that was eaten does
/// not come back. If a piece moves on, another one may enter its cell, so nothing is proved.
pub(super) fn never_returns(rules: &Rules) -> bool {
    turns(rules).1 && one_way(rules).into_iter().all(|one_way| one_way)
}

/// For each cell, `true` if it never comes back to a symbol that it has left.
pub(super) fn one_way(rules: &Rules) -> Vec<bool> {
    turns(rules).0.iter().map(|turns| has_no_cycle(turns)).collect()
}

/// For each cell and symbol, the symbols that it may turn into in one move; and `true` if each move surely changes a
/// cell.
fn turns(rules: &Rules) -> (Vec<Vec<SymbolSet>>, bool) {
    let symbols = rules.symbols.len();
    let mut turns = vec![vec![SymbolSet::default(); symbols]; rules.cells()];
    let mut all = true;
    // Whoever passes because no other move can be made is followed by a move.
    for given in rules.moves.iter().filter(|given| !given.when.never() && !given.forced) {
        let mut surely = false;
        for (cell, source) in &given.then {
            let mut changes = true;
            for old in given.when.allowed(*cell, symbols).iter().take_while(|&symbol| usize::from(symbol) < symbols) {
                let alone = [old].into_iter().collect();
                let new = written(given, *cell, source, old, symbols).minus(alone);
                changes &= new == written(given, *cell, source, old, symbols);
                let turn = &mut turns[*cell][old as usize];
                *turn = turn.or(new);
            }
            surely |= changes;
        }
        all &= surely;
    }
    (turns, all)
}

/// The symbols that a cell may hold after a write, if it held `old` before.
fn written(given: &Move, cell: usize, source: &Source, old: Symbol, symbols: usize) -> SymbolSet {
    match source {
        Source::Symbol(symbol) => [*symbol].into_iter().collect(),
        Source::Copy(from, map) => {
            let read = if *from == cell { [old].into_iter().collect() } else { given.when.allowed(*from, symbols) };
            let mapped = |symbol: Symbol| map.as_ref().map_or(symbol, |map| map[symbol as usize]);
            read.iter().take_while(|&symbol| usize::from(symbol) < symbols).map(mapped).collect()
        }
    }
}

/// Returns `true` if no symbol can turn into itself by way of others. Symbols that turn into none that is left are
/// removed, again and again.
fn has_no_cycle(turns: &[SymbolSet]) -> bool {
    let mut left = SymbolSet::all(turns.len());
    loop {
        let ended: SymbolSet = left.iter().filter(|&symbol| turns[symbol as usize].and(left).is_empty()).collect();
        if ended.is_empty() {
            return left.is_empty();
        }
        left = left.minus(ended);
    }
}
