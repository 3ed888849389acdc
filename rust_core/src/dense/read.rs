//! The states that a job of the dense store has kept, one by one.

use super::Dense;
use super::arrangement::Arranged;
use super::multiset::Coloured;
use super::placement::{Images, Placed};
use super::shape::Shape;
use super::toggle::Toggled;
use crate::error::Result;
use crate::index::{Cells, Heads, Sequences, subsets};
use crate::job::Job;
use crate::rules::Symbol;

/// Where a state is in an index: the number of a sequence and the place of the pivot, a row and a column, a block
/// and a place in it, or a number alone.
pub type Place = (usize, usize);

/// How the states of one depth are read.
pub enum Reading<'a> {
    /// Each state of a class comes.
    Arranged(&'a Arranged),
    /// Likewise.
    Toggled(&'a Toggled),
    /// Likewise.
    Coloured {
        /// The index.
        coloured: &'a Coloured,
        /// Where each block begins.
        begins: Vec<u32>,
    },
    /// One state of a class comes: not always the smallest.
    Placed {
        /// The index.
        placed: &'a Placed,
        /// The cells of the first mark, for each row.
        rows: Vec<Cells>,
        /// The cells of the second mark among the others, for each column.
        columns: Vec<Cells>,
    },
}

impl Dense {
    /// How the states of a depth are read.
    pub fn reading(&self, depth: u64) -> Reading<'_> {
        match self {
            Self::Arranged(index) => Reading::Arranged(index),
            Self::Toggled(index) => Reading::Toggled(index),
            Self::Coloured(coloured) => Reading::Coloured { coloured, begins: coloured.begins() },
            Self::Placed(placed) => {
                let (cells, [first, second]) = (placed.placements.cells, placed.placements.counts(depth));
                let rows = Images::new(&placed.symmetries).canonical(cells, first);
                Reading::Placed { placed, rows, columns: subsets(cells - first, second) }
            }
        }
    }
}

impl Reading<'_> {
    /// Whether each state of a class comes, not one alone.
    pub fn is_raw(&self) -> bool {
        !matches!(self, Self::Placed { .. })
    }

    /// Calls `found` with the places of all states of a depth, some at a time.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] where the file is not what was written; those of `found`.
    pub fn each_place(&self, job: &Job, depth: usize, mut found: impl FnMut(&[Place]) -> Result<()>) -> Result<()> {
        let mut places = Vec::new();
        job.read_array(depth, self.bytes(), |begin, bytes| {
            places.clear();
            for (at, &byte) in bytes.iter().enumerate().filter(|&(_, &byte)| byte != 0) {
                for bit in (0..8).filter(|bit| byte >> bit & 1 != 0) {
                    places.push(self.place((begin + at) * 8 + bit).ok_or_else(|| job.lacks(depth))?);
                }
            }
            found(&places)
        })
    }

    /// How long the array is.
    fn bytes(&self) -> usize {
        match self {
            Self::Arranged(index) => {
                let Sequences { stride, .. } = index.plan.sequences;
                index.plan.sequences.blocks() * stride * lane_bits(index) / 8
            }
            Self::Toggled(index) => index.begin(index.blocks()) * 8,
            Self::Coloured { begins, .. } => begins[begins.len() - 1] as usize * 8,
            Self::Placed { rows, columns, .. } => rows.len() * columns.len().div_ceil(64) * 8,
        }
    }

    /// The place of a bit of the array, whose values are in the order of this machine's bytes: the least comes first.
    fn place(&self, bit: usize) -> Option<Place> {
        match self {
            Self::Arranged(index) => {
                let bits = lane_bits(index);
                let place = (bit / bits, bit % bits);
                (place.1 < index.arrangements.lanes()
                    && place.0 % index.plan.sequences.stride < index.plan.sequences.block)
                    .then_some(place)
            }
            Self::Toggled(index) => (bit >> index.combinations.bits() == 0).then_some((bit, 0)),
            Self::Coloured { coloured, begins } => {
                let block = begins.partition_point(|&begin| begin as usize * 64 <= bit) - 1;
                let place = bit - begins[block] as usize * 64;
                let multiset = coloured.multiset();
                let states = multiset.arrangements(Heads::new(multiset, block).left);
                ((place as u64) < states).then_some((block, place))
            }
            Self::Placed { columns, .. } => {
                let stride = columns.len().div_ceil(64) * 64;
                Some((bit / stride, bit % stride)).filter(|&(_, column)| column < columns.len())
            }
        }
    }

    /// The state at a place.
    pub fn state(&self, (one, other): Place) -> Vec<Symbol> {
        match self {
            Self::Arranged(index) => {
                let sequence = index.plan.sequences.unrank(one).unwrap_or_default();
                index.arrangements.write(&sequence, other)
            }
            Self::Toggled(index) => index.combinations.write(one as u64),
            Self::Coloured { coloured, .. } => {
                let multiset = coloured.multiset();
                let Heads { mut labels, left, .. } = Heads::new(multiset, one);
                labels.extend(multiset.tail(left, other as u64));
                coloured.colourings.write(&labels)
            }
            Self::Placed { placed, rows, columns } => {
                let (first, mut second) = (rows[one], 0);
                let free = (0..placed.placements.cells).filter(|cell| first >> cell & 1 == 0);
                for (place, cell) in free.enumerate() {
                    second |= (columns[other] >> place & 1) << cell;
                }
                placed.placements.write(first, second)
            }
        }
    }
}

/// How many bits a sequence takes in the files.
fn lane_bits(index: &Arranged) -> usize {
    if index.arrangements.pivot.is_some() { u16::BITS as usize } else { 1 }
}
