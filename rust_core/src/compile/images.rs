//! Images of a state under the symmetry group, by table, and its canonical form: the smallest of them.
//!
//! All images of a state are computed together, side by side in lanes, so that one vector instruction serves several.

use super::layout::Layout;
use super::word::{Slot, Word};
use crate::rules::{Rules, Symmetry};

/// How many symmetries are handled together.
pub const LANES: usize = 8;

/// The images of one state (or of one flip of bits) under [`LANES`] symmetries.
pub type Lanes<W> = [W; LANES];

/// How many bits one table look-up covers, the fastest choice first. With 8, the tables of a small board stay in the
/// first-level cache. Many symmetries need fewer. 0 stands for one cell.
const CHUNK_BITS: [u32; 3] = [8, 4, 0];

/// A larger chunk is chosen only if its tables take at most this many bytes.
const TABLE_BYTES: usize = 16 << 20;

/// The most bytes that tables may take. With more, they do not [`Images::fit`].
const MOST_TABLE_BYTES: usize = 1 << 30;

/// A run of neighbouring cells that is looked up at once.
#[derive(Debug, Clone)]
struct Chunk {
    slot: Slot,
    mask: u64,
    /// Where its rows begin. A row is all blocks of lanes, one after another.
    first: usize,
}

/// Tables that give the images of a state under a list of symmetries.
#[derive(Debug, Clone)]
pub struct Images<W> {
    /// How many symmetries there are.
    pub order: usize,
    /// How many blocks of lanes hold them. The last is filled up with the first symmetry.
    pub blocks: usize,
    /// Whether the identity is the only symmetry.
    pub trivial: bool,
    chunks: Vec<Chunk>,
    rows: Vec<Lanes<W>>,
    symmetries: Vec<Symmetry>,
}

impl<W: Word> Images<W> {
    /// How many cells one look-up should cover; `None` if the tables are too large even with one cell.
    fn chunk_cells(layout: &Layout, order: usize) -> Option<usize> {
        let sizes = CHUNK_BITS.map(|bits| {
            let cells = (bits / layout.bits).max(1) as usize;
            let rows = layout.cells().div_ceil(cells) << (cells as u32 * layout.bits);
            (cells, rows.saturating_mul(order.div_ceil(LANES) * size_of::<Lanes<W>>()))
        });
        let small = sizes.iter().find(|&&(_, bytes)| bytes <= TABLE_BYTES);
        let (cells, bytes) = *small.unwrap_or(&sizes[2]);
        (bytes <= MOST_TABLE_BYTES).then_some(cells)
    }

    /// Whether the tables for `order` symmetries can be held.
    pub fn fit(layout: &Layout, order: usize) -> bool {
        Self::chunk_cells(layout, order).is_some()
    }

    /// Builds the tables for at least one symmetry.
    ///
    /// # Panics
    ///
    /// If they do not [`Self::fit`].
    pub fn new(rules: &Rules, layout: &Layout, symmetries: &[Symmetry]) -> Self {
        let order = symmetries.len();
        let trivial = *symmetries == [Symmetry::identity(layout.cells(), rules.symbols.len())];
        let mut images = Self {
            order,
            blocks: order.div_ceil(LANES),
            trivial,
            chunks: Vec::new(),
            rows: Vec::new(),
            symmetries: symmetries.to_vec(),
        };
        if !trivial {
            let cells = Self::chunk_cells(layout, order).expect("the tables fit, which was checked before");
            let mut cell = 0;
            while cell < layout.cells() {
                cell = images.add_chunk(rules, layout, cell, cells);
            }
        }
        images
    }

    /// Adds the chunk that begins at a cell, and returns the first cell after it.
    fn add_chunk(&mut self, rules: &Rules, layout: &Layout, begin: usize, most: usize) -> usize {
        let limb = layout.slots[begin].limb;
        let end =
            (begin..layout.cells()).take(most).take_while(|&cell| layout.slots[cell].limb == limb).count() + begin;
        let slot = layout.slots[end - 1];
        let first = self.rows.len();
        let codes = 1u64 << (layout.bits * (end - begin) as u32);
        for code in 0..codes {
            for block in 0..self.blocks {
                self.rows.push(std::array::from_fn(|lane| {
                    let symmetry = self.symmetry(block, lane);
                    (begin..end).fold(W::ZERO, |word, cell| {
                        let symbol = (code >> (layout.slots[cell].shift - slot.shift) & layout.mask) as usize;
                        // Codes that are no symbol never occur; any image will do.
                        let image = if symbol < rules.symbols.len() { symmetry.symbols[symbol] } else { 0 };
                        word.or(layout.field(symmetry.cells[cell], image))
                    })
                }));
            }
        }
        self.chunks.push(Chunk { slot, mask: codes - 1, first });
        end
    }

    /// The symmetry in a lane of a block.
    pub fn symmetry(&self, block: usize, lane: usize) -> &Symmetry {
        self.symmetries.get(block * LANES + lane).unwrap_or(&self.symmetries[0])
    }

    /// One block of images of a state.
    #[inline(always)]
    pub fn block(&self, word: W, block: usize) -> Lanes<W> {
        let mut lanes = [W::ZERO; LANES];
        for chunk in &self.chunks {
            let row = &self.rows[chunk.first + word.bits(chunk.slot, chunk.mask) as usize * self.blocks + block];
            for lane in 0..LANES {
                lanes[lane] = lanes[lane].or(row[lane]);
            }
        }
        lanes
    }

    /// The canonical form: the smallest image.
    #[inline(always)]
    pub fn smallest(&self, word: W) -> W {
        if self.trivial {
            return word;
        }
        let mut least = self.block(word, 0);
        for block in 1..self.blocks {
            let lanes = self.block(word, block);
            least = std::array::from_fn(|lane| least[lane].min(lanes[lane]));
        }
        smallest_lane(least)
    }

    /// How many different images a state has. The symmetries must be a group with the identity first.
    #[inline(always)]
    pub fn orbit_size(&self, word: W) -> u64 {
        if self.trivial {
            return 1;
        }
        let mut fixed = 0;
        for block in 0..self.blocks {
            for image in self.block(word, block) {
                fixed += usize::from(image == word);
            }
        }
        // The lanes that fill up the last block hold the identity, which fixes every state.
        let stabiliser = fixed - (self.blocks * LANES - self.order);
        (self.order / stabiliser) as u64
    }
}

/// The smallest of the lanes.
#[inline(always)]
pub fn smallest_lane<W: Word>(lanes: Lanes<W>) -> W {
    let four: [W; 4] = std::array::from_fn(|i| lanes[i].min(lanes[i + 4]));
    let two: [W; 2] = std::array::from_fn(|i| four[i].min(four[i + 2]));
    two[0].min(two[1])
}
