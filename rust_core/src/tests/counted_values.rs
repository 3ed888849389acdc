//! Tests of values that are counted from the goal or from several goals: they equal the values that spread through all
//! states, in both stores and in jobs.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::path::Path;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::faults::{files, keep, stops_after, values_go_on_after_each_failure};
use super::oracle::{a_move, copy, rules};
use super::{GO_ON, new_folder, quick_or_long};
use crate::engine::{Engine, State};
use crate::error::Error;
use crate::rules::{MoveData, PatternData, RulesData, SourceData, SymmetriesData};
use crate::run::{Grain, Options, Store};
use crate::values::{AllValues, Value, ValuesFound};

const SYMBOLS: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// The effects of two moves: the second undoes the first.
type Undone = [Vec<(i64, SourceData)>; 2];

/// The effect that moves the symbols of some cells one step along a cycle, and the effect that moves them back.
fn turns(cells: &[usize]) -> Undone {
    let turned = |from: &[usize]| {
        let to = from.iter().cycle().skip(1);
        from.iter().zip(to).map(|(&from, &to)| (to as i64, copy(from))).collect::<Vec<_>>()
    };
    let back: Vec<usize> = cells.iter().rev().copied().collect();
    [turned(cells), turned(&back)]
}

/// The effect that replaces the symbol of each given cell by the next of `places` symbols in a circle, and the effect
/// that goes one symbol back.
fn advances(cells: &[usize], places: usize) -> Undone {
    let by = |by: usize| {
        let map = || (0..places).map(|at| (SYMBOLS[at].to_owned(), SYMBOLS[(at + by) % places].to_owned())).collect();
        let cell = |&cell: &usize| (cell as i64, SourceData::Copy { copy: cell as i64, map: map() });
        cells.iter().map(cell).collect()
    };
    [by(1), by(places - 1)]
}

fn holds(cell: usize, symbol: &str) -> PatternData {
    vec![(cell as i64, vec![symbol.to_owned()])]
}

/// Random rules of one player in which each move can be undone. The moves permute distinct symbols, with or without a
/// blank, or repeated ones; toggle or advance cells; or have guards on other cells.
fn undone() -> impl Strategy<Value = RulesData> {
    let order = |cells: usize| Just((0..cells).collect::<Vec<_>>()).prop_shuffle();
    (3..=6usize, 0..6u8).prop_flat_map(move |(cells, kind)| {
        let part = (order(cells), 2..=cells.min(4), any::<Index>());
        let moves = prop::collection::vec(part, 1..5);
        let start = prop::collection::vec(select(&SYMBOLS[..3]), cells);
        (moves, start).prop_map(move |(parts, start)| {
            let distinct = matches!(kind, 0 | 1);
            let places = if kind == 3 { 2 } else { 3 };
            let held = |cell: usize| if kind == 3 { SYMBOLS[usize::from(start[cell] == "b")] } else { start[cell] };
            let start: Vec<String> =
                (0..cells).map(|cell| if distinct { SYMBOLS[cell] } else { held(cell) }.to_owned()).collect();
            let mut moves: Vec<MoveData> = Vec::new();
            for (order, count, index) in parts {
                let (some, last) = (&order[..count], order[cells - 1]);
                let (pair, guard) = match kind {
                    1 => (turns(&order[..2]), [holds(order[0], "a"), holds(order[1], "a")]),
                    3 | 4 => (advances(some, places), [Vec::new(), Vec::new()]),
                    5 if count < cells => {
                        let guard = || holds(last, SYMBOLS[index.index(3)]);
                        (turns(some), [guard(), guard()])
                    }
                    _ => (turns(some), [Vec::new(), Vec::new()]),
                };
                moves.extend(pair.into_iter().zip(guard).map(|(then, when)| a_move(when, then)));
            }
            if kind == 1 {
                // The blank can also move to its neighbours in the row, so that it reaches all cells.
                for (from, to) in (1..cells).flat_map(|cell| [(cell - 1, cell), (cell, cell - 1)]) {
                    moves.push(a_move(holds(from, "a"), turns(&[from, to])[0].clone()));
                }
            }
            moves.iter_mut().enumerate().for_each(|(place, given)| given.name = place.to_string());
            rules(&SYMBOLS[..if distinct { cells } else { places }], start, moves)
        })
    })
}

/// Random rules with goals, and their engine. A goal is the start, a state that play reaches, or the symbols of the
/// start in another order, which may be out of reach. If `several`, there are two or three such goals; or all states
/// that are as many moves from the start as one of them; or of each goal only some cells are told.
fn with_goals(several: bool) -> impl Strategy<Value = (RulesData, Engine)> {
    let a_goal = (any::<Index>(), prop::collection::vec(any::<bool>(), 6));
    let goals = prop::collection::vec(a_goal, if several { 2..4 } else { 1..2 });
    (undone(), 0..5u8, goals, 0..3u8, any::<bool>()).prop_map(move |(mut data, kind, goals, form, auto)| {
        let engine = Engine::new(&data).unwrap();
        let name = |(cell, &symbol): (usize, &u8)| (cell as i64, vec![data.symbols[symbol as usize].clone()]);
        let mut found = Vec::new();
        for (at, (index, cells)) in goals.into_iter().enumerate() {
            let mut goal = engine.start().cells;
            if kind == 0 {
                goal.rotate_left(at + 1);
            } else if kind > 1 {
                let reached = engine.few_states(10_000, false).unwrap().unwrap();
                goal.clone_from(&index.get(&reached).cells);
            }
            let is_told = |&(cell, _): &(usize, &u8)| !several || form > 0 || cells[cell] || cell == 0;
            let pattern: PatternData = goal.iter().enumerate().filter(is_told).map(name).collect();
            if several && form == 1 && kind > 0 {
                let depths = moves_from(&engine, &[engine.start()]);
                let depth = depths[&State { cells: goal, player: 0 }];
                let alike = depths.iter().filter(|&(_, &moves)| moves == depth);
                let pattern =
                    |(state, _): (&State, _)| state.cells.iter().enumerate().map(name).collect::<PatternData>();
                found = alike.map(|state| pattern(state).into()).collect();
                break;
            }
            found.push(pattern.into());
        }
        data.goal = found;
        if auto {
            data.symmetries = SymmetriesData::Auto;
        }
        let engine = Engine::new(&data).unwrap();
        (data, engine)
    })
}

/// The values that were found, without what differs between runs or stores: the time, the store and, in the dense
/// store, the number of successors, which there includes those of symmetric states.
pub fn told(found: ValuesFound<State>) -> AllValues<State> {
    match found {
        ValuesFound::All(all) => {
            let generated = if all.store == Store::Dense { 0 } else { all.generated };
            AllValues { seconds: 0.0, store: Store::Auto, generated, ..all }
        }
        other => panic!("{other:?}"),
    }
}

/// Calls a test with random rules, which have several goals or one. They are the same in each run.
fn random_puzzles(several: bool, count: u32, test: impl Fn(&Engine) -> Result<(), TestCaseError>) {
    let config = Config { cases: super::cases(count), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::default()));
    let puzzles = with_goals(several).prop_map(|(data, _)| data);
    let result = runner.run(&puzzles, |data| test(&Engine::new(&data).unwrap()));
    result.unwrap_or_else(|error| panic!("{error}"));
}

/// The facts that are compared between values that were found in two ways: the value of the start, a state with the
/// largest distance, the number of states for each distance, and four sums of states.
type Told = (Value, Option<(State, Value)>, Vec<u64>, [u64; 4]);

/// The part of the values that does not depend on how they were found. A count from the goal sorts states by distance
/// instead of depth, so only sums over all depths are compared. If several states are farthest, it may name another of
/// them, so `farthest`, if given, takes the place of the state that is named.
fn compared(all: &AllValues<State>, farthest: Option<&State>) -> Told {
    let longest = all.longest.clone().map(|(state, value)| (farthest.cloned().unwrap_or(state), value));
    let mut sums = [0; 4];
    for depth in &all.depths {
        let [win, draw] = [depth.win, depth.draw];
        let counts = [win.states, win.raw_states, draw.states, draw.raw_states];
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    (all.start, longest, all.distances.iter().map(|count| count.win).collect(), sums)
}

/// The goals from which an engine counts: its start, or all goals that play reaches.
fn goals_of(from_goal: &Engine, several: bool) -> Vec<State> {
    let is_goal = |state: &State| from_goal.machine.solved(state);
    if several {
        from_goal.few_states(10_000, false).unwrap().unwrap().into_iter().filter(is_goal).collect()
    } else {
        vec![from_goal.start()]
    }
}

/// Compares values that were counted from the goals with values that spread, and with a plain search from the goals.
fn same_values(
    engine: &Engine,
    goals: &[State],
    found: &AllValues<State>,
    spread: &AllValues<State>,
) -> Result<(), TestCaseError> {
    let distances = moves_from(engine, goals);
    let solvable = spread.start != Value::Draw(None);
    let most = distances.values().max();
    // A count from the goal names the canonical form of a farthest state, the smallest of all such states.
    let farthest = distances
        .iter()
        .filter(|(_, moves)| Some(*moves) == most)
        .map(|(state, _)| state)
        .min_by_key(|state| &state.cells);
    prop_assert_eq!(compared(found, None), compared(spread, farthest));
    prop_assert_eq!(found.backward, solvable);
    let known = if solvable { &distances } else { &moves_from(engine, &[engine.start()]) };
    for (at, depth) in found.depths.iter().enumerate() {
        let raw = known.values().filter(|&&moves| moves as usize == at).count() as u64;
        let tally = if solvable { depth.win } else { depth.draw };
        prop_assert_eq!(tally.raw_states, raw);
    }
    Ok(())
}

fn counted_values_are_those_that_spread(several: bool) {
    let [dense, unsolvable, apart, symmetric, tied] = [const { Cell::new(0) }; 5];
    let one_more = |cell: &Cell<usize>, more: bool| cell.set(cell.get() + usize::from(more));
    random_puzzles(several, quick_or_long(if several { 60 } else { 24 }, 120), |engine| {
        let one = engine.goal_counter();
        let several = one.is_none();
        // If no move can be made, there is no engine that counts from the goals.
        let Some(from_goal) = one.or_else(|| engine.goals_counter()) else { return Ok(()) };
        let goals = goals_of(&from_goal, several);
        for symmetry in [false, true] {
            let plain = Options { symmetry, threads: 1, store: Store::Sparse, ..Options::default() };
            let wanted = told(engine.values_of_states(&plain, GO_ON).unwrap());
            for (store, threads) in [(Store::Sparse, 1), (Store::Dense, 1), (Store::Auto, 2)] {
                let found = match engine.values(&Options { store, threads, ..plain }, GO_ON) {
                    Err(Error::Options(_)) if store == Store::Dense => continue,
                    found => found.unwrap(),
                };
                if let ValuesFound::All(all) = &found {
                    prop_assert!(store == Store::Auto || all.store == store || !all.backward);
                    one_more(&dense, all.store == Store::Dense && all.backward);
                }
                same_values(engine, &goals, &told(found), &wanted)?;
            }
            if several {
                let mut known: Vec<(u32, State)> =
                    moves_from(engine, &goals).into_iter().map(|(state, moves)| (moves, state)).collect();
                known.retain(|(_, state)| !symmetry || engine.canonical(state).unwrap() == *state);
                known.sort_by(|(near, one), (far, other)| far.cmp(near).then_with(|| one.cells.cmp(&other.cells)));
                known.truncate(4);
                let found = from_goal.farthest(&plain, 4, GO_ON).unwrap().unwrap();
                let found: Vec<_> = found.into_iter().map(|(depth, state)| (depth as u32, state)).collect();
                prop_assert_eq!(found, known);
            }
            let apart_ends = !goals.contains(&engine.start());
            one_more(&unsolvable, wanted.start == Value::Draw(None));
            one_more(&apart, apart_ends && wanted.start != Value::Draw(None));
            one_more(&tied, wanted.distances.last().is_some_and(|last| last.win > 1) && apart_ends);
        }
        one_more(&symmetric, engine.structure().symmetries().len() > 1);
        Ok(())
    });
    let counts = [&dense, &unsolvable, &apart, &symmetric, &tied].map(Cell::get);
    assert!(counts.iter().all(|&count| count > 1), "{counts:?}");
}

#[test]
fn a_count_from_the_goal_gives_the_values_that_spread() {
    counted_values_are_those_that_spread(false);
}

#[test]
fn a_count_from_several_goals_gives_the_values_that_spread() {
    counted_values_are_those_that_spread(true);
}

/// For each state that can be reached from one of `states`, the fewest moves to it, by a plain search.
fn moves_from(engine: &Engine, states: &[State]) -> HashMap<State, u32> {
    let mut known: HashMap<State, u32> = states.iter().map(|state| (state.clone(), 0)).collect();
    let mut pending: VecDeque<State> = states.iter().cloned().collect();
    while let Some(state) = pending.pop_front() {
        let moves = known[&state] + 1;
        for (_, after) in engine.expand(&state).unwrap() {
            if !known.contains_key(&after) {
                known.insert(after.clone(), moves);
                pending.push_back(after);
            }
        }
    }
    known
}

/// Five different tiles in a row, in which neighbours change places. In one of the goals, the tile `goal[i]` must come
/// to each cell `i` that the goal has.
fn tiles(goals: &[&[usize]]) -> Engine {
    let cells = 5;
    let names: Vec<String> = (0..cells).map(|name| SYMBOLS[name].to_owned()).collect();
    let moves =
        (1..cells).map(|at| MoveData { name: at.to_string(), ..a_move(Vec::new(), turns(&[at - 1, at])[0].clone()) });
    let symbols: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut data = rules(&symbols, names.clone(), moves.collect());
    let pattern = |goal: &&[usize]| -> PatternData {
        goal.iter().enumerate().map(|(cell, &at)| (cell as i64, vec![names[at].clone()])).collect()
    };
    data.goal = goals.iter().map(|goal| pattern(goal).into()).collect();
    Engine::new(&data).unwrap()
}

/// Options for a run in small pieces that saves as often as it can, so that a stop finds much of a depth on disk.
fn options_of_pieces(store: Store) -> Options {
    let grain = Some(Grain { partition_bits: 1, block_states: 3, wave_blocks: 2, run_words: 7 });
    Options { store, grain, threads: 1, checkpoint: std::time::Duration::ZERO, ..Options::default() }
}

/// Calls a test with a job of each kind: with the start as the goal, another goal, several goals of which one tells two
/// cells, or a goal that no state satisfies; in the dense and in the sparse store.
fn each_kind(title: &str, test: impl Fn(&Engine, &Options, &Path)) {
    let (start, other): (&[usize], &[usize]) = (&[0, 1, 2, 3, 4], &[4, 2, 0, 1, 3]);
    for (goals, name) in
        [(&[start][..], "start"), (&[other], "other"), (&[other, &[2, 4]], "several"), (&[&[2, 2]], "none")]
    {
        for store in [Store::Sparse, Store::Dense] {
            let base = new_folder(&format!("{title}-{name}-{}", store.name()));
            test(&tiles(goals), &options_of_pieces(store), &base);
            fs::remove_dir_all(&base).unwrap();
        }
    }
}

#[test]
fn a_job_of_counted_values_goes_on_wherever_it_was_stopped() {
    each_kind("stopped", |engine, options, base| {
        let whole = base.join("whole");
        let wanted = told(engine.values_job(options, None, &keep(&whole, false), GO_ON).unwrap());
        let (expected, mut stopped) = (files(&whole), 0);
        for stop in (0..).step_by(quick_or_long(47, 23) as usize) {
            let folder = base.join("stopped");
            let ended = engine.values_job(options, None, &keep(&folder, false), &stops_after(stop));
            // A dense job that stopped within a depth can be checked only with pieces of the same size, and the check
            // uses large ones.
            if options.store == Store::Sparse {
                engine.goals_counter().unwrap().verify_job(u64::MAX, &keep(&folder, false), GO_ON).unwrap();
            }
            let found = engine.values_job(options, None, &keep(&folder, false), GO_ON).unwrap();
            assert_eq!(told(found), wanted, "stopped at {stop}");
            assert_eq!(files(&folder), expected, "stopped at {stop}");
            fs::remove_dir_all(&folder).unwrap();
            match ended {
                Ok(ValuesFound::Stopped(..)) | Err(Error::Stopped) => stopped += 1,
                ended => {
                    ended.unwrap();
                    break;
                }
            }
        }
        assert!(stopped > 2, "{stopped}");
    });
}

#[test]
fn a_job_of_counted_values_goes_on_after_each_failure_of_the_disk() {
    each_kind("failed", |engine, options, base| {
        // If play reaches no goal, the job is small, so it fails at each step.
        let is_none = |values: &AllValues<State>| matches!(values.start, Value::Draw(_));
        let step = |values: &AllValues<State>| if is_none(values) { 1 } else { 17 };
        let (failed, wanted) = values_go_on_after_each_failure(engine, options, base, &step);
        let none = is_none(&wanted);
        assert!(failed > if none { 20 } else { 1 }, "{failed}");
        let draws = wanted.depths.iter().map(|depth| depth.draw.raw_states).sum::<u64>();
        assert_eq!(draws, if none { 120 } else { 0 });
    });
}

#[test]
fn a_flipped_byte_is_found_in_counted_values() {
    each_kind("flipped", |engine, options, base| {
        engine.values_job(&Options { grain: None, ..*options }, None, &keep(base, false), GO_ON).unwrap();
        let from_goal = Arc::new(engine.goals_counter().unwrap());
        let verify = || from_goal.verify_job(u64::MAX, &keep(base, false), GO_ON);
        let all: Vec<u8> =
            engine.few_states(1000, false).unwrap().unwrap().into_iter().flat_map(|state| state.cells).collect();
        let look_up = || from_goal.lookup(&keep(base, false))?.look_up(&all, 0, GO_ON);
        let none = verify().unwrap().depths[0].states == 0;
        look_up().unwrap();
        for (name, content) in files(base).into_iter().filter(|(_, content)| !content.is_empty()) {
            let path = base.join(&name);
            for at in [0, content.len() / 2, content.len() - 1] {
                let mut flipped = content.clone();
                flipped[at] ^= 4;
                fs::write(&path, &flipped).unwrap();
                assert!(matches!(verify(), Err(Error::Corrupt(_))), "{name} {at}");
                // A look-up does not read the head of a file of bits, because the checksums contain it as well. Nor
                // does it read the file of the puzzle, because the caller gives it the puzzle.
                let told = name.ends_with(".states") && at < 12;
                // If there is a count from the start, it is read in place of the other one if it reaches no goal, and
                // else not.
                let other = name.starts_with("forward") != none;
                if !(told || name.ends_with("puzzle.json") || other) {
                    assert!(matches!(look_up(), Err(Error::Corrupt(_))), "{name} {at}");
                }
            }
            fs::remove_file(&path).unwrap();
            assert!(verify().is_err(), "{name} is gone");
            fs::write(&path, &content).unwrap();
        }
        verify().unwrap();
    });
}
