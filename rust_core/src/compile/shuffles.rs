//! Shuffles: instructions that carry the cells of a state to other places, 16 of them at once.
//!
//! Each cell has a byte. Eight neighbouring cells are an *eight*, an integer of 64 bits. The first cell is in its
//! highest byte, so integers compare as the cells do. An instruction reads two neighbouring eights, which are 16 bytes,
//! and fills 16 or 32 bytes from them.
//!
//! For example, let an eight have two cells. Of the state `ab/cd`, whose cells have the places 0 to 3, the shuffle
//! `2 0 3 1` makes `ca/db`.

use super::cpu::Register;

/// The most eights of a state. It is a power of two, so that the number of an eight is kept below it by a mask.
pub const MOST_EIGHTS: usize = 32;

/// The place that gives zero in a shuffle.
pub const NOWHERE: usize = 0x80;

/// 32 bytes, as four integers. The first byte is the lowest one of the first integer.
pub type Bytes32 = [u64; 4];

/// The cells of a state, one byte for each, in eights. There is one eight more, since a shuffle reads two.
pub type Eights = [u64; MOST_EIGHTS + 1];

/// A list of shuffles. Each makes a vector of 32 bytes from the eights of a state.
#[derive(Debug, Clone)]
pub struct Shuffles {
    /// The first three parts of each shuffle. If it needs fewer, the others add nothing.
    first: Vec<ThreeParts>,
    /// The further parts of all shuffles, the same number for each.
    more: Vec<ShufflePart>,
    /// The number of further parts of each shuffle.
    more_each: usize,
}

/// What two neighbouring eights add to the result of a shuffle.
#[derive(Debug, Clone, Copy)]
pub struct ShufflePart {
    /// The place in the two eights of each byte of the result.
    pub places: Bytes32,
    /// The number of the first of the two eights.
    pub eight: u32,
}

/// Three parts of a shuffle.
#[derive(Debug, Clone, Copy)]
#[repr(align(32))] // so that no register is read from two lines of the cache
pub struct ThreeParts {
    places: [Bytes32; 3],
    eights: [u32; 3],
}

/// The 32 bytes that `bytes` gives for their numbers, in the order of memory.
pub fn bytes32(bytes: &dyn Fn(usize) -> u8) -> Bytes32 {
    std::array::from_fn(|at| u64::from_le_bytes(std::array::from_fn(|number| bytes(8 * at + number))))
}

/// The number of the byte of a cell among those of the eights of a state.
pub fn home(cell: usize) -> usize {
    cell / 8 * 8 + 7 - cell % 8
}

/// Two neighbouring eights, twice. `N` is one more than a power of two, since two eights are read.
#[inline(always)]
pub fn read<const N: usize>(state: &[u64; N], eight: u32) -> Bytes32 {
    const { assert!((N - 1).is_power_of_two(), "the number of an eight is kept below it by a mask") }
    let eight = eight as usize % (N - 1);
    let (one, other) = (state[eight], state[eight + 1]);
    [one, other, one, other]
}

impl ThreeParts {
    /// The bytes that the parts add to the result of their shuffle.
    #[inline(always)]
    fn made<V: Register, const N: usize>(&self, state: &[u64; N]) -> V {
        let Self { places, eights } = self;
        let mut bytes = V::new(read(state, eights[0])).shuffled(V::new(places[0]));
        for part in 1..3 {
            bytes = bytes.or(V::new(read(state, eights[part])).shuffled(V::new(places[part])));
        }
        bytes
    }

    fn new(parts: [ShufflePart; 3]) -> Self {
        Self { places: parts.map(|part| part.places), eights: parts.map(|part| part.eight) }
    }
}

impl ShufflePart {
    /// A part that adds nothing.
    pub const NOTHING: Self = Self { places: [u64::from_ne_bytes([NOWHERE as u8; 8]); 4], eight: 0 };

    /// The parts of one shuffle. `source(byte)` is the number of the byte of a state that comes to a byte of the
    /// result.
    pub fn of_shuffle(source: &dyn Fn(usize) -> Option<usize>) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut read = (0..32).filter_map(source).fold(0u64, |read, from| read | 1 << (from / 8));
        while read != 0 {
            let mut eight = read.trailing_zeros() as usize;
            // A pair that begins with an even number was written at once, and is read back faster.
            if eight % 2 == 1 && read >> (eight + 1) & 1 == 0 {
                eight -= 1;
            }
            let here = |from: &usize| (eight..eight + 2).contains(&(from / 8));
            let place = |byte| source(byte).filter(here).map_or(NOWHERE, |from| from - 8 * eight);
            parts.push(Self { places: bytes32(&|byte| place(byte) as u8), eight: eight as u32 });
            read &= !(3 << eight);
        }
        parts
    }

    /// The bytes that the part adds to the result of its shuffle.
    #[inline(always)]
    fn made<V: Register, const N: usize>(&self, state: &[u64; N]) -> V {
        V::new(read(state, self.eight)).shuffled(V::new(self.places))
    }
}

impl Shuffles {
    /// A list of `count` shuffles. `source(number, byte)` is the number of the byte of a state that comes to the given
    /// byte of the result.
    pub fn new(count: usize, source: &dyn Fn(usize, usize) -> Option<usize>) -> Self {
        let parts: Vec<_> = (0..count).map(|number| ShufflePart::of_shuffle(&|byte| source(number, byte))).collect();
        Self::filled(&parts)
    }

    /// The list of shuffles with the given parts.
    pub fn filled(parts: &[Vec<ShufflePart>]) -> Self {
        let part = |of: &[ShufflePart], at: usize| of.get(at).copied().unwrap_or(ShufflePart::NOTHING);
        let each = parts.iter().map(Vec::len).max().unwrap_or(0);
        Self {
            first: parts.iter().map(|of| ThreeParts::new(std::array::from_fn(|at| part(of, at)))).collect(),
            more: parts.iter().flat_map(|of| (3..each).map(move |at| part(of, at))).collect(),
            more_each: each.saturating_sub(3),
        }
    }

    /// The number of parts of each shuffle.
    pub fn each(&self) -> usize {
        3 + self.more_each
    }

    /// The result of the shuffle with a number, whose first parts are given.
    #[inline(always)]
    pub fn made<V: Register, const N: usize>(&self, number: usize, first: &ThreeParts, state: &[u64; N]) -> V {
        let mut bytes: V = first.made(state);
        if self.more_each > 0 {
            for part in &self.more[number * self.more_each..][..self.more_each] {
                bytes = bytes.or(part.made(state));
            }
        }
        bytes
    }

    /// The first parts of `count` shuffles from the one with the number `first` on.
    #[inline(always)]
    pub fn several(&self, first: usize, count: usize) -> &[ThreeParts] {
        &self.first[first..][..count]
    }

    /// Makes the results of all shuffles from `from`, and writes them into `to`, one after the other.
    #[inline(always)]
    pub fn make_all<V: Register, const N: usize>(&self, from: &[u64; N], to: &mut Eights) {
        for (number, (parts, made)) in self.first.iter().zip(to.as_chunks_mut::<4>().0).enumerate() {
            *made = self.made::<V, N>(number, parts, from).integers();
        }
    }
}
