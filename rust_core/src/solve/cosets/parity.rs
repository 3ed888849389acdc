//! Odd and even states: a fact about a state that no colour shows, and that doubles the abstract states of a table.
//!
//! A permutation is *odd* if an odd number of exchanges of two pieces makes it, and otherwise *even*. A quarter turn of
//! a cube moves four corners around, which three exchanges do: it is odd. So after each quarter turn, the corners of an
//! even state are those of an odd state. Take four pieces in a row, of which neighbours change places, and colours that
//! show nothing: then there is one abstract state without parities, and there are two with them.

use super::sticker_group::{Sticker, StickerSymmetry, Stickers};
use crate::solve::move_pruning::MoveSet;

/// The parity of how the pieces of one orbit are permuted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parity {
    orbit: usize,
    /// The odd moves. Each of them makes an odd state of an even one, and an even state of an odd one.
    pub odd: MoveSet,
}

impl Parity {
    /// A parity that is not known from the colours of a table, where `keeping` are the moves that keep the colours of
    /// the goal: one of these moves must be odd. `None` if there is no such parity. Symmetries carry odd states onto
    /// odd states.
    pub fn beside(stickers: &Stickers, symmetries: &[StickerSymmetry], keeping: MoveSet) -> Option<Self> {
        let orbits = 0..stickers.orbits.iter().max().map_or(0, |last| last + 1);
        let of = |orbit: usize| {
            let is_odd = |given: &usize| is_odd(stickers, orbit, &stickers.moves[*given].image);
            let odd = (0..stickers.moves.len()).filter(is_odd).fold(0, |odd: MoveSet, given| odd | 1 << given);
            Self { orbit, odd }
        };
        let stays = |parity: &Self| {
            let same = |(given, &image): (usize, &usize)| (parity.odd >> given ^ parity.odd >> image) & 1 == 0;
            symmetries.iter().all(|symmetry| symmetry.moves.iter().enumerate().all(same))
        };
        orbits.map(of).find(|parity| parity.odd & keeping != 0 && stays(parity))
    }

    /// Returns `true` if a state is odd. `held` has the sticker in each cell.
    pub fn is_odd(&self, stickers: &Stickers, held: &[Sticker]) -> bool {
        is_odd(stickers, self.orbit, held)
    }
}

/// Returns `true` if a permutation of stickers permutes the pieces of an orbit by an odd number of exchanges.
fn is_odd(stickers: &Stickers, orbit: usize, image: &[Sticker]) -> bool {
    let mut seen = vec![false; stickers.places.len()];
    let mut odd = false;
    for begin in (0..seen.len()).filter(|&place| stickers.orbits[place] == orbit) {
        // A circle of pieces that each take the place of the next one takes one exchange less than it has pieces.
        let mut place = begin;
        while !seen[place] {
            seen[place] = true;
            place = stickers.home[image[stickers.places[place][0] as usize] as usize].0;
            odd ^= place != begin;
        }
    }
    odd
}
