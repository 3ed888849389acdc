//! The effects of moves as a handful of bit operations on the whole word, whichever cells they read and write.
//!
//! The theory is in `docs/enumeration.md`, "How it works".

use std::sync::Arc;

use super::layout::Layout;
use super::word::{LimbRotation, Slot, Word};
use crate::rules::{Move, Rules, Source, SymbolMap, SymbolSet};

/// The effect of a move on a state that satisfies the move's guard.
#[derive(Debug)]
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
    /// Keeps some bits, moves cells on to later symbols and from the last one to the first, and then flips some bits.
    /// It is for moves such as "put one more seed into each of these pits", in words of one integer.
    Advance(Arc<CellCircles<W>>),
    /// Does the same as [`Self::Shift`], then copies bits between limbs, and copies single cells through maps. It is
    /// boxed, since it is rare and large: more moves of the other kinds fit the cache.
    Copy(Box<CellCopies<W>>),
}

/// The data of [`Effect::Copy`].
#[derive(Debug)]
pub struct CellCopies<W> {
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
}

/// Copies the symbol of one cell to another cell, or back to the same one, and changes it by a map on the way.
#[derive(Debug, Clone)]
pub struct CellCopy {
    from: Slot,
    to: Slot,
    map: SymbolMap,
}

/// Cells that go on in the circle of all symbols, each by a distance of its own. All of them advance at once.
///
/// As numbers, the distances are added. A cell that has passed the last symbol then holds a number that is too large by
/// the number of symbols, which is subtracted. What overflows a cell on the way is taken back by that.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CellCircles<W> {
    /// A mask of the bits that are kept, those of the cells among them.
    keep: W,
    /// The bits that are flipped in the end.
    flip: W,
    /// The distances.
    distances: W,
    /// For each cell: what is added to its code, so that the sum needs one bit more than a cell has just if the cell
    /// passes the last symbol.
    missing: W,
    /// All bits of these cells but the top ones.
    rest: W,
    /// The top bits of these cells.
    top: W,
    /// The distance from the top bit of a cell to its lowest one, downwards.
    to_lowest: i32,
    symbols: u64,
}

impl<W: Word> CellCircles<W> {
    /// The circles of some cells, each with its distance: at least 1, and less than the number of symbols.
    fn new(layout: &Layout, symbols: usize, keep: W, flip: W, cells: &[(usize, u8)]) -> Self {
        let every = |number: &dyn Fn(u64) -> u64| {
            cells.iter().fold(W::ZERO, |word, &(cell, by)| word.or(W::at(layout.slots[cell], number(u64::from(by)))))
        };
        Self {
            keep,
            flip,
            distances: every(&|by| by),
            missing: every(&|by| layout.mask + 1 - symbols as u64 + by),
            rest: every(&|_| layout.mask >> 1),
            top: every(&|_| layout.mask ^ layout.mask >> 1),
            to_lowest: 1 - layout.bits.cast_signed(),
            symbols: symbols as u64,
        }
    }

    /// The word after its cells have advanced. Most loops over moves call this: they all would have this code, and few
    /// moves need it.
    #[inline(never)]
    fn advance(&self, word: W) -> W {
        self.advance_inlined(word)
    }

    #[inline(always)]
    fn advance_inlined(&self, word: W) -> W {
        let word = word.and(self.keep);
        // A cell passes the last symbol if its code and what is missing need one bit more than a cell has. The sum is
        // taken without the top bits, so that nothing is carried into the next cell; see `Layout::fit_all`.
        let sum = word.and(self.rest).add(self.missing.and(self.rest));
        let passed = word.and(self.missing).or(word.or(self.missing).and(sum)).and(self.top);
        word.add(self.distances).minus(passed.shifted(self.to_lowest), self.symbols).xor(self.flip)
    }
}

/// The part of the work on an effect that does not depend on the width of words.
#[derive(Default)]
struct EffectPlan {
    /// The written cells whose old bits are cleared first.
    cleared: Vec<usize>,
    /// Cells, each with the bits that are flipped there, written as the bits of a symbol.
    flips: Vec<(usize, u8)>,
    /// Cells that are copied by shifting the word, each with the distance of the shift.
    shifts: Vec<(usize, i32)>,
    rotations: Vec<LimbRotation>,
    copies: Vec<CellCopy>,
    /// Cells that advance in the circle of all symbols, each with the distance.
    circles: Vec<(usize, u8)>,
}

impl EffectPlan {
    /// Plans the effect of a move. `shifts` is `true` if words can be shifted, because they are one integer. Only such
    /// words have circles, and only moves that copy nothing else.
    fn new(rules: &Rules, layout: &Layout, shifts: bool, given: &Move) -> Self {
        let plan = Self::with_circles(rules, layout, shifts, shifts, given);
        let copies = !(plan.shifts.is_empty() && plan.rotations.is_empty() && plan.copies.is_empty());
        if copies && !plan.circles.is_empty() {
            return Self::with_circles(rules, layout, shifts, false, given);
        }
        plan
    }

    /// Does the work of [`Self::new`]. `circles` is `false` if cells that go on in a circle are copied one by one.
    fn with_circles(rules: &Rules, layout: &Layout, shifts: bool, circles: bool, given: &Move) -> Self {
        let symbols = rules.symbols.len();
        let mut plan = Self::default();
        for (to, source) in &given.then {
            let known = given.when.get(*to).and_then(SymbolSet::single);
            match (source, known) {
                (Source::Symbol(new), Some(old)) => plan.flips.push((*to, new ^ old)),
                (Source::Symbol(new), None) => {
                    plan.cleared.push(*to);
                    plan.flips.push((*to, *new));
                }
                (Source::Copy(from, map), _) => {
                    let allowed = given.when.allowed(*from, symbols);
                    let difference = map_as_flip(allowed, map.as_ref(), symbols);
                    if from == to
                        && let Some(difference) = difference
                    {
                        plan.flips.push((*to, difference));
                        continue;
                    }
                    if circles
                        && from == to
                        && let Some(distance) = map_as_circle(allowed, map.as_ref(), symbols)
                    {
                        plan.circles.push((*to, distance));
                        continue;
                    }
                    plan.cleared.push(*to);
                    let (source, place) = (layout.slots[*from], layout.slots[*to]);
                    match (difference, map) {
                        (Some(difference), _) if shifts => {
                            plan.flips.push((*to, difference));
                            plan.shifts.push((*from, place.shift.cast_signed() - source.shift.cast_signed()));
                        }
                        (None, Some(map)) => {
                            plan.copies.push(CellCopy { from: source, to: place, map: map.clone() });
                        }
                        // A copy through a map that flips the same bits of every symbol is a plain copy, after which
                        // these bits are flipped.
                        (difference, _) => {
                            plan.flips.push((*to, difference.unwrap_or(0)));
                            LimbRotation::add(&mut plan.rotations, source, place, layout.mask);
                        }
                    }
                }
            }
        }
        plan
    }
}

impl<W: Word> Effect<W> {
    /// Compiles the effect of a move. In `all`, the bits of all cells are set.
    pub fn new(rules: &Rules, layout: &Layout, all: W, given: &Move) -> Self {
        let plan = EffectPlan::new(rules, layout, W::LIMBS == 1, given);
        let keep = plan.cleared.iter().fold(all, |keep, &cell| keep.and(layout.cell_mask::<W>(cell).not()));
        let flip = plan.flips.iter().fold(W::ZERO, |flip, &(cell, bits)| flip.or(layout.field(cell, bits)));
        let mut terms = Vec::<(W, i32)>::new();
        for (from, distance) in plan.shifts {
            let mask = layout.cell_mask::<W>(from);
            match terms.iter_mut().find(|term| term.1 == distance) {
                Some(term) => term.0 = term.0.or(mask),
                None => terms.push((mask, distance)),
            }
        }
        let (rotations, copies) = (plan.rotations, plan.copies);
        let terms = terms.into();
        if W::LIMBS == 1 && !plan.circles.is_empty() {
            Self::Advance(Arc::new(CellCircles::new(layout, rules.symbols.len(), keep, flip, &plan.circles)))
        } else if !copies.is_empty() || !rotations.is_empty() {
            let (rotations, copies) = (rotations.into(), copies.into());
            Self::Copy(Box::new(CellCopies { keep, terms, flip, rotations, copies, mask: layout.mask }))
        } else if keep == all {
            Self::Flip(flip)
        } else {
            Self::Shift { keep, terms, flip }
        }
    }

    /// Does the same as [`Self::apply`], for loops in which most of the time is spent. Moves that advance cells are
    /// looked for first, by a jump that is foreseen better than one to many places.
    #[inline(always)]
    pub fn apply_inlined(&self, word: W) -> W {
        match self {
            Self::Advance(circles) if W::LIMBS == 1 => circles.advance_inlined(word),
            _ => self.apply(word),
        }
    }

    /// The state that the move leads to.
    #[inline(always)]
    pub fn apply(&self, word: W) -> W {
        match self {
            Self::Flip(flip) => word.xor(*flip),
            Self::Shift { keep, terms, flip } => shift(word, *keep, terms, *flip),
            Self::Advance(circles) => {
                if W::LIMBS > 1 {
                    unreachable!("cells of words of several integers are advanced one by one");
                }
                circles.advance(word)
            }
            Self::Copy(cells) => {
                let CellCopies { keep, terms, flip, rotations, copies, mask } = &**cells;
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

/// Finds the distance by which `map` advances every symbol of `domain` in the circle of all symbols. `None` if it does
/// not advance all of them by the same distance, or if it changes nothing.
fn map_as_circle(domain: SymbolSet, map: Option<&SymbolMap>, symbols: usize) -> Option<u8> {
    let map = map?;
    let distance = |symbol: usize| (usize::from(map[symbol]) + symbols - symbol) % symbols;
    let mut distances = domain.iter().map(usize::from).take_while(|&symbol| symbol < symbols).map(distance);
    let first = distances.next().filter(|&first| first > 0)?;
    distances.all(|distance| distance == first).then_some(first as u8)
}
