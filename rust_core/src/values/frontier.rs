//! The states whose values were found last. They are listed if they are few; otherwise they are recognised by their
//! values.

use std::sync::{Mutex, PoisonError};

use crate::graph::AT_ONCE;
use crate::run::parallel;

/// The frontier is listed if it has at most one in this many states. So a list takes at most a quarter of a byte for
/// each of all states.
const LISTED: usize = 16;

/// States by their places, in no certain order.
pub(super) struct Frontier {
    count: u64,
    /// The places of the states; `None` if there are too many to be listed.
    listed: Option<Vec<u32>>,
}

/// The next frontier, while it is found. Threads add states to it.
pub(super) struct NextFrontier {
    most: usize,
    found: Mutex<Frontier>,
}

impl NextFrontier {
    /// An empty frontier among `states` states.
    pub fn new(states: usize) -> Self {
        let most = states / LISTED + AT_ONCE as usize;
        Self { most, found: Mutex::new(Frontier { count: 0, listed: Some(Vec::new()) }) }
    }

    /// Adds states, each of which is added once.
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

    /// The frontier of all states that were added.
    pub fn close(self) -> Frontier {
        self.found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Frontier {
    /// The most bytes of two frontiers, if there are `states` states in all.
    pub fn most_bytes(states: u64) -> u64 {
        // A list may have room for twice its items.
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

    /// Calls `work` with the places of the frontier's states, some at a time, on all cores. If they are not listed,
    /// `is_in` is asked for each place below `states` if it is one of them.
    pub fn each(&self, states: usize, is_in: &(dyn Fn(u32) -> bool + Sync), work: &(dyn Fn(&[u32]) + Sync)) {
        if let Some(listed) = &self.listed {
            return parallel::ranges(listed.len(), AT_ONCE as usize, &|range| work(&listed[range]));
        }
        each_place(states, is_in, work);
    }
}

/// Calls `work` with the places below `states` for which `is_in` returns `true`, some at a time, on all cores.
pub(super) fn each_place(states: usize, is_in: &(dyn Fn(u32) -> bool + Sync), work: &(dyn Fn(&[u32]) + Sync)) {
    parallel::ranges(states, AT_ONCE as usize, &|range| {
        let places: Vec<u32> = (range.start as u32..range.end as u32).filter(|&place| is_in(place)).collect();
        if !places.is_empty() {
            work(&places);
        }
    });
}
