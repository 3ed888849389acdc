//! Sweeps over dials: a bit for each sum of moves, in words of one of three sizes.

use std::sync::Arc;

use super::expand::{ExpandDials, Rotated};
use super::shape::{DialShape, FixedStates, WordSize};
use crate::compile::cpu;
use crate::dense::dense_shape::{DenseShape, DepthStates, Place, StorageNeeds};
use crate::dense::driver::DenseStorage;
use crate::dense::sweep::Sweep;
use crate::dense::swept::{Division, SweepChunk, SweepCount, SweptIndex};
use crate::error::Result;
use crate::index::Index;
use crate::rules::{Rules, Symbol};

/// Dials whose bits are held in words of type `W`.
struct DialSweep<W> {
    shape: Arc<DialShape>,
    word: std::marker::PhantomData<W>,
}

impl<W: Rotated> DialSweep<W> {
    /// The arrays of a search in such words.
    fn storage(shape: Arc<DialShape>, rules: &Arc<Rules>) -> Result<Box<dyn DenseStorage>> {
        debug_assert_eq!(size_of::<W>() * 8, shape.word.bits());
        Ok(Box::new(Sweep::new(Arc::new(Self { shape, word: std::marker::PhantomData }), rules)?))
    }
}

impl DenseShape for DialShape {
    fn index(&self) -> &dyn Index {
        &self.index
    }

    fn bytes(&self, _max_depth: Option<u64>, _kept: bool) -> u64 {
        self.bytes()
    }

    fn doubtful(&self, max_depth: Option<u64>) -> u64 {
        max_depth.map_or(0, |_| self.index.len())
    }

    fn reading(&self, _depth: u64) -> Box<dyn DepthStates + '_> {
        Box::new(self)
    }

    fn storage(self: Arc<Self>, rules: &Arc<Rules>, _needs: StorageNeeds) -> Result<Box<dyn DenseStorage>> {
        match self.word {
            WordSize::Bits16 => DialSweep::<u16>::storage(self, rules),
            WordSize::Bits32 => DialSweep::<u32>::storage(self, rules),
            WordSize::Bits64 => DialSweep::<u64>::storage(self, rules),
        }
    }
}

impl DepthStates for &DialShape {
    fn bytes(&self) -> usize {
        self.array_bytes() as usize
    }

    fn place(&self, bit: usize) -> Option<Place> {
        self.number(bit).map(|number| Place { block: number, within: 0 })
    }

    fn bit(&self, state: &[Symbol]) -> Option<u64> {
        self.index.rank(state).map(|number| DialShape::bit(self, number))
    }

    fn state(&self, place: Place) -> Vec<Symbol> {
        self.index.unrank(place.block as u64)
    }
}

impl<W: Rotated> SweptIndex for DialSweep<W> {
    type Word = W;

    fn division(&self) -> Division {
        self.shape.division
    }

    fn start(&self, _rules: &Rules) -> (usize, W) {
        (0, W::of(1))
    }

    fn holes(&self, _at: usize) -> W {
        match self.shape.word_states {
            64 => W::of(0),
            states => !W::of((1 << states) - 1),
        }
    }

    fn moves(&self, _at: usize, value: W) -> u64 {
        value.count() * self.shape.move_count
    }

    fn expand(&self, chunk: &mut SweepChunk<W>, count: &mut SweepCount) {
        cpu::run(ExpandDials { shape: &self.shape, chunk, count });
    }

    fn fixed(&self, values: &[W], states: u64) -> u64 {
        let room = self.shape.word_states as u64;
        let is_set = |&&number: &&u64| {
            let bit = W::of(1 << (number % room));
            values[(number / room) as usize] & bit == bit
        };
        let counts = self.shape.fixed.iter().map(|fixed| match fixed {
            FixedStates::All => states,
            FixedStates::Some(numbers) => numbers.iter().filter(is_set).count() as u64,
        });
        counts.sum()
    }

    fn symmetry_order(&self) -> usize {
        self.shape.fixed.len() + 1
    }

    fn bytes(&self) -> u64 {
        self.shape.bytes()
    }
}
