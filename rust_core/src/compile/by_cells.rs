//! Canonical forms without tables of images, for groups of many symmetries: the smallest image of a state is found cell
//! by cell.
//!
//! The theory is in `docs/enumeration.md`, "How it works".
//!
//! There are two ways. A [`RenamingAutomaton`] tries all symmetries together that differ only in how they rename
//! symbols. An [`ImageTree`] compares the cells of the images one after another. Both ways read the unpacked state, and
//! this file packs the image that they find.

use super::image_memo::MOST_CELLS;
use super::image_tree::{ImageTree, LeadingSymmetries};
use super::layout::Layout;
use super::renaming_automaton::RenamingAutomaton;
use super::word::Word;
use crate::rules::{Symbol, Symmetry};

/// A state of at most this many cells is unpacked on the stack, a larger one on the heap.
const FEW_CELLS: usize = 64;

/// Finds the smallest image of a state under a list of symmetries, without tables of images.
#[derive(Debug, Clone)]
pub struct ByCells {
    layout: Layout,
    way: CellWay,
}

#[derive(Debug, Clone)]
enum CellWay {
    /// Symmetries that move the cells alike are tried together. This is quick if most symmetries differ only in how
    /// they rename symbols.
    Renamed(RenamingAutomaton),
    /// The cells of all images are compared one after another.
    Compared(ImageTree),
}

impl ByCells {
    /// Prepares the automaton for a list of symmetries. `None` if the automaton would be too large, or if too few
    /// symmetries differ only in how they rename symbols.
    pub fn of_symbols(symmetries: &[Symmetry], layout: &Layout, symbols: usize) -> Option<Self> {
        let way = CellWay::Renamed(RenamingAutomaton::new(symmetries, symbols)?);
        Some(Self { layout: layout.clone(), way })
    }

    /// Prepares the comparison cell by cell, which works for symmetries of any kind.
    pub fn of_cells(symmetries: &[Symmetry], layout: &Layout, symbols: usize) -> Self {
        let way = CellWay::Compared(ImageTree::new(symmetries, layout.cells(), symbols));
        Self { layout: layout.clone(), way }
    }

    /// The cells of some states, with zeros after the last one; see [`ImageTree::smallest`].
    #[inline(never)]
    pub fn unpacked<W: Word>(&self, words: &[W]) -> Vec<Vec<Symbol>> {
        let unpacked = |&word: &W| {
            let mut state = vec![0; self.layout.cells().next_multiple_of(MOST_CELLS)];
            self.layout.unpack(word, &mut state);
            state
        };
        words.iter().map(unpacked).collect()
    }

    /// Remembers how images begin; see [`ImageTree::remembering`].
    pub fn remembering(self, states: &[Vec<Symbol>]) -> Self {
        let way = match self.way {
            CellWay::Compared(tree) => CellWay::Compared(tree.remembering(states)),
            renamed @ CellWay::Renamed(_) => renamed,
        };
        Self { way, ..self }
    }

    /// The smallest image of a state, which is its canonical form.
    pub fn smallest<W: Word>(&self, word: W) -> W {
        self.with_cells(word, &|state, image| {
            self.write(state, image);
            self.layout.pack(image)
        })
    }

    /// The number of symmetries that leave a state as it is. In a group, each image of a state comes from the same
    /// number of symmetries. So those that lead to the smallest image are counted.
    pub fn fixing<W: Word>(&self, word: W) -> u64 {
        self.with_cells(word, &|state, image| match &self.way {
            CellWay::Renamed(automaton) => automaton.smallest(state, image),
            CellWay::Compared(tree) => tree.leading(state, image),
        })
    }

    /// Finds the smallest images of some [unpacked](Self::unpacked) states, and returns the sums of what their searches
    /// told. `None` if symmetries are not compared cell by cell.
    pub fn tried(&self, states: &[Vec<Symbol>]) -> Option<LeadingSymmetries> {
        let CellWay::Compared(tree) = &self.way else { return None };
        let mut sums = LeadingSymmetries { count: 0, work: 0 };
        for state in states {
            let found = tree.smallest(state, &mut vec![0; state.len()]);
            sums = LeadingSymmetries { count: sums.count + found.count, work: sums.work + found.work };
        }
        Some(sums)
    }

    /// Calls `task` with the symbols of an unpacked state, and with a slice of the same length, into which an image can
    /// be written. Both have zeros after the last cell, up to a multiple of [`MOST_CELLS`].
    fn with_cells<W: Word, T>(&self, word: W, task: &dyn Fn(&[Symbol], &mut [Symbol]) -> T) -> T {
        let length = self.layout.cells().next_multiple_of(MOST_CELLS);
        let (mut few, mut more) = ([0; 2 * FEW_CELLS], Vec::new());
        let both = if length <= FEW_CELLS {
            &mut few[..2 * length]
        } else {
            more.resize(2 * length, 0);
            &mut more[..]
        };
        let (state, image) = both.split_at_mut(length);
        self.layout.unpack(word, state);
        task(state, image)
    }

    /// Writes the smallest image of a state.
    fn write(&self, state: &[Symbol], image: &mut [Symbol]) {
        match &self.way {
            CellWay::Renamed(automaton) => _ = automaton.smallest(state, image),
            CellWay::Compared(tree) => _ = tree.smallest(state, image),
        }
    }
}
