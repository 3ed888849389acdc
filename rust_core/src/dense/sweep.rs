//! A search by sweeps over an index: each chunk of the next depth is found from all chunks of the current depth.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".

use std::ops::Range;
use std::sync::Arc;

use super::driver::{DenseStorage, DepthBits, FoundDepth, RestoredPart};
use super::pages::{Pages, words_at};
use super::swept::{BitWord, SweepChunk, SweepCount, SweptIndex};
use crate::error::Result;
use crate::job::{Job, needs_files};
use crate::rules::Rules;
use crate::run::{DepthReport, Monitor, parallel};
use bytemuck::Zeroable;

/// The arrays of a search, each with a bit for each state: the current depth, the next one, and all states that were
/// seen.
pub(super) struct Sweep<S> {
    index: Arc<S>,
    rules: Arc<Rules>,
    /// The number of the current depth.
    depth: u64,
    current: Pages,
    next: Pages,
    seen: Pages,
    /// For each block, 1 if it holds a state of the current depth.
    occupied: Vec<u8>,
    /// For each block, 1 if it holds a state of the next depth.
    occupied_next: Vec<u8>,
    /// The counts of the next depth so far.
    count: SweepCount,
    /// The states of the next depth that [`Self::set_aside`] keeps: the bytes of some pieces.
    aside: Vec<u8>,
}

impl<S: SweptIndex> Sweep<S> {
    /// Empty arrays.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Memory`] if the system does not give enough memory.
    pub fn new(index: Arc<S>, rules: &Arc<Rules>) -> Result<Self> {
        let blocks = index.division().blocks;
        let pages = || Pages::new::<S::Word>(index.begin(blocks));
        let occupied = vec![0; blocks];
        let [current, next, seen] = [pages()?, pages()?, pages()?];
        Ok(Self {
            index,
            rules: Arc::clone(rules),
            depth: 0,
            current,
            next,
            seen,
            occupied_next: occupied.clone(),
            occupied,
            count: SweepCount::default(),
            aside: Vec::new(),
        })
    }

    /// The counts of a depth with the given states, of which there are `raw_states`, with `moves` moves in all.
    ///
    /// States up to symmetry are counted by Burnside's lemma: the number of orbits of a group on a set is the mean,
    /// over all elements of the group, of the number of members of the set that the element fixes. The lemma needs a
    /// set that the group carries onto itself. A depth is such a set, because symmetries carry the start onto itself
    /// and moves onto moves. So they carry a shortest path from the start to a state onto a path of the same length
    /// from the start to the state's image. The image is therefore no deeper than the state. Nor is the state deeper
    /// than its image, since the inverse symmetry carries the image back to the state.
    ///
    /// If the search begins with all goals that play reaches, the same holds of paths from the goals, because
    /// symmetries carry goals onto goals.
    ///
    /// Let the only symmetry but the identity exchange the symbols of two cells, for example. In the depth {ab, ba, cc}
    /// the identity fixes three states, and the exchange fixes one, `cc`. So there are (3 + 1) / 2 = 2 orbits: {ab, ba}
    /// and {cc}.
    fn found_depth(&self, depth: u64, states: &Pages, raw_states: u64, moves: u64) -> FoundDepth {
        let fixed = self.index.fixed(states.get::<S::Word>(), raw_states);
        let states = (raw_states + fixed) / self.index.symmetry_order() as u64;
        let ended = vec![0; self.rules.outcomes.len()];
        let report = DepthReport { depth, states, raw_states, open: states, ended };
        FoundDepth { report, moves, fixed: Some(fixed) }
    }
}

impl<S: SweptIndex + Send> DenseStorage for Sweep<S> {
    fn symmetry_order(&self) -> usize {
        self.index.symmetry_order()
    }

    fn begin(&mut self) -> Result<FoundDepth> {
        let (at, bit) = self.index.start(&self.rules);
        self.current.get_mut::<S::Word>()[at] = bit;
        self.seen.get_mut::<S::Word>()[at] = bit;
        self.occupied[self.index.block_of(at)] = 1;
        Ok(self.found_depth(0, &self.current, 1, self.index.moves(at, bit)))
    }

    fn read_depth(&mut self, bits: DepthBits, depth: usize) -> Result<FoundDepth> {
        let words = self.current.get_mut::<S::Word>();
        words.fill(S::Word::zeroed());
        let bytes = size_of_val(&words[..]);
        let mut taking = TakenBits::new(&*self.index, words, self.seen.get_mut());
        bits.read(depth, bytes, &mut |begin, bytes| taking.take(begin, bytes))?;
        let SweepCount { states, moves, .. } = taking.count;
        self.depth = depth as u64;
        Ok(self.found_depth(self.depth, &self.current, states, moves))
    }

    fn is_read(&mut self) {
        mark_occupied(&*self.index, self.current.get::<S::Word>(), &mut self.occupied);
    }

    fn make_room(&mut self, _depth: u64) -> Result<u64> {
        self.count = SweepCount::default();
        Ok(self.index.bytes())
    }

    fn read_part(&mut self, job: &Job) -> Result<RestoredPart> {
        needs_files!();
        let (index, depth) = (&*self.index, job.manifest().depths.len());
        let blocks = usize::try_from(job.partial().expanded).unwrap_or(usize::MAX);
        // Finds the chunk whose first block is the first one that is missing.
        let (mut chunks, mut after) = (0, index.chunks());
        while chunks < after {
            let middle = chunks.midpoint(after);
            if index.first_block(middle) < blocks { chunks = middle + 1 } else { after = middle }
        }
        if index.first_block(chunks) != blocks {
            return Err(job.lacks(depth));
        }
        let end = index.begin(blocks);
        let words = &mut self.next.get_mut::<S::Word>()[..end];
        words.fill(S::Word::zeroed());
        let bytes = size_of_val(&words[..]);
        let mut taking = TakenBits::new(index, words, self.seen.get_mut());
        job.read_part(bytes, &mut |begin, bytes| taking.take(begin, bytes).ok_or_else(|| job.lacks(depth)))?;
        let count = taking.count;
        mark_occupied(index, self.next.get::<S::Word>(), &mut self.occupied_next[..blocks]);
        let expanded = self.current.get::<S::Word>()[..end].iter().map(|value| value.count()).sum();
        self.count = SweepCount { expanded, ..count };
        Ok(RestoredPart { pieces: chunks, expanded })
    }

    fn pieces(&self) -> usize {
        self.index.chunks()
    }

    fn part_pieces(&self) -> usize {
        self.index.division().part_chunks
    }

    fn fill(&mut self, pieces: Range<usize>, monitor: &Monitor) {
        let index = &*self.index;
        let (current, occupied) = (self.current.get::<S::Word>(), &self.occupied[..]);
        let first = index.first_block(pieces.start);
        let mut next = &mut self.next.get_mut::<S::Word>()[index.begin(first)..];
        let mut seen = &mut self.seen.get_mut::<S::Word>()[index.begin(first)..];
        let mut occupied_next = &mut self.occupied_next[first..];
        let mut chunks = Vec::with_capacity(pieces.len());
        for chunk in pieces {
            let (first_block, end) = (index.first_block(chunk), index.first_block(chunk + 1));
            let words = index.begin(end) - index.begin(first_block);
            chunks.push(SweepChunk {
                first_block,
                current,
                occupied,
                next: next.split_off_mut(..words).expect("chunks cover the index"),
                seen: seen.split_off_mut(..words).expect("chunks cover the index"),
                occupied_next: occupied_next.split_off_mut(..end - first_block).expect("chunks cover the index"),
            });
        }
        let mut counted: Vec<_> = chunks.into_iter().map(|chunk| (chunk, SweepCount::default())).collect();
        parallel::each_mut(&mut counted, |_, (chunk, count)| {
            if !monitor.stopped() {
                index.expand(chunk, count);
                monitor.add(count.expanded);
            }
        });
        self.count = counted.into_iter().map(|(_, count)| count).fold(self.count, SweepCount::plus);
    }

    fn part(&self, pieces: usize) -> (&[u8], usize) {
        let blocks = self.index.first_block(pieces);
        (bytemuck::cast_slice(&self.next.get::<S::Word>()[..self.index.begin(blocks)]), blocks)
    }

    fn found(&mut self) -> FoundDepth {
        let SweepCount { states, moves, .. } = self.count;
        self.found_depth(self.depth + 1, &self.next, states, moves)
    }

    fn current_bits(&self) -> &[u8] {
        self.current.get()
    }

    fn next_bits(&self) -> &[u8] {
        self.next.get()
    }

    fn advance(&mut self) {
        std::mem::swap(&mut self.current, &mut self.next);
        std::mem::swap(&mut self.occupied, &mut self.occupied_next);
        self.depth += 1;
    }

    fn borrow(&mut self, begin: usize, bytes: &[u8]) -> Option<()> {
        let words = self.current.get_mut::<S::Word>();
        let mut block_end = 0;
        for (at, value) in words_at::<S::Word>(begin, bytes) {
            if value != S::Word::zeroed() {
                if value & self.index.holes(at) != S::Word::zeroed() {
                    return None;
                }
                words[at] = words[at] | value;
                if at >= block_end {
                    let block = self.index.block_of(at);
                    self.occupied[block] = 1;
                    block_end = self.index.begin(block + 1);
                }
            }
        }
        Some(())
    }

    fn set_aside(&mut self, own: &Range<usize>) {
        set_aside(&mut self.next.get_mut::<u8>()[own.clone()], &mut self.aside);
    }

    fn rejoin(&mut self, own: &Range<usize>) {
        rejoin(&mut self.next.get_mut::<u8>()[own.clone()], &mut self.aside);
        mark_occupied(&*self.index, self.next.get::<S::Word>(), &mut self.occupied_next);
    }

    fn give_back(&mut self, own: &Range<usize>) {
        self.current.clear(0..own.start);
        self.current.clear(own.end..self.current.bytes());
        let block = |byte: usize| match byte / size_of::<S::Word>() {
            at if at < self.index.begin(self.index.division().blocks) => self.index.block_of(at),
            _ => self.index.division().blocks,
        };
        let (begin, end) = (block(own.start), block(own.end));
        self.occupied[..begin].fill(0);
        self.occupied[end..].fill(0);
    }
}

/// Moves the states of some bytes of an array to those that are set aside.
pub(super) fn set_aside(next: &mut [u8], aside: &mut Vec<u8>) {
    aside.resize(next.len(), 0);
    for (next, aside) in next.iter_mut().zip(aside) {
        *aside |= std::mem::take(next);
    }
}

/// Adds the states that were set aside to some bytes of an array.
pub(super) fn rejoin(next: &mut [u8], aside: &mut Vec<u8>) {
    next.iter_mut().zip(aside.drain(..)).for_each(|(next, aside)| *next |= aside);
    aside.shrink_to_fit();
}

/// Sets `occupied` to 1 for each block that holds a state, and to 0 for each other block, up to the length of
/// `occupied`.
fn mark_occupied<S: SweptIndex>(index: &S, words: &[S::Word], occupied: &mut [u8]) {
    for (block, occupied) in occupied.iter_mut().enumerate() {
        let words = &words[index.begin(block)..index.begin(block + 1)];
        *occupied = u8::from(words.iter().any(|&word| word != S::Word::zeroed()));
    }
}

/// Takes the bits of a depth from a file: checks them, and puts them into the array of the depth and into that of all
/// states seen.
struct TakenBits<'a, S: SweptIndex> {
    index: &'a S,
    words: &'a mut [S::Word],
    seen: &'a mut [S::Word],
    count: SweepCount,
}

impl<'a, S: SweptIndex> TakenBits<'a, S> {
    fn new(index: &'a S, words: &'a mut [S::Word], seen: &'a mut [S::Word]) -> Self {
        Self { index, words, seen, count: SweepCount::default() }
    }

    /// Takes bytes of the file, from byte `begin` on. `None` if a bit is set that belongs to no state, or to a state of
    /// an earlier depth.
    fn take(&mut self, begin: usize, bytes: &[u8]) -> Option<()> {
        for (at, value) in words_at::<S::Word>(begin, bytes) {
            if value == S::Word::zeroed() {
                continue;
            }
            let (holes, seen) = (self.index.holes(at), self.seen[at]);
            if value & (holes | seen) != S::Word::zeroed() {
                return None;
            }
            self.seen[at] = seen | value;
            self.words[at] = value;
            self.count.states += value.count();
            self.count.moves += self.index.moves(at, value);
        }
        Some(())
    }
}
