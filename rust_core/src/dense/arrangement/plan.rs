//! How arrangements are swept: how large blocks and chunks are, and which moves fetch whole blocks or scatter in a
//! chunk.
//!
//! The theory is in `docs/enumeration.md`, "The dense store".
//!
//! # Four cells
//!
//! The digits of a sequence of four things have 4, 3, 2 and 1 values. Let the tail have two digits. The first two
//! digits, the head, are then the number of a block; there are 12 blocks. The last two digits say which of the block's
//! 2 sequences it is. A move that permutes the places from `i` to `j` changes only the digits from `i` to `j`. So:
//!
//! - A swap of the places 0 and 1 changes only digits of the head. It carries whole blocks onto whole blocks, and
//!   keeps the order within them. Each block *pulls* the block that comes to it, wherever that lies.
//! - A swap of the places 2 and 3 changes only digits of the tail. It leads to a state of the same block.
//! - A swap of the places 1 and 2 changes a digit of the head and one of the tail. It leads to another block, but
//!   digit 0 stays. If the 3 blocks with the same digit 0 are one chunk, it leads to a state of the same chunk.
//!
//! Moves of the last two kinds *push*: each state sets the bit of the state that the move leads to. One thread has the
//! whole chunk, so no other thread writes there. The chunk lies in the second-level cache, so scattered writes cost
//! little.

use std::collections::BTreeMap;

use crate::dense::tuning::Tuning;
use crate::index::{ArrangementIndex, Sequences, Table};

/// How many digits the tail of an index may have, the best number first. Six make blocks of 720 sequences.
const TAILS: [usize; 3] = [6, 5, 4];

/// The most sequences of a block: those of a tail of six digits.
pub(super) const MOST_BLOCK: usize = 720;

/// The most entries that all tables together may have in an index that is cut anew. With more, each state would have to
/// fetch from memory what a move does.
const MOST_ENTRIES: usize = 1 << 22;

/// The most entries if the cut is given. No version has made as many.
const MOST_GIVEN_ENTRIES: usize = 16 * MOST_ENTRIES;

/// A move that carries whole blocks onto whole blocks. Each block fetches the block that comes to it.
#[derive(Debug)]
pub(super) struct Pull {
    /// Leads from a block to the block that it fetches.
    pub table: Table,
    /// The lane that is fetched, and the lane that it goes to.
    pub from: usize,
    pub to: usize,
}

/// A move that stays within a chunk. Each state sets the bit of the state that the move leads to.
#[derive(Debug)]
pub(super) struct Push {
    pub table: Table,
    pub from: usize,
    pub to: usize,
}

/// Blocks, chunks of blocks, and the moves, grouped by what they do to blocks and chunks.
#[derive(Debug)]
pub(in crate::dense) struct ArrangementPlan {
    pub sequences: Sequences,
    /// How many blocks a chunk has.
    pub chunk_blocks: usize,
    pub(super) pulls: Vec<Pull>,
    pub(super) pushes: Vec<Push>,
    /// Moves of the pivot that change no sequence: how many lanes up (or down, if negative), and from which lanes.
    pub slides: Vec<(i32, u64)>,
    /// Sets of lanes, each with a number. The numbers of all sets that have a lane add up to how many moves can be made
    /// from that lane.
    pub moves: Vec<(u64, u64)>,
}

/// How many bits a sequence takes. The sequences of a block are filled up to a multiple of `unit`.
#[derive(Debug, Clone, Copy)]
pub(super) struct SequenceRoom {
    pub bits: usize,
    pub unit: usize,
}

/// Sequences that are cut into blocks, which are grouped into chunks.
struct ChunkedSequences {
    sequences: Sequences,
    /// How many of their first digits all sequences of a chunk have in common.
    chunk_digits: usize,
    /// How many more digits they would need in common for a chunk to be as small as is wanted.
    lost: usize,
}

impl ChunkedSequences {
    /// The smallest chunks that no push leaves, but with no more digits in common than `chunk_bytes` asks for.
    fn new(sequences: Sequences, arrangements: &ArrangementIndex, room: SequenceRoom, chunk_bytes: usize) -> Self {
        let (places, head) = (sequences.places, sequences.head);
        let blocks = |digits: usize| (digits..head).map(|at| (places - at) as u64).product::<u64>();
        // A given tail may be so long that its sizes do not fit the numbers. It is refused afterwards.
        let bytes = |digits: usize| blocks(digits).saturating_mul(sequences.stride as u64 * room.bits as u64) / 8;
        let wanted = (0..head).find(|&digits| bytes(digits) <= chunk_bytes as u64).unwrap_or(head);
        // A push must not change a digit that its chunk has in common. With no digit in common, no push does.
        let stays = |digits: usize| {
            let mut shuffles = arrangements.ways.iter().filter_map(|way| way.shuffle.as_ref());
            shuffles.all(|shuffle| shuffle.first >= digits || shuffle.last() < head)
        };
        let chunk_digits = (0..=wanted).rev().find(|&digits| stays(digits)).unwrap_or(0);
        Self { sequences, chunk_digits, lost: wanted - chunk_digits }
    }
}

impl ArrangementPlan {
    /// The plan for the tail whose chunks come nearest to the wanted size.
    pub(super) fn propose(arrangements: &ArrangementIndex, room: SequenceRoom, tuning: Tuning) -> Option<Self> {
        let of_tail = |tail: usize| {
            let sequences = Sequences::new(arrangements.places(), arrangements.even, tail, room.unit);
            ChunkedSequences::new(sequences, arrangements, room, tuning.chunk_bytes)
        };
        let chunked = TAILS.into_iter().map(of_tail).min_by_key(|chunked| chunked.lost)?;
        Self::new(arrangements, chunked, MOST_ENTRIES)
    }

    /// The plan for a given tail and stride; `None` if sequences cannot be cut like that.
    pub(super) fn of_cut(
        arrangements: &ArrangementIndex,
        room: SequenceRoom,
        (tail, stride): (usize, usize),
        tuning: Tuning,
    ) -> Option<Self> {
        let places = arrangements.places();
        // In even sequences the last two digits are one value, which must not be split between head and tail.
        if tail > places || tail < places.min(2) {
            return None;
        }
        let least = Sequences::new(places, arrangements.even, tail, room.unit);
        if least.block > MOST_BLOCK || stride < least.stride || stride % room.unit != 0 || stride > 2 * MOST_BLOCK {
            return None;
        }
        let sequences = Sequences { stride, ..least };
        let chunked = ChunkedSequences::new(sequences, arrangements, room, tuning.chunk_bytes);
        Self::new(arrangements, chunked, MOST_GIVEN_ENTRIES)
    }

    /// Makes the tables; `None` if they have more than `most` entries.
    fn new(arrangements: &ArrangementIndex, chunked: ChunkedSequences, most: usize) -> Option<Self> {
        let ChunkedSequences { sequences, chunk_digits, .. } = chunked;
        let shuffles = arrangements.ways.iter().filter_map(|way| way.shuffle.as_ref());
        let entries = shuffles.fold(0u64, |sum, shuffle| sum.saturating_add(Table::entries(&sequences, shuffle)));
        let chunk_blocks: u64 = (chunk_digits..sequences.head).map(|at| sequences.radix(at) as u64).product();
        // Places in a chunk are numbered by 32 bits.
        if entries > most as u64 || chunk_blocks.saturating_mul(sequences.stride as u64) > u64::from(u32::MAX) {
            return None;
        }
        let chunk_blocks = chunk_blocks as usize;
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
        let slides = slides.into_iter().collect();
        Some(Self { sequences, chunk_blocks, pulls, pushes, slides, moves: move_counts(arrangements) })
    }

    /// The bytes of all tables.
    pub fn table_bytes(&self) -> usize {
        let tables = self.pulls.iter().map(|pull| &pull.table).chain(self.pushes.iter().map(|push| &push.table));
        tables.map(|table| table.deltas.len() * 4 + table.inner.len() * 2).sum()
    }
}

/// The lanes from which at least one move can be made, the lanes from which at least two can, and so on. Equal sets are
/// listed once, with how many times they occur. If four lanes have 2, 3, 3 and 2 moves, these are all four lanes,
/// twice, and the middle two, once.
fn move_counts(arrangements: &ArrangementIndex) -> Vec<(u64, u64)> {
    let counts = &arrangements.moves[..arrangements.lanes()];
    let mut sets: BTreeMap<u64, u64> = BTreeMap::new();
    for least in 1..=counts.iter().copied().max().unwrap_or(0) {
        let lanes = (0..counts.len()).filter(|&lane| counts[lane] >= least).fold(0, |lanes, lane| lanes | 1 << lane);
        *sets.entry(lanes).or_default() += 1;
    }
    sets.into_iter().collect()
}

/// The digits of the head, for one block after another.
pub(super) struct HeadDigits<'a> {
    sequences: &'a Sequences,
    pub digits: [usize; 16],
    /// Whether the sum of the digits is odd.
    pub odd: bool,
}

impl<'a> HeadDigits<'a> {
    /// The digits of a block.
    pub fn new(sequences: &'a Sequences, block: usize) -> Self {
        let mut digits = [0; 16];
        let head = sequences.digits(block as u64, 0);
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
