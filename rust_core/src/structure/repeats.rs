//! Finds the cells that never come back to a symbol that they have left.

use crate::rules::{Move, Rules, Source, Symbol, SymbolSet};

/// For each cell and symbol, a rank that rises whenever the cell changes. `None` if some cell may come back to a symbol
/// that it has left.
///
/// In tic-tac-toe, a cell turns from `.` to `X` or `O`, and then keeps its symbol: `.` has the rank -1, and the marks
/// have the rank 0. If pieces move around, a cell may be left and entered again, so there are no such ranks.
pub(super) fn ranks(rules: &Rules) -> Option<Vec<i64>> {
    let symbols = rules.symbols.len();
    let mut ranks = vec![0; rules.cells() * symbols];
    let turn = rules.turn.map(|turn| turn.cell);
    for (cell, (turns, ranks)) in turns(rules).iter().zip(ranks.chunks_mut(symbols)).enumerate() {
        // Whose turn it is may come back, so that cell gets the rank 0 for all symbols. This does no harm if each move
        // changes another cell.
        if turn == Some(cell) {
            continue;
        }
        let order = in_order(turns)?;
        // A symbol comes after all symbols that it can turn into, so their ranks are known.
        for &symbol in &order {
            let later = turns[usize::from(symbol)].iter().map(|after| ranks[usize::from(after)]).min();
            ranks[usize::from(symbol)] = later.map_or(0, |later| later - 1);
        }
    }
    Some(ranks)
}

/// For each cell, `true` if it never comes back to a symbol that it has left.
pub(super) fn one_way(rules: &Rules) -> Vec<bool> {
    turns(rules).iter().map(|turns| in_order(turns).is_some()).collect()
}

/// For each cell and symbol, the symbols into which it may turn by any number of moves, with the symbol itself.
pub fn symbols_to_come(rules: &Rules) -> Vec<Vec<SymbolSet>> {
    let mut to_come = turns(rules);
    for of_cell in &mut to_come {
        for (symbol, after) in of_cell.iter_mut().enumerate() {
            *after = after.or([symbol as Symbol].into_iter().collect());
        }
        // Warshall's algorithm (1962) for the transitive closure: one symbol after the other is allowed as a step on
        // the way.
        for passed in 0..of_cell.len() {
            let more = of_cell[passed];
            for after in of_cell.iter_mut().filter(|after| after.contains(passed as Symbol)) {
                *after = after.or(more);
            }
        }
    }
    to_come
}

/// For each cell and symbol, the other symbols into which it may turn by one move.
fn turns(rules: &Rules) -> Vec<Vec<SymbolSet>> {
    let symbols = rules.symbols.len();
    let mut turns = vec![vec![SymbolSet::default(); symbols]; rules.cells()];
    for given in rules.moves.iter().filter(|given| !given.when.never()) {
        for (cell, source) in &given.then {
            for old in given.when.allowed(*cell, symbols).iter().take_while(|&symbol| usize::from(symbol) < symbols) {
                let alone = [old].into_iter().collect();
                let turn = &mut turns[*cell][old as usize];
                *turn = turn.or(written(given, *cell, source, old, symbols).minus(alone));
            }
        }
    }
    turns
}

/// The symbols that a cell may hold after `source` is written to it, if it held `old` before.
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

/// Sorts symbols topologically: each comes after all symbols into which it can turn. `None` if a symbol can turn into
/// others and back. Symbols that turn into none of the remaining ones are taken out, again and again.
fn in_order(turns: &[SymbolSet]) -> Option<Vec<Symbol>> {
    let (mut left, mut order) = (SymbolSet::all(turns.len()), Vec::new());
    while !left.is_empty() {
        let ended: SymbolSet = left.iter().filter(|&symbol| turns[symbol as usize].and(left).is_empty()).collect();
        if ended.is_empty() {
            return None;
        }
        order.extend(ended.iter());
        left = left.minus(ended);
    }
    Some(order)
}
