//! How much a search may store.

/// How much a search for one answer may store. It stops at the limit that it reaches first.
///
/// # Examples
///
/// ```
/// let budget = puzzlekit_core::Budget { states: 1_000_000, ..Default::default() };
/// assert_eq!(budget.bytes, u64::MAX);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The most states.
    pub states: usize,
    /// The most bytes of memory that states, and the data kept for them, may take.
    pub bytes: u64,
    /// How many threads a large search uses; 0 stands for one for each core. No answer depends on it.
    pub threads: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { states: usize::MAX, bytes: u64::MAX, threads: 0 }
    }
}

impl Budget {
    /// How many states may be stored if each takes `bytes` bytes. There are never more than 32-bit numbers can count.
    pub fn states_of(&self, bytes: usize) -> usize {
        let held = usize::try_from(self.bytes / bytes as u64).unwrap_or(usize::MAX);
        self.states.min(held).min(u32::MAX as usize - 1)
    }
}
