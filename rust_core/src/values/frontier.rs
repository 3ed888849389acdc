//! The frontier of values that spread: the states whose values were found last. A small frontier is a list of states. A
//! large one has no list, and its states are recognised by their values.

use std::sync::{Mutex, PoisonError};

use crate::graph::AT_ONCE;
use crate::run::parallel;

/// The frontier is a list if it has at most one in `LISTED` of all states. So the list takes at most a quarter of a
/// byte for each state.
const LISTED: usize = 16;

/// A set of states, each given by its place among all states whose values are sought.
pub(super) struct Frontier {
    count: u64,
    /// The places of the states, in no certain order; `None` if there are too many to be listed.
    listed: Option<Vec<u32>>,
}

/// The next frontier while it is made. All threads add states to it.
pub(super) struct NextFrontier {
    most: usize,
    found: Mutex<Frontier>,
}

impl NextFrontier {
    /// An empty frontier, if values of `states` states are sought.
    pub fn new(states: usize) -> Self {
        let most = states / LISTED + AT_ONCE as usize;
        Self { most, found: Mutex::new(Frontier { count: 0, listed: Some(Vec::new()) }) }
    }

    /// Adds states to the frontier. No state may be added twice.
    pub fn extend(&self, places: Vec<u32>) {
        if places.is_empty() {
            return;
        }
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.count += places.len() as u64;
        if let Some(listed) = found.listed.as_mut().filter(|listed| listed.len() + places.len() <= self.most) {
            listed.extend(places);
        } else {
            found.listed = None;
        }
    }

    /// The finished frontier, with all states that were added.
    pub fn close(self) -> Frontier {
        self.found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Frontier {
    /// The most bytes that two frontiers take, if values of `states` states are sought.
    pub fn most_bytes(states: u64) -> u64 {
        // While a list grows, it may have room for twice as many items as it holds.
        (states / LISTED as u64 + AT_ONCE).saturating_mul(4 * size_of::<u32>() as u64)
    }

    /// The number of states.
    pub fn len(&self) -> u64 {
        self.count
    }

    /// Returns `true` if the frontier has no state.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Calls `work` with the places of the states, some at a time, on all cores. If the frontier has no list, `is_in`
    /// is asked for each place below `states` whether the frontier has it.
    pub fn each(&self, states: usize, is_in: &(dyn Fn(u32) -> bool + Sync), work: &(dyn Fn(&[u32]) + Sync)) {
        if let Some(listed) = &self.listed {
            return parallel::ranges(listed.len(), AT_ONCE as usize, &|range| work(&listed[range]));
        }
        each_place(states, is_in, work);
    }
}

/// Calls `work` with all places below `states` for which `is_in` returns `true`, some at a time, on all cores.
pub(super) fn each_place(states: usize, is_in: &(dyn Fn(u32) -> bool + Sync), work: &(dyn Fn(&[u32]) + Sync)) {
    parallel::ranges(states, AT_ONCE as usize, &|range| {
        let places: Vec<u32> = (range.start as u32..range.end as u32).filter(|&place| is_in(place)).collect();
        if !places.is_empty() {
            work(&places);
        }
    });
}
