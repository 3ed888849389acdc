//! How far values have spread, in a file that is kept from time to time and dropped when all of them are written: the code
//! of each state, in the order in which the search numbers them. `job/values.rs` says what a code is; 0 also stands for a
//! state of which nothing is known yet.

use super::blocks::{Blocks, BlocksWriter, number_at};
use super::folder::Job;
use super::kinds::{FileName, Kind};
use super::stage::{SpreadEntry, ValuesStage};
use crate::error::{Error, Result};

/// How many codes a block has.
const AT_ONCE: usize = 1 << 14;

impl Job {
    /// Keeps the codes of all states, in place of those that were kept before. `code_at` tells that of each number.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn keep_spread(&mut self, moves: u32, count: usize, code_at: &dyn Fn(usize) -> u32) -> Result<()> {
        let stage = self.manifest().values.clone().unwrap_or_default();
        let run = stage.spread.as_ref().and_then(SpreadEntry::number).map_or(0, |number| number + 1);
        let name = FileName { depth: 0, run: Some(run), sending: None, kind: Kind::Spread };
        let file = self.write_named(name, |to| {
            let mut writer = BlocksWriter::default();
            for begin in (0..count).step_by(AT_ONCE) {
                let codes = (begin..count.min(begin + AT_ONCE)).map(code_at);
                writer.write(&codes.flat_map(u32::to_le_bytes).collect::<Vec<u8>>(), &[], to)?;
            }
            writer.finish(to)
        })?;
        self.save_values(ValuesStage { spread: Some(SpreadEntry { moves, file }), ..stage })?;
        self.sweep();
        Ok(())
    }

    /// Reads what [`Self::keep_spread`] kept of `count` states, and tells `found` each number with its code. Returns the
    /// moves; 0 if nothing is kept.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if it is not what was written.
    pub fn read_spread(&self, count: usize, found: &mut dyn FnMut(usize, u32)) -> Result<u32> {
        let Some(spread) = self.manifest().values.as_ref().and_then(|stage| stage.spread.as_ref()) else {
            return Ok(0);
        };
        let wrong = || {
            Error::Corrupt(format!(
                "{} is not what was written; resume with --drop-partial, which finds the values from the beginning",
                self.folder().join(&spread.file.name).display()
            ))
        };
        let blocks = Blocks::open(self.in_parts(&spread.file).map_err(|_| wrong())?, 0).map_err(|_| wrong())?;
        if blocks.len() != count.div_ceil(AT_ONCE) {
            return Err(wrong());
        }
        for block in 0..blocks.len() {
            let (begin, content) = (block * AT_ONCE, blocks.read(block).map_err(|_| wrong())?);
            if content.len() != 4 * AT_ONCE.min(count - begin) {
                return Err(wrong());
            }
            for at in 0..content.len() / 4 {
                let code = number_at(&content, 4 * at, 4) as u32;
                if code > 2 * spread.moves + 3 {
                    return Err(wrong());
                }
                found(begin + at, code);
            }
        }
        Ok(spread.moves)
    }
}
