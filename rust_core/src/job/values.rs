//! The values of states in files: beside each file of open states is a file with two bits for each state, and one with
//! the numbers of moves to the end. `docs/values.md` and `docs/jobs.md` explain them to users.
//!
//! A value is a number here, its *code*: 0 for a state in which neither player can force an end, 1 for any other draw,
//! `2 + 2 m` for a win in `m` moves, and `3 + 2 m` for a loss in `m` moves. So a win in 3 is 8. Two bits distinguish 0,
//! 1, any win (2) and any loss (3). States in which play is over are not in these files, because their values follow
//! from the rules.
//!
//! A block has the values of the states of one frame of the file of words, and notes that frame. Take a frame of five
//! states with the codes 0, 1, 8, 5 and 2: their bits are 0, 1, 2, 3 and 2, and with the first state in the lowest bits
//! the block of bits is `11_10_01_00 10`. The moves are 0, 0, 3, 1 and 0. They are written in planes, all lowest bytes
//! first, and as few planes as the largest number needs.

use super::blocks::{Blocks, BlocksWriter};
use super::codec::FRAME_WORDS;
use super::disk::{FileEntry, NewFile};
use super::folder::Job;
use super::frames::{Frames, note_bytes};
use super::kinds::{FileName, Kind};
use super::recent::RecentBlocks;
use super::stage::{ValuesEntry, ValuesStage};
use crate::error::{Error, Result};

/// The two bits of a code that are kept in the file of values.
fn bits_of(code: u32) -> u8 {
    if code < 2 { code as u8 } else { 2 + (code & 1) as u8 }
}

impl Job {
    /// Notes that the values of all states are to be found once all states are found.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn begin_values(&mut self, distances: bool) -> Result<()> {
        self.save_values(ValuesStage { distances, ..ValuesStage::default() })
    }

    /// Makes the files that [`Job::write_values`] wrote part of the job. The stage stays the same, except that `entry`
    /// is the next depth, and the counts over all depths are those of `so_far`.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn commit_values(&mut self, entry: &ValuesEntry, so_far: ValuesStage) -> Result<()> {
        let mut manifest = self.manifest().clone();
        let ValuesStage { mut depths, spread, listing, tiers, .. } = manifest.values.take().unwrap_or_default();
        depths.push(ValuesEntry { files: self.take_staged(), ..entry.clone() });
        // Checkpoints of values that spread are not needed any more once all values are written. A shard keeps its own
        // until the whole job counts the values: if the run ends before that, they are written again.
        let subject = &self.manifest().subject;
        let (divided, of_shard) = (subject.is_divided(), subject.shard.is_some());
        let whole = depths.len() == self.manifest().depths.len() && !of_shard;
        let dropped = whole && (spread.is_some() || listing.is_some() || tiers.is_some());
        manifest.values = Some(if whole {
            ValuesStage { depths, ..so_far }
        } else {
            ValuesStage { depths, spread, listing, tiers, ..so_far }
        });
        if whole && !divided {
            // No process drives a job that has all states and values it was begun for, so its epoch is 0.
            manifest.epoch = 0;
        }
        self.save(manifest)?;
        if dropped {
            self.remove_leftovers();
        }
        Ok(())
    }

    /// Keeps only the values of the last `count` depths of a shard, which the whole job counts, and drops all others.
    /// If these are all depths, the checkpoint of values that spread is not needed any more, and is dropped, too.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn keep_last_values(&mut self, count: usize) -> Result<()> {
        self.unstage();
        let Some(stage) = self.manifest().values.clone() else { return Ok(()) };
        let mut kept = stage.clone();
        kept.depths.truncate(count);
        if kept.depths.len() == self.manifest().depths.len() {
            kept.spread = None;
        }
        if kept != stage {
            self.save_values(kept)?;
            self.remove_leftovers();
        }
        Ok(())
    }

    /// The number of bytes of a packed word.
    pub fn word_bytes(&self) -> usize {
        self.manifest().subject.word_bits / 8
    }

    /// The stage of values, if all of them are known.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if they are not.
    pub fn whole_values(&self) -> Result<&ValuesStage> {
        let manifest = self.manifest();
        manifest.values.as_ref().filter(|_| manifest.has_values()).ok_or_else(|| {
            Error::Job(format!(
                "the job in {} does not have the values of all its states; puzzlekit values --out finds them",
                self.folder().display()
            ))
        })
    }

    /// Writes the values of the open states of a completed depth, in the order of their file. `code_at` returns the
    /// code at each place. With `distances`, writes the numbers of moves, too. The files become part of the job with
    /// [`Self::commit_values`].
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] if they cannot be written, [`Error::Corrupt`] if the depth has another number of open states.
    pub fn write_values(&mut self, depth: usize, code_at: &dyn Fn(usize) -> u32, distances: bool) -> Result<()> {
        let Some(mut writer) = self.new_values(depth, distances)? else { return Ok(()) };
        let count = self.manifest().depths[depth].open as usize;
        for begin in (0..count).step_by(FRAME_WORDS) {
            let codes: Vec<u32> = (begin..count.min(begin + FRAME_WORDS)).map(code_at).collect();
            writer.write(self, &codes)?;
        }
        writer.keep(self)
    }

    /// Begins the files of the values of a completed depth, for codes that come in the order of the depth's open
    /// states. `None` if the depth has no open state.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::write_values`].
    pub fn new_values(&self, depth: usize, distances: bool) -> Result<Option<NewValues>> {
        let open = self.manifest().depths[depth].open;
        if open == 0 {
            return Ok(None);
        }
        let frames = Frames::of_file(self.parts_of(depth, Kind::Open)?, self.word_bytes())?;
        if frames.notes().count() as u64 != open.div_ceil(FRAME_WORDS as u64) {
            return Err(self.lacks(depth));
        }
        let begin = |kind: Kind| self.begin_blocks(FileName { depth: depth as u64, run: None, sending: None, kind });
        let values = begin(Kind::Values)?;
        let distances = if distances { Some(begin(Kind::Distances)?) } else { None };
        Ok(Some(NewValues { depth, frames, values, distances, left: open, written: 0, waiting: Vec::new() }))
    }
}

impl Job {
    /// Begins a file of blocks.
    pub(super) fn begin_blocks(&self, name: FileName) -> Result<BlocksFile> {
        Ok(BlocksFile { file: self.disk.create(&name.to_string())?, blocks: BlocksWriter::default() })
    }
}

/// A file of blocks that is being written.
pub(super) struct BlocksFile {
    file: NewFile,
    blocks: BlocksWriter,
}

impl BlocksFile {
    pub fn write(&mut self, job: &Job, content: &[u8], key: &[u8]) -> Result<()> {
        let written = self.blocks.write(content, key, &mut self.file);
        written.map_err(|error| job.disk.failed(self.file.name(), &error))
    }

    /// Ends the file, and gives it its name.
    pub fn finish(mut self, job: &Job) -> Result<FileEntry> {
        let written = self.blocks.finish(&mut self.file);
        written.map_err(|error| job.disk.failed(self.file.name(), &error))?;
        job.disk.keep(self.file)
    }

    fn keep(self, job: &mut Job) -> Result<()> {
        let entry = self.finish(job)?;
        job.staged.push(entry);
        Ok(())
    }
}

/// The files of the values of a depth that are being written. Codes come in the order of the depth's open states, in
/// parts of any length.
pub struct NewValues {
    depth: usize,
    /// The frames of the open states, which the blocks of values note.
    frames: Frames,
    values: BlocksFile,
    distances: Option<BlocksFile>,
    /// The number of codes that are still to come.
    left: u64,
    /// The number of blocks that are written.
    written: usize,
    /// The codes of the next block that have come: fewer than a block has.
    waiting: Vec<u32>,
}

impl NewValues {
    /// Writes the codes of the next states. Codes beyond the last open state are left out.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write(&mut self, job: &Job, codes: &[u32]) -> Result<()> {
        let (open, _) = codes.split_at(codes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX)));
        let mut rest = open;
        while !rest.is_empty() {
            let (taken, after) = rest.split_at(rest.len().min(FRAME_WORDS - self.waiting.len()));
            self.waiting.extend_from_slice(taken);
            self.left -= taken.len() as u64;
            rest = after;
            if self.waiting.len() == FRAME_WORDS || self.left == 0 {
                self.write_block(job)?;
            }
        }
        Ok(())
    }

    fn write_block(&mut self, job: &Job) -> Result<()> {
        let codes = std::mem::take(&mut self.waiting);
        let mut block = vec![0; codes.len().div_ceil(4)];
        for (at, &code) in codes.iter().enumerate() {
            block[at / 4] |= bits_of(code) << (2 * (at % 4));
        }
        self.values.write(job, &block, self.frames.note(self.written))?;
        if let Some(distances) = &mut self.distances {
            let moves = || codes.iter().map(|&code| code.saturating_sub(2) / 2);
            let most = moves().max().unwrap_or(0);
            let planes = (u32::BITS - most.leading_zeros()).div_ceil(8);
            let plane = |plane: u32| moves().map(move |moves| (moves >> (8 * plane)) as u8);
            distances.write(job, &(0..planes).flat_map(plane).collect::<Vec<_>>(), &[])?;
        }
        self.written += 1;
        Ok(())
    }

    /// Ends the files. They become part of the job with [`Job::commit_values`].
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]; [`Error::Corrupt`] if fewer codes came than the depth has open states.
    pub fn keep(self, job: &mut Job) -> Result<()> {
        if self.left > 0 {
            return Err(job.lacks(self.depth));
        }
        self.values.keep(job)?;
        self.distances.map_or(Ok(()), |distances| distances.keep(job))
    }
}

/// The values of the open states of a depth, read block by block in any order.
#[derive(Debug)]
pub struct ValueFiles {
    words: Frames,
    values: Blocks,
    distances: Option<Blocks>,
    open: u64,
}

impl ValueFiles {
    /// Opens the files of a depth whose values are known; `None` if it has no open state.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the files have changed since they were written.
    pub fn open(job: &Job, depth: usize) -> Result<Option<Self>> {
        let open = job.manifest().depths[depth].open;
        if open == 0 {
            return Ok(None);
        }
        let width = job.word_bytes();
        let values = Blocks::open(job.parts_of(depth, Kind::Values)?, note_bytes(width), FRAME_WORDS / 4)?;
        let stage = job.manifest().values.as_ref();
        let distances = if stage.is_some_and(|stage| stage.distances) {
            Some(Blocks::open(job.parts_of(depth, Kind::Distances)?, 0, 4 * FRAME_WORDS)?)
        } else {
            None
        };
        let blocks = open.div_ceil(FRAME_WORDS as u64);
        if [Some(&values), distances.as_ref()].into_iter().flatten().any(|file| file.len() as u64 != blocks) {
            return Err(job.lacks(depth));
        }
        let notes: Vec<u8> = (0..values.len()).flat_map(|block| values.key(block)).copied().collect();
        let words = Frames::noted(job.parts_of(depth, Kind::Open)?, width, notes);
        Ok(Some(Self { words, values, distances, open }))
    }

    /// The number of blocks.
    pub fn blocks(&self) -> usize {
        self.values.len()
    }

    /// The codes of the states of a block. If the job does not keep distances, wins and losses have 0 moves.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the block has changed since it was written.
    pub fn block(&self, block: usize) -> Result<Vec<u32>> {
        let count = (self.open - (block * FRAME_WORDS) as u64).min(FRAME_WORDS as u64) as usize;
        let bits = self.values.read(block)?;
        if bits.len() != count.div_ceil(4) {
            return Err(self.values.wrong("a block has another length"));
        }
        let mut codes: Vec<u32> = (0..count).map(|at| u32::from(bits[at / 4] >> (2 * (at % 4)) & 3)).collect();
        if let Some(distances) = &self.distances {
            let planes = distances.read(block)?;
            if planes.len() % count != 0 || planes.len() > 4 * count {
                return Err(distances.wrong("a block has another length"));
            }
            for (plane, bytes) in planes.chunks_exact(count).enumerate() {
                for (code, &byte) in codes.iter_mut().zip(bytes).filter(|(code, _)| **code >= 2) {
                    *code = code.wrapping_add(u32::from(byte).wrapping_shl(8 * plane as u32 + 1));
                }
            }
        }
        Ok(codes)
    }

    /// The first word of the states of a block.
    pub fn first_word(&self, block: usize) -> &[u8] {
        self.words.first_word(block)
    }

    /// The words of the states of a block, one after another.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the block has changed since it was written.
    pub fn words(&self, block: usize) -> Result<Vec<u8>> {
        self.words.frame(block)
    }

    /// The code of an open state, given by its packed word; `None` if the depth does not have it. `words` and `codes`
    /// keep the blocks that were read, and serve only this depth.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a block has changed since it was written.
    pub fn find(
        &self,
        word: &[u8],
        words: &mut RecentBlocks<Vec<u8>>,
        codes: &mut RecentBlocks<Vec<u32>>,
    ) -> Result<Option<u32>> {
        let Some(place) = self.words.find(word, words)? else { return Ok(None) };
        let (block, at) = ((place / FRAME_WORDS as u64) as usize, (place % FRAME_WORDS as u64) as usize);
        if block >= self.blocks() {
            return Err(self.values.wrong("it has fewer blocks than there are states"));
        }
        let codes = codes.get(block, || self.block(block))?;
        codes.get(at).map(|&code| Some(code)).ok_or_else(|| self.values.wrong("a block has another length"))
    }

    /// Compares what each block of values notes about its frame of words with that frame.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a note differs.
    pub fn check_notes(&self, job: &Job, depth: usize) -> Result<()> {
        let frames = Frames::of_file(job.parts_of(depth, Kind::Open)?, job.word_bytes())?;
        if frames.notes().eq(self.words.notes()) { Ok(()) } else { Err(job.lacks(depth)) }
    }
}
