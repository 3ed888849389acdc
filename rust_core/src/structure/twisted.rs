//! The group of moves that permute and twist pieces, which decides whether moves lead from one state to another.
//!
//! `docs/solving.md`, "How an answer is found", explains to users what it is for.
//!
//! A place whose pieces have `n` twists stands for `n` *points*. A move permutes the points. Say that it brings the
//! piece of place 0 to place 1, and advances it by one of its three twists. Then it carries the points 0.0, 0.1 and 0.2
//! to 1.1, 1.2 and 1.0. These permutations generate a group. Two states also give a permutation of points, and moves
//! lead from one to the other if it is in the group.

use super::permutations::PermutationGroup;
use super::pieces::Pieces;
use crate::ordered::OrderedMap;
use crate::random::Random;
use crate::rules::Symbol;

/// If there are more points than this, the group is not worked out, because that would take too long.
const MOST_POINTS: usize = 128;

/// The group that the moves of twisting pieces generate.
#[derive(Debug)]
pub struct TwistedPieces {
    places: Vec<PointsOfPlace>,
    /// From the symbols in the cells of a place, and the kind of its pieces: which piece is there (by the number of the
    /// place where it starts), and its twist. Pieces that look alike count as one piece.
    shows: OrderedMap<(usize, Vec<Symbol>), (usize, usize)>,
    /// For each piece, and each of its twists, the symbols that it shows.
    shown: Vec<Vec<Vec<Symbol>>>,
    group: PermutationGroup,
}

/// The points of a place.
#[derive(Debug)]
struct PointsOfPlace {
    cells: Vec<usize>,
    kind: usize,
    /// The number of the place's first point. The points for the other twists follow.
    first: usize,
}

impl TwistedPieces {
    /// The group of pieces. `None` if there are too many points.
    pub(super) fn of_pieces(pieces: &Pieces) -> Option<Self> {
        let count = pieces.places.len();
        let mut kind = vec![0; count];
        for (number, places) in pieces.kinds.iter().enumerate() {
            for &place in places {
                kind[place] = number;
            }
        }
        let (first, degree) = pieces.points();
        if degree > MOST_POINTS {
            return None;
        }
        let points = pieces.places.iter().zip(&kind).zip(first);
        let places =
            points.map(|((cells, &kind), first)| PointsOfPlace { cells: cells.clone(), kind, first }).collect();
        let mut shows = OrderedMap::new();
        for (place, circle) in pieces.symbols.iter().enumerate() {
            for (twist, held) in circle.iter().enumerate() {
                shows.value_or((kind[place], held.clone()), || (place, twist));
            }
        }
        let group = PermutationGroup::new(degree, &pieces.on_points());
        Some(Self { places, shows, shown: pieces.symbols.clone(), group })
    }

    /// For each point, the number of points to which the group can carry it while all later points stay in place. The
    /// product is the number of states that moves can reach. `None` if two pieces look alike: then several elements of
    /// the group make one state.
    pub fn orbit_sizes(&self) -> Option<Vec<usize>> {
        let distinct = self.shown.iter().map(Vec::len).sum::<usize>() == self.shows.len();
        distinct.then(|| self.group.orbit_sizes())
    }

    /// A random state with the pieces of the start. All states that moves can reach are equally likely.
    pub fn random_state(&self, start: &[Symbol], random: &mut Random) -> Vec<Symbol> {
        let image = self.group.random_element(random);
        let mut state = start.to_vec();
        for (place, circle) in self.places.iter().zip(&self.shown) {
            // The image of a place's first point shows where the piece of the place goes, and with which twist.
            let point = image[place.first] as usize;
            let to = &self.places[self.places.partition_point(|other| other.first <= point) - 1];
            to.cells.iter().zip(&circle[point - to.first]).for_each(|(&cell, &symbol)| state[cell] = symbol);
        }
        state
    }

    /// `true` if moves lead from the state `start` to `state`. `None` if pieces look alike, because several
    /// permutations could then lead there, or if `start` has a piece that the start of the rules lacks.
    pub fn reaches(&self, start: &[Symbol], state: &[Symbol]) -> Option<bool> {
        let before = self.read(start)?;
        let moved: Vec<bool> =
            self.places.iter().flat_map(|place| &place.cells).fold(vec![false; start.len()], |mut moved, &cell| {
                moved[cell] = true;
                moved
            });
        if (0..start.len()).any(|cell| !moved[cell] && start[cell] != state[cell]) {
            return Some(false);
        }
        // Moves never change which pieces there are, so no state of other pieces can be reached.
        let Some(after) = self.read(state) else { return Some(false) };
        let pieces = |read: &[(usize, usize)]| {
            let mut pieces: Vec<usize> = read.iter().map(|&(piece, _)| piece).collect();
            pieces.sort_unstable();
            pieces
        };
        let (held, found) = (pieces(&before), pieces(&after));
        if held != found {
            return Some(false);
        }
        if held.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let mut image: Vec<u16> = vec![0; self.shown.iter().map(Vec::len).sum()];
        for (from, &(piece, twist)) in before.iter().enumerate() {
            let to = after.iter().position(|&(other, _)| other == piece)?;
            let twists = self.shown[from].len();
            for at in 0..twists {
                let point = self.places[to].first + (at + after[to].1 + twists - twist) % twists;
                image[self.places[from].first + at] = point as u16;
            }
        }
        Some(self.group.contains(&image))
    }

    /// The piece in each place, and its twist; `None` if a place holds no piece.
    fn read(&self, state: &[Symbol]) -> Option<Vec<(usize, usize)>> {
        let held = |place: &PointsOfPlace| {
            let symbols = place.cells.iter().map(|&cell| state[cell]).collect();
            self.shows.get(&(place.kind, symbols)).copied()
        };
        self.places.iter().map(held).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;
    use crate::rules::{MoveData, Rules, RulesData, Source, SourceData};

    fn group_of(rules: &Rules) -> Option<TwistedPieces> {
        let structure = crate::structure::Structure::new(std::sync::Arc::new(rules.clone())).ok()?;
        TwistedPieces::of_pieces(structure.pieces()?)
    }

    /// Rules with pieces of three twists in the first cells, of two in the next ones, and plain ones in the others.
    fn rules(threes: usize, twos: usize, plain: usize, moves: &[(Vec<usize>, Vec<usize>)]) -> Rules {
        let count = threes + twos + plain;
        let twists = |cell: usize| {
            if cell < threes {
                3
            } else if cell < threes + twos {
                2
            } else {
                1
            }
        };
        let symbol = |cell: usize, by: usize| format!("{cell}.{}", by % twists(cell));
        let symbols: Vec<String> =
            (0..count).flat_map(|cell| (0..twists(cell)).map(move |by| symbol(cell, by))).collect();
        let advanced = |by: usize| {
            let pair = |cell: usize| (0..twists(cell)).map(move |at| (symbol(cell, at), symbol(cell, at + by)));
            (0..count).flat_map(pair).collect()
        };
        let moves = moves.iter().enumerate().map(|(name, (order, by))| MoveData {
            name: name.to_string(),
            then: (0..count)
                .map(|to| (to as i64, SourceData::Copy { copy: order[to] as i64, map: advanced(by[to]) }))
                .collect(),
            ..MoveData::default()
        });
        let data = RulesData {
            symbols: symbols.clone(),
            start: (0..count).map(|cell| symbol(cell, 0)).collect(),
            moves: moves.collect(),
            players: Vec::new(),
            goal: Vec::new(),
            ends: Vec::new(),
            stuck: None,
            score: None,
            symmetries: Vec::new().into(),
        };
        Rules::new(&data).expect("rules of a test are right")
    }

    /// Moves that permute the pieces of each number of twists among themselves, and the twists by which each piece is
    /// advanced.
    fn moves() -> impl Strategy<Value = Vec<(Vec<usize>, Vec<usize>)>> {
        let within = |from: usize, count: usize| Just((from..from + count).collect::<Vec<_>>()).prop_shuffle();
        let order = (within(0, 3), within(3, 2), within(5, 1)).prop_map(|(a, b, c)| [a, b, c].concat());
        prop::collection::vec((order, prop::collection::vec(0usize..6, 6)), 1..3)
    }

    #[test]
    fn random_states_of_twisted_pieces_are_even() {
        // Three pieces of three twists and two of two; a turn of three places, and one twist of two pieces.
        let turn = (vec![1, 2, 0, 4, 3, 5], vec![0, 1, 2, 1, 0, 0]);
        let rules = rules(3, 2, 1, &[turn, (vec![0, 1, 2, 3, 4, 5], vec![1, 2, 0, 0, 0, 0])]);
        let pieces = group_of(&rules).unwrap();
        let order: usize = pieces.orbit_sizes().unwrap().iter().product();
        let (mut random, mut counts) = (Random::new("even"), HashMap::new());
        for _ in 0..100 * order {
            *counts.entry(pieces.random_state(&rules.start, &mut random)).or_insert(0usize) += 1;
        }
        assert_eq!(counts.len(), order);
        assert!(counts.values().all(|count| (50..160).contains(count)), "{counts:?}");
    }

    proptest! {
        #[test]
        fn what_is_reached_is_what_a_search_finds(given in moves()) {
            let rules = rules(3, 2, 1, &given);
            let (mut found, mut pending) = (HashSet::from([rules.start.clone()]), vec![rules.start.clone()]);
            while let Some(state) = pending.pop() {
                for given in &rules.moves {
                    let mut after = state.clone();
                    for (to, source) in &given.then {
                        let Source::Copy(from, map) = source else { unreachable!() };
                        after[*to] = map.as_ref().map_or(state[*from], |map| map[state[*from] as usize]);
                    }
                    if found.insert(after.clone()) {
                        pending.push(after);
                    }
                }
            }
            let twists = given.iter().any(|(order, by)| {
                (0..6).any(|to| by[to] % [3, 3, 3, 2, 2, 1][to] > 0) && order.len() == 6
            });
            let Some(pieces) = group_of(&rules) else {
                prop_assert!(!twists || given.len() > 1);
                return Ok(());
            };
            let order: usize = pieces.orbit_sizes().expect("all pieces differ").iter().product();
            prop_assert_eq!(order, found.len());
            let mut random = Random::new("twisted");
            for _ in 0..20 {
                prop_assert!(found.contains(&pieces.random_state(&rules.start, &mut random)[..]));
            }
            for state in found.iter().take(50) {
                prop_assert_eq!(pieces.reaches(&rules.start, state), Some(true));
                for cell in 0..5 {
                    // Twists one piece alone.
                    let mut other = state.clone();
                    let count = if cell < 3 { 3 } else { 2 };
                    let twisted = pieces.shown.iter().find_map(|circle| {
                        let by = circle.iter().position(|shown| shown[0] == state[cell])?;
                        Some(circle[(by + 1) % circle.len()][0])
                    });
                    let Some(symbol) = twisted.filter(|&symbol| symbol != state[cell]) else { continue };
                    prop_assert_eq!(pieces.shown.iter().any(|circle| circle.len() == count), true);
                    other[cell] = symbol;
                    prop_assert_eq!(pieces.reaches(&rules.start, &other), Some(found.contains(&other)));
                }
                let mut swapped = state.clone();
                swapped.swap(0, 1);
                prop_assert_eq!(pieces.reaches(&rules.start, &swapped), Some(found.contains(&swapped)));
                let mut twice = state.clone();
                twice[0] = twice[1];
                prop_assert_eq!(pieces.reaches(&rules.start, &twice), Some(false));
            }
        }
    }
}
