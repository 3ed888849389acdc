//! Which store a run uses, and what is known about that before the run.

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
    /// The most bytes of memory that it takes, if that is known before the run.
    pub bytes: Option<u64>,
}

/// Which store a run uses, and why.
pub struct Choice {
    /// The perfect index. Without one, the run uses the sparse store.
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

/// An index is a waste if it numbers this many times as many states as can be reached.
pub const FEWER: u64 = 1000;

/// A sentence that says how few states can be reached, if the moves generate a group that makes hardly any of the
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

/// How many arrangements the given symbols have. There may be at most 32 symbols.
fn arrangements(symbols: impl Iterator<Item = Symbol>) -> u128 {
    let mut counts = std::collections::HashMap::<Symbol, u128>::new();
    // The n-th symbol multiplies the number by n, and divides it by how often the symbol has come so far.
    symbols.zip(1..).fold(1, |product, (symbol, number)| {
        let count = counts.entry(symbol).or_default();
        *count += 1;
        product * number / *count
    })
}
