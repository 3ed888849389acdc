//! The smallest of many images of a state of more than 64 bits, by shuffles of bytes.
//!
//! Each cell of a state gets a byte. A [shuffle](super::shuffles) carries the bytes to other places, and another one
//! looks up new names for the symbols. So an image is made by few instructions, however a symmetry moves the cells.
//!
//! An image begins with its *prefix*, which is its first eight cells here. Prefixes are made side by side, four in a
//! vector of 32 bytes, and then *narrowed* to four bits a cell, eight in a vector. Only the images with the smallest
//! prefix are made further. For example, let a prefix have two cells. The state `ba/cd` and the four rotations of the
//! square have the prefixes `ba`, `cb`, `dc` and `ad`. The smallest is `ad`, so only the last image is made: `ad/bc`.
//!
//! Nothing here but the first and the last step depends on the width of words, so it is compiled once for all of them.

use std::slice;

use super::cpu::{self, Register, RegisterTask};
use super::lanes_of_bytes::{LanesOfBytes, LanesToRead};
use super::layout::Layout;
use super::shuffles::{Bytes32, Eights, MOST_EIGHTS, NOWHERE, ShufflePart, Shuffles, bytes32, home, read};
use super::word::{MOST_LANES, Word, WordLanes};
use crate::rules::{Move, Source, Symmetry};
use crate::sorting;
use crate::structure::{permuting, probes};

/// The number of symmetries of a block: their prefixes are in the four integers of a vector.
const BLOCK: usize = 4;

/// The number of symmetries of a pair of blocks.
const PAIR: usize = 2 * BLOCK;

/// The number of pairs of a batch. The symmetries of a batch are searched together.
const BATCH: usize = 6;

/// The places of the prefixes of a pair of blocks after they were [narrowed](Register::narrowed).
const NARROWED: [usize; PAIR] = [0, 1, 4, 5, 2, 3, 6, 7];

/// The number of cells of a prefix.
const PREFIX_CELLS: usize = 8;

/// The most symbols. Their new names are looked up by one instruction, and a cell of a narrowed prefix has four bits.
const MOST_SYMBOLS: usize = 16;

/// The factors that put the upper one of two bytes above the four bits of the lower one.
const FOUR_BITS: Bytes32 = [0x1001_1001_1001_1001; 4];

/// The number of states that are unpacked and compared with their images at once.
const AT_ONCE: usize = 16;

/// A state that was [unpacked](ShuffledImages::unpack).
#[derive(Debug)]
pub struct UnpackedState {
    /// The packed state.
    lanes: LanesToRead,
    /// Its cells.
    state: Eights,
}

/// Memory for the successors of a state.
#[derive(Debug, Default)]
pub struct UnpackedSuccessors {
    /// The cells of each.
    states: Vec<Eights>,
    /// The smallest image of each, packed.
    least: Vec<WordLanes>,
}

/// Finds the smallest of many images of a state.
#[derive(Debug, Clone)]
pub struct ShuffledImages {
    lanes: LanesOfBytes,
    /// The number of cells of a state.
    cells: usize,
    /// The number of vectors of 32 cells in order.
    vectors: usize,
    /// A bit for each number of the last batch that has a symmetry of its own.
    last: u64,
    /// The number of pairs of blocks that have a symmetry of their own.
    pairs: usize,
    /// The shuffles that make the prefixes, in batches. The last batch is filled with the last symmetry.
    batches: Vec<[PairShuffle; BATCH]>,
    /// The further parts of the shuffles that make the prefixes. There are none in the common case that all prefixes of
    /// each pair of blocks come from the same two neighbouring eights.
    more: Option<Shuffles>,
    /// The prefixes of [probes](probes()), if they need no further parts and one table.
    probes: Option<Vec<PrefixShuffle>>,
    /// The bits that are flipped in the symbols of prefixes before their new names are looked up, for each table of a
    /// block. A half of a vector has the prefixes of two symmetries, but a table has 16 entries. If there are at most
    /// eight symbols, one table is enough: the second symmetry uses the last eight entries. If there are more, each
    /// symmetry has a table, and what the other one has there is left out.
    marks: [Bytes32; 2],
    has_one_table: bool,
    /// For each number, the shuffles that make the image, in the vectors of [`Self::lanes`]. The number of a symmetry
    /// is the place of its prefix after all were narrowed; numbers that are left have the last symmetry.
    images: Shuffles,
    /// For each number, the new names of the symbols in the image.
    renamed: Vec<Bytes32>,
}

/// The four symmetries whose prefixes are made at once. If fewer are left, the last one takes all other places.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))] // so that no register is read from two lines of the cache
struct PrefixShuffle {
    /// The first part of the shuffle that makes the prefixes.
    places: Bytes32,
    /// The tables of new names. The second one is not used if [`ShuffledImages::has_one_table`].
    names: [Bytes32; 2],
    /// The first of the two eights that the first part reads. The second block of a pair reads those of the first one.
    eight: u32,
}

/// The shuffles of a pair of blocks. Their first parts read the same two eights.
#[derive(Debug, Clone, Copy)]
struct PairShuffle([PrefixShuffle; 2]);

/// A symmetry, and the cell whose symbol comes to each cell of an image.
#[derive(Debug, Clone)]
struct Sourced<'a> {
    symmetry: &'a Symmetry,
    sources: Vec<usize>,
    /// A bit for each eight from which the prefix comes.
    eights: u64,
}

impl<'a> Sourced<'a> {
    fn new(symmetry: &'a Symmetry) -> Self {
        let mut sources = vec![0; symmetry.cells.len()];
        symmetry.cells.iter().enumerate().for_each(|(from, &to)| sources[to] = from);
        let eights = sources[..PREFIX_CELLS].iter().fold(0, |eights, &cell| eights | 1 << (cell / 8));
        Self { symmetry, sources, eights }
    }

    /// The new name of a symbol, if there is one.
    fn name(&self, symbol: usize) -> u8 {
        self.symmetry.symbols.get(symbol).copied().unwrap_or(0)
    }
}

/// The first part of the shuffle that makes the prefixes of a block of symmetries, and its further parts.
fn prefix_shuffle(block: &[Sourced], has_one_table: bool) -> (PrefixShuffle, Vec<ShufflePart>) {
    let of = |number: usize| &block[number.min(block.len() - 1)];
    let mut parts =
        ShufflePart::of_shuffle(&|byte| Some(home(of(byte / 8).sources[PREFIX_CELLS - 1 - byte % PREFIX_CELLS])));
    let ShufflePart { places, eight } = parts.remove(0);
    let names = [0, 1].map(|table| {
        bytes32(&|byte| {
            let (first, symbol) = (byte / 16 * 2, byte % 16);
            if has_one_table {
                of(first + symbol / (MOST_SYMBOLS / 2)).name(symbol % (MOST_SYMBOLS / 2))
            } else {
                of(first + table).name(symbol)
            }
        })
    });
    (PrefixShuffle { places, names, eight }, parts)
}

/// The first parts of the shuffles that make the prefixes of a pair of blocks, and the further parts of each.
fn pair_shuffle(blocks: [&[Sourced]; 2], has_one_table: bool) -> (PairShuffle, [Vec<ShufflePart>; 2]) {
    let [(one, more), (mut other, mut more_of_other)] = blocks.map(|block| prefix_shuffle(block, has_one_table));
    if other.eight != one.eight {
        more_of_other.insert(0, ShufflePart { places: other.places, eight: other.eight });
        other.places = ShufflePart::NOTHING.places;
    }
    (PairShuffle([one, other]), [more, more_of_other])
}

impl UnpackedState {
    /// Memory for a state.
    pub const fn new() -> Self {
        Self { lanes: [0; _], state: [0; _] }
    }
}

impl ShuffledImages {
    /// Prepares symmetries of words that are integers or arrays. `None` if states have too many cells or symbols, or
    /// fewer than eight cells.
    pub fn new(symmetries: &[Symmetry], layout: &Layout, is_array: bool) -> Option<Self> {
        let cells = layout.cells();
        if layout.symbols() > MOST_SYMBOLS || !(PREFIX_CELLS..=8 * MOST_EIGHTS).contains(&cells) {
            return None;
        }
        let mut sorted: Vec<Sourced> = symmetries.iter().map(Sourced::new).collect();
        // The prefixes of a block come from few eights, if those of its symmetries come from the same ones. The first
        // symmetry stays in front.
        let first = sorted[0].eights;
        sorting::sort_by_key(&mut sorted, |one| (one.eights != first, one.eights));
        let (order, pairs) = (sorted.len(), sorted.len().div_ceil(PAIR));
        let has_one_table = layout.symbols() <= MOST_SYMBOLS / 2;
        let of_pair = |pair: usize| {
            let begins = [pair * PAIR, pair * PAIR + BLOCK];
            let blocks = begins.map(|begin| &sorted[begin.min(order - 1)..(begin + BLOCK).min(order)]);
            pair_shuffle(blocks, has_one_table)
        };
        let (shuffles, more): (Vec<PairShuffle>, Vec<[Vec<ShufflePart>; 2]>) =
            (0..pairs.next_multiple_of(BATCH)).map(of_pair).unzip();
        let more = more.as_flattened();
        let mark = |table: usize, byte: usize| match byte / 8 % 2 {
            second if has_one_table => second * (MOST_SYMBOLS / 2),
            second if second == table => 0,
            _ => NOWHERE,
        };
        let marks = [0, 1].map(|table| bytes32(&|byte| mark(table, byte) as u8));
        let place = |number: usize| number / PAIR * PAIR + NARROWED[number % PAIR];
        let numbered = |number: usize| &sorted[place(number).min(order - 1)];
        let (lanes, vectors) = (LanesOfBytes::new(layout, is_array), cells.div_ceil(32));
        let images = Shuffles::new(pairs * PAIR * lanes.vectors.len(), &|at, byte| {
            let cell = lanes.cell(at % lanes.vectors.len() * 32 + byte)?;
            Some(home(numbered(at / lanes.vectors.len()).sources[cell]))
        });
        Some(Self {
            pairs,
            batches: shuffles.as_chunks().0.to_vec(),
            more: more.iter().any(|parts| !parts.is_empty()).then(|| Shuffles::filled(more)),
            probes: Self::prefixes_of_probes(symmetries, has_one_table),
            marks,
            has_one_table,
            images,
            renamed: (0..pairs * PAIR).map(|number| bytes32(&|byte| numbered(number).name(byte % 16))).collect(),
            cells,
            vectors,
            lanes,
            last: ((pairs - 1) / BATCH * BATCH * PAIR..pairs * PAIR)
                .filter(|&number| place(number) < order)
                .fold(0, |last, number| last | 1 << (number % (BATCH * PAIR))),
        })
    }

    /// The prefixes of [probes](probes()), if they need no further parts and one table. They are used only if the first
    /// symmetry changes nothing.
    fn prefixes_of_probes(symmetries: &[Symmetry], has_one_table: bool) -> Option<Vec<PrefixShuffle>> {
        let first = &symmetries[0];
        if !has_one_table || !permuting::is_identity(&first.cells) || !permuting::is_identity(&first.symbols) {
            return None;
        }
        let mut probes: Vec<Sourced> = probes(symmetries).into_iter().map(Sourced::new).collect();
        sorting::sort_by_key(&mut probes, |probe| probe.eights);
        let alike = probes.chunk_by(|one, other| one.eights == other.eights);
        let blocks = alike.flat_map(|alike| alike.chunks(BLOCK)).map(|block| prefix_shuffle(block, has_one_table));
        blocks.map(|(first, more)| more.is_empty().then_some(first)).collect()
    }

    /// The work of searches for the smallest images of some states, in which so many images are made to their ends in
    /// all. The unit is two instructions, roughly.
    pub fn work(&self, images: usize, states: usize) -> usize {
        let image = 25 + (2 * self.images.each() + 20) * self.lanes.vectors.len();
        let more = self.more.as_ref().map_or(0, Shuffles::each);
        let block = 9 + 4 * more + if self.has_one_table { 0 } else { 2 };
        (100 + block * 2 * BATCH * self.batches.len()) * states + image * images
    }

    /// The shuffles that make the successor by a move. `None` if the move does more than carry cells to other places.
    pub fn of_move(&self, given: &Move) -> Option<Shuffles> {
        let mut sources: Vec<usize> = (0..self.cells).collect();
        for (to, source) in &given.then {
            match source {
                Source::Copy(from, None) => sources[*to] = *from,
                Source::Copy(from, Some(map)) if map.iter().enumerate().all(|(at, &to)| at == to as usize) => {
                    sources[*to] = *from;
                }
                _ => return None,
            }
        }
        let source = |number: usize, byte| sources.get(number * 32 + home(byte)).map(|&from| home(from));
        Some(Shuffles::new(self.vectors, &source))
    }

    /// Writes the cells of a state, one byte for each.
    pub fn unpack<W: Word>(&self, word: &W, unpacked: &mut UnpackedState) {
        self.unpack_all(slice::from_ref(word), slice::from_mut(unpacked));
    }

    fn unpack_all<W: Word>(&self, words: &[W], states: &mut [UnpackedState]) {
        for (word, UnpackedState { lanes, .. }) in words.iter().zip(&mut *states) {
            let limbs = word.limbs();
            if limbs.is_empty() {
                lanes[..2].copy_from_slice(&self.lanes.two(*word));
            } else {
                lanes[..limbs.len()].copy_from_slice(limbs);
            }
        }
        cpu::run_on_registers(UnpackCells { of: self, states });
    }

    /// The canonical form of a state, which is its smallest image.
    #[inline(never)]
    pub fn smallest<W: Word>(&self, word: W) -> W {
        let (mut unpacked, mut least) = (UnpackedState::new(), [0; MOST_LANES]);
        self.unpack(&word, &mut unpacked);
        let (states, least_images) = (slice::from_ref(&unpacked.state), slice::from_mut(&mut least));
        cpu::run_on_registers(FindLeast { of: self, states, least: least_images });
        self.lanes.word(&least)
    }

    /// Adds to `found` the canonical forms of the successors of a state by moves whose shuffles are given.
    pub fn smallest_after<W: Word>(
        &self,
        unpacked: &UnpackedState,
        given: &[&Shuffles],
        memory: &mut UnpackedSuccessors,
        found: &mut Vec<W>,
    ) {
        let UnpackedSuccessors { states, least } = memory;
        states.resize(given.len(), [0; _]);
        least.resize(given.len(), [0; _]);
        // All successors are made first: a processor has to wait if it reads what was written just before in two steps.
        cpu::run_on_registers(MakeSuccessors { state: &unpacked.state, given, states });
        cpu::run_on_registers(FindLeast { of: self, states, least });
        found.extend(least.iter().map(|least| self.lanes.word::<W>(least)));
    }

    /// Counts the symmetries that leave each state as it is. Calls `found` with the counts of several states at a time,
    /// in the order of the states. The identity must be the first symmetry.
    #[inline(never)]
    pub fn fixing<W: Word>(&self, words: &[W], found: &mut dyn FnMut(&[u64])) {
        if let [word] = words {
            let mut unpacked = UnpackedState::new();
            self.unpack(word, &mut unpacked);
            return found(&[self.fixing_unpacked(&unpacked)]);
        }
        let (mut states, mut fixing) = ([const { UnpackedState::new() }; AT_ONCE], [0; AT_ONCE]);
        for words in words.chunks(AT_ONCE) {
            self.unpack_all(words, &mut states[..words.len()]);
            let (states, fixing) = (&states[..words.len()], &mut fixing[..words.len()]);
            cpu::run_on_registers(CountFixing { of: self, states, fixing });
            found(fixing);
        }
    }

    /// Does the same as [`Self::fixing`] for a state that is [unpacked](Self::unpack).
    pub fn fixing_unpacked(&self, unpacked: &UnpackedState) -> u64 {
        let mut fixing = 0;
        let (states, found) = (slice::from_ref(unpacked), slice::from_mut(&mut fixing));
        cpu::run_on_registers(CountFixing { of: self, states, fixing: found });
        fixing
    }

    /// Calls `take` with the lanes of the image under a symmetry, four at a time, until it returns `false`.
    #[inline(always)]
    fn image<V: Register>(&self, number: usize, state: &Eights, mut take: impl FnMut([u64; 4]) -> bool) {
        let (names, first) = (V::new(self.renamed[number]), number * self.lanes.vectors.len());
        let mut lanes = V::new([0; 4]);
        let parts = self.images.several(first, self.lanes.vectors.len());
        for (at, (parts, cells)) in parts.iter().zip(&self.lanes.vectors).enumerate() {
            let moved: V = self.images.made(first + at, parts, state);
            lanes = lanes.or(self.lanes.packed(cells, names.shuffled(moved)));
            if cells.is_last {
                if !take(lanes.integers()) {
                    break;
                }
                lanes = V::new([0; 4]);
            }
        }
    }

    /// The prefixes of the images under the symmetries of a block, without what further parts add.
    #[inline(always)]
    fn prefixes<V: Register>(&self, PrefixShuffle { places, names, .. }: &PrefixShuffle, eights: V) -> V {
        self.renamed_by(0, eights.shuffled(V::new(*places)), names)
    }

    /// The new names of the symbols of prefixes that a table has.
    #[inline(always)]
    fn renamed_by<V: Register>(&self, table: usize, symbols: V, names: &[Bytes32; 2]) -> V {
        V::new(names[table]).shuffled(symbols.xor(V::new(self.marks[table])))
    }

    /// The narrowed prefixes of the images under the symmetries of a batch, a pair of blocks in each vector.
    #[inline(always)]
    fn narrowed<V: Register>(&self, batch: usize, state: &Eights) -> [V; BATCH] {
        let (shuffles, factors) = (&self.batches[batch], V::new(FOUR_BITS));
        if V::WRITTEN_OUT && self.more.is_none() && self.has_one_table {
            let mut narrowed = [V::new([0; 4]); BATCH];
            for at in 0..BATCH {
                let PairShuffle([one, other]) = &shuffles[at];
                let eights = V::new(read(state, one.eight));
                let (one, other) = (self.prefixes(one, eights), self.prefixes(other, eights));
                narrowed[at] = one.paired_8(factors).narrowed(other.paired_8(factors));
            }
            return narrowed;
        }
        let mut narrowed = [V::new([u64::MAX; 4]); BATCH];
        for at in 0..BATCH.min(self.pairs - batch * BATCH) {
            let PairShuffle(blocks) = &shuffles[at];
            let (eights, mut prefixes) = (V::new(read(state, blocks[0].eight)), [V::new([0; 4]); 2]);
            for which in 0..2 {
                let PrefixShuffle { places, names, .. } = &blocks[which];
                let mut moved = eights.shuffled(V::new(*places));
                if let Some(more) = &self.more {
                    let number = 2 * (batch * BATCH + at) + which;
                    moved = moved.or(more.made(number, &more.several(number, 1)[0], state));
                }
                prefixes[which] = self.renamed_by(0, moved, names);
                if !self.has_one_table {
                    prefixes[which] = prefixes[which].or(self.renamed_by(1, moved, names));
                }
            }
            narrowed[at] = prefixes[0].paired_8(factors).narrowed(prefixes[1].paired_8(factors));
        }
        narrowed
    }

    /// The numbers of the symmetries of a batch whose images have the wanted prefix: a bit for each.
    #[inline(always)]
    fn with_prefix<V: Register>(&self, batch: usize, prefixes: &[V; BATCH], wanted: V) -> u64 {
        // Two sums instead of one, so that few steps wait for others.
        let mut numbers = [0; 2];
        for (at, prefixes) in prefixes.iter().enumerate() {
            numbers[at % 2] |= prefixes.equal_32(wanted).signs_32() << (at * PAIR);
        }
        (numbers[0] | numbers[1]) & if batch + 1 == self.batches.len() { self.last } else { u64::MAX }
    }
}

/// The task that gives each cell of some states a byte.
struct UnpackCells<'a> {
    of: &'a ShuffledImages,
    /// The lanes of the states are known.
    states: &'a mut [UnpackedState],
}

impl RegisterTask for UnpackCells<'_> {
    #[inline(always)]
    fn run<V: Register>(self) {
        let lanes_of_bytes = &self.of.lanes;
        for UnpackedState { lanes, state } in self.states {
            for (unpacking, cells) in lanes_of_bytes.unpackings.iter().zip(state.as_chunks_mut::<4>().0) {
                *cells = lanes_of_bytes.unpacked::<V>(unpacking, lanes).integers();
            }
        }
    }
}

/// The task that makes the successors of a state by given moves.
struct MakeSuccessors<'a> {
    state: &'a Eights,
    given: &'a [&'a Shuffles],
    states: &'a mut [Eights],
}

impl RegisterTask for MakeSuccessors<'_> {
    #[inline(always)]
    fn run<V: Register>(self) {
        for (given, successor) in self.given.iter().zip(self.states) {
            given.make_all::<V, _>(self.state, successor);
        }
    }
}

/// The task that finds the smallest image of each of some states.
struct FindLeast<'a> {
    of: &'a ShuffledImages,
    states: &'a [Eights],
    /// Gets the images, packed.
    least: &'a mut [WordLanes],
}

impl RegisterTask for FindLeast<'_> {
    #[inline(always)]
    fn run<V: Register>(self) {
        let Self { of, states, least } = self;
        for (state, least) in states.iter().zip(least) {
            let mut prefix = u64::MAX; // greater than each narrowed prefix
            for batch in 0..of.batches.len() {
                let prefixes: [V; BATCH] = of.narrowed(batch, state);
                // The prefixes are compared in pairs, and so are the lesser ones, so that few comparisons wait for
                // others.
                let (mut lesser, mut left) = (prefixes, BATCH);
                while left > 1 {
                    let half = left.div_ceil(2);
                    for at in 0..left / 2 {
                        lesser[at] = lesser[at].lesser_32(lesser[half + at]);
                    }
                    left = half;
                }
                let wanted = lesser[0].least_32();
                let smallest = wanted.integers()[0] >> 32;
                if smallest > prefix {
                    continue;
                }
                let mut is_less = smallest < prefix;
                prefix = smallest;
                // Several images may have the smallest prefix.
                let mut left = of.with_prefix(batch, &prefixes, wanted);
                while left != 0 {
                    let number = batch * BATCH * PAIR + left.trailing_zeros() as usize;
                    left &= left - 1;
                    // Most images differ from the smallest one in their first cells, and are not made further.
                    let mut groups = least.as_chunks_mut::<4>().0.iter_mut();
                    of.image::<V>(
                        number,
                        state,
                        #[inline(always)]
                        |image| {
                            let Some(known) = groups.next() else { return false };
                            if !is_less {
                                let Some(differs) = (0..4).find(|&at| image[at] != known[at]) else { return true };
                                if image[differs] > known[differs] {
                                    return false;
                                }
                                is_less = true;
                            }
                            *known = image;
                            true
                        },
                    );
                    is_less = false;
                }
            }
        }
    }
}

/// The task that counts the symmetries that leave each of some states as it is.
struct CountFixing<'a> {
    of: &'a ShuffledImages,
    states: &'a [UnpackedState],
    /// Gets their numbers.
    fixing: &'a mut [u64],
}

impl RegisterTask for CountFixing<'_> {
    #[inline(always)]
    fn run<V: Register>(self) {
        let Self { of, states, fixing } = self;
        for (UnpackedState { lanes, state }, fixing) in states.iter().zip(fixing) {
            *fixing = 1; // the identity, which is the first symmetry
            let own = V::new([state[0]; BLOCK]);
            if let Some(probes) = &of.probes {
                let mut found = V::new([0; 4]);
                for block in probes {
                    found = found.or(of.prefixes(block, V::new(read(state, block.eight))).equal(own));
                }
                if found.signs() == 0 {
                    continue; // no other symmetry leaves the first cells as they are
                }
            }
            let own = own.paired_8(V::new(FOUR_BITS));
            for batch in 0..of.batches.len() {
                let prefixes: [V; BATCH] = of.narrowed(batch, state);
                let mut left = of.with_prefix(batch, &prefixes, own.narrowed(own)) & !u64::from(batch == 0);
                while left != 0 {
                    let number = batch * BATCH * PAIR + left.trailing_zeros() as usize;
                    left &= left - 1;
                    let (mut groups, mut is_fixed) = (lanes.as_chunks::<4>().0.iter(), true);
                    of.image::<V>(
                        number,
                        state,
                        #[inline(always)]
                        |image| {
                            is_fixed = groups.next() == Some(&image);
                            is_fixed
                        },
                    );
                    *fixing += u64::from(is_fixed);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::random::Random;
    use crate::rules::{Rules, Symbol};
    use crate::tests::group_of;

    /// Compares what shuffles find with the definition, in random states. Returns `false` if there are no shuffles.
    fn compare<W: Word>(cells: usize, symbols: usize, order: usize, random: &mut Random) -> bool {
        let names: Vec<String> = (0..symbols).map(|symbol| symbol.to_string()).collect();
        let permuted = |count: usize, random: &mut Random| {
            let mut left: Vec<usize> = (0..count).collect();
            (1..=count).rev().map(|count| left.swap_remove(random.below(count as u64) as usize)).collect::<Vec<_>>()
        };
        let then: Vec<_> =
            permuted(cells, random).into_iter().enumerate().map(|(to, from)| json!([to, {"copy": from}])).collect();
        let moves = json!([{"name": "go", "then": then}]);
        let data = json!({"symbols": names, "start": vec![&names[0]; cells], "moves": moves});
        let rules = Rules::new(&serde_json::from_value(data).unwrap()).unwrap();
        let layout = Layout::new::<W>(&rules).unwrap();
        let none = Symmetry::identity(cells, symbols);
        let mut symmetries = vec![none.clone()];
        for number in 1..order {
            // Some symmetries move few cells, so that they leave more states as they are.
            let first = if number % 3 == 0 { cells } else { 2 };
            let mut to = if first == 2 { vec![1, 0] } else { permuted(first, random) };
            to.extend(first..cells);
            let renamed = if number % 2 == 0 { symbols } else { 1 };
            let mut names: Vec<Symbol> = permuted(renamed, random).into_iter().map(|name| name as Symbol).collect();
            names.extend((renamed..symbols).map(|name| name as Symbol));
            symmetries.push(Symmetry { cells: to, symbols: names.into(), ..none.clone() });
        }
        let Some(images) = ShuffledImages::new(&symmetries, &layout, W::LIMBS > 1) else { return false };
        let shuffles = images.of_move(&rules.moves[0]).unwrap();
        let (mut unpacked, mut successors, mut found) = (UnpackedState::new(), UnpackedSuccessors::default(), vec![]);
        for round in 0..crate::tests::quick_or_long(6, 60) {
            // In every second state, nearly all cells hold the last symbol, whose code may be all ones.
            let few = if round % 2 == 0 { 1 } else { symbols as u64 };
            let mut state: Vec<Symbol> =
                (0..cells).map(|_| (symbols as u64 - 1 - random.below(few)) as Symbol).collect();
            state[random.below(cells as u64) as usize] = 0;
            let word = layout.pack::<W>(&state);
            let least = |state: &[Symbol]| symmetries.iter().map(|symmetry| symmetry.apply(state)).min().unwrap();
            assert_eq!(images.smallest(word), layout.pack(&least(&state)), "{state:?}");
            images.unpack(&word, &mut unpacked);
            let mut plain = UnpackedState { lanes: unpacked.lanes, ..UnpackedState::new() };
            let (mut packed, mut fixed) = ([[0; MOST_LANES]], [0]);
            cpu::run_on_integers(UnpackCells { of: &images, states: slice::from_mut(&mut plain) });
            let states = slice::from_ref(&plain.state);
            cpu::run_on_integers(FindLeast { of: &images, states, least: &mut packed });
            assert_eq!(images.lanes.word::<W>(&packed[0]), layout.pack(&least(&state)), "{state:?}");
            let fixing = symmetries.iter().filter(|symmetry| symmetry.apply(&state) == state).count();
            cpu::run_on_integers(CountFixing { of: &images, states: slice::from_ref(&plain), fixing: &mut fixed });
            assert_eq!(fixed, [fixing as u64], "{state:?}");
            images.fixing(&[word], &mut |found| assert_eq!(found, [fixing as u64], "{state:?}"));
            let mut after = state.clone();
            for (to, source) in &rules.moves[0].then {
                if let Source::Copy(from, _) = source {
                    after[*to] = state[*from];
                }
            }
            found.clear();
            images.smallest_after::<W>(&unpacked, &[&shuffles; 3], &mut successors, &mut found);
            assert_eq!(found, [layout.pack(&least(&after)); 3], "{state:?}");
        }
        true
    }

    /// States of four eights. The symmetries turn them by a number of eights, and may turn each eight over. A state
    /// that is made for a probe is left as it is by this probe and, chance aside, by no other symmetry but the first.
    #[test]
    fn each_probe_tells_which_states_it_leaves_as_they_are() {
        let turn: Vec<usize> = (0..32).map(|cell| (cell + 8) % 32).collect();
        let over: Vec<usize> = (0..32).map(|cell| cell / 8 * 8 + 7 - cell % 8).collect();
        let symmetries: Vec<Symmetry> = group_of(32, &[&turn, &over])
            .into_iter()
            .map(|symmetry| Symmetry { cells: symmetry.cells, ..Symmetry::identity(32, 5) })
            .collect();
        let names = ["a", "b", "c", "d", "e"];
        let data = json!({"symbols": names, "start": vec!["a"; 32], "moves": [{"name": "go", "then": [[0, "b"]]}]});
        let layout = Layout::new::<u128>(&Rules::new(&serde_json::from_value(data).unwrap()).unwrap()).unwrap();
        let images = ShuffledImages::new(&symmetries, &layout, false).unwrap();
        assert_eq!(images.probes.as_ref().map(Vec::len), Some(2), "their first cells come from two eights");
        let mut random = Random::new("probes");
        for under in probes(&symmetries).into_iter().chain(&symmetries[..1]) {
            for _ in 0..20 {
                let drawn: Vec<Symbol> = (0..32).map(|_| random.below(5) as Symbol).collect();
                let state: Vec<Symbol> = (0..32).map(|cell| drawn[cell.min(under.cells[cell])]).collect();
                let fixing = symmetries.iter().filter(|symmetry| symmetry.apply(&state) == state).count();
                assert_eq!(fixing, if under.cells[0] == 0 { 1 } else { 2 }, "{state:?}");
                let word = layout.pack::<u128>(&state);
                images.fixing(&[word, word], &mut |found| assert_eq!(found, [fixing as u64; 2], "{state:?}"));
            }
        }
    }

    #[test]
    fn images_are_those_of_the_definition_up_to_the_most_cells_and_symbols() {
        let mut random = Random::new("shuffles");
        for (order, symbols) in [(25, 2), (48, 6), (49, 8), (50, 9), (97, 16)] {
            assert!(compare::<[u64; 32]>(8 * MOST_EIGHTS, symbols, order, &mut random));
            assert!(compare::<[u64; 4]>(48, symbols, order, &mut random));
            assert!(compare::<u128>(31, symbols, order, &mut random));
            assert!(compare::<u128>(8, symbols, order, &mut random));
        }
        assert!(!compare::<u128>(7, 16, 30, &mut random), "a prefix has seven cells, and an eight has eight");
        assert!(!compare::<u128>(16, MOST_SYMBOLS + 1, 30, &mut random));
        assert!(!compare::<[u64; 32]>(8 * MOST_EIGHTS + 1, 16, 30, &mut random));
    }
}
