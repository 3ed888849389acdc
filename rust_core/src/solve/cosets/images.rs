//! The numbers of the images of states under a symmetry, for several colourings together.

use std::sync::Arc;

use super::colouring::StickerColouring;
use super::stickers::{MOST_PLACES, Sticker, StickerSymmetry, Stickers};
use crate::structure::permuting::inverse;

/// For each place, the first sticker there. In a search, it is the cell in which the sticker is that the goal has first
/// there.
pub type Positions = [Sticker; MOST_PLACES];

/// Finds the codes of the image of a state under a symmetry. Each place adds one number, in which the codes of several
/// colourings are beside each other.
pub struct ImageNumbers {
    /// Codes that fit one number together. There are several if all codes together have more than 64 bits.
    packed: Vec<PackedCodes>,
    stickers: usize,
}

/// Codes of some colourings in one number.
#[derive(Default)]
struct PackedCodes {
    /// The places that decide the codes.
    places: Vec<usize>,
    /// For each of these places and each first sticker: the number that it adds.
    weights: Vec<u64>,
    /// For each colouring: its place in the list of all colourings, the first bit of its code, and the code that has
    /// all its bits.
    fields: Vec<(usize, u32, u64)>,
}

impl ImageNumbers {
    /// The codes of some colourings after a symmetry.
    pub fn new(stickers: &Stickers, factors: &[Arc<StickerColouring>], symmetry: &StickerSymmetry) -> Self {
        let back = inverse(&symmetry.image);
        let (mut packed, mut shift): (Vec<PackedCodes>, u32) = (Vec::new(), 0);
        for (at, factor) in factors.iter().enumerate() {
            let bits = factor.code_bits();
            if packed.is_empty() || shift + bits > u64::BITS {
                packed.push(PackedCodes::default());
                shift = 0;
            }
            let Some(last) = packed.last_mut() else { continue };
            last.fields.push((at, shift, u64::MAX >> (u64::BITS - bits)));
            // In a cell, the image of a state has the image of the sticker that the state has in the cell which the
            // symmetry carries there. Within a place, that cell is a number of steps around the circle from the first
            // cell.
            for (&place, known) in factor.places.iter().zip(&factor.weights) {
                let (from, by) = stickers.home[back[stickers.places[place][0] as usize] as usize];
                let own = last.places.iter().position(|&place| place == from).unwrap_or_else(|| {
                    last.places.push(from);
                    last.weights.resize(last.places.len() * stickers.len(), 0);
                    last.places.len() - 1
                });
                // Stickers of other orbits are never there, whatever number they have.
                for (sticker, weight) in last.weights[own * stickers.len()..][..stickers.len()].iter_mut().enumerate() {
                    let image = symmetry.image[stickers.turned(sticker as Sticker, by) as usize];
                    *weight = weight.wrapping_add(known[image as usize] << shift);
                }
            }
            shift += bits;
        }
        Self { packed, stickers: stickers.len() }
    }

    /// Calls `found` with the place of each colouring in the list, and the code of the image of a state.
    #[inline(always)]
    pub fn each(&self, first: &Positions, mut found: impl FnMut(usize, u64)) {
        for PackedCodes { places, weights, fields } in &self.packed {
            let of = |(weights, &place): (&[u64], &usize)| weights[first[place % MOST_PLACES] as usize];
            // A sum of weights of stickers that never meet may be too large, and its code is one that no state has.
            let code = weights.chunks_exact(self.stickers).zip(places).map(of).fold(0u64, u64::wrapping_add);
            for &(at, shift, mask) in fields {
                found(at, code >> shift & mask);
            }
        }
    }
}
