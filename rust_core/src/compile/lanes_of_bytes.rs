//! Words of more than 64 bits as bytes, one for each cell, and back.
//!
//! A word is cut into *lanes* of at most 64 bits, each with whole cells: the limbs of an array, or two parts of an
//! integer of 128 bits. For example, let lanes have up to three cells. The state `abc/def` has the lanes `abc` and
//! `def`.
//!
//! Four lanes are packed at once, in the four integers of a vector. A vector of bytes has the first eight cells of each
//! of the four lanes, the next one the second eight cells, and so on. For example, let two lanes be packed at once, two
//! cells of each. The first vector has `ab` and `de`, and the second one `c` and `f`.
//!
//! To unpack a word, 32 cells in order are made at once, from two vectors of 16 numbers. Each number gets the two bytes
//! of the word that hold a cell, and is multiplied so that the cell comes to its upper byte.

use super::cpu::Register;
use super::layout::Layout;
use super::shuffles::{Bytes32, NOWHERE, bytes32, read};
use super::word::{MOST_LANES, Slot, Word, WordLanes};

/// The lanes of a word. There is one more, since two neighbouring ones are read.
pub type LanesToRead = [u64; MOST_LANES + 1];

/// The cells that a vector has of four lanes: at most eight of each, in the lowest bytes of an integer.
#[derive(Debug, Clone, Copy, Default)]
pub struct CellsOfLanes {
    /// The number of bits by which the packed cells are shifted up to their place in a lane.
    up: Bytes32,
    /// The bits of the packed cells, before they are shifted.
    mask: Bytes32,
    /// `true` if it is the last vector of its four lanes.
    pub is_last: bool,
}

/// How the cells of a vector are joined in its integers: neighbours first, then pairs of them, then fours.
#[derive(Debug, Clone, Copy)]
struct Joining {
    /// The factors by which neighbours and pairs are shifted, see [`Register::paired_8`].
    neighbours: Bytes32,
    pairs: Bytes32,
    /// The number of bits by which the upper fours are shifted down.
    fours: Bytes32,
}

/// How the first or the last 16 cells of a vector are found.
#[derive(Debug, Clone, Copy)]
struct SixteenCells {
    /// The places of the two bytes of each cell in two neighbouring lanes.
    places: Bytes32,
    /// The factors by which numbers of 16 bits are multiplied.
    factors: Bytes32,
    /// The first of the two lanes.
    lane: u32,
}

/// How 32 cells in order are found in lanes.
#[derive(Debug, Clone, Copy)]
pub struct Unpacking([SixteenCells; 2]);

/// How words are cut into lanes, and lanes into vectors of bytes.
#[derive(Debug, Clone)]
pub struct LanesOfBytes {
    joining: Joining,
    /// The bits of a cell in its byte, for 32 cells.
    mask: Bytes32,
    /// Finds the cells in order.
    pub unpackings: Vec<Unpacking>,
    /// The number of bits of the lower lane of an integer.
    cut: u32,
    /// The vectors of all groups of four lanes.
    pub vectors: Vec<CellsOfLanes>,
    /// The cell of each byte of the vectors, if it has one.
    cells: Vec<Option<usize>>,
}

impl SixteenCells {
    /// `homes` has the lane of each cell, and its lowest bit there. The vectors of 32 cells have numbers.
    fn new(homes: &[(usize, usize)], number: usize, half: usize) -> Self {
        // The cell at each number of 16 bits. Integers have their first cell in their highest bits.
        let home = |at: usize| homes.get(32 * number + 16 * half + at / 8 * 8 + (7 - at % 8)).copied();
        let lane = (0..16).filter_map(home).map(|(lane, _)| lane).min().unwrap_or(0);
        let place = |byte: usize| {
            let (of, lowest) = home(byte / 2)?;
            let place = 8 * (of - lane) + lowest / 8 + byte % 2;
            assert!(place <= 16, "16 cells in order are in two lanes, which have 16 cells or more");
            Some(place).filter(|&place| place < 16)
        };
        let factor = |at: usize| home(at).map_or(0, |(_, lowest)| 1u16 << (8 - lowest % 8));
        Self {
            places: bytes32(&|byte| place(byte).unwrap_or(NOWHERE) as u8),
            factors: bytes32(&|byte| factor(byte / 2).to_le_bytes()[byte % 2]),
            lane: lane as u32,
        }
    }

    /// The cells, in the lower bytes of numbers of 16 bits, with other bits above them.
    #[inline(always)]
    fn found<V: Register>(&self, lanes: &LanesToRead) -> V {
        V::new(read(lanes, self.lane)).shuffled(V::new(self.places)).shifted_16(V::new(self.factors))
    }
}

impl LanesOfBytes {
    /// The lanes of words of more than 64 bits, which are integers or arrays. A cell has at most four bits.
    pub fn new(layout: &Layout, is_array: bool) -> Self {
        let (bits, cells) = (layout.bits, (0..layout.cells()).collect::<Vec<_>>());
        let per_lane = (u64::BITS / bits) as usize;
        let (upper, lower) = cells.split_at(cells.len().saturating_sub(per_lane));
        let cut = lower.len() as u32 * bits;
        let lanes: Vec<(&[usize], u32)> = if is_array {
            cells.chunks(per_lane).map(|own| (own, 0)).collect()
        } else {
            vec![(upper, cut), (lower, 0)]
        };
        let (each, groups) = (per_lane.min(cells.len()).div_ceil(8), lanes.len().div_ceil(4));
        let (mut vectors, mut of_bytes) = (Vec::new(), vec![None; 32 * groups * each]);
        for (group, at) in (0..groups).flat_map(|group| (0..each).map(move |at| (group, at))) {
            let (mut vector, first) = (CellsOfLanes::default(), 32 * vectors.len());
            vector.is_last = at + 1 == each;
            for (number, (own, lowest)) in lanes.iter().skip(4 * group).take(4).enumerate() {
                let Some(eight) = own.chunks(8).nth(at) else { continue };
                vector.up[number] = u64::from(layout.slots[eight[eight.len() - 1]].shift - lowest);
                vector.mask[number] = u64::MAX >> (u64::BITS - eight.len() as u32 * bits);
                for (byte, &cell) in eight.iter().rev().enumerate() {
                    of_bytes[first + number * 8 + byte] = Some(cell);
                }
            }
            vectors.push(vector);
        }
        // The lane of each cell, and its lowest bit there.
        let homes: Vec<(usize, usize)> = lanes
            .iter()
            .enumerate()
            .flat_map(|(lane, (own, lowest))| {
                own.iter().map(move |&cell| (lane, (layout.slots[cell].shift - lowest) as usize))
            })
            .collect();
        let joining = Joining {
            neighbours: [(1 | 1 << (8 + bits)) * 0x0001_0001_0001_0001; 4],
            pairs: [(1 | 1 << (16 + 2 * bits)) * 0x0000_0001_0000_0001; 4],
            fours: [u64::from(32 - 4 * bits); 4],
        };
        let unpackings =
            (0..cells.len().div_ceil(32)).map(|at| Unpacking([0, 1].map(|half| SixteenCells::new(&homes, at, half))));
        let mask = [((1 << bits) - 1) * 0x0101_0101_0101_0101; 4];
        Self { joining, mask, unpackings: unpackings.collect(), cut, vectors, cells: of_bytes }
    }

    /// The cell of a byte of the vectors, if it has one.
    pub fn cell(&self, byte: usize) -> Option<usize> {
        self.cells[byte]
    }

    /// The two lanes of an integer.
    #[inline(always)]
    pub fn two<W: Word>(&self, word: W) -> [u64; 2] {
        let part = |shift, mask| word.bits(Slot { limb: 0, shift }, mask);
        [part(self.cut, u64::MAX), part(0, u64::MAX >> (u64::BITS - self.cut))]
    }

    /// The word with the given lanes.
    #[inline(always)]
    pub fn word<W: Word>(&self, lanes: &WordLanes) -> W {
        W::of_lanes(self.cut, lanes)
    }

    /// The packed cells of a vector, at their places in four lanes. What the vector has beside these cells does not
    /// matter.
    #[inline(always)]
    pub fn packed<V: Register>(&self, CellsOfLanes { up, mask, .. }: &CellsOfLanes, bytes: V) -> V {
        let Joining { neighbours, pairs, fours } = &self.joining;
        let bits = bytes.paired_8(V::new(*neighbours)).paired_16(V::new(*pairs));
        // The lower fours have at most 16 bits, which are lost where the upper ones are shifted down by 16 or more.
        bits.or(bits.down(V::new(*fours))).and(V::new(*mask)).up(V::new(*up))
    }

    /// 32 cells in order, one byte for each.
    #[inline(always)]
    pub fn unpacked<V: Register>(&self, Unpacking([one, other]): &Unpacking, lanes: &LanesToRead) -> V {
        one.found::<V>(lanes).narrowed(other.found(lanes)).crossed().and(V::new(self.mask))
    }
}
