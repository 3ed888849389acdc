//! The normal form of a move: the shortest guard and effect that do the same in every state that satisfies the guard.

use super::compare::{narrow, representative};
use super::condition::settle;
use super::model::{Condition, Move, Source, SymbolMap};
use super::pattern::{Comparison, Pattern, SymbolSet};

/// Rewrites a move, so that two moves with equal guards do the same exactly if their effects are equal.
///
/// Each written cell depends on at most one cell, so there is one shortest way to write it. If the written symbol is
/// the same in every state that satisfies the guard, the source is that symbol. Otherwise it is a copy. The copy has a
/// map only if the map changes a symbol that the guard allows.
///
/// If the guard compares cells or has other conditions, it is narrowed first; see [`narrow`] and [`settle`]. A copy
/// between two cells that must be equal is dropped, because it changes nothing. Any other copy reads the cell that was
/// given, even if another cell must be equal to it and could be read instead.
pub(super) fn normal(given: &Move, symbols: usize) -> Move {
    if !(given.compares.is_empty() && given.conditions.is_empty())
        && let Some(guard) = narrow_guard(&given.when, &given.compares, &given.conditions, symbols)
    {
        let NarrowGuard { when, compares, conditions } = guard;
        return with_narrow_guard(&Move { when, compares, conditions, ..given.clone() }, symbols);
    }
    with_narrow_guard(given, symbols)
}

/// A guard in its shortest form: no part repeats what another part says.
pub(super) struct NarrowGuard {
    pub when: Pattern,
    pub compares: Vec<Comparison>,
    pub conditions: Vec<Condition>,
}

/// Shortens each part of a guard by what the other parts say, until nothing changes; `None` if no state satisfies all
/// parts.
pub(super) fn narrow_guard(
    when: &Pattern,
    compares: &[Comparison],
    conditions: &[Condition],
    symbols: usize,
) -> Option<NarrowGuard> {
    let mut guard = NarrowGuard { when: when.clone(), compares: compares.to_vec(), conditions: conditions.to_vec() };
    loop {
        let (when, compares) = narrow(&guard.when, &guard.compares, symbols)?;
        let (narrower, conditions) = settle(&when, &guard.conditions, symbols)?;
        let done = narrower == when;
        guard = NarrowGuard { when: narrower, compares, conditions };
        if done {
            return Some(guard);
        }
    }
}

fn with_narrow_guard(given: &Move, symbols: usize) -> Move {
    let same = |cell, other| representative(&given.compares, cell) == representative(&given.compares, other);
    let then = given
        .then
        .iter()
        .filter_map(|(to, source)| {
            let source = normal_source(source, |cell| given.when.allowed(cell, symbols), symbols);
            let unchanged = match &source {
                Source::Symbol(symbol) => given.when.get(*to).and_then(SymbolSet::single) == Some(*symbol),
                Source::Copy(from, map) => map.is_none() && same(*from, *to),
            };
            (!unchanged).then_some((*to, source))
        })
        .collect();
    Move { then, ..given.clone() }
}

fn normal_source(source: &Source, allowed: impl Fn(usize) -> SymbolSet, symbols: usize) -> Source {
    let Source::Copy(from, map) = source else {
        return source.clone();
    };
    let domain = allowed(*from);
    let image = |symbol| map.as_ref().map_or(symbol, |map| map[symbol as usize]);
    let range: SymbolSet = domain.iter().take_while(|&symbol| (symbol as usize) < symbols).map(image).collect();
    if let Some(symbol) = range.single() {
        return Source::Symbol(symbol);
    }
    let map: SymbolMap = (0..symbols)
        .map(|symbol| if domain.contains(symbol as u8) { image(symbol as u8) } else { symbol as u8 })
        .collect();
    let identity = map.iter().enumerate().all(|(symbol, &to)| symbol == to as usize);
    Source::Copy(*from, (!identity).then_some(map))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{Comparison, Pattern};

    fn set(symbols: &[u8]) -> SymbolSet {
        symbols.iter().copied().collect()
    }

    fn make(when: &[(usize, SymbolSet)], then: &[(usize, Source)]) -> Move {
        compared(when, &[], then)
    }

    fn compared(when: &[(usize, SymbolSet)], compares: &[Comparison], then: &[(usize, Source)]) -> Move {
        let (when, compares) = (Pattern(when.to_vec()), compares.to_vec());
        let (conditions, then) = (Vec::new(), then.to_vec());
        normal(
            &Move { name: String::new(), player: None, when, compares, conditions, then, forced: false, again: false },
            3,
        )
    }

    #[test]
    fn what_equal_cells_hold_is_known_of_both() {
        let equal = Comparison::new(1, 0, true);
        let made = compared(&[(0, set(&[2]))], &[equal], &[(2, Source::Copy(1, None)), (1, Source::Symbol(2))]);
        assert_eq!((made.when.get(1), &made.compares[..]), (Some(set(&[2])), &[][..]));
        assert_eq!(made.then, [(2, Source::Symbol(2))]);
        let made = compared(&[], &[equal], &[(0, Source::Copy(1, None)), (1, Source::Copy(0, None))]);
        assert_eq!((made.then, made.compares), (vec![], vec![equal]));
        let different = Comparison { equal: false, ..equal };
        let made = compared(&[(0, set(&[2]))], &[different], &[(2, Source::Copy(1, None))]);
        assert_eq!((made.when.get(1), &made.compares[..]), (Some(set(&[0, 1])), &[][..]));
    }

    #[test]
    fn a_copy_of_a_known_cell_is_a_symbol() {
        let made = make(&[(0, set(&[2]))], &[(1, Source::Copy(0, None))]);
        assert_eq!(made.then, [(1, Source::Symbol(2))]);
    }

    #[test]
    fn a_write_that_changes_nothing_is_dropped() {
        let made = make(&[(0, set(&[2]))], &[(0, Source::Symbol(2)), (1, Source::Copy(1, Some([0, 1, 2].into())))]);
        assert_eq!(made.then, []);
    }

    #[test]
    fn a_map_matters_only_where_the_guard_allows() {
        let map: SymbolMap = [1, 1, 0].into();
        let made = make(&[(0, set(&[0, 1]))], &[(1, Source::Copy(0, Some(map.clone())))]);
        assert_eq!(made.then, [(1, Source::Symbol(1))]);
        let made = make(&[(0, set(&[1, 2]))], &[(1, Source::Copy(0, Some(map)))]);
        assert_eq!(made.then, [(1, Source::Copy(0, Some([0, 1, 0].into())))]);
    }
}
