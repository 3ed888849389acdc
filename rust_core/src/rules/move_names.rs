//! The check of names that moves share: two moves of one player may have the same name only if no state allows both, so
//! that a name always identifies the move.

use super::model::{Condition, Move, Rules};
use super::normal::NarrowGuard;
use super::pattern::{Pattern, Symbol};
use super::{compare, composition, normal, witness};
use crate::error::{Result, rules_error};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sorting;
use crate::sorting::Gather;

/// In lists of at most this length, each move is compared with each other one.
const FEW: usize = 8;

impl Rules {
    /// For each symbol, the number of cells that hold it in every reachable state; `None` if some move changes that
    /// number. The cell that says whose turn it is does not count.
    pub fn conserved(&self) -> Vec<Option<usize>> {
        let moves: Vec<Move> = self.moves.iter().map(|given| self.without_turn(given)).collect();
        let mut counts = conserved(&moves, &self.start[..self.board()], self.symbols.len());
        counts.truncate(self.written_symbols().len());
        counts
    }
}

/// Refuses two moves that share a name, if some state might allow both.
pub(super) fn check(moves: &[Move], start: &[Symbol], of_symbols: &[String], players: &[String]) -> Result<()> {
    let mut named: Vec<&Move> = moves.iter().collect();
    sorting::sort_by(&mut named, |one, other| one.name.cmp(&other.name));
    let mut shared = named.chunk_by(|one, other| one.name == other.name).filter(|moves| moves.len() > 1).peekable();
    if shared.peek().is_none() {
        return Ok(());
    }
    let conserved = conserved(moves, start, of_symbols.len());
    for namesakes in shared {
        if let Some((one, other)) = rivals(namesakes, &conserved) {
            let name = &one.name;
            let owner = one.player.or(other.player);
            let whose = owner.map_or(String::new(), |player| format!(" of player {}", players[player]));
            let state = witness::find(one, other, start, &conserved);
            let shown = state.map_or(String::new(), |state| {
                let turn = owner
                    .filter(|_| players.len() == 2)
                    .map_or(String::new(), |player| format!(":{}", players[player]));
                format!(", such as {}{turn}, which play may never reach", witness::text(&state, of_symbols))
            });
            // The message proposes a narrower guard before it proposes other names. Often, the two moves are slides,
            // and the author has forgotten to guard the cell in which a slide stops.
            let by = if players.len() == 2 && (one.player.is_none() || other.player.is_none()) {
                ", or say whose each is with by"
            } else {
                ""
            };
            return Err(rules_error!(
                "two moves{whose} are named \"{name}\" and some state may allow both{shown}; narrow their guards so \
                 that they exclude each other (a slide needs what stops it){by}, or give them different names"
            ));
        }
    }
    Ok(())
}

/// For each symbol, the number of cells that hold it in every reachable state; `None` if some move changes it.
pub(super) fn conserved(moves: &[Move], start: &[Symbol], symbols: usize) -> Vec<Option<usize>> {
    let changes: Option<Vec<_>> = moves.iter().map(|given| composition::composition_change(given, symbols)).collect();
    let Some(changes) = changes else {
        return vec![None; symbols];
    };
    (0..symbols)
        .map(|symbol| {
            let constant = changes.iter().all(|change| change[symbol] == 0);
            constant.then(|| start.iter().filter(|&&at| at as usize == symbol).count())
        })
        .collect()
}

/// A property that has one value in each state. If two moves need different values of it, no state allows both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    /// The symbol in a cell.
    Held(usize),
    /// The cell of a symbol that is always in exactly one cell, such as a blank.
    Place(Symbol),
    /// The number 1 if the pattern with this number holds, otherwise 0.
    Fits(usize),
}

/// The number of cells for each conserved symbol, and all patterns that guards forbid.
struct Known<'a> {
    conserved: &'a [Option<usize>],
    patterns: Vec<&'a Pattern>,
}

impl<'a> Known<'a> {
    fn new(moves: &[&'a Move], conserved: &'a [Option<usize>]) -> Self {
        let patterns: OrderedSet<&Pattern> = moves.iter().flat_map(|given| unless(given)).gather();
        Self { conserved, patterns: patterns.into_iter().collect() }
    }

    /// The facts that the guard of a move decides, each with the value that the move needs.
    fn facts(&self, given: &Move) -> impl Iterator<Item = (Fact, usize)> {
        let known = given.when.0.iter().filter_map(|&(cell, set)| Some((cell, set.single()?)));
        let cells = known.flat_map(|(cell, symbol)| {
            let place = (self.conserved[symbol as usize] == Some(1)).then_some((Fact::Place(symbol), cell));
            std::iter::once((Fact::Held(cell), symbol as usize)).chain(place)
        });
        let fits = |(at, pattern): (usize, &&Pattern)| Some((Fact::Fits(at), usize::from(decided(given, pattern)?)));
        cells.chain(self.patterns.iter().enumerate().filter_map(fits))
    }
}

/// The patterns that the guard of a move forbids.
fn unless(given: &Move) -> impl Iterator<Item = &Pattern> {
    given.conditions.iter().filter_map(|condition| match condition {
        Condition::Unless(pattern) => Some(pattern),
        _ => None,
    })
}

/// `Some(true)` if the pattern holds in every state that allows the move, `Some(false)` if it holds in none of these
/// states; `None` if the guard does not decide that.
fn decided(given: &Move, pattern: &Pattern) -> Option<bool> {
    let known = |cell: usize| given.when.get(cell);
    if pattern.0.iter().all(|&(cell, set)| known(cell).is_some_and(|held| held.within(set))) {
        return Some(true);
    }
    let misses = pattern.0.iter().any(|&(cell, set)| known(cell).is_some_and(|held| held.and(set).is_empty()));
    (misses || unless(given).any(|other| other == pattern)).then_some(false)
}

/// Finds two of the given moves that one player might both make in some state; `None` if there are none.
///
/// Comparing each move with each other would take time in the square of their number. So the moves are split by a fact:
/// the one of which the most moves need a value. Moves that need different values exclude each other. Moves that need
/// the same value are split again in the same way, by another fact. Moves that need no value are compared with all. For
/// example, each slide called "up" needs the blank in another cell. Split by the place of the blank, each part has one
/// move, and nothing is compared at all.
fn rivals<'a>(moves: &[&'a Move], conserved: &[Option<usize>]) -> Option<(&'a Move, &'a Move)> {
    let known = Known::new(moves, conserved);
    let pairs = |some: &[&'a Move], others: &[&'a Move]| {
        let all = some.iter().flat_map(|&one| others.iter().map(move |&other| (one, other)));
        let mut both = all.filter(|&(one, other)| !std::ptr::eq(one, other));
        both.find(|(one, other)| same_player(one, other) && !exclusive(one, other, conserved))
    };
    // The last entry is taken first. Lists may be split many times, so a stack is used instead of recursion.
    let mut left = vec![Namesakes::List(moves.to_vec())];
    while let Some(next) = left.pop() {
        let found = match next {
            Namesakes::Two(some, others) => pairs(&some, &others),
            Namesakes::List(moves) => match parting(&moves, &known).filter(|_| moves.len() > FEW) {
                Some(fact) => {
                    left.extend(parted(&moves, fact, &known));
                    None
                }
                None => pairs(&moves, &moves),
            },
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// Moves that are still to be compared with each other.
enum Namesakes<'a> {
    /// Each move of the list is compared with each other move of the list.
    List(Vec<&'a Move>),
    /// Each move of the first list is compared with each move of the second list.
    Two(Vec<&'a Move>, Vec<&'a Move>),
}

/// The fact of which the most moves need a value. A fact is left out if all these moves need the same value, since it
/// would not split them. `None` if no fact splits the moves.
fn parting(moves: &[&Move], known: &Known) -> Option<Fact> {
    // For each fact: how many moves need a value, the value that the first of these moves needs, and `true` if another
    // of them needs another value.
    let mut needs: OrderedMap<Fact, (usize, usize, bool)> = OrderedMap::new();
    for (fact, value) in moves.iter().flat_map(|given| known.facts(given)) {
        let (count, first, several) = needs.value_or(fact, || (0, value, false));
        *count += 1;
        *several |= value != *first;
    }
    let parting = needs.iter().filter(|&(_, &(.., several))| several);
    parting.max_by_key(|&(_, &(count, ..))| count).map(|(&fact, _)| fact)
}

/// The comparisons that are left after a split by a fact. Moves that need the same value are compared with each other.
/// Moves that need no value are compared with each other, and with all moves that need one.
fn parted<'a>(moves: &[&'a Move], fact: Fact, known: &Known) -> Vec<Namesakes<'a>> {
    let mut parts: OrderedMap<usize, Vec<&Move>> = OrderedMap::new();
    let mut rest: Vec<&Move> = Vec::new();
    for &given in moves {
        match known.facts(given).find(|&(of, _)| of == fact) {
            Some((_, value)) => parts.value_or(value, Vec::new).push(given),
            None => rest.push(given),
        }
    }
    let all: Vec<&Move> = parts.values().flatten().copied().collect();
    let mut found = vec![Namesakes::Two(rest.clone(), all), Namesakes::List(rest)];
    found.extend(parts.into_values().rev().map(Namesakes::List));
    found
}

fn same_player(one: &Move, other: &Move) -> bool {
    one.player.is_none() || other.player.is_none() || one.player == other.player
}

/// Returns `true` if no reachable state allows both moves. A state that allows both would need two symbols in one cell,
/// or a conserved symbol in more cells than ever hold it.
fn exclusive(one: &Move, other: &Move, conserved: &[Option<usize>]) -> bool {
    let symbols = conserved.len();
    let plain = |given: &Move| given.compares.is_empty() && given.conditions.is_empty();
    if !plain(one) || !plain(other) {
        let Some(guard) = together(one, other, symbols) else { return true };
        return is_short_of(&guard.when, conserved);
    }
    let mut needed = vec![0; symbols];
    for &(cell, set) in &one.when.0 {
        let both = set.and(other.when.allowed(cell, symbols));
        if both.is_empty() {
            return true;
        }
        both.single().into_iter().for_each(|symbol| needed[symbol as usize] += 1);
    }
    for (_, set) in other.when.0.iter().filter(|(cell, _)| one.when.get(*cell).is_none()) {
        set.single().into_iter().for_each(|symbol| needed[symbol as usize] += 1);
    }
    needed.iter().zip(conserved).any(|(&needed, &there)| there.is_some_and(|there| needed > there))
}

/// One guard that demands what the guards of both moves demand; `None` if no state satisfies it.
fn together(one: &Move, other: &Move, symbols: usize) -> Option<NarrowGuard> {
    let (when, compares) = compare::together(one, other, symbols)?;
    let conditions: Vec<Condition> = one.conditions.iter().chain(&other.conditions).cloned().collect();
    normal::narrow_guard(&when, &compares, &conditions, symbols)
}

/// Returns `true` if a pattern needs a conserved symbol in more cells than hold it.
fn is_short_of(when: &Pattern, conserved: &[Option<usize>]) -> bool {
    let mut needed = vec![0; conserved.len()];
    when.0.iter().filter_map(|(_, set)| set.single()).for_each(|symbol| needed[symbol as usize] += 1);
    needed.iter().zip(conserved).any(|(&needed, &there)| there.is_some_and(|there| needed > there))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::{Count, SymbolSet};

    /// A random move of two cells and three symbols, with a guard.
    fn guarded() -> impl Strategy<Value = Move> {
        let set = || prop::collection::vec(0..3u8, 1..3).prop_map(|some| some.into_iter().collect::<SymbolSet>());
        let pattern = || {
            let cells = prop::collection::btree_map(0..3usize, set(), 0..3);
            cells.prop_map(|cells| Pattern(cells.into_iter().collect()))
        };
        let pair = (0..3usize, 1..3usize, any::<bool>());
        let compares = prop_oneof![3 => Just(None), 1 => pair.prop_map(Some)];
        let count = (set(), 0..3usize, 0..4usize).prop_map(|(symbols, least, most)| {
            Condition::Count(Count { symbols, cells: vec![0, 1, 2], least, most: most.max(least) })
        });
        let unless = || pattern().prop_map(Condition::Unless);
        let conditions = prop_oneof![
            3 => Just(Vec::new()),
            2 => prop::collection::vec(unless(), 1..3),
            1 => (unless(), count).prop_map(|(one, other)| vec![one, other]),
        ];
        (prop::option::of(0..2usize), pattern(), compares, conditions).prop_map(|(player, when, pair, conditions)| {
            Move {
                name: "go".to_owned(),
                player,
                when,
                compares: pair
                    .into_iter()
                    .map(|(cell, step, equal)| crate::rules::Comparison::new(cell, (cell + step) % 3, equal))
                    .collect(),
                conditions,
                then: Vec::new(),
                forced: false,
                again: false,
            }
        })
    }

    proptest! {
        #[test]
        fn no_state_allows_both_of_two_exclusive_moves(
            one in guarded(),
            other in guarded(),
            conserved in prop::collection::vec(prop::option::of(0..3usize), 3),
        ) {
            let allows = |given: &Move, state: &[Symbol]| {
                given.when.holds(state)
                    && given.compares.iter().all(|compare| compare.holds(state))
                    && given.conditions.iter().all(|condition| condition.holds(state))
            };
            let mut states = (0..27usize).map(|number| [0, 1, 2].map(|cell| (number / 3usize.pow(cell) % 3) as Symbol));
            let shared = states.find(|state| {
                let there = |symbol: usize| state.iter().filter(|&&held| held as usize == symbol).count();
                let kept = (0..3).all(|symbol| conserved[symbol].is_none_or(|count| count == there(symbol)));
                kept && allows(&one, state) && allows(&other, state)
            });
            prop_assert!(shared.is_none() || !exclusive(&one, &other, &conserved), "{:?}", shared);
            // The witness satisfies both guards. If some state has the right number of each symbol, too, the witness is
            // such a state.
            if let Some(state) = witness::find(&one, &other, &[0, 1, 2], &conserved) {
                prop_assert!(allows(&one, &state) && allows(&other, &state));
            } else {
                prop_assert_eq!(shared, None);
            }
        }

        #[test]
        fn parts_find_rivals_as_comparing_all_does(
            moves in prop::collection::vec(guarded(), 0..24),
            conserved in prop::collection::vec(prop::option::of(0..3usize), 3),
            apart: bool,
        ) {
            // In half of the lists, all moves exclude each other, or nearly all do.
            let mut kept: Vec<&Move> = Vec::new();
            for given in &moves {
                if !apart || kept.iter().all(|one| !same_player(one, given) || exclusive(one, given, &conserved)) {
                    kept.push(given);
                }
            }
            let all = || (0..kept.len()).flat_map(|at| (0..at).map(move |other| (at, other)));
            let expected = all().any(|(one, other)| {
                same_player(kept[one], kept[other]) && !exclusive(kept[one], kept[other], &conserved)
            });
            let found = rivals(&kept, &conserved);
            prop_assert_eq!(found.is_some(), expected);
            if let Some((one, other)) = found {
                prop_assert!(same_player(one, other) && !exclusive(one, other, &conserved));
            }
        }
    }
}
