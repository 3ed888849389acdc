//! Lower bounds on the number of moves from a state to the goal, looked up in tables of cosets.
//!
//! The bound of a state is the largest table value of the state and of its inverse, each under several symmetries. If
//! moves can be made in every state, and each is undone by a move, a state and its inverse are equally far from the
//! goal: a solution of the one, with each move undone and the order reversed, solves the other.
//!
//! A move that *keeps* the colours of the goal gives a better bound. If the last move of a solution keeps the colours
//! of a table, the moves before it have brought the colours home already, so the solution takes at least one move more
//! than the table's value. The first move of a solution is undone by the last move of a solution of the inverse state.
//! So if a look-up of the inverse state gives the number of moves that are left, no move that keeps the colours of that
//! look-up need be tried. For the state itself, the last move is not known yet. But if each move keeps the colours of
//! some look-up, and all these look-ups give the number of moves that are left, there is no solution. After a move that
//! keeps the colours of a look-up, that look-up gives the same value for the inverse state as before.
//!
//! If a table tells odd states from even ones, it has two values for each look-up: one for the goal's parity, and one
//! for the other. If a solution ends with an odd move that keeps the colours, the state before that move has the other
//! parity, so the other value counts.

use super::coset_table::{CosetTable, HeadAndTail, TableValues};
use super::images::{ImageNumbers, Positions};
use super::sticker_group::{MOST_MOVES, MOST_PLACES, Sticker, StickerMove, StickerSymmetry, Stickers};
use super::verdicts::{KeepingMoves, Saying, Verdicts};
use crate::solve::move_pruning::{MovePruning, MoveSet};
use crate::structure::permuting::inverse;

/// A state of the search keeps the numbers of at most this many abstract states.
pub const MOST_NUMBERS: usize = 24;

/// The most look-ups for a state. There are as many for its inverse.
const MOST_LOOKUPS: usize = 8;

/// For each colouring that is looked up, the number of the abstract state that a state has in it.
pub type Numbers = [u16; MOST_NUMBERS];

/// One look-up of a bound: in a table, after a symmetry is applied.
pub struct TableLookup<'a> {
    table: &'a CosetTable,
    pub values: TableValues<'a>,
    /// The moves that change no colour of the goal in this table's colourings.
    pub keeping: MoveSet,
    /// The moves that make an odd state of an even one, if the table tells them apart.
    odd: MoveSet,
    /// For each number of moves that may be left, from 0 on: what follows from the entries.
    verdicts: Vec<Verdicts>,
    /// The index in [`Numbers`] of the look-up's first number.
    begin: usize,
    /// The colourings of the look-up: first those of the head, then those of the tail.
    pub parts: Vec<LookupPart<'a>>,
    /// For each move, the move onto which the symmetry carries it.
    moves: [u8; MOST_MOVES],
    /// Finds the numbers of the image of a state. From the positions that a search keeps, it finds those of the inverse
    /// state; see [`Positions`].
    images: ImageNumbers,
}

/// One colouring of a look-up.
pub struct LookupPart<'a> {
    /// The numbers after moves: for each number and each move of the rules, the number after the move.
    steps: &'a [u16],
    /// A [`HeadAndTail`] is a sum over the colourings: the number of the colouring's state times this factor.
    unit: u64,
}

/// The look-ups from which a search gets its bounds, with the rules and the tables.
pub struct CosetBounds<'a> {
    pub stickers: &'a Stickers,
    pub lookups: Vec<TableLookup<'a>>,
    /// For each move, the look-ups in whose table it makes an odd state of an even one.
    odd: Vec<LookupSet>,
    /// For each set of look-ups: whether each move keeps the colours of one of them.
    all_kept: [bool; 1 << MOST_LOOKUPS],
    /// For each move: where it carries each sticker. The lists are so long that any byte is the place of an item.
    images: Vec<[Sticker; 1 << Sticker::BITS]>,
    pub sequences: MovePruning,
}

/// A set of look-ups, with a bit for each.
pub type LookupSet = u8;

/// For each look-up, the code of the entry of the inverse state.
pub type InverseCodes = [u8; MOST_LOOKUPS];

/// A state on the path of the search.
#[derive(Debug, Clone, Copy)]
pub struct CosetNode {
    pub numbers: Numbers,
    pub positions: Positions,
    /// The moves that are not tried from this state, because other sequences of moves do the same.
    pub refused: MoveSet,
    /// The moves that are tried from this state. In the first state of a subtree, those that the inverse state rules
    /// out are still among them, since that depends on the bound.
    pub open: MoveSet,
    /// The codes of the inverse state; they mean nothing unless each move is undone by a move.
    pub inverse: InverseCodes,
    /// For each look-up, a bit: whether the state, and so its inverse state, is odd.
    pub odd: LookupSet,
    /// The move that led here. `before` is the place of the state before this move among the states of its level.
    pub given: u8,
    pub before: u16,
}

impl<'a> TableLookup<'a> {
    fn new(stickers: &'a Stickers, table: &'a CosetTable, symmetry: &'a StickerSymmetry, begin: usize) -> Self {
        let shape = &table.shape;
        let mut parts = Vec::new();
        let mut steps = table.steps.iter();
        for (factors, first_unit) in [(&shape.head, 1), (&shape.tail, HeadAndTail::TAIL)] {
            let mut unit = first_unit;
            for (factor, steps) in factors.iter().zip(&mut steps) {
                parts.push(LookupPart { steps, unit });
                unit *= factor.len as u64;
            }
        }
        let keeps = |given: &usize| shape.keeps(symmetry.moves[*given]);
        let keeping = (0..symmetry.moves.len()).filter(keeps).fold(0, |set, given| set | 1 << given);
        let images = ImageNumbers::new(stickers, &table.factors, symmetry);
        let (odd, values) = (shape.odd(), table.values());
        let verdicts = Verdicts::list(values.meanings, KeepingMoves { even: keeping & !odd, odd: keeping & odd });
        let mut moves = [0; MOST_MOVES];
        moves.iter_mut().zip(&symmetry.moves).for_each(|(to, &from)| *to = from as u8);
        Self { table, values, keeping, odd, verdicts, begin, parts, moves, images }
    }

    /// The conclusions from one look-up if `room` moves may be left.
    #[inline(always)]
    pub fn verdicts(&self, room: u8) -> &Verdicts {
        &self.verdicts[usize::from(room).min(self.verdicts.len() - 1)]
    }

    /// The move onto which the symmetry carries a move.
    #[inline(always)]
    fn image(&self, given: usize) -> usize {
        self.moves[given % MOST_MOVES].into()
    }

    /// The numbers of the head state and of the tail state that a look-up needs after a move. `moves` is the number of
    /// all moves of the rules.
    #[inline(always)]
    pub fn after(&self, numbers: &Numbers, given: usize, moves: usize) -> HeadAndTail {
        let given = self.image(given);
        let mut sum = 0;
        for (at, part) in self.parts.iter().enumerate() {
            sum += part.unit * u64::from(part.steps[usize::from(numbers[self.begin + at]) * moves + given]);
        }
        HeadAndTail(sum)
    }

    /// The same as `after` for a look-up that has `PARTS` colourings: if the compiler knows how many there are, it
    /// unrolls the loop over them.
    #[inline(always)]
    pub fn known<const PARTS: usize>(&self, moves: usize) -> impl Fn(&Numbers, usize) -> HeadAndTail {
        let steps: [&[u16]; PARTS] = std::array::from_fn(|at| self.parts[at].steps);
        let units: [u64; PARTS] = std::array::from_fn(|at| self.parts[at].unit);
        let (begin, images) = (self.begin, &self.moves);
        move |numbers, given| {
            let (numbers, given) = (&numbers[begin..][..PARTS], usize::from(images[given % MOST_MOVES]));
            let after = |at: usize| steps[at][usize::from(numbers[at]) * moves + given];
            HeadAndTail((0..PARTS).map(|at| units[at] * u64::from(after(at))).sum())
        }
    }

    /// The numbers of the head state and of the tail state that a look-up of the inverse state needs; see
    /// [`Positions`].
    #[inline(always)]
    pub fn inverse(&self, positions: &Positions) -> HeadAndTail {
        let mut sum = 0;
        self.each_number(positions, |at, number| sum += self.parts[at].unit * u64::from(number));
        HeadAndTail(sum)
    }

    /// Calls `found` for each colouring of the look-up, with its place in the list, and with the number of a state.
    /// `first` has the first sticker in each place. If it has instead, for each place, the cell that now holds the
    /// sticker which the goal has first in that place, the numbers are those of the inverse state.
    #[inline(always)]
    fn each_number(&self, first: &Positions, mut found: impl FnMut(usize, u16)) {
        self.images.each(first, |at, code| found(at, self.table.factors[at].number_of_state(code)));
    }

    /// The code of the entry of a state or of its inverse state, as `first` says; see [`Self::each_number`].
    fn code(&self, first: &Positions) -> u8 {
        self.values.code(self.values.place(self.inverse(first)))
    }
}

impl<'a> CosetBounds<'a> {
    /// Prepares the look-ups in some tables. A table gives the same value under all symmetries by which it is divided.
    /// So it is looked up under one symmetry of each coset of these.
    pub fn new(stickers: &'a Stickers, symmetries: &'a [StickerSymmetry], tables: &'a [CosetTable]) -> Self {
        let (mut lookups, mut begin): (Vec<TableLookup>, _) = (Vec::new(), 0);
        for table in tables {
            let mut seen: Vec<&[Sticker]> = Vec::new();
            let numbers = table.factors.len();
            for symmetry in symmetries {
                if seen.contains(&&symmetry.image[..])
                    || begin + numbers > MOST_NUMBERS
                    || lookups.len() >= MOST_LOOKUPS
                {
                    continue;
                }
                for &own in &table.shape.symmetries {
                    let product: Vec<Sticker> =
                        symmetry.image.iter().map(|&to| symmetries[own].image[to as usize]).collect();
                    seen.extend(symmetries.iter().map(|known| &known.image[..]).find(|known| **known == product[..]));
                }
                lookups.push(TableLookup::new(stickers, table, symmetry, begin));
                begin += numbers;
            }
        }
        let odd_by = |given: usize| -> LookupSet {
            let bits = lookups.iter().enumerate().map(|(at, lookup)| ((lookup.odd >> given & 1) as LookupSet) << at);
            bits.fold(0, |odd, bit| odd | bit)
        };
        let odd = (0..stickers.moves.len()).map(odd_by).collect();
        let kept_by = |set: usize| {
            let of = |(at, lookup): (usize, &TableLookup)| if set >> at & 1 == 1 { lookup.keeping } else { 0 };
            lookups.iter().enumerate().fold(0, |moves, lookup| moves | of(lookup))
        };
        let all_kept = std::array::from_fn(|set| kept_by(set) == stickers.all_moves());
        let image =
            |given: &StickerMove| std::array::from_fn(|from| given.image.get(from).copied().unwrap_or_default());
        let images = stickers.moves.iter().map(image).collect();
        let own: Vec<Vec<Sticker>> = stickers.moves.iter().map(|given| given.image.clone()).collect();
        let sequences = MovePruning::of_images(&own, &vec![1; own.len()], &[]);
        Self { stickers, lookups, odd, all_kept, images, sequences }
    }

    /// A lower bound on the number of moves from a state to the goal.
    #[cfg(test)]
    pub fn bound(&self, held: &[Sticker]) -> u8 {
        self.root(held).1
    }

    pub fn root(&self, held: &[Sticker]) -> (CosetNode, u8) {
        let stickers = self.stickers;
        let cells = inverse(held);
        let (mut firsts, mut positions) = ([0; MOST_PLACES], [0; MOST_PLACES]);
        for (place, circle) in stickers.places.iter().enumerate() {
            firsts[place] = held[circle[0] as usize];
            positions[place] = cells[circle[0] as usize];
        }
        let inverse = self.inverse(&positions);
        let (mut numbers, mut odd) = ([0; MOST_NUMBERS], 0);
        for (at, lookup) in self.lookups.iter().enumerate() {
            let is_odd = lookup.table.shape.parity.is_some_and(|parity| parity.is_odd(stickers, held));
            odd |= LookupSet::from(is_odd) << at;
        }
        let mut bound = 0;
        for (at, lookup) in self.lookups.iter().enumerate() {
            lookup.each_number(&firsts, |own, number| numbers[lookup.begin + own] = number);
            let codes = [Some(lookup.code(&firsts)), self.stickers.inverse_closed.then_some(inverse[at])];
            let values = codes.into_iter().flatten().map(|code| lookup.values.meaning(code, odd >> at & 1 == 1).same);
            bound = values.fold(bound, u8::max);
        }
        let open = stickers.all_moves();
        (CosetNode { numbers, positions, refused: 0, open, inverse, odd, given: 0, before: 0 }, bound)
    }

    /// The codes of the inverse state, one for each look-up. They are not looked up if some moves cannot be undone,
    /// because the inverse state then says nothing about the state.
    pub fn inverse(&self, positions: &Positions) -> InverseCodes {
        let mut looked = InverseCodes::default();
        if self.stickers.inverse_closed {
            for (lookup, code) in self.lookups.iter().zip(&mut looked) {
                *code = lookup.code(positions);
            }
        }
        looked
    }

    /// The moves that need not be tried if only `room` moves are left (at least one). There are none if some moves
    /// cannot be undone.
    #[inline(always)]
    pub fn too_far(&self, inverse: InverseCodes, odd: LookupSet, room: u8) -> MoveSet {
        let count = if self.stickers.inverse_closed { self.lookups.len() } else { 0 };
        let lookups = self.lookups[..count].iter().zip(inverse).enumerate();
        lookups.fold(0, |far, (at, (lookup, code))| far | lookup.verdicts(room).far(Saying::new(code, odd >> at)))
    }

    /// The look-ups in which a state is odd after a move, if it was odd in those of `odd` before.
    #[inline(always)]
    pub fn odd_after(&self, odd: LookupSet, given: usize) -> LookupSet {
        odd ^ self.odd[given]
    }

    /// Returns `true` if each move keeps the colours of some look-up of the set.
    #[inline(always)]
    pub fn all_kept_by(&self, set: LookupSet) -> bool {
        self.all_kept[usize::from(set)]
    }

    /// The numbers of the state after a move: one for each colouring of each look-up.
    #[inline(always)]
    pub fn step(&self, numbers: &Numbers, given: usize) -> Numbers {
        let (mut after, moves) = ([0; MOST_NUMBERS], self.stickers.moves.len());
        for lookup in &self.lookups {
            let given = lookup.image(given);
            for (at, part) in lookup.parts.iter().enumerate() {
                let at = lookup.begin + at;
                after[at] = part.steps[numbers[at] as usize * moves + given];
            }
        }
        after
    }

    /// The positions after a move, which carries each of these stickers to another cell or leaves it.
    #[inline(always)]
    pub fn carry(&self, positions: &Positions, given: usize) -> Positions {
        let (image, places) = (&self.images[given], self.stickers.places.len());
        let mut carried = [0; MOST_PLACES];
        for (to, from) in carried[..places].iter_mut().zip(&positions[..places]) {
            *to = image[*from as usize];
        }
        carried
    }

    pub fn is_goal(&self, positions: &Positions) -> bool {
        self.stickers.places.iter().zip(positions).all(|(circle, &cell)| circle[0] == cell)
    }
}
