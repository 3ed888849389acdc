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
//! images. The smallest prefix nearly always belongs to one image alone, and only this image is computed to its end.
//! For example, take the state `ba/cd` of four cells and the four rotations of the square. The prefixes of two cells
//! are `ba`, `cb`, `dc` and `ad`. The smallest is `ad`, so the canonical form begins with it.
//!
//! Many symmetries may have no tables, because [`ByCells`] finds the smallest image faster: those that differ only in
//! how they rename symbols, those whose tables would not fit the cache, and, in wide words, those of which a few cells
//! tell the smallest image. In wide words, the images under others are [shuffles](ShuffledImages) of bytes. The image
//! under the second of two symmetries may be made by [masks and shifts](CarriedCells).
//!
//! `tables.rs` builds the tables, and `orbit_sizes.rs` counts the different images of a state.

mod orbit_sizes;
mod tables;
#[cfg(test)]
mod tests;

use super::by_cells::ByCells;
use super::carried_cells::CarriedCells;
use super::many_images::ManyImages;
use super::prefixes::{Chunk, LANES, Prefixes, flipped, smallest_lane, smallest_of_lanes};
use super::shuffled_images::ShuffledImages;
use super::word::Word;
use crate::rules::Symmetry;

/// The images of one state under the [`LANES`] symmetries of a block; or the bits that a move flips in these images.
pub type Lanes<W> = [W; LANES];

/// The number of lanes of a row for words of 64 bits, if they are enough for all symmetries.
pub const FEW_LANES: usize = LANES / 2;

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

impl<W: Word> Images<W> {
    /// Returns `true` if a row has [`FEW_LANES`] lanes.
    #[inline(always)]
    pub fn has_few_lanes(&self) -> bool {
        W::BYTES == 8 && self.lanes == FEW_LANES
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
                // All lanes are read before any is written. Otherwise the compiler would have to show that `row` is not
                // written here, and would handle one lane after another.
                let (mut lanes, row) = (blocks[block], row[block]);
                for lane in 0..LANES {
                    lanes[lane] = lanes[lane].or(row[lane]);
                }
                blocks[block] = lanes;
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
        // image is the state itself, and no other image is computed.
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
