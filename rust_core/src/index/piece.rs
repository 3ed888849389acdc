//! The perfect index of arrangements of pieces that twist: the number of the arrangement, and that of the twists.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! The places are read in a chosen order. The pieces in them are a sequence, which has a number as any arrangement has.
//! The twists of the pieces are the digits of another number, the first place's digit lowest. A move does the same to
//! all twists, whatever the arrangement is: it permutes the digits and adds a constant to each. So it carries the
//! states of one arrangement onto those of another one.
//!
//! For example, two burnt pancakes have the arrangements `AB` (number 0) and `BA` (number 1), and for each of them the
//! twists 00, 01, 10 and 11. In the state `bA`, `b` is turned over in the first place. So the number of the twists is
//! 1, and that of the state is 1·4 + 1 = 5. A move that turns both pancakes over carries twists `xy` to `yx`, with both
//! digits changed.

use std::collections::{BTreeSet, HashMap};

use super::cut::{Cut, is_order};
use super::order::cheap_order;
use super::perfect::Index;
use super::sequence::{Sequences, Shuffle, digits_of, sequence_of};
use crate::rules::{Symbol, Symmetry};
use crate::sorting;
use crate::structure::{PieceMove, Pieces, Structure};

/// The most states that an index may have. No machine could hold the bits of more.
const MOST_STATES: u64 = 1 << 42;

/// The most combinations of twists. Each move has a table of all combinations.
const MOST_TWISTS: u64 = 1 << 20;

/// The most states that all symmetries but the identity may fix, counted together. All these states are listed.
const MOST_FIXED: usize = 1 << 20;

/// Rules whose states are arrangements of pieces that twist.
#[derive(Debug, Clone)]
pub struct PieceIndex {
    /// The effects of the moves, by places in the order in which cells are read. Equal moves are listed once, and moves
    /// that change nothing are left out.
    pub moves: Vec<PieceMove>,
    /// The numbers of the arrangements. If every move is an even permutation, odd ones have none.
    pub sequences: Sequences,
    /// The number of combinations of twists of an arrangement.
    pub combinations: u64,
    /// The cells of each place, in the order in which places are read.
    order: Vec<Vec<usize>>,
    /// The piece that starts in each place of `order`: for each twist, the symbols in the cells of its place.
    pieces: Vec<Vec<Vec<Symbol>>>,
    /// `true` if the last twist is minus the sum of the others.
    sum: bool,
    /// For the symbols in the cells of a place, the piece that shows them, and its twist.
    known: HashMap<Vec<Symbol>, (u8, usize)>,
    start: Vec<Symbol>,
}

impl PieceIndex {
    /// The index of the rules, if they have this shape: one player, no ends, and every move permutes pieces and twists
    /// them, whatever they are. Cells are read in an order in which moves change few of the last places.
    pub fn of_structure(structure: &Structure) -> Option<Self> {
        let pieces = structure.pieces()?;
        let places = pieces.places.len();
        let cost = |order: &[usize]| {
            let first = |given: &PieceMove| order.iter().position(|&place| given.source[place] != place);
            pieces.moves.iter().map(|given| first(given).map_or(0, |first| (places - first).pow(2) as u64)).sum()
        };
        let order = cheap_order(places, &cost);
        let symbols = order.iter().map(|&place| pieces.symbols[place].clone()).collect();
        Self::new(structure, pieces, &order, symbols)
    }

    /// The index with a given order of places and, for each place, the symbols of the piece that starts there. Also
    /// `None` if the symbols are not in the order of the twists.
    pub fn of_order(structure: &Structure, order: &[Vec<usize>], symbols: &[Vec<Vec<Symbol>>]) -> Option<Self> {
        let pieces = structure.pieces()?;
        let place = |cells: &Vec<usize>| pieces.places.iter().position(|known| known == cells);
        let order = order.iter().map(place).collect::<Option<Vec<_>>>()?;
        if !is_order(&order, pieces.places.len()) || symbols.len() != order.len() {
            return None;
        }
        Self::new(structure, pieces, &order, symbols.to_vec())
    }

    fn new(structure: &Structure, pieces: &Pieces, order: &[usize], symbols: Vec<Vec<Vec<Symbol>>>) -> Option<Self> {
        let (places, twists) = (order.len(), pieces.twists());
        // One step of the given circles may be several steps of the known ones (`unit`), the same number for all.
        let unit = (1..twists).find(|&unit| {
            let mut circles = symbols.iter().zip(order);
            circles.all(|(circle, &place)| {
                let known = &pieces.symbols[place];
                circle.len() == twists && (0..twists).all(|at| circle[at] == known[at * unit % twists])
            })
        })?;
        let steps = |advance: usize| (0..twists).find(|steps| steps * unit % twists == advance);
        let mut new_place = vec![0; places];
        for (at, &place) in order.iter().enumerate() {
            new_place[place] = at;
        }
        let in_order = |given: &PieceMove| {
            let source = order.iter().map(|&place| new_place[given.source[place]]).collect();
            let twists = order.iter().map(|&place| steps(given.twists[place])).collect::<Option<_>>()?;
            Some(PieceMove { source, twists })
        };
        let mut moves: Vec<PieceMove> = pieces.moves.iter().map(in_order).collect::<Option<_>>()?;
        let is_odd = |given: &PieceMove| Shuffle::new(&given.source).is_some_and(|shuffle| shuffle.is_odd());
        let even = !moves.iter().any(is_odd);
        moves.retain(|given| given.twists.iter().any(|&by| by != 0) || Shuffle::new(&given.source).is_some());
        sorting::sort(&mut moves);
        moves.dedup();
        let sum = pieces.sum_is_kept();
        let combinations = (twists as u64).checked_pow((places - usize::from(sum)) as u32)?;
        let sequences = Sequences::new(places, even);
        let states = sequences.len().checked_mul(combinations)?;
        if combinations > MOST_TWISTS || states > MOST_STATES {
            return None;
        }
        let rules = structure.rules();
        let mut known = HashMap::new();
        for (piece, circle) in symbols.iter().enumerate() {
            for (twist, held) in circle.iter().enumerate() {
                known.insert(held.clone(), (piece as u8, twist));
            }
        }
        let order = order.iter().map(|&place| pieces.places[place].clone()).collect();
        Some(Self { moves, sequences, combinations, order, pieces: symbols, sum, known, start: rules.start.clone() })
    }

    /// The number of pieces.
    pub fn places(&self) -> usize {
        self.order.len()
    }

    /// The number of twists of a piece.
    fn twists(&self) -> usize {
        self.pieces[0].len()
    }

    /// The number of digits of the number of the twists.
    fn digits(&self) -> usize {
        self.places() - usize::from(self.sum)
    }

    /// The number of the twists of all places.
    fn number(&self, twists: &[usize]) -> u64 {
        twists[..self.digits()].iter().rev().fold(0, |number, &twist| number * self.twists() as u64 + twist as u64)
    }

    /// The twists of all places, from their number.
    fn twists_of(&self, mut number: u64) -> Vec<usize> {
        let most = self.twists() as u64;
        let mut twists: Vec<usize> = (0..self.digits())
            .map(|_| {
                let twist = number % most;
                number /= most;
                twist as usize
            })
            .collect();
        if self.sum {
            twists.push((self.places() * self.twists() - twists.iter().sum::<usize>()) % self.twists());
        }
        twists
    }

    /// For each combination of twists, the combination that a move makes of it.
    pub fn twisted(&self, given: &PieceMove) -> Vec<u32> {
        let to = |number: u64| {
            let twists = self.twists_of(number);
            let after = given.source.iter().zip(&given.twists).map(|(&from, &by)| (twists[from] + by) % self.twists());
            self.number(&after.collect::<Vec<_>>()) as u32
        };
        (0..self.combinations).map(to).collect()
    }

    /// For each symmetry but the first, the numbers of the states that it fixes. `None` if these are too many to list.
    pub fn fixed(&self, symmetries: &[Symmetry]) -> Option<Vec<Vec<u64>>> {
        let mut left = MOST_FIXED;
        let fixed = symmetries[1..].iter().map(|symmetry| {
            let mut found = Vec::new();
            let mut state = self.start.clone();
            let cycles = self.cycles(symmetry)?;
            self.fill(&cycles, symmetry, &mut vec![false; self.places()], &mut state, &mut |state| {
                found.extend(self.rank(state));
                left = left.saturating_sub(1);
                left > 0
            })
            .then(|| {
                found.sort_unstable();
                found
            })
        });
        fixed.collect()
    }

    /// The cycles in which a symmetry carries places. `None` if it does not carry places onto places.
    fn cycles(&self, symmetry: &Symmetry) -> Option<Vec<Vec<usize>>> {
        let image = |place: usize| {
            let cells: BTreeSet<usize> = self.order[place].iter().map(|&cell| symmetry.cells[cell]).collect();
            self.order.iter().position(|other| other.iter().copied().collect::<BTreeSet<_>>() == cells)
        };
        let images = (0..self.places()).map(image).collect::<Option<Vec<_>>>()?;
        let mut left: BTreeSet<usize> = (0..self.places()).collect();
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

    /// The image of the symbols in a place under a symmetry, in the order of the cells of the place to which it carries
    /// them.
    fn carried(&self, symmetry: &Symmetry, (from, to): (usize, usize), held: &[Symbol]) -> Vec<Symbol> {
        let source = |&to: &usize| self.order[from].iter().position(|&cell| symmetry.cells[cell] == to);
        let carried = self.order[to].iter().filter_map(source).map(|at| symmetry.symbols[held[at] as usize]);
        carried.collect()
    }

    /// Fills cycles of places in all ways that a symmetry fixes, until `found` returns `false`. The piece in the first
    /// place of a cycle decides the others. The function calls itself once for each cycle, and there are at most 12
    /// places.
    fn fill(
        &self,
        cycles: &[Vec<usize>],
        symmetry: &Symmetry,
        used: &mut Vec<bool>,
        state: &mut Vec<Symbol>,
        found: &mut impl FnMut(&[Symbol]) -> bool,
    ) -> bool {
        let Some((cycle, rest)) = cycles.split_first() else { return found(state) };
        for first in self.pieces.iter().flatten() {
            let (mut held, mut placed) = (first.clone(), Vec::new());
            for (&place, &next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
                let Some(&(piece, _)) = self.known.get(&held) else { break };
                if std::mem::replace(&mut used[piece as usize], true) {
                    break;
                }
                placed.push(piece);
                self.order[place].iter().zip(&held).for_each(|(&cell, &symbol)| state[cell] = symbol);
                held = self.carried(symmetry, (place, next), &held);
            }
            let whole = placed.len() == cycle.len() && held == *first;
            let go_on = !whole || self.fill(rest, symmetry, used, state, found);
            for &piece in &placed {
                used[piece as usize] = false;
            }
            if !go_on {
                return false;
            }
        }
        true
    }
}

impl Index for PieceIndex {
    fn len(&self) -> u64 {
        self.sequences.len() * self.combinations
    }

    fn rank(&self, state: &[Symbol]) -> Option<u64> {
        if state.len() != self.start.len() {
            return None;
        }
        let still = |cell: &usize| !self.order.iter().any(|place| place.contains(cell));
        if (0..state.len()).filter(still).any(|cell| state[cell] != self.start[cell]) {
            return None;
        }
        let known =
            |place: &Vec<usize>| self.known.get(&place.iter().map(|&cell| state[cell]).collect::<Vec<_>>()).copied();
        let read = self.order.iter().map(known).collect::<Option<Vec<_>>>()?;
        let (sequence, twists): (Vec<u8>, Vec<usize>) = read.into_iter().unzip();
        let distinct: BTreeSet<u8> = sequence.iter().copied().collect();
        let kept = !self.sum || twists.iter().sum::<usize>().is_multiple_of(self.twists());
        if distinct.len() != sequence.len() || !self.sequences.holds(&sequence) || !kept {
            return None;
        }
        Some(self.sequences.number(&digits_of(&sequence)) * self.combinations + self.number(&twists))
    }

    fn unrank(&self, number: u64) -> Vec<Symbol> {
        let sequence = sequence_of(&self.sequences.digits_of_number(number / self.combinations));
        let twists = self.twists_of(number % self.combinations);
        let mut state = self.start.clone();
        for ((place, piece), twist) in self.order.iter().zip(sequence).zip(twists) {
            let held = &self.pieces[piece as usize][twist];
            place.iter().zip(held).for_each(|(&cell, &symbol)| state[cell] = symbol);
        }
        state
    }

    fn cut(&self) -> Cut {
        let (even, sum) = (self.sequences.even, self.sum);
        Cut::Pieces { order: self.order.clone(), pieces: self.pieces.clone(), even, sum }
    }
}
