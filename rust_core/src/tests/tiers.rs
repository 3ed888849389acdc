//! Tests of games in the dense store: the values that it finds tier by tier are those that the sparse store finds state
//! by state.

use std::cell::Cell;
use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::json;

use super::oracle::{extras, placed};
use crate::engine::{Engine, State};
use crate::error::Error;
use crate::rules::RulesData;
use crate::run::{Options, Store, TierValues, Worth};
use crate::values::{AllValues, Value, ValuesFound};

fn by_tiers(engine: &Engine, options: &Options) -> Option<TierValues> {
    match engine.values(&Options { store: Store::Dense, ..*options }, &|_| ControlFlow::Continue(())) {
        Ok(ValuesFound::Tiers(found)) => Some(found),
        Err(Error::Options(_)) => None,
        other => panic!("{other:?}"),
    }
}

fn by_states(engine: &Engine, options: &Options) -> AllValues<State> {
    match engine.values(&Options { store: Store::Sparse, ..*options }, &|_| ControlFlow::Continue(())) {
        Ok(ValuesFound::All(found)) => found,
        other => panic!("{other:?}"),
    }
}

/// Compares the values by tiers with those by states, with and without symmetries. Returns `false` if the dense store
/// cannot find values tier by tier.
fn compare(engine: &Engine) -> bool {
    for symmetry in [true, false] {
        let options = Options { symmetry, threads: 2, ..Options::default() };
        let Some(found) = by_tiers(engine, &options) else { return false };
        let wanted = by_states(engine, &options);
        assert_eq!(found.depths, wanted.depths);
        assert_eq!(found.generated, wanted.generated);
        let start = match wanted.start {
            Value::Win(_) => Worth::Win,
            Value::Draw(_) | Value::Score(_) => Worth::Draw,
            Value::Loss(_) => Worth::Loss,
        };
        assert_eq!(found.start(), start);
    }
    true
}

#[test]
fn placements_are_worth_the_same() {
    let (games, symmetric) = (Cell::new(0), Cell::new(0));
    let config = Config { cases: super::cases(600), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::default()));
    let rules = (placed(), extras()).prop_map(|(data, extras)| extras.add(data));
    let result = runner.run(&rules, |data| {
        let engine = Engine::new(&data).unwrap();
        if engine.rules().player_count() == 2 && compare(&engine) {
            games.set(games.get() + 1);
            symmetric.set(symmetric.get() + usize::from(engine.structure().turn_keeping().len() > 1));
        }
        Ok(())
    });
    result.unwrap_or_else(|error| panic!("{error}"));
    assert!(games.get() >= 60 && symmetric.get() >= 6, "{} games, {} symmetric", games.get(), symmetric.get());
}

/// A game in which the players P and Q put `marks` on a board. `wins` marks in a row end play, with one of `outcomes`.
fn board(rows: i64, columns: i64, wins: i64, marks: [&str; 2], (outcomes, stuck): ([&str; 2], &str)) -> RulesData {
    let cells = rows * columns;
    let put = |player: usize, cell: i64| {
        let name = ["P", "Q"][player];
        json!({"name": cell.to_string(), "player": name, "when": [[cell, ["."]]],
               "then": [[cell, marks[player]]]})
    };
    let moves: Vec<_> = (0..2).flat_map(|player| (0..cells).map(move |cell| put(player, cell))).collect();
    let mut ends = Vec::new();
    let inside = |row: i64, column: i64| (0..rows).contains(&row) && (0..columns).contains(&column);
    for (row, column) in (0..cells).map(|cell| (cell / columns, cell % columns)) {
        for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
            if !inside(row + down * (wins - 1), column + right * (wins - 1)) {
                continue;
            }
            for player in 0..if marks[0] == marks[1] { 1 } else { 2 } {
                let line =
                    (0..wins).map(|at| json!([(row + at * down) * columns + column + at * right, [marks[player]]]));
                ends.push(json!({"outcome": outcomes[player], "when": line.collect::<Vec<_>>()}));
            }
        }
    }
    let mut symbols = vec!["."];
    symbols.extend(if marks[0] == marks[1] { &marks[..1] } else { &marks[..] });
    let data = json!({"symbols": symbols, "start": vec!["."; cells as usize], "players": ["P", "Q"], "moves": moves,
                      "ends": ends, "stuck": stuck, "symmetries": "auto"});
    serde_json::from_value(data).unwrap()
}

#[test]
fn boards_are_worth_the_same() {
    let ends = (["P", "Q"], "draw");
    for (rows, columns, wins) in [(3, 3, 2), (3, 3, 3), (2, 5, 3), (3, 4, 3), (1, 8, 3)] {
        assert!(compare(&Engine::new(&board(rows, columns, wins, ["x", "o"], ends)).unwrap()));
    }
    // Other outcomes: whoever makes a row loses; a row of `x` is a draw; or a row has an outcome that is nobody's win.
    // On the second of the two boards, both players put an `x`.
    for ends in [(["Q", "P"], "loss"), (["draw", "P"], "win"), (["over", "over"], "win")] {
        assert!(compare(&Engine::new(&board(3, 3, 3, ["x", "o"], ends)).unwrap()));
        assert!(compare(&Engine::new(&board(3, 3, 3, ["x", "x"], ends)).unwrap()));
    }
}

#[test]
fn what_goes_on_can_be_stopped_and_is_refused_without_memory() {
    let engine = Engine::new(&board(3, 4, 3, ["x", "o"], (["P", "Q"], "draw"))).unwrap();
    let options = Options { store: Store::Dense, ..Options::default() };
    let stopped = engine.values(&options, &|progress| match progress.depth {
        5 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    assert!(matches!(stopped, Ok(ValuesFound::Stopped(..))));
    let little = Options { memory: 1000, ..options };
    assert!(matches!(engine.values(&little, &|_| ControlFlow::Continue(())), Err(Error::Memory(_))));
    let with = Options { distances: true, ..options };
    assert!(matches!(engine.values(&with, &|_| ControlFlow::Continue(())), Err(Error::Options(_))));
}
