//! Large arrays of zeros, on large pages if the system has them.

use std::sync::atomic::AtomicU64;

use bytemuck::Pod;
use memmap2::MmapMut;

use crate::error::{Error, Result};

/// An array of zeros, mapped straight from the system. A page that is never touched takes no memory. (Emscripten has no
/// such pages: there, the whole array is taken and cleared at once.)
#[derive(Debug)]
pub struct Pages {
    map: MmapMut,
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
        let map = MmapMut::map_anon(bytes).map_err(refused)?;
        // With small pages, random reads of large tables take twice as long. If the system refuses large ones, only
        // speed is lost.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map })
    }

    /// The values.
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

    /// The number of bytes of the array.
    pub fn bytes(&self) -> usize {
        self.map.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_has_addresses_is_refused() {
        assert!(matches!(Pages::new::<u64>(usize::MAX / 8 + 1), Err(Error::Memory(text)) if text.contains("64-bit")));
        assert_eq!(Pages::new::<u16>(3).map(|pages| pages.get::<u16>().to_vec()), Ok(vec![0; 3]));
    }
}
