//! Sorted lists on disk, merged into one: each word once, and none that was seen before.
//!
//! The lists 1 3 and 3 6, and the list 1 2 4 of seen words, merge into 3 6.

use rayon::prelude::*;

use crate::compile::Word;
use crate::error::Result;
use crate::job::WordsReader;

/// The fewest words of a list that are held at once: those of a frame of its file, which is read whole.
const LEAST_HELD: usize = 4096;

/// A sorted list on disk that is read as it is needed.
pub struct MergeInput<W> {
    reader: WordsReader<W>,
    /// Whether its words were seen before.
    seen: bool,
    held: Vec<W>,
    /// How many of the words held were taken.
    taken: usize,
    ended: bool,
}

impl<W: Word> MergeInput<W> {
    /// A list of words that may be new.
    pub fn found(reader: WordsReader<W>) -> Self {
        Self { reader, seen: false, held: Vec::new(), taken: 0, ended: false }
    }

    /// A list of words that are not new.
    pub fn seen(reader: WordsReader<W>) -> Self {
        Self { seen: true, ..Self::found(reader) }
    }

    /// Drops the words that were taken, and reads on until `count` words are held.
    fn refill(&mut self, count: usize) -> Result<()> {
        self.held.drain(..std::mem::take(&mut self.taken));
        while self.held.len() < count && !self.ended {
            self.ended = !self.reader.next(&mut self.held)?;
        }
        Ok(())
    }

    /// The last word that is held, if more may follow it.
    fn bound(&self) -> Option<W> {
        self.held.last().copied().filter(|_| !self.ended)
    }

    /// Takes the words up to a bound, or all.
    fn take(&mut self, bound: Option<W>) -> &[W] {
        let end = bound.map_or(self.held.len(), |bound| self.held.partition_point(|&word| word <= bound));
        let begin = std::mem::replace(&mut self.taken, end);
        &self.held[begin..end]
    }
}

/// Calls `found` with the words of all lists, in order and each once, but without the words of lists of seen words. The
/// words come in batches. At most `most` words are held at once, or a few thousand for each list if that is more.
///
/// Each round takes from all lists the words up to a bound. The bound is the smallest of the last words that lists
/// hold. All words up to it are held by then, because what a list has not read yet is larger. The batch is sorted on
/// all cores.
///
/// # Errors
///
/// Those of reading, and of `found`.
pub fn merge<W: Word>(
    mut inputs: Vec<MergeInput<W>>,
    most: usize,
    mut found: impl FnMut(&mut Vec<W>) -> Result<()>,
) -> Result<()> {
    // Half of the words are held by lists, and half are their copies in the batch.
    let share = (most / 2 / inputs.len().max(1)).max(LEAST_HELD);
    let mut batch: Vec<W> = Vec::new();
    loop {
        inputs.par_iter_mut().try_for_each(|input| input.refill(share))?;
        let bound = inputs.iter().filter_map(MergeInput::bound).min();
        batch.clear();
        for input in inputs.iter_mut().filter(|input| !input.seen) {
            batch.extend_from_slice(input.take(bound));
        }
        // A stable sort of one thread takes the lists as the sorted runs that they are.
        if W::LIMBS == 1 && rayon::current_num_threads() == 1 {
            batch.sort();
        } else {
            batch.par_sort_unstable();
        }
        batch.dedup();
        for input in inputs.iter_mut().filter(|input| input.seen) {
            remove(&mut batch, input.take(bound));
        }
        if !batch.is_empty() {
            found(&mut batch)?;
        }
        if bound.is_none() {
            return Ok(());
        }
    }
}

/// Removes the words of a sorted list from another.
fn remove<W: Word>(words: &mut Vec<W>, seen: &[W]) {
    let mut rest = seen.iter().copied().peekable();
    words.retain(|&word| {
        while rest.next_if(|&seen| seen < word).is_some() {}
        rest.peek() != Some(&word)
    });
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::job::{Job, Kind};
    use crate::sparse::tests::{folder, subject};

    /// The lists as runs of a job.
    fn runs(folder: &Path, lists: &[BTreeSet<u64>]) -> Vec<WordsReader<u64>> {
        let mut job = Job::begin(folder, subject(), None, None).unwrap();
        for list in lists {
            job.write_run(Kind::Open, &list.iter().copied().collect::<Vec<_>>()).unwrap();
        }
        job.commit_partial(0, 0, |_| true).unwrap();
        job.runs(Kind::Open).iter().map(|run| job.words_of(run).unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn a_merge_is_a_union_without_what_was_seen(
            lists in prop::collection::vec(prop::collection::btree_set(0u64..20_000, 1..9000), 1..5),
            seen in 0usize..3,
            most in 0usize..30_000,
        ) {
            let folder = folder("merge");
            let seen = seen.min(lists.len());
            let readers = runs(&folder, &lists).into_iter().enumerate();
            let input = |(at, reader)| if at < seen { MergeInput::seen(reader) } else { MergeInput::found(reader) };
            let mut merged = Vec::new();
            merge(readers.map(input).collect(), most, |words| {
                merged.extend_from_slice(words);
                Ok(())
            }).unwrap();
            std::fs::remove_dir_all(&folder).unwrap();
            let union = |lists: &[BTreeSet<u64>]| lists.iter().flatten().copied().collect::<BTreeSet<_>>();
            let expected: Vec<u64> = union(&lists[seen..]).difference(&union(&lists[..seen])).copied().collect();
            prop_assert_eq!(merged, expected);
        }
    }
}
