//! The blocks of arrangements in which symbols repeat, and what moves do to them.

use rayon::prelude::*;

use super::Coloured;
use super::copies::{Copies, Scatter, Tails};
use super::recolour::Expand;
use crate::compile::cpu;
use crate::dense::shape::{Chunk, Found, Shape};
use crate::index::{Heads, Multiset};
use crate::rules::{Rules, Symmetry};

/// No block leads to this one by that move.
pub(super) const NO_BLOCK: u32 = u32::MAX;

/// A label that moves need.
#[derive(Debug)]
pub(super) struct Guard {
    place: usize,
    label: u8,
    /// How many moves need it.
    pub times: u64,
    /// For each composition of the tail, the states that have it, where the place is in the tail.
    masks: Vec<u64>,
}

impl Guard {
    /// The states of a block that have the label, whose tail has the composition of a number: all, none, or some.
    #[inline(always)]
    pub fn states<'a>(&'a self, tails: &Tails, head: &[u8], tail: usize) -> Option<&'a [u64]> {
        match head.get(self.place) {
            Some(label) => (*label == self.label).then_some(&[]),
            None => Some(&self.masks[tails.words[tail]..tails.words[tail + 1]]),
        }
    }
}

/// The blocks of an index, and where whole ones come from.
pub(super) struct Blocks<'a> {
    pub coloured: &'a Coloured,
    pub tails: Tails,
    pub copies: Vec<Copies>,
    pub scatters: Vec<Scatter>,
    /// What moves need: where, and in how many of them.
    pub guards: Vec<Guard>,
    /// For each symmetry but the identity, the blocks and the places of the states that it leaves as they are.
    fixed: Vec<Vec<(u32, u16)>>,
    begins: Vec<u32>,
    /// For each block, and each move within the head: the block that comes there.
    pub sources: Vec<u32>,
}

impl<'a> Blocks<'a> {
    pub fn new(coloured: &'a Coloured) -> Self {
        let (multiset, pulls) = (coloured.multiset(), &coloured.pulls);
        let mut sources = vec![NO_BLOCK; multiset.blocks() as usize * pulls.len()];
        // So many blocks at a time that finding the first one costs nothing.
        let at_a_time = 4096;
        if !pulls.is_empty() {
            sources.par_chunks_mut(at_a_time * pulls.len()).enumerate().for_each(|(number, sources)| {
                let mut heads = Heads::new(multiset, number * at_a_time);
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
        let copies = coloured.copies.par_iter().map(|change| Copies::new(multiset, &tails, change)).collect();
        let scatters = coloured.scatters.par_iter().map(|change| Scatter::new(multiset, &tails, change)).collect();
        let guards = coloured.colourings.guards.iter();
        let guards = guards.map(|&(guard, times)| guard_of(multiset, &tails, guard, times)).collect();
        let fixed = coloured.symmetries[1..].iter().map(|symmetry| fixed_by(coloured, symmetry)).collect();
        Self { begins: coloured.begins(), coloured, tails, copies, scatters, guards, fixed, sources }
    }

    /// How many moves within the head there are.
    pub fn pulls(&self) -> usize {
        self.coloured.pulls.len()
    }
}

impl Shape for Blocks<'_> {
    type Value = u64;

    fn blocks(&self) -> usize {
        self.begins.len() - 1
    }

    fn begin(&self, block: usize) -> usize {
        self.begins[block] as usize
    }

    fn block_of(&self, at: usize) -> usize {
        self.begins.partition_point(|&begin| begin as usize <= at) - 1
    }

    fn chunks(&self) -> usize {
        self.blocks().div_ceil(self.coloured.chunk_blocks)
    }

    fn first_block(&self, chunk: usize) -> usize {
        (chunk * self.coloured.chunk_blocks).min(self.blocks())
    }

    fn part_chunks(&self) -> usize {
        self.coloured.part_chunks
    }

    fn start(&self, rules: &Rules) -> (usize, u64) {
        let multiset = self.coloured.multiset();
        let labels = self.coloured.colourings.read(&rules.start);
        let (head, tail) = labels.split_at(multiset.head);
        let (block, composition) = multiset.rank_head(head, multiset.whole());
        let (place, _) = multiset.rank_tail(tail, composition);
        (self.begin(block as usize) + place as usize / 64, 1 << (place % 64))
    }

    fn holes(&self, at: usize) -> u64 {
        let (multiset, block) = (self.coloured.multiset(), self.block_of(at));
        let states = multiset.arrangements(Heads::new(multiset, block).left) as usize;
        let filled = states.saturating_sub((at - self.begin(block)) * 64);
        if filled >= 64 { 0 } else { !((1 << filled) - 1) }
    }

    fn moves(&self, at: usize, value: u64) -> u64 {
        let (coloured, block) = (self.coloured, self.block_of(at));
        let mut moves = u64::from(value.count_ones()) * coloured.colourings.free;
        if !self.guards.is_empty() {
            let heads = Heads::new(coloured.multiset(), block);
            let tail = self.tails.numbers[heads.left] as usize;
            for guard in &self.guards {
                let states = guard.states(&self.tails, &heads.labels, tail);
                let some = states.map(|states| states.get(at - self.begin(block)).map_or(value, |mask| value & mask));
                moves += u64::from(some.unwrap_or(0).count_ones()) * guard.times;
            }
        }
        moves
    }

    fn expand(&self, chunk: &mut Chunk<u64>, found: &mut Found) {
        cpu::run(Expand { blocks: self, chunk, found });
    }

    fn fixed(&self, values: &[u64], _states: u64) -> u64 {
        let is_set =
            |block: u32, place: u16| values[self.begin(block as usize) + place as usize / 64] >> (place % 64) & 1 != 0;
        let states = self.fixed.iter().flatten();
        states.filter(|&&(block, place)| is_set(block, place)).count() as u64
    }

    fn order(&self) -> usize {
        self.fixed.len() + 1
    }

    fn bytes(&self) -> u64 {
        self.coloured.bytes()
    }
}

/// What some moves need, with the states of each tail that have it.
fn guard_of(multiset: &Multiset, tails: &Tails, (place, label): (usize, u8), times: u64) -> Guard {
    let mut masks = Vec::new();
    if let Some(place) = place.checked_sub(multiset.head) {
        masks = vec![0u64; tails.words[tails.compositions.len()]];
        for (number, &tail) in tails.compositions.iter().enumerate() {
            let mask = &mut masks[tails.words[number]..];
            let mut at = 0;
            multiset.each_beginning(multiset.places - multiset.head, tail, &mut |labels| {
                mask[at / 64] |= u64::from(labels[place] == label) << (at % 64);
                at += 1;
            });
        }
    }
    Guard { place, label, times, masks }
}

/// The states that a symmetry leaves as they are, as their blocks and places.
fn fixed_by(coloured: &Coloured, symmetry: &Symmetry) -> Vec<(u32, u16)> {
    let (multiset, mut found) = (coloured.multiset(), Vec::new());
    coloured.colourings.each_fixed(symmetry, |labels| {
        let (head, tail) = labels.split_at(multiset.head);
        let (block, composition) = multiset.rank_head(head, multiset.whole());
        found.push((block as u32, multiset.rank_tail(tail, composition).0 as u16));
        true
    });
    found.sort_unstable();
    found
}
