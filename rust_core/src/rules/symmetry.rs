//! Symmetries: how one acts on states, moves and patterns, and the check that it is one.

use std::collections::HashSet;

use crate::error::{Result, rules_error};
use crate::rules::{Move, Pattern, Rules, Source, Symbol, SymbolMap, SymbolSet, normal};

/// A symmetry: a permutation of the cells, one of the symbols, and whether the players change places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symmetry {
    /// The name, for messages; elements made by composition have none.
    pub name: String,
    /// `cells[i]` is the cell where the symbol of cell `i` goes.
    pub cells: Vec<usize>,
    /// What each symbol turns into.
    pub symbols: SymbolMap,
    /// Whether the two players change places.
    pub swap_players: bool,
}

impl Symmetry {
    /// The symmetry that changes nothing.
    pub fn identity(cells: usize, symbols: usize) -> Self {
        Self {
            name: String::new(),
            cells: (0..cells).collect(),
            symbols: (0..symbols).map(|symbol| symbol as Symbol).collect(),
            swap_players: false,
        }
    }

    /// This symmetry first, then the other.
    #[must_use]
    pub fn then(&self, other: &Self) -> Self {
        Self {
            name: String::new(),
            cells: self.cells.iter().map(|&cell| other.cells[cell]).collect(),
            symbols: self.symbols.iter().map(|&symbol| other.symbols[symbol as usize]).collect(),
            swap_players: self.swap_players != other.swap_players,
        }
    }

    /// The image of a state's cells.
    pub fn apply(&self, state: &[Symbol]) -> Vec<Symbol> {
        let mut image = vec![0; state.len()];
        for (cell, &symbol) in state.iter().enumerate() {
            image[self.cells[cell]] = self.symbols[symbol as usize];
        }
        image
    }

    /// The image of a player.
    pub fn player(&self, player: usize) -> usize {
        if self.swap_players { 1 - player } else { player }
    }

    fn set(&self, set: SymbolSet) -> SymbolSet {
        set.iter().map(|symbol| self.symbols[symbol as usize]).collect()
    }

    fn pattern(&self, pattern: &Pattern) -> Pattern {
        let mut cells: Vec<_> = pattern.0.iter().map(|&(cell, set)| (self.cells[cell], self.set(set))).collect();
        cells.sort_unstable();
        Pattern(cells)
    }

    fn source(&self, source: &Source) -> Source {
        match source {
            Source::Symbol(symbol) => Source::Symbol(self.symbols[*symbol as usize]),
            Source::Copy(from, map) => {
                let mut table: SymbolMap = self.symbols.clone();
                for (symbol, &image) in self.symbols.iter().enumerate() {
                    let mapped = map.as_ref().map_or(symbol as Symbol, |map| map[symbol]);
                    table[image as usize] = self.symbols[mapped as usize];
                }
                Source::Copy(self.cells[*from], Some(table))
            }
        }
    }

    /// The move that does to the image of a state what `given` does to the state.
    fn image(&self, given: &Move) -> Move {
        let mut then: Vec<_> = given.then.iter().map(|(to, source)| (self.cells[*to], self.source(source))).collect();
        then.sort_unstable();
        let moved = Move {
            name: given.name.clone(),
            player: given.player.map(|player| self.player(player)),
            when: self.pattern(&given.when),
            then,
        };
        normal::normal(&moved, self.symbols.len())
    }
}

/// Refuses generators that are no symmetries, naming what breaks them.
pub(super) fn check(rules: &Rules, generators: &[Symmetry]) -> Result<()> {
    let moves: HashSet<_> = rules.moves.iter().map(|given| (given.player, &given.when, &given.then)).collect();
    let goal: HashSet<&Pattern> = rules.goal.iter().collect();
    let ends: HashSet<(&str, &Pattern)> =
        rules.ends.iter().map(|end| (rules.outcomes[end.outcome].as_str(), &end.when)).collect();
    for symmetry in generators {
        let name = &symmetry.name;
        for given in &rules.moves {
            let image = symmetry.image(given);
            if !moves.contains(&(image.player, &image.when, &image.then)) {
                let whose =
                    given.player.map_or(String::new(), |player| format!(" of player {}", rules.players[player]));
                return Err(rules_error!(
                    "the symmetry \"{name}\" carries the move \"{}\"{whose} onto no move of the rules; remove the symmetry or add the move",
                    given.name
                ));
            }
        }
        for end in &rules.ends {
            let outcome = image_of_outcome(rules, symmetry, end.outcome);
            if !ends.contains(&(outcome, &symmetry.pattern(&end.when))) {
                return Err(rules_error!(
                    "the symmetry \"{name}\" carries the end \"{}\" {} onto no end with the outcome \"{outcome}\"; remove the symmetry or add the end",
                    rules.outcomes[end.outcome],
                    describe(rules, &end.when)
                ));
            }
        }
        if symmetry.apply(&rules.start) != rules.start {
            return Err(rules_error!(
                "the symmetry \"{name}\" does not carry the start onto itself; remove it, or let it change symbols as well"
            ));
        }
        if let Some(pattern) = rules.goal.iter().find(|pattern| !goal.contains(&symmetry.pattern(pattern))) {
            return Err(rules_error!(
                "the symmetry \"{name}\" carries the goal {} onto no goal; remove the symmetry or add the goal",
                describe(rules, pattern)
            ));
        }
    }
    Ok(())
}

fn image_of_outcome<'a>(rules: &'a Rules, symmetry: &Symmetry, outcome: usize) -> &'a str {
    let name = &rules.outcomes[outcome];
    match rules.players.iter().position(|player| player == name) {
        Some(player) => &rules.players[symmetry.player(player)],
        None => name,
    }
}

/// A pattern in words: `{0: X, 4: X or O}`.
fn describe(rules: &Rules, pattern: &Pattern) -> String {
    let cells: Vec<String> = pattern
        .0
        .iter()
        .map(|&(cell, set)| {
            let names: Vec<&str> = set.iter().map(|symbol| rules.symbols[symbol as usize].as_str()).collect();
            format!("{cell}: {}", names.join(" or "))
        })
        .collect();
    format!("{{{}}}", cells.join(", "))
}
