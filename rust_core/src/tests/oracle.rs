//! Tests of counts on random rules of every shape: both stores give the counts of the obvious search, with and without
//! symmetries.

use std::cell::Cell;
use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRunner};

use super::conditions::{self, ConditionsData};
use super::fenced::fenced;
use super::naive::{Layer, layers};
use super::{few_cases, quick_or_long};
use crate::engine::{Engine, State};
use crate::error::Error;
use crate::random::Random;
use crate::rules::{
    CountData, CountedGoalData, EndData, GoalData, MoveData, PatternData, RulesData, SourceData, SymmetryData,
};
use crate::run::{Budget, Grain, Options, Store};
use crate::solve::Solution;

pub fn copy(from: usize) -> SourceData {
    SourceData::Copy { copy: from as i64, map: [].into() }
}

pub fn a_move(when: PatternData, then: Vec<(i64, SourceData)>) -> MoveData {
    MoveData { when, then, ..MoveData::default() }
}

fn needs(guard: Option<(usize, String)>) -> PatternData {
    guard.map(|(cell, symbol)| (cell as i64, vec![symbol])).into_iter().collect()
}

/// A move that rotates the symbols of the given cells.
fn turn(cells: &[usize], guard: Option<(usize, String)>) -> MoveData {
    let turned = cells.iter().zip(cells.iter().cycle().skip(1));
    a_move(needs(guard), turned.map(|(&from, &to)| (to as i64, copy(from))).collect())
}

pub fn rules(symbols: &[&str], start: Vec<String>, moves: Vec<MoveData>) -> RulesData {
    RulesData {
        symbols: symbols.iter().map(ToString::to_string).collect(),
        start,
        players: Vec::new(),
        moves,
        goal: Vec::new(),
        ends: Vec::new(),
        stuck: None,
        score: None,
        symmetries: Vec::new().into(),
    }
}

/// Up to four different cells out of `cells`.
fn some(cells: usize) -> impl Strategy<Value = Vec<usize>> {
    (Just((0..cells).collect::<Vec<_>>()).prop_shuffle(), 0..=cells.min(4))
        .prop_map(|(order, count)| order[..count].to_vec())
}

/// For each of several moves, the cell and the symbol that its guard needs: no guards at all, the same symbol in each
/// guard, or any symbols. Some moves have no guard.
fn guards(symbols: Vec<String>, cells: usize) -> impl Strategy<Value = Vec<Option<(usize, String)>>> {
    let one = prop::sample::select(symbols.clone());
    let any = (0..cells, prop::sample::select(symbols));
    prop_oneof![
        Just(vec![None; 6]),
        one.clone().prop_map(move |symbol| (0..cells).map(|cell| Some((cell, symbol.clone()))).collect()),
        (one, prop::collection::vec(prop::option::of(0..cells), 1..6)).prop_map(|(symbol, cells)| {
            cells.into_iter().map(|cell| cell.map(|cell| (cell, symbol.clone()))).collect()
        }),
        prop::collection::vec(prop::option::of(any), 1..6),
    ]
}

/// Moves that permute the symbols of some cells. The symbols of the start are distinct or, if `repeated`, some repeat.
/// A guard may need the symbol `z`, which no cell holds.
fn rearranged(repeated: bool) -> impl Strategy<Value = RulesData> {
    const SYMBOLS: [&str; 6] = ["a", "b", "c", "d", "e", "z"];
    let distinct = (1..=5usize).prop_flat_map(|cells| Just(SYMBOLS[..cells].to_vec()).prop_shuffle());
    let several = prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 2..=6);
    let start = if repeated { several.boxed() } else { distinct.boxed() };
    start.prop_flat_map(|start| {
        let (cells, start) = (start.len(), start.into_iter().map(String::from).collect::<Vec<_>>());
        let held = [start.clone(), vec!["z".to_owned()]].concat();
        guards(held, cells).prop_flat_map(move |guards| {
            let (guards, start) = (guards.clone(), start.clone());
            prop::collection::vec(some(cells), guards.len()).prop_map(move |turns| {
                let moves = turns.iter().zip(&guards).map(|(cells, guard)| turn(cells, guard.clone()));
                rules(&SYMBOLS, start.clone(), moves.collect())
            })
        })
    })
}

/// Moves that exchange a cell that holds one certain symbol with a cell that holds any other. In some rules, there is
/// such a move from each cell to the next one around a circle.
fn unlike() -> impl Strategy<Value = RulesData> {
    const SYMBOLS: [&str; 4] = ["a", "b", "c", "z"];
    let start = prop::collection::vec(prop::sample::select(SYMBOLS[..3].to_vec()), 2..=5);
    let pairs = prop::collection::vec((0..5usize, 1..5usize), 0..5);
    (start, pairs, any::<bool>(), prop::sample::select(SYMBOLS.to_vec())).prop_map(|(start, pairs, around, symbol)| {
        let cells = start.len();
        let circle = (0..cells).filter(|_| around).map(|cell| (cell, 1));
        let exchange = |(cell, by): (usize, usize)| {
            let (from, to) = (cell % cells, (cell + by) % cells);
            let others = SYMBOLS.iter().filter(|&&other| other != symbol).map(ToString::to_string).collect();
            let mut given = turn(&[from, to], Some((from, symbol.to_owned())));
            given.when.push((to as i64, others));
            (from != to).then_some(given)
        };
        let moves = circle.chain(pairs).filter_map(exchange).collect();
        rules(&SYMBOLS, start.into_iter().map(String::from).collect(), moves)
    })
}

/// Moves that permute all cells, whose symbols are distinct. The cycles of a move have one length, but the last may be
/// shorter. Moves may need one certain symbol, each in some cell. In some of these rules, the place of that symbol
/// decides the parity of the others.
fn wide() -> impl Strategy<Value = RulesData> {
    const SYMBOLS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];
    (3..=6usize, prop::option::of(0..3usize)).prop_flat_map(|(cells, pivot)| {
        let order = Just((0..cells).collect::<Vec<_>>()).prop_shuffle();
        // For each move: an order of the cells, which is divided into cycles of a length from 2 up; and the cell that
        // its guard looks at.
        let moves = prop::collection::vec((order, 2..=cells, 0..cells), 1..=4);
        moves.prop_map(move |moves| {
            let start: Vec<String> = SYMBOLS[..cells].iter().map(ToString::to_string).collect();
            let needed = |cell: usize| pivot.map(|symbol| (cell, SYMBOLS[symbol].to_owned()));
            let mut list: Vec<MoveData> = Vec::new();
            for (order, length, cell) in moves {
                let cycles: Vec<MoveData> = order.chunks(length).map(|cells| turn(cells, needed(cell))).collect();
                // One move makes all the cycles at once.
                let then = cycles.iter().flat_map(|cycle| cycle.then.clone()).collect();
                list.push(MoveData { then, ..cycles[0].clone() });
            }
            // A move that changes nothing is added for each cell that may hold the needed symbol. Otherwise play could
            // be stuck.
            list.extend((0..cells).filter_map(|cell| Some(a_move(needs(Some(needed(cell)?)), Vec::new()))));
            rules(&SYMBOLS, start, list)
        })
    })
}

/// Moves that flip some cells or none.
fn toggled() -> impl Strategy<Value = RulesData> {
    (1..=6usize).prop_flat_map(|cells| {
        let start = prop::collection::vec(prop::sample::select(vec!["a".to_owned(), "b".to_owned()]), cells);
        (start, prop::collection::vec(some(cells), 1..6)).prop_map(|(start, presses)| {
            let map = || [("a".to_owned(), "b".to_owned()), ("b".to_owned(), "a".to_owned())].into();
            let flip = |&cell: &usize| (cell as i64, SourceData::Copy { copy: cell as i64, map: map() });
            let moves = presses.iter().map(|cells| a_move(Vec::new(), cells.iter().map(flip).collect()));
            rules(&["a", "b"], start, moves.collect())
        })
    })
}

/// Moves that advance some cells, or none, in circles of 2 to 13 symbols. One symbol is held by no cell.
fn dialled() -> impl Strategy<Value = RulesData> {
    const SYMBOLS: [&str; 13] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"];
    const SIZES: [(usize, usize); 8] = [(2, 6), (3, 5), (4, 4), (5, 3), (6, 2), (7, 3), (11, 2), (13, 2)];
    let sizes = prop::sample::select(SIZES.to_vec()).prop_flat_map(|(places, most)| (Just(places), 1..=most));
    sizes.prop_flat_map(|(places, cells)| {
        let symbols: Vec<&str> = SYMBOLS[..places].iter().copied().chain(["z"]).collect();
        let start = prop::collection::vec(prop::sample::select(symbols[..places].to_vec()), cells);
        let turns = (some(cells), prop::collection::vec(1..places, 4));
        (start, prop::collection::vec(turns, 1..6)).prop_map(move |(start, presses)| {
            let map = |by: usize| {
                let to = |at: usize| (symbols[at].to_owned(), symbols[(at + by) % places].to_owned());
                (0..places).map(to).collect()
            };
            let turn =
                |(&cell, &by): (&usize, &usize)| (cell as i64, SourceData::Copy { copy: cell as i64, map: map(by) });
            let moves = presses.iter().map(|(cells, by)| a_move(Vec::new(), cells.iter().zip(by).map(turn).collect()));
            rules(&symbols, start.into_iter().map(String::from).collect(), moves.collect())
        })
    })
}

/// Moves that permute up to four pieces, and twist them. A piece has 2 to 6 twists: the symbol `b2` is piece `b` with
/// twist 2.
fn twisted() -> impl Strategy<Value = RulesData> {
    const SIZES: [(usize, usize); 6] = [(2, 4), (3, 3), (4, 3), (2, 3), (6, 2), (5, 2)];
    let sizes = prop::sample::select(SIZES.to_vec()).prop_flat_map(|(twists, most)| (Just(twists), 1..=most));
    sizes.prop_flat_map(|(twists, cells)| {
        let pieces = Just(["a", "b", "c", "d"][..cells].to_vec()).prop_shuffle();
        let start = (pieces, prop::collection::vec(0..twists, cells));
        let turns = (some(cells), prop::collection::vec(0..twists, 4));
        (start, prop::collection::vec(turns, 1..5), any::<bool>()).prop_map(move |(start, turns, keep_sum)| {
            let name = |piece: &str, twist: usize| format!("{piece}{}", twist % twists);
            let map = |by: usize| {
                let advance = |piece| (0..twists).map(move |twist| (name(piece, twist), name(piece, twist + by)));
                ["a", "b", "c", "d"].into_iter().flat_map(advance).filter(|_| by > 0).collect()
            };
            let moves = turns.iter().map(|(cells, by)| {
                let mut by = by[..cells.len()].to_vec();
                if let Some((last, others)) = by.split_last_mut().filter(|_| keep_sum) {
                    *last = (cells.len() * twists - others.iter().sum::<usize>()) % twists;
                }
                let turned = cells.iter().zip(cells.iter().cycle().skip(1)).zip(by);
                let source = |from: usize, by| SourceData::Copy { copy: from as i64, map: map(by) };
                a_move(Vec::new(), turned.map(|((&from, &to), by)| (to as i64, source(from, by))).collect())
            });
            let symbols: Vec<String> = ["a", "b", "c", "d"]
                .iter()
                .flat_map(|piece| (0..twists).map(move |twist| name(piece, twist)))
                .collect();
            let start = start.0.iter().zip(start.1).map(|(piece, twist)| name(piece, twist)).collect();
            rules(&symbols.iter().map(String::as_str).collect::<Vec<_>>(), start, moves.collect())
        })
    })
}

/// Moves that permute up to four pieces of two to four stickers each, and turn them. Two pieces may have the same
/// colours.
fn stickered() -> impl Strategy<Value = RulesData> {
    const SIZES: [(usize, usize); 4] = [(2, 3), (3, 3), (4, 2), (3, 2)];
    let sizes = prop::sample::select(SIZES.to_vec()).prop_flat_map(|(stickers, most)| (Just(stickers), 2..=most));
    sizes.prop_flat_map(|(stickers, places)| {
        let cells = stickers * places;
        // The cells and the colours of all stickers, in random order. The colours are all different, or only three.
        let order = Just((0..cells).collect::<Vec<_>>()).prop_shuffle();
        let all = Just(["a", "b", "c", "d", "e", "f", "g", "h", "i"][..cells].to_vec()).prop_shuffle();
        let colours = prop_oneof![all, prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), cells)];
        let turns = (some(places), prop::collection::vec(0..stickers, 4));
        // A symmetry permutes the places of pieces, and turns or mirrors the stickers in each place.
        let symmetry = (Just((0..places).collect::<Vec<_>>()).prop_shuffle(), 0..stickers, any::<bool>());
        let extra = prop::option::of(symmetry);
        (order, colours, prop::collection::vec(turns, 1..4), extra).prop_map(move |(order, start, turns, extra)| {
            let moves = turns.iter().map(|(places, by)| {
                let turned = places.iter().zip(places.iter().cycle().skip(1)).zip(by);
                let sticker = |((&from, &to), &by): ((&usize, &usize), &usize)| {
                    let cell = |place, at| order[place * stickers + at % stickers];
                    (0..stickers).map(|at| (cell(to, at + by) as i64, copy(cell(from, at)))).collect::<Vec<_>>()
                };
                a_move(Vec::new(), turned.flat_map(sticker).collect())
            });
            let start = start.into_iter().map(String::from).collect();
            let mut data = rules(&["a", "b", "c", "d", "e", "f", "g", "h", "i"], start, moves.collect());
            // If no symmetry is wanted, it is the identity. A random permutation of up to nine cells could make too
            // many states.
            let mut carried: Vec<usize> = (0..cells).collect();
            if let Some((images, by, mirrored)) = extra {
                for (place, at) in (0..cells).map(|sticker| (sticker / stickers, sticker % stickers)) {
                    let to = (if mirrored { stickers - at } else { at } + by * place) % stickers;
                    carried[order[place * stickers + at]] = order[images[place] * stickers + to];
                }
            }
            // The rules do not have this symmetry yet: the images of the moves are added later.
            data.symmetries = vec![SymmetryData {
                name: "wanted".to_owned(),
                cells: carried.into_iter().map(|cell| cell as i64).collect(),
                symbols: [].into(),
                swap_players: false,
            }]
            .into();
            data
        })
    })
}

/// A kind of pieces for random rules. Only pieces of one kind change places with each other.
#[derive(Debug, Clone)]
struct Kind {
    places: usize,
    twists: usize,
    /// For each piece, a number that stands for its looks, and its twist at the start.
    pieces: Vec<(usize, usize)>,
    /// For each move, the places of a cycle, and for each of these places the twist that is added to the piece that
    /// leaves it.
    cycles: Vec<(Vec<usize>, Vec<usize>)>,
    /// The effect of a symmetry on pieces of this kind: the place to which it carries each place, and the twist that it
    /// adds.
    carried: (Vec<usize>, usize),
}

/// The effect of a symmetry on several kinds of pieces. Its effect within a kind is in [`Kind::carried`].
#[derive(Debug, Clone)]
struct CarriedKinds {
    wanted: bool,
    /// `true` if the symmetry exchanges the first two kinds. It does so only if both have the same number of pieces and
    /// of twists.
    exchanges: bool,
    mirrored: bool,
}

impl CarriedKinds {
    /// The number of the kind to which the symmetry carries a kind.
    fn kind(&self, kinds: &[Kind], number: usize) -> usize {
        let size = |kind: &Kind| (kind.places, kind.twists);
        if self.exchanges && number < 2 && size(&kinds[0]) == size(&kinds[1]) { 1 - number } else { number }
    }

    /// Adds the symmetry to the rules. `carried` has the image of each cell. The rules do not have this symmetry yet:
    /// the images of the moves are added later.
    fn add(&self, data: &mut RulesData, carried: Vec<usize>) {
        let cells = if self.wanted { carried } else { (0..carried.len()).collect() };
        data.symmetries = vec![SymmetryData {
            name: "wanted".to_owned(),
            cells: cells.into_iter().map(|cell| cell as i64).collect(),
            symbols: [].into(),
            swap_players: false,
        }]
        .into();
    }
}

/// Up to three kinds of pieces with their moves. The pieces of a kind are different, or some look alike. In half of the
/// rules, moves keep the sum of the twists over all kinds with the same number of twists. The second item says what the
/// symmetry of the rules does with the kinds.
fn kinds() -> impl Strategy<Value = (Vec<Kind>, CarriedKinds)> {
    const SIZES: [(usize, usize); 7] = [(2, 1), (1, 3), (2, 2), (1, 2), (3, 1), (2, 3), (1, 4)];
    let sizes = prop_oneof![
        prop::collection::vec(prop::sample::select(SIZES.to_vec()), 2),
        prop::collection::vec(prop::sample::select(SIZES[..4].to_vec()), 3),
    ];
    let symmetry = (any::<bool>(), any::<bool>(), any::<bool>())
        .prop_map(|(wanted, exchanges, mirrored)| CarriedKinds { wanted, exchanges, mirrored });
    (sizes, 1..5usize, any::<bool>(), symmetry).prop_flat_map(|(sizes, moves, keep_sum, symmetry)| {
        let kind = move |&(places, twists): &(usize, usize)| {
            let distinct: Vec<(usize, usize)> = (0..places).map(|piece| (piece, 0)).collect();
            let alike = prop::collection::vec((0..2usize, 0..twists), places);
            let cycle = (some(places), prop::collection::vec(0..twists, 4));
            let pieces = prop_oneof![2 => Just(distinct), 1 => alike];
            let carried = (Just((0..places).collect::<Vec<_>>()).prop_shuffle(), 0..twists);
            (pieces, prop::collection::vec(cycle, moves), carried).prop_map(move |(pieces, cycles, carried)| Kind {
                places,
                twists,
                pieces,
                cycles,
                carried,
            })
        };
        sizes.iter().map(kind).collect::<Vec<_>>().prop_map(move |mut kinds: Vec<Kind>| {
            for given in 0..moves {
                for twists in [2, 3, 4].into_iter().filter(|_| keep_sum) {
                    let moved = |kind: &&mut Kind| kind.twists == twists && !kind.cycles[given].0.is_empty();
                    let mut sum = 0;
                    for kind in kinds.iter_mut().filter(moved) {
                        let (cycle, by) = &mut kind.cycles[given];
                        sum += by[..cycle.len()].iter().sum::<usize>();
                    }
                    if let Some(last) = kinds.iter_mut().rfind(moved) {
                        let by = &mut last.cycles[given].1[0];
                        *by = (*by + twists * 16 - sum) % twists;
                    }
                }
            }
            (kinds, symmetry.clone())
        })
    })
}

/// Rules for pieces of several kinds, with a cell for each piece. The symbol `b2` is piece `b` with twist 2.
fn kinds_of_maps() -> impl Strategy<Value = RulesData> {
    const PIECES: [&str; 12] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
    kinds().prop_map(|(kinds, symmetry)| {
        let name = |number: usize, looks: usize, twist: usize| format!("{}{twist}", PIECES[4 * number + looks]);
        let mut symbols = Vec::new();
        let mut start = Vec::new();
        let mut moves = vec![a_move(Vec::new(), Vec::new()); kinds[0].cycles.len()];
        for (number, kind) in kinds.iter().enumerate() {
            let begin = start.len();
            let all = (0..4).flat_map(|looks| (0..kind.twists).map(move |twist| (looks, twist)));
            symbols.extend(all.clone().map(|(looks, twist)| name(number, looks, twist)));
            start.extend(kind.pieces.iter().map(|&(looks, twist)| name(number, looks, twist)));
            for (made, (cycle, by)) in moves.iter_mut().zip(&kind.cycles) {
                for ((&from, &to), &by) in cycle.iter().zip(cycle.iter().cycle().skip(1)).zip(by) {
                    let map = all.clone().filter(|_| by > 0).map(|(looks, twist)| {
                        (name(number, looks, twist), name(number, looks, (twist + by) % kind.twists))
                    });
                    let source = SourceData::Copy { copy: (begin + from) as i64, map: map.collect() };
                    made.then.push(((begin + to) as i64, source));
                }
            }
        }
        let mut data = rules(&symbols.iter().map(String::as_str).collect::<Vec<_>>(), start, moves);
        let begin = |number: usize| kinds[..number].iter().map(|kind| kind.places).sum::<usize>();
        let carried = kinds.iter().enumerate().flat_map(|(number, kind)| {
            let to = begin(symmetry.kind(&kinds, number));
            kind.carried.0.iter().map(move |place| to + place)
        });
        let carried = carried.collect();
        symmetry.add(&mut data, carried);
        data
    })
}

/// Rules for pieces of several kinds, with a cell for each sticker, in any order. A piece has one sticker or two for
/// each twist. The colours are all different, or few.
fn kinds_of_stickers() -> impl Strategy<Value = RulesData> {
    const COLOURS: [&str; 10] = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    (kinds(), prop::collection::vec(any::<bool>(), 3)).prop_flat_map(|((kinds, symmetry), doubled)| {
        // The number of cells is limited, since an index of all arrangements of many stickers could be very large.
        let mut sizes: Vec<usize> = Vec::new();
        for (kind, doubled) in kinds.iter().zip(doubled) {
            let size = kind.places * kind.twists;
            let left = 10 - sizes.iter().sum::<usize>();
            let layers = (1 + usize::from(doubled)).min(left / size);
            sizes.push(layers * size);
        }
        let cells: usize = sizes.iter().sum();
        let all = Just(COLOURS[..cells].to_vec()).prop_shuffle();
        let few = prop::collection::vec(prop::sample::select(COLOURS[..4].to_vec()), cells);
        (Just((0..cells).collect::<Vec<_>>()).prop_shuffle(), prop_oneof![all, few]).prop_map(move |(order, start)| {
            let mut moves = vec![a_move(Vec::new(), Vec::new()); kinds[0].cycles.len()];
            for (number, kind) in kinds.iter().enumerate() {
                let begin: usize = sizes[..number].iter().sum();
                for (made, (cycle, by)) in moves.iter_mut().zip(&kind.cycles) {
                    for ((&from, &to), &by) in cycle.iter().zip(cycle.iter().cycle().skip(1)).zip(by) {
                        for sticker in 0..sizes[number] / kind.places {
                            let (layer, at) = (sticker / kind.twists, sticker % kind.twists);
                            let cell = |place: usize, at: usize| {
                                order[begin + (layer * kind.places + place) * kind.twists + at % kind.twists]
                            };
                            made.then.push((cell(to, at + by) as i64, copy(cell(from, at))));
                        }
                    }
                }
            }
            let mut data = rules(&COLOURS, start.into_iter().map(String::from).collect(), moves);
            let mut carried: Vec<usize> = (0..cells).collect();
            for (number, kind) in kinds.iter().enumerate() {
                let to = symmetry.kind(&kinds, number);
                let to = if sizes[to] == sizes[number] { to } else { number };
                let begin = |number: usize| sizes[..number].iter().sum::<usize>();
                for sticker in 0..sizes[number] {
                    let (at, place) = (sticker % kind.twists, sticker / kind.twists % kind.places);
                    let layer = sticker / kind.twists / kind.places;
                    let turned = if symmetry.mirrored { kind.twists - at } else { at } + kind.carried.1 * place;
                    let image = (layer * kind.places + kind.carried.0[place]) * kind.twists + turned % kind.twists;
                    carried[order[begin(number) + sticker]] = order[begin(to) + image];
                }
            }
            symmetry.add(&mut data, carried);
            data
        })
    })
}

/// Moves of one player or two that put marks into empty cells, and ends.
pub fn placed() -> impl Strategy<Value = RulesData> {
    let end = |cells| (some(cells), prop::sample::select(vec!["x", "o"]), prop::sample::select(vec!["P", "draw", "Q"]));
    (1..=5usize, 0..3usize).prop_flat_map(move |(cells, kind)| {
        let held = prop::sample::select(vec![".", ".", ".", "x", "o"]);
        let ends = prop::collection::vec(end(cells), 0..4);
        let stuck = prop::sample::select(vec!["draw", "win", "loss"]);
        (prop::collection::vec(held, cells), ends, stuck).prop_map(move |(start, ends, stuck)| {
            let start = start.into_iter().map(String::from).collect();
            let mut data = rules(&[".", "x", "o"], start, Vec::new());
            // The rules are a puzzle, a game in which each player has a mark, or a game in which both have the same
            // mark.
            let marks: &[(Option<&str>, &str)] = match kind {
                0 => &[(None, "x")],
                1 => &[(Some("P"), "x"), (Some("Q"), "o")],
                _ => &[(Some("P"), "x"), (Some("Q"), "x")],
            };
            if kind > 0 {
                data.players = vec!["P".to_owned(), "Q".to_owned()];
                data.stuck = Some(stuck.to_owned());
            }
            for &(player, mark) in marks {
                for cell in 0..cells {
                    let put = a_move(needs(Some((cell, ".".to_owned()))), vec![(cell as i64, write(mark))]);
                    data.moves.push(MoveData { player: player.map(String::from), ..put });
                }
            }
            data.ends = ends
                .into_iter()
                .filter(|(cells, ..)| !cells.is_empty())
                .map(|(cells, mark, outcome)| EndData {
                    outcome: outcome.to_owned(),
                    when: cells.iter().map(|&cell| (cell as i64, vec![mark.to_owned()])).collect(),
                    ..EndData::default()
                })
                .collect();
            data
        })
    })
}

pub fn write(symbol: &str) -> SourceData {
    SourceData::Symbol(symbol.to_owned())
}

/// Parts that may be added to random rules: moves that change nothing, with or without guards; copies of moves; a goal
/// that may hold at the start; a goal that counts; a second player; guards that compare two cells; other conditions;
/// and a symmetry.
#[derive(Debug, Clone)]
pub struct Extras {
    idle: Vec<(u8, prop::sample::Index, prop::sample::Index)>,
    doubled: Vec<prop::sample::Index>,
    goal: Option<prop::sample::Index>,
    counted: Option<(prop::sample::Index, bool)>,
    players: bool,
    compared: Vec<(prop::sample::Index, prop::sample::Index, bool)>,
    conditions: Option<u64>,
    symmetry: Option<Vec<prop::sample::Index>>,
}

pub fn extras() -> impl Strategy<Value = Extras> {
    let index = any::<prop::sample::Index>;
    (
        prop_oneof![Just(Vec::new()), prop::collection::vec((0..4u8, index(), index()), 1..3)],
        prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(index(), 1..3)],
        prop::option::of(index()),
        prop::option::weighted(0.2, (index(), any::<bool>())),
        prop::bool::weighted(0.1),
        prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec((index(), index(), any::<bool>()), 1..4)],
        prop::option::weighted(0.12, any::<u64>()),
        prop::option::of(prop::collection::vec(index(), 9)),
    )
        .prop_map(|(idle, doubled, goal, counted, players, compared, conditions, symmetry)| Extras {
            idle,
            doubled,
            goal,
            counted,
            players,
            compared,
            conditions,
            symmetry,
        })
}

impl Extras {
    /// Adds all these parts to rules.
    pub fn add(&self, mut data: RulesData) -> RulesData {
        let cells = data.start.len();
        for (kind, cell, symbol) in &self.idle {
            let (cell, symbol) = (cell.index(cells), symbol.get(&data.symbols).clone());
            let guard = needs(Some((cell, symbol.clone())));
            data.moves.push(match kind {
                0 => a_move(guard, Vec::new()),
                1 => a_move(guard, vec![(cell as i64, copy(cell))]),
                2 => a_move(guard, vec![(cell as i64, write(&symbol))]),
                _ => a_move(Vec::new(), vec![(cell as i64, copy(cell))]),
            });
        }
        for doubled in self.doubled.iter().filter(|_| !data.moves.is_empty()).collect::<Vec<_>>() {
            data.moves.push(doubled.get(&data.moves).clone());
        }
        if self.players && data.players.is_empty() {
            data.players = vec!["P".to_owned(), "Q".to_owned()];
        }
        if let Some(cell) = self.goal.filter(|_| data.players.is_empty()) {
            let cell = cell.index(cells);
            data.goal = vec![vec![(cell as i64, vec![data.start[cell].clone()])].into()];
        }
        if let Some((cell, least)) = self.counted.filter(|_| data.players.is_empty()) {
            let symbol = data.start[cell.index(cells)].clone();
            // The goal asks for the number of cells that hold the symbol at the start, so that it can hold.
            let there = Some(data.start.iter().filter(|&held| *held == symbol).count() as i64);
            let (at_least, at_most) = if least { (there, None) } else { (None, there) };
            let counts = vec![CountData { symbols: vec![symbol], at_least, at_most, of: None }];
            data.goal.push(GoalData::Counted(CountedGoalData { counts, ..CountedGoalData::default() }));
        }
        for (given, cell, equal) in
            self.compared.iter().filter(|_| !data.moves.is_empty() && cells > 1).collect::<Vec<_>>()
        {
            let (one, at) = (cell.index(cells), given.index(data.moves.len()));
            let given = &mut data.moves[at];
            // If the guard has several cells already, a comparison could contradict it, so that the move could never be
            // made.
            if given.equal.is_empty() && given.different.is_empty() && given.when.len() < 2 {
                let pair = (one as i64, ((one + 1 + at % (cells - 1)) % cells) as i64);
                if *equal { given.equal.push(pair) } else { given.different.push(pair) }
            }
        }
        let wanted = data.symmetries.declared().last().cloned();
        data.symmetries = Vec::new().into();
        if let Some(seed) = self.conditions {
            conditions::add(&mut Random::new(&seed.to_string()), &mut data);
        }
        if let Some(wanted) = wanted {
            let order: Vec<usize> = wanted.cells.iter().map(|&cell| cell as usize).collect();
            symmetrise(&mut data, &order, false);
        } else if let Some(keys) = &self.symmetry {
            let mut order: Vec<usize> = (0..cells).collect();
            order.sort_by_key(|&cell| keys[cell].index(1000));
            symmetrise(&mut data, &order, keys[0].index(2) == 1);
        }
        for (place, given) in data.moves.iter_mut().enumerate() {
            given.name = place.to_string();
        }
        data
    }
}

/// Adds the images of all items of a list under the map, then under the map applied twice, up to `times - 1` times.
fn close<T: Clone>(list: &mut Vec<T>, image: impl Fn(&T) -> T, times: usize) {
    let mut turned = list.clone();
    for _ in 1..times {
        turned = turned.iter().map(&image).collect();
        list.extend(turned.iter().cloned());
    }
}

/// If the symbols are pieces with twists and one twist of a piece is renamed, renames all twists of that piece: in the
/// same direction or, if `mirrored`, in the opposite one. For example, if `a0` becomes `b1`, then `a1` becomes `b2`.
fn rename_twists(data: &RulesData, renamed: &mut std::collections::BTreeMap<String, String>, mirrored: bool) {
    let twists_of = |piece: &str| data.symbols.iter().filter(|name| name.len() == 2 && name.starts_with(piece)).count();
    let parts = |name: &String| Some((name[..1].to_owned(), name.get(1..2)?.parse::<usize>().ok()?));
    for (from, to) in renamed.clone() {
        let (Some((from, at)), Some((to, other))) = (parts(&from), parts(&to)) else { return };
        let twists = twists_of(&from);
        for by in 0..twists {
            let back = if mirrored { twists - by } else { by };
            renamed.insert(format!("{from}{}", (at + by) % twists), format!("{to}{}", (other + back) % twists));
        }
    }
}

/// Makes a permutation of the cells a symmetry of the rules, if possible: renames symbols so that the start stays as it
/// is, and adds the images of all moves, ends and goals.
fn symmetrise(data: &mut RulesData, order: &[usize], mirrored: bool) {
    let image = |cell: i64| order[cell as usize] as i64;
    let mut renamed = std::collections::BTreeMap::new();
    for (cell, &other) in order.iter().enumerate() {
        let to = data.start[other].clone();
        if renamed.insert(data.start[cell].clone(), to.clone()).is_some_and(|known| known != to) {
            return; // no renaming keeps the start
        }
    }
    if renamed.iter().any(|(from, to)| from != to) && !data.ends.is_empty() {
        return; // marks stay what they are
    }
    rename_twists(data, &mut renamed, mirrored);
    let symbol = |name: &String| renamed.get(name).unwrap_or(name).clone();
    let images: std::collections::BTreeSet<String> = data.symbols.iter().map(symbol).collect();
    if images.len() < data.symbols.len() {
        return; // two symbols would become one
    }
    if order.iter().enumerate().any(|(cell, &to)| symbol(&data.start[cell]) != data.start[to]) {
        return; // the twists of two pieces that look alike ask for two renamings
    }
    let pattern = |given: &PatternData| -> PatternData {
        given.iter().map(|(cell, some)| (image(*cell), some.iter().map(symbol).collect())).collect()
    };
    let source = |source: &SourceData| match source {
        SourceData::Symbol(name) => SourceData::Symbol(symbol(name)),
        SourceData::Copy { copy, map } => {
            let map = map.iter().map(|(from, to)| (symbol(from), symbol(to))).collect();
            SourceData::Copy { copy: image(*copy), map }
        }
    };
    let others = |given: ConditionsData| given.carried(&image, &symbol);
    let plain = |given: &MoveData| MoveData {
        name: String::new(),
        player: given.player.clone(),
        when: pattern(&given.when),
        equal: given.equal.iter().map(|&(one, other)| (image(one), image(other))).collect(),
        different: given.different.iter().map(|&(one, other)| (image(one), image(other))).collect(),
        then: given.then.iter().map(|(cell, given)| (image(*cell), source(given))).collect(),
        forced: given.forced,
        ..MoveData::default()
    };
    let a_move = |given: &MoveData| others(ConditionsData::of_move(given)).in_move(plain(given));
    let goal = |given: &GoalData| match given {
        GoalData::Pattern(given) => GoalData::Pattern(pattern(given)),
        GoalData::Counted(given) => {
            GoalData::Counted(others(ConditionsData::of_goal(given)).in_goal(pattern(&given.when)))
        }
    };
    let mut times = 1;
    let (mut power, mut names): (Vec<usize>, Vec<String>) = (order.to_vec(), data.symbols.iter().map(symbol).collect());
    while power.iter().enumerate().any(|(cell, &to)| cell != to) || names != data.symbols {
        power = power.iter().map(|&cell| order[cell]).collect();
        names = names.iter().map(symbol).collect();
        times += 1;
    }
    let several = data.moves.len() * times;
    if several > 60 {
        return;
    }
    // In rules of placements, images that are among the moves already are not added again.
    let fills = data.symbols[0] == ".";
    let known: Vec<MoveData> = data.moves.clone();
    close(&mut data.moves, a_move, times);
    if fills {
        let mut kept: Vec<MoveData> = Vec::new();
        for given in data.moves.drain(..) {
            if known.contains(&given) && kept.len() < known.len() || !kept.contains(&given) {
                kept.push(given);
            }
        }
        data.moves = kept;
    }
    close(&mut data.goal, goal, times);
    let end =
        |end: &EndData| others(ConditionsData::of_end(end)).in_end(EndData { when: pattern(&end.when), ..end.clone() });
    close(&mut data.ends, end, times);
    data.symmetries = vec![SymmetryData {
        name: "random".to_owned(),
        cells: order.iter().map(|&cell| cell as i64).collect(),
        symbols: renamed.clone(),
        swap_players: false,
    }]
    .into();
}

/// The counts by a store; `None` if the store is the dense one and the rules have no perfect index.
pub fn count(engine: &Engine, store: Store, symmetry: bool) -> Option<Vec<Layer>> {
    count_in(engine, Options { store, symmetry, threads: 1, ..Options::default() })
}

/// The counts by a store that does its work in many small parts, on two threads. `None` if the store is the dense one
/// and the rules have no perfect index.
fn count_finely(engine: &Engine, store: Store, symmetry: bool, block_states: usize) -> Option<Vec<Layer>> {
    let grain = Some(Grain { partition_bits: 0, block_states, wave_blocks: 1, run_words: 0 });
    count_in(engine, Options { store, symmetry, threads: 2, grain, ..Options::default() })
}

fn count_in(engine: &Engine, options: Options) -> Option<Vec<Layer>> {
    let report = match engine.enumerate(&options, &|_| ControlFlow::Continue(())) {
        Ok(report) => report,
        Err(Error::Options(_)) if options.store == Store::Dense => return None,
        Err(error) => panic!("{error}"),
    };
    assert_eq!(report.stop, None);
    let outcomes = &engine.rules().outcomes;
    let layer = |depth: &crate::DepthReport| {
        let ended = depth.ended.iter().zip(outcomes).filter(|&(&count, _)| count > 0);
        let ended = ended.map(|(&count, name)| (name.clone(), count as usize)).collect();
        (depth.states as usize, depth.raw_states as usize, depth.open as usize, ended)
    };
    Some(report.depths.iter().map(layer).collect())
}

/// Compares both stores with the obvious search, with and without symmetries. Returns the number of runs that had a
/// perfect index.
pub(super) fn compare(engine: &Engine, data: &RulesData) -> Result<usize, TestCaseError> {
    let mut indexed = 0;
    for symmetry in [false, true] {
        let expected = layers(data, symmetry);
        prop_assert_eq!(count(engine, Store::Sparse, symmetry), Some(expected.clone()), "sparse {}", symmetry);
        // With a grain, new states are tested for ends, and not all successors.
        let finely = count_finely(engine, Store::Sparse, symmetry, 6);
        prop_assert_eq!(finely, Some(expected.clone()), "sparse finely {}", symmetry);
        if let Some(found) = count(engine, Store::Dense, symmetry) {
            prop_assert_eq!(&found, &expected, "dense {}", symmetry);
            // With small blocks, moves lead from block to block. With small tables, moves are computed without a table.
            for block_states in [1, 6] {
                let found = count_finely(engine, Store::Dense, symmetry, block_states);
                prop_assert_eq!(found.as_ref(), Some(&expected), "finely {} {}", symmetry, block_states);
            }
            indexed += 1;
        }
    }
    Ok(indexed)
}

/// Compares rules with the same rules between walls. Either both have a perfect index of the same size and the same
/// counts by the dense store, or neither has an index.
fn compare_fenced(engine: &Engine, data: &RulesData) -> Result<(), TestCaseError> {
    let wider = Engine::new(&fenced(data)).unwrap();
    if wider.machine.varying().is_whole() {
        return Ok(()); // no cell varies at all
    }
    let numbers_constants = |engine: &Engine| {
        engine.machine.indexed().varying.is_whole() && !engine.machine.varying().is_whole() && engine.index().is_ok()
    };
    if [engine, &wider].into_iter().any(numbers_constants) {
        return Ok(()); // what varies has no index, and the walls are among the cells of the other one
    }
    // The cells of the rules have odd numbers, and the walls between them even ones.
    let vary = |engine: &Engine| engine.machine.varying().cells.clone();
    prop_assert!(vary(&wider).iter().all(|cell| cell % 2 == 1), "a wall varies");
    let between: Vec<usize> = vary(engine).iter().map(|cell| 2 * cell + 1).collect();
    if vary(&wider) != between {
        // Without walls, "cell 2 holds a or b" is no condition if there are no other symbols. Between walls, which have
        // a symbol of their own, it is one. So a move that can never be made may be recognised without walls alone, and
        // then fewer cells vary there. If none does, the rules are taken as they are.
        let is_less = between.iter().all(|cell| vary(&wider).contains(cell));
        prop_assert!(is_less || engine.machine.varying().is_whole(), "a cell does not vary between walls");
        return Ok(());
    }
    let options = Options { store: Store::Dense, threads: 1, ..Options::default() };
    let size = |engine: &Engine| engine.plan(&options, false).ok().map(|plan| plan.memory_bytes);
    prop_assert_eq!(size(&wider), size(engine));
    prop_assert_eq!(count_in(&wider, options), count_in(engine, options), "between walls");
    let numbers = |engine: &Engine| engine.index().ok().map(|index| (index.len(), index.rank(&engine.start().cells)));
    let (found, expected) = (numbers(&wider), numbers(engine));
    prop_assert_eq!(found, expected);
    let Some((_, Some(number))) = found else { return Ok(()) };
    let (index, start) = (wider.index().unwrap(), wider.start().cells);
    prop_assert_eq!(&index.unrank(number), &start);
    let mut foreign = start;
    foreign[0] = foreign[1];
    prop_assert_eq!(index.rank(&foreign), None);
    Ok(())
}

/// Compares both stores with the obvious search, on random rules of a shape, as many as [`few_cases`] gives. Of `count`
/// rules, at least `dense` must have a perfect index, and at least `symmetric` a symmetry; of half as many, half.
fn check(shape: impl Strategy<Value = RulesData>, count: u32, dense: usize, symmetric: usize) {
    let (indexed, with_symmetry) = (Cell::new(0), Cell::new(0));
    let config = Config { cases: few_cases(count), failure_persistence: None, ..Config::default() };
    let mut runner =
        TestRunner::new_with_rng(config, prop::test_runner::TestRng::deterministic_rng(RngAlgorithm::default()));
    let rules = (shape, extras()).prop_map(|(data, extras)| extras.add(data));
    let result = runner.run(&rules, |data| {
        let engine = Engine::new(&data).unwrap();
        indexed.set(indexed.get() + compare(&engine, &data)?);
        compare_fenced(&engine, &data)?;
        with_symmetry.set(with_symmetry.get() + usize::from(engine.structure().symmetries().len() > 1));
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(indexed.get() >= dense, "{} have an index", indexed.get() / 2);
    assert!(2 * with_symmetry.get() >= symmetric, "{} have a symmetry", with_symmetry.get());
}

#[test]
fn arrangements_of_distinct_symbols_are_counted_right() {
    check(rearranged(false), 120, 30, 18);
}

#[test]
fn wide_moves_are_counted_right() {
    check(wide(), 60, 20, 3);
}

#[test]
fn arrangements_of_repeated_symbols_are_counted_right() {
    check(rearranged(true), 120, 30, 3);
}

#[test]
fn toggles_are_counted_right() {
    check(toggled(), 240, 60, 20);
}

#[test]
fn dials_are_counted_right() {
    check(dialled(), 120, 30, 12);
}

#[test]
fn pieces_that_twist_are_counted_right() {
    check(twisted(), 120, 45, 12);
}

#[test]
fn stickers_of_pieces_are_counted_right() {
    check(stickered(), 70, 10, 1);
}

#[test]
fn guards_that_exclude_what_changes_nothing_are_counted_right() {
    check(unlike(), 180, 44, 6);
}

#[test]
fn pieces_of_several_kinds_are_counted_right() {
    check(kinds_of_maps(), 80, 40, 11);
}

#[test]
fn stickers_of_several_kinds_are_counted_right() {
    check(kinds_of_stickers(), 24, 6, 1);
}

#[test]
fn placements_are_counted_right() {
    check(placed(), 320, 48, 16);
}

#[test]
fn a_guard_counts_even_if_the_move_changes_nothing() {
    // No move can be made, because of its guard: neither the one that copies a cell onto itself, nor the one that
    // writes a symbol into a cell that holds it already.
    for (start, needed, source) in [("a", "b", copy(0)), ("b", "a", write("a"))] {
        let mut data = rules(&["a", "b"], vec![start.to_owned()], Vec::new());
        data.moves = vec![a_move(needs(Some((0, needed.to_owned()))), vec![(0, source)])];
        data.goal = vec![vec![(0, vec![start.to_owned()])].into()];
        let engine = Engine::new(&data).unwrap();
        let expected = vec![(1, 1, 0, [("solved".to_owned(), 1)].into())];
        assert_eq!(layers(&data, true), expected);
        for store in [Store::Auto, Store::Sparse, Store::Dense] {
            assert!(count(&engine, store, true).is_none_or(|found| found == expected), "{store:?}");
        }
    }
}

#[test]
fn toggles_are_solved_by_the_fewest_presses_whether_algebra_or_a_search_proves_it() {
    // There is one press for each set of five lamps, so every state is solved by one press at most. But 5 presses are a
    // basis, and the other 26 are too many for algebra to try all their combinations.
    let flip = |cell: usize| {
        let map = [("a".to_owned(), "b".to_owned()), ("b".to_owned(), "a".to_owned())].into();
        (cell as i64, SourceData::Copy { copy: cell as i64, map })
    };
    let lamps = |set: usize| (0..5).filter(move |cell| set >> cell & 1 != 0);
    let mut data = rules(&["a", "b"], vec!["a".to_owned(); 5], Vec::new());
    data.moves = (1..32)
        .map(|set| MoveData { name: set.to_string(), ..a_move(Vec::new(), lamps(set).map(flip).collect()) })
        .collect();
    data.goal = vec![(0..5).map(|cell| (cell, vec!["a".to_owned()])).collect::<PatternData>().into()];
    let engine = Engine::new(&data).unwrap();
    let apart = quick_or_long(9, 3) as usize;
    let solve = |set: usize, states: usize| {
        let cells = (0..5).map(|cell| (set >> cell & 1) as u8).collect();
        let budget = Budget { states, ..Budget::default() };
        engine.solve(&State { cells, player: 0 }, budget, &|_| ControlFlow::Continue(())).unwrap().solution
    };
    for set in (0..32).step_by(apart) {
        let moves = if set == 0 { Vec::new() } else { vec![set - 1] };
        assert_eq!(solve(set, usize::MAX), Solution::Moves(moves, true));
    }
    // Without room for a search, puzzles are still solved, but a solution of two moves or more is not called the
    // shortest.
    let unproven = (0..32).step_by(apart).map(|set| solve(set, 1)).filter(|solution| match solution {
        Solution::Moves(moves, proven) => *proven != (moves.len() < 2),
        _ => true,
    });
    assert_eq!(unproven.count(), 0);
}
