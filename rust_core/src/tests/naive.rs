//! The obvious search, which works on the data of the rules as an author writes it. Tests compare every fast path with
//! it.

use std::collections::{BTreeMap, BTreeSet};

use super::conditions::ConditionsData;
use crate::rules::{EndData, GoalData, MoveData, PatternData, RulesData, SourceData};

/// The name of the symbol in each cell.
pub type Cells = Vec<String>;

/// The counts of one depth: the number of states up to symmetry, of raw states, of open states up to symmetry, and of
/// states that ended with each outcome.
pub type Layer = (usize, usize, usize, BTreeMap<String, usize>);

pub fn holds(pattern: &PatternData, cells: &Cells) -> bool {
    pattern.iter().all(|(cell, allowed)| allowed.contains(&cells[*cell as usize]))
}

fn can(given: &MoveData, cells: &Cells) -> bool {
    let same = |&(one, other): &(i64, i64)| cells[one as usize] == cells[other as usize];
    holds(&given.when, cells)
        && given.equal.iter().all(same)
        && !given.different.iter().any(same)
        && ConditionsData::of_move(given).hold(cells)
}

fn ends(end: &EndData, cells: &Cells) -> bool {
    holds(&end.when, cells) && ConditionsData::of_end(end).hold(cells)
}

pub fn solved(goal: &GoalData, cells: &Cells) -> bool {
    match goal {
        GoalData::Pattern(pattern) => holds(pattern, cells),
        GoalData::Counted(goal) => holds(&goal.when, cells) && ConditionsData::of_goal(goal).hold(cells),
    }
}

/// The outcome of the end that holds in a state; `None` if none holds. If several hold, the outcome that the rules name
/// first counts. Both players' wins have the place of the win that is named first; of the two, the win of the player
/// who has just moved counts.
fn end(data: &RulesData, cells: &Cells, player: usize) -> Option<String> {
    let mover = data.players.get((player + 1) % 2);
    let wins = |outcome: &String| data.players.len() == 2 && data.players.contains(outcome);
    let first = |outcome: &String| {
        data.ends.iter().position(|end| end.outcome == *outcome || wins(outcome) && wins(&end.outcome))
    };
    let held = data.ends.iter().filter(|end| ends(end, cells)).map(|end| end.outcome.clone());
    held.min_by_key(|outcome| (first(outcome), Some(outcome) != mover))
}

/// The states that the moves of a player lead to, each with the player who is to move there.
pub fn successors(data: &RulesData, cells: &Cells, player: usize) -> Vec<(Cells, usize)> {
    if end(data, cells, player).is_some() {
        return Vec::new();
    }
    let possible = possible(data, cells, player);
    let passes = possible.is_empty() && data.moves.iter().any(|given| given.forced);
    if passes && !self::possible(data, cells, 1 - player).is_empty() {
        return vec![(cells.clone(), 1 - player)];
    }
    possible
        .into_iter()
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
            (after, if data.players.len() < 2 || given.again { player } else { 1 - player })
        })
        .collect()
}

/// The moves that a player can make, except passes.
fn possible<'a>(data: &'a RulesData, cells: &Cells, player: usize) -> Vec<&'a MoveData> {
    let mine = |owner: &Option<String>| owner.as_ref().is_none_or(|owner| *owner == data.players[player]);
    data.moves.iter().filter(|given| !given.forced && mine(&given.player) && can(given, cells)).collect()
}

/// The points of the first player in a state in which play is over; `None` if the rules have no score. If several ends
/// hold, the number of points that the rules name first counts, whoever gets them. If ends give it to both players, the
/// one who has just moved gets it.
pub fn points(data: &RulesData, cells: &Cells, player: usize) -> Option<i64> {
    let score = data.score.as_ref()?;
    let mut said = None;
    for named in &data.ends {
        let as_many = data.ends.iter().filter(|end| end.score.map(i64::abs) == named.score.map(i64::abs));
        let held: Vec<Option<i64>> = as_many.filter(|end| ends(end, cells)).map(|end| end.score).collect();
        let sign = if player == 1 { 1 } else { -1 };
        if !held.is_empty() {
            said = held.into_iter().max_by_key(|points| points.map(|points| points * sign)).unwrap();
            break;
        }
    }
    let sums = score.sums.iter().map(|sum| {
        let all: Vec<i64> = (0..cells.len() as i64).collect();
        let held = sum.of.as_ref().unwrap_or(&all).iter().map(|&cell| &cells[cell as usize]);
        let worth: i64 = held.filter_map(|symbol| sum.worth.get(symbol)).sum();
        if sum.player == data.players[0] { worth } else { -worth }
    });
    Some(said.unwrap_or_else(|| sums.sum()))
}

/// The outcome of a state in which play is over; `None` if play goes on.
pub fn outcome(data: &RulesData, cells: &Cells, player: usize) -> Option<String> {
    let stuck = || match (data.players.len(), data.stuck.as_deref()) {
        (2, Some("win")) => data.players[player].clone(),
        (2, Some("loss")) => data.players[1 - player].clone(),
        (2, _) => "draw".to_owned(),
        _ if data.goal.iter().any(|goal| solved(goal, cells)) => "solved".to_owned(),
        _ => "stuck".to_owned(),
    };
    if let Some(points) = points(data, cells, player) {
        let over = end(data, cells, player).is_some() || successors(data, cells, player).is_empty();
        let ahead = || match points.signum() {
            0 => "draw".to_owned(),
            sign => data.players[usize::from(sign < 0)].clone(),
        };
        return over.then(ahead);
    }
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
        let next = |(cells, player): &(Cells, usize)| successors(data, cells, *player);
        frontier = frontier.iter().flat_map(next).filter(|state| !seen.contains(state)).collect();
        seen.extend(frontier.iter().cloned());
    }
    if !symmetry {
        // Without symmetries, the number of states is the number of raw states.
        for layer in &mut layers {
            layer.0 = layer.1;
        }
    }
    layers
}
