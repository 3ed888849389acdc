//! Tests: a cut gives the same index again, whatever the tuning, and a wrong cut gives none.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

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

fn depths(dense: &Dense, rules: &Structure) -> Vec<DepthReport> {
    dense.enumerate(rules.rules(), &Options::default(), None, &|_| ControlFlow::Continue(())).unwrap().depths
}

fn fine() -> Tuning {
    Tuning::new(Some(Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 0 }))
}

fn given(rules: &Structure, cut: &Cut, tuning: Tuning) -> Result<Dense, Error> {
    Dense::of_cut(rules, rules.symmetries(), cut, tuning)
}

/// Rules of each shape.
fn puzzles() -> [Structure; 6] {
    [
        tiles(&[0, 1, 2, 3, 4, 5]),
        slides(6),
        tiles(&[0, 0, 1, 2, 2, 2]),
        tiles(&[0, 1, 2, 2, 1, 0]),
        lamps(8, &[&[0, 1, 2], &[1, 2], &[0, 2], &[5, 6, 7], &[6], &[3, 4], &[2, 3], &[0, 7]]),
        marks(5),
    ]
}

/// All rows of `cells` cells with `symbols` symbols.
fn all_rows(cells: usize, symbols: usize) -> impl Iterator<Item = Vec<Symbol>> {
    let digit = move |row: usize, cell: usize| (row / symbols.pow(cell as u32) % symbols) as Symbol;
    (0..symbols.pow(cells as u32)).map(move |row| (0..cells).map(|cell| digit(row, cell)).collect())
}

#[test]
fn each_number_is_that_of_one_state_and_states_without_one_are_refused() {
    // How many states the indexes have. Six distinct symbols have 720 arrangements. With a blank, six places for it and
    // the even half of 120 sequences make 360. The two multisets have 60 and 90 arrangements. Eight independent moves
    // have 256 sums. Five cells with 0 to 3 crosses, and as many noughts or one fewer, can be filled in 1, 5, 20, 30,
    // 30 and 10 ways.
    let lengths = [720, 360, 60, 90, 256, 1 + 5 + 20 + 30 + 30 + 10];
    for (rules, length) in puzzles().into_iter().zip(lengths) {
        let dense = Dense::new(&rules, rules.symmetries(), Tuning::default()).unwrap();
        let index = dense.index();
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
        let (cut, expected) = (dense.cut(), depths(&dense, &rules));
        for tuning in [Tuning::default(), fine()] {
            // With another tuning, cost models may propose another cut.
            let other = Dense::new(&rules, rules.symmetries(), tuning).unwrap();
            for cut in [&cut, &other.cut()] {
                let again = given(&rules, cut, tuning).unwrap();
                assert_eq!(again.cut(), *cut);
                assert_eq!(depths(&again, &rules), expected, "{cut:?}");
            }
            assert_eq!(given(&rules, &cut, tuning).unwrap().layout(), dense.layout());
        }
    }
}

/// The digests that jobs of form 1 keep must never change. These come from the version that wrote that form.
#[test]
fn layouts_have_the_digests_of_form_1() {
    let layouts = [
        (tiles(&[0, 1, 2, 3, 4, 5]), "arrangements-8853d7eca5eb61f4"),
        (slides(6), "arrangements-fb41898c98242825"),
        (tiles(&[0, 0, 1, 2, 2, 2]), "colourings-6105968fc8d89b10"),
        (lamps(8, &[&[0, 1, 2], &[1, 2], &[0, 2], &[6]]), "combinations-b77c8a7b31fb0e0e"),
        (marks(5), "placements-8ea754ee7ad7abbe"),
    ];
    for (rules, layout) in layouts {
        assert_eq!(Dense::of_form_1(&rules, rules.symmetries()).unwrap().layout(), layout);
    }
}

#[test]
fn every_cut_counts_the_same() {
    let (distinct, slides, alike) = (tiles(&[0, 1, 2, 3, 4, 5]), slides(6), tiles(&[0, 0, 1, 1, 2, 2]));
    let plain = |rules: &Structure| depths(&Dense::new(rules, rules.symmetries(), Tuning::default()).unwrap(), rules);
    for order in [vec![0, 1, 2, 3, 4, 5], vec![5, 0, 4, 1, 3, 2], vec![2, 3, 0, 1, 5, 4]] {
        for tail in 2..=5 {
            // With a blank, sequences are one symbol shorter, and blocks are filled up to a multiple of 4 instead of
            // 64.
            for (rules, stride) in [(&distinct, 128), (&slides, 128), (&slides, 120)] {
                let cut = Cut::Arrangement { order: order.clone(), tail, stride };
                let Ok(dense) = given(rules, &cut, fine()) else {
                    panic!("{cut:?}");
                };
                assert_eq!(depths(&dense, rules), plain(rules), "{cut:?}");
            }
            for rules in [&distinct, &slides] {
                let cut = Cut::Planes { order: order.clone(), tail };
                for tuning in [Tuning::default(), fine()] {
                    assert_eq!(depths(&given(rules, &cut, tuning).unwrap(), rules), plain(rules), "{cut:?}");
                }
            }
        }
        for head in 0..=6 {
            let cut = Cut::Multiset { order: order.clone(), head };
            assert_eq!(depths(&given(&alike, &cut, fine()).unwrap(), &alike), plain(&alike), "{cut:?}");
        }
    }
    let lamps = lamps(4, &[&[0, 1], &[1, 2], &[2, 3], &[0, 1, 2, 3]]);
    for basis in [[vec![0, 1], vec![1, 2], vec![2, 3]], [vec![0, 3], vec![0, 2], vec![0, 1, 2, 3]]] {
        let cut = Cut::Toggle { basis: basis.to_vec() };
        assert_eq!(depths(&given(&lamps, &cut, fine()).unwrap(), &lamps), plain(&lamps), "{cut:?}");
    }
}

/// Each bit stands for a state of its own or is a hole.
#[test]
fn each_bit_of_a_cut_is_a_state_of_its_own() {
    let order = vec![5, 0, 4, 1, 3, 2];
    let cuts = [
        (tiles(&[0, 0, 1, 1, 2, 2]), Cut::Multiset { order: order.clone(), head: 2 }, 90),
        (tiles(&[0, 1, 2, 3, 4, 5]), Cut::Arrangement { order: order.clone(), tail: 3, stride: 64 }, 720),
        // In this order of cells, a slide is an even or an odd permutation of the sequence, depending on which cells it
        // passes. So both halves have an index.
        (slides(6), Cut::Arrangement { order, tail: 3, stride: 8 }, 720),
        (tiles(&[0, 1, 2, 3, 4, 5]), Cut::Planes { order: vec![5, 0, 4, 1, 3, 2], tail: 3 }, 720),
        // But the place of the blank determines which half it is.
        (slides(6), Cut::Planes { order: vec![5, 0, 4, 1, 3, 2], tail: 3 }, 360),
        (lamps(3, &[&[0, 1], &[1, 2]]), Cut::Toggle { basis: vec![vec![0, 2], vec![0, 1]] }, 4),
        (marks(4), Cut::Placement {}, 4 * 3),
    ];
    for (rules, cut, count) in cuts {
        let dense = given(&rules, &cut, Tuning::default()).unwrap();
        let reading = dense.reading(2);
        let bits = 0..reading.bytes() * 8;
        let states: Vec<_> = bits.filter_map(|bit| reading.place(bit)).map(|place| reading.state(place)).collect();
        let distinct: std::collections::BTreeSet<_> = states.iter().collect();
        assert_eq!((states.len(), distinct.len()), (count, count), "{cut:?}");
    }
}

/// With 32 bits, `usize` can count none of these, and a product that overflows would look small.
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
        let index = dense.index();
        assert_eq!(index.len(), states);
        assert_eq!(index.rank(&index.unrank(states - 1)), Some(states - 1));
        // Three arrays, with gaps at the end of blocks.
        let array = states / 8;
        assert!((3 * array..9 * array).contains(&dense.bytes(None, true)), "{}", dense.bytes(None, true));
        assert_eq!(
            check_addresses(dense.bytes(None, true), u64::from(u32::MAX) / 8).unwrap_err().to_string(),
            format!(
                "the job's perfect index takes {}, and a process of this kind has addresses for 512.0 MiB; use a 64-bit system",
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
    let arrangement = |order: &[usize], tail, stride| Cut::Arrangement { order: order.to_vec(), tail, stride };
    let multiset = |order: &[usize], head| Cut::Multiset { order: order.to_vec(), head };
    let toggle = |basis: &[&[usize]]| Cut::Toggle { basis: basis.iter().map(|cells| cells.to_vec()).collect() };
    let (distinct, alike) = (tiles(&[0, 1, 2, 3]), tiles(&[0, 0, 1, 1]));
    let lamps = lamps(4, &[&[0, 1], &[1, 2], &[2, 3], &[0, 1, 2, 3]]);
    let order = [0, 1, 2, 3];
    let wrong = [
        (&distinct, Cut::Planes { order: vec![0, 1, 2], tail: 2 }),
        (&distinct, Cut::Planes { order: vec![0, 1, 2, 2], tail: 2 }),
        (&distinct, Cut::Planes { order: order.to_vec(), tail: 1 }),
        (&distinct, Cut::Planes { order: order.to_vec(), tail: 5 }),
        (&distinct, Cut::Planes { order: order.to_vec(), tail: usize::MAX }),
        (&alike, Cut::Planes { order: order.to_vec(), tail: 2 }),
        (&distinct, arrangement(&[0, 1, 2], 4, 64)),
        (&distinct, arrangement(&[0, 1, 2, 2], 4, 64)),
        (&distinct, arrangement(&[0, 1, 2, 4], 4, 64)),
        (&distinct, arrangement(&[0, 1, 2, usize::MAX], 4, 64)),
        (&distinct, arrangement(&order, 5, 64)),
        (&distinct, arrangement(&order, 1, 64)),
        (&distinct, arrangement(&order, usize::MAX, 64)),
        (&distinct, arrangement(&order, 4, 0)),
        (&distinct, arrangement(&order, 4, 65)),
        (&distinct, arrangement(&order, 4, usize::MAX / 64 * 64)),
        (&distinct, multiset(&order, 2)),
        (&distinct, toggle(&[&[0, 1]])),
        (&distinct, Cut::Placement {}),
        (&alike, multiset(&[0, 1, 2], 2)),
        (&alike, multiset(&[0, 1, 1, 3], 2)),
        (&alike, multiset(&order, 5)),
        (&alike, multiset(&order, usize::MAX)),
        (&alike, arrangement(&order, 4, 64)),
        // The mistakes: not independent; too few; too many; not the sums of the moves; no cells; not in order; a cell
        // twice.
        (&lamps, toggle(&[&[0, 1], &[1, 2], &[0, 2]])),
        (&lamps, toggle(&[&[0, 1], &[1, 2]])),
        (&lamps, toggle(&[&[0, 1], &[1, 2], &[2, 3], &[0, 3]])),
        (&lamps, toggle(&[&[0], &[1, 2], &[2, 3]])),
        (&lamps, toggle(&[&[0, 4], &[1, 2], &[2, 3]])),
        (&lamps, toggle(&[&[0, 1000], &[1, 2], &[2, 3]])),
        (&lamps, toggle(&[&[1, 0], &[1, 2], &[2, 3]])),
        (&lamps, toggle(&[&[0, 0, 1], &[1, 2], &[2, 3]])),
        (&lamps, toggle(&[&[], &[1, 2], &[2, 3]])),
    ];
    for (rules, cut) in wrong {
        let error = given(rules, &cut, Tuning::default()).unwrap_err();
        assert!(
            matches!(&error, Error::Corrupt(text) if text.contains("cannot be cut as {\"shape\"")),
            "{cut:?}: {error}"
        );
    }
}
