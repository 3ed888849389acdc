//! One shard of a search in bits: a range of the pieces of a perfect index, in a job of its own. `docs/cluster.md`
//! explains it to users.
//!
//! A depth takes two steps:
//!
//! 1. [`DenseShard::expand`]: all shards send their states of the last depth to all others.
//! 2. [`DenseShard::close`]: each shard fills its own pieces of the next depth from the states of all shards, as a
//!    search of one process does, and keeps them.
//!
//! If the states of all shards do not fit the memory, a shard borrows those of one shard after the other, and fills its
//! pieces from each.
//!
//! A piece of the next depth has its bits from pieces of the last depth that belong to all shards, and kernels carry
//! whole stretches of bits. So states are sent, and not their successors: each state once to each shard, however many
//! moves lead on from it, and none is computed state by state. What is sent is the file that the shard keeps of the
//! depth, so that its bits are listed once.
//!
//! Take a ring of six states in two shards, 0 to 2 and 3 to 5, in which moves lead both ways, and begin with state 0.
//! The first shard sends 0. From that, the first one finds 1, and the second one finds 5. Each sends the other what it
//! has found, and so the first finds 2 and the second 4; then the second finds 3.

use std::ops::Range;

use super::dense_shape::StorageNeeds;
use super::driver::{DenseStorage, FoundDepth, read_depths};
use super::pages::LEAST_TAKEN_BACK;
use super::{Dense, MOST_BYTES};
use crate::error::{Error, Result};
use crate::instant::Instant;
use crate::job::{Job, Outbox};
use crate::memory::in_words;
use crate::run::{Monitor, Options, Progress, Watch, in_pool};

/// The search of one shard. It holds the states that were seen in its pieces, from one depth to the next.
pub struct DenseShard {
    dense: Dense,
    shards: u64,
    shard: u64,
    /// `true` if the states of one shard are borrowed at a time, because those of all do not fit the memory.
    in_turn: bool,
    held: Option<HeldBits>,
}

/// The arrays of a shard, with the last depth of its job.
struct HeldBits {
    storage: Box<dyn DenseStorage>,
    /// The bytes of the array of the last depth that have the shard's own states, and no others.
    own: Range<usize>,
    /// The number of moves that can be made in these states.
    moves: u64,
}

impl DenseShard {
    /// Shard number `shard` of `shards`. It holds no states yet.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if the search would take more memory than the options allow.
    pub fn new(dense: Dense, shards: u64, shard: u64, options: &Options) -> Result<Self> {
        let (at_once, in_turn) = Self::bytes(&dense, shards);
        let leaves = options.memory.min(MOST_BYTES);
        let asked = options.grain.is_some_and(|grain| grain.run_words > 0);
        if at_once.min(in_turn) <= leaves {
            return Ok(Self { dense, shards, shard, in_turn: asked || at_once > leaves, held: None });
        }
        let (takes, leaves) = (in_words(at_once.min(in_turn)), in_words(leaves));
        Err(Error::Memory(format!(
            "a shard's part of a perfect index would take {takes}, and the limit leaves {leaves}; give more memory or \
             more shards, or leave the store to the engine"
        )))
    }

    /// The most bytes of memory that a shard takes if it borrows the states of all shards at once, and if it borrows
    /// those of one shard after the other.
    ///
    /// At once, it has the whole array of the last depth, and its own part of the next depth and of the states that
    /// were seen. In turn, it has a part of the last depth, and what it has found from other parts as well. Small parts
    /// of the array of the last depth are not given back to the system.
    fn bytes(dense: &Dense, shards: u64) -> (u64, u64) {
        let whole = dense.bytes(None, true);
        // Placements have arrays of several sizes, of which whole rows are filled. They are taken to be in memory.
        let array = if dense.shape.placement().is_some() { 0 } else { dense.shape.reading(0).bytes() as u64 };
        let (part, beside) = (array.div_ceil(shards), whole.saturating_sub(3 * array));
        let kept = array.min(shards.saturating_mul(LEAST_TAKEN_BACK as u64));
        (beside + array + 2 * part, beside + kept.max(part) + 3 * part)
    }

    /// Forgets all states. The next step reads them from the job again.
    pub fn forget(&mut self) {
        self.held = None;
    }

    /// Finds depth 0: the start, which belongs to the first shard.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] and [`Error::Memory`].
    pub fn begin(&mut self, options: &Options, job: &mut Job) -> Result<()> {
        let (storage, mut found) = in_pool(options, || self.begun())??;
        let own = 0..if self.shard > 0 { 0 } else { storage.current_bits().len() };
        if self.shard > 0 {
            // The others have seen the start, too, but they do not count it.
            let report = &mut found.report;
            (report.states, report.raw_states, report.open) = (0, 0, 0);
            report.ended.fill(0);
            (found.moves, found.fixed) = (0, found.fixed.map(|_| 0));
        }
        job.write_share(storage.current_bits(), &own)?;
        job.commit(found.entry(job, 0))?;
        self.held = Some(HeldBits { storage, own, moves: found.moves });
        Ok(())
    }

    /// Sends the shard's states of the last depth to all other shards. Returns how many moves these states have.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`], [`Error::Corrupt`] and [`Error::Memory`].
    pub fn expand(&mut self, options: &Options, job: &Job, outbox: &mut Outbox) -> Result<u64> {
        let held = match self.held.take() {
            Some(held) => held,
            None => in_pool(options, || self.read(job))??,
        };
        if self.dense.shape.placement().is_some() {
            // The file of the depth also has states in which play is over.
            outbox.send_bits(held.storage.current_bits(), &held.own)?;
        } else {
            outbox.send_share(job)?;
        }
        let moves = held.moves;
        self.held = Some(held);
        Ok(moves)
    }

    /// Fills the shard's pieces of the next depth from its own states and those that the other shards have sent, and
    /// keeps them in the job.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::expand`], and [`Error::Stopped`] if the watch stops the work. After an error, the states
    /// are read from the job again.
    pub fn close(&mut self, options: &Options, job: &mut Job, watch: Watch) -> Result<()> {
        let depths = job.manifest().depths.len();
        let HeldBits { mut storage, .. } = self.held.take().ok_or_else(|| job.lacks(depths))?;
        let store_bytes = storage.make_room(depths as u64)?;
        let pieces = self.share(storage.pieces());
        let own = bytes_of(&*storage, &pieces);
        let bytes = storage.current_bits().len();
        storage.fill_only(&own);
        let last = job.manifest().depths.last().map_or(0, |last| last.open);
        let progress = Progress { depth: depths as u64 - 1, frontier: last, store_bytes, ..Progress::default() };
        let monitor = Monitor::new(watch, Instant::now(), progress);
        for sent in &job.partial().files {
            if self.in_turn {
                in_pool(options, || storage.fill(pieces.clone(), &monitor))?;
                storage.set_aside(&own);
                storage.give_back(&(0..0));
            }
            job.read_sent(sent, bytes, &mut |at, bits| storage.borrow(at, bits).ok_or_else(|| job.lacks(depths)))?;
        }
        let found = in_pool(options, || {
            storage.fill(pieces, &monitor);
            if self.in_turn {
                storage.rejoin(&own);
            }
            storage.found()
        })?;
        if monitor.stopped() {
            return Err(Error::Stopped);
        }
        job.write_share(storage.next_bits(), &own)?;
        job.commit(found.entry(job, job.partial().generated))?;
        storage.give_back(&own);
        in_pool(options, || storage.advance())?;
        self.held = Some(HeldBits { storage, own, moves: found.moves });
        Ok(())
    }

    /// New arrays, whose current depth is the start.
    fn begun(&self) -> Result<(Box<dyn DenseStorage>, FoundDepth)> {
        let mut storage = self.dense.storage(StorageNeeds { kept: true, ..StorageNeeds::default() })?;
        let found = storage.begin()?;
        Ok((storage, found))
    }

    /// The range of pieces that belong to this shard, out of `pieces`.
    fn share(&self, pieces: usize) -> Range<usize> {
        let begin = |shard: u64| (pieces as u128 * u128::from(shard) / u128::from(self.shards)) as usize;
        begin(self.shard)..begin(self.shard + 1)
    }

    /// Reads the states of a job.
    fn read(&self, job: &Job) -> Result<HeldBits> {
        // All shards have seen the start, and only the first one has kept it.
        let (mut storage, begun) = self.begun()?;
        let depths = &job.manifest().depths;
        let first = storage.first_read(depths.len()).max(1);
        if first < depths.len() {
            if self.dense.shape.placement().is_none() {
                self.check_range(&*storage, job, first)?;
            }
            let moves = read_depths(&mut *storage, job, first)?;
            let own = 0..storage.current_bits().len();
            return Ok(HeldBits { storage, own, moves });
        }
        let own = 0..if self.shard > 0 { 0 } else { storage.current_bits().len() };
        let moves = if self.shard > 0 { 0 } else { begun.moves };
        Ok(HeldBits { storage, own, moves })
    }

    /// Refuses to go on with states that this shard would not fill itself: another version of the program may cut the
    /// index into other pieces, and then the shards' ranges begin elsewhere.
    fn check_range(&self, storage: &dyn DenseStorage, job: &Job, first: usize) -> Result<()> {
        let own = bytes_of(storage, &self.share(storage.pieces()));
        for depth in first..job.manifest().depths.len() {
            job.read_array(depth, storage.current_bits().len(), &mut |begin, bytes| {
                let within = |at: usize| at.saturating_sub(begin).min(bytes.len());
                let outside = bytes[..within(own.start)].iter().chain(&bytes[within(own.end)..]);
                if outside.into_iter().all(|&byte| byte == 0) {
                    return Ok(());
                }
                Err(Error::Job(format!(
                    "{} has states that belong to another shard here; resume the job with the version of puzzlekit \
                     that began it",
                    job.folder().display()
                )))
            })?;
        }
        Ok(())
    }
}

/// The bytes of an array of bits that some pieces of the next depth fill.
fn bytes_of(storage: &dyn DenseStorage, pieces: &Range<usize>) -> Range<usize> {
    storage.part(pieces.start).0.len()..storage.part(pieces.end).0.len()
}
