//! Guards that compare two cells. `docs/rules.md`, "Two cells compared", explains them. [`narrow`] combines comparisons
//! with the allowed symbols of single cells, and finds out if any state satisfies both.
//!
//! Take three symbols `a b c`, and let cells 0, 1 and 2 be equal. If cell 0 may hold `a` or `b`, and cell 2 may hold
//! `b` or `c`, then all three hold `b`, and nothing is left to compare.

use super::model::Move;
use super::pattern::{Comparison, Pattern, SymbolSet};
use crate::ordered::OrderedMap;
use crate::sorting;
use crate::sorting::Gather;

/// The smallest of the cells that must hold the same symbol as `cell`. `compares` must be a result of [`narrow`].
pub(super) fn representative(compares: &[Comparison], cell: usize) -> usize {
    compares.iter().find(|compare| compare.equal && compare.second == cell).map_or(cell, |compare| compare.first)
}

/// Shortens a guard: returns an equivalent one; `None` if no state satisfies the guard.
///
/// In the result, cells that must be equal have the same set of symbols, and each is compared with the smallest of
/// them. A cell that must differ from a cell whose symbol is known may not hold that symbol. A comparison that always
/// holds by the sets is left out. The result need not be satisfiable: `narrow` does not notice that three cells of two
/// symbols cannot all differ.
pub(super) fn narrow(when: &Pattern, compares: &[Comparison], symbols: usize) -> Option<(Pattern, Vec<Comparison>)> {
    let classes = classes(compares);
    let mut sets: OrderedMap<usize, SymbolSet> = OrderedMap::new();
    for (&cell, &class) in classes.iter() {
        let set = sets.value_or(class, || SymbolSet::all(symbols));
        *set = set.and(when.allowed(cell, symbols));
    }
    let different = compares.iter().filter(|compare| !compare.equal);
    let mut pairs: Vec<(usize, usize)> =
        different.map(|compare| (classes[&compare.first], classes[&compare.second])).collect();
    if pairs.iter().any(|(one, other)| one == other) {
        return None;
    }
    loop {
        if sets.values().any(|set| set.is_empty()) {
            return None;
        }
        let before = pairs.len();
        pairs.retain(|(one, other)| {
            let (mine, yours) = (sets[one], sets[other]);
            let known = mine.single().is_some() || yours.single().is_some();
            if mine.single().is_some() {
                sets.insert(*other, yours.minus(mine));
            } else if yours.single().is_some() {
                sets.insert(*one, mine.minus(yours));
            }
            !known && !mine.and(yours).is_empty()
        });
        if pairs.len() == before {
            break;
        }
    }
    let mut cells: OrderedMap<usize, SymbolSet> = when.0.iter().copied().gather();
    let mut left: Vec<Comparison> = Vec::new();
    for (&cell, class) in classes.iter() {
        let set = sets[class];
        if set != SymbolSet::all(symbols) {
            cells.insert(cell, set);
        }
        if cell != *class && set.single().is_none() {
            left.push(Comparison::new(*class, cell, true));
        }
    }
    left.extend(pairs.into_iter().map(|(one, other)| Comparison::new(one, other, false)));
    sorting::sort(&mut left);
    left.dedup();
    Some((Pattern(cells.into_iter().collect()), left))
}

/// One guard that demands what the guards of both moves demand; `None` if no state satisfies it.
pub(super) fn together(one: &Move, other: &Move, symbols: usize) -> Option<(Pattern, Vec<Comparison>)> {
    let mut cells: OrderedMap<usize, SymbolSet> = one.when.0.iter().copied().gather();
    for &(cell, set) in &other.when.0 {
        let known = cells.value_or(cell, || set);
        *known = known.and(set);
    }
    if cells.values().any(|set| set.is_empty()) {
        return None;
    }
    let compares: Vec<Comparison> = one.compares.iter().chain(&other.compares).copied().collect();
    narrow(&Pattern(cells.into_iter().collect()), &compares, symbols)
}

/// For each cell of a comparison, the smallest of the cells that must be equal to it, which may be the cell itself.
fn classes(compares: &[Comparison]) -> OrderedMap<usize, usize> {
    let mut classes: OrderedMap<usize, usize> = OrderedMap::new();
    for compare in compares {
        let one = *classes.value_or(compare.first, || compare.first);
        let other = *classes.value_or(compare.second, || compare.second);
        if compare.equal {
            classes.values_mut().filter(|class| **class == one.max(other)).for_each(|class| *class = one.min(other));
        }
    }
    classes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn guard() -> impl Strategy<Value = (Pattern, Vec<Comparison>)> {
        let set = prop::collection::vec(0..3u8, 1..3).prop_map(|some| some.into_iter().collect::<SymbolSet>());
        let when =
            prop::collection::btree_map(0..4usize, set, 0..4).prop_map(|cells| Pattern(cells.into_iter().collect()));
        let pair = (0..4usize, 1..4usize, any::<bool>())
            .prop_map(|(cell, step, equal)| Comparison::new(cell, (cell + step) % 4, equal));
        (when, prop::collection::vec(pair, 0..5))
    }

    proptest! {
        #[test]
        fn a_narrow_guard_holds_in_the_same_states((when, compares) in guard()) {
            let narrowed = narrow(&when, &compares, 3);
            for number in 0..81usize {
                let state: Vec<u8> = (0..4).map(|cell| (number / 3usize.pow(cell) % 3) as u8).collect();
                let all = |when: &Pattern, compares: &[Comparison]| {
                    when.holds(&state) && compares.iter().all(|compare| compare.holds(&state))
                };
                let now = narrowed.as_ref().is_some_and(|(when, compares)| all(when, compares));
                prop_assert_eq!(now, all(&when, &compares), "{:?} {:?}", state, narrowed);
            }
            if let Some((when, compares)) = narrowed {
                prop_assert!(when.0.is_sorted() && compares.is_sorted());
                prop_assert!(when.0.iter().all(|&(_, set)| set != SymbolSet::all(3)));
                prop_assert_eq!(narrow(&when, &compares, 3), Some((when, compares)), "narrowed twice");
            }
        }
    }
}
