//! The varying part of rules: the rules without the cells and symbols that never change. A packed state need not hold
//! these, so it takes fewer bits.
//!
//! The theory is in `docs/enumeration.md`, "How it works".
//!
//! For example, take the four cells `#.o#`, and moves by which an `o` hops onto a `.` beside it. No move reads or
//! writes `#`, so the first and the last cell hold `#` in every state that play reaches. Two cells vary, and each holds
//! `.` or `o`. So a state takes two bits. Four cells with three symbols would take eight.
//!
//! The number of a symbol among those of the varying part is its code: `.` has the code 0, and `o` the code 1.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use super::model::{Condition, Count, End, Goal, Move, Rules, Scoring, Source, SymbolMap, Symmetry, Turn};
use super::normal::{self, NarrowGuard};
use super::pattern::{Comparison, Pattern, Symbol, SymbolSet};
use crate::ordered::OrderedMap;
use crate::sorting;
use crate::sorting::Gather;

/// The varying part of rules, which are called the whole rules here. It has only the cells that play can change, the
/// varying ones, and the symbols that these cells may hold. Every other cell is constant: it always holds what it holds
/// at the start.
///
/// Every move leaves the constant cells as they are. So the varying part is itself a set of rules, and each of its
/// states stands for one state of the whole rules. Cells, symbols and ends are numbered anew, in the same order,
/// without those that are left out. Moves keep their numbers.
#[derive(Debug, Clone)]
pub struct Varying {
    /// The varying part, as rules of its own.
    pub rules: Arc<Rules>,
    /// The varying cells, in order, by their numbers in the whole rules.
    pub cells: Vec<usize>,
    /// The symbols that the varying cells may hold, in order, by their numbers in the whole rules.
    pub symbols: Vec<Symbol>,
    /// For each cell of the whole rules, its place in [`Self::cells`]; `None` if the cell is constant.
    places: Vec<Option<usize>>,
    /// For each symbol of the whole rules, its code, which is its place in [`Self::symbols`]; `None` if no varying cell
    /// ever holds the symbol.
    codes: Vec<Option<Symbol>>,
    /// The start of the whole rules.
    start: Vec<Symbol>,
}

impl Varying {
    /// Finds the varying part of rules. It has all cells that might change, judged by the moves alone, without a
    /// search. If no cell varies, the varying part is the whole rules, since rules need a cell.
    pub fn of(rules: &Arc<Rules>) -> Self {
        let mut reach = Reach { varies: vec![false; rules.cells()], symbols: SymbolSet::default() };
        // A state may be given with either player to move, even if no move ever passes the turn. So both symbols of the
        // turn are kept.
        if let Some(turn) = rules.turn {
            reach.varies[turn.cell] = true;
            reach.symbols = turn.symbols.into_iter().collect();
        }
        reach.close(rules);
        if !reach.varies.contains(&true) {
            return Self::whole(rules);
        }
        let cells = (0..rules.cells()).filter(|&cell| reach.varies[cell]).collect();
        Some(Self::new(rules, cells, reach.symbols.iter().collect()))
            .filter(|varying| varying.is_kept(&rules.generators))
            .unwrap_or_else(|| Self::whole(rules))
    }

    /// The varying part that leaves nothing out: every cell varies, and may hold every symbol.
    pub fn whole(rules: &Arc<Rules>) -> Self {
        Self::new(rules, (0..rules.cells()).collect(), (0..rules.symbols.len()).map(|symbol| symbol as u8).collect())
    }

    /// The varying part with the given cells and symbols, each list in order. `None` if a list is out of order or names
    /// what the rules do not have, or if some move would change another cell or write another symbol.
    pub fn given(rules: &Arc<Rules>, cells: &[usize], symbols: &[Symbol]) -> Option<Self> {
        let ordered = cells.is_sorted_by(|a, b| a < b) && symbols.is_sorted_by(|a, b| a < b);
        let last = (*cells.last()?, *symbols.last()? as usize);
        if !ordered || last.0 >= rules.cells() || last.1 >= rules.symbols.len() {
            return None;
        }
        let mut varies = vec![false; rules.cells()];
        for &cell in cells {
            varies[cell] = true;
        }
        let mut reach = Reach { varies, symbols: symbols.iter().copied().collect() };
        let before = reach.clone();
        let starts = cells.iter().all(|&cell| reach.symbols.contains(rules.start[cell]));
        reach.close(rules);
        (starts && reach == before)
            .then(|| Self::new(rules, cells.to_vec(), symbols.to_vec()))
            .filter(|varying| varying.is_kept(&rules.generators))
    }

    fn new(whole: &Arc<Rules>, cells: Vec<usize>, symbols: Vec<Symbol>) -> Self {
        let (mut places, mut codes) = (vec![None; whole.cells()], vec![None; whole.symbols.len()]);
        cells.iter().enumerate().for_each(|(place, &cell)| places[cell] = Some(place));
        symbols.iter().enumerate().for_each(|(code, &symbol)| codes[symbol as usize] = Some(code as Symbol));
        let mut varying = Self { rules: Arc::clone(whole), cells, symbols, places, codes, start: whole.start.clone() };
        if !varying.is_whole() {
            varying.rules = Arc::new(varying.reduced(whole));
        }
        varying
    }

    /// Returns `true` if the varying part is the whole rules.
    pub fn is_whole(&self) -> bool {
        self.cells.len() == self.places.len() && self.symbols.len() == self.codes.len()
    }

    /// The first cell that shows that a state of the whole rules has no counterpart in the varying part: a constant
    /// cell that holds another symbol than at the start, or a varying cell that holds a symbol without a code. `None`
    /// if the state has a counterpart.
    pub fn stranger(&self, state: &[Symbol]) -> Option<usize> {
        (0..state.len()).find(|&cell| match self.places[cell] {
            Some(_) => self.code(state[cell]).is_none(),
            None => self.start[cell] != state[cell],
        })
    }

    /// The codes of the symbols in the varying cells of a state of the whole rules. The state must have no
    /// [stranger](Self::stranger), which is a cell whose symbol the varying part cannot hold.
    pub fn take(&self, state: &[Symbol]) -> impl Iterator<Item = Symbol> {
        self.cells.iter().map(|&cell| self.codes[state[cell] as usize].unwrap_or(0))
    }

    /// The state of the varying part that a state of the whole rules corresponds to. `None` if the latter has a
    /// [stranger](Self::stranger), which is a cell whose symbol the varying part cannot hold.
    pub fn part(&self, state: &[Symbol]) -> Option<Vec<Symbol>> {
        self.stranger(state).is_none().then(|| self.take(state).collect())
    }

    /// The state of the whole rules that a state of the varying part corresponds to.
    pub fn state(&self, part: &[Symbol]) -> Vec<Symbol> {
        let mut state = self.start.clone();
        for (&cell, &code) in self.cells.iter().zip(part) {
            state[cell] = self.symbol(code);
        }
        state
    }

    /// Writes the constant cells of a state of the whole rules. The caller writes the varying ones, with
    /// [`Self::symbol`].
    pub fn write_constants(&self, state: &mut [Symbol]) {
        state.copy_from_slice(&self.start);
    }

    /// The symbol of the whole rules that a code stands for.
    #[inline(always)]
    pub fn symbol(&self, code: Symbol) -> Symbol {
        self.symbols[code as usize]
    }

    /// Turns symmetries of the whole rules into symmetries of the varying part, each once: two symmetries that differ
    /// only in constant cells, or only in symbols without a code, become one.
    pub fn symmetries(&self, given: &[Symmetry]) -> Vec<Symmetry> {
        if self.is_whole() {
            return given.to_vec();
        }
        let mut seen = HashSet::new();
        let different = |symmetry: &Symmetry| {
            seen.insert((symmetry.cells.clone(), symmetry.symbols.clone(), symmetry.swap_players))
        };
        given.iter().map(|symmetry| self.symmetry(symmetry)).filter(different).collect()
    }

    /// Returns `true` if each symmetry carries varying cells onto varying cells, and symbols with a code onto symbols
    /// with a code. A symmetry of the rules should do both. The check is here because [`Reach`] looks at how moves are
    /// written, and two moves that do the same may be written differently.
    fn is_kept(&self, symmetries: &[Symmetry]) -> bool {
        symmetries.iter().all(|symmetry| {
            self.cells.iter().all(|&cell| self.places[symmetry.cells[cell]].is_some())
                && self.symbols.iter().all(|&symbol| self.code(symmetry.symbols[symbol as usize]).is_some())
        })
    }

    /// Returns `true` if a symmetry of the moves carries varying cells onto varying cells, and each constant cell with
    /// its symbol onto a constant cell that holds the image of the symbol. A symmetry that keeps the goal and the
    /// moves, but not the start, may fail both.
    pub fn is_carried(&self, symmetry: &Symmetry) -> bool {
        let still = |cell: usize| {
            let image = symmetry.cells[cell];
            self.places[image].is_none() && symmetry.symbols[self.start[cell] as usize] == self.start[image]
        };
        let kept = self.is_kept(std::slice::from_ref(symmetry));
        kept && (0..self.places.len()).all(|cell| self.places[cell].is_some() || still(cell))
    }

    fn symmetry(&self, given: &Symmetry) -> Symmetry {
        let kept = "it was checked that symmetries keep what varies";
        Symmetry {
            name: given.name.clone(),
            cells: self.cells.iter().map(|&cell| self.places[given.cells[cell]].expect(kept)).collect(),
            symbols: self.symbols.iter().map(|&from| self.code(given.symbols[from as usize]).expect(kept)).collect(),
            swap_players: given.swap_players,
        }
    }

    fn code(&self, symbol: Symbol) -> Option<Symbol> {
        self.codes[symbol as usize]
    }

    fn reduced(&self, whole: &Rules) -> Rules {
        let ends = whole.ends.iter();
        let ends = ends.filter_map(|end| {
            let (when, conditions) = (self.pattern(&end.when)?, self.conditions(&end.conditions)?);
            Some(End { when, conditions, ..end.clone() })
        });
        Rules {
            symbols: self.symbols.iter().map(|&symbol| whole.symbols[symbol as usize].clone()).collect(),
            start: self.take(&whole.start).collect(),
            players: whole.players.clone(),
            moves: whole.moves.iter().map(|given| self.made(given)).collect(),
            goal: whole.goal.iter().filter_map(|goal| self.goal(goal)).collect(),
            ends: ends.collect(),
            outcomes: whole.outcomes.clone(),
            stuck: whole.stuck,
            scoring: whole.scoring.as_ref().map(|scoring| self.scoring(scoring)),
            generators: Vec::new(),
            seeks_symmetries: false,
            backward: whole.backward,
            turn: whole.turn.map(|turn| self.turn(turn)),
        }
    }

    /// The cell that says whose turn it is, in terms of the varying cells.
    fn turn(&self, whole: Turn) -> Turn {
        let kept = "the cell of the turn varies";
        let symbols = whole.symbols.map(|symbol| self.code(symbol).expect(kept));
        Turn { cell: self.places[whole.cell].expect(kept), symbols }
    }

    /// The score in terms of the varying cells. The points of constant cells are added to [`Scoring::base`], since they
    /// count in every state.
    fn scoring(&self, whole: &Scoring) -> Scoring {
        let mut scoring = Scoring { cells: Vec::new(), ..whole.clone() };
        for (cell, points) in &whole.cells {
            match self.places[*cell] {
                None => scoring.base += points[self.start[*cell] as usize],
                Some(place) => {
                    let points = self.symbols.iter().map(|&symbol| points[symbol as usize]).collect();
                    scoring.cells.push((place, points));
                }
            }
        }
        scoring
    }

    /// A pattern in terms of the varying cells; `None` if no state of the varying part satisfies it.
    fn pattern(&self, given: &Pattern) -> Option<Pattern> {
        let mut kept = Vec::new();
        for &(cell, set) in &given.0 {
            let Some(place) = self.places[cell] else {
                if set.contains(self.start[cell]) {
                    continue;
                }
                return None;
            };
            let left: SymbolSet = set.iter().filter_map(|symbol| *self.codes.get(symbol as usize)?).collect();
            if left.is_empty() {
                return None;
            }
            if left.len() < self.symbols.len() {
                kept.push((place, left));
            }
        }
        Some(Pattern(kept))
    }

    /// The guard of a move in terms of the varying cells; `None` if no state of the varying part satisfies it. A
    /// comparison of a varying cell with a constant one becomes a set of allowed symbols.
    fn guard(&self, given: &Move) -> Option<NarrowGuard> {
        let conditions = self.conditions(&given.conditions)?;
        let mut cells: OrderedMap<usize, SymbolSet> = self.pattern(&given.when)?.0.into_iter().gather();
        let (all, mut compares) = (SymbolSet::all(self.symbols.len()), Vec::new());
        for &Comparison { first, second, equal } in &given.compares {
            let (place, constant) = match (self.places[first], self.places[second]) {
                (Some(one), Some(other)) => {
                    compares.push(Comparison::new(one, other, equal));
                    continue;
                }
                (None, None) if (self.start[first] == self.start[second]) == equal => continue,
                (None, None) => return None,
                (Some(place), None) => (place, self.start[second]),
                (None, Some(place)) => (place, self.start[first]),
            };
            let same: SymbolSet = self.code(constant).into_iter().collect();
            let known = cells.value_or(place, || all);
            *known = known.and(if equal { same } else { all.minus(same) });
            if known.is_empty() {
                return None;
            }
        }
        sorting::sort(&mut compares);
        let when = Pattern(cells.into_iter().filter(|&(_, set)| set != all).collect());
        Some(NarrowGuard { when, compares, conditions })
    }

    /// A goal in terms of the varying cells; `None` if no state of the varying part satisfies it.
    fn goal(&self, given: &Goal) -> Option<Goal> {
        Some(Goal { when: self.pattern(&given.when)?, conditions: self.conditions(&given.conditions)? })
    }

    /// The conditions in terms of the varying cells; `None` if one of them holds in no state of the varying part.
    /// Conditions that hold in every state are left out.
    fn conditions(&self, given: &[Condition]) -> Option<Vec<Condition>> {
        let mut left = Vec::new();
        for condition in given {
            match self.condition(condition) {
                Ok(condition) => left.push(condition),
                Err(true) => {}
                Err(false) => return None,
            }
        }
        sorting::sort(&mut left);
        Some(left)
    }

    /// A condition in terms of the varying cells; `Err(true)` if it holds in every state of the varying part,
    /// `Err(false)` if it holds in none.
    fn condition(&self, given: &Condition) -> Result<Condition, bool> {
        match given {
            Condition::Unless(pattern) => match self.pattern(pattern) {
                None => Err(true),
                Some(pattern) if pattern.0.is_empty() => Err(false),
                Some(pattern) => Ok(Condition::Unless(pattern)),
            },
            Condition::Count(count) => self.count(count).map(Condition::Count),
            Condition::Connection(connection) => {
                let place = |cell: usize| self.places[cell].ok_or(self.start[cell]);
                connection.reduced(place, |symbol| self.code(symbol)).map(Condition::Connection)
            }
        }
    }

    fn count(&self, Count { symbols, cells, least, most }: &Count) -> Result<Count, bool> {
        let there = cells.iter().filter(|&&cell| self.places[cell].is_none() && symbols.contains(self.start[cell]));
        let there = there.count();
        let cells: Vec<usize> = cells.iter().filter_map(|&cell| self.places[cell]).collect();
        let symbols: SymbolSet = symbols.iter().filter_map(|symbol| self.code(symbol)).collect();
        let (least, most) = (least.saturating_sub(there), most.checked_sub(there).ok_or(false)?.min(cells.len()));
        // `sure` is the fewest of these cells that can count, and `possible` the most, if each cell may hold any symbol
        // with a code.
        let sure = if symbols.len() == self.symbols.len() { cells.len() } else { 0 };
        let possible = if symbols.is_empty() { 0 } else { cells.len() };
        if least > possible || most < sure {
            return Err(false);
        }
        if least > sure || most < possible { Ok(Count { symbols, cells, least, most }) } else { Err(true) }
    }

    /// A move in terms of the varying cells. A move that can never be made is kept, so that the other moves keep their
    /// numbers, but its guard then allows no symbol in the first cell.
    fn made(&self, given: &Move) -> Move {
        let Some(NarrowGuard { when, compares, conditions }) = self.guard(given) else {
            let when = Pattern(vec![(0, SymbolSet::default())]);
            let (compares, conditions, then) = (Vec::new(), Vec::new(), Vec::new());
            return Move { when, compares, conditions, then, ..given.clone() };
        };
        let then = given.then.iter().filter_map(|(to, source)| Some((self.places[*to]?, self.source(source, given))));
        let then = then.collect();
        let made = Move { when, compares, conditions, then, ..given.clone() };
        normal::normal(&made, self.symbols.len())
    }

    fn source(&self, given: &Source, of: &Move) -> Source {
        let kept = "a move writes only symbols that are left";
        match given {
            Source::Symbol(symbol) => Source::Symbol(self.code(*symbol).expect(kept)),
            Source::Copy(from, map) => {
                let image = |symbol: Symbol| map.as_ref().map_or(symbol, |map| map[symbol as usize]);
                let Some(place) = self.places[*from] else {
                    return Source::Symbol(self.code(image(self.start[*from])).expect(kept));
                };
                // If the guard forbids some symbols in the copied cell, the map never gets them, so it may give them
                // any code.
                let allowed = of.when.get(*from);
                let table: SymbolMap = (self.symbols.iter())
                    .map(|&symbol| {
                        let comes = allowed.is_none_or(|set| set.contains(symbol));
                        if comes { self.code(image(symbol)).expect(kept) } else { 0 }
                    })
                    .collect();
                Source::Copy(place, Some(table))
            }
        }
    }
}

/// The cells that moves can change, as far as they were found, and the symbols that these cells may hold.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Reach {
    varies: Vec<bool>,
    symbols: SymbolSet,
}

impl Reach {
    /// Adds the cells and symbols that moves can change, until no move adds any.
    fn close(&mut self, rules: &Rules) {
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); rules.cells()];
        for (number, given) in rules.moves.iter().enumerate() {
            given.when.0.iter().for_each(|&(cell, _)| readers[cell].push(number));
            for (_, source) in &given.then {
                if let Source::Copy(from, _) = source {
                    readers[*from].push(number);
                }
            }
        }
        let mut pending: VecDeque<usize> = (0..rules.moves.len()).collect();
        let mut waits = vec![true; rules.moves.len()];
        while let Some(number) = pending.pop_front() {
            waits[number] = false;
            let symbols = self.symbols;
            let grown = self.make(rules, &rules.moves[number]);
            // If moves can write a new symbol, it may stand in any varying cell, so all moves are tried again. If only
            // a new cell varies, only the moves that read it are tried again.
            let concerned: Vec<usize> = if self.symbols == symbols {
                grown.iter().flat_map(|&cell| readers[cell].iter().copied()).collect()
            } else {
                (0..rules.moves.len()).collect()
            };
            for number in concerned {
                if !std::mem::replace(&mut waits[number], true) {
                    pending.push_back(number);
                }
            }
        }
    }

    /// The symbols of `set` that the cell `cell` may hold, as far as it was found.
    fn held(&self, rules: &Rules, cell: usize, set: SymbolSet) -> SymbolSet {
        let may = if self.varies[cell] { self.symbols } else { [rules.start[cell]].into_iter().collect() };
        may.and(set)
    }

    /// Adds the cells and symbols that one move can change. Returns the cells that did not vary before.
    fn make(&mut self, rules: &Rules, given: &Move) -> Vec<usize> {
        if given.when.0.iter().any(|&(cell, set)| self.held(rules, cell, set).is_empty()) {
            return Vec::new();
        }
        let mut grown = Vec::new();
        for (to, source) in &given.then {
            let written: SymbolSet = match source {
                Source::Symbol(symbol) => [*symbol].into_iter().collect(),
                Source::Copy(from, map) => self
                    .held(rules, *from, given.when.allowed(*from, rules.symbols.len()))
                    .iter()
                    .map(|symbol| map.as_ref().map_or(symbol, |map| map[symbol as usize]))
                    .collect(),
            };
            if !self.varies[*to] {
                if written.single() == Some(rules.start[*to]) {
                    continue; // the cell keeps what it holds
                }
                self.varies[*to] = true;
                grown.push(*to);
                self.symbols = self.symbols.or([rules.start[*to]].into_iter().collect());
            }
            self.symbols = self.symbols.or(written);
        }
        grown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RulesData;

    /// The rules of the example at the head of this file, with any start: an `o` hops onto a `.` beside it.
    fn hops(start: &str) -> Arc<Rules> {
        let cells: Vec<String> = start.chars().map(String::from).collect();
        let pairs = (1..cells.len()).flat_map(|cell| [(cell - 1, cell), (cell, cell - 1)]);
        let moves: Vec<_> = pairs
            .map(|(from, to)| {
                serde_json::json!({"name": format!("{from}-{to}"), "when": [[from, ["o"]], [to, ["."]]],
                    "then": [[from, "."], [to, {"copy": from}]]})
            })
            .collect();
        let data = serde_json::json!({"symbols": ["#", ".", "o"], "start": cells, "moves": moves,
            "goal": [[[0, ["#"]], [1, ["o"]]], [[0, ["o"]]]]});
        Arc::new(Rules::new(&serde_json::from_value::<RulesData>(data).unwrap()).unwrap())
    }

    #[test]
    fn walls_are_left_out() {
        let varying = Varying::of(&hops("#.o#"));
        assert_eq!((&varying.cells[..], &varying.symbols[..]), (&[1, 2][..], &[1, 2][..]));
        assert_eq!(
            (varying.rules.start.clone(), varying.rules.symbols.clone()),
            (vec![0, 1], vec![".".into(), "o".into()])
        );
        assert_eq!(varying.rules.moves.len(), 6);
        // A move that can never be made does not hinder the check that the other moves have inverses.
        assert!(Rules::inverse_moves(&varying.rules).is_some());
        // Of the two goals, one is left with cell 1 alone, and the other never holds, so it is left out.
        let when = Pattern(vec![(0, [1].into_iter().collect())]);
        assert_eq!(varying.rules.goal, [Goal { when, conditions: Vec::new() }]);
        let strangers = [[0, 2, 2, 0], [0, 2, 2, 1], [0, 0, 2, 0]].map(|state| varying.stranger(&state));
        assert_eq!(strangers, [None, Some(3), Some(1)]);
    }

    #[test]
    fn a_state_comes_back() {
        let rules = hops("#.o#.o.#");
        let varying = Varying::of(&rules);
        assert_eq!(varying.cells, [1, 2, 4, 5, 6]);
        let mut state = vec![0; 8];
        varying.write_constants(&mut state);
        let taken: Vec<Symbol> = varying.take(&[0, 2, 1, 0, 1, 1, 2, 0]).collect();
        varying.cells.iter().zip(taken).for_each(|(&cell, code)| state[cell] = varying.symbol(code));
        assert_eq!(state, [0, 2, 1, 0, 1, 1, 2, 0]);
    }

    #[test]
    fn if_nothing_varies_all_is_left() {
        assert!(Varying::of(&hops("####")).is_whole());
        assert!(!Varying::of(&hops(".o.")).is_whole(), "no wall is left as a symbol");
    }

    #[test]
    fn cells_that_moves_lead_out_of_are_refused() {
        let rules = hops("#.o#");
        assert!(Varying::given(&rules, &[1, 2], &[1, 2]).is_some());
        assert!(Varying::given(&rules, &[0, 1, 2, 3], &[0, 1, 2]).is_some());
        for (cells, symbols) in [
            (&[1][..], &[1, 2][..]),
            (&[1, 2], &[1]),
            (&[2, 1], &[1, 2]),
            (&[1, 4], &[1, 2]),
            (&[1, 2], &[1, 3]),
            (&[], &[1]),
        ] {
            assert!(Varying::given(&rules, cells, symbols).is_none(), "{cells:?} {symbols:?}");
        }
    }
}
