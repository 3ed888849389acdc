//! Sweeps over pieces that twist: a block for each arrangement.

use std::sync::Arc;

use super::expand::ExpandPieces;
use super::shape::PieceShape;
use super::tables::PieceTables;
use crate::compile::cpu;
use crate::dense::dense_shape::{DenseShape, DepthStates, Place, StorageNeeds};
use crate::dense::driver::DenseStorage;
use crate::dense::sweep::Sweep;
use crate::dense::swept::{Division, SweepChunk, SweepCount, SweptIndex};
use crate::error::Result;
use crate::index::{FixedByClass, Index};
use crate::rules::{Rules, Symbol};

impl DenseShape for PieceShape {
    fn index(&self) -> &dyn Index {
        &self.index
    }

    fn bytes(&self, _max_depth: Option<u64>, _kept: bool) -> u64 {
        self.bytes()
    }

    fn doubtful(&self, _max_depth: Option<u64>) -> u64 {
        self.index.len()
    }

    fn reading(&self, _depth: u64) -> Box<dyn DepthStates + '_> {
        Box::new(self)
    }

    fn storage(self: Arc<Self>, rules: &Arc<Rules>, _needs: StorageNeeds) -> Result<Box<dyn DenseStorage>> {
        Ok(Box::new(Sweep::new(Arc::new(PieceTables::new(self)), rules)?))
    }
}

impl DepthStates for &PieceShape {
    fn bytes(&self) -> usize {
        self.array_bytes() as usize
    }

    fn place(&self, bit: usize) -> Option<Place> {
        PieceShape::place(self, bit)
    }

    fn bit(&self, state: &[Symbol]) -> Option<u64> {
        self.index.rank(state).map(|number| PieceShape::bit(self, number))
    }

    fn state(&self, place: Place) -> Vec<Symbol> {
        PieceShape::state(self, place)
    }
}

impl SweptIndex for PieceTables {
    type Word = u64;

    fn division(&self) -> Division {
        self.shape.division
    }

    fn start(&self, rules: &Rules) -> (usize, u64) {
        let number = self.shape.index.rank(&rules.start).expect("the start has a number");
        self.bit(number)
    }

    fn holes(&self, at: usize) -> u64 {
        self.holes(at)
    }

    fn moves(&self, _at: usize, value: u64) -> u64 {
        u64::from(value.count_ones()) * self.shape.move_count
    }

    fn expand(&self, chunk: &mut SweepChunk<u64>, count: &mut SweepCount) {
        cpu::run(ExpandPieces { tables: self, chunk, count });
    }

    fn fixed(&self, values: &[u64], _states: u64) -> u64 {
        let is_set = |&number: &u64| {
            let (at, bit) = self.bit(number);
            values[at] & bit != 0
        };
        FixedByClass::count(&self.shape.fixed, is_set)
    }

    fn symmetry_order(&self) -> usize {
        FixedByClass::order(&self.shape.fixed)
    }

    fn bytes(&self) -> u64 {
        self.shape.bytes()
    }
}
