//! The dense store: one bit for each possible state, searched breadth first by depth. It needs no keys and no hash
//! table, because a perfect index computes the bit of a state.
//!
//! Rules of five shapes have a perfect index, and so one bit for each state; `docs/enumeration.md`, "The dense store",
//! explains the shapes. One driver searches all of them, with three kinds of storage. Placements have one layer of rows
//! for each depth. Arrangements have planes of bits. The other shapes have arrays of bits over the whole index, which
//! are swept. Most files use only files that stand below them:
//!
//! ```text
//! mod.rs            Dense: rules of any of the shapes
//! ├── read.rs       the states of a depth that a job has kept, one by one
//! ├── shard.rs      one shard of a search by several processes
//! ├── arrangement   no two cells hold the same symbol
//! │   └── plane_search.rs → plane_sweep.rs (kernel) → plane_shape.rs → wide.rs → pull.rs → planes.rs
//! ├── multiset      symbols repeat
//! │   └── sweep.rs → expand.rs (kernel) → tables.rs → shape.rs → cost.rs → copies.rs
//! ├── dial          moves turn cells in circles of symbols
//! │   └── sweep.rs → expand.rs (kernel), exchange.rs (that of lamps) → shape.rs → fixed.rs
//! ├── pieces        moves permute pieces and twist them
//! │   └── sweep.rs → expand.rs (kernel) → tables.rs → network.rs, shape.rs
//! ├── placement     players fill empty cells
//! │   ├── layers.rs → fill.rs (kernel) → layer.rs, cell_sets.rs;  layers.rs → shape.rs → cell_sets.rs
//! │   └── values     tier_sweep.rs → kernel.rs → terminal.rs → tier.rs;  kernel.rs → transpose.rs;  kept_lookup.rs
//! ├── sweep.rs      bit arrays over an index: the storage of all shapes but arrangements and placements
//! ├── swept.rs      the trait of an index that can be swept
//! ├── dense_shape.rs the trait of a shape
//! ├── driver.rs     the search, depth after depth, with checkpoints; and the trait of a storage
//! ├── pages.rs      large arrays of zeros
//! └── tuning.rs     the sizes of the parts of the work
//! ```

mod arrangement;
mod dense_shape;
mod dial;
mod driver;
mod multiset;
mod pages;
mod pieces;
mod placement;
mod read;
mod shard;
mod sweep;
mod swept;
#[cfg(test)]
mod tests;
mod tuning;

use std::fs::File;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::index::{Cut, IndexShape, PieceOrder};
use crate::job::{HAS_FILES, Job};
use crate::memory::in_words;
use crate::rules::{Rules, Symbol, Symmetry, Varying};
use crate::run::{Options, Report, Store, TierValues, Watch};
use crate::structure::Structure;
use arrangement::PlaneShape;
pub use dense_shape::Place;
use dense_shape::{DenseShape, InPlace, StorageNeeds};
use dial::DialShape;
use driver::DenseStorage;
pub use driver::SeeDepth;
use multiset::MultisetShape;
pub(crate) use pages::Pages;
use pieces::PieceShape;
use placement::PlacementShape;
pub use placement::{KeepsTiers, KeptTier, TierPlace};
pub use read::Reading;
pub use shard::DenseShard;
pub use tuning::Tuning;

/// The most bytes that an index may take, however large the memory, because `usize` numbers the bits of an array. With
/// 32 bits that is 512 MiB; with 64 bits it is no limit. Until a size is known to be below this, it is counted with 64
/// bits.
const MOST_BYTES: u64 = (usize::MAX / 8) as u64;

/// Rules whose states have a perfect index, of any of the five shapes.
#[derive(Debug)]
pub struct Dense {
    shape: Arc<dyn DenseShape>,
    /// The rules, reduced to the cells that play can change.
    rules: Arc<Rules>,
    /// The cells that play can change; `None` if it can change all of them.
    varying: Option<Arc<Varying>>,
}

fn shared<S: DenseShape + 'static>(shape: S) -> Arc<dyn DenseShape> {
    Arc::new(shape)
}

impl Dense {
    /// The perfect index of the states of the rules, if there is one. Cost models choose its cut (how its numbers are
    /// divided into blocks), as for a new run.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        let shape = IndexShape::in_order(structure).iter().find_map(|shape| match shape {
            IndexShape::Arrangement => PlaneShape::new(structure, symmetries, tuning).map(shared),
            IndexShape::Placement => PlacementShape::new(structure, symmetries, tuning).map(shared),
            IndexShape::Dial => DialShape::new(structure, symmetries, tuning).map(shared),
            IndexShape::Multiset => MultisetShape::new(structure, symmetries, tuning).map(shared),
            IndexShape::Pieces => PieceShape::new(structure, symmetries, tuning).map(shared),
        });
        shape.map(|shape| Self { shape, rules: Arc::clone(structure.rules()), varying: None })
    }

    /// Turns an index of the cells that play can change into an index of whole states. `varying` describes these cells.
    /// This index must be one of the [varying part](Structure::of_varying) of the rules.
    pub fn over(self, varying: &Arc<Varying>) -> Self {
        Self { varying: (!varying.is_whole()).then(|| Arc::clone(varying)), ..self }
    }

    /// The perfect index of the states of the rules, with the cut of a job. Whatever the tuning, each bit belongs to
    /// the same state.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the index of these rules cannot be cut as `cut` says.
    pub fn of_cut(structure: &Structure, symmetries: &[Symmetry], cut: &Cut, tuning: Tuning) -> Result<Self> {
        let dense = match cut {
            Cut::Planes { order, tail, ring } => {
                PlaneShape::of_cut(structure, symmetries, order, *tail, *ring, tuning).map(shared)
            }
            Cut::Multiset { order, head } => {
                MultisetShape::of_cut(structure, symmetries, order, *head, tuning).map(shared)
            }
            Cut::Placement {} => PlacementShape::of_cut(structure, symmetries, tuning).map(shared),
            Cut::Pieces { order, pieces, kinds, bits, .. } => {
                let order = PieceOrder { order, symbols: pieces, kinds, bits };
                PieceShape::of_cut(structure, symmetries, order, tuning).map(shared)
            }
            Cut::Dial { basis } => DialShape::of_cut(structure, symmetries, basis, tuning).map(shared),
        };
        let dense = dense.map(|shape| Self { shape, rules: Arc::clone(structure.rules()), varying: None });
        // A job writes each cut in one normal form, so any other form is damage.
        dense.filter(|dense| dense.cut() == *cut).ok_or_else(|| {
            let cut = serde_json::to_string(cut).unwrap_or_default();
            Error::Corrupt(format!("the index of these rules cannot be cut as {cut}; the job is damaged"))
        })
    }

    /// The cut of the index: the choices, such as the order of cells, from which [`Self::of_cut`] makes the same index.
    pub fn cut(&self) -> Cut {
        self.shape.cut()
    }

    /// Refuses a run that would take more memory than the options allow. `kept` is `true` if a job keeps the depths.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`].
    pub fn check_memory(&self, options: &Options, kept: bool) -> Result<()> {
        let (takes, leaves) = (self.bytes(options.max_depth, kept), Self::most_bytes(options));
        if takes <= leaves {
            return Ok(());
        }
        let (takes, leaves) = (in_words(takes), in_words(leaves));
        Err(Error::Memory(format!(
            "a perfect index would take {takes}, and the limit leaves {leaves}; give more memory, or leave the store \
             to the engine"
        )))
    }

    /// Returns `true` if a job with these options keeps snapshots of the whole search, and not a file for each depth.
    /// It does so if the files would be very large, or if there is memory for the search but not for the bits of one
    /// depth beside it.
    pub fn keeps_snapshot(&self, options: &Options) -> bool {
        self.shape.keeps_snapshot(Self::most_bytes(options))
    }

    /// Returns `true` if a job with these options has the arrays of the search as files: if the arrays do not fit the
    /// memory, the disk has room for them, and the memory has room for everything else.
    pub fn keeps_arrays(&self, options: &Options) -> bool {
        let Some(needs) = self.shape.in_place() else { return false };
        let (most, files) = (Self::most_bytes(options), self.bytes_of_both_files().unwrap_or(u64::MAX));
        HAS_FILES
            && self.bytes(None, false) > most
            && needs.beside + needs.resident <= most
            && files <= options.disk.min(MOST_BYTES)
    }

    /// The bytes of both arrays together, if they may be files of a job; `None` if they must be in memory.
    pub fn bytes_of_both_files(&self) -> Option<u64> {
        self.shape.in_place().map(|needs| needs.file_bytes.saturating_mul(2))
    }

    /// The most bytes of memory that a run with these options takes. If its arrays are files, it is the least that it
    /// needs.
    pub fn planned_bytes(&self, options: &Options, kept: bool) -> u64 {
        match self.shape.in_place().filter(|_| kept && self.keeps_arrays(options)) {
            Some(needs) => needs.beside + needs.resident,
            None if kept => self.bytes(options.max_depth, !self.keeps_snapshot(options)),
            None => self.bytes(options.max_depth, self.takes_more(options)),
        }
    }

    /// Refuses to go on with a job whose arrays are files, if there is no memory for what is beside them.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`].
    pub fn check_memory_beside(&self, options: &Options) -> Result<()> {
        let needed = self.shape.in_place().map_or(0, |needs| needs.beside + needs.resident);
        if needed <= Self::most_bytes(options) {
            return Ok(());
        }
        let (takes, leaves) = (in_words(needed), in_words(Self::most_bytes(options)));
        Err(Error::Memory(format!("a search on disk takes {takes}, and the limit leaves {leaves}; give more memory")))
    }

    /// The two files of a job, as the arrays of a search. `memory` is what the whole run may take.
    fn in_place<'a>(&self, files: &'a [File; 2], memory: u64, changes: bool) -> InPlace<'a> {
        let beside = self.shape.in_place().map_or(0, |needs| needs.beside);
        // Half of the memory is for the pages that the search reads and writes. The system maps pages in groups, so
        // more pages than these may be in memory.
        InPlace { files, resident: memory.saturating_sub(beside) / 2, changes }
    }

    /// Returns `true` if a run without a job has one array more than it needs, because that is faster and there is
    /// memory for it.
    pub fn takes_more(&self, options: &Options) -> bool {
        self.shape.gains_by_more() && self.bytes(None, true) <= Self::most_bytes(options)
    }

    /// The most bytes that an index may take in a run: no more than the memory has, and no more than a process has
    /// addresses for.
    pub fn most_bytes(options: &Options) -> u64 {
        options.memory.min(MOST_BYTES)
    }

    /// Refuses to read a job whose files have more bits than this machine can number. `last` is the last depth of the
    /// job.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`].
    pub fn check_addresses(&self, last: u64) -> Result<()> {
        check_addresses(self.bytes(Some(last), true), MOST_BYTES)
    }

    /// The most bytes of memory that a run takes. `kept` is `true` if a job keeps the depths, or if the run [takes
    /// more](Self::takes_more).
    pub fn bytes(&self, max_depth: Option<u64>, kept: bool) -> u64 {
        self.shape.bytes(max_depth, kept)
    }

    /// Returns `true` if a search with the index is expected to be no faster than one without it.
    pub fn is_slow(&self) -> bool {
        self.shape.is_slow()
    }

    /// Estimates how many states have a number in the index, if a run may reach only few of them; otherwise 0.
    pub fn doubtful(&self, max_depth: Option<u64>) -> u64 {
        self.shape.doubtful(max_depth)
    }

    /// A reader of the states of a depth that a job has kept.
    pub fn reading(&self, depth: u64) -> Reading<'_> {
        Reading { states: self.shape.reading(depth), varying: self.varying.as_deref() }
    }

    /// The most bytes of memory that [`Self::values`] takes; `None` if the states are not placements.
    pub fn values_bytes(&self, options: &Options) -> Option<u64> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if options.threads == 0 { cores() } else { options.threads };
        self.shape.placement().map(|shape| placement::values_bytes(shape, threads as u64))
    }

    /// The value of every placement that play can reach, but not how many moves the end is away; `None` if the watch
    /// stopped the search, or if the states are not placements.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if the system does not give enough memory; [`Error::Disk`] and [`Error::Corrupt`] if a job's
    /// files cannot be written, or have changed since they were written.
    pub fn values(&self, keeps: KeepsTiers, watch: Watch) -> Result<Option<TierValues>> {
        self.shape.placement().map_or(Ok(None), |shape| placement::values(shape, &self.rules, keeps, watch))
    }

    /// The number of moves that led to a placement, from its marks; `None` if its cells hold anything but marks.
    pub fn depth_of(&self, state: &[Symbol]) -> Option<usize> {
        let index = &self.shape.placement()?.index;
        let depth = match &self.varying {
            Some(varying) => index.depth_of(&varying.part(state)?),
            None => index.depth_of(state),
        };
        depth.map(|depth| depth as usize)
    }

    /// The values that a job has kept of the states of a depth; `None` if it has kept none, because play is over in all
    /// these states.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the files have changed since they were written.
    pub fn kept_tier(&self, job: &Job, depth: usize) -> Result<Option<KeptTier>> {
        let shape = self.shape.placement().ok_or_else(|| job.lacks(depth))?;
        KeptTier::open(shape, self.varying.clone(), job, depth)
    }

    /// Checks the files of a job: each depth must hold the number of states that the manifest has, and no state twice.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a depth does not; [`Error::Memory`] if the system does not give enough memory.
    pub fn verify(&self, job: &Job) -> Result<()> {
        if job.manifest().subject.keeps_arrays() {
            return Ok(()); // `verify_piece` checks the arrays
        }
        let snapshot = job.manifest().subject.keeps_snapshot();
        let needs = StorageNeeds { kept: true, snapshot, ..StorageNeeds::default() };
        driver::verify(&mut *self.storage(needs)?, job)
    }

    /// Checks the files of the depth that a job has not finished. Arrays that are files must hold as many states as the
    /// manifest says, and no state twice.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if they do not.
    pub fn verify_piece(&self, options: &Options, job: &Job) -> Result<()> {
        let Some(needs) = self.shape.in_place().filter(|_| job.manifest().subject.keeps_arrays()) else {
            return job.check_partial();
        };
        if job.manifest().partial.is_none() {
            return Ok(());
        }
        let files = job.open_arrays(needs.file_bytes, false)?;
        let in_place = Some(self.in_place(&files, options.memory, false));
        let needs = StorageNeeds { kept: true, snapshot: true, in_place, ..StorageNeeds::default() };
        driver::verify(&mut *self.storage(needs)?, job)
    }

    /// Enumerates all states that play can reach, by depth. Depth 0 has the states whose bits are set in `roots`, if
    /// these are given. Otherwise it is the start.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if the system does not give enough memory; [`Error::Disk`] and [`Error::Corrupt`] if a job's
    /// files cannot be written or read.
    pub fn enumerate(
        &self,
        options: &Options,
        roots: Option<Vec<u8>>,
        job: Option<&mut Job>,
        watch: Watch,
    ) -> Result<Report> {
        self.search(options, roots, job, None, watch)
    }

    /// Enumerates as [`Self::enumerate`] does, without a job, and calls `see` with the bits of each depth.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::enumerate`].
    pub fn show(&self, options: &Options, roots: Option<Vec<u8>>, see: SeeDepth, watch: Watch) -> Result<Report> {
        self.search(options, roots, None, Some(see), watch)
    }

    fn search(
        &self,
        options: &Options,
        roots: Option<Vec<u8>>,
        mut job: Option<&mut Job>,
        see: Option<SeeDepth>,
        watch: Watch,
    ) -> Result<Report> {
        job = job.filter(|_| HAS_FILES);
        let snapshot = job.as_ref().is_some_and(|job| job.manifest().subject.keeps_snapshot());
        let apart = see.is_some() || self.takes_more(options);
        let in_place = self.shape.in_place().zip(job.as_ref().filter(|job| job.manifest().subject.keeps_arrays()));
        let files = match in_place {
            None => None,
            Some((needs, job)) => match job.array_files(needs.file_bytes, watch)? {
                Some(files) => Some(files),
                None => return Ok(Report::stopped_at_once(Store::Dense, needs.symmetry_order)),
            },
        };
        let in_place = files.as_ref().map(|files| self.in_place(files, options.memory, true));
        let needs = StorageNeeds { kept: job.is_some(), snapshot, apart, in_place };
        driver::enumerate(&mut *self.storage(needs)?, roots, options, job, see, watch)
    }

    /// The arrays of a search, which hold no state yet.
    fn storage(&self, needs: StorageNeeds) -> Result<Box<dyn DenseStorage>> {
        Arc::clone(&self.shape).storage(&self.rules, needs)
    }
}

fn check_addresses(takes: u64, most: u64) -> Result<()> {
    if takes <= most {
        return Ok(());
    }
    let (takes, most) = (in_words(takes), in_words(most));
    Err(Error::Memory(format!(
        "the job's perfect index takes {takes}, and a process of this kind has addresses for {most}; \
         use a 64-bit system"
    )))
}
