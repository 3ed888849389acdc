//! What a job of placements has kept, taken up again: whole depths, and a part of the next one.

use super::Filling;
use super::layer::{Layer, Tally};
use crate::error::Result;
use crate::job::Job;

impl Filling<'_> {
    /// Reads a depth of a job, and checks that it holds what it counts.
    pub fn restore(&self, job: &Job, depth: usize, layer: &mut Layer) -> Result<()> {
        let words = layer.bits.get_mut::<u64>();
        let (columns, stride) = (layer.columns.len(), layer.stride);
        job.read_array(depth, size_of_val(&words[..]), |begin, bytes| {
            fill_words(words, begin, bytes, columns, stride).ok_or_else(|| job.lacks(depth))
        })?;
        let found = if let Some(before) = depth.checked_sub(1) {
            self.close(before as u64, layer).report(depth as u64)
        } else {
            layer.bits.get_mut::<u64>().fill(0);
            self.begin(layer).report(0)
        };
        if found == job.manifest().depths[depth].report() { Ok(()) } else { Err(job.lacks(depth)) }
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
