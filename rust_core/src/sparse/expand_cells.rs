//! The hot loop of `expand` for players who have one move for each cell that holds the pivot.

use super::block::{Block, Expander};
use super::end_tests::EndTests;
use crate::compile::{CellMoves, Word, flipped};

impl<W: Word> Expander<'_, W> {
    /// Lists the canonical successors of states by kind. A row of the tables of images must have `COUNT` lanes.
    #[inline(always)]
    pub fn generate_in_cells<const COUNT: usize>(&self, moves: &CellMoves<W>, states: &[W], block: &mut Block<W>) {
        let (compiled, images) = (self.compiled, self.images);
        let steps = &compiled.steps[self.player];
        let is_tested = self.task.tests == EndTests::Successors;
        let (open, ended) = block.kinds.split_at_mut(1);
        for &word in states {
            let of_word = images.all_lanes::<COUNT>(word);
            let held = steps.pivots(word);
            let mut cells = steps.tried(held);
            let mut is_stuck = true;
            while let Some(bit) = cells.take_bit() {
                let given = moves.of_bit(bit);
                if given.without.meets(held) {
                    continue;
                }
                is_stuck = false;
                let after = flipped(&of_word, &given.flips, W::xor);
                // The first image is the state itself.
                debug_assert!(after[0].same(steps.list[given.place].effect.apply(word)), "the move flips these bits");
                let smallest = images.smallest_of_images(after);
                let end =
                    if is_tested { compiled.screened_end(after[0], &given.screen, steps, given.place) } else { None };
                match end {
                    None => open[0].raw.push(smallest),
                    Some(outcome) => ended[outcome].raw.push(smallest),
                }
            }
            if self.task.counts {
                let mut same = 0;
                for image in of_word {
                    same += usize::from(image.same(word));
                }
                block.seen.raw_states += images.orbit_size_of_lanes(same, COUNT);
                if is_stuck {
                    self.count_stuck(word, &mut block.seen);
                }
            }
        }
    }
}
