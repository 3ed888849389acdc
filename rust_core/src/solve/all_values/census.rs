//! How many states each tier has, and what finding their values takes.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use super::given::{AT_ONCE, Given};
use super::numbered_states::NumberedStates;
use super::spreading;
use super::tier_map::TierMap;
use crate::compile::Word;
use crate::run::Monitor;

/// The states of each tier are counted, and their moves.
pub struct Census {
    /// For each depth, how many states of each tier it has.
    pub depths: Vec<BTreeMap<usize, usize>>,
    /// For each tier, how many states it has.
    pub states: Vec<usize>,
    /// For each tier in which play may come back to a state, how many moves its states have.
    moves: Vec<u64>,
}

impl Census {
    /// Of so many tiers. No depth is counted yet.
    pub fn new(tiers: usize) -> Self {
        Self { depths: Vec::new(), states: vec![0; tiers], moves: vec![0; tiers] }
    }

    /// Opens the next depth.
    pub fn begin_depth(&mut self) {
        self.depths.push(BTreeMap::new());
    }

    /// Counts states of the last depth; `None` if the watch stops it.
    pub fn add<W: Word>(&mut self, given: &Given<W>, map: &TierMap, words: &[W]) -> Option<()> {
        let depth = self.depths.len() - 1;
        let player = depth % given.players();
        let counted = self.states.iter().sum::<usize>() as u64;
        let monitor = Monitor::new(given.watch, given.begun, given.progress(depth as u64, words.len() as u64, counted));
        let parts = words.par_chunks(AT_ONCE).map(|words| {
            let mut counts: BTreeMap<usize, (usize, u64)> = BTreeMap::new();
            if monitor.stopped() {
                return counts;
            }
            let mut last = None;
            for &word in words {
                let tier = map.tier(word, player);
                let mut moves = 0;
                if map.tiers.repeats(tier) && given.over(word, player).is_none() {
                    given.compiled.steps[player].each(word, |_, _| {
                        moves += 1;
                        true
                    });
                }
                // States that lie beside each other are often of one tier.
                match &mut last {
                    Some((before, states, sum)) if *before == tier => {
                        *states += 1;
                        *sum += moves;
                    }
                    _ => {
                        flush(&mut counts, last.replace((tier, 1, moves)));
                    }
                }
            }
            flush(&mut counts, last);
            monitor.add(words.len() as u64);
            counts
        });
        let counts = parts.reduce(BTreeMap::new, |mut sum, part| {
            for (tier, (states, moves)) in part {
                flush(&mut sum, Some((tier, states, moves)));
            }
            sum
        });
        for (tier, (states, moves)) in counts {
            *self.depths[depth].entry(tier).or_default() += states;
            self.states[tier] += states;
            self.moves[tier] += moves;
        }
        (!monitor.stopped()).then_some(())
    }

    /// The tiers outside of some that follow each other, to which moves of these lead.
    pub fn later(map: &TierMap, tiers: &Range<usize>) -> Vec<usize> {
        let leads = tiers.clone().flat_map(|tier| map.tiers.leads(tier)).map(|&later| later as usize);
        let mut later: Vec<usize> = leads.filter(|later| !tiers.contains(later)).collect();
        later.sort_unstable();
        later.dedup();
        later
    }

    /// The most bytes that it takes at a time to find the values of some tiers that follow each other, whose states and
    /// those of the later tiers are all read before. The values of tiers to which no other one leads any more are let go.
    pub fn bytes<W: Word>(&self, map: &TierMap, tiers: &Range<usize>) -> u64 {
        let plain = |tier: usize| self.states[tier].saturating_mul(size_of::<W>()) as u64;
        let held = |tier: usize| NumberedStates::<W>::bytes(self.states[tier]);
        let sum = |some: &[usize]| some.iter().map(|&tier| held(tier)).sum::<u64>();
        let mut now = sum(&Self::later(map, tiers)) + tiers.clone().map(plain).sum::<u64>();
        let mut most = now;
        let released = released_by(map, tiers);
        for tier in tiers.clone().rev() {
            // While the states are put in order of the players, they are there twice.
            now += held(tier) - plain(tier);
            let leads_on = !map.tiers.leads(tier).is_empty();
            let spread = spreading::bytes(self.states[tier], self.moves[tier], leads_on);
            most = most.max(now + if map.tiers.repeats(tier) { spread.max(plain(tier)) } else { plain(tier) });
            now -= sum(&released[tier - tiers.start]);
        }
        most
    }
}

/// Adds what was counted of a tier.
fn flush(counts: &mut BTreeMap<usize, (usize, u64)>, counted: Option<(usize, usize, u64)>) {
    if let Some((tier, states, moves)) = counted {
        let sum = counts.entry(tier).or_default();
        *sum = (sum.0 + states, sum.1 + moves);
    }
}

/// For each of some tiers that follow each other, those whose values are not needed any more once its own are known, if
/// the tiers are gone through from the last to the first.
pub fn released_by(map: &TierMap, tiers: &Range<usize>) -> Vec<Vec<usize>> {
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for tier in tiers.clone() {
        for &later in map.tiers.leads(tier) {
            first.entry(later as usize).or_insert(tier);
        }
        // If no other tier leads to it, it is let go at once. No earlier tier is left then.
        first.entry(tier).or_insert(tier);
    }
    let mut released = vec![Vec::new(); tiers.len()];
    for (later, tier) in first {
        released[tier - tiers.start].push(later);
    }
    released
}
