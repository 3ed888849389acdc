//! Words of more than 64 bits as bytes, one for each cell, and back.
//!
//! A word is cut into *lanes* of at most 64 bits, each with whole cells: the limbs of an array, or two parts of an
//! integer of 128 bits. Four lanes are packed and unpacked at once, in the four integers of a vector. A vector of bytes
//! has the first eight cells of each of the four lanes, the next one the second eight cells, and so on.
//!
//! For example, let lanes have up to four cells, and let two lanes be packed at once, two cells of each. The state
//! `abc/def` has the lanes `abc` and `def`. The first vector has `ab` and `de`, and the second one `c` and `f`.

use super::cpu::Register;
use super::layout::{CellUnpacker, Layout};
use super::shuffles::Bytes32;
use super::word::{Slot, Word, WordLanes};

/// The most eights of the vectors of a word. It is a power of two, see [`super::shuffles::read`]. Of 256
/// cells, 13 limbs have 21 cells each of three bits, and 16 lanes have 48 eights.
pub const MOST_LANE_EIGHTS: usize = 64;

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

/// A step of [`CellUnpacker`], for four integers at once.
#[derive(Debug, Clone, Copy)]
struct UnpackingStep {
    shift: Bytes32,
    stay: Bytes32,
    moved: Bytes32,
}

/// How words are cut into lanes, and lanes into vectors of bytes.
#[derive(Debug, Clone)]
pub struct LanesOfBytes {
    steps: [UnpackingStep; 3],
    joining: Joining,
    /// The number of bits of the lower lane of an integer.
    cut: u32,
    /// The vectors of all groups of four lanes.
    pub vectors: Vec<CellsOfLanes>,
    /// The cell of each byte of the vectors, if it has one.
    cells: Vec<Option<usize>>,
}

impl LanesOfBytes {
    /// The lanes of words of more than 64 bits, which are integers or arrays.
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
        assert!(4 * groups * each <= MOST_LANE_EIGHTS, "states of 256 cells have at most 48 eights");
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
        let CellUnpacker { shifts, stay, moved } = layout.spread;
        let steps = std::array::from_fn(|step| UnpackingStep {
            shift: [u64::from(shifts[step]); 4],
            stay: [stay[step]; 4],
            moved: [moved[step]; 4],
        });
        let joining = Joining {
            neighbours: [(1 | 1 << (8 + bits)) * 0x0001_0001_0001_0001; 4],
            pairs: [(1 | 1 << (16 + 2 * bits)) * 0x0000_0001_0000_0001; 4],
            fours: [u64::from(32 - 4 * bits); 4],
        };
        Self { steps, joining, cut, vectors, cells: of_bytes }
    }

    /// The cell of a byte of the vectors, if it has one.
    pub fn cell(&self, byte: usize) -> Option<usize> {
        self.cells[byte]
    }

    /// The byte of a cell, if there is such a cell.
    pub fn byte(&self, cell: usize) -> Option<usize> {
        self.cells.iter().position(|&of| of == Some(cell))
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

    /// The cells of a vector, one byte for each, from four lanes.
    #[inline(always)]
    pub fn unpacked<V: Register>(&self, CellsOfLanes { up, mask, .. }: &CellsOfLanes, lanes: V) -> V {
        let mut bytes = lanes.down(V::new(*up)).and(V::new(*mask));
        for UnpackingStep { shift, stay, moved } in &self.steps {
            bytes = bytes.and(V::new(*stay)).or(bytes.up(V::new(*shift)).and(V::new(*moved)));
        }
        bytes
    }
}
