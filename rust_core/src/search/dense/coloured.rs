//! Arrangements in which symbols repeat: how their index is cut up, and what moves do to it.

use rayon::prelude::*;

use super::copies::{Copies, Scatter, Tails, words_of};
use super::recolour::Expand;
use super::shape::{Chunk, Found, Shape};
use super::sweep::Sweep;
use crate::compile::cpu;
use crate::error::Result;
use crate::rank::{Change, Colourings, Heads, Multiset};
use crate::rules::{Rules, Symmetry};
use crate::search::{Grain, Options, Report, Watch};
use crate::store::Job;

/// The most states of a block: its words and the places that moves lead to stay in the first-level cache.
const BLOCK_STATES: u64 = 8192;

/// How many words a chunk has, about.
const CHUNK_WORDS: u64 = 8 << 10;

/// How many chunks make a part of a depth, at which threads wait for each other: some seconds of work.
const PART_CHUNKS: usize = 1 << 12;

/// The most words of an array: their places are numbers of 32 bits.
const MOST_WORDS: u64 = 1 << 32;

/// The most pieces of all moves: with more, what moves do would be fetched from memory for each of them.
const MOST_PIECES: usize = 1 << 22;

/// The most states that all symmetries other than the identity may fix together: they are listed.
const MOST_FIXED: usize = 1 << 20;

/// No block leads to this one by that move.
pub(super) const NO_BLOCK: u32 = u32::MAX;

/// Rules whose states are arrangements in which symbols repeat, and how their index is swept.
#[derive(Debug)]
pub struct Coloured {
    pub(super) colourings: Colourings,
    pub(super) tails: Tails,
    /// The moves within the head: whole blocks come from others.
    pulls: Vec<Change>,
    /// The moves of which some or many states are copied together, and those within the tail of which they are not.
    pub(super) copies: Vec<Copies>,
    pub(super) scatters: Vec<Scatter>,
    /// What moves need: where, and in how many of them.
    pub(super) guards: Vec<Guard>,
    chunk_blocks: usize,
    part_chunks: usize,
    /// How many words the array has.
    words: u64,
    /// For each symmetry but the identity, the blocks and the places of the states that it leaves as they are.
    fixed: Vec<Vec<(u32, u16)>>,
}

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

/// How much time a move takes with each way to make it, in nanoseconds a state over a whole search of some depths.
mod cost {
    /// How many depths have states in most blocks, about.
    const DEPTHS: f64 = 16.0;
    pub const SCATTER: f64 = 2.0;
    /// More than this, a hash table does as well.
    pub const MOST: f64 = 40.0;

    /// To copy pieces of so many states each.
    pub fn copy(states: f64) -> f64 {
        DEPTHS * (0.03 + 4.0 / states)
    }
}

/// How the moves are made with a head of some length: those within the head, in pieces, and scattered.
struct Ways<'a> {
    cost: f64,
    pulls: Vec<&'a Change>,
    copies: Vec<&'a Change>,
    scatters: Vec<&'a Change>,
}

impl<'a> Ways<'a> {
    fn new(changes: &'a [Change], head: usize, beginnings: &[u64]) -> Self {
        let all = beginnings[beginnings.len() - 1] as f64;
        let mut ways = Self { cost: 0.0, pulls: Vec::new(), copies: Vec::new(), scatters: Vec::new() };
        for change in changes {
            if change.last < head {
                ways.cost += cost::copy(all / beginnings[head] as f64);
                ways.pulls.push(change);
                continue;
            }
            let copy = cost::copy(all / beginnings[change.last + 1] as f64);
            if change.first >= head && copy > cost::SCATTER {
                ways.cost += cost::SCATTER;
                ways.scatters.push(change);
            } else {
                ways.cost += copy;
                ways.copies.push(change);
            }
        }
        ways
    }
}

impl Coloured {
    /// The index of some rules, where moves do nothing but rearrange symbols of which some come more than once.
    pub fn new(rules: &Rules, symmetries: &[Symmetry], grain: Option<Grain>) -> Option<Self> {
        let mut colourings = Colourings::of_rules(rules)?;
        let most = grain.map_or(BLOCK_STATES, |grain| (grain.block_states as u64).clamp(1, BLOCK_STATES));
        let beginnings = colourings.multiset.beginnings();
        let fits = |head: usize| {
            let multiset = colourings.multiset.clone().with_head(head);
            let largest = multiset.tail_compositions().map(|(tail, _)| multiset.arrangements(tail)).max();
            largest.is_some_and(|largest| largest <= most) && multiset.blocks() < i32::MAX as u64
        };
        let places = colourings.multiset.places;
        let ways = |head: usize| Ways::new(&colourings.changes, head, &beginnings);
        let (head, ways) = (0..=places)
            .filter(|&head| fits(head))
            .map(|head| (head, ways(head)))
            .min_by(|one, other| one.1.cost.total_cmp(&other.1.cost))?;
        let multiset = colourings.multiset.clone().with_head(head);
        let words_of = |(tail, heads)| words_of(&multiset, tail) as u64 * heads;
        let words: u64 = multiset.tail_compositions().map(words_of).sum();
        let slow = grain.is_none() && ways.cost > cost::MOST * colourings.changes.len().max(1) as f64;
        if words > MOST_WORDS || slow {
            return None;
        }
        let tails = Tails::new(&multiset);
        let mut left = MOST_PIECES;
        let copies = ways.copies.iter().map(|change| {
            let copies = Copies::new(&multiset, &tails, change, left)?;
            left -= copies.bytes() / 16;
            Some(copies)
        });
        let copies = copies.collect::<Option<Vec<_>>>()?;
        let scatters = ways.scatters.iter().map(|change| Scatter::new(&multiset, &tails, change)).collect();
        let pulls = ways.pulls.into_iter().cloned().collect();
        let guards =
            colourings.guards.iter().map(|&(guard, times)| guard_of(&multiset, &tails, guard, times)).collect();
        let words_a_block = (words / multiset.blocks()).max(1);
        let chunk_blocks = if grain.is_some() { 1 } else { (CHUNK_WORDS / words_a_block).max(1) as usize };
        colourings.multiset = multiset;
        let fixed = fixed(&colourings, symmetries)?;
        let part_chunks = if grain.is_some() { 1 } else { PART_CHUNKS };
        Some(Self { colourings, tails, pulls, copies, scatters, guards, chunk_blocks, part_chunks, words, fixed })
    }

    /// The numbers that the layout depends on.
    pub fn layout(&self) -> Vec<u64> {
        let order = self.colourings.order.iter().map(|&cell| cell as u64);
        order.chain([self.multiset().head as u64]).collect()
    }

    /// The bytes of memory that a run takes.
    pub fn bytes(&self) -> u64 {
        let blocks = self.multiset().blocks();
        let copies: usize = self.copies.iter().map(Copies::bytes).sum();
        let scatters: usize = self.scatters.iter().map(Scatter::bytes).sum();
        let guards: usize = self.guards.iter().map(|guard| guard.masks.len() * 8).sum();
        let fixed: usize = self.fixed.iter().map(|states| states.len() * size_of::<(u32, u16)>()).sum();
        let tables = copies + scatters + guards + fixed;
        3 * 8 * self.words + blocks * (2 + 4 + 4 * self.pulls.len() as u64) + tables as u64
    }

    pub(super) fn multiset(&self) -> &Multiset {
        &self.colourings.multiset
    }

    /// Where each block begins among the words, and where all end.
    pub(super) fn begins(&self) -> Vec<u32> {
        let multiset = self.multiset();
        let blocks = multiset.blocks() as usize;
        let mut begins = Vec::with_capacity(blocks + 1);
        let (mut heads, mut begin) = (Heads::new(multiset, 0), 0u64);
        for _ in 0..blocks {
            begins.push(begin as u32);
            begin += words_of(multiset, heads.left) as u64;
            heads.next();
        }
        begins.push(begin as u32);
        begins
    }

    /// Checks the depths of a job: that each holds what it counts, and none what an earlier one holds.
    ///
    /// # Errors
    ///
    /// As [`super::Dense::verify`].
    pub fn verify(&self, rules: &Rules, job: &Job) -> Result<()> {
        Sweep::new(&Blocks::new(self), rules)?.verify(job)
    }

    /// Enumerates all states that play can reach, by depth.
    ///
    /// # Errors
    ///
    /// As [`super::Dense::enumerate`].
    pub fn enumerate(&self, rules: &Rules, options: &Options, job: Option<&mut Job>, watch: Watch) -> Result<Report> {
        Sweep::new(&Blocks::new(self), rules)?.run(options, job, watch)
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
                true
            });
        }
    }
    Guard { place, label, times, masks }
}

/// For each symmetry but the first, the states that it leaves as they are; `None` where they are too many to list.
fn fixed(colourings: &Colourings, symmetries: &[Symmetry]) -> Option<Vec<Vec<(u32, u16)>>> {
    let (multiset, mut left) = (&colourings.multiset, MOST_FIXED);
    let fixed_by = |symmetry: &Symmetry| {
        let mut found = Vec::new();
        colourings
            .each_fixed(symmetry, |labels| {
                let (head, tail) = labels.split_at(multiset.head);
                let (block, composition) = multiset.rank_head(head, multiset.whole());
                found.push((block as u32, multiset.rank_tail(tail, composition).0 as u16));
                found.len() <= left
            })
            .then_some(())?;
        left -= found.len();
        found.sort_unstable();
        Some(found)
    };
    symmetries[1..].iter().map(fixed_by).collect()
}

/// The blocks of an index, and where whole ones come from.
pub(super) struct Blocks<'a> {
    pub coloured: &'a Coloured,
    begins: Vec<u32>,
    /// For each block, and each move within the head: the block that comes there.
    pub sources: Vec<u32>,
}

impl<'a> Blocks<'a> {
    fn new(coloured: &'a Coloured) -> Self {
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
        Self { begins: coloured.begins(), coloured, sources }
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
        if !coloured.guards.is_empty() {
            let heads = Heads::new(coloured.multiset(), block);
            let tail = coloured.tails.numbers[heads.left] as usize;
            for guard in &coloured.guards {
                let states = guard.states(&coloured.tails, &heads.labels, tail);
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
        let states = self.coloured.fixed.iter().flatten();
        states.filter(|&&(block, place)| is_set(block, place)).count() as u64
    }

    fn order(&self) -> usize {
        self.coloured.fixed.len() + 1
    }

    fn bytes(&self) -> u64 {
        self.coloured.bytes()
    }
}
