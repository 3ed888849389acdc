//! The limits of a search for one answer about one state.

/// Limits of a search for one answer. The search stops at the limit that it reaches first.
///
/// # Examples
///
/// ```
/// let budget = puzzlekit_core::Budget { states: 1_000_000, ..Default::default() };
/// assert_eq!(budget.bytes, u64::MAX);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The most states to store.
    pub states: usize,
    /// The most bytes of memory for states and the data kept for them.
    pub bytes: u64,
    /// The number of threads of a large search; 0 stands for one for each core. The answer is the same for any number.
    pub threads: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { states: usize::MAX, bytes: u64::MAX, threads: 0 }
    }
}

impl Budget {
    /// The most states that fit the budget if each takes `bytes` bytes. The number always fits 32 bits.
    pub fn states_of(&self, bytes: usize) -> usize {
        let held = usize::try_from(self.bytes / bytes as u64).unwrap_or(usize::MAX);
        self.states.min(held).min(u32::MAX as usize - 1)
    }
}
