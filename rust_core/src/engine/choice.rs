//! Which store a run uses, and what is known of that before it is tried.

use crate::dense::Dense;
use crate::index::MOST_PLACES;
use crate::rules::Symbol;
use crate::run::Store;
use crate::structure::Structure;

/// How a run would hold its states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunPlan {
    /// The store.
    pub store: Store,
    /// Why that one.
    pub reason: String,
    /// The bytes of memory that it takes at the most, where that is known before the run.
    pub bytes: Option<u64>,
}

/// Which store a run uses, and why.
pub struct Choice {
    /// The perfect index; without one it is the sparse store.
    pub dense: Option<Dense>,
    /// Why, in words.
    pub reason: String,
}

impl Choice {
    /// The store.
    pub fn store(&self) -> Store {
        if self.dense.is_some() { Store::Dense } else { Store::Sparse }
    }
}

/// How many times fewer states than have an index make it a waste.
pub const FEWER: u64 = 1000;

/// That few states can be reached, where the moves generate a group that makes hardly any of the arrangements.
pub fn few_reachable(structure: &Structure) -> Option<String> {
    let rules = structure.rules();
    if rules.cells() > MOST_PLACES {
        return None; // too many for an index anyway, and the group of a large board takes long
    }
    let group = structure.group()?;
    let order = group.orbit_sizes().iter().map(|&size| size as u128).product();
    // What is in cells that no moves connect is never exchanged.
    let symbols = |cells: Vec<usize>| arrangements(cells.into_iter().map(|cell| rules.start[cell]));
    let apart: u128 = group.orbits().into_iter().map(symbols).product();
    let (states, all) = (apart.min(order), arrangements(rules.start.iter().copied()));
    // Where symbols repeat, different elements of the group may lead to the same state.
    let distinct = all == arrangements(0..rules.cells() as Symbol);
    let only = if distinct { "only" } else { "at most" };
    (states < all / u128::from(FEWER)).then(|| format!("{only} {states} states can be reached"))
}

/// How many arrangements some symbols have, at most 32 of them.
fn arrangements(symbols: impl Iterator<Item = Symbol>) -> u128 {
    let mut counts = std::collections::HashMap::<Symbol, u128>::new();
    // The n-th symbol makes n times as many, and as many times fewer as there are of it by then.
    symbols.zip(1..).fold(1, |product, (symbol, number)| {
        let count = counts.entry(symbol).or_default();
        *count += 1;
        product * number / *count
    })
}
