//! The smallest image of a state cell by cell, for symmetries whose tables of images would not stay in the cache.
//!
//! The theory is in `docs/enumeration.md`, "How it works".
//!
//! The first cell of an image comes from one of a few cells of the state. So the symmetries are listed by that cell and
//! by the symbol in it, and only those that give the smallest first symbol are looked at further. At each next cell,
//! those are kept that give the smallest symbol. Take the state `ba cd` of four cells, and the rotations of the square.
//! One of the four images begins with `a`, so it is the smallest one, and no other is looked at.
//!
//! Nothing here depends on the width of words, so it is compiled once for all of them.

use crate::rules::{Symbol, Symmetry};

/// Symmetries as lists of cells and symbols.
#[derive(Debug, Clone)]
pub struct CellImages {
    /// The number of symmetries.
    order: usize,
    /// For each cell of an image, and each symmetry: the cell of the state from which the symbol comes.
    sources: Vec<u16>,
    /// For each symbol, and each symmetry: the symbol that it becomes.
    renamed: Vec<Symbol>,
    /// The first cells of images, for each symbol that a cell of the state may hold.
    first: Vec<FirstCell>,
    /// The symmetries of all first cells, one after another.
    listed: Vec<u16>,
}

/// The symmetries that give the smallest symbol to the first cell of an image, from one cell of the state that holds
/// one symbol.
#[derive(Debug, Clone)]
struct FirstCell {
    /// The cell of the state, and the symbol in it.
    source: u16,
    held: Symbol,
    /// The symbol that it becomes.
    least: Symbol,
    /// The place of the symmetries in the list of all.
    begin: u32,
    end: u32,
}

impl CellImages {
    /// The images under symmetries of a board with cells and symbols. A group has at most 4,096 of them.
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

    /// Writes the smallest image of a state into `smallest`, and returns the number of symmetries that lead there. Both
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
