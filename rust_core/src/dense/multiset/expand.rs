//! Expands a chunk of a multiset index: finds which arrangements of the next depth lie in the chunk, one bit for each.

use super::copies::add_bits;
use super::tables::{MultisetTables, NO_BLOCK};
use crate::compile::cpu;
use crate::dense::swept::{SweepChunk, SweepCount, keep_new, list_bits};
use crate::index::HeadWalk;

/// The task that finds the new states of the next depth in one chunk. Each block collects the states that come to it,
/// so a thread writes only the words of its own chunk.
pub(super) struct ExpandMultiset<'a, 'b> {
    pub tables: &'a MultisetTables,
    pub chunk: &'a mut SweepChunk<'b, u64>,
    pub count: &'a mut SweepCount,
}

impl cpu::Task for ExpandMultiset<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { tables, chunk, count } = self;
        let shape = &*tables.shape;
        let (tails, pulls) = (&tables.tails, tables.pulls());
        let mut heads = HeadWalk::new(shape.multiset(), chunk.first_block);
        let first_word = tables.first_word(chunk.first_block);
        let (mut places, mut moved) = (vec![0u16; shape.most_states], vec![0u16; shape.most_states]);
        chunk.next.fill(0);
        for (block, occupied) in chunk.occupied_next.iter_mut().enumerate() {
            let number = chunk.first_block + block;
            let (begin, end) = (tables.first_word(number), tables.first_word(number + 1));
            let tail = tails.numbers[heads.left] as usize;
            let next = &mut chunk.next[begin - first_word..end - first_word];
            for &source in &tables.sources[number * pulls..(number + 1) * pulls] {
                if source != NO_BLOCK && chunk.occupied[source as usize] != 0 {
                    let begin = tables.first_word(source as usize);
                    let source = &chunk.current[begin..begin + next.len()];
                    next.iter_mut().zip(source).for_each(|(next, source)| *next |= source);
                }
            }
            for copies in &tables.copies {
                for &stretch in copies.of(&heads.labels, tail) {
                    let source = (number as i64 + i64::from(stretch.blocks)) as usize;
                    if chunk.occupied[source] != 0 {
                        add_bits(next, &chunk.current[tables.first_word(source)..], stretch);
                    }
                }
            }
            if chunk.occupied[number] != 0 {
                let listed = list_bits(&chunk.current[begin..end], &mut places);
                count.expanded += listed as u64;
                for scatter in &tables.scatters {
                    scatter.put(tails, tail, &places[..listed], &mut moved, next);
                }
            }
            let states = keep_new(next, &mut chunk.seen[begin - first_word..end - first_word]);
            *occupied = u8::from(states > 0);
            if states > 0 {
                count.states += states;
                count.moves += states * shape.index.free;
                for guard in &tables.guards {
                    if let Some(mask) = guard.states(tails, &heads.labels, tail) {
                        let some = next.iter().zip(mask).map(|(next, mask)| u64::from((next & mask).count_ones()));
                        let some = if mask.is_empty() { states } else { some.sum() };
                        count.moves += some * guard.times;
                    }
                }
            }
            heads.next();
        }
    }
}
