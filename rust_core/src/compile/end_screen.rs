//! Screens of ends: after most moves no end holds, and a screen tells so for four ends at a time.
//!
//! For example, a mark in the middle of a board of 3 by 3 may complete four lines. Each line is a mask and a value. The
//! state after the move is compared with all four at once. Only if some value is equal, the ends are tested one by one.

use super::Compiled;
use super::steps::CompiledMove;
use super::word::Word;

/// The number of ends that are compared at once.
const AT_ONCE: usize = 4;

/// What the ends that one move may complete demand, as far as masks can express it.
#[derive(Debug)]
pub struct EndScreen<W>(Box<[MaskedEnds<W>]>);

/// Some ends. In places that are left, there is an end that never holds.
#[derive(Debug)]
struct MaskedEnds<W> {
    masks: [W; AT_ONCE],
    /// The value that a word must have under each mask if the end holds.
    values: [W; AT_ONCE],
}

impl<W: Word> EndScreen<W> {
    /// The screen of some ends. `masked` gives the mask and the value of each.
    #[inline(never)]
    fn new(ends: &[usize], masked: &dyn Fn(usize) -> (W, W)) -> Self {
        let mut rows = Vec::with_capacity(ends.len().div_ceil(AT_ONCE));
        for ends in ends.chunks(AT_ONCE) {
            // No bit is left under an empty mask, so no word has this value there.
            let mut row = MaskedEnds { masks: [W::ZERO; AT_ONCE], values: [W::ZERO.not(); AT_ONCE] };
            for (at, &end) in ends.iter().enumerate() {
                (row.masks[at], row.values[at]) = masked(end);
            }
            rows.push(row);
        }
        Self(rows.into())
    }

    /// The number of comparisons of several ends.
    pub fn tests(&self) -> usize {
        self.0.len()
    }

    /// Returns `false` if no end holds in a state. If an end demands more than a mask can express, `true` does not mean
    /// that one holds.
    #[inline(always)]
    pub fn may_hold(&self, word: W) -> bool {
        let mut held = false;
        for row in &self.0 {
            for at in 0..AT_ONCE {
                held |= word.and(row.masks[at]).same(row.values[at]);
            }
        }
        held
    }
}

impl<W: Word> Compiled<W> {
    /// Does the same as [`Self::first_end`] for a state that no screen has ruled out. Where there are screens, such
    /// states are few, so this is not inlined into each loop over moves.
    #[inline(never)]
    pub fn first_end_unscreened(&self, word: W, step: &CompiledMove<W>) -> Option<usize> {
        self.first_end(word, step)
    }

    /// For each move of a player, the screen of the ends that it may complete. The list is empty if words have more
    /// than 64 bits, since the processor does not compare several of them at a time. It is empty, too, if masks express
    /// nothing of some end, such as a path from side to side: then no screen would rule it out. It is also empty if
    /// moves are made backward, since each of them has all ends.
    pub fn end_screens(&self, player: usize) -> Vec<EndScreen<W>> {
        let masked = |end: usize| self.ends[end].guard.masked();
        let steps = &self.steps[player].list;
        let says_nothing = |&end: &usize| masked(end).0 == W::ZERO;
        if W::BYTES > 8 || self.rules.backward || steps.iter().any(|step| step.ends.iter().any(says_nothing)) {
            return Vec::new();
        }
        steps.iter().map(|step| EndScreen::new(&step.ends, &masked)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_screen_tells_what_the_ends_tell_one_by_one() {
        let mut random = Random::new("screens");
        for count in 0..10 {
            for _ in 0..200 {
                let ends: Vec<(u32, u32)> = (0..count)
                    .map(|_| {
                        let mask = random.below(16) as u32 & random.below(16) as u32;
                        (mask, mask & random.below(16) as u32)
                    })
                    .collect();
                let word = random.below(16) as u32;
                let expected = ends.iter().any(|&(mask, value)| word & mask == value);
                let all: Vec<usize> = (0..count).collect();
                assert_eq!(EndScreen::new(&all, &|end| ends[end]).may_hold(word), expected, "{ends:?} {word}");
            }
        }
    }
}
