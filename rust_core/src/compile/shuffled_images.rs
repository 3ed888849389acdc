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
use super::shuffles::{Bytes32, Eights, MOST_EIGHTS, NOWHERE, ShufflePart, Shuffles, bytes32, home};
use super::word::{MOST_LANES, Word, WordLanes};
use crate::rules::{Move, Source, Symmetry};
use crate::sorting;

/// The number of symmetries of a block: their prefixes are in the four integers of a vector.
const LANES: usize = 4;

/// The number of blocks of a batch. The symmetries of a batch are searched together.
const BATCH: usize = 12;

/// The number of cells of a prefix.
const PREFIX_CELLS: usize = 8;

/// The most symbols. Their new names are looked up by one instruction.
const MOST_SYMBOLS: usize = 16;

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
    /// A bit for each place of the last batch that has a symmetry of its own.
    last: u64,
    /// The number of blocks that have a symmetry of their own.
    blocks: usize,
    /// The shuffles that make the prefixes, in batches. The last batch is filled with the last symmetry.
    batches: Vec<[PrefixShuffle; BATCH]>,
    /// The parts of the shuffles that make the prefixes, without the first of each block. There are none in the common
    /// case that the four prefixes of each block come from the same two neighbouring eights.
    more: Option<Shuffles>,
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
struct PrefixShuffle {
    /// The first part of the shuffle that makes the prefixes.
    part: ShufflePart,
    /// The tables of new names. The second one is not used if [`ShuffledImages::has_one_table`].
    names: [Bytes32; 2],
}

/// The cell whose symbol comes to each cell of an image.
fn sources(symmetry: &Symmetry) -> Vec<usize> {
    let mut sources = vec![0; symmetry.cells.len()];
    symmetry.cells.iter().enumerate().for_each(|(from, &to)| sources[to] = from);
    sources
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
        let mut sorted: Vec<(u64, Vec<usize>, &Symmetry)> = symmetries
            .iter()
            .map(|symmetry| {
                let sources = sources(symmetry);
                let eights = sources[..PREFIX_CELLS].iter().fold(0, |eights, &cell| eights | 1 << (cell / 8));
                (eights, sources, symmetry)
            })
            .collect();
        // The prefixes of a block come from few eights, if those of its symmetries come from the same ones. The first
        // symmetry stays in front.
        let first = sorted[0].0;
        sorting::sort_by_key(&mut sorted, |&(eights, ..)| (eights != first, eights));
        let order = symmetries.len();
        let name = |number: usize, symbol: usize| {
            let (_, _, symmetry) = &sorted[number.min(order - 1)];
            symmetry.symbols.get(symbol).copied().unwrap_or(0)
        };
        let blocks = order.div_ceil(LANES);
        let places = blocks.next_multiple_of(BATCH);
        let prefix_parts = |block: usize| {
            ShufflePart::of_shuffle(&|byte| {
                let (_, sources, _) = &sorted[(block * LANES + byte / 8).min(order - 1)];
                Some(home(sources[7 - byte % 8]))
            })
        };
        let mut prefixes: Vec<Vec<ShufflePart>> = (0..places).map(prefix_parts).collect();
        let firsts: Vec<ShufflePart> = prefixes.iter_mut().map(|parts| parts.remove(0)).collect();
        let has_one_table = layout.symbols() <= MOST_SYMBOLS / 2;
        let mark = |table: usize, byte: usize| match byte / 8 % 2 {
            second if has_one_table => second * (MOST_SYMBOLS / 2),
            second if second == table => 0,
            _ => NOWHERE,
        };
        let marks = [0, 1].map(|table| bytes32(&|byte| mark(table, byte) as u8));
        let table_names = |block: usize, table: usize| {
            bytes32(&|byte| {
                let (half, symbol) = (byte / 16 * 2, byte % 16);
                let number = block * LANES + half;
                if has_one_table {
                    name(number + symbol / (MOST_SYMBOLS / 2), symbol % (MOST_SYMBOLS / 2))
                } else {
                    name(number + table, symbol)
                }
            })
        };
        let (lanes, vectors) = (LanesOfBytes::new(layout, is_array), cells.div_ceil(32));
        let images = Shuffles::new(order * lanes.vectors(), &|number, byte| {
            let (_, sources, _) = &sorted[number / lanes.vectors()];
            lanes.cell(number % lanes.vectors() * 32 + byte).map(|cell| home(sources[cell]))
        });
        let order_of = |number: usize, byte| lanes.byte(number * 32 + home(byte));
        Some(Self {
            order: Shuffles::new(vectors, &order_of),
            more: prefixes.iter().any(|parts| !parts.is_empty()).then(|| Shuffles::filled(&prefixes)),
            blocks,
            batches: (0..places / BATCH)
                .map(|batch| {
                    std::array::from_fn(|at| {
                        let block = batch * BATCH + at;
                        let names = std::array::from_fn(|table| table_names(block, table));
                        PrefixShuffle { part: firsts[block], names }
                    })
                })
                .collect(),
            marks,
            has_one_table,
            images,
            renamed: (0..order).map(|number| bytes32(&|byte| name(number, byte % 16))).collect(),
            cells,
            vectors,
            lanes,
            last: u64::MAX >> (u64::BITS as usize - (order - 1) % (BATCH * LANES) - 1),
        })
    }

    /// The work of searches for the smallest images of some states, in which so many images are made to their ends in
    /// all. The unit is two instructions, roughly.
    pub fn work(&self, images: usize, states: usize) -> usize {
        let image = 25 + (2 * self.images.each() + 20) * self.lanes.vectors();
        let more = self.more.as_ref().map_or(0, Shuffles::each);
        let block = 10 + 4 * more + if self.has_one_table { 0 } else { 2 };
        (100 + block * BATCH * self.batches.len()) * states + image * images
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

    /// The prefixes of the images under the symmetries of a batch, four in each vector.
    #[inline(always)]
    fn prefixes<V: Register>(&self, batch: usize, state: &Eights) -> [V; BATCH] {
        let (blocks, marks) = (&self.batches[batch], self.marks.map(V::new));
        if V::WRITTEN_OUT && self.more.is_none() && self.has_one_table {
            let mut prefixes = [V::new([0; 4]); BATCH];
            for at in 0..BATCH {
                let moved: V = blocks[at].part.made(state);
                prefixes[at] = V::new(blocks[at].names[0]).shuffled(moved.xor(marks[0]));
            }
            return prefixes;
        }
        let mut prefixes = [V::new([i64::MAX as u64; LANES]); BATCH];
        for at in 0..BATCH.min(self.blocks - batch * BATCH) {
            let mut moved: V = blocks[at].part.made(state);
            if let Some(more) = &self.more {
                moved = moved.or(more.made(batch * BATCH + at, state));
            }
            prefixes[at] = V::new(blocks[at].names[0]).shuffled(moved.xor(marks[0]));
            if !self.has_one_table {
                prefixes[at] = prefixes[at].or(V::new(blocks[at].names[1]).shuffled(moved.xor(marks[1])));
            }
        }
        prefixes
    }

    /// The symmetries of a batch whose images have the wanted prefix: a bit for each.
    #[inline(always)]
    fn with_prefix<V: Register>(&self, batch: usize, prefixes: &[V; BATCH], wanted: V) -> u64 {
        // Four sums instead of one, so that few steps wait for others.
        let mut symmetries = [0; 4];
        for (at, prefixes) in prefixes.iter().enumerate() {
            symmetries[at % 4] |= prefixes.equal(wanted).signs() << (at * LANES);
        }
        let [a, b, c, d] = symmetries;
        (a | b | (c | d)) & if batch + 1 == self.batches.len() { self.last } else { u64::MAX }
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
        let mut prefix = i64::MAX;
        for batch in 0..of.batches.len() {
            let prefixes: [V; BATCH] = of.prefixes(batch, state);
            // The prefixes are compared in pairs, and so are the lesser ones, so that few comparisons wait for others.
            let (mut lesser, mut left) = (prefixes, BATCH);
            while left > 1 {
                let half = left.div_ceil(2);
                for at in 0..left / 2 {
                    lesser[at] = lesser[at].lesser(lesser[half + at]);
                }
                left = half;
            }
            let wanted = lesser[0].least();
            let smallest = wanted.integers()[0] as i64;
            if smallest > prefix {
                continue;
            }
            let mut is_less = smallest < prefix;
            prefix = smallest;
            // Several images may have the smallest prefix.
            let mut left = of.with_prefix(batch, &prefixes, wanted);
            while left != 0 {
                let symmetry = batch * BATCH * LANES + left.trailing_zeros() as usize;
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
        for batch in 0..of.batches.len() {
            let prefixes: [V; BATCH] = of.prefixes(batch, state);
            // The image under the identity, which is the first symmetry, is the state itself.
            let mut left = of.with_prefix(batch, &prefixes, V::new([state[0]; LANES])) & !u64::from(batch == 0);
            while left != 0 {
                let symmetry = batch * BATCH * LANES + left.trailing_zeros() as usize;
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
