//! A model of the time that the moves of a multiset take with a head of a given length. It decides how a new index is
//! cut.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! A move can be made in three ways. If its window lies within the head, whole blocks are copied. If its window reaches
//! into the tail, stretches of bits are copied; long stretches are cheaper than short ones. If its window lies within
//! the tail, the bits of successors can be set one by one, which is cheaper than copying stretches of a few bits. With
//! a longer head, more moves lie within it, and blocks are smaller.
//!
//! A wrong guess costs only time. A job keeps its cut, and all three ways of making a move give the same states.

use super::copies::{Stretch, words_of};
use crate::index::{LabelMove, Multiset};

/// The most bytes of all tables together in an index that is cut anew. Larger tables do not stay in the cache, so each
/// use would have to fetch its entry from memory.
const MOST_TABLES: u64 = 64 << 20;

/// The most bytes of all tables if the cut is given. No version has made tables as large as this.
const MOST_GIVEN_TABLES: u64 = 16 * MOST_TABLES;

/// The most states of a block if the cut is given. Places in a block have 16 bits, and one value of these stands for no
/// place.
const MOST_GIVEN_STATES: u64 = u16::MAX as u64;

/// The time of each kind of work for one state of the index, in nanoseconds.
struct MoveCosts {
    /// The number of depths that have states in most blocks, roughly. A search copies each block that many times.
    depths: f64,
    /// The time to copy a state as part of a long stretch.
    copied_state: f64,
    /// The time to begin to copy a stretch.
    stretch: f64,
    /// The time to make a move in one state and set the bit of the successor. A search does that once for each state
    /// and move.
    scattered_state: f64,
    /// The time to work out, before the search, where a move takes a state or a stretch.
    planned: f64,
    /// If a move takes this much time for each state, a search with a hash table instead of the index is as fast.
    most: f64,
}

/// Measured on 21 November 2026, on two cores of an AMD EPYC, in a release build. A stretch of up to 64 states took 3.2
/// ns, each state of a long stretch 0.04 ns, and a scattered state 1.6 ns (the best of 200 rounds over a block of some
/// thousand states). Planning a state took 130 to 440 ns (single rounds on a busy machine). For comparison, the sparse
/// store took 23 to 52 ns for a successor; see "How fast" in `docs/enumeration.md`. The values are rounded: they only
/// decide which plan is the cheapest.
const COSTS: MoveCosts =
    MoveCosts { depths: 16.0, copied_state: 0.03, stretch: 4.0, scattered_state: 2.0, planned: 150.0, most: 40.0 };

impl MoveCosts {
    /// The average time to copy one state if stretches of `states` states are copied.
    fn copied(&self, states: f64) -> f64 {
        self.depths * (self.copied_state + self.stretch / states)
    }
}

/// The way in which each move is made, with a head of a given length: moves in `pulls` copy whole blocks, those in
/// `copies` copy stretches of states, and those in `scatters` set the bits of successors one by one.
pub(super) struct HeadPlan<'a> {
    pub head: usize,
    /// The time for each state of the index, in nanoseconds.
    pub cost: f64,
    /// The bytes of all tables.
    pub tables: u64,
    pub pulls: Vec<&'a LabelMove>,
    pub copies: Vec<&'a LabelMove>,
    pub scatters: Vec<&'a LabelMove>,
}

impl HeadPlan<'_> {
    /// Returns `true` if a search without the index, with a hash table, is expected to be as fast.
    pub fn is_slow(&self) -> bool {
        let moves = self.pulls.len() + self.copies.len() + self.scatters.len();
        self.cost > COSTS.most * moves.max(1) as f64
    }
}

/// Computes the cost of a search for each length of the head. (The head is the first labels of a state; it chooses the
/// block.)
pub(super) struct HeadCosts<'a> {
    multiset: &'a Multiset,
    changes: &'a [LabelMove],
    /// For each length, how many different beginnings of that length the arrangements have.
    beginnings: Vec<u64>,
    /// For each length and each composition, the number of ways in which arrangements of the composition can begin with
    /// that many labels.
    of_compositions: Vec<Vec<u64>>,
}

impl<'a> HeadCosts<'a> {
    pub fn new(multiset: &'a Multiset, changes: &'a [LabelMove]) -> Self {
        let widest = changes.iter().map(|change| change.last + 1).max().unwrap_or(0);
        let mut of_compositions = vec![vec![1; multiset.whole() + 1]];
        for length in 0..widest {
            of_compositions.push(multiset.longer(&of_compositions[length]));
        }
        Self { multiset, changes, beginnings: multiset.beginnings(), of_compositions }
    }

    /// The cheapest plan whose blocks have at most `block_states` states each; `None` if the tables of all such plans
    /// are too large.
    pub fn propose(&self, block_states: u64) -> Option<HeadPlan<'a>> {
        (0..=self.multiset.places)
            .filter_map(|head| self.plan(head, block_states, MOST_TABLES))
            .min_by(|one, other| one.cost.total_cmp(&other.cost))
    }

    /// The plan for a head (the first labels of a state, which choose its block) of the given length; `None` if the
    /// index cannot be divided in this way.
    pub fn given(&self, head: usize) -> Option<HeadPlan<'a>> {
        (head <= self.multiset.places).then(|| self.plan(head, MOST_GIVEN_STATES, MOST_GIVEN_TABLES)).flatten()
    }

    /// The plan for a head of `head` places. `None` if a block would have more than `block_states` states, or all
    /// tables more than `most_tables` bytes.
    fn plan(&self, head: usize, block_states: u64, most_tables: u64) -> Option<HeadPlan<'a>> {
        let multiset = self.multiset;
        let tails: Vec<usize> = multiset.endings(multiset.places - head).map(|(tail, _)| tail).collect();
        let too_many = tails.iter().any(|&tail| multiset.arrangements(tail) > block_states);
        if too_many || self.beginnings[head] >= i32::MAX as u64 {
            return None;
        }
        let all = multiset.arrangements(multiset.whole()) as f64;
        let states = tails.iter().map(|&tail| multiset.arrangements(tail)).sum();
        // The time to copy a state if all states with the same first `length` labels are copied as one stretch.
        let copied = |length: usize| COSTS.copied(all / self.beginnings[length] as f64);
        let mut plan =
            HeadPlan { head, cost: 0.0, tables: 0, pulls: Vec::new(), copies: Vec::new(), scatters: Vec::new() };
        let mut planned = 0u64;
        for change in self.changes {
            if change.last < head {
                plan.cost += copied(head);
                planned = planned.saturating_add(self.beginnings[head]);
                plan.pulls.push(change);
                continue;
            }
            let copy = copied(change.last + 1);
            if change.first >= head && copy > COSTS.scattered_state {
                plan.cost += COSTS.scattered_state;
                plan.tables = plan.tables.saturating_add(table_bytes(0, 0, states));
                planned = planned.saturating_add(states);
                plan.scatters.push(change);
            } else {
                let (contents, stretches) = self.table_sizes(head, change, &tails);
                plan.cost += copy;
                plan.tables = plan.tables.saturating_add(table_bytes(contents, stretches, 0));
                planned = planned.saturating_add(stretches).saturating_add(contents / 8);
                plan.copies.push(change);
            }
        }
        plan.cost += COSTS.planned * planned as f64 / all;
        (plan.tables <= most_tables).then_some(plan)
    }

    /// For a move that copies stretches: the number of entries of its table, and the largest possible number of
    /// stretches in it.
    fn table_sizes(&self, head: usize, change: &LabelMove, tails: &[usize]) -> (u64, u64) {
        let multiset = self.multiset;
        let (before, after) = (head - change.first.min(head), change.last + 1 - head);
        let contents = (multiset.labels() as u64).saturating_pow(before as u32).saturating_mul(tails.len() as u64);
        let stretches = tails.iter().fold(0u64, |sum, &tail| {
            let begins = self.of_compositions[before][multiset.whole() - tail];
            sum.saturating_add(begins.saturating_mul(self.of_compositions[after][tail]))
        });
        (contents, stretches)
    }
}

/// The bytes of the table of a move: either `contents` entries and `stretches` stretches, or `states` single states.
fn table_bytes(contents: u64, stretches: u64, states: u64) -> u64 {
    let starts = contents.saturating_mul(size_of::<u32>() as u64);
    let stretches = stretches.saturating_mul(size_of::<Stretch>() as u64);
    starts.saturating_add(stretches).saturating_add(states.saturating_mul(size_of::<u16>() as u64))
}

/// Numbers of words of a multiset that is cut into blocks.
#[derive(Default)]
pub(super) struct WordCounts {
    /// The words of all blocks.
    pub blocks: u64,
    /// The words of the tails, where each composition is counted once.
    pub tails: u64,
}

impl WordCounts {
    pub fn of(multiset: &Multiset) -> Self {
        let mut counts = Self::default();
        for (tail, heads) in multiset.endings(multiset.places - multiset.head) {
            let block = words_of(multiset, tail) as u64;
            counts.blocks += block * heads;
            counts.tails += block;
        }
        counts
    }
}
