//! The sweep over the tiers, from full boards to the start.

use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::best::{AT_ONCE, Later, RowsCounted, Scratch, TierRows, TierSweeper};
use super::referee::Referee;
use super::tier::Tier;
use crate::compile::cpu;
use crate::dense::pages::Pages;
use crate::dense::placement::layers::start_outcome;
use crate::dense::placement::masks::{SetImages, classes};
use crate::dense::placement::shape::PlacementShape;
use crate::error::Result;
use crate::index::choose;
use crate::rules::Rules;
use crate::run::{DepthValues, Monitor, Progress, Tally, TierValues, Watch, Worth};

/// Finds the value of every placement that play can reach; `None` if the watch stops it.
///
/// # Errors
///
/// [`crate::Error::Memory`] if the system does not give enough memory.
pub(in crate::dense) fn values(shape: &PlacementShape, rules: &Rules, watch: Watch) -> Result<Option<TierValues>> {
    let (begun, index, images) = (Instant::now(), &shape.index, SetImages::new(&shape.symmetries));
    let symmetry_order = images.elements.len();
    let (mut depths, mut generated) = (vec![DepthValues::default(); index.last_depth() as usize + 1], 0);
    if let Some(outcome) = start_outcome(index, rules) {
        let one = Tally { states: 1, raw_states: 1 };
        depths.truncate(1);
        match Worth::of(rules, outcome, 0) {
            Worth::Win => depths[0].win = one,
            Worth::Draw => depths[0].draw = one,
            Worth::Loss => depths[0].loss = one,
        }
        let seconds = begun.elapsed().as_secs_f64();
        return Ok(Some(TierValues { depths, symmetry_order, generated, seconds }));
    }
    let mut states = 0;
    let mut later: Option<Later> = None;
    for depth in (0..=index.last_depth()).rev() {
        let [firsts, seconds] = index.counts(depth);
        let places = index.cells - firsts;
        let rows = match &later {
            Some(later) if later.tier.places == places => Arc::clone(&later.tier.rows),
            _ => Arc::new(images.canonical(index.cells, firsts)),
        };
        let tier = Tier::new(rows, places, seconds);
        let referee = Referee::new(index, rules, depth);
        let mut values = Pages::new::<u64>(tier.rows.len() * tier.row_words())?;
        let store_bytes = (values.bytes() + later.as_ref().map_or(0, |later| later.values.bytes())) as u64;
        let progress = Progress { depth, frontier: tier.placements(), states, store_bytes, ..Progress::default() };
        let monitor = Monitor::new(watch, begun, progress);
        let sweeper = TierSweeper::new(&images, &tier, &referee, later.as_ref());
        let words = values.get_mut::<u64>();
        let parts = words.par_chunks_mut((AT_ONCE * tier.row_words()).max(1)).enumerate();
        let work = |scratch: &mut Scratch, (number, values): (usize, &mut [u64])| {
            let mut counted = RowsCounted::default();
            if !monitor.stopped() {
                let rows = values.len() / tier.row_words();
                cpu::run(TierRows {
                    sweeper: &sweeper,
                    first: number * AT_ONCE,
                    values,
                    scratch,
                    counted: &mut counted,
                });
                monitor.add((rows * tier.columns.len()) as u64);
            }
            counted
        };
        let counted = parts.map_init(Scratch::default, work).reduce(RowsCounted::default, RowsCounted::and);
        if monitor.stopped() {
            return Ok(None);
        }
        generated += counted.open * (index.last_depth() - depth);
        states += counted.values.all().states;
        depths[depth as usize] = counted.values;
        later = Some(Later { tier, referee, values });
    }
    let reached = depths.iter().take_while(|depth| depth.all().states > 0).count();
    depths.truncate(reached);
    Ok(Some(TierValues { depths, symmetry_order, generated, seconds: begun.elapsed().as_secs_f64() }))
}

/// The most bytes of memory that [`values`] takes: for the values of two tiers, for what is looked up, and for what each
/// of the threads holds.
pub(in crate::dense) fn bytes(shape: &PlacementShape, threads: u64) -> u64 {
    let (index, cells) = (&shape.index, shape.index.cells);
    let rows = classes(&shape.symmetries, cells);
    let tier = |depth: u64| {
        let [first, second] = index.counts(depth);
        let (places, columns) = ((cells - first) as u64, choose(cells - first, second));
        let words = columns.div_ceil(64);
        // The rows; their values; the columns, and those with a mark in each place.
        rows[first] * (4 + words * 16) + columns * 4 + (places + 1) * words * 8
    };
    let pair = |depth: u64| {
        let [first, second] = index.counts(depth);
        let columns = choose(cells - first, second);
        let later = (depth + 1).min(index.last_depth());
        let [later_first, later_second] = index.counts(later);
        let after = columns * (cells - first - second) as u64 * 4;
        let ahead = threads * choose(cells - later_first, later_second) * 16;
        let beside = if later_first == first { after + ahead } else { 0 };
        // All sets of first marks are listed before the smallest images are kept.
        tier(depth) + tier(later) + beside + choose(cells, first) * 4
    };
    (0..=index.last_depth()).map(pair).max().unwrap_or(0)
}
