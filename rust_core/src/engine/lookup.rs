//! Looks up states in a job: their values, or their distances to the goal. For each depth, the list of the file's
//! blocks is read once; and for each state, one block of each depth that may have it.
//!
//! Many states are looked up in the order of the files, so that a block is read once for all states that may be in it,
//! and no more than two blocks of a file must be held. Each state is *sought* by a key of bytes, which compares in the
//! order of the file: the place of its bits in a tier, the number of its bit in an array, or its word. In front of its
//! key stand the depths that may have it: one depth, or any. Take states whose words are 7 and 2 in any depth, and 5 in
//! depth 1. They are sought as `1: 5`, `any: 2`, `any: 7`: depth 1 is read for 5, and then each depth for 2 and 7 until
//! they are found.

use std::sync::{Arc, OnceLock};

use super::batch::go_on;
use super::compiled::Engine;
use super::enumeration::forward_folder;
use super::jobs::{JobFolder, Opened};
use super::machine::Machine;
use super::rows::{KeptValue, LookedUp, Span};
use crate::dense::{Dense, KeptTier, Reading, TierPlace};
use crate::error::{Error, Result};
use crate::job::{DepthBlocks, Job, RecentBlocks, ValueFiles};
use crate::run::{Options, Watch, on_all_cores, parallel};
use crate::sorting;
use crate::structure::Window;
use crate::values::{Value, ValueCode};

/// The fewest states that a thread looks up at a time. If a caller asks for no more states than this, the depths
/// nearest to the depth that the caller names are read first; otherwise the depths with the most states.
const FEW: usize = 64;

/// The most states that are sorted at a time. With this number, most blocks of a large file have several of the states.
const AT_ONCE: usize = 1 << 20;

/// The number of parts into which the states are cut, for each thread. With several, no thread waits long for the
/// others.
const PARTS_A_THREAD: usize = 4;

/// The number of blocks of a file that a thread holds: two, since the bits of a placement may lie in two.
const HELD_BLOCKS: usize = 2;

/// The number of bytes at the beginning of a key that say in which depths the state may be.
const DEPTHS: usize = 4;

/// A job in which states are looked up.
pub struct Lookup {
    engine: Arc<Engine>,
    job: Job,
    machine: Arc<dyn Machine>,
    dense: Option<Dense>,
    symmetry: bool,
    has_distance: bool,
    depths: Vec<OnceLock<DepthFiles>>,
    /// If play reaches no goal: the job inside this one, which has all states that play reaches.
    unsolvable: Option<JobFolder>,
}

/// The open files of one depth.
enum DepthFiles {
    /// The values of the open states, one file for each shard; `None` if the shard has no open states of the depth.
    Values(Vec<Option<ValueFiles>>),
    /// The values of the open states in the dense store; `None` if the depth has no open states.
    Tier(Option<Box<KeptTier>>),
    /// All states, in a job whose depths are distances: one list of files for each shard.
    States(Vec<DepthBlocks>),
}

/// States whose values must be read from files, each with a row number and a key. All keys have one length; see the
/// head of this file.
#[derive(Default)]
struct Sought {
    /// For each sought state, the number of its row among all rows.
    rows: Vec<u32>,
    keys: Vec<u8>,
}

/// For one depth, the blocks of its files that a thread has read most recently.
struct Held {
    bytes: Vec<Vec<RecentBlocks<Vec<u8>>>>,
    codes: Vec<RecentBlocks<Vec<u32>>>,
}

impl Engine {
    /// Opens a job to look states up: a job with the values of all states, or a complete job that counts back from the
    /// goal.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the job is neither, or keeps no states; and the errors of [`Engine::read_job`].
    pub fn lookup(self: &Arc<Self>, folder: &JobFolder) -> Result<Lookup> {
        let Opened { job, options, choice, machine } = self.look(&Options::default(), folder)?;
        let refused = |what: &str| Err(Error::Job(format!("the job in {} {what}", folder.folder().display())));
        let manifest = job.manifest();
        if manifest.subject.shard.is_some() {
            return refused("holds one shard of a job; name the folder of the whole job");
        } else if !manifest.has_distances() {
            job.whole_values()?;
        } else if !manifest.complete {
            return refused("has not counted all distances yet; resume it first");
        } else if manifest.subject.keeps_snapshot() {
            return refused("keeps the counts of its depths and no states; count with --store sparse");
        }
        let has_distance = manifest.values.as_ref().is_none_or(|stage| stage.distances);
        let depths = manifest.depths.iter().map(|_| OnceLock::new()).collect();
        let unsolvable = self.none_solvable_in(manifest).then(|| forward_folder(folder));
        let (engine, dense, symmetry) = (Arc::clone(self), choice.dense, options.symmetry);
        Ok(Lookup { engine, job, machine, dense, symmetry, has_distance, depths, unsolvable })
    }
}

impl Lookup {
    /// Returns `true` if the depths of the job are distances to the goal, and not numbers of moves from the start.
    pub fn is_backward(&self) -> bool {
        self.job.manifest().has_distances()
    }

    /// Looks up many states, given as rows; `None` for a state that the job does not have. If there are few states, the
    /// depths near `around` are read first. Depths are distances if [`Self::is_backward`].
    ///
    /// # Errors
    ///
    /// [`Error::State`] if the bytes are no rows or a row does not fit the rules, [`Error::Corrupt`] if a file has
    /// changed since it was written, [`Error::Stopped`] if the watch stops the look-up.
    pub fn look_up(&self, rows: &[u8], around: u64, watch: Watch) -> Result<Vec<Option<LookedUp>>> {
        let width = self.engine.row_bytes();
        self.engine.check_rows(rows)?;
        if let Some(reached) = &self.unsolvable {
            return self.look_up_unsolvable(rows, reached, watch);
        }
        let mut order: Vec<usize> = (0..self.depths.len()).collect();
        if rows.len() / width <= FEW {
            sorting::sort_by_key(&mut order, |&depth| ((depth as u64).abs_diff(around), depth));
        } else {
            sorting::sort_by_key(&mut order, |&depth| std::cmp::Reverse(self.job.manifest().depths[depth].states));
        }
        let mut found = Vec::with_capacity(rows.len() / width);
        on_all_cores(|| {
            rows.chunks(AT_ONCE * width).try_for_each(|rows| self.look_up_part(rows, &order, watch, &mut found))
        })??;
        Ok(found)
    }

    /// Looks up states if none that play reaches can be solved: all states of the job `reached` are read.
    fn look_up_unsolvable(&self, rows: &[u8], reached: &JobFolder, watch: Watch) -> Result<Vec<Option<LookedUp>>> {
        let width = self.engine.row_bytes();
        let mut sought: Vec<(Vec<u8>, usize)> = Vec::with_capacity(rows.len() / width);
        for (at, row) in rows.chunks_exact(width).enumerate() {
            let state = self.engine.state_of(row);
            let state = if self.symmetry { self.engine.canonical(&state)? } else { state };
            sought.push((state.cells, at));
        }
        sorting::sort(&mut sought);
        let mut found = vec![None; rows.len() / width];
        self.engine.forward().read_job(reached, &Span::default(), watch, &mut |read| {
            for cells in read.cells.chunks_exact(width) {
                let first = sought.partition_point(|(state, _)| state[..] < *cells);
                for &(_, at) in sought[first..].iter().take_while(|(state, _)| state == cells) {
                    found[at] = Some(self.known(Value::Draw(None), None));
                }
            }
            Ok(())
        })?;
        Ok(found)
    }

    /// Looks up the states of some rows, and appends the results.
    fn look_up_part(
        &self,
        rows: &[u8],
        order: &[usize],
        watch: Watch,
        found: &mut Vec<Option<LookedUp>>,
    ) -> Result<()> {
        let (width, begin) = (self.engine.row_bytes(), found.len());
        let reading = self.dense.as_ref().filter(|_| self.is_backward()).map(|dense| dense.reading(0));
        let parts = parallel::map(rows.len() / width, FEW, |range| {
            go_on(watch)?;
            let (mut known, mut sought) = (Vec::with_capacity(FEW), Sought::default());
            for at in range {
                let row = &rows[at * width..][..width];
                known.push(self.known_or_sought(row, at as u32, reading.as_ref(), &mut sought)?);
            }
            Ok((known, sought))
        });
        let mut sought = Sought::default();
        for part in parts {
            let (known, part): (Vec<Option<LookedUp>>, Sought) = part?;
            found.extend(known);
            sought.rows.extend(part.rows);
            sought.keys.extend(part.keys);
        }
        for (row, state) in self.find_all(&sought, order, watch)? {
            found[begin + row as usize] = Some(state);
        }
        Ok(())
    }

    /// Returns the result for the state of a row, if it follows from the rules alone. Otherwise returns `None`, and
    /// adds the state to `sought`, unless the job cannot have it.
    fn known_or_sought(
        &self,
        row: &[u8],
        number: u32,
        reading: Option<&Reading>,
        sought: &mut Sought,
    ) -> Result<Option<LookedUp>> {
        let state = self.engine.state_of(row);
        if !self.is_backward()
            && let Some(outcome) = self.engine.machine_of(&state)?.outcome(&state)
        {
            return Ok(Some(self.known(self.engine.value_of_end(outcome, &state.cells, state.player), None)));
        }
        let (players, player) = (self.engine.rules().alternating(), self.engine.rules().table_of(state.player));
        let told = match &self.dense {
            _ if self.is_backward() => None,
            Some(dense) => Some(dense.depth_of(&state.cells)),
            None if self.engine.structure().window() == Window::Layered => {
                let depth = self.engine.structure().depth_by_composition(&state.cells);
                Some(depth.and_then(|depth| usize::try_from(depth).ok()))
            }
            None => None,
        };
        let depth = match told.map(|depth| depth.filter(|&depth| depth < self.depths.len())) {
            Some(None) => return Ok(None),
            Some(Some(depth)) if depth % players != player => return Ok(None),
            Some(Some(depth)) => Some(depth),
            None => None,
        };
        let depths = depth.map_or(u32::MAX - player as u32, |depth| depth as u32).to_be_bytes();
        if let Some(reading) = reading {
            let Some(bit) = reading.bit(&state.cells) else { return Ok(None) };
            sought.keys.extend_from_slice(&depths);
            sought.keys.extend_from_slice(&bit.to_be_bytes());
        } else if let (Some(depth), Some(_)) = (depth, &self.dense) {
            let DepthFiles::Tier(Some(tier)) = self.files(depth)? else { return Ok(None) };
            let Some(TierPlace { word, bit }) = tier.place(&state.cells) else { return Ok(None) };
            sought.keys.extend_from_slice(&depths);
            sought.keys.extend_from_slice(&word.to_be_bytes());
            sought.keys.push(bit);
        } else if self.machine.varying().stranger(&state.cells).is_some() {
            return Ok(None);
        } else {
            sought.keys.extend_from_slice(&depths);
            self.machine.words_of_rows(row, self.symmetry, &mut sought.keys);
        }
        sought.rows.push(number);
        Ok(None)
    }

    fn known(&self, value: Value, depth: Option<u32>) -> LookedUp {
        LookedUp { value: KeptValue { value, has_distance: self.has_distance }, depth }
    }

    /// Reads the results of the sought states from files. Each comes with the number of its row.
    fn find_all(&self, sought: &Sought, order: &[usize], watch: Watch) -> Result<Vec<(u32, LookedUp)>> {
        let Some(width) = sought.keys.len().checked_div(sought.rows.len()) else { return Ok(Vec::new()) };
        let mut states: Vec<(&[u8], u32)> = sought.keys.chunks_exact(width).zip(sought.rows.iter().copied()).collect();
        parallel::sort(&mut states);
        let parts = PARTS_A_THREAD * parallel::threads();
        let found = parallel::map(states.len(), states.len().div_ceil(parts).max(FEW), |range| {
            let mut found = Vec::with_capacity(range.len());
            for states in states[range].chunk_by(|one, other| one.0[..DEPTHS] == other.0[..DEPTHS]) {
                self.find_in_depths(states, order, watch, &mut found)?;
            }
            Ok(found)
        });
        Ok(found.into_iter().collect::<Result<Vec<_>>>()?.concat())
    }

    /// Reads the results of sorted states from files. The keys of all these states name the same depth, or all of them
    /// name any depth.
    fn find_in_depths(
        &self,
        states: &[(&[u8], u32)],
        order: &[usize],
        watch: Watch,
        found: &mut Vec<(u32, LookedUp)>,
    ) -> Result<()> {
        let told = u32::from_be_bytes(std::array::from_fn(|at| states[0].0[at])) as usize;
        let (players, player) = (self.engine.rules().alternating(), u32::MAX as usize - told);
        let depths: Vec<usize> = if told < self.depths.len() {
            vec![told]
        } else {
            order.iter().copied().filter(|depth| depth % players == player).collect()
        };
        let scored = self.engine.rules().scoring.is_some();
        let mut left: Vec<(&[u8], u32)> = states.to_vec();
        for depth in depths {
            if left.is_empty() {
                break;
            }
            go_on(watch)?;
            let files = self.files(depth)?;
            let (mut held, mut rest) = (files.held(), Vec::with_capacity(left.len()));
            for (key, row) in left {
                let shard = self.shard(&key[DEPTHS..]);
                match files.find(&key[DEPTHS..], shard, depth, scored, &mut held)? {
                    Some(value) => found.push((row, self.known(value, Some(depth as u32)))),
                    None => rest.push((key, row)),
                }
            }
            left = rest;
        }
        Ok(())
    }

    /// The number of the shard that has the state with a word; 0 if the job is not divided, or if states are bits.
    fn shard(&self, word: &[u8]) -> usize {
        match self.job.parts().len() {
            1 => 0,
            _ if self.dense.is_some() => 0,
            shards => self.machine.shard_of_word(word, shards as u64),
        }
    }

    /// The files of a depth. They are opened when they are first needed.
    fn files(&self, depth: usize) -> Result<&DepthFiles> {
        if let Some(files) = self.depths[depth].get() {
            return Ok(files);
        }
        let parts = self.job.parts();
        let files = if self.is_backward() {
            DepthFiles::States(parts.iter().map(|part| part.blocks_of(depth)).collect::<Result<_>>()?)
        } else if let Some(dense) = &self.dense {
            DepthFiles::Tier(dense.kept_tier(&self.job, depth)?.map(Box::new))
        } else {
            DepthFiles::Values(parts.iter().map(|part| ValueFiles::open(part, depth)).collect::<Result<_>>()?)
        };
        Ok(self.depths[depth].get_or_init(|| files))
    }
}

impl DepthFiles {
    /// An empty list of blocks, for a thread that is going to read these files.
    fn held(&self) -> Held {
        let files: Vec<usize> = match self {
            Self::Values(shards) => vec![1; shards.len()],
            Self::Tier(_) => vec![1],
            Self::States(shards) => {
                shards.iter().map(|of| if let DepthBlocks::Words(files) = of { files.len() } else { 1 }).collect()
            }
        };
        let bytes = |&files: &usize| (0..files).map(|_| RecentBlocks::new(HELD_BLOCKS)).collect();
        let codes = files.iter().map(|_| RecentBlocks::new(HELD_BLOCKS)).collect();
        Held { bytes: files.iter().map(bytes).collect(), codes }
    }

    /// The value of the state with a key; `None` if the depth does not have the state. `shard` is the number of the
    /// shard that would have it. `scored` is `true` if values are points.
    fn find(&self, key: &[u8], shard: usize, depth: usize, scored: bool, held: &mut Held) -> Result<Option<Value>> {
        let number = || key.iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte));
        let has = match self {
            Self::Tier(None) => return Ok(None),
            Self::Values(shards) => {
                let Some(files) = &shards[shard] else { return Ok(None) };
                return Ok(files
                    .find(key, &mut held.bytes[shard][0], &mut held.codes[shard])?
                    .map(|code| ValueCode(code).value_of(scored)));
            }
            Self::Tier(Some(tier)) => {
                let place = TierPlace { word: number(), bit: key[8] };
                return Ok(tier.worth(place, &mut held.bytes[0][0])?.map(Value::from));
            }
            Self::States(shards) => match &shards[shard] {
                DepthBlocks::Words(files) => {
                    let mut found = false;
                    for (frames, held) in files.iter().zip(&mut held.bytes[shard]) {
                        found = found || frames.find(key, held)?.is_some();
                    }
                    found
                }
                // All shards are asked, because which one has a bit depends on how their pieces were cut.
                DepthBlocks::Bits(_) => {
                    let mut found = false;
                    for (blocks, held) in shards.iter().zip(&mut held.bytes) {
                        if let DepthBlocks::Bits(bits) = blocks {
                            found = found || bits.get(number(), &mut held[0])?;
                        }
                    }
                    found
                }
            },
        };
        Ok(has.then_some(Value::Win(depth as u32)))
    }
}
