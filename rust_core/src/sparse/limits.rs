//! The limits of a run of the sparse store, the sizes of the parts of its work, and its watch.

use super::end_tests::{CompletableEnds, EndTests};
use super::history::History;
use crate::instant::Instant;
use crate::run::{Grain, Monitor, Options, Watch};

/// The least memory with which a depth can be found on disk. It is enough for blocks, for the buffers of files, and for
/// some words of each file.
pub const LEAST_ON_DISK: u64 = 14 << 20;

/// The part of the memory that lists and tables may take: seven eighths, since the allocator may take another eighth.
/// It is less than the number of addresses, so that `usize` counts any part of it.
fn memory_for_lists(memory: u64, addressed: u64) -> u64 {
    let memory = memory.min(addressed);
    memory - memory / 8
}

/// The properties of a run that stay the same from depth to depth.
pub struct Limits<'a> {
    /// The last depth to find; `None` if all depths are to be found.
    pub max_depth: Option<u64>,
    /// The bytes of memory that lists and tables may take.
    pub memory: u64,
    /// The most states that a depth may have.
    pub states: usize,
    /// The sizes of the parts of the work, if the caller chose them and not the engine.
    pub grain: Option<Grain>,
    watch: Watch<'a>,
    begun: Instant,
}

impl<'a> Limits<'a> {
    /// The limits of a run that begins now.
    pub fn new(options: &Options, watch: Watch<'a>) -> Self {
        Self {
            max_depth: options.max_depth,
            memory: memory_for_lists(options.memory, usize::MAX as u64),
            states: usize::MAX,
            grain: options.grain,
            watch,
            begun: Instant::now(),
        }
    }

    /// The seconds since the run began.
    pub fn seconds(&self) -> f64 {
        self.begun.elapsed().as_secs_f64()
    }

    /// Begins to count the states of a depth that are expanded. `held` is the number of bytes in memory now.
    pub fn monitor(&self, history: &History, held: usize) -> Monitor<'a> {
        Monitor::new(self.watch, self.begun, history.progress(held))
    }

    /// Returns `true` if the memory is enough to find a depth on disk.
    pub fn does_for_disk(&self) -> bool {
        self.memory >= LEAST_ON_DISK || self.grain.is_some()
    }

    /// Chooses the states that are tested for ends when the next depth is found in memory. Tests choose the grain, and
    /// then new states are, even if it takes more time.
    pub fn end_tests(&self, ends: &CompletableEnds, history: &History) -> EndTests {
        let (generated, new) = history.last_generated();
        if self.grain.is_some() { EndTests::NewStates } else { ends.tests(generated, new) }
    }

    /// Returns `true` if each depth of a job is to be found on disk, even if it fits the memory: for tests.
    pub fn always_on_disk(&self) -> bool {
        self.grain.is_some_and(|grain| grain.run_words > 0)
    }

    /// The number of words in a run on disk. They take a fourth of the memory, so there is room to sort them.
    pub fn run_words<W>(&self) -> usize {
        let given = self.grain.map_or(0, |grain| grain.run_words);
        if given > 0 { given } else { self.words_in::<W>(4).max(1) }
    }

    /// The number of words that fit in the memory divided by `share`.
    pub fn words_in<W>(&self, share: usize) -> usize {
        self.memory as usize / share / size_of::<W>()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;

    #[test]
    fn memory_has_addresses() {
        let addressed_by_32_bits = u64::from(u32::MAX);
        // The low 32 bits of 2 to the power 32 are zero: as a `usize` of 32 bits, it would be no memory at all.
        assert_eq!(memory_for_lists(1 << 32, addressed_by_32_bits), addressed_by_32_bits / 8 * 7 + 7);
        assert_eq!(memory_for_lists(u64::MAX, addressed_by_32_bits), addressed_by_32_bits / 8 * 7 + 7);
        assert_eq!(memory_for_lists(8 << 20, addressed_by_32_bits), 7 << 20);
    }

    #[test]
    fn memory_is_shared_out_in_words() {
        let watch = |_: &crate::run::Progress| ControlFlow::Continue(());
        let limits = |memory, grain| Limits::new(&Options { memory, grain, ..Options::default() }, &watch);
        let plain = limits(8 << 20, None);
        assert_eq!((plain.memory, plain.words_in::<u64>(4), plain.run_words::<u128>()), (7 << 20, 7 << 15, 7 << 14));
        assert!(!plain.does_for_disk() && limits(16 << 20, None).does_for_disk());
        assert_eq!(limits(0, None).run_words::<u32>(), 1);
        let cut = limits(8 << 20, Some(Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 5 }));
        assert!(cut.does_for_disk() && cut.always_on_disk() && !plain.always_on_disk());
        assert_eq!(cut.run_words::<u64>(), 5);
    }
}
