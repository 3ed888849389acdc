//! Tests of answers that whole engines give: all shortest solutions are those of the obvious search, and a solution
//! that the caller hands in is improved or returned.

use std::ops::ControlFlow;

use super::{GO_ON, boards};
use crate::engine::{Engine, State};
use crate::run::Budget;
use crate::solve::{Asked, ProvenLength, Solution, Technique};

/// A sliding puzzle of 2 by 3 cells.
fn slider() -> Engine {
    Engine::new(&boards::slide(2, 3)).unwrap()
}

/// The obvious search: tries all sequences of `length` moves, and returns those that lead to the goal.
fn obvious(engine: &Engine, state: &State, length: usize) -> Vec<Vec<usize>> {
    if length == 0 {
        return if engine.solved(state).unwrap() { vec![Vec::new()] } else { Vec::new() };
    }
    let mut found = Vec::new();
    for index in engine.moves(state).unwrap() {
        let after = engine.apply(state, index).unwrap();
        found.extend(obvious(engine, &after, length - 1).into_iter().map(|rest| [vec![index], rest].concat()));
    }
    found
}

/// The Ivy cube, a turning puzzle of 29,160 states: it has six petals of one colour each, and four corners of three
/// stickers. A turn of a corner moves the corner's stickers and the three petals beside it in cycles.
fn ivy() -> Engine {
    let (faces, corners) = (["w", "y", "r", "o", "b", "g"], ["wrb", "wog", "yrg", "yob"]);
    let face = |letter: char| faces.iter().position(|face| face.starts_with(letter)).unwrap();
    let mut moves = Vec::new();
    for (number, corner) in corners.iter().enumerate() {
        let petals: Vec<usize> = corner.chars().map(face).collect();
        let stickers: Vec<usize> = (0..3).map(|at| 6 + 3 * number + at).collect();
        for by in [1, 2] {
            let ring = |ring: &[usize]| (0..3).map(|at| (ring[(at + by) % 3], ring[at])).collect::<Vec<_>>();
            let pairs = [ring(&petals), ring(&stickers)].concat().into_iter();
            let then: Vec<_> = pairs.map(|(to, from)| serde_json::json!([to, {"copy": from}])).collect();
            moves.push(serde_json::json!({"name": format!("{number}-{by}"), "then": then}));
        }
    }
    let start: Vec<String> = faces.concat().chars().chain(corners.concat().chars()).map(String::from).collect();
    let goal: Vec<_> = start.iter().enumerate().map(|(cell, name)| serde_json::json!([cell, [name]])).collect();
    let data = serde_json::json!({"symbols": faces, "start": start, "moves": moves, "goal": [goal]});
    Engine::new(&serde_json::from_value(data).unwrap()).unwrap()
}

#[test]
fn exchanged_stickers_are_told_by_the_group_without_a_search() {
    let engine = ivy();
    let start = engine.start().cells;
    // Each state has two stickers exchanged: two petals, two stickers of one corner, a petal and a sticker of a corner,
    // or two stickers of different corners.
    for (a, b) in [(0, 1), (6, 7), (0, 7), (6, 10), (6, 13)] {
        let mut cells = start.clone();
        cells.swap(a, b);
        assert_ne!(cells, start);
        let asked = Asked { budget: Budget::default(), seconds: None, first: None, cache: None };
        let found = engine.answer(&State { cells, player: 0 }, &asked, GO_ON).unwrap().solved;
        assert_eq!((found.solution, found.technique), (Solution::Unreachable, Technique::Algebra), "{a} {b}");
        assert_eq!(found.states, 0, "{a} {b}");
    }
}

#[test]
fn all_shortest_solutions_are_those_of_the_obvious_search() {
    let engine = slider();
    let mut several = 0;
    for seed in 0..40 {
        let state = engine.scramble(&format!("{seed}"), Some(9)).unwrap().state;
        let Solution::Moves(moves, true) = engine.solve(&state, Budget::default(), GO_ON).unwrap().solution else {
            panic!("it is solved")
        };
        let expected = obvious(&engine, &state, moves.len());
        let proven = ProvenLength { length: moves.len(), technique: Technique::BothEnds };
        let found = engine.every(&state, proven, 1000, Budget::default(), GO_ON).unwrap().unwrap();
        assert_eq!((&found.solutions, found.complete), (&expected, true));
        // The depth-first search finds the same solutions.
        let by_deepening = ProvenLength { technique: Technique::Deepening, ..proven };
        let mut found = engine.every(&state, by_deepening, 1000, Budget::default(), GO_ON).unwrap().unwrap();
        found.solutions.sort();
        assert_eq!((found.solutions, found.complete), (expected.clone(), true));
        if expected.len() > 1 {
            several += 1;
            let first = engine.every(&state, proven, 1, Budget::default(), GO_ON).unwrap().unwrap();
            assert_eq!((first.solutions, first.complete), (expected[..1].to_vec(), false));
        }
    }
    assert!(several > 0);
    let state = engine.scramble("far", None).unwrap().state;
    let few = Budget { states: 3, ..Budget::default() };
    let proven = ProvenLength { length: 15, technique: Technique::BothEnds };
    assert_eq!(engine.every(&state, proven, 10, few, GO_ON).unwrap(), None);
}

#[test]
fn moves_that_are_handed_in_are_an_answer_within_any_budget() {
    let engine = slider();
    let state = engine.scramble("handed in", Some(12)).unwrap().state;
    let Solution::Moves(fewest, true) = engine.solve(&state, Budget::default(), GO_ON).unwrap().solution else {
        panic!("it is solved")
    };
    // The solution that is handed in is two moves too long: it makes a move and undoes it, and then follows the
    // shortest solution.
    let (there, after) = engine.expand(&state).unwrap().remove(0);
    let mut back = engine.expand(&after).unwrap();
    back.retain(|(_, next)| *next == state);
    let longer: Vec<usize> = [there, back[0].0].into_iter().chain(fewest.iter().copied()).collect();
    for states in [0, 1, 5, 100, 1_000_000] {
        let budget = Budget { states, ..Budget::default() };
        let asked = Asked { budget, seconds: None, first: Some(longer.clone()), cache: None };
        let answered = engine.answer(&state, &asked, GO_ON).unwrap();
        let Solution::Moves(moves, proven) = answered.solved.solution else { panic!("{states}: it was handed in") };
        assert_eq!((proven, proven), (moves.len() == fewest.len(), answered.limit.is_none()), "{states}");
        assert!(moves == longer || moves.len() == fewest.len(), "{states}: {moves:?}");
    }
    let asked = Asked { budget: Budget::default(), seconds: None, first: Some(longer.clone()), cache: None };
    let stopped = engine.answer(&state, &asked, &|_| ControlFlow::Break(())).unwrap();
    assert!(matches!(stopped.solved.solution, Solution::Moves(..)));
}
