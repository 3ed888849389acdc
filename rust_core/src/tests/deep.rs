//! Tests that no input makes a thread run out of its stack, however deep or wide it is. They run on threads with small
//! stacks.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::{Value, json};

use super::{GO_ON, quick_or_long};
use crate::engine::{Engine, State};
use crate::run::{Budget, Watch};
use crate::solve::{Asked, Play, ProvenLength, Question, Solution, Solved, Technique};

/// The bytes of a small stack. They are enough for a search that is not deep, even in code that is not optimised.
const STACK: usize = 192 << 10;

/// Does some work on a thread with a small stack, and fails if the work panics. If the stack overflows, the process
/// aborts.
fn on_a_small_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        thread.expect("a thread can be started").join().expect("the work ends")
    })
}

fn engine(data: Value) -> Engine {
    Engine::new(&serde_json::from_value(data).expect("rules")).expect("rules that hold")
}

/// A puzzle of several rings of cells. One move turns all rings by a cell, so the states form one long ring. With
/// `back`, there is also a move that turns them back. The start is the goal.
fn corridor(rings: &[usize], back: bool) -> Engine {
    let (mut ahead, mut first) = (Vec::new(), 0);
    for &len in rings {
        ahead.extend((0..len).map(|at| (first + at, first + (at + 1) % len)));
        first += len;
    }
    let names: Vec<String> = (0..first).map(|cell| format!("s{cell}")).collect();
    let turn = |name: &str, pairs: &mut dyn Iterator<Item = (usize, usize)>| {
        let then: BTreeMap<usize, usize> = pairs.map(|(from, to)| (to, from)).collect();
        let then: Vec<_> = then.into_iter().map(|(to, from)| json!([to, {"copy": from}])).collect();
        json!({"name": name, "then": then})
    };
    let mut moves = vec![turn("go", &mut ahead.iter().copied())];
    if back {
        moves.push(turn("back", &mut ahead.iter().map(|&(from, to)| (to, from))));
    }
    let goal: Vec<_> = names.iter().enumerate().map(|(cell, name)| json!([cell, [name]])).collect();
    engine(json!({"symbols": names, "start": names, "moves": moves, "goal": [goal]}))
}

/// The state from which the goal is `moves` turns ahead.
fn before(rings: &[usize], moves: usize) -> State {
    let (mut cells, mut first) = (Vec::new(), 0);
    for &len in rings {
        cells.extend((0..len).map(|at| (first + (at + moves) % len) as u8));
        first += len;
    }
    State { cells, player: 0 }
}

/// The engine's answer on one thread with a small stack, with room for `states` states. It stops when `searched` states
/// were searched.
fn answer(engine: &Engine, state: &State, states: usize, searched: u64) -> Solved {
    let budget = Budget { states, threads: 1, ..Budget::default() };
    let asked = Asked { budget, seconds: None, first: None, cache: None };
    let watch: Watch =
        &|progress| if progress.states > searched { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    on_a_small_stack(|| engine.answer(state, &asked, watch).expect("an answer").solved)
}

#[test]
fn whether_a_player_always_has_a_move_is_asked_of_many_cells() {
    // Each cell may be emptied, and play is over when all are empty.
    let cells = 600;
    let moves: Vec<Value> = (0..cells)
        .map(|cell| json!({"name": cell.to_string(), "when": [[cell, ["x"]]], "then": [[cell, "."]]}))
        .collect();
    let empty: Vec<Value> = (0..cells).map(|cell| json!([cell, ["."]])).collect();
    let data = json!({"symbols": [".", "x"], "start": vec!["x"; cells], "moves": moves,
        "ends": [{"when": empty, "outcome": "draw"}]});
    let start = on_a_small_stack(|| engine(data).rules().start.len());
    assert_eq!(start, cells);
}

#[test]
fn a_solution_of_hundreds_of_moves_is_found_and_so_are_all_of_its_length() {
    // The states form a ring of 16 · 9 · 5 · 7 states, since the lengths have no common factors.
    let rings = [16, 9, 5, 7];
    for (back, length) in [(false, quick_or_long(300, 400) as usize), (true, quick_or_long(60, 400) as usize)] {
        let (engine, state) = (corridor(&rings, back), before(&rings, length));
        let found = answer(&engine, &state, length * 3 / 4, u64::MAX);
        assert_eq!((found.solution, found.technique), (Solution::Moves(vec![0; length], true), Technique::Deepening));
        // If moves go in both directions, the depth-first search is not asked for all solutions of this length. It
        // would take long to rule out all sequences of that length that go back and forth.
        for technique in [Technique::Deepening, Technique::BothEnds].into_iter().skip(usize::from(back)) {
            let budget = Budget { threads: 1, ..Budget::default() };
            let every =
                on_a_small_stack(|| engine.every(&state, ProvenLength { length, technique }, 10, budget, GO_ON));
            let every = every.expect("it is a puzzle").expect("it fits");
            assert_eq!((every.solutions, every.complete), (vec![vec![0; length]], true));
        }
    }
}

#[test]
fn what_cannot_be_solved_is_searched_until_the_limit() {
    // Two of the four beads are `b`. No moves lead from `aabb` to the goal `abba`.
    let cycle = |cells: &[usize], cell: usize, held: &str| {
        let then: BTreeMap<usize, usize> =
            cells.iter().enumerate().map(|(at, &from)| (cells[(at + 1) % cells.len()], from)).collect();
        let then: Vec<_> = then.into_iter().map(|(to, from)| json!([to, {"copy": from}])).collect();
        json!({"name": format!("{cells:?}"), "when": [[cell, [held]]], "then": then})
    };
    let moves = [cycle(&[0, 2, 1, 3], 1, "b"), cycle(&[1, 0, 2, 3], 2, "b"), cycle(&[0, 2, 1], 0, "b")];
    let goal: Vec<_> = ["a", "b", "b", "a"].iter().enumerate().map(|(cell, held)| json!([cell, [held]])).collect();
    let engine = engine(json!({"symbols": ["a", "b"], "start": ["a", "b", "b", "a"], "moves": moves, "goal": [goal]}));
    let state = State { cells: vec![0, 0, 1, 1], player: 0 };
    let found = answer(&engine, &state, 1, 300_000).solution;
    assert!([Solution::Unreachable, Solution::Full, Solution::Stopped].contains(&found), "{found:?}");
}

#[test]
fn namesakes_that_a_thousand_guards_part_are_compared() {
    // All moves share a name. Two moves exclude each other if they need different symbols in the same cell. Moves of
    // different cells do not exclude each other.
    let cells = 1000;
    let turns =
        |cell: usize, from: &str, to: &str| json!({"name": "go", "when": [[cell, [from]]], "then": [[cell, to]]});
    let moves: Vec<_> = (0..cells).flat_map(|cell| [turns(cell, "a", "b"), turns(cell, "b", "a")]).collect();
    let start: Vec<_> = vec!["a"; cells];
    let data = json!({"symbols": ["a", "b"], "start": start, "moves": moves});
    let data = serde_json::from_value(data).expect("rules");
    let refused = on_a_small_stack(|| Engine::new(&data).expect_err("two moves share a name"));
    assert!(refused.to_string().contains("\"go\""), "{refused}");
}

#[test]
fn a_game_of_more_moves_than_are_looked_ahead_has_no_answer() {
    // A token goes along a line of hundreds of cells, one cell at a time. Besides, either player may once mark a cell
    // that is not in the line.
    let cells = quick_or_long(100, 450) as usize;
    let step = |from: usize| {
        let then = json!([[from, "."], [from + 1, "t"]]);
        json!({"name": format!("{from}+1"), "when": [[from, ["t"]]], "then": then})
    };
    let mut moves: Vec<_> = (0..cells - 1).map(step).collect();
    moves.push(json!({"name": "mark", "when": [[cells, ["."]]], "then": [[cells, "t"]]}));
    let mut start = vec!["."; cells + 1];
    start[0] = "t";
    let engine = engine(json!({"symbols": [".", "t"], "start": start, "players": ["P", "Q"], "moves": moves,
        "ends": [], "stuck": "loss"}));
    let question = Question { budget: Budget { states: 40, threads: 1, ..Budget::default() }, exact: false };
    let found = on_a_small_stack(|| engine.best_moves(&engine.start(), question, GO_ON)).expect("it is a game").found;
    assert!(!matches!(found, Play::Solved { .. }), "{found:?}");
}
