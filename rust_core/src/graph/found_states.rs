//! All states that a search has found, depth by depth, in memory or in the files of a job, and graphs made of them.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::Graph;
use super::depth_pair::DepthPair;
use super::portions::{Gathering, Portion};
use super::shard_graph::ShardGraph;
use super::tier_map::TierMap;
use super::word_graph::{DepthWords, TierGraph, WordGraph};
use super::word_index::WordIndex;
use super::word_rules::WordRules;
use crate::compile::{Compiled, Images, Word};
use crate::error::Result;
use crate::job::{HAS_FILES, Job, needs_files, no_files};
use crate::ordered::OrderedMap;
use crate::run::{Monitor, Scored};
use crate::sparse;
use crate::structure::Window;

/// The states of a search that has found all of them. If they are in a job, they are read when a graph is made.
pub trait FoundStates: Send + Sync {
    /// The number of players.
    fn players(&self) -> usize;

    /// The number of players who move in turn, so that the depth tells which of them is to move: 1 if a state itself
    /// says whose turn it is.
    fn alternating(&self) -> usize;

    /// The score of the rules; `None` if they have none.
    fn scored(&self) -> Option<Scored>;

    /// The number of outcomes of the rules.
    fn outcomes(&self) -> usize;

    /// Returns `true` if a graph can find the predecessors of a state by undoing moves. In a game with a score it
    /// cannot: there, predecessors are kept in lists.
    fn undoes_moves(&self) -> bool;

    /// For each depth, the number of its states, up to symmetry.
    fn counts(&self) -> &[u64];

    /// The number of bytes of the word of a state.
    fn word_bytes(&self) -> usize;

    /// The earlier depths in which a successor may lie.
    fn window(&self) -> Window;

    /// Finds the tiers of states; `None` if all states are of one tier.
    fn tier_map(&self) -> Option<TierMap>;

    /// The graph of one depth alone, without moves. The states of a job are numbered in the order of its files.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the job's files have changed since they were written.
    fn depth(&self, depth: usize, job: Option<&Job>) -> Result<Box<dyn Graph + '_>>;

    /// The graph of one depth and the next one, for a sweep from the last depth to the first. The caller asks for
    /// depths in falling order. If it skips a depth, the graph has one depth alone, without moves. States that were in
    /// memory are freed on the way, so each depth can be asked for only once.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::depth`].
    fn sweep(&mut self, depth: usize, job: Option<&Job>) -> Result<Box<dyn Graph + '_>>;

    /// Calls `take` with all states of a depth of a job, a portion at a time, in the order of its files. A portion has
    /// about `most` different successors, or as many states. The rules must be layered. What [`Self::sweep`] holds is
    /// freed before.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::depth`] and of `take`; [`crate::Error::Stopped`] if the monitor stops the work.
    fn portions(
        &mut self,
        depth: usize,
        job: &Job,
        most: usize,
        monitor: &Monitor,
        take: &mut dyn FnMut(&dyn Portion) -> Result<()>,
    ) -> Result<()>;

    /// The graph of all states. States that were in memory are moved into the graph.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::depth`].
    fn whole(&mut self, job: Option<&Job>) -> Result<Box<dyn Graph>>;

    /// The graph of some depths of the job of one shard.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::depth`].
    fn of_shard(&self, depths: Range<usize>, job: &Job) -> Result<Box<dyn ShardGraph>>;

    /// The graph of the tiers that are `wanted`. `counts` has, for each depth, the number of states in each tier.
    /// States that were in memory are gone afterwards, whether their tiers are wanted or not.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::depth`].
    fn of_tiers(
        &mut self,
        map: &TierMap,
        counts: &[OrderedMap<usize, usize>],
        wanted: &[bool],
        job: Option<&Job>,
    ) -> Result<TierGraph>;
}

/// The states of a search, as packed words.
pub struct StatesOfWords<W> {
    rules: WordRules<W>,
    counts: Vec<u64>,
    /// For each depth, the canonical forms of its states, if they are in memory.
    depths: Option<Vec<Vec<W>>>,
    nothing: WordIndex<W>,
    pair: Pair<W>,
}

/// The place of a sweep from the last depth to the first: the current depth with its states, and the states of the next
/// depth, which was the current one before.
struct Pair<W> {
    depth: usize,
    words: Vec<W>,
    later: WordIndex<W>,
}

impl<W: Word> Pair<W> {
    /// The place before a sweep begins.
    fn empty() -> Self {
        Self { depth: usize::MAX, words: Vec::new(), later: WordIndex::new() }
    }
}

impl<W: Word> StatesOfWords<W> {
    /// The states of a search that are in memory. `depths` has the states of each depth.
    pub fn in_memory(compiled: Arc<Compiled<W>>, images: Arc<Images<W>>, depths: Vec<Vec<W>>) -> Self {
        let counts = depths.iter().map(|words| words.len() as u64).collect();
        Self::new(compiled, images, counts, Some(depths))
    }

    /// The states of a job whose search is complete.
    pub fn of_job(compiled: Arc<Compiled<W>>, images: Arc<Images<W>>, job: &Job) -> Self {
        let counts = job.manifest().depths.iter().map(|depth| depth.states).collect();
        Self::new(compiled, images, counts, None)
    }

    fn new(compiled: Arc<Compiled<W>>, images: Arc<Images<W>>, counts: Vec<u64>, depths: Option<Vec<Vec<W>>>) -> Self {
        Self {
            rules: WordRules { compiled, images, past_goal: false },
            counts,
            depths,
            nothing: WordIndex::new(),
            pair: Pair::empty(),
        }
    }

    /// Returns the words of a depth: moves them out of memory, or reads them from the job.
    fn take(&mut self, depth: usize, job: Option<&Job>) -> Result<Vec<W>> {
        match &mut self.depths {
            Some(depths) => Ok(std::mem::take(&mut depths[depth])),
            None => self.read(depth, job),
        }
    }

    fn read(&self, depth: usize, job: Option<&Job>) -> Result<Vec<W>> {
        needs_files!();
        let job = job.expect("states that are not in memory are in a job");
        sparse::job_depth(&self.rules.compiled, &self.rules.images, job, depth)
    }
}

impl<W: Word> FoundStates for StatesOfWords<W> {
    fn players(&self) -> usize {
        self.rules.players()
    }

    fn alternating(&self) -> usize {
        self.rules.alternating()
    }

    fn scored(&self) -> Option<Scored> {
        self.rules.scored()
    }

    fn outcomes(&self) -> usize {
        self.rules.compiled.rules.outcomes.len()
    }

    fn undoes_moves(&self) -> bool {
        self.rules.undoes_moves()
    }

    fn counts(&self) -> &[u64] {
        &self.counts
    }

    fn word_bytes(&self) -> usize {
        W::BYTES
    }

    fn window(&self) -> Window {
        self.rules.compiled.structure.window()
    }

    fn tier_map(&self) -> Option<TierMap> {
        TierMap::new(&self.rules.compiled)
    }

    fn depth(&self, depth: usize, job: Option<&Job>) -> Result<Box<dyn Graph + '_>> {
        let words = match &self.depths {
            Some(depths) => Cow::Borrowed(&depths[depth][..]),
            None => Cow::Owned(self.read(depth, job)?),
        };
        Ok(Box::new(DepthPair::new(&self.rules, &self.nothing, depth, words)))
    }

    fn sweep(&mut self, depth: usize, job: Option<&Job>) -> Result<Box<dyn Graph + '_>> {
        // The states of the depth after the next one are no longer needed, so their memory is freed before more is
        // taken.
        self.pair.later = WordIndex::new();
        let before = std::mem::take(&mut self.pair.words);
        if self.pair.depth == depth + 1 {
            self.pair.later = WordIndex::of_different(before);
        }
        self.pair.words = self.take(depth, job)?;
        self.pair.depth = depth;
        Ok(Box::new(DepthPair::new(&self.rules, &self.pair.later, depth, Cow::Borrowed(&self.pair.words))))
    }

    fn portions(
        &mut self,
        depth: usize,
        job: &Job,
        most: usize,
        monitor: &Monitor,
        take: &mut dyn FnMut(&dyn Portion) -> Result<()>,
    ) -> Result<()> {
        needs_files!();
        self.pair = Pair::empty();
        Gathering::new(&self.rules, depth, most, monitor, take).all(job)
    }

    fn whole(&mut self, job: Option<&Job>) -> Result<Box<dyn Graph>> {
        let depths = 0..self.counts.len();
        let depths = depths.map(|depth| Ok(DepthWords { depth, words: self.take(depth, job)? }));
        let depths = depths.collect::<Result<_>>()?;
        Ok(Box::new(WordGraph::new(self.rules.clone(), vec![depths]).0))
    }

    fn of_shard(&self, depths: Range<usize>, job: &Job) -> Result<Box<dyn ShardGraph>> {
        needs_files!();
        let depths = depths.map(|depth| Ok(DepthWords { depth, words: self.read(depth, Some(job))? }));
        Ok(Box::new(WordGraph::new(self.rules.clone(), vec![depths.collect::<Result<_>>()?]).0))
    }

    fn of_tiers(
        &mut self,
        map: &TierMap,
        counts: &[OrderedMap<usize, usize>],
        wanted: &[bool],
        job: Option<&Job>,
    ) -> Result<TierGraph> {
        let mut tiers: Vec<Vec<DepthWords<W>>> = wanted.iter().map(|_| Vec::new()).collect();
        for (depth, counts) in counts.iter().enumerate() {
            if !counts.keys().any(|&tier| wanted[tier]) {
                continue;
            }
            let (tiers_here, place) = places_of_tiers(counts, wanted);
            let mut lists: Vec<Vec<W>> = tiers_here.iter().map(|tier| Vec::with_capacity(counts[tier])).collect();
            let player = depth % self.alternating();
            let mut of_words = Vec::new();
            let mut gather = |words: &[W]| {
                for words in words.chunks(GATHERED_AT_ONCE) {
                    map.tiers_of(words, player, &mut of_words);
                    for (&word, &tier) in words.iter().zip(&of_words) {
                        if let Some(list) = lists.get_mut(place[tier as usize]) {
                            list.push(word);
                        }
                    }
                }
                true
            };
            if !HAS_FILES && self.depths.is_none() {
                return Err(no_files());
            }
            if let Some(depths) = &mut self.depths {
                gather(&std::mem::take(&mut depths[depth]));
            } else {
                let job = job.expect("states that are not in memory are in a job");
                sparse::each_of_depth(&self.rules.compiled, &self.rules.images, job, depth, &mut gather)?;
            }
            for (tier, words) in tiers_here.into_iter().zip(lists) {
                tiers[tier].push(DepthWords { depth, words });
            }
        }
        let (graph, states) = WordGraph::new(self.rules.clone(), tiers);
        Ok(TierGraph { graph: Box::new(graph), states })
    }
}

/// The number of states whose tiers are found at a time.
const GATHERED_AT_ONCE: usize = 1 << 10;

/// Returns two lists. The first has the wanted tiers that have states in a depth. The second has, for each tier of the
/// rules, its place in the first list, or `usize::MAX` if it is not there. `counts` has the number of the depth's
/// states in each tier.
fn places_of_tiers(counts: &OrderedMap<usize, usize>, wanted: &[bool]) -> (Vec<usize>, Vec<usize>) {
    let tiers_here: Vec<usize> = counts.keys().copied().filter(|&tier| wanted[tier]).collect();
    let mut place = vec![usize::MAX; wanted.len()];
    tiers_here.iter().enumerate().for_each(|(at, &tier)| place[tier] = at);
    (tiers_here, place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edges, Lists, SuccessorCounts};
    use crate::run::{Final, Options, Worth};
    use crate::sparse::{FoundWords, WordSearch};
    use crate::tests;

    #[test]
    fn four_states_have_the_moves_of_the_rules() {
        let (compiled, images) = tests::compiled(&tests::four_states(&["ab", "ba", "bc", "cd"]), false);
        let search = || {
            let asked = WordSearch { keeps: true, ..WordSearch::default() };
            sparse::search(&compiled, &images, asked, &Options::default(), None, tests::GO_ON).unwrap()
        };
        let FoundWords { report, kept: mut depths, .. } = search();
        depths.truncate(report.depths.len());
        let mut states = StatesOfWords::in_memory(Arc::clone(&compiled), Arc::clone(&images), depths);
        assert_eq!((states.counts(), states.undoes_moves()), (&[1, 1, 1, 1][..], true));

        let lists = |lists: &Lists| lists.iter().map(<[u64]>::to_vec).collect::<Vec<_>>();
        let (mut edges, mut before, mut over) = (Edges::default(), Lists::default(), Vec::new());
        {
            // The pair has the depths 2 and 3. The state of the later depth has the number 0.
            states.sweep(3, None).unwrap();
            let pair = states.sweep(2, None).unwrap();
            assert_eq!(pair.blocks(&(0..pair.len())), [0..1, 1..2]);
            pair.successors(1..2, &mut edges);
            assert_eq!((lists(&edges.after), &edges.over[..]), (vec![vec![0]], &[None][..]));
        }
        let mut depths = search().kept;
        depths.truncate(report.depths.len());
        let mut states = StatesOfWords::in_memory(Arc::clone(&compiled), Arc::clone(&images), depths);
        let graph = states.whole(None).unwrap();
        assert_eq!((graph.len(), graph.players()), (4, 1));
        assert_eq!(graph.blocks(&(1..4)), [1..2, 2..3, 3..4]);
        graph.successors(0..4, &mut edges);
        assert_eq!(lists(&edges.after), [vec![1], vec![0, 2], vec![3], vec![]]);
        assert_eq!(edges.over, [None, None, None, Some(Final::Worth(Worth::Win))]);
        let mut counts = SuccessorCounts::default();
        graph.different_successors(0..4, &mut counts);
        assert_eq!((&counts.different[..], &counts.over), (&[1, 2, 1, 0][..], &edges.over));
        graph.over(0..4, &mut over);
        assert_eq!(over, edges.over);
        graph.predecessors(&[3, 2, 1, 0], &mut before);
        assert_eq!(lists(&before), [vec![2], vec![1], vec![0], vec![1]]);
        assert_eq!(graph.first(&[3, 1, 2]), Some(1));
    }
}
