//! The smallest image of a state, found cell by cell, for symmetries whose tables of images would not fit the cache.
//!
//! The theory is in `docs/enumeration.md`, "How it works".
//!
//! All images are compared at once, cell by cell: only the images with the smallest symbol in their first cell are
//! kept, of these only the ones with the smallest symbol in their second cell, and so on. Most images drop out at the
//! first cell. So that this takes no time, the symmetries are listed by the cell of the state that they carry to the
//! first cell of the image, and by the symbol that this cell may hold.
//!
//! For example, take the state `ba/cd` of four cells and the four rotations of the square. Only one image begins with
//! `a`, so it is the smallest, and the others are never looked at.
//!
//! Nothing here depends on the width of words, so it is compiled once for all of them.

use crate::rules::{Symbol, Symmetry};

/// A list of symmetries, prepared for the comparison cell by cell.
#[derive(Debug, Clone)]
pub struct CellImages {
    /// The number of symmetries.
    order: usize,
    /// `sources[cell * order + at]` is the cell of the state whose symbol goes to `cell` of the image under symmetry
    /// `at`.
    sources: Vec<u16>,
    /// `renamed[symbol * order + at]` is the symbol that symmetry `at` turns `symbol` into.
    renamed: Vec<Symbol>,
    /// One entry for each cell that some symmetry carries to the first cell of an image, and each symbol that it may
    /// hold.
    first: Vec<FirstCell>,
    /// The symmetries of all entries of [`Self::first`], by their numbers, one entry after another.
    listed: Vec<u16>,
}

/// A cell of the state, a symbol that it may hold, and some of the symmetries that carry this cell to the first cell of
/// the image: those under which the symbol becomes the smallest possible one. If the first symbol of the smallest image
/// comes from this cell, one of these symmetries gives that image.
#[derive(Debug, Clone)]
struct FirstCell {
    /// The cell of the state, and the symbol that it holds.
    source: u16,
    held: Symbol,
    /// The smallest symbol that this symbol becomes under symmetries which carry the cell to the first cell.
    least: Symbol,
    /// The range in [`CellImages::listed`] where the numbers of these symmetries are.
    begin: u32,
    end: u32,
}

impl CellImages {
    /// Prepares symmetries of a board with `cells` cells and `symbols` symbols. A group has at most 4,096 symmetries.
    pub fn new(symmetries: &[Symmetry], cells: usize, symbols: usize) -> Self {
        let order = symmetries.len();
        let (mut sources, mut renamed) = (vec![0; cells * order], vec![0; symbols * order]);
        for (at, symmetry) in symmetries.iter().enumerate() {
            symmetry.cells.iter().enumerate().for_each(|(from, &to)| sources[to * order + at] = from as u16);
            symmetry.symbols.iter().enumerate().for_each(|(from, &to)| renamed[from * order + at] = to);
        }
        let mut made = Self { order, sources, renamed, first: Vec::new(), listed: Vec::new() };
        for source in 0..cells as u16 {
            let leading: Vec<usize> = (0..order).filter(|&at| made.sources[at] == source).collect();
            for held in 0..symbols {
                let image = |&at: &usize| made.renamed[held * order + at];
                let Some(least) = leading.iter().map(image).min() else { break };
                let begin = made.listed.len() as u32;
                made.listed.extend(leading.iter().filter(|at| image(at) == least).map(|&at| at as u16));
                let end = made.listed.len() as u32;
                made.first.push(FirstCell { source, held: held as Symbol, least, begin, end });
            }
        }
        made
    }

    /// Writes the smallest image of a state into `smallest`, and returns the number of symmetries that lead to it. Both
    /// slices have a symbol for each cell.
    pub fn smallest(&self, state: &[Symbol], smallest: &mut [Symbol]) -> u64 {
        let (mut left, mut symbols) = (Vec::with_capacity(self.order), Vec::with_capacity(self.order));
        let mut least = Symbol::MAX;
        for first in &self.first {
            if state[usize::from(first.source)] != first.held || first.least > least {
                continue;
            }
            if first.least < least {
                left.clear();
                least = first.least;
            }
            left.extend_from_slice(&self.listed[first.begin as usize..first.end as usize]);
        }
        smallest[0] = least;
        for (cell, sources) in self.sources.chunks_exact(self.order).enumerate().skip(1) {
            symbols.clear();
            symbols.extend(left.iter().map(|&at| {
                let held = state[usize::from(sources[usize::from(at)])];
                self.renamed[usize::from(held) * self.order + usize::from(at)]
            }));
            let least = symbols.iter().copied().min().unwrap_or(Symbol::MAX);
            let mut each = symbols.iter();
            left.retain(|_| each.next() == Some(&least));
            smallest[cell] = least;
        }
        left.len() as u64
    }
}
