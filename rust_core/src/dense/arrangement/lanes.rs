//! Expands a chunk of arrangements with a pivot: each sequence has a word, with a bit for each place of the pivot.

use super::plan::{ArrangementPlan, HeadDigits};
use crate::compile::cpu;
use crate::dense::swept::{SweepChunk, SweepCount, keep_new};

/// How many lanes a word has.
const LANES: usize = u16::BITS as usize;

/// Finds the new states of the next depth that lie in a chunk.
pub(super) struct ExpandLanes<'a, 'b> {
    pub plan: &'a ArrangementPlan,
    pub chunk: &'a mut SweepChunk<'b, u16>,
    pub count: &'a mut SweepCount,
}

impl cpu::Task for ExpandLanes<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { plan, chunk, count } = self;
        let (stride, size) = (plan.sequences.stride, plan.sequences.block);
        let mut heads = HeadDigits::new(&plan.sequences, chunk.first_block);
        // The pushes, sorted by the lane that they read; and for each lane, the range of the pushes that read it.
        let mut pushes: Vec<_> = plan.pushes.iter().collect();
        pushes.sort_by_key(|push| push.from);
        let lanes = pushes.iter().fold(0, |lanes, push| lanes | 1u16 << push.from);
        let ranges: [(usize, usize); LANES] = std::array::from_fn(|lane| {
            (pushes.partition_point(|push| push.from < lane), pushes.partition_point(|push| push.from <= lane))
        });
        let mut deltas: Vec<(&[i32], &[u16], u16)> = Vec::with_capacity(pushes.len());
        chunk.next.fill(0);
        for block in 0..plan.chunk_blocks {
            let number = chunk.first_block + block;
            let target = &mut chunk.next[block * stride..][..stride];
            for pull in &plan.pulls {
                let from = number as i64 + i64::from(pull.table.deltas[pull.table.context(&heads.digits, heads.odd)]);
                if chunk.occupied[from as usize] != 0 {
                    fetch(target, &chunk.current[from as usize * stride..][..stride], pull.from, pull.to);
                }
            }
            if chunk.occupied[number] != 0 {
                let source = &chunk.current[number * stride..][..stride];
                for &(shift, lanes) in &plan.slides {
                    slide(target, source, shift, lanes as u16);
                }
                count.expanded += u64::from(lane_count(source, u16::MAX));
                deltas.clear();
                deltas.extend(pushes.iter().map(|push| {
                    let table = &push.table;
                    let context = table.context(&heads.digits, heads.odd);
                    (&table.deltas[context..][..table.inners], &table.inner[..size], 1 << push.to)
                }));
                let begin = (block * stride) as u32;
                for (place, &word) in source[..size].iter().enumerate() {
                    let mut rest = word & lanes;
                    while rest != 0 {
                        let (first, last) = ranges[rest.trailing_zeros() as usize % LANES];
                        rest &= rest - 1;
                        for &(deltas, inner, to) in &deltas[first..last] {
                            let delta = deltas[inner[place] as usize];
                            let at = (begin + place as u32).wrapping_add_signed(delta);
                            chunk.next[at as usize] |= to;
                        }
                    }
                }
            }
            heads.next();
        }
        for block in 0..plan.chunk_blocks {
            let range = block * stride..(block + 1) * stride;
            let new = &mut chunk.next[range.clone()];
            let states = keep_new(new, &mut chunk.seen[range]);
            chunk.occupied_next[block] = u8::from(states > 0);
            if states > 0 {
                count.states += states;
                count.moves += plan
                    .moves
                    .iter()
                    .map(|&(lanes, times)| u64::from(lane_count(new, lanes as u16)) * times)
                    .sum::<u64>();
            }
        }
    }
}

/// How many bits are set in the given lanes.
#[inline(always)]
fn lane_count(words: &[u16], lanes: u16) -> u32 {
    words.iter().map(|word| (word & lanes).count_ones()).sum()
}

/// Adds one lane of a block to a lane of another block.
#[inline(always)]
fn fetch(target: &mut [u16], source: &[u16], from: usize, to: usize) {
    for (target, source) in target.iter_mut().zip(source) {
        *target |= (source >> from & 1) << to;
    }
}

/// Adds the given lanes of a block to the lanes `shift` places up in the same block, or down if it is negative.
#[inline(always)]
fn slide(target: &mut [u16], source: &[u16], shift: i32, lanes: u16) {
    let up = shift.max(0) as u32;
    let down = (-shift).max(0) as u32;
    for (target, source) in target.iter_mut().zip(source) {
        *target |= (source & lanes) << up >> down;
    }
}
