//! The tables of a sweep over a multiset: the source of each block, the stretches that moves copy, and the labels that
//! moves need.

use std::ops::Range;
use std::sync::Arc;

use super::copies::{Copies, Scatter, TailLabels, Tails};
use super::shape::MultisetShape;
use crate::index::{HeadWalk, Multiset};
use crate::rules::Symmetry;
use crate::run::parallel;

/// In a table of source blocks: there is no block from which the move leads here.
pub(super) const NO_BLOCK: u32 = u32::MAX;

/// A condition of moves: the given place must hold the given label.
#[derive(Debug)]
pub(super) struct LabelGuard {
    place: usize,
    label: u8,
    /// The number of moves that need the label in this place.
    pub times: u64,
    /// A bit for each state of each composition of the tail, set if the state has the label in the place. Empty if the
    /// place is in the head.
    masks: Vec<u64>,
}

impl LabelGuard {
    /// The states of a block that have the label in the place, from the head of the block and the number of its tail's
    /// composition: `None` if no state has it, an empty mask if all states have it (the place is in the head), and
    /// otherwise a mask of the states that have it.
    #[inline(always)]
    pub fn states<'a>(&'a self, tails: &Tails, head: &[u8], tail: usize) -> Option<&'a [u64]> {
        match head.get(self.place) {
            Some(label) => (*label == self.label).then_some(&[]),
            None => Some(&self.masks[tails.words[tail]..tails.words[tail + 1]]),
        }
    }
}

/// Tables that are looked up while states are found.
pub(in crate::dense) struct MultisetTables {
    pub(super) shape: Arc<MultisetShape>,
    pub(super) tails: Tails,
    pub(super) copies: Vec<Copies>,
    pub(super) scatters: Vec<Scatter>,
    /// The labels that moves need.
    pub(super) guards: Vec<LabelGuard>,
    /// For each symmetry but the identity, the blocks and the places of the states that it fixes.
    pub(super) fixed: Vec<Vec<(u32, u16)>>,
    /// For each block, the number of its first word; and last, the number of all words.
    pub(super) begins: Vec<u32>,
    /// For each block and each move within the head (the first places, which choose the block): the block that the move
    /// copies here, or [`NO_BLOCK`].
    pub(super) sources: Vec<u32>,
}

impl MultisetTables {
    pub fn new(shape: Arc<MultisetShape>) -> Self {
        let (multiset, pulls) = (shape.multiset(), &shape.pulls);
        let mut sources = vec![NO_BLOCK; multiset.blocks() as usize * pulls.len()];
        // Each task begins by unranking the head of its first block. This takes little time compared with the thousands
        // of heads through which the task then steps.
        let at_a_time = 4096;
        if !pulls.is_empty() {
            parallel::chunks_mut(&mut sources, at_a_time * pulls.len(), |first, sources| {
                let mut heads = HeadWalk::new(multiset, first / pulls.len());
                let mut before = heads.labels.clone();
                for sources in sources.chunks_exact_mut(pulls.len()) {
                    for (change, source) in pulls.iter().zip(sources) {
                        let places = change.first..=change.last;
                        before.copy_from_slice(&heads.labels);
                        if change.before(&heads.labels[places.clone()], &mut before[places]) {
                            *source = multiset.rank_head(&before, multiset.whole()).0 as u32;
                        }
                    }
                    heads.next();
                }
            });
        }
        let tails = Tails::new(multiset);
        let copies = |at: Range<usize>| Copies::new(multiset, &tails, &shape.copies[at.start]);
        let copies = parallel::map(shape.copies.len(), 1, copies);
        let listed = !shape.scatters.is_empty() || !shape.index.guards.is_empty();
        let labels = TailLabels::new(multiset, if listed { &tails.compositions } else { &[] });
        let scatters = |at: Range<usize>| Scatter::new(multiset, &tails, &labels, &shape.scatters[at.start]);
        let scatters = parallel::map(shape.scatters.len(), 1, scatters);
        let guards = shape.index.guards.iter();
        let guards = guards.map(|&(guard, times)| guard_of(multiset, (&tails, &labels), guard, times)).collect();
        let fixed = shape.symmetries[1..].iter().map(|symmetry| fixed_by(&shape, symmetry)).collect();
        Self { begins: shape.begins(), shape, tails, copies, scatters, guards, fixed, sources }
    }

    /// The number of moves within the head: the first places, which choose the block.
    pub(super) fn pulls(&self) -> usize {
        self.shape.pulls.len()
    }

    /// The first word of a block. `block` may be the number of blocks; then the result is the number of all words.
    #[inline(always)]
    pub(super) fn first_word(&self, block: usize) -> usize {
        self.begins[block] as usize
    }
}

/// The guard for a label that some moves need in one place.
fn guard_of(
    multiset: &Multiset,
    (tails, labels): (&Tails, &TailLabels),
    (place, label): (usize, u8),
    times: u64,
) -> LabelGuard {
    let mut masks = Vec::new();
    if let Some(place) = place.checked_sub(multiset.head) {
        masks = vec![0u64; tails.words[tails.compositions.len()]];
        for number in 0..tails.compositions.len() {
            let mask = &mut masks[tails.words[number]..];
            for (at, labels) in labels.of(tails, number).enumerate() {
                mask[at / 64] |= u64::from(labels[place] == label) << (at % 64);
            }
        }
    }
    LabelGuard { place, label, times, masks }
}

/// The states that a symmetry fixes, each as its block and its place in the block.
fn fixed_by(shape: &MultisetShape, symmetry: &Symmetry) -> Vec<(u32, u16)> {
    let (multiset, mut found) = (shape.multiset(), Vec::new());
    shape.index.each_fixed(symmetry, |labels| {
        let (head, tail) = labels.split_at(multiset.head);
        let (block, composition) = multiset.rank_head(head, multiset.whole());
        // As one number, because numbers are sorted anyway, and a sort of pairs is more code.
        found.push(block << 16 | multiset.rank_tail(tail, composition).0);
        true
    });
    found.sort_unstable();
    found.into_iter().map(|number| ((number >> 16) as u32, number as u16)).collect()
}
