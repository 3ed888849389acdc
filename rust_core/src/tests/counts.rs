//! Tests of the golden counts in `tests/counts/`, on rules made without Python, for each width of word.

use std::ops::ControlFlow;

use super::{boards, is_long, quick_or_long};
use crate::engine::Engine;
use crate::rules::RulesData;
use crate::run::{DepthReport, Grain, Options, Report, Store};

/// Reads a file of golden counts: its lines have the form `key: values`.
fn golden(name: &str) -> Vec<(String, Vec<(String, String)>)> {
    let path = format!("{}/../tests/counts/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut entries: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        match line.strip_prefix("  ") {
            None => entries.push((line.trim().to_owned(), Vec::new())),
            Some(fact) => {
                let (key, value) = fact.split_once(": ").expect("a fact is `key: value`");
                entries.last_mut().expect("facts follow a puzzle").1.push((key.to_owned(), value.to_owned()));
            }
        }
    }
    entries
}

fn enumerate(data: &RulesData, bits: usize, options: &Options) -> (Engine, Report) {
    let engine = Engine::with_word_bits(data, bits).unwrap();
    let report = engine.enumerate(options, &|_| ControlFlow::Continue(())).unwrap();
    (engine, report)
}

fn numbers(value: &str) -> Vec<u64> {
    value.split(", ").map(|number| number.replace('_', "").parse().unwrap()).collect()
}

fn check(id: &str, facts: &[(String, String)], engine: &Engine, report: &Report) {
    let mut checked = 0;
    for (key, value) in facts {
        let column = |of: fn(&DepthReport) -> u64| report.depths.iter().map(of).collect::<Vec<_>>();
        let outcome = |name: &str| {
            let at = engine.rules().outcomes.iter().position(|outcome| outcome == name);
            vec![at.map_or(0, |at| report.depths.iter().map(|depth| depth.ended[at]).sum())]
        };
        let found = match key.as_str() {
            "depths" => column(|depth| depth.states),
            "open" => column(|depth| depth.open),
            "states" => vec![report.states()],
            "raw" => vec![report.raw_states()],
            "source" => continue,
            other => outcome(other),
        };
        assert_eq!(found, numbers(value), "{id}: {key}");
        checked += 1;
    }
    assert!(checked > 0, "{id} has no counts");
}

#[test]
fn marks_in_a_row() {
    let mut checked = 0;
    for (id, facts) in golden("tictactoe") {
        if facts.iter().any(|(key, _)| key == "large" || key == "slow") {
            continue;
        }
        let sizes = numbers(&id.split_once(':').expect("an id with sizes").1.replace(',', ", "));
        let data = boards::marks(sizes[0] as usize, sizes[1] as usize, sizes[2] as usize);
        for bits in [0, 64, 128, 129] {
            for threads in [1, 2] {
                let (engine, report) = enumerate(&data, bits, &Options { threads, ..Options::default() });
                check(&id, &facts, &engine, &report);
            }
        }
        checked += 1;
    }
    assert!(checked >= 5);
}

#[test]
fn raw_counts_are_the_counts_without_symmetry() {
    for (rows, columns, win) in [(3, 3, 3), (2, 4, 2), (4, 4, 2)] {
        let data = boards::marks(rows, columns, win);
        let (_, with) = enumerate(&data, 0, &Options::default());
        let (_, without) = enumerate(&data, 0, &Options { symmetry: false, ..Options::default() });
        let raw: Vec<u64> = with.depths.iter().map(|depth| depth.raw_states).collect();
        let plain: Vec<u64> = without.depths.iter().map(|depth| depth.states).collect();
        assert_eq!(raw, plain);
        assert_eq!(without.raw_states(), without.states());
    }
}

#[test]
fn the_grain_changes_no_count() {
    let turned = boards::turn(2, quick_or_long(3, 4) as usize);
    for data in [boards::marks(3, 4, 3), boards::slide(3, 2), turned] {
        let (_, expected) = enumerate(&data, 0, &Options { threads: 1, ..Options::default() });
        for (partition_bits, block_states, wave_blocks) in [(0, 1, 1), (3, 7, 2), (12, 100, 3)] {
            let grain = Some(Grain { partition_bits, block_states, wave_blocks, run_words: 0 });
            let threads: &[usize] = if is_long() { &[1, 2, 5] } else { &[2] };
            for &threads in threads {
                let (_, report) = enumerate(&data, 0, &Options { threads, grain, ..Options::default() });
                assert_eq!(report.depths, expected.depths);
                assert_eq!(report.generated, expected.generated);
            }
        }
    }
}

#[test]
fn slides_and_turns() {
    // The On-Line Encyclopedia of Integer Sequences, A089473: the 8 puzzle.
    let slide = [
        1, 2, 4, 8, 16, 20, 39, 62, 116, 152, 286, 396, 748, 1024, 1893, 2512, 4485, 5638, 9529, 10878, 16993, 17110,
        23952, 20224, 24047, 15578, 14560, 6274, 3910, 760, 221, 2,
    ];
    let (engine, report) = enumerate(&boards::slide(3, 3), 0, &Options::default());
    assert_eq!(engine.window().name(), "inverse-closed");
    assert_eq!(report.depths.iter().map(|depth| depth.states).collect::<Vec<_>>(), slide);
    assert_eq!(report.states(), 181_440);
    // `tests/test_oracle.py` compares these counts with the plain search.
    let turn = [1, 4, 16, 64, 250, 960, 3553, 12324, 37308, 84234, 116_769, 82197, 23529, 1656, 14, 1];
    let (engine, report) = enumerate(&boards::turn(3, 3), 0, &Options::default());
    assert_eq!(engine.window().name(), "directed");
    assert_eq!(report.depths.iter().map(|depth| depth.states).collect::<Vec<_>>(), turn);
}

#[test]
fn a_board_of_a_hundred_cells_and_symbols_works() {
    let (engine, report) = enumerate(&boards::slide(10, 10), 0, &Options { max_depth: Some(6), ..Options::default() });
    assert_eq!(engine.word_bits(), 2048);
    assert!(report.stop.is_some());
    // The blank starts in the corner of a large board. On any larger board, the first depths have the same counts.
    let (_, smaller) = enumerate(&boards::slide(8, 8), 0, &Options { max_depth: Some(6), ..Options::default() });
    assert_eq!(report.depths, smaller.depths);
}

#[test]
fn both_stores_count_the_same_successors_of_slides() {
    // In the list of the three symbols, the blank is the last, the first or the middle one. So the engine must find out
    // which symbol all moves need, wherever it stands in the list.
    for (symbols, start) in [("ab.", "aaabbbb."), (".ab", "aaabbbb."), ("a.b", "aabb.aab")] {
        let named = |text: &str| text.chars().map(String::from).collect::<Vec<_>>();
        let pairs = [(0, 1), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7), (0, 4), (1, 5), (2, 6), (3, 7)];
        let moves: Vec<_> = (pairs.into_iter())
            .flat_map(|(a, b)| [(a, b), (b, a)])
            .map(|(from, to)| {
                let then = serde_json::json!([[from, {"copy": to}], [to, {"copy": from}]]);
                serde_json::json!({"name": format!("{from}-{to}"), "when": [[from, ["."]]], "then": then})
            })
            .collect();
        let data = serde_json::json!({"symbols": named(symbols), "start": named(start), "moves": moves});
        let data: RulesData = serde_json::from_value(data).unwrap();
        let [dense, sparse] =
            [Store::Dense, Store::Sparse].map(|store| enumerate(&data, 0, &Options { store, ..Options::default() }).1);
        assert_eq!((dense.states(), dense.generated), (sparse.states(), sparse.generated), "{symbols}");
    }
}
