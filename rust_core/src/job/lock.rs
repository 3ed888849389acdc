//! A lock that keeps two processes from working on one job.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::Path;

use crate::error::{Error, Result};

/// The name of the lock file. The process that works on the job has locked it.
pub const LOCK: &str = "lock";

/// `true` if the system has no locks at all, like Emscripten. On other systems, a disk without locks is refused.
const HAS_NO_LOCKS: bool = cfg!(target_family = "wasm");

/// The lock of a job, which is released when this value is dropped. Closing the file alone is not enough: a process
/// that this one has started may have the same open file, and so would keep the lock.
#[derive(Debug)]
pub struct Lock(File);

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.0.unlock(); // a system without locks has none to let go
    }
}

/// Locks a job for this process.
pub fn lock(folder: &Path) -> Result<Lock> {
    let path = folder.join(LOCK);
    let refused = |what: String| Error::Job(format!("{} {what}; give a folder that you may write", path.display()));
    // A link could lead to a file that does not belong to the job.
    if std::fs::symlink_metadata(&path).is_ok_and(|found| !found.is_file()) {
        return Err(refused("is no plain file".to_owned()));
    }
    let file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(&path)
        .map_err(|error| refused(format!("cannot be written: {error}")))?;
    // A process that only asks whether somebody works on the job locks it for a moment, so locking is tried several
    // times.
    let mut locked = file.try_lock();
    for _ in 0..5 {
        if !matches!(locked, Err(TryLockError::WouldBlock)) {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
        locked = file.try_lock();
    }
    match locked {
        Ok(()) => Ok(Lock(file)),
        Err(TryLockError::WouldBlock) => {
            Err(Error::Job(format!("another process works on {}; wait until it is done, or stop it", folder.display())))
        }
        // Without locks, no other process sees the files: they are in the memory of the system's only process.
        Err(TryLockError::Error(error)) if HAS_NO_LOCKS && error.kind() == ErrorKind::Unsupported => Ok(Lock(file)),
        Err(TryLockError::Error(error)) => {
            Err(Error::Job(format!("{} cannot be locked: {error}; give a folder on another disk", path.display())))
        }
    }
}

/// `true` if a process works on the job in a folder; `None` if that cannot be determined, as without a lock file.
pub fn is_locked(folder: &Path) -> Option<bool> {
    let path = folder.join(LOCK);
    // Only a plain file is opened: opening a pipe would wait for somebody to write to it.
    std::fs::symlink_metadata(&path).ok().filter(std::fs::Metadata::is_file)?;
    let file = File::open(path).ok()?;
    match file.try_lock_shared() {
        Ok(()) => Some(false),
        Err(TryLockError::WouldBlock) => Some(true),
        Err(TryLockError::Error(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_let_go_while_another_process_still_has_the_file_open() {
        let folder = std::env::temp_dir().join(format!("puzzlekit-lock-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let held = lock(&folder).unwrap();
        // A process that was forked from this one has the same open file, as the clone has.
        let forked = held.0.try_clone().unwrap();
        assert_eq!(is_locked(&folder), Some(true));
        drop(held);
        assert_eq!(is_locked(&folder), Some(false));
        drop((lock(&folder).unwrap(), forked));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
