//! Canonical forms of states under many symmetries that have no tables: the smallest image is found cell by cell.
//!
//! The theory is in `docs/enumeration.md`, "How it works".
//!
//! Symmetries that differ only in the names of symbols are tried at once, by a [`RenamingAutomaton`]. The cells of
//! other images are compared one after another ([`CellImages`]). A state is unpacked for both, and its smallest image
//! is packed again.

use super::cell_images::CellImages;
use super::layout::Layout;
use super::renaming_automaton::RenamingAutomaton;
use super::word::Word;
use crate::rules::{Symbol, Symmetry};

/// States of at most this many cells are unpacked on the stack.
const FEW_CELLS: usize = 64;

/// A list of symmetries that have no tables.
#[derive(Debug, Clone)]
pub struct ByCells {
    layout: Layout,
    way: CellWay,
}

#[derive(Debug, Clone)]
enum CellWay {
    /// Most symmetries differ only in the names of symbols.
    Renamed(RenamingAutomaton),
    /// The cells of images are compared one after another.
    Compared(CellImages),
}

impl ByCells {
    /// Symmetries of which most differ only in the names of symbols; `None` if they do not.
    pub fn of_symbols(symmetries: &[Symmetry], layout: &Layout, symbols: usize) -> Option<Self> {
        let way = CellWay::Renamed(RenamingAutomaton::new(symmetries, symbols)?);
        Some(Self { layout: layout.clone(), way })
    }

    /// Symmetries of any kind.
    pub fn of_cells(symmetries: &[Symmetry], layout: &Layout, symbols: usize) -> Self {
        let way = CellWay::Compared(CellImages::new(symmetries, layout.cells(), symbols));
        Self { layout: layout.clone(), way }
    }

    /// The smallest image of a state.
    pub fn smallest<W: Word>(&self, word: W) -> W {
        self.with_cells(word, &|state, image| {
            self.write(state, image);
            self.layout.pack(image)
        })
    }

    /// The number of symmetries that do not change a state: as many lead to any one image of it.
    pub fn fixing<W: Word>(&self, word: W) -> u64 {
        self.with_cells(word, &|state, image| self.write(state, image))
    }

    /// Calls `task` with the symbols of a state, and with as many symbols for its image.
    fn with_cells<W: Word, T>(&self, word: W, task: &dyn Fn(&[Symbol], &mut [Symbol]) -> T) -> T {
        let cells = self.layout.cells();
        let (mut few, mut more) = ([0; 2 * FEW_CELLS], Vec::new());
        let both = if cells <= FEW_CELLS {
            &mut few[..2 * cells]
        } else {
            more.resize(2 * cells, 0);
            &mut more[..]
        };
        let (state, image) = both.split_at_mut(cells);
        self.layout.unpack(word, state);
        task(state, image)
    }

    /// Writes the smallest image of a state, and returns the number of symmetries that lead there.
    fn write(&self, state: &[Symbol], image: &mut [Symbol]) -> u64 {
        match &self.way {
            CellWay::Renamed(automaton) => automaton.smallest(state, image),
            CellWay::Compared(images) => images.smallest(state, image),
        }
    }
}
