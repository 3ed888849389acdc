//! The smallest of many images of a state of more than 64 bits, by shuffles of bytes.
//!
//! Each cell of a state gets a byte. A [shuffle](super::shuffles) carries the bytes to other places, and another one
//! looks up new names for the symbols. So an image is made by few instructions, however a symmetry moves the cells.
//!
//! An image begins with its *prefix*, which is its first eight cells here. Prefixes are made side by side, four in a
//! vector of 32 bytes, and only the images with the smallest prefix are made further. For example, let a prefix have
//! two cells. The state `ba/cd` and the four rotations of the square have the prefixes `ba`, `cb`, `dc` and `ad`. The
//! smallest is `ad`, so only the last image is made: `ad/bc`.
//!
//! Nothing here but the first and the last step depends on the width of words, so it is compiled once for all of them.

use super::cpu::{self, Register, RegisterTask};
use super::lanes_of_bytes::{LanesOfBytes, MOST_LANE_EIGHTS};
use super::layout::Layout;
use super::shuffles::{Bytes32, Eights, MOST_EIGHTS, NOWHERE, ShufflePart, Shuffles, bytes32, home, read};
use super::word::{MOST_LANES, Word, WordLanes};
use crate::rules::{Move, Source, Symmetry};
use crate::sorting;

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

/// A state that was [unpacked](ShuffledImages::unpack), and memory for the search for its images.
#[derive(Debug)]
pub struct UnpackedState {
    /// The packed state.
    lanes: WordLanes,
    /// Its cells in the order of lanes.
    bytes: [u64; MOST_LANE_EIGHTS + 1],
    /// Its cells.
    state: Eights,
    /// The cells of a successor.
    successor: Eights,
    /// The smallest image, packed.
    least: WordLanes,
}

/// Finds the smallest of many images of a state.
#[derive(Debug, Clone)]
pub struct ShuffledImages {
    lanes: LanesOfBytes,
    /// The shuffles that put the cells in order, from the vectors of [`Self::lanes`].
    order: Shuffles,
    /// The number of cells of a state.
    cells: usize,
    /// The number of vectors of 32 cells in order.
    vectors: usize,
    /// A bit for each number of the last batch that has a symmetry of its own.
    last: u64,
    /// The number of pairs of blocks that have a symmetry of their own.
    pairs: usize,
    /// The shuffles that make the prefixes, in batches. The last batch is filled with the last symmetry.
    batches: Vec<[[PrefixShuffle; 2]; BATCH]>,
    /// The parts of the shuffles that make the prefixes, without the first of each block. There are none in the common
    /// case that the four prefixes of each block come from the same two neighbouring eights.
    more: Option<Shuffles>,
    /// The prefixes of [probes](probes), if they need no further parts and one table.
    probes: Option<Vec<PrefixShuffle>>,
    /// The bits that are flipped in the symbols of prefixes before their new names are looked up, for each table of a
    /// block. A half of a vector has the prefixes of two symmetries, but a table has 16 entries. If there are at most
    /// eight symbols, one table is enough: the second symmetry uses the last eight entries. If there are more, each
    /// symmetry has a table, and what the other one has there is left out.
    marks: [Bytes32; 2],
    has_one_table: bool,
    /// For each symmetry, the shuffles that make its image, in the vectors of [`Self::lanes`].
    images: Shuffles,
    /// For each symmetry, the new names of the symbols in its image.
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
    /// The first of the two eights that the first part reads.
    eight: u32,
}

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
    (PrefixShuffle { places, names, eight: eight as u32 }, parts)
}

/// The symmetries of which one leaves a state as it is, if any symmetry but the first does, which changes nothing.
///
/// What leaves a state as it is does so if it is repeated. So a symmetry may be left out if it gives a probe when it is
/// repeated. For example, of the four rotations of the square, the probe is the half turn.
fn probes(symmetries: &[Symmetry]) -> Vec<&Symmetry> {
    let same = |one: &Symmetry, other: &Symmetry| one.cells == other.cells && one.symbols == other.symbols;
    // All powers of a symmetry up to the first, and no more than there are symmetries.
    let powers = |symmetry: &Symmetry| {
        let next = |power: &Symmetry| (!same(power, &symmetries[0])).then(|| power.then(symmetry));
        std::iter::successors(Some(symmetry.clone()), next).take(symmetries.len()).collect::<Vec<_>>()
    };
    let mut others: Vec<(&Symmetry, Vec<Symmetry>)> =
        symmetries[1..].iter().map(|symmetry| (symmetry, powers(symmetry))).collect();
    // Those that come back early first.
    sorting::sort_by_key(&mut others, |(_, powers)| powers.len());
    let mut probes: Vec<&Symmetry> = Vec::new();
    for (symmetry, powers) in &others {
        if !powers.iter().any(|power| probes.iter().any(|probe| same(power, probe))) {
            probes.push(symmetry);
        }
    }
    probes
}

impl UnpackedState {
    /// Memory for a state.
    pub fn new() -> Self {
        let (lanes, cells) = ([0; MOST_LANES], [0; MOST_EIGHTS + 1]);
        Self { lanes, bytes: [0; _], state: cells, successor: cells, least: lanes }
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
        let of_block = |block: usize| {
            let begin = (block * BLOCK).min(order - 1);
            prefix_shuffle(&sorted[begin..order.min(begin + BLOCK)], has_one_table)
        };
        let (blocks, more): (Vec<PrefixShuffle>, Vec<Vec<ShufflePart>>) =
            (0..2 * pairs.next_multiple_of(BATCH)).map(of_block).unzip();
        let mark = |table: usize, byte: usize| match byte / 8 % 2 {
            second if has_one_table => second * (MOST_SYMBOLS / 2),
            second if second == table => 0,
            _ => NOWHERE,
        };
        let marks = [0, 1].map(|table| bytes32(&|byte| mark(table, byte) as u8));
        // The number of a symmetry is its place among the narrowed prefixes.
        let place = |number: usize| number / PAIR * PAIR + NARROWED[number % PAIR];
        let numbered = |number: usize| &sorted[place(number).min(order - 1)];
        let (lanes, vectors) = (LanesOfBytes::new(layout, is_array), cells.div_ceil(32));
        let images = Shuffles::new(pairs * PAIR * lanes.vectors(), &|at, byte| {
            let cell = lanes.cell(at % lanes.vectors() * 32 + byte)?;
            Some(home(numbered(at / lanes.vectors()).sources[cell]))
        });
        let order_of = |number: usize, byte| lanes.byte(number * 32 + home(byte));
        Some(Self {
            order: Shuffles::new(vectors, &order_of),
            pairs,
            batches: blocks.as_chunks().0.as_chunks().0.to_vec(),
            more: more.iter().any(|parts| !parts.is_empty()).then(|| Shuffles::filled(&more)),
            probes: Self::prefixes_of_probes(symmetries, has_one_table),
            marks,
            has_one_table,
            images,
            renamed: (0..pairs * PAIR)
                .map(|number| bytes32(&|byte| numbered(number).name(byte % 16)))
                .collect(),
            cells,
            vectors,
            lanes,
            last: ((pairs - 1) / BATCH * BATCH * PAIR..pairs * PAIR)
                .filter(|&number| place(number) < order)
                .fold(0, |last, number| last | 1 << (number % (BATCH * PAIR))),
        })
    }

    /// The prefixes of [probes](probes), if they need no further parts and one table.
    fn prefixes_of_probes(symmetries: &[Symmetry], has_one_table: bool) -> Option<Vec<PrefixShuffle>> {
        let mut probes: Vec<Sourced> = probes(symmetries).into_iter().map(Sourced::new).collect();
        sorting::sort_by_key(&mut probes, |probe| probe.eights);
        let alike = probes.chunk_by(|one, other| one.eights == other.eights);
        let blocks = alike.flat_map(|alike| alike.chunks(BLOCK)).map(|block| prefix_shuffle(block, has_one_table));
        blocks.map(|(first, more)| (has_one_table && more.is_empty()).then_some(first)).collect()
    }

    /// The work of searches for the smallest images of some states, in which so many images are made to their ends in
    /// all. The unit is two instructions, roughly.
    pub fn work(&self, images: usize, states: usize) -> usize {
        let image = 25 + (2 * self.images.each() + 20) * self.lanes.vectors();
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
        const { assert!(W::LIMBS == 1 || W::LIMBS.is_multiple_of(4), "four limbs are copied at once") };
        let limbs = word.limbs();
        if limbs.is_empty() {
            unpacked.lanes[..2].copy_from_slice(&self.lanes.two(*word));
        }
        cpu::run_on_registers(UnpackCells { of: self, limbs, unpacked });
    }

    /// The canonical form of a state, which is its smallest image.
    #[inline(never)]
    pub fn smallest<W: Word>(&self, word: W) -> W {
        let mut unpacked = UnpackedState::new();
        self.unpack(&word, &mut unpacked);
        self.found(&mut unpacked, None)
    }

    /// The canonical form of the successor of a state by a move.
    pub fn smallest_after<W: Word>(&self, unpacked: &mut UnpackedState, given: &Shuffles) -> W {
        self.found(unpacked, Some(given))
    }

    #[inline(never)]
    fn found<W: Word>(&self, unpacked: &mut UnpackedState, given: Option<&Shuffles>) -> W {
        cpu::run_on_registers(FindLeast { of: self, unpacked, given });
        self.lanes.word(&unpacked.least)
    }

    /// Calls `found` with the number of symmetries that leave each state as it is. The identity must be the first
    /// symmetry.
    #[inline(never)]
    pub fn fixing<W: Word>(&self, words: &[W], found: &mut dyn FnMut(u64)) {
        let mut unpacked = UnpackedState::new();
        for word in words {
            self.unpack(word, &mut unpacked);
            found(self.fixing_unpacked(&unpacked));
        }
    }

    /// Does the same as [`Self::fixing`] for a state that is [unpacked](Self::unpack).
    pub fn fixing_unpacked(&self, unpacked: &UnpackedState) -> u64 {
        let mut fixing = 1;
        cpu::run_on_registers(CountFixing { of: self, unpacked, fixing: &mut fixing });
        fixing
    }

    /// Four lanes of the image under a symmetry.
    #[inline(always)]
    fn image<V: Register>(&self, symmetry: usize, group: usize, names: V, state: &Eights) -> V {
        let (mut lanes, first) = (V::new([0; 4]), group * self.lanes.each);
        for at in first..first + self.lanes.each {
            let moved: V = self.images.made(symmetry * self.lanes.vectors() + at, state);
            lanes = lanes.or(self.lanes.packed(at, names.shuffled(moved)));
        }
        lanes
    }

    /// The prefixes of the images under the symmetries of a block, without what further parts add.
    #[inline(always)]
    fn prefixes<V: Register>(&self, block: &PrefixShuffle, state: &Eights) -> V {
        let moved = V::new(read(state, block.eight)).shuffled(V::new(block.places));
        V::new(block.names[0]).shuffled(moved.xor(V::new(self.marks[0])))
    }

    /// The narrowed prefixes of the images under the symmetries of a batch, a pair of blocks in each vector.
    #[inline(always)]
    fn narrowed<V: Register>(&self, batch: usize, state: &Eights) -> [V; BATCH] {
        let (batch_pairs, factors) = (&self.batches[batch], V::new(FOUR_BITS));
        if V::WRITTEN_OUT && self.more.is_none() && self.has_one_table {
            let mut narrowed = [V::new([0; 4]); BATCH];
            for at in 0..BATCH {
                let [one, other] = &batch_pairs[at];
                let (one, other): (V, V) = (self.prefixes(one, state), self.prefixes(other, state));
                narrowed[at] = one.paired_8(factors).narrowed(other.paired_8(factors));
            }
            return narrowed;
        }
        let mut narrowed = [V::new([u64::MAX; 4]); BATCH];
        for at in 0..BATCH.min(self.pairs - batch * BATCH) {
            let mut halves = [V::new([0; 4]); 2];
            for (which, half) in halves.iter_mut().enumerate() {
                let PrefixShuffle { places, names, eight } = &batch_pairs[at][which];
                let mut moved = V::new(read(state, *eight)).shuffled(V::new(*places));
                if let Some(more) = &self.more {
                    moved = moved.or(more.made(2 * (batch * BATCH + at) + which, state));
                }
                *half = V::new(names[0]).shuffled(moved.xor(V::new(self.marks[0])));
                if !self.has_one_table {
                    *half = half.or(V::new(names[1]).shuffled(moved.xor(V::new(self.marks[1]))));
                }
            }
            narrowed[at] = halves[0].paired_8(factors).narrowed(halves[1].paired_8(factors));
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

/// The task that gives each cell of a state a byte.
struct UnpackCells<'a> {
    of: &'a ShuffledImages,
    /// The limbs of an array. An integer has none; its lanes are in [`Self::unpacked`] already.
    limbs: &'a [u64],
    unpacked: &'a mut UnpackedState,
}

impl RegisterTask for UnpackCells<'_> {
    #[inline(always)]
    fn run<V: Register>(self) {
        let Self { of, limbs, unpacked: UnpackedState { lanes, bytes, state, .. } } = self;
        let (mut bytes_left, each) = (bytes.as_chunks_mut::<4>().0.iter_mut(), of.lanes.each);
        for (group, lanes) in lanes.as_chunks_mut::<4>().0.iter_mut().take(of.lanes.groups).enumerate() {
            if let Some(limbs) = limbs.as_chunks().0.get(group) {
                *lanes = *limbs;
            }
            let packed = V::new(*lanes);
            for (at, bytes) in (group * each..).zip(bytes_left.by_ref().take(each)) {
                *bytes = of.lanes.unpacked(at, packed).integers();
            }
        }
        for (at, cells) in state.as_chunks_mut::<4>().0.iter_mut().take(of.vectors).enumerate() {
            *cells = of.order.made::<V, _>(at, bytes).integers();
        }
    }
}

/// The task that finds the smallest image of a state or, if a move is given, of the successor by this move.
struct FindLeast<'a> {
    of: &'a ShuffledImages,
    /// The image gets packed cells.
    unpacked: &'a mut UnpackedState,
    given: Option<&'a Shuffles>,
}

impl RegisterTask for FindLeast<'_> {
    #[inline(always)]
    fn run<V: Register>(self) {
        let Self { of, unpacked: UnpackedState { state, successor, least, .. }, given } = self;
        let mut state = &*state;
        if let Some(given) = given {
            for (at, vector) in successor.as_chunks_mut::<4>().0.iter_mut().take(of.vectors).enumerate() {
                *vector = given.made::<V, _>(at, state).integers();
            }
            state = successor;
        }
        let mut prefix = u64::MAX; // greater than each narrowed prefix
        for batch in 0..of.batches.len() {
            let prefixes: [V; BATCH] = of.narrowed(batch, state);
            // The prefixes are compared in pairs, and so are the lesser ones, so that few comparisons wait for others.
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
                let symmetry = batch * BATCH * PAIR + left.trailing_zeros() as usize;
                left &= left - 1;
                // Most images differ from the smallest one in their first cells, and are not made further.
                let names = V::new(of.renamed[symmetry]);
                for (group, known) in least.as_chunks_mut::<4>().0.iter_mut().take(of.lanes.groups).enumerate() {
                    let image = of.image(symmetry, group, names, state).integers();
                    if !is_less {
                        let Some(differs) = (0..4).find(|&at| image[at] != known[at]) else { continue };
                        if image[differs] > known[differs] {
                            break;
                        }
                        is_less = true;
                    }
                    *known = image;
                }
                is_less = false;
            }
        }
    }
}

/// The task that counts the symmetries, besides the identity, that leave a state as it is.
struct CountFixing<'a> {
    of: &'a ShuffledImages,
    unpacked: &'a UnpackedState,
    /// Their number is added to it.
    fixing: &'a mut u64,
}

impl RegisterTask for CountFixing<'_> {
    #[inline(always)]
    fn run<V: Register>(self) {
        let Self { of, unpacked: UnpackedState { lanes, state, .. }, fixing } = self;
        let own = V::new([state[0]; BLOCK]);
        if let Some(probes) = &of.probes {
            let mut found = V::new([0; 4]);
            for block in probes {
                found = found.or(of.prefixes::<V>(block, state).equal(own));
            }
            if found.signs() == 0 {
                return; // no symmetry but the identity leaves the first cells as they are
            }
        }
        let own = own.paired_8(V::new(FOUR_BITS));
        for batch in 0..of.batches.len() {
            let prefixes: [V; BATCH] = of.narrowed(batch, state);
            // The image under the identity, which is the first symmetry, is the state itself.
            let mut left = of.with_prefix(batch, &prefixes, own.narrowed(own)) & !u64::from(batch == 0);
            while left != 0 {
                let symmetry = batch * BATCH * PAIR + left.trailing_zeros() as usize;
                left &= left - 1;
                let (mut is_fixed, names) = (true, V::new(of.renamed[symmetry]));
                for (group, own) in lanes.as_chunks::<4>().0.iter().take(of.lanes.groups).enumerate() {
                    is_fixed = of.image(symmetry, group, names, state).integers() == *own;
                    if !is_fixed {
                        break;
                    }
                }
                *fixing += u64::from(is_fixed);
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
            let mut to = permuted(first, random);
            to.extend(first..cells);
            let renamed = if number % 2 == 0 { symbols } else { 1 };
            let mut names: Vec<Symbol> = permuted(renamed, random).into_iter().map(|name| name as Symbol).collect();
            names.extend((renamed..symbols).map(|name| name as Symbol));
            symmetries.push(Symmetry { cells: to, symbols: names.into(), ..none.clone() });
        }
        let Some(images) = ShuffledImages::new(&symmetries, &layout, W::LIMBS > 1) else { return false };
        let shuffles = images.of_move(&rules.moves[0]).unwrap();
        let mut unpacked = UnpackedState::new();
        for round in 0..crate::tests::quick_or_long(6, 60) {
            // In every second state, nearly all cells hold the last symbol, whose code may be all ones.
            let few = if round % 2 == 0 { 1 } else { symbols as u64 };
            let mut state: Vec<Symbol> =
                (0..cells).map(|_| (symbols as u64 - 1 - random.below(few)) as Symbol).collect();
            state[random.below(cells as u64) as usize] = 0;
            let word = layout.pack::<W>(&state);
            let least = |state: &[Symbol]| symmetries.iter().map(|symmetry| symmetry.apply(state)).min().unwrap();
            assert_eq!(images.smallest(word), layout.pack(&least(&state)), "{state:?}");
            let fixing = symmetries.iter().filter(|symmetry| symmetry.apply(&state) == state).count();
            images.fixing(&[word], &mut |found| assert_eq!(found, fixing as u64, "{state:?}"));
            let mut after = state.clone();
            for (to, source) in &rules.moves[0].then {
                if let Source::Copy(from, _) = source {
                    after[*to] = state[*from];
                }
            }
            images.unpack(&word, &mut unpacked);
            let found: W = images.smallest_after(&mut unpacked, &shuffles);
            assert_eq!(found, layout.pack(&least(&after)), "{state:?}");
        }
        true
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
