//! Tests of rules with cells that never change. Packed words without these cells give the same counts, answers and
//! files as words of all cells.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use super::faults::keep;
use super::fenced::{fenced, renumbered};
use super::naive::layers;
use super::oracle::{a_move, copy, count, extras, rules, write};
use super::{boards, new_folder};
use crate::engine::{Engine, JobFolder, Span, State};
use crate::error::Error;
use crate::job::Manifest;
use crate::rules::{EndData, GoalData, MoveData, PatternData, Rules, RulesData, SourceData};
use crate::run::{Budget, Options, Store};
use crate::solve::{Question, Solution};

/// The symbols of the random rules. No cell ever holds `!`, and `#` is written only by copies of a wall.
const SYMBOLS: [&str; 5] = ["!", "a", "#", "b", "c"];

/// The symbols that moves write by name. Moves write `#` only as a copy of a wall, and never write `!`.
const WRITTEN: [&str; 3] = ["a", "b", "c"];

/// A random pattern: for some cells, one or two symbols that the cell may hold.
fn pattern(cells: usize, most: usize) -> impl Strategy<Value = PatternData> {
    let held = prop::collection::vec(select(&SYMBOLS[..]), 1..3);
    prop::collection::btree_map(0..cells as i64, held, 0..=most).prop_map(|cells| {
        cells.into_iter().map(|(cell, held)| (cell, held.into_iter().map(String::from).collect())).collect()
    })
}

/// A random source: a symbol, or a copy of any cell, sometimes through a map.
fn source(cells: usize) -> impl Strategy<Value = SourceData> {
    let turned = (0..cells, prop::collection::vec((select(&SYMBOLS[..]), select(&WRITTEN[..])), 1..3));
    prop_oneof![
        3 => select(&WRITTEN[..]).prop_map(write),
        3 => (0..cells).prop_map(copy),
        1 => turned.prop_map(|(from, map)| {
            let map = map.into_iter().map(|(a, b)| (a.to_owned(), b.to_owned())).collect();
            SourceData::Copy { copy: from as i64, map }
        }),
    ]
}

/// Random rules with walls. Moves read all cells, but write only the first `free` ones. Some moves would write into
/// walls, but can never be made, because they need the symbol `!`. Ends and goals look at all cells.
fn walled() -> impl Strategy<Value = RulesData> {
    let start = |cells| prop::collection::vec(select(&SYMBOLS[1..]), cells);
    (2..=6usize, 1..=4usize).prop_flat_map(move |(cells, free)| {
        let free = free.min(cells);
        let then = prop::collection::btree_map(0..free as i64, source(cells), 1..3);
        let made = (pattern(cells, 2), then).prop_map(|(when, then)| a_move(when, then.into_iter().collect()));
        let barred = (0..cells as i64, 0..cells as i64)
            .prop_map(|(wall, to)| a_move(vec![(wall, vec!["!".to_owned()])], vec![(to, write("!"))]));
        let moves = (prop::collection::vec(made, 1..6), prop::collection::vec(barred, 0..3));
        let end = (pattern(cells, 2), select(vec!["P", "draw", "Q"]));
        let more = (prop::collection::vec(end, 0..3), prop::collection::vec(pattern(cells, 2), 0..3), any::<bool>());
        let order = Just((0..cells as i64).collect::<Vec<_>>()).prop_shuffle();
        (start(cells), moves, more, order).prop_map(|(start, (mut moves, barred), (ends, goal, game), order)| {
            moves.extend(barred);
            let mut data = rules(&SYMBOLS, start.into_iter().map(String::from).collect(), moves);
            let ends = ends.into_iter().filter(|(when, _)| !when.is_empty());
            data.ends = ends
                .map(|(when, outcome)| EndData { outcome: outcome.to_owned(), when, ..EndData::default() })
                .collect();
            if game {
                data.players = vec!["P".to_owned(), "Q".to_owned()];
            } else {
                data.goal = goal.into_iter().map(GoalData::Pattern).collect();
            }
            renumbered(data, &order)
        })
    })
}

/// The number of random rules that have a feature, for each feature that is to be tested.
#[derive(Default)]
struct Tally {
    reduced: Cell<usize>,
    symmetric: Cell<usize>,
    solved: Cell<usize>,
    unsolved: Cell<usize>,
    foreign: Cell<usize>,
}

fn one_more(cell: &Cell<usize>) {
    cell.set(cell.get() + 1);
}

fn random_rules(count: u32, mut test: impl FnMut(RulesData, Vec<Vec<Index>>) -> Result<(), TestCaseError>) {
    let config = Config { cases: super::cases(count), failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::default()));
    let states = prop::collection::vec(prop::collection::vec(any::<Index>(), 6), 3);
    let shapes = (walled(), extras(), states).prop_map(|(data, extras, states)| {
        let mut data = extras.add(data);
        if !data.players.is_empty() {
            data.goal.clear(); // a game has none
        }
        (data, states)
    });
    let test = std::cell::RefCell::new(&mut test);
    let result = runner.run(&shapes, |(data, states)| match Rules::new(&data) {
        // A random comparison of cells may contradict the rest of its guard. Then the rules are refused.
        Err(Error::Rules(why)) if why.contains("never holds") => Ok(()),
        _ => (test.borrow_mut())(data, states),
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn rules_with_walls_are_counted_right() {
    let tally = Tally::default();
    random_rules(480, |data, _| {
        let engine = Engine::new(&data).unwrap();
        for symmetry in [false, true] {
            let expected = layers(&data, symmetry);
            prop_assert_eq!(count(&engine, Store::Sparse, symmetry), Some(expected.clone()), "sparse {}", symmetry);
            if let Some(found) = count(&engine, Store::Dense, symmetry) {
                prop_assert_eq!(found, expected, "dense {}", symmetry);
            }
        }
        if !engine.machine.varying().is_whole() {
            one_more(&tally.reduced);
            if engine.structure().symmetries().len() > 1 {
                one_more(&tally.symmetric);
            }
        }
        Ok(())
    });
    let Tally { reduced, symmetric, .. } = tally;
    assert!(reduced.get() > 240 && symmetric.get() > 9, "{} reduced, {} symmetric", reduced.get(), symmetric.get());
}

/// For each shape of rules that has a perfect index, its name and rules of this shape.
fn of_every_shape() -> Vec<(&'static str, RulesData)> {
    let names = |count: usize| (0..count).map(|name| name.to_string()).collect::<Vec<_>>();
    let symbols = ["0", "1", "2", "3", "4", "5"];
    let cycle = |cells: &[usize]| {
        let next = cells.iter().cycle().skip(1);
        let then = cells.iter().zip(next).map(|(&from, &to)| (to as i64, copy(from))).collect();
        MoveData { name: format!("{cells:?}"), ..a_move(Vec::new(), then) }
    };
    let turn = |cells: &[i64], of: usize| {
        let map: BTreeMap<_, _> = (0..of).map(|name| (name.to_string(), ((name + 1) % of).to_string())).collect();
        let then = cells.iter().map(|&cell| (cell, SourceData::Copy { copy: cell, map: map.clone() })).collect();
        MoveData { name: format!("{cells:?}"), ..a_move(Vec::new(), then) }
    };
    let held = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
    // Three pieces of two stickers each. Two moves turn places around, and one of them also flips pieces.
    let pieces = [cycle(&[0, 2, 4]), cycle(&[1, 3, 5]), cycle(&[0, 1])];
    let both =
        MoveData { name: "both".to_owned(), ..a_move(Vec::new(), [&pieces[0].then[..], &pieces[1].then].concat()) };
    vec![
        ("planes", boards::slide(3, 2)),
        ("placement", boards::marks(3, 3, 3)),
        ("multiset", rules(&symbols[..3], held("001122"), vec![cycle(&[0, 1, 2, 3]), cycle(&[2, 3, 4, 5])])),
        ("toggle", rules(&symbols[..2], held("0000"), vec![turn(&[0, 1], 2), turn(&[1, 2, 3], 2), turn(&[3], 2)])),
        ("dial", rules(&symbols[..3], held("0000"), vec![turn(&[0, 1], 3), turn(&[1, 2], 3), turn(&[3], 3)])),
        ("pieces", rules(&symbols, names(6), vec![both, pieces[2].clone()])),
    ]
}

#[test]
fn walls_take_no_rules_their_perfect_index() {
    let go_on = &|_: &crate::run::Progress| ControlFlow::Continue(());
    let base = new_folder("fenced");
    for (shape, data) in of_every_shape() {
        let (plain, engine) = (Engine::new(&data).unwrap(), Engine::new(&fenced(&data)).unwrap());
        let (index, small) = (engine.index().unwrap(), plain.index().unwrap());
        assert_eq!((index.len(), index.cut()), (small.len(), small.cut()), "{shape}");
        for number in (0..index.len()).step_by(7) {
            let state = index.unrank(number);
            let inner: Vec<u8> = state.iter().skip(1).step_by(2).map(|&symbol| symbol - 1).collect();
            assert_eq!((inner, index.rank(&state)), (small.unrank(number), Some(number)), "{shape}");
            let mut without = state.clone();
            without[2] = 1;
            assert_eq!(index.rank(&without), None, "{shape}");
        }
        for symmetry in [false, true] {
            let found = count(&engine, Store::Dense, symmetry);
            assert!(found.is_some(), "{shape}");
            assert_eq!(found, count(&plain, Store::Dense, symmetry), "{shape}");
            assert_eq!(found, count(&engine, Store::Sparse, symmetry), "{shape}");
        }
        // A job of the dense store has the same states as one of the sparse store.
        let mut rows = Vec::new();
        for store in [Store::Dense, Store::Sparse] {
            let job = |resume| keep(&base.join(format!("{shape}-{}", store.name())), resume);
            let options = |max_depth| Options { threads: 1, store, max_depth, ..Options::default() };
            engine.enumerate_job(&options(Some(2)), &job(false), go_on).unwrap();
            engine.enumerate_job(&options(Some(100)), &job(true), go_on).unwrap();
            let manifest = engine.verify_job(1 << 30, &job(false), go_on).unwrap();
            assert_eq!((manifest.complete, manifest.subject.cut.is_some()), (true, store == Store::Dense), "{shape}");
            let mut read = Vec::new();
            let take = &mut |found| {
                read.push(found);
                Ok(())
            };
            engine.read_job(&job(false), &Span::default(), go_on, take).unwrap();
            rows.push((read, engine.hash_job(&job(false), go_on).unwrap()));
        }
        assert_eq!(rows[0], rows[1], "{shape}");
    }
    std::fs::remove_dir_all(&base).unwrap();
}

#[test]
fn walls_change_no_value_of_placements() {
    let go_on = &|_: &crate::run::Progress| ControlFlow::Continue(());
    let base = new_folder("values");
    let data = boards::marks(3, 3, 3);
    let mut values = Vec::new();
    for (name, data) in [("plain", data.clone()), ("fenced", fenced(&data))] {
        let (engine, job) = (Arc::new(Engine::new(&data).unwrap()), keep(&base.join(name), false));
        let options = Options { threads: 1, store: Store::Dense, ..Options::default() };
        engine.values_job(&options, Some(false), &job, go_on).unwrap();
        assert!(engine.verify_job(1 << 30, &job, go_on).unwrap().subject.cut.is_some(), "{name}");
        let (mut found, lookup) = (BTreeMap::new(), engine.lookup(&job).unwrap());
        let take = &mut |rows: crate::engine::Rows| {
            for (row, value) in rows.values.iter().flatten().enumerate() {
                let state = rows.state(row);
                let inner = |cell: &u8| if name == "plain" { *cell } else { cell - 1 };
                let step = if name == "plain" { 1 } else { 2 };
                let cells: Vec<u8> = state.cells.iter().skip(step - 1).step_by(step).map(inner).collect();
                let sought = [&state.cells[..], &[state.player as u8]].concat();
                let looked = lookup.look_up(&sought, 0, go_on).unwrap()[0].unwrap();
                assert_eq!(looked.value, *value);
                found.insert((cells, state.player), format!("{value:?}"));
            }
            Ok(())
        };
        engine.read_job(&job, &Span::default(), go_on, take).unwrap();
        values.push(found);
    }
    assert!(values[0].len() > 700 && values[0] == values[1]);
    std::fs::remove_dir_all(&base).unwrap();
}

#[test]
fn single_states_are_answered_as_with_words_of_all_cells() {
    let tally = Tally::default();
    random_rules(450, |data, random| {
        let (engine, whole) = (Engine::new(&data).unwrap(), Engine::with_whole_words(&data).unwrap());
        let mut states = vec![engine.start()];
        states.extend(engine.expand(&states[0]).unwrap().into_iter().map(|(_, state)| state));
        let free = |indexes: &Vec<Index>| State {
            cells: (0..data.start.len()).map(|cell| indexes[cell].index(data.symbols.len()) as u8).collect(),
            player: indexes[0].index(data.players.len().max(1)),
        };
        states.extend(random.iter().map(free));
        for state in &states {
            prop_assert_eq!(engine.expand(state), whole.expand(state));
            prop_assert_eq!(engine.outcome(state), whole.outcome(state));
            prop_assert_eq!(engine.solved(state), whole.solved(state));
            prop_assert_eq!(engine.canonical(state), whole.canonical(state));
            prop_assert_eq!(engine.key(state), whole.key(state));
            let watch = &|_: &crate::run::Progress| ControlFlow::Continue(());
            if data.players.len() == 2 {
                let found = |engine: &Engine| engine.best_moves(state, Question::default(), watch).unwrap().found;
                prop_assert_eq!(found(&engine), found(&whole));
            } else if !data.goal.is_empty() {
                let found = |engine: &Engine| engine.solve(state, Budget::default(), watch).unwrap().solution;
                match (found(&engine), found(&whole)) {
                    (Solution::Moves(here, _), Solution::Moves(there, _)) => {
                        prop_assert_eq!(here.len(), there.len());
                        let play = |state: State, &index: &usize| engine.apply(&state, index).unwrap();
                        prop_assert!(engine.solved(&here.iter().fold(state.clone(), play)).unwrap());
                        one_more(&tally.solved);
                    }
                    (here, there) => {
                        prop_assert_eq!(here, there);
                        one_more(&tally.unsolved);
                    }
                }
            }
            if engine.machine.varying().stranger(&state.cells).is_some() {
                one_more(&tally.foreign);
            }
        }
        let scramble = |engine: &Engine| engine.scramble("seed", None).ok().map(|scramble| scramble.state);
        prop_assert_eq!(scramble(&engine), scramble(&whole));
        Ok(())
    });
    let counts = [&tally.solved, &tally.unsolved, &tally.foreign].map(Cell::get);
    assert!(counts.iter().all(|&count| count > 150), "solved, unsolved and foreign states: {counts:?}");
}

/// A row of walls `#`, then pegs `o` that jump over each other onto a `.`, then walls again. The jumps are written for
/// all cells, walls included.
fn pegs() -> RulesData {
    let start: Vec<String> = "##oo.ooooo.oo#".chars().map(String::from).collect();
    let last = start.len() as i64 - 1;
    let mut data = rules(&["#", ".", "o"], start, Vec::new());
    for (from, step) in (0..=last).flat_map(|from| [(from, 1), (from, -1)]) {
        let (over, to) = (from + step, from + 2 * step);
        if (0..=last).contains(&to) {
            let held = |cell, symbol: &str| (cell, vec![symbol.to_owned()]);
            let when = vec![held(from, "o"), held(over, "o"), held(to, ".")];
            let then = vec![(from, write(".")), (over, write(".")), (to, write("o"))];
            data.moves.push(MoveData { name: format!("{from}-{to}"), ..a_move(when, then) });
        }
    }
    data.goal = vec![GoalData::Pattern(vec![(2, vec!["o".to_owned()])])];
    data
}

fn enumerate(engine: &Engine, job: &JobFolder, max_depth: Option<u64>) {
    let options = Options { threads: 1, store: Store::Sparse, max_depth, ..Options::default() };
    engine.enumerate_job(&options, job, &|_| ControlFlow::Continue(())).unwrap();
}

#[test]
fn jobs_are_read_with_the_words_that_wrote_them() {
    let data = pegs();
    let (engine, whole) = (Engine::new(&data).unwrap(), Engine::with_whole_words(&data).unwrap());
    let base = new_folder("jobs");
    let go_on = &|_: &crate::run::Progress| ControlFlow::Continue(());
    let mut found = Vec::new();
    for (name, writer, readers) in [("part", &engine, [&engine, &whole]), ("whole", &whole, [&whole, &engine])] {
        let folder = base.join(name);
        enumerate(writer, &keep(&folder, false), Some(2));
        let layout = Manifest::of_folder(&folder).unwrap().subject.encoding;
        assert_eq!((layout.word_layout, layout.cells.len()), if name == "part" { (2, 11) } else { (1, 0) });
        for reader in readers {
            // Each engine resumes the job for one depth, and reads the states that both engines wrote.
            let depths = Manifest::of_folder(&folder).unwrap().depths.len() as u64;
            enumerate(reader, &keep(&folder, true), Some(depths));
            let manifest = reader.verify_job(1 << 30, &keep(&folder, false), go_on).unwrap();
            assert_eq!((manifest.depths.len() as u64, &manifest.subject.encoding), (depths + 1, &layout));
            let mut rows = Vec::new();
            let read = reader.read_job(&keep(&folder, false), &Span::default(), go_on, &mut |found| {
                rows.push(found);
                Ok(())
            });
            read.unwrap();
            found.push((depths, reader.hash_job(&keep(&folder, false), go_on).unwrap(), rows));
        }
    }
    // The jobs of both layouts have the same states, and the same tables, including the packed states.
    assert_eq!(found[..2], found[2..]);
    std::fs::remove_dir_all(&base).unwrap();
}

#[test]
fn a_manifest_whose_cells_tell_no_state_is_damaged() {
    let (engine, folder) = (Engine::new(&pegs()).unwrap(), new_folder("damaged"));
    enumerate(&engine, &keep(&folder, false), Some(1));
    let manifest = Manifest::of_folder(&folder).unwrap();
    let says = |change: &dyn Fn(&mut Manifest)| {
        let mut changed = manifest.clone();
        change(&mut changed);
        std::fs::write(folder.join("manifest.json"), changed.to_text()).unwrap();
        engine.verify_job(1 << 30, &keep(&folder, false), &|_| ControlFlow::Continue(())).unwrap_err()
    };
    for cells in [vec![], vec![2, 3], (0..20).collect(), vec![3, 2]] {
        let error = says(&|manifest| manifest.subject.encoding.cells.clone_from(&cells));
        assert!(matches!(&error, Error::Corrupt(text) if text.contains("do not tell a state")), "{error}");
    }
    let error = says(&|manifest| manifest.subject.encoding.word_layout = 3);
    assert!(matches!(&error, Error::Job(text) if text.contains("word layout 3")), "{error}");
    let error = says(&|manifest| {
        manifest.subject.encoding.cells = vec![3, 2];
        manifest.subject.rules = "another".to_owned();
    });
    assert!(
        matches!(&error, Error::Job(text) if text.contains("are not those that the job was begun with")),
        "{error}"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_board_too_wide_for_any_word_is_one_if_little_of_it_varies() {
    // 2,000 cells of 8 bits would take 16,000 bits. But only three cells vary, each with one of four symbols.
    let names: Vec<String> = (0..200).map(|name| name.to_string()).collect();
    let symbols: Vec<&str> = names.iter().map(String::as_str).collect();
    let start = (0..2000).map(|cell| if cell < 3 { "0".to_owned() } else { names[cell % 196 + 4].clone() }).collect();
    let map: BTreeMap<String, String> = (0..4).map(|name| (name.to_string(), ((name + 1) % 4).to_string())).collect();
    let turn = |cell: i64| vec![(cell, SourceData::Copy { copy: cell, map: map.clone() })];
    let moves = (0..3).map(|cell| MoveData { name: cell.to_string(), ..a_move(Vec::new(), turn(cell)) }).collect();
    let engine = Engine::new(&rules(&symbols, start, moves)).unwrap();
    assert_eq!((engine.word_bits(), count(&engine, Store::Sparse, true).unwrap().len()), (32, 10));
    let mut state = engine.start();
    state.cells[1999] = 0;
    let error = engine.moves(&state).unwrap_err().to_string();
    assert!(error.contains("cell 1999 of the state holds \"0\", which it never holds in play"), "{error}");
}
