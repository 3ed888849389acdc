//! The checksums of the blocks of a depth's files, in one more file. With it, a look-up, which reads only one block of
//! a large file, notices if that block has changed. `docs/jobs.md` explains the file to users.
//!
//! A count of distances has a file of checksums for each depth. For each of the depth's files, in the order of the
//! manifest, it has the number of blocks (8 bytes) and a note of each block; then the checksum of all that, and the
//! name of the form. [`Frames`] and [`Bits`] define the notes. Take a depth with a file of two frames and a file of one
//! frame: the notes are `2 a b 1 c`.

use super::bits::{BIT_NOTE, Bits};
use super::blocks::{SUM, number_at, sum_of};
use super::depth_entry::DepthEntry;
use super::disk::FileEntry;
use super::folder::Job;
use super::frames::{Frames, note_bytes};
use super::kinds::{FileName, Kind};
use super::manifest::{Manifest, is_sums};
use super::stage::ValuesStage;
use crate::error::{Error, Result};

/// The last bytes of each file of checksums. The last of them is the version of the form.
const FORMAT: &[u8; 8] = b"pksums-1";

/// The files of a depth, ready for look-ups.
#[derive(Debug)]
pub enum DepthBlocks {
    /// The states of a depth as sorted words, in files that are read frame by frame.
    Words(Vec<Frames>),
    /// The states of a depth as bits, in a file that is read stretch by stretch.
    Bits(Bits),
}

impl Job {
    /// Adds a depth to the job, with the files that were written for it. In a count of distances, writes the checksums
    /// of their blocks, too. The manifest is written last.
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

    /// Notes that the values of all states are wanted, and that the depths of the job are these values, because they
    /// are distances. Depths that are done get the checksums of their blocks, if they have none.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] and [`Error::Corrupt`]. Then the job is as it was before.
    pub fn begin_counted_values(&mut self) -> Result<()> {
        let mut manifest = Manifest { values: Some(ValuesStage::counted()), ..self.manifest().clone() };
        if self.manifest().has_sums() {
            return self.save(manifest);
        }
        for (depth, entry) in manifest.depths.iter().enumerate() {
            self.write_sums(depth, &entry.files)?;
        }
        for (entry, sums) in manifest.depths.iter_mut().zip(self.take_staged()) {
            entry.files.push(sums);
        }
        self.save(manifest)
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

    /// The notes of all blocks of a file: for each block, where it is, and its checksum.
    fn notes_of(&self, file: &FileEntry) -> Result<Vec<u8>> {
        let parts = self.in_parts(file)?;
        Ok(match self.kind_of(file)? {
            Kind::States => Bits::of_file(parts)?.notes().to_vec(),
            _ => Frames::of_file(parts, self.word_bytes())?.notes().flatten().copied().collect(),
        })
    }

    /// The number of bytes of the note of one block of a file, which says where the block is and has its checksum.
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

    /// The notes of the blocks, for each file of a depth, as they were written.
    fn sums(&self, depth: usize) -> Result<Vec<Vec<u8>>> {
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
        if rest.is_empty() { Ok(notes) } else { Err(wrong()) }
    }

    /// The files that have the states of a depth, for look-ups in a job whose depths are distances. Each block is
    /// compared with its checksum when it is read.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the checksums have changed since they were written.
    pub fn blocks_of(&self, depth: usize) -> Result<DepthBlocks> {
        let mut words = Vec::new();
        for (file, notes) in self.state_files(depth).zip(self.sums(depth)?) {
            let parts = self.in_parts(file)?;
            if self.kind_of(file)? == Kind::States {
                return Ok(DepthBlocks::Bits(Bits::noted(parts, notes)));
            }
            words.push(Frames::noted(parts, self.word_bytes(), notes));
        }
        Ok(DepthBlocks::Words(words))
    }

    /// Compares the blocks of all depths that are done with their kept checksums.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if a block differs.
    pub fn check_sums(&self) -> Result<()> {
        if !self.manifest().has_sums() {
            return Ok(());
        }
        for (depth, entry) in self.manifest().depths.iter().enumerate() {
            for (file, notes) in self.state_files(depth).zip(self.sums(depth)?) {
                if self.notes_of(file)? != notes {
                    return Err(self.lacks(depth));
                }
            }
            entry.files.iter().filter(|file| is_sums(file)).try_for_each(|file| self.check_file(file))?;
        }
        Ok(())
    }
}
