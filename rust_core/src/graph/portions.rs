//! The states of a depth in portions, each beside its successors, so that neither the depth nor the next one need fit
//! the memory. The rules must be layered: then all successors are in the next depth.
//!
//! A portion has some states that follow one another in the files of the depth. Their different successors are found
//! and sorted, and their values are read from the files of the next depth, which are in the same order. Then the
//! portion and its successors are a [`DepthPair`], as a depth and the next one are in memory.
//!
//! Take the states 2 and 5, with the successors 9 7 and 8 7. A portion of both has the successors 7 8 9. Let the next
//! depth have two frames: 3 4 7, and 9 12 13. The first one is read for 7 and 8, and has the value of 7. The second one
//! is read for 9. So 8 is not open: play is over there, and the rules tell its value.

use std::borrow::Cow;
use std::ops::Range;

use super::depth_pair::DepthPair;
use super::word_index::WordIndex;
use super::word_rules::{SuccessorWords, WordRules};
use super::{AT_ONCE, Graph};
use crate::compile::Word;
use crate::error::{Error, Result};
use crate::job::{Job, ValueFiles};
use crate::run::{Final, Monitor, parallel};
use crate::sparse::{self, Buffers};

/// The number of states that are expanded before it is asked whether the portion is full.
const EXPANDED: usize = 1 << 14;

/// Some states of a depth, and their successors.
pub trait Portion {
    /// The graph of the successors, as the later depth, and of the states.
    fn graph(&self) -> Box<dyn Graph + '_>;

    /// For each successor, the code of its value. `files` has the values of the open states of the next depth; `None`
    /// if there are none. Where play is over, `at_end` makes the code.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the files have changed since they were written, or lack a successor.
    fn later(&self, files: Option<&ValueFiles>, job: &Job, at_end: &(dyn Fn(Final) -> u32 + Sync)) -> Result<Vec<u32>>;
}

/// The number of successors that a portion may have in `bytes` bytes of memory. Each takes its word, up to three slots
/// of a table, and a value of four bytes; while words are sorted, they may be there twice. There are at most as many
/// states, each with a word and a value.
pub fn successors_in(bytes: u64, word_bytes: usize) -> usize {
    usize::try_from(bytes / (3 * word_bytes as u64 + 24)).unwrap_or(usize::MAX).min(u32::MAX as usize / 2)
}

/// The portion that is being filled.
pub(super) struct Gathering<'a, W: Word> {
    pub rules: &'a WordRules<W>,
    pub depth: usize,
    /// The most successors of a portion.
    pub most: usize,
    pub monitor: &'a Monitor<'a>,
    pub take: &'a mut dyn FnMut(&dyn Portion) -> Result<()>,
    words: Vec<W>,
    after: Buffers<W>,
}

impl<'a, W: Word> Gathering<'a, W> {
    /// An empty portion. `take` is called with each portion that is full.
    pub fn new(
        rules: &'a WordRules<W>,
        depth: usize,
        most: usize,
        monitor: &'a Monitor<'a>,
        take: &'a mut dyn FnMut(&dyn Portion) -> Result<()>,
    ) -> Self {
        Self { rules, depth, most, monitor, take, words: Vec::new(), after: Buffers::new(1, most) }
    }

    /// Calls `take` with all states of the depth, a portion at a time.
    ///
    /// # Errors
    ///
    /// The errors of reading and of `take`; [`Error::Stopped`].
    pub fn all(mut self, job: &Job) -> Result<()> {
        let WordRules { compiled, images, .. } = self.rules;
        let mut ended = Ok(());
        let read = sparse::each_of_depth(compiled, images, job, self.depth, &mut |words| {
            ended = words.chunks(EXPANDED.min(self.most)).try_for_each(|words| self.add(words));
            ended.is_ok()
        });
        ended.and(read)?;
        self.hand_over()
    }

    /// Adds some states. If the portion is full then, hands it over.
    fn add(&mut self, words: &[W]) -> Result<()> {
        let player = self.depth % self.rules.alternating();
        let made = parallel::map(words.len(), AT_ONCE as usize, |range| {
            let mut made = SuccessorWords::default();
            if !self.monitor.stopped() {
                self.rules.expand(&words[range], player, &mut made);
                self.monitor.add(0);
            }
            made.after
        });
        if self.monitor.stopped() {
            return Err(Error::Stopped);
        }
        self.words.extend_from_slice(words);
        for after in &made {
            self.after.extend(std::iter::once(&after[..]));
        }
        if self.after.are_full() || self.words.len() >= self.most { self.hand_over() } else { Ok(()) }
    }

    /// Hands the portion over, and begins the next one.
    fn hand_over(&mut self) -> Result<()> {
        if self.words.is_empty() {
            return Ok(());
        }
        let words = std::mem::take(&mut self.words);
        let mut after = std::mem::replace(&mut self.after, Buffers::new(1, self.most));
        after.sort();
        let later = WordIndex::of_different(after.kinds.swap_remove(0));
        (self.take)(&WordPortion { rules: self.rules, depth: self.depth, words, later })
    }
}

/// A portion whose states are packed words.
struct WordPortion<'a, W> {
    rules: &'a WordRules<W>,
    depth: usize,
    words: Vec<W>,
    /// The successors, in order.
    later: WordIndex<W>,
}

/// The successors that one block of the next depth may have.
struct BlockSuccessors<'a> {
    /// The block; `None` for successors before the first one.
    block: Option<usize>,
    successors: Range<usize>,
    codes: &'a mut [u32],
    read: Result<()>,
}

impl<W: Word> Portion for WordPortion<'_, W> {
    fn graph(&self) -> Box<dyn Graph + '_> {
        Box::new(DepthPair::new(self.rules, &self.later, self.depth, Cow::Borrowed(&self.words)))
    }

    fn later(&self, files: Option<&ValueFiles>, job: &Job, at_end: &(dyn Fn(Final) -> u32 + Sync)) -> Result<Vec<u32>> {
        let words = &self.later.words;
        let mut codes = vec![0; words.len()];
        let (mut rest, mut stretches, mut begin) = (&mut codes[..], Vec::new(), 0);
        let blocks = files.map_or(0, ValueFiles::blocks);
        for next in 0..=blocks {
            let end = match files.filter(|_| next < blocks) {
                Some(files) => {
                    let first = W::from_bytes(files.first_word(next));
                    begin + words[begin..].partition_point(|&word| word < first)
                }
                None => words.len(),
            };
            let (codes, after) = std::mem::take(&mut rest).split_at_mut(end - begin);
            if end > begin {
                stretches.push(BlockSuccessors {
                    block: next.checked_sub(1),
                    successors: begin..end,
                    codes,
                    read: Ok(()),
                });
            }
            (rest, begin) = (after, end);
        }
        parallel::each_mut(&mut stretches, |_, stretch| stretch.read = self.read(stretch, files, job, at_end));
        stretches.into_iter().try_for_each(|stretch| stretch.read)?;
        Ok(codes)
    }
}

impl<W: Word> WordPortion<'_, W> {
    /// Finds the values of a stretch of successors.
    fn read(
        &self,
        stretch: &mut BlockSuccessors,
        files: Option<&ValueFiles>,
        job: &Job,
        at_end: &(dyn Fn(Final) -> u32 + Sync),
    ) -> Result<()> {
        let (held, kept) = match (files, stretch.block) {
            (Some(files), Some(block)) => (files.words(block)?, files.block(block)?),
            _ => (Vec::new(), Vec::new()),
        };
        let held: Vec<W> = held.chunks_exact(W::BYTES).map(W::from_bytes).collect();
        let (mut over, mut places, mut next) = (Vec::new(), Vec::new(), 0);
        for (at, &word) in self.later.words[stretch.successors.clone()].iter().enumerate() {
            while held.get(next).is_some_and(|&held| held < word) {
                next += 1;
            }
            if let Some(&code) = kept.get(next).filter(|_| held.get(next) == Some(&word)) {
                stretch.codes[at] = code;
            } else {
                over.push(word);
                places.push(at);
            }
        }
        let (next, mut ends) = (self.depth + 1, Vec::new());
        self.rules.over(&over, next % self.rules.alternating(), &mut ends);
        for (at, end) in places.into_iter().zip(ends) {
            stretch.codes[at] = at_end(end.ok_or_else(|| job.lacks(next))?);
        }
        Ok(())
    }
}
