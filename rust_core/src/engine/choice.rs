//! The store of a run, and the facts about it that are known before the run.

use std::collections::BTreeSet;

use crate::dense::Dense;
use crate::index::{MOST_CELLS, MOST_PLACES};
use crate::rules::Symbol;
use crate::run::Store;
use crate::structure::{Action, Need, Pieces, Structure};

/// The plan of a run: the store that holds its states, and its size.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlan {
    /// The store.
    pub store: Store,
    /// The reason for this choice.
    pub reason: String,
    /// The most bytes of memory that the run takes, if that is known before.
    pub bytes: Option<u64>,
}

/// The store of a run, and the reason for it.
pub struct Choice {
    /// The perfect index. Without one, the run uses the sparse store.
    pub dense: Option<Dense>,
    /// The reason, in words.
    pub reason: String,
}

impl Choice {
    /// The store.
    pub fn store(&self) -> Store {
        if self.dense.is_some() { Store::Dense } else { Store::Sparse }
    }
}

/// An index wastes memory if it has this many times as many numbers as there are reachable states.
pub const FEWER: u64 = 1000;

/// A sentence about the number of reachable states, if the moves generate a group that makes hardly any of the
/// arrangements.
pub fn few_reachable(structure: &Structure) -> Option<String> {
    let rules = structure.rules();
    if rules.cells() > MOST_PLACES {
        return None; // too many cells for an index anyway, and the group of a large board takes long
    }
    let group = structure.group()?;
    let order = group.orbit_sizes().iter().map(|&size| size as u128).product();
    // Cells in different orbits never exchange their symbols.
    let symbols = |cells: Vec<usize>| arrangements(cells.into_iter().map(|cell| rules.start[cell]));
    let apart: u128 = group.orbits().into_iter().map(symbols).product();
    let (states, all) = (apart.min(order), arrangements(rules.start.iter().copied()));
    // If symbols repeat, different elements of the group may lead to the same state.
    let distinct = all == arrangements(0..rules.cells() as Symbol);
    let only = if distinct { "only" } else { "at most" };
    (states < all / u128::from(FEWER)).then(|| format!("{only} {states} states can be reached"))
}

/// A sentence that says that the rules have no perfect index. If no two cells hold the same symbol at the start, it
/// names the move, or another fact, that prevents it.
pub fn no_index(structure: &Structure) -> String {
    const NONE: &str = "the rules have no perfect index";
    why_no_arrangements(structure).map_or(NONE.to_owned(), |why| format!("{NONE}: {why}"))
}

/// The reason why rules that could have an index of arrangements do not have one.
fn why_no_arrangements(structure: &Structure) -> Option<String> {
    let rules = structure.rules();
    let held: BTreeSet<Symbol> = rules.start.iter().copied().collect();
    if held.len() < rules.cells() || rules.cells() < 2 || rules.player_count() > 1 || !rules.ends.is_empty() {
        return None;
    }
    if let Some(found) = Pieces::in_the_way(rules) {
        return Some(match &found[..] {
            [] => "the pieces have too many combinations of places and twists".to_owned(),
            _ => format!("the moves twist pieces, but {}", found.join(", and ")),
        });
    }
    if rules.cells() > MOST_CELLS {
        return Some(format!(
            "it takes at most {MOST_CELLS} cells with distinct symbols, and these are {}",
            rules.cells()
        ));
    }
    let name = |at: usize| &rules.moves[at].name;
    let symbol = |symbol: Symbol| &rules.symbols[symbol as usize];
    let mut pivot: Option<(usize, Symbol)> = None;
    let mut movable = BTreeSet::new();
    for (at, (need, action)) in structure.actions().iter().enumerate() {
        if !matches!(action, Action::Nothing | Action::Permutes(_)) {
            return Some(format!("the move \"{}\" does more than rearrange cells", name(at)));
        }
        match need {
            Need::Nothing => movable.extend(0..rules.cells()),
            Need::Symbol(cell, needed) if held.contains(needed) => {
                movable.insert(*cell);
                let (first, other) = *pivot.get_or_insert((at, *needed));
                if other != *needed {
                    let (other, needed) = (symbol(other), symbol(*needed));
                    return Some(format!(
                        "the move \"{}\" needs \"{other}\" and the move \"{}\" needs \"{needed}\"",
                        name(first),
                        name(at)
                    ));
                }
            }
            Need::Symbol(..) => {}
            Need::More => {
                return Some(format!("the move \"{}\" needs more than one symbol in one cell", name(at)));
            }
        }
    }
    if movable.len() < rules.cells() {
        return Some("in some states no move can be made".to_owned());
    }
    Some("its symmetries leave too many states as they are".to_owned())
}

/// The number of arrangements of the given symbols. There may be at most 32 symbols.
fn arrangements(symbols: impl Iterator<Item = Symbol>) -> u128 {
    let mut counts = std::collections::HashMap::<Symbol, u128>::new();
    // The n-th symbol multiplies the number by n, and divides it by the number of times that the symbol has come so
    // far.
    symbols.zip(1..).fold(1, |product, (symbol, number)| {
        let count = counts.entry(symbol).or_default();
        *count += 1;
        product * number / *count
    })
}
