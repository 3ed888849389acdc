//! The kernel of dials: each block of the next depth collects, for each move, the block that the move carries onto it.

use super::shape::{BitRotation, DialMove, DialShape};
use crate::compile::cpu;
use crate::dense::swept::{BitWord, SweepChunk, SweepCount, keep_new};

/// A word of bits, each of which stands for a state. A move that adds to a digit of the states' numbers rotates these
/// bits.
pub(in crate::dense) trait Rotated: BitWord {
    /// Makes the word of the states after a move that adds to one digit of their numbers.
    fn rotated(self, rotation: RotationOf<Self>) -> Self;
}

/// A [`BitRotation`] whose masks are words of type `W`.
#[derive(Clone, Copy)]
pub(in crate::dense) struct RotationOf<W> {
    stay: W,
    up: u32,
    pass: W,
    down: u32,
}

macro_rules! rotated {
    ($($word:ty)*) => {$(
        impl Rotated for $word {
            #[inline(always)]
            fn rotated(self, rotation: RotationOf<Self>) -> Self {
                let RotationOf { stay, up, pass, down } = rotation;
                (self & stay) << up | (self & pass) >> down
            }
        }
    )*};
}

rotated!(u16 u32 u64);

/// The task that finds the new states of the next depth in one chunk.
pub(super) struct ExpandDials<'a, 'b, W> {
    pub shape: &'a DialShape,
    pub chunk: &'a mut SweepChunk<'b, W>,
    pub count: &'a mut SweepCount,
}

impl<W: Rotated> cpu::Task for ExpandDials<'_, '_, W> {
    #[inline(always)]
    fn run(self) {
        let Self { shape, chunk, count } = self;
        let words = shape.division.block_words;
        let mut turned = vec![W::of(0); words];
        for (block, next) in chunk.next.chunks_exact_mut(words).enumerate() {
            let number = chunk.first_block + block;
            next.fill(W::of(0));
            for given in &shape.moves {
                let from = source_block(number, &given.high, shape.index.modulus());
                if chunk.occupied[from] != 0 {
                    add(next, &chunk.current[from * words..][..words], given, &mut turned);
                }
            }
            let states = keep_new(next, &mut chunk.seen[block * words..][..words]);
            chunk.occupied_next[block] = u8::from(states > 0);
            count.states += states;
            if chunk.occupied[number] != 0 {
                let current = &chunk.current[number * words..][..words];
                count.expanded += current.iter().map(|word| word.count()).sum::<u64>();
            }
        }
        count.moves = count.states * shape.move_count;
    }
}

/// The block that a move carries onto block `number`: each digit of the number minus the digit that the move adds.
#[inline(always)]
fn source_block(number: usize, added: &[u8], modulus: u8) -> usize {
    let modulus = usize::from(modulus);
    let (mut from, mut rest, mut apart) = (0, number, 1);
    for &added in added {
        let digit = rest % modulus + modulus - usize::from(added);
        from += if digit >= modulus { digit - modulus } else { digit } * apart;
        rest /= modulus;
        apart *= modulus;
    }
    if added.is_empty() { number } else { from }
}

/// Adds to a block the states that a move carries there from another block. `turned` is a buffer of the size of a
/// block.
#[inline(always)]
fn add<W: Rotated>(target: &mut [W], source: &[W], given: &DialMove, turned: &mut [W]) {
    let mut source = source;
    if let Some((first, rest)) = given.rotations.split_first() {
        let rotation = rotation_of(first);
        for (turned, &word) in turned.iter_mut().zip(source) {
            *turned = word.rotated(rotation);
        }
        for rotation in rest {
            let rotation = rotation_of(rotation);
            for word in turned.iter_mut() {
                *word = word.rotated(rotation);
            }
        }
        source = turned;
    }
    if given.runs.is_empty() {
        add_run(target, source);
    } else if given.run == 1 {
        for (target, &from) in target.iter_mut().zip(&given.runs) {
            *target = *target | source[from as usize];
        }
    } else {
        for (target, &from) in target.chunks_exact_mut(given.run).zip(&given.runs) {
            add_run(target, &source[from as usize..][..given.run]);
        }
    }
}

#[inline(always)]
fn add_run<W: Rotated>(target: &mut [W], source: &[W]) {
    for (target, &word) in target.iter_mut().zip(source) {
        *target = *target | word;
    }
}

#[inline(always)]
fn rotation_of<W: Rotated>(rotation: &BitRotation) -> RotationOf<W> {
    let BitRotation { stay, up, pass, down } = *rotation;
    RotationOf { stay: W::of(stay), up, pass: W::of(pass), down }
}
