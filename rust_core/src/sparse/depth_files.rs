//! The files of a completed depth: written from partitions, and read back.

use super::close::Closed;
use super::history::History;
use super::partition::Partition;
use super::state_graph::StateGraph;
use crate::compile::Word;
use crate::error::Result;
use crate::job::{DepthEntry, Job, Kind, needs_files};
use crate::memory;
use crate::run::{DepthReport, parallel};

/// The number of words that are read from a file and handed to the caller at a time.
const READ_AT_ONCE: usize = 1 << 16;

/// Replaces a list by the words of one kind (open, or ended with one outcome) that all partitions found. It takes the
/// memory of the list, if that is large enough and not much too large.
pub fn gather<W: Word>(partitions: &[Partition<W>], kind: usize, words: &mut Vec<W>) {
    concatenate(&partitions.iter().map(|partition| &partition.found[kind][..]).collect::<Vec<_>>(), words);
}

fn concatenate<W: Word>(lists: &[&[W]], words: &mut Vec<W>) {
    let count = lists.iter().map(|list| list.len()).sum();
    memory::empty(words, count);
    let mut rest = &mut words.spare_capacity_mut()[..count];
    let mut places = Vec::with_capacity(lists.len());
    for list in lists {
        let (place, after) = rest.split_at_mut(list.len());
        places.push(place);
        rest = after;
    }
    parallel::each_mut(&mut places, |number, place| {
        memory::provide_pages(place);
        for (place, &word) in place.iter_mut().zip(lists[number]) {
            place.write(word);
        }
    });
    // SAFETY: so many words were just written, since the places have the lengths of the lists.
    #[expect(unsafe_code, reason = "the threads write to memory that holds no words yet")]
    unsafe {
        words.set_len(count);
    }
}

/// Writes the states that partitions found in a depth as a depth of the job, once they are closed (counted). Returns
/// the open ones in order.
///
/// # Errors
///
/// [`crate::Error::Disk`].
pub fn write_depth<W: Word>(
    job: &mut Job,
    report: &DepthReport,
    generated: u64,
    partitions: &[Partition<W>],
    closed: &[Closed<W>],
) -> Result<Vec<W>> {
    needs_files!();
    let (mut open, mut words) = (Vec::new(), Vec::new());
    gather(partitions, 0, &mut open);
    parallel::sort(&mut open);
    job.write_words(Kind::Open, &open)?;
    for kind in 1..partitions[0].found.len() {
        gather(partitions, kind, &mut words);
        parallel::sort(&mut words);
        job.write_words(Kind::of_place(kind), &words)?;
    }
    let stuck: Vec<&[W]> = closed.iter().map(|closed| &closed.stuck[..]).collect();
    concatenate(&stuck, &mut words);
    parallel::sort(&mut words);
    job.write_words(Kind::Stuck, &words)?;
    job.commit(DepthEntry::new(report, generated))?;
    Ok(open)
}

/// The open states of a depth of the job, in order.
///
/// # Errors
///
/// [`crate::Error::Corrupt`] if their number differs from that in the manifest, or if a word is no state.
pub fn read_open<W: Word>(job: &Job, graph: &StateGraph<W>, history: &History, depth: u64) -> Result<Vec<W>> {
    needs_files!();
    let count = history.open(depth);
    // The caller has checked that the states fit the memory. So their number fits a `usize`, too.
    let mut states: Vec<W> = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    job.read_words(depth as usize, Kind::Open, &mut |words: &[W]| {
        states.extend_from_slice(words);
        Ok(())
    })?;
    let right = states.len() as u64 == count && graph.are_all_states(&states);
    if right { Ok(states) } else { Err(job.lacks(depth as usize)) }
}

/// Calls `take` with all states of a depth of the job, some at a time. `take` returns `false` if they cannot be of that
/// depth.
///
/// # Errors
///
/// [`crate::Error::Corrupt`] if `take` returns `false`, if the number of states differs from that in the manifest, or
/// if a word is no state.
pub fn read_all<W: Word>(
    job: &Job,
    graph: &StateGraph<W>,
    depth: usize,
    take: &mut dyn FnMut(&[W]) -> bool,
) -> Result<()> {
    needs_files!();
    let mut count = 0;
    for kind in Kind::of_words(graph.outcomes()) {
        let mut states: Vec<W> = Vec::new();
        let Some(mut reader) = job.words(depth, kind)? else { continue };
        loop {
            let more = reader.next(&mut states)?;
            if states.len() >= READ_AT_ONCE || !more {
                count += states.len() as u64;
                if !graph.are_states(&states) || !take(&states) {
                    return Err(job.lacks(depth));
                }
                states.clear();
            }
            if !more {
                break;
            }
        }
    }
    if count == job.manifest().depths[depth].states { Ok(()) } else { Err(job.lacks(depth)) }
}
