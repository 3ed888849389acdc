//! Values by counts from both ends that are kept in a folder: `docs/values.md`, "Both ends in a folder".
//!
//! The job counts from the start. If the goal is another state, a second job in the folder `backward` counts from the
//! goal, as `enumerate --backward` does. When both are complete, the values that follow from both are noted in the
//! outer job.

use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use super::compiled::Engine;
use super::jobs::{JobFolder, Opened, shown_of};
use super::rows::{KeptValue, LookedUp, Rows, Span};
use super::state::State;
use super::whereabouts::Whereabouts;
use crate::error::{Error, Result};
use crate::job::{DepthEntry, DistancesIn, FileEntry, Job, LongestEntry, Manifest, ValuesEntry, ValuesStage};
use crate::rules::Symbol;
use crate::run::{DepthValues, DistanceCount, Options, Stop, Store, Tally, Watch};
use crate::values::{AllValues, Value, ValuesFound};

/// The folder in a job of values that has the distances of all states to the goal.
pub(super) fn backward_folder(folder: &JobFolder) -> JobFolder {
    let inner = JobFolder { place: folder.place.within("backward"), ..folder.clone() };
    // The first file in a folder is its lock. The folder holds a job only once it has a manifest.
    JobFolder { resume: inner.has_job(), ..inner }
}

impl Engine {
    /// The goal, if a job is one whose values are counted from both ends, or is to become one.
    pub(super) fn other_end_of(&self, folder: &JobFolder) -> Result<Option<State>> {
        let Some(goal) = self.other_end() else { return Ok(None) };
        if !folder.has_job() {
            return Ok(Some(goal));
        }
        // A job whose values have begun to spread tier by tier goes on in that way.
        let stage = Manifest::of_folder(folder.folder())?.values;
        Ok(stage.is_none_or(|stage| stage.distances_in.is_some()).then_some(goal))
    }

    /// Finds the values that [`Self::values_job`] finds, for rules with a goal at the other end.
    pub(super) fn values_of_ends(
        &self,
        goal: &State,
        options: &Options,
        folder: &JobFolder,
        watch: Watch,
    ) -> Result<ValuesFound<State>> {
        let begun = Instant::now();
        let Opened { mut job, options: given, choice, machine } = self.begin_ends(goal, options, folder)?;
        let inner = JobFolder { shown: shown_of(folder)?, ..backward_folder(folder) };
        let held = if inner.resume { bytes_of(&Manifest::of_folder(inner.folder())?) } else { 0 };
        job.set_room(options.disk.saturating_sub(held));
        if !job.manifest().complete {
            let all = Options { max_depth: None, ..given };
            let report = machine.enumerate(&all, choice, Some(&mut job), watch)?;
            if let Some(stop) = report.stop {
                return Ok(ValuesFound::Stopped(stop, report.depths.len() as u64));
            }
        }
        if job.whole_values().is_err() {
            let count = |room: u64| self.count_from_goal(&given, room, &job, &inner, watch);
            let room = options.disk.saturating_sub(bytes_of(job.manifest()));
            match self.stage_of_ends(goal, folder, &count, room, watch)? {
                Ok(stage) => job.commit_counted_values(stage)?,
                Err(stop) => return Ok(ValuesFound::Stopped(stop, job.manifest().depths.len() as u64)),
            }
        }
        let all = self.values_of_stage(&job)?;
        Ok(ValuesFound::All(AllValues { seconds: begun.elapsed().as_secs_f64(), ..all }))
    }

    /// Begins the job of the outer folder, or goes on with it.
    fn begin_ends(&self, goal: &State, options: &Options, folder: &JobFolder) -> Result<Opened> {
        let all = Options { max_depth: None, ..*options };
        let distances_in = if *goal == self.start() { DistancesIn::Depths } else { DistancesIn::Backward };
        if !folder.has_job() {
            let snapshots = |dense: &crate::dense::Dense| dense.keeps_snapshot(&all);
            let store = match self.choose(&all, None, true)?.dense {
                Some(dense) if !snapshots(&dense) => Store::Dense,
                Some(_) if options.store == Store::Dense => return Err(Error::Options(
                    "values are looked up in the bits of all depths, and those would not fit the memory or would be \
                     very many; leave the store to the engine"
                        .to_owned(),
                )),
                _ => Store::Sparse,
            };
            let stage = ValuesStage { distances: true, distances_in: Some(distances_in), ..ValuesStage::default() };
            return self.begin(&Options { store, ..all }, folder, Some(stage));
        }
        let mut opened = self.resume(&all, folder)?;
        if opened.job.manifest().values.is_none() {
            opened.job.begin_counted_values(distances_in)?;
        }
        Ok(opened)
    }

    /// Counts from the goal in the inner folder, as far as it goes. The store is that of the outer job, if the rules
    /// backward have an index, too: so it is the same whenever the inner job is begun.
    fn count_from_goal(
        &self,
        options: &Options,
        disk: u64,
        outer: &Job,
        inner: &JobFolder,
        watch: Watch,
    ) -> Result<Option<Stop>> {
        let backward = self.backward()?;
        let mut all = Options { max_depth: None, disk, ..*options };
        if !inner.resume && outer.manifest().subject.store == Store::Dense.name() {
            all.store = match backward.choose(&Options { store: Store::Dense, ..all }, None, true) {
                Ok(choice) => {
                    choice.dense.iter().try_for_each(|dense| dense.check_memory(&all, true))?;
                    Store::Dense
                }
                Err(Error::Options(_)) => Store::Sparse,
                Err(error) => return Err(error),
            };
        }
        Ok(backward.enumerate_job(&all, inner, watch)?.stop)
    }

    /// The values that follow from the counts from both ends, once the outer one is complete; or the reason why the
    /// other count has stopped. `count` goes on with it if there is `room` left.
    fn stage_of_ends(
        &self,
        goal: &State,
        folder: &JobFolder,
        count: &dyn Fn(u64) -> Result<Option<Stop>>,
        room: u64,
        watch: Watch,
    ) -> Result<std::result::Result<ValuesStage, Stop>> {
        let outer = self.whereabouts(folder)?;
        let depths = &outer.job.manifest().depths;
        let distances_in = if *goal == self.start() { DistancesIn::Depths } else { DistancesIn::Backward };
        let nothing = ValuesStage { distances: true, distances_in: Some(distances_in), ..ValuesStage::default() };
        let tally = |depth: &DepthEntry| Tally { states: depth.states, raw_states: depth.raw_states };
        let entry = |depth: &DepthEntry| ValuesEntry { depth: depth.depth, ..ValuesEntry::default() };
        let [start_moves] = outer.depths_of(&goal.cells, 0, 0..=outer.last(), watch)?[..] else {
            return Err(outer.job.lacks(0));
        };
        let Some(moves) = start_moves else {
            let lost = depths.iter().rev().map(|depth| ValuesEntry { draw: tally(depth), ..entry(depth) });
            return Ok(Ok(ValuesStage { depths: lost.collect(), ..nothing }));
        };
        let (counted, engine, place) = if distances_in == DistancesIn::Depths {
            (depths.clone(), self, folder.clone())
        } else {
            if let Some(stop) = count(room)? {
                return Ok(Err(stop));
            }
            let place = backward_folder(folder);
            (Manifest::of_folder(place.folder())?.depths, &self.backward()?, place)
        };
        check_ends(&outer, &counted)?;
        let last = counted.last().map_or(0, |depth| depth.depth);
        let (depth, cells) = first_of_last(engine, &place, &outer, last, watch)?;
        let mut word = Vec::new();
        self.machine_of_job(outer.job.manifest())?.words_of_rows(
            &cells,
            outer.job.manifest().subject.symmetry,
            &mut word,
        );
        let won = depths.iter().rev().map(|depth| ValuesEntry { win: tally(depth), ..entry(depth) });
        Ok(Ok(ValuesStage {
            depths: won.collect(),
            ends: counted.iter().map(|depth| DistanceCount { win: depth.states, loss: 0 }).collect(),
            longest: Some(LongestEntry { depth, word: LongestEntry::digits(&word), wins: true, moves: last as u32 }),
            start_moves: Some(moves),
            ..nothing
        }))
    }

    /// The look-up of depths of states in a job.
    fn whereabouts(&self, folder: &JobFolder) -> Result<Whereabouts> {
        Ok(Whereabouts::new(self.look(&Options::default(), folder)?, self.rules().cells()))
    }

    /// The values of all states, from a job that has them.
    fn values_of_stage(&self, job: &Job) -> Result<AllValues<State>> {
        let stage = job.whole_values()?;
        let subject = &job.manifest().subject;
        let machine = self.machine_of_job(job.manifest())?;
        let longest = stage.longest.as_ref().and_then(|longest| {
            let farthest = machine.state_of_word(&longest.word_bytes(job.word_bytes())?, 0);
            Some((farthest, Value::Win(longest.moves)))
        });
        let of_depth = |entry: &ValuesEntry| DepthValues { win: entry.win, draw: entry.draw, loss: entry.loss };
        let counted_by = Options { symmetry: subject.symmetry, ..Options::default() };
        let (store, symmetry_order) = if subject.store == Store::Dense.name() {
            (Store::Dense, subject.symmetry_order)
        } else {
            (Store::Sparse, machine.symmetry_order(&counted_by))
        };
        Ok(AllValues {
            depths: stage.depths.iter().rev().map(of_depth).collect(),
            distances: stage.ends.clone(),
            start: stage.start_moves.map_or(Value::Draw(None), Value::Win),
            longest,
            symmetry_order,
            generated: job.manifest().generated,
            seconds: 0.0,
            has_distances: true,
            store,
        })
    }

    /// The look-up of states in a job that is complete, if its values are counted from both ends.
    pub(super) fn lookup_of_ends(&self, job: &Job, folder: &JobFolder) -> Result<Option<EndsLookup>> {
        let Some(values) = self.values_by_ends(job, folder)? else { return Ok(None) };
        Ok(Some(EndsLookup { outer: self.whereabouts(folder)?, values, last: AtomicU64::new(0) }))
    }

    /// Checks the inner job, and the values that are noted of both.
    pub(super) fn verify_ends(&self, job: &Job, memory: u64, folder: &JobFolder, watch: Watch) -> Result<()> {
        let Some(stage) = job.manifest().values.as_ref() else { return Ok(()) };
        let (inner, outer) = (backward_folder(folder), self.whereabouts(folder)?);
        let backward = self.backward()?;
        let counted = if inner.resume {
            Some(backward.verify_job(memory, &inner, watch)?.depths)
        } else {
            (stage.distances_in == Some(DistancesIn::Depths)).then(|| job.manifest().depths.clone())
        };
        if job.whole_values().is_err() {
            return Ok(());
        }
        let lacks = || job.lacks(0);
        let Some(goal) = self.other_end() else { return Err(lacks()) };
        let met = outer.depths_of(&goal.cells, 0, 0..=outer.last(), watch)?[0];
        if met != stage.start_moves {
            return Err(lacks());
        }
        if met.is_none() {
            return if stage.ends.is_empty() { Ok(()) } else { Err(lacks()) };
        }
        let counted = counted.ok_or_else(|| {
            Error::Corrupt(format!(
                "{} holds no job; put back a copy of it, or begin the job anew",
                inner.folder().display()
            ))
        })?;
        check_ends(&outer, &counted)?;
        let ends = counted.iter().map(|depth| DistanceCount { win: depth.states, loss: 0 });
        let last = counted.last().map_or(0, |depth| depth.depth);
        let place = if stage.distances_in == Some(DistancesIn::Depths) { (self, folder) } else { (&backward, &inner) };
        let (depth, cells) = first_of_last(place.0, place.1, &outer, last, watch)?;
        let longest =
            stage.longest.as_ref().filter(|longest| longest.depth == depth && u64::from(longest.moves) == last);
        let word = longest.and_then(|longest| longest.word_bytes(job.word_bytes())).ok_or_else(lacks)?;
        let farthest = self.machine_of_job(job.manifest())?.state_of_word(&word, 0);
        if stage.ends.iter().copied().eq(ends) && farthest.cells == cells { Ok(()) } else { Err(lacks()) }
    }

    /// The values of the states of a job, if they are counted from both ends and known.
    pub(super) fn values_by_ends(&self, job: &Job, folder: &JobFolder) -> Result<Option<ValuesByEnds>> {
        let Ok(stage) = job.whole_values() else { return Ok(None) };
        Ok(match stage.distances_in {
            None => None,
            Some(_) if stage.start_moves.is_none() => Some(ValuesByEnds::Unsolvable),
            Some(DistancesIn::Depths) => Some(ValuesByEnds::Depths),
            Some(DistancesIn::Backward) => {
                let backward = self.backward()?;
                let inner = backward.whereabouts(&backward_folder(folder))?;
                // The job is complete, so the other one is, too.
                if !inner.job.manifest().complete {
                    return Err(Error::Corrupt(format!(
                        "{} is not complete, and the job around it is; put back a copy of it, or begin the job anew",
                        inner.job.folder().display()
                    )));
                }
                Some(ValuesByEnds::Backward(Box::new(inner), u64::from(stage.start_moves.unwrap_or(0))))
            }
        })
    }
}

/// The way in which counts from both ends give the value of a state.
pub(super) enum ValuesByEnds {
    /// No state can be solved.
    Unsolvable,
    /// The distance of a state is its depth.
    Depths,
    /// Distances are depths of another job. The start is this number of moves away from the goal.
    Backward(Box<Whereabouts>, u64),
}

impl ValuesByEnds {
    /// The values of states that the job has.
    pub fn of(&self, rows: &Rows, watch: Watch) -> Result<Vec<KeptValue>> {
        let kept = |value| KeptValue { value, has_distance: true };
        match self {
            Self::Unsolvable => Ok(vec![kept(Value::Draw(None)); rows.len()]),
            Self::Depths => Ok(vec![kept(Value::Win(rows.depth as u32)); rows.len()]),
            Self::Backward(inner, apart) => {
                let found = inner.depths_of(&rows.cells, rows.depth, near(rows.depth, *apart), watch)?;
                let win = |depth: Option<u32>| {
                    depth.map(|moves| kept(Value::Win(moves))).ok_or_else(|| inner.job.lacks(rows.depth as usize))
                };
                found.into_iter().map(win).collect()
            }
        }
    }
}

/// The look-up of values, distances and depths of states.
pub(super) struct EndsLookup {
    outer: Whereabouts,
    values: ValuesByEnds,
    /// The depth of the last state that was found. The next one is often near.
    last: AtomicU64,
}

impl EndsLookup {
    /// The number of states that one thread looks up in one step. States that lie close together are read once.
    pub const AT_ONCE: usize = 1 << 10;

    /// Looks up states, given as rows. Distances near `around` are looked at first.
    pub fn look_up(&self, rows: &[u8], around: u64, watch: Watch) -> Result<Vec<Option<LookedUp>>> {
        let outer = &self.outer;
        let known = |value, depth| LookedUp { value: KeptValue { value, has_distance: true }, depth: Some(depth) };
        let ValuesByEnds::Backward(inner, apart) = &self.values else {
            let solvable = matches!(self.values, ValuesByEnds::Depths);
            let value = |depth| if solvable { Value::Win(depth) } else { Value::Draw(None) };
            let depths = outer.depths_of(rows, around, 0..=outer.last(), watch)?;
            return Ok(depths.into_iter().map(|depth| depth.map(|depth| known(value(depth), depth))).collect());
        };
        let moves = inner.depths_of(rows, around, 0..=inner.last(), watch)?;
        let (Some(&least), Some(&most)) = (moves.iter().flatten().min(), moves.iter().flatten().max()) else {
            return Ok(vec![None; moves.len()]);
        };
        let among = *near(u64::from(least), *apart).start()..=*near(u64::from(most), *apart).end();
        let held = moves.iter().zip(rows.chunks_exact(rows.len() / moves.len())).filter(|(moves, _)| moves.is_some());
        let held: Vec<u8> = held.flat_map(|(_, row)| row).copied().collect();
        let mut depths = outer.depths_of(&held, self.last.load(Relaxed), among, watch)?.into_iter();
        let mut found = Vec::with_capacity(moves.len());
        for moves in moves {
            found.push(match moves {
                None => None,
                Some(moves) => {
                    let depth = depths.next().flatten().ok_or_else(|| outer.job.lacks(0))?;
                    self.last.store(u64::from(depth), Relaxed);
                    Some(known(Value::Win(moves), depth))
                }
            });
        }
        Ok(found)
    }
}

/// The depths that a state may have in one count, if it has a depth in the other. The ends are `apart` moves apart, so
/// the two depths differ by at most that.
pub(super) fn near(depth: u64, apart: u64) -> RangeInclusive<u64> {
    depth.saturating_sub(apart)..=depth + apart
}

/// A state of the last depth of a count: the one with the smallest depth in the outer job, and the first of these by
/// its symbols.
fn first_of_last(
    engine: &Engine,
    place: &JobFolder,
    outer: &Whereabouts,
    last: u64,
    watch: Watch,
) -> Result<(u64, Vec<Symbol>)> {
    let span = Span { first: last, last, ..Span::default() }.within(engine.rules().cells());
    let mut first: Option<(u64, Vec<Symbol>)> = None;
    engine.read_states(place, &span, watch, &mut |rows| {
        let depths = outer.depths_of(&rows.cells, last, 0..=outer.last(), watch)?;
        for (row, depth) in depths.into_iter().enumerate() {
            let depth = u64::from(depth.ok_or_else(|| outer.job.lacks(last as usize))?);
            let known = first.as_ref().map(|(depth, cells)| (*depth, &cells[..]));
            if known.is_none_or(|known| (depth, rows.cells_of(row)) < known) {
                first = Some((depth, rows.cells_of(row).to_vec()));
            }
        }
        Ok(())
    })?;
    first.ok_or_else(|| outer.job.lacks(last as usize))
}

/// Refuses counts from both ends if they do not have the same number of states.
fn check_ends(outer: &Whereabouts, counted: &[DepthEntry]) -> Result<()> {
    let all = |depths: &[DepthEntry]| {
        depths.iter().fold((0, 0), |sum: (u64, u64), depth| (sum.0 + depth.states, sum.1 + depth.raw_states))
    };
    if all(&outer.job.manifest().depths) == all(counted) {
        return Ok(());
    }
    Err(Error::Corrupt(format!(
        "{} and the folder backward in it do not count the same states; the job is damaged",
        outer.job.folder().display()
    )))
}

/// The bytes of all files of states of a job.
fn bytes_of(manifest: &Manifest) -> u64 {
    manifest.files().map(|file: &FileEntry| file.bytes).sum()
}
