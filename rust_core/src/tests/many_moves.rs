//! Tests of rules with many moves, which sets find: they give the counts of the obvious search. Trees are compared with
//! sets and with plain trials move by move; see `compile/planted_steps.rs`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::oracle;
use super::{conditions, quick_or_long, tiered};
use crate::engine::Engine;
use crate::random::Random;
use crate::rules::{CountData, MoveData, PatternData, RulesData, SourceData};

/// Random rules of many moves. Guards look at few cells, which many of them share. Some allow several symbols, some
/// have conditions that other moves have, too, and some have conditions of their own.
pub fn drawn(random: &mut Random, cells: usize, players: usize) -> RulesData {
    let mut below = |count: usize| random.below(count as u64) as usize;
    let symbols = [2, 3, 5, 17][below(4)];
    let names: Vec<String> = (0..symbols).map(|symbol| symbol.to_string()).collect();
    let shared = |least: usize| CountData {
        symbols: vec![names[0].clone()],
        at_least: (least > 0).then_some(least as i64),
        at_most: (least == 0).then_some(cells as i64 / 2),
        of: None,
    };
    let mut moves = Vec::new();
    for at in 0..60 + below(100) {
        let mut when = PatternData::new();
        for _ in 0..=below(4) {
            let (cell, first) = (below(cells) as i64, below(symbols));
            let more = (0..symbols).filter(|&symbol| symbol == first || below(4) == 0);
            if when.iter().all(|(other, _)| *other != cell) {
                when.push((cell, more.map(|symbol| names[symbol].clone()).collect()));
            }
        }
        let written = (0..=below(3)).map(|_| below(cells) as i64);
        let written: BTreeSet<i64> = written.collect();
        let then = written.into_iter().map(|cell| (cell, SourceData::Symbol(names[below(symbols)].clone())));
        let then = then.collect();
        let counts: Vec<CountData> = (0..below(3) / 2).map(|_| shared(below(3))).collect();
        let player = (players == 2 && below(8) > 0).then(|| ["A", "B"][below(2)].to_owned());
        moves.push(MoveData {
            name: at.to_string(),
            player,
            when,
            then,
            counts,
            again: players == 2 && below(9) == 0,
            ..MoveData::default()
        });
    }
    let start = (0..cells).map(|_| names[below(symbols)].clone()).collect();
    let pass = MoveData { name: "pass".to_owned(), forced: true, ..MoveData::default() };
    moves.extend((players == 2 && below(2) == 0).then_some(pass));
    let symbols: Vec<&str> = names.iter().map(String::as_str).collect();
    let data = RulesData { moves, ..oracle::rules(&symbols, start, Vec::new()) };
    RulesData { players: ["A", "B"].iter().take(players).map(ToString::to_string).collect(), ..data }
}

/// Moves that take a number of tokens from one of a few cells. Some demand something of other cells, too; and if
/// moves share a cell, all of them demand something of one more cell.
pub fn takes(shares: bool, random: &mut Random) -> RulesData {
    let (cells, most) = (2 + random.below(5) as usize, 2 + random.below(5) as usize);
    let symbols: Vec<String> = (0..=most).map(|symbol| symbol.to_string()).collect();
    // In some moves, a third cell goes on to the next number.
    let next: BTreeMap<&String, &String> = symbols.iter().zip(symbols.iter().cycle().skip(1)).collect();
    let first = shares.then(|| [random.choose(&symbols).clone(), random.choose(&symbols).clone()]);
    let mut moves = Vec::new();
    for (from, held) in (0..cells).flat_map(|from| (1..=most).map(move |held| (from, held))) {
        let other = (from + 1 + random.below(cells as u64 - 1) as usize) % cells;
        let cut = random.below(most as u64 + 1) as usize;
        // If a cell holds an odd number, there are two moves: for few tokens in the other cell, and for more.
        let parts = if held % 2 == 0 { vec![&symbols[..]] } else { vec![&symbols[..=cut], &symbols[cut + 1..]] };
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let less = &symbols[random.below(held as u64) as usize];
            let mut then = vec![json!([from, less]), json!([other, part[0]])];
            let third = (0..cells).find(|&third| third != from && third != other);
            then.extend(third.filter(|_| random.below(2) == 0).map(|at| json!([at, {"copy": at, "map": next}])));
            let mut when = vec![json!([from, [symbols[held]]])];
            when.extend(first.as_ref().map(|first| json!([cells, [first[moves.len() % 2]]])));
            when.extend((part.len() <= most).then(|| json!([other, part])));
            moves.push(json!({"name": moves.len().to_string(), "when": when, "then": then}));
        }
    }
    let start: Vec<&String> = (0..=cells).map(|_| random.choose(&symbols)).collect();
    serde_json::from_value(json!({"symbols": symbols, "start": start, "moves": moves})).unwrap()
}

#[test]
fn many_moves_are_counted_right() {
    let mut random = Random::new("many moves");
    let mut compared = 0;
    for round in 0..quick_or_long(24, 400) {
        let mut data = drawn(&mut random, 3 + round as usize % 3, 1 + round as usize / 3 % 2);
        if data.symbols.len() > 3 {
            continue; // the obvious search would take too long
        }
        if round % 3 == 0 {
            conditions::add(&mut random, &mut data);
        }
        if round % 2 == 0 {
            let cells = data.start.len();
            (0..cells / 2).for_each(|cell| data.start[cells - 1 - cell] = data.start[cell].clone());
            tiered::mirror(&mut data, false);
            // A pass is its own mirror image.
            let first = data.moves.iter().position(|given| given.forced);
            let mut place = 0..;
            data.moves.retain(|given| place.next() == first || !given.forced);
        }
        data.moves.iter_mut().enumerate().for_each(|(place, given)| given.name = place.to_string());
        let Ok(engine) = Engine::new(&data) else { continue };
        oracle::compare(&engine, &data).unwrap_or_else(|error| panic!("{error} {data:?}"));
        compared += 1;
    }
    assert!(compared > 5, "{compared}");
}
