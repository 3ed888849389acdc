//! Room on a disk: how much of it is free, and how it is reserved for a file.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::instant::Instant;
use crate::run::{Progress, Watch};

/// The bytes that are free on the disk of a folder, which need not exist yet; [`u64::MAX`] if the system does not
/// report them.
pub fn free_bytes(folder: &Path) -> u64 {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if let Some(there) =
        std::path::absolute(folder).ok().as_deref().and_then(|path| path.ancestors().find(|path| path.is_dir()))
        && let Ok(name) = std::ffi::CString::new(std::os::unix::ffi::OsStrExt::as_bytes(there.as_os_str()))
    {
        // SAFETY: the name ends with a zero, and all zeros are a value of the type.
        #[expect(unsafe_code, reason = "the standard library does not tell what is free on a disk")]
        let found = unsafe {
            let mut found: libc::statvfs64 = std::mem::zeroed();
            (libc::statvfs64(name.as_ptr(), &raw mut found) == 0).then_some(found)
        };
        return found.map_or(u64::MAX, |found| found.f_bavail.saturating_mul(found.f_frsize));
    }
    let _ = folder;
    u64::MAX
}

/// Makes an empty file `bytes` bytes long, and reserves room on the disk for all of them. Returns `false`, and leaves
/// the file empty, if the system or the disk cannot reserve room.
pub(super) fn keep_room(file: &mut File, bytes: u64) -> std::io::Result<bool> {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        use std::os::fd::AsRawFd;
        let length = libc::off64_t::try_from(bytes).map_err(|_| std::io::ErrorKind::FileTooLarge)?;
        // SAFETY: the file is open, and the call touches no memory of this process.
        #[expect(unsafe_code, reason = "the standard library cannot keep room on a disk")]
        let failed = unsafe { libc::fallocate64(file.as_raw_fd(), 0, 0, length) } != 0;
        if !failed {
            return Ok(true);
        }
        let error = std::io::Error::last_os_error();
        if !matches!(error.raw_os_error(), Some(libc::EOPNOTSUPP | libc::ENOSYS | libc::EINTR)) {
            return Err(error);
        }
        file.set_len(0)?;
    }
    let _ = (file, bytes);
    Ok(false)
}

/// The number of zeros that are written between two calls of the watch.
const WRITTEN_AT_ONCE: u64 = 1 << 24;

/// Writes `bytes` zeros to an empty file, which may take long. Returns `false` if the watch stops it.
pub(super) fn write_zeros(file: &mut File, bytes: u64, watch: Watch) -> std::io::Result<bool> {
    let (zeros, begun) = ([0; 1 << 13], Instant::now());
    let mut written = 0;
    while written < bytes {
        if written.is_multiple_of(WRITTEN_AT_ONCE) {
            let progress = Progress { seconds: begun.elapsed().as_secs_f64(), ..Progress::default() };
            if watch(&progress).is_break() {
                return Ok(false);
            }
        }
        let count = (bytes - written).min(zeros.len() as u64);
        file.write_all(&zeros[..count as usize])?;
        written += count;
    }
    Ok(true)
}
