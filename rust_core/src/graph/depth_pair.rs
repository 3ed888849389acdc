//! The graph of one depth beside the next one, for layered rules, in which all moves of a depth lead to the next; or
//! the graph of one depth alone.

use std::borrow::Cow;
use std::ops::Range;

use super::edges::{Edges, Lists, SuccessorCounts};
use super::tier_map::TierMap;
use super::word_graph::{bytes_of, read_numbers};
use super::word_index::{Slots, WordIndex};
use super::word_rules::{WordLookup, WordRules};
use super::{DepthRange, Graph, StateEntry};
use crate::compile::Word;
use crate::error::Result;
use crate::job::{Job, Kind, needs_files};
use crate::run::{Final, Scored};

/// The states of a depth and of the next, later one. For example, if the later depth has three states, they have the
/// numbers 0 to 2, and the states of the earlier depth are numbered from 3 on.
pub struct DepthPair<'a, W: Clone> {
    rules: &'a WordRules<W>,
    later: &'a WordIndex<W>,
    words: Cow<'a, [W]>,
    depths: [DepthRange; 2],
}

impl<'a, W: Word> DepthPair<'a, W> {
    /// The graph of the depth `depth`, whose states are `words`, and of the next depth, whose states are in `later`.
    pub fn new(rules: &'a WordRules<W>, later: &'a WordIndex<W>, depth: usize, words: Cow<'a, [W]>) -> Self {
        let (begin, players) = (later.len() as u64, rules.alternating());
        let range = |depth: usize, states| DepthRange { depth, player: depth % players, states };
        let depths = [range(depth + 1, 0..begin), range(depth, begin..begin + words.len() as u64)];
        Self { rules, later, words, depths }
    }

    /// The words of a range of states of the earlier depth.
    fn words(&self, states: &Range<u64>) -> &[W] {
        let first = self.depths[1].states.start;
        &self.words[(states.start - first) as usize..(states.end - first) as usize]
    }

    fn player(&self) -> usize {
        self.depths[1].player
    }
}

/// The bytes that a pair of depths takes, with `now` and `later` states: a word and a value of four bytes for each
/// state, and one table that finds the number of a word, large enough for the larger depth.
pub fn bytes_of_pair(now: u64, later: u64, word_bytes: usize) -> u64 {
    let table = Slots::bytes(usize::try_from(now.max(later)).unwrap_or(usize::MAX)) as u64;
    now.saturating_add(later).saturating_mul(word_bytes as u64 + size_of::<u32>() as u64).saturating_add(table)
}

impl<W: Word> WordLookup for DepthPair<'_, W> {
    type Word = W;

    #[inline(always)]
    fn prefetch(&self, word: W, _: usize) {
        self.later.prefetch(word);
    }

    #[inline(always)]
    fn prefetch_word(&self, word: W, _: usize) {
        self.later.prefetch_word(word);
    }

    #[inline(always)]
    fn number(&self, word: W, _: usize) -> Option<u64> {
        self.later.get(word).map(u64::from)
    }
}

impl<W: Word> Graph for DepthPair<'_, W> {
    fn players(&self) -> usize {
        self.rules.players()
    }

    fn keeps_turns(&self) -> bool {
        self.rules.keeps_turns()
    }

    fn mover(&self, state: u64) -> usize {
        let later = &self.depths[0];
        if state < later.states.end {
            return self.rules.compiled.mover(self.later.words[state as usize], later.player);
        }
        self.rules.compiled.mover(self.words(&(state..state + 1))[0], self.player())
    }

    fn scored(&self) -> Option<Scored> {
        self.rules.scored()
    }

    fn depths(&self) -> &[DepthRange] {
        &self.depths
    }

    fn over(&self, states: Range<u64>, found: &mut Vec<Option<Final>>) {
        self.rules.over(self.words(&states), self.player(), found);
    }

    fn successors(&self, states: Range<u64>, found: &mut Edges) {
        self.rules.successors(self.words(&states), self.player(), self, found);
    }

    fn different_successors(&self, states: Range<u64>, found: &mut SuccessorCounts) {
        self.rules.different_successors(self.words(&states), self.player(), found);
    }

    fn moves(&self, states: Range<u64>, found: &mut Vec<u32>) {
        self.rules.moves(self.words(&states), self.player(), found);
    }

    fn orbits(&self, states: Range<u64>, found: &mut Vec<u64>) {
        self.rules.orbits(self.words(&states), found);
    }

    fn tiers(&self, map: &TierMap, states: Range<u64>, found: &mut Vec<u32>) {
        map.tiers_of(self.words(&states), self.player(), found);
    }

    fn predecessors(&self, _: &[u64], found: &mut Lists) {
        found.clear();
    }

    fn first(&self, states: &[u64]) -> Option<u64> {
        states.iter().copied().min_by_key(|&state| self.words(&(state..state + 1))[0])
    }

    fn word(&self, state: u64) -> Vec<u8> {
        bytes_of(self.words(&(state..state + 1))[0])
    }

    fn entries(&self, states: &[u64], found: &mut Vec<StateEntry>) {
        found.clear();
        found.extend(states.iter().map(|&state| self.rules.entry(self.words(&(state..state + 1))[0], self.player())));
    }

    fn write(&self, states: &[u64], kind: Kind, job: &mut Job) -> Result<()> {
        needs_files!();
        let words: Vec<W> = states.iter().map(|&state| self.words(&(state..state + 1))[0]).collect();
        job.write_words(kind, &words)
    }

    fn read(&self, job: &Job, depth: usize, kind: Kind, found: &mut Vec<u64>) -> Result<()> {
        needs_files!();
        read_numbers(self, job, depth, kind, found)
    }
}
