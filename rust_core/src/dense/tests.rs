//! Tests of cuts: a cut gives the same index again, whatever the tuning, and a wrong cut gives none.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::{Dense, MOST_BYTES, Tuning, check_addresses};
use crate::error::Error;
use crate::index::Cut;
use crate::memory::in_words;
use crate::rules::{Rules, Symbol};
use crate::run::{DepthReport, Grain, Options};
use crate::structure::Structure;

fn rules(data: serde_json::Value) -> Structure {
    Structure::new(Arc::new(Rules::new(&serde_json::from_value(data).unwrap()).unwrap())).unwrap()
}

/// Cells in a row that start with the symbols of the given numbers. Neighbours change places.
fn tiles(start: &[usize]) -> Structure {
    let swap = |at: usize| json!({"name": at.to_string(), "then": [[at, {"copy": at - 1}], [at - 1, {"copy": at}]]});
    let symbols: Vec<String> = (0..=*start.iter().max().unwrap()).map(|symbol| symbol.to_string()).collect();
    let start: Vec<String> = start.iter().map(usize::to_string).collect();
    let moves: Vec<_> = (1..start.len()).map(swap).collect();
    let mirror: Vec<usize> = (0..start.len()).rev().collect();
    // The mirror is a symmetry only if the start reads the same from both ends.
    let palindrome = start.iter().eq(start.iter().rev());
    let symmetries = if palindrome { json!([{"name": "mirror", "cells": mirror}]) } else { json!([]) };
    rules(json!({"symbols": symbols, "start": start, "moves": moves, "symmetries": symmetries}))
}

/// A row with a blank, symbol 0, that changes places with its neighbours.
fn slides(cells: usize) -> Structure {
    let steps = (1..cells).flat_map(|at| [(at - 1, at), (at, at - 1)]);
    let slide = |(from, to): (usize, usize)| {
        json!({"name": format!("{from}-{to}"), "when": [[from, ["0"]]],
            "then": [[to, {"copy": from}], [from, {"copy": to}]]})
    };
    let symbols: Vec<String> = (0..cells).map(|symbol| symbol.to_string()).collect();
    rules(json!({"symbols": symbols, "start": symbols, "moves": steps.map(slide).collect::<Vec<_>>()}))
}

/// Cells with distinct symbols. One move turns a ring of all cells, in the given order, and the other moves exchange
/// two cells.
fn ring(order: &[usize], exchanges: &[(usize, usize)]) -> Structure {
    let turn: Vec<_> = (0..order.len()).map(|at| json!([order[(at + 1) % order.len()], {"copy": order[at]}])).collect();
    let exchange = |(name, (a, b)): (usize, &(usize, usize))| {
        let then = json!([[a, {"copy": b}], [b, {"copy": a}]]);
        json!({"name": name.to_string(), "then": then})
    };
    let moves: Vec<_> = std::iter::once(json!({"name": "turn", "then": turn}))
        .chain(exchanges.iter().enumerate().map(exchange))
        .collect();
    let symbols: Vec<String> = (0..order.len()).map(|symbol| symbol.to_string()).collect();
    rules(json!({"symbols": symbols, "start": symbols, "moves": moves}))
}

/// Lamps. Each move toggles some of them.
fn lamps(cells: usize, moves: &[&[usize]]) -> Structure {
    let flip = |&cell: &usize| json!([cell, {"copy": cell, "map": {"0": "1", "1": "0"}}]);
    let toggle = |(name, cells): (usize, &&[usize])| {
        let flips: Vec<_> = cells.iter().map(flip).collect();
        json!({"name": name.to_string(), "then": flips})
    };
    let moves: Vec<_> = moves.iter().enumerate().map(toggle).collect();
    rules(json!({"symbols": ["0", "1"], "start": vec!["0"; cells], "moves": moves}))
}

/// The cut for lamps whose basis flips the given cells.
fn flipping(basis: &[&[usize]]) -> Cut {
    Cut::Dial { basis: basis.iter().map(|cells| cells.iter().map(|&cell| (cell, 1)).collect()).collect() }
}

/// Dials with the symbols 0, 1 and 2. Each move turns some of the dials by one, and another dial by two.
fn dials(cells: usize, moves: &[(&[usize], usize)]) -> Structure {
    let turn = |cell: usize, by: usize| {
        let map: HashMap<String, String> =
            (0..3).map(|symbol| (symbol.to_string(), ((symbol + by) % 3).to_string())).collect();
        json!([cell, {"copy": cell, "map": map}])
    };
    let moves = moves.iter().enumerate().map(|(name, (once, twice))| {
        let turns: Vec<_> = once.iter().map(|&cell| turn(cell, 1)).chain([turn(*twice, 2)]).collect();
        json!({"name": name.to_string(), "then": turns})
    });
    rules(json!({"symbols": ["0", "1", "2"], "start": vec!["0"; cells], "moves": moves.collect::<Vec<_>>()}))
}

/// Pieces with the twists 0, 1 and 2; `4` is piece 1 with twist 1. Neighbours change places, and are twisted by the
/// given numbers. The last cell never changes.
fn pieces(cells: usize, twists: [usize; 2]) -> Structure {
    let map = |by: usize| -> HashMap<String, String> {
        let to = |symbol: usize| (symbol.to_string(), (symbol / 3 * 3 + (symbol + by) % 3).to_string());
        (0..3 * cells).map(to).collect()
    };
    let exchange = |at: usize| {
        json!({"name": at.to_string(), "then": [[at, {"copy": at - 1, "map": map(twists[0])}],
            [at - 1, {"copy": at, "map": map(twists[1])}]]})
    };
    let symbols: Vec<String> = (0..3 * cells).map(|symbol| symbol.to_string()).chain(["wall".to_owned()]).collect();
    let start: Vec<String> = (0..cells).map(|piece| (3 * piece).to_string()).chain(["wall".to_owned()]).collect();
    rules(json!({"symbols": symbols, "start": start, "moves": (1..cells).map(exchange).collect::<Vec<_>>()}))
}

/// Three pieces of two stickers. One move exchanges two pieces, another exchanges two others, and one turns a piece
/// around.
fn stickers() -> Structure {
    let exchange = |name: &str, pairs: &[[usize; 2]]| {
        let copies = pairs.iter().flat_map(|&[a, b]| [json!([a, {"copy": b}]), json!([b, {"copy": a}])]);
        json!({"name": name, "then": copies.collect::<Vec<_>>()})
    };
    let moves =
        [exchange("first", &[[0, 3], [1, 2]]), exchange("second", &[[2, 5], [3, 4]]), exchange("turn", &[[0, 1]])];
    let symbols = ["0", "1", "2", "3", "4", "5"];
    rules(json!({"symbols": symbols, "start": symbols, "moves": moves}))
}

/// Three cards, two pieces of three twists, and a wheel: `0`, `1` and `2` are the cards, the twists of a piece, and
/// those of the wheel, and `3`, `4` and `5` are the twists of the other piece. Each move exchanges two cards and both
/// pieces. The sum of all twists stays.
fn several() -> Structure {
    let turned = |to: usize, from: usize, by: usize| {
        let image = |symbol: usize| (symbol.to_string(), (symbol / 3 * 3 + (symbol + by) % 3).to_string());
        json!([to, {"copy": from, "map": (0..6).map(image).collect::<HashMap<_, _>>()}])
    };
    let exchange = |at: usize, twists: [usize; 3]| {
        json!({"name": at.to_string(), "then": [[at, {"copy": at + 1}], [at + 1, {"copy": at}],
            turned(3, 4, twists[0]), turned(4, 3, twists[1]), turned(5, 5, twists[2])]})
    };
    let symbols: Vec<String> = (0..6).map(|symbol| symbol.to_string()).collect();
    let moves = [exchange(0, [1, 0, 2]), exchange(1, [0, 2, 1])];
    rules(json!({"symbols": symbols, "start": ["0", "1", "2", "0", "3", "0"], "moves": moves}))
}

/// Cells that two players fill.
fn marks(cells: usize) -> Structure {
    let put = |at: usize| {
        let (cell, player) = (at / 2, ["X", "O"][at % 2]);
        json!({"name": cell.to_string(), "player": player, "when": [[cell, ["."]]], "then": [[cell, player]]})
    };
    let moves: Vec<_> = (0..2 * cells).map(put).collect();
    let end = json!({"outcome": "X", "when": [[0, ["X"]], [1, ["X"]]]});
    rules(json!({"symbols": [".", "X", "O"], "start": vec!["."; cells], "players": ["X", "O"], "stuck": "draw",
        "moves": moves, "ends": [end]}))
}

fn depths(dense: &Dense) -> Vec<DepthReport> {
    dense.enumerate(&Options::default(), None, None, &|_| ControlFlow::Continue(())).unwrap().depths
}

fn fine() -> Tuning {
    Tuning::new(Some(Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 0 }))
}

fn given(rules: &Structure, cut: &Cut, tuning: Tuning) -> Result<Dense, Error> {
    Dense::of_cut(rules, rules.symmetries(), cut, tuning)
}

/// Rules of each shape.
fn puzzles() -> [Structure; 12] {
    [
        tiles(&[0, 1, 2, 3, 4, 5]),
        slides(6),
        tiles(&[0, 0, 1, 2, 2, 2]),
        tiles(&[0, 1, 2, 2, 1, 0]),
        lamps(8, &[&[0, 1, 2], &[1, 2], &[0, 2], &[5, 6, 7], &[6], &[3, 4], &[2, 3], &[0, 7]]),
        marks(5),
        dials(6, &[(&[0], 1), (&[1, 2], 3), (&[3], 4), (&[], 2), (&[4], 5), (&[0], 1), (&[2], 0), (&[5, 3], 1)]),
        pieces(3, [1, 0]),
        pieces(3, [1, 2]),
        stickers(),
        ring(&[0, 1, 2, 3, 4], &[(0, 1)]),
        several(),
    ]
}

/// All rows of `cells` cells with `symbols` symbols.
fn all_rows(cells: usize, symbols: usize) -> impl Iterator<Item = Vec<Symbol>> {
    let digit = move |row: usize, cell: usize| (row / symbols.pow(cell as u32) % symbols) as Symbol;
    (0..symbols.pow(cells as u32)).map(move |row| (0..cells).map(|cell| digit(row, cell)).collect())
}

#[test]
fn each_number_is_that_of_one_state_and_states_without_one_are_refused() {
    // The numbers of states of the indexes. Six distinct symbols have 720 arrangements. With a blank, six places for it
    // and the even half of 120 sequences make 360. The two multisets have 60 and 90 arrangements. Eight independent
    // moves have 256 sums. Five cells with 0 to 3 crosses, and as many noughts or one fewer, can be filled in 1, 5, 20,
    // 30, 30 and 10 ways. Six independent moves of dials have 729 sums. Three pieces have 6 arrangements with 27
    // combinations of twists, or 9 if their sum stays. Three pieces of two stickers have 6 arrangements with 8
    // combinations of twists. Five symbols on a ring have 120 arrangements: 24 around it, and five places for the
    // pivot. Three cards have 6 arrangements, which say which of two pieces is where; of three twists, one follows from
    // the others.
    let lengths = [720, 360, 60, 90, 256, 1 + 5 + 20 + 30 + 30 + 10, 729, 162, 54, 48, 120, 6 * 9];
    for (rules, length) in puzzles().into_iter().zip(lengths) {
        let dense = Dense::new(&rules, rules.symmetries(), Tuning::default()).unwrap();
        let index = dense.shape.index();
        let numbered: HashMap<Vec<Symbol>, u64> =
            (0..index.len()).map(|number| (index.unrank(number), number)).collect();
        for state in all_rows(rules.rules().cells(), rules.rules().symbols.len()) {
            assert_eq!(index.rank(&state), numbered.get(&state).copied(), "{state:?}");
        }
        assert!(numbered.contains_key(&rules.rules().start));
        assert_eq!(index.rank(&rules.rules().start[1..]), None);
        assert_eq!((index.len(), numbered.len() as u64), (length, length));
    }
}

#[test]
fn an_index_is_made_again_from_its_cut() {
    for rules in puzzles() {
        let dense = Dense::new(&rules, rules.symmetries(), Tuning::default()).unwrap();
        let (cut, expected) = (dense.cut(), depths(&dense));
        for tuning in [Tuning::default(), fine()] {
            // With another tuning, cost models may propose another cut.
            let other = Dense::new(&rules, rules.symmetries(), tuning).unwrap();
            for cut in [&cut, &other.cut()] {
                let again = given(&rules, cut, tuning).unwrap();
                assert_eq!(again.cut(), *cut);
                assert_eq!(depths(&again), expected, "{cut:?}");
            }
        }
    }
}

#[test]
fn every_cut_counts_the_same() {
    let (distinct, slides, alike) = (tiles(&[0, 1, 2, 3, 4, 5]), slides(6), tiles(&[0, 0, 1, 1, 2, 2]));
    let plain = |rules: &Structure| depths(&Dense::new(rules, rules.symmetries(), Tuning::default()).unwrap());
    let (of_distinct, of_slides, of_alike) = (plain(&distinct), plain(&slides), plain(&alike));
    for order in [vec![0, 1, 2, 3, 4, 5], vec![5, 0, 4, 1, 3, 2], vec![2, 3, 0, 1, 5, 4]] {
        for tail in 2..=5 {
            for (rules, expected, ring) in [
                (&distinct, &of_distinct, None),
                (&slides, &of_slides, None),
                (&distinct, &of_distinct, Some(0)),
                (&distinct, &of_distinct, Some(4)),
            ] {
                let cut = Cut::Planes { order: order.clone(), tail, ring };
                for tuning in [Tuning::default(), fine()] {
                    assert_eq!(&depths(&given(rules, &cut, tuning).unwrap()), expected, "{cut:?}");
                }
            }
        }
        for head in 0..=6 {
            let cut = Cut::Multiset { order: order.clone(), head };
            assert_eq!(depths(&given(&alike, &cut, fine()).unwrap()), of_alike, "{cut:?}");
        }
    }
    let lamps = lamps(4, &[&[0, 1], &[1, 2], &[2, 3], &[0, 1, 2, 3]]);
    let bases: [[&[usize]; 3]; 2] = [[&[0, 1], &[1, 2], &[2, 3]], [&[0, 3], &[0, 2], &[0, 1, 2, 3]]];
    for basis in bases {
        let cut = flipping(&basis);
        assert_eq!(depths(&given(&lamps, &cut, fine()).unwrap()), plain(&lamps), "{cut:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: crate::tests::quick_or_long(14, 40), ..ProptestConfig::default() })]
    #[test]
    fn a_ring_counts_the_same_as_its_cells_in_a_row(
        order in (3usize..=7).prop_flat_map(|cells| Just((0..cells).collect::<Vec<_>>()).prop_shuffle()),
        exchanges in prop::collection::vec((0usize..7, 1usize..7), 0..3),
    ) {
        let cells = order.len();
        let exchanges: Vec<_> =
            exchanges.iter().map(|&(a, by)| (a % cells, (a + by) % cells)).filter(|(a, b)| a != b).collect();
        let rules = ring(&order, &exchanges);
        let row = Cut::Planes { order: (0..cells).collect(), tail: 2, ring: None };
        let expected = depths(&given(&rules, &row, Tuning::default()).unwrap());
        let ring = Cut::Planes { order: order.clone(), tail: 2, ring: Some(order[0] as Symbol) };
        for tuning in [Tuning::default(), fine()] {
            let chosen = Dense::new(&rules, rules.symmetries(), tuning).unwrap();
            for dense in [chosen, given(&rules, &ring, tuning).unwrap()] {
                prop_assert_eq!(depths(&dense), expected.clone());
            }
        }
    }
}

#[test]
fn every_basis_of_dials_counts_the_same() {
    let dials = dials(4, &[(&[0], 1), (&[1], 2), (&[2], 3), (&[0, 1, 2], 3)]);
    let expected = depths(&Dense::new(&dials, dials.symmetries(), Tuning::default()).unwrap());
    // The depths have 1, 3, 3^2 and more states, up to 3^4 in all.
    assert_eq!(expected.iter().map(|depth| depth.raw_states).sum::<u64>(), 81);
    let bases: [[&[(usize, Symbol)]; 4]; 2] = [
        [&[(0, 1)], &[(1, 1)], &[(2, 2)], &[(3, 1)]],
        [&[(0, 1), (1, 1)], &[(1, 2), (3, 1)], &[(0, 2), (2, 2)], &[(0, 1), (1, 1), (2, 1), (3, 1)]],
    ];
    for basis in bases {
        let cut = Cut::Dial { basis: basis.iter().map(|turned| turned.to_vec()).collect() };
        assert_eq!(depths(&given(&dials, &cut, fine()).unwrap()), expected, "{cut:?}");
    }
}

/// The cut for pieces of one cell each: the cells, the symbols of the piece that starts in each, and two flags: only
/// even arrangements count, and the sum of twists stays.
fn twisting(order: &[usize], circles: &[Vec<Symbol>], (even, sum): (bool, bool)) -> Cut {
    let single = |circle: &Vec<Symbol>| circle.iter().map(|&symbol| vec![symbol]).collect();
    Cut::Pieces {
        order: order.iter().map(|&cell| vec![cell]).collect(),
        pieces: circles.iter().map(single).collect(),
        even,
        sum,
        kinds: Vec::new(),
        bits: Vec::new(),
    }
}

#[test]
fn every_order_of_pieces_counts_the_same() {
    for (twists, sum) in [([1, 0], false), ([1, 2], true)] {
        let rules = pieces(4, twists);
        let expected = depths(&Dense::new(&rules, rules.symmetries(), Tuning::default()).unwrap());
        for (order, back) in [([0, 1, 2, 3], false), ([2, 0, 3, 1], true)] {
            // Twists may be numbered the other way around.
            let circle = |&cell: &usize| -> Vec<Symbol> {
                let first = 3 * cell as Symbol;
                if back { vec![first, first + 2, first + 1] } else { vec![first, first + 1, first + 2] }
            };
            let cut = twisting(&order, &order.map(|cell| circle(&cell)), (false, sum));
            assert_eq!(depths(&given(&rules, &cut, fine()).unwrap()), expected, "{cut:?}");
        }
    }
}

#[test]
fn stickers_are_numbered_by_pieces() {
    let rules = stickers();
    let dense = Dense::new(&rules, rules.symmetries(), Tuning::default()).unwrap();
    let cut = dense.cut();
    let Cut::Pieces { order, pieces, even: false, sum: false, .. } = &cut else { panic!("{cut:?}") };
    let places: std::collections::BTreeSet<_> = order.iter().map(|place| place.iter().min().unwrap() / 2).collect();
    assert_eq!((places.len(), pieces.len()), (3, 3));
    assert_eq!(depths(&dense).iter().map(|depth| depth.raw_states).sum::<u64>(), 48);
    // An order of cells that the moves do not keep is no cut.
    let turned: Vec<Vec<usize>> = order.iter().map(|place| place.iter().rev().copied().collect()).collect();
    for order in [turned, vec![order[0].clone(); 3], order[1..].to_vec()] {
        let (pieces, kinds, bits) = (pieces.clone(), Vec::new(), Vec::new());
        let cut = Cut::Pieces { order, pieces, even: false, sum: false, kinds, bits };
        assert!(given(&rules, &cut, Tuning::default()).is_err(), "{cut:?}");
    }
}

#[test]
fn every_cut_of_several_kinds_counts_the_same() {
    let rules = several();
    let expected = depths(&Dense::new(&rules, rules.symmetries(), Tuning::default()).unwrap());
    let places = [0, 1, 2, 3, 4, 5].map(|cell| vec![cell]);
    let circles = [vec![0], vec![1], vec![2], vec![0, 1, 2], vec![3, 4, 5], vec![0, 2, 1]];
    let circles: Vec<Vec<Vec<Symbol>>> =
        circles.iter().map(|circle: &Vec<Symbol>| circle.iter().map(|&symbol| vec![symbol]).collect()).collect();
    let orders = [[0, 1, 2, 3, 4, 5], [4, 3, 5, 2, 0, 1], [5, 1, 0, 2, 3, 4]];
    for (order, kinds) in orders.into_iter().zip([vec![3, 2, 1], vec![2, 1, 3], vec![1, 3, 2]]) {
        // The factors are the arrangements of three kinds, and the twists.
        for set in 0..16 {
            let cut = Cut::Pieces {
                order: order.iter().map(|&cell: &usize| places[cell].clone()).collect(),
                pieces: order.iter().map(|&cell| circles[cell].clone()).collect(),
                even: true,
                sum: true,
                kinds: kinds.clone(),
                bits: (0..4).filter(|factor| set >> factor & 1 != 0).collect(),
            };
            for tuning in [Tuning::default(), fine()] {
                assert_eq!(depths(&given(&rules, &cut, tuning).unwrap()), expected, "{cut:?}");
            }
        }
    }
    let wrong_kinds = [vec![3, 2], vec![3, 2, 1, 0], vec![2, 1, 2, 1], vec![3, 3], vec![7], vec![]];
    let wrong_bits = [vec![1, 0], vec![4], vec![1, 1]];
    let good = (vec![3, 2, 1], vec![3]);
    let wrong = wrong_kinds.into_iter().map(|kinds| (kinds, good.1.clone()));
    for (kinds, bits) in wrong.chain(wrong_bits.into_iter().map(|bits| (good.0.clone(), bits))) {
        let cut = Cut::Pieces { order: places.to_vec(), pieces: circles.clone(), even: true, sum: true, kinds, bits };
        assert!(given(&rules, &cut, Tuning::default()).is_err(), "{cut:?}");
    }
}

/// Each bit of an index belongs to a state of its own, or to none.
#[test]
fn each_bit_of_a_cut_is_a_state_of_its_own() {
    let order = vec![5, 0, 4, 1, 3, 2];
    let cuts = [
        (tiles(&[0, 0, 1, 1, 2, 2]), Cut::Multiset { order: order.clone(), head: 2 }, 90),
        (tiles(&[0, 1, 2, 3, 4, 5]), Cut::Planes { order: order.clone(), tail: 3, ring: None }, 720),
        // In this order of cells, a slide is an even or an odd permutation of the sequence, depending on which cells it
        // passes. The place of the blank determines which half it is.
        (slides(6), Cut::Planes { order: vec![5, 0, 4, 1, 3, 2], tail: 3, ring: None }, 360),
        (lamps(3, &[&[0, 1], &[1, 2]]), flipping(&[&[0, 2], &[0, 1]]), 4),
        (marks(4), Cut::Placement {}, 4 * 3),
        (
            dials(4, &[(&[0], 1), (&[1], 2), (&[2], 3), (&[], 3)]),
            Cut::Dial { basis: vec![vec![(0, 1)], vec![(1, 1)], vec![(2, 1), (3, 1)], vec![(3, 2)]] },
            81,
        ),
        (pieces(3, [1, 2]), twisting(&[1, 2, 0], &[vec![3, 5, 4], vec![6, 8, 7], vec![0, 2, 1]], (false, true)), 54),
    ];
    for (rules, cut, count) in cuts {
        let dense = given(&rules, &cut, Tuning::default()).unwrap();
        let reading = dense.reading(2);
        let bits = 0..reading.bytes() * 8;
        let states: Vec<_> =
            bits.clone().filter_map(|bit| reading.states.place(bit)).map(|place| reading.state(place)).collect();
        for bit in bits.filter(|_| reading.is_raw()) {
            let state = reading.states.place(bit).map(|place| reading.state(place));
            assert_eq!(state.and_then(|state| reading.bit(&state)), reading.states.place(bit).map(|_| bit as u64));
        }
        let distinct: std::collections::BTreeSet<_> = states.iter().collect();
        assert_eq!((states.len(), distinct.len()), (count, count), "{cut:?}");
    }
}

/// A `usize` of 32 bits can count none of these sizes, and a product that overflows would look small.
#[test]
fn sizes_have_64_bits_and_what_has_no_addresses_is_refused() {
    let single: Vec<Vec<usize>> = (0..40).map(|cell| vec![cell]).collect();
    let lamps = lamps(40, &single.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let (distinct, slides) = (tiles(&(0..14).collect::<Vec<_>>()), slides(16));
    let sizes = [
        (&distinct, 87_178_291_200),
        // The even half of the sequences of 15 symbols, each with 16 places of the blank.
        (&slides, 16 * 653_837_184_000),
        (&lamps, 1 << 40),
    ];
    for (rules, states) in sizes {
        let dense = Dense::new(rules, rules.symmetries(), Tuning::default()).unwrap();
        let index = dense.shape.index();
        assert_eq!(index.len(), states);
        assert_eq!(index.rank(&index.unrank(states - 1)), Some(states - 1));
        // There are three arrays, with gaps at the ends of blocks.
        let array = states / 8;
        assert!((3 * array..9 * array).contains(&dense.bytes(None, true)), "{}", dense.bytes(None, true));
        assert_eq!(
            check_addresses(dense.bytes(None, true), u64::from(u32::MAX) / 8).unwrap_err().to_string(),
            format!(
                "the job's perfect index takes {}, and a process of this kind has addresses for 512.0 MiB; \
                 use a 64-bit system",
                in_words(dense.bytes(None, true)),
            )
        );
        let memory = dense.check_memory(&Options::default(), true);
        assert_eq!(memory.is_err(), usize::BITS == 32);
        assert_eq!(
            dense.check_addresses(40),
            memory.map_err(|_| check_addresses(dense.bytes(None, true), MOST_BYTES).unwrap_err())
        );
    }
}

#[test]
fn a_wrong_cut_is_an_error() {
    let multiset = |order: &[usize], head| Cut::Multiset { order: order.to_vec(), head };
    let (distinct, alike, slides) = (tiles(&[0, 1, 2, 3]), tiles(&[0, 0, 1, 1]), slides(4));
    let lamps = lamps(4, &[&[0, 1], &[1, 2], &[2, 3], &[0, 1, 2, 3]]);
    let dials = dials(3, &[(&[0], 1), (&[1], 2)]);
    let dial = |basis: &[&[(usize, Symbol)]]| Cut::Dial { basis: basis.iter().map(|turned| turned.to_vec()).collect() };
    let two = pieces(2, [1, 2]);
    let pieces = |order: &[usize], circles: &[&[Symbol]], even, sum| {
        twisting(order, &circles.iter().map(|circle| circle.to_vec()).collect::<Vec<_>>(), (even, sum))
    };
    assert!(given(&two, &pieces(&[0, 1], &[&[0, 1, 2], &[3, 4, 5]], false, true), Tuning::default()).is_ok());
    let order = [0, 1, 2, 3];
    let wrong = [
        (&distinct, Cut::Planes { order: vec![0, 1, 2], tail: 2, ring: None }),
        (&distinct, Cut::Planes { order: vec![0, 1, 2], tail: 2, ring: Some(0) }),
        (&distinct, Cut::Planes { order: order.to_vec(), tail: 2, ring: Some(4) }),
        (&distinct, Cut::Planes { order: order.to_vec(), tail: 4, ring: Some(0) }),
        (&slides, Cut::Planes { order: order.to_vec(), tail: 2, ring: Some(0) }),
        (&distinct, Cut::Planes { order: vec![0, 1, 2, 2], tail: 2, ring: None }),
        (&distinct, Cut::Planes { order: order.to_vec(), tail: 1, ring: None }),
        (&distinct, Cut::Planes { order: order.to_vec(), tail: 5, ring: None }),
        (&distinct, Cut::Planes { order: order.to_vec(), tail: usize::MAX, ring: None }),
        (&alike, Cut::Planes { order: order.to_vec(), tail: 2, ring: None }),
        (&distinct, multiset(&order, 2)),
        (&distinct, flipping(&[&[0, 1]])),
        (&distinct, Cut::Placement {}),
        (&alike, multiset(&[0, 1, 2], 2)),
        (&alike, multiset(&[0, 1, 1, 3], 2)),
        (&alike, multiset(&order, 5)),
        (&alike, multiset(&order, usize::MAX)),
        // The mistakes: not independent; too few; too many; not the sums of the moves; no cells; not in order; a cell
        // twice.
        (&lamps, flipping(&[&[0, 1], &[1, 2], &[0, 2]])),
        (&lamps, flipping(&[&[0, 1], &[1, 2]])),
        (&lamps, flipping(&[&[0, 1], &[1, 2], &[2, 3], &[0, 3]])),
        (&lamps, flipping(&[&[0], &[1, 2], &[2, 3]])),
        (&lamps, flipping(&[&[0, 4], &[1, 2], &[2, 3]])),
        (&lamps, flipping(&[&[0, 1000], &[1, 2], &[2, 3]])),
        (&lamps, flipping(&[&[1, 0], &[1, 2], &[2, 3]])),
        (&lamps, flipping(&[&[0, 0, 1], &[1, 2], &[2, 3]])),
        (&lamps, flipping(&[&[], &[1, 2], &[2, 3]])),
        // The same mistakes; and a symbol that does not exist, or that the start has.
        (&lamps, dial(&[&[(0, 1)]])),
        (&dials, dial(&[&[(0, 1), (1, 2)], &[(0, 2), (1, 1)]])),
        (&dials, dial(&[&[(0, 1), (1, 2)]])),
        (&dials, dial(&[&[(0, 1), (1, 2)], &[(1, 1), (2, 2)], &[(0, 1)]])),
        (&dials, dial(&[&[(0, 1)], &[(1, 1), (2, 2)]])),
        (&dials, dial(&[&[(0, 1), (3, 2)], &[(1, 1), (2, 2)]])),
        (&dials, dial(&[&[(1, 2), (0, 1)], &[(1, 1), (2, 2)]])),
        (&dials, dial(&[&[(0, 2), (0, 1), (1, 2)], &[(1, 1), (2, 2)]])),
        (&dials, dial(&[&[(0, 1), (1, 3)], &[(1, 1), (2, 2)]])),
        (&dials, dial(&[&[(0, 1), (1, 2), (2, 0)], &[(1, 1), (2, 2)]])),
        // The mistakes: a wrong parity or sum; a cell twice, too few, or that no move writes; too few pieces; a piece
        // in another cell; twists that begin elsewhere, are too few or unknown, or differ in direction.
        (&lamps, pieces(&[0, 1], &[&[0, 1, 2], &[3, 4, 5]], false, true)),
        (&two, pieces(&[0, 1], &[&[0, 1, 2], &[3, 4, 5]], true, true)),
        (&two, pieces(&[0, 1], &[&[0, 1, 2], &[3, 4, 5]], false, false)),
        (&two, pieces(&[0, 0], &[&[0, 1, 2], &[3, 4, 5]], false, true)),
        (&two, pieces(&[0], &[&[0, 1, 2]], false, true)),
        (&two, pieces(&[0, 2], &[&[0, 1, 2], &[3, 4, 5]], false, true)),
        (&two, pieces(&[0, 1000], &[&[0, 1, 2], &[3, 4, 5]], false, true)),
        (&two, pieces(&[0, 1], &[&[0, 1, 2]], false, true)),
        (&two, pieces(&[0, 1], &[&[3, 4, 5], &[0, 1, 2]], false, true)),
        (&two, pieces(&[0, 1], &[&[1, 2, 0], &[3, 4, 5]], false, true)),
        (&two, pieces(&[0, 1], &[&[0, 1], &[3, 4, 5]], false, true)),
        (&two, pieces(&[0, 1], &[&[0, 1, 200], &[3, 4, 5]], false, true)),
        (&two, pieces(&[0, 1], &[&[0, 1, 2], &[3, 5, 4]], false, true)),
    ];
    for (rules, cut) in wrong {
        let error = given(rules, &cut, Tuning::default()).unwrap_err();
        assert!(
            matches!(&error, Error::Corrupt(text) if text.contains("cannot be cut as {\"shape\"")),
            "{cut:?}: {error}"
        );
    }
}
