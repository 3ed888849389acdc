//! What all states of random rules are worth, by the obvious analysis, state by state; and the values that the engine
//! finds compared with it, in memory and in jobs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use super::GO_ON;
use super::faults::{files, keep};
use super::naive::{self, Cells, outcome, points, successors};
use crate::engine::{Engine, Rows, Span, State};
use crate::rules::RulesData;
use crate::run::{DepthValues, Grain, Options};
use crate::values::{AllValues, Value, ValuesFound};

pub type RawState = (Cells, usize);

/// States with their depths and the sets of their successors.
pub type Reached = BTreeMap<RawState, (usize, BTreeSet<RawState>)>;

/// All states that play can reach.
pub fn reached(data: &RulesData) -> Reached {
    let (mut found, mut frontier, mut depth) = (Reached::new(), vec![(data.start.clone(), 0)], 0);
    while !frontier.is_empty() {
        let mut next = BTreeSet::new();
        for state in frontier.drain(..) {
            let after: BTreeSet<RawState> = successors(data, &state.0, state.1).into_iter().collect();
            next.extend(after.iter().cloned());
            // A solved state has the distance 0 whatever comes after it, so its successors are left out.
            let after = if is_solved(data, &state) { BTreeSet::new() } else { after };
            found.insert(state, (depth, after));
        }
        frontier = next.into_iter().filter(|state| !found.contains_key(state)).collect();
        depth += 1;
    }
    found
}

fn is_solved(data: &RulesData, (cells, _): &RawState) -> bool {
    data.goal.iter().any(|goal| naive::solved(goal, cells))
}

/// The value of each state, by rounds: first the states that are decided in one move, then in two, and so on. Those
/// that are never decided are draws.
pub fn worth(data: &RulesData, states: &Reached) -> BTreeMap<RawState, Value> {
    let (mut values, draw) = (BTreeMap::new(), Value::Draw(None));
    let alone = data.players.is_empty();
    for state in states.keys() {
        if alone {
            if is_solved(data, state) {
                values.insert(state.clone(), Value::Win(0));
            }
        } else if let Some(winner) = outcome(data, &state.0, state.1).filter(|name| data.players.contains(name)) {
            let wins = winner == data.players[state.1];
            values.insert(state.clone(), if wins { Value::Win(0) } else { Value::Loss(0) });
        }
    }
    for moves in 1.. {
        let mut found = Vec::new();
        for (state, (_, after)) in states {
            if values.contains_key(state) || after.is_empty() {
                continue;
            }
            // A player can win by moving to a state that the other player is to move in and loses, or that the same
            // player is to move in and wins.
            let after_a_move = |after: &RawState| match (values.get(after), alone || after.1 == state.1) {
                (Some(Value::Win(_)), true) | (Some(Value::Loss(_)), false) => Value::Win(moves),
                (Some(_), _) => Value::Loss(moves),
                (None, _) => draw,
            };
            let after: Vec<Value> = after.iter().map(after_a_move).collect();
            if after.contains(&Value::Win(moves)) {
                found.push((state.clone(), Value::Win(moves)));
            } else if !alone && !after.contains(&draw) {
                found.push((state.clone(), Value::Loss(moves)));
            }
        }
        if found.is_empty() {
            break;
        }
        values.extend(found);
    }
    for state in states.keys() {
        values.entry(state.clone()).or_insert(draw);
    }
    values
}

/// The score of each state for the player to move, by the definition: the largest number of points that the first
/// player can force. To force points means to reach an end with at least as many, or, if endless play is worth as many,
/// to go on for ever.
pub fn scores(data: &RulesData, states: &Reached) -> BTreeMap<RawState, Value> {
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
        let of_mover = |state: &RawState| Value::Score((if state.1 == 0 { level } else { -level }) as i32);
        found.extend(can.into_iter().map(|state| (state.clone(), of_mover(state))));
    }
    found
}

/// The place of a value among wins, draws and losses, and the number of its moves or points.
fn class(value: Value) -> (usize, u32) {
    match value {
        Value::Win(moves) => (0, moves),
        Value::Loss(moves) => (2, moves),
        Value::Draw(_) => (1, 0),
        Value::Score(points) => ((1 - points.signum()) as usize, points.unsigned_abs()),
    }
}

/// Compares a report with the value of each state. Distances are compared if no symmetric states are counted as one.
pub fn report_holds(
    data: &RulesData,
    found: &AllValues<State>,
    states: &Reached,
    values: &BTreeMap<RawState, Value>,
    seed: usize,
) {
    assert_eq!(found.start, values[&(data.start.clone(), 0)], "{seed}");
    let depths = states.values().map(|(met, _)| met + 1).max();
    assert_eq!(Some(found.depths.len()), depths, "{seed}");
    for (depth, counted) in found.depths.iter().enumerate() {
        let mut raw = [0; 3];
        let here = states.iter().filter(|(_, (met, _))| *met == depth);
        here.for_each(|(state, _)| raw[class(values[state]).0] += 1);
        assert_eq!([counted.win, counted.draw, counted.loss].map(|counts| counts.raw_states), raw, "{seed}");
    }
    let decided: Vec<(usize, u32)> = values.values().map(|&value| class(value)).filter(|class| class.0 != 1).collect();
    let most = decided.iter().map(|class| class.1).max();
    assert_eq!(found.distances.len() as u32, most.map_or(0, |most| most + 1), "{seed}");
    let longest = found.longest.as_ref().map_or(0, |(_, value)| class(*value).1);
    assert_eq!(longest, most.unwrap_or(0), "{seed}");
    if found.symmetry_order == 1 {
        let is_scored = usize::from(data.score.is_some());
        for (number, counted) in (0..).zip(&found.distances).skip(is_scored) {
            let with = |place: usize| decided.iter().filter(|&&class| class == (place, number)).count() as u64;
            assert_eq!((counted.win, counted.loss), (with(0), with(2)), "{seed}");
        }
    }
}

/// Compares the value that a job keeps for each state, for a job that was made in one go and for one in many small
/// steps. Both have the same files.
pub fn kept_values_hold(engine: &Engine, data: &RulesData, values: &BTreeMap<RawState, Value>, base: &Path) {
    for symmetry in [true, false] {
        let options = Options { threads: 1, symmetry, ..Options::default() };
        let found = all(engine.values(&options, GO_ON).unwrap());
        for (name, given) in [("whole", Options { threads: 2, ..options }), ("fine", Options { symmetry, ..finely() })]
        {
            let place = base.join(format!("{name}-{symmetry}"));
            let kept = all(engine.values_job(&given, None, &keep(&place, false), GO_ON).unwrap());
            assert_eq!(told(&kept), told(&found), "{}", base.display());
            assert_eq!(files(&place), files(&base.join(format!("whole-{symmetry}"))), "{}", base.display());
            engine.verify_job(1 << 30, &keep(&place, false), GO_ON).unwrap();
            let (mut raw_states, mut states) = (0, [0; 3]);
            let mut check = |rows: Rows| {
                let cells = data.start.len();
                assert!(rows.values.is_some(), "{}", base.display());
                raw_states += rows.orbit_sizes.iter().map(|&size| size as usize).sum::<usize>();
                for (row, kept) in rows.values.iter().flatten().enumerate() {
                    let symbols = &rows.cells[row * cells..][..cells];
                    let names = symbols.iter().map(|&symbol| data.symbols[symbol as usize].clone()).collect();
                    let state = (names, rows.player_of(row));
                    assert_eq!(Some(&kept.value), values.get(&state), "{}: {state:?}", base.display());
                    states[class(kept.value).0] += 1;
                }
                Ok(())
            };
            let span = Span { last: u64::MAX, ..Span::default() };
            engine.read_job(&keep(&place, false), &span, GO_ON, &mut check).unwrap();
            assert_eq!(raw_states, values.len(), "{}", base.display());
            let sum = |of: &dyn Fn(&DepthValues) -> u64| kept.depths.iter().map(of).sum::<u64>();
            let counted =
                [sum(&|depth| depth.win.states), sum(&|depth| depth.draw.states), sum(&|depth| depth.loss.states)];
            assert_eq!(counted, states, "{}", base.display());
        }
    }
    fs::remove_dir_all(base).unwrap();
}

/// Options for files with as few tiers as possible, so that many files are read one after another.
pub fn finely() -> Options {
    let grain = Some(Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 0 });
    Options { threads: 1, grain, ..Options::default() }
}

/// The numbers of a report that are compared: for each depth, the states and raw states of each value; for each
/// distance, the wins and losses; the value of the start; and the value that takes longest.
type Told = (Vec<[u64; 6]>, Vec<(u64, u64)>, Value, Option<Value>);

fn told<S>(all: &AllValues<S>) -> Told {
    let of_depth = |depth: &DepthValues| {
        let all = [depth.win, depth.draw, depth.loss];
        let counts: Vec<u64> = all.iter().flat_map(|counts| [counts.states, counts.raw_states]).collect();
        counts.try_into().unwrap()
    };
    let ends = all.distances.iter().map(|count| (count.win, count.loss)).collect();
    (all.depths.iter().map(of_depth).collect(), ends, all.start, all.longest.as_ref().map(|(_, value)| *value))
}

pub fn all<S>(found: ValuesFound<S>) -> AllValues<S> {
    let ValuesFound::All(all) = found else { panic!("it was not stopped") };
    all
}
