//! How the index of arrangements is swept: which moves fetch whole blocks, which scatter within a chunk.

use std::collections::BTreeMap;

use crate::index::{Arrangements, Sequences, Table};
use crate::run::Grain;

/// How many digits the tail of an index has, from the best on: six make blocks of 720 sequences.
const TAILS: [usize; 3] = [6, 5, 4];

/// The most bytes of a chunk: three of them, of the last depth, the next one and all before, stay in the second-level cache.
const CHUNK_BYTES: usize = 64 << 10;

/// The most entries of all tables: with more, what a move does would be fetched from memory for each state.
const MOST_ENTRIES: usize = 1 << 22;

/// A move that carries whole blocks onto whole blocks: each block fetches what comes to it.
#[derive(Debug)]
pub(in crate::dense) struct Pull {
    /// From a block to the block that it fetches from.
    pub table: Table,
    /// The lane that is fetched, and the lane that it goes to.
    pub from: usize,
    pub to: usize,
}

/// A move that stays within a chunk: each state puts what comes of it in its place.
#[derive(Debug)]
pub(in crate::dense) struct Push {
    pub table: Table,
    pub from: usize,
    pub to: usize,
}

/// Blocks, and chunks of blocks: the unit of parallel work. What one chunk scatters stays in it.
#[derive(Debug)]
pub(in crate::dense) struct Plan {
    pub sequences: Sequences,
    /// How many blocks a chunk has.
    pub chunk_blocks: usize,
    pub pulls: Vec<Pull>,
    pub pushes: Vec<Push>,
    /// Moves of the pivot that change no sequence: how many lanes up (or down, where negative), and from which lanes.
    pub slides: Vec<(i32, u64)>,
    /// How many moves can be made: so many more from each of these lanes.
    pub moves: Vec<(u64, u64)>,
}

impl Plan {
    /// The bytes of all tables.
    pub fn table_bytes(&self) -> usize {
        let tables = self.pulls.iter().map(|pull| &pull.table).chain(self.pushes.iter().map(|push| &push.table));
        tables.map(|table| table.deltas.len() * 4 + table.inner.len() * 2).sum()
    }
}

impl Plan {
    /// The plan for sequences of which each takes so many bits; blocks are filled up to a multiple of `unit` sequences.
    pub fn new(arrangements: &Arrangements, bits: usize, unit: usize, grain: Option<Grain>) -> Option<Self> {
        let most = grain.map_or(CHUNK_BYTES, |grain| grain.block_states);
        let places = arrangements.places();
        let shuffles = || arrangements.ways.iter().filter_map(|way| way.shuffle.as_ref());
        let (sequences, fixed) = TAILS
            .iter()
            .filter_map(|&tail| {
                let sequences = Sequences::new(places, arrangements.even, tail, unit);
                let bytes = |digits: usize| {
                    (digits..sequences.head).map(|at| places - at).product::<usize>() * sequences.stride * bits / 8
                };
                let few = (0..sequences.head).find(|&digits| bytes(digits) <= most).unwrap_or(sequences.head);
                let stays = |digits: usize| {
                    shuffles().all(|shuffle| shuffle.first >= digits || shuffle.last() < sequences.head)
                };
                let digits = (0..=few).rev().find(|&digits| stays(digits))?;
                Some((few - digits, sequences, digits))
            })
            .min_by_key(|&(lost, ..)| lost)
            .map(|(_, sequences, digits)| (sequences, digits))?;
        let entries = shuffles().fold(0usize, |sum, shuffle| sum.saturating_add(Table::entries(&sequences, shuffle)));
        if entries > MOST_ENTRIES {
            return None;
        }
        let (mut pulls, mut pushes) = (Vec::new(), Vec::new());
        let mut slides: BTreeMap<i32, u64> = BTreeMap::new();
        for way in &arrangements.ways {
            let (from, to) = (way.from, way.to);
            match &way.shuffle {
                None => *slides.entry(to as i32 - from as i32).or_default() |= 1 << from,
                Some(shuffle) if shuffle.last() < sequences.head => {
                    pulls.push(Pull { table: Table::new(&sequences, &shuffle.inverse())?, from, to });
                }
                Some(shuffle) => pushes.push(Push { table: Table::new(&sequences, shuffle)?, from, to }),
            }
        }
        let chunk_blocks = (fixed..sequences.head).map(|at| sequences.radix(at)).product();
        let mut moves: BTreeMap<u64, u64> = BTreeMap::new();
        let counts = &arrangements.moves[..arrangements.lanes()];
        for least in 1..=counts.iter().copied().max().unwrap_or(0) {
            let lanes =
                (0..counts.len()).filter(|&lane| counts[lane] >= least).fold(0, |lanes, lane| lanes | 1 << lane);
            *moves.entry(lanes).or_default() += 1;
        }
        let (slides, moves) = (slides.into_iter().collect(), moves.into_iter().collect());
        Some(Self { sequences, chunk_blocks, pulls, pushes, slides, moves })
    }
}

/// The digits of the head of one block after another.
pub(super) struct Heads<'a> {
    sequences: &'a Sequences,
    pub digits: [usize; 16],
    /// Whether the sum of the digits is odd.
    pub odd: bool,
}

impl<'a> Heads<'a> {
    /// The digits of a block.
    pub fn new(sequences: &'a Sequences, block: usize) -> Self {
        let mut digits = [0; 16];
        let head = sequences.digits(block, 0);
        digits[..sequences.head].copy_from_slice(&head[..sequences.head]);
        let odd = digits.iter().sum::<usize>() % 2 == 1;
        Self { sequences, digits, odd }
    }

    /// Goes on to the next block.
    #[inline(always)]
    pub fn next(&mut self) {
        for at in (0..self.sequences.head).rev() {
            self.digits[at] += 1;
            if self.digits[at] < self.sequences.radix(at) {
                self.odd = !self.odd;
                return;
            }
            self.odd ^= (self.digits[at] - 1) % 2 == 1;
            self.digits[at] = 0;
        }
    }
}
