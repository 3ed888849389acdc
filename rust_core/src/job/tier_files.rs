//! Values of a tier of the dense store in a file: two bits for each placement, in blocks that can be read by
//! themselves. `docs/values.md` and `docs/jobs.md` explain them to users.

use super::blocks::{Blocks, BlocksWriter};
use super::codec::FRAME_BYTES;
use super::folder::Job;
use super::kinds::Kind;
use crate::error::Result;

impl Job {
    /// Writes the values of the states of a depth, if the depth has open states. The file becomes part of the job with
    /// [`Self::commit_values`].
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`] if it cannot be written.
    pub fn write_tier(&mut self, depth: usize, bytes: &[u8]) -> Result<()> {
        if self.manifest().depths[depth].open == 0 {
            return Ok(());
        }
        self.write_beside(depth, Kind::Values, |to| {
            let mut writer = BlocksWriter::default();
            for block in bytes.chunks(TierBlocks::BYTES) {
                writer.write(block, &[], to)?;
            }
            writer.finish(to)
        })
    }

    /// Opens the file that [`Self::write_tier`] wrote, with `bytes` bytes of values; `None` if the depth has no open
    /// state.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file has changed since it was written.
    pub fn tier(&self, depth: usize, bytes: usize) -> Result<Option<TierBlocks>> {
        if self.manifest().depths[depth].open == 0 {
            return Ok(None);
        }
        let blocks = Blocks::open(self.parts_of(depth, Kind::Values)?, 0, TierBlocks::BYTES)?;
        if blocks.len() != bytes.div_ceil(TierBlocks::BYTES) {
            return Err(self.lacks(depth));
        }
        Ok(Some(TierBlocks { blocks, bytes }))
    }
}

/// The values of a tier, read block by block in any order.
#[derive(Debug)]
pub struct TierBlocks {
    blocks: Blocks,
    bytes: usize,
}

impl TierBlocks {
    /// The number of bytes of a block, except the last one.
    pub const BYTES: usize = FRAME_BYTES;

    /// The content of a block.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if it has changed since it was written.
    pub fn block(&self, block: usize) -> Result<Vec<u8>> {
        let content = self.blocks.read(block)?;
        if content.len() != Self::BYTES.min(self.bytes - block * Self::BYTES) {
            return Err(self.blocks.wrong("a block has another length"));
        }
        Ok(content)
    }
}
