//! Finds the values of the states of a job tier by tier. As many tiers as fit the memory are read at once, together
//! with the later tiers to which their moves lead. The values of each tier are kept in the job as soon as they are
//! known. When all tiers have values, the values are written to files beside the states, depth by depth.
//!
//! The files of a depth have states of several tiers, in order of their words. The values of a tier are kept in the
//! order of its states' numbers. Within a tier, the states of one depth have consecutive numbers, in the order of the
//! depth's files. So the values of a depth are written in one pass over its words: each word gets the next value of its
//! tier.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::allowance::Allowance;
use super::census::{Census, later};
use super::checkpoints::{Keeper, KeepingClock};
use super::listing::Listing;
use super::retrograde::{PredecessorWay, SpreadStep, nothing_known};
use super::tiers_in_memory::{TierOf, values_of_tier};
use super::value_code::ValueCode;
use crate::error::{Error, Result};
use crate::graph::{FoundStates, TierMap};
use crate::job::{Job, KeptCodes};
use crate::ordered::OrderedMap;
use crate::run::Options;

/// Neighbouring small tiers share a file, as long as they have together at most one in `PART` of all states. So there
/// are at most about twice `PART` files, and a run that is killed loses little work.
const PART: usize = 64;

/// A tier must have fewer states than this, because 31 bits count the successors of a state.
const TOO_MANY: usize = 1 << 31;

/// The plan by which values spread through tiers: the tiers, how many states each has, and how predecessors are found.
struct Plan<'a> {
    map: &'a TierMap,
    census: Census,
    way: PredecessorWay,
    options: &'a Options,
}

impl Plan<'_> {
    /// The bytes that it takes to find the values of a range of tiers whose states are read together.
    fn bytes(&self, tiers: &Range<usize>) -> u64 {
        // The values are also copied into one list before they are written.
        let codes = tiers.clone().map(|tier| (self.census.states[tier] * size_of::<u32>()) as u64).sum::<u64>();
        self.census.bytes(self.map, tiers, self.way).saturating_add(codes)
    }
}

impl Keeper<'_> {
    /// Finds all values, tier by tier, and writes them. Returns `false` if the watch stopped the work.
    pub fn spread_by_tiers(
        &mut self,
        found: &mut dyn FoundStates,
        map: &TierMap,
        way: PredecessorWay,
        options: &Options,
    ) -> Result<bool> {
        let Some(census) = Census::take(found, Some(self.job), map, way, self.allowed)? else { return Ok(false) };
        let plan = Plan { map, census, way, options };
        self.job.begin_tiers(map.tiers.count(), &map.bytes())?;
        let left = |job: &Job| job.kept_tiers().last().map_or(map.tiers.count(), |entry| entry.first as usize);
        // If some tier is too large for the memory, the error comes before any work is done.
        for tier in (0..left(self.job)).rev() {
            self.check_tiers(&plan, &(tier..tier + 1))?;
        }
        for (depth, &states) in found.counts().iter().enumerate().take(self.left()) {
            // Writing a depth takes memory for its words and their values. The values are in memory twice while they
            // are sorted.
            let bytes = states.saturating_mul((found.word_bytes() + 2 * size_of::<ValueCode>()) as u64);
            self.check_room(states, bytes, &format!("{states} states of depth {depth}"))?;
        }
        loop {
            let end = left(self.job);
            if end == 0 {
                break;
            }
            let files = self.group(&plan, end);
            if self.spread_group(found, &plan, &files)?.is_none() {
                return Ok(false);
            }
        }
        for depth in (0..self.left()).rev() {
            if !self.write_depth(found, &plan, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn check_tiers(&self, plan: &Plan, tiers: &Range<usize>) -> Result<()> {
        let states: usize = plan.census.states[tiers.clone()].iter().sum();
        if states >= TOO_MANY {
            return Err(Error::Memory(format!(
                "the values of {states} states of one tier are not found in memory; a smaller board has fewer"
            )));
        }
        let what = format!("{states} states of a tier, with the later ones to which it leads,");
        self.check_room(plan.census.together(plan.map, tiers), plan.bytes(tiers), &what)
    }

    /// Chooses the tiers before `end` that are read together next. They are ranges of tiers; each range shares a file.
    /// If the options have a grain, there is only one range.
    fn group(&self, plan: &Plan, end: usize) -> Vec<Range<usize>> {
        let (states, grain) = (&plan.census.states, plan.options.grain);
        let most = grain.map_or(states.iter().sum::<usize>() / PART, |grain| grain.block_states);
        let mut files: Vec<Range<usize>> = Vec::new();
        let mut end = end;
        while end > 0 && !(grain.is_some() && files.len() == 1) {
            let (mut first, mut together) = (end - 1, states[end - 1]);
            while first > 0 && together + states[first - 1] <= most {
                first -= 1;
                together += states[first];
            }
            let last = files.first().map_or(end, |file| file.end);
            let fits = |first: usize| {
                let (tiers, room) = (first..last, self.allowed.room);
                plan.bytes(&tiers) <= room && u32::try_from(plan.census.together(plan.map, &tiers)).is_ok()
            };
            if !fits(first) {
                first = end - 1;
            }
            if !files.is_empty() && !fits(first) {
                break;
            }
            files.push(first..end);
            end = first;
        }
        files
    }

    /// Finds the values of the given ranges of tiers, and keeps them in the job. `None` if the watch stops the work.
    fn spread_group(&mut self, found: &mut dyn FoundStates, plan: &Plan, files: &[Range<usize>]) -> Result<Option<()>> {
        let (map, census) = (plan.map, &plan.census);
        let tiers = files[files.len() - 1].start..files[0].end;
        let (mut wanted, later) = (vec![false; map.tiers.count()], later(map, &tiers));
        tiers.chain(later.iter().copied()).for_each(|tier| wanted[tier] = true);
        let made = found.of_tiers(map, &census.depths, &wanted, Some(self.job))?;
        let graph = &*made.graph;
        let values = nothing_known(graph.len());
        let values_of = |tier: usize| -> &[AtomicU32] {
            let states = &made.states[tier];
            &values[states.start as usize..states.end as usize]
        };
        let kept = KeptTiers::open(self.job, census)?;
        for tier in later {
            for (value, known) in values_of(tier).iter().zip(kept.of_tier(tier)?) {
                value.store(known.0, Ordering::Relaxed);
            }
        }
        for file in files {
            let advanced = self.allowed.has_advanced();
            let mut codes: Vec<u32> = Vec::new();
            for tier in file.clone().rev() {
                let of_tier = values_of(tier);
                let tier_of = TierOf {
                    graph,
                    states: made.states[tier].clone(),
                    values: &values,
                    map,
                    tier,
                    way: plan.way,
                    allowed: self.allowed,
                };
                // The job may have a checkpoint of this tier's values. Then values spread on from the checkpoint.
                let ended = if tier + 1 == file.end {
                    let mut read = |place: usize, code: u32| of_tier[place].store(code, Ordering::Relaxed);
                    let moves = self.job.read_spread(of_tier.len(), &mut read)?;
                    let listing = if map.tiers.repeats(tier) {
                        tier_of.retrograde().list_in(self.job, moves, plan.options.grain)?
                    } else {
                        Listing::None
                    };
                    if matches!(listing, Listing::Stopped) {
                        return Ok(None);
                    }
                    let (mut clock, listing) = (KeepingClock::new(plan.options.checkpoint), listing.whole());
                    let job = &mut *self.job;
                    let mut keep = |step: &SpreadStep| clock.keep(step, job, self.allowed).map(|()| true);
                    values_of_tier(&tier_of, moves, listing, &mut keep)?
                } else {
                    // If this tier is stopped, the first one of the file is not kept either.
                    self.allowed.advance(advanced);
                    values_of_tier(&tier_of, 0, None, &mut |_| Ok(true))?
                };
                if ended.is_none() {
                    // If another tier of the file was stopped, the first one is soon done again.
                    if map.tiers.repeats(tier) {
                        tier_of.retrograde().list_next_time(self.job, plan.options.grain)?;
                    }
                    return Ok(None);
                }
                codes.extend(of_tier.iter().map(|value| value.load(Ordering::Relaxed)));
            }
            self.job.keep_tiers(file.start, &codes)?;
            self.allowed.advance(true);
        }
        Ok(Some(()))
    }

    /// Writes the values of a depth, when the values of all tiers are kept. Returns `false` if the watch stops the
    /// work.
    fn write_depth(&mut self, found: &dyn FoundStates, plan: &Plan, depth: usize) -> Result<bool> {
        let (census, players) = (&plan.census, found.alternating());
        let kept = KeptTiers::open(self.job, census)?;
        let mut of_tiers: OrderedMap<u32, std::vec::IntoIter<ValueCode>> = OrderedMap::new();
        for &tier in census.depths[depth].keys() {
            of_tiers.insert(tier as u32, kept.of_depth(tier, depth, players)?.into_iter());
        }
        let graph = found.depth(depth, Some(self.job))?;
        let states = 0..graph.len();
        let (mut values, mut tiers) = (Vec::with_capacity(states.end as usize), Vec::new());
        for block in graph.blocks(&states) {
            graph.tiers(plan.map, block, &mut tiers);
            for tier in &tiers {
                let next = of_tiers.get_mut(tier).and_then(Iterator::next);
                values.push(next.ok_or_else(|| self.job.lacks(depth))?);
            }
        }
        self.tally.count(&*graph, &states, &|number| values[number as usize]);
        self.keep(depth, &|at| values[at])?;
        let counted = census.states.iter().sum::<usize>() as u64;
        let progress = Allowance::progress(depth as u64, states.end, counted, counted);
        Ok((self.allowed.watch)(&progress).is_continue())
    }
}

/// Reads the values of the tiers that a job has kept.
struct KeptTiers<'a> {
    census: &'a Census,
    /// For each tier that is kept, the number of its file, and the place in the file where its values begin.
    places: OrderedMap<usize, (usize, usize)>,
    files: Vec<KeptCodes>,
}

impl<'a> KeptTiers<'a> {
    fn open(job: &Job, census: &'a Census) -> Result<Self> {
        let (mut places, mut files) = (OrderedMap::new(), Vec::new());
        let mut end = census.states.len();
        for entry in job.kept_tiers() {
            let mut begin = 0;
            for tier in (entry.first as usize..end).rev() {
                places.insert(tier, (files.len(), begin));
                begin += census.states[tier];
            }
            end = entry.first as usize;
            files.push(job.tier_codes(entry, begin)?);
        }
        Ok(Self { census, places, files })
    }

    fn read(&self, tier: usize, from: usize, count: usize) -> Result<Vec<ValueCode>> {
        let (file, begin) = self.places[&tier];
        Ok(self.files[file].read(begin + from, count)?.into_iter().map(ValueCode).collect())
    }

    /// The values of a tier's states, in the order of their numbers.
    fn of_tier(&self, tier: usize) -> Result<Vec<ValueCode>> {
        self.read(tier, 0, self.census.states[tier])
    }

    /// The values of the states that are in one tier and in one depth.
    fn of_depth(&self, tier: usize, depth: usize, players: usize) -> Result<Vec<ValueCode>> {
        let count = |depth: usize| self.census.depths[depth].get(&tier).copied().unwrap_or(0);
        let (all, player) = (0..self.census.depths.len(), depth % players);
        // The states of a tier are numbered in order of the player to move, and then of the depth.
        let before = all.filter(|other| (other % players, *other) < (player, depth));
        self.read(tier, before.map(count).sum(), count(depth))
    }
}
