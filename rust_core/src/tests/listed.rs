//! Tests of what a job keeps while values spread: the successors that it lists before, and scores. A run in slices does
//! not find them again, and damaged files are refused.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::faults::{fails_from_each_step, files, keep, on_disk, stops_after};
use super::{GO_ON, new_folder};
use crate::engine::{Engine, JobFolder};
use crate::error::Error;
use crate::job::Fault;
use crate::rules::{EndData, MoveData, RulesData, ScoreData, SumData};
use crate::run::{Grain, Options, Progress, Store};
use crate::values::ValuesFound;

/// A game on five cells. A player paints a cell over whatever is there, or wipes it clean. All states are in one tier,
/// and a move cannot be undone, because it forgets what was there. A player wins with a row of three.
fn painters() -> Engine {
    Engine::new(&painters_data()).unwrap()
}

fn painters_data() -> RulesData {
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
    serde_json::from_str(&json).unwrap()
}

/// The same game for points. Each mark is worth a point to its player when play is over. `endless` is the score of play
/// that never ends. With `claims`, a player may also end play at once with nine points, and so does with best play.
fn painters_for_points(endless: Option<i64>, claims: bool) -> Engine {
    let mut data = painters_data();
    let sum = |player: &str| SumData { player: player.to_owned(), worth: [(player.to_owned(), 1)].into(), of: None };
    data.score = Some(ScoreData { sums: vec![sum("X"), sum("O")], endless });
    data.stuck = None;
    data.ends.iter_mut().for_each(|end| end.outcome.clear());
    for (player, points) in [("X", 9), ("O", -9)].into_iter().filter(|_| claims) {
        data.moves.push(fills(player, player));
        let when = vec![(5, vec![player.to_owned()])];
        data.ends.push(EndData { when, score: Some(points), ..EndData::default() });
    }
    data.start.extend(claims.then(|| ".".to_owned()));
    Engine::new(&data).unwrap()
}

/// The game of painters with one more cell, which either player may fill for good. So there are two tiers.
fn painters_in_tiers() -> Engine {
    let mut data = painters_data();
    data.symbols.push("#".to_owned());
    data.start.push(".".to_owned());
    data.moves.extend(["X", "O"].map(|player| fills(player, "#")));
    Engine::new(&data).unwrap()
}

/// A move of a player that writes a symbol into the sixth cell, which is empty.
fn fills(player: &str, symbol: &str) -> MoveData {
    let json = format!(r#"{{"name": "fill", "player": "{player}", "when": [[5, ["."]]], "then": [[5, "{symbol}"]]}}"#);
    serde_json::from_str(&json).unwrap()
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
    matches!(engine.values_job(&often(), None, &keep(folder, false), &stops_after(looks)).unwrap(), ValuesFound::All(_))
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

/// Finds values in a folder at one go, with one thread and with three, and compares the files.
fn at_one_go(engine: &Engine, base: &Path, expected: &BTreeMap<String, Vec<u8>>) {
    for threads in [1, 3] {
        let folder = base.join(threads.to_string());
        engine.values_job(&Options { threads, ..often() }, None, &keep(&folder, false), GO_ON).unwrap();
        assert_eq!(files(&folder), *expected);
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
    at_one_go(engine, &base, &expected);
    fs::remove_dir_all(&base).unwrap();
}

/// Scores spread a little further in each slice, from what the last one kept, and come out the same.
#[test]
fn scores_go_on_in_slices() {
    for (name, endless, claims) in [("points", Some(0), false), ("endless", Some(-3), false), ("sure", None, true)] {
        let engine = painters_for_points(endless, claims);
        let (base, expected) = begun(&engine, &format!("scores-{name}"));
        let job = base.join("job");
        let mut decided = Vec::new();
        for looks in 1.. {
            if slice(&engine, &job, looks) {
                break;
            }
            engine.verify_job(u64::MAX, &keep(&job, false), GO_ON).unwrap();
            let spread = Engine::job_status(&job).unwrap().values.unwrap().spread;
            decided.extend(spread.and_then(|spread| spread.decided));
        }
        decided.dedup();
        assert!(decided.len() > 5, "{name}: {decided:?}");
        assert_eq!(files(&job), expected);
        at_one_go(&engine, &base, &expected);
        fs::remove_dir_all(&base).unwrap();
    }
}

/// A watch may tell from the progress whether a slice has come further than the one before. Slices that then stop come
/// to the end, whatever is kept meanwhile: successors, values or scores, with and without tiers.
#[test]
fn slices_that_stop_when_something_is_new_come_to_the_end() {
    let engines = [
        ("new-walk", walkers(), 4),
        ("new-tier", painters_in_tiers(), 6),
        ("new-score", painters_for_points(Some(0), false), 12),
    ];
    for (name, engine, least) in engines {
        let (base, expected) = begun(&engine, name);
        let (job, mut slices) = (base.join("job"), 1);
        let watch = |progress: &Progress| {
            if progress.again { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        let run = || engine.values_job(&often(), None, &keep(&job, false), &watch).unwrap();
        while !matches!(run(), ValuesFound::All(_)) {
            slices += 1;
            assert!(slices < 1000, "{name} makes no progress");
        }
        assert!(slices >= least, "{name}: {slices}");
        assert_eq!(files(&job), expected);
        fs::remove_dir_all(&base).unwrap();
    }
}

/// Each slice is told to stop at once. Nevertheless it lists a little, and the next one goes on from there.
#[test]
fn even_the_shortest_slice_lists_something() {
    let engine = painters();
    let (base, _) = begun(&engine, "shortest");
    let job = base.join("job");
    for _ in 0..2 {
        let before = listed(&job);
        assert!(!slice(&engine, &job, 0));
        assert!(listed(&job) > before);
    }
    fs::remove_dir_all(&base).unwrap();
}

/// A version that sees no tiers has listed successors, and values have spread. A later version sees tiers: it drops
/// both, because the states of a tier have other numbers.
#[test]
fn what_was_kept_without_tiers_is_dropped_where_tiers_are_seen() {
    let engine = painters_in_tiers();
    let (base, expected) = begun(&engine, "new-tiers");
    let job = base.join("job");
    for looks in 1.. {
        assert!(!slice(&engine, &job, looks), "all values were found before some were kept");
        if !with_ending(&job, ".spread").is_empty() && listed(&job) > 0 {
            break;
        }
    }
    let manifest = Engine::job_status(&job).unwrap();
    let all: u64 = manifest.depths.iter().map(|depth| depth.states).sum();
    let kept = |tiers: bool| {
        let mut changed = manifest.clone();
        let stage = changed.values.as_mut().unwrap();
        stage.listing.as_mut().unwrap().states = all;
        stage.tiers = stage.tiers.take().filter(|_| tiers);
        fs::write(job.join("manifest.json"), changed.to_text()).unwrap();
        engine.values_job(&often(), None, &keep(&job, false), GO_ON)
    };
    assert!(manifest.values.as_ref().unwrap().tiers.is_some());
    // With tiers, a list of more states than the tier has is no list of that tier.
    let Err(Error::Corrupt(told)) = kept(true) else { panic!("a list of other states was used") };
    assert!(told.contains(".listing is not what was written; resume with --drop-partial"), "{told}");
    kept(false).unwrap();
    assert_eq!(files(&job), expected);
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn a_list_with_another_number_of_states_is_refused() {
    let engine = painters();
    let (base, _) = begun(&engine, "short-list");
    let job = base.join("job");
    list_in_slices(&engine, &job);
    let mut manifest = Engine::job_status(&job).unwrap();
    manifest.values.as_mut().unwrap().listing.as_mut().unwrap().states -= 1;
    fs::write(job.join("manifest.json"), manifest.to_text()).unwrap();
    let refused = engine.values_job(&often(), None, &keep(&job, false), GO_ON);
    assert!(matches!(refused, Err(Error::Corrupt(told)) if told.contains("with --drop-partial")));
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn damage_to_what_is_kept_is_refused() {
    damage_is_refused("damaged-list", &painters(), ".listing");
    damage_is_refused("damaged-scores", &painters_for_points(Some(0), false), ".spread");
}

fn damage_is_refused(name: &str, engine: &Engine, ending: &str) {
    let (base, expected) = begun(engine, name);
    let job = base.join("job");
    list_in_slices(engine, &job);
    for looks in 1.. {
        if !with_ending(&job, ending).is_empty() {
            break;
        }
        assert!(!slice(engine, &job, looks), "nothing was kept");
    }
    let run = |folder: JobFolder| engine.values_job(&often(), None, &folder, GO_ON);
    let refused = || {
        let Err(Error::Corrupt(told)) = run(keep(&job, false)) else { panic!("a damaged list was used") };
        assert!(told.contains("with --drop-partial, which finds the values from the beginning"), "{told}");
        assert!(matches!(engine.verify_job(u64::MAX, &keep(&job, false), GO_ON), Err(Error::Corrupt(_))));
    };
    for (name, content) in with_ending(&job, ending) {
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
    fs::write(job.join(with_ending(&job, ending).keys().next().unwrap()), "other").unwrap();
    run(JobFolder { drop_partial: true, ..keep(&job, false) }).unwrap();
    assert_eq!(files(&job), expected);
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn a_job_that_lists_goes_on_after_each_failure_of_the_disk() {
    goes_on_after_each_failure("failed-list", &painters(), 3);
}

#[test]
fn scores_go_on_after_each_failure_of_the_disk() {
    goes_on_after_each_failure("failed-scores", &painters_for_points(Some(0), false), 5);
}

fn goes_on_after_each_failure(name: &str, engine: &Engine, step: usize) {
    let (base, expected) = begun(engine, name);
    let values = |folder: &Path, fault: Option<Fault>| {
        engine.values_job(&often(), None, &on_disk(keep(folder, false), fault), GO_ON)
    };
    let run = |folder: &Path, fault: Option<Fault>| {
        engine.enumerate_job(&often(), &keep(folder, false), GO_ON).unwrap();
        values(folder, fault)
    };
    let failed = fails_from_each_step(&base.join("failed"), step, &run, &|folder, at| {
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
