//! The search over planes (the bits of one block with the pivot in one place), with two bits for each state, or three.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! With two bits, there is an array for the states of even depth, and one for the states of odd depth. To find the next
//! depth, all states of one array are expanded, and not only those of the last depth. The successors of earlier depths
//! do no harm: they were seen when those depths were expanded. So the successors that are in neither array are new, and
//! are put into the other array. That holds for any graph, also if moves cannot be undone.
//!
//! For example, on a ring of six states in which moves lead both ways, state 0 is the start. The even array then has 0;
//! the odd one gets 1 and 5; the even one gets 2 and 4, because 0 is known; the odd one gets 3. The neighbours of 3 are
//! 2 and 4, which are known, so the search ends.
//!
//! With three bits, the first two arrays hold only the current depth and the next one, and the third has all states
//! that were seen. Jobs that keep each depth need this. It also suits moves that push states one by one: a state is
//! pushed only once, and not again in every second depth after its own.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicU16;

use super::plane_shape::{GUARDS, PlaneShape};
use super::plane_sweep::{ExpandPlanes, PlaneChunk, PushWide};
use super::planes::WORD;
use crate::compile::cpu;
use crate::dense::dense_shape::{DenseShape, DepthStates, InPlace, InPlaceNeeds, Place, StorageNeeds};
use crate::dense::driver::{DenseStorage, DepthBits, FoundDepth, RestoredPart};
use crate::dense::pages::{Pages, Resident, words_at};
use crate::dense::sweep::{rejoin, set_aside};
use crate::dense::swept::SweepCount;
use crate::error::Result;
use crate::index::{Cut, FixedByClass, Index};
use crate::job::{Job, needs_files};
use crate::rules::{Rules, Symbol};
use crate::run::{DepthReport, Monitor, parallel};

/// The cost of pushing one state into another chunk. It is measured in look-ups; one look-up finds out whether a move
/// leads to an unseen state. Pushing a state within its chunk costs one look-up.
const PUSH_COST: u64 = 3;

/// The number of blocks that a thread clears at a time.
const CLEARED_AT_ONCE: usize = 64;

/// A search over arrangements: its arrays of bits, and its counts.
pub(in crate::dense) struct PlaneSearch {
    shape: Arc<PlaneShape>,
    rules: Arc<Rules>,
    /// The number of the current depth.
    depth: u64,
    /// Two arrays of bits: first the states of even depth, then those of odd depth. If there is a third array, one of
    /// the two has only the states of the current depth, and the other only those of the next depth.
    sets: [Pages; 2],
    /// The third array, if there is one: all states that were seen.
    seen: Option<Pages>,
    /// For each array, the number of its states.
    states: [u64; 2],
    /// For each array, the number of fixed points: for each state, how many symmetries other than the identity fix it,
    /// added up over all states.
    fixed: [u64; 2],
    /// `true` if a job keeps snapshots of the search instead of a file for each depth.
    snapshot: bool,
    /// If the arrays are files of the job: the pages of these files that are in memory.
    resident: Option<Resident>,
    /// For each block, a bit for each lane (place of the pivot), set if the current depth has states there.
    occupied: Vec<AtomicU16>,
    /// For each block, a bit for each lane (place of the pivot), set if the next depth has states there.
    occupied_next: Vec<AtomicU16>,
    /// For each block, a bit for each lane (place of the pivot), set if there may be unseen states there.
    open: Vec<u16>,
    /// The blocks that this search fills: all blocks, or those of one shard.
    own: Range<usize>,
    /// The number of states of the current depth.
    frontier: u64,
    /// The counts of the next depth so far.
    count: SweepCount,
    /// The counts of those states of the next depth that came from a snapshot.
    restored: SweepCount,
    /// The states of the next depth that [`Self::set_aside`] keeps: the bytes of some blocks.
    aside: Vec<u8>,
    /// `true` if [`Self::begin_depth`] was called for the next depth.
    begun: bool,
    /// The wide moves are those that have no table. `true` if they pull states into the next depth, `false` if they
    /// push them.
    pull_wide: bool,
}

impl PlaneSearch {
    /// A search without states. It has a third array, for all states that were seen, if a job keeps a file for each
    /// depth, or if a run without a job keeps depths apart. It has none if a job keeps snapshots, which consist of two
    /// arrays.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Memory`] if the system does not give enough memory.
    fn new(shape: Arc<PlaneShape>, rules: &Arc<Rules>, needs: StorageNeeds) -> Result<Self> {
        let third = if needs.kept { !needs.snapshot } else { needs.apart };
        let pages = || Pages::new::<u64>(shape.array_words());
        let sets = match needs.in_place {
            Some(InPlace { files: [even, odd], changes, .. }) => {
                [Pages::of_file(even, changes)?, Pages::of_file(odd, changes)?]
            }
            None => [pages()?, pages()?],
        };
        let resident = needs.in_place.map(|in_place| Resident::new(&sets, in_place.resident));
        let blocks = shape.layout.blocks() as usize;
        let marks = || (0..blocks).map(|_| AtomicU16::new(0)).collect();
        let lanes = u16::MAX >> (u16::BITS as usize - shape.layout.lanes);
        let seen = if third { Some(pages()?) } else { None };
        Ok(Self {
            shape,
            rules: Arc::clone(rules),
            own: 0..blocks,
            depth: 0,
            sets,
            states: [0; 2],
            fixed: [0; 2],
            seen,
            snapshot: needs.snapshot,
            resident,
            occupied: marks(),
            occupied_next: marks(),
            open: vec![lanes; blocks],
            frontier: 0,
            count: SweepCount::default(),
            restored: SweepCount::default(),
            aside: Vec::new(),
            begun: false,
            pull_wide: false,
        })
    }

    /// Adds a depth that was found, with `moves` moves in all its states, to the counts of its array. Returns the
    /// counts of the depth. [`super::super::sweep::Sweep`] explains how orbits are counted.
    fn found_depth(&mut self, depth: u64, raw_states: u64, moves: u64) -> FoundDepth {
        let set = depth as usize % 2;
        let words = &self.sets[set].get::<u64>()[GUARDS..];
        let is_set = |&bit: &u64| words[bit as usize / WORD] >> (bit as usize % WORD) & 1 != 0;
        let fixed = FixedByClass::count(&self.shape.fixed, is_set);
        let before = if self.seen.is_some() { 0 } else { self.fixed[set] };
        let states = (raw_states + fixed - before) / self.symmetry_order() as u64;
        self.fixed[set] = fixed;
        self.states[set] += raw_states;
        self.frontier = raw_states;
        let ended = vec![0; self.rules.outcomes.len()];
        let report = DepthReport { depth, states, raw_states, open: states, ended };
        FoundDepth { report, moves, fixed: Some(fixed - before) }
    }

    /// The number of words of the planes of a block.
    fn block_words(&self) -> usize {
        self.shape.layout.lanes * self.shape.layout.words
    }

    /// The first block of a chunk. `chunk` may be the number of chunks; then the result is the number of blocks.
    fn first_block(&self, chunk: usize) -> usize {
        (chunk * self.shape.chunk_blocks).min(self.open.len())
    }

    /// Puts some bytes of the file of a depth into the array for that depth, and adds their states to `count`. The
    /// first of the bytes is byte `begin` of the file. Returns `None` if a bit belongs to no state, or to a state that
    /// was seen before.
    fn take(&mut self, depth: usize, begin: usize, bytes: &[u8], count: &mut SweepCount) -> Option<()> {
        let (layout, [even, odd]) = (&self.shape.layout, &mut self.sets);
        let (set, other) = if depth.is_multiple_of(2) { (even, odd) } else { (odd, even) };
        let (set, other) = (set.get_mut::<u64>(), other.get::<u64>());
        let mut seen = self.seen.as_mut().map(Pages::get_mut::<u64>);
        for (at, value) in words_at::<u64>(begin, bytes) {
            if value == 0 {
                continue;
            }
            let (lane, word) = (at / layout.words % layout.lanes, at % layout.words);
            let known = seen.as_ref().map_or(set[GUARDS + at] | other[GUARDS + at], |seen| seen[GUARDS + at]);
            if value & (!layout.valid(word) | known) != 0 {
                return None;
            }
            set[GUARDS + at] |= value;
            if let Some(seen) = &mut seen {
                seen[GUARDS + at] |= value;
            }
            let states = u64::from(value.count_ones());
            count.states += states;
            count.moves += states * self.shape.index.moves[lane] as u64;
        }
        Some(())
    }

    /// Counts the states of the array `self.sets[set]`. Returns `None` if a bit belongs to no state, or if the other
    /// array has the same state.
    fn held(&self, set: usize) -> Option<SweepCount> {
        let (layout, words) = (&self.shape.layout, self.shape.layout.words);
        let [own, other] = [set, 1 - set].map(|set| &self.sets[set].get::<u64>()[GUARDS..]);
        let mut count = SweepCount::default();
        for (own, other) in own.chunks_exact(self.block_words()).zip(other.chunks_exact(self.block_words())) {
            for (lane, (own, other)) in own.chunks_exact(words).zip(other.chunks_exact(words)).enumerate() {
                let mut states = 0;
                for (word, (&own, &other)) in own.iter().zip(other).enumerate() {
                    if own & (!layout.valid(word) | other) != 0 {
                        return None;
                    }
                    states += u64::from(own.count_ones());
                }
                count.states += states;
                count.moves += states * self.shape.index.moves[lane] as u64;
            }
            if let Some(resident) = &self.resident {
                resident.look_at(16 * self.block_words() as u64);
            }
        }
        Some(count)
    }

    /// For each of the first `blocks` blocks, a bit for each lane (place of the pivot): set if the array for the depth
    /// `depth` has states there.
    fn marks(&self, depth: u64, blocks: usize) -> Vec<u16> {
        let words = self.shape.layout.words;
        let planes = self.sets[depth as usize % 2].get::<u64>()[GUARDS..].chunks_exact(words);
        let held: Vec<bool> =
            planes.take(blocks * self.shape.layout.lanes).map(|plane| plane.iter().any(|&word| word != 0)).collect();
        let mark = |lanes: &[bool]| lanes.iter().rev().fold(0, |mark, &held| mark << 1 | u16::from(held));
        held.chunks_exact(self.shape.layout.lanes).map(mark).collect()
    }

    /// Begins the next depth, of which the blocks before `first` are done. If pushing is faster than pulling, the wide
    /// moves that lead to another chunk push all their states now.
    fn begin_depth(&mut self, first: usize, monitor: &Monitor) {
        self.begun = true;
        let set = self.depth as usize % 2;
        let [even, odd] = &mut self.sets;
        let (current, next) = if set == 0 { (even, odd) } else { (odd, even) };
        let states = self.states[0] + self.states[1];
        let unseen = share(self.shape.reachable, self.own.len(), self.open.len()).saturating_sub(states);
        let local = self.shape.wides.iter().all(|wide| wide.local || wide.forth.is_long());
        let pushed = if self.seen.is_some() { self.frontier } else { self.states[set] };
        self.pull_wide = pushed * if local { 1 } else { PUSH_COST } >= unseen;
        if self.pull_wide || local {
            return;
        }
        let (shape, current, next) = (&*self.shape, current.get::<u64>(), next.get_atomic());
        let (seen, counts) = (self.seen.as_ref().map_or(current, Pages::get::<u64>), self.seen.is_none());
        let (occupied, occupied_next, own) = (&self.occupied[..], &self.occupied_next[..], &self.own);
        let blocks = occupied.len();
        let chunks = blocks.div_ceil(shape.chunk_blocks);
        let push = |chunk: usize| {
            let mut count = SweepCount::default();
            if !monitor.stopped() {
                let blocks = chunk * shape.chunk_blocks..((chunk + 1) * shape.chunk_blocks).min(blocks);
                let count = &mut count;
                let task = PushWide {
                    shape,
                    blocks,
                    current,
                    seen,
                    counts,
                    occupied,
                    next,
                    occupied_next,
                    filled_from: first,
                    own: own.clone(),
                    count,
                };
                cpu::run(task);
                monitor.add(0);
            }
            count
        };
        let counts = parallel::map(chunks, 1, |chunk| push(chunk.start));
        self.count = counts.into_iter().fold(self.count, SweepCount::plus);
    }
}

/// A job keeps a file for each depth only if an array of bits has at most this many bytes. A hundred files of larger
/// arrays would fill a disk.
const MOST_KEPT: u64 = 1 << 30;

impl DenseShape for PlaneShape {
    fn index(&self) -> &dyn Index {
        &self.index
    }

    fn cut(&self) -> Cut {
        self.cut()
    }

    fn bytes(&self, _max_depth: Option<u64>, kept: bool) -> u64 {
        self.bytes(kept)
    }

    /// Returns `true` if files of depths would be very large, or if there is no memory for the bits of one depth beside
    /// the search. `most` is the most bytes of memory.
    fn keeps_snapshot(&self, most: u64) -> bool {
        self.array_bytes() > MOST_KEPT || self.bytes(true) > most
    }

    fn in_place(&self) -> Option<InPlaceNeeds> {
        let file_bytes = 8 * self.array_words() as u64;
        // Memory is needed for one chunk of each of the two arrays, and for as many bytes of the chunks from which
        // moves pull.
        let resident = 4 * 8 * (self.chunk_blocks * self.layout.lanes * self.layout.words) as u64;
        let (beside, symmetry_order) = (self.bytes(false) - 2 * file_bytes, FixedByClass::order(&self.fixed));
        Some(InPlaceNeeds { file_bytes, beside, resident, symmetry_order })
    }

    fn gains_by_more(&self) -> bool {
        self.pushes()
    }

    fn doubtful(&self, _max_depth: Option<u64>) -> u64 {
        self.states()
    }

    fn reading(&self, _depth: u64) -> Box<dyn DepthStates + '_> {
        Box::new(self)
    }

    fn storage(self: Arc<Self>, rules: &Arc<Rules>, needs: StorageNeeds) -> Result<Box<dyn DenseStorage>> {
        Ok(Box::new(PlaneSearch::new(self, rules, needs)?))
    }
}

impl DepthStates for &PlaneShape {
    fn bytes(&self) -> usize {
        self.array_bytes() as usize
    }

    fn place(&self, bit: usize) -> Option<Place> {
        self.has_state(bit as u64).then_some(Place { block: bit, within: 0 })
    }

    fn bit(&self, state: &[Symbol]) -> Option<u64> {
        PlaneShape::bit(self, state)
    }

    fn state(&self, place: Place) -> Vec<Symbol> {
        PlaneShape::state(self, place.block as u64).unwrap_or_default()
    }
}

impl DenseStorage for PlaneSearch {
    fn symmetry_order(&self) -> usize {
        FixedByClass::order(&self.shape.fixed)
    }

    fn begin(&mut self) -> Result<FoundDepth> {
        let (sequence, lane) = self.shape.index.read(&self.rules.start);
        let bit = self.shape.layout.bit(&sequence, lane).expect("the start has the parity of the start") as usize;
        let at = GUARDS + bit / WORD;
        self.sets[0].get_mut::<u64>()[at] = 1 << (bit % WORD);
        if let Some(seen) = &mut self.seen {
            seen.get_mut::<u64>()[at] = 1 << (bit % WORD);
        }
        let block = bit / WORD / self.block_words();
        self.occupied[block] = AtomicU16::new(1 << lane);
        let moves = self.shape.index.moves[lane] as u64;
        Ok(self.found_depth(0, 1, moves))
    }

    fn read_depth(&mut self, bits: DepthBits, depth: usize) -> Result<FoundDepth> {
        if self.seen.is_some() {
            // Until now, this array has the states of the depth `depth - 2`. They are in `seen`, too.
            self.sets[depth % 2].get_mut::<u64>().fill(0);
        }
        let mut count = SweepCount::default();
        let bytes = self.shape.array_bytes() as usize;
        bits.read(depth, bytes, &mut |begin, bytes| self.take(depth, begin, bytes, &mut count))?;
        self.depth = depth as u64;
        Ok(self.found_depth(self.depth, count.states, count.moves))
    }

    fn is_read(&mut self) {
        self.occupied = self.marks(self.depth, self.occupied.len()).into_iter().map(AtomicU16::new).collect();
        if self.seen.is_some() {
            self.sets[(self.depth + 1) as usize % 2].get_mut::<u64>().fill(0);
        }
    }

    fn make_room(&mut self, _depth: u64) -> Result<u64> {
        self.count = std::mem::take(&mut self.restored);
        self.begun = false;
        Ok(self.shape.bytes(self.seen.is_some()))
    }

    fn read_part(&mut self, job: &Job) -> Result<RestoredPart> {
        needs_files!();
        let depth = job.manifest().depths.len();
        let blocks = usize::try_from(job.partial().expanded).unwrap_or(usize::MAX);
        let pieces = blocks.div_ceil(self.shape.chunk_blocks);
        if pieces > self.pieces() || self.first_block(pieces) != blocks {
            return Err(job.lacks(depth));
        }
        let bytes = blocks * self.block_words() * 8;
        let mut count = SweepCount::default();
        job.read_part(bytes, &mut |begin, bytes| {
            self.take(depth, begin, bytes, &mut count).ok_or_else(|| job.lacks(depth))
        })?;
        for (block, mark) in self.marks(depth as u64, blocks).into_iter().enumerate() {
            self.occupied_next[block] = AtomicU16::new(mark);
        }
        self.count = count;
        Ok(RestoredPart { pieces, expanded: self.share(blocks) })
    }

    fn pieces(&self) -> usize {
        self.open.len().div_ceil(self.shape.chunk_blocks)
    }

    fn part_pieces(&self) -> usize {
        self.shape.part_chunks
    }

    fn fill(&mut self, pieces: Range<usize>, monitor: &Monitor) {
        let first = self.first_block(pieces.start);
        if !self.begun {
            self.begin_depth(first, monitor);
        }
        let (block_words, total) = (self.block_words(), self.open.len());
        let shape = &*self.shape;
        let (frontier, pull_wide) = (self.frontier, self.pull_wide);
        let [even, odd] = &mut self.sets;
        let (current, next) = if self.depth.is_multiple_of(2) { (even, odd) } else { (odd, even) };
        let (current, occupied) = (current.get::<u64>(), &self.occupied[..]);
        let begin = GUARDS + first * block_words;
        let mut next = &mut next.get_mut::<u64>()[begin..];
        let mut seen = self.seen.as_mut().map(|seen| &mut seen.get_mut::<u64>()[begin..]);
        let mut open = &mut self.open[first..];
        let mut occupied_next = &self.occupied_next[first..];
        let mut chunks = Vec::with_capacity(pieces.len());
        for chunk in pieces {
            let (first_block, end) = (chunk * shape.chunk_blocks, ((chunk + 1) * shape.chunk_blocks).min(total));
            let (blocks, words) = (end - first_block, (end - first_block) * block_words);
            chunks.push(PlaneChunk {
                first_block,
                current,
                occupied,
                next: next.split_off_mut(..words).expect("chunks cover the index"),
                seen: seen.as_mut().map(|seen| seen.split_off_mut(..words).expect("chunks cover the index")),
                open: open.split_off_mut(..blocks).expect("chunks cover the index"),
                occupied_next: occupied_next.split_off(..blocks).expect("chunks cover the index"),
            });
        }
        let resident = self.resident.as_ref();
        // The bytes of the arrays that are read or written for one block: all its lanes in both arrays, and one lane of
        // another block for each move that pulls.
        let looked_at = 8 * shape.layout.words * (2 * shape.layout.lanes + shape.pulls.len());
        let expand = |chunk: &mut PlaneChunk| {
            let mut count = SweepCount::default();
            if !monitor.stopped() {
                if let Some(resident) = resident {
                    resident.look_at((chunk.open.len() * looked_at) as u64);
                }
                cpu::run(ExpandPlanes { shape, chunk, pull_wide, count: &mut count });
                let (first_block, blocks) = (chunk.first_block, chunk.open.len());
                count.expanded = share(frontier, first_block + blocks, total) - share(frontier, first_block, total);
                monitor.add(count.expanded);
            }
            count
        };
        let mut expanded: Vec<_> = chunks.into_iter().map(|chunk| (chunk, SweepCount::default())).collect();
        parallel::each_mut(&mut expanded, |_, (chunk, count)| *count = expand(chunk));
        self.count = expanded.into_iter().fold(self.count, |sum, (_, count)| sum.plus(count));
    }

    fn part(&self, pieces: usize) -> (&[u8], usize) {
        let blocks = self.first_block(pieces);
        (&self.next_bits()[..blocks * self.block_words() * 8], blocks)
    }

    fn found(&mut self) -> FoundDepth {
        let SweepCount { states, moves, .. } = self.count;
        self.found_depth(self.depth + 1, states, moves)
    }

    fn current_bits(&self) -> &[u8] {
        self.bits(self.depth)
    }

    fn next_bits(&self) -> &[u8] {
        self.bits(self.depth + 1)
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.occupied, &mut self.occupied_next);
        if self.seen.is_some() {
            self.clear(self.depth);
        }
        self.occupied_next.iter_mut().for_each(|mark| *mark.get_mut() = 0);
        self.depth += 1;
    }

    fn borrow(&mut self, begin: usize, bytes: &[u8]) -> Option<()> {
        let (layout, set) = (&self.shape.layout, self.depth as usize % 2);
        let words = self.sets[set].get_mut::<u64>();
        let mut plane_end = 0;
        for (at, value) in words_at::<u64>(begin, bytes) {
            if value != 0 {
                if at >= plane_end {
                    let plane = at / layout.words;
                    *self.occupied[plane / layout.lanes].get_mut() |= 1 << (plane % layout.lanes);
                    plane_end = (plane + 1) * layout.words;
                }
                if value & !layout.valid(at + layout.words - plane_end) != 0 {
                    return None;
                }
                words[GUARDS + at] |= value;
            }
        }
        self.frontier += cpu::count_ones(bytes);
        Some(())
    }

    fn fill_only(&mut self, own: &Range<usize>) {
        let bytes = 8 * self.block_words();
        self.own = own.start / bytes..own.end / bytes;
    }

    fn set_aside(&mut self, own: &Range<usize>) {
        let next = &mut self.sets[(self.depth + 1) as usize % 2].get_mut::<u8>()[GUARDS * 8..][own.clone()];
        set_aside(next, &mut self.aside);
        (self.begun, self.frontier) = (false, 0);
    }

    fn rejoin(&mut self, own: &Range<usize>) {
        let next = &mut self.sets[(self.depth + 1) as usize % 2].get_mut::<u8>()[GUARDS * 8..][own.clone()];
        rejoin(next, &mut self.aside);
        let marks = self.marks(self.depth + 1, self.occupied_next.len());
        self.occupied_next = marks.into_iter().map(AtomicU16::new).collect();
    }

    fn give_back(&mut self, own: &Range<usize>) {
        let (bytes, set) = (8 * self.block_words(), self.depth as usize % 2);
        let (begin, end) = (own.start / bytes, own.end / bytes);
        self.sets[set].clear(0..8 * GUARDS + own.start);
        let all = self.sets[set].bytes();
        self.sets[set].clear(8 * GUARDS + own.end..all);
        let others = self.occupied.iter_mut().enumerate().filter(|(block, _)| !(begin..end).contains(block));
        others.for_each(|(_, mark)| *mark.get_mut() = 0);
    }

    fn snapshot(&self) -> Option<[&[u8]; 2]> {
        let bytes = self.shape.array_bytes() as usize;
        self.snapshot.then(|| [0, 1].map(|set| &self.sets[set].get::<u8>()[GUARDS * 8..][..bytes]))
    }

    fn file_bytes(&self) -> Option<u64> {
        self.resident.as_ref().map(|_| self.sets[0].bytes() as u64)
    }

    fn flush(&self) -> Result<()> {
        self.sets.iter().try_for_each(Pages::flush)
    }

    fn read_snapshot(&mut self, job: &Job) -> Result<u64> {
        needs_files!();
        let (depths, all) = (&job.manifest().depths, job.partial().generated);
        let lacks = || job.lacks(depths.len());
        let last = depths.last().ok_or_else(lacks)?;
        let (mut held, mut moves) = ([0u64; 2], 0u64);
        for (set, held) in held.iter_mut().enumerate() {
            let mut count = SweepCount::default();
            if self.resident.is_some() {
                count = self.held(set).ok_or_else(lacks)?;
            } else {
                job.read_snapshot(set, self.shape.array_bytes() as usize, &mut |begin, bytes| {
                    self.take(set, begin, bytes, &mut count).ok_or_else(lacks)
                })?;
            }
            *held = count.states;
            moves += count.moves;
        }
        for entry in depths {
            let set = entry.depth as usize % 2;
            let images = entry.states.saturating_mul(self.symmetry_order() as u64);
            self.states[set] = self.states[set].saturating_add(entry.raw_states);
            self.fixed[set] = self.fixed[set].saturating_add(images.checked_sub(entry.raw_states).ok_or_else(lacks)?);
        }
        // The array with the last depth has only states of depths that are done. The other array may also have some
        // states of the next depth.
        let (set, next) = (last.depth as usize % 2, (last.depth as usize + 1) % 2);
        let states = held[next].checked_sub(self.states[next]).ok_or_else(lacks)?;
        let more = moves.checked_sub(all).ok_or_else(lacks)?;
        // If every state has a move, the states of the next depth must have added to the number of moves.
        let lack_moves = states > 0 && more == 0 && self.shape.index.moves.iter().all(|&moves| moves > 0);
        if held[set] != self.states[set] || (states == 0 && more > 0) || lack_moves {
            return Err(lacks());
        }
        self.restored = SweepCount { expanded: 0, states, moves: more };
        (self.depth, self.frontier) = (last.depth, last.raw_states);
        // The snapshot does not say which states are in the last depth and which in the next. So each lane is marked as
        // if it had states of both.
        let lanes = u16::MAX >> (u16::BITS as usize - self.shape.layout.lanes);
        self.occupied.iter_mut().chain(&mut self.occupied_next).for_each(|mark| *mark.get_mut() = lanes);
        all.checked_sub(last.generated).ok_or_else(lacks)
    }
}

impl PlaneSearch {
    /// The bits of a depth, for a job that keeps each depth.
    fn bits(&self, depth: u64) -> &[u8] {
        debug_assert!(self.seen.is_some(), "otherwise the array has earlier depths, too");
        self.array(depth)
    }

    /// The bits of the array in which a depth lies.
    fn array(&self, depth: u64) -> &[u8] {
        &self.sets[depth as usize % 2].get::<u8>()[GUARDS * 8..][..self.shape.array_bytes() as usize]
    }

    /// Clears the array of a depth after it was expanded. `occupied_next` must mark the lanes of that depth, and none
    /// of the next depth.
    fn clear(&mut self, depth: u64) {
        let (block_words, words) = (self.block_words(), self.shape.layout.words);
        let planes = self.sets[depth as usize % 2].get_mut::<u64>()[GUARDS..].chunks_mut(block_words * CLEARED_AT_ONCE);
        let mut parts: Vec<_> = planes.zip(self.occupied_next.chunks_mut(CLEARED_AT_ONCE)).collect();
        parallel::each_mut(&mut parts, |_, (planes, marks)| {
            for (block, mark) in planes.chunks_exact_mut(block_words).zip(&mut **marks) {
                for (lane, plane) in block.chunks_exact_mut(words).enumerate() {
                    if *mark.get_mut() >> lane & 1 != 0 {
                        plane.fill(0);
                    }
                }
            }
        });
    }

    /// The number of states of the current depth that the progress report counts as expanded once `blocks` blocks are
    /// filled: the same share of the states as these blocks are of all blocks.
    fn share(&self, blocks: usize) -> u64 {
        share(self.frontier, blocks, self.open.len())
    }
}

/// The part of `states` that is in the same proportion as `blocks` to `all` blocks.
fn share(states: u64, blocks: usize, all: usize) -> u64 {
    (u128::from(states) * blocks as u128 / all.max(1) as u128) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        assert_eq!((0..7).map(|block| share(10, block + 1, 7) - share(10, block, 7)).sum::<u64>(), 10);
        assert_eq!(share(u64::MAX, 3, 3), u64::MAX);
    }
}
