//! The sweep over the tiers, from full boards to the start. A job keeps each tier as soon as the tier has values.

use std::sync::Arc;

use super::kernel::{AT_ONCE, LaterTier, RowsCounted, Scratch, TierRows, TierSweeper};
use super::terminal::Terminals;
use super::tier::Tier;
use crate::compile::cpu;
use crate::dense::pages::Pages;
use crate::dense::placement::cell_sets::{SetImages, classes};
use crate::dense::placement::layers::start_outcome;
use crate::dense::placement::shape::PlacementShape;
use crate::error::Result;
use crate::index::{PlacementIndex, choose};
use crate::instant::Instant;
use crate::job::{Job, TierBlocks, ValuesEntry, ValuesStage};
use crate::rules::Rules;
use crate::run::{DepthValues, Monitor, Progress, Tally, TierValues, Watch, Worth, parallel};

/// The use of the values of each tier: they are only counted, written to a job, or compared with those of a job.
pub enum KeepsTiers<'a> {
    /// The values are only counted.
    No,
    /// The values are written into a job that has all states. The job goes on after the tiers that it has kept.
    In(&'a mut Job),
    /// The values are compared with those that a job has kept so far.
    As(&'a Job),
}

impl KeepsTiers<'_> {
    fn job(&self) -> Option<&Job> {
        match self {
            Self::No => None,
            Self::In(job) => Some(job),
            Self::As(job) => Some(job),
        }
    }

    /// Writes or compares the values of a tier.
    fn take(&mut self, depth: usize, words: &[u64], counted: &DepthValues) -> Result<()> {
        let &DepthValues { win, draw, loss } = counted;
        let bytes = bytemuck::cast_slice(words);
        match self {
            Self::No => {}
            Self::In(job) => {
                job.write_tier(depth, bytes)?;
                let entry = ValuesEntry { depth: depth as u64, win, draw, loss, files: Vec::new() };
                job.commit_values(&entry, ValuesStage::default())?;
            }
            Self::As(job) => {
                let manifest = job.manifest();
                let known = manifest.values.as_ref().and_then(|stage| stage.entry(depth, manifest.depths.len()));
                let Some(known) = known else { return Ok(()) };
                if (win, draw, loss) != (known.win, known.draw, known.loss) {
                    return Err(job.lacks(depth));
                }
                if let Some(blocks) = job.tier(depth, bytes.len())? {
                    for (number, block) in bytes.chunks(TierBlocks::BYTES).enumerate() {
                        if blocks.block(number)? != block {
                            return Err(job.lacks(depth));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The data that all tiers share.
struct Tiers<'a> {
    index: &'a PlacementIndex,
    rules: &'a Rules,
    images: SetImages,
    watch: Watch<'a>,
    begun: Instant,
    /// `true` if states that play does not reach are marked.
    marks: bool,
}

impl Tiers<'_> {
    /// The tier of a depth, with zeros in place of its values. If `later`, the tier after it, has the same rows, both
    /// share one list of them.
    fn tier(&self, depth: u64, later: Option<&LaterTier>) -> Result<LaterTier> {
        let [firsts, seconds] = self.index.counts(depth);
        let places = self.index.cells - firsts;
        let rows = match later {
            Some(later) if later.tier.places == places => Arc::clone(&later.tier.rows),
            _ => Arc::new(self.images.canonical(self.index.cells, firsts)),
        };
        let tier = Tier::new(rows, places, seconds);
        let values = Pages::new::<u64>(tier.rows.len() * tier.row_words())?;
        Ok(LaterTier { terminals: Terminals::new(self.index, self.rules, depth), tier, values })
    }

    /// A tier with the values that a job has of it, or, if play is over in all its states, with values found anew.
    /// `None` if the watch stops that.
    fn kept(&self, depth: usize, job: &Job) -> Result<Option<LaterTier>> {
        let mut kept = self.tier(depth as u64, None)?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(kept.values.get_mut::<u64>());
        let Some(blocks) = job.tier(depth, bytes.len())? else {
            // Play is over in all states of the tier. So their values follow from the rules alone.
            return Ok(self.swept(depth as u64, None, 0)?.map(|(tier, _)| tier));
        };
        for (number, block) in bytes.chunks_mut(TierBlocks::BYTES).enumerate() {
            block.copy_from_slice(&blocks.block(number)?);
        }
        Ok(Some(kept))
    }

    /// A tier with its values, and their counts; `None` if the watch stops the sweep. `states` is the number of states
    /// in later tiers.
    fn swept(&self, depth: u64, later: Option<&LaterTier>, states: u64) -> Result<Option<(LaterTier, RowsCounted)>> {
        let LaterTier { tier, terminals, mut values } = self.tier(depth, later)?;
        let store_bytes = (values.bytes() + later.map_or(0, |later| later.values.bytes())) as u64;
        let progress = Progress { depth, frontier: tier.placements(), states, store_bytes, ..Progress::default() };
        let monitor = Monitor::new(self.watch, self.begun, progress);
        let sweeper = TierSweeper::new(&self.images, &tier, &terminals, later, self.marks);
        let words = values.get_mut::<u64>();
        let parts = words.chunks_mut((AT_ONCE * tier.row_words()).max(1));
        let mut parts: Vec<_> = parts.map(|values| (values, RowsCounted::default())).collect();
        parallel::each_mut(&mut parts, |number, (values, counted)| {
            if !monitor.stopped() {
                let (rows, scratch) = (values.len() / tier.row_words(), &mut Scratch::default());
                cpu::run(TierRows { sweeper: &sweeper, first: number * AT_ONCE, values, scratch, counted });
                monitor.add((rows * tier.columns.len()) as u64);
            }
        });
        let counted = parts.into_iter().map(|(_, counted)| counted).fold(RowsCounted::default(), RowsCounted::and);
        Ok((!monitor.stopped()).then_some((LaterTier { tier, terminals, values }, counted)))
    }
}

/// Finds the value of every placement that play can reach; `None` if the watch stops it.
///
/// # Errors
///
/// [`crate::Error::Memory`] if the system does not give enough memory; [`crate::Error::Disk`] and
/// [`crate::Error::Corrupt`] if the files of a job cannot be written, or have changed since they were written.
pub(in crate::dense) fn values(
    shape: &PlacementShape,
    rules: &Rules,
    mut keeps: KeepsTiers,
    watch: Watch,
) -> Result<Option<TierValues>> {
    let (begun, index, images) = (Instant::now(), &shape.index, SetImages::new(&shape.symmetries));
    let symmetry_order = images.elements.len();
    let marks = keeps.job().is_some();
    let tiers = Tiers { index, rules, images, watch, begun, marks };
    let mut depths = vec![DepthValues::default(); index.last_depth() as usize + 1];
    let (mut generated, mut left) = (0, depths.len());
    let mut later: Option<LaterTier> = None;
    if let Some(job) = keeps.job() {
        let manifest = job.manifest();
        left = manifest.depths.len();
        if left > depths.len() {
            return Err(job.lacks(left - 1));
        }
        depths.truncate(left);
        if let KeepsTiers::In(job) = &keeps {
            for entry in manifest.values.iter().flat_map(|stage| &stage.depths) {
                let ValuesEntry { win, draw, loss, .. } = *entry;
                left -= 1;
                depths[left] = DepthValues { win, draw, loss };
            }
            if (1..depths.len()).contains(&left) {
                later = tiers.kept(left, job)?;
                if later.is_none() {
                    return Ok(None);
                }
            }
        }
    }
    if let Some(outcome) = start_outcome(index, rules) {
        let one = Tally { states: 1, raw_states: 1 };
        depths.truncate(1);
        depths[0] = match Worth::of(rules, outcome, 0) {
            Worth::Win => DepthValues { win: one, ..DepthValues::default() },
            Worth::Draw => DepthValues { draw: one, ..DepthValues::default() },
            Worth::Loss => DepthValues { loss: one, ..DepthValues::default() },
        };
        if left > 0 {
            keeps.take(0, &[], &depths[0])?;
        }
        let seconds = begun.elapsed().as_secs_f64();
        return Ok(Some(TierValues { depths, symmetry_order, generated, seconds }));
    }
    let mut states = depths.iter().map(|depth| depth.all().states).sum();
    for depth in (0..left).rev() {
        let Some((tier, counted)) = tiers.swept(depth as u64, later.as_ref(), states)? else { return Ok(None) };
        keeps.take(depth, tier.values.get(), &counted.values)?;
        generated += counted.open * (index.last_depth() - depth as u64);
        states += counted.values.all().states;
        depths[depth] = counted.values;
        later = Some(tier);
    }
    if let Some(job) = keeps.job() {
        generated = job.manifest().generated;
    }
    let reached = depths.iter().take_while(|depth| depth.all().states > 0).count();
    depths.truncate(reached);
    Ok(Some(TierValues { depths, symmetry_order, generated, seconds: begun.elapsed().as_secs_f64() }))
}

/// The most bytes of memory that [`values`] takes: for the values of two tiers, for tables, and for the buffers of each
/// thread.
pub(in crate::dense) fn bytes(shape: &PlacementShape, threads: u64) -> u64 {
    let (index, cells) = (&shape.index, shape.index.cells);
    let rows = classes(&shape.symmetries, cells);
    let tier = |depth: u64| {
        let [first, second] = index.counts(depth);
        let (places, columns) = ((cells - first) as u64, choose(cells - first, second));
        let words = columns.div_ceil(64);
        // The bytes of the rows; of their values; of the columns; and of the sets of columns with a mark in each place.
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
        // All sets of first marks are listed before only the smallest images are kept.
        tier(depth) + tier(later) + beside + choose(cells, first) * 4
    };
    (0..=index.last_depth()).map(pair).max().unwrap_or(0)
}
