//! The states that a job has kept, up to symmetry, in lists that fit the memory.

use std::ops::Range;

use super::rows::AT_ONCE;
use crate::compile::{Compiled, Images, Word};
use crate::dense::Dense;
use crate::dense::Place;
use crate::error::{Error, Result};
use crate::job::{Job, Kind};
use crate::run::{Progress, Watch, parallel};
use crate::sparse::{MergeInput, merge_here};

/// The number of shards of a job that are read at once. Each shard has some files of a depth, and all these files are
/// open.
const MOST_MERGED: usize = 64;

/// A job whose states are read as words.
pub(super) struct JobReader<'a, W: Word> {
    pub compiled: &'a Compiled<W>,
    pub images: &'a Images<W>,
    /// The perfect index, if the job's files are arrays of bits; `None` if they are words.
    pub dense: Option<&'a Dense>,
    pub job: &'a Job,
}

impl<W: Word> JobReader<'_, W> {
    /// Calls `found` with the states of a depth, each once up to symmetry and as the smallest of its images. States
    /// come in lists of one length, the last of which may be shorter. Each list is in order. In the sparse store, the
    /// lists one after another are in order, too. But if the job has more than [`MOST_MERGED`] shards, this holds only
    /// within each group of that many shards.
    ///
    /// # Errors
    ///
    /// [`Error::Corrupt`] if the files have changed since they were written, [`Error::Stopped`] if the watch stops the
    /// reading, and the errors of `found`.
    pub fn read(
        &self,
        depth: usize,
        at_a_time: usize,
        watch: Watch,
        found: &mut dyn FnMut(&[W]) -> Result<()>,
    ) -> Result<()> {
        let Self { compiled, images, dense, job } = *self;
        let entry = &job.manifest().depths[depth];
        let (mut pending, mut count): (Vec<W>, u64) = (Vec::new(), 0);
        let take: &mut dyn FnMut(&[W]) -> Result<()> = &mut |words| {
            count += words.len() as u64;
            let progress =
                Progress { depth: entry.depth, frontier: entry.states, expanded: count, ..Progress::default() };
            if watch(&progress).is_break() {
                return Err(Error::Stopped);
            }
            let mut rest = words;
            while pending.len() + rest.len() >= at_a_time {
                let (now, later) = rest.split_at(at_a_time - pending.len());
                pending.extend_from_slice(now);
                parallel::sort(&mut pending);
                found(&pending)?;
                pending.clear();
                rest = later;
            }
            pending.extend_from_slice(rest);
            Ok(())
        };
        if job.manifest().subject.shard.is_some() && dense.is_some() {
            return Err(Error::Job(format!(
                "{} has the bits of one shard, and some states of an orbit only; name the folder of the whole job",
                job.folder().display()
            )));
        }
        if let Some(dense) = dense {
            let reading = dense.reading(entry.depth);
            reading.each_place(job, depth, &mut |places| {
                let word = |&place: &Place| compiled.pack(&reading.state(place), 0);
                let smallest = |place: &Place| {
                    let word = word(place);
                    let smallest = images.smallest(word);
                    // If each state of an orbit has a bit, only the smallest state is taken, for the whole orbit.
                    (!reading.is_raw() || smallest == word).then_some(smallest)
                };
                let words = |range: Range<usize>| places[range].iter().filter_map(smallest).collect::<Vec<W>>();
                take(&parallel::map(places.len(), AT_ONCE, words).concat())
            })?;
        } else {
            for shards in job.parts().chunks(MOST_MERGED) {
                let mut inputs = Vec::new();
                for shard in shards {
                    for kind in Kind::of_words(compiled.rules.outcomes.len()) {
                        inputs.extend(shard.words(depth, kind)?.map(MergeInput::found));
                    }
                }
                let is_right = |&word: &W| compiled.layout.fits(word) && images.smallest(word) == word;
                merge_here(inputs, at_a_time, &mut |parts| {
                    let right = parts
                        .iter()
                        .all(|words| parallel::all(words.len(), AT_ONCE, &|range| words[range].iter().all(is_right)));
                    if right { parts.iter().try_for_each(|words| take(words)) } else { Err(job.lacks(depth)) }
                })?;
            }
        }
        if !pending.is_empty() {
            parallel::sort(&mut pending);
            found(&pending)?;
        }
        if count == entry.states { Ok(()) } else { Err(job.lacks(depth)) }
    }
}
