//! Tests of random games with passes and points: counts and scores are those of the obvious analysis, of all states and
//! of single ones, with and without symmetries, whether or not play can come back to a state.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

use super::naive::{self, layers, outcome, points};
use super::tiered::{RawState, all, drawn, finely, keep, reached, told};
use super::{few_cases, new_folder};
use crate::engine::{Engine, Rows, Span, State};
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

/// The score of each state for the first player, by the definition: the largest number of points that the player can
/// force. To force points means to reach an end with at least as many, or, if endless play is worth as many, to go on
/// for ever.
fn worth(data: &RulesData, states: &BTreeMap<RawState, (usize, BTreeSet<RawState>)>) -> BTreeMap<RawState, i64> {
    let endless = data.score.as_ref().unwrap().endless.unwrap();
    let over = |state: &RawState| {
        outcome(data, &state.0, state.1).map(|_| points(data, &state.0, state.1).expect("the rules have a score"))
    };
    let over: BTreeMap<&RawState, i64> = states.keys().filter_map(|state| Some((state, over(state)?))).collect();
    let levels: BTreeSet<i64> = over.values().copied().chain([endless]).collect();
    let mut found = BTreeMap::new();
    for &level in &levels {
        let mut can: BTreeSet<&RawState> = if endless >= level { states.keys().collect() } else { BTreeSet::new() };
        loop {
            let forced = |state: &&RawState| match over.get(*state) {
                Some(&points) => points >= level,
                None if state.1 == 0 => states[*state].1.iter().any(|after| can.contains(after)),
                None => states[*state].1.iter().all(|after| can.contains(after)),
            };
            let next: BTreeSet<&RawState> = states.keys().filter(forced).collect();
            if next == can {
                break;
            }
            can = next;
        }
        found.extend(can.into_iter().map(|state| (state.clone(), level)));
    }
    found
}

fn state_of(data: &RulesData, state: &RawState) -> State {
    let code = |name: &String| data.symbols.iter().position(|known| known == name).unwrap() as u8;
    State { cells: state.0.iter().map(code).collect(), player: state.1 }
}

/// Checks the counts and scores of `count` random games.
fn scores_are_right(count: usize, conditions: bool) {
    let go_on = |_: &crate::Progress| ControlFlow::Continue(());
    let (mut layered, mut endless, mut passes, mut symmetric, mut many) = (0, 0, 0, 0, 0);
    for seed in 0..count {
        let data = scored(seed, conditions);
        let engine = Engine::new(&data).unwrap_or_else(|error| panic!("{seed}: {error}"));
        let states = reached(&data);
        let values = worth(&data, &states);
        let of_mover = |state: &RawState| if state.1 == 0 { values[state] } else { -values[state] } as i32;
        for symmetry in [true, false] {
            let expected = layers(&data, symmetry);
            assert_eq!(super::oracle::count(&engine, Store::Sparse, symmetry), Some(expected), "{seed}");
            let options = Options { threads: 1, symmetry, ..Options::default() };
            let found = all(engine.values(&options, &go_on).unwrap());
            assert_eq!(found.start, Value::Score(of_mover(&(data.start.clone(), 0))), "{seed}");
            let raw = |found: &crate::run::DepthValues| [found.win, found.draw, found.loss].map(|of| of.raw_states);
            let signs = |depth: usize| {
                let here = states.iter().filter(|(_, (met, _))| *met == depth).map(|(state, _)| of_mover(state));
                let signs: Vec<i32> = here.map(i32::signum).collect();
                [1, 0, -1].map(|sign| signs.iter().filter(|&&other| other == sign).count() as u64)
            };
            for (depth, counted) in found.depths.iter().enumerate() {
                assert_eq!(raw(counted), signs(depth), "{seed}");
            }
            if !symmetry || data.symmetries.declared().is_empty() {
                let with = |points: i32| states.keys().filter(|state| of_mover(state) == points).count() as u64;
                for (points, counted) in (0i32..).zip(&found.distances).skip(1) {
                    assert_eq!((counted.win, counted.loss), (with(points), with(-points)), "{seed}");
                }
                let most = values.values().map(|points| points.unsigned_abs()).max().unwrap();
                assert_eq!(found.distances.len() as u64, if most == 0 { 0 } else { most + 1 }, "{seed}");
            }
        }
        if seed.is_multiple_of(8) {
            let name = format!("scored-{conditions}-{seed}");
            kept_scores_are_right(&engine, &data, &name, &of_mover);
        }
        for state in states.keys().step_by(1 + states.len() / 8) {
            if outcome(&data, &state.0, state.1).is_some() {
                continue;
            }
            let found = engine.best_moves(&state_of(&data, state), Question::default(), &go_on).unwrap().found;
            let Play::Solved { value, moves, line, exact } = found else { panic!("{seed}: no limit was set") };
            assert_eq!((value, exact, moves.is_empty()), (Value::Score(of_mover(state)), true, false), "{seed}");
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
                assert_eq!(values[&at], values[state], "{seed}: {state:?}");
                seen += 1;
            }
            let over = outcome(&data, &at.0, at.1).is_some();
            assert!(over || (values[state] == data.score.as_ref().unwrap().endless.unwrap() && seen > 0), "{seed}");
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
        many += usize::from(values.values().collect::<BTreeSet<_>>().len() > 2);
    }
    // The required numbers are small, because conditions end some games early.
    let enough = [layered * 20, endless * 4, passes * 5, symmetric * 4, many * 5];
    assert!(enough.iter().all(|&found| found >= count), "{enough:?} of {count}");
}

/// Checks the value that a job keeps for each state, for a job that was made in one go and for one in many small steps.
fn kept_scores_are_right(engine: &Engine, data: &RulesData, title: &str, of_mover: &(dyn Fn(&RawState) -> i32 + Sync)) {
    let go_on = |_: &crate::Progress| ControlFlow::Continue(());
    let base = new_folder(title);
    for symmetry in [true, false] {
        let options = Options { threads: 1, symmetry, ..Options::default() };
        let found = all(engine.values(&options, &go_on).unwrap());
        for (name, given) in [("whole", options), ("fine", Options { symmetry, ..finely() })] {
            let place = base.join(format!("{name}-{symmetry}"));
            let kept = all(engine.values_job(&given, None, &keep(&place, false), &go_on).unwrap());
            assert_eq!(told(&kept), told(&found), "{title}");
            let mut check = |rows: Rows| {
                let cells = data.start.len();
                for (row, kept) in rows.values.iter().flatten().enumerate() {
                    let symbols = &rows.cells[row * cells..][..cells];
                    let names = symbols.iter().map(|&symbol| data.symbols[symbol as usize].clone()).collect();
                    assert_eq!(kept.value, Value::Score(of_mover(&(names, rows.player_of(row)))), "{title}");
                }
                Ok(())
            };
            let span = Span { last: u64::MAX, ..Span::default() };
            engine.read_job(&keep(&place, false), &span, &go_on, &mut check).unwrap();
            engine.verify_job(1 << 30, &keep(&place, false), &go_on).unwrap();
        }
    }
    std::fs::remove_dir_all(&base).unwrap();
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
    let go_on = |_: &crate::Progress| ControlFlow::Continue(());
    let mut refused = 0;
    for seed in 0..60 {
        let mut data = scored(seed, false);
        let score = data.score.as_mut().unwrap();
        let endless = score.endless.take();
        let engine = Engine::new(&data).unwrap();
        match engine.values(&Options::default(), &go_on) {
            Ok(found) => {
                // If the scores do not depend on the worth of endless play, they are the same with another worth.
                data.score.as_mut().unwrap().endless = endless.map(|points| points + 1);
                let other = all(Engine::new(&data).unwrap().values(&Options::default(), &go_on).unwrap());
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
