//! A graph whose states are all in memory, as packed words: the states of a whole search, of some tiers, or those that
//! can follow a given state.

use std::ops::Range;

use super::edges::{Edges, Lists, SuccessorCounts};
use super::kept_moves::KeptMoves;
use super::tier_map::TierMap;
use super::word_index::Slots;
use super::word_rules::{WordLookup, WordRules};
use super::{DepthRange, ExploredGraph, Graph, MoveFrom, StateEntry};
use crate::compile::{Steps, Word};
use crate::error::Result;
use crate::job::{Job, Kind, needs_files};
use crate::rules::Symbol;
use crate::run::{Final, Scored, parallel};
use crate::sorting;

/// The states of one depth, or only those of them that are in one tier.
pub struct DepthWords<W> {
    /// The depth of these states: the fewest moves that lead to them.
    pub depth: usize,
    /// The words of the states.
    pub words: Vec<W>,
}

/// A graph whose states are in memory. States are numbered tier by tier. Within a tier, they are in order of the player
/// to move, and then of the depth. States that [`super::explore`] has found are in order of the depth alone.
pub struct WordGraph<W> {
    pub(super) rules: WordRules<W>,
    /// The words of the states, by number.
    pub(super) words: Vec<W>,
    /// For each player, the table that finds the numbers of the states in which the player is to move.
    pub(super) slots: Vec<Slots>,
    pub(super) depths: Vec<DepthRange>,
    /// For each player, the inverses of the player's moves; `None` if predecessors are not found by undoing moves.
    pub(super) inverse: Option<Vec<Steps<W>>>,
    /// The successors of the states, if they are kept.
    pub(super) kept: Option<KeptMoves>,
}

/// A graph of the states of some tiers, made by [`super::FoundStates::of_tiers`].
pub struct TierGraph {
    /// The graph of the states of these tiers.
    pub graph: Box<dyn Graph>,
    /// For each tier of the rules, the numbers of its states; an empty range if the tier is not in the graph.
    pub states: Vec<Range<u64>>,
}

impl<W: Word> WordGraph<W> {
    /// Makes the graph of some tiers, each given depth by depth, and the range of the numbers of each tier. There must
    /// be fewer than 2^32 states.
    pub fn new(rules: WordRules<W>, tiers: Vec<Vec<DepthWords<W>>>) -> (Self, Vec<Range<u64>>) {
        let players = rules.alternating();
        let count: usize = tiers.iter().flatten().map(|of_depth| of_depth.words.len()).sum();
        let (mut words, mut depths, mut states) = (Vec::new(), Vec::new(), Vec::new());
        let single = tiers.iter().flatten().count() == 1;
        for mut tier in tiers {
            let begin = words.len() as u64;
            let of_tier: Vec<usize> = tier.iter().map(|of_depth| of_depth.depth).collect();
            for at in places_by_player(&of_tier, players) {
                let (depth, more) = (tier[at].depth, std::mem::take(&mut tier[at].words));
                let first = words.len() as u64;
                if single {
                    words = more;
                } else {
                    words.reserve_exact(count - words.len());
                    words.extend_from_slice(&more);
                }
                depths.push(DepthRange { depth, player: depth % players, states: first..words.len() as u64 });
            }
            states.push(begin..words.len() as u64);
        }
        let mut slots = Vec::with_capacity(players);
        for player in 0..players {
            let mut table = Slots::with_room(states_of_player(&depths, player));
            for range in depths.iter().filter(|range| range.player == player) {
                table.fill(&words, range.states.start as usize..range.states.end as usize);
            }
            slots.push(table);
        }
        let inverse = rules.undoes_moves().then(|| rules.compiled.inverse_steps()).flatten();
        (Self { rules, words, slots, depths, inverse, kept: None }, states)
    }

    /// The words of a range of states of one depth, and the player to move in these states.
    pub(super) fn words(&self, states: &Range<u64>) -> (&[W], usize) {
        (&self.words[states.start as usize..states.end as usize], self.player(states.start))
    }

    /// The player to move in a state.
    pub(super) fn player(&self, state: u64) -> usize {
        let place = self.depths.partition_point(|range| range.states.end <= state);
        self.depths.get(place).map_or(0, |range| range.player)
    }
}

/// The places of depths in a list, in the order in which a graph numbers their states: by the player to move, and then
/// by depth.
fn places_by_player(depths: &[usize], players: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..depths.len()).collect();
    sorting::sort_by_key(&mut places, |&at| (depths[at] % players, depths[at]));
    places
}

/// The number of states in which a player is to move.
fn states_of_player(depths: &[DepthRange], player: usize) -> usize {
    let own = depths.iter().filter(|range| range.player == player);
    own.map(|range| (range.states.end - range.states.start) as usize).sum()
}

/// The bytes that a graph of `states` states in memory takes, with a value of four bytes for each state.
pub fn bytes_of_states(states: u64, word_bytes: usize) -> u64 {
    // With two players, there are two tables. Together they take no more than the largest table for this number of
    // states, plus the smallest table.
    let tables = (Slots::bytes(usize::try_from(states).unwrap_or(usize::MAX)) as u64).saturating_add(64);
    states.saturating_mul(word_bytes as u64 + size_of::<u32>() as u64).saturating_add(tables)
}

impl<W: Word> WordLookup for WordGraph<W> {
    type Word = W;

    #[inline(always)]
    fn prefetch(&self, word: W, player: usize) {
        self.slots[player].prefetch(word);
    }

    #[inline(always)]
    fn prefetch_word(&self, word: W, player: usize) {
        self.slots[player].prefetch_word(&self.words, word);
    }

    #[inline(always)]
    fn number(&self, word: W, player: usize) -> Option<u64> {
        self.slots[player].get(&self.words, word).map(u64::from)
    }
}

impl<W: Word> Graph for WordGraph<W> {
    fn players(&self) -> usize {
        self.rules.players()
    }

    fn keeps_turns(&self) -> bool {
        self.rules.keeps_turns()
    }

    fn mover(&self, state: u64) -> usize {
        let (words, player) = self.words(&(state..state + 1));
        self.rules.compiled.mover(words[0], player)
    }

    fn scored(&self) -> Option<Scored> {
        self.rules.scored()
    }

    fn depths(&self) -> &[DepthRange] {
        &self.depths
    }

    fn over(&self, states: Range<u64>, found: &mut Vec<Option<Final>>) {
        let (words, player) = self.words(&states);
        self.rules.over(words, player, found);
    }

    fn successors(&self, states: Range<u64>, found: &mut Edges) {
        let (words, player) = self.words(&states);
        match &self.kept {
            Some(kept) => kept.of(states, found),
            None => self.rules.successors(words, player, self, found),
        }
    }

    fn different_successors(&self, states: Range<u64>, found: &mut SuccessorCounts) {
        let (words, player) = self.words(&states);
        self.rules.different_successors(words, player, found);
    }

    fn moves(&self, states: Range<u64>, found: &mut Vec<u32>) {
        let (words, player) = self.words(&states);
        self.rules.moves(words, player, found);
    }

    fn orbits(&self, states: Range<u64>, found: &mut Vec<u64>) {
        self.rules.orbits(self.words(&states).0, found);
    }

    fn tiers(&self, map: &TierMap, states: Range<u64>, found: &mut Vec<u32>) {
        let (words, player) = self.words(&states);
        map.tiers_of(words, player, found);
    }

    fn predecessors(&self, states: &[u64], found: &mut Lists) {
        let inverse = self.inverse.as_ref().expect("it says that moves can be undone");
        found.clear();
        for states in states.chunk_by(|&one, &other| self.player(one) == self.player(other)) {
            let words: Vec<W> = states.iter().map(|&state| self.words[state as usize]).collect();
            // The moves that led to these states were made by the player who moved before. With one or two players in
            // turn, that is the same one as the player who moves after.
            let player = self.rules.compiled.rules.next_player(self.player(states[0]));
            self.rules.predecessors(&words, &inverse[player], player, self, found);
        }
    }

    fn first(&self, states: &[u64]) -> Option<u64> {
        states.iter().copied().min_by_key(|&state| self.words[state as usize])
    }

    fn word(&self, state: u64) -> Vec<u8> {
        bytes_of(self.words[state as usize])
    }

    fn entries(&self, states: &[u64], found: &mut Vec<StateEntry>) {
        found.clear();
        found.extend(states.iter().map(|&state| {
            let (words, player) = self.words(&(state..state + 1));
            self.rules.entry(words[0], player)
        }));
    }

    fn write(&self, states: &[u64], kind: Kind, job: &mut Job) -> Result<()> {
        needs_files!();
        let mut words: Vec<W> = states.iter().map(|&state| self.words[state as usize]).collect();
        parallel::sort(&mut words);
        job.write_words(kind, &words)
    }

    fn read(&self, job: &Job, depth: usize, kind: Kind, found: &mut Vec<u64>) -> Result<()> {
        needs_files!();
        read_numbers(self, job, depth, kind, found)
    }
}

impl<W: Word> ExploredGraph for WordGraph<W> {
    fn kept_moves(&self) -> Option<u64> {
        self.kept.as_ref().map(KeptMoves::len)
    }

    fn cells(&self, states: Range<u64>, found: &mut Vec<Symbol>) {
        let (words, compiled) = (&self.words[states.start as usize..states.end as usize], &self.rules.compiled);
        let width = compiled.structure.rules().board();
        found.resize(words.len() * width, 0);
        words.iter().zip(found.chunks_exact_mut(width)).for_each(|(&word, cells)| compiled.unpack(word, cells));
    }

    fn moves_from(&self, word: &[u8], player: usize, found: &mut Vec<MoveFrom>) {
        found.clear();
        let next = self.rules.compiled.rules.next_player(player);
        self.rules.moves_from(W::from_bytes(word), player, &mut |index, after| {
            let number = WordLookup::number(self, self.rules.images.smallest(after), next);
            found.push(MoveFrom { index, word: bytes_of(after), number });
        });
    }
}

/// The word of a state, as bytes.
pub fn bytes_of<W: Word>(word: W) -> Vec<u8> {
    let mut bytes = vec![0; W::BYTES];
    word.to_bytes(&mut bytes);
    bytes
}

/// Reads the words of one kind in a depth of a job, and adds their numbers in `graph` to `found`.
pub fn read_numbers<W: Word>(
    graph: &(impl WordLookup<Word = W> + Graph),
    job: &Job,
    depth: usize,
    kind: Kind,
    found: &mut Vec<u64>,
) -> Result<()> {
    needs_files!();
    let player = if graph.keeps_turns() { 0 } else { depth % graph.players() };
    job.read_words(depth, kind, &mut |words: &[W]| {
        for &word in words {
            found.push(WordLookup::number(graph, word, player).ok_or_else(|| job.lacks(depth))?);
        }
        Ok(())
    })
}
