//! Keys of positions in the table of a search: the smallest of the images of their words.

use super::board::PositionKey;
use crate::compile::{Images, LANES, Word};
use crate::rules::Symmetry;

/// With more symmetries than this, a position far from the root is looked up by its own word, because its canonical
/// form takes too long. The root is the position that the question is about.
const FEW_SYMMETRIES: usize = 2 * LANES;

/// A position fewer than this many moves from the root is always looked up by its canonical form.
const NEAR: usize = 8;

/// Finds the keys of positions by their words.
#[derive(Clone, Copy)]
pub struct WordKeys<'a, W>(pub &'a Images<W>);

impl<'a, W: Word> WordKeys<'a, W> {
    /// `true` if a key takes little time.
    #[inline(always)]
    pub fn are_quick(self) -> bool {
        self.0.order <= 2
    }

    /// The number of images that a key takes, if there are so many that keys take longer than all else.
    #[inline(always)]
    pub fn images(self, ahead: usize) -> usize {
        if self.0.order <= FEW_SYMMETRIES || ahead >= NEAR { 0 } else { self.0.order }
    }

    /// The key of a position that is `ahead` moves from the root. Far from the root, it may be the position's own word.
    #[inline(always)]
    pub fn key(self, word: W, ahead: usize) -> PositionKey<W> {
        let images = self.0;
        if images.trivial || (images.order > FEW_SYMMETRIES && ahead >= NEAR) {
            return PositionKey { word, symmetry: Some(0) };
        }
        if images.order == 2 {
            let [one, other] = images.pair_called(word);
            let lane = usize::from(other < one);
            return PositionKey { word: if lane == 1 { other } else { one }, symmetry: Some(lane) };
        }
        if images.order > LANES {
            return PositionKey { word: images.smallest(word), symmetry: None };
        }
        let lanes = images.block(word);
        let word = images.smallest_of_block(lanes);
        PositionKey { word, symmetry: lanes.iter().position(|image| image.same(word)) }
    }

    /// A symmetry, by its number.
    pub fn symmetry(self, number: usize) -> &'a Symmetry {
        self.0.symmetry(0, number)
    }
}
