//! The dense store: one bit for each possible state, searched breadth first by depth. A bit needs no key and no hash
//! table.
//!
//! Rules of six shapes have a perfect index, and so one bit for each state; `docs/enumeration.md`, "The dense store",
//! explains them. One driver searches all shapes. It drives two kinds of storage. Placements have one
//! layer for each depth. All others have bit arrays over the whole index, which are swept. Each file uses what
//! stands below it, and nothing above:
//!
//! ```text
//! mod.rs            Dense: rules of any of the shapes
//! ├── read.rs       the states of a depth that a job has kept, one by one
//! ├── arrangement   no two cells hold the same symbol
//! │   └── plane_search.rs → plane_sweep.rs, pull.rs, wide.rs (kernels) → planes.rs → plane_shape.rs
//! ├── multiset      symbols repeat
//! │   └── sweep.rs → expand.rs (kernel) → tables.rs → shape.rs → cost.rs → copies.rs
//! ├── toggle.rs     moves flip cells, which have two symbols
//! ├── dial          moves turn cells in circles of symbols
//! │   └── sweep.rs → expand.rs (kernel) → shape.rs
//! ├── pieces        moves permute pieces and twist them
//! │   └── sweep.rs → expand.rs (kernel) → tables.rs → network.rs, shape.rs
//! ├── placement     players fill empty cells
//! │   ├── layers.rs → fill.rs (kernel) → layer.rs, masks.rs;  layers.rs → shape.rs → masks.rs
//! │   └── values     sweep.rs → kernel.rs → terminal.rs → tier.rs;  kernel.rs → transpose.rs;  kept.rs
//! ├── sweep.rs      bit arrays over an index: the storage of all shapes but placements
//! ├── swept.rs      the trait of an index that can be swept
//! ├── driver.rs     the search, depth after depth, with checkpoints; and the trait of a storage
//! ├── pages.rs      large arrays of zeros
//! └── tuning.rs     the sizes of the parts of the work
//! ```

mod arrangement;
mod dial;
mod driver;
mod multiset;
mod pages;
mod pieces;
mod placement;
mod read;
mod sweep;
mod swept;
#[cfg(test)]
mod tests;
mod toggle;
mod tuning;

use crate::error::{Error, Result};
use crate::index::{Cut, Index, pieces_first};
use crate::job::Job;
use crate::memory::in_words;
use crate::rules::{Rules, Symbol, Symmetry};
use crate::run::{Options, Report, TierValues, Watch};
use crate::structure::Structure;
use arrangement::{PlaneSearch, PlaneShape};
use dial::{DialShape, DialSweep, WordSize};
pub use driver::{Shown, Spectator};
use multiset::{MultisetShape, MultisetTables};
pub(crate) use pages::Pages;
use pieces::{PieceShape, PieceTables};
pub use placement::{KeepsTiers, KeptTier, TierPlace};
use placement::{PlacementLayers, PlacementShape};
pub use read::{Place, Reading};
use sweep::Sweep;
use swept::SweptIndex;
use toggle::ToggleShape;
pub use tuning::Tuning;

/// The most bytes that an index may take, however large the memory, because `usize` numbers the bits of an array. With
/// 32 bits that is 512 MiB; with 64 bits it is no limit. Sizes of an index have 64 bits until it is known that they are
/// below this.
const MOST_BYTES: u64 = (usize::MAX / 8) as u64;

/// The most bytes of an array of bits that a job keeps for each depth. A hundred depths of more would fill a disk.
const MOST_KEPT: u64 = 1 << 30;

/// Rules whose states have a perfect index.
#[derive(Debug)]
pub enum Dense {
    /// No two cells hold the same symbol, and moves rearrange the symbols.
    Planes(Box<PlaneShape>),
    /// Players fill empty cells with marks of their own.
    Placement(Box<PlacementShape>),
    /// Symbols repeat, and moves rearrange them.
    Multiset(Box<MultisetShape>),
    /// Cells hold one of two symbols, and each move flips cells.
    Toggle(Box<ToggleShape>),
    /// Moves turn cells in circles of symbols.
    Dial(Box<DialShape>),
    /// Moves permute pieces and twist them.
    Pieces(Box<PieceShape>),
}

impl Dense {
    /// The perfect index of the states of the rules, if there is one. The cost models choose its cut, for a new run.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        let pieces = || PieceShape::new(structure, symmetries, tuning).map(|shape| Self::Pieces(Box::new(shape)));
        if pieces_first(structure) {
            return pieces();
        }
        PlaneShape::new(structure, symmetries, tuning)
            .map(|shape| Self::Planes(Box::new(shape)))
            .or_else(|| {
                PlacementShape::new(structure, symmetries, tuning).map(|shape| Self::Placement(Box::new(shape)))
            })
            .or_else(|| ToggleShape::new(structure, symmetries, tuning).map(|shape| Self::Toggle(Box::new(shape))))
            .or_else(|| DialShape::new(structure, symmetries, tuning).map(|shape| Self::Dial(Box::new(shape))))
            .or_else(|| MultisetShape::new(structure, symmetries, tuning).map(|shape| Self::Multiset(Box::new(shape))))
            .or_else(pieces)
    }

    /// The perfect index of the states of the rules, with the cut of a job. Whatever the tuning, each bit belongs to
    /// the same state.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the index of these rules cannot be cut like that.
    pub fn of_cut(structure: &Structure, symmetries: &[Symmetry], cut: &Cut, tuning: Tuning) -> Result<Self> {
        let dense = match cut {
            Cut::Planes { order, tail, ring } => PlaneShape::of_cut(structure, symmetries, order, *tail, *ring, tuning)
                .map(|shape| Self::Planes(Box::new(shape))),
            Cut::Multiset { order, head } => MultisetShape::of_cut(structure, symmetries, order, *head, tuning)
                .map(|shape| Self::Multiset(Box::new(shape))),
            Cut::Placement {} => {
                PlacementShape::of_cut(structure, symmetries, tuning).map(|shape| Self::Placement(Box::new(shape)))
            }
            Cut::Pieces { order, pieces, .. } => PieceShape::of_cut(structure, symmetries, order, pieces, tuning)
                .map(|shape| Self::Pieces(Box::new(shape))),
            Cut::Dial { basis } => {
                DialShape::of_cut(structure, symmetries, basis, tuning).map(|shape| Self::Dial(Box::new(shape)))
            }
            Cut::Toggle { basis } => {
                ToggleShape::of_cut(structure, symmetries, basis, tuning).map(|shape| Self::Toggle(Box::new(shape)))
            }
        };
        // A job writes each cut in one normal form, so any other form is damage.
        dense.filter(|dense| dense.cut() == *cut).ok_or_else(|| {
            let cut = serde_json::to_string(cut).unwrap_or_default();
            Error::Corrupt(format!("the index of these rules cannot be cut as {cut}; the job is damaged"))
        })
    }

    /// The cut of the index. [`Self::of_cut`] makes the same index from it.
    pub fn cut(&self) -> Cut {
        match self {
            Self::Planes(shape) => shape.cut(),
            _ => self.index().cut(),
        }
    }

    /// The index itself: a number for each state.
    pub fn index(&self) -> &dyn Index {
        match self {
            Self::Planes(shape) => &shape.index,
            Self::Placement(shape) => &shape.index,
            Self::Multiset(shape) => &shape.index,
            Self::Toggle(shape) => &shape.index,
            Self::Dial(shape) => &shape.index,
            Self::Pieces(shape) => &shape.index,
        }
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

    /// Returns `true` if a job with these options keeps snapshots of the whole search, and not a file for each depth:
    /// if those files would be very large, or if there is memory for the search but not for the bits of one depth
    /// beside it.
    pub fn keeps_snapshot(&self, options: &Options) -> bool {
        let Self::Planes(shape) = self else { return false };
        let fits = |kept| shape.bytes(kept) <= Self::most_bytes(options);
        shape.array_bytes() > MOST_KEPT || (fits(false) && !fits(true))
    }

    /// Returns `true` if a run without a job has one array more than it needs, because that is faster and there is
    /// memory for it.
    pub fn takes_more(&self, options: &Options) -> bool {
        matches!(self, Self::Planes(shape) if shape.pushes() && shape.bytes(true) <= Self::most_bytes(options))
    }

    /// The most bytes that an index may take in a run: no more than fit the memory, and no more than have addresses.
    pub fn most_bytes(options: &Options) -> u64 {
        options.memory.min(MOST_BYTES)
    }

    /// Refuses to read a job whose files have more bits than this machine can number.
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
        match self {
            Self::Planes(shape) => shape.bytes(kept),
            Self::Placement(shape) => shape.bytes(max_depth),
            Self::Multiset(shape) => shape.bytes(),
            Self::Toggle(shape) => shape.bytes(),
            Self::Dial(shape) => shape.bytes(),
            Self::Pieces(shape) => shape.bytes(),
        }
    }

    /// Returns `true` if a search with the index is expected to be no faster than one without it.
    pub fn is_slow(&self) -> bool {
        matches!(self, Self::Multiset(shape) if shape.is_slow())
    }

    /// The number of states of the index, roughly, if a run may reach only few of them; otherwise 0.
    pub fn doubtful(&self, max_depth: Option<u64>) -> u64 {
        // Three arrays have a bit for each state.
        let states = |bytes: u64| bytes / 3 * 8;
        match self {
            Self::Planes(shape) => shape.states(),
            Self::Multiset(shape) => states(shape.bytes()),
            Self::Toggle(shape) => max_depth.map_or(0, |_| states(shape.bytes())),
            Self::Dial(shape) => max_depth.map_or(0, |_| shape.index.len()),
            Self::Pieces(shape) => shape.index.len(),
            // Only two depths take memory, and only states that were reached take time.
            Self::Placement(_) => 0,
        }
    }

    /// A reader of the states of a depth that a job has kept.
    pub fn reading(&self, depth: u64) -> Reading<'_> {
        match self {
            Self::Planes(shape) => Reading::Planes(shape),
            Self::Toggle(shape) => Reading::Toggle(shape),
            Self::Dial(shape) => Reading::Dial(shape),
            Self::Pieces(shape) => Reading::Pieces(shape),
            Self::Multiset(shape) => Reading::of_multiset(shape),
            Self::Placement(shape) => Reading::of_placement(shape, depth),
        }
    }

    /// The most bytes of memory that [`Self::values`] takes; `None` if the index is of another shape.
    pub fn values_bytes(&self, options: &Options) -> Option<u64> {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let threads = if options.threads == 0 { cores() } else { options.threads };
        match self {
            Self::Placement(shape) => Some(placement::values_bytes(shape, threads as u64)),
            _ => None,
        }
    }

    /// The value of every placement that play can reach, without the moves to the end; `None` if the watch stopped it,
    /// or if the index is of another shape.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if the system does not give enough memory; [`Error::Disk`] and [`Error::Corrupt`] if a job's
    /// files cannot be written, or have changed since they were.
    pub fn values(&self, rules: &Rules, keeps: KeepsTiers, watch: Watch) -> Result<Option<TierValues>> {
        match self {
            Self::Placement(shape) => placement::values(shape, rules, keeps, watch),
            _ => Ok(None),
        }
    }

    /// The number of moves that led to a placement, from its marks; `None` if its cells hold anything else.
    pub fn depth_of(&self, state: &[Symbol]) -> Option<usize> {
        match self {
            Self::Placement(shape) => shape.index.depth_of(state).map(|depth| depth as usize),
            _ => None,
        }
    }

    /// The values that a job has kept of the states of a depth; `None` if it has none, because play is over in all of
    /// them.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if they have changed since they were written.
    pub fn kept_tier(&self, job: &Job, depth: usize) -> Result<Option<KeptTier>> {
        match self {
            Self::Placement(shape) => KeptTier::open(shape, job, depth),
            _ => Err(job.lacks(depth)),
        }
    }

    /// Checks the files of a job: each depth must hold the number of states that the manifest has, and no state twice.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a file does not; [`Error::Memory`] if the system does not give enough memory.
    pub fn verify(&self, rules: &Rules, job: &Job) -> Result<()> {
        match self {
            Self::Planes(shape) => {
                let third = !job.manifest().subject.keeps_snapshot();
                driver::verify(PlaneSearch::new(shape, rules, Some(job), third)?, job)
            }
            Self::Placement(shape) => driver::verify(PlacementLayers::new(shape, rules, true), job),
            Self::Multiset(shape) => driver::verify(Sweep::new(&MultisetTables::new(shape), rules)?, job),
            Self::Toggle(shape) => driver::verify(Sweep::new(&**shape, rules)?, job),
            Self::Pieces(shape) => driver::verify(Sweep::new(&PieceTables::new(shape), rules)?, job),
            Self::Dial(shape) => match shape.word {
                WordSize::Bits16 => driver::verify(Sweep::new(&DialSweep::<u16>::new(shape), rules)?, job),
                WordSize::Bits32 => driver::verify(Sweep::new(&DialSweep::<u32>::new(shape), rules)?, job),
                WordSize::Bits64 => driver::verify(Sweep::new(&DialSweep::<u64>::new(shape), rules)?, job),
            },
        }
    }

    /// Enumerates all states that play can reach, by depth.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if the system does not give enough memory; [`Error::Disk`] and [`Error::Corrupt`] if a job's
    /// files cannot be written or read.
    pub fn enumerate(&self, rules: &Rules, options: &Options, job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        self.search(rules, options, job, None, watch)
    }

    /// Enumerates without a job, and shows the depths to a spectator.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::enumerate`].
    pub fn show(&self, rules: &Rules, options: &Options, spectator: Spectator, watch: Watch) -> Result<Report> {
        self.search(rules, options, None, Some(spectator), watch)
    }

    fn search(
        &self,
        rules: &Rules,
        options: &Options,
        job: Option<&mut Job>,
        spectator: Option<Spectator>,
        watch: Watch,
    ) -> Result<Report> {
        match self {
            Self::Planes(shape) => {
                let keeps_depths = |job: &Job| !job.manifest().subject.keeps_snapshot();
                let apart = spectator.as_ref().is_some_and(|spectator| spectator.last);
                let third = job.as_deref().map_or_else(|| apart || self.takes_more(options), keeps_depths);
                driver::enumerate(
                    PlaneSearch::new(shape, rules, job.as_deref(), third)?,
                    options,
                    job,
                    spectator,
                    watch,
                )
            }
            Self::Placement(shape) => {
                driver::enumerate(PlacementLayers::new(shape, rules, job.is_some()), options, job, spectator, watch)
            }
            Self::Multiset(shape) => {
                driver::enumerate(Sweep::new(&MultisetTables::new(shape), rules)?, options, job, spectator, watch)
            }
            Self::Toggle(shape) => driver::enumerate(Sweep::new(&**shape, rules)?, options, job, spectator, watch),
            Self::Pieces(shape) => {
                driver::enumerate(Sweep::new(&PieceTables::new(shape), rules)?, options, job, spectator, watch)
            }
            Self::Dial(shape) => match shape.word {
                WordSize::Bits16 => {
                    driver::enumerate(Sweep::new(&DialSweep::<u16>::new(shape), rules)?, options, job, spectator, watch)
                }
                WordSize::Bits32 => {
                    driver::enumerate(Sweep::new(&DialSweep::<u32>::new(shape), rules)?, options, job, spectator, watch)
                }
                WordSize::Bits64 => {
                    driver::enumerate(Sweep::new(&DialSweep::<u64>::new(shape), rules)?, options, job, spectator, watch)
                }
            },
        }
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
