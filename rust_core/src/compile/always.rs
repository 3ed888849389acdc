//! Proves from the rules alone that a player always has a move. Then no state has to be asked whether it has one.
//!
//! A guard that is only a pattern *covers* the states that satisfy it. So does the pattern of an end, since nobody is
//! asked for a move once play is over. If these patterns together cover all states, the player always has a move. To
//! find out, a cell is given each of its symbols in turn, and what the patterns demand of other cells is left.
//!
//! For example, a move takes n seeds out of a pit, and there is a move for each pit and each n. Play ends if all pits
//! are empty. Let the first pit hold some seeds: then a move has no further demand. Let it be empty: then the question
//! is the same without the first pit. If the last pit is empty, too, the end has no further demand.

use crate::rules::{Move, Pattern, Rules, SymbolSet};

/// The search ends when the patterns at which it has looked demand something of this many cells together: some
/// milliseconds of work. Then it is not known whether the player always has a move.
const MOST_LOOKS: usize = 1 << 20;

/// At most this many cells are given symbols at once, since the search calls itself for each of them.
const MOST_CELLS: usize = 32;

/// Returns `true` if it can be proven that one of a player's moves can be made in every state in which no end holds.
pub fn always_moves(rules: &Rules, moves: &[(usize, &Move)]) -> bool {
    let plain = moves.iter().map(|(_, given)| given);
    let plain = plain.filter(|given| given.compares.is_empty() && given.conditions.is_empty());
    let ends = rules.ends.iter().filter(|end| end.conditions.is_empty());
    let patterns: Vec<&Pattern> = plain.map(|given| &given.when).chain(ends.map(|end| &end.when)).collect();
    let decided = vec![false; rules.cells()];
    let mut search = CoverSearch { rules, decided, cells: 0, left: MOST_LOOKS };
    match rules.turn {
        // The moves of the players have nothing in common, so this cell comes first.
        Some(turn) => search.covers_each(turn.cell, &patterns),
        None => search.covers(&patterns),
    }
}

/// A search for a state that no pattern covers.
struct CoverSearch<'a> {
    rules: &'a Rules,
    /// For each cell: whether it has been given a symbol.
    decided: Vec<bool>,
    /// The number of these cells.
    cells: usize,
    /// The number of demands of patterns that may still be looked at.
    left: usize,
}

impl CoverSearch<'_> {
    /// Returns `true` if patterns cover all states with the symbols that cells have been given. Each of the patterns
    /// allows these symbols.
    fn covers(&mut self, patterns: &[&Pattern]) -> bool {
        let open = |pattern: &&Pattern| pattern.0.iter().filter(|(cell, _)| !self.decided[*cell]).count();
        let Some(pattern) = patterns.iter().min_by_key(|pattern| open(pattern)) else { return false };
        match pattern.0.iter().find(|(cell, _)| !self.decided[*cell]) {
            None => true,
            Some(&(cell, _)) => self.covers_each(cell, patterns),
        }
    }

    /// Returns `true` if patterns cover all states, whichever symbol a cell holds.
    fn covers_each(&mut self, cell: usize, patterns: &[&Pattern]) -> bool {
        let turn = self.rules.turn.filter(|turn| turn.cell == cell);
        let symbols = turn.map_or(SymbolSet::all(self.rules.symbols.len()), |turn| turn.symbols.into_iter().collect());
        if self.cells == MOST_CELLS {
            return false;
        }
        let looks: usize = patterns.iter().map(|pattern| 1 + pattern.0.len()).sum();
        self.decided[cell] = true;
        self.cells += 1;
        let covered = symbols.iter().all(|symbol| {
            if looks > self.left {
                return false;
            }
            self.left -= looks;
            let allow = |set: Option<SymbolSet>| set.is_none_or(|set| set.contains(symbol));
            let demands = |pattern: &&&Pattern| pattern.get(cell).is_some_and(|set| set.contains(symbol));
            // Few patterns demand something of the cell, and these are often enough.
            let few: Vec<&Pattern> = patterns.iter().filter(demands).copied().collect();
            if self.covers(&few) {
                return true;
            }
            let all: Vec<&Pattern> = patterns.iter().filter(|pattern| allow(pattern.get(cell))).copied().collect();
            all.len() > few.len() && self.covers(&all)
        });
        self.cells -= 1;
        self.decided[cell] = false;
        covered
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::random::Random;
    use crate::rules::Symbol;

    const CELLS: usize = 4;
    const SYMBOLS: usize = 3;

    /// All states of the board.
    fn states() -> impl Iterator<Item = Vec<Symbol>> {
        let all = SYMBOLS.pow(CELLS as u32);
        (0..all).map(|at| (0..CELLS).map(|cell| (at / SYMBOLS.pow(cell as u32) % SYMBOLS) as Symbol).collect())
    }

    /// Patterns that cover all states which have `given`: a cell is looked at, and what it holds says which cell comes
    /// next. Some symbols of a cell may lead to the same patterns.
    fn cover(random: &mut Random, given: &[(usize, Vec<String>)], found: &mut Vec<Value>) {
        let open: Vec<usize> = (0..CELLS).filter(|cell| given.iter().all(|(held, _)| held != cell)).collect();
        if open.is_empty() || random.below(3) == 0 {
            return found.push(json!(given));
        }
        let (cell, mut symbols) = (*random.choose(&open), vec!["0".to_owned(), "1".to_owned(), "2".to_owned()]);
        let cut = 1 + random.below(2) as usize;
        let more = symbols.split_off(cut);
        for symbols in [symbols, more] {
            cover(random, &[given, &[(cell, symbols)]].concat(), found);
        }
    }

    #[test]
    fn it_is_proven_exactly_if_each_state_has_a_move_or_an_end() {
        let mut random = Random::new("always");
        let (mut counts, mut with_turns) = ([0, 0], [0, 0]);
        for round in 0..200 {
            let mut patterns = Vec::new();
            cover(&mut random, &[], &mut patterns);
            if round % 2 == 0 {
                let dropped = random.below(patterns.len() as u64) as usize;
                patterns.remove(dropped);
            }
            // If moves may keep the turn, a cell of its own says whose it is. Some moves are of one player alone.
            let turns = round % 4 > 1;
            let (mut moves, mut ends) = (Vec::new(), Vec::new());
            for (at, when) in patterns.into_iter().enumerate() {
                if random.below(3) == 0 {
                    ends.push(json!({"when": when, "outcome": "draw"}));
                } else {
                    let then = json!([[random.below(CELLS as u64), "0"]]);
                    let (name, dropped) = (at.to_string(), turns && random.below(12) == 0);
                    for player in if turns { &["A", "B"][usize::from(dropped)..] } else { &[""] } {
                        let mut given = json!({"name": name, "when": when, "then": then, "again": turns});
                        if turns {
                            given["player"] = json!(player);
                        }
                        moves.push(given);
                    }
                }
            }
            let players: &[&str] = if turns { &["A", "B"] } else { &[] };
            let data = json!({"symbols": ["0", "1", "2"], "start": ["0", "0", "0", "0"], "players": players,
                "moves": moves, "ends": ends});
            let Ok(rules) = Rules::new(&serde_json::from_value(data).unwrap()) else { continue };
            let rules = if turns { rules.with_turn_cell().unwrap() } else { rules };
            with_turns[usize::from(rules.turn.is_some())] += 1;
            let over = |state: &[Symbol]| rules.ends.iter().any(|end| end.when.holds(state));
            let can = |state: &[Symbol]| rules.moves.iter().any(|given| given.when.holds(state));
            let has_move = |state: Vec<Symbol>| match rules.turn {
                None => over(&state) || can(&state),
                Some(turn) => turn.symbols.into_iter().all(|symbol| {
                    let state = [&state[..], &[symbol]].concat();
                    over(&state) || can(&state)
                }),
            };
            let expected = states().all(has_move);
            let moves: Vec<(usize, &Move)> = rules.moves.iter().enumerate().collect();
            assert_eq!(always_moves(&rules, &moves), expected, "round {round}: {rules:?}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts.iter().chain(&with_turns).all(|&count| count > 30), "{counts:?}, {with_turns:?}");
    }

    /// Returns `true` if a puzzle of four cells with symbols 0 and 1 is proven to have a move in each state. `given` is
    /// added to a move that can be made if the first cell is 0, and `end` to an end that holds if it is 1.
    fn is_proven(given: &Value, end: &Value) -> bool {
        let mut made = json!({"name": "a", "when": [[0, ["0"]]], "then": [[1, "0"]]});
        let mut over = json!({"when": [[0, ["1"]]], "outcome": "draw"});
        for (rule, more) in [(&mut made, given), (&mut over, end)] {
            rule.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        }
        let data = json!({"symbols": ["0", "1"], "start": ["0", "0", "0", "0"], "moves": [made], "ends": [over]});
        let rules = Rules::new(&serde_json::from_value(data).unwrap()).unwrap();
        always_moves(&rules, &[(0, &rules.moves[0])])
    }

    #[test]
    fn only_guards_and_ends_that_are_patterns_cover_states() {
        let none = json!({});
        let more = [
            json!({"counts": [{"symbols": ["1"], "at_least": 2, "of": [1, 2, 3]}]}),
            json!({"unless": [[[1, ["1"]], [2, ["1"]]]]}),
        ];
        assert!(is_proven(&none, &none));
        for more in more {
            assert!(!is_proven(&more, &none) && !is_proven(&none, &more), "{more}");
        }
        assert!(!is_proven(&json!({"equal": [[0, 1]]}), &none));
        assert!(!is_proven(&json!({"different": [[0, 1]]}), &none));
    }

    #[test]
    fn seeds_in_one_of_many_pits_are_a_move() {
        for pits in [5, 30] {
            let names = ["0", "1", "2", "3"];
            let moves: Vec<Value> = (0..pits)
                .flat_map(|pit| (1..4).map(move |seeds| (pit, seeds)))
                .map(|(pit, seeds)| {
                    json!({"name": format!("{pit} {seeds}"), "when": [[pit, [names[seeds]]]], "then": [[pit, "0"]]})
                })
                .collect();
            let empty: Vec<Value> = (0..pits).map(|pit| json!([pit, ["0"]])).collect();
            for end in [&empty[..], &empty[1..]] {
                let data = json!({"symbols": names, "start": vec!["1"; pits], "moves": moves,
                    "ends": [{"when": end, "outcome": "draw"}]});
                let rules = Rules::new(&serde_json::from_value(data).unwrap()).unwrap();
                let own: Vec<(usize, &Move)> = rules.moves.iter().enumerate().collect();
                assert!(always_moves(&rules, &own), "{pits} pits");
                // Without the moves of a pit, its seeds may be the only ones.
                assert_eq!(always_moves(&rules, &own[3..]), end.len() < pits, "{pits} pits");
            }
        }
    }
}
