//! Move names: two moves of one player may share a name only where no state allows both, so that a name says which.

use std::collections::HashMap;

use crate::error::{Result, rules_error};
use crate::rules::{Move, Symbol, analysis};

/// Refuses moves that share a name and might both be made in some state.
pub(super) fn check(moves: &[Move], start: &[Symbol], symbols: usize, players: &[String]) -> Result<()> {
    let conserved = conserved(moves, start, symbols);
    // Moves that need the one blank in different cells exclude each other: only those of one cell are compared.
    let blank = conserved.iter().position(|&count| count == Some(1)).map(|symbol| symbol as Symbol);
    let mut named: HashMap<&str, HashMap<Option<usize>, Vec<&Move>>> = HashMap::new();
    for given in moves {
        let cell = given.when.0.iter().find(|(_, set)| blank.is_some() && set.single() == blank).map(|&(cell, _)| cell);
        let namesakes = named.entry(&given.name).or_default();
        let rivals: Vec<&Move> = match cell {
            Some(_) => [cell, None].iter().filter_map(|place| namesakes.get(place)).flatten().copied().collect(),
            None => namesakes.values().flatten().copied().collect(),
        };
        let rival = rivals.into_iter().find(|other| {
            let same_player = given.player.is_none() || other.player.is_none() || given.player == other.player;
            same_player && !exclusive(given, other, &conserved)
        });
        if let Some(rival) = rival {
            let owner = given.player.or(rival.player);
            let whose = owner.map_or(String::new(), |player| format!(" of player {}", players[player]));
            return Err(rules_error!(
                "two moves{whose} are named \"{}\" and some state may allow both; give them different names",
                given.name
            ));
        }
        namesakes.entry(cell).or_default().push(given);
    }
    Ok(())
}

/// For each symbol, how many cells hold it in every reachable state, where that never changes.
pub(super) fn conserved(moves: &[Move], start: &[Symbol], symbols: usize) -> Vec<Option<usize>> {
    let changes: Option<Vec<_>> = moves.iter().map(|given| analysis::composition_change(given, symbols)).collect();
    let Some(changes) = changes else {
        return vec![None; symbols];
    };
    (0..symbols)
        .map(|symbol| {
            let constant = changes.iter().all(|change| change[symbol] == 0);
            constant.then(|| start.iter().filter(|&&at| at as usize == symbol).count())
        })
        .collect()
}

/// Whether no reachable state allows both moves: a cell would have to hold two symbols, or there would have to be more
/// of a conserved symbol than there is.
fn exclusive(one: &Move, other: &Move, conserved: &[Option<usize>]) -> bool {
    let symbols = conserved.len();
    let mut needed = vec![0; symbols];
    for &(cell, set) in &one.when.0 {
        let both = set.and(other.when.allowed(cell, symbols));
        if both.is_empty() {
            return true;
        }
        both.single().into_iter().for_each(|symbol| needed[symbol as usize] += 1);
    }
    for (_, set) in other.when.0.iter().filter(|(cell, _)| one.when.get(*cell).is_none()) {
        set.single().into_iter().for_each(|symbol| needed[symbol as usize] += 1);
    }
    needed.iter().zip(conserved).any(|(&needed, &there)| there.is_some_and(|there| needed > there))
}
