//! Files of bits of the dense store: the states of a depth, and the beginning of a depth that is not done. `codec.rs`
//! has the form of their bytes.

use std::io::Write;
use std::ops::Range;

use super::codec::{ReadPart, read_array, write_array, write_bits};
use super::disk::FileEntry;
use super::folder::Job;
use super::kinds::{FileName, Kind};
use crate::error::Result;

impl Job {
    /// Writes a file of the next depth: an array of bits.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write_array(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_staged(self.name(Kind::States), |to| write_array(bytes, to))
    }

    /// Writes a shard's file of the next depth, in the form in which shards send bits to each other: those of an array
    /// that are in the bytes `within`.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write_share(&mut self, bytes: &[u8], within: &Range<usize>) -> Result<()> {
        self.write_staged(self.name(Kind::States), |to| write_bits(bytes, within, to).map(|_| ()))
    }

    fn write_staged(
        &mut self,
        name: FileName,
        content: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> Result<()> {
        let entry = self.disk.write(&name.to_string(), content)?;
        self.staged.push(entry);
        Ok(())
    }

    /// Writes a file of a part of the next depth: the first bytes of an array of bits. Each such file has a name of its
    /// own, so that the part before it stays until the manifest names the new one.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`].
    pub fn write_part(&mut self, bytes: &[u8]) -> Result<()> {
        self.write_staged(self.run_name(Kind::Part), |to| write_array(bytes, to))
    }

    /// Reads the file that [`Self::write_part`] wrote last, of an array of `bytes` bytes. `found` is called with the
    /// place and the bytes of each stretch that is not zero.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`], also if the job keeps something else of the depth.
    pub fn read_part(&self, bytes: usize, found: ReadPart) -> Result<()> {
        match &self.partial().files[..] {
            [entry] => read_array(self.read_piece(entry)?, bytes, found),
            _ => Err(self.lacks(self.manifest.depths.len())),
        }
    }

    /// Reads a file of bits that another shard has sent of the last depth, of an array of `bytes` bytes. `found` is
    /// called with the place and the bytes of each stretch that is not zero.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn read_sent(&self, sent: &FileEntry, bytes: usize, found: ReadPart) -> Result<()> {
        read_array(self.read_piece(sent)?, bytes, found)
    }

    /// Reads the array of bits of a depth, of `bytes` bytes; of a divided job, those of all its shards. `found` is
    /// called with the place and the bytes of each stretch that is not zero.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`], also if the depth has no such file.
    pub fn read_array(&self, depth: usize, bytes: usize, found: ReadPart) -> Result<()> {
        self.parts().iter().try_for_each(|part| {
            let entry = part.file(depth, Kind::States).ok_or_else(|| part.lacks(depth))?;
            read_array(part.read(entry)?, bytes, &mut *found)
        })
    }
}
