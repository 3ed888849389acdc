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

use std::cmp::Reverse;
use std::sync::{Mutex, PoisonError};

use super::images::{ImageNumbers, Positions};
use super::stickers::{MOST_PLACES, Sticker, StickerMove, StickerSymmetry, Stickers};
use super::table::{CosetTable, TableValues};
use crate::run::Watch;
use crate::solve::answer::Proof;
use crate::solve::ida_star::{BoundedSearch, Deepened, Effort, SUBTREES, Split, Visited, deepen};
use crate::solve::move_pruning::{MovePruning, MoveSet};
use crate::solve::subtrees::Meter;
use crate::sorting;
use crate::structure::permuting::inverse;

/// A state of the search keeps the numbers of at most this many abstract states.
const MOST_NUMBERS: usize = 24;

/// The most look-ups for a state. There are as many for its inverse.
const MOST_LOOKUPS: usize = 8;

/// The most successors that are found at once. While the memory brings the values of some of them, the processor works
/// on the others.
const AT_ONCE: usize = 512;

/// For each colouring that is looked up, the number of the abstract state that a state has in it.
type Numbers = [u16; MOST_NUMBERS];

/// One look-up of a bound: in a table, after a symmetry is applied.
struct TableLookup<'a> {
    table: &'a CosetTable,
    values: TableValues<'a>,
    /// The moves that change no colour of the goal in this table's colourings.
    keeping: MoveSet,
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
struct LookupPart<'a> {
    /// How moves change the numbers: for each number and each move of the rules, the number after the move.
    steps: &'a [u16],
    /// The number of the head state, or of the tail state, is a sum over colourings: the colouring's number times this
    /// factor.
    unit: usize,
}

/// The look-ups from which a search gets its bounds, with the rules and the tables.
pub struct CosetBounds<'a> {
    stickers: &'a Stickers,
    lookups: Vec<TableLookup<'a>>,
    sequences: MovePruning,
}

/// A set of look-ups, with a bit for each.
type LookupSet = u8;

/// For each look-up, the value of the inverse state.
type InverseValues = [u8; MOST_LOOKUPS];

/// A state on the path of the search.
#[derive(Debug, Clone, Copy)]
struct CosetNode {
    numbers: Numbers,
    positions: Positions,
    /// The moves that are not tried from this state, because other sequences of moves do the same.
    refused: MoveSet,
    /// The values of the inverse state; all 0 unless each move is undone by a move.
    inverse: InverseValues,
    /// The move that led here. `before` is the place of the state before this move among the states of its level.
    given: u8,
    before: u16,
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
        // The goal has number 0 in each colouring. A move that leads from 0 to 0 keeps the colours.
        let keeps = |given: &usize| parts.iter().all(|part| part.steps[symmetry.moves[*given]] == 0);
        let keeping = (0..symmetry.moves.len()).filter(keeps).fold(0, |set, given| set | 1 << given);
        let (heads, values) = (shape.head.len(), table.values());
        let images = ImageNumbers::new(stickers, &table.factors, symmetry);
        Self { table, values, keeping, begin, parts, heads, moves: &symmetry.moves, images }
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
    fn after(&self, numbers: &Numbers, given: usize, moves: usize) -> (usize, usize) {
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

    /// The value of a state or, if `first` has the cells that a search keeps, of the inverse state; see [`Positions`].
    /// Writes the numbers that it looks up into `numbers`.
    #[inline(always)]
    fn value(&self, first: &Positions, numbers: &mut Numbers) -> u8 {
        let (head, tail) = self.states(first, numbers);
        self.values.at(self.values.place(head, tail))
    }

    /// The numbers of the head state (the row) and of the tail state (the place in it) that [`Self::value`] looks up.
    #[inline(always)]
    fn states(&self, first: &Positions, numbers: &mut Numbers) -> (usize, usize) {
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
        Self { stickers, lookups, sequences: sequences(&stickers.moves) }
    }

    /// A lower bound on the number of moves from a state to the goal.
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
        let inverse = self.inverse(&positions);
        let mut numbers = [0; MOST_NUMBERS];
        let mut bound = inverse.iter().copied().max().unwrap_or(0);
        for lookup in &self.lookups {
            bound = bound.max(lookup.value(&firsts, &mut numbers));
        }
        (CosetNode { numbers, positions, refused: 0, inverse, given: 0, before: 0 }, bound)
    }

    /// The values of the inverse state, one for each look-up. They are all 0 if some moves cannot be undone, because
    /// the inverse state then says nothing about the state.
    fn inverse(&self, positions: &Positions) -> InverseValues {
        let mut looked = InverseValues::default();
        if self.stickers.inverse_closed {
            for (lookup, value) in self.lookups.iter().zip(&mut looked) {
                *value = lookup.value(positions, &mut [0; MOST_NUMBERS]);
            }
        }
        looked
    }

    /// The moves that need not be tried if only `room` moves are left (at least one): they keep the colours of a
    /// look-up whose value for the inverse state is `room` or more.
    #[inline(always)]
    fn too_far(&self, inverse: InverseValues, room: u8) -> MoveSet {
        let far = self.lookups.iter().zip(inverse).filter(|&(_, value)| value >= room);
        far.fold(0, |moves, (lookup, _)| moves | lookup.keeping)
    }

    /// The moves that keep the colours of a look-up of the set.
    #[inline(always)]
    fn kept_by(&self, set: LookupSet) -> MoveSet {
        let of = |(at, lookup): (usize, &TableLookup)| if set >> at & 1 == 1 { lookup.keeping } else { 0 };
        self.lookups.iter().enumerate().fold(0, |moves, lookup| moves | of(lookup))
    }

    /// The numbers of the state after a move: one for each colouring of each look-up.
    #[inline(always)]
    fn step(&self, numbers: &Numbers, given: usize) -> Numbers {
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
    /// The place of this subtree among all subtrees, in the order of the rules.
    number: usize,
    /// The number of states of this subtree that were searched for the last bound.
    states: u64,
    /// The number of states that were searched for all earlier bounds, in all subtrees.
    before: u64,
}

/// A successor of a state, while its bounds are looked up.
#[derive(Debug, Clone, Copy)]
struct PendingSuccessor {
    /// The number of the head state (the row) in the low half, and of the tail state (the place in it) in the high
    /// half. As soon as the row is read: the place of the value.
    looked_up: u64,
    /// The place of the state before the move among the states that are expanded. `given` is the move.
    before: u16,
    given: u8,
    /// The look-ups that give the number of moves that are left, a bit for each.
    exact: LookupSet,
}

impl PendingSuccessor {
    fn new(before: usize, given: u8) -> Self {
        Self { looked_up: 0, before: before as u16, given, exact: 0 }
    }

    /// Notes the head state and the tail state to be looked up, and asks the processor to fetch the number of their
    /// row.
    #[inline(always)]
    fn look_up(&mut self, values: &TableValues, (head, tail): (usize, usize)) {
        self.looked_up = head as u64 | (tail as u64) << 32;
        values.prefetch_row(head);
    }

    /// Finds the place of the value in the table, and asks the processor to fetch the value.
    #[inline(always)]
    fn find(&mut self, values: &TableValues) {
        let place = values.place(self.looked_up as u32 as usize, (self.looked_up >> 32) as usize);
        self.looked_up = place as u64;
        values.prefetch(place);
    }

    /// The value that the table has at the place that was found.
    #[inline(always)]
    fn value(&self, values: &TableValues) -> u8 {
        values.at(self.looked_up as usize)
    }
}

/// A successor that may be near enough to the goal, while its inverse state is looked up. The fields are those of
/// [`CosetNode`].
#[derive(Debug, Clone, Copy)]
struct LikelySuccessor {
    positions: Positions,
    refused: MoveSet,
    inverse: InverseValues,
    given: u8,
    before: u16,
}

/// A level: states that are equally many moves from the first state, and how many of them were expanded so far.
struct CosetLevel {
    nodes: Vec<CosetNode>,
    tried: usize,
}

struct CosetWalk<'a, 'b, 'c, 'd> {
    bounds: &'a CosetBounds<'b>,
    bound: u8,
    /// The smallest bound that would have admitted a state which was cut off.
    next: u8,
    /// The moves that led to the first state.
    moves: Vec<usize>,
    /// The number of states that were searched for all earlier bounds.
    before: u64,
    pending: Vec<PendingSuccessor>,
    likely: Vec<LikelySuccessor>,
    meter: &'c mut Meter<'d>,
}

impl CosetWalk<'_, '_, '_, '_> {
    /// Searches the states that can be reached from a state within the bound. Returns `true` if there is a solution. If
    /// `false`, the meter may have stopped the search.
    ///
    /// A depth-first search waits for memory at each state. So this search expands several states of a level at a time,
    /// then several of their successors, and so on. It goes on to the next states of a level when everything that
    /// follows from the earlier ones has been searched. So the first solution is that of a depth-first search.
    fn go(&mut self, root: &CosetNode) -> bool {
        let begun = self.moves.len();
        let most = usize::from(self.bound) - begun;
        let at_once = AT_ONCE / self.bounds.stickers.moves.len();
        let mut levels: Vec<CosetLevel> =
            std::iter::repeat_with(|| CosetLevel { nodes: Vec::new(), tried: 0 }).take(most + 1).collect();
        levels[0].nodes.push(*root);
        let mut at = 0;
        loop {
            let (level, later) = levels[at..].split_at_mut(1);
            let (level, next) = (&mut level[0], &mut later[0]);
            if level.tried == level.nodes.len() {
                if at == 0 {
                    return false;
                }
                (level.tried, at) = (0, at - 1);
                level.nodes.clear();
                continue;
            }
            // At first, few states are taken at a time. So if the search soon finds a solution, it has expanded few
            // states for nothing, compared with those that were searched before.
            let few =
                at_once.min(1 + usize::try_from((self.before + self.meter.states()) / 8).unwrap_or(usize::MAX - 1));
            next.nodes.clear();
            // Most successors are cut off. So further states of the level are expanded until there are many successors,
            // since a few alone would each wait for the memory.
            while level.tried < level.nodes.len() && (next.nodes.is_empty() || at + 1 < most && next.nodes.len() < few)
            {
                let nodes = &level.nodes[level.tried..];
                let nodes = &nodes[..nodes.len().min(few)];
                for _ in nodes {
                    if self.meter.stops() {
                        return false;
                    }
                }
                self.successors(nodes, self.bound - (begun + at) as u8 - 1);
                next.nodes.extend(self.likely.iter().map(|&likely| {
                    let LikelySuccessor { positions, refused, inverse, given, before } = likely;
                    let numbers = self.bounds.step(&nodes[before as usize].numbers, given.into());
                    CosetNode { numbers, positions, refused, inverse, given, before: before + level.tried as u16 }
                }));
                level.tried += nodes.len();
            }
            at += 1;
            if at < most {
                continue;
            }
            if let Some(goal) = next.nodes.iter().find(|node| self.bounds.is_goal(&node.positions)) {
                let mut node = *goal;
                for level in levels[..at].iter().rev() {
                    self.moves.push(node.given.into());
                    node = level.nodes[node.before as usize];
                }
                self.moves[begun..].reverse();
                return true;
            }
            if !next.nodes.is_empty() {
                self.next = self.next.min(self.bound + 1);
                next.nodes.clear();
            }
            at -= 1;
        }
    }

    /// Puts the successors of some states into `likely`, without those that are known to need more than `room` moves.
    /// Each look-up is made for all successors before the next look-up begins, so that the processor waits for many
    /// places of memory at once.
    fn successors(&mut self, nodes: &[CosetNode], room: u8) {
        let CosetBounds { stickers, lookups, sequences } = self.bounds;
        let moves = stickers.moves.len();
        let all = MoveSet::MAX >> (64 - moves as u32);
        let (mut next, longer) = (self.next, self.bound + 1);
        let made = self.bound - room;
        let (pending, likely) = (&mut self.pending, &mut self.likely);
        pending.clear();
        likely.clear();
        for (before, node) in nodes.iter().enumerate() {
            let far = self.bounds.too_far(node.inverse, room + 1);
            let mut open = !node.refused & all;
            if open & far != 0 {
                next = next.min(longer);
                open &= !far;
            }
            while open != 0 {
                let given = open.trailing_zeros() as u8;
                open &= open - 1;
                pending.push(PendingSuccessor::new(before, given));
            }
        }
        for (number, lookup) in lookups.iter().enumerate() {
            for successor in pending.iter_mut() {
                let numbers = &nodes[successor.before as usize].numbers;
                successor.look_up(&lookup.values, lookup.after(numbers, successor.given.into(), moves));
            }
            for successor in pending.iter_mut() {
                successor.find(&lookup.values);
            }
            let mut left = 0;
            for at in 0..pending.len() {
                let mut successor = pending[at];
                let value = successor.value(&lookup.values);
                successor.exact |= LookupSet::from(value == room) << number;
                pending[left] = successor;
                left += usize::from(value <= room);
                next = next.min(if value <= room { u8::MAX } else { value.saturating_add(made) });
            }
            pending.truncate(left);
        }
        for &PendingSuccessor { before, given, exact, .. } in pending.iter() {
            // If no move can be the last one, no solution from this state is short enough. But if no moves are left,
            // the state itself may be the goal, so it is kept.
            if room > 0 && self.bounds.kept_by(exact) == all {
                next = next.min(longer);
                continue;
            }
            let node = &nodes[before as usize];
            let positions = self.bounds.carry(&node.positions, given.into());
            let refused = sequences.after(node.refused, given.into());
            likely.push(LikelySuccessor { positions, refused, inverse: node.inverse, given, before });
        }
        self.next = next;
        if room > 0 && stickers.inverse_closed {
            self.look_up_inverses(room);
        }
    }

    /// Looks up the inverse states of the states in `likely`. Removes states whose inverse states are known to need
    /// more than `room` moves, and states from which no move is left to try.
    fn look_up_inverses(&mut self, room: u8) {
        let CosetBounds { stickers, lookups, .. } = self.bounds;
        let all = MoveSet::MAX >> (64 - stickers.moves.len() as u32);
        let (made, longer, mut next) = (self.bound - room, self.bound + 1, self.next);
        let (pending, likely) = (&mut self.pending, &mut self.likely);
        for (number, lookup) in lookups.iter().enumerate() {
            pending.clear();
            for (at, node) in likely.iter().enumerate() {
                // After a move that keeps the colours, the inverse state has the same value, so it is not looked up.
                if lookup.keeping >> node.given & 1 == 0 {
                    let mut successor = PendingSuccessor::new(at, node.given);
                    successor.look_up(&lookup.values, lookup.states(&node.positions, &mut [0; MOST_NUMBERS]));
                    pending.push(successor);
                }
            }
            for successor in pending.iter_mut() {
                successor.find(&lookup.values);
            }
            for successor in pending.iter() {
                likely[successor.before as usize].inverse[number] = successor.value(&lookup.values);
            }
            likely.retain(|node| {
                let value = node.inverse[number];
                next = next.min(if value <= room { u8::MAX } else { value.saturating_add(made) });
                value <= room
            });
        }
        likely.retain(|node| {
            let stays = (node.refused | self.bounds.too_far(node.inverse, room)) & all != all;
            next = next.min(if stays { u8::MAX } else { longer });
            stays
        });
        self.next = next;
    }
}

/// Searches for the fewest moves from a state to the goal, and notes in `proof` what it proves.
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
    let states = SubtreeStates { last: std::mem::take(&mut proof.subtrees), present: Vec::new() };
    let searched = CosetSearch { bounds, root, before: proof.states(), states: Mutex::new(states) };
    let found = deepen(&searched, proof, effort, watch);
    let SubtreeStates { last, present } = searched.states.into_inner().unwrap_or_else(PoisonError::into_inner);
    // With these results, the search ended after a bound. Otherwise, some subtrees of the present bound are left.
    let ended_between = matches!(found, Deepened::SettledAside | Deepened::TooLong) && !present.is_empty();
    proof.subtrees = if ended_between { present } else { last };
    found
}

/// A search for the fewest moves from a state.
struct CosetSearch<'a, 'b> {
    bounds: &'a CosetBounds<'b>,
    root: CosetNode,
    /// The number of states that were searched for earlier bounds, before this search.
    before: u64,
    states: Mutex<SubtreeStates>,
}

/// For each subtree in the order of the rules, the number of its states. Empty if that is not known.
#[derive(Debug)]
struct SubtreeStates {
    /// In the search for the last bound that was searched to its end.
    last: Vec<u64>,
    /// In the search for the present bound. Subtrees that are not searched yet have 0.
    present: Vec<u64>,
}

impl BoundedSearch for CosetSearch<'_, '_> {
    type Subtree = CosetSubtree;

    // Numbers of moves are bytes here, like the values of a table.
    const MOST_MOVES: u32 = u8::MAX as u32 - 1;

    // The successors of a few states are added to a level that has nearly as many as are expanded at once.
    const MOVE_BYTES: usize = 2 * AT_ONCE * size_of::<CosetNode>() + size_of::<CosetLevel>();

    fn root(&self) -> CosetSubtree {
        CosetSubtree { node: self.root, moves: Vec::new(), number: 0, states: 0, before: self.before }
    }

    fn split(&self, bound: u32, spent: u64, _: Watch) -> Option<Split<CosetSubtree>> {
        let mut subtrees = vec![self.root()];
        while subtrees.len() < SUBTREES && subtrees[0].moves.len() + 2 < bound as usize {
            subtrees = subtrees.iter().flat_map(|subtree| split(self.bounds, subtree)).collect();
        }
        let mut known = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.present.is_empty() {
            known.last = std::mem::take(&mut known.present);
        }
        known.last.resize(subtrees.len(), 0);
        known.present = vec![0; subtrees.len()];
        for (number, subtree) in subtrees.iter_mut().enumerate() {
            (subtree.number, subtree.states, subtree.before) = (number, known.last[number], self.before + spent);
        }
        // If a subtree had many states within the bound, it is likelier to have a solution, so it is searched earlier.
        sorting::sort_by_key(&mut subtrees, |subtree| (Reverse(subtree.states), subtree.number));
        // No state was cut off here: the search of each subtree begins at its first state, whatever its bound.
        Some(Split { subtrees, next: bound + 1 })
    }

    fn visit(&self, subtree: &CosetSubtree, bound: u32, meter: &mut Meter) -> Visited {
        let (bounds, moves, bound) = (self.bounds, subtree.moves.clone(), bound as u8);
        let (pending, likely) = (Vec::with_capacity(AT_ONCE), Vec::with_capacity(AT_ONCE));
        let mut walk = CosetWalk { bounds, bound, next: u8::MAX, moves, before: subtree.before, pending, likely, meter };
        let solved = walk.go(&subtree.node);
        let mut known = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(states) = known.present.get_mut(subtree.number) {
            *states = walk.meter.states();
        }
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
        node.numbers = bounds.step(&node.numbers, given);
        let mut moves = subtree.moves.clone();
        moves.push(given);
        found.push(CosetSubtree { node, moves, ..*subtree });
    }
    found
}
