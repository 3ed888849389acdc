//! A chunk of arrangements with a pivot: for each sequence a word, with a bit for each place where the pivot may be.

use super::plan::{Heads, Plan};
use super::{Chunk, Found};
use crate::compile::cpu;

/// Finds the states of a chunk that are new in the next depth.
pub(super) struct ExpandLanes<'a, 'b> {
    pub plan: &'a Plan,
    pub chunk: &'a mut Chunk<'b, u16>,
    pub found: &'a mut Found,
}

impl cpu::Task for ExpandLanes<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { plan, chunk, found } = self;
        let stride = plan.sequences.stride;
        let mut heads = Heads::new(&plan.sequences, chunk.first_block);
        let pushed = plan.pushes.iter().fold(0, |lanes, push| lanes | 1u16 << push.from);
        let mut deltas: Vec<(&[i32], &[u16], usize, u16)> = Vec::with_capacity(plan.pushes.len());
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
                found.expanded += source.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
                deltas.clear();
                deltas.extend(plan.pushes.iter().map(|push| {
                    let table = &push.table;
                    let context = table.context(&heads.digits, heads.odd);
                    (&table.deltas[context..][..table.inners], &table.inner[..], push.from, 1 << push.to)
                }));
                let begin = (block * stride) as u32;
                for (place, &word) in source[..plan.sequences.block].iter().enumerate() {
                    if word & pushed == 0 {
                        continue;
                    }
                    for &(deltas, inner, from, to) in &deltas {
                        if word >> from & 1 != 0 {
                            let at = (begin + place as u32).wrapping_add_signed(deltas[inner[place] as usize]);
                            chunk.next[at as usize] |= to;
                        }
                    }
                }
            }
            heads.next();
        }
        let mut moves = vec![0; plan.moves.len()];
        for block in 0..plan.chunk_blocks {
            let range = block * stride..(block + 1) * stride;
            let mut count = 0;
            for (new, seen) in chunk.next[range.clone()].iter_mut().zip(&mut chunk.seen[range]) {
                *new &= !*seen;
                *seen |= *new;
                count += new.count_ones();
                for (moves, &(lanes, _)) in moves.iter_mut().zip(&plan.moves) {
                    *moves += u64::from((*new & lanes as u16).count_ones());
                }
            }
            chunk.occupied_next[block] = u8::from(count > 0);
            found.states += u64::from(count);
        }
        found.moves += moves.iter().zip(&plan.moves).map(|(count, (_, times))| count * times).sum::<u64>();
    }
}

/// Adds what one lane of a block holds to a lane of another.
#[inline(always)]
fn fetch(target: &mut [u16], source: &[u16], from: usize, to: usize) {
    for (target, source) in target.iter_mut().zip(source) {
        *target |= (source >> from & 1) << to;
    }
}

/// Adds what some lanes of a block hold to lanes further up, or down where `shift` is negative, of the same block.
#[inline(always)]
fn slide(target: &mut [u16], source: &[u16], shift: i32, lanes: u16) {
    let up = shift.max(0) as u32;
    let down = (-shift).max(0) as u32;
    for (target, source) in target.iter_mut().zip(source) {
        *target |= (source & lanes) << up >> down;
    }
}
