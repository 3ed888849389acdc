//! Placements, breadth first by depth: a row of bits for each set of first marks, up to symmetry.
//!
//! The next depth is pulled: each of its rows collects what comes to it. Where the second mark is put, that is its own row; where
//! the first is, it is the few rows with one first mark less. So a thread writes its own rows alone, and a row stays in the
//! first-level cache while it is made.

mod fill;
mod layer;
mod masks;
mod restore;

use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use rayon::prelude::*;

use super::pages::Pages;
use super::{Checkpoints, keep};
use crate::compile::cpu;
use crate::error::Result;
use crate::index::{Cells, Numbers, Placements, choose, subsets};
use crate::job::{DepthEntry, Job};
use crate::rules::{Rules, Symmetry};
use crate::run::{DepthReport, Grain, Monitor, Options, Progress, Report, Stop, Store, Watch};
use crate::structure::Structure;
use fill::{Fill, FillRows, without};
use layer::{Layer, Tally};
pub(super) use masks::Images;
use masks::{Lines, classes};

/// The most symmetries, which those of a cube's cells fit: the work for a row grows with the square of those that leave it as
/// it is.
const MOST_SYMMETRIES: usize = 64;

/// How many rows a thread makes at a time, where no grain says so.
const ROWS: usize = 64;

/// How many times so many rows make a part of a depth, at which threads wait for each other: some seconds of work on a large
/// board.
const PART_ROWS: usize = 1024;

/// Rules whose moves put marks into empty cells, and the symmetries to count by.
#[derive(Debug)]
pub struct Placed {
    pub(super) placements: Placements,
    pub(super) symmetries: Vec<Symmetry>,
    /// How many rows a thread makes at a time.
    rows: usize,
}

impl Placed {
    /// The index of some rules, where their moves do nothing but put marks into empty cells.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], grain: Option<Grain>) -> Option<Self> {
        let placements = Placements::of_structure(structure)?;
        if symmetries.len() > MOST_SYMMETRIES {
            return None;
        }
        let kept = symmetries.iter().all(|symmetry| placements.keeps(&symmetry.symbols));
        kept.then(|| Self {
            placements,
            symmetries: symmetries.to_vec(),
            rows: grain.map_or(ROWS, |grain| grain.block_states.max(1)),
        })
    }

    /// The bytes of memory that a run takes at the most: two depths, and the tables for lines and for numbers of sets.
    pub fn bytes(&self, max_depth: Option<u64>) -> u64 {
        let cells = self.placements.cells;
        let [first, second] = self.placements.counts(0);
        let last = (cells - first - second) as u64;
        let depths = 0..=max_depth.unwrap_or(last).min(last);
        let rows = classes(&self.symmetries, cells);
        let layer = |depth: u64| {
            let [first, second] = self.placements.counts(depth);
            rows[first] * (columns(cells, first, second).div_ceil(64) * 8 + 5) as u64
        };
        let most = depths
            .map(|depth| {
                let first = self.placements.counts(depth)[0];
                // All sets of first marks, of which the canonical ones are kept.
                layer(depth) + layer((depth + 1).min(last)) + choose(cells, first) as u64 * 4
            })
            .max()
            .unwrap_or(0);
        let lines: usize = self.placements.ends.iter().map(Vec::len).sum();
        // A bit a set for each list of lines, and the numbers of sets of up to twenty cells.
        most + lines as u64 * ((1 << cells) / 8) + (8 << 20).min(4 << cells)
    }

    /// Checks the depths of a job: that each holds what it counts. The marks on the board tell depths apart.
    ///
    /// # Errors
    ///
    /// As [`super::Dense::verify`].
    pub fn verify(&self, rules: &Rules, job: &Job) -> Result<()> {
        let mut filling = Filling::new(self, rules);
        for depth in 0..job.manifest().depths.len() {
            let mut layer = filling.layer(depth as u64)?;
            filling.restore(job, depth, &mut layer)?;
        }
        let depths = job.manifest().depths.len() as u64;
        if job.manifest().partial.is_some() && depths <= self.placements.cells as u64 {
            let mut layer = filling.layer(depths)?;
            filling.restore_part(job, depths - 1, &mut layer)?;
        }
        Ok(())
    }

    /// Enumerates all states that play can reach, by depth.
    ///
    /// # Errors
    ///
    /// As [`super::Dense::enumerate`].
    pub fn enumerate(&self, rules: &Rules, options: &Options, job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        Filling::new(self, rules).run(options, job, watch)
    }
}

/// How many sets of second marks a row has.
fn columns(cells: usize, first: usize, second: usize) -> usize {
    choose(cells - first, second)
}

pub(super) struct Filling<'a> {
    pub rules: &'a Rules,
    placements: &'a Placements,
    images: Images,
    /// For each player, the ends that their moves complete: the outcome, and the sets that hold one of its lines.
    lines: Vec<Vec<(usize, Arc<Lines>)>>,
    /// The rows of the number of first marks at hand.
    rows: Option<(usize, Arc<Vec<Cells>>)>,
    /// How many rows a thread makes at a time, and how many are made before it is looked whether a part of the depth should
    /// be kept.
    at_a_time: usize,
    part_rows: usize,
}

impl<'a> Filling<'a> {
    fn new(placed: &'a Placed, rules: &'a Rules) -> Self {
        let placements = &placed.placements;
        let mut known: Vec<(Vec<Cells>, Arc<Lines>)> = Vec::new();
        let mut lines_of = |sets: &[Cells]| {
            let mut sets = sets.to_vec();
            sets.sort_unstable();
            if let Some((_, lines)) = known.iter().find(|(given, _)| *given == sets) {
                return Arc::clone(lines);
            }
            let lines = Arc::new(Lines::new(placements.cells, &sets));
            known.push((sets, Arc::clone(&lines)));
            lines
        };
        let lines = placements
            .ends
            .iter()
            .map(|ends| ends.iter().map(|(outcome, sets)| (*outcome, lines_of(sets))).collect())
            .collect();
        Self {
            rules,
            placements,
            images: Images::new(&placed.symmetries),
            lines,
            rows: None,
            at_a_time: placed.rows,
            part_rows: if placed.rows == ROWS { ROWS * PART_ROWS } else { placed.rows },
        }
    }

    /// An empty layer for the depth after so many moves.
    fn layer(&mut self, depth: u64) -> Result<Layer> {
        let cells = self.placements.cells;
        let counts = self.placements.counts(depth);
        let rows = match &self.rows {
            Some((count, rows)) if *count == counts[0] => Arc::clone(rows),
            _ => Arc::new(self.images.canonical(cells, counts[0])),
        };
        self.rows = Some((counts[0], Arc::clone(&rows)));
        let columns = Arc::new(subsets(cells - counts[0], counts[1]));
        let stride = columns.len().div_ceil(64);
        let bits = Pages::new::<u64>(rows.len() * stride)?;
        Ok(Layer { counts, live: vec![false; rows.len()], rows, columns, stride, bits })
    }

    fn run(mut self, options: &Options, mut job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        let begun = Instant::now();
        let done = job.as_ref().map_or(0, |job| job.manifest().depths.len());
        let mut depths: Vec<DepthReport> = Vec::new();
        let mut generated = 0;
        let mut current = self.layer((done as u64).saturating_sub(1))?;
        if let Some(job) = &job
            && done > 0
        {
            depths.extend(job.manifest().depths.iter().map(DepthEntry::report));
            generated = job.manifest().depths[done - 1].generated;
            self.restore(job, done - 1, &mut current)?;
        } else {
            let tally = self.begin(&mut current);
            depths.push(tally.report(0));
            if let Some(job) = &mut job {
                keep(job, &current.bits, &depths[0], generated)?;
            }
        }
        let mut total = depths.iter().map(|depth| depth.states).sum();
        let mut checkpoints = Checkpoints::new(options.checkpoint);
        let stop = loop {
            let DepthReport { depth, open, .. } = depths[depths.len() - 1];
            if open == 0 {
                break None;
            }
            if options.max_depth.is_some_and(|most| most <= depth) {
                break Some(Stop::MaxDepth);
            }
            let mut next = self.layer(depth + 1)?;
            let progress = Progress {
                depth,
                frontier: open,
                states: total,
                store_bytes: (current.bits.bytes() + next.bits.bytes()) as u64,
                ..Progress::default()
            };
            let monitor = Monitor::new(watch, begun, progress);
            let keeping = job.as_deref_mut().map(|job| (job, &mut checkpoints, generated));
            let Some(tally) = self.expand(depth, &current, &mut next, &monitor, keeping)? else {
                break Some(Stop::Watch);
            };
            generated += open * (self.placements.cells - current.counts[0] - current.counts[1]) as u64;
            let found = tally.report(depth + 1);
            if let Some(job) = &mut job {
                keep(job, &next.bits, &found, generated)?;
                self.close(depth, &mut next);
            }
            total += found.states;
            depths.push(found);
            current = next;
        };
        if let Some(job) = job {
            job.close(stop.is_none(), generated)?;
        }
        Ok(Report {
            depths,
            stop,
            store: Store::Dense,
            reason: String::new(),
            symmetry_order: self.images.elements.len(),
            generated,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }

    /// Puts the start into its layer.
    pub fn begin(&self, layer: &mut Layer) -> Tally {
        let [first, second] = self.placements.start;
        let cells = self.placements.cells;
        let place = |set: Cells, cell: usize| (!set & ((1 << cell) - 1)).count_ones();
        let spread =
            (0..cells).filter(|cell| second >> cell & 1 != 0).fold(0, |set, cell| set | 1 << place(first, cell));
        // Symmetries carry the start onto itself, so it is the smallest of its images: the only one.
        let row = layer.rows.binary_search(&first).expect("the start is its only image");
        let column = layer.columns.binary_search(&spread).expect("every set has a column");
        layer.bits.get_mut::<u64>()[row * layer.stride + column / 64] = 1 << (column % 64);
        layer.live[row] = true;
        let mut tally = Tally { states: 1, raw_states: 1, open: 1, ended: vec![0; self.rules.outcomes.len()] };
        // Whoever would have moved last.
        let mover = self.placements.marks.len() - 1;
        let mut ends: Vec<usize> = (0..self.rules.ends.len()).collect();
        ends.sort_by_key(|&end| self.rules.precedence(self.rules.ends[end].outcome, mover));
        let over = ends.iter().map(|&end| &self.rules.ends[end]).find(|end| end.when.holds(&self.rules.start));
        let full = layer.counts[0] + layer.counts[1] == cells;
        let outcome = over.map(|end| end.outcome).or_else(|| full.then(|| self.rules.stuck_outcome(0, false)));
        if let Some(outcome) = outcome {
            tally.open = 0;
            tally.ended[outcome] = 1;
        }
        tally
    }

    /// Fills the layer of the next depth, and tells what is in it; `None` where the watch stopped the search. A job keeps what
    /// there is of it then, and from time to time; it also keeps the states that ended, which are dropped otherwise.
    fn expand(
        &self,
        depth: u64,
        current: &Layer,
        next: &mut Layer,
        monitor: &Monitor,
        mut keeping: Option<(&mut Job, &mut Checkpoints, u64)>,
    ) -> Result<Option<Tally>> {
        let (mut done, mut tally) = match &keeping {
            Some((job, ..)) => self.restore_part(job, depth, next)?,
            None => (0, Tally::sum(Vec::new(), self.rules.outcomes.len())),
        };
        let fill = self.fill(depth, Some(current), next, keeping.is_none());
        let expanded = monitor.frontier();
        let share = |rows: usize| (u128::from(expanded) * rows as u128 / fill.rows.len().max(1) as u128) as u64;
        let count = |first: usize, last: usize| monitor.add(share(last) - share(first));
        count(0, done);
        let kept = done;
        let rows = next.rows.len();
        while done < rows {
            // Without a job, all at once: there is nothing to wait for in between.
            let end = if keeping.is_some() { (done + self.part_rows).min(rows) } else { rows };
            let part = self.pass(&fill, next, done..end, || monitor.stopped(), count);
            let stopped = monitor.stopped();
            if !stopped {
                done = end;
                tally = Tally::sum(vec![tally, part], fill.outcomes);
            }
            if let Some((job, checkpoints, generated)) = &mut keeping
                && done > kept
                && done < rows
            {
                let bytes = bytemuck::cast_slice(&next.bits.get::<u64>()[..done * next.stride]);
                checkpoints.keep(job, bytes, done, *generated, stopped)?;
            }
            if stopped {
                return Ok(None);
            }
        }
        Ok(Some(tally))
    }

    /// Counts a layer after the moves of a depth, and drops the states that ended.
    pub fn close(&self, depth: u64, layer: &mut Layer) -> Tally {
        let fill = self.fill(depth, None, layer, true);
        let rows = 0..layer.rows.len();
        self.pass(&fill, layer, rows, || false, |_, _| ())
    }

    /// Goes over some rows of a layer, a few at a time; `done` is told from which row to before which.
    pub fn pass(
        &self,
        fill: &Fill,
        layer: &mut Layer,
        rows: Range<usize>,
        stopped: impl Fn() -> bool + Sync,
        done: impl Fn(usize, usize) + Sync,
    ) -> Tally {
        let bits = &mut layer.bits.get_mut::<u64>()[rows.start * layer.stride..rows.end * layer.stride];
        let bits = bits.par_chunks_mut((layer.stride * self.at_a_time).max(1));
        let tallies: Vec<Tally> = bits
            .zip(layer.live[rows.clone()].par_chunks_mut(self.at_a_time))
            .enumerate()
            .map(|(number, (bits, live))| {
                let mut tally = Tally { ended: vec![0; fill.outcomes], ..Tally::default() };
                if !stopped() {
                    let first = rows.start + number * self.at_a_time;
                    let last = first + live.len();
                    cpu::run(FillRows { fill, first, bits, live, tally: &mut tally });
                    done(first, last);
                }
                tally
            })
            .collect();
        Tally::sum(tallies, fill.outcomes)
    }

    /// What is needed to fill the layer after the moves of a depth, or, without a layer before it, to count it.
    pub fn fill<'b>(&'b self, depth: u64, current: Option<&'b Layer>, next: &Layer, strip: bool) -> Fill<'b> {
        let player = (depth % self.placements.marks.len() as u64) as usize;
        let (cells, counts) = (self.placements.cells, next.counts);
        let without = |layer: &Layer| without(&layer.columns, cells - layer.counts[0], layer.stride);
        Fill {
            images: &self.images,
            current,
            rows: Arc::clone(&next.rows),
            columns: Arc::clone(&next.columns),
            numbers: Numbers::new(cells - counts[0]),
            without: current.map_or_else(Vec::new, without),
            lines: &self.lines[player],
            mark: self.placements.marks[player],
            cells,
            stuck: (counts[0] + counts[1] == cells)
                .then(|| self.rules.stuck_outcome(self.rules.next_player(player), false)),
            outcomes: self.rules.outcomes.len(),
            strip,
        }
    }
}
