//! The compiled rules, as the graphs need them: the successors of packed words, up to symmetry, and the values of
//! states in which play is over.

use std::sync::Arc;

use super::StateEntry;
use super::edges::{Edges, Lists, SuccessorCounts, move_distinct};
use crate::compile::{Compiled, Images, ListedMoves, Steps, Word, cpu};
use crate::job::Kind;
use crate::run::{Final, Scored, Worth};

/// The slot of a successor is fetched from memory this many successors before it is looked up.
pub(super) const AHEAD: usize = 64;

/// The word that a slot names is fetched this many successors before the slot is looked up. By then the slot, which was
/// asked for earlier, has arrived.
pub(super) const WORD_AHEAD: usize = 32;

/// The number of states whose successors are made before they are looked up. They are few enough for the successors to
/// stay in the cache.
pub(super) const EXPANDED_AT_ONCE: usize = 256;

/// Compiled rules, and the symmetries up to which states are counted.
#[derive(Clone)]
pub struct WordRules<W> {
    /// The rules, compiled for words of this width.
    pub compiled: Arc<Compiled<W>>,
    /// Finds the canonical form of a state under the symmetries.
    pub images: Arc<Images<W>>,
    /// `true` if a puzzle goes on from a solved state, as it does when states are counted; `false` if play is over
    /// there.
    pub past_goal: bool,
}

/// The successors of some states, as canonical words. One value is filled again and again, so that its memory is
/// reused.
pub struct SuccessorWords<W> {
    /// For each state, its value if play is over there; `None` if play goes on.
    pub over: Vec<Option<Final>>,
    /// The successors of all states, one state after another.
    pub after: Vec<W>,
    /// For each state, the place in `after` where its successors end.
    pub ends: Vec<usize>,
}

impl<W> Default for SuccessorWords<W> {
    fn default() -> Self {
        Self { over: Vec::new(), after: Vec::new(), ends: Vec::new() }
    }
}

impl<W> SuccessorWords<W> {
    /// Forgets all states and successors, and keeps the memory.
    fn clear(&mut self) {
        self.over.clear();
        self.after.clear();
        self.ends.clear();
    }
}

impl<W: Word> SuccessorWords<W> {
    /// Sorts the successors of each state, and removes repeated ones.
    pub fn make_distinct(&mut self) {
        let (mut begin, mut kept) = (0, 0);
        for end in &mut self.ends {
            kept = move_distinct(&mut self.after, begin..*end, kept);
            begin = *end;
            *end = kept;
        }
        self.after.truncate(kept);
    }

    /// Looks up the numbers of the successors, states in which `player` is to move. For each state, adds a list: `kept`
    /// gets the number of each successor, or `None` if it has none, and returns the number for the list, or `None` to
    /// leave it out.
    #[inline(always)]
    fn numbers(
        &self,
        at: &impl WordLookup<Word = W>,
        player: usize,
        found: &mut Lists,
        kept: &mut impl FnMut(Option<u64>) -> Option<u64>,
    ) {
        let mut begin = 0;
        for &end in &self.ends {
            for place in begin..end {
                if let Some(&later) = self.after.get(place + AHEAD) {
                    at.prefetch(later, player);
                }
                if let Some(&later) = self.after.get(place + WORD_AHEAD) {
                    at.prefetch_word(later, player);
                }
                if let Some(number) = kept(at.number(self.after[place], player)) {
                    found.push(number);
                }
            }
            found.close();
            begin = end;
        }
    }
}

/// Finds the number of a state from its word and the player to move.
pub trait WordLookup: Sync {
    /// The type of the packed words.
    type Word;

    /// Tells the processor to fetch what the look-up of a word reads first: the slot of the word.
    fn prefetch(&self, word: Self::Word, player: usize);
    /// Tells the processor to fetch what the look-up of a word reads next: the word that the slot names. The slot must
    /// have been fetched by [`Self::prefetch`].
    fn prefetch_word(&self, word: Self::Word, player: usize);
    /// The number of a state; `None` if it has none.
    fn number(&self, word: Self::Word, player: usize) -> Option<u64>;
}

impl<W: Word> WordRules<W> {
    /// The number of players.
    pub fn players(&self) -> usize {
        self.compiled.rules.player_count()
    }

    /// The number of players who move in turn, so that the depth tells which of them is to move.
    pub fn alternating(&self) -> usize {
        self.compiled.rules.alternating()
    }

    /// Returns `true` if a move may keep the turn.
    pub fn keeps_turns(&self) -> bool {
        self.compiled.rules.turn.is_some()
    }

    /// Returns `true` if predecessors are found by undoing moves. `false` if some move cannot be undone, or if the
    /// rules have a score: then lists of predecessors are kept.
    pub fn undoes_moves(&self) -> bool {
        self.scored().is_none() && self.compiled.rules.inverse_moves().is_some()
    }

    /// The score of the rules, which tells what play without end is worth; `None` if they have none.
    pub fn scored(&self) -> Option<Scored> {
        self.compiled.rules.scoring.as_ref().map(|scoring| Scored { endless: scoring.endless })
    }

    /// The value of a state for `player`, if an end holds there or a puzzle is solved; `None` otherwise.
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

    /// The value for `player` of a state of a game in which play is over with an outcome.
    #[inline(never)]
    fn at_end(&self, word: W, outcome: usize, player: usize) -> Final {
        let player = self.compiled.mover(word, player);
        match self.compiled.score(word, player) {
            Some(points) => Final::of_score(points, player),
            None => Worth::of(&self.compiled.rules, outcome, player).into(),
        }
    }

    /// The value for `player` of a state in which play is not over, but no move can be made.
    fn stuck(&self, word: W, player: usize) -> Final {
        if self.players() == 1 {
            return Worth::Draw.into();
        }
        self.at_end(word, self.compiled.stuck_outcome(word, player), player)
    }

    /// Finds, for each word, the state's value if play is over there; `None` if play goes on.
    pub fn over(&self, words: &[W], player: usize, found: &mut Vec<Option<Final>>) {
        let stuck = |word: W| (!self.compiled.has_moves(word, player)).then(|| self.stuck(word, player));
        let over = |&word: &W| self.ended(word, player).or_else(|| stuck(word));
        found.clear();
        found.extend(words.iter().map(over));
    }

    /// Calls `found` for each move that can be made in a state, in the order of the rules, with the number of the move
    /// and the state that it leads to.
    pub fn moves_from(&self, word: W, player: usize, found: &mut dyn FnMut(usize, W)) {
        if self.ended(word, player).is_some() {
            return;
        }
        let mut moves = Vec::new();
        self.compiled.moves_from(word, player, &mut moves);
        for (index, after) in moves {
            found(index, after);
        }
    }

    /// Finds, for each word, the number of moves that can be made in the state; 0 if play is over there.
    pub fn moves(&self, words: &[W], player: usize, found: &mut Vec<u32>) {
        found.clear();
        for &word in words {
            let mut moves = 0;
            if self.ended(word, player).is_none() {
                self.compiled.steps[player].each_called(word, &mut |_, _| {
                    moves += 1;
                    true
                });
            }
            found.push(moves);
        }
    }

    /// Finds, for each word, the size of the state's orbit.
    pub fn orbits(&self, words: &[W], found: &mut Vec<u64>) {
        found.clear();
        found.extend(words.iter().map(|&word| self.images.orbit_size(word)));
    }

    /// The entry that a state in which `player` is to move has in the files of its depth.
    pub fn entry(&self, word: W, player: usize) -> StateEntry {
        let (ended, outcome) = (self.compiled.ended(word, player), self.compiled.outcome(word, player));
        let kind = match (ended, outcome) {
            (Some(outcome), _) => Kind::Ended(outcome),
            (None, Some(_)) => Kind::Stuck,
            (None, None) => Kind::Open,
        };
        StateEntry { kind, outcome, orbit: self.images.orbit_size(word) }
    }

    /// Finds, for each word, the numbers of the state's successors. Each successor must have a number in `at`.
    pub fn successors(&self, words: &[W], player: usize, at: &impl WordLookup<Word = W>, found: &mut Edges) {
        found.clear();
        let next = self.compiled.rules.next_player(player);
        let mut made = SuccessorWords::default();
        for words in words.chunks(EXPANDED_AT_ONCE) {
            self.expand(words, player, &mut made);
            found.over.extend_from_slice(&made.over);
            made.numbers(at, next, &mut found.after, &mut |number| {
                Some(number.expect("the search forward has found every successor"))
            });
        }
    }

    /// Finds, for each word, how many different successors the state has.
    pub fn different_successors(&self, words: &[W], player: usize, found: &mut SuccessorCounts) {
        found.over.clear();
        found.different.clear();
        let mut made = SuccessorWords::default();
        for words in words.chunks(EXPANDED_AT_ONCE) {
            self.expand(words, player, &mut made);
            found.over.extend_from_slice(&made.over);
            let mut begin = 0;
            for &end in &made.ends {
                let different = move_distinct(&mut made.after, begin..end, begin) - begin;
                found.different.push(different as u32);
                begin = end;
            }
        }
    }

    /// Finds the successors of each state, in any order.
    pub fn expand(&self, words: &[W], player: usize, found: &mut SuccessorWords<W>) {
        found.clear();
        cpu::run(SuccessorTask { rules: self, words, player, undone: None, found });
    }

    /// Finds the successors of each state, in the order of the moves in the rules.
    pub fn expand_in_order(&self, words: &[W], player: usize, found: &mut SuccessorWords<W>) {
        found.clear();
        self.over(words, player, &mut found.over);
        for &word in words {
            self.moves_from(word, player, &mut |_, state| found.after.push(self.images.smallest(state)));
            found.ends.push(found.after.len());
        }
    }

    /// Finds, for each word, the states from which an inverse of a move in `inverse` says that `player` can have come.
    pub fn undo(&self, words: &[W], player: usize, inverse: &Steps<W>, found: &mut SuccessorWords<W>) {
        found.clear();
        cpu::run(SuccessorTask { rules: self, words, player, undone: Some(inverse), found });
    }

    /// Adds, for each word, a list of the numbers in `at` of its predecessors: the states in which `player` is to move,
    /// and from which a move leads to the word. They are made by the moves in `inverse`, the inverses of the player's
    /// moves. An inverse move may lead to a state that play does not reach; such a state has no number and is left out.
    pub fn predecessors(
        &self,
        words: &[W],
        inverse: &Steps<W>,
        player: usize,
        at: &impl WordLookup<Word = W>,
        found: &mut Lists,
    ) {
        let mut made = SuccessorWords::default();
        for words in words.chunks(EXPANDED_AT_ONCE) {
            self.undo(words, player, inverse, &mut made);
            made.numbers(at, player, found, &mut |number| number);
        }
    }
}

/// The part of [`WordRules::successors`] and of [`WordRules::predecessors`] that makes words, before their numbers are
/// looked up.
struct SuccessorTask<'a, W> {
    rules: &'a WordRules<W>,
    words: &'a [W],
    player: usize,
    /// To find predecessors, the inverse moves, which are made in place of the moves; `None` to find successors.
    /// Inverse moves are made in states in which play is over, too.
    undone: Option<&'a Steps<W>>,
    found: &'a mut SuccessorWords<W>,
}

impl<W: Word> cpu::Task for SuccessorTask<'_, W> {
    const GAINS_BY_AVX512: bool = false;
    const GAINS_BY_AVX2: bool = !W::WIDE;

    #[inline(always)]
    fn run(self) {
        let (images, mut listed) = (&*self.rules.images, ListedMoves::new());
        self.with(
            #[inline(always)]
            |steps, word, after| {
                steps.each(
                    word,
                    &mut listed,
                    #[inline(always)]
                    |_, step| {
                        let successor = step.effect.apply(word);
                        let wide = W::WIDE;
                        after.push(if wide { images.smallest(successor) } else { images.smallest_inlined(successor) });
                        true
                    },
                );
            },
        );
    }

    fn run_without_avx2(self) {
        let images = &*self.rules.images;
        self.with(|steps, word, after| {
            steps.each_called(word, &mut |_, step| {
                after.push(images.smallest(step.effect.apply(word)));
                true
            });
        });
    }
}

impl<W: Word> SuccessorTask<'_, W> {
    /// Does the work. `make` lists the canonical forms of the successors of a state.
    #[inline(always)]
    fn with(self, mut make: impl FnMut(&Steps<W>, W, &mut Vec<W>)) {
        let Self { rules, words, player, undone, found: SuccessorWords { over, after, ends } } = self;
        let steps = undone.unwrap_or(&rules.compiled.steps[player]);
        for &word in words {
            let begin = after.len();
            let mut ended = if undone.is_some() { None } else { rules.ended(word, player) };
            if ended.is_none() {
                make(steps, word, after);
                if after.len() == begin && undone.is_none() {
                    ended = Some(rules.stuck(word, player));
                }
            }
            over.push(ended);
            ends.push(after.len());
        }
    }
}
