//! Expands a chunk of arrangements without a pivot: each arrangement has one bit.

use super::plan::{ArrangementPlan, HeadDigits, MOST_BLOCK};
use crate::compile::cpu;
use crate::dense::swept::{SweepChunk, SweepCount, keep_new, list_bits};

/// Finds the new states of the next depth that lie in a chunk.
pub(super) struct ExpandBits<'a, 'b> {
    pub plan: &'a ArrangementPlan,
    pub chunk: &'a mut SweepChunk<'b, u64>,
    pub count: &'a mut SweepCount,
}

impl cpu::Task for ExpandBits<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { plan, chunk, count } = self;
        let words = plan.sequences.stride / 64;
        let mut heads = HeadDigits::new(&plan.sequences, chunk.first_block);
        let mut places = [0u16; MOST_BLOCK];
        chunk.next.fill(0);
        for block in 0..plan.chunk_blocks {
            let number = chunk.first_block + block;
            let target = &mut chunk.next[block * words..][..words];
            for pull in &plan.pulls {
                let from = number as i64 + i64::from(pull.table.deltas[pull.table.context(&heads.digits, heads.odd)]);
                if chunk.occupied[from as usize] != 0 {
                    let source = &chunk.current[from as usize * words..][..words];
                    target.iter_mut().zip(source).for_each(|(to, from)| *to |= from);
                }
            }
            if chunk.occupied[number] != 0 {
                let listed = list_bits(&chunk.current[number * words..][..words], &mut places);
                count.expanded += listed as u64;
                for push in &plan.pushes {
                    let table = &push.table;
                    let deltas = &table.deltas[table.context(&heads.digits, heads.odd)..][..table.inners];
                    let begin = (block * plan.sequences.stride) as u32;
                    for &place in &places[..listed] {
                        let delta = deltas[table.inner[place as usize] as usize];
                        let at = (begin + u32::from(place)).wrapping_add_signed(delta) as usize;
                        chunk.next[at >> 6] |= 1 << (at & 63);
                    }
                }
            }
            heads.next();
        }
        let moves: u64 = plan.moves.iter().map(|&(_, times)| times).sum();
        for block in 0..plan.chunk_blocks {
            let range = block * words..(block + 1) * words;
            let states = keep_new(&mut chunk.next[range.clone()], &mut chunk.seen[range]);
            chunk.occupied_next[block] = u8::from(states > 0);
            count.states += states;
            count.moves += states * moves;
        }
    }
}
