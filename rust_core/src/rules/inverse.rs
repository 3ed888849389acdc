//! Inverse moves: which move of the rules, if any, undoes another wherever it can be made.

use std::collections::HashMap;

use crate::rules::{Move, Pattern, Rules, Source, Symbol, SymbolMap, SymbolSet, normal};

/// For each move, the move that undoes it and is open to the player who moves next.
///
/// Move `b` undoes `a` when every state that `a` leads to satisfies the guard of `b`, and `b` then restores the state
/// before `a`. The guard of `b` may be wider than that.
pub(super) fn inverses(rules: &Rules) -> Vec<Option<usize>> {
    let symbols = rules.symbols.len();
    let mut writers: HashMap<Vec<usize>, Vec<usize>> = HashMap::new();
    for (index, given) in rules.moves.iter().enumerate() {
        writers.entry(written(given)).or_default().push(index);
    }
    rules
        .moves
        .iter()
        .map(|given| {
            let undo = inverse(given, symbols)?;
            // A cell that the inverse writes is one that the move wrote, and the other way round.
            writers.get(&written(&undo))?.iter().copied().find(|&index| {
                let candidate = &rules.moves[index];
                alternates(rules, given, candidate) && does(candidate, &undo, symbols)
            })
        })
        .collect()
}

fn written(given: &Move) -> Vec<usize> {
    given.then.iter().map(|&(cell, _)| cell).collect()
}

/// Whether whoever moves after `given` may make `candidate`.
fn alternates(rules: &Rules, given: &Move, candidate: &Move) -> bool {
    match (given.player, candidate.player) {
        (_, None) => true,
        (None, Some(_)) => rules.player_count() == 1,
        (Some(mover), Some(player)) => rules.next_player(mover) == player,
    }
}

/// Whether `candidate` can be made wherever `undo` can, and does the same there.
fn does(candidate: &Move, undo: &Move, symbols: usize) -> bool {
    let wider = candidate.when.0.iter().all(|&(cell, set)| undo.when.allowed(cell, symbols).within(set));
    wider && {
        let narrowed = Move { when: undo.when.clone(), ..candidate.clone() };
        normal::normal(&narrowed, symbols).then == undo.then
    }
}

/// The inverse of a move as a guarded rewrite, where there is one that is a product of conditions on single cells.
pub(super) fn inverse(given: &Move, symbols: usize) -> Option<Move> {
    let mut when: Vec<(usize, SymbolSet)> =
        given.when.0.iter().copied().filter(|&(cell, _)| given.then.iter().all(|(to, _)| *to != cell)).collect();
    let mut restore: HashMap<usize, Source> = HashMap::new();
    for (to, source) in &given.then {
        let range = match source {
            Source::Symbol(symbol) => [*symbol].into_iter().collect(),
            Source::Copy(from, map) => {
                let domain = given.when.allowed(*from, symbols);
                let (range, back) = invert_map(domain, map.as_ref(), symbols)?;
                // The same symbol in two places is a condition on both, which no guard can state.
                let kept = given.then.iter().all(|(cell, _)| cell != from);
                if kept || restore.insert(*from, Source::Copy(*to, Some(back))).is_some() {
                    return None;
                }
                range
            }
        };
        when.push((*to, range));
    }
    let mut then = Vec::new();
    for (cell, _) in &given.then {
        let source = match given.when.get(*cell).and_then(SymbolSet::single) {
            Some(symbol) => Source::Symbol(symbol),
            None => restore.remove(cell)?,
        };
        then.push((*cell, source));
    }
    when.sort_unstable();
    when.retain(|&(_, set)| set != SymbolSet::all(symbols));
    Some(normal::normal(&Move { when: Pattern(when), then, ..given.clone() }, symbols))
}

/// The range of a map on a domain, and the map that takes it back; `None` where two symbols become one.
fn invert_map(domain: SymbolSet, map: Option<&SymbolMap>, symbols: usize) -> Option<(SymbolSet, SymbolMap)> {
    let mut back: SymbolMap = (0..symbols).map(|symbol| symbol as Symbol).collect();
    let mut range = Vec::new();
    for symbol in domain.iter().take_while(|&symbol| (symbol as usize) < symbols) {
        let image = map.map_or(symbol, |map| map[symbol as usize]);
        back[image as usize] = symbol;
        range.push(image);
    }
    let set: SymbolSet = range.iter().copied().collect();
    (set.len() == range.len()).then_some((set, back))
}
