//! Guards and patterns as one mask-and-compare, with a look-up for each set of symbols that no mask can express.

use super::layout::Layout;
use super::word::{Slot, Word};
use crate::rules::{Pattern, Rules, SymbolSet};

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Guard<W> {
    mask: W,
    value: W,
    sets: Box<[(Slot, SymbolSet)]>,
    cell_mask: u64,
}

impl<W: Word> Guard<W> {
    /// Compiles a pattern.
    pub fn new(rules: &Rules, layout: &Layout, pattern: &Pattern) -> Self {
        let (mut mask, mut value, mut sets) = (W::ZERO, W::ZERO, Vec::new());
        for &(cell, set) in &pattern.0 {
            let slot = layout.slots[cell];
            match as_cube(set, rules.symbols.len(), layout.mask) {
                Some((fixed, bits)) => {
                    mask = mask.or(W::at(slot, fixed));
                    value = value.or(W::at(slot, bits));
                }
                None => sets.push((slot, set)),
            }
        }
        Self { mask, value, sets: sets.into(), cell_mask: layout.mask }
    }

    /// Whether a state satisfies the pattern.
    #[inline(always)]
    pub fn holds(&self, word: W) -> bool {
        word.and(self.mask).same(self.value)
            && (self.sets.is_empty()
                || self.sets.iter().all(|&(slot, set)| set.contains(word.bits(slot, self.cell_mask) as u8)))
    }

    /// Whether every state satisfies the pattern.
    pub fn is_trivial(&self) -> bool {
        self.mask == W::ZERO && self.sets.is_empty()
    }
}

/// The bits that the codes of a set have in common, and their values; `None` if another symbol has them, too. Codes
/// beyond the last symbol do not count. Of six symbols, 4 and 5 are those whose upper two of three bits are 10:
/// `(6, 4)`.
fn as_cube(set: SymbolSet, symbols: usize, code_mask: u64) -> Option<(u64, u64)> {
    let (all, any) =
        set.iter().fold((code_mask, 0), |(all, any), symbol| (all & u64::from(symbol), any | u64::from(symbol)));
    let fixed = code_mask & !(all ^ any);
    let cube: SymbolSet =
        (0..symbols).filter(|&code| code as u64 & fixed == all & fixed).map(|code| code as u8).collect();
    (cube == set).then_some((fixed, all & fixed))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube(set: &[u8], symbols: usize, mask: u64) -> Option<(u64, u64)> {
        as_cube(set.iter().copied().collect(), symbols, mask)
    }

    #[test]
    fn sets_become_masks_where_they_can() {
        assert_eq!(cube(&[2], 3, 3), Some((3, 2)));
        assert_eq!(cube(&[0, 1], 3, 3), Some((2, 0)));
        assert_eq!(cube(&[0, 2], 3, 3), Some((1, 0)));
        assert_eq!(cube(&[1, 2], 3, 3), None);
        assert_eq!(cube(&[4, 5], 6, 7), Some((6, 4)));
        assert_eq!(cube(&[1, 3, 5], 6, 7), Some((1, 1)));
    }
}
