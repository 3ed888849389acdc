//! Rules to test with, made without Python. The benchmarks include this file, too, so it imports everything from
//! `super`.
#![allow(clippy::cast_possible_wrap, reason = "boards are small")]
#![allow(dead_code, reason = "each test uses some of these")]

use super::{EndData, MoveData, PatternData, RulesData, SourceData, SymmetryData};

fn names(symbols: &str) -> Vec<String> {
    symbols.chars().map(String::from).collect()
}

/// A game in which two players put marks on a board: whoever has `win` marks in a row wins.
pub fn marks(rows: usize, columns: usize, win: usize) -> RulesData {
    let cell = |row: usize, column: usize| (row * columns + column) as i64;
    let mut lines = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            for (down, right) in [(0, 1), (1, 0), (1, 1), (1, -1)] {
                let at = |i: usize| (row as i64 + down * i as i64, column as i64 + right * i as i64);
                let (end_row, end_column) = at(win - 1);
                let inside = (0..rows as i64).contains(&end_row) && (0..columns as i64).contains(&end_column);
                let first = win > 1 || (down, right) == (0, 1);
                if inside && first {
                    lines.push((0..win).map(|i| at(i).0 * columns as i64 + at(i).1).collect::<Vec<i64>>());
                }
            }
        }
    }
    let mut moves = Vec::new();
    let mut ends = Vec::new();
    for mark in ["X", "O"] {
        for to in 0..(rows * columns) as i64 {
            moves.push(MoveData {
                name: to.to_string(),
                player: Some(mark.to_owned()),
                when: vec![(to, names("."))],
                then: vec![(to, SourceData::Symbol(mark.to_owned()))],
                ..MoveData::default()
            });
        }
        for line in &lines {
            let when = line.iter().map(|&cell| (cell, vec![mark.to_owned()])).collect();
            ends.push(EndData { outcome: mark.to_owned(), when, wins: true, ..EndData::default() });
        }
    }
    let symmetry = |name: &str, image: &dyn Fn(usize, usize) -> i64| SymmetryData {
        name: name.to_owned(),
        cells: (0..rows * columns).map(|at| image(at / columns, at % columns)).collect(),
        symbols: [].into(),
        swap_players: false,
    };
    let mut symmetries = vec![
        symmetry("upside down", &|row, column| cell(rows - 1 - row, column)),
        symmetry("left to right", &|row, column| cell(row, columns - 1 - column)),
    ];
    if rows == columns {
        symmetries.push(symmetry("transpose", &|row, column| cell(column, row)));
    }
    RulesData {
        symbols: names(".XO"),
        start: names(&".".repeat(rows * columns)),
        players: names("XO"),
        moves,
        goal: Vec::new(),
        ends,
        stuck: Some("draw".to_owned()),
        score: None,
        symmetries: symmetries.into(),
    }
}

/// A sliding puzzle: the blank changes places with a neighbour. Tiles are letters, and the blank is `.` and starts in
/// cell 0.
pub fn slide(rows: usize, columns: usize) -> RulesData {
    let symbols: Vec<String> =
        (0..rows * columns).map(|tile| if tile == 0 { ".".to_owned() } else { format!("t{tile}") }).collect();
    let mut moves = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let blank = (row * columns + column) as i64;
            let neighbours = [
                ("up", row > 0, -(columns as i64)),
                ("down", row + 1 < rows, columns as i64),
                ("left", column > 0, -1),
                ("right", column + 1 < columns, 1),
            ];
            for (name, _, distance) in neighbours.into_iter().filter(|&(_, inside, _)| inside) {
                let then = vec![
                    (blank, SourceData::Copy { copy: blank + distance, map: [].into() }),
                    (blank + distance, SourceData::Copy { copy: blank, map: [].into() }),
                ];
                moves.push(MoveData {
                    name: format!("{name} {blank}"),
                    player: None,
                    when: vec![(blank, vec![".".to_owned()])],
                    then,
                    ..MoveData::default()
                });
            }
        }
    }
    let goal = vec![
        symbols
            .iter()
            .enumerate()
            .map(|(cell, symbol)| (cell as i64, vec![symbol.clone()]))
            .collect::<PatternData>()
            .into(),
    ];
    RulesData {
        start: symbols.clone(),
        symbols,
        players: Vec::new(),
        moves,
        goal,
        ends: Vec::new(),
        stuck: None,
        score: None,
        symmetries: Vec::new().into(),
    }
}

/// A turning puzzle: a move turns a block of 2x2 cells clockwise. All tiles are different.
pub fn turn(rows: usize, columns: usize) -> RulesData {
    let symbols: Vec<String> = (0..rows * columns).map(|tile| format!("t{tile}")).collect();
    let mut moves = Vec::new();
    for row in 0..rows - 1 {
        for column in 0..columns - 1 {
            let corner = row * columns + column;
            let ring = [corner, corner + 1, corner + columns + 1, corner + columns];
            let then = (0..4)
                .map(|i| (ring[(i + 1) % 4] as i64, SourceData::Copy { copy: ring[i] as i64, map: [].into() }))
                .collect();
            moves.push(MoveData {
                name: corner.to_string(),
                player: None,
                when: Vec::new(),
                then,
                ..MoveData::default()
            });
        }
    }
    RulesData {
        start: symbols.clone(),
        symbols,
        players: Vec::new(),
        moves,
        goal: Vec::new(),
        ends: Vec::new(),
        stuck: None,
        score: None,
        symmetries: Vec::new().into(),
    }
}
