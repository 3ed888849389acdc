//! Iterative deepening over states as permutations of stickers.
//!
//! The bound of a state is the largest value of a table under several symmetries, for the state and for its inverse. If
//! moves can be made in every state, and each is undone by a move, a state and its inverse are equally far from the
//! goal: the moves of the one, undone in the other order, are those of the other.

use super::stickers::{MOST_PLACES, Sticker, StickerMove, StickerSymmetry, Stickers, inverse};
use super::table::{NEVER, Table};
use crate::run::Watch;
use crate::solve::answer::Proof;
use crate::solve::subtrees::{Ended, Meter, search};

/// The most numbers of abstract states that are kept for a state.
const MOST_NUMBERS: usize = 24;

/// The most look-ups for the state, and as many for its inverse.
const MOST_LOOKUPS: usize = 8;

/// A bound that took this many states is followed by one on all cores.
const LARGE: u64 = 1 << 15;

/// How many subtrees the threads share out. They are of different sizes.
const SUBTREES: usize = 512;

/// The states of colourings, for all look-ups.
type Numbers = [u32; MOST_NUMBERS];

/// For each place, the cell of the sticker that the goal has first there.
type Positions = [Sticker; MOST_PLACES];

/// One look-up: a table, and a symmetry that is applied first.
struct Lookup<'a> {
    table: &'a Table,
    /// Where its numbers begin, those of the head first.
    begin: usize,
    /// For each of its numbers: what one more adds to the place in the head or in the tail.
    units: Vec<usize>,
    heads: usize,
    /// For each move and each of its numbers: the next number for each number.
    next: Vec<Vec<&'a [u32]>>,
    /// For each of its numbers, for the state and for the inverse state: the places that matter, and what each sticker
    /// there, or its cell, adds to the code.
    forward: Vec<Vec<(usize, Vec<u64>)>>,
    backward: Vec<Vec<(usize, Vec<u64>)>>,
}

/// What a search knows of the rules and the tables.
pub struct Bounds<'a> {
    stickers: &'a Stickers,
    lookups: Vec<Lookup<'a>>,
    /// For each move, the moves that need not follow it, whatever came before; and those that it commutes with.
    after: Vec<(u64, u64)>,
}

/// A state on the way.
#[derive(Debug, Clone, Copy)]
struct Node {
    numbers: Numbers,
    positions: Positions,
    /// The moves that need not follow, a bit for each.
    refused: u64,
}

impl<'a> Lookup<'a> {
    fn new(stickers: &'a Stickers, table: &'a Table, symmetry: &StickerSymmetry, begin: usize) -> Self {
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
        // The image of a state has at a cell the image of what the state has at the cell that is carried there. In a
        // place, that is so many steps around the circle from its first cell.
        let weights = |factor: &super::factor::Factor| -> Vec<(usize, Vec<u64>)> {
            let of = |(&place, weights): (&usize, &Vec<u64>)| {
                let (from, by) = stickers.home[back[stickers.places[place][0] as usize] as usize];
                let image = |sticker: usize| symmetry.image[stickers.turned(sticker as Sticker, by) as usize];
                (from, (0..stickers.len()).map(|sticker| weights[image(sticker) as usize]).collect())
            };
            factor.places.iter().zip(&factor.weights).map(of).collect()
        };
        let forward: Vec<Vec<(usize, Vec<u64>)>> = factors.iter().map(|factor| weights(factor)).collect();
        let (heads, backward) = (table.shape.head.len(), forward.clone());
        Self { table, begin, units, heads, next: next.collect(), forward, backward }
    }

    #[inline(always)]
    fn place(&self, numbers: &[u32]) -> (u32, u32) {
        let (mut head, mut tail) = (0, 0);
        for (at, (&number, &unit)) in numbers.iter().zip(&self.units).enumerate() {
            if at < self.heads {
                head += number as usize * unit;
            } else {
                tail += number as usize * unit;
            }
        }
        self.table.place(head, tail)
    }

    /// The value of the state, or of the inverse, that has the given first sticker (or its cell) in each place.
    #[inline(always)]
    fn read(&self, weights: &[Vec<(usize, Vec<u64>)>], first: &Positions, numbers: &mut [u32]) {
        let factors = self.table.shape.head.iter().chain(&self.table.shape.tail);
        for ((factor, weights), number) in factors.zip(weights).zip(numbers) {
            let code = weights.iter().map(|(place, of)| of[first[*place] as usize]).sum();
            *number = factor.number(code);
        }
    }
}

impl<'a> Bounds<'a> {
    /// The look-ups of some tables: each under one symmetry for each coset of those that it is divided by.
    pub fn new(stickers: &'a Stickers, symmetries: &[StickerSymmetry], tables: &'a [Table]) -> Self {
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
                lookups.push(Lookup::new(stickers, table, symmetry, begin));
                begin += numbers;
            }
        }
        Self { stickers, lookups, after: after(&stickers.moves) }
    }

    /// A lower bound on the number of moves that a state needs.
    #[cfg(test)]
    pub fn bound(&self, held: &[Sticker]) -> u8 {
        self.root(held).1
    }

    fn root(&self, held: &[Sticker]) -> (Node, u8) {
        let stickers = self.stickers;
        let cells = inverse(held);
        let (mut firsts, mut positions) = ([0; MOST_PLACES], [0; MOST_PLACES]);
        for (place, circle) in stickers.places.iter().enumerate() {
            firsts[place] = held[circle[0] as usize];
            positions[place] = cells[circle[0] as usize];
        }
        let mut node = Node { numbers: [0; MOST_NUMBERS], positions, refused: 0 };
        let mut bound = 0;
        for lookup in &self.lookups {
            let numbers = &mut node.numbers[lookup.begin..][..lookup.units.len()];
            lookup.read(&lookup.forward, &firsts, numbers);
            bound = bound.max(lookup.table.value(lookup.place(numbers)));
        }
        (node, bound.max(self.of_inverse(&positions, NEVER)))
    }

    /// The bound from the inverse state; no further look-ups follow one that says more than `room`.
    #[inline(always)]
    fn of_inverse(&self, positions: &Positions, room: u8) -> u8 {
        let mut bound = 0;
        if self.stickers.inverse_closed {
            for lookup in &self.lookups {
                let mut numbers = [0; MOST_NUMBERS];
                let numbers = &mut numbers[..lookup.units.len()];
                lookup.read(&lookup.backward, positions, numbers);
                bound = bound.max(lookup.table.value(lookup.place(numbers)));
                if bound > room {
                    break;
                }
            }
        }
        bound
    }

    fn is_goal(&self, positions: &Positions) -> bool {
        self.stickers.places.iter().zip(positions).all(|(circle, &cell)| circle[0] == cell)
    }

    /// What may follow a move, after moves that refuse some.
    #[inline(always)]
    fn refused(&self, before: u64, given: usize) -> u64 {
        let (refused, commuting) = self.after[given];
        refused | before & commuting
    }
}

/// For each move: the moves that need not follow it, and those that commute with it.
///
/// A move need not follow if both together do what one move does, or nothing. Of moves that commute, the order of the
/// rules is taken. What need not follow a move need not follow later either, as long as it commutes with all between:
/// then it could have been made before them. So of all sequences that only exchange commuting neighbours, the first in
/// the order of the rules is searched, and no other.
fn after(moves: &[StickerMove]) -> Vec<(u64, u64)> {
    let then =
        |a: &StickerMove, b: &StickerMove| -> Vec<Sticker> { a.image.iter().map(|&to| b.image[to as usize]).collect() };
    let is_identity = |image: &[Sticker]| image.iter().enumerate().all(|(from, &to)| from == to as usize);
    let of = |(at, given): (usize, &StickerMove)| {
        let (mut refused, mut commuting) = (0u64, 0u64);
        for (number, other) in moves.iter().enumerate() {
            let product = then(given, other);
            let commutes = product == then(other, given);
            let shorter = is_identity(&product) || moves.iter().any(|single| single.image == product);
            refused |= u64::from(shorter || (commutes && number < at)) << number;
            commuting |= u64::from(commutes) << number;
        }
        (refused, commuting)
    };
    moves.iter().enumerate().map(of).collect()
}

/// A subtree: a state, and the moves that led to it.
struct Subtree {
    node: Node,
    moves: Vec<usize>,
}

struct Walk<'a, 'b, 'c, 'd> {
    bounds: &'a Bounds<'b>,
    bound: u8,
    /// The least bound that was cut off.
    next: u8,
    moves: Vec<usize>,
    meter: &'c mut Meter<'d>,
    /// For each number of moves, the successors.
    scratch: Vec<Vec<Node>>,
}

impl Walk<'_, '_, '_, '_> {
    /// Searches what can be reached from a state within the bound. Returns whether it is over: there is a solution, or
    /// the meter says stop.
    fn go(&mut self, node: &Node) -> Option<bool> {
        if self.meter.stops() {
            return Some(false);
        }
        let made = self.moves.len();
        let room = self.bound - made as u8 - 1;
        let mut scratch = std::mem::take(&mut self.scratch[made]);
        let kept = self.successors(node, room, &mut scratch);
        let mut end = None;
        for &(given, child) in &kept.0[..kept.1] {
            let child = &mut scratch[child as usize];
            let image = &self.bounds.stickers.moves[given as usize].image;
            for (to, from) in child.positions.iter_mut().zip(&node.positions).take(self.bounds.stickers.places.len()) {
                *to = image[*from as usize];
            }
            if room == 0 {
                if self.bounds.is_goal(&child.positions) {
                    self.moves.push(given as usize);
                    end = Some(true);
                    break;
                }
                self.next = self.next.min(self.bound + 1);
                continue;
            }
            let bound = self.bounds.of_inverse(&child.positions, room);
            if bound > room {
                self.next = self.next.min(bound.saturating_add(made as u8 + 1));
                continue;
            }
            child.refused = self.bounds.refused(node.refused, given as usize);
            let child = *child;
            self.moves.push(given as usize);
            end = self.go(&child);
            if end.is_some() {
                break;
            }
            self.moves.pop();
        }
        self.scratch[made] = scratch;
        end
    }

    /// The moves to states whose tables say no more than `room`, with the places of these states. One table after the
    /// other is looked up for all moves, so that the processor waits for several places of memory at once.
    #[inline(always)]
    fn successors(&mut self, node: &Node, room: u8, children: &mut [Node]) -> ([(u8, u8); 64], usize) {
        let (mut kept, mut count) = ([(0u8, 0u8); 64], 0);
        let moves = self.bounds.stickers.moves.len();
        let mut open = !node.refused & (u64::MAX >> (64 - moves as u32));
        while open != 0 {
            let given = open.trailing_zeros() as u8;
            open &= open - 1;
            kept[count] = (given, count as u8);
            count += 1;
        }
        let made = self.moves.len() as u8 + 1;
        let mut places = [(0u32, 0u32); 64];
        for lookup in &self.bounds.lookups {
            let range = lookup.begin..lookup.begin + lookup.units.len();
            let before = &node.numbers[range.clone()];
            for (&(given, child), place) in kept[..count].iter().zip(&mut places) {
                let numbers = &mut children[child as usize].numbers[range.clone()];
                for ((number, before), next) in numbers.iter_mut().zip(before).zip(&lookup.next[given as usize]) {
                    *number = next[*before as usize];
                }
                *place = lookup.place(numbers);
            }
            let mut left = 0;
            for at in 0..count {
                let value = lookup.table.value(places[at]);
                if value <= room {
                    kept[left] = kept[at];
                    left += 1;
                } else {
                    self.next = self.next.min(value.saturating_add(made));
                }
            }
            count = left;
        }
        (kept, count)
    }
}

/// The fewest moves from a state to the goal, with the bounds that were searched, at most `most` states.
pub fn deepen(bounds: &Bounds, held: &[Sticker], proof: &mut Proof, most: u64, watch: Watch) -> Ended<Vec<usize>> {
    let (root, first) = bounds.root(held);
    if bounds.is_goal(&root.positions) {
        return Ended::Found(Vec::new());
    }
    proof.lower_bound = proof.lower_bound.max(first.into()).max(1);
    let (mut spent, mut large) = (0, false);
    loop {
        let Ok(bound) = u8::try_from(proof.lower_bound) else { return Ended::Full };
        let mut subtrees = vec![Subtree { node: root, moves: Vec::new() }];
        if large {
            while subtrees.len() < SUBTREES && subtrees[0].moves.len() + 2 < bound.into() {
                subtrees = subtrees.iter().flat_map(|subtree| split(bounds, subtree)).collect();
            }
        }
        let next = std::sync::atomic::AtomicU8::new(u8::MAX);
        let visit = |subtree: &Subtree, meter: &mut Meter| {
            let moves = bounds.stickers.moves.len();
            let scratch = vec![vec![root; moves]; usize::from(bound) + 1];
            let mut walk = Walk { bounds, bound, next: u8::MAX, moves: subtree.moves.clone(), meter, scratch };
            let end = walk.go(&subtree.node);
            next.fetch_min(walk.next, std::sync::atomic::Ordering::Relaxed);
            (end == Some(true)).then_some(walk.moves)
        };
        let (ended, states) = search(&subtrees, (spent, most - spent), watch, visit);
        spent += states;
        if let Ended::Nothing | Ended::Found(_) = ended {
            proof.searched.push((bound.into(), states));
        }
        match ended {
            Ended::Nothing => {}
            Ended::Found(moves) => {
                return Ended::Found(moves.iter().map(|&given| bounds.stickers.moves[given].index).collect());
            }
            over => return over,
        }
        // Subtrees that were split off begin with bounds of their own.
        let next = next.into_inner().max(bound + 1);
        if next == u8::MAX && !large {
            return Ended::Full;
        }
        proof.lower_bound = if large { u32::from(bound) + 1 } else { next.into() };
        large = states >= LARGE;
    }
}

/// The subtrees of the successors of a state. Nothing is cut off here.
fn split(bounds: &Bounds, subtree: &Subtree) -> Vec<Subtree> {
    let mut found = Vec::new();
    for (given, image) in bounds.stickers.moves.iter().enumerate() {
        if subtree.node.refused >> given & 1 == 1 {
            continue;
        }
        let mut node = subtree.node;
        node.refused = bounds.refused(subtree.node.refused, given);
        node.positions.iter_mut().for_each(|cell| *cell = image.image.get(*cell as usize).copied().unwrap_or(0));
        for lookup in &bounds.lookups {
            for (at, next) in lookup.next[given].iter().enumerate() {
                let number = &mut node.numbers[lookup.begin + at];
                *number = next[*number as usize];
            }
        }
        let mut moves = subtree.moves.clone();
        moves.push(given);
        found.push(Subtree { node, moves });
    }
    found
}
