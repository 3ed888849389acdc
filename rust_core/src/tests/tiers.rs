//! Tests of games in the dense store: the values that it finds tier by tier are those that the sparse store finds state
//! by state.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::GO_ON;
use super::oracle::{extras, placed};
use crate::engine::{Engine, State};
use crate::error::Error;
use crate::run::{Options, Store, TierValues, Worth};
use crate::values::{AllValues, Value, ValuesFound};

fn by_tiers(engine: &Engine, options: &Options) -> Option<TierValues> {
    match engine.values(&Options { store: Store::Dense, ..*options }, GO_ON) {
        Ok(ValuesFound::Tiers(found)) => Some(found),
        Err(Error::Options(_)) => None,
        other => panic!("{other:?}"),
    }
}

fn by_states(engine: &Engine, options: &Options) -> AllValues<State> {
    match engine.values(&Options { store: Store::Sparse, ..*options }, GO_ON) {
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
