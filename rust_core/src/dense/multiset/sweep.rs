//! Sweeps over a multiset: each arrangement has a bit, and a block has the arrangements with one head.

use std::sync::Arc;

use super::expand::ExpandMultiset;
use super::shape::MultisetShape;
use super::tables::MultisetTables;
use crate::compile::cpu;
use crate::dense::dense_shape::{DenseShape, DepthStates, Place, StorageNeeds};
use crate::dense::driver::DenseStorage;
use crate::dense::sweep::Sweep;
use crate::dense::swept::{Division, SweepChunk, SweepCount, SweptIndex};
use crate::error::Result;
use crate::index::{HeadWalk, Index};
use crate::rules::{Rules, Symbol};

impl DenseShape for MultisetShape {
    fn index(&self) -> &dyn Index {
        &self.index
    }

    fn bytes(&self, _max_depth: Option<u64>, _kept: bool) -> u64 {
        self.bytes()
    }

    fn is_slow(&self) -> bool {
        self.is_slow()
    }

    fn doubtful(&self, _max_depth: Option<u64>) -> u64 {
        // There are three arrays, each with a bit for each state.
        self.bytes() / 3 * 8
    }

    fn reading(&self, _depth: u64) -> Box<dyn DepthStates + '_> {
        Box::new(MultisetStates { shape: self, begins: self.begins() })
    }

    fn storage(self: Arc<Self>, rules: &Arc<Rules>, _needs: StorageNeeds) -> Result<Box<dyn DenseStorage>> {
        Ok(Box::new(Sweep::new(Arc::new(MultisetTables::new(self)), rules)?))
    }
}

/// Reads the states of one depth from a job.
struct MultisetStates<'a> {
    shape: &'a MultisetShape,
    /// For each block, the number of its first word; and last, the number of all words.
    begins: Vec<u32>,
}

impl DepthStates for MultisetStates<'_> {
    fn bytes(&self) -> usize {
        self.begins[self.begins.len() - 1] as usize * 8
    }

    fn place(&self, bit: usize) -> Option<Place> {
        let block = self.begins.partition_point(|&begin| begin as usize * 64 <= bit) - 1;
        let within = bit - self.begins[block] as usize * 64;
        let multiset = self.shape.multiset();
        let states = multiset.arrangements(HeadWalk::new(multiset, block).left);
        ((within as u64) < states).then_some(Place { block, within })
    }

    fn bit(&self, state: &[Symbol]) -> Option<u64> {
        self.shape.index.rank(state)?;
        let (multiset, labels) = (self.shape.multiset(), self.shape.index.read(state));
        let (head, tail) = labels.split_at(multiset.head);
        let (block, composition) = multiset.rank_head(head, multiset.whole());
        Some(u64::from(self.begins[block as usize]) * 64 + multiset.rank_tail(tail, composition).0)
    }

    fn state(&self, Place { block, within }: Place) -> Vec<Symbol> {
        let multiset = self.shape.multiset();
        let HeadWalk { mut labels, left, .. } = HeadWalk::new(multiset, block);
        labels.extend(multiset.tail(left, within as u64));
        self.shape.index.write(&labels)
    }
}

impl SweptIndex for MultisetTables {
    type Word = u64;

    fn division(&self) -> Division {
        self.shape.division
    }

    fn begin(&self, block: usize) -> usize {
        self.first_word(block)
    }

    fn block_of(&self, at: usize) -> usize {
        self.begins.partition_point(|&begin| begin as usize <= at) - 1
    }

    fn start(&self, rules: &Rules) -> (usize, u64) {
        let multiset = self.shape.multiset();
        let labels = self.shape.index.read(&rules.start);
        let (head, tail) = labels.split_at(multiset.head);
        let (block, composition) = multiset.rank_head(head, multiset.whole());
        let (place, _) = multiset.rank_tail(tail, composition);
        (self.first_word(block as usize) + place as usize / 64, 1 << (place % 64))
    }

    fn holes(&self, at: usize) -> u64 {
        let (multiset, block) = (self.shape.multiset(), self.block_of(at));
        let states = multiset.arrangements(HeadWalk::new(multiset, block).left) as usize;
        let filled = states.saturating_sub((at - self.first_word(block)) * 64);
        if filled >= 64 { 0 } else { !((1 << filled) - 1) }
    }

    fn moves(&self, at: usize, value: u64) -> u64 {
        let (shape, block) = (&*self.shape, self.block_of(at));
        let mut moves = u64::from(value.count_ones()) * shape.index.free;
        if !self.guards.is_empty() {
            let heads = HeadWalk::new(shape.multiset(), block);
            let tail = self.tails.numbers[heads.left] as usize;
            for guard in &self.guards {
                let states = guard.states(&self.tails, &heads.labels, tail);
                let some =
                    states.map(|states| states.get(at - self.first_word(block)).map_or(value, |mask| value & mask));
                moves += u64::from(some.unwrap_or(0).count_ones()) * guard.times;
            }
        }
        moves
    }

    fn expand(&self, chunk: &mut SweepChunk<u64>, count: &mut SweepCount) {
        cpu::run(ExpandMultiset { tables: self, chunk, count });
    }

    fn fixed(&self, values: &[u64], _states: u64) -> u64 {
        let is_set = |block: u32, place: u16| {
            values[self.first_word(block as usize) + place as usize / 64] >> (place % 64) & 1 != 0
        };
        let states = self.fixed.iter().flatten();
        states.filter(|&&(block, place)| is_set(block, place)).count() as u64
    }

    fn symmetry_order(&self) -> usize {
        self.fixed.len() + 1
    }

    fn bytes(&self) -> u64 {
        self.shape.bytes()
    }
}
