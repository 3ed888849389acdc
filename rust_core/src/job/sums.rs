//! The checksums of the blocks of a depth's files, in a file beside them: so a look-up, which reads one block of a
//! large file, notices if it has changed. `docs/jobs.md` explains the file to users.
//!
//! A count of distances has such a file for each depth, and so has a job whose values are counted from both ends. For
//! each of the depth's files, in the order of the manifest, it has the number of its blocks (8 bytes) and a note of
//! each; then the checksum of all that, and the name of the form. [`Frames`] and [`Bits`] define the notes. Take a
//! depth with a file of two frames and one of one: its notes are `2 a b 1 c`.

use super::bits::{BIT_NOTE, Bits};
use super::blocks::{SUM, number_at, sum_of};
use super::depth_entry::DepthEntry;
use super::disk::FileEntry;
use super::folder::Job;
use super::frames::{Frames, note_bytes};
use super::kinds::{FileName, Kind};
use super::manifest::{Manifest, is_sums};
use super::stage::{DistancesIn, ValuesStage};
use crate::error::{Error, Result};

/// The last bytes of each file. The last of them is the version of the form.
const FORMAT: &[u8; 8] = b"pksums-1";

/// The files of a depth, ready for look-ups.
#[derive(Debug)]
pub enum DepthBlocks {
    /// All states of a depth, as words.
    Words(Vec<Frames>),
    /// All states of a depth, as bits.
    Bits(Bits),
}

impl Job {
    /// Makes the written files a depth of the job, in a count of distances with the checksums of their blocks. The
    /// manifest is written last.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn commit(&mut self, entry: DepthEntry) -> Result<()> {
        if self.manifest().has_sums() {
            self.write_sums(self.manifest().depths.len(), &self.written())?;
        }
        self.commit_written(entry)
    }

    /// Notes that the values of all states are to be counted from both ends. Depths that are done get the checksums of
    /// their blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] and [`Error::Corrupt`]. Then the job is as it was before.
    pub fn begin_counted_values(&mut self, distances_in: DistancesIn) -> Result<()> {
        let stage = ValuesStage { distances: true, distances_in: Some(distances_in), ..ValuesStage::default() };
        let mut manifest = Manifest { values: Some(stage), ..self.manifest().clone() };
        for (depth, entry) in manifest.depths.iter().enumerate() {
            self.write_sums(depth, &entry.files)?;
        }
        for (entry, sums) in manifest.depths.iter_mut().zip(self.take_staged()) {
            entry.files.push(sums);
        }
        self.save(manifest)
    }

    /// Notes the values that were counted from both ends.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn commit_counted_values(&mut self, stage: ValuesStage) -> Result<()> {
        self.save_values(stage)
    }

    /// Writes the checksums of the files of a depth.
    fn write_sums(&mut self, depth: usize, files: &[FileEntry]) -> Result<()> {
        let mut content = Vec::new();
        for file in files {
            let notes = self.notes_of(file)?;
            content.extend_from_slice(&(notes.len() as u64 / self.note_of(file)? as u64).to_le_bytes());
            content.extend_from_slice(&notes);
        }
        let sum = sum_of(&content);
        self.write_beside(depth, Kind::Sums, |to| {
            to.write_all(&content)?;
            to.write_all(&sum)?;
            to.write_all(FORMAT)
        })
    }

    /// The notes of all blocks of a file.
    fn notes_of(&self, file: &FileEntry) -> Result<Vec<u8>> {
        let parts = self.in_parts(file)?;
        Ok(match self.kind_of(file)? {
            Kind::States => Bits::of_file(parts, true)?.notes().to_vec(),
            _ => Frames::of_file(parts, self.word_bytes(), true)?.notes().flatten().copied().collect(),
        })
    }

    /// The number of bytes of a block's note.
    fn note_of(&self, file: &FileEntry) -> Result<usize> {
        Ok(if self.kind_of(file)? == Kind::States { BIT_NOTE } else { note_bytes(self.word_bytes()) })
    }

    fn kind_of(&self, file: &FileEntry) -> Result<Kind> {
        let name = FileName::read(&file.name).ok_or_else(|| self.lacks(self.manifest().depths.len()))?;
        Ok(name.kind)
    }

    /// The files of a depth that have its states.
    fn state_files(&self, depth: usize) -> impl Iterator<Item = &FileEntry> {
        self.manifest().depths[depth].files.iter().filter(|file| !is_sums(file))
    }

    /// The notes of each file of a depth, as they were written; `None` if an older version wrote the job, which wrote
    /// none.
    fn sums(&self, depth: usize) -> Result<Option<Vec<Vec<u8>>>> {
        if !self.has(depth, Kind::Sums) {
            return Ok(None);
        }
        let parts = self.parts_of(depth, Kind::Sums)?;
        let content = parts.read(0, parts.bytes() as usize)?;
        let wrong = || -> Error { parts.wrong("it is not what was written") };
        let (content, tail) =
            content.split_at_checked(content.len().saturating_sub(SUM + FORMAT.len())).ok_or_else(wrong)?;
        if !tail.ends_with(FORMAT) || tail[..tail.len() - FORMAT.len()] != sum_of(content) {
            return Err(wrong());
        }
        let (mut notes, mut rest) = (Vec::new(), content);
        for file in self.state_files(depth) {
            let (count, after) = rest.split_at_checked(8).ok_or_else(wrong)?;
            let length = usize::try_from(number_at(count, 0, 8))
                .ok()
                .and_then(|count| count.checked_mul(self.note_of(file).ok()?));
            let (of_file, after) = length.and_then(|length| after.split_at_checked(length)).ok_or_else(wrong)?;
            notes.push(of_file.to_vec());
            rest = after;
        }
        if rest.is_empty() { Ok(Some(notes)) } else { Err(wrong()) }
    }

    /// The files of a depth that have its states, for look-ups. If checksums of their blocks are kept, blocks are
    /// compared with these when they are read.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if they have changed since they were written.
    pub fn blocks_of(&self, depth: usize) -> Result<DepthBlocks> {
        let sums = self.sums(depth)?;
        let files = self.state_files(depth);
        let mut notes = sums.map(Vec::into_iter);
        let mut words = Vec::new();
        for file in files {
            let (parts, notes) = (self.in_parts(file)?, notes.as_mut().and_then(Iterator::next));
            if self.kind_of(file)? == Kind::States {
                return Ok(DepthBlocks::Bits(match notes {
                    Some(notes) => Bits::noted(parts, notes),
                    None => Bits::of_file(parts, false)?,
                }));
            }
            words.push(match notes {
                Some(notes) => Frames::noted(parts, self.word_bytes(), notes),
                None => Frames::of_file(parts, self.word_bytes(), false)?,
            });
        }
        Ok(DepthBlocks::Words(words))
    }

    /// Compares the checksums that are kept of blocks with the blocks, in all depths that are done.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if they differ.
    pub fn check_sums(&self) -> Result<()> {
        for (depth, entry) in self.manifest().depths.iter().enumerate() {
            let Some(sums) = self.sums(depth)? else { continue };
            for (file, notes) in self.state_files(depth).zip(sums) {
                if self.notes_of(file)? != notes {
                    return Err(self.lacks(depth));
                }
            }
            entry.files.iter().filter(|file| is_sums(file)).try_for_each(|file| self.check_file(file))?;
        }
        Ok(())
    }
}
