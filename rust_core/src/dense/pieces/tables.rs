//! The tables of a sweep over pieces that twist: the source of each block, and the effect of moves on the bits of a
//! block.

use std::sync::Arc;

use super::network::BitNetwork;
use super::shape::PieceShape;
use crate::index::{LabelChange, PieceFactor};
use crate::run::parallel;
use crate::structure::PieceMove;

/// The number of arrangements of the pieces of a factor that one task handles. The task unranks the first of them, and
/// steps from each to the next.
const AT_A_TIME: usize = 4096;

/// Tables that are looked up while states are found.
///
/// The number of a block is `outer * inner_len + inner`. Here `outer` is the number of the block's first factor, and
/// `inner` the number of all its other factors together, which is 0 if there are none. A move changes `outer` and
/// `inner` independently of each other. So the number of the block from which a move leads here is the sum of two
/// entries, one of each table.
pub(in crate::dense) struct PieceTables {
    pub(super) shape: Arc<PieceShape>,
    /// For each number of the first factor and each move: the number from which the move leads here, times `inner_len`.
    pub(super) outer: Vec<u32>,
    /// For each number of the other factors and each move: the number from which the move leads here.
    pub(super) inner: Vec<u32>,
    /// The length of the range of numbers that the other factors have together.
    pub(super) inner_len: usize,
    /// For each move, its effect on the bits of a block.
    pub(super) twisted: Vec<Twisted>,
}

/// The effect of a move on the bits of a block: a permutation.
#[derive(Debug)]
pub(super) struct Twisted {
    /// For each bit, its new place.
    pub places: Vec<u32>,
    /// The permutation for many bits at a time. `None` if blocks are too large.
    pub network: Option<BitNetwork>,
}

impl PieceTables {
    pub fn new(shape: Arc<PieceShape>) -> Self {
        let index = &shape.index;
        let moves = &index.moves;
        let mut factors = index.block_factors();
        let mut outer = factors.next().map_or_else(|| vec![0; moves.len()], |factor| sources(factor, moves));
        let (mut inner, mut inner_len) = (vec![0; moves.len()], 1);
        for factor in factors {
            let (more, len) = (sources(factor, moves), factor.len() as usize);
            inner = (0..inner_len * len * moves.len())
                .map(|at| {
                    let (number, given) = (at / moves.len(), at % moves.len());
                    inner[number / len * moves.len() + given] * len as u32 + more[number % len * moves.len() + given]
                })
                .collect();
            inner_len *= len;
        }
        for source in &mut outer {
            *source *= inner_len as u32;
        }
        let twisted = moves.iter().map(|given| {
            let places = index.moved(given);
            Twisted { network: BitNetwork::new(&places), places }
        });
        let twisted = twisted.collect();
        Self { shape, outer, inner, inner_len, twisted }
    }
}

/// For each number of a factor and each move: the number from which the move leads here.
fn sources(factor: &PieceFactor, moves: &[PieceMove]) -> Vec<u32> {
    let changes: Vec<LabelChange> = moves.iter().map(|given| factor.change(given)).collect();
    let mut sources = vec![0u32; factor.len() as usize * moves.len()];
    // If no move changes anything, there is nothing to look up.
    let at_once = (AT_A_TIME * moves.len()).max(1);
    parallel::chunks_mut(&mut sources, at_once, |first, sources| {
        let mut labels = factor.labels((first / moves.len()) as u64);
        let mut before = labels.clone();
        for sources in sources.chunks_exact_mut(moves.len()) {
            for (source, change) in sources.iter_mut().zip(&changes) {
                change.before(&labels, &mut before);
                *source = factor.number(&before) as u32;
            }
            factor.step(&mut labels);
        }
    });
    sources
}

impl PieceTables {
    /// The place of the bit of the state with the given number: the index of its word, and a mask of the bit.
    pub fn bit(&self, number: u64) -> (usize, u64) {
        let combinations = self.shape.index.combinations;
        let (block, place) = ((number / combinations) as usize, (number % combinations) as usize);
        (block * self.shape.division.block_words + place / 64, 1 << (place % 64))
    }

    /// The bits of a word that belong to no state.
    pub fn holes(&self, at: usize) -> u64 {
        let filled =
            self.shape.index.combinations.saturating_sub(at as u64 % self.shape.division.block_words as u64 * 64);
        if filled >= 64 { 0 } else { !((1 << filled) - 1) }
    }
}
