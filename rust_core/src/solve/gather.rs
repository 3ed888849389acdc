//! All states that play can reach from a state, one by one, for puzzles small enough to hold them.

use crate::compile::{Compiled, Word};
use crate::graph::WordIndex;
use crate::sorting;

/// The states that play can reach from the start, each with the player to move, sorted by player and then by state;
/// `None` if there are more than `most`.
pub fn gather<W: Word>(compiled: &Compiled<W>, most: usize) -> Option<Vec<(usize, W)>> {
    let players = compiled.rules.player_count();
    let mut found: Vec<WordIndex<W>> = (0..players).map(|_| WordIndex::new()).collect();
    let mut pending = vec![(0, compiled.start())];
    let _ = found[0].insert(compiled.start());
    while let Some((player, word)) = pending.pop() {
        if compiled.ended(word, player).is_some() {
            continue;
        }
        let next = compiled.rules.next_player(player);
        compiled.steps[player].each(word, |_, step| {
            let after = step.effect.apply(word);
            if found[next].insert(after).is_ok() {
                pending.push((next, after));
            }
            true
        });
        if found.iter().map(WordIndex::len).sum::<usize>() > most {
            return None;
        }
    }
    let mut states: Vec<(usize, W)> = found
        .iter()
        .enumerate()
        .flat_map(|(player, part)| part.words.iter().map(move |&word| (player, word)))
        .collect();
    sorting::sort(&mut states);
    Some(states)
}
