//! The sparse store: exact packed words, partitioned by hash, and sorted runs on disk for what outgrows the memory.
//! `docs/enumeration.md` and `docs/jobs.md` explain it to users.
//!
//! # How a depth is found
//!
//! 1. **expand**: the open states of the last depth, the *frontier*, are cut into blocks. A block becomes the list of
//!    its canonical successors, sorted by partition.
//! 2. **absorb**: each partition takes its words out of all blocks. It has a set of the words that it has seen, and
//!    lists those that are new.
//! 3. **close**: what a partition found is counted, and states without a move are set apart. The open ones are part of
//!    the next frontier. A search in memory leaves the open states to the next depth, and counts them as they are
//!    expanded.
//!
//! No step of a partition reads another partition. So partitions run on all cores, and can be driven one at a time, or
//! each on another machine: see the test in `tests.rs` that does so.
//!
//! Take two lamps, and for each a move that toggles it. The four states are in two partitions: 00 and 11 in the first,
//! 01 and 10 in the second. Depth 0 is 00. Its block is nothing | 01 10. The second partition finds both, so depth 1 is
//! 01 and 10. Their block is 11 00 00 11 | nothing. The first partition has seen 00, so it finds only 11, and depth 2
//! is 11. The block of 11 is nothing | 10 01, and the second partition has seen both. A depth without states ends the
//! run.
//!
//! # The files
//!
//! Each uses only files that stand lower, among them those to the right of its arrow.
//!
//! ```text
//! search ─→ in_memory, spill        the driver: the steps of a run
//! shard ─→ spill                    one shard of a search on several machines
//! stepwise ─→ in_memory             a search in memory that others drive, a depth at a time
//!     in_memory ─→ residence        a depth in memory
//!     spill ─→ merge, wave, runs    a depth on disk: sorted runs, merged into the files of the depth
//! verify ─→ close, word_set         the check of a job's files, state by state
//!     residence ─→ depth_files      what is held in memory: its bytes, whether the next depth fits
//!         depth_files ─→ close      the files of a depth that is done, written and read
//!         wave ─→ expand, limits    the blocks that are expanded at a time
//!         runs ─→ partition         checkpoints: what was found of a depth that is not done
//!         merge                     sorted lists on disk in one
//!         ordering                  many words in order, each once
//!             limits ─→ history     what a run may take, and who watches it
//!             history               the counts of the depths so far
//!             close ─→ state_graph  one partition: what it found is counted
//!             absorb ─→ block       one partition: it takes its words out of blocks
//!             expand ─→ block       one block: states to successors
//!             expand_cells ─→ block the same, if each cell has one move
//!             expand_listed ─→ block the same, if walks find the moves
//!                 block             the successors of a block, and what is known before they are made
//!                 state_graph       what is searched; which depths are compared
//!                     end_tests     which states are tested for ends
//!                 seen              what expanding open states shows of them
//!                 partition         what was seen of a partition, and what was found
//!                 sorted            words in order of their partitions
//!                     word_set      a set of words
//!                         lines     slots in lines, each of which is compared at once
//!                         hash      which bits of a hash choose shard, partition and slot
//! ```

mod absorb;
mod block;
mod close;
mod depth_files;
mod end_tests;
mod expand;
mod expand_cells;
mod expand_listed;
mod hash;
mod held;
mod history;
mod in_memory;
mod limits;
mod lines;
mod merge;
mod ordering;
mod partition;
mod residence;
mod runs;
mod search;
mod seen;
mod shard;
mod sorted;
mod spill;
mod state_graph;
mod stepwise;
#[cfg(test)]
mod tests;
mod verify;
mod wave;
mod word_set;

pub use hash::{SHARD_BITS, shard_of};
pub use held::ShardMemory;
pub use history::Advance;
pub use merge::{MergeInput, merge_here};
pub use residence::state_bytes;
pub use search::{FoundWords, WordSearch, each_of_depth, job_depth, search};
pub use shard::{close as close_shard, expand as expand_shard, roots as shard_roots};
pub use spill::Buffers;
pub use state_graph::StateGraph;
pub use stepwise::Stepwise;
pub use verify::{verify, verify_part};
