//! Guards and patterns as one mask-and-compare, with a look-up for each set of symbols that no mask can express, and a
//! comparison of bits for each two cells that must be equal or different.

use super::layout::Layout;
use super::word::{Slot, Word};
use crate::rules::{Comparison, Pattern, Rules, SymbolSet};

/// A compiled pattern.
#[derive(Debug, Clone)]
pub struct Guard<W> {
    mask: W,
    value: W,
    /// What no mask can express. It is one list, so that guards without such tests pay for no more than one look at it.
    tests: Box<[Test]>,
    cell_mask: u64,
}

/// A test of a word that no mask can express.
#[derive(Debug, Clone, Copy)]
enum Test {
    /// A cell must hold one of some symbols.
    Set(Slot, SymbolSet),
    /// Two cells must hold the same symbol.
    Equal(Slot, Slot),
    /// Two cells must hold different symbols.
    Different(Slot, Slot),
}

impl Test {
    #[inline(always)]
    fn holds<W: Word>(&self, word: W, cell_mask: u64) -> bool {
        match self {
            Self::Set(slot, set) => set.contains(word.bits(*slot, cell_mask) as u8),
            Self::Equal(one, other) => are_equal(word, *one, *other, cell_mask),
            Self::Different(one, other) => !are_equal(word, *one, *other, cell_mask),
        }
    }
}

/// Whether two cells hold the same symbol. It is kept out of the loops that try moves, most of which compare nothing.
#[inline(never)]
fn are_equal<W: Word>(word: W, one: Slot, other: Slot, cell_mask: u64) -> bool {
    word.bits(one, cell_mask) == word.bits(other, cell_mask)
}

impl<W: Word> Guard<W> {
    /// Compiles a pattern.
    pub fn new(rules: &Rules, layout: &Layout, pattern: &Pattern) -> Self {
        Self::comparing(rules, layout, pattern, &[])
    }

    /// Compiles a pattern, and comparisons that must hold as well.
    pub fn comparing(rules: &Rules, layout: &Layout, pattern: &Pattern, compares: &[Comparison]) -> Self {
        let (mut mask, mut value, mut tests) = (W::ZERO, W::ZERO, Vec::new());
        for &(cell, set) in &pattern.0 {
            let slot = layout.slots[cell];
            match as_cube(set, rules.symbols.len(), layout.mask) {
                Some((fixed, bits)) => {
                    mask = mask.or(W::at(slot, fixed));
                    value = value.or(W::at(slot, bits));
                }
                None => tests.push(Test::Set(slot, set)),
            }
        }
        tests.extend(compares.iter().map(|compare| {
            let (one, other) = (layout.slots[compare.first], layout.slots[compare.second]);
            if compare.equal { Test::Equal(one, other) } else { Test::Different(one, other) }
        }));
        Self { mask, value, tests: tests.into(), cell_mask: layout.mask }
    }

    /// Whether a state satisfies the pattern.
    #[inline(always)]
    pub fn holds(&self, word: W) -> bool {
        word.and(self.mask).same(self.value)
            && (self.tests.is_empty() || self.tests.iter().all(|test| test.holds(word, self.cell_mask)))
    }

    /// Whether every state satisfies the pattern.
    pub fn is_trivial(&self) -> bool {
        self.mask == W::ZERO && self.tests.is_empty()
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
