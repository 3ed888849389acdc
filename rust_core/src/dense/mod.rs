//! The dense store: a bit for each state that could be, breadth first by depth. What is a bit needs no key and no table.

mod arrangement;
mod multiset;
mod pages;
mod placement;
mod read;
mod shape;
mod sweep;
mod toggle;

use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::job::{DepthEntry, Job};
use crate::memory::in_words;
use crate::rules::{Rules, Symmetry};
use crate::run::{DepthReport, Grain, Options, Report, Watch, later};
use crate::structure::Structure;
use arrangement::Arranged;
use multiset::Coloured;
use pages::Pages;
use placement::Placed;
pub use read::Place;
use toggle::Toggled;

/// What separates digests of layouts from any other use of the hash function.
const LAYOUT_PERSONALISATION: &[u8; 16] = b"puzzlekit-index1";

/// When a job next keeps a part of a depth.
struct Checkpoints {
    every: Duration,
    next: Instant,
}

impl Checkpoints {
    fn new(every: Duration) -> Self {
        Self { every, next: later(every) }
    }

    /// Keeps a part of a depth where it is time, or at once: the first of its stretches.
    fn keep(&mut self, job: &mut Job, part: &[u8], done: usize, generated: u64, now: bool) -> Result<()> {
        let begun = Instant::now();
        if !now && begun < self.next {
            return Ok(());
        }
        job.write_part(part)?;
        job.commit_partial(done as u64, generated, |_| false)?;
        // Where that takes long, it is not done often.
        self.next = later(self.every.max(begun.elapsed() * 10));
        Ok(())
    }
}

/// Makes the states of an array, those that ended included, a depth of the job.
fn keep(job: &mut Job, states: &Pages, depth: &DepthReport, generated: u64) -> Result<()> {
    job.write_array(states.get::<u8>())?;
    job.commit(DepthEntry::new(depth, generated))
}

/// Rules whose states have a perfect index.
#[derive(Debug)]
pub enum Dense {
    /// Each cell holds another symbol, and moves put them into another order.
    Arranged(Box<Arranged>),
    /// Players fill empty cells with marks of their own.
    Placed(Box<Placed>),
    /// Some cells hold one symbol, and moves put the symbols into another order.
    Coloured(Box<Coloured>),
    /// Each move flips some cells of two symbols.
    Toggled(Box<Toggled>),
}

impl Dense {
    /// The perfect index of the states of some rules, where there is one.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], grain: Option<Grain>) -> Option<Self> {
        Arranged::new(structure, symmetries, grain)
            .map(|index| Self::Arranged(Box::new(index)))
            .or_else(|| Placed::new(structure, symmetries, grain).map(|index| Self::Placed(Box::new(index))))
            .or_else(|| Toggled::new(structure, symmetries, grain).map(|index| Self::Toggled(Box::new(index))))
            .or_else(|| Coloured::new(structure, symmetries, grain).map(|index| Self::Coloured(Box::new(index))))
    }

    /// What bit of the arrays stands for what state, in short: the kind of the index, and a digest of all that it depends on
    /// besides the rules and the symmetries. Files of another layout are not read.
    pub fn layout(&self) -> String {
        let (kind, numbers) = match self {
            Self::Arranged(index) => ("arrangements", index.layout()),
            Self::Placed(_) => ("placements", Vec::new()),
            Self::Coloured(index) => ("colourings", index.layout()),
            Self::Toggled(index) => ("combinations", index.layout()),
        };
        let mut digest = blake2b_simd::Params::new().hash_length(8).personal(LAYOUT_PERSONALISATION).to_state();
        for number in numbers {
            digest.update(&number.to_le_bytes());
        }
        format!("{kind}-{}", digest.finalize().to_hex())
    }

    pub fn cut(&self) -> crate::index::Cut {
        crate::index::Cut {}
    }
    pub fn of_cut(
        structure: &Structure,
        symmetries: &[Symmetry],
        _cut: &crate::index::Cut,
        grain: Option<Grain>,
    ) -> Option<Self> {
        Self::new(structure, symmetries, grain)
    }

    /// Refuses a run that takes more memory than it may.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Memory`].
    pub fn check_memory(&self, options: &Options) -> Result<()> {
        let (takes, leaves) = (self.bytes(options.max_depth), options.memory);
        if takes <= leaves {
            return Ok(());
        }
        let (takes, leaves) = (in_words(takes), in_words(leaves));
        Err(Error::Memory(format!(
            "a perfect index would take {takes}, and the limit leaves {leaves}; give more memory, or leave the store to the engine"
        )))
    }

    /// The bytes of memory that a run takes at the most.
    pub fn bytes(&self, max_depth: Option<u64>) -> u64 {
        match self {
            Self::Arranged(index) => index.bytes(),
            Self::Placed(index) => index.bytes(max_depth),
            Self::Coloured(index) => index.bytes(),
            Self::Toggled(index) => index.bytes(),
        }
    }

    /// Whether a search with the index is not expected to be faster than one without.
    pub fn is_slow(&self) -> bool {
        matches!(self, Self::Coloured(index) if index.slow)
    }

    /// About how many states have an index, where it is not known that a run reaches most of them; else 0.
    pub fn doubtful(&self, max_depth: Option<u64>) -> u64 {
        match self {
            Self::Arranged(index) => index.bytes() / 3 * 8,
            Self::Coloured(index) => index.bytes() / 3 * 8,
            Self::Toggled(index) => max_depth.map_or(0, |_| index.bytes() / 3 * 8),
            // A depth at a time takes memory, and only what was reached takes time.
            Self::Placed(_) => 0,
        }
    }

    /// Checks the files of a job: that each depth holds what it counts, and nothing twice.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] where it is otherwise.
    pub fn verify(&self, rules: &Rules, job: &Job) -> Result<()> {
        match self {
            Self::Arranged(index) => index.verify(rules, job),
            Self::Placed(index) => index.verify(rules, job),
            Self::Coloured(index) => index.verify(rules, job),
            Self::Toggled(index) => index.verify(rules, job),
        }
    }

    /// Enumerates all states that play can reach, by depth.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Memory`] where the system does not give so much; [`crate::Error::Disk`] and [`crate::Error::Corrupt`] where a
    /// job's files cannot be written or read.
    pub fn enumerate(&self, rules: &Rules, options: &Options, job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        match self {
            Self::Arranged(index) => index.enumerate(rules, options, job, watch),
            Self::Placed(index) => index.enumerate(rules, options, job, watch),
            Self::Coloured(index) => index.enumerate(rules, options, job, watch),
            Self::Toggled(index) => index.enumerate(rules, options, job, watch),
        }
    }
}
