//! The hot loop of `expand` for players whose moves are found by walks, if there are no symmetries and no forced
//! passes, and if words have at most 64 bits.
//!
//! The moves of several states are listed at once, and one loop makes all of them. A loop for each state would end
//! after a number of moves that no processor could foresee.

use super::block::{Block, Expander};
use crate::compile::{MoveWalks, MovesOfStates, Word};

impl<W: Word> Expander<'_, W> {
    /// Lists the successors of states by kind.
    #[inline(always)]
    pub fn generate_listed(&self, walks: &MoveWalks, states: &[W], block: &mut Block<W>) {
        let steps = &self.compiled.steps[self.player];
        let (open, ended) = block.kinds.split_at_mut(1);
        let mut listed = MovesOfStates::new();
        for words in states.chunks(MovesOfStates::MOST) {
            walks.list_all(words, &mut listed);
            let mut has_moved = [false; MovesOfStates::MOST];
            for given in listed.moves() {
                let (number, place) = (given.state as usize % MovesOfStates::MOST, given.place as usize);
                let (word, step) = (words[number], &steps.list[place]);
                if !step.can(word) {
                    continue;
                }
                has_moved[number] = true;
                let successor = step.effect.apply_inlined(word);
                match self.outcome_after(successor, steps, place) {
                    None => open[0].raw.push(successor),
                    Some(outcome) => ended[outcome].raw.push(successor),
                }
            }
            if self.task.counts {
                block.seen.raw_states += words.len() as u64;
                for (&word, has_moved) in words.iter().zip(has_moved) {
                    if !has_moved {
                        self.count_stuck(word, &mut block.seen);
                    }
                }
            }
        }
    }
}
