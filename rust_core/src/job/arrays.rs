//! Arrays in place: the bit arrays of a search as two files of its job, which the search maps into memory and changes.
//! `docs/jobs.md` explains them to users.
//!
//! A job's other files are written whole and then never change. These two change all the time, and are a snapshot of
//! the search nevertheless, because bits are only ever set. One array has the states of even depth, and the other one
//! those of odd depth. The manifest says how many depths are done: the depths 0 to 3, for example. If the process was
//! killed while it looked for depth 4, the files have all states up to depth 3 and some of depth 4. The search goes on
//! with these, however many of them had reached the disk.

use std::fs::File;

use super::depth_entry::{DepthEntry, Partial};
use super::disk::FileEntry;
use super::folder::Job;
use super::kinds::{FileName, Kind};
use crate::error::Result;
use crate::run::Watch;

impl Job {
    /// The files of both arrays, of `bytes` bytes each: those of the manifest, or new ones full of zeros. `None` if the
    /// watch stops the writing of zeros. Then no file stays, and the job is as it was before.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`] if there is no room for them, [`crate::Error::Corrupt`] if they are not there or have
    /// another size.
    pub fn array_files(&self, bytes: u64, watch: Watch) -> Result<Option<[File; 2]>> {
        if self.manifest.partial.is_some() {
            return self.open_arrays(bytes, true).map(Some);
        }
        let [even, odd] = Self::array_entries(bytes);
        let Some(first) = self.disk.zeros(&even.name, bytes, watch)? else { return Ok(None) };
        if let Some(second) = self.disk.zeros(&odd.name, bytes, watch)? {
            return Ok(Some([first, second]));
        }
        // One array without the other is of no use, so its file is removed, which makes room on the disk.
        let _ = std::fs::remove_file(self.disk.folder().join(&even.name));
        Ok(None)
    }

    /// The files of both arrays, as the manifest has them: to be changed if `changes` is `true`, or to be read.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`], and [`crate::Error::Corrupt`] if they are not there or have another size.
    pub fn open_arrays(&self, bytes: u64, changes: bool) -> Result<[File; 2]> {
        let entries = Self::array_entries(bytes);
        if self.partial().files != entries {
            return Err(self.lacks(self.manifest.depths.len()));
        }
        let [even, odd] = entries.map(|entry| self.disk.open_array(&entry, changes));
        Ok([even?, odd?])
    }

    /// Adds depths that are complete to the manifest. Their states are in the arrays, and durable. `generated` is the
    /// number of successors of the states of all depths, including the last one.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Disk`]. Then the job is as it was before.
    pub fn commit_arrays(&mut self, depths: &mut Vec<DepthEntry>, bytes: u64, generated: u64) -> Result<()> {
        let mut manifest = self.manifest.clone();
        manifest.depths.append(&mut depths.clone());
        let files = Self::array_entries(bytes).to_vec();
        manifest.partial = Some(Partial { expanded: 0, generated, runs: files.len() as u64, files });
        self.save(manifest)?;
        depths.clear();
        Ok(())
    }

    /// The entries of both arrays in the manifest. Files that change have no checksum.
    fn array_entries(bytes: u64) -> [FileEntry; 2] {
        [0, 1].map(|run| {
            let name = FileName { depth: 0, run: Some(run), sending: None, kind: Kind::Part };
            FileEntry { name: name.to_string(), bytes, checksum: String::new() }
        })
    }
}
