//! Finds out which image of a state is the smallest, if there are many symmetries.
//!
//! The prefixes of all images are looked up, and nearly always one image alone has the smallest prefix. If several have
//! it, they are compared cell by cell. For words of more than 64 bits, the image that was found is also made cell by
//! cell: tables of whole images would not fit the caches that are near to the processor.

use std::ops::Range;

use super::cpu;
use super::layout::Layout;
use super::prefixes::{BATCH_LANES, BlockPrefixes, Chunk, LANES, PREFIX_BITS};
use super::word::{Slot, Word};
use crate::rules::{Symbol, Symmetry};
use crate::sorting;

/// The fewest bits of a prefix. With fewer, many images would share a prefix.
const LEAST_BITS: u32 = 16;

/// The number of bits of a [source](ManyImages::sources) that hold a shift.
const SHIFT_BITS: u32 = u64::BITS.ilog2();

/// Finds the smallest of many images of a state.
#[derive(Debug, Clone)]
pub struct ManyImages {
    prefixes: BlockPrefixes,
    /// The number of cells of a prefix.
    prefix_cells: usize,
    /// The number of cells.
    cells: usize,
    /// The number of bits of a cell, and a mask of so many bits.
    bits: u32,
    mask: u64,
    /// For each symmetry and each cell of its image, where the cell of the state is that goes there: the number of the
    /// [view](Word::Views), and below it in [`SHIFT_BITS`] bits the shift of the cell.
    sources: Vec<u16>,
    /// `renamed[at << bits | symbol]` is the symbol that symmetry `at` turns `symbol` into.
    renamed: Vec<Symbol>,
    pieces: Vec<Piece>,
    /// `true` if the identity is the first symmetry.
    with_identity: bool,
}

/// Neighbouring cells of one limb, at most as many as 64 bits hold, which are packed one after another.
#[derive(Debug, Clone)]
struct Piece {
    cells: Range<usize>,
    /// The place of the last of them in a word.
    slot: Slot,
}

impl ManyImages {
    /// Prepares symmetries. `chunks` are the cells of a word that are looked up at once, and `chunk` tells the chunk of
    /// some of them.
    pub fn new(
        sorted: &SortedSymmetries,
        layout: &Layout,
        with_identity: bool,
        chunks: &[Range<usize>],
        chunk: &dyn Fn(&Range<usize>) -> Chunk,
    ) -> Self {
        let (symmetries, prefix_cells, cells) = (&sorted.symmetries, sorted.cells, layout.cells());
        let renamed = |symmetry: &Symmetry, code: u64| {
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
        let mut sources = vec![0; symmetries.len() * cells];
        for (symmetry, sources) in symmetries.iter().zip(sources.chunks_mut(cells)) {
            for (from, &to) in layout.views.iter().zip(&symmetry.cells) {
                sources[to] = (from.limb << SHIFT_BITS) as u16 | from.shift as u16;
            }
        }
        let codes = |symmetry| (0..=layout.mask).map(move |code| renamed(symmetry, code));
        let renamed = symmetries.iter().flat_map(codes).collect();
        let mut pieces: Vec<Piece> = Vec::new();
        for (cell, &slot) in layout.slots.iter().enumerate() {
            match pieces.last_mut() {
                Some(piece)
                    if piece.slot.limb == slot.limb && (piece.cells.len() as u32 + 1) * layout.bits <= u64::BITS =>
                {
                    (piece.cells.end, piece.slot) = (cell + 1, slot);
                }
                _ => pieces.push(Piece { cells: cell..cell + 1, slot }),
            }
        }
        let (bits, mask) = (layout.bits, layout.mask);
        Self { prefixes, prefix_cells, cells, bits, mask, sources, renamed, pieces, with_identity }
    }

    /// The canonical form of a state, which is its smallest image.
    pub fn smallest<W: Word>(&self, word: W) -> W {
        let mut smallest = word;
        cpu::run(SmallestOfMany { of: self, word, smallest: &mut smallest });
        smallest
    }

    /// Does the same as [`Self::leading`]. It is inlined if there is one batch, unless the caller, whose words are of
    /// type `W`, is not compiled for AVX2.
    #[inline(always)]
    fn leading_inlined<W: Word>(&self, views: &[u64]) -> usize {
        if W::WIDE || self.prefixes.batches() > 1 {
            return self.leading(views);
        }
        let found = self.prefixes.least_inlined(views, 0);
        let first = found.lanes.trailing_zeros() as usize;
        if found.lanes.is_power_of_two() { first } else { self.leading_of_batch(views, 0, found.lanes, None) }
    }

    /// The number of a symmetry that leads to the smallest image of a state. `views` are those of its word.
    pub fn leading(&self, views: &[u64]) -> usize {
        let (mut prefix, mut leading) = (u32::MAX, None);
        for batch in 0..self.prefixes.batches() {
            let found = self.prefixes.least(views, batch);
            if found.prefix <= prefix {
                let known = leading.filter(|_| found.prefix == prefix);
                (prefix, leading) = (found.prefix, Some(self.leading_of_batch(views, batch, found.lanes, known)));
            }
        }
        leading.expect("one of the images is the smallest")
    }

    /// The number of a symmetry that leads to the smallest image. `lanes` are those of a batch with the smallest
    /// prefix, and `known` is a symmetry of a batch before that has the same prefix.
    #[inline(never)]
    fn leading_of_batch(&self, views: &[u64], batch: usize, lanes: u64, known: Option<usize>) -> usize {
        let smaller = |one, other| if self.is_smaller(other, one, views) { other } else { one };
        known.into_iter().chain(numbers(batch, lanes)).reduce(smaller).expect("a lane has the prefix that was found")
    }

    /// The symbol that a state holds in the cell of a [source](Self::sources).
    #[inline(always)]
    fn held(&self, source: u16, views: &[u64]) -> usize {
        (views[usize::from(source >> SHIFT_BITS)] >> (source % (1 << SHIFT_BITS)) & self.mask) as usize
    }

    /// The symbol in a cell of the image of a state.
    #[inline(always)]
    fn symbol(&self, symmetry: usize, cell: usize, views: &[u64]) -> Symbol {
        self.renamed[symmetry << self.bits | self.held(self.sources[symmetry * self.cells + cell], views)]
    }

    /// Returns `true` if the image under one symmetry is smaller than that under another one. Their prefixes are the
    /// same.
    fn is_smaller(&self, one: usize, other: usize, views: &[u64]) -> bool {
        let symbols = |cell| (self.symbol(one, cell, views), self.symbol(other, cell, views));
        let mut later = (self.prefix_cells..self.cells).map(symbols);
        later.find(|(one, other)| one != other).is_some_and(|(one, other)| one < other)
    }

    /// The number of symmetries that leave a state as it is. The identity must be the first symmetry.
    pub fn fixing<W: Word>(&self, word: W) -> u64 {
        self.fixing_views(word.views().as_ref())
    }

    fn fixing_views(&self, views: &[u64]) -> u64 {
        // The image under the identity is the state itself. Only images with its prefix are compared with it.
        let stays = |at, cell| self.symbol(at, cell, views) == self.symbol(0, cell, views);
        let fixes = |&at: &usize| (self.prefix_cells..self.cells).all(|cell| stays(at, cell));
        let own = self.prefixes.first(views);
        let of_batch = |batch| {
            let lanes = self.prefixes.equal(views, batch, own) & !u64::from(batch == 0);
            numbers(batch, lanes).filter(fixes).count() as u64
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

struct SmallestOfMany<'a, W> {
    of: &'a ManyImages,
    word: W,
    smallest: &'a mut W,
}

impl<W: Word> cpu::Task for SmallestOfMany<'_, W> {
    const GAINS_BY_AVX512: bool = false;
    const GAINS_BY_AVX2: bool = !W::WIDE;

    #[inline(always)]
    fn run(self) {
        let Self { of, word, smallest } = self;
        let all = word.views();
        let views = all.as_ref();
        let at = of.leading_inlined::<W>(views);
        if at == 0 && of.with_identity {
            return;
        }
        let mut image = W::ZERO;
        let sources = &of.sources[at * of.cells..][..of.cells];
        let renamed = &of.renamed[at << of.bits..];
        for piece in &of.pieces {
            let mut bits = 0;
            for &source in &sources[piece.cells.clone()] {
                bits = bits << of.bits | u64::from(renamed[of.held(source, views)]);
            }
            image.set(piece.slot, bits);
        }
        *smallest = image;
    }
}

/// Symmetries in an order in which their prefixes are found by few look-ups.
pub struct SortedSymmetries {
    pub symmetries: Vec<Symmetry>,
    /// The number of cells of a prefix.
    pub cells: usize,
    /// The number of rows that all blocks look up for the prefixes of a state.
    pub look_ups: usize,
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
        let ((look_ups, order), cells) = best.expect("an image has a first cell");
        Self { symmetries: order.into_iter().map(|at| symmetries[at].clone()).collect(), cells, look_ups }
    }
}
