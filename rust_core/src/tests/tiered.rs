//! Tests of the values of random rules whose states lie in tiers: they are those of the obvious analysis, state by
//! state, in memory and in jobs that were stopped anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use super::conditions::{self, ConditionsData};
use super::naive::{self, Cells, outcome, successors};
use super::oracle::{a_move, copy, rules, write};
use super::{cases, new_folder, quick_or_long};
use crate::engine::{Engine, JobFolder, Rows, Span};
use crate::job::JobPlace;
use crate::random::Random;
use crate::rules::{EndData, GoalData, MoveData, PatternData, RulesData, SourceData, SymmetryData};
use crate::run::{Grain, Options};
use crate::structure::{CompositionTerm, Potential, RuleTiers, Window};
use crate::values::{AllValues, Value, ValuesFound};

pub type RawState = (Cells, usize);

/// Random rules with placements, slides and captures, and with moves that change the composition in ways that depend on
/// the state. Half of the rules have a symmetry, which may rename symbols.
fn tiered(seed: usize) -> RulesData {
    let mut random = Random::new(&format!("tiered {seed}"));
    let cells = 3 + random.below(3) as usize;
    let one_player = random.below(8) == 0;
    drawn(&mut random, cells, one_player, 3, [3, 7].contains(&(seed % 11)))
}

/// The same kind of rules with `least_moves` moves or more, and with conditions if `conditions` is `true`.
pub fn drawn(random: &mut Random, cells: usize, one_player: bool, least_moves: u64, conditions: bool) -> RulesData {
    let players: &[Option<&str>] = if one_player { &[None] } else { &[Some("P"), Some("Q")] };
    let mut moves: Vec<MoveData> = Vec::new();
    let needs = |needed: &[(usize, &str)]| -> PatternData {
        needed.iter().map(|&(cell, symbol)| (cell as i64, vec![symbol.to_owned()])).collect()
    };
    for _ in 0..least_moves + random.below(6) {
        let player = *random.choose(players);
        let own = if player == Some("Q") { *random.choose(&["y", "y", "x"]) } else { "x" };
        let other = if own == "x" { "y" } else { "x" };
        let mut order: Vec<usize> = (0..cells).collect();
        (1..cells).rev().for_each(|at| order.swap(at, random.below(at as u64 + 1) as usize));
        let (a, b, c) = (order[0], order[1], order[2]);
        let to = |cell: usize, source: SourceData| (cell as i64, source);
        let given = match random.below(10) {
            0..3 => a_move(needs(&[(a, ".")]), vec![to(a, write(own))]),
            3..6 => a_move(needs(&[(a, own), (b, ".")]), vec![to(a, copy(b)), to(b, copy(a))]),
            6 => a_move(
                needs(&[(a, own), (b, other), (c, ".")]),
                vec![to(a, write(".")), to(b, write("#")), to(c, write(own))],
            ),
            7 => a_move(needs(&[(a, own), (b, other)]), vec![to(a, write(".")), to(b, write(own))]),
            // The guard does not say what the cell held before, so the composition may change in several ways.
            8 => a_move(needs(&[(a, own)]), vec![to(b, write(own))]),
            _ => {
                let map = [("x".to_owned(), "#".to_owned())].into();
                a_move(needs(&[(a, own)]), vec![to(b, SourceData::Copy { copy: b as i64, map })])
            }
        };
        moves.push(MoveData { player: player.map(String::from), ..given });
    }
    // In a third of the games, some moves keep the turn.
    let mut keeping = Random::new(&format!("again {moves:?}"));
    if !one_player && keeping.below(3) == 0 {
        for given in &mut moves {
            given.again = keeping.below(3) == 0;
        }
    }
    let start = vec![".".to_owned(); cells];
    let mut data = rules(&[".", "x", "y", "#"], start, moves);
    if !one_player {
        data.players = vec!["P".to_owned(), "Q".to_owned()];
        data.stuck = Some((*random.choose(&["draw", "win", "loss"])).to_owned());
    }
    let patterns = 1 + random.below(2);
    for _ in 0..patterns {
        let (a, b) = (random.below(cells as u64) as usize, random.below(cells as u64) as usize);
        let symbols = [*random.choose(&["x", "y", "#"]), *random.choose(&["x", "y", "."])];
        let when: PatternData =
            if a == b { needs(&[(a, symbols[0])]) } else { needs(&[(a, symbols[0]), (b, symbols[1])]) };
        if one_player {
            data.goal.push(when.into());
        } else {
            let outcome = (*random.choose(&["P", "P", "Q", "Q", "draw"])).to_owned();
            data.ends.push(EndData { outcome, when, ..EndData::default() });
        }
    }
    if conditions {
        conditions::add(random, &mut data);
    }
    if random.below(2) == 0 {
        mirror(&mut data, random.below(2) == 0);
    }
    for (at, given) in data.moves.iter_mut().enumerate() {
        given.name = at.to_string();
    }
    data
}

/// Makes the mirror image of the row of cells a symmetry; with `renamed`, one that also exchanges `x` and `y`.
pub fn mirror(data: &mut RulesData, renamed: bool) {
    let cells = data.start.len() as i64;
    let symbol = |name: &String| match &name[..] {
        "x" if renamed => "y".to_owned(),
        "y" if renamed => "x".to_owned(),
        _ => name.clone(),
    };
    let pattern = |given: &PatternData| -> PatternData {
        given.iter().map(|(cell, some)| (cells - 1 - cell, some.iter().map(symbol).collect())).collect()
    };
    let source = |source: &SourceData| match source {
        SourceData::Symbol(name) => SourceData::Symbol(symbol(name)),
        SourceData::Copy { copy, map } => SourceData::Copy {
            copy: cells - 1 - copy,
            map: map.iter().map(|(from, to)| (symbol(from), symbol(to))).collect(),
        },
    };
    let others = |given: ConditionsData| given.carried(&|cell| cells - 1 - cell, &symbol);
    for given in data.moves.clone() {
        let then = given.then.iter().map(|(cell, given)| (cells - 1 - cell, source(given))).collect();
        let conditions = others(ConditionsData::of_move(&given));
        data.moves.push(conditions.in_move(MoveData { when: pattern(&given.when), then, ..given }));
    }
    for end in data.ends.clone() {
        let conditions = others(ConditionsData::of_end(&end));
        data.ends.push(conditions.in_end(EndData { when: pattern(&end.when), ..end }));
    }
    for goal in data.goal.clone() {
        data.goal.push(match goal {
            GoalData::Pattern(given) => GoalData::Pattern(pattern(&given)),
            GoalData::Counted(given) => {
                GoalData::Counted(others(ConditionsData::of_goal(&given)).in_goal(pattern(&given.when)))
            }
        });
    }
    data.symmetries = vec![SymmetryData {
        name: "mirror".to_owned(),
        cells: (0..cells).rev().collect(),
        symbols: if renamed { [("x".into(), "y".into()), ("y".into(), "x".into())].into() } else { [].into() },
        swap_players: false,
    }]
    .into();
}

/// All states that play can reach, each with its depth and the set of its successors.
pub fn reached(data: &RulesData) -> BTreeMap<RawState, (usize, BTreeSet<RawState>)> {
    let solved = |state: &RawState| outcome(data, &state.0, state.1).is_some_and(|outcome| outcome == "solved");
    let (mut found, mut frontier, mut depth) = (BTreeMap::new(), vec![(data.start.clone(), 0)], 0);
    while !frontier.is_empty() {
        let mut next = BTreeSet::new();
        for state in frontier.drain(..) {
            let after: BTreeSet<RawState> = successors(data, &state.0, state.1).into_iter().collect();
            next.extend(after.iter().cloned());
            // A solved state has the distance 0 whatever comes after it, so its successors are left out.
            let after = if is_solved(data, &state.0) || solved(&state) { BTreeSet::new() } else { after };
            found.insert(state, (depth, after));
        }
        frontier = next.into_iter().filter(|state| !found.contains_key(state)).collect();
        depth += 1;
    }
    found
}

fn is_solved(data: &RulesData, cells: &Cells) -> bool {
    data.goal.iter().any(|goal| match goal {
        GoalData::Pattern(given) => given.iter().all(|(cell, allowed)| allowed.contains(&cells[*cell as usize])),
        GoalData::Counted(given) => ConditionsData::of_goal(given).hold(cells) && naive::holds(&given.when, cells),
    })
}

/// The value of each state that is no draw, by rounds: first the states that are decided in one move, then in two, and
/// so on.
fn worth(data: &RulesData, states: &BTreeMap<RawState, (usize, BTreeSet<RawState>)>) -> BTreeMap<RawState, Value> {
    let mut values = BTreeMap::new();
    let alone = data.players.is_empty();
    for state in states.keys() {
        if alone {
            if is_solved(data, &state.0) {
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
            let worth_of = |state: &RawState| values.get(state).copied().unwrap_or(Value::Draw(None));
            // A player can win by moving to a state that the other player is to move in and loses, or that the same
            // player is to move in and wins.
            let wins = |after: &&RawState| match worth_of(after) {
                Value::Win(_) => alone || after.1 == state.1,
                Value::Loss(_) => after.1 != state.1,
                _ => false,
            };
            let loses = |after: &RawState| match worth_of(after) {
                Value::Win(_) => after.1 != state.1,
                Value::Loss(_) => after.1 == state.1,
                _ => false,
            };
            if after.iter().any(|after| wins(&after)) {
                found.push((state.clone(), Value::Win(moves)));
            } else if !alone && after.iter().all(loses) {
                found.push((state.clone(), Value::Loss(moves)));
            }
        }
        if found.is_empty() {
            break;
        }
        values.extend(found);
    }
    values
}

pub fn keep(folder: &Path, resume: bool) -> JobFolder {
    JobFolder { place: JobPlace::new(folder), resume, puzzle: "test".to_owned(), ..JobFolder::default() }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

/// Options for files with as few tiers as possible, so that many files are read one after another.
pub fn finely() -> Options {
    let grain = Some(Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 0 });
    Options { threads: 1, grain, ..Options::default() }
}

fn tiers_of(engine: &Engine) -> Option<RuleTiers> {
    let (rules, symmetries) = (engine.rules(), engine.structure().turn_keeping());
    RuleTiers::new(rules, symmetries, &|| Potential::new(rules, symmetries))
}

/// The numbers of a report that are compared: for each depth, the states and raw states of each value; for each
/// distance, the wins and losses; the value of the start; and the value that takes longest.
pub type Told = (Vec<[u64; 6]>, Vec<(u64, u64)>, Value, Option<Value>);

/// The numbers of a report that are compared.
pub fn told<S>(all: &AllValues<S>) -> Told {
    let of_depth = |depth: &crate::run::DepthValues| {
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

#[test]
fn values_of_random_tiers_are_those_of_the_obvious_analysis() {
    values_are_right(cases(120) as usize);
}

/// Checks the values of `count` random rules.
fn values_are_right(count: usize) {
    let go_on = |_: &crate::Progress| ControlFlow::Continue(());
    let (mut several, mut round, mut weighed, mut renamed, mut long) = (0, 0, 0, 0, 0);
    for seed in 0..count {
        let data = tiered(seed);
        let engine = Engine::new(&data).unwrap();
        let (states, base) = (reached(&data), new_folder(&format!("random-{count}")));
        let values = worth(&data, &states);
        let value = |state: &RawState| values.get(state).copied().unwrap_or(Value::Draw(None));
        for symmetry in [true, false] {
            let options = Options { threads: 1, symmetry, ..Options::default() };
            let found = all(engine.values(&options, &go_on).unwrap());
            for (depth, counted) in found.depths.iter().enumerate() {
                let here = states.iter().filter(|(_, (met, _))| *met == depth).map(|(state, _)| value(state));
                let mut raw = [0; 3];
                here.for_each(|value| {
                    raw[match value {
                        Value::Win(_) => 0,
                        Value::Draw(_) | Value::Score(_) => 1,
                        Value::Loss(_) => 2,
                    }] += 1;
                });
                assert_eq!([counted.win, counted.draw, counted.loss].map(|counts| counts.raw_states), raw, "{seed}");
            }
            let fine = Options { symmetry, ..finely() };
            for (name, given) in [("whole", options), ("fine", fine)] {
                let place = base.join(format!("{name}-{symmetry}"));
                let kept = all(engine.values_job(&given, None, &keep(&place, false), &go_on).unwrap());
                assert_eq!(told(&kept), told(&found), "{seed}");
            }
            let place = base.join(format!("fine-{symmetry}"));
            assert_eq!(files(&place), files(&base.join(format!("whole-{symmetry}"))), "{seed}");
            let mut check = |rows: Rows| {
                let cells = data.start.len();
                for (row, kept) in rows.values.iter().flatten().enumerate() {
                    let symbols = &rows.cells[row * cells..][..cells];
                    let names = symbols.iter().map(|&symbol| data.symbols[symbol as usize].clone()).collect();
                    let state = (names, rows.player_of(row));
                    assert!(states.contains_key(&state), "{seed}: {state:?}");
                    assert_eq!(kept.value, value(&state), "{seed}: {state:?}");
                }
                Ok(())
            };
            let span = Span { last: u64::MAX, ..Span::default() };
            engine.read_job(&keep(&place, false), &span, &go_on, &mut check).unwrap();
        }
        let tiers = tiers_of(&engine).filter(|_| engine.window() != Window::Layered);
        several += usize::from(tiers.is_some());
        weighed +=
            usize::from(tiers.as_ref().is_some_and(|tiers| tiers.compositions().all(|(levels, _)| levels.len() == 1)));
        round += usize::from(tiers.is_some_and(|tiers| (0..tiers.count()).any(|tier| tiers.repeats(tier))));
        renamed += usize::from(data.symmetries.declared().iter().any(|symmetry| !symmetry.symbols.is_empty()));
        long += usize::from(values.values().any(|value| matches!(value, Value::Loss(moves) if *moves > 2)));
        fs::remove_dir_all(&base).unwrap();
    }
    // Enough of the rules must have several tiers that are not just the depths. In enough of these, play can come back
    // to a state, tiers are the levels of a potential, a symmetry renames symbols, or a player loses in more than two
    // moves.
    let enough = [several * 2, round * 10, weighed * 10, renamed * 5, long * 25];
    assert!(enough.iter().all(|&found| found >= count), "{enough:?} of {count}");
}

#[test]
fn no_move_leads_to_an_earlier_tier() {
    let (mut edges, mut zoned, mut weighed) = (0, 0, 0);
    for seed in 0..cases(300) as usize {
        let data = tiered(seed);
        let engine = Engine::new(&data).unwrap();
        let Some(tiers) = tiers_of(&engine) else { continue };
        let length = tiers.compositions().next().unwrap().0.len();
        zoned += usize::from(length > data.symbols.len());
        weighed += usize::from(length == 1);
        let tier = |(cells, player): &RawState| {
            let mut composition = vec![0; length];
            for (cell, name) in cells.iter().enumerate() {
                let symbol = data.symbols.iter().position(|other| other == name).unwrap();
                let symbols = engine.rules().symbols.len();
                let CompositionTerm { place, times } = tiers.counted(cell, symbol as u8, symbols);
                composition[place] += times as u16;
            }
            let turn = engine.rules().turn;
            if let Some(turn) = turn {
                let symbols = engine.rules().symbols.len();
                let CompositionTerm { place, times } = tiers.counted(turn.cell, turn.symbols[*player], symbols);
                composition[place] += times as u16;
            }
            let player = &engine.rules().table_of(*player);
            let of = tiers.compositions().find(|(other, _)| *other == composition).unwrap().1;
            of[*player].unwrap() as usize
        };
        for (state, (_, after)) in &reached(&data) {
            for follower in after {
                let (from, to) = (tier(state), tier(follower));
                if from == to {
                    assert!(tiers.repeats(from), "{seed}");
                } else {
                    assert!(from < to && tiers.leads(from).contains(&(to as u32)), "{seed}: {state:?} {follower:?}");
                }
                edges += 1;
            }
            for symmetry in engine.structure().turn_keeping() {
                let mut image = state.clone();
                for (cell, name) in state.0.iter().enumerate() {
                    let symbol = data.symbols.iter().position(|other| other == name).unwrap();
                    image.0[symmetry.cells[cell]] = data.symbols[symmetry.symbols[symbol] as usize].clone();
                }
                assert_eq!(tier(&image), tier(state), "{seed}");
            }
        }
    }
    assert!(edges > 1_500 && zoned > 30 && weighed > 15, "{edges}, {zoned} in zones, {weighed} by levels");
}

/// Returns `true` if play can come back to a state. States without a successor are taken away, again and again; if some
/// are left in the end, they contain a cycle.
fn comes_back(states: &BTreeMap<RawState, (usize, BTreeSet<RawState>)>) -> bool {
    let mut left: BTreeSet<&RawState> = states.keys().collect();
    loop {
        let before = left.len();
        let kept = left.iter().filter(|state| states[**state].1.iter().any(|after| left.contains(after)));
        left = kept.copied().collect();
        if left.len() == before {
            return !left.is_empty();
        }
    }
}

#[test]
fn play_that_is_said_never_to_come_back_does_not() {
    let (mut proven, mut by_weights, mut missed) = (0, 0, 0);
    // The rules of seed 640 have several ways to raise a potential, of which the largest would prove too much.
    for seed in (0..cases(450) as usize).chain([640]) {
        let data = tiered(seed);
        let engine = Engine::new(&data).unwrap();
        let structure = engine.structure();
        let returns = comes_back(&reached(&data));
        if structure.never_repeats() {
            assert!(!returns, "{seed}");
            proven += 1;
            by_weights += usize::from(structure.potential().is_some() && structure.window() != Window::Layered);
        } else {
            missed += usize::from(!returns);
        }
    }
    assert!(proven > 75 && by_weights > 37, "{proven} proven, {by_weights} by weights, {missed} missed");
}

#[test]
fn a_job_goes_on_wherever_it_was_stopped() {
    let go_on = |_: &crate::Progress| ControlFlow::Continue(());
    let mut stopped = 0;
    for seed in (0..1000).filter(|seed| seed % 167 == 0) {
        let (data, base) = (tiered(seed), new_folder("stopped"));
        let engine = Engine::new(&data).unwrap();
        let whole = base.join("whole");
        engine.values_job(&finely(), None, &keep(&whole, false), &go_on).unwrap();
        let expected = files(&whole);
        for looks in (0..).step_by(quick_or_long(23, 5) as usize) {
            let job = base.join(looks.to_string());
            let left = std::sync::atomic::AtomicUsize::new(looks);
            let watch = |_: &crate::Progress| {
                if left.load(std::sync::atomic::Ordering::Relaxed) == 0 {
                    return ControlFlow::Break(());
                }
                left.fetch_sub(1, std::sync::atomic::Ordering::Relaxed);
                ControlFlow::Continue(())
            };
            let often = Options { checkpoint: Duration::ZERO, ..finely() };
            let found = engine.values_job(&often, None, &keep(&job, false), &watch).unwrap();
            let done = matches!(found, ValuesFound::All(_));
            if !done {
                stopped += 1;
                engine.verify_job(u64::MAX, &keep(&job, false), &go_on).unwrap();
                // The resumed run may divide the tiers among files in another way.
                let options = if looks % 2 == 0 { finely() } else { Options { threads: 1, ..Options::default() } };
                all(engine.values_job(&options, None, &keep(&job, false), &go_on).unwrap());
            }
            assert_eq!(files(&job), expected, "{seed}, {looks}");
            if done {
                break;
            }
        }
        fs::remove_dir_all(&base).unwrap();
    }
    assert!(stopped > 12, "{stopped}");
}

/// Random rules of an impartial game: either player may make each move.
fn impartial(seed: usize) -> RulesData {
    let mut random = Random::new(&format!("impartial {seed}"));
    let cells = 3 + random.below(3) as usize;
    let mut data = drawn(&mut random, cells, false, 4, seed % 11 == 3);
    data.ends.clear();
    data.stuck = Some("loss".to_owned());
    for given in &mut data.moves {
        (given.player, given.again) = (None, false);
    }
    data
}

/// The Grundy number of each state: the least number that no successor has. Play must never come back to a state.
fn grundy(states: &BTreeMap<RawState, (usize, BTreeSet<RawState>)>) -> BTreeMap<RawState, u32> {
    let mut numbers: BTreeMap<RawState, u32> = BTreeMap::new();
    while numbers.len() < states.len() {
        for (state, (_, after)) in states {
            let known: Option<BTreeSet<u32>> = after.iter().map(|after| numbers.get(after).copied()).collect();
            if let Some(known) = known {
                let least = (0..=known.len() as u32).find(|number| !known.contains(number)).unwrap();
                numbers.insert(state.clone(), least);
            }
        }
    }
    numbers
}

#[test]
fn grundy_numbers_are_the_least_that_no_successor_has() {
    let go_on = |_: &crate::Progress| ControlFlow::Continue(());
    let (mut found, mut refused, mut large, mut weighed) = (0, 0, 0, 0);
    for seed in 0..cases(130) as usize {
        let data = impartial(seed);
        let engine = Engine::new(&data).unwrap();
        let states = reached(&data);
        for symmetry in [true, false] {
            let options = Options { threads: 1, symmetry, grundy: true, ..Options::default() };
            let all = match engine.values(&options, &go_on) {
                Ok(found) => all(found),
                Err(crate::Error::Options(_)) => {
                    refused += 1;
                    continue;
                }
                other => panic!("{other:?}"),
            };
            let numbers = grundy(&states);
            let start = numbers[&(data.start.clone(), 0)];
            let value = |number: u32| if number == 0 { Value::Loss(0) } else { Value::Win(number) };
            assert_eq!(all.start, value(start), "{seed}");
            let most = numbers.values().copied().max().unwrap();
            assert_eq!(all.longest.unwrap().1, value(most), "{seed}");
            for (depth, counted) in all.depths.iter().enumerate() {
                let zero = states.iter().filter(|(state, (met, _))| *met == depth && numbers[*state] == 0).count();
                assert_eq!(counted.loss.raw_states, zero as u64, "{seed}");
            }
            if !symmetry {
                for (number, count) in all.distances.iter().enumerate() {
                    let wanted = numbers.values().filter(|&&other| other == number as u32).count();
                    assert_eq!(count.win + count.loss, wanted as u64, "{seed}");
                }
            }
            found += 1;
            large += usize::from(most > 2);
            weighed += usize::from(engine.window() != Window::Layered);
        }
    }
    assert!(refused > 32 && found > 48 && large > 1 && weighed > 16, "{refused} {found} {large} {weighed}");
}
