//! Symmetries: the images of states, moves and patterns, and the check of a symmetry against the rules.
//!
//! The theory is in `docs/rules.md`, "Symmetries".

use std::collections::HashSet;

use super::model::{Condition, Connection, Count, Goal, Move, Rules, Scoring, Source, SymbolMap, Symmetry};
use super::normal;
use super::pattern::{Comparison, Pattern, Symbol, SymbolSet};
use crate::error::{Result, rules_error};
use crate::sorting;

impl Symmetry {
    /// The points of the first player in the image of a state, if the first player has `points` points in the state.
    fn points_of_image(&self, points: i32) -> i32 {
        if self.swap_players { -points } else { points }
    }

    fn set(&self, set: SymbolSet) -> SymbolSet {
        set.iter().map(|symbol| self.symbols[symbol as usize]).collect()
    }

    fn pattern(&self, pattern: &Pattern) -> Pattern {
        let mut cells: Vec<_> = pattern.0.iter().map(|&(cell, set)| (self.cells[cell], self.set(set))).collect();
        sorting::sort(&mut cells);
        Pattern(cells)
    }

    fn comparison(&self, compare: Comparison) -> Comparison {
        Comparison::new(self.cells[compare.first], self.cells[compare.second], compare.equal)
    }

    fn image_of_condition(&self, condition: &Condition) -> Condition {
        let image = |cells: &[usize]| cells.iter().map(|&cell| self.cells[cell]).collect::<Vec<_>>();
        match condition {
            Condition::Unless(pattern) => Condition::Unless(self.pattern(pattern)),
            Condition::Count(count) => {
                let mut cells = image(&count.cells);
                cells.sort_unstable();
                Condition::Count(Count { symbols: self.set(count.symbols), cells, ..*count })
            }
            Condition::Connection(Connection { symbols, sides: [one, other], edges }) => {
                let edges = edges.iter().map(|&(one, other)| (self.cells[one], self.cells[other])).collect();
                let sides = [image(one), image(other)];
                Condition::Connection(Connection::new(self.set(*symbols), sides, edges))
            }
        }
    }

    fn images_of_conditions(&self, conditions: &[Condition]) -> Vec<Condition> {
        let mut images: Vec<Condition> =
            conditions.iter().map(|condition| self.image_of_condition(condition)).collect();
        sorting::sort(&mut images);
        images
    }

    fn goal(&self, goal: &Goal) -> Goal {
        Goal { when: self.pattern(&goal.when), conditions: self.images_of_conditions(&goal.conditions) }
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

    /// The image of a move: if `given` leads from state `a` to state `b`, its image leads from the image of `a` to the
    /// image of `b`.
    fn image(&self, given: &Move) -> Move {
        let mut then: Vec<_> = given.then.iter().map(|(to, source)| (self.cells[*to], self.source(source))).collect();
        sorting::sort(&mut then);
        let moved = Move {
            name: given.name.clone(),
            player: given.player.map(|player| self.player(player)),
            when: self.pattern(&given.when),
            compares: given.compares.iter().map(|compare| self.comparison(*compare)).collect(),
            conditions: self.images_of_conditions(&given.conditions),
            then,
            forced: given.forced,
            again: given.again,
        };
        normal::normal(&moved, self.symbols.len())
    }
}

/// All of a move but its name: its player, the three parts of its guard, its effect, whether it is a forced pass, and
/// whether it keeps the turn. Two moves for which all of this is equal do the same, even if they have different names.
type Does<'a> = (Option<usize>, &'a Pattern, &'a [Comparison], &'a [Condition], &'a [(usize, Source)], [bool; 2]);

fn does(given: &Move) -> Does<'_> {
    (given.player, &given.when, &given.compares, &given.conditions, &given.then, [given.forced, given.again])
}

/// The check whether a map of cells, symbols and players is a symmetry of given rules. It holds the moves, goals and
/// ends in sets, so that each image is found by a look-up.
#[derive(Debug)]
pub struct SymmetryCheck<'a> {
    rules: &'a Rules,
    moves: HashSet<Does<'a>>,
    goal: HashSet<&'a Goal>,
    ends: HashSet<(&'a str, &'a Pattern, &'a [Condition], Option<i32>)>,
}

impl<'a> SymmetryCheck<'a> {
    /// Prepares the check for given rules.
    pub fn new(rules: &'a Rules) -> Self {
        Self {
            rules,
            moves: rules.moves.iter().map(does).collect(),
            goal: rules.goal.iter().collect(),
            ends: rules
                .ends
                .iter()
                .map(|end| (rules.outcomes[end.outcome].as_str(), &end.when, &end.conditions[..], end.points))
                .collect(),
        }
    }

    /// The end of a message about a map that breaks a move. If the map renames symbols, but the rules have symbols that
    /// the start does not have, such as twists of a piece, the author may have forgotten to rename these. Then the end
    /// suggests it; otherwise, it is empty.
    fn hint(&self, symmetry: &Symmetry) -> &'static str {
        let renames = symmetry.symbols.iter().enumerate().any(|(symbol, &image)| image as usize != symbol);
        let others = (0..self.rules.symbols.len()).any(|symbol| !self.rules.start.contains(&(symbol as u8)));
        if renames && others {
            ", or rename the symbols, too, that the start does not have: symmetries=\"auto\" finds how"
        } else {
            ""
        }
    }

    /// Refuses a map that is no symmetry, and names the thing that it breaks.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Rules`]. The message names the move, end or goal whose image the rules do not have, or the
    /// start.
    pub fn check(&self, symmetry: &Symmetry) -> Result<()> {
        let (rules, name) = (self.rules, &symmetry.name);
        for given in &rules.moves {
            let image = symmetry.image(given);
            if !self.moves.contains(&does(&image)) {
                let whose =
                    given.player.map_or(String::new(), |player| format!(" of player {}", rules.players[player]));
                return Err(rules_error!(
                    "the symmetry \"{name}\" carries the move \"{}\"{whose} onto no move of the rules; \
                     remove the symmetry or add the move{}",
                    given.name,
                    self.hint(symmetry)
                ));
            }
        }
        for end in &rules.ends {
            let outcome = image_of_outcome(rules, symmetry, end.outcome);
            let points = end.points.map(|points| symmetry.points_of_image(points));
            let (when, conditions) = (symmetry.pattern(&end.when), symmetry.images_of_conditions(&end.conditions));
            if !self.ends.contains(&(outcome, &when, &conditions, points)) {
                return Err(rules_error!(
                    "the symmetry \"{name}\" carries the end \"{}\" {} onto no end with the outcome \"{outcome}\"; \
                     remove the symmetry or add the end",
                    rules.outcomes[end.outcome],
                    describe(rules, &end.when, &end.conditions)
                ));
            }
        }
        if let Some(scoring) = &rules.scoring {
            check_scoring(scoring, symmetry)?;
        }
        if symmetry.apply(&rules.start) != rules.start {
            return Err(rules_error!(
                "the symmetry \"{name}\" does not carry the start onto itself; \
                 remove it, or let it change symbols as well"
            ));
        }
        if let Some(broken) = rules.goal.iter().find(|wanted| !self.goal.contains(&symmetry.goal(wanted))) {
            return Err(rules_error!(
                "the symmetry \"{name}\" carries the goal {} onto no goal; remove the symmetry or add the goal",
                describe(rules, &broken.when, &broken.conditions)
            ));
        }
        Ok(())
    }
}

/// Refuses a symmetry that changes the score of some state. A symmetry that exchanges the players must change the sign
/// of every score instead.
fn check_scoring(scoring: &Scoring, symmetry: &Symmetry) -> Result<()> {
    let points =
        |cell: usize| scoring.cells.binary_search_by_key(&cell, |&(at, _)| at).ok().map(|at| &scoring.cells[at].1);
    let worth = |cell: usize, symbol: usize| points(cell).map_or(0, |points| points[symbol]);
    let same = (0..symmetry.cells.len()).all(|cell| {
        (0..symmetry.symbols.len()).all(|symbol| {
            worth(symmetry.cells[cell], symmetry.symbols[symbol] as usize)
                == symmetry.points_of_image(worth(cell, symbol))
        })
    });
    let endless = scoring.endless.map(|points| symmetry.points_of_image(points));
    if same && endless == scoring.endless && (scoring.base == symmetry.points_of_image(scoring.base)) {
        return Ok(());
    }
    let remedy = if symmetry.swap_players { ", with the players exchanged" } else { "" };
    Err(rules_error!(
        "the symmetry \"{}\" changes the score of some state; remove the symmetry, or score its images alike{remedy}",
        symmetry.name
    ))
}

fn image_of_outcome<'a>(rules: &'a Rules, symmetry: &Symmetry, outcome: usize) -> &'a str {
    let name = &rules.outcomes[outcome];
    match rules.players.iter().position(|player| player == name) {
        Some(player) => &rules.players[symmetry.player(player)],
        None => name,
    }
}

/// A pattern and conditions in words, for a message: `{0: X, 4: X or O} and at least 3 cells with X`.
fn describe(rules: &Rules, when: &Pattern, conditions: &[Condition]) -> String {
    let said = conditions.iter().map(|condition| match condition {
        Condition::Unless(pattern) => format!("unless {}", described(rules, pattern)),
        Condition::Count(count) => count.describe(rules.cells(), &rules.symbols),
        Condition::Connection(Connection { sides: [one, other], .. }) => format!("a path from {one:?} to {other:?}"),
    });
    let bare = when.0.is_empty() && !conditions.is_empty();
    (!bare).then(|| described(rules, when)).into_iter().chain(said).collect::<Vec<_>>().join(" and ")
}

/// A pattern in words, for a message: `{0: X, 4: X or O}`.
fn described(rules: &Rules, pattern: &Pattern) -> String {
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
