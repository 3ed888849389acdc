//! Compiled rules with the symmetries that states are counted by. They find the successors and the ends of a block of
//! packed words.

use std::sync::Arc;

use super::StateEntry;
use super::edges::{Edges, Lists};
use crate::compile::{Compiled, Images, Steps, Word, cpu};
use crate::job::Kind;
use crate::run::{Final, Scored, Worth};
use crate::sorting;

/// The number of successors whose places the memory fetches while those before them are looked up.
pub(super) const AHEAD: usize = 64;

/// The number of states whose successors are made before they are looked up: few enough to stay in the cache.
pub(super) const EXPANDED_AT_ONCE: usize = 256;

/// Compiled rules, and the images by which states are counted.
#[derive(Clone)]
pub struct WordRules<W> {
    /// The rules.
    pub compiled: Arc<Compiled<W>>,
    /// The symmetries.
    pub images: Arc<Images<W>>,
    /// `true` if play goes on from a solved state of a puzzle, as it does where states are counted.
    pub past_goal: bool,
}

/// Finds the numbers of words.
pub trait WordLookup: Sync {
    /// The packed word.
    type Word;

    /// Asks for the place of a word with the player to move, which will be looked up soon.
    fn prefetch(&self, word: Self::Word, player: usize);
    /// The number of a word with the player to move; `None` if it is not there.
    fn number(&self, word: Self::Word, player: usize) -> Option<u64>;
}

impl<W: Word> WordRules<W> {
    /// The number of players.
    pub fn players(&self) -> usize {
        self.compiled.rules.player_count()
    }

    /// The score of the rules, if they have one.
    pub fn scored(&self) -> Option<Scored> {
        self.compiled.rules.scoring.as_ref().map(|scoring| Scored { endless: scoring.endless })
    }

    /// The value of a state if play is over by an end or at the goal; `None` if it is not.
    #[inline(always)]
    fn ended(&self, word: W, player: usize) -> Option<Final> {
        if self.players() == 1 {
            if !self.past_goal && self.compiled.solved(word) {
                return Some(Worth::Win.into());
            }
            return self.compiled.ended(word, player).map(|_| Worth::Draw.into());
        }
        self.compiled.ended(word, player).map(|outcome| self.at_end(word, outcome, player))
    }

    /// The value of a state of a game in which play is over with an outcome.
    #[inline(always)]
    fn at_end(&self, word: W, outcome: usize, player: usize) -> Final {
        match self.compiled.score(word, player) {
            Some(points) => Final::of_score(points, player),
            None => Worth::of(&self.compiled.rules, outcome, player).into(),
        }
    }

    /// The value of a state without a move.
    fn stuck(&self, word: W, player: usize) -> Final {
        if self.players() == 1 {
            return Worth::Draw.into();
        }
        self.at_end(word, self.compiled.stuck_outcome(word, player), player)
    }

    /// Finds the states in which play is over, and their values.
    pub fn over(&self, words: &[W], player: usize, found: &mut Vec<Option<Final>>) {
        let steps = &self.compiled.steps[player];
        let over =
            |&word: &W| self.ended(word, player).or_else(|| (!steps.any(word)).then(|| self.stuck(word, player)));
        found.clear();
        found.extend(words.iter().map(over));
    }

    /// Calls `found` with each move of a state, in order: its place in the rules, and the state after it.
    pub fn moves_from(&self, word: W, player: usize, found: &mut dyn FnMut(usize, W)) {
        if self.ended(word, player).is_some() {
            return;
        }
        let mut moves = Vec::new();
        self.compiled.steps[player].each(word, |_, step| {
            moves.push((step.index, step.effect.apply(word)));
            true
        });
        sorting::sort_by_key(&mut moves, |&(index, _)| index);
        for (index, after) in moves {
            found(index, after);
        }
    }

    /// Finds the number of moves of each state; 0 if play is over.
    pub fn moves(&self, words: &[W], player: usize, found: &mut Vec<u32>) {
        found.clear();
        for &word in words {
            let mut moves = 0;
            if self.ended(word, player).is_none() {
                self.compiled.steps[player].each(word, |_, _| {
                    moves += 1;
                    true
                });
            }
            found.push(moves);
        }
    }

    /// Finds the number of different images of each state.
    pub fn orbits(&self, words: &[W], found: &mut Vec<u64>) {
        found.clear();
        found.extend(words.iter().map(|&word| self.images.orbit_size(word)));
    }

    /// The entry of a state in the files of its depth.
    pub fn entry(&self, word: W, player: usize) -> StateEntry {
        let (ended, outcome) = (self.compiled.ended(word, player), self.compiled.outcome(word, player));
        let kind = match (ended, outcome) {
            (Some(outcome), _) => Kind::Ended(outcome),
            (None, Some(_)) => Kind::Stuck,
            (None, None) => Kind::Open,
        };
        StateEntry { kind, outcome, orbit: self.images.orbit_size(word) }
    }

    /// Finds the numbers of the successors of words with the player to move. All of them are there.
    pub fn successors(&self, words: &[W], player: usize, at: &impl WordLookup<Word = W>, found: &mut Edges) {
        found.clear();
        let next = self.compiled.rules.next_player(player);
        let (mut after, mut ends) = (Vec::new(), Vec::with_capacity(EXPANDED_AT_ONCE));
        for words in words.chunks(EXPANDED_AT_ONCE) {
            self.expand(words, player, &mut found.over, &mut after, &mut ends);
            let mut begin = 0;
            for &end in &ends {
                for place in begin..end {
                    if let Some(&later) = after.get(place + AHEAD) {
                        at.prefetch(later, next);
                    }
                    let number = at.number(after[place], next);
                    found.after.push(number.expect("the search forward has found every successor"));
                }
                found.after.close();
                begin = end;
            }
        }
    }

    /// Finds the successors of words with the player to move, as words, and the end of each word's part of them. Adds
    /// the values of those in which play is over.
    pub fn expand(
        &self,
        words: &[W],
        player: usize,
        over: &mut Vec<Option<Final>>,
        after: &mut Vec<W>,
        ends: &mut Vec<usize>,
    ) {
        after.clear();
        ends.clear();
        cpu::run(SuccessorTask { rules: self, words, player, over, after, ends });
    }

    /// Does the same, with the successors of each word in the order of the moves in the rules.
    pub fn expand_in_order(
        &self,
        words: &[W],
        player: usize,
        over: &mut Vec<Option<Final>>,
        after: &mut Vec<W>,
        ends: &mut Vec<usize>,
    ) {
        after.clear();
        ends.clear();
        self.over(words, player, over);
        for &word in words {
            self.moves_from(word, player, &mut |_, state| after.push(self.images.smallest(state)));
            ends.push(after.len());
        }
    }

    /// Finds the numbers of the states from which moves lead to given ones, by inverse moves. A puzzle has such moves,
    /// and not all of them need lead to a state that play reaches.
    pub fn predecessors(
        &self,
        words: impl Iterator<Item = W>,
        inverse: &Steps<W>,
        at: &impl WordLookup<Word = W>,
        found: &mut Lists,
    ) {
        found.clear();
        for word in words {
            inverse.each(word, |_, step| {
                if let Some(number) = at.number(self.images.smallest(step.effect.apply(word)), 0) {
                    found.push(number);
                }
                true
            });
            found.close();
        }
    }
}

/// The part of [`WordRules::successors`] that knows no numbers.
struct SuccessorTask<'a, W> {
    rules: &'a WordRules<W>,
    words: &'a [W],
    player: usize,
    /// Gets the value of each state if play is over.
    over: &'a mut Vec<Option<Final>>,
    /// Gets the successors of all words.
    after: &'a mut Vec<W>,
    /// Gets the end of each word's successors.
    ends: &'a mut Vec<usize>,
}

impl<W: Word> cpu::Task for SuccessorTask<'_, W> {
    const GAINS_BY_AVX512: bool = false;
    const GAINS_BY_AVX2: bool = !W::WIDE;

    #[inline(always)]
    fn run(self) {
        let images = &*self.rules.images;
        self.with(
            #[inline(always)]
            |word| if W::WIDE { images.smallest(word) } else { images.smallest_inlined(word) },
        );
    }

    fn run_without_avx2(self) {
        let images = &*self.rules.images;
        self.with(|word| images.smallest(word));
    }
}

impl<W: Word> SuccessorTask<'_, W> {
    /// Does the work with a function that finds canonical forms.
    #[inline(always)]
    fn with(self, canonical: impl Fn(W) -> W) {
        let Self { rules, words, player, over, after, ends } = self;
        let steps = &rules.compiled.steps[player];
        for &word in words {
            let begin = after.len();
            let mut ended = rules.ended(word, player);
            if ended.is_none() {
                steps.each(
                    word,
                    #[inline(always)]
                    |_, step| {
                        after.push(canonical(step.effect.apply(word)));
                        true
                    },
                );
                if after.len() == begin {
                    ended = Some(rules.stuck(word, player));
                }
            }
            over.push(ended);
            ends.push(after.len());
        }
    }
}
