//! Tests of jobs that are stopped or fail at each step, and then resume from what was kept.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::counted_values::told;
use super::{GO_ON, apart, is_long, new_folder, quick_or_long};
use crate::engine::{Engine, JobFolder, State};
use crate::error::{Error, Result};
use crate::job::{Fault, JobPlace};
use crate::run::{Grain, Options, Report, Store};
use crate::values::{AllValues, ValuesFound};

/// Dials in a ring. A move turns two neighbours one step, and none turns back, so the rules are directed. They have a
/// symmetry.
pub(super) fn dials(count: usize) -> Engine {
    let turn = r#"{"copy": 0, "map": {"a": "b", "b": "c", "c": "a"}}"#;
    let moves: Vec<String> = (0..count)
        .map(|at| {
            let write = |cell: usize| format!("[{cell}, {}]", turn.replace('0', &cell.to_string()));
            format!(r#"{{"name": "{at}", "then": [{}, {}]}}"#, write(at), write((at + 1) % count))
        })
        .collect();
    engine(&format!(
        r#"{{"symbols": ["a", "b", "c"], "start": [{}], "moves": [{}],
            "symmetries": [{{"name": "turn", "cells": {:?}}}]}}"#,
        vec![r#""a""#; count].join(", "),
        moves.join(", "),
        (1..=count).map(|cell| cell % count).collect::<Vec<_>>()
    ))
}

/// Tiles in a row. A move exchanges two neighbours. If a name is given several times, these tiles are alike.
pub(super) fn tiles(names: &[usize]) -> Engine {
    let moves: Vec<String> = (1..names.len())
        .map(|at| {
            format!(r#"{{"name": "{at}", "then": [[{at}, {{"copy": {}}}], [{}, {{"copy": {at}}}]]}}"#, at - 1, at - 1)
        })
        .collect();
    let start: Vec<String> = names.iter().map(ToString::to_string).collect();
    let symbols: Vec<String> = (0..=*names.iter().max().unwrap()).map(|name| name.to_string()).collect();
    engine(&format!(r#"{{"symbols": {symbols:?}, "start": {start:?}, "moves": [{}]}}"#, moves.join(", ")))
}

/// Lamps in a ring. A move toggles two of them, three places apart.
fn lamps(count: usize) -> Engine {
    let toggle = |cell: usize| format!(r#"[{cell}, {{"copy": {cell}, "map": {{"0": "1", "1": "0"}}}}]"#);
    let moves: Vec<String> = (0..count)
        .map(|at| format!(r#"{{"name": "{at}", "then": [{}, {}]}}"#, toggle(at), toggle((at + 3) % count)))
        .collect();
    engine(&format!(
        r#"{{"symbols": ["0", "1"], "start": [{}], "moves": [{}]}}"#,
        vec![r#""0""#; count].join(", "),
        moves.join(", ")
    ))
}

/// A game on nine cells, in which two players put marks into empty cells.
fn marks() -> Engine {
    let moves: Vec<String> = (0..18)
        .map(|at| {
            let (cell, player) = (at % 9, ["X", "O"][at / 9]);
            format!(
                r#"{{"name": "{cell}", "player": "{player}",
                "when": [[{cell}, ["."]]], "then": [[{cell}, "{player}"]]}}"#
            )
        })
        .collect();
    let line = |mark: &str| {
        let cells: Vec<String> = [0, 4, 8].iter().map(|cell| format!(r#"[{cell}, ["{mark}"]]"#)).collect();
        format!(r#"{{"outcome": "{mark}", "when": [{}]}}"#, cells.join(", "))
    };
    engine(&format!(
        r#"{{"symbols": [".", "X", "O"], "start": [{}], "players": ["X", "O"], "stuck": "draw", "moves": [{}],
            "ends": [{}, {}], "symmetries": [{{"name": "over", "cells": [0, 3, 6, 1, 4, 7, 2, 5, 8]}}]}}"#,
        [r#"".""#; 9].join(", "),
        moves.join(", "),
        line("X"),
        line("O")
    ))
}

fn engine(json: &str) -> Engine {
    Engine::new(&serde_json::from_str(json).unwrap()).unwrap()
}

pub(super) fn keep(folder: &Path, resume: bool) -> JobFolder {
    JobFolder { place: JobPlace::new(folder), resume, puzzle: "test".to_owned(), ..JobFolder::default() }
}

/// The contents of all files in a folder and in its inner folders.
pub(super) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(inner, held)| (format!("{name}/{inner}"), held)));
        } else {
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

pub(super) fn run(engine: &Engine, options: &Options, keep: &JobFolder, fault: Option<Fault>) -> Result<Report> {
    engine.enumerate_job(options, &on_disk(keep.clone(), fault), &|_| ControlFlow::Continue(()))
}

/// The folder of a job on a disk that fails as `fault` says, if one is given.
pub(super) fn on_disk(keep: JobFolder, fault: Option<Fault>) -> JobFolder {
    match fault {
        Some(fault) => JobFolder { place: keep.place.failing(fault), ..keep },
        None => keep,
    }
}

/// Options for one thread and the store that the engine chooses.
pub(super) fn plain() -> Options {
    Options { threads: 1, ..Options::default() }
}

/// Options for the sparse store, even if the rules have a perfect index.
fn sparse() -> Options {
    Options { store: Store::Sparse, ..plain() }
}

/// Options for the sparse store with small blocks, and with runs of `run_words` words on disk.
fn cut(run_words: usize) -> Options {
    let grain = Some(Grain { partition_bits: 1, block_states: 3, wave_blocks: 2, run_words });
    Options { grain, ..sparse() }
}

/// Stops a job and resumes it, again and again from the beginning. Each time, the job is stopped `step` calls of the
/// watch later than before.
pub(super) fn stops_everywhere(engine: &Engine, options: &Options, step: usize, name: &str) {
    let base = new_folder(name);
    let report = run(engine, options, &keep(&base.join("whole"), false), None).unwrap();
    let expected = files(&base.join("whole"));
    let mut kept = 0;
    for stop in (0..).step_by(step) {
        let folder = base.join(format!("{stop}"));
        let looks = AtomicUsize::new(0);
        let watch = |_: &crate::Progress| match looks.fetch_add(1, Ordering::Relaxed) {
            at if at >= stop => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let first = engine.enumerate_job(options, &keep(&folder, false), &watch).unwrap();
        // The resumed job is stopped once more, after a few calls of the watch, before it has come as far as the first
        // time.
        let again = looks.load(Ordering::Relaxed) % 5;
        looks.store(stop - stop.min(again), Ordering::Relaxed);
        engine.enumerate_job(options, &keep(&folder, true), &watch).unwrap();
        kept += usize::from(Engine::job_status(&folder).unwrap().partial.is_some_and(|partial| partial.runs > 0));
        let resumed = run(engine, options, &keep(&folder, true), None).unwrap();
        assert_eq!((&resumed.depths, resumed.generated), (&report.depths, report.generated), "stopped at {stop}");
        assert_eq!(files(&folder), expected, "stopped at {stop}");
        fs::remove_dir_all(&folder).unwrap();
        if first.stop.is_none() {
            break;
        }
    }
    assert!(kept > 0, "{name}: of {kept} runs something was kept within a depth");
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn a_job_goes_on_from_anywhere_in_a_depth() {
    stops_everywhere(&dials(6), &cut(0), 1, "stopped");
}

/// In memory, new states are tested for ends here, and on disk all successors. The files are the same.
#[test]
fn a_game_goes_on_from_anywhere_in_a_depth() {
    stops_everywhere(&marks(), &cut(0), apart(7), "stopped-game");
    let base = new_folder("game");
    let [memory, disk, plain] = [cut(0), cut(7), sparse()].map(|options| {
        let folder = base.join(format!("{:?}", options.grain.map(|grain| grain.run_words)));
        let report = run(&marks(), &options, &keep(&folder, false), None).unwrap();
        (report.depths, report.generated, files(&folder))
    });
    assert_eq!(memory, plain);
    assert_eq!(disk, plain);
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn a_job_on_disk_goes_on_from_anywhere_in_a_depth() {
    stops_everywhere(&dials(6), &cut(7), 1, "stopped-on-disk");
}

#[test]
fn a_dense_job_goes_on_from_anywhere_in_a_depth() {
    // With these sizes, a chunk is one block, and the kept part of a depth grows by one chunk or one row.
    let grain = Some(Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 0 });
    let options = Options { store: Store::Dense, grain, ..plain() };
    stops_everywhere(&tiles(&[0, 1, 2, 3, 4, 5]), &options, apart(1597), "stopped-tiles");
    stops_everywhere(&tiles(&[0, 0, 1, 1, 2, 2, 2]), &options, apart(47), "stopped-colours");
    stops_everywhere(&lamps(11), &options, apart(7), "stopped-lamps");
    stops_everywhere(&marks(), &options, apart(2), "stopped-marks");
    let often = Options { checkpoint: std::time::Duration::ZERO, ..options };
    stops_everywhere(&tiles(&[0, 1, 2, 3, 4, 5]), &often, apart(797), "often-tiles");
    stops_everywhere(&tiles(&[0, 0, 1, 1, 2, 2, 2]), &often, apart(23), "often-colours");
    stops_everywhere(&lamps(11), &often, 13, "often-lamps");
    stops_everywhere(&marks(), &often, apart(5), "often-marks");
}

/// A disk that works for the first `at` steps, and then fails at each.
pub(super) fn fails_from(at: usize) -> Fault {
    let steps = AtomicUsize::new(0);
    Arc::new(move |_| match steps.fetch_add(1, Ordering::Relaxed) {
        step if step >= at => Err(std::io::Error::other("no more")),
        _ => Ok(()),
    })
}

/// A watch that stops the work when it has looked as often as `looks` says.
pub(super) fn stops_after(looks: usize) -> impl Fn(&crate::Progress) -> ControlFlow<()> + Sync {
    let looked = AtomicUsize::new(0);
    move |_| {
        if looked.fetch_add(1, Ordering::Relaxed) < looks { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    }
}

/// A job of values whose disk fails, each time from a later step on, is resumed from what was kept.
#[test]
fn a_job_of_values_goes_on_after_each_failure_of_the_disk() {
    let base = new_folder("failed-values");
    let (failed, _) = values_go_on_after_each_failure(&marks(), &sparse(), &base, &|_| 3);
    assert!(failed > 15, "{failed}");
    fs::remove_dir_all(&base).unwrap();
}

/// Finds values in jobs whose disks fail at some step, and goes on with each: the values and all files are those of a
/// run that never failed. `step` is how many steps lie between two failures, given the values. Returns the number of
/// failures, and the values.
pub fn values_go_on_after_each_failure(
    engine: &Engine,
    options: &Options,
    base: &Path,
    step: &dyn Fn(&AllValues<State>) -> usize,
) -> (usize, AllValues<State>) {
    let run = |folder: &Path, fault: Option<Fault>| {
        engine.values_job(options, None, &on_disk(keep(folder, false), fault), GO_ON)
    };
    let whole = base.join("whole");
    let wanted = told(run(&whole, None).unwrap());
    let expected = files(&whole);
    let failed = fails_from_each_step(&base.join("failed"), step(&wanted), &run, &|folder, at| {
        assert_eq!(told(run(folder, None).unwrap()), wanted, "failed at {at}");
        assert_eq!(files(folder), expected, "failed at {at}");
    });
    (failed, wanted)
}

/// Does a job again and again in a new folder, on a disk that fails from a later step on each time, until it does not
/// fail. After each run, `check` goes on with the job in the folder; it also gets the number of the step. `step` is how
/// many steps lie between two failures. Returns the number of failures.
pub fn fails_from_each_step<T>(
    folder: &Path,
    step: usize,
    run: &dyn Fn(&Path, Option<Fault>) -> Result<T>,
    check: &dyn Fn(&Path, usize),
) -> usize {
    let mut failed = 0;
    for at in (0..).step_by(apart(step)) {
        let ended = run(folder, Some(fails_from(at)));
        check(folder, at);
        fs::remove_dir_all(folder).unwrap();
        match ended {
            Err(Error::Disk(_)) => failed += 1,
            Err(error) => panic!("failed at {at}: {error}"),
            Ok(_) => break,
        }
    }
    failed
}

/// Values are found in portions of a few states. Each time, the disk fails from a later step on, or the watch stops the
/// work at a later look. The job goes on from what was kept, and its files are those of values in memory.
#[test]
fn values_in_portions_go_on_from_any_step() {
    let base = new_folder("failed-portions");
    let (engine, go_on) = (marks(), |_: &crate::Progress| ControlFlow::Continue(()));
    engine.values_job(&sparse(), None, &keep(&base.join("whole"), false), &go_on).unwrap();
    let (expected, folder) = (files(&base.join("whole")), base.join("job"));
    let goes_on = |work: &dyn Fn() -> Result<bool>| {
        engine.enumerate_job(&sparse(), &keep(&folder, false), &go_on).unwrap();
        let ended = work();
        engine.verify_job(u64::MAX, &keep(&folder, false), &go_on).unwrap();
        engine.values_job(&cut(40), None, &keep(&folder, false), &go_on).unwrap();
        assert_eq!(files(&folder), expected);
        fs::remove_dir_all(&folder).unwrap();
        ended
    };
    let (mut failed, mut stopped) = (0, 0);
    for at in (0..).step_by(apart(1)) {
        let place = on_disk(keep(&folder, false), Some(fails_from(at)));
        match goes_on(&|| engine.values_job(&cut(40), None, &place, &go_on).map(|_| true)) {
            Err(Error::Disk(_)) => failed += 1,
            ended => {
                assert!(ended.unwrap());
                break;
            }
        }
    }
    for patience in (0..).step_by(quick_or_long(37, 19) as usize) {
        let all = || {
            let found = engine.values_job(&cut(40), None, &keep(&folder, false), &stops_after(patience))?;
            Ok(matches!(found, ValuesFound::All(_)))
        };
        if goes_on(&all).unwrap() {
            break;
        }
        stopped += 1;
    }
    assert!(failed > 10 && stopped > 2, "{failed} failures, {stopped} stops");
    fs::remove_dir_all(&base).unwrap();
}

/// Six tiles in a row, which must come into the reverse order.
fn tiles_to_turn() -> Engine {
    let swap = |at: usize| {
        format!(r#"{{"name": "{at}", "then": [[{at}, {{"copy": {}}}], [{}, {{"copy": {at}}}]]}}"#, at - 1, at - 1)
    };
    let moves: Vec<String> = (1..6).map(swap).collect();
    // The goal does not name the last tile. If it named all tiles, values would be counted from there in any folder. As
    // it is, they spread in a folder that has the words of all states.
    let goal: Vec<String> = (0..5).map(|cell| format!(r#"[{cell}, ["{}"]]"#, 5 - cell)).collect();
    let names: Vec<String> = (0..6).map(|name| name.to_string()).collect();
    engine(&format!(
        r#"{{"symbols": {names:?}, "start": {names:?}, "moves": [{}], "goal": [[{}]]}}"#,
        moves.join(", "),
        goal.join(", ")
    ))
}

/// A job of values that spread resumes at the number of moves at which it was stopped.
#[test]
fn values_that_spread_go_on_after_any_number_of_moves() {
    let (base, engine) = (new_folder("spread"), tiles_to_turn());
    for checkpoint in [std::time::Duration::ZERO, std::time::Duration::from_secs(600)] {
        let all = Options { checkpoint, ..sparse() };
        let whole = base.join("whole");
        engine.enumerate_job(&all, &keep(&whole, false), &|_| ControlFlow::Continue(())).unwrap();
        engine.values_job(&all, None, &keep(&whole, false), &|_| ControlFlow::Continue(())).unwrap();
        let (expected, mut kept) = (files(&whole), std::collections::BTreeSet::new());
        let job = base.join("job");
        engine.enumerate_job(&all, &keep(&job, false), &|_| ControlFlow::Continue(())).unwrap();
        // All states are found already. So the depth in the progress is the number of moves up to which values have
        // spread.
        for last in 1.. {
            let watch = |progress: &crate::Progress| match progress.depth {
                depth if depth >= last => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            };
            let found = engine.values_job(&all, None, &keep(&job, false), &watch).unwrap();
            if matches!(found, ValuesFound::All(_)) {
                break;
            }
            engine.verify_job(u64::MAX, &keep(&job, false), &|_| ControlFlow::Continue(())).unwrap();
            let spread = Engine::job_status(&job).unwrap().values.unwrap().spread.unwrap();
            assert_eq!(u64::from(spread.moves), last);
            kept.insert(spread.moves);
        }
        // Bringing six tiles into reverse order takes 15 swaps, one for each pair of tiles, and no state needs more.
        assert_eq!(kept, (1..=15).collect());
        assert_eq!(files(&job), expected);
        fs::remove_dir_all(&base).unwrap();
    }
}

/// Options with just enough memory for the arrays of a search, but none for the bits of a finished depth beside them.
fn tight(engine: &Engine, options: &Options) -> Options {
    let options = Options { store: Store::Dense, ..*options };
    Options { memory: engine.plan(&options, false).unwrap().memory_bytes.unwrap(), ..options }
}

#[test]
fn a_job_of_snapshots_goes_on_from_anywhere_in_a_depth() {
    let grain = Some(Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 0 });
    let engine = tiles(&[0, 1, 2, 3, 4, 5]);
    let options = tight(&engine, &Options { grain, ..plain() });
    stops_everywhere(&engine, &options, apart(499), "stopped-snapshots");
    stops_everywhere(
        &engine,
        &Options { checkpoint: std::time::Duration::ZERO, ..options },
        apart(149),
        "often-snapshots",
    );
}

#[test]
fn a_job_of_snapshots_is_checked_and_says_what_it_cannot() {
    let base = new_folder("snapshots");
    let engine = tiles(&[0, 1, 2, 3, 4, 5]);
    let plain = plain();
    let options = Options { max_depth: Some(6), ..tight(&engine, &plain) };
    let whole = run(&engine, &options, &keep(&base, false), None).unwrap();
    let manifest = Engine::job_status(&base).unwrap();
    assert!(manifest.subject.keeps_snapshot());
    assert_eq!((manifest.depths.len(), manifest.partial.unwrap().files.len()), (7, 2));
    let verify = || engine.verify_job(u64::MAX, &keep(&base, true), &|_| ControlFlow::Continue(()));
    assert_eq!(verify().unwrap().depths.len(), 7);
    // The manifest is changed, so that its counts of a depth differ from the snapshot.
    let sealed = fs::read(base.join("manifest.json")).unwrap();
    let mut wrong = Engine::job_status(&base).unwrap();
    for depth in [5, 6] {
        let entry = &mut wrong.depths[depth];
        (entry.states, entry.raw_states, entry.open) = (1, 1, 1);
        fs::write(base.join("manifest.json"), wrong.to_text()).unwrap();
        assert!(matches!(verify(), Err(Error::Corrupt(_))), "{depth}");
    }
    fs::write(base.join("manifest.json"), sealed).unwrap();
    let dropped = JobFolder { drop_partial: true, ..keep(&base, true) };
    let refused = run(&engine, &options, &dropped, None).unwrap_err().to_string();
    assert!(refused.contains("keeps one snapshot"), "{refused}");
    let deeper = run(&engine, &Options { max_depth: Some(u64::MAX), ..options }, &keep(&base, true), None).unwrap();
    assert_eq!(deeper.depths[..7], whole.depths[..]);
    let sparse = keep(&base.join("sparse"), false);
    let expected = run(&engine, &Options { store: Store::Sparse, ..plain }, &sparse, None).unwrap();
    assert_eq!((deeper.depths, deeper.generated), (expected.depths, expected.generated));
    assert_eq!(verify().unwrap().partial, None);
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn what_is_kept_within_a_depth_changes_no_file() {
    let base = new_folder("checkpoints");
    let often = Options { checkpoint: std::time::Duration::ZERO, ..cut(0) };
    let counts = |options: &Options, name: &str| {
        run(&dials(6), options, &keep(&base.join(name), false), None).unwrap();
        files(&base.join(name))
    };
    let expected = counts(&sparse(), "plain");
    assert_eq!(counts(&often, "often"), expected);
    assert_eq!(counts(&Options { checkpoint: std::time::Duration::ZERO, ..cut(1000) }, "on-disk"), expected);
    // With one word in each run, many runs have to be merged.
    assert_eq!(counts(&cut(1), "tiny"), expected);
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn files_keep_their_bound() {
    let base = new_folder("bound");
    let whole = run(&dials(6), &sparse(), &keep(&base.join("whole"), false), None).unwrap();
    let expected = files(&base.join("whole"));
    let size = |folder: &Path| {
        let states = |(name, content): (&String, &Vec<u8>)| if name.starts_with("depth-") { content.len() } else { 0 };
        files(folder).iter().map(states).sum::<usize>() as u64
    };
    for options in [sparse(), cut(7)] {
        for part in 1..=10 {
            let (folder, disk) = (base.join("part"), size(&base.join("whole")) * part / 10);
            match run(&dials(6), &Options { disk, ..options }, &keep(&folder, false), None) {
                Ok(report) => assert_eq!((part, report.depths), (10, whole.depths.clone())),
                Err(Error::Disk(text)) => assert!(text.contains("would take more than --disk allows"), "{text}"),
                Err(other) => panic!("{other}"),
            }
            assert!(size(&folder) <= disk);
            let begun = folder.join("manifest.json").exists();
            run(&dials(6), &options, &keep(&folder, begun), None).unwrap();
            assert_eq!(files(&folder), expected);
            fs::remove_dir_all(&folder).unwrap();
        }
    }
    fs::remove_dir_all(&base).unwrap();
}

/// Lets one step of writing after another fail, and resumes each time. The job must be written in more than 50 steps. A
/// step fails in one of two ways, or in a long run in both.
fn fails_everywhere(engine: &Engine, options: &Options, name: &str) {
    fails_at_each_step(engine, options, name, 50);
}

/// Does the same as [`fails_everywhere`] for a job that is written in more than `least` steps.
fn fails_at_each_step(engine: &Engine, options: &Options, name: &str, least: usize) {
    let base = new_folder(name);
    let whole = base.join("whole");
    let steps = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&steps);
    let counting: Fault = Arc::new(move |_| {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(())
    });
    let report = run(engine, options, &keep(&whole, false), Some(counting)).unwrap();
    let expected = files(&whole);
    let steps = steps.load(Ordering::Relaxed);
    assert!(steps > least);
    for (way, kind) in [std::io::ErrorKind::StorageFull, std::io::ErrorKind::Other].into_iter().enumerate() {
        for failing in (0..steps).filter(|failing| is_long() || failing % 2 == way) {
            let folder = base.join(format!("{failing}"));
            let count = AtomicUsize::new(0);
            let fault: Fault = Arc::new(move |_| match count.fetch_add(1, Ordering::Relaxed) {
                at if at == failing => Err(kind.into()),
                _ => Ok(()),
            });
            let error = run(engine, options, &keep(&folder, false), Some(fault)).unwrap_err();
            assert!(matches!(&error, Error::Disk(text) if text.starts_with("cannot write ")), "{error}");
            // If writing failed before the first manifest, there is no job yet, and it is begun anew.
            let begun = folder.join("manifest.json").exists();
            let resumed = run(engine, options, &keep(&folder, begun), None).unwrap();
            assert_eq!(resumed.depths, report.depths);
            let found = files(&folder);
            assert_eq!(found, expected);
            fs::remove_dir_all(&folder).unwrap();
        }
    }
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn a_sparse_job_outlives_every_fault() {
    fails_everywhere(&dials(4), &sparse(), "sparse");
}

#[test]
fn a_sparse_job_on_disk_outlives_every_fault() {
    fails_everywhere(&dials(4), &cut(40), "sparse-on-disk");
}

#[test]
fn a_dense_job_outlives_every_fault() {
    fails_everywhere(&tiles(&[0, 1, 2, 3, 4]), &plain(), "dense");
    fails_everywhere(&tiles(&[0, 0, 1, 1, 2]), &plain(), "colours");
    let engine = tiles(&[0, 1, 2, 3, 4]);
    // The last depth is kept as a snapshot: two arrays and the manifest, so it takes few steps to write.
    let stopped = Options { max_depth: Some(4), ..tight(&engine, &plain()) };
    fails_at_each_step(&engine, &stopped, "snapshots", 5);
    fails_everywhere(&lamps(15), &plain(), "lamps");
}

/// The names of the jobs that are run in another process, which aborts. The test then looks at the folder that is left.
const ABORTING: [&str; 3] = ["sparse", "sparse-on-disk", "dense"];

fn aborting(name: &str) -> (Engine, Options) {
    match name {
        "sparse" => (dials(3), sparse()),
        "sparse-on-disk" => (dials(3), cut(20)),
        _ => (tiles(&[0, 0, 1, 2]), Options { store: Store::Dense, ..plain() }),
    }
}

/// This test runs in another process for a test below, which names a job and a step: it runs the job and aborts the
/// process at that step. Otherwise it does nothing.
#[test]
fn aborts_where_it_is_told_to() {
    let told = |name: &str| std::env::var(format!("PUZZLEKIT_ABORT_{name}"));
    let (Ok(name), Ok(at), Ok(folder)) = (told("JOB"), told("STEP"), told("FOLDER")) else { return };
    let (at, count) = (at.parse::<usize>().unwrap(), AtomicUsize::new(0));
    let fault: Fault = Arc::new(move |_| {
        if count.fetch_add(1, Ordering::Relaxed) == at {
            std::process::abort();
        }
        Ok(())
    });
    let (engine, options) = aborting(&name);
    run(&engine, &options, &keep(Path::new(&folder), false), Some(fault)).unwrap();
}

#[test]
fn a_job_outlives_an_abort_at_every_step() {
    for name in ABORTING {
        let base = new_folder(&format!("abort-{name}"));
        let (engine, options) = aborting(name);
        let report = run(&engine, &options, &keep(&base.join("whole"), false), None).unwrap();
        let expected = files(&base.join("whole"));
        let mut aborted = 0;
        let apart = quick_or_long(3, 1) as usize;
        for step in (0..).step_by(apart) {
            let folder = base.join(format!("{step}"));
            let child = std::process::Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "tests::faults::aborts_where_it_is_told_to"])
                .env("PUZZLEKIT_ABORT_JOB", name)
                .env("PUZZLEKIT_ABORT_STEP", step.to_string())
                .env("PUZZLEKIT_ABORT_FOLDER", &folder)
                .output()
                .unwrap();
            let begun = folder.join("manifest.json").exists();
            if child.status.success() {
                assert_eq!(files(&folder), expected, "{name}, whole");
                break;
            }
            aborted += 1;
            let resumed = run(&engine, &options, &keep(&folder, begun), None).unwrap();
            assert_eq!(resumed.depths, report.depths, "{name}, aborted at {step}");
            assert_eq!(files(&folder), expected, "{name}, aborted at {step}");
            fs::remove_dir_all(&folder).unwrap();
        }
        assert!(aborted * apart > 20, "{name}: {aborted} steps");
        fs::remove_dir_all(&base).unwrap();
    }
}

/// A damaged job whose files agree with its manifest. Only the rules show that the board was full a depth earlier.
#[test]
fn a_job_with_more_depths_than_a_board_has_room_for_is_damaged() {
    let base = new_folder("too-deep");
    let (engine, options) = (marks(), Options { store: Store::Dense, ..plain() });
    run(&engine, &options, &keep(&base, false), None).unwrap();
    let mut manifest = Engine::job_status(&base).unwrap();
    let mut deeper = manifest.depths.last().unwrap().clone();
    deeper.depth += 1;
    for file in &mut deeper.files {
        let name = file.name.replace(&format!("{:05}", deeper.depth - 1), &format!("{:05}", deeper.depth));
        fs::copy(base.join(&file.name), base.join(&name)).unwrap();
        file.name = name;
    }
    manifest.depths.push(deeper);
    fs::write(base.join("manifest.json"), manifest.to_text()).unwrap();
    let checked = engine.verify_job(u64::MAX, &keep(&base, true), &|_| ControlFlow::Continue(()));
    assert!(matches!(checked, Err(Error::Corrupt(text)) if text.contains("depth 10")));
    fs::remove_dir_all(&base).unwrap();
}
