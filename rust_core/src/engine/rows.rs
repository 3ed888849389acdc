//! The states of a job as rows: what each is, how many states it stands for, and how it ended.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

use rayon::prelude::*;

use super::jobs::JobFolder;
use super::{Engine, KEY_PERSONALISATION, State};
use crate::compile::{Compiled, Images, Word};
use crate::error::Result;
use crate::job::{DepthEntry, Manifest};
use crate::run::{Options, Watch};

/// How many states are looked at by one thread at a time.
const AT_ONCE: usize = 1 << 12;

/// Which depths of a job to read, and how many states at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first depth.
    pub first: u64,
    /// The last one; the last that is done where it is beyond that.
    pub last: u64,
    /// How many states at a time.
    pub rows: usize,
}

impl Default for Span {
    fn default() -> Self {
        Self { first: 0, last: u64::MAX, rows: 1 << 18 }
    }
}

/// The most bytes of states that are held at a time if it does not matter how many states that are.
const MOST_BYTES: usize = 8 << 20;

impl Span {
    /// The same with fewer states at a time if each has so many cells that they would take much memory.
    fn within(self, cells: usize) -> Self {
        // The symbols of a state, and about as much again for its packed words.
        Self { rows: self.rows.min(MOST_BYTES / (2 * cells)).max(AT_ONCE), ..self }
    }

    /// The depths among those that are done.
    pub fn of(&self, depths: &[DepthEntry]) -> Range<usize> {
        let end = (self.last.saturating_add(1)).min(depths.len() as u64);
        self.first.min(end) as usize..end as usize
    }
}

/// What takes rows.
pub(super) type Found<'a> = &'a mut (dyn FnMut(Rows) -> Result<()> + Send);

/// Packed states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packed {
    /// Each in a number: cell 0 in the highest bits that are used.
    Numbers(Vec<u64>),
    /// Each in so many bytes, the most significant first.
    Bytes(usize, Vec<u8>),
}

/// Some states of one depth, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// The depth.
    pub depth: u64,
    /// The player to move.
    pub player: usize,
    /// The states as packed words.
    pub packed: Packed,
    /// The states as symbols, one after the other.
    pub cells: Vec<u8>,
    /// How many states each stands for, itself included.
    pub orbit_sizes: Vec<u32>,
    /// How each ended, as a place among the outcomes; `None` where play goes on.
    pub outcomes: Vec<Option<u16>>,
}

impl Rows {
    pub(super) fn new<W: Word>(
        compiled: &Compiled<W>,
        images: &Images<W>,
        words: &[W],
        (depth, player): (u64, usize),
    ) -> Self {
        let width = compiled.layout.cells();
        let mut rows = Self {
            depth,
            player,
            packed: Packed::Numbers(Vec::new()),
            cells: vec![0; words.len() * width],
            orbit_sizes: vec![0; words.len()],
            outcomes: vec![None; words.len()],
        };
        let mut bytes = vec![0; words.len() * W::BYTES];
        let chunks = words.par_chunks(AT_ONCE).zip(rows.cells.par_chunks_mut(AT_ONCE * width));
        let chunks = chunks.zip(rows.orbit_sizes.par_chunks_mut(AT_ONCE)).zip(rows.outcomes.par_chunks_mut(AT_ONCE));
        chunks.zip(bytes.par_chunks_mut(AT_ONCE * W::BYTES)).for_each(
            |((((words, cells), orbit_sizes), outcomes), bytes)| {
                for (at, &word) in words.iter().enumerate() {
                    compiled.layout.unpack(word, &mut cells[at * width..][..width]);
                    orbit_sizes[at] = images.orbit_size(word) as u32;
                    outcomes[at] = compiled.outcome(word, player).map(|outcome| outcome as u16);
                    word.to_bytes(&mut bytes[at * W::BYTES..][..W::BYTES]);
                }
            },
        );
        rows.packed = if W::BYTES > 8 {
            Packed::Bytes(W::BYTES, bytes)
        } else {
            let number = |bytes: &[u8]| bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
            Packed::Numbers(bytes.chunks_exact(W::BYTES).map(number).collect())
        };
        rows
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.orbit_sizes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.orbit_sizes.is_empty()
    }

    /// The state in a row.
    pub fn state(&self, row: usize) -> State {
        State { cells: self.cells_of(row).to_vec(), player: self.player }
    }

    /// The symbols of the state in a row.
    fn cells_of(&self, row: usize) -> &[u8] {
        let width = self.cells.len() / self.len();
        &self.cells[row * width..][..width]
    }
}

/// One of the states that are farthest away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hard {
    /// Its depth.
    pub depth: u64,
    /// The state.
    pub state: State,
    /// How many states it stands for.
    pub orbit_size: u32,
    /// How it ended.
    pub outcome: Option<u16>,
}

/// States of one depth in order of their symbols.
struct BySymbols(Hard);

impl Ord for BySymbols {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.state.cells.cmp(&other.0.state.cells)
    }
}

impl PartialOrd for BySymbols {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for BySymbols {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for BySymbols {}

impl Engine {
    /// Reads the states of a job, depth by depth, and calls `found` with some at a time: each once up to symmetry, as the
    /// smallest of its images. Another process may go on with the job meanwhile: what is done when it is opened is read.
    ///
    /// # Errors
    ///
    /// As [`Engine::verify_job`]; those of `found`.
    pub fn read_job(
        &self,
        folder: &JobFolder,
        span: &Span,
        watch: Watch,
        found: &mut (dyn FnMut(Rows) -> Result<()> + Send),
    ) -> Result<Manifest> {
        let opened = self.look(&Options::default(), folder)?;
        self.machine.read(&opened, span, watch, found)?;
        Ok(opened.job.manifest().clone())
    }

    /// For each depth of a job, the sum of the digests of its states, modulo 2 to the power 128: a number that tells sets of
    /// states apart and does not depend on their order. A state's digest is made as [`Engine::key`] is, from the smallest of
    /// its images under the symmetries that the job counts by.
    ///
    /// # Errors
    ///
    /// As [`Engine::read_job`].
    pub fn hash_job(&self, folder: &JobFolder, watch: Watch) -> Result<Vec<u128>> {
        let mut sums = vec![0u128; Manifest::of_folder(&folder.folder)?.depths.len()];
        // The job may have gone on since.
        let Some(last) = (sums.len() as u64).checked_sub(1) else { return Ok(sums) };
        let span = Span { last, ..Span::default() }.within(self.rules().cells());
        self.read_job(folder, &span, watch, &mut |rows| {
            let cells = rows.cells.par_chunks(rows.cells.len() / rows.len());
            let sum = cells.map(|cells| digest(rows.player, cells)).reduce(|| 0, u128::wrapping_add);
            let total = &mut sums[rows.depth as usize];
            *total = total.wrapping_add(sum);
            Ok(())
        })?;
        Ok(sums)
    }

    /// The states of a job that are farthest away, the deepest first and then the smallest: so many, or all.
    ///
    /// # Errors
    ///
    /// As [`Engine::read_job`].
    pub fn hardest(&self, folder: &JobFolder, count: usize, watch: Watch) -> Result<Vec<Hard>> {
        let mut hardest: Vec<Hard> = Vec::new();
        let depths = Manifest::of_folder(&folder.folder)?.depths.len() as u64;
        for depth in (0..depths).rev() {
            let wanted = count - hardest.len();
            if wanted == 0 {
                break;
            }
            let span = Span { first: depth, last: depth, ..Span::default() }.within(self.rules().cells());
            // The smallest states so far, the largest of them on top. Each list of rows is in order, and all together need not be.
            let mut smallest: BinaryHeap<BySymbols> = BinaryHeap::new();
            self.read_job(folder, &span, watch, &mut |rows| {
                for row in 0..rows.len() {
                    if smallest.len() == wanted {
                        match smallest.peek_mut() {
                            Some(largest) if rows.cells_of(row) < &largest.0.state.cells[..] => PeekMut::pop(largest),
                            _ => break,
                        };
                    }
                    smallest.push(BySymbols(Hard {
                        depth,
                        state: rows.state(row),
                        orbit_size: rows.orbit_sizes[row],
                        outcome: rows.outcomes[row],
                    }));
                }
                Ok(())
            })?;
            hardest.extend(smallest.into_sorted_vec().into_iter().map(|BySymbols(hard)| hard));
        }
        Ok(hardest)
    }
}

/// The digest of a state: see [`Engine::key`].
pub(super) fn digest(player: usize, cells: &[u8]) -> u128 {
    let hash = blake2b_simd::Params::new()
        .hash_length(16)
        .personal(KEY_PERSONALISATION)
        .to_state()
        .update(&[player as u8])
        .update(cells)
        .finalize();
    hash.as_bytes().iter().fold(0, |key, &byte| key << 8 | u128::from(byte))
}
