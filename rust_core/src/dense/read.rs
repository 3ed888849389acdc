//! Reads the states that a job of the dense store has kept, one by one.

use super::dense_shape::{DepthStates, Place};
use crate::error::Result;
use crate::job::Job;
use crate::rules::{Symbol, Varying};

/// A reader of the states of one depth.
pub struct Reading<'a> {
    /// The states of the cells that vary.
    pub(super) states: Box<dyn DepthStates + 'a>,
    /// The cells that play can change; `None` if it can change all of them.
    pub(super) varying: Option<&'a Varying>,
}

impl Reading<'_> {
    /// Returns `true` if every state has a bit of its own. If `false`, each orbit has one bit, which stands for some
    /// state of the orbit, not always the smallest. Then [`Self::bit`] returns `None` for every state.
    pub fn is_raw(&self) -> bool {
        self.states.is_raw()
    }

    /// The number of bytes of the array that a job keeps of the depth.
    pub fn bytes(&self) -> usize {
        self.states.bytes()
    }

    /// The bit of a state, counted from the lowest bit of the first byte of the array. `None` if the state has no bit.
    pub fn bit(&self, state: &[Symbol]) -> Option<u64> {
        match self.varying {
            Some(varying) => self.states.bit(&varying.part(state)?),
            None => self.states.bit(state),
        }
    }

    /// The state at a place.
    pub fn state(&self, place: Place) -> Vec<Symbol> {
        let state = self.states.state(place);
        if let Some(varying) = self.varying { varying.state(&state) } else { state }
    }

    /// Calls `found` with the places of all states of a depth, a few at a time.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file has changed since it was written, and the errors of `found`.
    pub fn each_place(&self, job: &Job, depth: usize, found: &mut dyn FnMut(&[Place]) -> Result<()>) -> Result<()> {
        let mut places = Vec::new();
        job.read_array(depth, self.bytes(), &mut |begin, bytes| {
            places.clear();
            self.places_of(begin, bytes, &mut places).ok_or_else(|| job.lacks(depth))?;
            found(&places)
        })
    }

    /// Lists the places of the states in some bytes of the array, of which the first is byte `begin`; `None` if a bit
    /// belongs to no state.
    pub fn places_of(&self, begin: usize, bytes: &[u8], places: &mut Vec<Place>) -> Option<()> {
        for (at, &byte) in bytes.iter().enumerate().filter(|&(_, &byte)| byte != 0) {
            for bit in (0..8).filter(|bit| byte >> bit & 1 != 0) {
                places.push(self.states.place((begin + at) * 8 + bit)?);
            }
        }
        Some(())
    }
}
