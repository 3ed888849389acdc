//! What a job of the dense store has kept, taken up again: whole depths, and a part of the next one.

use super::STATES;
use super::layer::{Layer, Tally};
use super::rows::Filling;
use super::sweep::{Found, Lane, Sweep};
use crate::error::Result;
use crate::search::keep::report;
use crate::store::Job;

impl<T: Lane> Sweep<'_, T> {
    /// Checks all depths of a job, and the part of the next one.
    pub fn verify(mut self, job: &Job) -> Result<()> {
        self.restore(job)?;
        self.restore_part(job).map(|_| ())
    }

    /// Takes up a job where it was left, and tells what its last depth holds.
    pub fn restore(&mut self, job: &Job) -> Result<Found> {
        let plan = &self.dense.plan;
        let depths = &job.manifest().depths;
        let (mut states, mut moves) = (0, 0);
        for (depth, entry) in depths.iter().enumerate() {
            let current = self.current.get_mut::<T>();
            current.fill(T::zeroed());
            let seen = self.seen.get_mut::<T>();
            (states, moves) = (0, 0);
            job.read_array(depth, STATES, size_of_val(&current[..]), |begin, bytes| {
                for (at, value) in bytes.chunks_exact(size_of::<T>()).enumerate() {
                    let (at, value) = (begin / size_of::<T>() + at, bytemuck::pod_read_unaligned::<T>(value));
                    // Only places that have a state, and none that an earlier depth has.
                    if value & T::holes(plan, at) != T::zeroed() || value & seen[at] != T::zeroed() {
                        return Err(job.lacks(depth));
                    }
                    seen[at] = seen[at] | value;
                    current[at] = value;
                    states += value.count();
                    moves += value.moves(plan);
                }
                Ok(())
            })?;
            if self.depth(depth as u64, states) != report(entry) {
                return Err(job.lacks(depth));
            }
        }
        let values = plan.sequences.stride * T::BITS / 8 / size_of::<T>();
        for (occupied, block) in self.occupied.iter_mut().zip(self.current.get::<T>().chunks_exact(values)) {
            *occupied = u8::from(block.iter().any(|&value| value != T::zeroed()));
        }
        Ok(Found { expanded: 0, states, moves })
    }

    /// Takes up a part of the next depth: tells how many blocks it has, and what was found in them.
    pub fn restore_part(&mut self, job: &Job) -> Result<(usize, Found)> {
        if job.manifest().partial.is_none() {
            return Ok((0, Found::default()));
        }
        let plan = &self.dense.plan;
        let (blocks, depth) = (job.partial().expanded as usize, job.manifest().depths.len());
        let values = plan.sequences.stride * T::BITS / 8 / size_of::<T>();
        if blocks > plan.sequences.blocks() || !blocks.is_multiple_of(plan.chunk_blocks) {
            return Err(job.lacks(depth));
        }
        let (next, seen) = (&mut self.next.get_mut::<T>()[..blocks * values], self.seen.get_mut::<T>());
        next.fill(T::zeroed());
        let mut found = Found::default();
        job.read_part(size_of_val(&next[..]), |begin, bytes| {
            for (at, value) in bytes.chunks_exact(size_of::<T>()).enumerate() {
                let (at, value) = (begin / size_of::<T>() + at, bytemuck::pod_read_unaligned::<T>(value));
                if value & T::holes(plan, at) != T::zeroed() || value & seen[at] != T::zeroed() {
                    return Err(job.lacks(depth));
                }
                seen[at] = seen[at] | value;
                next[at] = value;
                found.states += value.count();
                found.moves += value.moves(plan);
            }
            Ok(())
        })?;
        for (occupied, block) in self.occupied_next.iter_mut().zip(next.chunks_exact(values)) {
            *occupied = u8::from(block.iter().any(|&value| value != T::zeroed()));
        }
        let done = self.current.get::<T>()[..blocks * values].iter().map(|value| value.count());
        Ok((blocks, Found { expanded: done.sum(), ..found }))
    }
}

impl Filling<'_> {
    /// Reads a depth of a job, and checks that it holds what it counts.
    pub fn restore(&self, job: &Job, depth: usize, layer: &mut Layer) -> Result<()> {
        let words = layer.bits.get_mut::<u64>();
        let (columns, stride) = (layer.columns.len(), layer.stride);
        job.read_array(depth, STATES, size_of_val(&words[..]), |begin, bytes| {
            fill_words(words, begin, bytes, columns, stride).ok_or_else(|| job.lacks(depth))
        })?;
        let found = if let Some(before) = depth.checked_sub(1) {
            self.close(before as u64, layer).report(depth as u64)
        } else {
            layer.bits.get_mut::<u64>().fill(0);
            self.begin(layer).report(0)
        };
        if found == report(&job.manifest().depths[depth]) { Ok(()) } else { Err(job.lacks(depth)) }
    }

    /// Takes up a part of a layer after the moves of a depth: tells how many rows it has, and what is in them.
    pub fn restore_part(&self, job: &Job, depth: u64, next: &mut Layer) -> Result<(usize, Tally)> {
        let outcomes = self.rules.outcomes.len();
        if job.manifest().partial.is_none() {
            return Ok((0, Tally::sum(Vec::new(), outcomes)));
        }
        let (rows, number) = (job.partial().expanded as usize, job.manifest().depths.len());
        if rows > next.rows.len() {
            return Err(job.lacks(number));
        }
        let (columns, stride) = (next.columns.len(), next.stride);
        let words = &mut next.bits.get_mut::<u64>()[..rows * stride];
        job.read_part(size_of_val(&words[..]), |begin, bytes| {
            fill_words(words, begin, bytes, columns, stride).ok_or_else(|| job.lacks(number))
        })?;
        let fill = self.fill(depth, None, next, false);
        Ok((rows, self.pass(&fill, next, 0..rows, || false, |_, _| ())))
    }
}

/// Puts the words of a file, from a byte on, into those of rows; `None` where a bit is set that stands for no column.
fn fill_words(words: &mut [u64], begin: usize, bytes: &[u8], columns: usize, stride: usize) -> Option<()> {
    for (at, word) in bytes.chunks_exact(8).enumerate() {
        let (at, word) = (begin / 8 + at, bytemuck::pod_read_unaligned::<u64>(word));
        let filled = columns - at % stride * 64;
        if filled < 64 && word >> filled != 0 {
            return None;
        }
        words[at] = word;
    }
    Some(())
}
