//! Tests of the lower bound that follows from the numbers of pieces: it is never more than the fewest moves, in random
//! rules and in known puzzles.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::json;

use super::brute;
use super::naive::{self, Cells};
use crate::engine::{Engine, State};
use crate::random::Random;
use crate::rules::RulesData;
use crate::run::Budget;
use crate::solve::{Asked, Limit, Solution};

/// For each state from which moves lead to the goal, the fewest such moves. Round `n` tries all states that have no
/// number yet, and gives `n` to those from which one move leads to a state of the round before.
fn distances(data: &RulesData) -> BTreeMap<Cells, u32> {
    let mut states = vec![Cells::new()];
    for _ in &data.start {
        let longer = |state: &Cells| -> Vec<Cells> {
            data.symbols.iter().map(|name| [&state[..], std::slice::from_ref(name)].concat()).collect()
        };
        states = states.iter().flat_map(longer).collect();
    }
    let solved = |state: &Cells| data.goal.iter().any(|goal| naive::solved(goal, state));
    let mut found: BTreeMap<Cells, u32> =
        states.iter().filter(|state| solved(state)).map(|state| (state.clone(), 0)).collect();
    for depth in 1.. {
        let nearer = |state: &&Cells| {
            let after = naive::successors(data, state, 0);
            !found.contains_key(*state) && after.iter().any(|(next, _)| found.get(next) == Some(&(depth - 1)))
        };
        let next: Vec<Cells> = states.iter().filter(nearer).cloned().collect();
        if next.is_empty() {
            return found;
        }
        found.extend(next.into_iter().map(|state| (state, depth)));
    }
    unreachable!("there are only so many states")
}

/// Random rules of five cells. Each move needs certain symbols in two cells and writes both. The goal is a count of a
/// symbol.
fn counting_rules(random: &mut Random) -> RulesData {
    const SYMBOLS: [&str; 3] = ["a", "b", "c"];
    let symbol = |random: &mut Random| SYMBOLS[random.below(3) as usize];
    let two = |random: &mut Random| {
        let first = random.below(3) as usize;
        [SYMBOLS[first], SYMBOLS[(first + 1) % 3]]
    };
    let moves: Vec<_> = (0..5)
        .map(|name| {
            let one = random.below(5);
            let other = (one + 1 + random.below(4)) % 5;
            let when = json!([[one, [symbol(random)]], [other, two(random)]]);
            let then = match random.below(3) {
                0 => json!([[one, {"copy": other}], [other, {"copy": one}]]),
                1 => json!([[one, symbol(random)], [other, {"copy": one}]]),
                _ => json!([[one, symbol(random)], [other, symbol(random)]]),
            };
            json!({"name": name.to_string(), "when": when, "then": then})
        })
        .collect();
    let of = if random.below(2) == 0 { json!(null) } else { json!([0, 1, 2, 3]) };
    let count = json!({"symbols": [symbol(random)], "at_least": 2 + random.below(3), "of": of});
    let when = json!([[random.below(5), two(random)]]);
    let goal = json!([{"when": when, "counts": [count]}]);
    let start: Vec<_> = (0..5).map(|_| symbol(random)).collect();
    let data = json!({"symbols": SYMBOLS, "start": start, "moves": moves, "goal": goal});
    serde_json::from_value(data).unwrap()
}

#[test]
fn the_bound_is_never_more_than_the_fewest_moves() {
    let (puzzles, several, exact, never) = (Cell::new(0), Cell::new(0), Cell::new(0), Cell::new(0));
    let add = |count: &Cell<u32>, happened: bool| count.set(count.get() + u32::from(happened));
    let check = |data: &RulesData| {
        let Ok(engine) = Engine::new(data) else { return };
        add(&puzzles, true);
        let found = distances(data);
        let code = |name: &String| data.symbols.iter().position(|known| known == name).unwrap() as u8;
        let every = 3usize.pow(data.start.len() as u32);
        for number in 0..every {
            let names: Cells =
                (0..data.start.len()).map(|cell| data.symbols[number / 3usize.pow(cell as u32) % 3].clone()).collect();
            let state = State { cells: names.iter().map(code).collect(), player: 0 };
            let bound = engine.least_moves(&state).unwrap();
            match (bound, found.get(&names)) {
                (None, fewest) => assert_eq!(fewest, None, "{names:?} {data:?}"),
                (Some(bound), Some(&fewest)) => {
                    assert!(bound <= fewest, "{bound} {fewest} {names:?} {data:?}");
                    add(&several, bound > 1);
                    add(&exact, bound == fewest && bound > 0);
                }
                (Some(_), None) => {}
            }
            add(&never, bound.is_none());
        }
    };
    brute::run(1_000, |data| {
        if !data.goal.is_empty() && data.players.is_empty() {
            check(&data);
        }
        Ok(())
    });
    for seed in 0..super::cases(150) {
        check(&counting_rules(&mut Random::new(&seed.to_string())));
    }
    for (count, least) in [(&puzzles, 200), (&several, 20), (&exact, 20), (&never, 20)] {
        assert!(count.get() > least, "{} {least}", count.get());
    }
}

/// Pegs in a row. A peg jumps over its neighbour, which is taken away. The goal is that `left` pegs are left.
fn pegs(row: &str, left: usize) -> Engine {
    let cells: Vec<String> = row.chars().map(String::from).collect();
    let jumps = (0..cells.len() as i64 - 2).flat_map(|cell| [[cell, cell + 1, cell + 2], [cell + 2, cell + 1, cell]]);
    let moves: Vec<_> = jumps
        .map(|[from, over, to]| {
            json!({"name": format!("{from}-{to}"), "when": [[from, ["o"]], [over, ["o"]], [to, ["."]]],
                "then": [[from, "."], [over, "."], [to, "o"]]})
        })
        .collect();
    let goal = json!({"counts": [{"symbols": ["o"], "at_least": left, "at_most": left}]});
    let data = json!({"symbols": [".", "o"], "start": cells, "moves": moves, "goal": [goal]});
    Engine::new(&serde_json::from_value(data).unwrap()).unwrap()
}

#[test]
fn each_jump_takes_one_peg() {
    let row = "oo.ooo.oooo.oo.o";
    let engine = pegs(row, 1);
    let state = engine.start();
    let bound = row.matches('o').count() as u32 - 1;
    assert_eq!(engine.least_moves(&state).unwrap(), Some(bound));
    // The bound is returned even if the search has no room for states.
    let budget = Budget { states: 1, ..Budget::default() };
    let asked = Asked { budget, seconds: None, first: None, cache: None };
    let answered = engine.answer(&state, &asked, &|_| ControlFlow::Continue(())).unwrap();
    assert_eq!((answered.solved.solution, answered.limit), (Solution::Full, Some(Limit::States)));
    assert_eq!(answered.solved.proof.lower_bound, bound);
    // An empty board cannot be solved, because no jump adds a peg.
    let empty = State { cells: vec![0; 16], player: 0 };
    assert_eq!(engine.least_moves(&empty).unwrap(), None);
    let answered = engine.answer(&empty, &asked, &|_| ControlFlow::Continue(())).unwrap();
    assert_eq!((answered.solved.solution, answered.solved.states), (Solution::Unreachable, 0));
}
