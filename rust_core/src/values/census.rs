//! Counts the states and moves of each tier, and tells how much memory it takes to find the tier's values.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::allowance::{Allowance, each_block};
use super::retrograde::{self, PredecessorWay};
use super::value_code::ValuesOf;
use crate::error::Result;
use crate::graph::{FoundStates, Graph, TierMap, bytes_of_states};
use crate::job::Job;
use crate::ordered::OrderedMap;

/// The numbers of states and moves of each tier.
pub(super) struct Census {
    /// For each depth, and each tier with states there, the number of these states.
    pub depths: Vec<OrderedMap<usize, usize>>,
    /// For each tier, the number of its states.
    pub states: Vec<usize>,
    /// For each tier, the number of moves of its states. It stays 0 for a tier in which play cannot come back to a
    /// state, and if predecessors are not listed.
    moves: Vec<u64>,
    kind: ValuesOf,
    word_bytes: usize,
}

/// The counts of one tier in one depth.
#[derive(Debug, Clone, Copy, Default)]
struct TierCount {
    states: usize,
    moves: u64,
}

impl Census {
    /// Counts the states and moves of all tiers. `None` if the watch stops the work.
    ///
    /// # Errors
    ///
    /// The errors of [`FoundStates::depth`].
    pub fn take(
        found: &dyn FoundStates,
        job: Option<&Job>,
        map: &TierMap,
        way: PredecessorWay,
        allowed: &Allowance,
    ) -> Result<Option<Self>> {
        let (tiers, counts) = (map.tiers.count(), found.counts());
        let all = counts.iter().sum();
        let mut census = Self {
            depths: vec![OrderedMap::new(); counts.len()],
            states: vec![0; tiers],
            moves: vec![0; tiers],
            kind: ValuesOf::new(found.players(), found.scored().is_some()),
            word_bytes: found.word_bytes(),
        };
        for depth in 0..counts.len() {
            let graph = found.depth(depth, job)?;
            if census.add(&*graph, map, way, (allowed, all)).is_none() {
                return Ok(None);
            }
        }
        Ok(Some(census))
    }

    /// Counts the states of the only depth in `graph`. `all` is the number of states of all depths. `None` if the watch
    /// stops the work.
    fn add(
        &mut self,
        graph: &dyn Graph,
        map: &TierMap,
        way: PredecessorWay,
        (allowed, all): (&Allowance, u64),
    ) -> Option<()> {
        let states = 0..graph.len();
        let depth = graph.depths()[1].depth;
        let monitor = allowed.monitor(depth as u64, states.end, 0, all);
        let sums: Mutex<OrderedMap<usize, TierCount>> = Mutex::new(OrderedMap::new());
        each_block(graph, &states, &monitor, &|block| {
            let (mut tiers, mut moves) = (Vec::new(), Vec::new());
            graph.tiers(map, block.clone(), &mut tiers);
            let listed = |tier: u32| way == PredecessorWay::Listed && map.tiers.repeats(tier as usize);
            if tiers.iter().any(|&tier| listed(tier)) {
                graph.moves(block, &mut moves);
            }
            let mut counts: OrderedMap<usize, TierCount> = OrderedMap::new();
            // Neighbouring states are often of one tier, so each stretch of states of one tier is counted at once.
            let mut begin = 0;
            for run in tiers.chunk_by(|one, other| one == other) {
                let count = counts.value_or(run[0] as usize, TierCount::default);
                count.states += run.len();
                if listed(run[0]) {
                    count.moves += moves[begin..begin + run.len()].iter().map(|&moves| u64::from(moves)).sum::<u64>();
                }
                begin += run.len();
            }
            let mut sums = sums.lock().unwrap_or_else(PoisonError::into_inner);
            for (tier, counted) in counts {
                let sum = sums.value_or(tier, TierCount::default);
                *sum = TierCount { states: sum.states + counted.states, moves: sum.moves + counted.moves };
            }
        })?;
        for (tier, counted) in sums.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.depths[depth].insert(tier, counted.states);
            self.states[tier] += counted.states;
            self.moves[tier] += counted.moves;
        }
        Some(())
    }

    /// The number of states of a range of tiers, together with those of the later tiers to which their moves lead.
    pub fn together(&self, map: &TierMap, tiers: &Range<usize>) -> u64 {
        tiers.clone().chain(later(map, tiers)).map(|tier| self.states[tier] as u64).sum()
    }

    /// The most bytes that it takes to find the values of a range of tiers. The states of these tiers, and of the later
    /// tiers to which their moves lead, are in memory.
    pub fn bytes(&self, map: &TierMap, tiers: &Range<usize>, way: PredecessorWay) -> u64 {
        let held = self.together(map, tiers);
        let of_tier = |tier: usize| {
            let leads_on = !map.tiers.leads(tier).is_empty();
            let states = self.states[tier] as u64;
            let repeats = map.tiers.repeats(tier);
            if repeats { retrograde::bytes(states, self.moves[tier], self.kind, leads_on, way) } else { 0 }
        };
        let most = tiers.clone().map(of_tier).max().unwrap_or(0);
        // While the states are sorted, their words are in memory twice.
        let twice = held.saturating_mul(self.word_bytes as u64);
        bytes_of_states(held, self.word_bytes).saturating_add(most.max(twice))
    }
}

/// The tiers outside of a range to which moves of the range lead. All of them are later tiers.
pub(super) fn later(map: &TierMap, tiers: &Range<usize>) -> Vec<usize> {
    let leads = tiers.clone().flat_map(|tier| map.tiers.leads(tier)).map(|&later| later as usize);
    let mut later: Vec<usize> = leads.filter(|later| !tiers.contains(later)).collect();
    later.sort_unstable();
    later.dedup();
    later
}
