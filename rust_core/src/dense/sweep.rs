//! A search by sweeps over an index, breadth first by depth: each chunk finds what it has of the next depth.

use std::ops::Range;
use std::time::Instant;

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::pages::Pages;
use super::shape::{Chunk, Found, Shape, Value};
use super::{Checkpoints, keep};
use crate::error::Result;
use crate::job::{DepthEntry, Job};
use crate::rules::Rules;
use crate::run::{DepthReport, Monitor, Options, Progress, Report, Stop, Store, Watch};

/// The arrays of a search: a bit for each state in each.
pub(super) struct Sweep<'a, S> {
    pub shape: &'a S,
    rules: &'a Rules,
    pub current: Pages,
    pub next: Pages,
    pub seen: Pages,
    pub occupied: Vec<u8>,
    pub occupied_next: Vec<u8>,
}

impl<'a, S: Shape> Sweep<'a, S> {
    pub fn new(shape: &'a S, rules: &'a Rules) -> Result<Self> {
        let pages = || Pages::new::<S::Value>(shape.begin(shape.blocks()));
        let occupied = vec![0; shape.blocks()];
        Ok(Self {
            shape,
            rules,
            current: pages()?,
            next: pages()?,
            seen: pages()?,
            occupied_next: occupied.clone(),
            occupied,
        })
    }

    pub fn run(mut self, options: &Options, mut job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        let begun = Instant::now();
        let mut depths: Vec<DepthReport> = Vec::new();
        let mut generated = 0;
        let mut found = match &job {
            Some(job) if !job.manifest().depths.is_empty() => {
                let found = self.restore(job)?;
                depths.extend(job.manifest().depths.iter().map(DepthEntry::report));
                generated = job.manifest().depths.last().map_or(0, |depth| depth.generated);
                found
            }
            _ => {
                let found = self.begin();
                depths.push(self.depth(0, found.states));
                if let Some(job) = &mut job {
                    keep(job, &self.current, &depths[0], generated)?;
                }
                found
            }
        };
        let mut total = depths.iter().map(|depth| depth.raw_states).sum();
        let mut checkpoints = Checkpoints::new(options.checkpoint);
        let stop = loop {
            let depth = depths.len() as u64 - 1;
            if options.max_depth.is_some_and(|most| most <= depth) {
                break Some(Stop::MaxDepth);
            }
            let progress = Progress {
                depth,
                frontier: found.states,
                states: total,
                store_bytes: self.shape.bytes(),
                ..Progress::default()
            };
            let monitor = Monitor::new(watch, begun, progress);
            let keeping = job.as_deref_mut().map(|job| (job, &mut checkpoints, generated));
            let Some(next) = self.expand(&monitor, keeping)? else { break Some(Stop::Watch) };
            generated += found.moves;
            found = next;
            if found.states == 0 {
                break None;
            }
            std::mem::swap(&mut self.current, &mut self.next);
            std::mem::swap(&mut self.occupied, &mut self.occupied_next);
            total += found.states;
            depths.push(self.depth(depth + 1, found.states));
            if let Some(job) = &mut job {
                keep(job, &self.current, &depths[depths.len() - 1], generated)?;
            }
        };
        if let Some(job) = job {
            job.close(stop.is_none(), generated)?;
        }
        Ok(Report {
            depths,
            stop,
            store: Store::Dense,
            reason: String::new(),
            symmetry_order: self.shape.order(),
            generated,
            seconds: begun.elapsed().as_secs_f64(),
        })
    }

    /// Puts the start into the current depth.
    fn begin(&mut self) -> Found {
        let (at, bit) = self.shape.start(self.rules);
        self.current.get_mut::<S::Value>()[at] = bit;
        self.seen.get_mut::<S::Value>()[at] = bit;
        self.occupied[self.shape.block_of(at)] = 1;
        Found { expanded: 0, states: 1, moves: self.shape.moves(at, bit) }
    }

    /// Finds the next depth, and what was found of it; `None` where the watch stopped the search. A job keeps what there is
    /// of it then, and from time to time.
    fn expand(
        &mut self,
        monitor: &Monitor,
        mut keeping: Option<(&mut Job, &mut Checkpoints, u64)>,
    ) -> Result<Option<Found>> {
        let (mut done, mut found) = match &keeping {
            Some((job, ..)) => self.restore_part(job)?,
            None => (0, Found::default()),
        };
        monitor.add(found.expanded);
        let (kept, chunks) = (done, self.shape.chunks());
        while done < chunks {
            // Without a job, all at once: there is nothing to wait for in between.
            let most = if keeping.is_some() { self.shape.part_chunks() } else { chunks };
            let end = (done + most).min(chunks);
            let part = self.expand_chunks(done..end, monitor);
            let stopped = monitor.stopped();
            if !stopped {
                done = end;
                found = found.and(part);
            }
            if let Some((job, checkpoints, generated)) = &mut keeping
                && done > kept
                && done < chunks
            {
                let blocks = self.shape.first_block(done);
                let bytes = bytemuck::cast_slice(&self.next.get::<S::Value>()[..self.shape.begin(blocks)]);
                checkpoints.keep(job, bytes, blocks, *generated, stopped)?;
            }
            if stopped {
                return Ok(None);
            }
        }
        Ok(Some(found))
    }

    /// Finds what some chunks have of the next depth.
    fn expand_chunks(&mut self, chunks: Range<usize>, monitor: &Monitor) -> Found {
        let shape = self.shape;
        let (current, occupied) = (self.current.get::<S::Value>(), &self.occupied[..]);
        let first = shape.first_block(chunks.start);
        let mut next = &mut self.next.get_mut::<S::Value>()[shape.begin(first)..];
        let mut seen = &mut self.seen.get_mut::<S::Value>()[shape.begin(first)..];
        let mut occupied_next = &mut self.occupied_next[first..];
        let mut pieces = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            let (first_block, end) = (shape.first_block(chunk), shape.first_block(chunk + 1));
            let values = shape.begin(end) - shape.begin(first_block);
            pieces.push(Chunk {
                first_block,
                current,
                occupied,
                next: next.split_off_mut(..values).expect("chunks cover the index"),
                seen: seen.split_off_mut(..values).expect("chunks cover the index"),
                occupied_next: occupied_next.split_off_mut(..end - first_block).expect("chunks cover the index"),
            });
        }
        let expand = |mut chunk| {
            let mut found = Found::default();
            if !monitor.stopped() {
                shape.expand(&mut chunk, &mut found);
                monitor.add(found.expanded);
            }
            found
        };
        pieces.into_par_iter().map(expand).reduce(Found::default, Found::and)
    }

    /// The report of a depth, which is the current one.
    pub fn depth(&self, depth: u64, raw_states: u64) -> DepthReport {
        // Burnside's lemma: the classes of states are as many as a symmetry fixes states on average.
        let sum = raw_states + self.shape.fixed(self.current.get::<S::Value>(), raw_states);
        let states = sum / self.shape.order() as u64;
        DepthReport { depth, states, raw_states, open: states, ended: vec![0; self.rules.outcomes.len()] }
    }

    /// Checks all depths of a job, and the part of the next one.
    pub fn verify(mut self, job: &Job) -> Result<()> {
        self.restore(job)?;
        self.restore_part(job).map(|_| ())
    }

    /// Takes up a job where it was left, and tells what its last depth holds.
    fn restore(&mut self, job: &Job) -> Result<Found> {
        let mut found = Found::default();
        for (depth, entry) in job.manifest().depths.iter().enumerate() {
            self.current.get_mut::<S::Value>().fill(S::Value::zeroed());
            let values = self.current.get_mut::<S::Value>();
            let bytes = size_of_val(&values[..]);
            let mut taking = Taking { shape: self.shape, values, seen: self.seen.get_mut(), found: Found::default() };
            job.read_array(depth, bytes, |begin, bytes| taking.take(begin, bytes).ok_or_else(|| job.lacks(depth)))?;
            found = taking.found;
            if self.depth(depth as u64, found.states) != entry.report() {
                return Err(job.lacks(depth));
            }
        }
        let values = self.current.get::<S::Value>();
        for (block, occupied) in self.occupied.iter_mut().enumerate() {
            *occupied = u8::from(has_states(self.shape, values, block));
        }
        Ok(found)
    }

    /// Takes up a part of the next depth: tells how many chunks it has, and what was found in them.
    fn restore_part(&mut self, job: &Job) -> Result<(usize, Found)> {
        if job.manifest().partial.is_none() {
            return Ok((0, Found::default()));
        }
        let (shape, depth) = (self.shape, job.manifest().depths.len());
        let blocks = usize::try_from(job.partial().expanded).unwrap_or(usize::MAX);
        // The chunk that begins with the first block that is missing.
        let (mut done, mut after) = (0, shape.chunks());
        while done < after {
            let middle = done.midpoint(after);
            if shape.first_block(middle) < blocks { done = middle + 1 } else { after = middle }
        }
        if shape.first_block(done) != blocks {
            return Err(job.lacks(depth));
        }
        let end = shape.begin(blocks);
        let values = &mut self.next.get_mut::<S::Value>()[..end];
        values.fill(S::Value::zeroed());
        let bytes = size_of_val(&values[..]);
        let mut taking = Taking { shape, values, seen: self.seen.get_mut(), found: Found::default() };
        job.read_part(bytes, |begin, bytes| taking.take(begin, bytes).ok_or_else(|| job.lacks(depth)))?;
        let found = taking.found;
        let values = self.next.get::<S::Value>();
        for (block, occupied) in self.occupied_next[..blocks].iter_mut().enumerate() {
            *occupied = u8::from(has_states(shape, values, block));
        }
        let expanded = self.current.get::<S::Value>()[..end].iter().map(|value| value.count());
        Ok((done, Found { expanded: expanded.sum(), ..found }))
    }
}

/// Whether a block holds a state.
fn has_states<S: Shape>(shape: &S, values: &[S::Value], block: usize) -> bool {
    values[shape.begin(block)..shape.begin(block + 1)].iter().any(|&value| value != S::Value::zeroed())
}

/// A file that is taken into an array.
struct Taking<'a, S: Shape> {
    shape: &'a S,
    values: &'a mut [S::Value],
    seen: &'a mut [S::Value],
    found: Found,
}

impl<S: Shape> Taking<'_, S> {
    /// Takes some bytes of the file from one on; `None` where they hold what is no state, or one that was seen.
    fn take(&mut self, begin: usize, bytes: &[u8]) -> Option<()> {
        for (at, value) in bytes.chunks_exact(size_of::<S::Value>()).enumerate() {
            let (at, value) = (begin / size_of::<S::Value>() + at, bytemuck::pod_read_unaligned::<S::Value>(value));
            if value == S::Value::zeroed() {
                continue;
            }
            let (holes, seen) = (self.shape.holes(at), self.seen[at]);
            if value & (holes | seen) != S::Value::zeroed() {
                return None;
            }
            self.seen[at] = seen | value;
            self.values[at] = value;
            self.found.states += value.count();
            self.found.moves += self.shape.moves(at, value);
        }
        Some(())
    }
}
