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

use super::cpu;

/// The number of symmetries of a block, one in each lane.
pub const LANES: usize = 8;

/// The prefixes of the images of a state under the [`LANES`] symmetries of a block.
pub type Prefixes = [u32; LANES];

/// The number of blocks of a batch. The blocks of a batch are searched together, with one bit of a 64-bit integer for
/// each lane.
const BATCH: usize = u64::BITS as usize / LANES;

/// The number of symmetries whose prefixes are searched together: those of the blocks of a batch.
pub const BATCH_LANES: usize = BATCH * LANES;

/// A chunk: a run of neighbouring cells of a word that is looked up at once.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// Where the chunk's bits are: the number of the view that has them, see [`super::Word::views`], their distance
    /// from the bottom of the view, and a mask as wide as the chunk.
    pub view: usize,
    pub shift: u32,
    pub mask: u64,
    /// The place in a table where the rows of the chunk begin.
    pub first: usize,
}

/// The tables of prefixes, with rows for each block and each chunk that the block looks up.
#[derive(Debug, Clone)]
pub struct BlockPrefixes {
    /// For each block, the index in [`Self::chunks`] of its first chunk; and at the end, the number of all chunks.
    starts: Vec<usize>,
    /// The chunks that each block looks up, block by block, each with the place of its rows.
    chunks: Vec<Chunk>,
    rows: Vec<Prefixes>,
    /// The number of symmetries.
    order: usize,
}

/// The result of a search in one batch: a prefix, and which images have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundPrefixes {
    /// The prefix that was found or asked for.
    pub prefix: u32,
    /// A bit for each lane of the batch, which is set if the lane's image has the prefix.
    pub lanes: u64,
}

impl BlockPrefixes {
    /// Builds the tables for `order` symmetries. `prefixes` is called with the number of a chunk, one of its codes, and
    /// a block. It returns what the chunk adds to the prefixes of the block.
    pub fn new(order: usize, chunks: &[Chunk], prefixes: &dyn Fn(usize, u64, usize) -> Prefixes) -> Self {
        let mut made = Self { starts: vec![0], chunks: Vec::new(), rows: Vec::new(), order };
        for block in 0..order.div_ceil(LANES) {
            for (number, chunk) in chunks.iter().enumerate() {
                let first = made.rows.len();
                made.rows.extend((0..=chunk.mask).map(|code| prefixes(number, code, block)));
                if made.rows[first..].iter().flatten().all(|&prefix| prefix == 0) {
                    made.rows.truncate(first);
                } else {
                    made.chunks.push(Chunk { first, ..chunk.clone() });
                }
            }
            made.starts.push(made.chunks.len());
        }
        made
    }

    /// The number of batches.
    pub fn batches(&self) -> usize {
        (self.starts.len() - 1).div_ceil(BATCH)
    }

    /// The smallest prefix in a batch, and the images that have it.
    #[inline]
    pub fn least(&self, views: &[u64], batch: usize) -> FoundPrefixes {
        self.find(views, batch, None)
    }

    /// The images of a batch that have the given prefix.
    #[inline]
    pub fn equal(&self, views: &[u64], batch: usize, prefix: u32) -> FoundPrefixes {
        self.find(views, batch, Some(prefix))
    }

    /// The prefix of the image under the first symmetry.
    #[inline]
    pub fn first(&self, views: &[u64]) -> u32 {
        let rows = self.chunks[..self.starts[1]].iter().map(|chunk| {
            let code = views[chunk.view] >> chunk.shift & chunk.mask;
            self.rows[chunk.first + code as usize][0]
        });
        rows.fold(0, |prefix, row| prefix | row)
    }

    fn find(&self, views: &[u64], batch: usize, wanted: Option<u32>) -> FoundPrefixes {
        let mut found = FoundPrefixes { prefix: 0, lanes: 0 };
        cpu::run(FindPrefixes { tables: self, views, batch, wanted, found: &mut found });
        // The last block may have lanes without a symmetry. Their bits are cleared here.
        let held = self.order - batch * BATCH_LANES;
        if held < BATCH_LANES {
            found.lanes &= (1 << held) - 1;
        }
        found
    }
}

struct FindPrefixes<'a> {
    tables: &'a BlockPrefixes,
    views: &'a [u64],
    batch: usize,
    /// The prefix to look for; `None` to look for the smallest one.
    wanted: Option<u32>,
    found: &'a mut FoundPrefixes,
}

impl cpu::Task for FindPrefixes<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let Self { tables, views, batch, wanted, found } = self;
        let starts = &tables.starts[batch * BATCH..];
        let count = BATCH.min(starts.len() - 1);
        let mut all = [[u32::MAX; LANES]; BATCH];
        let mut least = [u32::MAX; LANES];
        for block in 0..count {
            let mut prefixes = [0; LANES];
            for chunk in &tables.chunks[starts[block]..starts[block + 1]] {
                let code = views[chunk.view] >> chunk.shift & chunk.mask;
                let row = &tables.rows[chunk.first + code as usize];
                for lane in 0..LANES {
                    prefixes[lane] |= row[lane];
                }
            }
            for lane in 0..LANES {
                least[lane] = least[lane].min(prefixes[lane]);
            }
            all[block] = prefixes;
        }
        found.prefix = wanted.unwrap_or_else(
            #[inline(always)]
            || smallest_lane(least),
        );
        found.lanes = 0;
        for (block, prefixes) in all[..count].iter().enumerate() {
            let mut equal = [0u8; LANES];
            for lane in 0..LANES {
                equal[lane] = u8::from(prefixes[lane] == found.prefix);
            }
            found.lanes |= gathered(equal) << (block * LANES);
        }
    }
}

/// The images of a state, or the first bits of them, after a move: in each lane, the move flips other bits.
#[inline(always)]
pub fn flipped<T: Copy>(images: &[T; LANES], flips: &[T; LANES], xor: impl Fn(T, T) -> T) -> [T; LANES] {
    let mut flipped = *images;
    for lane in 0..LANES {
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

/// The smallest of the numbers in the lanes. Any two of them must be comparable.
#[inline(always)]
pub fn smallest_lane<T: Copy + PartialOrd>(mut lanes: [T; LANES]) -> T {
    for half in [LANES / 2, LANES / 4, LANES / 8] {
        for lane in 0..half {
            lanes[lane] = smaller(lanes[lane], lanes[lane + half]);
        }
    }
    lanes[0]
}

/// The smaller one of two comparable numbers.
#[inline(always)]
fn smaller<T: Copy + PartialOrd>(one: T, other: T) -> T {
    if one < other { one } else { other }
}

/// Gathers the lowest bits of eight bytes, each of which is 0 or 1, in one byte. The multiplication puts the bit of
/// byte `i` at bit `56 + i` of the product. No other bit gets to these places, since 8i + 7m = 56 + b with m from 1 to
/// 8 holds only for b = i.
#[inline(always)]
fn gathered(bytes: [u8; LANES]) -> u64 {
    u64::from_le_bytes(bytes).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_gives_its_own_bit() {
        for bits in 0..=255u64 {
            assert_eq!(gathered(std::array::from_fn(|at| (bits >> at & 1) as u8)), bits);
        }
    }
}
