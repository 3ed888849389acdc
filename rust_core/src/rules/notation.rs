//! The text of a state: one line that a person can read and type, and from which the same state is read back.
//!
//! For example, `XO/.X` is a state of four cells in two columns. If a symbol is longer than a character, cells are
//! joined by `,` instead, as in `10,2,0,7`. In a game, `:` and the player to move follow: `XO/.X:O`.

use std::collections::HashMap;

use super::model::Rules;
use super::pattern::Symbol;
use crate::error::{Error, Result};

/// Reads and writes the states of some rules.
#[derive(Debug, Clone)]
pub struct Notation {
    symbols: Vec<String>,
    codes: HashMap<String, Symbol>,
    /// The names of the players; empty for puzzles.
    players: Vec<String>,
    cells: usize,
    /// For each cell, `true` if a new row begins with it.
    breaks: Vec<bool>,
    /// `true` if each symbol is one character.
    single: bool,
    /// For each symbol, the number of cells that hold it in every reachable state; `None` if some move changes it.
    conserved: Vec<Option<usize>>,
}

impl Notation {
    /// The notation of the rules, for a board whose rows have the given lengths. If there are more cells, they belong
    /// to the last row.
    pub fn new(rules: &Rules, rows: &[usize]) -> Self {
        let mut breaks = vec![false; rules.board()];
        let mut begin = 0;
        for row in rows {
            begin += row;
            if let Some(place) = breaks.get_mut(begin) {
                *place = true;
            }
        }
        let symbols = rules.written_symbols();
        let codes = symbols.iter().enumerate().map(|(code, name)| (name.clone(), code as Symbol));
        Self {
            symbols: symbols.to_vec(),
            codes: codes.collect(),
            players: if rules.player_count() > 1 { rules.players.clone() } else { Vec::new() },
            cells: rules.board(),
            breaks,
            single: symbols.iter().all(|symbol| symbol.chars().count() == 1),
            conserved: rules.conserved(),
        }
    }

    /// Writes the text of a state.
    ///
    /// # Panics
    ///
    /// If a cell holds a number that is no symbol.
    pub fn write(&self, cells: &[Symbol], player: usize, to: &mut String) {
        for (at, &symbol) in cells.iter().enumerate() {
            if self.single && self.breaks.get(at) == Some(&true) {
                to.push('/');
            } else if !self.single && at > 0 {
                to.push(',');
            }
            to.push_str(&self.symbols[symbol as usize]);
        }
        if let Some(name) = self.players.get(player) {
            to.push(':');
            to.push_str(name);
        }
    }

    /// Writes the text of a state that may be invalid.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if a number is no symbol or no player.
    pub fn try_write(&self, cells: &[Symbol], player: usize) -> Result<String> {
        let players = self.players.len().max(1);
        if player >= players || cells.iter().any(|&symbol| symbol as usize >= self.symbols.len()) {
            return Err(Error::State(format!(
                "a row holds a number too large; there are {} symbols and {players} players, numbered from 0",
                self.symbols.len()
            )));
        }
        let mut text = String::new();
        self.write(cells, player, &mut text);
        Ok(text)
    }

    /// Reads a state's text: the symbols, and the player to move, if the text names one. White space, `/` and `,` may
    /// stand between any two cells.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the text is no state; the message says why.
    pub fn read(&self, text: &str) -> Result<(Vec<Symbol>, Option<usize>)> {
        let wrong = |what: String| Error::State(format!("the state \"{text}\" has {what}"));
        let (board, mover) = match text.split_once(':') {
            Some((board, mover)) if !self.players.is_empty() => (board, Some(mover.trim())),
            _ => (text, None),
        };
        let names = self.names(board);
        let code = |(cell, name): (usize, &&str)| {
            self.codes.get(*name).copied().ok_or_else(|| {
                let known = self.symbols.join(" ");
                wrong(format!("\"{name}\" in cell {cell}, which is no symbol; the symbols are {known}"))
            })
        };
        let cells = names.iter().enumerate().map(code).collect::<Result<Vec<Symbol>>>()?;
        if cells.len() != self.cells {
            return Err(wrong(format!("{} cells; give {}", cells.len(), self.cells)));
        }
        for (symbol, expected) in self.conserved.iter().enumerate() {
            let given = cells.iter().filter(|&&cell| cell as usize == symbol).count();
            if let Some(expected) = expected.filter(|&expected| expected != given) {
                let name = &self.symbols[symbol];
                return Err(wrong(format!("\"{name}\" {given} times, where it is always there {expected} times")));
            }
        }
        let Some(mover) = mover else { return Ok((cells, None)) };
        let player = self.players.iter().position(|name| name == mover);
        let players = self.players.join(" and ");
        Ok((cells, Some(player.ok_or_else(|| wrong(format!("\"{mover}\" to move; the players are {players}")))?)))
    }

    /// The names of the symbols in a text without the player.
    fn names<'a>(&self, board: &'a str) -> Vec<&'a str> {
        // The control characters that separate files, groups, records and units count as white space.
        let between = |c: char| c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}' | '/' | ',');
        if self.single {
            let places = board.char_indices().filter(|&(_, c)| !between(c));
            places.map(|(at, c)| &board[at..at + c.len_utf8()]).collect()
        } else {
            board.split(between).filter(|name| !name.is_empty()).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RulesData;

    fn notation(symbols: &str, start: &str, players: &str, rows: &[usize]) -> Notation {
        let json = format!(
            r#"{{"symbols": {symbols}, "start": {start}, "players": {players}, "moves": [
            {{"name": "a", "then": [[0, {start_symbol}]]}}, {{"name": "b", "then": [[0, {other}]]}}]}}"#,
            start_symbol = symbols.trim_start_matches('[').split(',').next().unwrap(),
            other = symbols.trim_end_matches(']').split(',').next_back().unwrap()
        );
        let data: RulesData = serde_json::from_str(&json).unwrap();
        Notation::new(&Rules::new(&data).unwrap(), rows)
    }

    #[test]
    fn what_is_written_is_read() {
        let board = notation(r#"[".", "X", "O"]"#, r#"[".", ".", ".", "."]"#, r#"["X", "O"]"#, &[2, 2]);
        let text = board.try_write(&[1, 2, 0, 1], 1).unwrap();
        assert_eq!(text, "XO/.X:O");
        for same in ["XO/.X:O", "XO.X:O", " X O\n. X : O", "X,O/,.X:O"] {
            assert_eq!(board.read(same).unwrap(), (vec![1, 2, 0, 1], Some(1)), "{same}");
        }
        assert_eq!(board.read("XO.X").unwrap().1, None);
        let numbers = notation(r#"["7", "10"]"#, r#"["7", "7"]"#, "[]", &[]);
        assert_eq!(numbers.try_write(&[1, 0], 0).unwrap(), "10,7");
        assert_eq!(numbers.read(" 10 / 7,").unwrap(), (vec![1, 0], None));
    }

    #[test]
    fn rows_may_have_different_lengths() {
        let board = notation(r#"[".", "X"]"#, r#"[".", ".", ".", "."]"#, "[]", &[1, 2, 1]);
        let text = board.try_write(&[1, 0, 0, 1], 0).unwrap();
        assert_eq!(text, "X/../X");
        for same in ["X/../X", "X..X", "  X\n.   .\n  X"] {
            assert_eq!(board.read(same).unwrap().0, vec![1, 0, 0, 1], "{same}");
        }
        assert_eq!(notation(r#"[".", "X"]"#, r#"[".", "."]"#, "[]", &[5]).try_write(&[0, 1], 0).unwrap(), ".X");
    }

    #[test]
    fn what_is_no_state_is_told_in_a_sentence() {
        let board = notation(r#"[".", "X", "O"]"#, r#"[".", ".", ".", "."]"#, r#"["X", "O"]"#, &[2, 2]);
        let says = |text: &str, what: &str| {
            let error = board.read(text).unwrap_err().to_string();
            assert!(error.contains(what), "{error}");
        };
        says("XQ/..", "\"Q\" in cell 1, which is no symbol; the symbols are . X O");
        says("X", "1 cells; give 4");
        says("X...:Z", "\"Z\" to move; the players are X and O");
        assert!(board.try_write(&[3, 0, 0, 0], 0).is_err());
        assert!(board.try_write(&[0, 0, 0, 0], 2).is_err());
    }
}
