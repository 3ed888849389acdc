//! Large arrays of zeros, on large pages if the system has them.

use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;

use crate::error::{Error, Result};

/// An array of zeros, mapped straight from the system. A page that is never touched takes no memory. (WebAssembly has
/// no such pages: there, the whole array is taken and cleared at once.)
#[derive(Debug)]
pub struct Pages {
    map: Bytes,
    /// `true` if the array is a file.
    of_file: bool,
}

/// The fewest bytes for which [`Pages::clear`] calls the system. Fewer are quickly set to zero.
pub const LEAST_TAKEN_BACK: usize = 16 << 20;

/// The size of the largest pages that arrays are made of.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGEST_PAGE: usize = 2 << 20;

/// The pages of mapped files that are in memory. If their bytes may exceed a limit, the process gives the pages back to
/// the system, which writes changed ones to disk as it needs. A page comes back when it is next read or written.
#[derive(Debug)]
pub struct Resident {
    /// For each mapped file, the address at which it begins in memory, and its bytes.
    files: Vec<(usize, usize)>,
    /// The most bytes of the files that may be in memory.
    most: u64,
    /// The bytes that were looked at since the process last gave pages back.
    looked_at: AtomicU64,
}

impl Resident {
    /// The pages of arrays, of which `most` bytes may be in memory. Arrays that are no files are left alone.
    pub fn new(arrays: &[Pages], most: u64) -> Self {
        let files = arrays.iter().filter(|pages| pages.of_file);
        let files = files.map(|pages| (pages.map.as_ptr() as usize, pages.map.len())).collect();
        Self { files, most, looked_at: AtomicU64::new(0) }
    }

    /// Notes that `bytes` further bytes were read or written. Gives all pages back if too many may be in memory by now.
    pub fn look_at(&self, bytes: u64) {
        if !self.files.is_empty() && self.looked_at.fetch_add(bytes, Ordering::Relaxed) + bytes > self.most {
            self.looked_at.store(0, Ordering::Relaxed);
            self.files.iter().for_each(|&(begin, bytes)| give_back(begin, bytes));
        }
    }
}

/// Gives the pages of a mapped file back to the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn give_back(begin: usize, bytes: usize) {
    // SAFETY: a file is mapped there and shared with the system, so nothing that was written is lost, and a page is
    // mapped again when a thread reads or writes it.
    #[expect(unsafe_code, reason = "no library does this to memory that is in use")]
    let _ = unsafe { libc::madvise(begin as *mut libc::c_void, bytes, libc::MADV_DONTNEED) };
}

/// Does nothing: other systems take back pages by themselves.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back(_: usize, _: usize) {}

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
type Bytes = memmap2::MmapMut;

/// Bytes of zeros, mapped from the system.
#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
fn zeros(count: usize) -> std::result::Result<Bytes, String> {
    Bytes::map_anon(count).map_err(|error| error.to_string())
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
type Bytes = allocated::Bytes;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
use allocated::zeros;

/// Bytes of zeros where the system maps none: they are allocated, and aligned for 64-bit words.
#[cfg(any(test, all(target_family = "wasm", target_os = "unknown")))]
mod allocated {
    /// Bytes that are aligned like 64-bit words.
    #[derive(Debug)]
    pub struct Bytes {
        words: Vec<u64>,
        count: usize,
    }

    /// Bytes of zeros.
    pub fn zeros(count: usize) -> Result<Bytes, String> {
        let (mut words, needed) = (Vec::new(), count.div_ceil(8));
        words.try_reserve_exact(needed).map_err(|error| error.to_string())?;
        words.resize(needed, 0);
        Ok(Bytes { words, count })
    }

    impl std::ops::Deref for Bytes {
        type Target = [u8];

        fn deref(&self) -> &[u8] {
            &bytemuck::cast_slice(&self.words)[..self.count]
        }
    }

    impl std::ops::DerefMut for Bytes {
        fn deref_mut(&mut self) -> &mut [u8] {
            &mut bytemuck::cast_slice_mut(&mut self.words)[..self.count]
        }
    }
}

/// The words of some bytes of an array, which begin at byte `begin` of it: the place of each word in the array, and the
/// word. The bytes need not be aligned, as those of a file are not.
///
/// For example, the words of 64 bits from byte 16 on have the places 2, 3, and so on.
pub fn words_at<T: Pod>(begin: usize, bytes: &[u8]) -> impl Iterator<Item = (usize, T)> {
    let words = bytes.chunks_exact(size_of::<T>()).map(bytemuck::pod_read_unaligned);
    (begin / size_of::<T>()..).zip(words)
}

impl Pages {
    /// An array of `count` values of a type, all zero.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] if the system does not give enough memory.
    pub fn new<T: Pod>(count: usize) -> Result<Self> {
        let Some(bytes) = count.checked_mul(size_of::<T>()).map(|bytes| bytes.max(1)) else {
            let (count, each) = (count as u64, size_of::<T>());
            return Err(Error::Memory(format!(
                "{count} values of {each} bytes have no addresses here; use a 64-bit system"
            )));
        };
        let refused = |error| Error::Memory(format!("the system gives no {bytes} bytes of memory: {error}"));
        let map = zeros(bytes).map_err(refused)?;
        // With small pages, random reads of large tables take twice as long. If the system refuses large ones, only
        // speed is lost.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map, of_file: false })
    }

    /// Maps a file into memory. The file must not be made shorter meanwhile. The system keeps in memory as much of it
    /// as there is room for. If `changes` is `true`, what is written into the array goes into the file; otherwise it
    /// does not.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] if the system does not map the file.
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    pub fn of_file(file: &std::fs::File, changes: bool) -> Result<Self> {
        // SAFETY: the job is locked, so no other process changes its files.
        #[expect(unsafe_code, reason = "what others do with a file while it is mapped is not checked")]
        let map = unsafe {
            let options = memmap2::MmapOptions::new();
            if changes { options.map_mut(file) } else { options.map_copy(file) }
        };
        let refused = |error| Error::Disk(format!("the system maps no file of the job into memory: {error}"));
        Ok(Self { map: map.map_err(refused)?, of_file: true })
    }

    /// Fails, because a page in a browser has no files.
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    pub fn of_file(_: &std::fs::File, _: bool) -> Result<Self> {
        Err(crate::job::no_files())
    }

    /// Makes durable what was written into the file.
    ///
    /// # Errors
    ///
    /// [`Error::Disk`] if the system cannot write it.
    pub fn flush(&self) -> Result<()> {
        #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
        if self.of_file {
            let refused = |error| Error::Disk(format!("cannot write an array of the job: {error}; resume it"));
            return self.map.flush().map_err(refused);
        }
        Ok(())
    }

    /// The array as values of type `T`. Bytes at its end that make no whole value are left out.
    pub fn get<T: Pod>(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[..self.map.len() / size_of::<T>() * size_of::<T>()])
    }

    /// The values, for writing.
    pub fn get_mut<T: Pod>(&mut self) -> &mut [T] {
        let whole = self.map.len() / size_of::<T>() * size_of::<T>();
        bytemuck::cast_slice_mut(&mut self.map[..whole])
    }

    /// The values as words that several threads may write at once.
    pub fn get_atomic(&mut self) -> &[AtomicU64] {
        let words = self.get_mut::<u64>();
        // SAFETY: both types have the same size and bits, and a mapping is aligned to pages. Nobody else has the words
        // while they are borrowed.
        #[expect(unsafe_code, reason = "the library's own function for this is not stable yet")]
        unsafe {
            std::slice::from_raw_parts(words.as_ptr().cast::<AtomicU64>(), words.len())
        }
    }

    /// Sets some bytes to zero. If they are many, the system takes their memory back until they are written again.
    pub fn clear(&mut self, range: std::ops::Range<usize>) {
        let bytes = &mut self.map[range];
        #[cfg(all(target_os = "linux", target_env = "gnu"))]
        if !self.of_file && bytes.len() >= LEAST_TAKEN_BACK {
            let edge = bytes.as_ptr().align_offset(LARGEST_PAGE);
            let (before, rest) = bytes.split_at_mut(edge);
            let (whole, after) = rest.split_at_mut(rest.len() / LARGEST_PAGE * LARGEST_PAGE);
            // SAFETY: an array that is no file is a private mapping of zeros, and these are whole pages of it. Nobody
            // else has them while they are borrowed. The system gives pages of zeros when they are next used.
            #[expect(unsafe_code, reason = "no library does this to memory that is in use")]
            let refused = unsafe { libc::madvise(whole.as_mut_ptr().cast(), whole.len(), libc::MADV_DONTNEED) } != 0;
            before.fill(0);
            after.fill(0);
            if refused {
                whole.fill(0);
            }
            return;
        }
        bytes.fill(0);
    }

    /// The number of bytes of the array.
    pub fn bytes(&self) -> usize {
        self.map.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_pages_of_the_system_bytes_are_allocated() {
        let mut bytes = allocated::zeros(13).unwrap();
        assert_eq!(bytes[..], [0; 13]);
        bytes[12] = 7;
        assert_eq!((bytes.as_ptr() as usize % 8, bytes[12]), (0, 7));
        assert!(allocated::zeros(usize::MAX).is_err());
    }

    #[test]
    fn more_than_has_addresses_is_refused() {
        assert!(matches!(Pages::new::<u64>(usize::MAX / 8 + 1), Err(Error::Memory(text)) if text.contains("64-bit")));
        assert_eq!(Pages::new::<u16>(3).map(|pages| pages.get::<u16>().to_vec()), Ok(vec![0; 3]));
    }
}
