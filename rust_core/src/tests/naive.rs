//! The obvious search, straight from the data of an author. Tests compare every fast path with it.

use std::collections::{BTreeMap, BTreeSet};

use crate::rules::{GoalData, MoveData, PatternData, RulesData, SourceData};

/// The name of the symbol in each cell.
pub type Cells = Vec<String>;

/// One depth: the number of states up to symmetry, of all states, of open states, and of those that ended with each
/// outcome.
pub type Layer = (usize, usize, usize, BTreeMap<String, usize>);

fn holds(pattern: &PatternData, cells: &Cells) -> bool {
    pattern.iter().all(|(cell, allowed)| allowed.contains(&cells[*cell as usize]))
}

fn can(given: &MoveData, cells: &Cells) -> bool {
    let same = |&(one, other): &(i64, i64)| cells[one as usize] == cells[other as usize];
    holds(&given.when, cells) && given.equal.iter().all(same) && !given.different.iter().any(same)
}

fn solved(goal: &GoalData, cells: &Cells) -> bool {
    match goal {
        GoalData::Pattern(pattern) => holds(pattern, cells),
        GoalData::Counted(goal) => {
            let enough = goal.counts.iter().all(|count| {
                let looked = |cell: &usize| count.of.as_ref().is_none_or(|of| of.contains(&(*cell as i64)));
                let there =
                    (0..cells.len()).filter(looked).filter(|&cell| count.symbols.contains(&cells[cell])).count();
                (count.at_least.unwrap_or(0)..=count.at_most.unwrap_or(i64::MAX)).contains(&(there as i64))
            });
            enough && holds(&goal.when, cells)
        }
    }
}

/// The outcome of the end that holds. If several hold, the outcome that is named first counts. Both players' wins count
/// as named where the first of them is, and of these the win of the player who has just moved counts.
fn end(data: &RulesData, cells: &Cells, player: usize) -> Option<String> {
    let mover = data.players.get((player + 1) % 2);
    let wins = |outcome: &String| data.players.len() == 2 && data.players.contains(outcome);
    let first = |outcome: &String| {
        data.ends.iter().position(|end| end.outcome == *outcome || wins(outcome) && wins(&end.outcome))
    };
    let held = data.ends.iter().filter(|end| holds(&end.when, cells)).map(|end| end.outcome.clone());
    held.min_by_key(|outcome| (first(outcome), Some(outcome) != mover))
}

/// The states after the moves that a player can make.
pub fn successors(data: &RulesData, cells: &Cells, player: usize) -> Vec<Cells> {
    if end(data, cells, player).is_some() {
        return Vec::new();
    }
    let mine = |owner: &Option<String>| owner.as_ref().is_none_or(|owner| *owner == data.players[player]);
    let possible = data.moves.iter().filter(|given| mine(&given.player) && can(given, cells));
    possible
        .map(|given| {
            let mut after = cells.clone();
            for (cell, source) in &given.then {
                after[*cell as usize] = match source {
                    SourceData::Symbol(symbol) => symbol.clone(),
                    SourceData::Copy { copy, map } => {
                        let read = &cells[*copy as usize];
                        map.get(read).unwrap_or(read).clone()
                    }
                };
            }
            after
        })
        .collect()
}

/// The outcome of a state in which play is over.
pub fn outcome(data: &RulesData, cells: &Cells, player: usize) -> Option<String> {
    let stuck = || match (data.players.len(), data.stuck.as_deref()) {
        (2, Some("win")) => data.players[player].clone(),
        (2, Some("loss")) => data.players[1 - player].clone(),
        (2, _) => "draw".to_owned(),
        _ if data.goal.iter().any(|goal| solved(goal, cells)) => "solved".to_owned(),
        _ => "stuck".to_owned(),
    };
    end(data, cells, player).or_else(|| successors(data, cells, player).is_empty().then(stuck))
}

/// The orbit of a state under the generators of the symmetries, the state included.
fn orbit(data: &RulesData, cells: &Cells) -> BTreeSet<Cells> {
    let (mut orbit, mut new) = (BTreeSet::from([cells.clone()]), vec![cells.clone()]);
    while let Some(cells) = new.pop() {
        for symmetry in data.symmetries.declared() {
            let mut image = cells.clone();
            for (cell, symbol) in cells.iter().enumerate() {
                image[symmetry.cells[cell] as usize] = symmetry.symbols.get(symbol).unwrap_or(symbol).clone();
            }
            if orbit.insert(image.clone()) {
                new.push(image);
            }
        }
    }
    orbit
}

/// All states that play can reach, depth by depth. The symmetries must not swap the players.
pub fn layers(data: &RulesData, symmetry: bool) -> Vec<Layer> {
    let players = if data.players.len() == 2 { 2 } else { 1 };
    let begin = (data.start.clone(), 0);
    let (mut seen, mut frontier, mut layers) = (BTreeSet::from([begin.clone()]), BTreeSet::from([begin]), Vec::new());
    while !frontier.is_empty() {
        let smallest = |cells: &Cells| !symmetry || orbit(data, cells).first() == Some(cells);
        let (mut states, mut open, mut ended) = (0, 0, BTreeMap::new());
        for (cells, player) in frontier.iter().filter(|(cells, _)| smallest(cells)) {
            states += 1;
            match outcome(data, cells, *player) {
                Some(outcome) => *ended.entry(outcome).or_default() += 1,
                None => open += 1,
            }
        }
        layers.push((states, frontier.len(), open, ended));
        let next = |(cells, player): &(Cells, usize)| {
            let player = *player;
            successors(data, cells, player).into_iter().map(move |after| (after, (player + 1) % players))
        };
        frontier = frontier.iter().flat_map(next).filter(|state| !seen.contains(state)).collect();
        seen.extend(frontier.iter().cloned());
    }
    if !symmetry {
        // States of one orbit are counted one by one.
        for layer in &mut layers {
            layer.0 = layer.1;
        }
    }
    layers
}
