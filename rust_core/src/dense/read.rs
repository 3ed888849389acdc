//! Reads the states that a job of the dense store has kept, one by one.

use super::dense_shape::{DepthStates, Place};
use crate::error::Result;
use crate::job::Job;

/// A reader of the states of one depth.
pub struct Reading<'a>(pub(super) Box<dyn DepthStates + 'a>);

impl<'a> std::ops::Deref for Reading<'a> {
    type Target = dyn DepthStates + 'a;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl Reading<'_> {
    /// Calls `found` with the places of all states of a depth, a few at a time.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file has changed since it was written, and the errors of `found`.
    pub fn each_place(&self, job: &Job, depth: usize, mut found: impl FnMut(&[Place]) -> Result<()>) -> Result<()> {
        let mut places = Vec::new();
        job.read_array(depth, self.bytes(), |begin, bytes| {
            places.clear();
            self.places_of(begin, bytes, &mut places).ok_or_else(|| job.lacks(depth))?;
            found(&places)
        })
    }

    /// Lists the places of some bytes of the array, the first of which has the given number; `None` if a bit belongs to
    /// no state.
    pub fn places_of(&self, begin: usize, bytes: &[u8], places: &mut Vec<Place>) -> Option<()> {
        for (at, &byte) in bytes.iter().enumerate().filter(|&(_, &byte)| byte != 0) {
            for bit in (0..8).filter(|bit| byte >> bit & 1 != 0) {
                places.push(self.place((begin + at) * 8 + bit)?);
            }
        }
        Some(())
    }
}
