//! How much memory the sparse store takes for a depth: how many partitions there are, and how large their tables.

use rayon::prelude::*;

use super::frontier::{MOST_BITS, Search, TABLE_BYTES};
use super::partition::{Partition, Sorted, partition_of};
use crate::compile::Word;
use crate::memory;
use crate::run::{Progress, Stop};
use crate::structure::Window;

/// How many words a block has that is sorted by partition to be marked as seen.
const BLOCK_WORDS: usize = 1 << 14;

impl<W: Word> Search<'_, W> {
    /// The earlier depths whose states may come again in a depth.
    pub(super) fn compared(&self, depth: u64) -> Vec<u64> {
        match self.window {
            Window::Layered => Vec::new(),
            // With two players, the states of the last depth have the other player to move.
            Window::InverseClosed if self.flips.len() > 1 => depth.checked_sub(2).into_iter().collect(),
            Window::InverseClosed => (depth.saturating_sub(2)..depth).collect(),
            Window::Directed => (0..depth).filter(|&before| self.set(before) == self.set(depth)).collect(),
        }
    }

    /// How many states the next depth is likely to have: it grows about as the last one did.
    fn expected(&self) -> usize {
        let (last, now) = (self.open_of(self.depth().wrapping_sub(1)), self.open_of(self.depth()));
        now.saturating_mul(now).checked_div(last).unwrap_or(8).clamp(now / 2, now.saturating_mul(2))
    }

    /// How many open states a depth has.
    pub(super) fn open_of(&self, depth: u64) -> usize {
        self.depths.get(depth as usize).map_or(0, |report| report.open as usize)
    }

    /// How many states of earlier depths the tables hold for the next one.
    fn known(&self) -> usize {
        match self.window {
            Window::Layered => 0,
            Window::InverseClosed => self.open_of(self.depth().wrapping_sub(1)) + self.open_of(self.depth()),
            Window::Directed => self.total as usize,
        }
    }

    /// Whether the next depth can be expected to fit the memory, with all that it needs.
    pub(super) fn fits(&self) -> bool {
        let words = self.known().saturating_add(self.expected());
        // Tables are half full at the best and a quarter at the worst, and what is found is listed beside.
        words.saturating_mul(5 * size_of::<W>()) as u64 <= self.memory
    }

    /// Makes room for the next depth: chooses how many partitions there are, and tells them what is not new. Tells whether
    /// there is no such room.
    pub(super) fn prepare_partitions(&mut self) -> Option<Stop> {
        // Too low a guess costs little: tables grow.
        let (known, expected) = (self.known(), self.expected());
        let bits = self.bits_for(known + expected);
        // A guess must not take what the limit does not give: then tables grow as they must.
        let layers = (self.previous.len() + self.current.len()) * size_of::<W>() + self.block_bytes();
        let tables = |states: usize| ((states >> bits) * 2).next_power_of_two() << bits;
        let fits = |states: usize| (tables(states) * size_of::<W>() + layers) as u64 <= self.memory / 4 * 3;
        let room = if fits(known + expected) { known + expected } else { known } >> bits;
        if self.window == Window::Directed {
            self.make_room(known + expected);
            return None;
        }
        if (tables(known) * size_of::<W>() + layers) as u64 > self.memory {
            return Some(Stop::Memory);
        }
        let kinds = self.partitions[0][0].found.len();
        self.partitions[0].resize_with(1 << bits, || Partition::new(bits, kinds));
        self.partitions[0].par_iter_mut().for_each(|partition| partition.seen.reset(bits, room));
        self.bits = bits;
        let depth = self.depth() + 1;
        for before in self.compared(depth) {
            let layer = if before + 1 == depth { &mut self.current } else { &mut self.previous };
            let words = std::mem::take(layer);
            self.see(0, &words);
            *(if before + 1 == depth { &mut self.current } else { &mut self.previous }) = words;
        }
        None
    }

    /// Marks words as seen. Tells whether none of them was already.
    pub(super) fn see(&mut self, set: usize, words: &[W]) -> bool {
        let (partitions, bits) = (&mut self.partitions[set], self.bits);
        let mut sorted: Vec<Sorted<W>> = Vec::new();
        words.chunks(BLOCK_WORDS * 4 * rayon::current_num_threads()).all(|wave| {
            sorted.resize_with(wave.len().div_ceil(BLOCK_WORDS), Sorted::new);
            sorted.par_iter_mut().zip(wave.par_chunks(BLOCK_WORDS)).for_each(|(sorted, block)| {
                sorted.raw.clear();
                sorted.raw.extend_from_slice(block);
                sorted.sort(bits);
            });
            let marked = partitions.par_iter_mut().enumerate().map(|(number, partition)| {
                let mut words = sorted.iter().flat_map(|block| block.partition(number));
                words.all(|&word| partition.seen.insert(word))
            });
            marked.all(|new| new)
        })
    }

    /// Makes so many partitions that tables with some states fit the cache.
    pub(super) fn make_room(&mut self, states: usize) {
        let bits = self.bits_for(states);
        if bits > self.bits {
            self.split_partitions(bits);
            self.bits = bits;
        }
    }

    /// How many partitions tables with some states need, as a power of two.
    fn bits_for(&self, states: usize) -> u32 {
        let tables = states * 2 * size_of::<W>() / TABLE_BYTES;
        let fewest_bits = self.grain.map_or(0, |grain| grain.partition_bits);
        tables.next_power_of_two().trailing_zeros().max(fewest_bits).min(MOST_BITS)
    }

    /// Divides each partition into smaller ones.
    fn split_partitions(&mut self, bits: u32) {
        let wider = bits - self.bits;
        let kinds = self.partitions[0][0].found.len();
        for set in &mut self.partitions {
            let old = &*set;
            let split = (0..1usize << bits).into_par_iter().map(|number| {
                let seen = &old[number >> wider].seen;
                let mut partition = Partition::new(bits, kinds);
                partition.seen.reset(bits, seen.len() >> wider);
                for word in seen.iter().filter(|&word| partition_of(word, bits) == number) {
                    partition.seen.insert(word);
                }
                partition
            });
            *set = split.collect();
        }
    }

    /// Gives back all that the store holds in memory.
    pub(super) fn give_back(&mut self) {
        let kinds = self.partitions[0][0].found.len();
        self.partitions.iter_mut().for_each(|set| *set = vec![Partition::new(0, kinds)]);
        self.bits = 0;
        (self.previous, self.current, self.blocks) = (Vec::new(), Vec::new(), Vec::new());
        memory::trim();
    }

    /// The bytes of memory that the blocks hold.
    pub(super) fn block_bytes(&self) -> usize {
        self.blocks.iter().map(super::expand::Block::bytes).sum()
    }

    pub(super) fn progress(&self) -> Progress {
        let tables = self.partitions.iter().flatten().map(Partition::bytes).sum::<usize>();
        let layers = (self.previous.len() + self.current.len()) * size_of::<W>();
        Progress {
            depth: (self.depths.len() as u64).saturating_sub(1),
            frontier: self.depths.last().map_or(0, |report| report.open),
            expanded: 0,
            states: self.total,
            store_bytes: (tables + self.block_bytes() + layers) as u64,
            seconds: 0.0,
        }
    }
}
