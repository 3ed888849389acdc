//! Values tier by tier, from the last tier to the first. The states of some tiers are in memory, and the values of the
//! later tiers to which these lead.

use std::ops::Range;

use super::census::{Census, released_by};
use super::given::Given;
use super::known::Known;
use super::numbered_states::{NumberedStates, Outside, Valued};
use super::spreading::{Graph, Spread, count};
use super::tally::Tallies;
use super::tier_map::TierMap;
use crate::compile::Word;
use crate::error::Result;

/// States of each depth.
pub type ByDepth<W> = Vec<(usize, Vec<W>)>;

/// Some tiers that follow each other.
pub struct Group<'a, 'g, W> {
    given: &'a Given<'g, W>,
    map: &'a TierMap,
    tiers: Range<usize>,
    /// For each tier its states, until its values are known.
    waiting: Vec<ByDepth<W>>,
    /// For each tier its values, while they are needed.
    known: Vec<Option<Valued<W>>>,
    released: Vec<Vec<usize>>,
}

impl<'a, 'g, W: Word> Group<'a, 'g, W> {
    /// A group, with the states of its tiers and those of the later tiers to which they lead. `value` tells the values
    /// of a later tier.
    ///
    /// # Errors
    ///
    /// Those of `value`.
    pub fn new(
        given: &'a Given<'g, W>,
        map: &'a TierMap,
        tiers: Range<usize>,
        mut states: Vec<ByDepth<W>>,
        value: &mut dyn FnMut(usize) -> Result<Vec<Known>>,
    ) -> Result<Self> {
        let mut known: Vec<Option<Valued<W>>> = states.iter().map(|_| None).collect();
        for tier in Census::later(map, &tiers) {
            let states = NumberedStates::new(given.players(), std::mem::take(&mut states[tier]));
            let values = value(tier)?;
            known[tier] = Some(Valued { states, values });
        }
        let released = released_by(map, &tiers);
        Ok(Self { given, map, tiers, waiting: states, known, released })
    }

    /// Finds the values of the last tier that is left, from how far `begin` says they had spread. `None` if the watch stops
    /// it; `keep` is that of [`Graph::values`].
    ///
    /// # Errors
    ///
    /// Those of `begin` and `keep`.
    pub fn next(
        &mut self,
        tier: usize,
        begin: &mut dyn FnMut(usize) -> Result<Spread>,
        keep: &mut dyn FnMut(&Spread, bool) -> Result<()>,
    ) -> Result<Option<()>> {
        let states = NumberedStates::new(self.given.players(), std::mem::take(&mut self.waiting[tier]));
        let outside = Outside { map: Some(self.map), later: &self.known };
        let graph = Graph { given: self.given, states: &states, outside };
        let values =
            if self.map.tiers.repeats(tier) { graph.values(begin(states.len())?, keep)? } else { graph.sweep() };
        let Some(values) = values else { return Ok(None) };
        self.known[tier] = Some(Valued { states, values });
        Ok(Some(()))
    }

    /// The values of a tier that was found last.
    pub fn found(&self, tier: usize) -> &Valued<W> {
        self.known[tier].as_ref().expect("its values were found, and it was not let go")
    }

    /// Lets the values go that no tier needs any more, once those of a tier are known and no other one's are after it.
    pub fn release(&mut self, tier: usize) {
        for &released in &self.released[tier - self.tiers.start] {
            self.known[released] = None;
        }
    }
}

/// Counts the values of all states, which are in memory; `None` if the watch stops it.
pub fn spread<W: Word>(
    given: &Given<W>,
    map: &TierMap,
    depths: Vec<Vec<W>>,
    census: &Census,
    tally: &mut Tallies<W>,
) -> Result<Option<()>> {
    let tiers = 0..map.tiers.count();
    let mut states: Vec<ByDepth<W>> = tiers.clone().map(|_| Vec::new()).collect();
    for (depth, words) in depths.into_iter().enumerate() {
        gather(map, (depth, depth % given.players()), &words, census, &mut states, &|_| true);
    }
    let mut group = Group::new(given, map, tiers.clone(), states, &mut |_| Ok(Vec::new()))?;
    for tier in tiers.rev() {
        if group.next(tier, &mut |states| Ok(Spread::new(states)), &mut |_, _| Ok(()))?.is_none() {
            return Ok(None);
        }
        let Valued { states, values } = group.found(tier);
        count(given, states, values, tally);
        group.release(tier);
    }
    Ok(Some(()))
}

/// Puts states of a depth beside the others of their tiers, as far as these are wanted.
pub fn gather<W: Word>(
    map: &TierMap,
    (depth, player): (usize, usize),
    words: &[W],
    census: &Census,
    states: &mut [ByDepth<W>],
    wanted: &dyn Fn(usize) -> bool,
) {
    for &word in words {
        let tier = map.tier(word, player);
        if !wanted(tier) {
            continue;
        }
        let lists = &mut states[tier];
        if lists.last().is_none_or(|(last, _)| *last != depth) {
            lists.push((depth, Vec::with_capacity(census.depths[depth].get(&tier).copied().unwrap_or(0))));
        }
        if let Some((_, list)) = lists.last_mut() {
            list.push(word);
        }
    }
}
