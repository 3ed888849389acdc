//! Computes, for several colourings at once, the number of the abstract state that the image of a state has.

use std::sync::Arc;

use super::colouring::StickerColouring;
use super::sticker_group::{MOST_PLACES, Sticker, StickerSymmetry, Stickers};
use crate::structure::permuting::inverse;

/// For each place of a state, the sticker in the first cell of the place. A search stores the opposite: for each place,
/// the cell that now holds the sticker which the goal has in the first cell of the place. Read as stickers, these cells
/// are the positions of the inverse state.
pub type Positions = [Sticker; MOST_PLACES];

/// Finds the codes of the image of a state under a symmetry, in several colourings at once. Each place of the state
/// adds one number to a sum, in which the codes of the colourings are side by side.
pub struct ImageNumbers {
    /// The colourings, in groups whose codes fit 64 bits side by side.
    packed: Vec<PackedCodes>,
    /// The number of weights in a row: [`ROW`] or [`LONG_ROW`].
    row: usize,
}

/// A group of colourings whose codes are side by side in one number.
struct PackedCodes {
    /// A row for each place of the state. It has, for each sticker that may be in the first cell of the place, the
    /// number that is added to the sum. The number of rows is a multiple of [`TOGETHER`], so some mean nothing.
    weights: Vec<u64>,
    /// For each colouring: its place in the list of all colourings, the lowest bit of its code in the sum, and a mask
    /// as wide as its code.
    fields: Vec<(usize, u32, u64)>,
}

/// The number of weights in a row, if there are at most so many stickers.
const ROW: usize = 64;

/// The number of weights in a row, if there are more stickers. Any byte is the place of a weight in it.
const LONG_ROW: usize = 1 << Sticker::BITS;

/// The number of places whose weights are added in one step of a loop.
const TOGETHER: usize = 4;

const _: () = assert!(MOST_PLACES.is_multiple_of(TOGETHER), "no place is left over");

impl ImageNumbers {
    /// Prepares the codes, in the given colourings, of the images of states under a symmetry.
    pub fn new(stickers: &Stickers, factors: &[Arc<StickerColouring>], symmetry: &StickerSymmetry) -> Self {
        let back = inverse(&symmetry.image);
        let (mut packed, mut shift): (Vec<PackedCodes>, u32) = (Vec::new(), 0);
        let row = if stickers.len() <= ROW { ROW } else { LONG_ROW };
        let weights = vec![0; stickers.places.len().next_multiple_of(TOGETHER) * row];
        for (at, factor) in factors.iter().enumerate() {
            let bits = factor.code_bits();
            if packed.is_empty() || shift + bits > u64::BITS {
                packed.push(PackedCodes { weights: weights.clone(), fields: Vec::new() });
                shift = 0;
            }
            let Some(last) = packed.last_mut() else { continue };
            last.fields.push((at, shift, u64::MAX >> (u64::BITS - bits)));
            // The symmetry carries some cell onto the first cell of this place. In the image of a state, this first
            // cell holds the image of the sticker that the state has in that other cell. The other cell is in the place
            // `from`, `by` steps around the circle from its first cell.
            for (&place, known) in factor.places.iter().zip(&factor.weights) {
                let (from, by) = stickers.home[back[stickers.places[place][0] as usize] as usize];
                // Stickers of other orbits get a number, too. It is never used, because they never come to this place.
                for (sticker, weight) in last.weights[from * row..][..stickers.len()].iter_mut().enumerate() {
                    let image = symmetry.image[stickers.turned(sticker as Sticker, by) as usize];
                    *weight = weight.wrapping_add(known[image as usize] << shift);
                }
            }
            shift += bits;
        }
        Self { packed, row }
    }

    /// Calls `found` for each colouring, with its place in the list, and with the code of the image of the state in
    /// this colouring.
    #[inline(always)]
    pub fn each(&self, first: &Positions, mut found: impl FnMut(usize, u64)) {
        for PackedCodes { weights, fields } in &self.packed {
            // If stickers never occur together in a state, the sum of their weights may be too large. Then its codes
            // are codes that no state has.
            let code = if self.row == ROW { sum::<ROW>(weights, first) } else { sum::<LONG_ROW>(weights, first) };
            for &(at, shift, mask) in fields {
                found(at, code >> shift & mask);
            }
        }
    }
}

/// The sum of the weights that the stickers in the first cells have, in rows of `LEN` weights.
#[inline(always)]
fn sum<const LEN: usize>(weights: &[u64], first: &Positions) -> u64 {
    let (rows, stickers) = (weights.as_chunks::<LEN>().0.as_chunks::<TOGETHER>().0, first.as_chunks::<TOGETHER>().0);
    let mut sum = 0u64;
    for (rows, stickers) in rows.iter().zip(stickers) {
        for at in 0..TOGETHER {
            sum = sum.wrapping_add(rows[at][usize::from(stickers[at]) % LEN]);
        }
    }
    sum
}
