//! Tests of the parts of a search. Driven one partition at a time, as a cluster drives them, they give the counts of a
//! run. Jobs are checked in one pass or in many.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};

use super::absorb::absorb;
use super::block::{Block, BlockTask};
use super::close::{close, close_ended, count_open, nothing_of};
use super::end_tests::EndTests;
use super::hash::partition_of;
use super::partition::Partition;
use super::state_graph::StateGraph;
use super::{WordSearch, search, verify};
use crate::compile::{Compiled, ImageDelta, Images, MovesOfStates, Steps, Word};
use crate::error::{Error, Result};
use crate::job::{DepthEntry, Encoding, Job, JobPlace, Kind, NewJob, Subject};
use crate::random::Random;
use crate::rules::{Rules, RulesData, Varying};
use crate::run::{DepthReport, Grain, Options, Report, Stop, Store};
use crate::structure::{Structure, Window};
use crate::tests::{conditions, many_moves, quick_or_long};

/// Compiled rules, and the images of their symmetries.
pub struct Compilation<W> {
    compiled: Compiled<W>,
    images: Images<W>,
}

impl<W: Word> Compilation<W> {
    fn new(json: &str) -> Self {
        Self::of(&serde_json::from_str(json).unwrap())
    }

    fn of(data: &RulesData) -> Self {
        let rules = Arc::new(Rules::new(data).unwrap());
        let structure = Arc::new(Structure::new(Arc::clone(&rules)).unwrap());
        let compiled = Compiled::new(&structure, &Arc::new(Varying::of(&rules))).unwrap();
        let images = compiled.images(structure.turn_keeping());
        Self { compiled, images }
    }

    pub fn graph(&self) -> StateGraph<'_, W> {
        StateGraph::new(&self.compiled, &self.images)
    }

    fn run(&self, options: &Options, job: Option<&mut Job>) -> Result<Report> {
        let go_on = &|_: &_| ControlFlow::Continue(());
        Ok(search(&self.compiled, &self.images, WordSearch::default(), options, job, go_on)?.report)
    }
}

/// Dials in a ring. Each move turns two neighbouring dials by one step, always the same way, so the graph is directed.
/// The turns of the ring are the symmetries.
pub fn dials<W: Word>(count: usize) -> Compilation<W> {
    let turn = |cell: usize| format!(r#"[{cell}, {{"copy": {cell}, "map": {{"a": "b", "b": "c", "c": "a"}}}}]"#);
    let moves: Vec<String> = (0..count)
        .map(|at| format!(r#"{{"name": "{at}", "then": [{}, {}]}}"#, turn(at), turn((at + 1) % count)))
        .collect();
    Compilation::new(&format!(
        r#"{{"symbols": ["a", "b", "c"], "start": {:?}, "moves": [{}],
            "symmetries": [{{"name": "turn", "cells": {:?}}}]}}"#,
        vec!["a"; count],
        moves.join(", "),
        (1..=count).map(|cell| cell % count).collect::<Vec<_>>()
    ))
}

/// Tiles in a row. A move exchanges two neighbours, so it undoes itself, and the graph is inverse-closed.
pub fn tiles<W: Word>(count: usize) -> Compilation<W> {
    let names: Vec<String> = (0..count).map(|name| name.to_string()).collect();
    let moves: Vec<String> = (1..count)
        .map(|at| {
            format!(r#"{{"name": "{at}", "then": [[{at}, {{"copy": {}}}], [{}, {{"copy": {at}}}]]}}"#, at - 1, at - 1)
        })
        .collect();
    Compilation::new(&format!(r#"{{"symbols": {names:?}, "start": {names:?}, "moves": [{}]}}"#, moves.join(", ")))
}

/// A row of cells that two players fill. Three marks of a player side by side win, and a full row is a draw. Each move
/// adds a mark, so the graph is layered.
fn marks<W: Word>(count: usize) -> Compilation<W> {
    let (mut moves, mut ends) = (Vec::new(), Vec::new());
    for mark in ["X", "O"] {
        for cell in 0..count {
            let guard = format!(r#""when": [[{cell}, ["."]]]"#);
            let name = format!(r#""name": "{cell}", "player": "{mark}""#);
            moves.push(format!(r#"{{{name}, {guard}, "then": [[{cell}, "{mark}"]]}}"#));
        }
        for cell in 2..count {
            let line: Vec<String> = (cell - 2..=cell).map(|cell| format!(r#"[{cell}, ["{mark}"]]"#)).collect();
            ends.push(format!(r#"{{"outcome": "{mark}", "when": [{}]}}"#, line.join(", ")));
        }
    }
    Compilation::new(&format!(
        r#"{{"symbols": [".", "X", "O"], "start": {:?}, "players": ["X", "O"], "stuck": "draw",
            "moves": [{}], "ends": [{}], "symmetries": [{{"name": "over", "cells": {:?}}}]}}"#,
        vec!["."; count],
        moves.join(", "),
        ends.join(", "),
        (0..count).rev().collect::<Vec<_>>()
    ))
}

/// The ways in which the ends of [`rows_of_three`] differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wins {
    /// Three own marks in a row or a column win, and the masks of cells say so.
    Plain,
    /// A row of `XOX` ends the game with another outcome.
    Odd,
    /// Three marks win only if there are four crosses.
    Counted,
    /// Three noughts anywhere end the game, too, and no mask says anything of that.
    Full,
    /// Points decide, and they are the crosses less the noughts.
    Scored,
}

/// The rules of a board on which two players put marks into empty cells. If `falls`, they put them only onto other
/// marks, or into the last row. Symmetries are given by what they make of the cells.
fn rows_of_three([rows, columns]: [usize; 2], symmetries: &[Onto], falls: bool, wins: Wins) -> Value {
    let (cells, mut moves, mut ends) = (rows * columns, Vec::new(), Vec::new());
    let across = (0..cells).filter(|cell| cell % columns + 3 <= columns).map(|cell| [cell, cell + 1, cell + 2]);
    let down = (0..cells).filter(|cell| cell / columns + 3 <= rows);
    let lines: Vec<[usize; 3]> = across.chain(down.map(|cell| [0, 1, 2].map(|row| cell + row * columns))).collect();
    for player in ["X", "O"] {
        for cell in 0..cells {
            let below =
                (cell + columns..cells).step_by(columns).filter(|_| falls).map(|cell| json!([cell, ["X", "O"]]));
            let when: Vec<_> = std::iter::once(json!([cell, ["."]])).chain(below).collect();
            moves.push(json!({"name": cell.to_string(), "player": player, "when": when, "then": [[cell, player]]}));
        }
        for line in &lines {
            let mut end = json!({"when": line.map(|cell| json!([cell, [player]]))});
            if wins != Wins::Scored {
                end["outcome"] = json!(player);
            }
            if wins == Wins::Counted {
                end["counts"] = json!([{"symbols": ["X"], "at_least": 4}]);
            }
            ends.push(end);
        }
    }
    if wins == Wins::Odd {
        let marks = ["X", "O", "X"];
        let odd = |line: &[usize; 3]| [0, 1, 2].map(|at| json!([line[at], [marks[at]]]));
        ends.extend(lines.iter().map(|line| json!({"outcome": "odd", "when": odd(line)})));
    }
    if wins == Wins::Full {
        ends.push(json!({"outcome": "odd", "counts": [{"symbols": ["O"], "at_least": 3}]}));
    }
    let named = symmetries.iter().enumerate().map(|(name, image)| {
        let to: Vec<usize> = (0..cells).map(|cell| image(cell / columns, cell % columns)).collect();
        json!({"name": name.to_string(), "cells": to})
    });
    let mut data = json!({
        "symbols": [".", "X", "O"], "start": vec!["."; cells], "players": ["X", "O"],
        "moves": moves, "ends": ends, "symmetries": named.collect::<Vec<_>>(),
    });
    if wins == Wins::Scored {
        let sum = |player: &str| json!({"player": player, "worth": {player: 1}});
        data["score"] = json!({"sums": [sum("X"), sum("O")], "endless": 0});
    } else {
        data["stuck"] = json!("draw");
    }
    data
}

/// What a symmetry makes of the cell in a row and a column: the number of a cell.
type Onto<'a> = &'a dyn Fn(usize, usize) -> usize;

/// The mirror of a board of three columns from left to right, and its turn if it has three rows.
const OVER: Onto = &|row, column| row * 3 + 2 - column;
const TURNED: Onto = &|row, column| column * 3 + 2 - row;

/// Moves of which each cell has one, and which flip known bits, make what is made from words. The orders of the groups
/// are 2, 3, 4 and 8.
#[test]
fn moves_in_cells_make_what_words_make() {
    let each = [Wins::Plain, Wins::Odd, Wins::Counted, Wins::Full, Wins::Scored];
    for (falls, wins) in each.into_iter().flat_map(|wins| [(false, wins), (true, wins)]) {
        moves_in_cells::<u32>(&rows_of_three([3, 3], &[OVER], falls, wins), true);
        moves_in_cells::<u64>(&rows_of_three([3, 4], &[&|row, column| row * 4 + 3 - column], falls, wins), true);
    }
    for wins in each {
        moves_in_cells::<u32>(&rows_of_three([3, 3], &[TURNED], false, wins), true);
        moves_in_cells::<u64>(&rows_of_three([3, 3], &[TURNED], false, wins), true);
        moves_in_cells::<u64>(&rows_of_three([3, 3], &[TURNED, OVER], false, wins), true);
        // The three columns lie on a ring. A row of `XOX` is one of `XXO` in other places, so it is no end here.
        if wins != Wins::Odd {
            let around: Onto = &|row, column| row * 3 + (column + 1) % 3;
            moves_in_cells::<u64>(&rows_of_three([4, 3], &[around], true, wins), true);
        }
    }
}

/// Rows of three on 3 by 3 cells, with other moves.
fn other_moves(symmetry: Onto, change: &dyn Fn(&mut Vec<Value>)) -> Value {
    let mut data = rows_of_three([3, 3], &[symmetry], false, Wins::Plain);
    change(data["moves"].as_array_mut().unwrap());
    data
}

/// If a cell has two moves, or if moves demand more than empty cells, or if there is a pass, the loop for moves in
/// cells is not taken. (If the moves still flip known bits, the loop that is taken has a test here.)
#[test]
fn other_moves_are_not_made_in_cells() {
    let add = |part: &'static str, value: Value| {
        move |moves: &mut Vec<Value>| moves.iter_mut().for_each(|given| given[part] = value.clone())
    };
    let add_marks = |moves: &mut Vec<Value>| {
        for mut given in moves.clone() {
            let mark = if given["player"] == "X" { "O" } else { "X" };
            (given["name"], given["then"][0][1]) = (json!(format!("{mark}{}", given["name"])), json!(mark));
            moves.push(given);
        }
    };
    let some_left = add("counts", json!([{"symbols": ["."], "at_least": 3}]));
    let not_between = add("unless", json!([[[0, ["X"]], [2, ["X"]]]]));
    // The second player leaves the column in the middle to the first one.
    let add_pass = |moves: &mut Vec<Value>| {
        moves.retain(|given| given["player"] == "X" || given["when"][0][0].as_u64().unwrap() % 3 != 1);
        moves.push(json!({"name": "pass", "then": [], "forced": true}));
    };
    let mut all = vec![other_moves(OVER, &not_between), other_moves(OVER, &add_pass)];
    for symmetry in [OVER, TURNED] {
        all.extend([other_moves(symmetry, &add_marks), other_moves(symmetry, &some_left)]);
    }
    for data in all {
        moves_in_cells::<u32>(&data, false);
        moves_in_cells::<u64>(&data, false);
    }
}

/// The first mark is put into the middle. The cells that must not be empty lie at other distances for each move.
#[test]
fn moves_in_cells_may_need_marks_in_others() {
    let after_the_middle = |moves: &mut Vec<Value>| {
        for given in moves {
            if given["when"][0][0] != 4 {
                given["when"].as_array_mut().unwrap().push(json!([4, ["X", "O"]]));
            }
        }
    };
    for symmetry in [OVER, TURNED] {
        moves_in_cells::<u64>(&other_moves(symmetry, &after_the_middle), true);
    }
}

/// Checks that each cell has a move of its own, or not, and the counts.
fn moves_in_cells<W: Word>(data: &Value, in_cells: bool) {
    let rules = Compilation::<W>::new(&data.to_string());
    let graph = rules.graph();
    assert!(graph.cell_moves.iter().all(|moves| moves.is_some() == in_cells), "{data}");
    parts_count_what_a_run_counts(&rules, graph.window);
}

/// Compiled rules of one player whose moves are found by walks. `None` if there are no walks, or if there are
/// symmetries.
fn walking<W: Word>(data: &RulesData) -> Option<Compilation<W>> {
    let mut rules = Compilation::of(data);
    let Compiled { rules: varying, layout, .. } = &rules.compiled;
    rules.compiled.steps = vec![Steps::walking(varying, layout, 0)?];
    (rules.images.trivial && rules.compiled.steps[0].walks().is_some()).then_some(rules)
}

/// Moves that walks list for several states at once make what words make, in which some states are stuck.
#[test]
fn moves_that_walks_list_make_what_words_make() {
    let mut random = Random::new("listed moves");
    let (mut listed, mut many, mut stuck) = (0, 0, 0);
    for round in 0..quick_or_long(60, 2000) {
        let mut data = many_moves::takes(round % 2 == 0, &mut random);
        if round % 3 == 0 {
            conditions::add(&mut random, &mut data);
        }
        if round % 5 != 0 && data.ends.is_empty() {
            data.ends = serde_json::from_value(json!([{"outcome": "won", "when": [[0, ["0"]], [1, ["0"]]]}])).unwrap();
        }
        let (Some(narrow), Some(wide)) = (walking::<u32>(&data), walking::<u64>(&data)) else { continue };
        listed += 1;
        let depths = wide.run(&Options { threads: 1, ..Options::default() }, None).unwrap().depths;
        many += usize::from(depths.iter().any(|depth| depth.open > MovesOfStates::MOST as u64));
        if data.ends.is_empty() {
            stuck += depths.iter().flat_map(|depth| &depth.ended).sum::<u64>();
        }
        for tests in [EndTests::Successors, EndTests::NewStates] {
            assert_eq!(by_parts(&narrow.graph(), 1, tests), depths, "{data:?}");
            assert_eq!(by_parts(&wide.graph(), 0, tests), depths, "{data:?}");
        }
    }
    assert!(listed > 10 && many > 3 && stuck > 10, "{listed} {many} {stuck}");
}

/// A wheel: spokes of two cells around a hub. A move exchanges what is in two neighbouring cells. The wheel may be
/// turned and turned over. If `ends`, the game is won when a `b` comes to the hub, which only some moves bring about.
/// If `stops`, a move needs an `a` or the `.` in the first of its cells and a `b` or the `.` in the other one, so that
/// play comes to a stop.
fn wheel<W: Word>(spokes: usize, ends: bool, stops: bool) -> Compilation<W> {
    let cell = |spoke: usize, place: usize| 1 + spoke % spokes * 2 + place;
    let swap = |one: usize, other: usize| {
        let when = if stops { format!(r#"[[{one}, ["a", "."]], [{other}, ["b", "."]]]"#) } else { "[]".to_owned() };
        let then = format!(r#"[[{one}, {{"copy": {other}}}], [{other}, {{"copy": {one}}}]]"#);
        format!(r#"{{"name": "{one}-{other}", "when": {when}, "then": {then}}}"#)
    };
    let moves: Vec<String> =
        (0..spokes).flat_map(|spoke| [swap(0, cell(spoke, 0)), swap(cell(spoke, 0), cell(spoke, 1))]).collect();
    let onto = |spoke: &dyn Fn(usize) -> usize| {
        let cells = (0..spokes).flat_map(|at| [cell(spoke(at), 0), cell(spoke(at), 1)]);
        std::iter::once(0).chain(cells).collect::<Vec<_>>()
    };
    let start = std::iter::once(".").chain((0..2 * spokes).map(|at| ["a", "b"][at % 2])).collect::<Vec<_>>();
    Compilation::new(&format!(
        r#"{{"symbols": [".", "a", "b"], "start": {start:?}, "moves": [{}], "ends": [{}],
            "symmetries": [{{"name": "turn", "cells": {:?}}}, {{"name": "over", "cells": {:?}}}]}}"#,
        moves.join(", "),
        if ends { r#"{"outcome": "won", "when": [[0, ["b"]]]}"# } else { "" },
        onto(&|spoke| spoke + 1),
        onto(&|spoke| spokes - spoke),
    ))
}

/// Successors that are made by shuffles of bytes, and the sizes of orbits, are those that are made from words. The
/// orders of the groups are 26, and 32, which is a multiple of the lanes.
#[test]
fn shuffled_successors_are_those_of_words() {
    for (spokes, ends, stops) in
        [13, 16].into_iter().flat_map(|spokes| [(spokes, false, false), (spokes, true, false), (spokes, false, true)])
    {
        let rules = wheel::<u128>(spokes, ends, stops);
        let graph = rules.graph();
        let is_shuffled = |change: &ImageDelta<u128>| matches!(change, ImageDelta::Shuffled(_));
        assert!(graph.changes[0].iter().all(|change| is_shuffled(change) != ends), "{spokes} {ends}");
        let mut states = vec![graph.roots[0].1];
        let mut last = 0;
        for depth in 0..if stops { 60 } else { 4 } {
            let [late, plain, once] = counted_late(&graph, depth, &[states.clone(), Vec::new()], EndTests::Successors);
            assert_eq!((&late, &plain), (&once, &once));
            assert!(late.raw_states >= states.len() as u64);
            last = late.open;
            let [mut block, mut plain] = [(); 2].map(|()| Block::new(graph.kinds()));
            block.expand(&graph, depth, &states, 0, BlockTask::ENDS);
            plain.expand_without_avx2(&graph, depth, &states, 0, BlockTask::ENDS);
            for (kind, same) in block.kinds.iter().zip(&plain.kinds) {
                assert_eq!(kind.partition(0), same.partition(0));
            }
            let mut next = block.kinds[0].partition(0).to_vec();
            next.sort_unstable();
            next.dedup();
            // Of many states, some are enough.
            next.truncate(300);
            if next.is_empty() {
                break;
            }
            states = next;
        }
        assert!(stops || states.len() > 50, "{}", states.len());
        assert!(!stops || last == 0, "play came to a stop, and the states there were counted");
    }
}

/// A wheel of some arms, on whose empty cells an `a` or a `b` is put. Play is over when a `b` is on the first cell of
/// an arm. The wheel may be turned and, if `over`, turned over.
fn stones<W: Word>(arms: usize, cells: usize, over: bool) -> Compilation<W> {
    let put = |cell: usize, symbol: &str| {
        format!(r#"{{"name": "{symbol}{cell}", "when": [[{cell}, ["."]]], "then": [[{cell}, "{symbol}"]]}}"#)
    };
    let moves: Vec<String> = (0..arms * cells).flat_map(|cell| [put(cell, "a"), put(cell, "b")]).collect();
    let end = |arm: usize| format!(r#"{{"outcome": "over", "when": [[{}, ["b"]]]}}"#, arm * cells);
    let onto = |arm: &dyn Fn(usize) -> usize| {
        (0..arms * cells).map(|cell| arm(cell / cells) % arms * cells + cell % cells).collect::<Vec<usize>>()
    };
    Compilation::new(&format!(
        r#"{{"symbols": [".", "a", "b"], "start": {:?}, "moves": [{}], "ends": [{}],
            "symmetries": [{{"name": "turn", "cells": {:?}}}, {{"name": "over", "cells": {:?}}}]}}"#,
        vec!["."; arms * cells],
        moves.join(", "),
        (0..arms).map(end).collect::<Vec<_>>().join(", "),
        onto(&|arm| arm + 1),
        onto(&|arm| if over { arms - arm } else { arm }),
    ))
}

/// Expands some states of each depth in the fast way and in the plain one, and compares successors and counts.
fn compare_side_by_side<W: Word>((arms, cells, over): (usize, usize, bool), is_used: bool) {
    let rules = stones::<W>(arms, cells, over);
    let graph = rules.graph();
    let is_by_limbs = |change: &ImageDelta<W>| matches!(change, ImageDelta::LimbFlips(_));
    assert!(graph.changes[0].iter().all(|change| is_by_limbs(change) == is_used), "{arms} {cells} {over}");
    let (mut states, mut fixed) = (vec![graph.roots[0].1], 0);
    for depth in 0..5 {
        let [late, plain, once] = counted_late(&graph, depth, &[states.clone(), Vec::new()], EndTests::Successors);
        assert_eq!((&late, &plain), (&once, &once));
        fixed += usize::from(late.raw_states < (states.len() * rules.images.order) as u64);
        let [mut block, mut plain] = [(); 2].map(|()| Block::new(graph.kinds()));
        block.expand(&graph, depth, &states, 0, BlockTask::ENDS);
        plain.expand_without_avx2(&graph, depth, &states, 0, BlockTask::ENDS);
        for (kind, same) in block.kinds.iter().zip(&plain.kinds) {
            assert_eq!(kind.partition(0), same.partition(0));
        }
        assert!(plain.kinds[..2].iter().all(|kind| !kind.partition(0).is_empty()), "open states, and ended ones");
        states = block.kinds[0].partition(0).to_vec();
        states.sort_unstable();
        states.dedup();
        let every = states.len().div_ceil(20);
        states = states.into_iter().step_by(every).collect();
    }
    assert!(fixed > usize::from(over), "some states have symmetries of their own");
}

/// Images that lie side by side, limb by limb, give the successors and orbits of images that are made one by one.
#[test]
fn successors_of_images_side_by_side_are_those_of_words() {
    // The orders of the groups are 3 to 8.
    for board in [(3, 11, false), (4, 9, false), (5, 7, false), (3, 12, true), (7, 5, false), (4, 9, true)] {
        compare_side_by_side::<u128>(board, true);
    }
    compare_side_by_side::<[u64; 4]>((4, 17, true), true);
    compare_side_by_side::<[u64; 8]>((5, 14, false), true);
    compare_side_by_side::<[u64; 32]>((4, 9, true), true);
    // Narrow rules have prefixes, whatever the width of their words.
    compare_side_by_side::<u128>((4, 8, true), false);
    compare_side_by_side::<u64>((4, 8, true), false);
}

/// Two players in turn move a token on a ring of seven cells on by one cell or two. The graph is directed, and each
/// player has a set of partitions.
fn counter<W: Word>() -> Compilation<W> {
    let mut moves = Vec::new();
    for player in ["A", "B"] {
        for (from, step) in (0..7).flat_map(|from| [(from, 1), (from, 2)]) {
            let to = (from + step) % 7;
            moves.push(format!(
                r#"{{"name": "{from}+{step}", "player": "{player}", "when": [[0, ["{from}"]]], "then": [[0, "{to}"]]}}"#
            ));
        }
    }
    Compilation::new(&format!(
        r#"{{"symbols": {:?}, "start": ["0"], "players": ["A", "B"], "stuck": "draw", "moves": [{}]}}"#,
        (0..7).map(|symbol| symbol.to_string()).collect::<Vec<_>>(),
        moves.join(", ")
    ))
}

/// The report of what a partition found, if its open states are counted when they are expanded: by each of two ways to
/// expand them, and by the way for states that are not expanded.
fn counted_late<W: Word>(graph: &StateGraph<W>, depth: u64, found: &[Vec<W>], tests: EndTests) -> [DepthReport; 3] {
    let task = BlockTask { tests, counts: true };
    let [mut block, mut plain] = [(); 2].map(|()| Block::new(graph.kinds()));
    block.expand(graph, depth, &found[0], 0, task);
    plain.expand_without_avx2(graph, depth, &found[0], 0, task);
    [&block.seen, &plain.seen, &count_open(graph, depth, &found[0])].map(|seen| {
        let mut report = nothing_of(depth, graph.outcomes());
        let mut found = found.to_vec();
        close_ended(graph, depth, &mut found).add_to(&mut report);
        seen.complete(&mut report);
        report
    })
}

/// The depths of a graph, found by the parts alone. Each partition has only its own words, takes in what other
/// partitions send it, and is closed by itself.
fn by_parts<W: Word>(graph: &StateGraph<W>, bits: u32, tests: EndTests) -> Vec<DepthReport> {
    let (numbers, kinds) = (0..1usize << bits, graph.kinds());
    let fresh = || (0..1 << bits).map(|_| Partition::new(bits, kinds)).collect::<Vec<_>>();
    // For each partition, the states of each depth.
    let mut known: Vec<Vec<Vec<W>>> = vec![Vec::new(); 1 << bits];
    let mut partitions = fresh();
    let (kind, start) = graph.roots[0];
    partitions[partition_of(start, bits)].take_in(kind, &[&[start]]);
    let mut depths = Vec::new();
    loop {
        let depth = depths.len() as u64;
        let mut report = nothing_of(depth, graph.outcomes());
        // The order does not matter: no partition depends on another.
        for number in numbers.clone().rev() {
            let found = &mut partitions[number].found;
            let all = found.concat();
            let (late, mut own) = (counted_late(graph, depth, found, tests), nothing_of(depth, graph.outcomes()));
            let closed = close(graph, depth, found);
            closed.add_to(&mut own);
            assert_eq!(late, [&own; 3].map(DepthReport::clone));
            closed.add_to(&mut report);
            known[number].push(all);
        }
        if report.states == 0 {
            return depths;
        }
        depths.push(report);
        let mut next = fresh();
        for number in numbers.clone() {
            for before in graph.compared(depth + 1) {
                for &word in &known[number][before as usize] {
                    next[number].seen.insert(word);
                }
            }
        }
        for sender in numbers.clone() {
            let mut block = Block::new(kinds);
            let (states, task) = (&partitions[sender].found[0], BlockTask { tests, counts: false });
            block.expand(graph, depth, states, bits, task);
            let mut plain = Block::new(kinds);
            plain.expand_without_avx2(graph, depth, states, bits, task);
            for number in numbers.clone() {
                for (kind, same) in block.kinds.iter().zip(&plain.kinds) {
                    assert_eq!(kind.partition(number), same.partition(number));
                }
                let partition = &mut next[number];
                let known = partition.found[0].len();
                absorb(partition, number, std::slice::from_ref(&block));
                if tests == EndTests::NewStates {
                    partition.sort_out(known, &|word| graph.outcome_after(depth, word));
                }
            }
        }
        partitions = next;
    }
}

fn parts_count_what_a_run_counts<W: Word>(rules: &Compilation<W>, window: Window) {
    let graph = rules.graph();
    assert_eq!(graph.window, window);
    let depths = rules.run(&Options { threads: 2, ..Options::default() }, None).unwrap().depths;
    assert!(depths.len() > 3);
    for bits in [0, 1, 3] {
        for tests in [EndTests::Successors, EndTests::NewStates] {
            assert_eq!(by_parts(&graph, bits, tests), depths, "{bits} bits, {tests:?}");
        }
        let grain = Some(Grain { partition_bits: bits, block_states: 3, wave_blocks: 2, run_words: 0 });
        let options = Options { store: Store::Sparse, threads: 1, grain, ..Options::default() };
        assert_eq!(rules.run(&options, None).unwrap().depths, depths, "{bits} bits");
    }
}

#[test]
fn a_search_can_be_driven_one_partition_at_a_time() {
    parts_count_what_a_run_counts::<u32>(&dials(6), Window::Directed);
    parts_count_what_a_run_counts::<u128>(&dials(6), Window::Directed);
    parts_count_what_a_run_counts::<u64>(&tiles(6), Window::InverseClosed);
    parts_count_what_a_run_counts::<u32>(&marks(8), Window::Layered);
    parts_count_what_a_run_counts::<u32>(&counter(), Window::Directed);
}

pub fn subject() -> Subject {
    Subject {
        puzzle: "test".to_owned(),
        plugin: String::new(),
        plugin_version: String::new(),
        rules: String::new(),
        backward: false,
        symmetry: true,
        symmetry_order: 1,
        store: "sparse".to_owned(),
        cut: None,
        keeps: String::new(),
        encoding: Encoding::default(),
        word_bits: 64,
        outcomes: Vec::new(),
        shards: None,
        shard: None,
    }
}

/// The path of a folder that does not exist. The number of this process is part of the name.
pub fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("puzzlekit-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[test]
fn a_job_is_checked_in_any_number_of_passes() {
    let (rules, folder) = (dials::<u64>(6), folder("passes"));
    let mut job = Job::begin(&JobPlace::new(&folder), NewJob::of(subject())).unwrap();
    let report = rules.run(&Options { threads: 1, ..Options::default() }, Some(&mut job)).unwrap();
    let all = report.states() * 64;
    for memory in [u64::MAX, all, all / 5, all / 60] {
        let calls = std::sync::atomic::AtomicU64::new(0);
        let watch = |_: &crate::run::Progress| {
            calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        verify(&rules.compiled, &rules.images, &job, memory, &watch).unwrap();
        let passes = calls.into_inner() / report.depths.len() as u64;
        assert_eq!(passes, (all / memory).next_power_of_two(), "each depth has one file, read once a pass");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_state_that_comes_twice_is_found_in_any_number_of_passes() {
    let (rules, folder) = (tiles::<u64>(5), folder("twice"));
    let mut job = Job::begin(&JobPlace::new(&folder), NewJob::of(subject())).unwrap();
    let mut frontier = vec![rules.graph().roots[0].1];
    for depth in 0..3 {
        let open = frontier.len() as u64;
        job.write_words(Kind::Open, &frontier).unwrap();
        let report = DepthReport { depth, states: open, raw_states: open, open, ended: Vec::new() };
        job.commit(DepthEntry::new(&report, 0)).unwrap();
        // All successors of the frontier, including states of the depth before.
        let mut block = Block::new(1);
        block.expand(&rules.graph(), depth, &frontier, 0, BlockTask::ENDS);
        frontier = block.kinds[0].partition(0).to_vec();
        frontier.sort_unstable();
        frontier.dedup();
    }
    for memory in [u64::MAX, 200, 40] {
        let checked = verify(&rules.compiled, &rules.images, &job, memory, &|_| ControlFlow::Continue(()));
        assert!(matches!(&checked, Err(Error::Corrupt(text)) if text.contains("depth 2")), "{checked:?}");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Runs with each limit of depths. What is found up to the limit is what a run without one finds.
fn compare_limited<W: Word>(rules: &Compilation<W>) {
    let whole = rules.run(&Options::default(), None).unwrap();
    for most in 0..=whole.depths.len() {
        let limited = rules.run(&Options { max_depth: Some(most as u64), ..Options::default() }, None).unwrap();
        assert_eq!(limited.depths, whole.depths[..whole.depths.len().min(most + 1)]);
        // The limit stops a run only if there are states from which it could go on.
        let is_over = whole.depths.get(most).is_none_or(|last| last.open == 0);
        assert_eq!(limited.stop, (!is_over).then_some(Stop::MaxDepth), "{most}");
    }
}

#[test]
fn a_limit_of_depths_changes_none_before_it() {
    compare_limited(&dials::<u32>(6));
    compare_limited(&dials::<[u64; 4]>(5));
    compare_limited(&tiles::<u64>(6));
    compare_limited(&tiles::<[u64; 4]>(5));
    compare_limited(&marks::<u32>(8));
    compare_limited(&counter::<u128>());
}

/// Tiles of which a move exchanges any two. So depths grow fast at first.
fn swaps<W: Word>(count: usize) -> Compilation<W> {
    let names: Vec<String> = (0..count).map(|name| name.to_string()).collect();
    let pairs = (0..count).flat_map(|one| (0..one).map(move |other| (one, other)));
    let moves: Vec<String> = pairs
        .map(|(one, other)| {
            let then = format!(r#"[[{one}, {{"copy": {other}}}], [{other}, {{"copy": {one}}}]]"#);
            format!(r#"{{"name": "{one}-{other}", "then": {then}}}"#)
        })
        .collect();
    Compilation::new(&format!(r#"{{"symbols": {names:?}, "start": {names:?}, "moves": [{}]}}"#, moves.join(", ")))
}

/// Runs with more and more memory. With more memory, none may find fewer depths.
fn compare_by_memory<W: Word>(rules: &Compilation<W>) {
    let whole = rules.run(&Options::default(), None).unwrap().depths;
    let memories = (0..120).map(|step| 2000 + (1.1f64.powi(step) * 100.0) as u64);
    let found = memories.map(|memory| {
        let depths = rules.run(&Options { memory, ..Options::default() }, None).unwrap().depths;
        assert_eq!(depths, whole[..depths.len()]);
        depths.len()
    });
    let found: Vec<usize> = found.collect();
    assert!(found.is_sorted(), "{found:?}");
    assert!(found[0] < whole.len() && *found.last().unwrap() == whole.len(), "{found:?}");
}

#[test]
fn more_memory_never_finds_fewer_depths() {
    compare_by_memory(&swaps::<u32>(7));
    compare_by_memory(&swaps::<[u64; 4]>(7));
    compare_by_memory(&dials::<u32>(8));
    compare_by_memory(&tiles::<u32>(8));
    compare_by_memory(&tiles::<[u64; 4]>(7));
    compare_by_memory(&marks::<u64>(9));
}
