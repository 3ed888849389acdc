//! The group of moves that permute and twist pieces: it decides if they lead from one state to another, whatever the
//! numbers of twists of the pieces.
//!
//! `docs/solving.md`, "How an answer is found", explains to users what it is for.
//!
//! A cell whose pieces have `n` twists is `n` points. A move carries points to points: if it brings the piece of cell 0
//! to cell 1 and twists it by one of three, it carries the points 0.0, 0.1 and 0.2 to 1.1, 1.2 and 1.0. So moves are
//! permutations of points, and these generate a group. The permutation of points between two states describes how they
//! differ.

use std::collections::{BTreeMap, BTreeSet};

use super::permutations::PermutationGroup;
use super::pieces::{circle, circle_of_all, maps_of};
use crate::random::Random;
use crate::rules::{Move, Rules, Source, Symbol};

/// The group is worked out for at most this many points.
const MOST_POINTS: usize = 128;

/// The largest least common multiple of the numbers of twists of all pieces.
const MOST_TWISTS: usize = 64;

/// The group that the moves of twisting pieces generate.
#[derive(Debug)]
pub struct TwistedPieces {
    /// For each symbol that a piece shows, the piece, and the twist of the piece.
    shows: BTreeMap<Symbol, (usize, usize)>,
    /// For each cell, its first point, and the number of its points.
    points: Vec<(usize, usize)>,
    group: PermutationGroup,
}

impl TwistedPieces {
    /// The pieces of rules, if every move permutes and twists them in every state, and play never ends. `None` for
    /// other rules, and if there are too many points.
    pub(super) fn of_moves(rules: &Rules) -> Option<Self> {
        if rules.player_count() > 1 || !rules.ends.is_empty() || !rules.moves.iter().all(Move::is_free) {
            return None;
        }
        // Moves that copy through no map twist nothing.
        let maps = maps_of(rules).filter(|maps| !maps.is_empty())?;
        let powers = powers_of_step(&rules.start, &maps)?;
        let step: BTreeMap<Symbol, Symbol> = powers.get(1).cloned().unwrap_or_else(|| powers[0].clone());
        let mut shows = BTreeMap::new();
        for (piece, &symbol) in rules.start.iter().enumerate() {
            if !shows.contains_key(&symbol) {
                shows.extend(circle(symbol, &step).into_iter().enumerate().map(|(by, symbol)| (symbol, (piece, by))));
            }
        }
        let mut points = Vec::new();
        for &symbol in &rules.start {
            let begin = points.last().map_or(0, |&(begin, count)| begin + count);
            points.push((begin, circle(symbol, &step).len()));
        }
        let degree = points.last().map_or(0, |&(begin, count)| begin + count);
        if degree > MOST_POINTS {
            return None;
        }
        let power =
            |map: &[Symbol]| powers.iter().position(|power| power.iter().all(|(&from, &to)| map[from as usize] == to));
        let mut moves = Vec::new();
        for given in &rules.moves {
            let mut image: Vec<u16> = (0..degree as u16).collect();
            let (mut from_cells, mut to_cells) = (BTreeSet::new(), BTreeSet::new());
            for (to, source) in &given.then {
                let Source::Copy(from, map) = source else { return None };
                let by = map.as_ref().map_or(Some(0), |map| power(map))?;
                let ((begin, count), (there, same)) = (points[*from], points[*to]);
                if count != same || !from_cells.insert(*from) || !to_cells.insert(*to) {
                    return None;
                }
                for at in 0..count {
                    image[begin + at] = (there + (at + by) % count) as u16;
                }
            }
            if from_cells != to_cells {
                return None;
            }
            moves.push(image);
        }
        Some(Self { shows, points, group: PermutationGroup::new(degree, &moves) })
    }

    /// For each point, the number of points to which it can go while all later points stay in place. The product is the
    /// number of states that moves can reach. `None` if a piece is there several times: then several elements of the
    /// group make one state.
    pub fn orbit_sizes(&self, start: &[Symbol]) -> Option<Vec<usize>> {
        let pieces: BTreeSet<usize> = start.iter().map(|symbol| self.shows[symbol].0).collect();
        (pieces.len() == start.len()).then(|| self.group.orbit_sizes())
    }

    /// A random state with the pieces of the start. All states that moves can reach are equally likely.
    pub fn random_state(&self, start: &[Symbol], random: &mut Random) -> Vec<Symbol> {
        let image = self.group.random_element(random);
        let mut state = start.to_vec();
        for (&(begin, count), symbol) in self.points.iter().zip(start) {
            // The first point of a cell stands for its piece as it is.
            let point = image[begin] as usize;
            let to = self.points.partition_point(|&(first, _)| first <= point) - 1;
            let (piece, twist) = self.shows[symbol];
            let by = (twist + point - self.points[to].0) % count;
            let shown = self.shows.iter().find(|(_, shows)| **shows == (piece, by));
            state[to] = *shown.expect("a piece shows a symbol for each of its twists").0;
        }
        state
    }

    /// `true` if moves lead from one state to another. `None` if the states hold the same piece several times: then
    /// several permutations could have led there.
    pub fn reaches(&self, start: &[Symbol], state: &[Symbol]) -> Option<bool> {
        let pieces =
            |state: &[Symbol]| state.iter().map(|symbol| self.shows.get(symbol).copied()).collect::<Option<Vec<_>>>();
        let (before, after) = (pieces(start)?, pieces(state)?);
        let sorted = |pieces: &[(usize, usize)]| {
            let mut sorted: Vec<usize> = pieces.iter().map(|&(piece, _)| piece).collect();
            sorted.sort_unstable();
            sorted
        };
        let (held, found) = (sorted(&before), sorted(&after));
        if held != found {
            return Some(false);
        }
        if held.windows(2).any(|pair| pair[0] == pair[1]) {
            return None;
        }
        let mut image: Vec<u16> = vec![0; self.points.iter().map(|&(_, count)| count).sum()];
        for (from, &(piece, twist)) in before.iter().enumerate() {
            let to = after.iter().position(|&(other, _)| other == piece)?;
            let ((begin, count), (there, same)) = (self.points[from], self.points[to]);
            if count != same {
                return Some(false);
            }
            for at in 0..count {
                image[begin + at] = (there + (at + after[to].1 + count - twist) % count) as u16;
            }
        }
        Some(self.group.contains(&image))
    }
}

/// The powers of one step, beginning with the identity, over all symbols that the start and the maps show. Every map is
/// one of them. `None` if there is no such step.
fn powers_of_step(start: &[Symbol], maps: &[&[Symbol]]) -> Option<Vec<BTreeMap<Symbol, Symbol>>> {
    let symbols: BTreeSet<Symbol> = start.iter().flat_map(|&symbol| circle_of_all(symbol, maps)).collect();
    let identity: BTreeMap<Symbol, Symbol> = symbols.iter().map(|&symbol| (symbol, symbol)).collect();
    let after = |one: &BTreeMap<Symbol, Symbol>, map: &dyn Fn(Symbol) -> Symbol| {
        one.iter().map(|(&from, &to)| (from, map(to))).collect::<BTreeMap<Symbol, Symbol>>()
    };
    let (mut elements, mut at) = (vec![identity.clone()], 0);
    while let Some(element) = elements.get(at).cloned() {
        for map in maps {
            let product = after(&element, &|symbol| map[symbol as usize]);
            if !elements.contains(&product) {
                elements.push(product);
            }
        }
        if elements.len() > MOST_TWISTS {
            return None;
        }
        at += 1;
    }
    let bijective = |map: &&BTreeMap<Symbol, Symbol>| map.values().collect::<BTreeSet<_>>().len() == map.len();
    elements.iter().filter(bijective).find_map(|step| {
        let mut powers = vec![identity.clone()];
        loop {
            let next = after(&powers[powers.len() - 1], &|symbol| step[&symbol]);
            if next == identity {
                break;
            }
            powers.push(next);
        }
        // The step must turn each piece through all symbols that it can show.
        let whole = |&symbol: &Symbol| circle(symbol, step).len() == circle_of_all(symbol, maps).len();
        (powers.len() == elements.len() && start.iter().all(whole)).then_some(powers)
    })
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use proptest::prelude::*;

    use super::*;
    use crate::rules::{MoveData, RulesData, SourceData};

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

    /// Permutations within the pieces of one number of twists, and the twist that each cell's piece gets on its way.
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
        let pieces = TwistedPieces::of_moves(&rules).unwrap();
        let order: usize = pieces.orbit_sizes(&rules.start).unwrap().iter().product();
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
            let Some(pieces) = TwistedPieces::of_moves(&rules) else {
                prop_assert!(!twists || given.len() > 1);
                return Ok(());
            };
            let order: usize = pieces.orbit_sizes(&rules.start).expect("all pieces differ").iter().product();
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
                    let (piece, by) = pieces.shows[&state[cell]];
                    let twisted = pieces.shows.iter().find(|(_, shown)| **shown == (piece, (by + 1) % count));
                    let Some((&symbol, _)) = twisted else { continue };
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
