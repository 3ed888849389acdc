//! Reads the states that a job of the dense store has kept, one by one.

use super::arrangement::PlaneShape;
use super::dial::DialShape;
use super::multiset::MultisetShape;
use super::pieces::PieceShape;
use super::placement::{PlacementShape, SetImages};
use super::toggle::ToggleShape;
use crate::error::Result;
use crate::index::{Cells, HeadWalk, Index, subsets};
use crate::job::Job;
use crate::rules::Symbol;

/// The place of a state in an index, as two numbers. Of an arrangement: its bit, and 0. Of a toggle or a dial: its
/// number, and 0. Of a multiset or of pieces: its block, and its place there. Of a placement: its row, and its column.
pub type Place = (usize, usize);

/// A reader of the states of one depth.
pub enum Reading<'a> {
    /// Each state has a bit.
    Planes(&'a PlaneShape),
    /// Each state has a bit.
    Toggle(&'a ToggleShape),
    /// Each state has a bit.
    Dial(&'a DialShape),
    /// Each state has a bit.
    Pieces(&'a PieceShape),
    /// Each state has a bit.
    Multiset {
        /// The shape.
        shape: &'a MultisetShape,
        /// The first word of each block, and the number of all words.
        begins: Vec<u32>,
    },
    /// One state of each orbit has a bit. It is not always the smallest.
    Placement {
        /// The shape.
        shape: &'a PlacementShape,
        /// For each row, the cells of the first mark.
        rows: Vec<Cells>,
        /// For each column, the set of the cells of the second mark. These are numbered among the cells without the
        /// first mark.
        columns: Vec<Cells>,
    },
}

impl<'a> Reading<'a> {
    /// A reader of the depths of a multiset.
    pub fn of_multiset(shape: &'a MultisetShape) -> Self {
        Self::Multiset { shape, begins: shape.begins() }
    }

    /// A reader of a depth of placements.
    pub fn of_placement(shape: &'a PlacementShape, depth: u64) -> Self {
        let (cells, [first, second]) = (shape.index.cells, shape.index.counts(depth));
        let rows = SetImages::new(&shape.symmetries).canonical(cells, first);
        Self::Placement { shape, rows, columns: subsets(cells - first, second) }
    }

    /// Returns `true` if each state has a bit. Otherwise each orbit has one.
    pub fn is_raw(&self) -> bool {
        !matches!(self, Self::Placement { .. })
    }

    /// Calls `found` with the places of all states of a depth, a few at a time.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`] if the file has changed since it was written, and the errors of `found`.
    pub fn each_place(&self, job: &Job, depth: usize, mut found: impl FnMut(&[Place]) -> Result<()>) -> Result<()> {
        let mut places = Vec::new();
        job.read_array(depth, self.bytes(), |begin, bytes| {
            places.clear();
            self.places_of(begin, bytes, &mut places).ok_or_else(|| job.lacks(depth))?;
            found(&places)
        })
    }

    /// Lists the places of some bytes of the array, the first of which has the given number; `None` if a bit belongs to
    /// no state.
    pub fn places_of(&self, begin: usize, bytes: &[u8], places: &mut Vec<Place>) -> Option<()> {
        for (at, &byte) in bytes.iter().enumerate().filter(|&(_, &byte)| byte != 0) {
            for bit in (0..8).filter(|bit| byte >> bit & 1 != 0) {
                places.push(self.place((begin + at) * 8 + bit)?);
            }
        }
        Some(())
    }

    /// The number of bytes of the array.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Planes(shape) => shape.array_bytes() as usize,
            Self::Toggle(shape) => shape.array_bytes() as usize,
            Self::Dial(shape) => shape.array_bytes() as usize,
            Self::Pieces(shape) => shape.array_bytes() as usize,
            Self::Multiset { begins, .. } => begins[begins.len() - 1] as usize * 8,
            Self::Placement { rows, columns, .. } => rows.len() * columns.len().div_ceil(64) * 8,
        }
    }

    /// The place of a bit of the array, counted from the lowest bit of its first byte; `None` if it belongs to no
    /// state.
    pub(super) fn place(&self, bit: usize) -> Option<Place> {
        match self {
            Self::Planes(shape) => shape.has_state(bit as u64).then_some((bit, 0)),
            Self::Toggle(shape) => (bit >> shape.index.bits() == 0).then_some((bit, 0)),
            Self::Dial(shape) => shape.number(bit).map(|number| (number, 0)),
            Self::Pieces(shape) => shape.place(bit),
            Self::Multiset { shape, begins } => {
                let block = begins.partition_point(|&begin| begin as usize * 64 <= bit) - 1;
                let place = bit - begins[block] as usize * 64;
                let multiset = shape.multiset();
                let states = multiset.arrangements(HeadWalk::new(multiset, block).left);
                ((place as u64) < states).then_some((block, place))
            }
            Self::Placement { columns, .. } => {
                let stride = columns.len().div_ceil(64) * 64;
                Some((bit / stride, bit % stride)).filter(|&(_, column)| column < columns.len())
            }
        }
    }

    /// Returns `true` if [`Self::bit`] finds the bits of states.
    pub fn finds_bits(&self) -> bool {
        !matches!(self, Self::Placement { .. })
    }

    /// The bit of a state, counted from the lowest bit of the first byte of the array: [`Self::place`] and
    /// [`Self::state`] lead back to the state. `None` if the state has none.
    pub fn bit(&self, state: &[Symbol]) -> Option<u64> {
        match self {
            Self::Planes(shape) => shape.bit(state),
            Self::Toggle(shape) => shape.index.rank(state),
            Self::Dial(shape) => shape.index.rank(state).map(|number| shape.bit(number)),
            Self::Pieces(shape) => shape.index.rank(state).map(|number| shape.bit(number)),
            Self::Multiset { shape, begins } => {
                shape.index.rank(state)?;
                let (multiset, labels) = (shape.multiset(), shape.index.read(state));
                let (head, tail) = labels.split_at(multiset.head);
                let (block, composition) = multiset.rank_head(head, multiset.whole());
                Some(u64::from(begins[block as usize]) * 64 + multiset.rank_tail(tail, composition).0)
            }
            Self::Placement { .. } => None,
        }
    }

    /// The state at a place.
    pub fn state(&self, (one, other): Place) -> Vec<Symbol> {
        match self {
            Self::Planes(shape) => shape.state(one as u64).unwrap_or_default(),
            Self::Toggle(shape) => shape.index.unrank(one as u64),
            Self::Dial(shape) => shape.index.unrank(one as u64),
            Self::Pieces(shape) => shape.state(one, other),
            Self::Multiset { shape, .. } => {
                let multiset = shape.multiset();
                let HeadWalk { mut labels, left, .. } = HeadWalk::new(multiset, one);
                labels.extend(multiset.tail(left, other as u64));
                shape.index.write(&labels)
            }
            Self::Placement { shape, rows, columns } => shape.index.write_within(rows[one], columns[other]),
        }
    }
}
