//! The text of a state: one line that a person can read and type.

use crate::rules::Rules;

/// Writes states: rows joined by `/`, or cells by `,` where a symbol is longer than a character; of games, `:` and the player to
/// move follow.
#[derive(Debug, Clone)]
pub struct Notation {
    symbols: Vec<String>,
    /// Empty for puzzles.
    players: Vec<String>,
    columns: usize,
    single: bool,
}

impl Notation {
    /// The notation of some rules whose board has so many columns; 0 where it has one row.
    pub fn new(rules: &Rules, columns: usize) -> Self {
        Self {
            symbols: rules.symbols.clone(),
            players: if rules.player_count() > 1 { rules.players.clone() } else { Vec::new() },
            columns: if columns == 0 { rules.cells() } else { columns },
            single: rules.symbols.iter().all(|symbol| symbol.chars().count() == 1),
        }
    }

    /// The text of a state.
    pub fn write(&self, cells: &[u8], player: usize, to: &mut String) {
        for (at, &symbol) in cells.iter().enumerate() {
            if self.single && at > 0 && at % self.columns == 0 {
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
}
