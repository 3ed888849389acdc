//! Rules whose states are arrangements in which symbols repeat: their index, its cut
//! (the order of the cells and the length of the head), and the ways to make the moves.

use super::copies::words_of;
use super::cost::{HeadCosts, HeadPlan, WordCounts};
use crate::dense::swept::Division;
use crate::dense::tuning::Tuning;
use crate::index::{HeadWalk, LabelMove, Multiset, MultisetIndex};
use crate::rules::Symmetry;
use crate::structure::Structure;

/// After each part of a depth, of this many chunks, a job may write to disk the states that it has found. A part takes
/// some seconds.
const PART_CHUNKS: usize = 1 << 12;

/// The most states that all symmetries but the identity may fix, counted together. All these states are listed.
const MOST_FIXED: usize = 1 << 20;

/// Rules whose states are arrangements in which symbols repeat.
#[derive(Debug)]
pub struct MultisetShape {
    pub(in crate::dense) index: MultisetIndex,
    pub(super) symmetries: Vec<Symmetry>,
    /// The moves that read and change only places of the head: the first places, which choose the block. They copy
    /// whole blocks.
    pub(super) pulls: Vec<LabelMove>,
    /// The moves that read or change places of the tail (those after the head), and that copy stretches of states.
    pub(super) copies: Vec<LabelMove>,
    /// The moves that read and change only places of the tail (those after the head), and that set the bits of
    /// successors one by one, since that is cheaper here than to copy stretches of a few bits.
    pub(super) scatters: Vec<LabelMove>,
    pub(super) division: Division,
    /// The most states of a block.
    pub(super) most_states: usize,
    bytes: u64,
    is_slow: bool,
}

impl MultisetShape {
    /// The shape of the rules, if moves only rearrange symbols, and some symbol occurs more than once.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], tuning: Tuning) -> Option<Self> {
        let index = MultisetIndex::of_structure(structure)?;
        Self::of_plan(&index, |costs| costs.propose(tuning.block_states), symmetries, tuning)
    }

    /// The shape with a given cut: the order of the cells, and how many of them are in the head. `None` if the rules
    /// have no index with this cut.
    pub fn of_cut(
        structure: &Structure,
        symmetries: &[Symmetry],
        order: &[usize],
        head: usize,
        tuning: Tuning,
    ) -> Option<Self> {
        let index = MultisetIndex::of_order(structure, order)?;
        Self::of_plan(&index, |costs| costs.given(head), symmetries, tuning)
    }

    fn of_plan<'a>(
        index: &'a MultisetIndex,
        plan: impl FnOnce(HeadCosts<'a>) -> Option<HeadPlan<'a>>,
        symmetries: &[Symmetry],
        tuning: Tuning,
    ) -> Option<Self> {
        let plan = plan(HeadCosts::new(&index.multiset, &index.changes))?;
        let fixed = fixed_count(index, symmetries)?;
        let multiset = index.multiset.clone().with_head(plan.head);
        let WordCounts { blocks: words, tails: tail_words } = WordCounts::of(&multiset);
        // The tables hold the numbers of words as `u32`.
        if words > u64::from(u32::MAX) {
            return None;
        }
        let blocks = multiset.blocks();
        let guards = index.guards.iter().filter(|((place, _), _)| *place >= multiset.head).count() as u64;
        let tables = plan.tables + guards * tail_words * 8 + fixed as u64 * size_of::<(u32, u16)>() as u64;
        let (arrays, blocks_tables) = (3 * 8 * words, blocks * (2 + 4 + 4 * plan.pulls.len() as u64));
        let tails = multiset.endings(multiset.places - multiset.head);
        let most_states = tails.map(|(tail, _)| multiset.arrangements(tail)).max().unwrap_or(0) as usize;
        let changes = |some: &[&LabelMove]| some.iter().map(|&change| change.clone()).collect();
        let mut index = index.clone();
        index.multiset = multiset;
        Some(Self {
            symmetries: symmetries.to_vec(),
            pulls: changes(&plan.pulls),
            copies: changes(&plan.copies),
            scatters: changes(&plan.scatters),
            division: Division {
                blocks: blocks as usize,
                block_words: 0,
                chunk_blocks: (tuning.chunk_bytes as u64 / 8 / (words / blocks).max(1)).max(1) as usize,
                part_chunks: tuning.part_chunks.unwrap_or(PART_CHUNKS),
            },
            most_states,
            bytes: arrays + blocks_tables + tables,
            is_slow: plan.is_slow() || blocks_tables > 4 * arrays,
            index,
        })
    }

    /// The bytes of memory that a run takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns `true` if a search without the index, with a hash table, is expected to be as fast.
    pub fn is_slow(&self) -> bool {
        self.is_slow
    }

    pub(in crate::dense) fn multiset(&self) -> &Multiset {
        &self.index.multiset
    }

    /// For each block, the number of its first word; and last, the number of all words.
    pub(in crate::dense) fn begins(&self) -> Vec<u32> {
        let multiset = self.multiset();
        let blocks = multiset.blocks() as usize;
        let mut begins = Vec::with_capacity(blocks + 1);
        let (mut heads, mut begin) = (HeadWalk::new(multiset, 0), 0u64);
        for _ in 0..blocks {
            begins.push(begin as u32);
            begin += words_of(multiset, heads.left) as u64;
            heads.next();
        }
        begins.push(begin as u32);
        begins
    }
}

/// The sum, over all symmetries but the first, the identity, of the number of states that each fixes; `None` if these
/// states are too many to list.
fn fixed_count(index: &MultisetIndex, symmetries: &[Symmetry]) -> Option<usize> {
    let mut count = 0;
    let mut few = |symmetry: &Symmetry| {
        index.each_fixed(symmetry, |_| {
            count += 1;
            count <= MOST_FIXED
        })
    };
    symmetries[1..].iter().all(&mut few).then_some(count)
}
