//! The perfect index of pieces that twist: a number for the arrangement of each kind of pieces, and one for the twists.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! The places of a kind are read in a chosen order. The pieces in them are a sequence, which has a number as any
//! arrangement has. The twists are the digits of another number, the first place's digit lowest. A move does the same
//! to all twists, whatever the arrangement is: it permutes the digits and adds a constant to each. And it does the same
//! to the pieces of one kind, wherever the pieces of other kinds are. So the state is made of independent parts, its
//! *factors*, and a move permutes the numbers of each. Some factors choose the block of a state, and the others its
//! place there. A move carries all states of a block onto all states of one block.
//!
//! For example, two burnt pancakes have the arrangements `AB` (number 0) and `BA` (number 1), and for each of them the
//! twists 00, 01, 10 and 11. In the state `bA`, `b` is turned over in the first place. So the number of the twists is
//! 1, and that of the state is 1·4 + 1 = 5. A move that turns both pancakes over carries twists `xy` to `yx`, with both
//! digits changed.
//!
//! **Links.** The parity of the arrangement of one kind may follow from that of another: a turn of a cube is an odd
//! permutation of the corners whenever it is an odd permutation of the edges. Then the edges are numbered as if the
//! last two looked alike, and which of the two is which follows from the arrangement of the corners. In the same way,
//! the last twist of a kind may follow from the twists of other kinds.

use std::collections::HashMap;
use std::ops::Range;

use super::cut::{Cut, is_order};
use super::factor::{FactorNumbers, PieceFactor, TwistNumbers, TwistSum, is_odd};
use super::fixed::FixedByClass;
use super::multinomial::Multiset;
use super::order::cheap_order;
use super::perfect::Index;
use super::sequence::{Sequences, Shuffle};
use crate::ordered::OrderedSet;
use crate::rules::{Symbol, Symmetry};
use crate::sorting;
use crate::sorting::Gather;
use crate::structure::{PieceMove, Pieces, Structure, VectorSpan, conjugacy_classes, is_prime};

/// The most states that an index may have. No machine could hold a bit for each of more states.
const MOST_STATES: u64 = 1 << 42;

/// The most places in a block. Each move has a table with an entry for each place.
const MOST_COMBINATIONS: u64 = 1 << 20;

/// The most places in a block of pieces of several kinds. Such blocks are permuted many bits at a time.
const MOST_OF_SEVERAL: u64 = 1 << 13;

/// The most pieces of a kind if all of them differ. No machine could hold a bit for each arrangement of more.
pub const MOST_DISTINCT: usize = 12;

/// The most factors from which those that choose the place in a block are picked. All subsets of them are tried.
const MOST_CHOICES: usize = 10;

/// The most states that all symmetries but the identity may fix, counted together. All these states are listed.
const MOST_FIXED: usize = 1 << 20;

/// The index of rules whose states are arrangements of pieces that twist.
#[derive(Debug, Clone)]
pub struct PieceIndex {
    /// The effects of the moves, with the places numbered in the order in which they are read. Equal moves are listed
    /// once, and moves that change nothing are left out.
    pub moves: Vec<PieceMove>,
    /// The factors: first the arrangement of each kind, then the twists, with one factor for each number of twists that
    /// pieces have.
    factors: Vec<PieceFactor>,
    /// The factors that choose the place of a state in its block, by their places in `factors`, in ascending order.
    bits: Vec<usize>,
    /// The number of blocks.
    pub blocks: u64,
    /// The number of places in a block.
    pub combinations: u64,
    /// The cells of each place that a piece can have on the board. Places are in the order in which they are read, one
    /// kind of pieces after the other.
    order: Vec<Vec<usize>>,
    /// For each of these places, the piece that starts there: for each twist of the piece, the symbols that it shows in
    /// the cells of a place.
    pieces: Vec<Vec<Vec<Symbol>>>,
    kinds: Vec<KindOfPieces>,
    start: Vec<Symbol>,
    /// The cells that are in no place. They hold what they hold at the start.
    still: Vec<usize>,
}

/// A kind of pieces, such as the corners of a cube. A move carries a piece only to places of its own kind.
#[derive(Debug, Clone)]
struct KindOfPieces {
    places: Range<usize>,
    /// For each different piece and each twist of it, the symbols that it shows in the cells of a place.
    shown: Vec<Vec<Vec<Symbol>>>,
    /// For each different piece, the number of pieces that look like it.
    counts: Vec<usize>,
    /// Finds a piece and its twist by the symbols in the cells of a place.
    known: HashMap<Vec<Symbol>, (u8, u8)>,
    /// If the parity of this kind's arrangement follows from earlier kinds: these kinds. The arrangement of this kind
    /// is odd if an odd number of theirs are odd. So its last two pieces can be numbered as if they looked alike.
    /// Otherwise empty.
    linked: Vec<usize>,
}

/// The choices that determine an index of pieces, so that the same index can be made again; see
/// [`Cut::Pieces`](crate::index::Cut::Pieces).
#[derive(Debug, Clone, Copy)]
pub struct PieceOrder<'a> {
    /// The cells of each place that a piece can have on the board. Places are in the order in which they are read, one
    /// kind of pieces after the other.
    pub order: &'a [Vec<usize>],
    /// For each of these places, the piece that starts there: for each twist of the piece, the symbols that it shows in
    /// the cells of a place.
    pub symbols: &'a [Vec<Vec<Symbol>>],
    /// The number of places of each kind. If the list is empty, all pieces are of one kind.
    pub kinds: &'a [usize],
    /// The factors that choose the place of a state in its block. They are ignored if `kinds` is empty.
    pub bits: &'a [usize],
}

impl PieceIndex {
    /// The index of the rules, if they have this shape: one player, no ends, and every move permutes pieces and twists
    /// them, whatever they are. There must be several kinds of pieces, or twists. Cells are read in an order in which
    /// moves change few of the last places.
    pub fn of_structure(structure: &Structure) -> Option<Self> {
        let pieces = structure.pieces()?;
        let order_of = |kind: &Vec<usize>| -> Vec<usize> {
            let cost = |order: &[usize]| {
                let first = |given: &PieceMove| order.iter().position(|&at| given.source[kind[at]] != kind[at]);
                let costs = pieces.moves.iter().map(|given| first(given).map_or(0, |first| kind.len() - first));
                costs.map(|cost| cost.pow(2) as u64).sum()
            };
            cheap_order(kind.len(), &cost).into_iter().map(|at| kind[at]).collect()
        };
        let fits = |kind: &Vec<usize>| kind.len() <= super::MOST_PLACES;
        if !pieces.kinds.iter().all(fits) {
            return None;
        }
        let kinds: Vec<Vec<usize>> = pieces.kinds.iter().map(order_of).collect();
        let symbols = kinds.concat().into_iter().map(|place| pieces.symbols[place].clone()).collect();
        Self::new(structure, pieces, &kinds, symbols, None)
    }

    /// The index with given choices. `None` if the rules have no index with these choices, for example because the
    /// symbols of a piece are not in the order of its twists.
    pub fn of_order(structure: &Structure, given: PieceOrder<'_>) -> Option<Self> {
        let PieceOrder { order, symbols, kinds, bits } = given;
        let pieces = structure.pieces()?;
        let place = |cells: &Vec<usize>| pieces.places.iter().position(|known| known == cells);
        let order = order.iter().map(place).collect::<Option<Vec<_>>>()?;
        if !is_order(&order, pieces.places.len()) || symbols.len() != order.len() {
            return None;
        }
        let mut left = &order[..];
        let mut taken = Vec::new();
        let single = [order.len()];
        for &places in if kinds.is_empty() { &single[..] } else { kinds } {
            let (kind, rest) = left.split_at_checked(places).filter(|_| places > 0)?;
            taken.push(kind.to_vec());
            left = rest;
        }
        let bits = if kinds.is_empty() { &[1][..] } else { bits };
        left.is_empty().then(|| Self::new(structure, pieces, &taken, symbols.to_vec(), Some(bits)))?
    }

    fn new(
        structure: &Structure,
        pieces: &Pieces,
        kinds: &[Vec<usize>],
        symbols: Vec<Vec<Vec<Symbol>>>,
        bits: Option<&[usize]>,
    ) -> Option<Self> {
        let order = kinds.concat();
        let mut kinds_found = Vec::new();
        let mut units = vec![1; order.len()];
        for kind in kinds {
            let begin = kinds_found.last().map_or(0, |last: &KindOfPieces| last.places.end);
            let places = begin..begin + kind.len();
            let kept = |given: &PieceMove| kind.iter().all(|&place| kind.contains(&given.source[place]));
            if !pieces.moves.iter().all(kept) {
                return None;
            }
            let unit = unit_of(pieces, kind, &symbols[places.clone()])?;
            units[places.clone()].fill(unit);
            kinds_found.push(KindOfPieces::new(places.clone(), &symbols[places])?);
        }
        let twists: Vec<usize> = symbols.iter().map(Vec::len).collect();
        if kinds.len() == 1 && twists[0] == 1 {
            return None; // an arrangement has an index of its own
        }
        let mut new_place = vec![0; order.len()];
        for (at, &place) in order.iter().enumerate() {
            new_place[place] = at;
        }
        let in_order = |given: &PieceMove| {
            let source = order.iter().map(|&place| new_place[given.source[place]]).collect();
            let steps = |(at, &place): (usize, &usize)| {
                (0..twists[at]).find(|steps| steps * units[at] % twists[at] == given.twists[place])
            };
            let twists = order.iter().enumerate().map(steps).collect::<Option<_>>()?;
            Some(PieceMove { source, twists })
        };
        let mut moves: Vec<PieceMove> = pieces.moves.iter().map(in_order).collect::<Option<_>>()?;
        moves.retain(|given| given.twists.iter().any(|&by| by != 0) || Shuffle::new(&given.source).is_some());
        sorting::sort(&mut moves);
        moves.dedup();
        let mut factors = arrangements(&mut kinds_found, &moves)?;
        let start = structure.rules().start.clone();
        let mut read = vec![0; order.len()];
        for kind in &kinds_found {
            for place in kind.places.clone() {
                read[place] = kind.known[&symbols[place][0]].1;
            }
        }
        factors.extend(twist_factors(&kinds_found, &twists, &moves, &read));
        let lengths: Vec<u64> = factors.iter().map(PieceFactor::len).collect();
        let states = lengths.iter().try_fold(1u64, |product, &len| product.checked_mul(len))?;
        if states > MOST_STATES {
            return None;
        }
        let bits = match bits {
            Some(bits) => bits.to_vec(),
            None if kinds.len() == 1 => vec![1],
            None => choose_bits(&lengths)?,
        };
        let ascends = bits.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascends || bits.last().is_some_and(|&last| last >= factors.len()) {
            return None;
        }
        let combinations: u64 = bits.iter().map(|&factor| lengths[factor]).product();
        let blocks = states / combinations;
        if combinations > MOST_COMBINATIONS || u32::try_from(blocks).is_err() {
            return None;
        }
        let order: Vec<Vec<usize>> = order.iter().map(|&place| pieces.places[place].clone()).collect();
        let still = (0..start.len()).filter(|cell| !order.iter().any(|place| place.contains(cell))).collect();
        let kinds = kinds_found;
        Some(Self { moves, factors, bits, blocks, combinations, order, pieces: symbols, kinds, start, still })
    }

    /// The number of places, each of which holds a piece.
    pub fn places(&self) -> usize {
        self.order.len()
    }

    /// The factors that choose the block, the most significant first.
    pub fn block_factors(&self) -> impl Iterator<Item = &PieceFactor> {
        (0..self.factors.len()).filter(|factor| !self.bits.contains(factor)).map(|factor| &self.factors[factor])
    }

    /// The factors that choose the place in the block, the most significant first.
    pub fn bit_factors(&self) -> impl Iterator<Item = &PieceFactor> {
        self.bits.iter().map(|&factor| &self.factors[factor])
    }

    /// For each place in a block, the place to which a move carries the state there. (The states of a block are all
    /// carried into one block.)
    pub fn moved(&self, given: &PieceMove) -> Vec<u32> {
        self.bit_factors().fold(vec![0], |places, factor| {
            let (images, len) = (factor.images(given), factor.len() as u32);
            places.iter().flat_map(|place| images.iter().map(move |image| place * len + image)).collect()
        })
    }

    /// For each conjugacy class of symmetries but the identity, the numbers of the states that one symmetry of the
    /// class fixes. `None` if these states are too many to list.
    pub fn fixed(&self, symmetries: &[Symmetry]) -> Option<Vec<FixedByClass<u64>>> {
        let mut left = MOST_FIXED;
        let classes = conjugacy_classes(symmetries);
        let fixed = classes.iter().map(|class| {
            let symmetry = class.element;
            let mut found = Vec::new();
            let mut state = self.start.clone();
            let cycles = self.cycles(symmetry)?;
            let mut counts: Vec<Vec<usize>> = self.kinds.iter().map(|kind| kind.counts.clone()).collect();
            self.fill(&cycles, symmetry, &mut counts, &mut state, &mut |state| {
                found.extend(self.rank(state));
                left = left.saturating_sub(1);
                left > 0
            })
            .then(|| {
                found.sort_unstable();
                FixedByClass { symmetries: class.len, states: found }
            })
        });
        fixed.collect()
    }

    /// The cycles in which a symmetry carries places. `None` if it does not carry places onto places.
    fn cycles(&self, symmetry: &Symmetry) -> Option<Vec<Vec<usize>>> {
        let image = |place: usize| {
            let cells: OrderedSet<usize> = self.order[place].iter().map(|&cell| symmetry.cells[cell]).gather();
            self.order.iter().position(|other| other.iter().copied().gather::<OrderedSet<_>>() == cells)
        };
        let images = (0..self.places()).map(image).collect::<Option<Vec<_>>>()?;
        let mut left: OrderedSet<usize> = (0..self.places()).gather();
        let mut cycles = Vec::new();
        while let Some(first) = left.pop_first() {
            let (mut cycle, mut at) = (vec![first], images[first]);
            while at != first {
                left.remove(&at);
                cycle.push(at);
                at = images[at];
            }
            cycles.push(cycle);
        }
        Some(cycles)
    }

    /// The symbols `held` in the place `from`, after a symmetry that carries this place to the place `to`: a symbol for
    /// each cell of `to`, in the order of its cells. A place is a list of cells that a piece fills.
    fn carried(&self, symmetry: &Symmetry, (from, to): (usize, usize), held: &[Symbol]) -> Vec<Symbol> {
        let source = |&to: &usize| self.order[from].iter().position(|&cell| symmetry.cells[cell] == to);
        let carried = self.order[to].iter().filter_map(source).map(|at| symmetry.symbols[held[at] as usize]);
        carried.collect()
    }

    /// The number of the kind of a place.
    fn kind_of(&self, place: usize) -> usize {
        self.kinds.partition_point(|kind| kind.places.end <= place)
    }

    /// Fills the places of `cycles` in all ways that a symmetry leaves as they are. Calls `found` with each state,
    /// until it returns `false`; then returns `false`, too. The piece in the first place of a cycle decides those in
    /// its other places. `left` has, for each kind and each different piece, how many are left. The function calls
    /// itself once for each cycle, and an index has at most 128 places.
    fn fill(
        &self,
        cycles: &[Vec<usize>],
        symmetry: &Symmetry,
        left: &mut Vec<Vec<usize>>,
        state: &mut Vec<Symbol>,
        found: &mut impl FnMut(&[Symbol]) -> bool,
    ) -> bool {
        let Some((cycle, rest)) = cycles.split_first() else { return found(state) };
        for first in self.kinds[self.kind_of(cycle[0])].shown.iter().flatten() {
            let (mut held, mut placed) = (first.clone(), Vec::new());
            for (&place, &next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                let kind = self.kind_of(place);
                let Some(&(piece, _)) = self.kinds[kind].known.get(&held) else { break };
                let count = &mut left[kind][piece as usize];
                if *count == 0 {
                    break;
                }
                *count -= 1;
                placed.push((kind, piece as usize));
                self.order[place].iter().zip(&held).for_each(|(&cell, &symbol)| state[cell] = symbol);
                held = self.carried(symmetry, (place, next), &held);
            }
            let whole = placed.len() == cycle.len() && held == *first;
            let go_on = !whole || self.fill(rest, symmetry, left, state, found);
            for &(kind, piece) in &placed {
                left[kind][piece] += 1;
            }
            if !go_on {
                return false;
            }
        }
        true
    }

    /// Returns `true` if an odd number of the kinds to which `kind` is linked have an odd arrangement. `pieces` has the
    /// piece in each place.
    fn is_odd_by_links(&self, kind: &KindOfPieces, pieces: &[u8]) -> bool {
        kind.linked.iter().fold(false, |odd, &other| odd ^ is_odd(&pieces[self.kinds[other].places.clone()]))
    }

    /// The number of a state, from the numbers of its factors.
    fn number(&self, factors: &[u64]) -> u64 {
        let of = |bits: bool| {
            let some = (0..factors.len()).filter(|factor| self.bits.contains(factor) == bits);
            some.fold(0, |number, factor| number * self.factors[factor].len() + factors[factor])
        };
        of(false) * self.combinations + of(true)
    }
}

impl Index for PieceIndex {
    fn len(&self) -> u64 {
        self.blocks * self.combinations
    }

    fn rank(&self, state: &[Symbol]) -> Option<u64> {
        if state.len() != self.start.len() {
            return None;
        }
        if self.still.iter().any(|&cell| state[cell] != self.start[cell]) {
            return None;
        }
        let known = |(at, place): (usize, &Vec<usize>)| {
            let held: Vec<Symbol> = place.iter().map(|&cell| state[cell]).collect();
            self.kinds[self.kind_of(at)].known.get(&held).copied()
        };
        let read = self.order.iter().enumerate().map(known).collect::<Option<Vec<_>>>()?;
        let (mut pieces, twists): (Vec<u8>, Vec<u8>) = read.into_iter().unzip();
        for kind in self.kinds.iter().rev().filter(|kind| !kind.linked.is_empty()) {
            let odd = self.is_odd_by_links(kind, &pieces);
            link(&mut pieces[kind.places.clone()], odd)?;
        }
        let rank = |factor: &PieceFactor| {
            let labels = if matches!(factor.numbers, FactorNumbers::Twists(_)) { &twists } else { &pieces };
            factor.rank(&factor.places.iter().map(|&place| labels[place]).collect::<Vec<_>>())
        };
        let numbers = self.factors.iter().map(rank).collect::<Option<Vec<_>>>()?;
        Some(self.number(&numbers))
    }

    fn unrank(&self, number: u64) -> Vec<Symbol> {
        let (mut block, mut place) = (number / self.combinations, number % self.combinations);
        let (mut pieces, mut twists) = (vec![0; self.places()], vec![0; self.places()]);
        for (at, factor) in self.factors.iter().enumerate().rev() {
            let rest = if self.bits.contains(&at) { &mut place } else { &mut block };
            let labels = factor.labels(*rest % factor.len());
            *rest /= factor.len();
            let read = if matches!(factor.numbers, FactorNumbers::Twists(_)) { &mut twists } else { &mut pieces };
            factor.places.iter().zip(labels).for_each(|(&place, label)| read[place] = label);
        }
        for kind in self.kinds.iter().filter(|kind| !kind.linked.is_empty()) {
            let odd = self.is_odd_by_links(kind, &pieces);
            tell_apart(&mut pieces[kind.places.clone()], odd);
        }
        let mut state = self.start.clone();
        for (at, place) in self.order.iter().enumerate() {
            let held = &self.kinds[self.kind_of(at)].shown[pieces[at] as usize][twists[at] as usize];
            place.iter().zip(held).for_each(|(&cell, &symbol)| state[cell] = symbol);
        }
        state
    }

    fn cut(&self) -> Cut {
        let even = |factor: &PieceFactor| matches!(&factor.numbers, FactorNumbers::Distinct(orders) if orders.even);
        let sum = |factor: &PieceFactor| match &factor.numbers {
            FactorNumbers::Twists(numbers) => !numbers.sums.is_empty(),
            _ => false,
        };
        let several = self.kinds.len() > 1;
        let linked = self.kinds.iter().any(|kind| !kind.linked.is_empty());
        Cut::Pieces {
            order: self.order.clone(),
            pieces: self.pieces.clone(),
            even: linked || self.factors.iter().any(even),
            sum: self.factors.iter().any(sum),
            kinds: self.kinds.iter().filter(|_| several).map(|kind| kind.places.len()).collect(),
            bits: self.bits.iter().filter(|_| several).copied().collect(),
        }
    }
}

impl KindOfPieces {
    /// The kind of the pieces that start in some places. `None` if one piece can show the same symbols as another, but
    /// the two do not look alike in all their twists.
    fn new(places: Range<usize>, symbols: &[Vec<Vec<Symbol>>]) -> Option<Self> {
        let mut kind =
            Self { places, shown: Vec::new(), counts: Vec::new(), known: HashMap::new(), linked: Vec::new() };
        for circle in symbols {
            if let Some(&(piece, _)) = kind.known.get(&circle[0]) {
                // The piece looks like an earlier one, perhaps with another twist.
                kind.counts[piece as usize] += 1;
                if circle.iter().any(|held| kind.known.get(held).is_none_or(|known| known.0 != piece)) {
                    return None;
                }
                continue;
            }
            let piece = u8::try_from(kind.shown.len()).ok()?;
            for (twist, held) in circle.iter().enumerate() {
                if kind.known.insert(held.clone(), (piece, twist as u8)).is_some() {
                    return None;
                }
            }
            kind.shown.push(circle.clone());
            kind.counts.push(1);
        }
        Some(kind)
    }

    /// Returns `true` if no two pieces look alike.
    fn is_distinct(&self) -> bool {
        self.shown.len() == self.places.len()
    }
}

/// Replaces the last piece of a kind by the one before it, so that the two look alike. `None` if `pieces` does not have
/// each piece once, or if its order is odd while `odd` is `false`, or the other way round.
fn link(pieces: &mut [u8], odd: bool) -> Option<()> {
    let mut sorted = pieces.to_vec();
    sorted.sort_unstable();
    if !sorted.iter().enumerate().all(|(at, &piece)| at == piece as usize) || is_odd(pieces) != odd {
        return None;
    }
    let last = sorted.len() as u8 - 1;
    pieces.iter_mut().filter(|piece| **piece == last).for_each(|piece| *piece = last - 1);
    Some(())
}

/// Undoes `link`: makes the last two pieces of a kind different again, in the order that makes the arrangement odd if
/// `odd` is `true`, and otherwise even.
fn tell_apart(pieces: &mut [u8], odd: bool) {
    let last = pieces.len() as u8 - 1;
    let alike: Vec<usize> = (0..pieces.len()).filter(|&at| pieces[at] == last - 1).collect();
    pieces[alike[1]] = last;
    if is_odd(pieces) != odd {
        pieces.swap(alike[0], alike[1]);
    }
}

/// Returns the number of twists of `pieces` that make one twist in the given `symbols`; `None` if it is not the same
/// for all places of a kind. For example, with three twists and the answer 2, `symbols` lists the twists 0, 2 and 1 of
/// `pieces`.
fn unit_of(pieces: &Pieces, kind: &[usize], symbols: &[Vec<Vec<Symbol>>]) -> Option<usize> {
    let twists = pieces.twists(kind[0]);
    (1..=twists).find(|&unit| {
        let mut circles = symbols.iter().zip(kind);
        circles.all(|(circle, &place)| {
            let known = &pieces.symbols[place];
            let same = |at: usize| circle[at] == known[at * unit % twists];
            known.len() == twists && circle.len() == twists && (0..twists).all(same)
        })
    })
}

/// The factors of the arrangements of the kinds. If the parity of a kind's arrangement follows from those of earlier
/// kinds, the kind is linked to these. `None` if a kind has too many pieces.
fn arrangements(kinds: &mut [KindOfPieces], moves: &[PieceMove]) -> Option<Vec<PieceFactor>> {
    let mut span = VectorSpan::new(2);
    // Kinds are linked by linear algebra over GF(2). A kind's vector has an entry for each move: 1 if the move permutes
    // the kind's pieces oddly. `spanning` has the kinds whose vectors are in the span.
    let mut spanning = Vec::new();
    let mut factors = Vec::new();
    for (at, kind) in kinds.iter_mut().enumerate() {
        let (begin, count) = (kind.places.start, kind.places.len());
        let numbers = if kind.is_distinct() {
            if count > MOST_DISTINCT {
                return None;
            }
            let odd = |given: &PieceMove| {
                u8::from(is_odd(
                    &given.source[kind.places.clone()].iter().map(|&from| (from - begin) as u8).collect::<Vec<_>>(),
                ))
            };
            let parities: Vec<u8> = moves.iter().map(odd).collect();
            let factors = span.number(&parities);
            if factors.is_none() {
                span.add(&parities);
                spanning.push(at);
            }
            let even = factors.is_some();
            kind.linked =
                spanning.iter().zip(factors.unwrap_or_default()).filter(|(_, by)| *by > 0).map(|(&at, _)| at).collect();
            if kind.linked.is_empty() {
                FactorNumbers::Distinct(Sequences::new(count, even))
            } else {
                let counts = (0..count - 1).map(|piece| if piece == count - 2 { 2 } else { 1 });
                FactorNumbers::Alike(Multiset::new(counts.collect())?)
            }
        } else {
            FactorNumbers::Alike(Multiset::new(kind.counts.clone())?)
        };
        factors.push(PieceFactor { places: kind.places.clone().collect(), numbers });
    }
    Some(factors)
}

/// The factors of the twists: one for each number of twists that pieces have. `start` has the twists at the start.
fn twist_factors(kinds: &[KindOfPieces], twists: &[usize], moves: &[PieceMove], start: &[u8]) -> Vec<PieceFactor> {
    let all: OrderedSet<usize> = twists.iter().copied().filter(|&twists| twists > 1).gather();
    let factor = |count: usize| {
        let places: Vec<usize> = (0..twists.len()).filter(|&place| twists[place] == count).collect();
        let digit = |place: usize| places.binary_search(&place).expect("the place has this number of twists");
        let mut sums = Vec::new();
        // Modulo a prime, the sum of the twists of a kind may be a sum of multiples of the sums of other kinds.
        let prime = u8::try_from(count).ok().filter(|_| is_prime(count));
        let mut span = prime.map(VectorSpan::new);
        let mut spanning: Vec<&KindOfPieces> = Vec::new();
        for kind in kinds.iter().filter(|kind| twists[kind.places.start] == count) {
            let sum = |given: &PieceMove| (given.twists[kind.places.clone()].iter().sum::<usize>() % count) as u8;
            let vector: Vec<u8> = moves.iter().map(sum).collect();
            let multiples = match &mut span {
                Some(span) => {
                    let multiples = span.number(&vector);
                    if multiples.is_none() {
                        span.add(&vector);
                        spanning.push(kind);
                    }
                    multiples
                }
                None => vector.iter().all(|&by| by == 0).then(Vec::new),
            };
            let Some(multiples) = multiples else { continue };
            let mut factors = vec![0; places.len()];
            for (other, by) in spanning.iter().zip(multiples) {
                other.places.clone().for_each(|place| factors[digit(place)] = by as usize);
            }
            let last = digit(kind.places.end - 1);
            kind.places.clone().for_each(|place| factors[digit(place)] = count - 1);
            factors[last] = 0;
            let terms = factors.iter().zip(&places).map(|(&factor, &place)| factor * start[place] as usize);
            let rest = terms.sum::<usize>() % count;
            let constant = (start[places[last]] as usize + count - rest) % count;
            sums.push(TwistSum { digit: last, constant, factors });
        }
        PieceFactor { places, numbers: FactorNumbers::Twists(TwistNumbers { twists: count, sums }) }
    };
    all.into_iter().map(factor).collect()
}

/// Chooses the factors that give the place in a block, so that permuting a block takes little time for each of its
/// states. `None` if blocks are too large with every choice.
fn choose_bits(lengths: &[u64]) -> Option<Vec<usize>> {
    let worth: Vec<usize> = (0..lengths.len()).filter(|&factor| lengths[factor] > 1).take(MOST_CHOICES).collect();
    let choice = |set: usize| worth.iter().enumerate().filter(move |(at, _)| set >> at & 1 != 0).map(|(_, &at)| at);
    let cost = |set: usize| {
        let places = choice(set).try_fold(1u64, |product, factor| product.checked_mul(lengths[factor]))?;
        // Permuting a block's bits takes about two stages of a network for each doubling of their number. A block has a
        // fixed cost besides: that of eight words.
        let network = places.next_power_of_two().max(64);
        let words = network / 64 * u64::from(2 * network.ilog2() - 1) / 2 + places.div_ceil(64) + 8;
        (places <= MOST_OF_SEVERAL).then(|| (words << 20) / places)
    };
    let sets = 0..1usize << worth.len();
    let (_, set) = sets.filter_map(|set| Some((cost(set)?, set))).min()?;
    Some(choice(set).collect())
}
