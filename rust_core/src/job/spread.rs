//! Checkpoint files of values that spread backward; they are dropped when all values are written. A file has the code
//! of each state, in the order in which the search numbers the states. `job/values.rs` explains codes; here, 0 also
//! stands for a state of which nothing is known yet. In a game with a score, [`BY_SECOND`] may be added to a code.
//!
//! If states lie in tiers, a file has all states of some successive tiers, the last tier first. One more file has the
//! tier in which values are spreading now.

use super::blocks::{Blocks, BlocksWriter, number_at, sum_of};
use super::disk::FileEntry;
use super::folder::Job;
use super::kinds::{FileName, Kind};
use super::stage::{LongestEntry, SpreadEntry, TiersEntry, TiersStage, ValuesStage};
use crate::error::{Error, Result};

/// The number of codes in a block.
const AT_ONCE: usize = 1 << 14;

/// In a game with a score, this is added to the code of a state if the search for what the second player can force has
/// found it.
pub const BY_SECOND: u32 = 1 << 31;

impl Job {
    /// Keeps the codes of all states, or of the tier in which values spread now, in place of the codes that were kept
    /// before. `moves` and `decided` are those of [`SpreadEntry`]. `code_at` returns the code of each number.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn keep_spread(
        &mut self,
        moves: u32,
        decided: Option<u64>,
        count: usize,
        code_at: &dyn Fn(usize) -> u32,
    ) -> Result<()> {
        let file = self.write_codes(count, code_at)?;
        let stage = self.manifest().values.clone().unwrap_or_default();
        self.save_values(ValuesStage { spread: Some(SpreadEntry { moves, decided, file }), ..stage })?;
        self.remove_leftovers();
        Ok(())
    }

    /// Reads the codes of `count` states that [`Self::keep_spread`] kept, and calls `found` with the number of each
    /// state and its code. Returns the number of moves up to which values had spread, or the most points of any score;
    /// 0 if nothing is kept.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the file has changed since it was written.
    pub fn read_spread(&self, count: usize, found: &mut dyn FnMut(usize, u32)) -> Result<u32> {
        let Some(spread) = self.manifest().values.as_ref().and_then(|stage| stage.spread.as_ref()) else {
            return Ok(0);
        };
        let codes = self.open_codes(&spread.file, count)?;
        for begin in (0..count).step_by(AT_ONCE) {
            for (number, code) in (begin..).zip(codes.read(begin, AT_ONCE.min(count - begin))?) {
                if (if spread.decided.is_some() { code & !BY_SECOND } else { code }) > 2 * spread.moves + 3 {
                    return Err(codes.wrong());
                }
                found(number, code);
            }
        }
        Ok(spread.moves)
    }

    /// Notes in the manifest that values are found tier by tier, in `count` tiers. `bytes` describes the tiers: equal
    /// bytes mean equal tiers. If the job has a checkpoint of values that spread through all states at once, it is
    /// dropped, because the states of a tier have other numbers.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the job has values of other tiers; [`Error::Disk`].
    pub fn begin_tiers(&mut self, count: usize, bytes: &[u8]) -> Result<()> {
        let new = TiersStage { count: count as u64, sum: LongestEntry::digits(&sum_of(bytes)), done: Vec::new() };
        let stage = self.manifest().values.clone().unwrap_or_default();
        match &stage.tiers {
            None => {
                self.save_values(ValuesStage { tiers: Some(new), spread: None, listing: None, ..stage })?;
                self.remove_leftovers();
                Ok(())
            }
            Some(known) if (known.count, &known.sum) == (new.count, &new.sum) => Ok(()),
            Some(_) => Err(Error::Job(format!(
                "the job in {} has values of other tiers than this version finds; resume it with the version that \
                 wrote them, or with --drop-partial, which finds the values from the beginning",
                self.folder().display()
            ))),
        }
    }

    /// Keeps the codes of further tiers: tier `first` and all later tiers of which no codes are kept yet. The last of
    /// these tiers comes first in `codes`.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn keep_tiers(&mut self, first: usize, codes: &[u32]) -> Result<()> {
        let file = self.write_codes(codes.len(), &|number| codes[number])?;
        let mut stage = self.manifest().values.clone().unwrap_or_default();
        if let Some(tiers) = &mut stage.tiers {
            tiers.done.push(TiersEntry { first: first as u64, states: codes.len() as u64, file });
        }
        self.save_values(ValuesStage { spread: None, listing: None, ..stage })?;
        self.remove_leftovers();
        Ok(())
    }

    /// The tiers whose values are kept, in the order in which they were found.
    pub fn kept_tiers(&self) -> &[TiersEntry] {
        self.manifest().values.as_ref().and_then(|stage| stage.tiers.as_ref()).map_or(&[], |tiers| &tiers.done)
    }

    /// The codes of the tiers of an entry, which have `count` states.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the file has changed since it was written, or the entry has another number of states.
    pub fn tier_codes(&self, entry: &TiersEntry, count: usize) -> Result<KeptCodes> {
        if entry.states != count as u64 {
            return Err(Error::Corrupt(self.wrong_spread(&entry.file)));
        }
        self.open_codes(&entry.file, count)
    }

    /// The number of the next file that is kept while values spread.
    pub(super) fn next_spread(&self) -> u64 {
        let stage = self.manifest().values.as_ref();
        let files = stage.into_iter().flat_map(ValuesStage::spread_files);
        let last = files.filter_map(|file| FileName::read(&file.name)?.run).max();
        last.map_or(0, |number| number + 1)
    }

    fn write_codes(&self, count: usize, code_at: &dyn Fn(usize) -> u32) -> Result<FileEntry> {
        let run = Some(self.next_spread());
        self.write_named(FileName { depth: 0, run, sending: None, kind: Kind::Spread }, |to| {
            let mut writer = BlocksWriter::default();
            for begin in (0..count).step_by(AT_ONCE) {
                let codes = (begin..count.min(begin + AT_ONCE)).map(code_at);
                writer.write(&codes.flat_map(u32::to_le_bytes).collect::<Vec<u8>>(), &[], to)?;
            }
            writer.finish(to)
        })
    }

    fn open_codes(&self, file: &FileEntry, count: usize) -> Result<KeptCodes> {
        let wrong = self.wrong_spread(file);
        let blocks = self.in_parts(file).and_then(|parts| Blocks::open(parts, 0, 4 * AT_ONCE));
        match blocks {
            Ok(blocks) if blocks.len() == count.div_ceil(AT_ONCE) => Ok(KeptCodes { blocks, count, wrong }),
            _ => Err(Error::Corrupt(wrong)),
        }
    }

    /// The message for a file that is kept while values spread, if it has changed since it was written.
    pub(super) fn wrong_spread(&self, file: &FileEntry) -> String {
        format!(
            "{} is not what was written; resume with --drop-partial, which finds the values from the beginning",
            self.folder().join(&file.name).display()
        )
    }
}

/// Codes that are kept, read in any order.
#[derive(Debug)]
pub struct KeptCodes {
    blocks: Blocks,
    count: usize,
    wrong: String,
}

impl KeptCodes {
    /// Reads `count` codes from the one with the number `begin` on.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if they have changed since they were written.
    pub fn read(&self, begin: usize, count: usize) -> Result<Vec<u32>> {
        let end = begin.checked_add(count).filter(|&end| end <= self.count).ok_or_else(|| self.wrong())?;
        let mut codes = Vec::with_capacity(count);
        for block in begin / AT_ONCE..end.div_ceil(AT_ONCE) {
            let first = block * AT_ONCE;
            let content = self.blocks.read(block).map_err(|_| self.wrong())?;
            if content.len() != 4 * AT_ONCE.min(self.count - first) {
                return Err(self.wrong());
            }
            let wanted = begin.max(first)..end.min(first + AT_ONCE);
            codes.extend(wanted.map(|number| number_at(&content, 4 * (number - first), 4) as u32));
        }
        Ok(codes)
    }

    fn wrong(&self) -> Error {
        Error::Corrupt(self.wrong.clone())
    }
}
