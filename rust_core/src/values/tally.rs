//! Counts of values: how many states have each value, by depth and by the number of moves to the end; and the state
//! that takes the most moves to the end.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::value_code::ValueCode;
use crate::graph::Graph;
use crate::job::{LongestEntry, ValuesEntry, ValuesStage};
use crate::run::{DepthValues, DistanceCount, Worth, parallel};

/// The counts so far. Depths may be counted in any order.
#[derive(Debug, Clone)]
pub(super) struct Tallies {
    /// For each depth, the number of its states with each value.
    pub depths: Vec<DepthValues>,
    /// For each number of moves to the end, the number of states that are won or lost in that many. With a score, for
    /// each number of points, the number of states in which one player is that far ahead.
    pub distances: Vec<DistanceCount>,
    /// The value of the start.
    pub start: ValueCode,
    /// The first of the states that take the most moves to a win or a loss. With a score, it is the first of the states
    /// in which one player is the most points ahead. `None` as long as no such state has been counted.
    pub longest: Option<Longest>,
}

/// A state that takes the most moves to the end, of those counted so far.
#[derive(Debug, Clone)]
pub(super) struct Longest {
    /// The value of the state.
    pub code: ValueCode,
    /// The depth of the state.
    pub depth: usize,
    /// The word of the state, as bytes.
    pub word: Vec<u8>,
}

impl Tallies {
    /// A tally for `depths` depths, with all counts 0.
    pub fn new(depths: usize) -> Self {
        let depths = vec![DepthValues::default(); depths];
        Self { depths, distances: Vec::new(), start: ValueCode::DRAW, longest: None }
    }

    /// The number of states that have been counted.
    pub fn states(&self) -> u64 {
        let of_depth = |DepthValues { win, draw, loss }: &DepthValues| win.states + draw.states + loss.states;
        self.depths.iter().map(of_depth).sum()
    }

    /// Adds the counts by moves to the end, and the longest state, that a job has kept. `word_bytes` is the number of
    /// bytes of a word.
    pub fn add_stage(&mut self, stage: &ValuesStage, word_bytes: usize) {
        let longest = stage.longest.as_ref().and_then(|longest| {
            let worth = if longest.wins { Worth::Win } else { Worth::Loss };
            let word = longest.word_bytes(word_bytes)?;
            Some(Longest { code: ValueCode::decided(worth, longest.moves), depth: longest.depth as usize, word })
        });
        self.add_ends(&stage.ends, longest);
    }

    /// The counts in the form in which a job's manifest keeps them. Of the counts by depth, it has only those of
    /// `depth`.
    pub fn stage(&self, distances: bool, depth: usize) -> ValuesStage {
        let DepthValues { win, draw, loss } = self.depths[depth];
        let entry = ValuesEntry { depth: depth as u64, win, draw, loss, files: Vec::new() };
        let mut stage = ValuesStage { distances, depths: vec![entry], ..ValuesStage::default() };
        if distances {
            stage.ends.clone_from(&self.distances);
            stage.longest = self.longest.as_ref().map(|longest| LongestEntry {
                depth: longest.depth as u64,
                word: LongestEntry::digits(&longest.word),
                wins: longest.code.worth() == Worth::Win,
                moves: longest.code.moves(),
            });
            let decided = self.start.worth() != Worth::Draw;
            stage.start_moves = (depth == 0 && decided).then(|| self.start.moves());
        }
        stage
    }

    /// Counts a range of states of a graph. `code_at` returns the value of a state, given by its number.
    pub fn count(&mut self, graph: &dyn Graph, states: &Range<u64>, code_at: &(dyn Fn(u64) -> ValueCode + Sync)) {
        for range in graph.depths() {
            let of_depth = range.states.start.max(states.start)..range.states.end.min(states.end);
            if of_depth.is_empty() {
                continue;
            }
            if range.depth == 0 {
                self.start = code_at(of_depth.start);
            }
            let all = Mutex::new(&mut *self);
            let blocks = graph.blocks(&of_depth);
            parallel::each(blocks.len(), &|number| {
                let block = &blocks[number];
                let (mut orbits, mut counted) = (Vec::new(), BlockTally::default());
                graph.orbits(block.clone(), &mut orbits);
                for (number, &orbit) in block.clone().zip(&orbits) {
                    counted.add(number, code_at(number), orbit);
                }
                counted.add_to(&all, graph, range.depth);
            });
        }
    }

    /// Adds the counts of a block of states of one depth.
    fn add(&mut self, depth: usize, block: &BlockTally, longest: Option<Longest>) {
        self.depths[depth].add(&block.values);
        self.add_ends(&block.distances, longest);
    }

    fn add_ends(&mut self, distances: &[DistanceCount], longest: Option<Longest>) {
        if self.distances.len() < distances.len() {
            self.distances.resize(distances.len(), DistanceCount::default());
        }
        for (sum, more) in self.distances.iter_mut().zip(distances) {
            sum.win += more.win;
            sum.loss += more.loss;
        }
        if let Some(other) = longest {
            // Of two states, the one that takes more moves to the end is kept. If both take the same number, it is the
            // one of the smaller depth, or within a depth the one with the smaller word.
            let order = |one: &Longest| (std::cmp::Reverse(one.code.moves()), one.depth);
            let first = |longest: &Longest| (order(&other), &other.word) < (order(longest), &longest.word);
            if self.longest.as_ref().is_none_or(first) {
                self.longest = Some(other);
            }
        }
    }
}

/// Adds up the counts of all shards. `before` has the counts that the whole job has kept, and `parts` the counts of the
/// next depth, one part for each shard. `None` if the parts are not of one depth.
pub fn together(before: &ValuesStage, parts: &[ValuesStage], word_bytes: usize) -> Option<ValuesStage> {
    let depth = parts.first()?.depths.first()?.depth as usize;
    let (mut all, mut values) = (Tallies::new(depth + 1), DepthValues::default());
    all.add_stage(before, word_bytes);
    for part in parts {
        let [entry] = &part.depths[..] else { return None };
        if entry.depth as usize != depth {
            return None;
        }
        values.add(&DepthValues { win: entry.win, draw: entry.draw, loss: entry.loss });
        all.add_stage(part, word_bytes);
    }
    all.depths[depth] = values;
    let start_moves = parts.iter().find_map(|part| part.start_moves);
    Some(ValuesStage { start_moves, ..all.stage(before.distances, depth) })
}

/// The counts of a block of states, which are all of one depth.
#[derive(Debug, Default)]
pub(super) struct BlockTally {
    values: DepthValues,
    distances: Vec<DistanceCount>,
    /// The states that take the most moves to the end so far. Their values are at the same places in `codes`.
    longest: Vec<u64>,
    codes: Vec<ValueCode>,
}

impl BlockTally {
    /// Counts a state, given by its number. `orbit` is the size of its orbit.
    #[inline(always)]
    pub fn add(&mut self, number: u64, code: ValueCode, orbit: u64) {
        let (tally, decided) = match code.worth() {
            Worth::Win => (&mut self.values.win, true),
            Worth::Draw => (&mut self.values.draw, false),
            Worth::Loss => (&mut self.values.loss, true),
        };
        tally.states += 1;
        tally.raw_states += orbit;
        if !decided {
            return;
        }
        let moves = code.moves() as usize;
        if self.distances.len() <= moves {
            self.distances.resize(moves + 1, DistanceCount::default());
            self.longest.clear();
            self.codes.clear();
        }
        if self.distances.len() == moves + 1 {
            self.longest.push(number);
            self.codes.push(code);
        }
        let count = &mut self.distances[moves];
        *(if code.worth() == Worth::Win { &mut count.win } else { &mut count.loss }) += 1;
    }

    /// Adds the counts of this block, whose states are of the given depth, to the counts of all blocks.
    pub fn add_to(self, all: &Mutex<&mut Tallies>, graph: &dyn Graph, depth: usize) {
        let first = graph.first(&self.longest).map(|first| {
            let place = self.longest.iter().position(|&number| number == first).unwrap_or(0);
            Longest { code: self.codes[place], depth, word: graph.word(first) }
        });
        all.lock().unwrap_or_else(PoisonError::into_inner).add(depth, &self, first);
    }
}
