//! Tables that give the images of a state under a list of symmetries, and the canonical form, which is the smallest
//! image.
//!
//! The theory is in `docs/enumeration.md`, "How it works".
//!
//! Eight symmetries are a block, and their images are computed side by side in the eight lanes of a vector. A *chunk*
//! is a run of neighbouring cells of the word, and the bits that it holds are its *code*. For each chunk and each code,
//! a table has a *row*: what the chunk adds to each image. An image is the bitwise or of one row entry for each chunk.
//!
//! With many symmetries, or wide words, all lanes are mostly computed only for the *prefixes*, the first bits of the
//! images.
//! The smallest prefix nearly always belongs to one image alone, and only this image is computed to its end. For
//! example, take the state `ba/cd` of four cells and the four rotations of the square. The prefixes of two cells are
//! `ba`, `cb`, `dc` and `ad`. The smallest is `ad`, so the canonical form begins with it.
//!
//! Many symmetries may have no tables, because [`ByCells`] finds the smallest image faster: those that differ only in
//! how they rename symbols, those whose tables would not fit the cache, and, in wide words, those of which a few cells
//! tell the smallest image. In wide words, the images under others are [shuffles](ShuffledImages) of bytes. The image
//! under the second of two symmetries may be made by [masks and shifts](CarriedCells).

use std::ops::Range;

use super::by_cells::ByCells;
use super::carried_cells::CarriedCells;
use super::layout::Layout;
use super::many_images::{ManyImages, SortedSymmetries};
use super::prefixes::{Chunk, LANES, Prefixes, flipped, smallest_lane, smallest_of_lanes};
use super::shuffled_images::ShuffledImages;
use super::word::{Slot, Word};
use crate::rules::{Move, Rules, Symmetry};

/// The images of one state under the [`LANES`] symmetries of a block; or the bits that a move flips in these images.
pub type Lanes<W> = [W; LANES];

/// The number of lanes of a row for words of 64 bits, if they are enough for all symmetries.
pub const FEW_LANES: usize = LANES / 2;

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

/// The most blocks whose prefixes are compared together. If there are more blocks, [`ManyImages`] has the prefixes or,
/// in wide words, [`ShuffledImages`].
const GROUP: usize = 3;

/// The number of bits that hold the number of a lane among those of [`GROUP`] blocks. They are the last bits of a
/// prefix, so the smallest prefix says to which symmetry it belongs.
const LANE_BITS: u32 = (GROUP * LANES).next_power_of_two().ilog2();

/// A mask of the bits of a prefix that hold the number of its lane.
const LANE_MASK: u32 = (1 << LANE_BITS) - 1;

/// Finds the images of a state under a list of symmetries, and the smallest of them.
#[derive(Debug, Clone)]
pub struct Images<W> {
    /// The number of symmetries.
    pub order: usize,
    /// The number of blocks of eight lanes, one for each symmetry. If the last block has more lanes than there are
    /// symmetries left, the remaining lanes have the first symmetry again.
    pub blocks: usize,
    /// `true` if the identity is the only symmetry.
    pub trivial: bool,
    /// `true` if the [ranks](super::ranks::Ranked) of images compare as the images do.
    pub ranked: bool,
    /// `true` if the identity is the first symmetry. The list of the symmetries that exchange the players lacks it.
    with_identity: bool,
    /// The chunks into which the bits of a word are divided.
    chunks: Vec<Chunk>,
    /// The number of lanes of a row, [`LANES`] for each block. Rows are shorter for two symmetries, and in words of 64
    /// bits for three or four: 2 lanes, or [`FEW_LANES`]. So the tables fill less of the cache.
    pub lanes: usize,
    /// The rows of all chunks, one after another. The row of one code of a chunk has what the chunk adds to the image
    /// in each lane. The list is empty if nothing needs whole images.
    rows: Vec<W>,
    /// The prefixes in each row. The list is empty if whole images are compared, or if [`Self::many`] or
    /// [`Self::shuffled`] has the prefixes.
    prefixes: Vec<Prefixes>,
    /// Finds the smallest image, if there are more than [`GROUP`] blocks, and words have at most 64 bits.
    many: Option<ManyImages>,
    /// Finds the smallest image by shuffles of bytes, if there are more than [`GROUP`] blocks and words are wide.
    shuffled: Option<ShuffledImages>,
    /// The cells by the distance over which the second of two symmetries carries them, if there are few distances.
    carried: Option<CarriedCells<W>>,
    /// Finds the smallest image cell by cell; `None` if tables or shuffles are used.
    by_cells: Option<ByCells>,
    symmetries: Vec<Symmetry>,
}

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

    /// Returns `true` if a row has [`FEW_LANES`] lanes.
    #[inline(always)]
    pub fn has_few_lanes(&self) -> bool {
        W::BYTES == 8 && self.lanes == FEW_LANES
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

    /// The symmetry in a lane of a block. Lanes without a symmetry of their own have the first symmetry.
    pub fn symmetry(&self, block: usize, lane: usize) -> &Symmetry {
        self.symmetries.get(block * LANES + lane).unwrap_or(&self.symmetries[0])
    }

    /// The images of a state under the symmetries of the only block, which are not two; see [`Self::pair`].
    #[inline(always)]
    pub fn block(&self, word: W) -> Lanes<W> {
        debug_assert!(self.order != 2, "the rows have two lanes");
        if self.has_few_lanes() {
            let [a, b, c, d] = self.all_lanes(word);
            return [a, b, c, d, a, a, a, a];
        }
        self.all_lanes(word)
    }

    /// The images of a state in all lanes of a row, of which there are `COUNT`. The loops here are written without
    /// iterators: only inlined code is compiled for the instruction set of the processor, and closures of iterators
    /// often are not inlined.
    #[inline(always)]
    pub fn all_lanes<const COUNT: usize>(&self, word: W) -> [W; COUNT] {
        let (mut lanes, views) = ([W::ZERO; COUNT], word.views());
        if COUNT == 2 {
            [lanes[0], lanes[COUNT - 1]] = self.pair(word);
            return lanes;
        }
        debug_assert_eq!(self.lanes, COUNT);
        let rows = self.rows.as_chunks::<COUNT>().0;
        for chunk in &self.chunks {
            let row = &rows[chunk.row(views.as_ref())];
            for lane in 0..COUNT {
                lanes[lane] = lanes[lane].or(row[lane]);
            }
        }
        lanes
    }

    /// The number of images equal to the state itself, among those in all lanes.
    #[inline(always)]
    fn own_images<const COUNT: usize>(&self, word: W) -> usize {
        let mut count = 0;
        for image in self.all_lanes::<COUNT>(word) {
            count += usize::from(image.same(word));
        }
        count
    }

    /// Writes the images of a state in all blocks.
    #[inline(always)]
    pub fn write_blocks(&self, word: W, blocks: &mut [Lanes<W>]) {
        let (views, count) = (word.views(), self.blocks);
        debug_assert_eq!(self.lanes, count * LANES, "a row has whole blocks");
        let blocks = &mut blocks[..count];
        for (number, chunk) in self.chunks.iter().enumerate() {
            // The lanes of all blocks are neighbours.
            let row = self.rows[chunk.row(views.as_ref()) * self.lanes..][..self.lanes].as_chunks::<LANES>().0;
            if number == 0 {
                blocks.copy_from_slice(row);
                continue;
            }
            for block in 0..count {
                for lane in 0..LANES {
                    blocks[block][lane] = blocks[block][lane].or(row[block][lane]);
                }
            }
        }
    }

    /// The smallest of the images in a block.
    #[inline(always)]
    pub fn smallest_of_block(&self, lanes: Lanes<W>) -> W {
        // The last half of the lanes has nothing new if there are few symmetries.
        if self.has_few_lanes() {
            let [a, b, c, d, ..] = lanes;
            return self.smallest_of_images([a, b, c, d]);
        }
        self.smallest_of_images(lanes)
    }

    /// The smallest of 2, 4 or 8 images.
    #[inline(always)]
    pub fn smallest_of_images<const COUNT: usize>(&self, images: [W; COUNT]) -> W {
        // Two integers are compared as they are.
        if W::RANK_BITS > 0 && self.ranked && COUNT > 2 {
            return W::of_rank(smallest_lane(ranks(images)));
        }
        smallest_lane(images)
    }

    /// The smallest image of a state, from the images of another state, which lie in several blocks. In each lane, the
    /// bits in `flips` differ.
    #[inline(always)]
    pub fn smallest_of_flipped(&self, images: &[Lanes<W>], flips: &[Lanes<W>]) -> W {
        if W::RANK_BITS > 0 && self.ranked {
            return W::of_rank(smallest_of_lanes(
                images.len().min(flips.len()),
                #[inline(always)]
                |at| ranks(flipped(&images[at], &flips[at], W::xor)),
            ));
        }
        smallest_of_lanes(
            images.len().min(flips.len()),
            #[inline(always)]
            |at| flipped(&images[at], &flips[at], W::xor),
        )
    }

    /// The images of a state under two symmetries. It is inlined; see [`Self::pair_called`].
    #[inline(always)]
    pub fn pair(&self, word: W) -> [W; 2] {
        let image = match &self.carried {
            Some(carried) if W::BYTES <= 8 => carried.image(word),
            _ => self.image(word, 1),
        };
        [self.first_image(word), image]
    }

    /// Does the same as [`Self::pair`], but is compiled once and called.
    #[inline(never)]
    pub fn pair_called(&self, word: W) -> [W; 2] {
        self.pair(word)
    }

    /// The image of a state under one symmetry, given by its number.
    #[inline(always)]
    fn image(&self, word: W, symmetry: usize) -> W {
        let (mut image, views) = (W::ZERO, word.views());
        for chunk in &self.chunks {
            image = image.or(self.rows[chunk.row(views.as_ref()) * self.lanes + symmetry]);
        }
        image
    }

    /// Does the same as [`Self::image`], for [`ManyImages`]. The image under the identity is not looked up.
    #[inline(never)]
    fn image_of_many(&self, word: W, symmetry: usize) -> W {
        if symmetry == 0 { self.first_image(word) } else { self.image(word, symmetry) }
    }

    /// The image of a state under the first symmetry, which nearly always is the state itself.
    #[inline(always)]
    fn first_image(&self, word: W) -> W {
        if self.with_identity { word } else { self.image(word, 0) }
    }

    /// The prefixes of the images of a state in `BLOCKS` blocks, from the block with the number `block` on.
    #[inline(always)]
    fn group<const BLOCKS: usize>(&self, word: W, block: usize) -> [Prefixes; BLOCKS] {
        let (mut prefixes, views) = ([[0; LANES]; BLOCKS], word.views());
        for chunk in &self.chunks {
            let rows = &self.prefixes[chunk.row(views.as_ref()) * self.blocks + block..][..BLOCKS];
            for at in 0..BLOCKS {
                for lane in 0..LANES {
                    prefixes[at][lane] |= rows[at][lane];
                }
            }
        }
        // `black_box` keeps the prefixes together in memory. Without it, the compiler spreads them over registers in an
        // order that takes twice the time.
        std::hint::black_box(prefixes)
    }

    /// The shuffles that find the smallest image; `None` if it is found in another way. Words of up to 64 bits never
    /// have them, so their code is left out.
    #[inline(always)]
    pub fn shuffled(&self) -> Option<&ShuffledImages> {
        self.shuffled.as_ref().filter(|_| W::BYTES > 8)
    }

    /// Returns `true` if tables give whole images.
    pub fn has_tables(&self) -> bool {
        !self.rows.is_empty()
    }

    /// Returns `true` if there is one block, and it has a table of prefixes.
    #[inline(always)]
    pub fn has_prefix_block(&self) -> bool {
        // Words of up to 64 bits never have one, so their code is left out.
        W::BYTES > 8 && self.blocks == 1 && !self.prefixes.is_empty()
    }

    /// The prefixes of the images of a state. There must be [one block](Self::has_prefix_block) of them.
    #[inline(always)]
    pub fn prefix_block(&self, word: W) -> Prefixes {
        self.group::<1>(word, 0)[0]
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

    /// The prefixes of the images of a state, made from the prefixes of another state that differs from it only in
    /// cells of the given chunks. `old` has the views of that other state, and `new` those of the state.
    #[inline(always)]
    pub fn exchanged(&self, prefixes: &Prefixes, old: &W::Views, new: &W::Views, chunks: &[usize]) -> Prefixes {
        let mut prefixes = *prefixes;
        for &chunk in chunks {
            let chunk = &self.chunks[chunk];
            let (old, new) = (&self.prefixes[chunk.row(old.as_ref())], &self.prefixes[chunk.row(new.as_ref())]);
            for lane in 0..LANES {
                prefixes[lane] ^= old[lane] ^ new[lane];
            }
        }
        prefixes
    }

    /// The smallest image of a state, whose prefixes in the only block are known.
    #[inline(always)]
    pub fn smallest_by_prefixes(&self, word: W, prefixes: Prefixes) -> W {
        self.smallest_of_prefixes(word, &[prefixes])
    }

    /// The canonical form of a state, which is its smallest image. This function is compiled once and called. A loop
    /// that spends most of its time here calls [`Self::smallest_inlined`] instead.
    #[inline(never)]
    pub fn smallest(&self, word: W) -> W {
        self.smallest_inlined(word)
    }

    /// Does the same as [`Self::smallest`], inlined, so that it is compiled for the instruction set of the caller.
    #[inline(always)]
    pub fn smallest_inlined(&self, word: W) -> W {
        if self.trivial {
            return word;
        }
        if self.order == 2 {
            let [one, other] = self.pair(word);
            return one.min(other);
        }
        if let Some(shuffled) = self.shuffled() {
            return shuffled.smallest(word);
        }
        if let Some(many) = self.many.as_ref().filter(|_| W::BYTES <= 8) {
            return many.smallest(word.views().as_ref(), &|at| self.image_of_many(word, at));
        }
        if let Some(by_cells) = &self.by_cells {
            return by_cells.smallest(word);
        }
        if self.prefixes.is_empty() {
            if self.has_few_lanes() {
                return self.smallest_of_images(self.all_lanes::<FEW_LANES>(word));
            }
            return self.smallest_of_images(self.all_lanes::<LANES>(word));
        }
        match self.blocks {
            1 => self.smallest_of_group::<1>(word),
            2 => self.smallest_of_group::<2>(word),
            _ => self.smallest_of_group::<3>(word),
        }
    }

    /// The smallest image of a state, if there are `BLOCKS` blocks, at most [`GROUP`].
    #[inline(always)]
    fn smallest_of_group<const BLOCKS: usize>(&self, word: W) -> W {
        self.smallest_of_prefixes(word, &self.group::<BLOCKS>(word, 0))
    }

    /// The smallest image of a state, if the prefixes of all its images are known.
    #[inline(always)]
    fn smallest_of_prefixes<const BLOCKS: usize>(&self, word: W, prefixes: &[Prefixes; BLOCKS]) -> W {
        let least = smallest_prefix(
            prefixes,
            #[inline(always)]
            |prefix| prefix,
        );
        let at = (least & LANE_MASK) as usize;
        // A move changes few cells of a canonical form, so it often leads to another canonical form. Then the smallest
        // image is the state itself, and no image is computed.
        let mut smallest = if at == 0 { self.first_image(word) } else { self.image(word, at) };
        // `next` is the distance from the smallest prefix to the second smallest, less one. The smallest prefix itself
        // wraps around to the largest number, so it is not found again. If the two differ only in the number of the
        // lane, two images share their first bits, and all such images are compared as a whole.
        let next = smallest_prefix(
            prefixes,
            #[inline(always)]
            |prefix| prefix.wrapping_sub(least).wrapping_sub(1),
        );
        let most = least | LANE_MASK;
        if next < most - least {
            for &prefix in prefixes.as_flattened() {
                // The prefix of a lane that only fills up the block is the largest number, and not above `most` either
                // if the images begin with ones alone.
                if prefix <= most && prefix != least && prefix != u32::MAX {
                    smallest = smallest.min(self.image(word, (prefix & LANE_MASK) as usize));
                }
            }
        }
        smallest
    }

    /// The number of different images of a state, if the images in all blocks are known; or the first two of them, if
    /// there are [two](Self::pair). The symmetries must be a group with the identity first.
    #[inline(never)]
    pub fn orbit_size_by_images(&self, word: W, images: &[Lanes<W>]) -> u64 {
        if self.order == 2 {
            return 2 - u64::from(images[0][1].same(word));
        }
        debug_assert!(self.has_tables(), "the images were written from tables");
        let mut same = 0;
        for image in images.as_flattened() {
            same += usize::from(image.same(word));
        }
        self.orbit_size_of_lanes(same, self.blocks * LANES)
    }

    /// The number of different images of a state that `same` of the images in `lanes` lanes are equal to. Lanes without
    /// a symmetry of their own have the first one again, which must be the identity.
    #[inline(always)]
    pub fn orbit_size_of_lanes(&self, same: usize, lanes: usize) -> u64 {
        debug_assert!(self.with_identity, "one image is the state itself");
        self.orbit_size_of((same + self.order - lanes) as u64)
    }

    /// The number of different images of a state that so many symmetries leave as it is.
    #[inline(always)]
    pub fn orbit_size_of(&self, fixing: u64) -> u64 {
        // Most states have no symmetry of their own, and a division takes long.
        if fixing == 1 { self.order as u64 } else { self.order as u64 / fixing }
    }

    /// The number of different images of a state, if their prefixes are known, and there is [one
    /// block](Self::has_prefix_block) of them. The symmetries must be a group with the identity first.
    #[inline(never)]
    pub fn orbit_size_by_prefixes(&self, word: W, prefixes: &Prefixes) -> u64 {
        let (mut others, own) = (*prefixes, prefixes[0]);
        others[0] = !own; // the identity is counted without a look
        (self.order / (1 + self.fixing(word, own, 0, &others))) as u64
    }

    /// The number of symmetries of a block that leave a state as it is. The first bits of the images are the prefixes,
    /// and `own` is the prefix of the state itself.
    #[inline(never)]
    fn fixing(&self, word: W, own: u32, block: usize, prefixes: &Prefixes) -> usize {
        // An image that equals the state has the same prefix, and few other images have it.
        let closest = smallest_prefix(
            &[*prefixes],
            #[inline(always)]
            |prefix| (prefix ^ own) & !LANE_MASK,
        );
        let mut fixing = 0;
        if closest == 0 {
            for (lane, &prefix) in prefixes.iter().enumerate() {
                let (at, equal) = (block * LANES + lane, (prefix ^ own) & !LANE_MASK == 0);
                fixing += usize::from(equal && at < self.order && self.image(word, at) == word);
            }
        }
        fixing
    }

    /// The number of different images of a state. The symmetries must be a group with the identity first. This function
    /// is compiled once and called. A loop that spends much of its time here calls [`Self::orbit_size_inlined`]
    /// instead.
    #[inline(never)]
    pub fn orbit_size(&self, word: W) -> u64 {
        self.orbit_size_inlined(word)
    }

    /// The sum of the orbit sizes of some states. `orbit_size` is [`Self::orbit_size`], inlined or called.
    #[inline(always)]
    pub fn orbit_sizes(&self, words: &[W], orbit_size: impl Fn(W) -> u64) -> u64 {
        if let Some(shuffled) = self.shuffled() {
            return self.sum_of_shuffled(shuffled, words);
        }
        let mut sum = 0;
        for &word in words {
            sum += orbit_size(word);
        }
        sum
    }

    /// The sum of the orbit sizes of some states, by shuffles.
    fn sum_of_shuffled(&self, shuffled: &ShuffledImages, words: &[W]) -> u64 {
        let mut sum = 0;
        shuffled.fixing(words, &mut |fixing| {
            sum += fixing.iter().map(|&fixing| self.orbit_size_of(fixing)).sum::<u64>();
        });
        sum
    }

    /// Does the same as [`Self::orbit_size`], inlined, so that it is compiled for the instruction set of the caller.
    #[inline(always)]
    pub fn orbit_size_inlined(&self, word: W) -> u64 {
        if self.trivial {
            return 1;
        }
        if let Some(by_cells) = &self.by_cells {
            return self.orbit_size_of(by_cells.fixing(word));
        }
        if let Some(shuffled) = self.shuffled() {
            return self.sum_of_shuffled(shuffled, &[word]);
        }
        if let Some(many) = self.many.as_ref().filter(|_| W::BYTES <= 8) {
            let is_fixed = |at| self.image_of_many(word, at).same(word);
            return self.orbit_size_of(many.fixing(word.views().as_ref(), &is_fixed));
        }
        // The identity leaves every state as it is.
        let mut fixed = 1;
        if self.order == 2 {
            fixed += usize::from(self.pair_called(word)[1].same(word));
        } else if self.prefixes.is_empty() {
            let few = self.has_few_lanes();
            fixed += if few { self.own_images::<FEW_LANES>(word) } else { self.own_images::<LANES>(word) };
            // The identity was counted in the first lane, and in every lane that has the first symmetry again. But
            // `fixed` counts it already.
            fixed -= 1 + self.lanes - self.order;
        } else {
            // The identity is the first symmetry, so its prefix is the prefix of the state itself.
            let mut own = 0;
            for block in 0..self.blocks {
                let mut prefixes = self.group::<1>(word, block)[0];
                if block == 0 {
                    own = prefixes[0];
                    prefixes[0] = !own; // the identity has been counted
                }
                fixed += self.fixing(word, own, block, &prefixes);
            }
        }
        (self.order / fixed) as u64
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

/// The ranks of words in lanes.
#[inline(always)]
fn ranks<W: Word, const COUNT: usize>(lanes: [W; COUNT]) -> [W::Rank; COUNT] {
    let mut ranks = [W::ZERO.rank(); COUNT];
    for lane in 0..COUNT {
        ranks[lane] = lanes[lane].rank();
    }
    ranks
}

/// Calls `made` for each prefix, and returns the smallest result.
#[inline(always)]
fn smallest_prefix<const BLOCKS: usize>(prefixes: &[Prefixes; BLOCKS], made: impl Fn(u32) -> u32) -> u32 {
    let mut lanes = [u32::MAX; LANES];
    for prefixes in prefixes {
        for lane in 0..LANES {
            lanes[lane] = lanes[lane].min(made(prefixes[lane]));
        }
    }
    smallest_lane(lanes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::rules::{Pattern, RulesData, Source, Symbol};
    use crate::structure::Structure;

    /// Compares canonical forms and orbit sizes with their definitions: by tables, if these fit the cache, and in the
    /// way that is chosen after a look at states of many symbols. Returns for each of the two whether it has tables
    /// (and does not go cell by cell), or `None` if a word has no room for a state.
    fn compare<W: Word>(rules: &Rules, symmetries: &[Symmetry], random: &mut Random) -> Option<[bool; 2]> {
        let layout = Layout::new::<W>(rules)?;
        let (cells, symbols) = (rules.cells(), rules.symbols.len());
        let state = |at: usize| (0..cells).map(|cell| ((cell * cell / 3 + at) % symbols) as Symbol).collect::<Vec<_>>();
        let samples = || (0..5).map(|at| layout.pack::<W>(&state(at))).collect::<Vec<W>>();
        let looks: [&dyn Fn() -> Vec<W>; 2] = [&Vec::new, &samples];
        Some(looks.map(|look| {
            let images = Images::<W>::new(rules, &layout, symmetries, look);
            compare_images(&images, rules, &layout, random);
            images.by_cells.is_none()
        }))
    }

    /// Compares smallest images and orbits of random states with those that single symmetries give. Most of the states
    /// have one or two symbols, so that many of their images share a prefix.
    fn compare_images<W: Word>(images: &Images<W>, rules: &Rules, layout: &Layout, random: &mut Random) {
        let symmetries = &images.symmetries;
        for round in 0..crate::tests::quick_or_long(7, 400) as usize {
            let symbols = [1, 2, rules.symbols.len() as u64][round % 3].min(rules.symbols.len() as u64);
            // In one round, all bits of the cells may be ones.
            let least = if round == 3 { rules.symbols.len() as u64 - 1 } else { 0 };
            let most = symbols.min(rules.symbols.len() as u64 - least);
            let symbol = |random: &mut Random| least + random.below(most);
            let cells: Vec<Symbol> = (0..rules.cells()).map(|_| symbol(random) as Symbol).collect();
            let all: std::collections::BTreeSet<Vec<Symbol>> =
                symmetries.iter().map(|symmetry| symmetry.apply(&cells)).collect();
            let word = layout.pack::<W>(&cells);
            assert_eq!(images.smallest(word), layout.pack(all.first().unwrap()), "{cells:?}");
            if images.order == 2 {
                let pair: Vec<W> = symmetries.iter().map(|symmetry| layout.pack(&symmetry.apply(&cells))).collect();
                assert_eq!(images.pair(word), pair[..], "{cells:?}");
            }
            if images.has_prefix_block() {
                compare_exchanged(images, layout, &cells, symbols, random);
            }
            if symmetries[0].cells.is_sorted() {
                assert_eq!(images.orbit_size(word), all.len() as u64, "{cells:?}");
            }
        }
    }

    /// Compares two ways to the canonical form of a state: from the state alone, and from the prefixes of another state
    /// that differs in a few cells.
    fn compare_exchanged<W: Word>(
        images: &Images<W>,
        layout: &Layout,
        cells: &[Symbol],
        symbols: u64,
        random: &mut Random,
    ) {
        let (mut changed, count) = (cells.to_vec(), random.below(3) + 1);
        let written: Vec<usize> = (0..count).map(|_| random.below(cells.len() as u64) as usize).collect();
        for &cell in &written {
            changed[cell] = random.below(symbols) as Symbol;
        }
        let (word, after) = (layout.pack::<W>(cells), layout.pack::<W>(&changed));
        let prefixes = images.prefix_block(word);
        if let Some(chunks) = images.chunks_of(layout, written.iter().copied()) {
            let prefixes = images.exchanged(&prefixes, &word.views(), &after.views(), &chunks);
            assert_eq!(
                images.smallest_by_prefixes(after, prefixes),
                images.smallest(after),
                "{cells:?} to {changed:?}"
            );
        }
        let (before, mut flips) = (images.block(word), images.block(after));
        flips.iter_mut().zip(before).for_each(|(flip, before)| *flip = flip.xor(before));
        let flips = images.prefix_flips(layout, &flips);
        let prefixes = std::array::from_fn(|lane| prefixes[lane] ^ flips[lane]);
        assert_eq!(images.smallest_by_prefixes(after, prefixes), images.smallest(after), "{cells:?} to {changed:?}");
    }

    /// Rules of a board on which no move can be made.
    fn board(cells: usize, symbols: usize) -> Rules {
        let names: Vec<String> = (0..symbols).map(|symbol| symbol.to_string()).collect();
        let data = RulesData {
            symbols: names,
            start: vec!["0".to_owned(); cells],
            players: Vec::new(),
            moves: Vec::new(),
            goal: Vec::new(),
            ends: Vec::new(),
            stuck: None,
            score: None,
            symmetries: Vec::new().into(),
        };
        Rules::new(&data).unwrap()
    }

    #[test]
    fn the_smallest_image_is_that_of_the_definition() {
        let mut random = Random::new("images");
        // The symmetries are the rotations of a ring of cells. In some rounds, a rotation also renames the first
        // symbols in a circle.
        for (cells, symbols, turned) in [
            (2, 2, 0),
            (3, 3, 3),
            (4, 2, 0),
            (8, 5, 4),
            (12, 3, 2),
            (16, 2, 2),
            (20, 4, 0),
            (24, 6, 6),
            (40, 6, 3),
            (60, 4, 4),
            (120, 3, 3),
            (120, 17, 3),
        ] {
            let rules = board(cells, symbols);
            for mirror in [false, true] {
                let turn = Symmetry {
                    cells: (0..cells).map(|cell| (cell + 1) % cells).collect(),
                    symbols: (0..symbols)
                        .map(|at| if at < turned { (at + 1) % turned } else { at } as Symbol)
                        .collect(),
                    ..Symmetry::identity(cells, symbols)
                };
                let over = Symmetry { cells: (0..cells).rev().collect(), ..Symmetry::identity(cells, symbols) };
                let generators = if mirror { vec![turn, over] } else { vec![turn] };
                // These symmetries change the start. That does not matter, since only their group is used.
                let group = Structure::new(Rules { generators, ..rules.clone() }.into()).unwrap();
                let symmetries = group.symmetries();
                compare::<u32>(&rules, symmetries, &mut random);
                compare::<u64>(&rules, symmetries, &mut random);
                compare::<u128>(&rules, symmetries, &mut random);
                if cells == 120 {
                    let [tables, _] = compare::<[u64; 32]>(&rules, symmetries, &mut random).unwrap();
                    assert_eq!(tables, symbols <= 16, "images of 17 symbols are compared cell by cell");
                }
                // A quick run tries words of middle widths with fewer boards, and with the larger group of each.
                if (cells < 60 && mirror) || crate::tests::is_long() {
                    compare::<[u64; 4]>(&rules, symmetries, &mut random);
                    compare::<[u64; 8]>(&rules, symmetries, &mut random);
                }
                // Lists without the identity. A game has such a list: the symmetries that exchange its players.
                let lists = crate::tests::quick_or_long(1, 3) as usize;
                for least in 1..symmetries.len().min(1 + lists) {
                    compare::<u32>(&rules, &symmetries[least..], &mut random);
                    compare::<u64>(&rules, &symmetries[least..], &mut random);
                    compare::<u128>(&rules, &symmetries[least..], &mut random);
                }
            }
        }
    }

    /// A mirror carries the cells of these boards over 4, 8, 5 and 9 distances. The first two boards fill their words,
    /// and the columns in the middle of the other two stay.
    #[test]
    fn a_mirror_carries_cells_over_few_distances() {
        let mut random = Random::new("mirror");
        for (rows, columns, is_carried) in [(4, 4, true), (2, 8, true), (3, 5, true), (1, 9, false)] {
            let (cells, rules) = (rows * columns, board(rows * columns, 4));
            let to = |cell: usize| cell / columns * columns + columns - 1 - cell % columns;
            let mirror = Symmetry { cells: (0..cells).map(to).collect(), ..Symmetry::identity(cells, 4) };
            let symmetries = [Symmetry::identity(cells, 4), mirror];
            let layout = Layout::new::<u32>(&rules).unwrap();
            let images = Images::<u32>::new(&rules, &layout, &symmetries, &Vec::new);
            assert_eq!(images.carried.is_some(), is_carried, "{rows} {columns}");
            compare::<u32>(&rules, &symmetries, &mut random);
            compare::<u64>(&board(2 * cells, 4), &doubled(&symmetries), &mut random);
        }
    }

    /// The same symmetries, on a board with the cells of two boards one after the other.
    fn doubled(symmetries: &[Symmetry]) -> Vec<Symmetry> {
        let twice =
            |cells: &[usize]| cells.iter().copied().chain(cells.iter().map(|cell| cell + cells.len())).collect();
        symmetries.iter().map(|given| Symmetry { cells: twice(&given.cells), ..given.clone() }).collect()
    }

    /// A wide word of a ring with 140 symmetries has rows of whole images only if moves flip known bits, and these rows
    /// give the images after a flip.
    #[test]
    fn rows_of_wide_images_are_made_for_moves_that_flip() {
        let (cells, mut random) = (70, Random::new("rows"));
        let rules = board(cells, 2);
        let none = Symmetry::identity(cells, 2);
        let turn = Symmetry { cells: (0..cells).map(|cell| (cell + 1) % cells).collect(), ..none.clone() };
        let over = Symmetry { cells: (0..cells).rev().collect(), ..none };
        let group = Structure::new(Rules { generators: vec![turn, over], ..rules.clone() }.into()).unwrap();
        let layout = Layout::new::<u128>(&rules).unwrap();
        let images = |then: Vec<(usize, Source)>| {
            let given = Move {
                name: "move".to_owned(),
                player: None,
                when: Pattern::default(),
                compares: Vec::new(),
                conditions: Vec::new(),
                then,
                forced: false,
                again: false,
            };
            let rules = Rules { moves: vec![given], ..rules.clone() };
            Images::<u128>::new(&rules, &layout, group.symmetries(), &Vec::new)
        };
        assert!(!images(vec![(0, Source::Copy(1, None)), (1, Source::Copy(0, None))]).has_tables());
        let images = images(vec![(3, Source::Symbol(1))]);
        assert!(images.has_tables());
        let mut blocks = vec![[0; LANES]; images.blocks];
        for _ in 0..20 {
            let mut state: Vec<Symbol> = (0..cells).map(|_| random.below(2) as Symbol).collect();
            state[3] = 0;
            images.write_blocks(layout.pack(&state), &mut blocks);
            state[3] = 1;
            let flip = |block, lane| layout.field(images.symmetry(block, lane).cells[3], 1);
            let flips: Vec<Lanes<u128>> =
                (0..images.blocks).map(|block| std::array::from_fn(|lane| flip(block, lane))).collect();
            let least = group.symmetries().iter().map(|symmetry| symmetry.apply(&state)).min().unwrap();
            assert_eq!(images.smallest_of_flipped(&blocks, &flips), layout.pack::<u128>(&least));
        }
    }

    #[test]
    fn so_it_is_if_symbols_have_many_names() {
        let mut random = Random::new("renamings");
        // The symmetries turn a ring, turn it over, and rename the first symbols in every way. In the last two boards,
        // a turn of the ring renames symbols, too.
        for (cells, symbols, renamed, turned) in
            [(2, 5, 4, 0), (5, 4, 4, 0), (9, 17, 5, 0), (70, 6, 4, 0), (6, 7, 4, 3), (4, 8, 4, 4)]
        {
            let rules = board(cells, symbols);
            let none = Symmetry::identity(cells, symbols);
            let names = |name: &dyn Fn(usize) -> usize| (0..symbols).map(|at| name(at) as Symbol).collect();
            let beyond = |at: usize| if at < renamed { at } else { renamed + (at + 1 - renamed) % turned.max(1) };
            let turn = Symmetry {
                cells: (0..cells).map(|cell| (cell + 1) % cells).collect(),
                symbols: names(&|at| if at < renamed + turned { beyond(at) } else { at }),
                ..none.clone()
            };
            let over = Symmetry { cells: (0..cells).rev().collect(), ..none.clone() };
            let circle =
                Symmetry { symbols: names(&|at| if at < renamed { (at + 1) % renamed } else { at }), ..none.clone() };
            let pair = Symmetry { symbols: names(&|at| if at < 2 { 1 - at } else { at }), ..none };
            let generators = vec![turn, over, circle, pair];
            let group = Structure::new(Rules { generators, ..rules.clone() }.into()).unwrap();
            let symmetries = group.symmetries();
            compare::<u32>(&rules, symmetries, &mut random);
            compare::<u64>(&rules, symmetries, &mut random);
            compare::<u128>(&rules, symmetries, &mut random);
            assert!(!compare::<[u64; 8]>(&rules, symmetries, &mut random).unwrap()[0], "{cells} {symbols}");
            // A coset of a group lacks the identity, such as the coset of the symmetries that exchange the players.
            compare::<u64>(&rules, &symmetries[1..], &mut random);
        }
    }

    #[test]
    fn so_it_is_if_new_names_move_cells() {
        let mut random = Random::new("pieces");
        // A ring, and a cell for each of the first symbols, as for pieces that lie beside a board. The symmetries turn
        // the ring, turn it over, and rename these symbols in every way, which also moves their cells.
        for (ring, pieces, symbols) in [(5, 4, 6), (9, 3, 5), (12, 4, 9)] {
            let cells = ring + pieces;
            let rules = board(cells, symbols);
            let turned = |on_ring: &dyn Fn(usize) -> usize, name: &dyn Fn(usize) -> usize| Symmetry {
                cells: (0..cells).map(|at| if at < ring { on_ring(at) } else { ring + name(at - ring) }).collect(),
                symbols: (0..symbols).map(|at| if at < pieces { name(at) } else { at } as Symbol).collect(),
                ..Symmetry::identity(cells, symbols)
            };
            let generators = vec![
                turned(&|at| (at + 1) % ring, &|piece| piece),
                turned(&|at| ring - 1 - at, &|piece| piece),
                turned(&|at| at, &|piece| (piece + 1) % pieces),
                turned(&|at| at, &|piece| if piece < 2 { 1 - piece } else { piece }),
            ];
            let group = Structure::new(Rules { generators, ..rules.clone() }.into()).unwrap();
            let symmetries = group.symmetries();
            assert_eq!(symmetries.len(), 2 * ring * (1..=pieces).product::<usize>());
            compare::<u64>(&rules, symmetries, &mut random);
            assert!(!compare::<u128>(&rules, symmetries, &mut random).unwrap()[1], "{cells} {symbols}");
            assert!(!compare::<[u64; 4]>(&rules, symmetries, &mut random).unwrap()[1], "{cells} {symbols}");
            assert!(!compare::<u128>(&rules, &symmetries[1..], &mut random).unwrap()[1], "{cells} {symbols}");
        }
    }
}
