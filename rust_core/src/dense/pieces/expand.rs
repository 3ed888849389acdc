//! The kernel of pieces that twist: each block of the next depth collects, move by move, the block that comes to it.

use super::tables::{PieceTables, Twisted};
use crate::compile::cpu;
use crate::dense::swept::{SweepChunk, SweepCount, keep_new};

/// The task that finds the new states of the next depth in one chunk.
pub(super) struct ExpandPieces<'a, 'b> {
    pub tables: &'a PieceTables,
    pub chunk: &'a mut SweepChunk<'b, u64>,
    pub count: &'a mut SweepCount,
}

impl cpu::Task for ExpandPieces<'_, '_> {
    #[inline(always)]
    fn run(self) {
        self.with::<true>();
    }

    /// Does the work without networks, whose code is long.
    fn run_without_avx2(self) {
        self.with::<false>();
    }
}

impl ExpandPieces<'_, '_> {
    /// Does the work. Only if `NETWORKS` is `true`, networks permute blocks that have many states.
    #[inline(always)]
    fn with<const NETWORKS: bool>(self) {
        let Self { tables, chunk, count } = self;
        let (shape, words) = (&*tables.shape, tables.shape.division.block_words);
        let moves = tables.twisted.len();
        let mut room = vec![0; words.next_power_of_two()];
        let (mut outer, mut inner) = (chunk.first_block / tables.inner_len, chunk.first_block % tables.inner_len);
        for (block, next) in chunk.next.chunks_exact_mut(words).enumerate() {
            let number = chunk.first_block + block;
            let seen = &mut chunk.seen[block * words..][..words];
            next.fill(0);
            if seen.iter().enumerate().any(|(at, &seen)| seen | tables.holes(at) != u64::MAX) {
                let (outer, inner) = (&tables.outer[outer * moves..][..moves], &tables.inner[inner * moves..][..moves]);
                for ((&outer, &inner), twisted) in outer.iter().zip(inner).zip(&tables.twisted) {
                    let from = (outer + inner) as usize;
                    if chunk.occupied[from] != 0 {
                        add::<NETWORKS>(next, &chunk.current[from * words..][..words], twisted, &mut room);
                    }
                }
            }
            inner += 1;
            if inner == tables.inner_len {
                (outer, inner) = (outer + 1, 0);
            }
            let states = keep_new(next, seen);
            chunk.occupied_next[block] = u8::from(states > 0);
            count.states += states;
            if chunk.occupied[number] != 0 {
                let current = &chunk.current[number * words..][..words];
                count.expanded += current.iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
            }
        }
        count.moves = count.states * shape.move_count;
    }
}

/// Adds to the block `target` the states that a move makes of the states of the block `source`. `room` is a buffer for
/// the words that the network permutes.
#[inline(always)]
fn add<const NETWORKS: bool>(target: &mut [u64], source: &[u64], twisted: &Twisted, room: &mut [u64]) {
    if NETWORKS
        && let Some(network) = &twisted.network
        && source.iter().map(|word| word.count_ones()).sum::<u32>() > network.worth()
    {
        let (block, rest) = room.split_at_mut(source.len());
        block.copy_from_slice(source);
        rest.fill(0);
        network.apply(room);
        target.iter_mut().zip(room).for_each(|(target, word)| *target |= *word);
        return;
    }
    for (&word, places) in source.iter().zip(twisted.places.chunks(64)) {
        let mut word = word;
        while word != 0 {
            let to = places[word.trailing_zeros() as usize] as usize;
            target[to / 64] |= 1 << (to % 64);
            word &= word - 1;
        }
    }
}
