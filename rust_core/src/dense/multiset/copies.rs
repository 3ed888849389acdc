//! Tables of the effect of moves on the blocks of a multiset: they copy stretches of bits, or list where each single
//! state goes.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! # Four cells
//!
//! Two labels `a` and two `b` have six arrangements. With a head of one label there are two blocks:
//!
//! ```text
//! block 0, head a:   abb bab bba      the tails of {a, b, b} in order: the places 0, 1 and 2
//! block 1, head b:   aab aba baa      those of {a, a, b}
//! ```
//!
//! Take the move that swaps the places 0 and 1 of the whole arrangement. These places are its *window*. The head is one
//! label, so the window reaches one label into the tail, the *beginning* of the tail. The move leaves the other two
//! labels alone; they are the *rest*.
//!
//! Which states come to block 0? Its states with the beginning `b` are `a|b|ab` and `a|b|ba`. The move leads to them
//! from `b|a|ab` and `b|a|ba`, which have the places 0 and 1 in block 1. In block 0 the two states have the places 1
//! and 2. So one [`Stretch`] copies both bits together. The state `a|a|bb` comes from itself, so nothing is copied to
//! it.
//!
//! # Why stretches are contiguous
//!
//! Tails of one composition are numbered in lexicographic order. So tails with the same beginning have neighbouring
//! numbers, in the order of their rests. The rests are all arrangements of the labels that head and beginning leave
//! over. The move changes head and beginning in the same way in all states that share both, and leaves the rest alone.
//! So the states that come to these states share one head and one beginning, too, and have the same rests in the same
//! order. Hence one stretch of bits becomes another stretch of the same length.
//!
//! # Why the labels before the window do not matter
//!
//! A stretch stores the distance from its block to its source block. That number depends only on the labels of the head
//! from the window on, and on the composition of the tail. The reason is that blocks are numbered in lexicographic
//! order of their heads: blocks with the same first labels are neighbours, in the order of the labels that follow. So
//! stretches are looked up by the labels of the head from the window on, and by the composition of the tail.

use crate::index::{LabelMove, MOST_PLACES, Multiset};

/// The value that stands for no place: the move cannot be made in the state.
const NOWHERE: u16 = u16::MAX;

/// The compositions of tails, that is, how often each label occurs in a tail. They are numbered.
#[derive(Debug)]
pub(super) struct Tails {
    /// The compositions, in the order of their numbers.
    pub compositions: Vec<usize>,
    /// For each composition, its number among the compositions of tails.
    pub numbers: Vec<u32>,
    /// At place `n`: how many tails the compositions with numbers below `n` have together. The last entry counts all
    /// tails.
    pub states: Vec<usize>,
    /// At place `n`: how many words hold one bit for each tail of the compositions with numbers below `n`. Each
    /// composition begins a new word.
    pub words: Vec<usize>,
}

impl Tails {
    pub fn new(multiset: &Multiset) -> Self {
        let compositions: Vec<usize> =
            multiset.endings(multiset.places - multiset.head).map(|(composition, _)| composition).collect();
        let mut numbers = vec![u32::MAX; multiset.whole() + 1];
        let (mut states, mut words) = (vec![0], vec![0]);
        for (number, &composition) in compositions.iter().enumerate() {
            numbers[composition] = number as u32;
            states.push(states[number] + multiset.arrangements(composition) as usize);
            words.push(words[number] + words_of(multiset, composition));
        }
        Self { compositions, numbers, states, words }
    }
}

/// The labels of all tails, listed once for all tables that are made from them.
pub(super) struct TailLabels {
    /// The number of labels of a tail.
    size: usize,
    /// The labels of one tail after another, in the order of [`Tails::states`].
    labels: Vec<u8>,
}

impl TailLabels {
    /// The labels of the tails of some compositions.
    pub fn new(multiset: &Multiset, compositions: &[usize]) -> Self {
        let (size, mut labels) = (multiset.places - multiset.head, Vec::new());
        for &tail in compositions {
            multiset.each_beginning(size, tail, &mut |tail| labels.extend_from_slice(tail));
        }
        Self { size, labels }
    }

    /// The tails of the composition with the given number. A tail has at least one label.
    pub fn of(&self, tails: &Tails, number: usize) -> impl Iterator<Item = &[u8]> {
        let labels = tails.states[number] * self.size..tails.states[number + 1] * self.size;
        self.labels[labels].chunks_exact(self.size)
    }
}

/// The number of words that hold one bit for each tail of a composition.
pub(super) fn words_of(multiset: &Multiset, composition: usize) -> usize {
    (multiset.arrangements(composition) as usize).div_ceil(64)
}

/// Neighbouring bits that are copied together from one block to another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    /// The number of blocks from this block to the source block; negative if the source comes first.
    pub blocks: i32,
    /// The first bit that is read in the source block.
    pub from: u32,
    /// The first bit that is set in this block.
    pub to: u32,
    /// The number of bits.
    pub size: u32,
}

/// For one move, the stretches of bits that are copied to each block.
#[derive(Debug)]
pub(super) struct Copies {
    /// The first place of the head that is in the window (the places that the move reads or changes). The labels of the
    /// head from this place on are called the content.
    first: usize,
    /// The number of different labels.
    labels: usize,
    /// The number of compositions (how often each label occurs) that tails can have.
    tails: usize,
    /// For each content and each composition of the tail, the index in `stretches` of the first stretch that is copied
    /// to a block with both.
    starts: Vec<u32>,
    stretches: Vec<Stretch>,
}

impl Copies {
    /// The stretches of a move that reads or changes places of the tail: those that choose the place in a block.
    pub fn new(multiset: &Multiset, tails: &Tails, change: &LabelMove) -> Self {
        let first = change.first.min(multiset.head);
        let (places, labels) = (multiset.head - first, multiset.labels());
        let mut copies =
            Self { first, labels, tails: tails.compositions.len(), starts: vec![0], stretches: Vec::new() };
        for content in 0..labels.pow(places as u32) {
            let mut rest = content;
            let mut head = vec![0; places];
            for label in head.iter_mut().rev() {
                *label = (rest % labels) as u8;
                rest /= labels;
            }
            for &tail in &tails.compositions {
                let begin = copies.stretches.len();
                if let Some(whole) = multiset.with(&head, tail) {
                    let target = Target { multiset, change, head: &head, whole, tail };
                    let block = multiset.rank_head(&head, whole).0;
                    multiset.each_beginning(change.last + 1 - multiset.head, tail, &mut |beginning| {
                        if let Some(stretch) = target.stretch(block, beginning) {
                            add(&mut copies.stretches, begin, stretch);
                        }
                    });
                }
                copies.starts.push(copies.stretches.len() as u32);
            }
        }
        copies
    }

    /// The stretches that come to a block with the given head. `tail` is the number of the composition of the block's
    /// tail.
    #[inline(always)]
    pub fn of(&self, head: &[u8], tail: usize) -> &[Stretch] {
        let content = head[self.first..].iter().fold(0, |content, &label| content * self.labels + label as usize);
        let at = content * self.tails + tail;
        &self.stretches[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}

/// Some blocks that receive the same stretches: their heads have the same labels from the window on, and their tails
/// have the same composition.
struct Target<'a> {
    multiset: &'a Multiset,
    change: &'a LabelMove,
    /// The labels of the head from the window (the places that the move reads or changes) on.
    head: &'a [u8],
    /// The composition of the labels in `head` and the tail together: how often each label occurs there.
    whole: usize,
    /// The composition of the tail: how often each label occurs in it.
    tail: usize,
}

impl Target<'_> {
    /// The stretch of bits that the move copies to those states of a block whose tails have the given beginning.
    /// `block` is the number of the block among the blocks with the same labels before the window. `None` if there is
    /// nothing to copy, because the move leads to none of these states, or leads each onto itself.
    fn stretch(&self, block: u64, beginning: &[u8]) -> Option<Stretch> {
        let Self { multiset, change, head, whole, tail } = *self;
        let untouched = change.first.saturating_sub(multiset.head);
        let mut after = [0; MOST_PLACES];
        let after = &mut after[..head.len() + beginning.len()];
        after[..head.len()].copy_from_slice(head);
        after[head.len()..].copy_from_slice(beginning);
        let mut before = [0; MOST_PLACES];
        let before = &mut before[..after.len()];
        before.copy_from_slice(after);
        if !change.before(&after[untouched..], &mut before[untouched..]) {
            return None;
        }
        let (head_before, beginning_before) = before.split_at(head.len());
        let (block_before, tail_before) = multiset.rank_head(head_before, whole);
        let (to, rest) = multiset.rank_tail(beginning, tail);
        let (from, _) = multiset.rank_tail(beginning_before, tail_before);
        let blocks = i32::try_from(block_before as i64 - block as i64).expect("blocks have numbers of 31 bits");
        let size = multiset.arrangements(rest) as u32;
        (blocks != 0 || from != to).then_some(Stretch { blocks, from: from as u32, to: to as u32, size })
    }
}

/// Adds a stretch to those that begin at `stretches[begin]`. A stretch that continues the last one is joined to it.
fn add(stretches: &mut Vec<Stretch>, begin: usize, stretch: Stretch) {
    if let Some(last) = stretches[begin..].last_mut()
        && last.blocks == stretch.blocks
        && last.from + last.size == stretch.from
        && last.to + last.size == stretch.to
    {
        last.size += stretch.size;
        return;
    }
    stretches.push(stretch);
}

/// For a move that reads and changes only places of the tail: a table that says where the move takes each state of a
/// block.
#[derive(Debug)]
pub(super) struct Scatter {
    /// For each composition of the tail and each place in a block: the place after the move, or [`NOWHERE`].
    places: Vec<u16>,
}

impl Scatter {
    /// Makes the table of a move that reads and changes only places of the tail.
    pub fn new(multiset: &Multiset, tails: &Tails, labels: &TailLabels, change: &LabelMove) -> Self {
        let (first, last) = (change.first - multiset.head, change.last - multiset.head);
        let mut places = Vec::with_capacity(tails.states[tails.compositions.len()]);
        for (number, &tail) in tails.compositions.iter().enumerate() {
            for labels in labels.of(tails, number) {
                let mut after = [0; MOST_PLACES];
                let after = &mut after[..labels.len()];
                after.copy_from_slice(labels);
                let can = change.after(&labels[first..=last], &mut after[first..=last]);
                places.push(if can { multiset.rank_tail(after, tail).0 as u16 } else { NOWHERE });
            }
        }
        Self { places }
    }

    /// Sets the bits of the states to which the move leads from the given places of a block. `tail` is the number of
    /// the composition of the block's tail. `moved` has room for as many places.
    #[inline(always)]
    pub fn put(&self, tails: &Tails, tail: usize, places: &[u16], moved: &mut [u16], target: &mut [u64]) {
        let (after, moved) = (&self.places[tails.states[tail]..], &mut moved[..places.len()]);
        let mut count = 0;
        // No jump depends on whether the move can be made in a state, since it could not be foreseen. Each place is
        // written, and the next one is written over it if the move cannot be made.
        for &place in places {
            let after = after[place as usize];
            moved[count] = after;
            count += usize::from(after != NOWHERE);
        }
        for &after in &moved[..count] {
            target[after as usize / 64] |= 1 << (after % 64);
        }
    }
}

/// Copies the bits of a stretch from `source`, the words of the source block, to `target`. Bits of `target` that are
/// set stay set.
#[inline(always)]
pub(super) fn add_bits(target: &mut [u64], source: &[u64], stretch: Stretch) {
    let (mut from, mut to, mut left) = (stretch.from as usize, stretch.to as usize, stretch.size as usize);
    while left > 0 {
        // Each step copies at most as many bits as are left in the current word of `target`.
        let size = left.min(64 - to % 64);
        let mut bits = source[from / 64] >> (from % 64);
        if from % 64 + size > 64 {
            bits |= source[from / 64 + 1] << (64 - from % 64);
        }
        target[to / 64] |= (bits & u64::MAX >> (64 - size)) << (to % 64);
        (from, to, left) = (from + size, to + size, left - size);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bits_are_added_one_by_one_or_together(
            source: [u64; 4], target: [u64; 4], from in 0usize..256, to in 0usize..256, size in 0usize..256,
        ) {
            let size = size.min(256 - from).min(256 - to);
            let mut expected = target;
            for at in 0..size {
                expected[(to + at) / 64] |= (source[(from + at) / 64] >> ((from + at) % 64) & 1) << ((to + at) % 64);
            }
            let mut found = target;
            add_bits(&mut found, &source, Stretch { blocks: 0, from: from as u32, to: to as u32, size: size as u32 });
            prop_assert_eq!(found, expected);
        }

        #[test]
        fn stretches_and_places_do_what_moves_do(
            labels in prop::collection::vec(0u8..3, 2..7),
            shuffle in any::<prop::sample::Index>(),
            cut in any::<(prop::sample::Index, prop::sample::Index)>(),
            needs in prop::option::of(0u8..3),
        ) {
            let places = labels.len();
            let mut counts = std::collections::BTreeMap::<u8, usize>::new();
            for &label in &labels {
                *counts.entry(label).or_default() += 1;
            }
            let counts: Vec<usize> = counts.into_values().collect();
            let (first, width) = (cut.0.index(places), cut.1.index(places) + 1);
            let last = (first + width - 1).min(places - 1);
            // Any rotation of the labels in the window.
            let turn = shuffle.index(last - first + 1);
            let source = (0..=last - first).map(|at| first + (at + turn) % (last - first + 1)).collect();
            let needs = needs.filter(|label| (*label as usize) < counts.len()).map(|label| (first, label));
            let change = LabelMove { first, last, source, needs };
            let whole = Multiset::new(counts).unwrap();
            for head in 0..=last {
                let multiset = whole.clone().with_head(head);
                let tails = Tails::new(&multiset);
                let copies = Copies::new(&multiset, &tails, &change);
                let scatter = (first >= head).then(|| {
                    Scatter::new(&multiset, &tails, &TailLabels::new(&multiset, &tails.compositions), &change)
                });
                for block in 0..multiset.blocks() as usize {
                    let heads = crate::index::HeadWalk::new(&multiset, block);
                    let tail = tails.numbers[heads.left] as usize;
                    let mut came: Vec<(usize, u64, u64)> = Vec::new();
                    for stretch in copies.of(&heads.labels, tail) {
                        let from = (block as i64 + i64::from(stretch.blocks)) as usize;
                        came.extend((0..u64::from(stretch.size)).map(|at| {
                            (from, u64::from(stretch.from) + at, u64::from(stretch.to) + at)
                        }));
                    }
                    came.sort_by_key(|&(.., to)| to);
                    let mut expected = Vec::new();
                    for to in 0..multiset.arrangements(heads.left) {
                        let mut labels = [&heads.labels[..], &multiset.tail(heads.left, to)].concat();
                        let after = labels.clone();
                        if change.before(&after[first..=last], &mut labels[first..=last]) {
                            let (from, left) = multiset.rank_head(&labels[..head], multiset.whole());
                            let (place, _) = multiset.rank_tail(&labels[head..], left);
                            if let Some(scatter) = &scatter {
                                let mut target = vec![0; words_of(&multiset, heads.left)];
                                scatter.put(&tails, tail, &[place as u16], &mut [0], &mut target);
                                prop_assert_eq!(target[to as usize / 64], 1 << (to % 64));
                            }
                            if (from as usize, place) != (block, to) {
                                expected.push((from as usize, place, to));
                            }
                        }
                    }
                    prop_assert_eq!(came, expected);
                }
            }
        }
    }
}
