//! Tests of the successors that a job lists before values spread: a run in slices does not list them again, and damaged
//! files are refused.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::faults::{fails_from_each_step, files, keep, on_disk};
use super::new_folder;
use crate::engine::{Engine, JobFolder};
use crate::error::Error;
use crate::job::Fault;
use crate::run::{Grain, Options, Progress, Store};
use crate::values::ValuesFound;

const GO_ON: &(dyn Fn(&Progress) -> ControlFlow<()> + Sync) = &|_| ControlFlow::Continue(());

/// A game on five cells. A player paints a cell over whatever is there, or wipes it clean. All states are in one tier,
/// and a move cannot be undone, because it forgets what was there. A player wins with a row of three.
fn painters() -> Engine {
    let mut moves = Vec::new();
    for (player, other) in [("X", "O"), ("O", "X")] {
        for cell in 0..5 {
            for (paint, over) in [(player, [".", other]), (".", ["X", "O"])] {
                moves.push(format!(
                    r#"{{"name": "{paint}{cell}", "player": "{player}", "when": [[{cell}, {over:?}]],
                        "then": [[{cell}, "{paint}"]]}}"#
                ));
            }
        }
    }
    let row = |mark: &str, first: usize| {
        let cells: Vec<String> = (first..first + 3).map(|cell| format!(r#"[{cell}, ["{mark}"]]"#)).collect();
        format!(r#"{{"outcome": "{mark}", "when": [{}]}}"#, cells.join(", "))
    };
    let json = format!(
        r#"{{"symbols": [".", "X", "O"], "start": [".", ".", ".", ".", "."], "players": ["X", "O"], "stuck": "draw",
            "moves": [{}], "ends": [{}]}}"#,
        moves.join(", "),
        [row("X", 0), row("X", 1), row("O", 2)].join(", ")
    );
    Engine::new(&serde_json::from_str(&json).unwrap()).unwrap()
}

/// A game on a ring of seven cells. Each player has a token that goes one step into an empty cell, forward or back. All
/// states are in one tier, and each move can be undone. A player wins by coming up to the other token at some place.
fn walkers() -> Engine {
    let mut moves = Vec::new();
    for player in ["X", "O"] {
        for from in 0..7 {
            for to in [(from + 1) % 7, (from + 6) % 7] {
                moves.push(format!(
                    r#"{{"name": "{from}-{to}", "player": "{player}", "when": [[{from}, ["{player}"]], [{to}, ["."]]],
                        "then": [[{from}, "."], [{to}, "{player}"]]}}"#
                ));
            }
        }
    }
    let json = format!(
        r#"{{"symbols": [".", "X", "O"], "start": ["X", ".", ".", "O", ".", ".", "."], "players": ["X", "O"],
            "stuck": "draw", "moves": [{}], "ends": [{{"outcome": "X", "when": [[5, ["X"]], [4, ["O"]]]}},
            {{"outcome": "O", "when": [[1, ["O"]], [2, ["X"]]]}}]}}"#,
        moves.join(", ")
    );
    Engine::new(&serde_json::from_str(&json).unwrap()).unwrap()
}

/// Options with which a job lists the successors of however few states, and keeps all that it can.
fn often() -> Options {
    let grain = Some(Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 0 });
    Options { threads: 1, store: Store::Sparse, grain, checkpoint: Duration::ZERO, ..Options::default() }
}

/// A slice of a run: the watch stops it after `looks` looks. Returns `true` if all values are found.
fn slice(engine: &Engine, folder: &Path, looks: usize) -> bool {
    let looked = AtomicUsize::new(0);
    let watch = |_: &Progress| match looked.fetch_add(1, Ordering::Relaxed) {
        before if before < looks => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    };
    matches!(engine.values_job(&often(), None, &keep(folder, false), &watch).unwrap(), ValuesFound::All(_))
}

/// The number of states whose successors a job has listed.
fn listed(folder: &Path) -> u64 {
    Engine::job_status(folder).unwrap().values.and_then(|stage| stage.listing).map_or(0, |listing| listing.states)
}

/// The files of a job whose names have an ending.
fn with_ending(folder: &Path, ending: &str) -> BTreeMap<String, Vec<u8>> {
    files(folder).into_iter().filter(|(name, _)| name.ends_with(ending)).collect()
}

/// A folder with the values of all states in `whole`, which were found without a list, and one with all states in
/// `job`.
fn begun(engine: &Engine, name: &str) -> (PathBuf, BTreeMap<String, Vec<u8>>) {
    let (base, plain) = (new_folder(name), Options { threads: 1, store: Store::Sparse, ..Options::default() });
    engine.values_job(&plain, None, &keep(&base.join("whole"), false), GO_ON).unwrap();
    engine.enumerate_job(&plain, &keep(&base.join("job"), false), GO_ON).unwrap();
    let expected = files(&base.join("whole"));
    (base, expected)
}

/// Lists all successors in short slices, in the folder `job`. Returns the number of slices.
///
/// If moves can be undone, the first slice begins to count the successors and keeps nothing. The next one lists them.
fn list_in_slices(engine: &Engine, job: &Path) -> usize {
    let states: u64 = Engine::job_status(job).unwrap().depths.iter().map(|depth| depth.states).sum();
    for slices in 0.. {
        let before = (listed(job), with_ending(job, ".listing"));
        assert!(!slice(engine, job, 3));
        let after = with_ending(job, ".listing");
        assert!(slices == 0 || listed(job) > before.0);
        assert!(before.1.iter().all(|(name, content)| after[name] == *content));
        engine.verify_job(u64::MAX, &keep(job, false), GO_ON).unwrap();
        if listed(job) == states {
            return slices;
        }
    }
    unreachable!("each slice lists more")
}

#[test]
fn what_is_listed_is_not_listed_again() {
    for (name, engine) in [("listed", painters()), ("counted", walkers())] {
        goes_on_in_slices(name, &engine);
    }
}

fn goes_on_in_slices(name: &str, engine: &Engine) {
    let (base, expected) = begun(engine, name);
    let job = base.join("job");
    assert!(list_in_slices(engine, &job) > 2);
    let (list, mut kept) = (with_ending(&job, ".listing"), 0);
    for looks in 1.. {
        let done = slice(engine, &job, looks);
        if done {
            break;
        }
        assert_eq!(with_ending(&job, ".listing"), list);
        kept += with_ending(&job, ".spread").len();
        engine.verify_job(u64::MAX, &keep(&job, false), GO_ON).unwrap();
    }
    assert!(kept > 0);
    assert_eq!(files(&job), expected);
    for threads in [1, 3] {
        let folder = base.join(threads.to_string());
        engine.values_job(&Options { threads, ..often() }, None, &keep(&folder, false), GO_ON).unwrap();
        assert_eq!(files(&folder), expected);
    }
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn a_damaged_list_is_refused() {
    let engine = painters();
    let (base, expected) = begun(&engine, "damaged-list");
    let job = base.join("job");
    list_in_slices(&engine, &job);
    let run = |folder: JobFolder| engine.values_job(&often(), None, &folder, GO_ON);
    let refused = || {
        let Err(Error::Corrupt(told)) = run(keep(&job, false)) else { panic!("a damaged list was used") };
        assert!(told.contains("with --drop-partial, which finds the values from the beginning"), "{told}");
        assert!(matches!(engine.verify_job(u64::MAX, &keep(&job, false), GO_ON), Err(Error::Corrupt(_))));
    };
    for (name, content) in with_ending(&job, ".listing") {
        let path = job.join(name);
        for at in [0, content.len() / 2, content.len() - 1] {
            let mut flipped = content.clone();
            flipped[at] ^= 4;
            fs::write(&path, flipped).unwrap();
            refused();
        }
        fs::write(&path, &content[..content.len() - 1]).unwrap();
        refused();
        fs::remove_file(&path).unwrap();
        refused();
        fs::write(&path, content).unwrap();
    }
    fs::write(job.join(with_ending(&job, ".listing").keys().next().unwrap()), "other").unwrap();
    run(JobFolder { drop_partial: true, ..keep(&job, false) }).unwrap();
    assert_eq!(files(&job), expected);
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn a_job_that_lists_goes_on_after_each_failure_of_the_disk() {
    let engine = painters();
    let (base, expected) = begun(&engine, "failed-list");
    let values = |folder: &Path, fault: Option<Fault>| {
        engine.values_job(&often(), None, &on_disk(keep(folder, false), fault), GO_ON)
    };
    let run = |folder: &Path, fault: Option<Fault>| {
        engine.enumerate_job(&often(), &keep(folder, false), GO_ON).unwrap();
        values(folder, fault)
    };
    let failed = fails_from_each_step(&base.join("failed"), 3, &run, &|folder, at| {
        engine.verify_job(u64::MAX, &keep(folder, false), GO_ON).unwrap();
        values(folder, None).unwrap();
        assert_eq!(files(folder), expected, "failed at {at}");
    });
    assert!(failed > 5, "{failed}");
    fs::remove_dir_all(&base).unwrap();
}

/// The list is only there to save time: without room for it, each run finds the successors by the rules.
#[test]
fn a_job_without_room_for_a_list_goes_on_without_one() {
    let engine = painters();
    let (base, expected) = begun(&engine, "no-room-to-list");
    let folder = base.join("tight");
    engine.enumerate_job(&often(), &keep(&folder, false), GO_ON).unwrap();
    let held = |folder: &Path, ending: &str| -> u64 {
        with_ending(folder, ending).values().map(|content| content.len() as u64).sum()
    };
    list_in_slices(&engine, &base.join("job"));
    let list = held(&base.join("job"), ".listing");
    let all = held(&base.join("whole"), "") - held(&base.join("whole"), "manifest.json");
    assert!(list > 100, "{list}");
    // There is room for the values, and for half of the list.
    let disk = all + list / 2;
    let options = Options { disk, checkpoint: Duration::from_hours(1), ..often() };
    let found = engine.values_job(&options, None, &keep(&folder, false), GO_ON).unwrap();
    assert!(matches!(found, ValuesFound::All(_)), "it was stopped");
    assert_eq!(files(&folder), expected);
    fs::remove_dir_all(&base).unwrap();
}
