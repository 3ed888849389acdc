//! Sorted runs in a job's folder, which hold the new states of a depth that is not done.

use super::partition::Partition;
use crate::compile::Word;
use crate::error::Result;
use crate::job::{Job, Kind, needs_files};
use crate::run::parallel;

/// The progress of the search of a depth.
#[derive(Debug, Clone, Copy)]
pub struct Reached {
    /// The number of states of the frontier, in the order of its file, that were expanded.
    pub expanded: u64,
    /// The number of successors that were generated in all depths, also before the job was resumed.
    pub generated: u64,
}

/// Writes the new states in partitions as runs of at most `most` words. They take the place of all earlier runs,
/// because partitions in memory hold all new states from the beginning of the depth.
///
/// # Errors
///
/// [`crate::Error::Disk`].
pub fn write_found<W: Word>(job: &mut Job, partitions: &[Partition<W>], most: usize, reached: Reached) -> Result<()> {
    needs_files!();
    for kind in 0..partitions[0].found.len() {
        let mut words: Vec<W> = Vec::new();
        for partition in partitions {
            let found = &partition.found[kind];
            if words.len() + found.len() > most {
                write_run(job, Kind::of_place(kind), &mut words)?;
            }
            words.extend_from_slice(found);
        }
        write_run(job, Kind::of_place(kind), &mut words)?;
    }
    job.commit_partial(reached.expanded, reached.generated, &|_| false)
}

/// Writes words as a run, and empties the list. The run becomes part of the job with the next
/// [`commit_partial`](Job::commit_partial).
///
/// # Errors
///
/// [`crate::Error::Disk`].
pub fn write_run<W: Word>(job: &mut Job, kind: Kind, words: &mut Vec<W>) -> Result<()> {
    needs_files!();
    parallel::sort(words);
    job.write_run(kind, words)?;
    words.clear();
    Ok(())
}
