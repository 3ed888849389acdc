//! Finds out which image of a state is the smallest, if there are many symmetries, and words of at most 64 bits.
//!
//! The prefixes of all images are looked up, and nearly always one image alone has the smallest prefix. If several have
//! it, all of these are made to their ends and compared.

use std::ops::Range;

use super::layout::Layout;
use super::prefixes::{BATCH_LANES, BlockPrefixes, Chunk, LANES, PREFIX_BITS};
use super::word::Word;
use crate::rules::{Symbol, Symmetry};
use crate::sorting;

/// The fewest bits of a prefix. With fewer, many images would share a prefix.
const LEAST_BITS: u32 = 16;

/// Finds the smallest of many images of a state.
#[derive(Debug, Clone)]
pub struct ManyImages {
    prefixes: BlockPrefixes,
}

impl ManyImages {
    /// Prepares symmetries. `chunks` are the cells of a word that are looked up at once, and `chunk` tells the chunk of
    /// some of them.
    pub fn new(
        sorted: &SortedSymmetries,
        layout: &Layout,
        chunks: &[Range<usize>],
        chunk: &dyn Fn(&Range<usize>) -> Chunk,
    ) -> Self {
        let (symmetries, prefix_cells) = (&sorted.symmetries, sorted.cells);
        let renamed = |symmetry: &Symmetry, code: u64| -> Symbol {
            // A code beyond the last symbol never occurs in a word.
            symmetry.symbols.get(code as usize).copied().unwrap_or(0)
        };
        let looked_up: Vec<Chunk> = chunks.iter().map(chunk).collect();
        let prefixes = BlockPrefixes::new(symmetries.len(), &looked_up, &|number, code, block| {
            std::array::from_fn(|lane| {
                let symmetry = symmetries.get(block * LANES + lane).unwrap_or(&symmetries[0]);
                let parts = chunks[number].clone().rev().enumerate().map(|(place, cell)| {
                    let (to, symbol) = (symmetry.cells[cell], code >> (place as u32 * layout.bits) & layout.mask);
                    let after = prefix_cells.checked_sub(to + 1)?;
                    Some(u32::from(renamed(symmetry, symbol)) << (after as u32 * layout.bits))
                });
                parts.flatten().fold(0, |prefix, part| prefix | part)
            })
        });
        Self { prefixes }
    }

    /// The canonical form of a state, which is its smallest image. `views` are those of its word, and `image` makes the
    /// image under the symmetry of a number.
    pub fn smallest<W: Word>(&self, views: &[u64], image: &dyn Fn(usize) -> W) -> W {
        let (mut prefix, mut smallest) = (u32::MAX, None);
        for batch in 0..self.prefixes.batches() {
            let found = self.prefixes.least(views, batch);
            if found.prefix <= prefix {
                let known = smallest.filter(|_| found.prefix == prefix);
                prefix = found.prefix;
                smallest = known.into_iter().chain(numbers(batch, found.lanes).map(image)).min();
            }
        }
        smallest.expect("one of the images is the smallest")
    }

    /// The number of symmetries that leave a state as it is. The identity must be the first symmetry. `views` are those
    /// of the word, and `is_fixed` tells whether the image under the symmetry of a number is the state itself.
    pub fn fixing(&self, views: &[u64], is_fixed: &dyn Fn(usize) -> bool) -> u64 {
        // The image under the identity is the state itself. Only images with its prefix are compared with it.
        let own = self.prefixes.first(views);
        let of_batch = |batch| {
            let lanes = self.prefixes.equal(views, batch, own) & !u64::from(batch == 0);
            numbers(batch, lanes).filter(|&at| is_fixed(at)).count() as u64
        };
        1 + (0..self.prefixes.batches()).map(of_batch).sum::<u64>()
    }
}

/// The numbers of the symmetries in some lanes of a batch.
fn numbers(batch: usize, mut lanes: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        (lanes != 0).then(|| {
            lanes &= lanes - 1;
            batch * BATCH_LANES + lane
        })
    })
}

/// Symmetries in an order in which their prefixes are found by few look-ups.
pub struct SortedSymmetries {
    pub symmetries: Vec<Symmetry>,
    /// The number of cells of a prefix.
    cells: usize,
}

impl SortedSymmetries {
    /// Sorts the symmetries so that those of a block look up few chunks for their prefixes: by the chunks from which
    /// the first cells of the image come. The identity stays the first symmetry. The number of cells of a prefix is
    /// chosen so that the look-ups are fewest. `chunks` has the cells of each chunk.
    pub fn new(symmetries: &[Symmetry], layout: &Layout, chunks: &[Range<usize>]) -> Self {
        let of_cells = |(chunk, cells): (usize, &Range<usize>)| cells.clone().map(move |_| chunk);
        let chunk_of: Vec<usize> = chunks.iter().enumerate().flat_map(of_cells).collect();
        let sorted = |cells: usize| {
            let sources = |symmetry: &Symmetry| {
                let mut sources = vec![0u64; chunks.len().div_ceil(64)];
                for (cell, _) in symmetry.cells.iter().enumerate().filter(|&(_, &to)| to < cells) {
                    sources[chunk_of[cell] / 64] |= 1 << (chunk_of[cell] % 64);
                }
                sources
            };
            let mut keyed: Vec<_> = symmetries.iter().map(sources).enumerate().collect();
            let first = keyed[0].1.clone();
            // Symmetries that look up the same chunks as the first one come first, so the first one stays in front.
            sorting::sort_by(&mut keyed, |(a, one), (b, other)| {
                (*one != first, one, a).cmp(&(*other != first, other, b))
            });
            let united = |block: &[(usize, Vec<u64>)]| -> u32 {
                (0..first.len()).map(|at| block.iter().fold(0, |all, (_, key)| all | key[at]).count_ones()).sum()
            };
            let look_ups = keyed.chunks(LANES).map(united).sum::<u32>() as usize;
            (look_ups, keyed.into_iter().map(|(at, _)| at).collect::<Vec<_>>())
        };
        let cells = layout.cells().min((PREFIX_BITS / layout.bits) as usize);
        let least = cells.min(LEAST_BITS.div_ceil(layout.bits) as usize);
        let best = (least..=cells).rev().map(|cells| (sorted(cells), cells)).min_by_key(|((look_ups, _), _)| *look_ups);
        let ((_, order), cells) = best.expect("an image has a first cell");
        Self { symmetries: order.into_iter().map(|at| symmetries[at].clone()).collect(), cells }
    }
}
