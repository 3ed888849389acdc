//! The tables of images: how large they are, and what is in each row.

use std::ops::Range;

use super::{FEW_LANES, GROUP, Images, LANE_BITS, LANE_MASK, Lanes};
use crate::compile::by_cells::ByCells;
use crate::compile::carried_cells::CarriedCells;
use crate::compile::layout::Layout;
use crate::compile::many_images::{ManyImages, SortedSymmetries};
use crate::compile::prefixes::{Chunk, LANES, Prefixes};
use crate::compile::shuffled_images::ShuffledImages;
use crate::compile::word::{Slot, Word};
use crate::rules::{Move, Rules, Symmetry};

/// The number of bits of a chunk, the fastest choice first; 0 means one cell. With 8 bits, the tables of a small board
/// fit the first-level cache. With many symmetries, a row is longer, and only smaller chunks fit.
const CHUNK_BITS: [u32; 3] = [8, 4, 0];

/// A choice of [`CHUNK_BITS`] but the last is taken only if its tables take at most this many bytes. If there are many
/// symmetries, and even tables for chunks of one cell take more, each look-up would wait for memory. Then there are no
/// tables, and images are compared [cell by cell](ByCells) or, in wide words, by [shuffles](ShuffledImages).
const TABLE_BYTES: usize = 16 << 20;

/// The work of reading and comparing one symbol, in the unit of [`ShuffledImages::work`].
const READ: usize = 7;

/// The most bytes that tables may take at all; see [`Images::fit`].
const MOST_TABLE_BYTES: usize = 1 << 30;

/// The size of the tables of images, and the size of the chunks on which it depends.
struct TableSize {
    /// The number of cells of each chunk.
    cells: usize,
    bytes: usize,
}

impl<W: Word> Images<W> {
    /// The size of the tables for `order` symmetries. `None` if they are too large even with chunks of one cell.
    fn table_size(layout: &Layout, order: usize) -> Option<TableSize> {
        let sizes = CHUNK_BITS.map(|bits| {
            let cells = (bits / layout.bits).max(1) as usize;
            let rows = layout.cells().div_ceil(cells) << (cells as u32 * layout.bits);
            let row = Self::lanes_for(order) * size_of::<W>() + order.div_ceil(LANES) * size_of::<Prefixes>();
            (cells, rows.saturating_mul(row))
        });
        let small = sizes.iter().find(|&&(_, bytes)| bytes <= TABLE_BYTES);
        let (cells, bytes) = *small.unwrap_or(&sizes[2]);
        (bytes <= MOST_TABLE_BYTES).then_some(TableSize { cells, bytes })
    }

    /// The number of lanes of a row for `order` symmetries.
    fn lanes_for(order: usize) -> usize {
        // In wider words, prefixes are made from whole blocks. In narrower ones, eight lanes take no more of the cache.
        let few = if W::BYTES == 8 { FEW_LANES } else { 2 };
        if (2..=few).contains(&order) { order.next_power_of_two() } else { order.next_multiple_of(LANES) }
    }

    /// Returns `true` if the tables for `order` symmetries take no more than [`MOST_TABLE_BYTES`].
    pub fn fit(layout: &Layout, order: usize) -> bool {
        Self::table_size(layout, order).is_some()
    }

    /// Builds the tables for a list of at least one symmetry. `samples` returns some states of play, by which the way
    /// to the smallest image is chosen. That way decides only the speed.
    ///
    /// # Panics
    ///
    /// If the tables do not [`Self::fit`].
    pub fn new(rules: &Rules, layout: &Layout, symmetries: &[Symmetry], samples: &dyn Fn() -> Vec<W>) -> Self {
        let order = symmetries.len();
        let is_identity = |symmetry: &Symmetry| {
            let identity = Symmetry::identity(symmetry.cells.len(), rules.symbols.len());
            (&symmetry.cells, &symmetry.symbols) == (&identity.cells, &identity.symbols)
        };
        let with_identity = symmetries.first().is_some_and(is_identity);
        let trivial = with_identity && order == 1;
        let mut images = Self {
            order,
            blocks: order.div_ceil(LANES),
            trivial,
            ranked: layout.cells() as u32 * layout.bits <= W::RANK_BITS,
            with_identity,
            chunks: Vec::new(),
            lanes: Self::lanes_for(order),
            rows: Vec::new(),
            prefixes: Vec::new(),
            many: None,
            shuffled: None,
            carried: None,
            by_cells: None,
            symmetries: symmetries.to_vec(),
        };
        if !trivial {
            let size = Self::table_size(layout, order).expect("the tables fit, which was checked before");
            let is_many = images.blocks > GROUP;
            if is_many {
                images.by_cells = ByCells::of_symbols(symmetries, layout, rules.symbols.len());
                if images.by_cells.is_some() {
                    return images;
                }
            }
            let chunks = chunks_of_cells(layout, size.cells);
            if is_many {
                images.shuffled =
                    if W::BYTES > 8 { ShuffledImages::new(symmetries, layout, W::LIMBS > 1) } else { None };
                if W::BYTES > 8 || size.bytes > TABLE_BYTES {
                    let by_cells = ByCells::of_cells(symmetries, layout, rules.symbols.len());
                    let states = by_cells.unpacked(&samples());
                    let is_slower = |shuffled: &ShuffledImages| {
                        let tried = by_cells.tried(&states);
                        tried.is_some_and(|tried| tried.work * READ < shuffled.work(tried.count as usize, states.len()))
                    };
                    if images.shuffled.as_ref().is_none_or(is_slower) {
                        images.shuffled = None;
                        images.by_cells = Some(by_cells.remembering(&states));
                        return images;
                    }
                    // Wide images are made from rows only if a move flips known bits in them. A move that copies a cell
                    // to another one does not.
                    if size.bytes > TABLE_BYTES || rules.moves.iter().all(Move::copies_cells) {
                        return images;
                    }
                } else {
                    let sorted = SortedSymmetries::new(&images.symmetries, layout, &chunks);
                    let many = ManyImages::new(&sorted, layout, &chunks, &|cells| chunk_of_cells::<W>(layout, cells));
                    (images.many, images.symmetries) = (Some(many), sorted.symmetries);
                }
            }
            for cells in &chunks {
                images.add_chunk(rules, layout, cells);
            }
            if is_many {
                return images;
            }
            if order == 2 {
                images.carried = CarriedCells::of_symmetry(&symmetries[1], layout);
            }
            // Eight whole images of up to 64 bits are compared at once, without prefixes. Two symmetries need no
            // prefixes either: the first is nearly always the identity, so only one image has to be computed.
            if images.blocks > 1 || (W::BYTES > 8 && order > 2) {
                let blocks = images.rows.as_chunks::<LANES>().0.iter().enumerate();
                images.prefixes = blocks.map(|(at, lanes)| images.prefix(layout, at, lanes)).collect();
            }
        }
        images
    }

    /// Adds a chunk (some neighbouring cells), and a row for each number that the bits of these cells can make.
    fn add_chunk(&mut self, rules: &Rules, layout: &Layout, cells: &Range<usize>) {
        let chunk = Chunk { first: self.rows.len() / self.lanes, ..chunk_of_cells::<W>(layout, cells) };
        for code in 0..=chunk.mask {
            for lane in 0..self.lanes {
                self.rows.push(self.part(rules, layout, cells, code, lane));
            }
        }
        self.chunks.push(chunk);
    }

    /// The bits that a chunk (neighbouring cells of the state) adds to the image in one lane, if the bits of the chunk
    /// are `code`.
    fn part(&self, rules: &Rules, layout: &Layout, cells: &Range<usize>, code: u64, lane: usize) -> W {
        let (last, symmetry) = (layout.slots[cells.end - 1], self.symmetry(0, lane));
        cells.clone().fold(W::ZERO, |word, cell| {
            let symbol = (code >> (layout.slots[cell].shift - last.shift) & layout.mask) as usize;
            // A code beyond the last symbol never occurs in a word, so it does not matter what its image is.
            let image = if symbol < rules.symbols.len() { symmetry.symbols[symbol] } else { 0 };
            word.or(layout.field(symmetry.cells[cell], image))
        })
    }

    /// The prefixes in one block of a row. `at` is the number of the block among those of all rows.
    fn prefix(&self, layout: &Layout, at: usize, row: &Lanes<W>) -> Prefixes {
        let (block, bits) = (at % self.blocks, u32::BITS - LANE_BITS);
        // Of all cells in a limb, the first one has the highest bits.
        let top = layout.slots[0].shift + layout.bits;
        let slot = Slot { limb: layout.slots[0].limb, shift: top.saturating_sub(bits) };
        std::array::from_fn(|lane| {
            if block * LANES + lane >= self.order {
                return u32::MAX; // a lane that only fills up the block is never the smallest
            }
            let first = row[lane].bits(slot, (1 << bits) - 1) as u32;
            first << LANE_BITS | (block * LANES + lane) as u32
        })
    }

    /// The bits that flip in the prefixes if the bits `flips` flip in the images.
    pub fn prefix_flips(&self, layout: &Layout, flips: &Lanes<W>) -> Prefixes {
        let prefixes = self.prefix(layout, 0, flips);
        std::array::from_fn(|lane| if lane < self.order { prefixes[lane] & !LANE_MASK } else { 0 })
    }

    /// The numbers of the chunks that hold the given cells. `None` if looking up all chunks is cheaper than
    /// [exchanging](Self::exchanged) what these chunks add to the prefixes.
    pub fn chunks_of(&self, layout: &Layout, cells: impl Iterator<Item = usize>) -> Option<Box<[usize]>> {
        few_chunks(cells.map(|cell| self.chunk_of(layout, cell)).collect(), self.chunks.len())
    }

    /// The number of the chunk that holds a cell.
    fn chunk_of(&self, layout: &Layout, cell: usize) -> usize {
        let views = layout.cell_mask::<W>(cell).views();
        let holds = |chunk: &Chunk| chunk.code(views.as_ref()) != 0;
        self.chunks.iter().position(holds).expect("every cell is in a chunk")
    }
}

/// The cells of each chunk, at most `most` to a chunk. All cells of a chunk are in one limb.
fn chunks_of_cells(layout: &Layout, most: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut begin = 0;
    while begin < layout.cells() {
        let limb = layout.slots[begin].limb;
        let here = (begin..layout.cells()).take(most).take_while(|&cell| layout.slots[cell].limb == limb).count();
        chunks.push(begin..begin + here);
        begin += here;
    }
    chunks
}

/// The given numbers of chunks in order, each once, if they are few of `all` chunks.
fn few_chunks(mut held: Vec<usize>, all: usize) -> Option<Box<[usize]>> {
    held.sort_unstable();
    held.dedup();
    // An exchange looks up two rows for each of these chunks. Without it, one row is looked up for every chunk.
    (2 * held.len() < all).then(|| held.into())
}

/// The chunk of some neighbouring cells: where its bits are in a word.
fn chunk_of_cells<W: Word>(layout: &Layout, cells: &Range<usize>) -> Chunk {
    let mask = (1 << (layout.bits * cells.len() as u32)) - 1;
    let (view, shift) = W::view(layout.slots[cells.end - 1], layout.bits * cells.len() as u32);
    Chunk { view, shift, mask, first: 0 }
}
