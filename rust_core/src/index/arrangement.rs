//! The perfect index of boards on which no two cells hold the same symbol, and moves rearrange the symbols.
//! `sequence.rs` has the arithmetic.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! Moves may need a symbol in some cell. If all of them need the same symbol, such as the blank of a sliding puzzle,
//! that symbol is the *pivot* and is set apart: its cell is a bit of a word, and the other symbols, read past it, are a
//! *sequence*. A slide along a row then changes no sequence at all.
//!
//! # A ring
//!
//! If no move needs a symbol, any symbol may be the pivot. That serves moves which turn the whole board around a *ring*
//! of its cells. The other symbols are then read around the ring, from the cell after the pivot. Take `abcd` with the
//! pivot `a`. Its sequence is `bcd`. A step around the ring makes `dabc`, then `cdab`, then `bcda`: the pivot moves,
//! and the sequence after it is still `bcd`. Without a pivot, each step would change all four places. An exchange of
//! the first two cells makes `bacd`, whose sequence is `cdb`. But it makes `cbda` of `bcda`, and changes only two
//! places of the sequence, from `bcd` to `cbd`, because it does not move the pivot.

use super::cut::{Cut, is_order};
use super::fixed::{FixedByClass, each_fixed};
use super::order::cheap_order;
use super::perfect::Index;
use super::sequence::{Sequences, Shuffle, digits_of, sequence_of};
use crate::ordered::OrderedSet;
use crate::rules::{Stuck, Symbol, Symmetry};
use crate::sorting::Gather;
use crate::structure::{Permutation, Structure, conjugacy_classes};

/// The most cells. No machine could hold the arrangements of more.
pub const MOST_CELLS: usize = 16;

/// The most states that all symmetries but the identity may fix, counted together. All these states are listed.
const MOST_FIXED: usize = 1 << 20;

/// The effect of a move on the sequence (the symbols other than the pivot, in reading order), if the pivot is in a
/// given place. If there is no pivot, both places are 0.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SequenceMove {
    /// The place of the pivot before the move.
    pub from: usize,
    /// The place of the pivot after the move.
    pub to: usize,
    /// The change of the sequence; `None` if it stays the same.
    pub shuffle: Option<Shuffle>,
}

/// The index of rules whose states are arrangements: no two cells hold the same symbol.
#[derive(Debug, Clone)]
pub struct ArrangementIndex {
    /// The cells, in the order in which they are read.
    pub order: Vec<usize>,
    /// The pivot: the symbol that moves need, or on a ring the one that is set apart; `None` if there is neither.
    pub pivot: Option<Symbol>,
    /// `true` if the other symbols are read around a ring, from the cell after the pivot.
    pub ring: bool,
    /// The effects of the moves, each once. A move has one for each place that the pivot may have before it.
    pub ways: Vec<SequenceMove>,
    /// For each place of the pivot, `true` if the sequences of all reachable states are odd there, and `false` if they
    /// are even; `None` if the place does not decide that. If it does, the index has half as many numbers.
    ///
    /// Take a blank on 2 by 2 cells that are read row by row. A slide along a row changes no sequence, and a slide
    /// along a column exchanges two symbols. So if the sequence of the start is even, sequences are even while the
    /// blank is in the row in which it started, and odd while it is in the other row.
    pub odd: Option<Vec<bool>>,
    /// For each place, the number of moves of the rules that can be made while the pivot is there. Moves that change
    /// nothing count, too. Without a pivot, every place has the number of all moves.
    pub moves: Vec<usize>,
    /// For each symbol, the number that stands for it in sequences; `None` if it is in no sequence, like the pivot.
    labels: Vec<Option<u8>>,
    /// For each number in sequences, its symbol.
    symbols: Vec<Symbol>,
}

impl ArrangementIndex {
    /// The index of the rules, if they have this shape. They must have one player and no ends, and at the start no two
    /// cells may hold the same symbol. Every move must be a permutation of cells that needs nothing, or one symbol in
    /// one cell; all moves that need a symbol must need the same one. Every state must have a move. Cells are read in
    /// an order in which moves change few neighbouring places.
    pub fn of_structure(structure: &Structure) -> Option<Self> {
        Self::new(structure, None, None)
    }

    /// The index with the given order of cells. `None` if the rules have no such index, or the order does not name each
    /// cell once.
    pub fn of_order(structure: &Structure, order: &[usize]) -> Option<Self> {
        is_order(order, structure.rules().cells()).then(|| Self::new(structure, Some(order), None))?
    }

    /// The index with cells that are read around a ring in the given order, from the cell after the one that holds
    /// `pivot`. `None` if the rules have no such index, because moves need a symbol, for example, or the start does not
    /// have `pivot`.
    pub fn of_ring(structure: &Structure, order: &[usize], pivot: Symbol) -> Option<Self> {
        is_order(order, structure.rules().cells()).then(|| Self::new(structure, Some(order), Some(pivot)))?
    }

    /// The index of the rules: read around a ring of cells, if moves then change fewer places, and otherwise not. The
    /// rings that are tried are those around which a move turns all cells.
    pub fn around(structure: &Structure) -> Option<Self> {
        let plain = Self::of_structure(structure)?;
        if plain.pivot.is_some() {
            return Some(plain);
        }
        let rings = structure.permutations()?.into_iter().filter_map(|Permutation { image, .. }| ring_of(&image));
        let rings = rings.filter_map(|ring| Self::of_ring(structure, &ring, structure.rules().start[ring[0]]));
        // A state has one bit (lane) for each place of the pivot, and only the moves of its own lane. So the cost of
        // all moves on a ring is divided by the number of lanes.
        std::iter::once(plain).chain(rings).min_by_key(|index| cost(&index.ways) * 64 / index.lanes() as u64)
    }

    fn new(structure: &Structure, order: Option<&[usize]>, ring: Option<Symbol>) -> Option<Self> {
        let rules = structure.rules();
        let cells = rules.cells();
        let distinct: OrderedSet<Symbol> = rules.start.iter().copied().gather();
        if cells > MOST_CELLS || distinct.len() < cells || rules.player_count() > 1 || !rules.ends.is_empty() {
            return None;
        }
        debug_assert_eq!(rules.stuck, Stuck::Puzzle);
        let mut given = structure.permutations()?;
        // A move that needs a symbol which no cell ever holds can never be made.
        given.retain(|given| given.needs.is_none_or(|(_, symbol)| distinct.contains(&symbol)));
        let needed: OrderedSet<Symbol> =
            given.iter().filter_map(|given| given.needs).map(|(_, symbol)| symbol).gather();
        if given.is_empty() || needed.len() > 1 {
            return None;
        }
        if ring.is_some_and(|symbol| !needed.is_empty() || !distinct.contains(&symbol)) {
            return None;
        }
        let pivot = ring.or_else(|| needed.first().copied());
        let past = match (pivot, ring) {
            (None, _) => Past::Nothing,
            (Some(_), None) => Past::Gap,
            (Some(_), Some(_)) => Past::Ring,
        };
        let ways = |order: &[usize]| ways_of(&given, order, past);
        let order = order.map_or_else(|| cheap_order(cells, &|order: &[usize]| cost(&ways(order))), <[usize]>::to_vec);
        let ways = ways(&order);
        // A state without a move would end play, so each place of the pivot needs a move.
        let can = |cell: usize| given.iter().any(|given| given.needs.is_none_or(|(at, _)| at == cell));
        if !rules.backward && !(0..cells).all(can) {
            return None;
        }
        let begin = order.iter().position(|&cell| Some(rules.start[cell]) == pivot).unwrap_or(0);
        let mut labels = vec![None; rules.symbols.len()];
        let symbols: Vec<Symbol> = past.read(cells, begin).map(|at| rules.start[order[at]]).collect();
        for (label, &symbol) in symbols.iter().enumerate() {
            labels[symbol as usize] = Some(label as u8);
        }
        let allows = |cell: usize| given.iter().filter(|given| given.needs.is_none_or(|(at, _)| at == cell)).count();
        let moves = order.iter().map(|&cell| allows(cell)).collect();
        let places = symbols.len();
        let lanes = if pivot.is_some() { cells } else { 1 };
        let odd = odd_places(&ways, lanes, begin).filter(|_| places >= 2);
        Some(Self { order, pivot, ring: ring.is_some(), ways, odd, moves, labels, symbols })
    }

    /// The number of symbols in a sequence.
    pub fn places(&self) -> usize {
        self.order.len() - usize::from(self.pivot.is_some())
    }

    /// The number of bits of a sequence, called its lanes: one for each place where the pivot may be.
    pub fn lanes(&self) -> usize {
        if self.pivot.is_some() { self.order.len() } else { 1 }
    }

    /// The sequence of a state, and the place of the pivot.
    pub fn read(&self, state: &[Symbol]) -> (Vec<u8>, usize) {
        let place = self.order.iter().position(|&cell| Some(state[cell]) == self.pivot).unwrap_or(0);
        (self.read_from(place).filter_map(|cell| self.labels[state[cell] as usize]).collect(), place)
    }

    /// The cells that do not hold the pivot, in the order in which they are read if the pivot is at `place`.
    fn read_from(&self, place: usize) -> impl Iterator<Item = usize> + '_ {
        let past = match self.pivot {
            None => Past::Nothing,
            Some(_) if self.ring => Past::Ring,
            Some(_) => Past::Gap,
        };
        past.read(self.order.len(), place).map(|at| self.order[at])
    }

    /// The state with a sequence and a place of the pivot: the inverse of [`Self::read`].
    pub fn write(&self, sequence: &[u8], place: usize) -> Vec<Symbol> {
        let mut state = vec![self.pivot.unwrap_or(0); self.order.len()];
        for (cell, &label) in self.read_from(place).zip(sequence) {
            state[cell] = self.symbols[label as usize];
        }
        state
    }

    /// For each class of conjugate symmetries but that of the identity: the places of the states that one symmetry of
    /// the class fixes. `place` computes the place of a state from its sequence and the place of its pivot, or returns
    /// `None` to leave the state out. The result is `None` if the states are too many to list.
    pub fn fixed_by<T: Ord>(
        &self,
        symmetries: &[Symmetry],
        place: impl Fn(&[u8], usize) -> Option<T>,
    ) -> Option<Vec<FixedByClass<T>>> {
        let mut left = MOST_FIXED;
        conjugacy_classes(symmetries)
            .iter()
            .map(|class| {
                let states = self.fixed_by_one(class.element, left, &place)?;
                left -= states.len();
                Some(FixedByClass { symmetries: class.len, states })
            })
            .collect()
    }

    fn fixed_by_one<T: Ord>(
        &self,
        symmetry: &Symmetry,
        most: usize,
        place: impl Fn(&[u8], usize) -> Option<T>,
    ) -> Option<Vec<T>> {
        let counts: Vec<usize> = (0..self.labels.len()).map(|at| self.is_held(at as Symbol) as usize).collect();
        let (mut found, mut tried) = (Vec::new(), 0);
        each_fixed(symmetry, &counts, |state| {
            let (sequence, lane) = self.read(state);
            found.extend(place(&sequence, lane));
            tried += 1;
            found.len() <= most && tried <= MOST_FIXED
        })
        .then(|| {
            found.sort_unstable();
            found
        })
    }

    fn is_held(&self, symbol: Symbol) -> bool {
        self.labels[symbol as usize].is_some() || self.pivot == Some(symbol)
    }
}

impl Index for ArrangementIndex {
    fn len(&self) -> u64 {
        let all: u64 = (1..=self.places() as u64).product();
        (if self.odd.is_some() { all / 2 } else { all }) * self.lanes() as u64
    }

    fn rank(&self, state: &[Symbol]) -> Option<u64> {
        let known = |&symbol: &Symbol| self.labels.get(symbol as usize).is_some_and(|_| self.is_held(symbol));
        let distinct: OrderedSet<Symbol> = state.iter().copied().filter(known).gather();
        if state.len() != self.order.len() || distinct.len() != self.order.len() {
            return None;
        }
        let (sequence, lane) = self.read(state);
        let digits = digits_of(&sequence);
        let odd = digits.iter().sum::<usize>() % 2 == 1;
        let whole = Sequences::new(self.places(), false).number(&digits);
        let number = match &self.odd {
            None => whole,
            // If only sequences of one parity have numbers, a sequence has half the number that it has among all
            // sequences. For its last digit but one, which is 0 or 1, follows from the other digits.
            Some(expected) => (odd == expected[lane]).then_some(whole / 2)?,
        };
        Some(number * self.lanes() as u64 + lane as u64)
    }

    fn unrank(&self, number: u64) -> Vec<Symbol> {
        let (lanes, places) = (self.lanes() as u64, self.places());
        let (number, lane) = (number / lanes, (number % lanes) as usize);
        let whole = Sequences::new(places, false);
        let Some(odd) = &self.odd else {
            return self.write(&sequence_of(&whole.digits_of_number(number)), lane);
        };
        let mut digits = whole.digits_of_number(number * 2);
        if (digits.iter().sum::<usize>() % 2 == 1) != odd[lane] {
            digits[places - 2] = 1;
        }
        self.write(&sequence_of(&digits), lane)
    }

    fn cut(&self) -> Cut {
        Cut::Planes { order: self.order.clone(), tail: self.places(), ring: self.pivot.filter(|_| self.ring) }
    }
}

/// The ways to read the places in an order: which place is skipped, and where reading begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Past {
    /// No place is skipped. All are read, from the first to the last.
    Nothing,
    /// The place of the pivot is skipped. The others are read from the first to the last.
    Gap,
    /// The place of the pivot is skipped. The others are read from the one after it around to the one before it.
    Ring,
}

impl Past {
    /// The places in the order in which they are read, if there are `count` and the pivot is at `gap`.
    fn read(self, count: usize, gap: usize) -> impl Iterator<Item = usize> {
        let first = if self == Self::Ring { gap + 1 } else { 0 };
        (first..first + count).map(move |at| at % count).filter(move |&at| self == Self::Nothing || at != gap)
    }
}

/// The cells in the order in which a move turns them around, if the move takes the symbol of each cell to `image`;
/// `None` if it does not carry the first cell through all others.
fn ring_of(image: &[usize]) -> Option<Vec<usize>> {
    let ring: Vec<usize> = std::iter::successors(Some(0), |&cell| Some(image[cell])).take(image.len()).collect();
    is_order(&ring, image.len()).then_some(ring)
}

/// The effects of the moves on sequences if the cells are read in the given order.
fn ways_of(given: &[Permutation], order: &[usize], past: Past) -> Vec<SequenceMove> {
    let (count, pivot) = (order.len(), past != Past::Nothing);
    let mut place = vec![0; count];
    for (at, &cell) in order.iter().enumerate() {
        place[cell] = at;
    }
    // For each place of the pivot and each place of the board: the place that the symbol there has in the sequence.
    let mut numbers = vec![vec![0; count]; if pivot { count } else { 1 }];
    for (gap, numbers) in numbers.iter_mut().enumerate() {
        past.read(count, gap).enumerate().for_each(|(number, at)| numbers[at] = number);
    }
    let mut ways = OrderedSet::new();
    for Permutation { image, needs, .. } in given {
        // If a move needs no pivot, the pivot may be in any place.
        let froms = match (pivot, needs) {
            (true, Some((cell, _))) => place[*cell]..place[*cell] + 1,
            (true, None) => 0..count,
            (false, _) => 0..1,
        };
        for from in froms {
            let to = if pivot { place[image[order[from]]] } else { 0 };
            let mut source = vec![0; count - usize::from(pivot)];
            for at in past.read(count, from) {
                source[numbers[to][place[image[order[at]]]]] = numbers[from][at];
            }
            ways.insert(SequenceMove { from, to, shuffle: Shuffle::new(&source) });
        }
    }
    ways.into_iter().filter(|way| way.from != way.to || way.shuffle.is_some()).collect()
}

/// An estimate of the work of all moves on sequences: the sum of the squares of the windows' widths, since wide windows
/// have large tables.
fn cost(ways: &[SequenceMove]) -> u64 {
    ways.iter().map(|way| width(way).pow(2)).sum()
}

/// For each of `lanes` places of the pivot, `true` if sequences are odd there. At the start, the pivot is at `begin`,
/// and the sequence is even. `None` if sequences of both parities occur at some place.
///
/// This solves one equation over GF(2) for each way (move on sequences): the value of the pivot's place after it minus
/// the value of the place before it is 1 if the way's shuffle is odd, and 0 if it is even. The ways are the edges of a
/// graph on the places. In each component of the graph one value is chosen, and the edges give the others. Places that
/// no ways connect with the start are never reached, so any solution serves for them.
fn odd_places(ways: &[SequenceMove], lanes: usize, begin: usize) -> Option<Vec<bool>> {
    let mut odd: Vec<Option<bool>> = vec![None; lanes];
    for first in std::iter::once(begin).chain(0..lanes) {
        if odd[first].is_some() {
            continue;
        }
        odd[first] = Some(false);
        let mut pending = vec![first];
        while let Some(lane) = pending.pop() {
            for way in ways.iter().filter(|way| way.from == lane || way.to == lane) {
                let other = if way.from == lane { way.to } else { way.from };
                let changes = way.shuffle.as_ref().is_some_and(Shuffle::is_odd);
                let value = odd[lane].map(|odd| odd ^ changes);
                if odd[other].is_none() {
                    odd[other] = value;
                    pending.push(other);
                } else if odd[other] != value {
                    return None;
                }
            }
        }
    }
    odd.into_iter().collect()
}

fn width(way: &SequenceMove) -> u64 {
    way.shuffle.as_ref().map_or(0, |shuffle| shuffle.source.len() as u64)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::super::samples::row;
    use super::*;
    use crate::rules::{Rules, RulesData};

    #[test]
    fn each_state_has_one_sequence_and_one_place_and_moves_do_what_the_ways_say() {
        for (needed, ring, lanes, factorial) in
            [(None, None, 1, 120), (Some('c'), None, 5, 24), (None, Some(3), 5, 24), (None, Some(0), 5, 24)]
        {
            let structure = row("abcde", needed);
            let index = match ring {
                None => ArrangementIndex::of_structure(&structure),
                Some(pivot) => ArrangementIndex::of_ring(&structure, &[2, 0, 3, 1, 4], pivot),
            }
            .unwrap();
            assert_eq!((index.lanes(), index.places()), (lanes, 4 + usize::from(lanes == 1)));
            let sequences = Sequences::new(index.places(), false);
            let mut seen = HashSet::new();
            for at in 0..sequences.len() {
                let sequence = sequence_of(&sequences.digits_of_number(at));
                for place in 0..lanes {
                    let state = index.write(&sequence, place);
                    assert_eq!(index.read(&state), (sequence.clone(), place));
                    assert!(seen.insert(state.clone()));
                    // The states that are made by these moves on sequences must be the states that the moves of the
                    // rules make.
                    let after = |way: &SequenceMove| {
                        let mut after = sequence.clone();
                        for (at, &from) in way.shuffle.iter().flat_map(|shuffle| (shuffle.first..).zip(&shuffle.source))
                        {
                            after[at] = sequence[from];
                        }
                        index.write(&after, way.to)
                    };
                    let found: HashSet<_> = index.ways.iter().filter(|way| way.from == place).map(after).collect();
                    let made = |given: &crate::rules::Move| {
                        let image = |to: usize| match given.then.iter().find(|(cell, _)| *cell == to) {
                            Some((_, crate::rules::Source::Copy(from, None))) => state[*from],
                            Some((_, crate::rules::Source::Symbol(symbol))) => *symbol,
                            _ => state[to],
                        };
                        given.when.holds(&state).then(|| (0..state.len()).map(image).collect::<Vec<_>>())
                    };
                    let made: Vec<_> = structure.rules().moves.iter().filter_map(made).collect();
                    assert_eq!(made.len(), index.moves[place]);
                    assert_eq!(found, made.into_iter().collect());
                }
            }
            assert_eq!(seen.len(), lanes * factorial);
        }
    }

    /// This is the example at the head of the file.
    #[test]
    fn steps_around_a_ring_change_no_sequence() {
        let copies =
            |pairs: &[[usize; 2]]| pairs.iter().map(|[to, from]| serde_json::json!([to, {"copy": from}])).collect();
        let a_move = |name: &str, pairs: &[[usize; 2]]| {
            let then: Vec<_> = copies(pairs);
            serde_json::json!({"name": name, "then": then})
        };
        let step = a_move("step", &[[1, 0], [2, 1], [3, 2], [0, 3]]);
        let exchange = a_move("exchange", &[[0, 1], [1, 0]]);
        let cells = ["a", "b", "c", "d"];
        let data = serde_json::json!({"symbols": cells, "start": cells, "moves": [step, exchange]});
        let rules = Rules::new(&serde_json::from_value(data).unwrap()).unwrap();
        let index = ArrangementIndex::around(&Structure::new(Arc::new(rules)).unwrap()).unwrap();
        assert_eq!((index.ring, index.pivot, &index.order[..]), (true, Some(0), &[0, 1, 2, 3][..]));
        for (state, sequence, place) in [
            ([0, 1, 2, 3], [0, 1, 2], 0),
            ([3, 0, 1, 2], [0, 1, 2], 1),
            ([1, 2, 3, 0], [0, 1, 2], 3),
            ([1, 0, 2, 3], [1, 2, 0], 1),
            ([2, 1, 3, 0], [1, 0, 2], 3),
        ] {
            assert_eq!(index.read(&state), (sequence.to_vec(), place));
            assert_eq!(index.write(&sequence, place), state);
        }
        assert_eq!(index.ways.iter().filter(|way| way.shuffle.is_none()).count(), 4);
    }

    #[test]
    fn a_symbol_that_no_cell_holds_is_no_pivot() {
        assert!(ArrangementIndex::of_structure(&row("abc", Some('b'))).is_some());
        let mut data: RulesData = serde_json::from_str(
            r#"{"symbols": ["a", "b"], "start": ["a"], "moves": [{"name": "0", "when": [[0, ["b"]]], "then": []}]}"#,
        )
        .unwrap();
        let index = |data: &RulesData| {
            ArrangementIndex::of_structure(&Structure::new(Arc::new(Rules::new(data).unwrap())).unwrap())
        };
        assert!(index(&data).is_none());
        data.start = vec!["b".to_owned()];
        assert_eq!(index(&data).map(|index| index.pivot), Some(Some(1)));
    }
}
