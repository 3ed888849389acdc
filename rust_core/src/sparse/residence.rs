//! All that a run holds in memory: partitions, the frontier, the frontier before it, and blocks. Counts its bytes, and
//! forecasts whether the next depth fits.

use std::sync::atomic::{AtomicBool, Ordering};

use super::depth_files::{read_all, read_open};
use super::history::History;
use super::limits::Limits;
use super::partition::Partition;
use super::sorted::Sorted;
use super::state_graph::StateGraph;
use super::wave::Wave;
use super::word_set::WordSet;
use crate::compile::Word;
use crate::error::Result;
use crate::job::Job;
use crate::memory;
use crate::run::parallel;
use crate::structure::Window;

/// The number of bytes that the words of a partition should take in its set. The slots of new words are fetched ahead,
/// so a set need not fit a small cache. It should not be larger than the last-level cache, and it is copied as a whole
/// when it grows.
const PARTITION_BYTES: u64 = 32 << 20;

/// A partition should take at most this part of the memory: a 64th. So the copy of a set that grows is small beside it.
const PARTITION_SHARE: u64 = 64;

/// If there are several threads, there are at least so many partitions for each, since a partition is filled by one
/// thread.
const PARTITIONS_A_THREAD: u64 = 8;

/// For the sake of threads or of little memory, no partition is made much smaller than that.
const LEAST_PARTITION_BYTES: u64 = 256 << 10;

/// The binary logarithm of the most partitions. With more, a block would have less than a cache line of words for each.
const MOST_BITS: u32 = 12;

/// The memory is ample for states that take at most this part of it: an eighth.
const AMPLE: u64 = 8;

/// The number of words that each thread sorts by partition at a time, to mark them as seen.
const MARKED_AT_ONCE: usize = 1 << 14;

/// All that a run holds in memory.
///
/// In a directed graph, all states that were seen must be known. There, partitions live as long as the run and are
/// divided as they grow. In other graphs they are filled anew for each depth, from the frontier and the one before it.
/// That is quicker than taking out the words that are too old.
pub struct Residence<W> {
    /// The partitions; a directed graph with two players has a set of them for each player to move.
    pub sets: Vec<Vec<Partition<W>>>,
    /// The binary logarithm of the number of partitions of a set.
    pub bits: u32,
    /// The open states of the last depth, in the order of their file if there is a job.
    pub frontier: Vec<W>,
    /// The frontier of the depth before, if new states are compared with it.
    pub previous: Vec<W>,
    /// The number of states of the frontier that were expanded.
    pub expanded: usize,
    /// If all states are to be kept: the states of the completed depths, a list for each depth. Otherwise `None`.
    pub kept: Option<Vec<Vec<W>>>,
    /// The blocks in which states are expanded.
    pub wave: Wave<W>,
    kinds: usize,
    /// The most bytes that may be held.
    most: u64,
    /// The binary logarithm of the fewest partitions.
    least_bits: u32,
}

impl<W: Word> Residence<W> {
    /// A residence with one empty partition in each set.
    pub fn new(graph: &StateGraph<W>, limits: &Limits) -> Self {
        let kinds = graph.kinds();
        Self {
            sets: (0..graph.sets()).map(|_| vec![Partition::new(0, kinds)]).collect(),
            bits: 0,
            previous: Vec::new(),
            frontier: Vec::new(),
            expanded: 0,
            kept: None,
            wave: Wave::new(),
            kinds,
            most: limits.memory,
            least_bits: limits.grain.map_or(0, |grain| grain.partition_bits),
        }
    }

    /// The bytes of memory that everything here takes.
    #[inline(never)]
    pub fn bytes(&self) -> usize {
        let partitions: usize = self.sets.iter().flatten().map(Partition::bytes).sum();
        partitions + self.frontier_and_block_bytes()
    }

    /// The number of new states that the partitions of a set have found.
    pub fn found(&self, set: usize) -> usize {
        self.sets[set].iter().flat_map(|partition| &partition.found).map(Vec::len).sum()
    }

    /// Changes the number of bytes that may be held.
    pub fn allow(&mut self, most: u64) {
        self.most = most;
    }

    fn frontier_and_block_bytes(&self) -> usize {
        let kept: usize = self.kept.iter().flatten().map(Vec::len).sum();
        (self.previous.capacity() + self.frontier.capacity() + kept) * size_of::<W>() + self.wave.bytes()
    }

    /// Returns `true` if `more` further bytes may be held.
    pub fn may_take(&self, more: usize) -> bool {
        (self.bytes() + more) as u64 <= self.most
    }

    /// Returns `true` if the next depth can be expected to fit the memory, with all that it needs.
    pub fn expects_to_hold(&self, graph: &StateGraph<W>, history: &History) -> bool {
        let words = history.known(graph.window).saturating_add(history.expected());
        words.saturating_mul(state_bytes::<W>() as u64) <= self.most
    }

    /// Makes enough partitions for the next depth. Marks as seen the states of earlier depths with which new states are
    /// compared. Returns `false` if that does not fit the memory.
    pub fn prepare(&mut self, graph: &StateGraph<W>, history: &History) -> bool {
        let (known, hoped) = (history.known(graph.window), history.hoped());
        // If the memory is ample, a depth that grows much gets room from the start, and its lists need not be copied as
        // they grow. If it is not, room that turns out not to be needed might stop a run that would fit.
        let most_bytes = known.saturating_add(hoped).saturating_mul(state_bytes::<W>() as u64);
        let ample = most_bytes.saturating_add(self.frontier_and_block_bytes() as u64) <= self.most / AMPLE;
        let listed = if ample { hoped } else { 0 };
        if !ample {
            self.give_back_room();
        }
        if graph.window == Window::Directed {
            self.divide_for(known, history.expected());
            for partition in &mut self.sets[graph.set(history.next())] {
                partition.expect(listed >> self.bits);
            }
            return true;
        }
        let expected = if ample { hoped } else { history.expected() };
        let bits = self.bits_for(known.saturating_add(expected));
        let frontiers = self.frontier_and_block_bytes() as u64;
        let bytes_of = |states: u64| (WordSet::<W>::bytes_for(states >> bits) << bits) + frontiers;
        if bytes_of(known) > self.most {
            return false;
        }
        // Slots for the expected states are made only if three fourths of the memory are enough. If there turn out to
        // be more states, the sets grow, which costs little.
        let slots_for = if bytes_of(known + expected) <= self.most / 4 * 3 { known + expected } else { known };
        let (set, kinds) = (&mut self.sets[0], self.kinds);
        set.resize_with(1 << bits, || Partition::new(bits, kinds));
        parallel::each_mut(set, |_, partition| {
            partition.seen.reset(bits, (slots_for >> bits) as usize);
            partition.expect(listed >> bits);
        });
        self.bits = bits;
        for depth in graph.compared(history.next()) {
            let states = if depth == history.last() { &self.frontier } else { &self.previous };
            mark_seen(set, bits, states);
        }
        true
    }

    /// Divides partitions if the sets of `known` states and those of `expected` new ones would be too large. The sets
    /// of divided partitions have slots for the new states, too, if three fourths of the memory are enough.
    fn divide_for(&mut self, known: u64, expected: u64) {
        let bits = self.bits_for(known.saturating_add(expected));
        if bits > self.bits {
            // To divide partitions, all words are added to new sets. With twice as many partitions as needed, that is
            // rarer. But if a grain names a least number of partitions, there are only as many as needed.
            let bits = if self.least_bits == 0 { (bits + 1).min(MOST_BITS) } else { bits };
            let all = known.saturating_add(expected.saturating_mul(self.sets.len() as u64));
            let bytes = all.saturating_mul(WordSet::<W>::MOST_BYTES as u64);
            // The old sets are there until the new ones are made, and each thread lists the words of a part of a set.
            let old = self.bytes() as u64;
            let fit = bytes.saturating_add(old + old / 4) <= self.most / 4 * 3;
            self.divide(bits, if fit { (expected >> bits) as usize } else { 0 });
        }
    }

    /// The binary logarithm of the number of partitions that `states` states need.
    fn bits_for(&self, states: u64) -> u32 {
        let bytes = states.saturating_mul(WordSet::<W>::LEAST_BYTES as u64);
        let threads = parallel::threads() as u64;
        let busy = if threads > 1 { (bytes / LEAST_PARTITION_BYTES).min(PARTITIONS_A_THREAD * threads) } else { 0 };
        let size = PARTITION_BYTES.min(self.most / PARTITION_SHARE).max(LEAST_PARTITION_BYTES);
        let partitions = (bytes / size).max(busy);
        partitions.next_power_of_two().trailing_zeros().max(self.least_bits).min(MOST_BITS)
    }

    /// Divides each partition, so that there are `1 << bits` of them, each with slots for `more` words more. No
    /// partition may hold new words.
    fn divide(&mut self, bits: u32, more: usize) {
        let (wider, kinds) = (bits - self.bits, self.kinds);
        for set in &mut self.sets {
            let old = &*set;
            *set = parallel::map(1 << bits, 1, |range| {
                let number = range.start;
                let seen = &old[number >> wider].seen;
                let mut partition = Partition::new(bits, kinds);
                partition.seen.reset(bits, (seen.len() >> wider) + more);
                let mut words = Vec::new();
                seen.list_part(number & ((1 << wider) - 1), wider, &mut words);
                partition.seen.insert_lists(&[&words], None);
                partition
            });
        }
        self.bits = bits;
    }

    /// Returns `true` if the memory is ample for all that is held.
    pub fn is_ample(&self) -> bool {
        self.bytes() as u64 <= self.most / AMPLE
    }

    /// Gives back the memory that lists have beyond their words.
    pub fn give_back_room(&mut self) {
        for partition in self.sets.iter_mut().flatten() {
            partition.found[0].shrink_to_fit();
        }
        self.frontier.shrink_to_fit();
        self.previous.shrink_to_fit();
    }

    /// Gives back the memory of the words that were seen. The new states of a depth stay.
    pub fn give_back_seen(&mut self) {
        self.sets.iter_mut().flatten().for_each(|partition| partition.seen.reset(self.bits, 0));
    }

    /// Gives all memory back.
    pub fn give_back(&mut self) {
        let kinds = self.kinds;
        self.sets.iter_mut().for_each(|set| *set = vec![Partition::new(0, kinds)]);
        self.bits = 0;
        (self.previous, self.frontier, self.expanded) = (Vec::new(), Vec::new(), 0);
        self.wave.give_back();
        memory::trim();
    }

    /// Reads the states that the next depth needs from a job: the frontier, and the states with which new ones are
    /// compared.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`].
    pub fn load(&mut self, graph: &StateGraph<W>, history: &History, job: &Job) -> Result<()> {
        let last = history.last();
        self.frontier = read_open(job, graph, history, last)?;
        if graph.window == Window::InverseClosed && last > 0 {
            self.previous = read_open(job, graph, history, last - 1)?;
        }
        if graph.window == Window::Directed {
            self.divide_for(history.total, 0);
            for depth in 0..=last {
                let (set, bits) = (&mut self.sets[graph.set(depth)], self.bits);
                read_all(job, graph, depth as usize, &mut |words| mark_seen(set, bits, words))?;
            }
        }
        Ok(())
    }
}

/// The most bytes that each of many new states takes: its word is in a set, and also in the list of those that were
/// found.
pub fn state_bytes<W: Word>() -> usize {
    WordSet::<W>::MOST_BYTES + size_of::<W>()
}

/// Marks words as seen by their partitions. Returns `true` if all of them were new.
fn mark_seen<W: Word>(partitions: &mut [Partition<W>], bits: u32, words: &[W]) -> bool {
    let mut sorted: Vec<Sorted<W>> = Vec::new();
    words.chunks(MARKED_AT_ONCE * 4 * parallel::threads()).all(|wave| {
        sorted.resize_with(wave.len().div_ceil(MARKED_AT_ONCE), Sorted::new);
        parallel::each_mut(&mut sorted, |number, sorted| {
            let block = &wave[number * MARKED_AT_ONCE..];
            sorted.raw.clear();
            sorted.raw.extend_from_slice(&block[..block.len().min(MARKED_AT_ONCE)]);
            sorted.sort(bits);
        });
        let all_new = AtomicBool::new(true);
        parallel::each_mut(partitions, |number, partition| {
            let lists: Vec<&[W]> = sorted.iter().map(|block| block.partition(number)).collect();
            if partition.seen.insert_lists(&lists, None) < lists.iter().map(|list| list.len()).sum() {
                all_new.store(false, Ordering::Relaxed);
            }
        });
        all_new.into_inner()
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::run::{DepthReport, Options, in_pool};
    use crate::sparse::hash::partition_of;
    use crate::sparse::tests::{dials, tiles};
    use crate::tests::GO_ON;

    /// The number of slots of a set without a word.
    const LEAST_SLOTS: usize = 16;

    fn limits(memory: u64) -> Limits<'static> {
        Limits::new(&Options { memory, ..Options::default() }, GO_ON)
    }

    fn history(open: &[u64]) -> History {
        let mut history = History::new();
        for (depth, &open) in (0..).zip(open) {
            history.add(DepthReport { depth, states: open, raw_states: open, open, ended: Vec::new() });
        }
        history
    }

    #[test]
    fn each_thread_has_partitions_that_are_not_too_small() {
        let rules = dials::<u64>(3);
        let bits_within = |memory: u64, threads: usize, bytes: u64| {
            let options = Options { threads, ..Options::default() };
            let states = bytes / WordSet::<u64>::LEAST_BYTES as u64;
            in_pool(&options, || Residence::new(&rules.graph(), &limits(memory)).bits_for(states)).unwrap()
        };
        let bits = |threads, bytes| bits_within(u64::MAX, threads, bytes);
        assert_eq!([0, 32 << 20, 64 << 20, 1 << 30].map(|bytes| bits(1, bytes)), [0, 0, 1, 5]);
        assert_eq!([0, 1 << 20, 32 << 20, 1 << 30, 1 << 60].map(|bytes| bits(3, bytes)), [0, 2, 5, 5, MOST_BITS]);
        // With little memory, partitions are a 64th of the seven eighths of it that lists and tables may take.
        assert_eq!(bits_within(512 << 20, 1, 56 << 20), 3);
        assert_eq!(bits_within(1 << 20, 1, 1 << 20), 2, "but not smaller than 256 KB");
    }

    #[test]
    fn there_are_slots_for_new_words_only_if_the_memory_is_enough() {
        let (rules, words) = (dials::<u64>(3), (1..=3000).collect::<Vec<u64>>());
        let bytes = |memory: u64, expected: u64| {
            let options = Options { threads: 2, ..Options::default() };
            let bytes = in_pool(&options, || {
                let mut residence = Residence::new(&rules.graph(), &limits(memory));
                assert!(mark_seen(&mut residence.sets[0], 0, &words));
                residence.divide_for(words.len() as u64, expected);
                assert_eq!(residence.bits, residence.bits_for(words.len() as u64 + expected) + 1);
                residence.bytes() as u64
            });
            bytes.unwrap()
        };
        let expected = 1 << 20;
        let (ample, little) = (bytes(u64::MAX, expected), bytes(1 << 24, expected));
        assert!(ample >= expected * 8 && little < 1 << 20, "{ample}, {little}");
    }

    proptest! {
        #[test]
        fn dividing_partitions_loses_no_word(
            words in prop::collection::hash_set(any::<u64>(), 0..400),
            (few, more) in (0u32..4, 0u32..4),
        ) {
            let rules = dials::<u64>(3);
            let mut residence = Residence::new(&rules.graph(), &limits(u64::MAX));
            residence.divide(few, 0);
            let words: Vec<u64> = words.into_iter().collect();
            prop_assert!(mark_seen(&mut residence.sets[0], few, &words));
            residence.divide(few + more, few as usize);
            let set = &residence.sets[0];
            prop_assert_eq!((residence.bits, set.len()), (few + more, 1 << (few + more)));
            prop_assert_eq!(set.iter().map(|partition| partition.seen.len()).sum::<usize>(), words.len());
            for (number, partition) in set.iter().enumerate() {
                prop_assert!(partition.seen.iter().all(|word| partition_of(word, few + more) == number));
            }
            prop_assert!(words.is_empty() || !mark_seen(&mut residence.sets[0], few + more, &words[..1]));
        }

        #[test]
        fn what_is_prepared_is_within_the_memory_and_has_seen_both_frontiers(
            (before, now) in (1u64..3000, 1u64..3000),
            memory in 1u64..400_000,
        ) {
            compare_prepared(&[before, now], memory, 8, |at| at);
            // A list that has to grow may get room for twice its words.
            compare_prepared(&[before, now], 6 * memory, 32 + 96, |at| [at << 9, 0, at, 7]);
        }
    }

    /// Prepares a residence after two depths. What it holds fits the memory, or takes at most `least` bytes a state.
    fn compare_prepared<W: Word>(open: &[u64; 2], memory: u64, least: usize, word: impl Fn(u64) -> W) {
        let rules = tiles::<W>(4);
        let (graph, history, limits) = (rules.graph(), history(open), limits(memory));
        let mut residence = Residence::new(&graph, &limits);
        residence.previous = (1..=open[0]).map(&word).collect();
        residence.frontier = (open[0] + 1..=open[0] + open[1]).map(&word).collect();
        let mut known = [&residence.previous[..], &residence.frontier[..]].concat();
        if residence.prepare(&graph, &history) {
            let mut seen: Vec<W> = residence.sets[0].iter().flat_map(|partition| partition.seen.iter()).collect();
            seen.sort_unstable();
            known.sort_unstable();
            assert_eq!(seen, known);
            assert!(residence.may_take(0) || residence.bytes() <= least * (known.len() + LEAST_SLOTS));
        } else {
            assert!((state_bytes::<W>() * known.len()) as u64 > limits.memory);
        }
    }

    #[test]
    fn memory_is_counted_and_given_back() {
        let rules = tiles::<u64>(4);
        let graph = rules.graph();
        let mut residence = Residence::new(&graph, &limits(80_000));
        let empty = residence.bytes();
        residence.frontier = vec![1; 1000];
        assert_eq!(residence.bytes(), empty + 8000);
        // An eighth of the memory is the allocator's.
        assert!(residence.may_take(70_000 - empty - 8000));
        assert!(!residence.may_take(70_000 - empty - 8000 + 1));
        residence.frontier.reserve_exact(500);
        residence.sets[0][0].found[0].reserve_exact(100);
        assert_eq!(residence.bytes(), empty + 8000 + 4000 + 800);
        residence.give_back_room();
        assert_eq!(residence.bytes(), empty + 8000);
        residence.give_back();
        assert_eq!((residence.bytes(), residence.bits, residence.frontier.len()), (empty, 0, 0));
    }

    #[test]
    fn lists_keep_their_room_while_the_memory_is_ample() {
        let rules = tiles::<u64>(4);
        let graph = rules.graph();
        for (memory, keeps) in [(1 << 30, true), (1 << 14, false)] {
            let mut residence = Residence::new(&graph, &limits(memory));
            residence.frontier = (1..=20).collect();
            residence.frontier.reserve_exact(80);
            // Some 40 new states are hoped for, and a list is used again if it has room for up to four times as many.
            residence.sets[0][0].found[0].reserve_exact(200);
            let place = residence.sets[0][0].found[0].as_ptr();
            assert!(residence.is_ample() == keeps && residence.prepare(&graph, &history(&[10, 20])), "{memory}");
            assert_eq!(residence.frontier.capacity() > 20, keeps);
            assert_eq!(residence.sets[0][0].found[0].as_ptr() == place, keeps);
            assert_eq!(residence.sets[0][0].found[0].capacity() > 0, keeps);
        }
    }

    #[test]
    fn a_depth_is_expected_to_fit_with_five_words_for_each_state() {
        let rules = tiles::<u64>(4);
        let graph = rules.graph();
        // After depths of 10 and 20 states, 40 are expected: 70 states in all, with 40 bytes for each.
        let history = history(&[10, 20]);
        let fits = |memory: u64| Residence::new(&graph, &limits(memory)).expects_to_hold(&graph, &history);
        assert!(fits(3200) && !fits(3190));
    }
}
