//! Iterative deepening for puzzles whose states are permutations of stickers.
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

use super::stickers::{MOST_PLACES, Sticker, StickerMove, StickerSymmetry, Stickers};
use super::table::{CosetTable, TablePlace, TableValues};
use crate::run::Watch;
use crate::solve::answer::Proof;
use crate::solve::ida_star::{BoundedSearch, Deepened, Effort, SUBTREES, Split, Visited, deepen};
use crate::solve::move_pruning::{MovePruning, MoveSet};
use crate::solve::subtrees::Meter;
use crate::structure::permuting::inverse;

/// A state of the search keeps the numbers of at most this many abstract states.
const MOST_NUMBERS: usize = 24;

/// The most look-ups for a state. There are as many for its inverse.
const MOST_LOOKUPS: usize = 8;

/// The most moves that rules may have: each has a bit.
const MOST_MOVES_OF_RULES: usize = MoveSet::BITS as usize;

/// A state as the tables see it: for each colouring that is looked up, the number of the abstract state.
type Numbers = [u32; MOST_NUMBERS];

/// For each place, the cell that now holds the sticker which the goal has first in that place.
type Positions = [Sticker; MOST_PLACES];

/// One look-up of a bound: in a table, after a symmetry is applied.
struct TableLookup<'a> {
    table: &'a CosetTable,
    values: TableValues<'a>,
    /// The moves that keep the goal's colours in this table.
    keeping: MoveSet,
    /// The place in [`Numbers`] of the look-up's first number. The numbers of the head come first.
    begin: usize,
    /// For each number of the look-up, its weight in the number of the joint head state, or of the joint tail state.
    units: Vec<usize>,
    heads: usize,
    /// For each move and each number of the look-up: a list that has, for each number, the number after the move.
    next: Vec<Vec<&'a [u32]>>,
    /// For each number of the look-up: the places on which it depends, each with the number that its first sticker adds
    /// to the code. With the cells of stickers instead of the stickers of cells, these give the numbers of the inverse
    /// state.
    weights: Vec<Vec<PlaceWeights>>,
}

/// For one place: the number that each first sticker adds to a code.
struct PlaceWeights {
    place: usize,
    weights: [u64; STICKER_NUMBERS],
}

/// The size of a list with an entry for every possible number of a sticker, so that no index has to be checked.
const STICKER_NUMBERS: usize = Sticker::MAX as usize + 1;

/// The look-ups from which a search gets its bounds, with the rules and the tables.
pub struct CosetBounds<'a> {
    stickers: &'a Stickers,
    lookups: Vec<TableLookup<'a>>,
    sequences: MovePruning,
}

/// For each look-up, the value of the inverse state.
type InverseValues = [u8; MOST_LOOKUPS];

/// A state on the path of the search.
#[derive(Debug, Clone, Copy)]
struct CosetNode {
    numbers: Numbers,
    positions: Positions,
    /// The moves that need not be tried next.
    refused: MoveSet,
    /// The values of the inverse state; all 0 unless each move is undone by a move.
    inverse: InverseValues,
}

impl<'a> TableLookup<'a> {
    fn new(stickers: &'a Stickers, table: &'a CosetTable, symmetry: &StickerSymmetry, begin: usize) -> Self {
        let factors: Vec<_> = table.shape.head.iter().chain(&table.shape.tail).collect();
        let (mut units, mut unit) = (Vec::new(), 1);
        for (at, factor) in factors.iter().enumerate() {
            if at == table.shape.head.len() {
                unit = 1;
            }
            units.push(unit);
            unit *= factor.len;
        }
        let next = symmetry.moves.iter().map(|&given| factors.iter().map(|factor| &factor.next[given][..]).collect());
        let back = inverse(&symmetry.image);
        // In a cell `c`, the image of a state has the image of the sticker that the state has in the cell which the
        // symmetry carries to `c`. If `c` is the first cell of a place, that cell is some steps around the circle of
        // its place.
        let weights = |factor: &super::colouring::StickerColouring| -> Vec<PlaceWeights> {
            let of = |(&place, known): (&usize, &Vec<u64>)| {
                let (from, by) = stickers.home[back[stickers.places[place][0] as usize] as usize];
                let image = |sticker: usize| symmetry.image[stickers.turned(sticker as Sticker, by) as usize];
                let mut weights = [0; STICKER_NUMBERS];
                (0..stickers.len()).for_each(|sticker| weights[sticker] = known[image(sticker) as usize]);
                PlaceWeights { place: from, weights }
            };
            factor.places.iter().zip(&factor.weights).map(of).collect()
        };
        let next: Vec<Vec<&[u32]>> = next.collect();
        // The goal has number 0 in each colouring. A move that leads from 0 to 0 keeps the colours.
        let keeps = |given: &usize| next[*given].iter().all(|next| next[0] == 0);
        let keeping = (0..next.len()).filter(keeps).fold(0, |set, given| set | 1 << given);
        let (heads, values) = (table.shape.head.len(), table.values());
        let weights = factors.iter().map(|factor| weights(factor)).collect();
        Self { table, values, keeping, begin, units, heads, next, weights }
    }

    #[inline(always)]
    fn place(&self, numbers: &[u32]) -> TablePlace {
        let (mut head, mut tail) = (0, 0);
        for (at, (&number, &unit)) in numbers.iter().zip(&self.units).enumerate() {
            if at < self.heads {
                head += number as usize * unit;
            } else {
                tail += number as usize * unit;
            }
        }
        self.values.place(head, tail)
    }

    /// Finds the numbers of a state from the first sticker in each place. If `first` has the cells of the goal's first
    /// stickers instead, the result is the numbers of the inverse state.
    #[inline(always)]
    fn read(&self, first: &Positions, numbers: &mut [u32]) {
        let factors = self.table.shape.head.iter().chain(&self.table.shape.tail);
        for ((factor, weights), number) in factors.zip(&self.weights).zip(numbers) {
            let code = weights.iter().map(|of| of.weights[first[of.place] as usize]).sum();
            *number = factor.number(code);
        }
    }

    /// The place in the table for the inverse state.
    #[inline(always)]
    fn inverse_place(&self, positions: &Positions) -> TablePlace {
        let mut numbers = [0; MOST_NUMBERS];
        let numbers = &mut numbers[..self.units.len()];
        self.read(positions, numbers);
        self.place(numbers)
    }
}

impl<'a> CosetBounds<'a> {
    /// Prepares the look-ups in some tables. A table gives the same value under all symmetries by which it is divided.
    /// So it is looked up under one symmetry of each coset of these.
    pub fn new(stickers: &'a Stickers, symmetries: &[StickerSymmetry], tables: &'a [CosetTable]) -> Self {
        let (mut lookups, mut begin) = (Vec::new(), 0);
        for table in tables {
            let mut seen: Vec<&[Sticker]> = Vec::new();
            let numbers = table.shape.head.len() + table.shape.tail.len();
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
        Self { stickers, lookups, sequences: sequences(&stickers.moves) }
    }

    /// A lower bound on the number of moves that a state needs.
    #[cfg(test)]
    pub fn bound(&self, held: &[Sticker]) -> u8 {
        self.root(held).1
    }

    fn root(&self, held: &[Sticker]) -> (CosetNode, u8) {
        let stickers = self.stickers;
        let cells = inverse(held);
        let (mut firsts, mut positions) = ([0; MOST_PLACES], [0; MOST_PLACES]);
        for (place, circle) in stickers.places.iter().enumerate() {
            firsts[place] = held[circle[0] as usize];
            positions[place] = cells[circle[0] as usize];
        }
        let mut node =
            CosetNode { numbers: [0; MOST_NUMBERS], positions, refused: 0, inverse: self.inverse(&positions) };
        let mut bound = node.inverse.iter().copied().max().unwrap_or(0);
        for lookup in &self.lookups {
            let numbers = &mut node.numbers[lookup.begin..][..lookup.units.len()];
            lookup.read(&firsts, numbers);
            bound = bound.max(lookup.values.at(lookup.place(numbers)));
        }
        (node, bound)
    }

    /// The values of the inverse state, one for each look-up. They are all 0 if some moves cannot be undone, because
    /// the inverse state then says nothing about the state.
    fn inverse(&self, positions: &Positions) -> InverseValues {
        let mut looked = InverseValues::default();
        if self.stickers.inverse_closed {
            for (lookup, value) in self.lookups.iter().zip(&mut looked) {
                *value = lookup.values.at(lookup.inverse_place(positions));
            }
        }
        looked
    }

    /// The moves that need not be tried if only `room` moves are left, which must be at least one.
    #[inline(always)]
    fn too_far(&self, inverse: InverseValues, room: u8) -> MoveSet {
        let far = self.lookups.iter().zip(inverse).filter(|&(_, value)| value >= room);
        far.fold(0, |moves, (lookup, _)| moves | lookup.keeping)
    }

    /// The positions after a move.
    #[inline(always)]
    fn carry(&self, positions: &Positions, given: usize) -> Positions {
        let image = &self.stickers.moves[given].image;
        let mut carried = [0; MOST_PLACES];
        for (to, from) in carried.iter_mut().zip(positions).take(self.stickers.places.len()) {
            *to = image[*from as usize];
        }
        carried
    }

    fn is_goal(&self, positions: &Positions) -> bool {
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

/// A subtree of the search: the state where it begins, and the moves that led there.
struct CosetSubtree {
    node: CosetNode,
    moves: Vec<usize>,
}

/// The successors of a state on the path, and how many of them were searched already.
#[derive(Clone)]
struct CosetLevel {
    children: Vec<CosetNode>,
    /// For each successor that is kept, its move and its place in `children`.
    kept: [(u8, u8); MOST_MOVES_OF_RULES],
    count: usize,
    tried: usize,
}

struct CosetWalk<'a, 'b, 'c, 'd> {
    bounds: &'a CosetBounds<'b>,
    bound: u8,
    /// The smallest bound that would have admitted a state which was cut off.
    next: u8,
    moves: Vec<usize>,
    meter: &'c mut Meter<'d>,
}

impl CosetWalk<'_, '_, '_, '_> {
    /// Searches the states that can be reached from a state within the bound. Returns `true` if there is a solution. If
    /// `false`, the meter may have stopped the search. The search is not recursive: the states on the path are in a
    /// list.
    fn go(&mut self, root: &CosetNode) -> bool {
        let begun = self.moves.len();
        let most = usize::from(self.bound) - begun;
        let children = vec![*root; self.bounds.stickers.moves.len()];
        let mut levels = vec![CosetLevel { children, kept: [(0, 0); 64], count: 0, tried: 0 }; most];
        if self.meter.stops() {
            return false;
        }
        self.expand(root, &mut levels[0]);
        loop {
            let at = self.moves.len() - begun;
            let level = &mut levels[at];
            if level.tried == level.count {
                if at == 0 {
                    return false;
                }
                self.moves.pop();
                continue;
            }
            let (given, child) = level.kept[level.tried];
            level.tried += 1;
            let child = level.children[child as usize];
            self.moves.push(given as usize);
            if at + 1 < most {
                if self.meter.stops() {
                    return false;
                }
                self.expand(&child, &mut levels[at + 1]);
                continue;
            }
            if self.bounds.is_goal(&child.positions) {
                return true;
            }
            self.next = self.next.min(self.bound + 1);
            self.moves.pop();
        }
    }

    /// Finds the successors of the last state on the path.
    #[inline(always)]
    fn expand(&mut self, node: &CosetNode, level: &mut CosetLevel) {
        let room = self.bound - self.moves.len() as u8 - 1;
        (level.kept, level.count) = self.successors(node, room, &mut level.children);
        level.tried = 0;
    }

    /// The moves to successors whose bounds are at most `room`, each with the place of the successor in `children`; and
    /// the number of these moves. Each look-up is made for all moves before the next look-up, so that the processor
    /// waits for several places of memory at once.
    #[inline(always)]
    fn successors(&mut self, node: &CosetNode, room: u8, children: &mut [CosetNode]) -> ([(u8, u8); 64], usize) {
        let (mut kept, mut count) = ([(0u8, 0u8); 64], 0);
        let CosetBounds { stickers, lookups, sequences } = self.bounds;
        let all = MoveSet::MAX >> (64 - stickers.moves.len() as u32);
        let far = self.bounds.too_far(node.inverse, room + 1);
        let mut open = !node.refused & all;
        if open & far != 0 {
            self.next = self.next.min(self.bound + 1);
            open &= !far;
        }
        // For each child, the moves that would make a solution too long if they were its last move.
        let mut late = [0; 64];
        while open != 0 {
            let given = open.trailing_zeros() as u8;
            open &= open - 1;
            kept[count] = (given, count as u8);
            count += 1;
        }
        let made = self.moves.len() as u8 + 1;
        let (mut places, mut values) = ([TablePlace::default(); 64], [0u8; 64]);
        for lookup in lookups {
            let range = lookup.begin..lookup.begin + lookup.units.len();
            let before = &node.numbers[range.clone()];
            for (&(given, child), place) in kept[..count].iter().zip(&mut places) {
                let numbers = &mut children[child as usize].numbers[range.clone()];
                for ((number, before), next) in numbers.iter_mut().zip(before).zip(&lookup.next[given as usize]) {
                    *number = next[*before as usize];
                }
                *place = lookup.place(numbers);
            }
            // All values are read first, so that no branch waits for memory.
            places[..count].iter().zip(&mut values).for_each(|(&place, value)| *value = lookup.values.at(place));
            let mut left = 0;
            for at in 0..count {
                let value = values[at];
                if value <= room {
                    kept[left] = kept[at];
                    left += 1;
                    if value == room {
                        late[kept[at].1 as usize] |= lookup.keeping;
                    }
                } else {
                    self.next = self.next.min(value.saturating_add(made));
                }
            }
            count = left;
        }
        let mut left = 0;
        for at in 0..count {
            let (given, child) = kept[at];
            // If no move can be the last one, no solution from this child fits the bound. (With no moves left, the
            // child may be the goal itself.)
            if room > 0 && late[child as usize] == all {
                self.next = self.next.min(self.bound + 1);
                continue;
            }
            let child = &mut children[child as usize];
            child.positions = self.bounds.carry(&node.positions, given.into());
            child.refused = sequences.after(node.refused, given.into());
            child.inverse = node.inverse;
            kept[left] = kept[at];
            left += 1;
        }
        count = left;
        if room == 0 || !stickers.inverse_closed {
            return (kept, count);
        }
        for (number, lookup) in lookups.iter().enumerate() {
            // After a move that keeps the colours, the inverse state has the same value, so it is not looked up.
            let unchanged = |given: u8| lookup.keeping >> given & 1 == 1;
            for (&(given, child), place) in kept[..count].iter().zip(&mut places) {
                *place = TablePlace::default();
                if !unchanged(given) {
                    *place = lookup.inverse_place(&children[child as usize].positions);
                }
            }
            places[..count].iter().zip(&mut values).for_each(|(&place, value)| *value = lookup.values.at(place));
            let mut left = 0;
            for at in 0..count {
                let (given, child) = kept[at];
                let value = &mut children[child as usize].inverse[number];
                if !unchanged(given) {
                    *value = values[at];
                }
                if *value <= room {
                    kept[left] = kept[at];
                    left += 1;
                } else {
                    self.next = self.next.min(value.saturating_add(made));
                }
            }
            count = left;
        }
        let mut left = 0;
        for at in 0..count {
            let child = &children[kept[at].1 as usize];
            if (child.refused | self.bounds.too_far(child.inverse, room)) & all == all {
                self.next = self.next.min(self.bound + 1);
            } else {
                kept[left] = kept[at];
                left += 1;
            }
        }
        (kept, left)
    }
}

/// Searches for the fewest moves from a state to the goal, and adds to the proof.
pub fn fewest_moves(
    bounds: &CosetBounds,
    held: &[Sticker],
    proof: &mut Proof,
    effort: &mut Effort,
    watch: Watch,
) -> Deepened {
    let (root, first) = bounds.root(held);
    if bounds.is_goal(&root.positions) {
        return Deepened::Solved(Vec::new());
    }
    proof.lower_bound = proof.lower_bound.max(first.into());
    deepen(&CosetSearch { bounds, root }, proof, effort, watch)
}

/// A search for the fewest moves from a state.
struct CosetSearch<'a, 'b> {
    bounds: &'a CosetBounds<'b>,
    root: CosetNode,
}

impl BoundedSearch for CosetSearch<'_, '_> {
    type Subtree = CosetSubtree;

    // Numbers of moves are bytes here, like the values of a table.
    const MOST_MOVES: u32 = u8::MAX as u32 - 1;

    const MOVE_BYTES: usize = MOST_MOVES_OF_RULES * size_of::<CosetNode>() + size_of::<CosetLevel>();

    fn root(&self) -> CosetSubtree {
        CosetSubtree { node: self.root, moves: Vec::new() }
    }

    fn split(&self, bound: u32, _: u64, _: Watch) -> Option<Split<CosetSubtree>> {
        let mut subtrees = vec![self.root()];
        while subtrees.len() < SUBTREES && subtrees[0].moves.len() + 2 < bound as usize {
            subtrees = subtrees.iter().flat_map(|subtree| split(self.bounds, subtree)).collect();
        }
        // No state was cut off here: the search of each subtree begins at its first state, whatever its bound.
        Some(Split { subtrees, next: bound + 1 })
    }

    fn visit(&self, subtree: &CosetSubtree, bound: u32, meter: &mut Meter) -> Visited {
        let (bounds, moves, bound) = (self.bounds, subtree.moves.clone(), bound as u8);
        let mut walk = CosetWalk { bounds, bound, next: u8::MAX, moves, meter };
        let solved = walk.go(&subtree.node);
        let index = |given: usize| bounds.stickers.moves[given].index;
        let solution = solved.then(|| walk.moves.into_iter().map(index).collect());
        Visited { solution, next: u32::from(walk.next.max(bound + 1)) }
    }
}

/// The subtrees that begin at the successors of a state. None of them is cut off by its bound.
fn split(bounds: &CosetBounds, subtree: &CosetSubtree) -> Vec<CosetSubtree> {
    let mut found = Vec::new();
    for given in 0..bounds.stickers.moves.len() {
        if subtree.node.refused >> given & 1 == 1 {
            continue;
        }
        let mut node = subtree.node;
        node.refused = bounds.sequences.after(subtree.node.refused, given);
        node.positions = bounds.carry(&node.positions, given);
        node.inverse = bounds.inverse(&node.positions);
        for lookup in &bounds.lookups {
            for (at, next) in lookup.next[given].iter().enumerate() {
                let number = &mut node.numbers[lookup.begin + at];
                *number = next[*number as usize];
            }
        }
        let mut moves = subtree.moves.clone();
        moves.push(given);
        found.push(CosetSubtree { node, moves });
    }
    found
}
