//! Tables of prefixes, the first bits of a state's images, for lists of many symmetries. Only an image with the
//! smallest prefix can be the smallest image.
//!
//! The theory is in `docs/enumeration.md`, "How it works".
//!
//! Words such as chunk, code and row are explained in `images.rs`. The first cells of an image come from few cells of
//! the state. So the symmetries are sorted by these cells, and each block of eight symmetries looks up only the chunks
//! that it needs. For example, take two squares of four cells, whose symmetries rotate and mirror both alike and may
//! exchange the squares. The first four cells of an image are one of the two squares, in one of eight orders. So one
//! block looks up only the first square, and the other block only the second.
//!
//! Nothing here depends on the width of words, so it is compiled once for all of them.

use std::ops::Range;

use super::cpu;

/// The number of symmetries of a block, one in each lane.
pub const LANES: usize = 8;

/// The prefixes of the images of a state under the [`LANES`] symmetries of a block.
pub type Prefixes = [u32; LANES];

/// The number of blocks of a batch. The blocks of a batch are searched together, with one bit of a 64-bit integer for
/// each lane. Six blocks have room for the 48 symmetries of a cube.
const BATCH: usize = 6;

/// The number of symmetries whose prefixes are searched together: those of the blocks of a batch.
pub const BATCH_LANES: usize = BATCH * LANES;

/// The number of bits below a prefix, which hold the number of its lane in the batch. So the smallest number tells to
/// which symmetry the smallest prefix belongs.
const NUMBER_BITS: u32 = BATCH_LANES.next_power_of_two().ilog2();

/// The bits of the number of a lane.
const NUMBER_MASK: u32 = (1 << NUMBER_BITS) - 1;

/// The most bits of a prefix.
pub const PREFIX_BITS: u32 = u32::BITS - NUMBER_BITS;

/// A chunk: a run of neighbouring cells of a word that is looked up at once.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// The place of the chunk's bits: the number of the view that has them, see [`super::Word::views`], their distance
    /// from the bottom of the view, and a mask as wide as the chunk.
    pub view: usize,
    pub shift: u32,
    pub mask: u64,
    /// The place in a table where the rows of the chunk begin.
    pub first: usize,
}

impl Chunk {
    /// The bits that the chunk holds in the views of a word.
    #[inline(always)]
    pub fn code(&self, views: &[u64]) -> u64 {
        let view = if views.len() == 1 { views[0] } else { views[self.view] };
        view >> self.shift & self.mask
    }

    /// The number of the row for the bits that the chunk holds.
    #[inline(always)]
    pub fn row(&self, views: &[u64]) -> usize {
        self.first + self.code(views) as usize
    }
}

/// The tables of prefixes, with rows for each block and each chunk that the block looks up.
#[derive(Debug, Clone)]
pub struct BlockPrefixes {
    blocks: Vec<SymmetryBlock>,
    /// The chunks that each block looks up, block by block, each with the place of its rows.
    chunks: Vec<Chunk>,
    /// The rows of the chunks. Each prefix is above [`NUMBER_BITS`] zeros.
    rows: Vec<Prefixes>,
    /// The number of symmetries.
    order: usize,
}

#[derive(Debug, Clone)]
struct SymmetryBlock {
    /// The numbers of the lanes in the batch. A lane without a symmetry has the largest number instead. What is found
    /// there is left out.
    lanes: Prefixes,
    /// The places in [`BlockPrefixes::chunks`] of the chunks that the block looks up.
    chunks: Range<usize>,
}

/// The result of a search in one batch: the smallest prefix, and which images have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundPrefixes {
    pub prefix: u32,
    /// A bit for each lane of the batch, which is set if the lane's image has the prefix.
    pub lanes: u64,
}

impl BlockPrefixes {
    /// Builds the tables for `order` symmetries. `prefixes` is called with the number of a chunk, one of its codes, and
    /// a block. It returns what the chunk adds to the prefixes of the block, which have at most [`PREFIX_BITS`] bits.
    pub fn new(order: usize, chunks: &[Chunk], prefixes: &dyn Fn(usize, u64, usize) -> Prefixes) -> Self {
        let mut made = Self { blocks: Vec::new(), chunks: Vec::new(), rows: Vec::new(), order };
        let number = |at: usize| if at < order { (at % BATCH_LANES) as u32 } else { u32::MAX };
        for block in 0..order.div_ceil(LANES) {
            let begin = made.chunks.len();
            for (number, chunk) in chunks.iter().enumerate() {
                let first = made.rows.len();
                let row = |code| prefixes(number, code, block).map(|prefix| prefix << NUMBER_BITS);
                made.rows.extend((0..=chunk.mask).map(row));
                if made.rows[first..].iter().flatten().all(|&prefix| prefix == 0) {
                    made.rows.truncate(first);
                } else {
                    made.chunks.push(Chunk { first, ..chunk.clone() });
                }
            }
            let lanes = std::array::from_fn(|lane| number(block * LANES + lane));
            made.blocks.push(SymmetryBlock { lanes, chunks: begin..made.chunks.len() });
        }
        made
    }

    /// The number of batches.
    pub fn batches(&self) -> usize {
        self.blocks.len().div_ceil(BATCH)
    }

    /// The smallest prefix in a batch, and the images that have it.
    #[inline]
    pub fn least(&self, views: &[u64], batch: usize) -> FoundPrefixes {
        self.find(views, batch, 0)
    }

    /// The images of a batch that have the given prefix, as a bit for each lane.
    #[inline]
    pub fn equal(&self, views: &[u64], batch: usize, prefix: u32) -> u64 {
        // If all prefixes are compared with the given one bit by bit, an equal one becomes zero.
        let found = self.find(views, batch, prefix);
        if found.prefix == 0 { found.lanes } else { 0 }
    }

    /// The prefix of the image under the first symmetry.
    #[inline]
    pub fn first(&self, views: &[u64]) -> u32 {
        let chunks = &self.chunks[self.blocks[0].chunks.clone()];
        chunks.iter().fold(0, |prefix, chunk| prefix | self.rows[chunk.row(views)][0]) >> NUMBER_BITS
    }

    /// The smallest of the prefixes in a batch after the bits of `flips` are flipped in all of them.
    fn find(&self, views: &[u64], batch: usize, flips: u32) -> FoundPrefixes {
        let mut found = FoundPrefixes { prefix: 0, lanes: 0 };
        cpu::run(FindPrefixes { tables: self, views, batch, flips, found: &mut found });
        found
    }

    #[inline(always)]
    fn find_inlined(&self, views: &[u64], batch: usize, flips: u32) -> FoundPrefixes {
        let (first, flips) = (batch * BATCH, flips << NUMBER_BITS);
        let blocks = &self.blocks[first..(first + BATCH).min(self.blocks.len())];
        let (mut all, mut least) = ([[u32::MAX; LANES]; BATCH], [u32::MAX; LANES]);
        for (prefixes, block) in all.iter_mut().zip(blocks) {
            *prefixes = self.prefixes(views, block, flips);
            for lane in 0..LANES {
                least[lane] = least[lane].min(prefixes[lane]);
            }
        }
        let smallest = smallest_lane(least);
        let most = smallest | NUMBER_MASK;
        let mut same = [0; LANES];
        for prefixes in &all {
            for lane in 0..LANES {
                same[lane] += u32::from(prefixes[lane] <= most);
            }
        }
        let mut count = 0;
        for lanes in same {
            count += lanes;
        }
        let mut lanes = 1 << (smallest & NUMBER_MASK);
        if count > 1 {
            // Several images have the smallest prefix.
            for (at, &prefix) in all.as_flattened().iter().enumerate() {
                lanes |= u64::from(prefix <= most) << at;
            }
        }
        // The last block may have lanes without a symmetry. Their bits are cleared here.
        let held = self.order - batch * BATCH_LANES;
        if held < BATCH_LANES {
            lanes &= (1 << held) - 1;
        }
        FoundPrefixes { prefix: smallest >> NUMBER_BITS, lanes }
    }

    /// The prefixes of a block, each with the number of its lane, after some bits are flipped in them.
    #[inline(always)]
    fn prefixes(&self, views: &[u64], block: &SymmetryBlock, flips: u32) -> Prefixes {
        let (rows, mut prefixes) = (&self.rows[..], block.lanes);
        for chunk in &self.chunks[block.chunks.clone()] {
            let row = &rows[chunk.row(views)];
            for lane in 0..LANES {
                prefixes[lane] |= row[lane];
            }
        }
        for prefix in &mut prefixes {
            *prefix ^= flips;
        }
        prefixes
    }
}

struct FindPrefixes<'a> {
    tables: &'a BlockPrefixes,
    views: &'a [u64],
    batch: usize,
    /// The bits that are flipped in each prefix before they are compared.
    flips: u32,
    found: &'a mut FoundPrefixes,
}

impl cpu::Task for FindPrefixes<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        *self.found = self.tables.find_inlined(self.views, self.batch, self.flips);
    }
}

/// The images of a state, or the first bits of them, after a move: in each lane, the move flips other bits.
#[inline(always)]
pub fn flipped<T: Copy, const COUNT: usize>(
    images: &[T; COUNT],
    flips: &[T; LANES],
    xor: impl Fn(T, T) -> T,
) -> [T; COUNT] {
    let mut flipped = *images;
    for lane in 0..COUNT {
        flipped[lane] = xor(flipped[lane], flips[lane]);
    }
    flipped
}

/// The smallest number in the lanes of `count` blocks, which `made` makes.
#[inline(always)]
pub fn smallest_of_lanes<T: Copy + PartialOrd>(count: usize, made: impl Fn(usize) -> [T; LANES]) -> T {
    let mut least = made(0);
    for at in 1..count {
        let lanes = made(at);
        for lane in 0..LANES {
            least[lane] = smaller(least[lane], lanes[lane]);
        }
    }
    smallest_lane(least)
}

/// The smallest of the numbers in 2, 4 or 8 lanes. Any two of them must be comparable.
#[inline(always)]
pub fn smallest_lane<T: Copy + PartialOrd, const COUNT: usize>(mut lanes: [T; COUNT]) -> T {
    // The steps are written one by one, so that the lanes stay in registers.
    if COUNT > 4 {
        for lane in 0..4 {
            lanes[lane] = smaller(lanes[lane], lanes[lane + 4]);
        }
    }
    if COUNT > 2 {
        for lane in 0..2 {
            lanes[lane] = smaller(lanes[lane], lanes[lane + 2]);
        }
    }
    smaller(lanes[0], lanes[1])
}

/// The smaller one of two comparable numbers.
#[inline(always)]
fn smaller<T: Copy + PartialOrd>(one: T, other: T) -> T {
    if one < other { one } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// The tables of `order` symmetries are compared with the definition. A prefix has 26 bits here: 13 for the code in
    /// one chunk, and 13 for the code in another one. Half of these parts are zeros or ones alone, so that prefixes are
    /// often equal.
    fn compare(order: usize, random: &mut Random) {
        let parts: Vec<[[u32; 2]; 4]> = (0..order.next_multiple_of(LANES))
            .map(|_| {
                let mut part = || [0, (1 << 13) - 1, 1, random.below(1 << 13) as u32][random.below(4) as usize];
                std::array::from_fn(|_| [part() << 13, part()])
            })
            .collect();
        let chunk = |shift| Chunk { view: 0, shift, mask: 3, first: 0 };
        let tables = BlockPrefixes::new(order, &[chunk(0), chunk(2)], &|chunk, code, block| {
            std::array::from_fn(|lane| parts[block * LANES + lane][code as usize][chunk])
        });
        for view in 0..16u64 {
            let prefix = |at: &usize| parts[*at][view as usize & 3][0] | parts[*at][view as usize >> 2][1];
            let all: Vec<u32> = (0..order).map(|at| prefix(&at)).collect();
            assert_eq!(tables.first(&[view]), all[0]);
            for (batch, held) in all.chunks(BATCH_LANES).enumerate() {
                let lanes = |wanted: u32| {
                    held.iter()
                        .enumerate()
                        .fold(0, |lanes, (lane, &prefix)| lanes | u64::from(prefix == wanted) << lane)
                };
                let prefix = *held.iter().min().unwrap();
                assert_eq!(tables.least(&[view], batch), FoundPrefixes { prefix, lanes: lanes(prefix) });
                for wanted in [all[0], 0, u32::MAX >> NUMBER_BITS] {
                    assert_eq!(tables.equal(&[view], batch, wanted), lanes(wanted), "{order} symmetries");
                }
            }
        }
    }

    #[test]
    fn prefixes_are_found_as_one_after_another() {
        let mut random = Random::new("prefixes");
        for order in [1, 7, 25, 48, 49, 95, 97, 200] {
            compare(order, &mut random);
        }
    }
}
