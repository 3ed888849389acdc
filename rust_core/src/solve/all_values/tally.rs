//! What is counted: how many states have each value, by depth and by distance, and the longest way.

use super::known::{Known, Worth};
use crate::compile::Word;
pub use crate::run::{DepthValues, DistanceCount, Tally};

/// What was counted so far. Counts of parts are added up in any order, and come out the same.
#[derive(Debug, Clone)]
pub(super) struct Tallies<W> {
    pub depths: Vec<DepthValues>,
    pub distances: Vec<DistanceCount>,
    pub start: Known,
    pub longest: Option<Longest<W>>,
}

/// A state whose way to the end is long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Longest<W> {
    pub known: Known,
    pub depth: usize,
    /// The word, and the player to move.
    pub state: (W, usize),
}

impl<W: Word> Tallies<W> {
    /// Of so many depths, of which nothing is counted yet.
    pub fn new(depths: usize) -> Self {
        Self { depths: vec![DepthValues::default(); depths], distances: Vec::new(), start: Known::DRAW, longest: None }
    }

    /// Counts a state of a depth.
    pub fn add(&mut self, depth: usize, state: (W, usize), known: Known, orbit: u64) {
        let of_depth = &mut self.depths[depth];
        let (tally, counted) = match known.worth() {
            Worth::Win => (&mut of_depth.win, true),
            Worth::Draw => (&mut of_depth.draw, false),
            Worth::Loss => (&mut of_depth.loss, true),
        };
        tally.states += 1;
        tally.raw_states += orbit;
        if counted {
            let moves = known.moves() as usize;
            if self.distances.len() <= moves {
                self.distances.resize(moves + 1, DistanceCount::default());
            }
            let count = &mut self.distances[moves];
            *(if known.worth() == Worth::Win { &mut count.win } else { &mut count.loss }) += 1;
            self.offer(Longest { known, depth, state });
        }
    }

    /// Takes a state for the longest if its way to the end is longer, or as long and it comes first: in a smaller depth,
    /// or in the same depth with a smaller word.
    fn offer(&mut self, other: Longest<W>) {
        let order = |longest: &Longest<W>| (std::cmp::Reverse(longest.known.moves()), longest.depth, longest.state.0);
        if self.longest.as_ref().is_none_or(|longest| order(&other) < order(longest)) {
            self.longest = Some(other);
        }
    }

    /// Adds the counts of a part.
    #[expect(clippy::needless_pass_by_value, reason = "parallel sums are made of values")]
    pub fn merge(mut self, other: Self) -> Self {
        for (sum, more) in self.depths.iter_mut().zip(&other.depths) {
            for (sum, more) in [(&mut sum.win, more.win), (&mut sum.draw, more.draw), (&mut sum.loss, more.loss)] {
                sum.states += more.states;
                sum.raw_states += more.raw_states;
            }
        }
        if self.distances.len() < other.distances.len() {
            self.distances.resize(other.distances.len(), DistanceCount::default());
        }
        for (sum, more) in self.distances.iter_mut().zip(&other.distances) {
            sum.win += more.win;
            sum.loss += more.loss;
        }
        if let Some(longest) = other.longest {
            self.offer(longest);
        }
        self
    }
}
