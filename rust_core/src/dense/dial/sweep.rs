//! Sweeps over dials: a bit for each sum of moves, in words of one of three sizes. Lamps, which are dials of two
//! places, have a kernel of their own.

use std::marker::PhantomData;
use std::sync::Arc;

use super::exchange::ExchangeBits;
use super::expand::{ExpandDials, Rotated};
use super::shape::{DialShape, WordSize};
use crate::compile::cpu;
use crate::dense::dense_shape::{DenseShape, DepthStates, Place, StorageNeeds};
use crate::dense::driver::DenseStorage;
use crate::dense::sweep::Sweep;
use crate::dense::swept::{BitWord, Division, SweepChunk, SweepCount, SweptIndex};
use crate::error::Result;
use crate::index::Index;
use crate::rules::{Rules, Symbol};

/// The way in which moves carry bits onto bits.
trait Kernel: Send + Sync + 'static {
    /// The words that hold the bits.
    type Word: Rotated;

    /// Finds the new states of the next depth that lie in a chunk.
    fn expand(shape: &DialShape, chunk: &mut SweepChunk<Self::Word>, count: &mut SweepCount);
}

/// The kernel of dials whose bits are held in words of type `W`.
struct Rotations<W>(PhantomData<W>);

impl<W: Rotated> Kernel for Rotations<W> {
    type Word = W;

    fn expand(shape: &DialShape, chunk: &mut SweepChunk<W>, count: &mut SweepCount) {
        cpu::run(ExpandDials { shape, chunk, count });
    }
}

/// The kernel of lamps.
struct Exchanges;

impl Kernel for Exchanges {
    type Word = u64;

    fn expand(shape: &DialShape, chunk: &mut SweepChunk<u64>, count: &mut SweepCount) {
        cpu::run(ExchangeBits { shape, chunk, count });
    }
}

/// Dials that are swept by a kernel.
struct DialSweep<K> {
    shape: Arc<DialShape>,
    kernel: PhantomData<K>,
}

impl<K: Kernel> DialSweep<K> {
    /// The arrays of a search by this kernel.
    fn storage(shape: Arc<DialShape>, rules: &Arc<Rules>) -> Result<Box<dyn DenseStorage>> {
        debug_assert_eq!(size_of::<K::Word>() * 8, shape.word.bits());
        Ok(Box::new(Sweep::new(Arc::new(Self { shape, kernel: PhantomData }), rules)?))
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
            WordSize::Bits16 => DialSweep::<Rotations<u16>>::storage(self, rules),
            WordSize::Bits32 => DialSweep::<Rotations<u32>>::storage(self, rules),
            WordSize::Bits64 if self.index.are_lamps() => DialSweep::<Exchanges>::storage(self, rules),
            WordSize::Bits64 => DialSweep::<Rotations<u64>>::storage(self, rules),
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

impl<K: Kernel> SweptIndex for DialSweep<K> {
    type Word = K::Word;

    fn division(&self) -> Division {
        self.shape.division
    }

    fn start(&self, _rules: &Rules) -> (usize, K::Word) {
        (0, K::Word::of(1))
    }

    fn holes(&self, _at: usize) -> K::Word {
        match self.shape.word_states {
            64 => K::Word::of(0),
            states => !K::Word::of((1 << states) - 1),
        }
    }

    fn moves(&self, _at: usize, value: K::Word) -> u64 {
        value.count() * self.shape.move_count
    }

    fn expand(&self, chunk: &mut SweepChunk<K::Word>, count: &mut SweepCount) {
        K::expand(&self.shape, chunk, count);
    }

    fn fixed(&self, values: &[K::Word], states: u64) -> u64 {
        let word_states = self.shape.word_states as u64;
        self.shape.fixed.iter().map(|fixed| fixed.count(values, states, word_states)).sum()
    }

    fn symmetry_order(&self) -> usize {
        self.shape.fixed.len() + 1
    }

    fn bytes(&self) -> u64 {
        self.shape.bytes()
    }
}
