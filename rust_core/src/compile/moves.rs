//! The effects of moves as a handful of bit operations on the whole word, whichever cells they read and write.
//!
//! The theory is in `docs/enumeration.md`, "How it works".

use super::layout::Layout;
use super::word::{LimbRotation, Slot, Word};
use crate::rules::{Move, Rules, Source, SymbolMap, SymbolSet};

/// The effect of a move on a state that satisfies the move's guard.
#[derive(Debug, Clone)]
pub enum Effect<W> {
    /// Flips these bits, and nothing else. That is enough for a move whose guard fixes the symbol of each written cell,
    /// such as "put `X` in an empty cell", and for one that flips the same bits of every symbol, such as a toggle.
    Flip(W),
    /// Keeps some bits, shifts others by fixed distances, and then flips some.
    Shift {
        /// A mask of the bits that the move leaves as they are.
        keep: W,
        /// The bits that are shifted, as masks, each with the distance of its shift. The list is empty if a word has
        /// several limbs.
        terms: Box<[(W, i32)]>,
        /// The bits that are flipped after the shifts.
        flip: W,
    },
    /// Does the same as [`Self::Shift`], then copies bits between limbs, and copies single cells through maps.
    Copy {
        /// A mask of the bits that the move leaves as they are.
        keep: W,
        /// The bits that are shifted, as masks, each with the distance of its shift. The list is empty if a word has
        /// several limbs.
        terms: Box<[(W, i32)]>,
        /// The bits that are flipped after the shifts.
        flip: W,
        /// The cells that are copied unchanged, in a word of several limbs. One rotation copies all cells that move by
        /// the same distance between the same limbs.
        rotations: Box<[LimbRotation]>,
        /// The cells that are copied through a map. The mask `keep` clears the cells to which they go.
        copies: Box<[CellCopy]>,
        /// As many ones as a cell has bits, at the bottom.
        mask: u64,
    },
}

/// Copies the symbol of one cell to another cell, or back to the same one, and changes it by a map on the way.
#[derive(Debug, Clone)]
pub struct CellCopy {
    from: Slot,
    to: Slot,
    map: SymbolMap,
}

impl<W: Word> Effect<W> {
    /// Compiles the effect of a move. In `all`, the bits of all cells are set.
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
                                // If the map flips the same bits of every symbol, the cell is copied unchanged, and the
                                // bits are flipped afterwards.
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

    /// The state that the move leads to.
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

/// Finds the bits that `map` flips in every symbol of `domain`. `None` if it does not flip the same bits in all of
/// them. For example, a map that exchanges 0 with 1, and 2 with 3, flips the lowest bit. Without a map, no bit is
/// flipped.
fn map_as_flip(domain: SymbolSet, map: Option<&SymbolMap>, symbols: usize) -> Option<u8> {
    let Some(map) = map else { return Some(0) };
    let mut differences =
        domain.iter().take_while(|&symbol| (symbol as usize) < symbols).map(|symbol| symbol ^ map[symbol as usize]);
    let first = differences.next()?;
    differences.all(|difference| difference == first).then_some(first)
}
