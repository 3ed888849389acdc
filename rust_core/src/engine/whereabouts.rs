//! Finds the depths of many states in a job. In each depth that may have some of them, it reads only the blocks that
//! may have them, each once.

use std::ops::RangeInclusive;
use std::sync::{Arc, OnceLock};

use super::jobs::Opened;
use super::machine::Machine;
use crate::dense::Dense;
use crate::error::{Error, Result};
use crate::job::{DepthBlocks, Job, RecentBlocks};
use crate::run::{Progress, Watch};
use crate::sorting;

/// A job with a file of checksums for each depth, in which states are looked for.
pub(super) struct Whereabouts {
    pub job: Job,
    machine: Arc<dyn Machine>,
    dense: Option<Dense>,
    symmetry: bool,
    /// The number of cells of a state.
    cells: usize,
    depths: Vec<OnceLock<DepthBlocks>>,
}

/// States that are looked for, each with its number, in the order in which a job has them.
enum Keys {
    Bits(Vec<(u64, usize)>),
    Words(Vec<(Vec<u8>, usize)>),
}

impl Whereabouts {
    /// A look-up in an open job whose states have `cells` cells. It looks only at depths that are done by now.
    pub fn new(Opened { job, options, choice, machine }: Opened, cells: usize) -> Self {
        let depths = job.manifest().depths.iter().map(|_| OnceLock::new()).collect();
        Self { job, machine, dense: choice.dense, symmetry: options.symmetry, cells, depths }
    }

    /// The last depth.
    pub fn last(&self) -> u64 {
        (self.depths.len() as u64).saturating_sub(1)
    }

    /// The depth of each state of a puzzle, given as rows; `None` for a state that the job does not have. Of the depths
    /// in `among`, those near `around` are looked at first.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if what is read is not what was written, [`Error::Stopped`] if the watch stops it.
    pub fn depths_of(
        &self,
        rows: &[u8],
        around: u64,
        among: RangeInclusive<u64>,
        watch: Watch,
    ) -> Result<Vec<Option<u32>>> {
        let mut found = vec![None; rows.len() / self.cells];
        let mut keys = self.keys(rows);
        let mut order: Vec<u64> = among.filter(|&depth| depth <= self.last()).collect();
        sorting::sort_by_key(&mut order, |&depth| (depth.abs_diff(around), depth));
        for depth in order {
            if keys.is_empty() {
                break;
            }
            if watch(&Progress::default()).is_break() {
                return Err(Error::Stopped);
            }
            let blocks = self.blocks(depth as usize)?;
            // Keys are in order, so no block is needed again after the next one.
            let recent = || RecentBlocks::new(1);
            match (&mut keys, blocks) {
                (Keys::Bits(bits), DepthBlocks::Bits(blocks)) => {
                    let mut recent = recent();
                    for &(bit, number) in &*bits {
                        if blocks.get(bit, &mut recent)? {
                            found[number] = Some(depth as u32);
                        }
                    }
                    bits.retain(|&(_, number)| found[number].is_none());
                }
                (Keys::Words(words), DepthBlocks::Words(files)) => {
                    for file in files {
                        let mut recent = recent();
                        for (word, number) in &*words {
                            if file.find(word, &mut recent)?.is_some() {
                                found[*number] = Some(depth as u32);
                            }
                        }
                    }
                    words.retain(|&(_, number)| found[number].is_none());
                }
                _ => return Err(self.job.lacks(depth as usize)),
            }
        }
        Ok(found)
    }

    /// The keys of states. States are left out if a cell holds a symbol that no state of the job has there.
    fn keys(&self, rows: &[u8]) -> Keys {
        let rows = rows.chunks_exact(self.cells).enumerate();
        if let Some(dense) = &self.dense {
            let reading = dense.reading(0);
            let mut bits: Vec<(u64, usize)> =
                rows.filter_map(|(number, row)| Some((reading.bit(row)?, number))).collect();
            bits.sort_unstable();
            return Keys::Bits(bits);
        }
        let mut words = Vec::new();
        for (number, row) in rows.filter(|(_, row)| self.machine.varying().stranger(row).is_none()) {
            let mut word = Vec::with_capacity(self.job.word_bytes());
            self.machine.words_of_rows(row, self.symmetry, &mut word);
            words.push((word, number));
        }
        words.sort_unstable();
        Keys::Words(words)
    }

    /// The blocks of a depth, listed when they are first asked for.
    fn blocks(&self, depth: usize) -> Result<&DepthBlocks> {
        if let Some(blocks) = self.depths[depth].get() {
            return Ok(blocks);
        }
        let blocks = self.job.blocks_of(depth)?;
        Ok(self.depths[depth].get_or_init(|| blocks))
    }
}

impl Keys {
    fn is_empty(&self) -> bool {
        match self {
            Self::Bits(bits) => bits.is_empty(),
            Self::Words(words) => words.is_empty(),
        }
    }
}
