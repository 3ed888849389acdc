//! `absorb`: one partition takes its words out of blocks of successors, and lists those that are new.

use super::expand::Block;
use super::partition::Partition;
use crate::compile::{Word, cpu};

/// Adds the words of one partition, the one with the number `number`, from each block to that partition.
pub fn absorb<W: Word>(partition: &mut Partition<W>, number: usize, blocks: &[Block<W>]) {
    cpu::run(Absorb { number, partition, blocks });
}

struct Absorb<'a, W> {
    number: usize,
    partition: &'a mut Partition<W>,
    blocks: &'a [Block<W>],
}

impl<W: Word> cpu::Task for Absorb<'_, W> {
    const GAINS_BY_AVX512: bool = false;
    const GAINS_BY_AVX2: bool = !W::WIDE;

    #[inline(always)]
    fn run(self) {
        for kind in 0..self.partition.found.len() {
            for block in self.blocks {
                self.partition.take_in(kind, block.kinds[kind].partition(self.number));
            }
        }
    }
}
