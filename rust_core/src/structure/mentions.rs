//! The cells and the symbols that rules mention in their moves, goals, ends and score.

use std::collections::HashMap;

use crate::ordered::OrderedSet;
use crate::rules::{Condition, Move, Pattern, Rules, Source, Symbol, SymbolSet};
use crate::sorting::Gather;

/// Groups cells that differ in nothing but their number: no move reads or writes them, they hold the same symbol at the
/// start, and goals, ends and the score treat them alike. The frame of a board may have many such cells, and each
/// permutation of them would be a symmetry without effect.
pub fn alike(rules: &Rules) -> Vec<Vec<usize>> {
    let moved = moved(rules);
    let mut wanted: Vec<Vec<(usize, SymbolSet)>> = vec![Vec::new(); rules.cells()];
    let mut place = 0;
    for pattern in wanted_patterns(rules) {
        pattern.0.iter().for_each(|&(cell, set)| wanted[cell].push((place, set)));
        place += 1;
    }
    for condition in wanted_conditions(rules) {
        condition.looks().into_iter().for_each(|(cell, set)| wanted[cell].push((place, set)));
        place += 1;
    }
    let worth = worth_points(rules);
    let mut classes: Vec<Vec<usize>> = Vec::new();
    let mut class_of = HashMap::new();
    for (cell, wanted) in wanted.iter().enumerate() {
        // A cell that a move reads or writes, or in which a symbol is worth points, is a group of its own.
        let own = if moved[cell] || worth[cell] { Some(cell) } else { None };
        let class = *class_of.entry((own, rules.start[cell], wanted)).or_insert(classes.len());
        if class == classes.len() {
            classes.push(Vec::new());
        }
        classes[class].push(cell);
    }
    classes
}

/// For each cell, `true` if some symbol there is worth points.
pub fn worth_points(rules: &Rules) -> Vec<bool> {
    let mut worth = vec![false; rules.cells()];
    for (cell, _) in rules.scoring.iter().flat_map(|scoring| &scoring.cells) {
        worth[*cell] = true;
    }
    worth
}

/// For each cell, `true` if a move reads or writes it, or if the condition of a connection reads it.
pub fn moved(rules: &Rules) -> Vec<bool> {
    let mut moved = vec![false; rules.cells()];
    // The cells of a connection differ in their neighbours, so each of them is a group of its own, too.
    let connections = wanted_conditions(rules).filter(|condition| matches!(condition, Condition::Connection(_)));
    for (cell, _) in connections.flat_map(Condition::looks) {
        moved[cell] = true;
    }
    for given in &rules.moves {
        given.when.0.iter().for_each(|&(cell, _)| moved[cell] = true);
        given.conditions.iter().flat_map(Condition::looks).for_each(|(cell, _)| moved[cell] = true);
        for compare in &given.compares {
            (moved[compare.first], moved[compare.second]) = (true, true);
        }
        for (to, source) in &given.then {
            moved[*to] = true;
            if let Source::Copy(from, _) = source {
                moved[*from] = true;
            }
        }
    }
    moved
}

/// The symbols that moves mention, together with the given ones.
pub fn symbols_of(moves: &[Move], held: impl Iterator<Item = Symbol>) -> SymbolSet {
    let mut symbols: OrderedSet<Symbol> = held.gather();
    for given in moves {
        symbols.extend(given.when.0.iter().flat_map(|(_, set)| set.iter()));
        symbols.extend(given.conditions.iter().flat_map(Condition::looks).flat_map(|(_, set)| set.iter()));
        for (_, source) in &given.then {
            match source {
                Source::Symbol(symbol) => symbols.extend([*symbol]),
                Source::Copy(_, Some(map)) => {
                    let changed = map.iter().enumerate().filter(|&(from, &to)| from != to as usize);
                    symbols.extend(changed.flat_map(|(from, &to)| [from as Symbol, to]));
                }
                Source::Copy(_, None) => {}
            }
        }
    }
    symbols.into_iter().collect()
}

/// The symbols that the rules use: in the start, in moves, in goals, in ends or in the score.
pub fn mentioned(rules: &Rules) -> SymbolSet {
    let wanted = wanted_patterns(rules).flat_map(|pattern| pattern.0.iter().flat_map(|(_, set)| set.iter()));
    let counted = wanted_conditions(rules).flat_map(Condition::looks).flat_map(|(_, set)| set.iter());
    let scored = rules.scoring.iter().flat_map(|scoring| &scoring.cells).flat_map(|(_, points)| {
        points.iter().enumerate().filter(|&(_, &points)| points != 0).map(|(symbol, _)| symbol as Symbol)
    });
    symbols_of(&rules.moves, rules.start.iter().copied()).iter().chain(wanted).chain(counted).chain(scored).collect()
}

/// The conditions that goals and ends have beside their patterns.
pub fn wanted_conditions(rules: &Rules) -> impl Iterator<Item = &Condition> {
    let of_goals = rules.goal.iter().flat_map(|goal| &goal.conditions);
    of_goals.chain(rules.ends.iter().flat_map(|end| &end.conditions))
}

/// The patterns of goals and ends.
pub fn wanted_patterns(rules: &Rules) -> impl Iterator<Item = &Pattern> {
    rules.goal.iter().map(|goal| &goal.when).chain(rules.ends.iter().map(|end| &end.when))
}
