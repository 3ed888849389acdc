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

use super::entries::EntryValues;
use super::images::{ImageNumbers, Positions};
use super::stickers::{MOST_PLACES, Sticker, StickerMove, StickerSymmetry, Stickers};
use super::table::{CosetTable, TableValues};
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
    /// The index in [`Numbers`] of the look-up's first number. First come the numbers for the head, which choose the
    /// row of the table.
    begin: usize,
    /// The colourings of the look-up. First come those of the head, which choose the row of the table.
    parts: Vec<LookupPart<'a>>,
    /// The number of colourings of the head, which choose the row of the table.
    heads: usize,
    /// For each move, the move onto which the symmetry carries it.
    moves: &'a [usize],
    /// Finds the numbers of the image of a state. From the positions that a search keeps, it finds those of the inverse
    /// state; see [`Positions`].
    images: ImageNumbers,
}

/// One colouring of a look-up.
pub struct LookupPart<'a> {
    /// How moves change the numbers: for each number and each move of the rules, the number after the move.
    steps: &'a [u16],
    /// The number of the head state, or of the tail state, is a sum over colourings: the colouring's number times this
    /// factor.
    unit: usize,
}

/// The look-ups from which a search gets its bounds, with the rules and the tables.
pub struct CosetBounds<'a> {
    pub stickers: &'a Stickers,
    pub lookups: Vec<TableLookup<'a>>,
    /// For each move, the look-ups in whose table it makes an odd state of an even one.
    odd: Vec<LookupSet>,
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
        for factors in [&shape.head, &shape.tail] {
            let mut unit = 1;
            for (factor, steps) in factors.iter().zip(&mut steps) {
                parts.push(LookupPart { steps, unit });
                unit *= factor.len;
            }
        }
        let keeps = |given: &usize| shape.keeps(symmetry.moves[*given]);
        let keeping = (0..symmetry.moves.len()).filter(keeps).fold(0, |set, given| set | 1 << given);
        let (heads, values) = (shape.head.len(), table.values());
        let images = ImageNumbers::new(stickers, &table.factors, symmetry);
        let odd = shape.odd();
        Self { table, values, keeping, odd, begin, parts, heads, moves: &symmetry.moves, images }
    }

    /// The numbers of the head state (the row of the table) and of the tail state (the place in it) that a look-up
    /// needs. `number` returns the number of each colouring.
    #[inline(always)]
    fn joined(&self, number: impl Fn(usize, &LookupPart) -> u16) -> (usize, usize) {
        let (heads, tails) = self.parts.split_at(self.heads);
        let sum = |parts: &[LookupPart], begin: usize| {
            let own = |(at, part): (usize, &LookupPart)| number(begin + at, part) as usize * part.unit;
            parts.iter().enumerate().map(own).sum()
        };
        (sum(heads, 0), sum(tails, self.heads))
    }

    /// The numbers of the head state (the row of the table) and of the tail state (the place in it) after a move.
    /// `moves` is the number of all moves of the rules.
    #[inline(always)]
    pub fn after(&self, numbers: &Numbers, given: usize, moves: usize) -> (usize, usize) {
        let given = self.moves[given];
        self.joined(|at, part| part.steps[numbers[self.begin + at] as usize * moves + given])
    }

    /// Finds the numbers of a state. `first` has the first sticker in each place. If it has instead, for each place,
    /// the cell that now holds the sticker which the goal has first in that place, the result is the numbers of the
    /// inverse state.
    #[inline(always)]
    fn read(&self, first: &Positions, numbers: &mut Numbers) {
        let numbers = &mut numbers[self.begin..];
        self.images.each(first, |at, code| numbers[at] = self.table.factors[at].number_of_state(code));
    }

    /// The code of a state or, if `first` has the cells that a search keeps, of the inverse state; see [`Positions`].
    /// Writes the numbers that it looks up into `numbers`.
    #[inline(always)]
    fn code(&self, first: &Positions, numbers: &mut Numbers) -> u8 {
        let (head, tail) = self.states(first, numbers);
        self.values.code(self.values.place(head, tail))
    }

    /// The numbers of the head state (the row) and of the tail state (the place in it) that [`Self::code`] looks up.
    #[inline(always)]
    pub fn states(&self, first: &Positions, numbers: &mut Numbers) -> (usize, usize) {
        self.read(first, numbers);
        self.joined(|at, _| numbers[self.begin + at])
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
        Self { stickers, lookups, odd, sequences: sequences(&stickers.moves) }
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
        let inverses = self.inverse_values(inverse, odd).map(|(_, values)| values.same);
        let mut bound = inverses.max().unwrap_or(0);
        for (at, lookup) in self.lookups.iter().enumerate() {
            let code = lookup.code(&firsts, &mut numbers);
            bound = bound.max(lookup.values.meaning(code, odd >> at & 1 == 1).same);
        }
        (CosetNode { numbers, positions, refused: 0, inverse, odd, given: 0, before: 0 }, bound)
    }

    /// The codes of the inverse state, one for each look-up. They are not looked up if some moves cannot be undone,
    /// because the inverse state then says nothing about the state.
    pub fn inverse(&self, positions: &Positions) -> InverseCodes {
        let mut looked = InverseCodes::default();
        if self.stickers.inverse_closed {
            for (lookup, code) in self.lookups.iter().zip(&mut looked) {
                *code = lookup.code(positions, &mut [0; MOST_NUMBERS]);
            }
        }
        looked
    }

    /// The look-ups, each with what it says about the inverse state. There are none if some moves cannot be undone.
    #[inline(always)]
    fn inverse_values(
        &self,
        inverse: InverseCodes,
        odd: LookupSet,
    ) -> impl Iterator<Item = (&TableLookup<'a>, EntryValues)> {
        let count = if self.stickers.inverse_closed { self.lookups.len() } else { 0 };
        let lookups = self.lookups[..count].iter().zip(inverse).enumerate();
        lookups.map(move |(at, (lookup, code))| (lookup, lookup.values.meaning(code, odd >> at & 1 == 1)))
    }

    /// The moves that need not be tried if only `room` moves are left (at least one): they keep the colours of a
    /// look-up, and its value for the inverse state is `room` or more. For odd moves, that is the value of the other
    /// parity.
    #[inline(always)]
    pub fn too_far(&self, inverse: InverseCodes, odd: LookupSet, room: u8) -> MoveSet {
        self.inverse_values(inverse, odd).fold(0, |moves, (lookup, EntryValues { same, other })| {
            let even = if same >= room { lookup.keeping & !lookup.odd } else { 0 };
            moves | even | if other >= room { lookup.keeping & lookup.odd } else { 0 }
        })
    }

    /// The look-ups in which a state is odd after a move, if it was odd in those of `odd` before.
    #[inline(always)]
    pub fn odd_after(&self, odd: LookupSet, given: usize) -> LookupSet {
        odd ^ self.odd[given]
    }

    /// The moves that keep the colours of a look-up of the set.
    #[inline(always)]
    pub fn kept_by(&self, set: LookupSet) -> MoveSet {
        let of = |(at, lookup): (usize, &TableLookup)| if set >> at & 1 == 1 { lookup.keeping } else { 0 };
        self.lookups.iter().enumerate().fold(0, |moves, lookup| moves | of(lookup))
    }

    /// The numbers of the state after a move: one for each colouring of each look-up.
    #[inline(always)]
    pub fn step(&self, numbers: &Numbers, given: usize) -> Numbers {
        let (mut after, moves) = ([0; MOST_NUMBERS], self.stickers.moves.len());
        for lookup in &self.lookups {
            let given = lookup.moves[given];
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
        let image = &self.stickers.moves[given].image;
        let mut carried = [0; MOST_PLACES];
        for (to, from) in carried.iter_mut().zip(positions).take(self.stickers.places.len()) {
            *to = image[*from as usize];
        }
        carried
    }

    pub fn is_goal(&self, positions: &Positions) -> bool {
        self.stickers.places.iter().zip(positions).all(|(circle, &cell)| circle[0] == cell)
    }
}

/// The pruning of sequences of moves. All moves can always be made, so moves that commute are independent.
fn sequences(moves: &[StickerMove]) -> MovePruning {
    let then =
        |a: usize, b: usize| -> Vec<Sticker> { moves[a].image.iter().map(|&to| moves[b].image[to as usize]).collect() };
    let is_identity = |image: &[Sticker]| image.iter().enumerate().all(|(from, &to)| from == to as usize);
    let shortens = |a: usize, b: usize| {
        let product = then(a, b);
        is_identity(&product) || moves.iter().any(|single| single.image == product)
    };
    MovePruning::new(moves.len(), shortens, |a, b| then(a, b) == then(b, a))
}
