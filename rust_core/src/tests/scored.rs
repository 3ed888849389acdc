//! Tests of random games with passes and points: counts and scores are those of the obvious analysis, of all states and
//! of single ones, with and without symmetries, whether or not play can come back to a state.

use std::collections::{BTreeMap, BTreeSet};

use super::naive::{self, layers, outcome};
use super::tiered::drawn;
use super::worth::{RawState, all, kept_values_hold, reached, report_holds, scores};
use super::{GO_ON, few_cases, new_folder};
use crate::engine::{Engine, State};
use crate::random::Random;
use crate::rules::{MoveData, RulesData, ScoreData, SumData};
use crate::run::{Options, Store};
use crate::solve::{Play, Question};
use crate::structure::Window;
use crate::values::Value;

/// A random game with a score, and perhaps with passes. Some games have a symmetry, which never renames symbols of
/// different worth. With `conditions`, guards and ends have counts, forbidden patterns and paths.
fn scored(seed: usize, conditions: bool) -> RulesData {
    let mut random = Random::new(&format!("scored {seed}"));
    let cells = 3 + random.below(3) as usize;
    let mut data = drawn(&mut random, cells, false, 14, conditions);
    let renamed = data.symmetries.declared().iter().any(|symmetry| !symmetry.symbols.is_empty());
    let mut points = |least: i64| least + random.below(7) as i64;
    let own = points(-3);
    let mut worth: BTreeMap<String, i64> = [("x".to_owned(), own)].into();
    worth.insert("y".to_owned(), if renamed { own } else { points(-5) });
    let mut sums = vec![SumData { player: "P".to_owned(), worth, of: None }];
    let of = data.symmetries.declared().is_empty().then(|| vec![0]);
    sums.push(SumData { player: "Q".to_owned(), worth: [("#".to_owned(), points(-3))].into(), of });
    data.score = Some(ScoreData { sums, endless: Some(points(-3)) });
    data.stuck = None;
    // All ends of one outcome get the same points, so that the images of an end do, too.
    let said: BTreeMap<&str, Option<i64>> =
        ["P", "Q", "draw"].map(|outcome| (outcome, (random.below(2) == 0).then(|| random.below(7) as i64 - 3))).into();
    for end in &mut data.ends {
        end.score = said[&end.outcome[..]];
        end.outcome = String::new();
    }
    if seed.is_multiple_of(4) {
        // Only moves that put a mark into an empty cell are kept, so that play never comes back to a state.
        data.moves.retain(|given| given.when.len() == 1 && given.when[0].1 == ["."]);
    } else if random.below(3) > 0 {
        data.moves.push(MoveData { name: "pass".to_owned(), forced: true, ..MoveData::default() });
    }
    data
}

fn state_of(data: &RulesData, state: &RawState) -> State {
    let code = |name: &String| data.symbols.iter().position(|known| known == name).unwrap() as u8;
    State { cells: state.0.iter().map(code).collect(), player: state.1 }
}

/// Checks the counts and scores of `count` random games.
fn scores_are_right(count: usize, conditions: bool) {
    let (mut layered, mut endless, mut passes, mut symmetric, mut many) = (0, 0, 0, 0, 0);
    for seed in 0..count {
        let data = scored(seed, conditions);
        let engine = Engine::new(&data).unwrap_or_else(|error| panic!("{seed}: {error}"));
        let states = reached(&data);
        let values = scores(&data, &states);
        for symmetry in [true, false] {
            let expected = layers(&data, symmetry);
            assert_eq!(super::oracle::count(&engine, Store::Sparse, symmetry), Some(expected), "{seed}");
            let found = all(engine.values(&Options { threads: 1, symmetry, ..Options::default() }, GO_ON).unwrap());
            report_holds(&data, &found, &states, &values, seed);
        }
        if seed.is_multiple_of(8) {
            kept_values_hold(&engine, &data, &values, &new_folder(&format!("scored-{conditions}-{seed}")));
        }
        // The points of the first player.
        let of_first = |state: &RawState| match values[state] {
            Value::Score(points) if state.1 == 0 => i64::from(points),
            Value::Score(points) => -i64::from(points),
            value => panic!("{value:?} is no score"),
        };
        for state in states.keys().step_by(1 + states.len() / 8) {
            if outcome(&data, &state.0, state.1).is_some() {
                continue;
            }
            let found = engine.best_moves(&state_of(&data, state), Question::default(), GO_ON).unwrap().found;
            let Play::Solved { value, moves, line, exact } = found else { panic!("{seed}: no limit was set") };
            assert_eq!((value, exact, moves.is_empty()), (values[state], true, false), "{seed}");
            // The line of best play keeps the value. It comes to an end, unless endless play is worth that value.
            let (mut at, mut seen) = (state.clone(), 0);
            for index in &line {
                let alone = RulesData { moves: vec![data.moves[*index].clone()], ..data.clone() };
                let after = if data.moves[*index].forced {
                    naive::successors(&data, &at.0, at.1)
                } else {
                    naive::successors(&alone, &at.0, at.1)
                };
                at = after[0].clone();
                assert_eq!(of_first(&at), of_first(state), "{seed}: {state:?}");
                seen += 1;
            }
            let over = outcome(&data, &at.0, at.1).is_some();
            assert!(over || (Some(of_first(state)) == data.score.as_ref().unwrap().endless && seen > 0), "{seed}");
            endless += usize::from(!over);
        }
        layered += usize::from(engine.window() == Window::Layered);
        passes += usize::from(
            data.moves.iter().any(|given| given.forced)
                && states.keys().any(|state| {
                    states.contains_key(&(state.0.clone(), 1 - state.1))
                        && states[state].1.iter().any(|after| after.0 == state.0)
                }),
        );
        symmetric += usize::from(!data.symmetries.declared().is_empty());
        many += usize::from(values.keys().map(of_first).collect::<BTreeSet<_>>().len() > 2);
    }
    // The required numbers are small, because conditions end some games early.
    let enough = [layered * 20, endless * 4, passes * 5, symmetric * 4, many * 5];
    assert!(enough.iter().all(|&found| found >= count), "{enough:?} of {count}");
}

#[test]
fn scores_of_random_games_are_those_of_the_obvious_analysis() {
    scores_are_right(few_cases(90) as usize, false);
}

#[test]
fn scores_of_random_games_with_conditions_are_those_of_the_obvious_analysis() {
    scores_are_right(few_cases(50) as usize, true);
}

#[test]
fn endless_play_without_a_score_is_refused() {
    let mut refused = 0;
    for seed in 0..60 {
        let mut data = scored(seed, false);
        let score = data.score.as_mut().unwrap();
        let endless = score.endless.take();
        let engine = Engine::new(&data).unwrap();
        match engine.values(&Options::default(), GO_ON) {
            Ok(found) => {
                // If the scores do not depend on the worth of endless play, they are the same with another worth.
                data.score.as_mut().unwrap().endless = endless.map(|points| points + 1);
                let other = all(Engine::new(&data).unwrap().values(&Options::default(), GO_ON).unwrap());
                assert_eq!(all(found).distances, other.distances, "{seed}");
            }
            Err(error) => {
                assert!(error.to_string().contains("Rules(score=..., endless=0)"), "{error}");
                refused += 1;
            }
        }
    }
    assert!(refused > 3, "{refused}");
}
