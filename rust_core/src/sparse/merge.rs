//! Sorted lists on disk in one: without what comes twice, and without what was seen before.

use rayon::prelude::*;

use crate::compile::Word;
use crate::error::Result;
use crate::job::WordsReader;

/// The fewest words of a list that are held at once: those of a frame.
const LEAST_HELD: usize = 4096;

/// A sorted list that is read as it is needed.
pub struct Source<W> {
    reader: WordsReader<W>,
    /// Whether the list tells what was seen before.
    seen: bool,
    held: Vec<W>,
    /// How many of the words held were taken.
    taken: usize,
    ended: bool,
}

impl<W: Word> Source<W> {
    /// A list of words that may be new.
    pub fn found(reader: WordsReader<W>) -> Self {
        Self { reader, seen: false, held: Vec::new(), taken: 0, ended: false }
    }

    /// A list of words that are not new.
    pub fn seen(reader: WordsReader<W>) -> Self {
        Self { seen: true, ..Self::found(reader) }
    }

    /// Reads on until so many words are held.
    fn refill(&mut self, count: usize) -> Result<()> {
        self.held.drain(..std::mem::take(&mut self.taken));
        while self.held.len() < count && !self.ended {
            self.ended = !self.reader.next(&mut self.held)?;
        }
        Ok(())
    }

    /// The last word that is held, where more follow it.
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

/// Calls `found` with the words of all lists in order, each once, that no list of seen ones has. At most so many words are
/// held at once, or a few thousand a list where that is more.
///
/// In each round, all lists are read up to the smallest of their last words: so all that is not beyond it is at hand, and is put
/// in order on all cores.
///
/// # Errors
///
/// Those of reading, and of `found`.
pub fn merge<W: Word>(
    mut sources: Vec<Source<W>>,
    most: usize,
    mut found: impl FnMut(&mut Vec<W>) -> Result<()>,
) -> Result<()> {
    // What is taken is copied.
    let share = (most / 2 / sources.len().max(1)).max(LEAST_HELD);
    let mut batch: Vec<W> = Vec::new();
    loop {
        sources.par_iter_mut().try_for_each(|source| source.refill(share))?;
        let bound = sources.iter().filter_map(Source::bound).min();
        batch.clear();
        for source in sources.iter_mut().filter(|source| !source.seen) {
            batch.extend_from_slice(source.take(bound));
        }
        batch.par_sort_unstable();
        batch.dedup();
        for source in sources.iter_mut().filter(|source| source.seen) {
            remove(&mut batch, source.take(bound));
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
