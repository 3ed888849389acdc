//! Finds the values of the states of a job, and writes them to files beside the states, depth by depth from the last to
//! the first.
//!
//! If the rules are layered, only two depths are in memory at a time, or a portion of a depth if two do not fit. An
//! interrupted run resumes at the last depth that has no values yet. Otherwise, values spread through all states at
//! once, or through one tier after the other (`kept_tiers.rs`), and the files are written when all values are known.
//! Checkpoints keep the values that have spread so far, and before that the successors of all states if these are
//! needed (`listing.rs`). An interrupted run resumes from the last checkpoint. The files are the same however the
//! values were found.

use std::sync::atomic::{AtomicBool, Ordering};

use super::allowance::Allowance;
use super::checkpoints::Keeper;
use super::report::{AllValues, ValuesFound, WordState};
use super::retrograde::PredecessorWay;
use super::value_code::ValueCode;
use crate::error::Result;
use crate::graph::FoundStates;
use crate::instant::Instant;
use crate::job::{Job, ValuesEntry};
use crate::memory;
use crate::run::{DepthValues, Options, Progress, Stop, Store, Watch, Worth, in_pool};
use crate::structure::Window;

/// Finds the values of all states of a job and writes them to the job. The job must have found all its states.
///
/// # Errors
///
/// [`crate::Error::Memory`] if the values need more than the limit; [`crate::Error::Disk`] and
/// [`crate::Error::Corrupt`] if files cannot be written, or have changed since they were written;
/// [`crate::Error::Options`] if the threads cannot be started.
pub fn kept_values(
    found: &mut dyn FoundStates,
    symmetry_order: usize,
    job: &mut Job,
    options: &Options,
    watch: Watch,
) -> Result<ValuesFound<WordState>> {
    let (begun, players) = (Instant::now(), found.alternating());
    // The search for the states has just freed what it held.
    memory::trim();
    let done = job.whole_values().is_ok()
        || in_pool(options, || {
            let advanced = AtomicBool::new(false);
            let watch =
                |progress: &Progress| watch(&Progress { again: !advanced.load(Ordering::Relaxed), ..*progress });
            let allowed = Allowance { advanced: Some(&advanced), ..Allowance::new(options, begun, &watch) };
            let mut keeper = Keeper::new(&allowed, job);
            let way = if found.undoes_moves() { PredecessorWay::Undone } else { PredecessorWay::Listed };
            match found.tier_map() {
                _ if found.window() == Window::Layered => keeper.sweep(found, options.grain),
                Some(map) => keeper.spread_by_tiers(found, &map, way, options),
                None => keeper.spread(found, way, options),
            }
        })??;
    if !done {
        return Ok(ValuesFound::Stopped(Stop::Watch, job.manifest().depths.len() as u64));
    }
    let all = all_of(job, found.scored().is_some(), players, symmetry_order, begun.elapsed().as_secs_f64())?;
    Ok(ValuesFound::All(all))
}

/// The result of a job that has all values. `players` is the number of players who move in turn.
///
/// # Errors
///
/// [`crate::Error::Job`] if some values are missing.
pub fn all_of(
    job: &Job,
    scored: bool,
    players: usize,
    symmetry_order: usize,
    seconds: f64,
) -> Result<AllValues<WordState>> {
    let stage = job.whole_values()?;
    let of_depth = |entry: &ValuesEntry| DepthValues { win: entry.win, draw: entry.draw, loss: entry.loss };
    let depths: Vec<DepthValues> = stage.depths.iter().rev().map(of_depth).collect();
    let moves = stage.start_moves.unwrap_or(0);
    let value = |worth: Worth, moves: u32| ValueCode::decided(worth, moves).value_of(scored);
    let start = match depths.first() {
        Some(first) if first.win.states > 0 => value(Worth::Win, moves),
        Some(first) if first.loss.states > 0 => value(Worth::Loss, moves),
        _ => value(Worth::Draw, 0),
    };
    let longest = stage.longest.as_ref().and_then(|longest| {
        let value = value(if longest.wins { Worth::Win } else { Worth::Loss }, longest.moves);
        let player = (longest.depth % players as u64) as usize;
        Some((WordState { word: longest.word_bytes(job.word_bytes())?, player }, value))
    });
    Ok(AllValues {
        depths,
        distances: stage.ends.clone(),
        scored,
        start,
        longest,
        symmetry_order,
        generated: job.manifest().generated,
        seconds,
        has_distances: stage.distances,
        backward: false,
        store: Store::Sparse,
    })
}
