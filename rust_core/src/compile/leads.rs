//! The first bits of a state's images under many symmetries. They tell which images may be the smallest.
//!
//! The first cells of an image come from few cells of the state. So the symmetries are sorted by which cells these are,
//! and each block of eight looks up no others. Take the rotations and mirrors of two squares of four cells, one behind
//! the other, that may also change places. The first four cells of an image are one of the two squares, in one of eight
//! orders. So one block looks up the first square, and another one the second.
//!
//! Nothing here depends on the width of words, so it is compiled once for all of them.

use super::cpu;

/// How many symmetries are handled together.
pub const LANES: usize = 8;

/// The first bits of the images of a state under [`LANES`] symmetries.
pub type Leads = [u32; LANES];

/// How many blocks of lanes are looked at together. Each of their lanes has a bit of a word.
const BATCH: usize = u64::BITS as usize / LANES;

/// How many images are looked at together.
pub const BATCH_LANES: usize = BATCH * LANES;

/// A run of neighbouring cells that is looked up at once.
#[derive(Debug, Clone)]
pub struct Chunk {
    /// In which view of a word it lies, and how far from the bottom; see [`super::Word::views`].
    pub view: usize,
    pub shift: u32,
    pub mask: u64,
    /// Where its rows begin in a table.
    pub first: usize,
}

/// Tables of the first bits of images, for each block of lanes.
#[derive(Debug, Clone)]
pub struct BlockLeads {
    /// For each block, its first place in the list of chunks; and the number of all chunks.
    starts: Vec<usize>,
    /// Where the cells lie that a block looks up, and where the rows of its table begin.
    chunks: Vec<Chunk>,
    rows: Vec<Leads>,
    /// How many symmetries there are.
    order: usize,
}

/// Some of the images of a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FoundLeads {
    /// The first bits of each of them.
    pub lead: u32,
    /// Which they are: a bit for each lane of the batch.
    pub lanes: u64,
}

impl BlockLeads {
    /// The tables of `order` symmetries. `leads` gives the first bits of what a code of a chunk adds to the images of a
    /// block.
    pub fn new(order: usize, chunks: &[Chunk], leads: impl Fn(&Chunk, u64, usize) -> Leads) -> Self {
        let mut made = Self { starts: vec![0], chunks: Vec::new(), rows: Vec::new(), order };
        for block in 0..order.div_ceil(LANES) {
            for chunk in chunks {
                let first = made.rows.len();
                made.rows.extend((0..=chunk.mask).map(|code| leads(chunk, code, block)));
                if made.rows[first..].iter().flatten().all(|&lead| lead == 0) {
                    made.rows.truncate(first);
                } else {
                    made.chunks.push(Chunk { first, ..chunk.clone() });
                }
            }
            made.starts.push(made.chunks.len());
        }
        made
    }

    /// How many batches there are.
    pub fn batches(&self) -> usize {
        (self.starts.len() - 1).div_ceil(BATCH)
    }

    /// The images of a batch with the least first bits.
    #[inline]
    pub fn least(&self, views: &[u64], batch: usize) -> FoundLeads {
        self.find(views, batch, None)
    }

    /// The images of a batch with the given first bits.
    #[inline]
    pub fn equal(&self, views: &[u64], batch: usize, lead: u32) -> FoundLeads {
        self.find(views, batch, Some(lead))
    }

    /// The first bits of the first image.
    #[inline]
    pub fn first(&self, views: &[u64]) -> u32 {
        let rows = self.chunks[..self.starts[1]].iter().map(|chunk| {
            let code = views[chunk.view] >> chunk.shift & chunk.mask;
            self.rows[chunk.first + code as usize][0]
        });
        rows.fold(0, |lead, row| lead | row)
    }

    fn find(&self, views: &[u64], batch: usize, wanted: Option<u32>) -> FoundLeads {
        let mut found = FoundLeads { lead: 0, lanes: 0 };
        cpu::run(FindLeads { tables: self, views, batch, wanted, found: &mut found });
        // The last block is filled up.
        let held = self.order - batch * BATCH_LANES;
        if held < BATCH_LANES {
            found.lanes &= (1 << held) - 1;
        }
        found
    }
}

struct FindLeads<'a> {
    tables: &'a BlockLeads,
    views: &'a [u64],
    batch: usize,
    /// The first bits that are looked for; `None` for the least that there are.
    wanted: Option<u32>,
    found: &'a mut FoundLeads,
}

impl cpu::Task for FindLeads<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let Self { tables, views, batch, wanted, found } = self;
        let starts = &tables.starts[batch * BATCH..];
        let count = BATCH.min(starts.len() - 1);
        let mut all = [[u32::MAX; LANES]; BATCH];
        let mut least = [u32::MAX; LANES];
        for block in 0..count {
            let mut leads = [0; LANES];
            for chunk in &tables.chunks[starts[block]..starts[block + 1]] {
                let code = views[chunk.view] >> chunk.shift & chunk.mask;
                let row = &tables.rows[chunk.first + code as usize];
                for lane in 0..LANES {
                    leads[lane] |= row[lane];
                }
            }
            for lane in 0..LANES {
                least[lane] = least[lane].min(leads[lane]);
            }
            all[block] = leads;
        }
        found.lead = wanted.unwrap_or_else(
            #[inline(always)]
            || smallest_lane(least),
        );
        found.lanes = 0;
        for (block, leads) in all[..count].iter().enumerate() {
            let mut equal = [0u8; LANES];
            for lane in 0..LANES {
                equal[lane] = u8::from(leads[lane] == found.lead);
            }
            found.lanes |= gathered(equal) << (block * LANES);
        }
    }
}

/// The smallest of the lanes.
#[inline(always)]
pub fn smallest_lane<T: Copy + Ord>(mut lanes: [T; LANES]) -> T {
    for half in [LANES / 2, LANES / 4, LANES / 8] {
        for lane in 0..half {
            lanes[lane] = lanes[lane].min(lanes[lane + half]);
        }
    }
    lanes[0]
}

/// The lowest bits of eight bytes, side by side. A product puts bit 0 of byte `i` at bit `56 + i`, and no other bit of a
/// byte gets among these: 8i + 7m is 56 + b, for m from 1 to 8, only if i is b.
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
