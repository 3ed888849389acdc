//! Begins jobs, resumes them, and opens them for reading.

use std::path::Path;

use super::disk::{Disk, JobPlace, make_durably};
use super::folder::Job;
use super::local::LocalShards;
use super::lock::{LOCK, lock};
use super::manifest::{DEFINITION, MANIFEST, Manifest};
use super::stage::ValuesStage;
use super::subject::Subject;
use crate::error::{Error, Result};

/// The advice that a message gives if a file of a job cannot be written.
pub(super) fn remedy(folder: &Path) -> &'static str {
    if folder.join(MANIFEST).is_file() {
        "what the job had is kept: make room, or mend the disk, and resume it"
    } else {
        "nothing is kept yet: make room, or mend the disk, and begin it again"
    }
}

/// The description of a job that is to be begun.
pub struct NewJob {
    /// The description of what the job counts: the puzzle, its rules, the symmetries, the store.
    pub subject: Subject,
    /// The text of the puzzle, as [`super::Definition::text`] makes it; `None` for the job of one shard.
    pub puzzle: Option<String>,
    /// The last depth to find; `None` stands for all depths.
    pub max_depth: Option<u64>,
    /// The stage of values, if the job is to find the values of all states once it has the states.
    pub values: Option<ValuesStage>,
    /// The places of the shards' folders, if the job is divided into shards and these folders are on the disks of
    /// machines.
    pub local: Option<LocalShards>,
}

impl NewJob {
    /// A job that counts all states, without a puzzle.
    pub fn of(subject: Subject) -> Self {
        Self { subject, puzzle: None, max_depth: None, values: None, local: None }
    }
}

impl Job {
    /// Begins a job in a folder that does not exist yet, or is empty.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the folder holds anything or cannot be made, [`Error::Disk`] if it cannot be written.
    pub fn begin(place: &JobPlace, new: NewJob) -> Result<Self> {
        let NewJob { subject, puzzle, max_depth, values, local } = new;
        let manifest = Manifest { local, values, ..Manifest::of_new(subject, max_depth) };
        Self::begin_as(place, manifest, puzzle.as_deref())
    }

    fn begin_as(place: &JobPlace, mut manifest: Manifest, puzzle: Option<&str>) -> Result<Self> {
        let folder = place.folder();
        let refused = |what: String| Error::Job(format!("{} {what}", folder.display()));
        if folder.as_os_str().is_empty() {
            return Err(Error::Job("the folder has no name; give one".to_owned()));
        }
        make_durably(folder).map_err(|error| refused(format!("cannot be made: {error}; give another folder")))?;
        // If a run is killed before it has written its first manifest, only these files are in the folder.
        let begun = |name: &str| [LOCK, DEFINITION, MANIFEST].contains(&name.strip_suffix(".new").unwrap_or(name));
        let check = || {
            if folder.join(MANIFEST).symlink_metadata().is_ok() {
                return Err(refused("holds a job already; resume it, or give another folder".to_owned()));
            }
            let held = std::fs::read_dir(folder).map_err(|error| refused(format!("cannot be read: {error}")))?;
            for entry in held {
                let name = entry.map_err(|error| refused(format!("cannot be read: {error}")))?.file_name();
                if !name.to_str().is_some_and(begun) {
                    return Err(refused(format!("holds {}; give an empty folder", name.display())));
                }
            }
            Ok(())
        };
        check()?;
        let lock = lock(folder)?;
        // The check is made again with the lock, because another process may have written files before the lock was
        // taken.
        check()?;
        let disk = Disk::new(place, remedy);
        if let Some(puzzle) = puzzle {
            manifest.definition = Some(disk.write(DEFINITION, |to| to.write_all(puzzle.as_bytes()))?);
        }
        let mut job = Self {
            disk,
            manifest: manifest.clone(),
            staged: Vec::new(),
            room: u64::MAX,
            shards: Vec::new(),
            inbox: None,
            lock: Some(lock),
            unsolvable: None,
        };
        job.save(manifest)?;
        Ok(job)
    }

    /// Resumes a job, if `check` accepts its manifest.
    ///
    /// # Errors
    ///
    /// [`Error::Job`] if the folder holds no job, if another process works on it, or if `check` refuses it;
    /// [`Error::Corrupt`] if it is damaged.
    pub fn resume(place: &JobPlace, check: impl FnOnce(&Manifest) -> Result<()>) -> Result<Self> {
        let folder = place.folder();
        if !folder.is_dir() {
            return Err(Error::Job(format!("{} is no folder; give that of a job", folder.display())));
        }
        // A folder without a job must not get a lock file.
        Manifest::require(folder)?;
        let lock = lock(folder)?;
        let manifest = Manifest::of_folder(folder)?;
        check(&manifest)?;
        let job = Self {
            disk: Disk::new(place, remedy),
            manifest,
            staged: Vec::new(),
            room: u64::MAX,
            shards: Vec::new(),
            inbox: None,
            lock: Some(lock),
            unsolvable: None,
        };
        job.remove_leftovers();
        Ok(job)
    }

    /// Opens a job to read it, if `check` accepts its manifest. Other processes may find more depths in the meantime.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::resume`], except that other processes may work on the job.
    pub fn look(place: &JobPlace, check: impl FnOnce(&Manifest) -> Result<()>) -> Result<Self> {
        let manifest = Manifest::of_folder(place.folder())?;
        check(&manifest)?;
        let disk = Disk::new(place, remedy);
        Ok(Self {
            disk,
            manifest,
            staged: Vec::new(),
            room: u64::MAX,
            shards: Vec::new(),
            inbox: None,
            lock: None,
            unsolvable: None,
        })
    }
}
