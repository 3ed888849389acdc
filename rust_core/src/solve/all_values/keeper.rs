//! A job whose values are being found depth by depth, or spread through all states at once.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::super::numbered::Numbered;
use super::by_tiers::ByDepth;
use super::given::Given;
use super::known::{Known, Worth};
use super::layered::{Later, sweep_depth};
use super::numbered_states::{NumberedStates, Outside};
use super::spreading::{self, Graph, Spread, count_depth};
use super::tally::{DepthValues, Longest, Tallies};
use crate::compile::Word;
use crate::error::{Error, Result};
use crate::job::{Job, LongestEntry, ValueFiles, ValuesEntry, ValuesStage};
use crate::memory::in_words;
use crate::run::later;
use crate::sparse;

/// A job whose values are being found.
pub(super) struct Keeper<'a, 'g, W> {
    pub given: &'a Given<'g, W>,
    pub job: &'a mut Job,
    pub tally: Tallies<W>,
    distances: bool,
}

impl<'a, 'g, W: Word> Keeper<'a, 'g, W> {
    /// A job, with what it has counted so far.
    pub fn new(given: &'a Given<'g, W>, job: &'a mut Job) -> Result<Self> {
        let mut tally = Tallies::new(job.manifest().depths.len());
        let stage = job.manifest().values.clone().unwrap_or_default();
        tally.distances.clone_from(&stage.ends);
        if let Some(longest) = &stage.longest {
            let bytes = longest.word_bytes(W::BYTES).ok_or_else(|| job.lacks(longest.depth as usize))?;
            let (worth, depth) = (if longest.wins { Worth::Win } else { Worth::Loss }, longest.depth as usize);
            let known = Known::decided(worth, longest.moves);
            tally.longest = Some(Longest { known, depth, state: (W::from_bytes(&bytes), depth % given.players()) });
        }
        Ok(Self { given, job, tally, distances: stage.distances })
    }

    /// How many states a depth has.
    pub fn count(&self, depth: usize) -> Result<usize> {
        usize::try_from(self.job.manifest().depths[depth].states).map_err(|_| self.job.lacks(depth))
    }

    /// How many depths have no values yet.
    pub fn left(&self) -> usize {
        let manifest = self.job.manifest();
        manifest.depths.len() - manifest.values.as_ref().map_or(0, |stage| stage.depths.len())
    }

    pub fn words(&self, depth: usize) -> Result<Vec<W>> {
        sparse::job_depth(self.given.compiled, self.given.images, self.job, depth)
    }

    /// Refuses what takes more bytes than there may be.
    pub fn check_room(&self, bytes: u64, what: &str) -> Result<()> {
        if bytes <= self.given.room {
            return Ok(());
        }
        Err(Error::Memory(format!(
            "the values of {what} take {}, and the limit leaves {}; what the job had is kept: resume it with more memory",
            in_words(bytes),
            in_words(self.given.room)
        )))
    }

    /// One sweep over the depths. Returns whether it came to its end.
    pub fn sweep(&mut self) -> Result<bool> {
        let left = self.left();
        let mut later = match self.tally.depths.len() {
            all if all == left => Later::none(),
            _ => self.later(left)?,
        };
        let total: u64 = self.job.manifest().depths.iter().map(|depth| depth.states).sum();
        for depth in (0..left).rev() {
            let (now, after) =
                (self.count(depth)?, if depth + 1 < self.tally.depths.len() { self.count(depth + 1)? } else { 0 });
            // The words and values of two depths, and the table of one of them.
            let bytes =
                (now + after) * (size_of::<W>() + size_of::<Known>()) + Numbered::<W>::slot_bytes(now.max(after));
            let two = now as u64 + after as u64;
            if u32::try_from(now).is_err() {
                return Err(Error::Memory(format!(
                    "the values of {now} states of one depth are not found in memory; a smaller board has fewer"
                )));
            }
            self.check_room(bytes as u64, &format!("{two} states of two depths"))?;
            let words = self.words(depth)?;
            let Some(mut values) = sweep_depth(self.given, &later, (depth, &words), total, &mut self.tally) else {
                return Ok(false);
            };
            drop(std::mem::replace(&mut later, Later::none()));
            if !self.distances {
                for value in &mut values {
                    *value = value.in_no_moves();
                }
            }
            self.keep(depth, &values)?;
            later = Later::new(words, values);
        }
        Ok(true)
    }

    /// A depth whose values are kept already.
    fn later(&self, depth: usize) -> Result<Later<W>> {
        let words = self.words(depth)?;
        let mut values = Vec::with_capacity(words.len());
        if let Some(files) = ValueFiles::open(self.job, depth)? {
            for block in 0..files.blocks() {
                values.extend(files.block(block)?.into_iter().map(Known));
            }
        }
        let player = depth % self.given.players();
        let over = |&word: &W| self.given.over(word, player).unwrap_or_else(|| self.given.stuck(player));
        let (open, count) = (self.job.manifest().depths[depth].open as usize, words.len());
        if values.len() != open || open > count {
            return Err(self.job.lacks(depth));
        }
        values.extend(words[open..].iter().map(over));
        Ok(Later::new(words, values))
    }

    /// Whether values have spread through all states at once, as far as they are kept.
    pub fn spreads_at_once(&self) -> bool {
        self.job.manifest().values.as_ref().is_some_and(|stage| stage.spread.is_some() && stage.tiers.is_none())
    }

    /// All values at once. Returns whether it came to its end.
    pub fn spread(&mut self, every: Duration) -> Result<bool> {
        let all: u64 = self.job.manifest().depths.iter().map(|depth| depth.states).sum();
        let count = usize::try_from(all).unwrap_or(usize::MAX / 256);
        // While the states are put in order of the players, some of them are there twice.
        let bytes = spreading::bytes(count, self.job.manifest().generated, false);
        let states = NumberedStates::<W>::bytes(count) + (count * size_of::<W>()) as u64;
        self.check_room(bytes.saturating_add(states), &format!("{all} states"))?;
        if u32::try_from(count).is_err() {
            return Err(Error::Memory(format!(
                "the values of {all} states are not found in memory; a smaller board has fewer"
            )));
        }
        let depths: ByDepth<W> =
            (0..self.tally.depths.len()).map(|depth| Ok((depth, self.words(depth)?))).collect::<Result<_>>()?;
        let numbered = NumberedStates::new(self.given.players(), depths);
        let graph = Graph { given: self.given, states: &numbered, outside: Outside { map: None, later: &[] } };
        let mut spread = Spread::new(count);
        let values = &spread.values;
        spread.moves =
            self.job.read_spread(count, &mut |number, code| values[number].store(code, Ordering::Relaxed))?;
        let (mut kept, mut next) = (spread.moves, later(every));
        let job = &mut *self.job;
        let mut keep = |spread: &Spread, stopped: bool| {
            let begun = Instant::now();
            if spread.moves == kept || !(stopped || begun >= next) {
                return Ok(());
            }
            job.keep_spread(spread.moves, spread.values.len(), &|number| spread.code(number))?;
            // If keeping takes long, it is done less often, so that it takes at most a tenth of the time.
            (kept, next) = (spread.moves, later(every.max(begun.elapsed() * 10)));
            Ok(())
        };
        let Some(values) = graph.values(spread, &mut keep)? else { return Ok(false) };
        for depth in (0..self.left()).rev() {
            let (words, first) = numbered.of_depth(depth);
            let values = &values[first..][..words.len()];
            count_depth(self.given, (depth, words), values, &mut self.tally);
            self.keep(depth, values)?;
        }
        Ok(true)
    }

    /// Writes the values of a depth.
    pub fn keep(&mut self, depth: usize, values: &[Known]) -> Result<()> {
        self.job.write_values(depth, &|at| values[at].0, self.distances)?;
        let DepthValues { win, draw, loss } = self.tally.depths[depth];
        let entry = ValuesEntry { depth: depth as u64, win, draw, loss, files: Vec::new() };
        let mut stage = ValuesStage { distances: self.distances, ..ValuesStage::default() };
        if self.distances {
            stage.ends.clone_from(&self.tally.distances);
            stage.longest = self.tally.longest.as_ref().map(|longest| {
                let mut word = vec![0; W::BYTES];
                longest.state.0.to_bytes(&mut word);
                LongestEntry {
                    depth: longest.depth as u64,
                    word: LongestEntry::digits(&word),
                    wins: longest.known.worth() == Worth::Win,
                    moves: longest.known.moves(),
                }
            });
            let decided = self.tally.start.worth() != Worth::Draw;
            stage.start_moves = (depth == 0 && decided).then(|| self.tally.start.moves());
        }
        self.job.commit_values(&entry, stage)
    }
}
