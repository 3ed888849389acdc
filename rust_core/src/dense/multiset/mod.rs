//! Arrangements in which symbols repeat: how their index is cut up, and how moves are made in it.

mod blocks;
mod copies;
mod recolour;

use super::sweep::Sweep;
use crate::error::Result;
use crate::index::{Change, Heads, Multiset, MultisetPermutations};
use crate::job::Job;
use crate::rules::{Rules, Symmetry};
use crate::run::{Grain, Options, Report, Watch};
use crate::structure::Structure;
use blocks::Blocks;
use copies::{table_bytes, words_of};

/// The most states of a block: its words and the places that moves lead to stay in the first-level cache.
pub(super) const BLOCK_STATES: u64 = 8192;

/// How many words a chunk has, about.
const CHUNK_WORDS: u64 = 8 << 10;

/// How many chunks make a part of a depth, at which threads wait for each other: some seconds of work.
const PART_CHUNKS: usize = 1 << 12;

/// The most bytes of all tables: with more, what moves do would be fetched from memory each time.
const MOST_TABLES: u64 = 64 << 20;

/// The most states that all symmetries other than the identity may fix together: they are listed.
const MOST_FIXED: usize = 1 << 20;

/// Rules whose states are arrangements in which symbols repeat, and how their index is swept.
#[derive(Debug)]
pub struct Coloured {
    pub(super) colourings: MultisetPermutations,
    pub(super) symmetries: Vec<Symmetry>,
    /// The moves within the head: whole blocks come from others.
    pub(super) pulls: Vec<Change>,
    /// The moves of which some or many states are copied together, and those within the tail of which they are not.
    pub(super) copies: Vec<Change>,
    pub(super) scatters: Vec<Change>,
    pub(super) chunk_blocks: usize,
    pub(super) part_chunks: usize,
    bytes: u64,
    /// Whether a hash table does as well, as far as can be told.
    pub(super) slow: bool,
}

/// How long it takes to make a move in each way, in nanoseconds a state over a whole search of some depths.
mod cost {
    /// How many depths have states in most blocks, about.
    const DEPTHS: f64 = 16.0;
    /// To put each state in its place.
    pub const SCATTER: f64 = 2.0;
    /// To find out where a state goes, or a piece, before the search.
    pub const PLAN: f64 = 150.0;
    /// More than this for each move, a hash table does as well.
    pub const MOST: f64 = 40.0;

    /// To copy pieces of so many states each.
    pub fn copy(states: f64) -> f64 {
        DEPTHS * (0.03 + 4.0 / states)
    }
}

/// How the moves are made with a head of some length: those within the head, in pieces, and scattered.
struct Ways<'a> {
    head: usize,
    cost: f64,
    tables: u64,
    pulls: Vec<&'a Change>,
    copies: Vec<&'a Change>,
    scatters: Vec<&'a Change>,
}

/// What is known of all heads together.
struct Lengths<'a> {
    multiset: &'a Multiset,
    /// For each length, how many beginnings arrangements have.
    beginnings: Vec<u64>,
    /// For each length, and each composition: how many beginnings it has.
    of_compositions: Vec<Vec<u64>>,
}

impl<'a> Lengths<'a> {
    fn new(multiset: &'a Multiset, most: usize) -> Self {
        let mut of_compositions = vec![vec![1; multiset.whole() + 1]];
        for length in 0..most {
            of_compositions.push(multiset.longer(&of_compositions[length]));
        }
        Self { multiset, beginnings: multiset.beginnings(), of_compositions }
    }

    /// How the moves are made with a head of so many places, where blocks have no more than so many states.
    fn ways<'b>(&self, changes: &'b [Change], head: usize, most: u64) -> Option<Ways<'b>> {
        let multiset = self.multiset;
        let tails: Vec<usize> = multiset.endings(multiset.places - head).map(|(tail, _)| tail).collect();
        if tails.iter().any(|&tail| multiset.arrangements(tail) > most) || self.beginnings[head] >= i32::MAX as u64 {
            return None;
        }
        let all = multiset.arrangements(multiset.whole()) as f64;
        let states = tails.iter().map(|&tail| multiset.arrangements(tail)).sum();
        let copied = |length: usize| cost::copy(all / self.beginnings[length] as f64);
        let mut ways = Ways { head, cost: 0.0, tables: 0, pulls: Vec::new(), copies: Vec::new(), scatters: Vec::new() };
        let mut planned = 0u64;
        for change in changes {
            if change.last < head {
                ways.cost += copied(head);
                planned = planned.saturating_add(self.beginnings[head]);
                ways.pulls.push(change);
                continue;
            }
            let copy = copied(change.last + 1);
            if change.first >= head && copy > cost::SCATTER {
                ways.cost += cost::SCATTER;
                ways.scatters.push(change);
                ways.tables = ways.tables.saturating_add(table_bytes(0, 0, states));
                planned = planned.saturating_add(states);
            } else {
                ways.cost += copy;
                ways.copies.push(change);
                let (before, after) = (head - change.first.min(head), change.last + 1 - head);
                let contents = (multiset.labels() as u64).saturating_pow(before as u32);
                let pieces = tails.iter().fold(0u64, |sum, &tail| {
                    let begins = self.of_compositions[before][multiset.whole() - tail];
                    sum.saturating_add(begins.saturating_mul(self.of_compositions[after][tail]))
                });
                let contents = contents.saturating_mul(tails.len() as u64);
                ways.tables = ways.tables.saturating_add(table_bytes(contents, pieces, 0));
                planned = planned.saturating_add(pieces).saturating_add(contents / 8);
            }
        }
        ways.cost += cost::PLAN * planned as f64 / all;
        (ways.tables <= MOST_TABLES).then_some(ways)
    }
}

impl Coloured {
    /// The index of some rules, where moves do nothing but rearrange symbols of which some come more than once.
    pub fn new(structure: &Structure, symmetries: &[Symmetry], grain: Option<Grain>) -> Option<Self> {
        let mut colourings = MultisetPermutations::of_structure(structure)?;
        let most = grain.map_or(BLOCK_STATES, |grain| (grain.block_states as u64).clamp(1, BLOCK_STATES));
        let widest = colourings.changes.iter().map(|change| change.last + 1).max().unwrap_or(0);
        let lengths = Lengths::new(&colourings.multiset, widest);
        let ways = (0..=colourings.multiset.places)
            .filter_map(|head| lengths.ways(&colourings.changes, head, most))
            .min_by(|one, other| one.cost.total_cmp(&other.cost))?;
        let fixed = fixed_count(&colourings, symmetries)?;
        let multiset = colourings.multiset.clone().with_head(ways.head);
        let (mut words, mut tail_words) = (0, 0);
        for (tail, heads) in multiset.endings(multiset.places - multiset.head) {
            words += words_of(&multiset, tail) as u64 * heads;
            tail_words += words_of(&multiset, tail) as u64;
        }
        let blocks = multiset.blocks();
        let guards = colourings.guards.iter().filter(|((place, _), _)| *place >= multiset.head).count() as u64;
        let tables = ways.tables + guards * tail_words * 8 + fixed as u64 * size_of::<(u32, u16)>() as u64;
        let (arrays, blocks_tables) = (3 * 8 * words, blocks * (2 + 4 + 4 * ways.pulls.len() as u64));
        let bytes = arrays + blocks_tables + tables;
        let slow = ways.cost > cost::MOST * colourings.changes.len().max(1) as f64 || blocks_tables > 4 * arrays;
        let changes = |some: Vec<&Change>| some.into_iter().cloned().collect();
        let (pulls, copies, scatters) = (changes(ways.pulls), changes(ways.copies), changes(ways.scatters));
        let chunk_blocks = if grain.is_some() { 1 } else { (CHUNK_WORDS / (words / blocks).max(1)).max(1) as usize };
        let part_chunks = if grain.is_some() { 1 } else { PART_CHUNKS };
        let symmetries = symmetries.to_vec();
        colourings.multiset = multiset;
        Some(Self { colourings, symmetries, pulls, copies, scatters, chunk_blocks, part_chunks, bytes, slow })
    }

    /// The numbers that the layout depends on.
    pub fn layout(&self) -> Vec<u64> {
        let order = self.colourings.order.iter().map(|&cell| cell as u64);
        order.chain([self.multiset().head as u64]).collect()
    }

    /// The bytes of memory that a run takes.
    pub fn bytes(&self) -> u64 {
        self.bytes
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

/// How many states the symmetries but the first leave as they are; `None` where they are too many to list.
fn fixed_count(colourings: &MultisetPermutations, symmetries: &[Symmetry]) -> Option<usize> {
    let mut count = 0;
    let mut few = |symmetry: &Symmetry| {
        colourings.each_fixed(symmetry, |_| {
            count += 1;
            count <= MOST_FIXED
        })
    };
    symmetries[1..].iter().all(&mut few).then_some(count)
}
