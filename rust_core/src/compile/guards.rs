//! Guards and patterns as tests of a word. Most patterns are one mask and one comparison. A set of symbols that no mask
//! can express is looked up, and cells that must be equal or different are compared.
//!
//! The theory is in `docs/enumeration.md`, "How it works".

use super::layout::Layout;
use super::members::MembersTest;
use super::word::{Slot, Word};
use crate::rules::{Comparison, Condition, Goal, Pattern, Rules, SymbolSet};

/// A compiled guard, goal or end: a mask and a value that the word must have under the mask, and further tests.
#[derive(Debug)]
pub struct Guard<W> {
    mask: W,
    value: W,
    /// The tests that no mask can express. Most guards have none; then only the length of the list is read.
    tests: Box<[Test<W>]>,
    cell_mask: u64,
}

/// A test of a word that no mask can express.
#[derive(Debug)]
enum Test<W> {
    /// A cell must hold one of some symbols.
    Set(Slot, SymbolSet),
    /// Two cells must hold the same symbol.
    Equal(Slot, Slot),
    /// Two cells must hold different symbols.
    Different(Slot, Slot),
    /// In each pair, the bits under the first word, a mask, must differ from the second word, a value.
    Unless(Box<[(W, W)]>),
    /// A state must not satisfy a pattern that no mask can express.
    Not(Box<Guard<W>>),
    /// The number of cells that hold one of some symbols must be within bounds, or a path of such cells must join two
    /// sides.
    Members(Box<MembersTest>),
}

impl<W: Word> Test<W> {
    fn holds(&self, word: W, cell_mask: u64) -> bool {
        match self {
            Self::Set(slot, set) => set.contains(word.bits(*slot, cell_mask) as u8),
            Self::Equal(one, other) => are_equal(word, *one, *other, cell_mask),
            Self::Different(one, other) => !are_equal(word, *one, *other, cell_mask),
            Self::Unless(patterns) => none_holds(word, patterns),
            Self::Not(guard) => !guard.holds(word),
            Self::Members(members) => members.holds(word.views().as_ref()),
        }
    }
}

/// Returns `true` if none of some patterns holds, each given as a mask and a value.
fn none_holds<W: Word>(word: W, patterns: &[(W, W)]) -> bool {
    patterns.iter().all(|&(mask, value)| !word.masked_is(mask, value))
}

/// Returns `true` if two cells hold the same symbol.
fn are_equal<W: Word>(word: W, one: Slot, other: Slot, cell_mask: u64) -> bool {
    word.bits(one, cell_mask) == word.bits(other, cell_mask)
}

impl<W: Word> Guard<W> {
    /// Compiles a goal into one guard: its pattern and its conditions.
    pub fn of_goal(rules: &Rules, layout: &Layout, goal: &Goal) -> Self {
        Self::new(rules, layout, &goal.when, &[], &goal.conditions)
    }

    /// Compiles a pattern together with the comparisons and conditions that must hold as well.
    pub fn new(
        rules: &Rules,
        layout: &Layout,
        pattern: &Pattern,
        compares: &[Comparison],
        conditions: &[Condition],
    ) -> Self {
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
        let mut unless = Vec::new();
        for condition in conditions {
            match condition {
                Condition::Unless(pattern) => {
                    let guard = Self::new(rules, layout, pattern, &[], &[]);
                    if guard.tests.is_empty() {
                        unless.push(guard.masked());
                    } else {
                        tests.push(Test::Not(Box::new(guard)));
                    }
                }
                Condition::Count(count) => tests.push(Test::Members(Box::new(MembersTest::count(layout, count)))),
                Condition::Connection(path) => {
                    tests.push(Test::Members(Box::new(MembersTest::connection(layout, path))));
                }
            }
        }
        if !unless.is_empty() {
            tests.insert(0, Test::Unless(unless.into()));
        }
        Self { mask, value, tests: tests.into(), cell_mask: layout.mask }
    }

    /// Returns `true` if a state satisfies the pattern and all further tests.
    #[inline(always)]
    pub fn holds(&self, word: W) -> bool {
        word.masked_is(self.mask, self.value) && (self.tests.is_empty() || self.tests_hold(word))
    }

    /// Returns `true` if a state satisfies all further tests. This function is not inlined: most guards have none, and
    /// each loop that tries moves would have the code of all kinds of tests.
    #[inline(never)]
    fn tests_hold(&self, word: W) -> bool {
        // Nearly all moves and ends that have further tests have just one of these. It takes no table of kinds.
        match &*self.tests {
            [Test::Unless(patterns)] => return none_holds(word, patterns),
            [Test::Members(members)] => return members.holds(word.views().as_ref()),
            _ => {}
        }
        self.tests.iter().all(|test| test.holds(word, self.cell_mask))
    }

    /// The work of testing a state: 1 for the mask and, if the state passes it, `slow` for each count or connection.
    pub fn work(&self, word: W, slow: usize) -> usize {
        let tests = self.tests.iter().filter(|test| matches!(test, Test::Members(_)));
        1 + if word.masked_is(self.mask, self.value) { tests.count() * slow } else { 0 }
    }

    /// The mask, and the value that a word must have under it.
    pub fn masked(&self) -> (W, W) {
        (self.mask, self.value)
    }

    /// Returns `true` if the mask and the value express all that is tested.
    pub fn is_masked(&self) -> bool {
        self.tests.is_empty()
    }

    /// Returns `true` if every state passes, because nothing is tested.
    pub fn is_trivial(&self) -> bool {
        self.mask == W::ZERO && self.tests.is_empty()
    }
}

/// Finds a mask and a value that distinguish the symbols of a set from all others: the code of a symbol, under the
/// mask, equals the value exactly if the symbol is in the set. `None` if no mask does this. Codes that no symbol has
/// may match as well. For example, of six symbols with three bits each, 4 and 5 are the ones whose upper two bits are
/// 10, so the mask is 6 and the value 4.
pub(super) fn as_cube(set: SymbolSet, symbols: usize, code_mask: u64) -> Option<(u64, u64)> {
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
