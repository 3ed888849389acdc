//! States of some depths, numbered, so that each can be found by its word; and with their values.

use rayon::prelude::*;

use super::super::numbered::Numbered;
use super::given::AT_ONCE;
use super::known::Known;
use super::tier_map::TierMap;
use crate::compile::Word;

/// States, numbered: first those in which the first player is to move, in order of their depths, then the others.
pub struct NumberedStates<W> {
    /// For each player, the states in which that player is to move.
    words: Vec<Numbered<W>>,
    /// For each player, the number of the first of them.
    first: Vec<u32>,
    /// The runs of states of one depth, in order of their numbers.
    pub runs: Vec<Run>,
}

/// The states of one depth.
pub struct Run {
    pub depth: usize,
    player: usize,
    /// Where they are among the states of that player.
    begin: usize,
    end: usize,
}

impl<W: Word> NumberedStates<W> {
    /// The states of some depths, which come in order. There are fewer than 2^32.
    pub fn new(players: usize, depths: Vec<(usize, Vec<W>)>) -> Self {
        let room = |player: usize| {
            let of_player = depths.iter().filter(|(depth, _)| depth % players == player);
            of_player.map(|(_, words)| words.len()).sum()
        };
        let mut lists: Vec<Vec<W>> = (0..players).map(|player| Vec::with_capacity(room(player))).collect();
        let mut runs = Vec::new();
        for (depth, words) in depths {
            let (player, begin) = (depth % players, lists[depth % players].len());
            lists[player].extend(words);
            runs.push(Run { depth, player, begin, end: lists[player].len() });
        }
        runs.sort_by_key(|run| (run.player, run.depth));
        let mut first = vec![0];
        for list in &lists[..players - 1] {
            first.push(first[first.len() - 1] + list.len() as u32);
        }
        Self { words: lists.into_iter().map(Numbered::of_different).collect(), first, runs }
    }

    /// The bytes of so many states, with a value for each.
    pub fn bytes(states: usize) -> u64 {
        // With two players there are two tables. Together they are no larger than the largest table of that many states
        // and a small one.
        let tables = Numbered::<W>::slot_bytes(states).saturating_add(64);
        (states.saturating_mul(size_of::<W>() + size_of::<Known>())).saturating_add(tables) as u64
    }

    /// How many states there are.
    pub fn len(&self) -> usize {
        self.words.iter().map(Numbered::len).sum()
    }

    /// The number of a state, if it is there.
    #[inline(always)]
    pub fn number(&self, word: W, player: usize) -> Option<u32> {
        self.words[player].get(word).map(|number| self.first[player] + number)
    }

    /// The states of a run, and the number of the first one.
    pub fn of_run(&self, run: &Run) -> (&[W], usize) {
        (&self.words[run.player].words[run.begin..run.end], self.first[run.player] as usize + run.begin)
    }

    /// The states of a depth, in the order in which they were given, and the number of the first one.
    pub fn of_depth(&self, depth: usize) -> (&[W], usize) {
        let key = (depth % self.words.len(), depth);
        let run = self.runs.binary_search_by_key(&key, |run| (run.player, run.depth));
        run.map_or((&[], 0), |run| self.of_run(&self.runs[run]))
    }

    /// Parts of the list of all states: the number of the first one, the player to move, and their words.
    pub fn chunks(&self) -> impl ParallelIterator<Item = (usize, usize, &[W])> {
        self.runs.par_iter().flat_map(|run| {
            let (words, number) = self.of_run(run);
            let chunks = words.par_chunks(AT_ONCE).enumerate();
            chunks.map(move |(chunk, words)| (number + chunk * AT_ONCE, run.player, words))
        })
    }
}

/// States of a tier, and their values.
pub struct Valued<W> {
    pub states: NumberedStates<W>,
    /// By their numbers.
    pub values: Vec<Known>,
}

/// The later tiers to which a tier may lead.
pub struct Outside<'a, W> {
    /// Which tier a state is in; `None` if there is one tier.
    pub map: Option<&'a TierMap>,
    /// For each tier, its values, if they are known and needed.
    pub later: &'a [Option<Valued<W>>],
}

impl<W: Word> Outside<'_, W> {
    /// The value of a state of a later tier.
    #[inline(always)]
    pub fn known(&self, word: W, player: usize) -> Known {
        let tier = self.map.and_then(|map| self.later[map.tier(word, player)].as_ref());
        let found = tier.and_then(|tier| Some(tier.values[tier.states.number(word, player)? as usize]));
        found.expect("the search forward has found every successor, and no tier is let go while it is needed")
    }
}
