//! The values of the states of a job, found tier by tier. As many tiers as fit the memory are read at once, with the later
//! tiers to which they lead. Their values are kept as soon as they are known. Once those of all tiers are, they are written
//! beside the states, depth by depth.
//!
//! The files of a depth have states of any tier, in order of their words. Those of a tier are kept in the order in which
//! they are numbered. So the values of a tier's states of one depth follow each other, in the order in which these states
//! come in the files of the depth.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::by_tiers::{ByDepth, Group, gather};
use super::census::Census;
use super::keeper::Keeper;
use super::known::Known;
use super::spreading::{Spread, count_depth};
use super::tier_map::TierMap;
use crate::compile::Word;
use crate::error::{Error, Result};
use crate::job::{Job, KeptCodes};
use crate::run::{Options, later};
use crate::sparse;

/// Small tiers that follow each other are kept in one file, as long as they have at most one state of so many. So there are
/// hardly more than twice as many files, and a kill costs little.
const PART: usize = 64;

/// No tier has as many states: a count of 31 bits tells how many of them follow a state.
const TOO_MANY: usize = 1 << 31;

impl<W: Word> Keeper<'_, '_, W> {
    /// All values, tier by tier. Returns whether it came to its end.
    pub fn spread_by_tiers(&mut self, map: &TierMap, options: &Options) -> Result<bool> {
        let Some(census) = self.census(map)? else { return Ok(false) };
        self.job.begin_tiers(map.tiers.count(), &map.bytes())?;
        let left = |job: &Job| job.kept_tiers().last().map_or(map.tiers.count(), |entry| entry.first as usize);
        // What is sure not to fit is told before anything is done.
        for tier in (0..left(self.job)).rev() {
            self.check_tiers(map, &census, &(tier..tier + 1))?;
        }
        for (depth, of_depth) in census.depths.iter().enumerate().take(self.left()) {
            let states: usize = of_depth.values().sum();
            // The words of a depth, and what they are worth, twice while it is put in order.
            let bytes = states.saturating_mul(size_of::<W>() + 2 * size_of::<Known>()) as u64;
            self.check_room(bytes, &format!("{states} states of depth {depth}"))?;
        }
        let most = options.grain.map_or(census.states.iter().sum::<usize>() / PART, |grain| grain.block_states);
        loop {
            let end = left(self.job);
            if end == 0 {
                break;
            }
            let files = self.group(map, &census, end, most, options.grain.is_some());
            if self.spread_group(map, &census, &files, options)?.is_none() {
                return Ok(false);
            }
        }
        for depth in (0..self.left()).rev() {
            if !self.write_depth(map, &census, depth)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Counts the states of each tier; `None` if the watch stops it.
    fn census(&self, map: &TierMap) -> Result<Option<Census>> {
        let mut census = Census::new(map.tiers.count());
        for depth in 0..self.tally.depths.len() {
            census.begin_depth();
            let mut stopped = false;
            self.each(depth, |words| stopped = stopped || census.add(self.given, map, words).is_none())?;
            if stopped {
                return Ok(None);
            }
        }
        Ok(Some(census))
    }

    /// Calls `take` with the states of a depth, some at a time.
    fn each(&self, depth: usize, mut take: impl FnMut(&[W])) -> Result<()> {
        sparse::each_of_depth(self.given.compiled, self.given.images, self.job, depth, |words| {
            take(words);
            true
        })
    }

    /// What the values of some tiers take, if they are found from one reading of the states.
    fn bytes(map: &TierMap, census: &Census, tiers: &Range<usize>) -> u64 {
        // What is found is put in order before it is written.
        let codes = tiers.clone().map(|tier| (census.states[tier] * size_of::<u32>()) as u64).sum::<u64>();
        census.bytes::<W>(map, tiers).saturating_add(codes)
    }

    fn check_tiers(&self, map: &TierMap, census: &Census, tiers: &Range<usize>) -> Result<()> {
        let states: usize = census.states[tiers.clone()].iter().sum();
        if states >= TOO_MANY {
            return Err(Error::Memory(format!(
                "the values of {states} states of one tier are not found in memory; a smaller board has fewer"
            )));
        }
        let what = format!("{states} states of a tier, with the later ones to which it leads,");
        self.check_room(Self::bytes(map, census, tiers), &what)
    }

    /// The next tiers, up to `end`, that are read at once; each range goes into a file. With `one`, there is one range.
    fn group(&self, map: &TierMap, census: &Census, end: usize, most: usize, one: bool) -> Vec<Range<usize>> {
        let mut files: Vec<Range<usize>> = Vec::new();
        let mut end = end;
        while end > 0 && !(one && files.len() == 1) {
            let (mut first, mut states) = (end - 1, census.states[end - 1]);
            while first > 0 && states + census.states[first - 1] <= most {
                first -= 1;
                states += census.states[first];
            }
            let last = files.first().map_or(end, |file| file.end);
            let fits = |first: usize| Self::bytes(map, census, &(first..last)) <= self.given.room;
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

    /// Finds the values of some tiers, and keeps them; `None` if the watch stops it.
    fn spread_group(
        &mut self,
        map: &TierMap,
        census: &Census,
        files: &[Range<usize>],
        options: &Options,
    ) -> Result<Option<()>> {
        let tiers = files[files.len() - 1].start..files[0].end;
        let mut wanted = vec![false; map.tiers.count()];
        for tier in tiers.clone().chain(Census::later(map, &tiers)) {
            wanted[tier] = true;
        }
        let mut states: Vec<ByDepth<W>> = wanted.iter().map(|_| Vec::new()).collect();
        for depth in 0..self.tally.depths.len() {
            if census.depths[depth].keys().any(|&tier| wanted[tier]) {
                let player = depth % self.given.players();
                self.each(depth, |words| {
                    gather(map, (depth, player), words, census, &mut states, &|tier| wanted[tier]);
                })?;
            }
        }
        let kept = KeptTiers::open(self.job, census)?;
        let mut value = |tier: usize| kept.of_tier(tier);
        let mut group = Group::new(self.given, map, tiers, states, &mut value)?;
        let job = RefCell::new(&mut *self.job);
        for file in files {
            let mut codes: Vec<u32> = Vec::new();
            for tier in file.clone().rev() {
                // Values spread from what is kept if this tier is the next one of those that are kept.
                let first = tier + 1 == file.end;
                let from = RefCell::new(0);
                let mut begin = |count: usize| {
                    let mut spread = Spread::new(count);
                    let values = &spread.values;
                    if first {
                        spread.moves = job
                            .borrow()
                            .read_spread(count, &mut |number, code| values[number].store(code, Ordering::Relaxed))?;
                    }
                    *from.borrow_mut() = spread.moves;
                    Ok(spread)
                };
                let mut next = later(options.checkpoint);
                let mut keep = |spread: &Spread, stopped: bool| {
                    let now = Instant::now();
                    if !first || spread.moves == *from.borrow() || !(stopped || now >= next) {
                        return Ok(());
                    }
                    job.borrow_mut().keep_spread(spread.moves, spread.values.len(), &|number| spread.code(number))?;
                    // If keeping takes long, it is done less often, so that it takes at most a tenth of the time.
                    *from.borrow_mut() = spread.moves;
                    next = later(options.checkpoint.max(now.elapsed() * 10));
                    Ok(())
                };
                if group.next(tier, &mut begin, &mut keep)?.is_none() {
                    return Ok(None);
                }
                codes.extend(group.found(tier).values.iter().map(|known| known.0));
                group.release(tier);
            }
            job.borrow_mut().keep_tiers(file.start, &codes)?;
        }
        Ok(Some(()))
    }

    /// Writes the values of a depth, those of all tiers being kept. Returns whether it came to its end.
    fn write_depth(&mut self, map: &TierMap, census: &Census, depth: usize) -> Result<bool> {
        let kept = KeptTiers::open(self.job, census)?;
        let mut of_tiers: BTreeMap<usize, std::vec::IntoIter<Known>> = BTreeMap::new();
        for &tier in census.depths[depth].keys() {
            of_tiers.insert(tier, kept.of_depth(tier, depth, self.given.players())?.into_iter());
        }
        let (words, player) = (self.words(depth)?, depth % self.given.players());
        let next = |&word: &W| of_tiers.get_mut(&map.tier(word, player))?.next();
        let values: Vec<Known> = words.iter().map(next).collect::<Option<_>>().ok_or_else(|| self.job.lacks(depth))?;
        count_depth(self.given, (depth, &words), &values, &mut self.tally);
        self.keep(depth, &values)?;
        let counted = census.states.iter().sum::<usize>() as u64;
        let progress = self.given.progress(depth as u64, words.len() as u64, counted);
        Ok((self.given.watch)(&progress).is_continue())
    }
}

/// The values of tiers that are kept.
struct KeptTiers<'a> {
    census: &'a Census,
    /// For each tier that is kept, its file, and where its values begin there.
    places: BTreeMap<usize, (usize, usize)>,
    files: Vec<KeptCodes>,
}

impl<'a> KeptTiers<'a> {
    fn open(job: &Job, census: &'a Census) -> Result<Self> {
        let (mut places, mut files) = (BTreeMap::new(), Vec::new());
        let mut end = census.states.len();
        for entry in job.kept_tiers() {
            let mut begin = 0;
            for tier in (entry.first as usize..end).rev() {
                places.insert(tier, (files.len(), begin));
                begin += census.states[tier];
            }
            if begin as u64 != entry.states {
                return Err(job.lacks(0));
            }
            end = entry.first as usize;
            files.push(job.tier_codes(entry)?);
        }
        Ok(Self { census, places, files })
    }

    fn read(&self, tier: usize, from: usize, count: usize) -> Result<Vec<Known>> {
        let (file, begin) = self.places[&tier];
        Ok(self.files[file].read(begin + from, count)?.into_iter().map(Known).collect())
    }

    /// The values of a tier, by the numbers of its states.
    fn of_tier(&self, tier: usize) -> Result<Vec<Known>> {
        self.read(tier, 0, self.census.states[tier])
    }

    /// The values of the states of a depth in a tier.
    fn of_depth(&self, tier: usize, depth: usize, players: usize) -> Result<Vec<Known>> {
        let count = |depth: usize| self.census.depths[depth].get(&tier).copied().unwrap_or(0);
        let (all, player) = (0..self.census.depths.len(), depth % players);
        // States are numbered in order of the players, and of the depths.
        let before = all.filter(|other| (other % players, *other) < (player, depth));
        self.read(tier, before.map(count).sum(), count(depth))
    }
}
