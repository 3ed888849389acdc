//! The one breadth-first search of the dense store: depth after depth, watched, and kept in a job if there is one.
//!
//! Shapes differ in how they hold the states of two depths, and in how they find the next depth. The driver leaves both
//! to a [`DenseStorage`]. However a run ends, the files of its job are a prefix of the files of a run that was never
//! stopped: whole depths, and the first pieces of the next depth.

use std::ops::Range;

use crate::error::Result;
use crate::instant::Instant;
use crate::job::{DepthEntry, HAS_FILES, Job, no_files};
use crate::run::{CheckpointClock, DepthReport, Monitor, Options, Progress, Report, Stop, Store, Watch};

/// A depth of which all states are found.
pub(super) struct FoundDepth {
    pub report: DepthReport,
    /// The number of moves that can be made in the states of the depth, added up over these states.
    pub moves: u64,
    /// For each state, how many symmetries other than the identity fix it, added up over all states. `None` if the
    /// store keeps one state of each orbit.
    pub fixed: Option<u64>,
}

impl FoundDepth {
    /// The entry of the depth in a job, without files. `generated` is the number of successors of all earlier depths.
    ///
    /// A shard may have only some states of an orbit. So if each state has a bit, its entry counts them one by one, and
    /// says how many symmetries fix them. From the sums over all shards follows the number of orbits.
    pub fn entry(&self, job: &Job, generated: u64) -> DepthEntry {
        let entry = DepthEntry::new(&self.report, generated);
        match self.fixed.filter(|_| job.manifest().subject.shard.is_some()) {
            Some(fixed) => DepthEntry { states: entry.raw_states, open: entry.raw_states, fixed: Some(fixed), ..entry },
            None => entry,
        }
    }
}

/// The pieces of the next depth that a job has kept.
pub(super) struct RestoredPart {
    /// The number of pieces of the depth that the job has kept. They are the first ones.
    pub pieces: usize,
    /// The number of states of the previous depth that the progress report counts as expanded once these pieces are
    /// read.
    pub expanded: u64,
}

/// The bits of the states of a depth.
#[derive(Clone, Copy)]
pub(super) enum DepthBits<'a> {
    /// Those that a job has kept.
    Kept(&'a Job),
    /// Those that a caller has given for depth 0.
    Given(&'a [u8]),
}

impl DepthBits<'_> {
    /// Calls `take` with the place and the bytes of each stretch of the array that may have states. The array has
    /// `bytes` bytes. `take` returns `None` if a bit cannot belong to a state of the depth.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the files have changed since they were written, also if `take` returns `None` for a
    /// part of them.
    pub fn read(self, depth: usize, bytes: usize, take: &mut dyn FnMut(usize, &[u8]) -> Option<()>) -> Result<()> {
        match self {
            DepthBits::Kept(_) if !HAS_FILES => Err(no_files()),
            DepthBits::Kept(job) => {
                job.read_array(depth, bytes, &mut |begin, bytes| take(begin, bytes).ok_or_else(|| job.lacks(depth)))
            }
            DepthBits::Given(bits) => {
                take(0, bits).expect("only bits of states are given");
                Ok(())
            }
        }
    }
}

/// The states of two depths as bits: the current depth, which is expanded, and the next depth, which is found in
/// pieces. Each piece is filled by one thread.
///
/// A new search begins with [`Self::begin`]. A search that goes on with a job, or from states that are given, begins
/// with [`Self::read_depth`] for each depth, and then [`Self::is_read`]. For each further depth the driver calls
/// [`Self::make_room`]; [`Self::read_part`], if the job has kept a part; [`Self::fill`] until all pieces are filled;
/// [`Self::found`]; and [`Self::advance`].
pub(super) trait DenseStorage: Send + Sync {
    /// Returns `true` if each state has a bit. If `false`, each orbit has one.
    fn is_raw(&self) -> bool {
        true
    }

    /// The number of symmetries up to which states are counted.
    fn symmetry_order(&self) -> usize;

    /// Makes the start the current depth.
    fn begin(&mut self) -> Result<FoundDepth>;
    /// The first depth that must be read to go on with a job of `depths` depths. It is 0 if the search has to know all
    /// states that were seen.
    fn first_read(&self, depths: usize) -> usize {
        let _ = depths;
        0
    }
    /// Makes the depth of these bits the current one. Depths are read in order.
    fn read_depth(&mut self, bits: DepthBits, depth: usize) -> Result<FoundDepth>;
    /// Called when the last depth has been read.
    fn is_read(&mut self);

    /// Makes room for the next depth, whose number is `depth`. Returns the number of bytes that the store holds now.
    fn make_room(&mut self, depth: u64) -> Result<u64>;
    /// Reads the part of the next depth that a job has kept.
    fn read_part(&mut self, job: &Job) -> Result<RestoredPart>;
    /// The number of pieces of the next depth.
    fn pieces(&self) -> usize;
    /// The number of pieces in a part. After each part, the driver asks if the job should keep the filled pieces.
    fn part_pieces(&self) -> usize;
    /// Fills pieces of the next depth, and reports to the monitor how many states were expanded for them. If the
    /// monitor stops the search, it returns early, and the pieces of this call do not count.
    fn fill(&mut self, pieces: Range<usize>, monitor: &Monitor);
    /// Returns the bytes of the first `pieces` pieces of the next depth, and a number that a job keeps with these
    /// bytes. From that number, [`Self::read_part`] computes `pieces` again.
    fn part(&self, pieces: usize) -> (&[u8], usize);
    /// The counts of the next depth, of which all pieces must be filled.
    fn found(&mut self) -> FoundDepth;
    /// The bits of the current depth. A job keeps those of depth 0.
    fn current_bits(&self) -> &[u8];
    /// The bits of the next depth, which a job keeps.
    fn next_bits(&self) -> &[u8];
    /// Makes the next depth the current one.
    fn advance(&mut self);

    /// Puts states that other shards have found into the current depth: some bytes of its array, from byte `begin` on.
    /// Returns `None` if a bit belongs to no state.
    fn borrow(&mut self, begin: usize, bytes: &[u8]) -> Option<()>;
    /// Called before [`Self::fill`] if only some pieces of the next depth will be filled: those in the bytes `own` of
    /// its array.
    fn fill_only(&mut self, own: &Range<usize>) {
        let _ = own;
    }
    /// Called after [`Self::fill`] if the same pieces will be filled again, from other states. Keeps what was found.
    fn set_aside(&mut self, own: &Range<usize>);
    /// Puts together what was found in several calls of [`Self::fill`].
    fn rejoin(&mut self, own: &Range<usize>);
    /// Takes all states out of the current depth but those in some bytes of its array. Called before
    /// [`Self::advance`] if states were borrowed, because a later depth will use the array.
    fn give_back(&mut self, own: &Range<usize>);

    /// Both arrays of the search, if a job keeps snapshots and not the bits of each depth. The arrays may hold some
    /// states of the next depth.
    fn snapshot(&self) -> Option<[&[u8]; 2]> {
        None
    }
    /// The bytes of each of the two files, if the arrays are files of the job: see [`Job::array_files`].
    fn file_bytes(&self) -> Option<u64> {
        None
    }
    /// Makes durable what the arrays hold, if they are files of the job.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`].
    fn flush(&self) -> Result<()> {
        Ok(())
    }
    /// Reads the snapshot of a job, and makes its last depth the current one. Returns the number of moves that can be
    /// made in all states of that depth together. The driver calls this only if the job keeps snapshots. Arrays that
    /// have no snapshots return an error.
    fn read_snapshot(&mut self, job: &Job) -> Result<u64> {
        Err(job.lacks(job.manifest().depths.len()))
    }
}

/// A function that takes the number of a depth, its bits, and a flag. It is called with the flag `false` for each depth
/// when the depth is found. At the end of the search it is called once more for the last depth, with the flag `true`.
pub type SeeDepth<'a> = &'a mut (dyn FnMut(u64, &[u8], bool) + Send);

/// Enumerates all states that play can reach, by depth: from the start, or from `roots`, the bits of the states of
/// depth 0, or from where the job stopped. A search without a job may call `see` with each depth; then each depth is
/// held apart from earlier ones.
///
/// # Errors
///
/// The errors of [`super::Dense::enumerate`].
pub(super) fn enumerate(
    storage: &mut dyn DenseStorage,
    roots: Option<Vec<u8>>,
    options: &Options,
    mut job: Option<&mut Job>,
    mut see: Option<SeeDepth>,
    watch: Watch,
) -> Result<Report> {
    let begun = Instant::now();
    let mut search = DoneDepths::new(storage, roots, job.as_deref_mut())?;
    let mut checkpoints = CheckpointClock::new(options.checkpoint);
    let stop = loop {
        let DepthReport { depth, open, .. } = *search.last();
        if let Some(see) = &mut see {
            see(depth, storage.current_bits(), false);
        }
        if open == 0 {
            break None;
        }
        if options.max_depth.is_some_and(|most| most <= depth) {
            break Some(Stop::MaxDepth);
        }
        let store_bytes = storage.make_room(depth + 1)?;
        let (frontier, states) = search.frontier_and_states(storage.is_raw());
        let progress = Progress { depth, frontier, states, store_bytes, ..Progress::default() };
        let monitor = Monitor::new(watch, begun, progress);
        let DoneDepths { pending, generated, moves, .. } = &mut search;
        let keeping = job.as_deref_mut().map(|job| Keeping {
            job,
            checkpoints: &mut checkpoints,
            pending,
            generated: *generated,
            moves: *moves,
        });
        if !fill(storage, &monitor, keeping)? {
            break Some(Stop::Watch);
        }
        search.generated += search.moves;
        let found = storage.found();
        if found.report.states == 0 {
            break None;
        }
        if storage.snapshot().is_some() {
            search.pending.push(DepthEntry::new(&found.report, search.generated));
            // If the arrays are files of the job, this depth is in them already, and states of later depths will be
            // written into the same files. So the depth is added to the manifest now, and not with the next checkpoint.
            if let Some(job) = &mut job
                && storage.file_bytes().is_some()
            {
                commit_arrays(storage, job, &mut search.pending, search.generated + found.moves)?;
            }
        } else if let Some(job) = &mut job {
            commit(job, storage.next_bits(), &found, search.generated)?;
        }
        storage.advance();
        search.add(found);
    };
    if let Some(see) = see.filter(|_| stop.is_none()) {
        see(search.last().depth, storage.current_bits(), true);
    }
    if let Some(job) = job {
        if storage.snapshot().is_some() && (!search.pending.is_empty() || storage.file_bytes().is_some()) {
            let pending = &mut search.pending;
            match stop {
                None => job.complete_counts(std::mem::take(pending), search.generated)?,
                Some(_) if pending.is_empty() => {}
                Some(_) => commit_arrays(storage, job, pending, search.generated + search.moves)?,
            }
        }
        job.close(stop.is_none(), search.generated)?;
    }
    Ok(Report {
        unsolvable: None,
        depths: search.depths,
        stop,
        store: Store::Dense,
        reason: String::new(),
        symmetry_order: storage.symmetry_order(),
        generated: search.generated,
        seconds: begun.elapsed().as_secs_f64(),
    })
}

/// Checks all depths of a job, and the kept part of the next depth. Each depth must hold as many states as the manifest
/// says.
///
/// # Errors
///
/// The errors of [`super::Dense::verify`].
pub(super) fn verify(storage: &mut dyn DenseStorage, job: &Job) -> Result<()> {
    if storage.snapshot().is_some() {
        // A complete job needs no snapshot, and has none.
        return job.manifest().partial.iter().try_for_each(|_| storage.read_snapshot(job).map(|_| ()));
    }
    read_depths(storage, job, 0)?;
    if job.manifest().partial.is_some() {
        storage.make_room(job.manifest().depths.len() as u64)?;
        storage.read_part(job)?;
    }
    Ok(())
}

/// The depths that are done.
struct DoneDepths {
    depths: Vec<DepthReport>,
    /// The number of moves that can be made in the states of the last depth.
    moves: u64,
    /// The number of successors of the states of all depths but the last.
    generated: u64,
    /// The depths that were found since the last snapshot of a job. The next snapshot will have them.
    pending: Vec<DepthEntry>,
}

impl DoneDepths {
    /// Begins a search, or goes on from the last depth of a job.
    fn new(storage: &mut dyn DenseStorage, roots: Option<Vec<u8>>, job: Option<&mut Job>) -> Result<Self> {
        if let Some(job) = &job
            && let Some(last) = job.manifest().depths.last()
        {
            let moves = if storage.snapshot().is_some() {
                storage.read_snapshot(job)?
            } else {
                let first = storage.first_read(job.manifest().depths.len());
                read_depths(storage, job, first)?
            };
            let depths = job.manifest().depths.iter().map(DepthEntry::report).collect();
            return Ok(Self { depths, moves, generated: last.generated, pending: Vec::new() });
        }
        let found = match roots {
            None => storage.begin()?,
            Some(bits) => {
                let found = storage.read_depth(DepthBits::Given(&bits), 0)?;
                storage.is_read();
                found
            }
        };
        let mut pending = Vec::new();
        if let Some(job) = job {
            match storage.snapshot() {
                Some(_) => pending.push(DepthEntry::new(&found.report, 0)),
                None => commit(job, storage.current_bits(), &found, 0)?,
            }
        }
        Ok(Self { depths: vec![found.report], moves: found.moves, generated: 0, pending })
    }

    fn last(&self) -> &DepthReport {
        &self.depths[self.depths.len() - 1]
    }

    fn add(&mut self, FoundDepth { report, moves, .. }: FoundDepth) {
        self.depths.push(report);
        self.moves = moves;
    }

    /// The number of states of the last depth, which are expanded, and the number of states of all depths. Symmetric
    /// states count separately if each state has a bit; otherwise, each orbit counts once.
    fn frontier_and_states(&self, is_raw: bool) -> (u64, u64) {
        if is_raw {
            (self.last().raw_states, self.depths.iter().map(|depth| depth.raw_states).sum())
        } else {
            (self.last().open, self.depths.iter().map(|depth| depth.states).sum())
        }
    }
}

/// Reads the depths of a job from `first` on, and compares each with the counts of the manifest. Returns the number of
/// moves that can be made in the states of the last depth.
pub(super) fn read_depths(storage: &mut dyn DenseStorage, job: &Job, first: usize) -> Result<u64> {
    let mut last_moves = 0;
    for (depth, entry) in job.manifest().depths.iter().enumerate().skip(first) {
        let found = storage.read_depth(DepthBits::Kept(job), depth)?;
        let counted = found.entry(job, entry.generated);
        if (counted.report(), counted.fixed) != (entry.report(), entry.fixed) {
            return Err(job.lacks(depth));
        }
        last_moves = found.moves;
    }
    storage.is_read();
    Ok(last_moves)
}

/// The job of a run, and what is written into it while a depth is being found.
struct Keeping<'a> {
    job: &'a mut Job,
    checkpoints: &'a mut CheckpointClock,
    /// The depths that were found since the last snapshot. The next snapshot will have them.
    pending: &'a mut Vec<DepthEntry>,
    /// The number of successors of the states of all depths before the current one.
    generated: u64,
    /// The number of successors of the states of the current depth.
    moves: u64,
}

/// Fills the next depth, from where the job stopped. Returns `false` if the watch stopped the run first. A job keeps
/// the filled pieces when the watch stops the run, and from time to time before that.
fn fill(storage: &mut dyn DenseStorage, monitor: &Monitor, mut keeping: Option<Keeping>) -> Result<bool> {
    let restored = match &keeping {
        Some(Keeping { job, .. }) if storage.snapshot().is_none() && job.manifest().partial.is_some() => {
            storage.read_part(job)?
        }
        _ => RestoredPart { pieces: 0, expanded: 0 },
    };
    monitor.add(restored.expanded);
    let (mut done, pieces) = (restored.pieces, storage.pieces());
    while done < pieces {
        // Without a job, there is nothing to save in between. So a single call fills all pieces.
        let most = if keeping.is_some() { storage.part_pieces() } else { pieces };
        let end = done.saturating_add(most).min(pieces);
        storage.fill(done..end, monitor);
        let stopped = monitor.stopped();
        if !stopped {
            done = end;
        }
        if let Some(Keeping { job, checkpoints, pending, generated, moves }) = &mut keeping {
            if storage.snapshot().is_some() {
                let keep = |job: &mut Job| commit_arrays(storage, job, pending, *generated + *moves);
                keep_part(checkpoints, job, stopped, keep)?;
            } else if done > restored.pieces && done < pieces {
                let (bytes, number) = storage.part(done);
                keep_part(checkpoints, job, stopped, |job| {
                    job.write_part(bytes)?;
                    job.commit_partial(number as u64, *generated, &|_| false)
                })?;
            }
        }
        if stopped {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Keeps both arrays of the search in the job, with the depths that are not in its manifest yet. If the arrays are
/// files of the job, they only have to be made durable.
fn commit_arrays(
    storage: &dyn DenseStorage,
    job: &mut Job,
    pending: &mut Vec<DepthEntry>,
    generated: u64,
) -> Result<()> {
    if let Some(bytes) = storage.file_bytes() {
        storage.flush()?;
        return job.commit_arrays(pending, bytes, generated);
    }
    storage.snapshot().map_or(Ok(()), |arrays| job.commit_snapshot(pending, arrays, generated))
}

/// Writes the bits of a depth into the job, including those of states that ended, and commits the depth.
fn commit(job: &mut Job, bits: &[u8], found: &FoundDepth, generated: u64) -> Result<()> {
    job.write_array(bits)?;
    job.commit(found.entry(job, generated))
}

/// Calls `keep` if it is time to keep the finished part of a depth, or if `now` is `true`.
fn keep_part(
    clock: &mut CheckpointClock,
    job: &mut Job,
    now: bool,
    keep: impl FnOnce(&mut Job) -> Result<()>,
) -> Result<()> {
    let begun = Instant::now();
    if now || clock.is_due() {
        keep(job)?;
        clock.put_off(begun.elapsed());
    }
    Ok(())
}
