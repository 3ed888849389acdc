//! Games in which a move may keep the turn: whose turn it is becomes one more cell of a state, which each move writes.
//! So the engine needs no other record of whose turn it is, and searches such rules like those of one player.
//!
//! For example, take two cells, the players X and O, and a move by which X fills cell 0 and moves again. The state gets
//! a third cell, which holds one symbol while X is to move and another while O is. The move of X needs the symbol of X
//! there, and leaves it. A move of O needs the symbol of O, and writes that of X.

use super::model::{MAX_SYMBOLS, Move, Rules, Source, SymbolMap, Symmetry, Turn};
use super::normal;
use super::pattern::{Symbol, SymbolSet};
use crate::error::{Result, rules_error};

/// The names of the two symbols that are added for the turns, if no symbols of the rules can serve. No symbol of an
/// author has a colon.
const TURN_NAMES: [&str; 2] = [":1", ":2"];

impl Rules {
    /// Returns `true` if some move keeps the turn, and no cell says yet whose turn it is.
    pub fn lacks_turn_cell(&self) -> bool {
        self.turn.is_none() && self.moves.iter().any(|given| given.again)
    }

    /// Returns `true` if a cell says whose turn it is.
    pub fn has_turn_cell(&self) -> bool {
        self.turn.is_some()
    }

    /// The same rules with one more cell at the end, which says whose turn it is. Moves no longer belong to a player
    /// then.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Rules`] if the rules have so many symbols that none are left for the turns.
    pub fn with_turn_cell(&self) -> Result<Self> {
        let mut rules = self.clone();
        let symbols = match self.turn_symbols() {
            Some(symbols) => symbols,
            None => rules.add_turn_symbols()?,
        };
        let turn = Turn { cell: self.cells(), symbols };
        rules.start.push(symbols[0]);
        let count = rules.symbols.len();
        rules.moves.iter_mut().for_each(|given| *given = in_turn(given, turn, count));
        rules.generators.iter_mut().for_each(|symmetry| symmetry.cells.push(turn.cell));
        rules.turn = Some(turn);
        Ok(rules)
    }

    /// Two symbols of the rules that can stand for the turns. Each symmetry that swaps the players must swap the two
    /// symbols, and any other symmetry must keep both. `None` if there are no such symbols.
    fn turn_symbols(&self) -> Option<[Symbol; 2]> {
        let count = self.symbols.len();
        let fits = |one: Symbol, other: Symbol| {
            self.generators.iter().all(|Symmetry { symbols, swap_players, .. }| {
                let expected = if *swap_players { [other, one] } else { [one, other] };
                [symbols[one as usize], symbols[other as usize]] == expected
            })
        };
        let pairs = (0..count).flat_map(|one| (one + 1..count).map(move |other| [one as Symbol, other as Symbol]));
        pairs.into_iter().find(|&[one, other]| fits(one, other))
    }

    fn add_turn_symbols(&mut self) -> Result<[Symbol; 2]> {
        let first = self.symbols.len();
        if first + 2 > MAX_SYMBOLS {
            return Err(rules_error!(
                "the rules have {first} symbols and a move that keeps the turn, for which the engine needs two more; \
                 give at most {}",
                MAX_SYMBOLS - 2
            ));
        }
        self.symbols.extend(TURN_NAMES.map(String::from));
        let symbols = [first as Symbol, first as Symbol + 1];
        let longer = |map: &SymbolMap, add: [Symbol; 2]| map.iter().copied().chain(add).collect::<SymbolMap>();
        for (_, source) in self.moves.iter_mut().flat_map(|given| &mut given.then) {
            if let Source::Copy(_, Some(map)) = source {
                *map = longer(map, symbols);
            }
        }
        for symmetry in &mut self.generators {
            let [one, other] = symbols;
            let add = if symmetry.swap_players { [other, one] } else { [one, other] };
            symmetry.symbols = longer(&symmetry.symbols, add);
        }
        for (_, points) in self.scoring.iter_mut().flat_map(|scoring| &mut scoring.cells) {
            *points = points.iter().copied().chain([0, 0]).collect();
        }
        Ok(symbols)
    }

    /// The symbols that the author of the rules gave. Symbols that were added for the turns stand at the end and are
    /// left out.
    pub fn written_symbols(&self) -> &[String] {
        let added = self.symbols.iter().rev().take_while(|name| TURN_NAMES.contains(&name.as_str())).count();
        &self.symbols[..self.symbols.len() - added]
    }

    /// The move without its guard and its effect on the cell that says whose turn it is.
    pub fn without_turn(&self, given: &Move) -> Move {
        let mut plain = given.clone();
        if let Some(turn) = self.turn {
            plain.when.0.retain(|&(cell, _)| cell != turn.cell);
            plain.then.retain(|&(cell, _)| cell != turn.cell);
        }
        plain
    }
}

/// The move with a guard that reads whose turn it is and, unless it keeps the turn, an effect that passes the turn on.
fn in_turn(given: &Move, turn: Turn, symbols: usize) -> Move {
    let [one, other] = turn.symbols;
    let mut made = Move { player: None, again: false, ..given.clone() };
    let next = if let Some(player) = given.player {
        let held: SymbolSet = [turn.symbols[player]].into_iter().collect();
        made.when.0.push((turn.cell, held));
        Source::Symbol(turn.symbols[1 - player])
    } else {
        let mut swapped: SymbolMap = (0..symbols).map(|symbol| symbol as Symbol).collect();
        swapped.swap(one as usize, other as usize);
        Source::Copy(turn.cell, Some(swapped))
    };
    if !given.again {
        made.then.push((turn.cell, next));
    }
    normal::normal(&made, symbols)
}
