//! `absorb`: one partition takes its words out of blocks of successors, and lists those that are new.

use super::block::Block;
use super::partition::Partition;
use crate::compile::Word;

/// Adds the words of one partition, the one with the number `number`, from each block to that partition.
pub fn absorb<W: Word>(partition: &mut Partition<W>, number: usize, blocks: &[Block<W>]) {
    for kind in 0..partition.found.len() {
        let lists: Vec<&[W]> = blocks.iter().map(|block| block.kinds[kind].partition(number)).collect();
        partition.take_in(kind, &lists);
    }
}
