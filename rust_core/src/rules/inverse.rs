//! Inverse moves: the moves that undo other moves, the rules for play backward from the goal, and the check whether
//! each move is undone by some move of the same rules.
//!
//! The theory is in `docs/enumeration.md`, "Backward".

use std::collections::HashMap;

use super::condition::settle;
use super::model::{Condition, Count, Move, Rules, Source, SymbolMap};
use super::pattern::{Comparison, Pattern, Symbol, SymbolSet};
use super::{compare, normal};
use crate::error::{Error, Result, no_goal};
use crate::ordered::{OrderedMap, OrderedSet};
use crate::sorting;
use crate::sorting::Gather;

/// A move without its name and player: the three parts of its guard, and its effect.
type Rewrite<'a> = (&'a Pattern, &'a [Comparison], &'a [Condition], &'a [(usize, Source)]);

fn rewrite(given: &Move) -> Rewrite<'_> {
    (&given.when, &given.compares, &given.conditions, &given.then)
}

impl Rules {
    /// For each move, its inverse: a move that undoes it, and that can be made in exactly the states to which the move
    /// leads. The inverse need not be a move of the rules. `None` if some move destroys what it overwrites, so that no
    /// guarded rewrite can undo it, or if one is a forced pass.
    pub fn inverse_moves(&self) -> Option<Vec<Move>> {
        if self.forces_passes() {
            return None;
        }
        self.moves.iter().map(|given| inverse(given, self.symbols.len())).collect()
    }

    /// The rules for play backward from the goal. They start from the goal, and their moves undo the moves of the
    /// rules. So the depth of a state is the number of moves that lead from it to the goal. No state is stuck: a state
    /// in which no inverse move can be made counts as open.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if there are two players or ends, if the goal is not a single state, or if a move destroys
    /// what it overwrites.
    pub fn backward(&self) -> Result<Self> {
        const REFUSED: &str = "there is no counting back from the goal";
        let refused = |why: &str| Err(Error::Options(format!("{why}, so {REFUSED}")));
        if self.player_count() > 1 || !self.ends.is_empty() {
            return match self.player_count() {
                1 if self.goal.is_empty() => Err(no_goal(REFUSED)),
                1 => refused("the rules have ends"),
                _ => refused("the rules have two players"),
            };
        }
        let [goal] = &self.goal[..] else {
            return if self.goal.is_empty() { Err(no_goal(REFUSED)) } else { refused("the rules have several goals") };
        };
        let Some(start) = goal.single_state(self.cells(), self.symbols.len()) else {
            return refused("the goal leaves some cells open");
        };
        let Some(moves) = self.inverse_moves() else {
            return refused("some move loses what it overwrites");
        };
        Ok(Self { start, moves, backward: true, ..self.clone() })
    }

    /// Returns `true` if each move is undone by a move of the player who moves next, in every state that it leads to.
    pub fn all_undone(&self) -> bool {
        all_undone(self)
    }
}

/// Does the work of [`Rules::all_undone`].
///
/// Move `b` undoes `a` if every state that `a` leads to satisfies the guard of `b`, and if `b` then restores the state
/// before `a`. The guard of `b` may hold in other states, too.
fn all_undone(rules: &Rules) -> bool {
    // After a forced pass, the other player has a move, and so cannot pass. So no pass is undone.
    if rules.forces_passes() {
        return false;
    }
    let symbols = rules.symbols.len();
    let mut known: HashMap<Rewrite, Vec<&Move>> = HashMap::new();
    let mut writers: HashMap<Vec<usize>, Vec<&Move>> = HashMap::new();
    for given in &rules.moves {
        known.entry(rewrite(given)).or_default().push(given);
        writers.entry(written(given)).or_default().push(given);
    }
    rules.moves.iter().all(|given| {
        let Some(undo) = inverse(given, symbols) else { return false };
        // Most inverses are themselves moves of the rules, and a look-up finds them. Without the look-up, rules with
        // many moves that write the same cells would take time in the square of their number.
        let exact = known.get(&rewrite(&undo));
        if exact.is_some_and(|moves| moves.iter().any(|candidate| alternates(rules, given, candidate))) {
            return true;
        }
        // Otherwise, a move with a wider guard may undo this one. It must write the same cells. An inverse without a
        // guard needs no such search, because no guard is wider.
        !undo.is_free()
            && writers.get(&written(&undo)).is_some_and(|moves| {
                moves.iter().any(|candidate| alternates(rules, given, candidate) && does(candidate, &undo, symbols))
            })
    })
}

fn written(given: &Move) -> Vec<usize> {
    given.then.iter().map(|&(cell, _)| cell).collect()
}

/// Returns `true` if the player who moves after `given` may make `candidate`.
fn alternates(rules: &Rules, given: &Move, candidate: &Move) -> bool {
    match (given.player, candidate.player) {
        (_, None) => true,
        (None, Some(_)) => rules.player_count() == 1,
        (Some(mover), Some(player)) => rules.next_player(mover) == player,
    }
}

/// Returns `true` if `candidate` can be made in every state in which `undo` can be made, and has the same effect there.
fn does(candidate: &Move, undo: &Move, symbols: usize) -> bool {
    let wider = candidate.when.0.iter().all(|&(cell, set)| undo.when.allowed(cell, symbols).within(set));
    let follows = |condition: &Condition| {
        settle(&undo.when, std::slice::from_ref(condition), symbols).is_some_and(|(when, left)| {
            when == undo.when && left.iter().all(|condition| undo.conditions.contains(condition))
        })
    };
    wider
        && candidate.compares.iter().all(|compare| implied(undo, *compare, symbols))
        && candidate.conditions.iter().all(follows)
        && {
            let (when, compares, conditions) = (undo.when.clone(), undo.compares.clone(), undo.conditions.clone());
            let narrowed = Move { when, compares, conditions, ..candidate.clone() };
            normal::normal(&narrowed, symbols).then == undo.then
        }
}

/// Returns `true` if the guard of `given` ensures that a comparison holds.
fn implied(given: &Move, compare: Comparison, symbols: usize) -> bool {
    let (one, other) = (given.when.allowed(compare.first, symbols), given.when.allowed(compare.second, symbols));
    let class = |cell: usize| compare::representative(&given.compares, cell);
    let (first, second) = (class(compare.first), class(compare.second));
    if compare.equal {
        first == second || (one == other && one.single().is_some())
    } else {
        one.and(other).is_empty() || given.compares.contains(&Comparison::new(first, second, false))
    }
}

/// The inverse of a move as a guarded rewrite that can be made in exactly the states to which the move leads; `None` if
/// there is none.
///
/// For example, the move `when {1: "."}, then {1: Copy(0)}` copies the symbol of cell 0 into cell 1. Its inverse
/// demands that the cells 0 and 1 be equal, and writes `.` into cell 1.
///
/// A class is a set of cells that the guard demands to be equal, so that all hold one symbol. A trace of a class is a
/// cell that shows this symbol after the move: a cell of the class that the move did not write, or a cell to which the
/// move copied the symbol. In the example, the class of cell 0 has the traces 0 and 1. The guard of the inverse demands
/// that all traces of a class be equal. If the guard of the move demands that two classes differ, the guard of the
/// inverse compares a trace of each. A copy through a map leaves another symbol in its trace. The inverse follows such
/// a trace back if it is the only one of its class, but cannot compare it with other cells.
fn inverse(given: &Move, symbols: usize) -> Option<Move> {
    let written: OrderedSet<usize> = given.then.iter().map(|&(to, _)| to).gather();
    let class = |cell: usize| compare::representative(&given.compares, cell);
    let mut when: Vec<(usize, SymbolSet)> =
        given.when.0.iter().copied().filter(|(cell, _)| !written.contains(cell)).collect();
    // For each class, named by its smallest cell: its traces. A trace that was copied through a map has the inverse of
    // that map.
    let mut traces: OrderedMap<usize, OrderedMap<usize, Option<SymbolMap>>> = OrderedMap::new();
    let mut concerned: OrderedSet<usize> =
        given.compares.iter().flat_map(|compare| [compare.first, compare.second]).gather();
    for (to, source) in &given.then {
        let range = match source {
            Source::Symbol(symbol) => [*symbol].into_iter().collect(),
            Source::Copy(from, map) => {
                let domain = given.when.allowed(*from, symbols);
                let (range, back) = invert_map(domain, map.as_ref(), symbols)?;
                concerned.insert(*from);
                traces.value_or(class(*from), OrderedMap::new).insert(*to, map.is_some().then_some(back));
                range
            }
        };
        when.push((*to, range));
    }
    for &cell in concerned.iter().filter(|cell| !written.contains(*cell)) {
        traces.value_or(class(cell), OrderedMap::new).insert(cell, None);
    }
    let mut compares = Vec::new();
    for cells in traces.values() {
        if cells.len() > 1 && cells.values().any(Option::is_some) {
            return None;
        }
        compares.extend(cells.keys().zip(cells.keys().skip(1)).map(|(&one, &other)| Comparison::new(one, other, true)));
    }
    for compare in given.compares.iter().filter(|compare| !compare.equal) {
        let plain = |cell: usize| {
            let (at, map) = traces.get(&class(cell))?.iter().next()?;
            map.is_none().then_some(*at)
        };
        compares.push(Comparison::new(plain(compare.first)?, plain(compare.second)?, false));
    }
    let mut then = Vec::new();
    for (cell, _) in &given.then {
        let source = if let Some(symbol) = given.when.get(*cell).and_then(SymbolSet::single) {
            Source::Symbol(symbol)
        } else {
            let (at, back) = traces.get(&class(*cell))?.iter().next()?;
            Source::Copy(*at, back.clone())
        };
        then.push((*cell, source));
    }
    let found = |cell: usize| {
        if !written.contains(&cell) {
            return Some(Ok(cell));
        }
        if let Some(symbol) = given.when.get(cell).and_then(SymbolSet::single) {
            return Some(Err(symbol));
        }
        let (at, map) = traces.get(&class(cell))?.iter().next()?;
        map.is_none().then_some(Ok(*at))
    };
    let mut conditions = Vec::new();
    for condition in &given.conditions {
        match before(condition, &found) {
            Ok(condition) => conditions.push(condition),
            Err(true) => {}
            Err(false) => return None,
        }
    }
    sorting::sort(&mut when);
    when.retain(|&(_, set)| set != SymbolSet::all(symbols));
    Some(normal::normal(&Move { when: Pattern(when), compares, conditions, then, ..given.clone() }, symbols))
}

/// Turns a condition on the state before a move into one on the state after it. `found` returns the cell that shows,
/// after the move, the symbol that a given cell held before it; or `Err(symbol)` if the guard of the move fixes that
/// symbol; or `None` if no cell shows it. The result is `Err(true)` if the condition always holds before the move, and
/// `Err(false)` if no condition on the state after the move says the same.
fn before(
    condition: &Condition,
    found: &impl Fn(usize) -> Option<std::result::Result<usize, Symbol>>,
) -> std::result::Result<Condition, bool> {
    let cells: OrderedSet<usize> = condition.looks().into_iter().map(|(cell, _)| cell).gather();
    let places = cells.iter().map(|&cell| Some((cell, found(cell)?))).collect::<Option<OrderedMap<_, _>>>();
    let places = places.ok_or(false)?;
    // If one cell shows the symbols of two cells of the condition, it would have to count twice, which no condition can
    // express.
    let different: OrderedSet<usize> = places.values().filter_map(|place| place.ok()).gather();
    if different.len() < places.values().filter(|place| place.is_ok()).count() {
        return Err(false);
    }
    match condition {
        Condition::Unless(pattern) => {
            let mut open = Vec::new();
            for &(cell, set) in &pattern.0 {
                match places[&cell] {
                    Ok(at) => open.push((at, set)),
                    Err(symbol) if set.contains(symbol) => {}
                    Err(_) => return Err(true),
                }
            }
            sorting::sort(&mut open);
            Ok(Condition::Unless(Pattern(open)))
        }
        Condition::Count(Count { symbols, cells, least, most }) => {
            let there = cells.iter().filter(|cell| places[cell].is_err_and(|held| symbols.contains(held))).count();
            let mut cells: Vec<usize> = cells.iter().filter_map(|cell| places[cell].ok()).collect();
            cells.sort_unstable();
            let (least, most) = (least.saturating_sub(there), most.checked_sub(there).ok_or(false)?);
            Ok(Condition::Count(Count { symbols: *symbols, cells, least, most }))
        }
        Condition::Connection(path) => path.reduced(|cell| places[&cell], Some).map(Condition::Connection),
    }
}

/// The set of symbols to which `map` turns the symbols of `domain`, and the inverse of the map. `None` if the map turns
/// two symbols of the domain into the same one, since it has no inverse then.
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

#[cfg(test)]
mod tests {
    use crate::rules::{Rules, RulesData};

    /// Rules with a move for each pair of different symbols. All these moves share a name and write the same two cells.
    /// A check that compares every two of them, for their names or for their inverses, would take minutes.
    fn many(symbols: usize, back: bool) -> Rules {
        let name = |symbol: usize| symbol.to_string();
        let moves =
            (0..symbols * symbols).map(|pair| (pair / symbols, pair % symbols)).filter(|(one, other)| one != other);
        let moves: Vec<_> = moves
            .filter(|(one, other)| back || *one < *other)
            .map(|(one, other)| {
                serde_json::json!({"name": "exchange", "when": [[0, [name(one)]], [1, [name(other)]]],
                    "then": [[0, name(other)], [1, name(one)]]})
            })
            .collect();
        let data = serde_json::json!({"symbols": (0..symbols).map(name).collect::<Vec<_>>(),
            "start": ["0", "1"], "moves": moves});
        Rules::new(&serde_json::from_value::<RulesData>(data).unwrap()).unwrap()
    }

    /// Rules of one cell, which the player P lights. The move that puts it out again belongs to `player`.
    fn lamp(player: &str) -> Rules {
        let data = serde_json::json!({"symbols": [".", "x"], "start": ["."], "players": ["P", "Q"], "stuck": "draw",
            "moves": [{"name": "on", "player": "P", "when": [[0, ["."]]], "then": [[0, "x"]]},
                {"name": "off", "player": player, "when": [[0, ["x"]]], "then": [[0, "."]]}]});
        Rules::new(&serde_json::from_value::<RulesData>(data).unwrap()).unwrap()
    }

    #[test]
    fn a_move_is_undone_by_who_moves_next_alone() {
        assert!(lamp("Q").all_undone());
        assert!(!lamp("P").all_undone());
    }

    #[test]
    fn many_moves_of_the_same_cells_and_name_are_told_apart() {
        let symbols = crate::tests::quick_or_long(100, 160) as usize;
        assert!(many(symbols, true).all_undone());
        assert!(!many(symbols, false).all_undone());
    }
}
