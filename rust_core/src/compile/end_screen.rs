//! Screens of ends: after most moves no end holds, and a screen tells so for four ends at a time.
//!
//! For example, a mark in the middle of a board of 3 by 3 may complete four lines. Each line is a mask and a value. The
//! state after the move is compared with all four at once. If some value is equal, the player has won: all four ends
//! have this outcome, and demand no more than their lines. Other ends are then tested one by one.

use std::sync::Arc;

use super::Compiled;
use super::steps::{CompiledMove, Steps};
use super::word::Word;
use crate::ordered::OrderedMap;

/// The number of ends that are compared at once.
const AT_ONCE: usize = 4;

/// What the ends that one move may complete demand, as far as masks can express it.
#[derive(Debug, Clone)]
pub struct EndScreen<W> {
    /// The rows are shared by moves that may complete the same ends, so they take fewer lines of the cache.
    rows: Arc<[MaskedEnds<W>]>,
    /// The outcome of a state that the screen does not rule out. It is known only if all of these ends have the same
    /// outcome, and if masks express all that they demand.
    outcome: Option<usize>,
}

/// Some ends. In places that are left, there is an end that never holds.
#[derive(Debug, Clone, Copy)]
struct MaskedEnds<W> {
    masks: [W; AT_ONCE],
    /// The value that a word must have under each mask if the end holds.
    values: [W; AT_ONCE],
}

impl<W: Word> EndScreen<W> {
    /// The screen of some ends. `masked` gives the mask and the value of each. For `outcome`, see [`Self::outcome`].
    #[inline(never)]
    fn new(ends: &[usize], masked: &dyn Fn(usize) -> (W, W), outcome: Option<usize>) -> Self {
        let mut rows = Vec::with_capacity(ends.len().div_ceil(AT_ONCE));
        for ends in ends.chunks(AT_ONCE) {
            // No bit is left under an empty mask, so no word has this value there.
            let mut row = MaskedEnds { masks: [W::ZERO; AT_ONCE], values: [W::ZERO.not(); AT_ONCE] };
            for (at, &end) in ends.iter().enumerate() {
                (row.masks[at], row.values[at]) = masked(end);
            }
            rows.push(row);
        }
        Self { rows: rows.into(), outcome }
    }

    /// A screen that rules out no state.
    pub fn open() -> Self {
        Self::new(&[0], &|_| (W::ZERO, W::ZERO), None)
    }

    /// The number of comparisons of several ends.
    pub fn tests(&self) -> usize {
        self.rows.len()
    }

    /// Returns `false` if no end holds in a state. If an end demands more than a mask can express, `true` does not mean
    /// that one holds.
    #[inline(always)]
    fn may_hold(&self, word: W) -> bool {
        let mut held = false;
        for row in &*self.rows {
            for at in 0..AT_ONCE {
                held |= word.and(row.masks[at]).same(row.values[at]);
            }
        }
        held
    }
}

impl<W: Word> Compiled<W> {
    /// The outcome of the first end that holds in a state after a move with a screen, which is at some place in the
    /// list of `steps`. `None` if no end holds.
    #[inline(always)]
    pub fn screened_end(&self, word: W, screen: &EndScreen<W>, steps: &Steps<W>, place: usize) -> Option<usize> {
        if screen.may_hold(word) {
            screen.outcome.or_else(|| self.first_end_unscreened(word, &steps.list[place]))
        } else {
            None
        }
    }

    /// Does the same as [`Self::first_end`] for a state that no screen has ruled out. Where there are screens, such
    /// states are few, so this is not inlined into each loop over moves.
    #[inline(never)]
    pub fn first_end_unscreened(&self, word: W, step: &CompiledMove<W>) -> Option<usize> {
        self.first_end(word, step)
    }

    /// The outcome of a state that has the value of some of the given ends under its mask. `None` if the outcome
    /// depends on which end that is, or on anything else.
    fn sure_outcome(&self, ends: &[usize]) -> Option<usize> {
        let outcome = self.ends[*ends.first()?].outcome;
        let is_sure = |&end: &usize| self.ends[end].guard.is_masked() && self.ends[end].outcome == outcome;
        (self.rules.turn.is_none() && self.scoring.is_none() && ends.iter().all(is_sure)).then_some(outcome)
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
        let mut known: OrderedMap<&[usize], EndScreen<W>> = OrderedMap::new();
        let screen = |ends: &[usize]| EndScreen::new(ends, &masked, self.sure_outcome(ends));
        steps.iter().map(|step| known.value_or(&step.ends, || screen(&step.ends)).clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::random::Random;
    use crate::rules::{Rules, Varying};
    use crate::structure::Structure;

    /// The outcome that the screen of the move into cell 0 knows. Marks are put into two cells, and two ends are given.
    fn known(ends: Value, change: &dyn Fn(&mut Value)) -> Option<usize> {
        let put = |cell: usize| json!({"name": cell.to_string(), "when": [[cell, ["."]]], "then": [[cell, "x"]]});
        let moves = json!([put(0), put(1)]);
        let mut data = json!({"symbols": [".", "x", "y"], "start": [".", "."], "players": ["P", "Q"], "moves": moves});
        data["ends"] = ends;
        change(&mut data);
        let rules = Rules::new(&serde_json::from_value(data).unwrap()).unwrap();
        let rules = Arc::new(if rules.lacks_turn_cell() { rules.with_turn_cell().unwrap() } else { rules });
        let structure = Arc::new(Structure::new(Arc::clone(&rules)).unwrap());
        let compiled = Compiled::<u32>::new(&structure, &Arc::new(Varying::of(&rules))).unwrap();
        compiled.end_screens(0)[0].outcome
    }

    #[test]
    fn a_screen_knows_the_outcome_only_if_masks_say_all() {
        let end = |outcome: &str, cell: usize| json!({"outcome": outcome, "when": [[0, ["x"]], [cell, ["x"]]]});
        let of = |one: &str, other: &str| json!([end(one, 0), end(other, 1)]);
        assert!(known(of("draw", "draw"), &|_| ()).is_some());
        assert_eq!(known(of("P", "Q"), &|_| ()), None, "two outcomes");
        let counted = |data: &mut Value| data["ends"][0]["counts"] = json!([{"symbols": ["x"], "at_most": 1}]);
        assert_eq!(known(of("draw", "draw"), &counted), None, "a count");
        let again = |data: &mut Value| data["moves"][1]["again"] = json!(true);
        assert_eq!(known(of("draw", "draw"), &again), None, "moves that keep the turn");
        let scored = |data: &mut Value| {
            data["score"] = json!({"sums": [{"player": "P", "worth": {"x": 1}}]});
            data["ends"] = json!([{"when": [[0, ["x"]]]}]);
        };
        assert_eq!(known(of("draw", "draw"), &scored), None, "points");
    }

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
                assert_eq!(EndScreen::new(&all, &|end| ends[end], None).may_hold(word), expected, "{ends:?} {word}");
            }
        }
    }
}
