//! Values that a job has kept tier by tier, looked up. Two bits are read of a state: they say what it is worth, or that
//! play does not reach it.

use std::collections::HashMap;

use crate::dense::placement::masks::SetImages;
use crate::dense::placement::shape::PlacementShape;
use crate::error::Result;
use crate::index::{Cells, PlacementIndex, choose, rank_subset};
use crate::job::{Job, TierBlocks};
use crate::rules::Symbol;
use crate::run::Worth;

/// How many blocks are remembered: 4 MiB.
const MOST_BLOCKS: usize = 64;

/// Blocks that were read, so that states that lie close together are read once.
#[derive(Debug, Default)]
pub struct BlockCache(HashMap<usize, Vec<u8>>);

/// The values of a tier.
#[derive(Debug)]
pub struct KeptTier {
    index: PlacementIndex,
    images: SetImages,
    /// The sets of first marks that have a row.
    rows: Vec<Cells>,
    /// How many words hold a bit for each column.
    stride: usize,
    blocks: TierBlocks,
}

impl KeptTier {
    /// The values of a depth of a job; `None` if play is over in all its states, so that the rules tell their values.
    pub(in crate::dense) fn open(shape: &PlacementShape, job: &Job, depth: usize) -> Result<Option<Self>> {
        let (index, images) = (&shape.index, SetImages::new(&shape.symmetries));
        if depth as u64 > index.last_depth() {
            return Err(job.lacks(depth));
        }
        let [firsts, seconds] = index.counts(depth as u64);
        let rows = images.canonical(index.cells, firsts);
        let stride = choose(index.cells - firsts, seconds).div_ceil(64) as usize;
        let blocks = job.tier(depth, rows.len() * 2 * stride * 8)?;
        Ok(blocks.map(|blocks| Self { index: index.clone(), images, rows, stride, blocks }))
    }

    /// What an open state of this tier is worth to the player to move; `None` if play does not reach it.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if what is read is not what was written.
    pub fn find(&self, state: &[Symbol], cache: &mut BlockCache) -> Result<Option<Worth>> {
        let Some([first, second]) = self.index.sets(state) else { return Ok(None) };
        let (image, element) = self.images.to_smallest(first);
        let cells = &self.images.elements[element];
        let carried = (0..cells.len()).filter(|cell| second >> cell & 1 != 0);
        let second = carried.fold(0, |set: Cells, cell| set | 1 << cells[cell]);
        let Ok(row) = self.rows.binary_search(&image) else { return Ok(None) };
        let column = rank_subset(self.index.within(image, second)) as usize;
        let (word, bit) = (row * 2 * self.stride + column / 64, column % 64);
        if column / 64 >= self.stride {
            return Ok(None);
        }
        let lost = self.word(word, cache)? >> bit & 1 != 0;
        let unwon = self.word(word + self.stride, cache)? >> bit & 1 != 0;
        Ok(match (lost, unwon) {
            (false, false) => Some(Worth::Win),
            (false, true) => Some(Worth::Draw),
            (true, true) => Some(Worth::Loss),
            (true, false) => None,
        })
    }

    fn word(&self, word: usize, cache: &mut BlockCache) -> Result<u64> {
        let (block, at) = (word * 8 / TierBlocks::BYTES, word * 8 % TierBlocks::BYTES);
        if !cache.0.contains_key(&block) {
            if cache.0.len() >= MOST_BLOCKS {
                cache.0.clear();
            }
            cache.0.insert(block, self.blocks.block(block)?);
        }
        Ok(bytemuck::pod_read_unaligned(&cache.0[&block][at..at + 8]))
    }
}
