//! The tables of a sweep over pieces that twist: the source of each arrangement, and the effect of moves on twists.

use super::network::BitNetwork;
use super::shape::PieceShape;
use crate::index::{Sequences, sequence_of};
use crate::run::parallel;

/// The number of arrangements whose sources one task computes. It unranks the first of them and steps through the
/// others.
const AT_A_TIME: usize = 4096;

/// Tables that are looked up while states are found.
pub(in crate::dense) struct PieceTables<'a> {
    pub(super) shape: &'a PieceShape,
    /// For each arrangement and each move: the arrangement from which the move leads here.
    pub(super) sources: Vec<u32>,
    /// For each move, its effect on each combination of twists.
    pub(super) twisted: Vec<Twisted>,
}

/// The effect of a move on each combination of twists: a permutation of the bits of a block.
#[derive(Debug)]
pub(super) struct Twisted {
    /// For each bit, its new place.
    pub places: Vec<u32>,
    /// The permutation for many bits at a time. `None` if blocks are too large.
    pub network: Option<BitNetwork>,
}

impl<'a> PieceTables<'a> {
    pub fn new(shape: &'a PieceShape) -> Self {
        let index = &shape.index;
        let (moves, sequences) = (&index.moves, &index.sequences);
        let mut sources = vec![0u32; shape.blocks * moves.len()];
        // If no move changes anything, there is nothing to look up.
        let at_once = (AT_A_TIME * moves.len()).max(1);
        parallel::chunks_mut(&mut sources, at_once, |first, sources| {
            let mut sequence = sequence_of(&sequences.digits_of_number((first / moves.len()) as u64));
            let mut before = sequence.clone();
            for sources in sources.chunks_exact_mut(moves.len()) {
                for (source, given) in sources.iter_mut().zip(moves) {
                    for (&from, &piece) in given.source.iter().zip(&sequence) {
                        before[from] = piece;
                    }
                    *source = number_of(sequences, &before) as u32;
                }
                next_sequence(sequences, &mut sequence);
            }
        });
        let twisted = moves.iter().map(|given| {
            let places = index.twisted(given);
            Twisted { network: BitNetwork::new(&places), places }
        });
        let twisted = twisted.collect();
        Self { shape, sources, twisted }
    }
}

impl PieceTables<'_> {
    /// The word and the bit of the state with a number.
    pub fn bit(&self, number: u64) -> (usize, u64) {
        let combinations = self.shape.index.combinations;
        let (block, place) = ((number / combinations) as usize, (number % combinations) as usize);
        (block * self.shape.block_words + place / 64, 1 << (place % 64))
    }

    /// The bits of a word that belong to no state.
    pub fn holes(&self, at: usize) -> u64 {
        let filled = self.shape.index.combinations.saturating_sub(at as u64 % self.shape.block_words as u64 * 64);
        if filled >= 64 { 0 } else { !((1 << filled) - 1) }
    }
}

/// The number of a sequence. For each thing, it counts the smaller ones that follow.
fn number_of(sequences: &Sequences, sequence: &[u8]) -> u64 {
    let mut later = (1u32 << sequence.len()) - 1;
    let mut number = 0;
    for (at, &thing) in sequence.iter().enumerate() {
        later &= !(1 << thing);
        number = number * sequences.radix(at) as u64 + u64::from((later & ((1 << thing) - 1)).count_ones());
    }
    if sequences.even { number / 2 } else { number }
}

/// Steps to the sequence with the next number.
fn next_sequence(sequences: &Sequences, sequence: &mut [u8]) {
    loop {
        // The last place whose thing is smaller than the next one takes the smallest larger thing that follows.
        let Some(at) = (1..sequence.len()).rev().find(|&at| sequence[at - 1] < sequence[at]) else { return };
        let other = (at..sequence.len()).rev().find(|&other| sequence[other] > sequence[at - 1]).unwrap_or(at);
        sequence.swap(at - 1, other);
        sequence[at..].reverse();
        if sequences.holds(sequence) {
            return;
        }
    }
}
