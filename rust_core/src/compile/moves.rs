//! Moves as a handful of bit operations on the whole word, whichever cells they read and write.
//!
//! The theory is in `docs/enumeration.md`, "How it works".

use super::layout::Layout;
use super::word::{LimbRotation, Slot, Word};
use crate::rules::{Move, Rules, Source, SymbolMap, SymbolSet};

/// The effect of a move on a state that satisfies its guard.
#[derive(Debug, Clone)]
pub enum Effect<W> {
    /// Flips these bits. That is enough if the guard fixes the symbol of each written cell, or if each new symbol
    /// differs from the old one in the same bits, whichever it is.
    Flip(W),
    /// Keeps some bits, shifts others by fixed distances, then flips some.
    Shift {
        /// The bits that stay.
        keep: W,
        /// Masks of the bits that are shifted, each with its distance.
        terms: Box<[(W, i32)]>,
        /// The bits that are flipped afterwards.
        flip: W,
    },
    /// Does the same as [`Self::Shift`], then copies bits from integer to integer, and single cells.
    Copy {
        /// The bits that stay.
        keep: W,
        /// Masks of the bits that are shifted, each with its distance.
        terms: Box<[(W, i32)]>,
        /// The bits that are flipped afterwards.
        flip: W,
        /// Cells that are copied unchanged, if a word has several integers. Cells with the same distance are copied
        /// together.
        rotations: Box<[LimbRotation]>,
        /// Cells that are copied through a map. The written cells are zero before.
        copies: Box<[CellCopy]>,
        /// The bits of one cell, at the bottom.
        mask: u64,
    },
}

/// The copy of one cell, through a map.
#[derive(Debug, Clone)]
pub struct CellCopy {
    from: Slot,
    to: Slot,
    map: SymbolMap,
}

impl<W: Word> Effect<W> {
    /// Compiles the effect of a move. `all` has the bits of all cells.
    pub fn new(rules: &Rules, layout: &Layout, all: W, given: &Move) -> Self {
        let symbols = rules.symbols.len();
        let mut keep = all;
        let (mut flip, mut terms, mut copies) = (W::ZERO, Vec::<(W, i32)>::new(), Vec::new());
        let mut rotations = Vec::new();
        for (to, source) in &given.then {
            let known = given.when.get(*to).and_then(SymbolSet::single);
            match (source, known) {
                (Source::Symbol(new), Some(old)) => flip = flip.or(layout.field(*to, new ^ old)),
                (Source::Symbol(new), None) => {
                    keep = keep.and(layout.cell_mask::<W>(*to).not());
                    flip = flip.or(layout.field(*to, *new));
                }
                (Source::Copy(from, map), _) => {
                    let difference = map_as_flip(given.when.allowed(*from, symbols), map.as_ref(), symbols);
                    match difference {
                        Some(difference) if from == to => flip = flip.or(layout.field(*to, difference)),
                        Some(difference) if W::LIMBS == 1 => {
                            keep = keep.and(layout.cell_mask::<W>(*to).not());
                            flip = flip.or(layout.field(*to, difference));
                            let distance =
                                layout.slots[*to].shift.cast_signed() - layout.slots[*from].shift.cast_signed();
                            let mask = layout.cell_mask::<W>(*from);
                            match terms.iter_mut().find(|term| term.1 == distance) {
                                Some(term) => term.0 = term.0.or(mask),
                                None => terms.push((mask, distance)),
                            }
                        }
                        _ => {
                            keep = keep.and(layout.cell_mask::<W>(*to).not());
                            let (source, place) = (layout.slots[*from], layout.slots[*to]);
                            match (difference, map) {
                                (None, Some(map)) => {
                                    copies.push(CellCopy { from: source, to: place, map: map.clone() });
                                }
                                // A map that flips the same bits of all symbols is a copy and a flip.
                                (difference, _) => {
                                    flip = flip.or(layout.field(*to, difference.unwrap_or(0)));
                                    LimbRotation::add(&mut rotations, source, place, layout.mask);
                                }
                            }
                        }
                    }
                }
            }
        }
        let terms = terms.into();
        if !copies.is_empty() || !rotations.is_empty() {
            Self::Copy { keep, terms, flip, rotations: rotations.into(), copies: copies.into(), mask: layout.mask }
        } else if keep == all {
            Self::Flip(flip)
        } else {
            Self::Shift { keep, terms, flip }
        }
    }

    /// The state after the move.
    #[inline(always)]
    pub fn apply(&self, word: W) -> W {
        match self {
            Self::Flip(flip) => word.xor(*flip),
            Self::Shift { keep, terms, flip } => shift(word, *keep, terms, *flip),
            Self::Copy { keep, terms, flip, rotations, copies, mask } => {
                let mut after = shift(word, *keep, terms, *flip);
                if W::LIMBS > 1 {
                    for rotation in rotations {
                        after.xor_rotated(word, *rotation);
                    }
                }
                for copy in copies {
                    let symbol = u64::from(copy.map[word.bits(copy.from, *mask) as usize]);
                    after = after.or(W::at(copy.to, symbol));
                }
                after
            }
        }
    }
}

#[inline(always)]
fn shift<W: Word>(word: W, keep: W, terms: &[(W, i32)], flip: W) -> W {
    let mut after = word.and(keep);
    if W::LIMBS == 1 {
        for &(mask, distance) in terms {
            after = after.or(word.and(mask).shifted(distance));
        }
    }
    after.xor(flip)
}

/// The constant whose exclusive or with any symbol in `domain` is the symbol's image; `None` if there is none.
fn map_as_flip(domain: SymbolSet, map: Option<&SymbolMap>, symbols: usize) -> Option<u8> {
    let Some(map) = map else { return Some(0) };
    let mut differences =
        domain.iter().take_while(|&symbol| (symbol as usize) < symbols).map(|symbol| symbol ^ map[symbol as usize]);
    let first = differences.next()?;
    differences.all(|difference| difference == first).then_some(first)
}
