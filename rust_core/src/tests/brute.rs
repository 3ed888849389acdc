//! Tests of the symmetries that the engine finds in random rules: their number is the same as by trying all
//! permutations of cells and symbols, and counts up to these symmetries are right.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRunner};

use super::conditions::{self, ConditionsData};
use super::naive;
use super::naive::Cells;
use crate::engine::Engine;
use crate::random::Random;
use crate::rules::{
    CountData, CountedGoalData, EndData, GoalData, Move, MoveData, PatternData, Rules, RulesData, ScoreData,
    SourceData, SumData, SymmetriesData, Symmetry, SymmetryCheck,
};
use crate::structure::FoundSymmetries;

const SYMBOLS: [&str; 3] = ["a", "b", "c"];

fn symbol() -> impl Strategy<Value = String> {
    prop::sample::select(&SYMBOLS[..]).prop_map(String::from)
}

fn pattern(cells: usize, most: usize) -> impl Strategy<Value = PatternData> {
    let sets = prop::collection::btree_set(symbol(), 1..=2);
    prop::collection::btree_map(0..cells as i64, sets, 0..=most)
        .prop_map(|cells| cells.into_iter().map(|(cell, set)| (cell, set.into_iter().collect())).collect())
}

fn source(cells: usize) -> impl Strategy<Value = SourceData> {
    let map = prop::collection::btree_map(symbol(), symbol(), 0..3);
    prop_oneof![
        symbol().prop_map(SourceData::Symbol),
        (0..cells as i64).prop_map(|copy| SourceData::Copy { copy, map: BTreeMap::new() }),
        (0..cells as i64, map).prop_map(|(copy, map)| SourceData::Copy { copy, map }),
    ]
}

/// Random rules of up to four cells. So that many have a symmetry, the images of all their parts under a random
/// permutation of cells, symbols and players are added.
fn any_rules() -> impl Strategy<Value = RulesData> {
    (1..=4usize).prop_flat_map(|cells| {
        let player = prop::option::of(prop::sample::select(vec!["P".to_owned(), "Q".to_owned()]));
        let then = prop::collection::btree_map(0..cells as i64, source(cells), 0..=2);
        let start = prop_oneof![2 => Just(vec!["a".to_owned(); cells]), 1 => prop::collection::vec(symbol(), cells)];
        let outcome = prop::sample::select(vec!["P".to_owned(), "Q".to_owned(), "even".to_owned()]);
        let pair = (0..cells as i64, 1..4i64).prop_map(move |(cell, step)| (cell, (cell + step) % cells as i64));
        let pairs = prop::collection::vec((pair, any::<bool>()), 0..=2);
        let compares = prop_oneof![2 => Just(Vec::new()), 1 => pairs];
        let count = (prop::collection::btree_set(symbol(), 1..=2), 1..=2i64, any::<bool>())
            .prop_map(|(symbols, number, of_all)| (symbols.into_iter().collect::<Vec<_>>(), number, of_all));
        (
            start,
            prop::collection::vec((player, pattern(cells, 2), then, compares, prop::bool::weighted(0.2)), 1..=2),
            prop::option::of((pattern(cells, 3), prop::option::of(count))),
            prop::option::of((outcome, pattern(cells, 2))),
            prop::bool::weighted(0.4),
            Just((0..cells).collect::<Vec<_>>()).prop_shuffle(),
            prop_oneof![2 => Just(vec![0, 1, 2]), 1 => Just(vec![0, 2, 1]), 1 => Just(vec![1, 2, 0])],
            any::<bool>(),
            prop::option::of((-2..3i64, -2..3i64)),
            (any::<bool>(), prop::option::weighted(0.4, any::<u64>())),
        )
            .prop_map(
                move |(start, moves, goal, end, two, order, renamed, swapped, worth, (passes, conditions))| {
                    let moved = moves.into_iter().map(|(player, when, then, compares, again)| {
                        let pairs = |wanted: bool| {
                            let some =
                                compares.iter().filter(|&&((one, other), equal)| equal == wanted && one != other);
                            some.map(|&(pair, _)| pair).collect()
                        };
                        MoveData {
                            name: String::new(),
                            player: player.filter(|_| two),
                            when,
                            equal: pairs(true),
                            different: pairs(false),
                            then: then.into_iter().collect(),
                            again: again && two,
                            ..MoveData::default()
                        }
                    });
                    let goal = goal.filter(|_| !two).map(|(when, count)| match count {
                        None => GoalData::Pattern(when),
                        Some((symbols, number, of_all)) => {
                            let of = (!of_all).then(|| vec![0, cells as i64 - 1]).filter(|_| cells > 1);
                            let counts = vec![CountData { symbols, at_least: Some(number), at_most: None, of }];
                            GoalData::Counted(CountedGoalData { when, counts, ..CountedGoalData::default() })
                        }
                    });
                    let mut data = RulesData {
                        symbols: SYMBOLS.map(String::from).to_vec(),
                        start,
                        players: if two { vec!["P".to_owned(), "Q".to_owned()] } else { Vec::new() },
                        moves: moved.collect(),
                        goal: goal.into_iter().collect(),
                        ends: end
                            .map(|(outcome, when)| EndData { outcome, when, ..EndData::default() })
                            .into_iter()
                            .collect(),
                        stuck: None,
                        score: None,
                        symmetries: SymmetriesData::Auto,
                    };
                    if let Some(seed) = conditions {
                        conditions::add(&mut Random::new(&seed.to_string()), &mut data);
                    }
                    spread(&mut data, &order, &renamed, swapped && two);
                    if let Some((a, b)) = worth.filter(|_| two) {
                        let worth = [("a".to_owned(), a), ("b".to_owned(), b)].into();
                        let sums = vec![SumData { player: "P".to_owned(), worth, of: None }];
                        data.score = Some(ScoreData { sums, endless: None });
                        data.ends.iter_mut().for_each(|end| end.outcome = String::new());
                    }
                    if passes && two {
                        data.moves.push(MoveData { forced: true, ..MoveData::default() });
                    }
                    data.moves.iter_mut().enumerate().for_each(|(place, given)| given.name = place.to_string());
                    data
                },
            )
    })
}

/// Adds the images of all moves, goals and ends, then the images of these, and so on, until no new ones come.
fn spread(data: &mut RulesData, order: &[usize], renamed: &[usize], swapped: bool) {
    let name = |symbol: &String| SYMBOLS[renamed[SYMBOLS.iter().position(|name| name == symbol).unwrap()]].to_owned();
    let cell = |cell: i64| order[cell as usize] as i64;
    let player = |player: &String| match player.as_str() {
        "P" if swapped => "Q".to_owned(),
        "Q" if swapped => "P".to_owned(),
        other => other.to_owned(),
    };
    let pattern = |given: &PatternData| -> PatternData {
        let mut image: PatternData = given
            .iter()
            .map(|(at, set)| (cell(*at), set.iter().map(name).collect::<BTreeSet<_>>()))
            .map(|(at, set)| (at, set.into_iter().collect()))
            .collect();
        image.sort();
        image
    };
    let source = |given: &SourceData| match given {
        SourceData::Symbol(symbol) => SourceData::Symbol(name(symbol)),
        SourceData::Copy { copy, map } => {
            SourceData::Copy { copy: cell(*copy), map: map.iter().map(|(from, to)| (name(from), name(to))).collect() }
        }
    };
    let pairs = |given: &[(i64, i64)]| -> Vec<(i64, i64)> {
        let mut image: Vec<(i64, i64)> =
            given.iter().map(|&(one, other)| (cell(one).min(cell(other)), cell(one).max(cell(other)))).collect();
        image.sort_unstable();
        image
    };
    let others = |given: ConditionsData| given.carried(&cell, &name);
    let goal = |given: &GoalData| match given {
        GoalData::Pattern(when) => GoalData::Pattern(pattern(when)),
        GoalData::Counted(given) => {
            GoalData::Counted(others(ConditionsData::of_goal(given)).in_goal(pattern(&given.when)))
        }
    };
    let a_move = |given: &MoveData| {
        let then: BTreeMap<i64, SourceData> = given.then.iter().map(|(to, given)| (cell(*to), source(given))).collect();
        others(ConditionsData::of_move(given)).in_move(MoveData {
            name: String::new(),
            player: given.player.as_ref().map(player),
            when: pattern(&given.when),
            equal: pairs(&given.equal),
            different: pairs(&given.different),
            then: then.into_iter().collect(),
            forced: given.forced,
            again: given.again,
            ..MoveData::default()
        })
    };
    close(&mut data.moves, a_move);
    close(&mut data.goal, goal);
    close(&mut data.ends, |end| {
        let plain = EndData { outcome: player(&end.outcome), when: pattern(&end.when), ..EndData::default() };
        others(ConditionsData::of_end(end)).in_end(plain)
    });
}

/// Adds the images of all items of a list, then the images of these, and so on, until no new ones come.
fn close<T: Clone + PartialEq>(list: &mut Vec<T>, image: impl Fn(&T) -> T) {
    let mut at = 0;
    while at < list.len() {
        let next = image(&list[at]);
        if !list.contains(&next) {
            list.push(next);
        }
        at += 1;
    }
}

/// All permutations of the first `count` numbers.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let Some(last) = count.checked_sub(1) else { return vec![Vec::new()] };
    let insert = |shorter: &Vec<usize>, at: usize| [&shorter[..at], &[last], &shorter[at..]].concat();
    permutations(last).iter().flat_map(|shorter| (0..count).map(move |at| insert(shorter, at))).collect()
}

/// All symmetries of the rules, found by trying all permutations.
fn all_symmetries(rules: &Rules) -> Vec<Symmetry> {
    let check = SymmetryCheck::new(rules);
    let swaps: &[bool] = if rules.players.is_empty() { &[false] } else { &[false, true] };
    let (by_cell, by_symbol) = (permutations(rules.cells()), permutations(rules.symbols.len()));
    let mut all = Vec::new();
    for cells in &by_cell {
        for symbols in &by_symbol {
            for &swap_players in swaps {
                let symbols = symbols.iter().map(|&symbol| symbol as u8).collect();
                let tried = Symmetry { name: String::new(), cells: cells.clone(), symbols, swap_players };
                if check.check(&tried).is_ok() {
                    all.push(tried);
                }
            }
        }
    }
    all
}

/// For each move: every state and player to move that allow it, with the state that it leads to and the next player.
type Effects = Vec<BTreeMap<(usize, Cells), (Cells, usize)>>;

fn effects(data: &RulesData) -> Effects {
    let mut states = vec![Cells::new()];
    for _ in &data.start {
        let longer = |state: &Cells| SYMBOLS.map(|name| [&state[..], &[name.to_owned()]].concat());
        states = states.iter().flat_map(longer).collect();
    }
    let players = if data.players.is_empty() { 1 } else { 2 };
    let alone = |given: &MoveData| RulesData { moves: vec![given.clone()], ends: Vec::new(), ..data.clone() };
    let effect = |given: &MoveData| {
        let data = alone(given);
        let made = states.iter().flat_map(|state| (0..players).map(move |player| (player, state)));
        made.filter_map(|(player, state)| {
            let after = naive::successors(&data, state, player).pop()?;
            Some(((player, state.clone()), after))
        })
        .collect()
    };
    data.moves.iter().map(effect).collect()
}

/// Returns `true` if a symmetry changes no move: the image of each move has the same effect as the move itself.
fn is_idle(symmetry: &Symmetry, rules: &Rules, effects: &Effects) -> bool {
    let image = |state: &Cells| -> Cells {
        let codes: Vec<u8> =
            state.iter().map(|name| SYMBOLS.iter().position(|known| known == name).unwrap() as u8).collect();
        symmetry.apply(&codes).iter().map(|&code| rules.symbols[code as usize].clone()).collect()
    };
    effects.iter().all(|effect| {
        effect.iter().all(|((player, state), (after, next))| {
            let expected = (image(after), symmetry.player(*next));
            effect.get(&(symmetry.player(*player), image(state))) == Some(&expected)
        })
    })
}

/// Calls `check` with `count` random rules, which are the same in each run.
pub fn run(count: u32, check: impl Fn(RulesData) -> Result<(), TestCaseError>) {
    let config = Config { cases: super::cases(count), failure_persistence: None, ..Config::default() };
    let random = prop::test_runner::TestRng::deterministic_rng(RngAlgorithm::default());
    let result = TestRunner::new_with_rng(config, random).run(&any_rules(), check);
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn as_many_symmetries_are_found_as_there_are() {
    let (orders, idle, looked) = (RefCell::new(BTreeMap::new()), Cell::new(0), Cell::new(0));
    run(300, |data| {
        let Ok(rules) = Rules::new(&data) else { return Ok(()) }; // a guard or a goal that never holds
        let all = all_symmetries(&rules);
        let effects = effects(&data);
        let written: BTreeSet<_> =
            rules.moves.iter().map(|given| format!("{:?}", Move { name: String::new(), ..given.clone() })).collect();
        if effects.iter().collect::<BTreeSet<_>>().len() < written.len() {
            return Ok(()); // comparing cells lets moves do the same that are written differently
        }
        looked.set(looked.get() + 1);
        let without_effect = all.iter().filter(|symmetry| is_idle(symmetry, &rules, &effects)).count();
        let keeping = all.iter().filter(|symmetry| !symmetry.swap_players).count();
        let found = FoundSymmetries::of_rules(&rules);
        prop_assert!(found.complete);
        prop_assert_eq!(found.idle, without_effect as u128);
        let swaps = found.generators.iter().any(|symmetry| symmetry.swap_players);
        let expected = all.len() / without_effect / if swaps { 2 } else { 1 };
        prop_assert_eq!(found.whole, expected as u128);
        prop_assert_eq!(found.order, expected);
        prop_assert!(found.generators.iter().all(|symmetry| all.iter().any(|other| symmetry.cells == other.cells
            && symmetry.symbols == other.symbols
            && symmetry.swap_players == other.swap_players)));
        prop_assert!(found.order <= keeping);
        *orders.borrow_mut().entry(found.order).or_insert(0) += 1;
        idle.set(idle.get() + usize::from(without_effect > 1));
        Ok(())
    });
    let orders = orders.into_inner();
    assert!(looked.get() > 200, "{}", looked.get());
    assert!(orders.len() >= 4 && orders[&2] > 15, "{orders:?}");
    assert!(idle.get() > 10, "{}", idle.get());
}

#[test]
fn rules_are_counted_right_up_to_symmetries_that_were_found() {
    let symmetric = Cell::new(0);
    run(200, |data| {
        let Ok(engine) = Engine::new(&data) else { return Ok(()) }; // a guard or a goal that never holds
        let found = engine.structure().found().expect("the rules seek symmetries");
        // The obvious search cannot swap players, so only symmetries that keep them are compared.
        let keeping = FoundSymmetries { generators: engine.structure().turn_keeping().to_vec(), ..found.clone() };
        let declared = RulesData { symmetries: keeping.to_data(engine.rules()), ..data };
        super::oracle::compare(&engine, &declared)?;
        symmetric.set(symmetric.get() + usize::from(found.order > 1));
        Ok(())
    });
    assert!(symmetric.get() > 30, "{}", symmetric.get());
}
