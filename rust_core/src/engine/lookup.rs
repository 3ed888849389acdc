//! States looked up in a job: what they are worth, or how far they are from the goal. Only what is needed for them is
//! read: the list of blocks of each depth, once, and a block for each state and depth that may have it.

use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::compiled::Engine;
use super::ends_kept::EndsLookup;
use super::jobs::{JobFolder, Opened};
use super::machine::Machine;
use super::rows::{KeptValue, LookedUp};
use super::valued::{value_of_code, value_of_worth};
use crate::dense::{BlockCache, Dense, KeptTier, Reading};
use crate::error::{Error, Result};
use crate::job::{DepthBlocks, Job, ValueFiles};
use crate::rules::Symbol;
use crate::run::{Options, Progress, Watch, on_all_cores};
use crate::solve::Value;

/// How many states one thread looks up at a time.
const AT_ONCE: usize = 64;

/// A job in which states are looked up.
pub struct Lookup {
    engine: Arc<Engine>,
    job: Job,
    machine: Arc<dyn Machine>,
    dense: Option<Dense>,
    symmetry: bool,
    has_distance: bool,
    depths: Vec<OnceLock<DepthFiles>>,
    /// What finds states in a job whose values are counted from both ends.
    ends: Option<EndsLookup>,
}

/// What is read of a depth.
enum DepthFiles {
    /// The values of its open states; `None` if it has none.
    Values(Option<ValueFiles>),
    /// The same in the dense store.
    Tier(Option<KeptTier>),
    /// All its states, in a job whose depths are distances.
    States(DepthBlocks),
}

/// What is looked for of a state.
struct Sought {
    word: Vec<u8>,
    bit: Option<u64>,
}

impl Engine {
    /// Opens a job to look states up: one with the values of all states, or one that counts back from the goal and is
    /// complete.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if it is none of these, or keeps no states; and as [`Engine::read_job`].
    pub fn lookup(self: &Arc<Self>, folder: &JobFolder) -> Result<Lookup> {
        let Opened { job, options, choice, machine } = self.look(&Options::default(), folder)?;
        let refused = |what: &str| Err(Error::Job(format!("the job in {} {what}", folder.folder.display())));
        let manifest = job.manifest();
        if manifest.subject.shards.is_some() {
            return refused("has its states in shards, which are not looked up; count in one process");
        } else if !manifest.subject.backward {
            job.whole_values()?;
        } else if !manifest.complete {
            return refused("has not counted all distances yet; resume it first");
        } else if manifest.subject.keeps_snapshot() {
            return refused("keeps the counts of its depths and no states; count with --store sparse");
        } else if choice.dense.as_ref().is_some_and(|dense| !dense.reading(0).finds_bits()) {
            return refused("has its states in an order of an older version; count again, or with --store sparse");
        }
        let has_distance = manifest.values.as_ref().is_none_or(|stage| stage.distances);
        let depths = manifest.depths.iter().map(|_| OnceLock::new()).collect();
        let ends = self.lookup_of_ends(&job, folder)?;
        let (engine, dense, symmetry) = (Arc::clone(self), choice.dense, options.symmetry);
        Ok(Lookup { engine, job, machine, dense, symmetry, has_distance, depths, ends })
    }
}

impl Lookup {
    /// Whether it is distances to the goal that states are looked for by, rather than depths from the start.
    pub fn is_backward(&self) -> bool {
        self.ends.is_some() || self.job.manifest().subject.backward
    }

    /// Looks up many states, given as rows; `None` for a state that the job does not have. Depths near `around`, or
    /// distances if [`Self::is_backward`], are looked at first.
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the bytes are no rows or a row does not fit the rules, [`Error::Corrupt`] if what is read is
    /// not what was written, [`Error::Stopped`] if the watch stops it.
    pub fn look_up(&self, rows: &[u8], around: u64, watch: Watch) -> Result<Vec<Option<LookedUp>>> {
        let width = self.engine.row_bytes();
        self.engine.check_rows(rows)?;
        if let Some(ends) = &self.ends {
            return on_all_cores(|| {
                let parts = rows.par_chunks(EndsLookup::AT_ONCE * width);
                let parts = parts.map(|rows| ends.look_up(rows, around, watch)).collect::<Result<Vec<_>>>()?;
                Ok(parts.concat())
            })?;
        }
        let mut order: Vec<usize> = (0..self.depths.len()).collect();
        order.sort_by_key(|&depth| ((depth as u64).abs_diff(around), depth));
        let reading = self.dense.as_ref().filter(|_| self.is_backward()).map(|dense| dense.reading(0));
        on_all_cores(|| {
            let parts: Vec<Vec<Option<LookedUp>>> = rows
                .par_chunks(AT_ONCE * width)
                .map(|rows| {
                    if watch(&Progress::default()).is_break() {
                        return Err(Error::Stopped);
                    }
                    rows.chunks_exact(width).map(|row| self.of_row(row, &order, reading.as_ref())).collect()
                })
                .collect::<Result<_>>()?;
            Ok(parts.concat())
        })?
    }

    fn of_row(&self, row: &[u8], order: &[usize], reading: Option<&Reading>) -> Result<Option<LookedUp>> {
        let state = self.engine.state_of(row);
        let known = |value, depth| LookedUp { value: KeptValue { value, has_distance: self.has_distance }, depth };
        if !self.is_backward()
            && let Some(outcome) = self.engine.outcome(&state)?
        {
            return Ok(Some(known(self.engine.value_of_end(outcome, &state.cells, state.player), None)));
        }
        if !self.is_backward()
            && let Some(dense) = &self.dense
        {
            let depth = dense.depth_of(&state.cells).filter(|&depth| depth < self.depths.len());
            let Some(depth) = depth.filter(|depth| depth % self.engine.rules().player_count() == state.player) else {
                return Ok(None);
            };
            let value = self.files(depth)?.worth(&state.cells)?;
            return Ok(value.map(|value| known(value, Some(depth as u32))));
        }
        let mut sought = Sought { word: Vec::new(), bit: reading.and_then(|reading| reading.bit(&state.cells)) };
        if reading.is_some() {
            if sought.bit.is_none() {
                return Ok(None);
            }
        } else if self.machine.varying().stranger(&state.cells).is_some() {
            return Ok(None);
        } else {
            self.machine.words_of_rows(row, self.symmetry, &mut sought.word);
        }
        let players = self.engine.rules().player_count();
        for &depth in order.iter().filter(|&&depth| depth % players == state.player) {
            let value = self.files(depth)?.find(&sought, depth)?;
            if let Some(value) = value {
                return Ok(Some(known(value, Some(depth as u32))));
            }
        }
        Ok(None)
    }

    /// What is read of a depth, when it is first asked for.
    fn files(&self, depth: usize) -> Result<&DepthFiles> {
        if let Some(files) = self.depths[depth].get() {
            return Ok(files);
        }
        let files = if self.is_backward() {
            DepthFiles::States(self.job.blocks_of(depth)?)
        } else if let Some(dense) = &self.dense {
            DepthFiles::Tier(dense.kept_tier(&self.job, depth)?)
        } else {
            DepthFiles::Values(ValueFiles::open(&self.job, depth)?)
        };
        Ok(self.depths[depth].get_or_init(|| files))
    }
}

impl DepthFiles {
    /// The value of an open state in the dense store, if play reaches it.
    fn worth(&self, cells: &[Symbol]) -> Result<Option<Value>> {
        let Self::Tier(Some(tier)) = self else { return Ok(None) };
        Ok(tier.find(cells, &mut BlockCache::default())?.map(value_of_worth))
    }

    /// The value of a state, if the depth has it.
    fn find(&self, sought: &Sought, depth: usize) -> Result<Option<Value>> {
        let has = match self {
            Self::Values(None) | Self::Tier(_) => return Ok(None),
            Self::Values(Some(files)) => return Ok(files.find(&sought.word)?.map(value_of_code)),
            Self::States(DepthBlocks::Words(files)) => {
                let mut found = false;
                for frames in files {
                    found = found || frames.find(&sought.word)?.is_some();
                }
                found
            }
            Self::States(DepthBlocks::Bits(bits)) => sought.bit.map_or(Ok(false), |bit| bits.get(bit))?,
        };
        Ok(has.then_some(Value::Win(depth as u32)))
    }
}
