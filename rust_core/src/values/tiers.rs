//! Values tier by tier, from the last tier to the first, of states that are all in memory.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::allowance::Allowance;
use super::retrograde::{Keep, PredecessorWay, Retrograde};
use super::tally::Tallies;
use super::value_code::ValueCode;
use crate::error::Result;
use crate::graph::{FoundStates, Graph, TierMap};

use super::census::Census;

/// Finds the values of a tier whose later tiers are known. `moves` is the number of moves up to which values have
/// spread already. `None` if the watch or `keep` stops it. `keep` is called with each step.
///
/// # Errors
///
/// Errors of `keep`.
pub(super) fn values_of_tier(tier: &TierOf, moves: u32, keep: Keep) -> Result<Option<()>> {
    let TierOf { graph, ref states, values, map, tier, way, allowed } = *tier;
    let leads_on = !map.tiers.leads(tier).is_empty();
    let retrograde = Retrograde { graph, states: states.clone(), values, leads_on, way, allowed };
    if map.tiers.repeats(tier) { retrograde.values(moves, keep) } else { Ok(retrograde.sweep()) }
}

/// A tier in a graph.
pub(super) struct TierOf<'a> {
    pub graph: &'a dyn Graph,
    /// The numbers of the tier's states.
    pub states: Range<u64>,
    /// For each state of the graph, by its number, its value.
    pub values: &'a [AtomicU32],
    pub map: &'a TierMap,
    pub tier: usize,
    pub way: PredecessorWay,
    pub allowed: &'a Allowance<'a>,
}

/// Counts the values of all states, which are in memory; `None` if the watch stops it.
///
/// # Errors
///
/// The errors of [`FoundStates::of_tiers`].
pub(super) fn spread(
    found: &mut dyn FoundStates,
    map: &TierMap,
    census: &Census,
    way: PredecessorWay,
    allowed: &Allowance,
    tally: &mut Tallies,
) -> Result<Option<()>> {
    let made = found.of_tiers(map, &census.depths, &vec![true; map.tiers.count()], None)?;
    let graph = &*made.graph;
    let values: Vec<AtomicU32> = super::retrograde::nothing_known(graph.len());
    for tier in (0..map.tiers.count()).rev() {
        let states = made.states[tier].clone();
        let tier = TierOf { graph, states, values: &values, map, tier, way, allowed };
        if values_of_tier(&tier, 0, &mut |_| Ok(true))?.is_none() {
            return Ok(None);
        }
    }
    tally.count(graph, &(0..graph.len()), &|number| ValueCode(values[number as usize].load(Ordering::Relaxed)));
    Ok(Some(()))
}
