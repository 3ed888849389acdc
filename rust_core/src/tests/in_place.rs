//! Tests of jobs whose arrays do not fit the memory. The arrays are files of the job, which are changed in place.

use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::faults::{fails_from, files, keep, plain, run, stops_everywhere, tiles};
use super::{apart, boards, new_folder, quick_or_long};
use crate::engine::{Engine, JobFolder};
use crate::error::{Error, Result};
use crate::job::{Fault, Manifest, Step};
use crate::rules::RulesData;
use crate::run::{Grain, Options, Progress, Report, Stop, Store};

/// Options with small parts of work, and with one byte less of memory than the arrays of a search take.
fn beyond(engine: &Engine, options: &Options) -> Options {
    let grain = Some(Grain { partition_bits: 0, block_states: 1, wave_blocks: 1, run_words: 0 });
    let mut options = Options { store: Store::Dense, grain, ..*options };
    // A run with much memory has three arrays, and one with less has two. So the memory is lowered until no plan is
    // left.
    while let Ok(plan) = engine.plan(&options, false) {
        options.memory = plan.memory_bytes.unwrap() - 1;
    }
    options
}

fn verified(engine: &Engine, folder: &Path) -> Result<Manifest> {
    engine.verify_job(u64::MAX, &keep(folder, true), &|_| ControlFlow::Continue(()))
}

/// A sliding puzzle of two rows and three columns. Its moves need a symbol, and its index has several lanes for each
/// parity.
fn slides() -> Engine {
    Engine::new(&RulesData { goal: Vec::new(), ..boards::slide(2, 3) }).unwrap()
}

#[test]
fn arrays_on_disk_give_the_counts_of_arrays_in_memory() {
    let many: Vec<usize> = (0..quick_or_long(7, 8) as usize).collect();
    for engine in [tiles(&[0, 1, 2, 3, 4, 5]), tiles(&many), slides()] {
        let base = new_folder("in-place");
        let expected = engine.enumerate(&Options { store: Store::Sparse, ..plain() }, &|_| ControlFlow::Continue(()));
        let expected = expected.unwrap();
        for threads in [1, 2] {
            let options = beyond(&engine, &Options { threads, ..plain() });
            let folder = base.join(threads.to_string());
            let found: Report = run(&engine, &options, &keep(&folder, false), None).unwrap();
            let counts = |report: &Report| {
                let of = |depth: &crate::run::DepthReport| (depth.states, depth.raw_states, depth.open);
                (report.depths.iter().map(of).collect::<Vec<_>>(), report.generated)
            };
            assert_eq!(counts(&found), counts(&expected));
            assert!(Engine::job_status(&folder).unwrap().subject.keeps_arrays());
            assert_eq!(verified(&engine, &folder).unwrap().depths.len(), expected.depths.len());
            // The arrays are gone: the manifest, the puzzle and the lock are left.
            assert!(files(&folder).keys().all(|name| !name.starts_with("depth-")), "{:?}", files(&folder).keys());
        }
        fs::remove_dir_all(&base).unwrap();
    }
}

#[test]
fn it_goes_on_from_anywhere_in_a_depth() {
    let engine = tiles(&[0, 1, 2, 3, 4, 5]);
    let options = beyond(&engine, &plain());
    stops_everywhere(&engine, &options, apart(499), "stopped-in-place");
    stops_everywhere(&engine, &Options { checkpoint: Duration::ZERO, ..options }, apart(149), "often-in-place");
    stops_everywhere(&slides(), &beyond(&slides(), &plain()), 97, "slides-in-place");
}

/// If the manifest cannot be written, or if the process is killed, the arrays already have states that the manifest
/// does not know of.
#[test]
fn it_goes_on_after_each_failure_of_the_disk() {
    let (engine, base) = (slides(), new_folder("failed-in-place"));
    let options = beyond(&engine, &plain());
    let expected = run(&engine, &options, &keep(&base.join("whole"), false), None).unwrap();
    let (mut failures, mut ahead) = (0, 0);
    let apart = apart(1);
    for at in (0..).step_by(apart) {
        let folder = base.join("job");
        let found = run(&engine, &options, &keep(&folder, false), Some(fails_from(at)));
        let begun = Manifest::is_in(&folder);
        if begun {
            let known = Engine::job_status(&folder).unwrap();
            ahead += usize::from(known.partial.is_some());
            verified(&engine, &folder).unwrap();
        }
        let resumed = run(&engine, &options, &keep(&folder, begun), None).unwrap();
        assert_eq!((&resumed.depths, resumed.generated), (&expected.depths, expected.generated), "failed at {at}");
        fs::remove_dir_all(&folder).unwrap();
        match found {
            Ok(_) => break,
            Err(error) => assert!(matches!(error, Error::Disk(_)), "{error}"),
        }
        failures += 1;
    }
    assert!(
        failures * apart > 50 && ahead * apart > 40,
        "{failures} failures, {ahead} of them with depths that are done"
    );
    fs::remove_dir_all(&base).unwrap();
}

/// If a disk cannot reserve room for a file, the file is filled with zeros, and the watch may stop that.
#[test]
fn zeros_are_written_where_no_room_can_be_kept() {
    let (engine, base) = (slides(), new_folder("zeros-in-place"));
    let options = beyond(&engine, &plain());
    let expected = run(&engine, &options, &keep(&base.join("whole"), false), None).unwrap();
    let no_room: Fault = Arc::new(|step| match step {
        Step::KeepRoom => Err(ErrorKind::Unsupported.into()),
        _ => Ok(()),
    });
    for stops_at in 1..3 {
        let folder = base.join(stops_at.to_string());
        let (looks, place) = (AtomicUsize::new(0), keep(&folder, false));
        let place = JobFolder { place: place.place.failing(Arc::clone(&no_room)), ..place };
        let watch = |_: &Progress| match looks.fetch_add(1, Ordering::Relaxed) + 1 {
            look if look == stops_at => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        };
        let stopped = engine.enumerate_job(&options, &place, &watch).unwrap();
        assert_eq!((stopped.depths.len(), stopped.stop), (0, Some(Stop::Watch)));
        assert_eq!(stopped.symmetry_order, expected.symmetry_order);
        assert!(files(&folder).keys().all(|name| !name.starts_with("depth-")), "{:?}", files(&folder).keys());
        let resumed = run(&engine, &options, &keep(&folder, true), Some(Arc::clone(&no_room))).unwrap();
        assert_eq!((&resumed.depths, resumed.generated), (&expected.depths, expected.generated));
    }
    fs::remove_dir_all(&base).unwrap();
}

#[test]
fn damage_is_found() {
    let (engine, base) = (slides(), new_folder("damaged-in-place"));
    let options = Options { max_depth: Some(6), ..beyond(&engine, &plain()) };
    run(&engine, &options, &keep(&base, false), None).unwrap();
    assert_eq!(verified(&engine, &base).unwrap().depths.len(), 7);
    let whole = files(&base);
    let arrays: Vec<_> = whole.keys().filter(|name| name.starts_with("depth-")).collect();
    assert_eq!(arrays.len(), 2);
    for name in arrays {
        let content = &whole[name];
        for bit in (0..content.len() * 8).step_by(quick_or_long(107, 11) as usize) {
            let mut damaged = content.clone();
            damaged[bit / 8] ^= 1 << (bit % 8);
            // The first and the last word of a file are in no block, so damage there is not found. Neither is an
            // additional state in the array of the next depth, because a run that was killed may have found it.
            let (guard, more) = (bit < 64 || bit >= content.len() * 8 - 64, damaged[bit / 8] > content[bit / 8]);
            fs::write(base.join(name), damaged).unwrap();
            let found = verified(&engine, &base);
            assert!(guard || more || matches!(found, Err(Error::Corrupt(_))), "bit {bit} of {name}: {found:?}");
        }
        fs::write(base.join(name), &content[..content.len() - 8]).unwrap();
        let resumed = run(&engine, &Options { max_depth: None, ..options }, &keep(&base, true), None);
        assert!(matches!(&resumed, Err(Error::Corrupt(text)) if text.contains("the manifest says")), "{resumed:?}");
        fs::write(base.join(name), content).unwrap();
    }
    let deeper = run(&engine, &Options { max_depth: Some(u64::MAX), ..options }, &keep(&base, true), None).unwrap();
    assert_eq!(deeper.states(), 360);
    fs::remove_dir_all(&base).unwrap();
}
