//! How the cells of a state lie in a packed word.

use super::word::{Slot, Word};
use crate::rules::{Rules, Symbol};

/// How many bits hold a symbol.
pub fn symbol_bits(symbols: usize) -> u32 {
    (usize::BITS - (symbols - 1).leading_zeros()).max(1)
}

/// Which bits hold which cell. A cell takes [`symbol_bits`] bits, cell 0 is on top, and no cell is split between two
/// integers of an array.
#[derive(Debug, Clone)]
pub struct Layout {
    /// How many bits a cell takes.
    pub bits: u32,
    /// The bits of one cell, moved to the bottom.
    pub mask: u64,
    /// Where each cell lies.
    pub slots: Vec<Slot>,
    /// How many symbols there are.
    symbols: usize,
}

impl Layout {
    /// The layout of the rules' states in words of type `W`, or `None` if they do not fit.
    pub fn new<W: Word>(rules: &Rules) -> Option<Self> {
        let bits = symbol_bits(rules.symbols.len());
        let per_limb = (W::LIMB_BITS / bits) as usize;
        let cells = rules.cells();
        // A word of one integer is filled from the bottom, so that small boards give small numbers.
        let first = if W::LIMBS == 1 { cells } else { per_limb };
        if cells > per_limb * W::LIMBS {
            return None;
        }
        let slots = (0..cells)
            .map(|cell| Slot { limb: cell / first, shift: (first - 1 - cell % first) as u32 * bits })
            .collect();
        Some(Self { bits, mask: (1 << bits) - 1, slots, symbols: rules.symbols.len() })
    }

    /// How many cells a state has.
    pub fn cells(&self) -> usize {
        self.slots.len()
    }

    /// A word with `symbol` in one cell and zero elsewhere.
    pub fn field<W: Word>(&self, cell: usize, symbol: Symbol) -> W {
        W::at(self.slots[cell], u64::from(symbol))
    }

    /// The bits of one cell.
    pub fn cell_mask<W: Word>(&self, cell: usize) -> W {
        W::at(self.slots[cell], self.mask)
    }

    /// The symbol in a cell.
    #[inline(always)]
    pub fn get<W: Word>(&self, word: W, cell: usize) -> Symbol {
        word.bits(self.slots[cell], self.mask) as Symbol
    }

    /// Whether a word is that of a state: every cell holds a symbol, and no other bit is set.
    pub fn fits<W: Word>(&self, word: W) -> bool {
        let mut rest = word;
        (0..self.cells()).all(|cell| {
            rest = rest.and(self.cell_mask::<W>(cell).not());
            (self.get(word, cell) as usize) < self.symbols
        }) && rest == W::ZERO
    }

    /// Packs a state.
    pub fn pack<W: Word>(&self, cells: &[Symbol]) -> W {
        cells.iter().enumerate().fold(W::ZERO, |word, (cell, &symbol)| word.or(self.field(cell, symbol)))
    }

    /// Unpacks a state into a slice that has one symbol for each cell.
    pub fn unpack<W: Word>(&self, word: W, cells: &mut [Symbol]) {
        for (cell, symbol) in cells.iter_mut().enumerate() {
            *symbol = self.get(word, cell);
        }
    }
}
