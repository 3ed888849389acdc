//! The ends that a move may complete by the cells that it writes. After the move, only these ends are tested. No other
//! end can hold, because it would have held before the move, and play would have been over.

use crate::rules::{Condition, Move, Rules, Source, SymbolSet};
use crate::sorting;

/// The most ends of a move that are compared with each other, since that takes time for each pair.
const MOST_COMPARED: usize = 256;

/// The numbers of the ends that may hold after a move and need not have held before it, in order of precedence. Of ends
/// that demand the same, only the first is listed, since it counts.
pub fn completable(rules: &Rules, given: &Move, mover: usize) -> Vec<usize> {
    let symbols = rules.symbols.len();
    let gains = |condition: &Condition| {
        given.then.iter().any(|(cell, source)| {
            condition.may_gain(*cell, given.when.allowed(*cell, symbols), after_write(source, given, symbols))
        })
    };
    let mut ends: Vec<usize> = (0..rules.ends.len())
        .filter(|&end| {
            let mut completes = rules.ends[end].conditions.iter().any(gains);
            for &(cell, wanted) in &rules.ends[end].when.0 {
                let before = given.when.allowed(cell, symbols);
                let after = match given.then.iter().find(|(to, _)| *to == cell) {
                    Some((_, source)) => after_write(source, given, symbols),
                    None => before,
                };
                if after.and(wanted).is_empty() {
                    return false;
                }
                // A move can make a cell fit the pattern only if it writes the cell, and if the cell need not have
                // fitted before.
                completes |= given.then.iter().any(|(to, _)| *to == cell) && !before.within(wanted);
            }
            completes
        })
        .collect();
    sorting::sort_by_key(&mut ends, |&end| rules.end_precedence(end, mover));
    let demands = |end: usize| (&rules.ends[end].when, &rules.ends[end].conditions);
    let mut first: Vec<usize> = Vec::with_capacity(ends.len());
    for end in ends {
        if first.len() > MOST_COMPARED || first.iter().all(|&before| demands(before) != demands(end)) {
            first.push(end);
        }
    }
    first
}

/// The symbols that a cell may hold after a move has written it from `source`.
fn after_write(source: &Source, given: &Move, symbols: usize) -> SymbolSet {
    match source {
        Source::Symbol(symbol) => [*symbol].into_iter().collect(),
        Source::Copy(from, map) => given
            .when
            .allowed(*from, symbols)
            .iter()
            .map(|symbol| map.as_ref().map_or(symbol, |map| map[symbol as usize]))
            .collect(),
    }
}
