//! Tests of the values of random rules whose states lie in tiers: they are those of the obvious analysis, state by
//! state, in memory and in jobs that were stopped anywhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::Duration;

use super::conditions::{self, ConditionsData};
use super::faults::{files, keep, stops_after};
use super::oracle::{a_move, copy, rules, write};
use super::worth::{RawState, Reached, all, finely, kept_values_hold, reached, report_holds, worth};
use super::{GO_ON, cases, new_folder, quick_or_long};
use crate::engine::Engine;
use crate::random::Random;
use crate::rules::{EndData, GoalData, MoveData, PatternData, RulesData, SourceData, SymmetryData};
use crate::run::Options;
use crate::structure::{CompositionTerm, Potential, RuleTiers, Window};
use crate::values::{Value, ValuesFound};

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
    // In a third of the games of two players, some moves may keep the turn.
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

fn tiers_of(engine: &Engine) -> Option<RuleTiers> {
    let (rules, symmetries) = (engine.rules(), engine.structure().turn_keeping());
    RuleTiers::new(rules, symmetries, &|| Potential::new(rules, symmetries))
}

#[test]
fn values_of_random_tiers_are_those_of_the_obvious_analysis() {
    let (count, base) = (cases(120) as usize, new_folder("random"));
    let (mut several, mut round, mut weighed, mut renamed, mut long) = (0, 0, 0, 0, 0);
    for seed in 0..count {
        let data = tiered(seed);
        let engine = Engine::new(&data).unwrap();
        let states = reached(&data);
        let values = worth(&data, &states);
        for symmetry in [true, false] {
            let threads = 1 + seed % 2;
            let found = all(engine.values(&Options { symmetry, threads, ..Options::default() }, GO_ON).unwrap());
            report_holds(&data, &found, &states, &values, seed);
        }
        kept_values_hold(&engine, &data, &values, &base.join(seed.to_string()));
        let tiers = tiers_of(&engine).filter(|_| engine.window() != Window::Layered);
        several += usize::from(tiers.is_some());
        weighed +=
            usize::from(tiers.as_ref().is_some_and(|tiers| tiers.compositions().all(|(levels, _)| levels.len() == 1)));
        round += usize::from(tiers.is_some_and(|tiers| (0..tiers.count()).any(|tier| tiers.repeats(tier))));
        renamed += usize::from(data.symmetries.declared().iter().any(|symmetry| !symmetry.symbols.is_empty()));
        long += usize::from(values.values().any(|value| matches!(value, Value::Loss(moves) if *moves > 2)));
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
fn comes_back(states: &Reached) -> bool {
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
    let mut stopped = 0;
    for seed in (0..1000).filter(|seed| seed % 167 == 0) {
        let (data, base) = (tiered(seed), new_folder("stopped"));
        let engine = Engine::new(&data).unwrap();
        let whole = base.join("whole");
        engine.values_job(&finely(), None, &keep(&whole, false), GO_ON).unwrap();
        let expected = files(&whole);
        for looks in (0..).step_by(quick_or_long(23, 5) as usize) {
            let job = base.join(looks.to_string());
            let often = Options { checkpoint: Duration::ZERO, ..finely() };
            let found = engine.values_job(&often, None, &keep(&job, false), &stops_after(looks)).unwrap();
            let done = matches!(found, ValuesFound::All(_));
            if !done {
                stopped += 1;
                engine.verify_job(u64::MAX, &keep(&job, false), GO_ON).unwrap();
                // The resumed run may divide the tiers among files in another way.
                let options = if looks % 2 == 0 { finely() } else { Options { threads: 1, ..Options::default() } };
                all(engine.values_job(&options, None, &keep(&job, false), GO_ON).unwrap());
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

/// The Grundy number of each state: the least number that no successor has. Play must never come back to a state. A
/// state with the number 0 counts as lost, and others as won.
fn grundy(states: &Reached) -> BTreeMap<RawState, Value> {
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
    let value = |number: u32| if number == 0 { Value::Loss(0) } else { Value::Win(number) };
    numbers.into_iter().map(|(state, number)| (state, value(number))).collect()
}

#[test]
fn grundy_numbers_are_the_least_that_no_successor_has() {
    let (mut found, mut refused, mut large, mut weighed) = (0, 0, 0, 0);
    for seed in 0..cases(130) as usize {
        let data = impartial(seed);
        let engine = Engine::new(&data).unwrap();
        let states = reached(&data);
        for symmetry in [true, false] {
            let options = Options { threads: 1, symmetry, grundy: true, ..Options::default() };
            let numbers = match engine.values(&options, GO_ON) {
                Ok(found) => all(found),
                Err(crate::Error::Options(_)) => {
                    refused += 1;
                    continue;
                }
                other => panic!("{other:?}"),
            };
            report_holds(&data, &numbers, &states, &grundy(&states), seed);
            found += 1;
            large += usize::from(numbers.distances.len() > 3);
            weighed += usize::from(engine.window() != Window::Layered);
        }
    }
    assert!(refused > 32 && found > 48 && large > 1 && weighed > 16, "{refused} {found} {large} {weighed}");
}
