//! Merges sorted lists on disk into one: each word once, and none that was seen before.
//!
//! The lists 1 3 and 3 6, and the list 1 2 4 of seen words, merge into 3 6.
//!
//! Threads merge ranges of words. For example, these lists may be cut at 3. One thread merges the words below 3: the
//! list 1, without the seen words 1 and 2, leaves nothing. Another thread merges the words from 3 on: the lists 3 and 3
//! 6, without the seen word 4, become 3 6. Wherever the lists are cut, the results of the ranges, one after another,
//! are the same words.

use std::sync::Arc;

use crate::compile::Word;
use crate::error::Result;
use crate::job::WordsReader;
use crate::run::parallel;

/// The fewest words of a list that are held in memory at once: the words of one frame of its file, since a frame can
/// only be read whole.
const LEAST_HELD: usize = 4096;

/// The number of ranges into which a batch is cut, for each thread. With several, no thread waits long for the others.
const PARTS_A_THREAD: usize = 4;

/// The first of every 256 words of a list is a sample. The bounds of the ranges are chosen from all samples.
const SAMPLED: usize = 256;

/// If there are this many times as many seen words as new ones, each new one is sought among them by halving.
const FAR: usize = 32;

/// A sorted list: one on disk that is read as it is needed, or one in memory.
pub struct MergeInput<W> {
    /// `None` if the whole list is in memory.
    reader: Option<WordsReader<W>>,
    /// The whole list, if it is in memory.
    all: Arc<Vec<W>>,
    /// `true` if the words of the list were seen before.
    seen: bool,
    /// The words that were read and are still needed, if the list is on disk.
    held: Vec<W>,
    /// The number of words in memory that were taken already.
    taken: usize,
    /// The number of words in memory that are within reach of the next round: all, if the list is on disk.
    end: usize,
    ended: bool,
}

impl<W: Word> MergeInput<W> {
    /// A list of words that may be new.
    pub fn found(reader: WordsReader<W>) -> Self {
        Self { reader: Some(reader), ..Self::held(Arc::default()) }
    }

    /// A list in memory of words that may be new.
    pub fn held(words: Arc<Vec<W>>) -> Self {
        Self { reader: None, all: words, seen: false, held: Vec::new(), taken: 0, end: 0, ended: false }
    }

    /// A list of words that are not new.
    #[must_use]
    pub fn seen_before(self) -> Self {
        Self { seen: true, ..self }
    }

    /// The words in memory.
    fn words(&self) -> &[W] {
        if self.reader.is_some() { &self.held } else { &self.all }
    }

    /// The next words of the list, at most `most`. None are left if there are none.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Corrupt`].
    pub fn next(&mut self, most: usize) -> Result<&[W]> {
        self.refill(most)?;
        let (begin, end) = (self.taken, self.end.min(self.taken + most));
        self.taken = end;
        Ok(&self.words()[begin..end])
    }

    /// Drops the words that were taken, and reads on until `count` words are held. Of a list in memory, `count` words
    /// more come within reach.
    fn refill(&mut self, count: usize) -> Result<()> {
        let Some(reader) = &mut self.reader else {
            self.end = self.all.len().min(self.taken + count);
            self.ended = self.end == self.all.len();
            return Ok(());
        };
        self.held.drain(..std::mem::take(&mut self.taken));
        while self.held.len() < count && !self.ended {
            self.ended = !reader.next(&mut self.held)?;
        }
        self.end = self.held.len();
        Ok(())
    }

    /// The last word that is held. `None` if the list was read to its end.
    fn bound(&self) -> Option<W> {
        self.words()[..self.end].last().copied().filter(|_| !self.ended)
    }

    /// Takes the words up to a bound, or all.
    fn take(&mut self, bound: Option<W>) -> &[W] {
        let (begin, mut end) = (self.taken, self.end);
        if let Some(bound) = bound {
            end = begin + self.words()[begin..end].partition_point(|&word| word <= bound);
        }
        self.taken = end;
        &self.words()[begin..end]
    }
}

/// Calls `found` with the words of all lists, in order and each once, but without the words of lists of seen words. The
/// words come in batches, each in parts that follow one another. At most `most` words are held at once, or a few
/// thousand for each list if that is more.
///
/// Each round takes from all lists the words up to a bound. The bound is the smallest of the last words that lists
/// hold. All words up to it are held by then, because the unread words of a list are larger. The batch is cut into
/// ranges, which are merged on all threads. While `found` has a batch, the lists are read on.
///
/// # Errors
///
/// The errors of reading, and of `found`.
pub fn merge<W: Word>(
    mut inputs: Vec<MergeInput<W>>,
    most: usize,
    found: &mut (dyn FnMut(&mut [Vec<W>]) -> Result<()> + Send),
) -> Result<()> {
    let (share, mut parts) = (share(&inputs, most), Vec::new());
    refill_all(&mut inputs, share)?;
    while merge_held(&mut inputs, &mut parts) {
        let (used, read) = parallel::both(|| found(&mut parts), || refill_all(&mut inputs, share));
        used.and(read)?;
    }
    found(&mut parts)
}

/// Does the same as [`merge`] for a `found` that must stay on the calling thread.
///
/// # Errors
///
/// The errors of [`merge`].
pub fn merge_here<W: Word>(
    mut inputs: Vec<MergeInput<W>>,
    most: usize,
    found: &mut dyn FnMut(&mut [Vec<W>]) -> Result<()>,
) -> Result<()> {
    let (share, mut parts, mut more) = (share(&inputs, most), Vec::new(), true);
    while more {
        refill_all(&mut inputs, share)?;
        more = merge_held(&mut inputs, &mut parts);
        found(&mut parts)?;
    }
    Ok(())
}

/// The number of words that each list holds, if `most` words may be held in all. Half of these are in the lists, and
/// half are their copies in the batch.
fn share<W>(inputs: &[MergeInput<W>], most: usize) -> usize {
    (most / 2 / inputs.len().max(1)).max(LEAST_HELD)
}

/// Merges the held words up to a bound: the smallest of the last words that lists hold. Words above it may be missing,
/// since they are not read yet. Returns `true` if there may be more words.
fn merge_held<W: Word>(inputs: &mut [MergeInput<W>], parts: &mut Vec<Vec<W>>) -> bool {
    let bound = inputs.iter().filter_map(MergeInput::bound).min();
    let lists: Vec<Taken<W>> =
        inputs.iter_mut().map(|input| Taken { seen: input.seen, words: input.take(bound) }).collect();
    let cuts = cuts(&lists, parallel::threads());
    parts.resize_with(cuts.len() + 1, Vec::new);
    parallel::each_mut(parts, |part, words| {
        let least = part.checked_sub(1).map(|before| cuts[before]);
        merge_range(&lists, (least, cuts.get(part).copied()), words);
    });
    bound.is_some()
}

fn refill_all<W: Word>(inputs: &mut [MergeInput<W>], share: usize) -> Result<()> {
    let mut read: Vec<_> = inputs.iter_mut().map(|input| (input, Ok(()))).collect();
    parallel::each_mut(&mut read, |_, (input, result)| *result = input.refill(share));
    read.into_iter().try_for_each(|(_, result)| result)
}

/// The words that one round of [`merge`] takes from one list.
struct Taken<'a, W> {
    /// `true` if the words were seen before.
    seen: bool,
    words: &'a [W],
}

impl<'a, W: Word> Taken<'a, W> {
    /// The words `w` of the list with `least <= w < below`. A bound that is `None` excludes nothing.
    fn range(&self, (least, below): (Option<W>, Option<W>)) -> &'a [W] {
        let place = |word: W| self.words.partition_point(|&other| other < word);
        &self.words[least.map_or(0, place)..below.map_or(self.words.len(), place)]
    }
}

/// The words at which ranges begin, without the first range, chosen so that threads have about equal work.
fn cuts<W: Word>(lists: &[Taken<W>], threads: usize) -> Vec<W> {
    let count: usize = lists.iter().map(|list| list.words.len()).sum();
    let parts = (count / LEAST_HELD).min(PARTS_A_THREAD * threads);
    if threads == 1 || parts < 2 {
        return Vec::new();
    }
    let mut sample: Vec<W> = lists.iter().flat_map(|list| list.words.iter().copied().step_by(SAMPLED)).collect();
    sample.sort_unstable();
    (1..parts).map(|part| sample[part * sample.len() / parts]).collect()
}

/// Merges a range of lists.
fn merge_range<W: Word>(lists: &[Taken<W>], range: (Option<W>, Option<W>), words: &mut Vec<W>) {
    words.clear();
    for list in lists.iter().filter(|list| !list.seen) {
        words.extend_from_slice(list.range(range));
    }
    // A stable sort recognises the lists as sorted runs and merges them.
    if W::LIMBS == 1 {
        words.sort();
    } else {
        words.sort_unstable();
    }
    words.dedup();
    for list in lists.iter().filter(|list| list.seen) {
        remove(words, list.range(range));
    }
}

/// Removes the words of a sorted list from another.
fn remove<W: Word>(words: &mut Vec<W>, seen: &[W]) {
    let (mut at, mut kept) = (0, 0);
    // If there are far more seen words, most of them are passed over without being looked at.
    let far = seen.len() / FAR > words.len();
    for place in 0..words.len() {
        let word = words[place];
        if far {
            at += seen[at..].partition_point(|&seen| seen < word);
        }
        while at < seen.len() && seen[at] < word {
            at += 1;
        }
        // Every word is written, and the next one is written over it if it was seen.
        words[kept] = word;
        kept += usize::from(at == seen.len() || seen[at] != word);
    }
    words.truncate(kept);
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::job::{Job, JobPlace, Kind, NewJob};
    use crate::run::{Options, in_pool};
    use crate::sparse::tests::{folder, subject};

    /// The lists as runs of a job.
    fn runs(folder: &Path, lists: &[BTreeSet<u64>]) -> Vec<WordsReader<u64>> {
        let mut job = Job::begin(&JobPlace::new(folder), NewJob::of(subject())).unwrap();
        for list in lists {
            job.write_run(Kind::Open, &list.iter().copied().collect::<Vec<_>>()).unwrap();
        }
        job.commit_partial(0, 0, &|_| true).unwrap();
        job.runs(Kind::Open).iter().map(|run| job.words_of(run).unwrap()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn a_merge_is_a_union_without_what_was_seen_before(
            lists in prop::collection::vec(prop::collection::btree_set(0u64..20_000, 1..9000), 1..5),
            seen in 0usize..3,
            in_memory in 0usize..5,
            most in 0usize..30_000,
            threads in 1usize..4,
        ) {
            let folder = folder("merge");
            let seen = seen.min(lists.len());
            let readers = runs(&folder, &lists).into_iter().enumerate();
            let input = |(at, reader): (usize, _)| match at {
                _ if at == in_memory => MergeInput::held(Arc::new(lists[at].iter().copied().collect())),
                _ => MergeInput::found(reader),
            };
            let input = |(at, reader)| if at < seen { input((at, reader)).seen_before() } else { input((at, reader)) };
            let mut merged = Vec::new();
            let options = Options { threads, ..Options::default() };
            in_pool(&options, || merge(readers.map(input).collect(), most, &mut |parts| {
                merged.extend(parts.concat());
                Ok(())
            })).unwrap().unwrap();
            std::fs::remove_dir_all(&folder).unwrap();
            let union = |lists: &[BTreeSet<u64>]| lists.iter().flatten().copied().collect::<BTreeSet<_>>();
            let expected: Vec<u64> = union(&lists[seen..]).difference(&union(&lists[..seen])).copied().collect();
            prop_assert_eq!(merged, expected);
        }
    }
}
