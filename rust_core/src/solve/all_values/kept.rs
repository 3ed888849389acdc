//! The values of the states of a job, written beside their files, depth by depth from the last to the first.
//!
//! If a state tells how many moves led to it, two depths are in memory at a time, and a run that was ended goes on at the
//! depth after the last that is kept. Otherwise values spread through all states, or through one tier after the other
//! (`kept_tiers.rs`), and then they are written. How far they have spread is kept from time to time, and a run that
//! was ended goes on from there. The files are the same either way.

use std::time::Instant;

use super::super::values::Value;
use super::given::Given;
use super::keeper::Keeper;
use super::tally::DepthValues;
use super::tier_map::TierMap;
use super::{AllValues, ValuesFound};
use crate::compile::{Compiled, Images, Word};
use crate::error::Result;
use crate::job::{Job, ValuesEntry};
use crate::run::{Options, Stop, Watch, in_pool};
use crate::structure::Window;

/// Finds the values of all states of a job that has all states, and keeps them. The state in the result is a word with
/// the player to move.
///
/// # Errors
///
/// [`Error::Memory`] if they need more than the limit; [`Error::Disk`] and [`Error::Corrupt`] if files cannot be written
/// or are not what was written; [`Error::Options`] if the threads cannot be started.
pub fn kept_values<W: Word>(
    (compiled, images): (&Compiled<W>, &Images<W>),
    job: &mut Job,
    options: &Options,
    watch: Watch,
) -> Result<ValuesFound<(W, usize)>> {
    let begun = Instant::now();
    let done = job.whole_values().is_ok()
        || in_pool(options, || {
            let room = options.memory - options.memory / 8;
            let given = Given { compiled, images, watch, begun, room };
            let mut keeper = Keeper::new(&given, job)?;
            if compiled.structure.window() == Window::Layered {
                keeper.sweep()
            } else {
                match TierMap::new(compiled).filter(|_| !keeper.spreads_at_once()) {
                    Some(map) => keeper.spread_by_tiers(&map, options),
                    None => keeper.spread(options.checkpoint),
                }
            }
        })??;
    if !done {
        return Ok(ValuesFound::Stopped(Stop::Watch, job.manifest().depths.len() as u64));
    }
    let all = all_of(job, images.order, begun.elapsed().as_secs_f64())?;
    let players = compiled.rules.player_count();
    Ok(ValuesFound::All(all.map(|(bytes, depth)| (W::from_bytes(&bytes), depth as usize % players))))
}

/// What a job with all values says of them. The longest state is the bytes of its word, and its depth.
fn all_of(job: &Job, symmetry_order: usize, seconds: f64) -> Result<AllValues<(Vec<u8>, u64)>> {
    let stage = job.whole_values()?;
    let of_depth = |entry: &ValuesEntry| DepthValues { win: entry.win, draw: entry.draw, loss: entry.loss };
    let depths: Vec<DepthValues> = stage.depths.iter().rev().map(of_depth).collect();
    let moves = stage.start_moves.unwrap_or(0);
    let start = match depths.first() {
        Some(first) if first.win.states > 0 => Value::Win(moves),
        Some(first) if first.loss.states > 0 => Value::Loss(moves),
        _ => Value::Draw(None),
    };
    let longest = stage.longest.as_ref().and_then(|longest| {
        let value = if longest.wins { Value::Win(longest.moves) } else { Value::Loss(longest.moves) };
        Some(((longest.word_bytes(job.word_bytes())?, longest.depth), value))
    });
    let distances = stage.ends.clone();
    let generated = job.manifest().generated;
    Ok(AllValues {
        depths,
        distances,
        start,
        longest,
        symmetry_order,
        generated,
        seconds,
        has_distances: stage.distances,
    })
}
