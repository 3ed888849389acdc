//! Snapshots: jobs that keep the whole search from time to time, instead of a file for each depth. `docs/jobs.md`
//! explains them to users.

use super::codec::{ReadPart, read_array, write_array};
use super::depth_entry::{DepthEntry, Partial};
use super::folder::Job;
use super::kinds::{FileName, Kind};
use super::manifest::Manifest;
use crate::error::Result;

impl Job {
    /// Keeps completed depths, without files, and both bit arrays of the search. These replace the last snapshot.
    /// `generated` is the number of successors of the states of all depths, including the last one.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn commit_snapshot(&mut self, depths: &mut Vec<DepthEntry>, arrays: [&[u8]; 2], generated: u64) -> Result<()> {
        let mut manifest = self.manifest.clone();
        manifest.depths.append(&mut depths.clone());
        let (depth, runs) = (manifest.depths.len() as u64, self.next_run());
        let mut files = Vec::new();
        for (array, run) in arrays.into_iter().zip(runs..) {
            let name = FileName { depth, run: Some(run), sending: None, kind: Kind::Part };
            files.push(self.disk.write(&name.to_string(), |to| write_array(array, to))?);
        }
        manifest.partial = Some(Partial { expanded: 0, generated, runs: runs + 2, files });
        self.save(manifest)?;
        depths.clear();
        self.remove_leftovers();
        Ok(())
    }

    /// Reads one of the arrays that [`Self::commit_snapshot`] wrote, of `bytes` bytes.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`].
    pub fn read_snapshot(&self, array: usize, bytes: usize, found: ReadPart) -> Result<()> {
        match &self.partial().files[..] {
            files @ [_, _] => read_array(self.read(&files[array])?, bytes, found),
            _ => Err(self.lacks(self.manifest.depths.len())),
        }
    }

    /// Makes the job complete with its last depths, which have no files. The snapshot is not needed any more.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`]. Then the job is as it was before.
    pub fn complete_counts(&mut self, depths: Vec<DepthEntry>, generated: u64) -> Result<()> {
        let mut manifest =
            Manifest { max_depth: None, complete: true, generated, partial: None, ..self.manifest.clone() };
        manifest.depths.extend(depths);
        self.save(manifest)?;
        self.remove_leftovers();
        Ok(())
    }
}
