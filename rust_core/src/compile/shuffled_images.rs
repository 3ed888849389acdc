//! The smallest of many images of a state of more than 64 bits, by shuffles of bytes.
//!
//! Each cell of a state gets a byte. One instruction carries 16 bytes to other places, or 32 with AVX2; another one
//! looks up new names for 16 symbols. So an image is made by few instructions, however a symmetry moves the cells.
//!
//! An image begins with its *prefix*, which is its first seven cells here. Prefixes are made side by side, four in a
//! vector of 32 bytes, and only the images with the smallest prefix are made to their ends. For example, let a prefix
//! have two cells. The state `ba/cd` and the four rotations of the square have the prefixes `ba`, `cb`, `dc` and `ad`.
//! The smallest is `ad`, so only the last image is made: `ad/bc`.
//!
//! Eight neighbouring cells are an *eight*, an integer of 64 bits. The first cell is in its highest byte, so integers
//! compare as the cells do. A shuffle reads two neighbouring eights, which are 16 bytes.
//!
//! Nothing here but the first and the last step depends on the width of words, so it is compiled once for all of them.

use super::cpu::{self, Register, RegisterTask};
use super::layout::{CellUnpacker, EightCells, Layout};
use super::word::Word;
use crate::rules::{Move, Source, Symmetry};
use crate::sorting;

/// The most eights of a state.
const MOST_EIGHTS: usize = 20;

/// The number of symmetries of a block: their prefixes are in the four integers of a vector.
const LANES: usize = 4;

/// The number of blocks of a batch. The symmetries of a batch are searched together.
const BATCH: usize = 12;

/// The number of cells of a prefix. Its lowest byte has the number of the symmetry in the batch, so the smallest number
/// tells to which symmetry the smallest prefix belongs.
const PREFIX_CELLS: usize = 7;

/// The bits of the number of a symmetry in a prefix.
const NUMBER: u64 = 0xff;

/// The most symbols. Their new names are looked up by one instruction.
const MOST_SYMBOLS: usize = 16;

/// The place that gives zero in a shuffle.
const NOWHERE: usize = 0x80;

/// 32 bytes, as four integers. The first byte is the lowest one of the first integer.
type Bytes32 = [u64; 4];

/// The cells of a state, one byte for each, in eights; or the same eights with packed cells. Each cell is in at least
/// one eight. There is one eight more, since a shuffle reads two.
pub type Eights = [u64; MOST_EIGHTS + 1];

/// A list of shuffles. Each makes a vector of 32 bytes from the eights of a state.
#[derive(Debug, Clone)]
pub struct Shuffles {
    /// The parts of all shuffles, the same number for each.
    parts: Vec<ShufflePart>,
    /// The number of parts of a shuffle.
    each: usize,
}

/// What two neighbouring eights add to the result of a shuffle.
#[derive(Debug, Clone, Copy)]
struct ShufflePart {
    places: Bytes32,
    /// The number of the first of the two eights.
    eight: usize,
}

/// Finds the smallest of many images of a state.
#[derive(Debug, Clone)]
pub struct ShuffledImages {
    unpacker: CellUnpacker,
    /// The places of the eights in a word, in the order of the cells.
    eights: Vec<EightCells>,
    /// For each eight, the bits of the bytes of the cells that it has in a word. The others are in the eight before.
    own: Eights,
    /// For each cell, the number of its byte among those of all eights.
    homes: Vec<usize>,
    blocks: Vec<PrefixShuffle>,
    /// The parts of the shuffles that make the prefixes, without the first of each block.
    more: Shuffles,
    /// The bits that are flipped in the symbols of prefixes before their new names are looked up, for each table of a
    /// block. A half of a vector has the prefixes of two symmetries, but a table has 16 entries. If there are at most
    /// eight symbols, one table is enough: the second symmetry uses the last eight entries. If there are more, each
    /// symmetry has a table, and what the other one has there is left out.
    marks: [Bytes32; 2],
    has_one_table: bool,
    /// For each symmetry, the shuffles that make its image, four eights each.
    images: Shuffles,
    /// For each symmetry, the new names of the symbols in its image.
    renamed: Vec<Bytes32>,
}

/// The four symmetries whose prefixes are made at once.
#[derive(Debug, Clone, Copy)]
struct PrefixShuffle {
    /// The first part of the shuffle that makes the prefixes.
    part: ShufflePart,
    /// The numbers of the symmetries in their batch. If there is no symmetry, the number is the largest one, so that
    /// the prefix there never is the smallest.
    numbers: Bytes32,
    /// The tables of new names. The second one is not used if [`ShuffledImages::has_one_table`].
    names: [Bytes32; 2],
}

/// The result of a search in one batch.
struct FoundPrefix {
    /// The smallest prefix.
    prefix: u64,
    /// A bit for each symmetry of the batch, which is set if the image has the prefix.
    symmetries: u64,
}

/// The 32 bytes that `bytes` gives for their numbers, in the order of memory.
fn bytes32(bytes: &dyn Fn(usize) -> u8) -> Bytes32 {
    std::array::from_fn(|at| u64::from_le_bytes(std::array::from_fn(|number| bytes(8 * at + number))))
}

impl ShufflePart {
    /// A part that adds nothing.
    const NOTHING: Self = Self { places: [u64::from_ne_bytes([NOWHERE as u8; 8]); 4], eight: 0 };

    /// The parts of one shuffle. `source(byte)` is the number of the byte of a state that comes to a byte of the
    /// result.
    fn of_shuffle(source: &dyn Fn(usize) -> Option<usize>) -> Vec<Self> {
        let (mut parts, mut covered) = (Vec::new(), 0);
        for eight in 0..MOST_EIGHTS {
            let holds = |byte| source(byte).is_some_and(|from| from / 8 == eight);
            if eight >= covered && (0..32).any(holds) {
                let here = |from: &usize| (eight..eight + 2).contains(&(from / 8));
                let place = |byte| source(byte).filter(here).map_or(NOWHERE, |from| from - 8 * eight);
                parts.push(Self { places: bytes32(&|byte| place(byte) as u8), eight });
                covered = eight + 2;
            }
        }
        parts
    }

    /// The bytes that the part adds to the result of its shuffle.
    #[inline(always)]
    fn made<V: Register>(&self, state: &Eights) -> V {
        let eight = self.eight.min(MOST_EIGHTS - 1);
        let (one, other) = (state[eight], state[eight + 1]);
        V::new([one, other, one, other]).shuffled(V::new(self.places))
    }
}

impl Shuffles {
    /// A list of `count` shuffles. `source(number, byte)` is the number of the byte of a state that comes to the given
    /// byte of the result.
    fn new(count: usize, source: &dyn Fn(usize, usize) -> Option<usize>) -> Self {
        let parts: Vec<_> = (0..count).map(|number| ShufflePart::of_shuffle(&|byte| source(number, byte))).collect();
        Self::filled(&parts)
    }

    /// The list of shuffles with the given parts.
    fn filled(parts: &[Vec<ShufflePart>]) -> Self {
        let each = parts.iter().map(Vec::len).max().unwrap_or(0);
        let mut all = Vec::with_capacity(parts.len() * each);
        for parts in parts {
            all.extend_from_slice(parts);
            all.resize(all.len() + each - parts.len(), ShufflePart::NOTHING);
        }
        Self { parts: all, each }
    }

    /// The result of one shuffle.
    #[inline(always)]
    fn made<V: Register>(&self, number: usize, state: &Eights) -> V {
        let mut bytes = V::new([0; 4]);
        for part in &self.parts[number * self.each..][..self.each] {
            bytes = bytes.or(part.made(state));
        }
        bytes
    }
}

/// For each cell, the number of its byte among those of all eights.
fn homes(eights: &[EightCells], layout: &Layout) -> Vec<usize> {
    let home = |cell: usize| {
        let holds = |eight: &EightCells| {
            // An eight may have its first cells in the limb before, whose eights hold them.
            (eight.first..eight.first + 8).contains(&cell) && layout.slots[cell].limb == eight.slot.limb
        };
        let eight = eights.iter().position(holds).expect("every cell is in an eight");
        8 * eight + 7 - (cell - eights[eight].first)
    };
    (0..layout.cells()).map(home).collect()
}

/// The cell whose symbol comes to each cell of an image.
fn sources(symmetry: &Symmetry) -> Vec<usize> {
    let mut sources = vec![0; symmetry.cells.len()];
    symmetry.cells.iter().enumerate().for_each(|(from, &to)| sources[to] = from);
    sources
}

impl ShuffledImages {
    /// No cells: memory for those of a state.
    pub const NOTHING: Eights = [0; MOST_EIGHTS + 1];

    /// Prepares symmetries. `None` if states have too many cells or symbols, or fewer than eight cells.
    pub fn new(symmetries: &[Symmetry], layout: &Layout) -> Option<Self> {
        let mut eights = layout.eights.clone();
        eights.reverse();
        if layout.symbols() > MOST_SYMBOLS || !(1..=MOST_EIGHTS).contains(&eights.len()) {
            return None;
        }
        let homes = homes(&eights, layout);
        let mut sorted: Vec<(u64, Vec<usize>, &Symmetry)> = symmetries
            .iter()
            .map(|symmetry| {
                let sources = sources(symmetry);
                let eights = sources[..PREFIX_CELLS].iter().fold(0, |eights, &cell| eights | 1 << (homes[cell] / 8));
                (eights, sources, symmetry)
            })
            .collect();
        // The prefixes of a block come from few eights, if those of its symmetries come from the same ones. The first
        // symmetry stays in front.
        let first = sorted[0].0;
        sorting::sort_by_key(&mut sorted, |&(eights, ..)| (eights != first, eights));
        let order = symmetries.len();
        let name = |number: usize, symbol: usize| {
            let symmetry = sorted.get(number).map(|(_, _, symmetry)| symmetry);
            symmetry.and_then(|symmetry| symmetry.symbols.get(symbol)).copied().unwrap_or(0)
        };
        let blocks = order.div_ceil(LANES);
        let prefix_parts = |block: usize| {
            ShufflePart::of_shuffle(&|byte| {
                let (_, sources, _) = sorted.get(block * LANES + byte / 8)?;
                (byte % 8 > 0).then(|| homes[sources[7 - byte % 8]])
            })
        };
        let mut prefixes: Vec<Vec<ShufflePart>> = (0..blocks).map(prefix_parts).collect();
        let firsts: Vec<ShufflePart> = prefixes.iter_mut().map(|parts| parts.remove(0)).collect();
        let has_one_table = layout.symbols() <= MOST_SYMBOLS / 2;
        let mark = |table: usize, byte: usize| match byte % 8 {
            0 => NOWHERE,
            _ if has_one_table => byte / 8 % 2 * (MOST_SYMBOLS / 2),
            _ if byte / 8 % 2 == table => 0,
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
        let number = |at: usize| if at < order { (at % (BATCH * LANES)) as u64 } else { i64::MAX as u64 };
        let vectors = eights.len().div_ceil(4);
        let images = Shuffles::new(order * vectors, &|number, byte| {
            let eight = eights.get(number % vectors * 4 + byte / 8)?;
            let (_, sources, _) = &sorted[number / vectors];
            Some(homes[sources[eight.first + 7 - byte % 8]])
        });
        Some(Self {
            unpacker: layout.spread,
            more: Shuffles::filled(&prefixes),
            blocks: (0..blocks)
                .map(|block| PrefixShuffle {
                    part: firsts[block],
                    numbers: std::array::from_fn(|lane| number(block * LANES + lane)),
                    names: std::array::from_fn(|table| table_names(block, table)),
                })
                .collect(),
            marks,
            has_one_table,
            images,
            renamed: (0..order).map(|number| bytes32(&|byte| name(number, byte % 16))).collect(),
            own: std::array::from_fn(|at| eights.get(at).map_or(0, |eight| layout.spread.spread(eight.mask))),
            homes,
            eights,
        })
    }

    /// The work of searches for the smallest images of some states, in which so many images are made to their ends in
    /// all. The unit is one instruction, roughly.
    pub fn work(&self, images: usize, states: usize) -> usize {
        let vectors = self.eights.len().div_ceil(4);
        let image = (8 * self.images.each + 25) * vectors;
        (100 + (20 + 10 * self.more.each) * self.blocks.len()) * states + image * images
    }

    /// The shuffles that make the successor by a move. `None` if the move does more than carry cells to other places.
    pub fn of_move(&self, given: &Move) -> Option<Shuffles> {
        let mut sources: Vec<usize> = (0..self.homes.len()).collect();
        for (to, source) in &given.then {
            match source {
                Source::Copy(from, None) => sources[*to] = *from,
                Source::Copy(from, Some(map)) if map.iter().enumerate().all(|(at, &to)| at == to as usize) => {
                    sources[*to] = *from;
                }
                _ => return None,
            }
        }
        Some(Shuffles::new(self.eights.len().div_ceil(4), &|number, byte| {
            let eight = self.eights.get(number * 4 + byte / 8)?;
            Some(self.homes[sources[eight.first + 7 - byte % 8]])
        }))
    }

    /// Writes the cells of a state, one byte for each.
    #[inline(never)]
    pub fn unpack<W: Word>(&self, word: W, state: &mut Eights) {
        for (packed, eight) in state.iter_mut().zip(&self.eights) {
            *packed = word.bits(eight.slot, eight.mask);
        }
        cpu::run(UnpackCells { of: self, state });
    }

    /// The canonical form of a state, which is its smallest image.
    #[inline(never)]
    pub fn smallest<W: Word>(&self, word: W) -> W {
        let (mut state, mut least) = (Self::NOTHING, Self::NOTHING);
        self.unpack(word, &mut state);
        self.found(&state, None, &mut least)
    }

    /// The canonical form of the successor of a state by a move. `least` is memory for it.
    pub fn smallest_after<W: Word>(&self, state: &Eights, given: &Shuffles, least: &mut Eights) -> W {
        self.found(state, Some(given), least)
    }

    #[inline(never)]
    fn found<W: Word>(&self, state: &Eights, given: Option<&Shuffles>, least: &mut Eights) -> W {
        cpu::run_on_registers(LookAtImages { of: self, state, wanted: LookFor::Least { given, least } });
        let mut word = W::ZERO;
        for (packed, eight) in least.iter().zip(&self.eights) {
            word.set(eight.slot, packed & eight.mask);
        }
        word
    }

    /// The number of symmetries that leave a state as it is. The identity must be the first symmetry.
    pub fn fixing<W: Word>(&self, word: W) -> u64 {
        let mut state = Self::NOTHING;
        self.unpack(word, &mut state);
        self.fixing_unpacked(&state)
    }

    /// Does the same as [`Self::fixing`] for a state that is [unpacked](Self::unpack).
    pub fn fixing_unpacked(&self, state: &Eights) -> u64 {
        let mut fixing = 1;
        cpu::run_on_registers(LookAtImages { of: self, state, wanted: LookFor::Fixing(&mut fixing) });
        fixing
    }

    /// Applies a change to four integers at a time.
    #[inline(always)]
    fn each_vector(&self, eights: &mut Eights, change: impl Fn(u64) -> u64) {
        for vector in &mut eights.as_chunks_mut::<4>().0[..self.eights.len().div_ceil(4)] {
            for eight in vector {
                *eight = change(*eight);
            }
        }
    }

    /// Writes the image under a symmetry, one byte for each cell.
    #[inline(always)]
    fn write_image<V: Register>(&self, symmetry: usize, state: &Eights, image: &mut Eights) {
        let vectors = self.eights.len().div_ceil(4);
        for at in 0..vectors {
            let moved: V = self.images.made(symmetry * vectors + at, state);
            image.as_chunks_mut::<4>().0[at] = V::new(self.renamed[symmetry]).shuffled(moved).integers();
        }
    }

    /// The smallest of the prefixes in a batch after the bits of `flips` are flipped in all of them; or zero if
    /// `is_zero`, because only images with that prefix are looked for.
    #[inline(always)]
    fn find<V: Register>(&self, state: &Eights, batch: usize, flips: V, is_zero: bool) -> FoundPrefix {
        let first = batch * BATCH;
        let blocks = &self.blocks[first..(first + BATCH).min(self.blocks.len())];
        let marks = [V::new(self.marks[0]), V::new(self.marks[1])];
        let most = V::new([i64::MAX as u64; LANES]);
        let mut all = [most; BATCH];
        for at in 0..blocks.len().min(BATCH) {
            let prefixes = self.block_prefixes(&blocks[at], first + at, state, marks);
            all[at] = prefixes.xor(flips).or(V::new(blocks[at].numbers));
        }
        let mut smallest = 0;
        if !is_zero {
            // The prefixes are compared in pairs, so that no comparison waits for the one before it.
            let mut least = most;
            for at in 0..BATCH / 2 {
                least = least.lesser(all[2 * at].lesser(all[2 * at + 1]));
            }
            let [a, b, c, d] = least.integers();
            smallest = a.min(b).min(c.min(d));
        }
        // Several images may have the smallest prefix.
        let above = V::new([(smallest | NUMBER) + 1; LANES]);
        let mut symmetries = 0;
        for (at, prefixes) in all.iter().enumerate() {
            symmetries |= prefixes.less(above).signs() << (at * LANES);
        }
        FoundPrefix { prefix: smallest >> 8, symmetries }
    }

    /// The prefixes of the images under the symmetries of a block, each above eight zero bits.
    #[inline(always)]
    fn block_prefixes<V: Register>(&self, block: &PrefixShuffle, number: usize, state: &Eights, marks: [V; 2]) -> V {
        let mut moved: V = block.part.made(state);
        if self.more.each > 0 {
            moved = moved.or(self.more.made(number, state));
        }
        let prefixes = V::new(block.names[0]).shuffled(moved.xor(marks[0]));
        if self.has_one_table {
            return prefixes;
        }
        prefixes.or(V::new(block.names[1]).shuffled(moved.xor(marks[1])))
    }

    /// The number of batches.
    fn batches(&self) -> usize {
        self.blocks.len().div_ceil(BATCH)
    }
}

/// The task that gives each cell a byte.
struct UnpackCells<'a> {
    of: &'a ShuffledImages,
    /// Packed cells before, and one byte for each cell after.
    state: &'a mut Eights,
}

impl cpu::Task for UnpackCells<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let unpacker = self.of.unpacker;
        self.of.each_vector(
            self.state,
            #[inline(always)]
            |eight| unpacker.spread(eight),
        );
    }
}

/// The task that looks at the images with the smallest prefix, or with the prefix of the state itself.
struct LookAtImages<'a> {
    of: &'a ShuffledImages,
    state: &'a Eights,
    wanted: LookFor<'a>,
}

/// What a look at images is to find.
enum LookFor<'a> {
    /// The smallest image of the state or, if a move is given, of the successor by this move. It is written with packed
    /// cells.
    Least { given: Option<&'a Shuffles>, least: &'a mut Eights },
    /// The number of symmetries, besides the identity, that leave the state as it is. It is added to the number.
    Fixing(&'a mut u64),
}

impl RegisterTask for LookAtImages<'_> {
    #[inline(always)]
    fn run<V: Register>(self) {
        let Self { of, state, mut wanted } = self;
        let (count, mut after, mut own) = (of.eights.len(), [0; MOST_EIGHTS + 1], V::new([0; LANES]));
        let mut state: &Eights = state;
        match &wanted {
            LookFor::Least { given: None, .. } => {}
            LookFor::Least { given: Some(given), .. } => {
                for at in 0..count.div_ceil(4) {
                    after.as_chunks_mut::<4>().0[at] = given.made::<V>(at, state).integers();
                }
                state = &after;
            }
            LookFor::Fixing(_) => {
                // The image under the identity is the state itself. Only images with its prefix are compared with it.
                // If all prefixes are compared with the state's own bit by bit, an equal one becomes zero.
                let marks = [V::new(of.marks[0]), V::new(of.marks[1])];
                own = V::new([of.block_prefixes(&of.blocks[0], 0, state, marks).integers()[0]; LANES]);
            }
        }
        // The identity is counted without a look.
        let is_counted = matches!(wanted, LookFor::Fixing(_));
        let (mut prefix, mut image) = (if is_counted { 0 } else { u64::MAX }, [0; MOST_EIGHTS + 1]);
        for batch in 0..of.batches() {
            let found = of.find(state, batch, own, is_counted);
            if found.prefix > prefix {
                continue;
            }
            let mut is_first = found.prefix < prefix;
            prefix = found.prefix;
            let mut left = found.symmetries & !u64::from(is_counted && batch == 0);
            while left != 0 {
                let symmetry = batch * BATCH * LANES + left.trailing_zeros() as usize;
                left &= left - 1;
                of.write_image::<V>(symmetry, state, &mut image);
                match &mut wanted {
                    LookFor::Least { least, .. } => {
                        let differs = (0..count).find(|&at| least[at] != image[at]);
                        if std::mem::take(&mut is_first) || differs.is_some_and(|at| image[at] < least[at]) {
                            **least = image;
                        }
                    }
                    LookFor::Fixing(fixing) => {
                        let differs = |at: usize| (image[at] ^ state[at]) & of.own[at];
                        let is_fixed = (0..count).fold(0, |all, at| all | differs(at)) == 0;
                        **fixing += u64::from(is_fixed);
                    }
                }
            }
        }
        if let LookFor::Least { least, .. } = wanted {
            let unpacker = of.unpacker;
            of.each_vector(
                least,
                #[inline(always)]
                |eight| unpacker.joined(eight),
            );
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
        let Some(images) = ShuffledImages::new(&symmetries, &layout) else { return false };
        let shuffles = images.of_move(&rules.moves[0]).unwrap();
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
            assert_eq!(images.fixing(word), fixing as u64, "{state:?}");
            let mut after = state.clone();
            for (to, source) in &rules.moves[0].then {
                if let Source::Copy(from, _) = source {
                    after[*to] = state[*from];
                }
            }
            let (mut unpacked, mut memory) = (ShuffledImages::NOTHING, ShuffledImages::NOTHING);
            images.unpack(word, &mut unpacked);
            let found: W = images.smallest_after(&unpacked, &shuffles, &mut memory);
            assert_eq!(found, layout.pack(&least(&after)), "{state:?}");
        }
        true
    }

    #[test]
    fn images_are_those_of_the_definition_up_to_the_most_cells_and_symbols() {
        let mut random = Random::new("shuffles");
        for (order, symbols) in [(25, 2), (48, 6), (49, 8), (50, 9), (97, 16)] {
            // An integer holds 21 cells of three bits, in three eights that overlap.
            let most = if symbols == 6 || symbols == 8 { 21 * (MOST_EIGHTS / 3) } else { 8 * MOST_EIGHTS };
            assert!(compare::<[u64; 32]>(most, symbols, order, &mut random));
            assert!(compare::<[u64; 4]>(48, symbols, order, &mut random));
            assert!(compare::<u128>(31, symbols, order, &mut random));
            assert!(compare::<u128>(8, symbols, order, &mut random));
        }
        assert!(!compare::<u128>(7, 16, 30, &mut random), "a prefix has seven cells, and an eight has eight");
        assert!(!compare::<u128>(16, MOST_SYMBOLS + 1, 30, &mut random));
        assert!(!compare::<[u64; 32]>(8 * MOST_EIGHTS + 1, 16, 30, &mut random));
    }
}
