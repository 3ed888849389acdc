//! Looks up values that a job has kept tier by tier. A state has two bits, which stand for a win, a draw or a loss, or
//! for a state that play does not reach.

use std::sync::Arc;

use crate::dense::placement::cell_sets::SetImages;
use crate::dense::placement::shape::PlacementShape;
use crate::error::Result;
use crate::index::{Cells, PlacementIndex, choose, rank_subset};
use crate::job::{Job, RecentBlocks, TierBlocks};
use crate::rules::{Symbol, Varying};
use crate::run::Worth;

/// The place of a placement's two bits in the file of a tier. Places compare in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TierPlace {
    /// The word that has the first of the two bits, which says that the player to move loses.
    pub word: u64,
    /// The place of the bit in that word.
    pub bit: u8,
}

/// The values of a tier.
#[derive(Debug)]
pub struct KeptTier {
    index: PlacementIndex,
    /// The cells that play can change; `None` if it can change all of them.
    varying: Option<Arc<Varying>>,
    images: SetImages,
    /// The sets of first marks that have a row.
    rows: Vec<Cells>,
    /// The number of words that have one bit for each column. A row has twice as many words: "lost", and then "not
    /// won".
    stride: usize,
    blocks: TierBlocks,
}

impl KeptTier {
    /// The values of a depth of a job; `None` if play is over in all states of the depth, so that their values follow
    /// from the rules alone.
    pub(in crate::dense) fn open(
        shape: &PlacementShape,
        varying: Option<Arc<Varying>>,
        job: &Job,
        depth: usize,
    ) -> Result<Option<Self>> {
        let (index, images) = (&shape.index, SetImages::new(&shape.symmetries));
        if depth as u64 > index.last_depth() {
            return Err(job.lacks(depth));
        }
        let [firsts, seconds] = index.counts(depth as u64);
        let rows = images.canonical(index.cells, firsts);
        let stride = choose(index.cells - firsts, seconds).div_ceil(64) as usize;
        let blocks = job.tier(depth, rows.len() * 2 * stride * 8)?;
        Ok(blocks.map(|blocks| Self { index: index.clone(), varying, images, rows, stride, blocks }))
    }

    /// The place of a state's two bits; `None` if the state is no placement of this tier.
    pub fn place(&self, state: &[Symbol]) -> Option<TierPlace> {
        let [first, second] = match &self.varying {
            Some(varying) => self.index.sets(&varying.part(state)?)?,
            None => self.index.sets(state)?,
        };
        let (image, element) = self.images.to_smallest(first);
        let cells = &self.images.elements[element];
        let carried = (0..cells.len()).filter(|cell| second >> cell & 1 != 0);
        let second = carried.fold(0, |set: Cells, cell| set | 1 << cells[cell]);
        let row = self.rows.binary_search(&image).ok()?;
        let column = rank_subset(self.index.within(image, second)) as usize;
        let word = (row * 2 * self.stride + column / 64) as u64;
        (column / 64 < self.stride).then_some(TierPlace { word, bit: (column % 64) as u8 })
    }

    /// The value of the open state at a place for the player to move; `None` if play does not reach it. `recent` keeps
    /// the blocks that were read, and serves only this tier.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if a block has changed since it was written.
    pub fn worth(&self, place: TierPlace, recent: &mut RecentBlocks<Vec<u8>>) -> Result<Option<Worth>> {
        let word = place.word as usize;
        let lost = self.word(word, recent)? >> place.bit & 1 != 0;
        let unwon = self.word(word + self.stride, recent)? >> place.bit & 1 != 0;
        Ok(match (lost, unwon) {
            (false, false) => Some(Worth::Win),
            (false, true) => Some(Worth::Draw),
            (true, true) => Some(Worth::Loss),
            (true, false) => None,
        })
    }

    fn word(&self, word: usize, recent: &mut RecentBlocks<Vec<u8>>) -> Result<u64> {
        let (block, at) = (word * 8 / TierBlocks::BYTES, word * 8 % TierBlocks::BYTES);
        let block = recent.get(block, || self.blocks.block(block))?;
        Ok(bytemuck::pod_read_unaligned(&block[at..at + 8]))
    }
}
