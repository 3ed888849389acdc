//! A chunk of arrangements in which symbols repeat: a bit for each.

use super::BLOCK_STATES;
use super::blocks::{Blocks, NO_BLOCK};
use super::copies::add_bits;
use crate::compile::cpu;
use crate::dense::shape::{Chunk, Found, Shape, keep_new, list_bits};
use crate::index::Heads;

/// Finds the states of a chunk that are new in the next depth. Each block collects what comes to it, so that threads write no
/// words but their own.
pub(super) struct Expand<'a, 'b> {
    pub blocks: &'a Blocks<'a>,
    pub chunk: &'a mut Chunk<'b, u64>,
    pub found: &'a mut Found,
}

impl cpu::Task for Expand<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { blocks, chunk, found } = self;
        let coloured = blocks.coloured;
        let (tails, pulls) = (&blocks.tails, blocks.pulls());
        let mut heads = Heads::new(coloured.multiset(), chunk.first_block);
        let first_word = blocks.begin(chunk.first_block);
        let mut places = vec![0u16; BLOCK_STATES as usize];
        chunk.next.fill(0);
        for (block, occupied) in chunk.occupied_next.iter_mut().enumerate() {
            let number = chunk.first_block + block;
            let (begin, end) = (blocks.begin(number), blocks.begin(number + 1));
            let tail = tails.numbers[heads.left] as usize;
            let next = &mut chunk.next[begin - first_word..end - first_word];
            for &source in &blocks.sources[number * pulls..(number + 1) * pulls] {
                if source != NO_BLOCK && chunk.occupied[source as usize] != 0 {
                    let begin = blocks.begin(source as usize);
                    let source = &chunk.current[begin..begin + next.len()];
                    next.iter_mut().zip(source).for_each(|(next, source)| *next |= source);
                }
            }
            for copies in &blocks.copies {
                for &piece in copies.of(&heads.labels, tail) {
                    let source = (number as i64 + i64::from(piece.blocks)) as usize;
                    if chunk.occupied[source] != 0 {
                        add_bits(next, &chunk.current[blocks.begin(source)..], piece);
                    }
                }
            }
            if chunk.occupied[number] != 0 {
                let count = list_bits(&chunk.current[begin..end], &mut places);
                found.expanded += count as u64;
                for scatter in &blocks.scatters {
                    scatter.put(tails, tail, &places[..count], next);
                }
            }
            let states = keep_new(next, &mut chunk.seen[begin - first_word..end - first_word]);
            *occupied = u8::from(states > 0);
            if states > 0 {
                found.states += states;
                found.moves += states * coloured.colourings.free;
                for guard in &blocks.guards {
                    if let Some(mask) = guard.states(tails, &heads.labels, tail) {
                        let some = next.iter().zip(mask).map(|(next, mask)| u64::from((next & mask).count_ones()));
                        let some = if mask.is_empty() { states } else { some.sum() };
                        found.moves += some * guard.times;
                    }
                }
            }
            heads.next();
        }
    }
}
