//! Large arrays of zeros, on large pages where the system has them.

use bytemuck::Pod;
use memmap2::MmapMut;

use crate::error::{Error, Result};

/// An array of zeros, straight from the system: memory that is never touched is never taken.
#[derive(Debug)]
pub struct Pages {
    map: MmapMut,
}

impl Pages {
    /// `count` values of a type, all zero.
    ///
    /// # Errors
    ///
    /// [`Error::Memory`] where the system does not give so much.
    pub fn new<T: Pod>(count: usize) -> Result<Self> {
        let bytes = (count * size_of::<T>()).max(1);
        let refused = |error| Error::Memory(format!("the system gives no {bytes} bytes of memory: {error}"));
        let map = MmapMut::map_anon(bytes).map_err(refused)?;
        // Small pages would cost twice the time in tables that are read here and there. A refusal costs nothing else.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self { map })
    }

    /// The values.
    pub fn get<T: Pod>(&self) -> &[T] {
        bytemuck::cast_slice(&self.map[..self.map.len() / size_of::<T>() * size_of::<T>()])
    }

    /// The values, to be changed.
    pub fn get_mut<T: Pod>(&mut self) -> &mut [T] {
        let whole = self.map.len() / size_of::<T>() * size_of::<T>();
        bytemuck::cast_slice_mut(&mut self.map[..whole])
    }

    /// How many bytes there are.
    pub fn bytes(&self) -> usize {
        self.map.len()
    }
}
