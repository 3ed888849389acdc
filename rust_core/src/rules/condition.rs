//! Conditions of moves, ends and goals beside a pattern: see `docs/rules.md`, "Counts, paths, and what must not hold".
//! [`settle`] shortens conditions as far as the pattern decides them.
//!
//! Take two symbols `.` and `o`, and the condition that the cells 0 and 1 do not both hold `o`. If the pattern wants
//! `o` in cell 0, cell 1 must hold `.`, and nothing is left of the condition.

use super::model::{Condition, Connection, Count};
use super::pattern::{Pattern, Symbol, SymbolSet};
use crate::ordered::OrderedSet;
use crate::sorting;
use crate::sorting::Gather;

impl Condition {
    /// The cells that the condition looks at, each with a set of symbols: the condition depends only on whether the
    /// cell holds a symbol of this set. A cell may come several times.
    pub fn looks(&self) -> Vec<(usize, SymbolSet)> {
        match self {
            Self::Unless(pattern) => pattern.0.clone(),
            Self::Count(count) => count.cells.iter().map(|&cell| (cell, count.symbols)).collect(),
            Self::Connection(connection) => connection.cells().iter().map(|&at| (at, connection.symbols)).collect(),
        }
    }

    /// Returns `true` if the condition may become true when `cell` changes from a symbol of `before` to a symbol of
    /// `after`.
    pub fn may_gain(&self, cell: usize, before: SymbolSet, after: SymbolSet) -> bool {
        let enters = |set: SymbolSet| !before.within(set) && !after.and(set).is_empty();
        let leaves = |set: SymbolSet| !before.and(set).is_empty() && !after.within(set);
        match self {
            Self::Unless(pattern) => pattern.get(cell).is_some_and(leaves),
            Self::Count(count) if count.cells.binary_search(&cell).is_err() => false,
            Self::Count(count) => {
                (count.least > 0 && enters(count.symbols)) || (count.most < count.cells.len() && leaves(count.symbols))
            }
            Self::Connection(connection) => enters(connection.symbols) && connection.cells().contains(&cell),
        }
    }
}

impl Count {
    /// Shortens the count by what the pattern `when` decides: only the cells are left that may or may not count.
    /// `Err(true)` if the pattern makes the count true, `Err(false)` if it makes it false.
    fn settled(&self, when: &Pattern, symbols: usize) -> Result<Self, bool> {
        let allowed = |cell: usize| when.allowed(cell, symbols);
        let open = |cell: &usize| !allowed(*cell).and(self.symbols).is_empty() && !allowed(*cell).within(self.symbols);
        let sure = self.cells.iter().filter(|&&cell| allowed(cell).within(self.symbols)).count();
        let cells: Vec<usize> = self.cells.iter().copied().filter(open).collect();
        let (least, most) = (self.least.saturating_sub(sure), self.most.checked_sub(sure).ok_or(false)?);
        if least > most || least > cells.len() {
            return Err(false);
        }
        if least == 0 && most >= cells.len() {
            return Err(true);
        }
        Ok(Self { symbols: self.symbols, most: most.min(cells.len()), cells, least })
    }
}

impl Connection {
    /// Makes a connection of two sides. The lists may be in any order, and may name a cell or pair more than once.
    pub fn new(symbols: SymbolSet, sides: [Vec<usize>; 2], edges: Vec<(usize, usize)>) -> Self {
        let mut sides = sides.map(|side| side.into_iter().gather::<OrderedSet<_>>().into_iter().collect::<Vec<_>>());
        sorting::sort(&mut sides);
        let ordered = edges.into_iter().filter(|(one, other)| one != other);
        let edges: OrderedSet<_> = ordered.map(|(one, other)| (one.min(other), one.max(other))).gather();
        Self { symbols, sides, edges: edges.into_iter().collect() }
    }

    /// The connection, restricted to the cells that may vary. `place` returns the new number of a cell, or as `Err` the
    /// symbol that the cell always holds. `code` returns the new number of a symbol. The result is `Err(true)` if the
    /// connection always holds, and `Err(false)` if it never does.
    ///
    /// Constant cells that hold a symbol of the path are contracted: their neighbours become neighbours of each other,
    /// and belong to the same sides. For example, if the middle one of three cells in a row always fits, its two
    /// neighbours become neighbours.
    pub(super) fn reduced(
        &self,
        place: impl Fn(usize) -> Result<usize, Symbol>,
        code: impl Fn(Symbol) -> Option<Symbol>,
    ) -> Result<Self, bool> {
        let always = |cell: usize| place(cell).is_err_and(|held| self.symbols.contains(held));
        let (mut sides, mut edges) = (self.sides.clone(), self.edges.clone());
        for cell in self.cells().into_iter().filter(|&cell| always(cell)) {
            let touches = |&&(one, other): &&(usize, usize)| one == cell || other == cell;
            let beside = edges.iter().filter(touches).map(|&(one, other)| if one == cell { other } else { one });
            // Each neighbour once: pairs that are listed twice would make twice as many of the next cell, and so on.
            let beside: OrderedSet<usize> = beside.filter(|&other| other != cell).collect();
            let within: Vec<bool> = sides.iter().map(|side| side.contains(&cell)).collect();
            if within.iter().all(|&within| within) {
                return Err(true);
            }
            for (side, _) in sides.iter_mut().zip(within).filter(|(_, within)| *within) {
                side.extend(&beside);
            }
            edges.retain(|edge| !touches(&edge));
            let pairs = beside.iter().enumerate();
            edges.extend(pairs.flat_map(|(at, &one)| beside[at + 1..].iter().map(move |&other| (one, other))));
            sorting::sort(&mut edges);
            edges.dedup();
        }
        let varying = |cell: &usize| place(*cell).ok();
        let sides = sides.map(|side| side.iter().filter_map(varying).collect::<Vec<_>>());
        let edges = edges.iter().filter_map(|(one, other)| Some((varying(one)?, varying(other)?))).collect();
        let symbols: SymbolSet = self.symbols.iter().filter_map(code).collect();
        if symbols.is_empty() || sides.iter().any(Vec::is_empty) {
            return Err(false);
        }
        Ok(Self::new(symbols, sides, edges))
    }
}

/// Shortens conditions by what a pattern says. A condition that is left with one cell moves into the pattern. The
/// result holds in the same states; `None` if there are none. The conditions are returned sorted, without repetitions.
pub(super) fn settle(when: &Pattern, given: &[Condition], symbols: usize) -> Option<(Pattern, Vec<Condition>)> {
    let (mut when, mut left) = (when.clone(), given.to_vec());
    loop {
        let mut kept = OrderedSet::new();
        let mut narrower = when.clone();
        for condition in &left {
            match condition {
                Condition::Unless(pattern) => match open_cells(pattern, &when, symbols) {
                    None => {}
                    Some(open) => match open.0[..] {
                        [] => return None,
                        [(cell, set)] => narrower = narrowed(&narrower, cell, when.allowed(cell, symbols).minus(set))?,
                        _ => _ = kept.insert(Condition::Unless(open)),
                    },
                },
                Condition::Count(count) => match count.settled(&when, symbols) {
                    // If all open cells must count, or if none may, then each of them has a condition of its own, which
                    // goes into the pattern.
                    Ok(count) if count.least == count.cells.len() || count.most == 0 => {
                        for &cell in &count.cells {
                            let (allowed, set) = (when.allowed(cell, symbols), count.symbols);
                            let set = if count.most == 0 { allowed.minus(set) } else { allowed.and(set) };
                            narrower = narrowed(&narrower, cell, set)?;
                        }
                    }
                    Ok(count) => _ = kept.insert(Condition::Count(count)),
                    Err(true) => {}
                    Err(false) => return None,
                },
                Condition::Connection(connection) => {
                    if connection.sides.iter().any(Vec::is_empty) {
                        return None;
                    }
                    kept.insert(condition.clone());
                }
            }
        }
        let kept: Vec<Condition> = kept.into_iter().collect();
        if kept == left && narrower == when {
            return Some((when, kept));
        }
        (when, left) = (narrower, kept);
    }
}

/// The cells of `pattern` that may or may not fit in a state that satisfies `when`, each with the symbols that fit and
/// that `when` allows. `None` if some cell of `pattern` can never fit.
fn open_cells(pattern: &Pattern, when: &Pattern, symbols: usize) -> Option<Pattern> {
    let mut open = Vec::new();
    for &(cell, set) in &pattern.0 {
        let allowed = when.allowed(cell, symbols);
        if allowed.and(set).is_empty() {
            return None;
        }
        if !allowed.within(set) {
            open.push((cell, allowed.and(set)));
        }
    }
    Some(Pattern(open))
}

/// The pattern that also demands a symbol of `set` in a cell; `None` if the cell is left without a symbol.
fn narrowed(pattern: &Pattern, cell: usize, set: SymbolSet) -> Option<Pattern> {
    let mut cells = pattern.0.clone();
    match cells.binary_search_by_key(&cell, |&(at, _)| at) {
        Ok(at) => cells[at].1 = cells[at].1.and(set),
        Err(at) => cells.insert(at, (cell, set)),
    }
    let pattern = Pattern(cells);
    (!pattern.never()).then_some(pattern)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set() -> impl Strategy<Value = SymbolSet> {
        prop::collection::vec(0..3u8, 1..3).prop_map(|some| some.into_iter().collect())
    }

    fn pattern() -> impl Strategy<Value = Pattern> {
        prop::collection::btree_map(0..4usize, set(), 0..4)
            .prop_map(|cells| Pattern(cells.into_iter().filter(|(_, set)| *set != SymbolSet::all(3)).collect()))
    }

    fn condition() -> impl Strategy<Value = Condition> {
        let cells = || prop::collection::btree_set(0..4usize, 0..4).prop_map(|cells| cells.into_iter().collect());
        let edges = prop::collection::vec((0..4usize, 0..4usize), 0..6);
        let count = (set(), cells(), 0..3usize, 0..4usize);
        prop_oneof![
            pattern().prop_map(Condition::Unless),
            count.prop_map(|(symbols, cells, least, most)| Condition::Count(Count { symbols, cells, least, most })),
            (set(), cells(), cells(), edges)
                .prop_map(|(symbols, one, other, edges)| Connection::new(symbols, [one, other], edges))
                .prop_map(Condition::Connection),
        ]
    }

    fn states() -> impl Iterator<Item = Vec<Symbol>> {
        (0..81usize).map(|number| (0..4).map(|cell| (number / 3usize.pow(cell) % 3) as Symbol).collect())
    }

    proptest! {
        #[test]
        fn settled_conditions_hold_in_the_same_states(
            when in pattern(),
            given in prop::collection::vec(condition(), 0..4),
        ) {
            let settled = settle(&when, &given, 3);
            let all = |when: &Pattern, given: &[Condition], state: &[Symbol]| {
                when.holds(state) && given.iter().all(|condition| condition.holds(state))
            };
            for state in states() {
                let now = settled.as_ref().is_some_and(|(when, given)| all(when, given, &state));
                prop_assert_eq!(now, all(&when, &given, &state), "{:?} {:?}", state, settled);
            }
            if let Some((when, given)) = settled {
                prop_assert_eq!(settle(&when, &given, 3), Some((when, given)), "settled twice");
            }
        }

        #[test]
        fn a_condition_becomes_true_only_where_it_may(
            given in condition(), cell in 0..4usize, one in set(), to in set(),
        ) {
            let may = given.may_gain(cell, one, to);
            for state in states().filter(|state| one.contains(state[cell]) && !given.holds(state)) {
                for symbol in to.iter() {
                    let mut after = state.clone();
                    after[cell] = symbol;
                    prop_assert!(may || !given.holds(&after), "{:?} {:?}", state, after);
                }
            }
        }

        #[test]
        fn a_reduced_connection_holds_in_the_same_states(
            given in condition(), varies in prop::collection::vec(any::<bool>(), 4),
        ) {
            let Condition::Connection(given) = given else { return Ok(()) };
            let cells: Vec<usize> = (0..4).filter(|&cell| varies[cell]).collect();
            for held in states() {
                let place = |cell: usize| cells.iter().position(|&at| at == cell).ok_or(held[cell]);
                let reduced = given.reduced(place, Some);
                let part: Vec<Symbol> = cells.iter().map(|&cell| held[cell]).collect();
                let now = reduced.as_ref().map_or_else(|&always| always, |reduced| reduced.holds(&part));
                prop_assert_eq!(now, given.holds(&held), "{:?} {:?}", held, reduced);
            }
        }
    }
}
