//! The kernel of lamps, which are dials of two places: a move exchanges whole words, and bits within words.
//!
//! # Four cells
//!
//! Let moves flip the cells {0, 1}, {1, 2}, {2, 3} and {0, 1, 2, 3}. The first three are a basis. The state that
//! differs from the start in the cells 0 and 2 is the sum of the first two, so its number is 0b011. The last move is
//! the sum of the first and the third, 0b101. It leads from number `n` to `n ^ 0b101`. So bit `n` of the next depth is
//! bit `n ^ 0b101` of the current one. In an array of several words, the low six bits of a move's number exchange bits
//! within each word. Its other bits choose the word from which each word takes its bits.

use super::shape::DialShape;
use crate::compile::cpu;
use crate::dense::swept::{SweepChunk, SweepCount, keep_new};

/// The number of words that are handled at once.
const LANES: usize = 8;

/// The task that finds the new states of the next depth in one chunk.
pub(super) struct ExchangeBits<'a, 'b> {
    pub shape: &'a DialShape,
    pub chunk: &'a mut SweepChunk<'b, u64>,
    pub count: &'a mut SweepCount,
}

impl cpu::Task for ExchangeBits<'_, '_> {
    #[inline(always)]
    fn run(self) {
        let Self { shape, chunk, count } = self;
        let words = shape.division.block_words;
        let block_bits = words.ilog2();
        for (block, next) in chunk.next.chunks_exact_mut(words).enumerate() {
            let number = chunk.first_block + block;
            next.fill(0);
            for &added in &shape.numbers {
                let from = number ^ (added >> 6) as usize >> block_bits;
                if chunk.occupied[from] != 0 {
                    let source = &chunk.current[from * words..][..words];
                    add(next, source, (added >> 6) as usize & (words - 1), added as u32 & 63);
                }
            }
            let states = keep_new(next, &mut chunk.seen[block * words..][..words]);
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

/// Adds word `i ^ place` of `source` to each word `i` of the block `target`. On the way, bit `b` becomes bit `b ^ bit`.
#[inline(always)]
fn add(target: &mut [u64], source: &[u64], place: usize, bit: u32) {
    if target.len() < LANES {
        for (at, target) in target.iter_mut().enumerate() {
            let mut word = [source[at ^ place]];
            exchange(&mut word, bit);
            *target |= word[0];
        }
        return;
    }
    match place % LANES {
        0 => add_lanes::<0>(target, source, place / LANES, bit),
        1 => add_lanes::<1>(target, source, place / LANES, bit),
        2 => add_lanes::<2>(target, source, place / LANES, bit),
        3 => add_lanes::<3>(target, source, place / LANES, bit),
        4 => add_lanes::<4>(target, source, place / LANES, bit),
        5 => add_lanes::<5>(target, source, place / LANES, bit),
        6 => add_lanes::<6>(target, source, place / LANES, bit),
        _ => add_lanes::<7>(target, source, place / LANES, bit),
    }
}

/// Does the same as [`add`], eight words at a time. `LANE` is the low three bits of the place, and `place` the other
/// bits. Since `LANE` is a constant, the compiler knows which of eight words goes to which.
#[inline(always)]
fn add_lanes<const LANE: usize>(target: &mut [u64], source: &[u64], place: usize, bit: u32) {
    let source = source.as_chunks::<LANES>().0;
    for (at, target) in target.as_chunks_mut::<LANES>().0.iter_mut().enumerate() {
        let from = &source[at ^ place];
        let mut words = [0; LANES];
        for lane in 0..LANES {
            words[lane] = from[lane ^ LANE];
        }
        exchange(&mut words, bit);
        for lane in 0..LANES {
            target[lane] |= words[lane];
        }
    }
}

/// Exchanges bit `b` and bit `b ^ bit` of each word.
#[inline(always)]
fn exchange(words: &mut [u64], bit: u32) {
    /// For each of the six bits of a place: the places from 0 to 63 in which it is 0.
    const LOW: [u64; 6] = [
        0x5555_5555_5555_5555,
        0x3333_3333_3333_3333,
        0x0f0f_0f0f_0f0f_0f0f,
        0x00ff_00ff_00ff_00ff,
        0x0000_ffff_0000_ffff,
        0x0000_0000_ffff_ffff,
    ];
    // A loop over these six steps would not be unrolled, and so not be vectorised.
    exchange_at::<1>(words, bit & 1 != 0, LOW[0]);
    exchange_at::<2>(words, bit & 2 != 0, LOW[1]);
    exchange_at::<4>(words, bit & 4 != 0, LOW[2]);
    exchange_at::<8>(words, bit & 8 != 0, LOW[3]);
    exchange_at::<16>(words, bit & 16 != 0, LOW[4]);
    exchange_at::<32>(words, bit & 32 != 0, LOW[5]);
}

/// Exchanges bits at a distance of `APART`, if `wanted`. `low` has the lower bit of each pair.
#[inline(always)]
fn exchange_at<const APART: u32>(words: &mut [u64], wanted: bool, low: u64) {
    if wanted {
        for word in words {
            *word = (*word & low) << APART | *word >> APART & low;
        }
    }
}
