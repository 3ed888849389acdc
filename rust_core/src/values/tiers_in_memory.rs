//! Finds, tier by tier from the last to the first, the values of states that are all in memory.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::allowance::Allowance;
use super::retrograde::{Keep, PredecessorWay, Retrograde};
use super::tally::Tallies;
use super::value_code::ValueCode;
use crate::error::Result;
use crate::graph::{FoundStates, Graph, TierMap};
use crate::job::KeptListing;

use super::census::Census;

/// Finds the values of a tier. The values of later tiers must be known. The tier's own values of up to `moves` moves
/// are known already. `keep` is called after each step. `None` if the watch or `keep` ends the search.
///
/// # Errors
///
/// Errors of `keep` and of [`KeptListing::read`].
pub(super) fn values_of_tier(
    tier: &TierOf,
    moves: u32,
    listing: Option<&KeptListing>,
    keep: Keep,
) -> Result<Option<()>> {
    let retrograde = Retrograde { listing, ..tier.retrograde() };
    if tier.map.tiers.repeats(tier.tier) { retrograde.values(moves, keep) } else { retrograde.sweep() }
}

/// A tier whose values are to be found.
pub(super) struct TierOf<'a> {
    pub graph: &'a dyn Graph,
    /// The numbers of the tier's states in the graph.
    pub states: Range<u64>,
    /// For each state of the graph, by number, its [`ValueCode`].
    pub values: &'a [AtomicU32],
    pub map: &'a TierMap,
    pub tier: usize,
    pub way: PredecessorWay,
    pub allowed: &'a Allowance<'a>,
}

impl<'a> TierOf<'a> {
    /// The search for the values of the tier, without a list of successors.
    pub fn retrograde(&self) -> Retrograde<'a> {
        let TierOf { graph, ref states, values, map, tier, way, allowed } = *self;
        let leads_on = !map.tiers.leads(tier).is_empty();
        Retrograde { graph, states: states.clone(), values, leads_on, way, listing: None, allowed }
    }
}

/// Finds the values of all states, which are in memory, and counts them. `None` if the watch stops the work.
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
        if values_of_tier(&tier, 0, None, &mut |_| Ok(true))?.is_none() {
            return Ok(None);
        }
    }
    tally.count(graph, &(0..graph.len()), &|number| ValueCode(values[number as usize].load(Ordering::Relaxed)));
    Ok(Some(()))
}
