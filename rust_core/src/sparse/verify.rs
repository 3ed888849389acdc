//! Checks the files of a job that the sparse store has kept, state by state.

use super::partition::partition_of;
use super::table::Table;
use crate::compile::{Compiled, Images, Word};
use crate::error::{Error, Result};
use crate::job::{DepthEntry, Job, Kind};
use crate::run::{DepthReport, Progress, Watch};
use crate::structure::Window;

/// Checks that every state of a job is its own smallest image and of the kind that its file says, that none comes twice, and
/// that the counts are theirs. Within so many bytes: where not all states fit, the files are read more than once.
///
/// # Errors
///
/// [`Error::Corrupt`] where it is otherwise, [`Error::Stopped`] where the watch said so.
pub fn verify<W: Word>(compiled: &Compiled<W>, images: &Images<W>, job: &Job, memory: u64, watch: Watch) -> Result<()> {
    let depths = &job.manifest().depths;
    let players = compiled.rules.player_count();
    // Where depths are told apart by the symbols, or a state by whose turn it is, the same cells may come again.
    let sets = if compiled.structure.window() == Window::Directed { players } else { 1 };
    let total: u64 = depths.iter().map(|depth| depth.states).sum();
    let bits = (total.saturating_mul(8 * size_of::<W>() as u64) / memory.max(1)).next_power_of_two().ilog2().min(20);
    let mut found: Vec<DepthReport> = (0..depths.len())
        .map(|depth| DepthReport {
            depth: depth as u64,
            states: 0,
            raw_states: 0,
            open: 0,
            ended: vec![0; compiled.rules.outcomes.len()],
        })
        .collect();
    for part in 0..1usize << bits {
        let mut tables = vec![Table::new(bits); sets];
        for (depth, found) in found.iter_mut().enumerate() {
            let player = depth % players;
            let table = &mut tables[player % sets];
            for kind in Kind::of_words(compiled.rules.outcomes.len()) {
                job.read_words(depth, kind, |words: &[W]| {
                    let progress = Progress { depth: depth as u64, ..Progress::default() };
                    if watch(&progress).is_break() {
                        return Err(Error::Stopped);
                    }
                    for &word in words.iter().filter(|&&word| partition_of(word, bits) == part) {
                        let end = compiled.layout.fits(word).then(|| compiled.outcome(word, player));
                        let right = match end {
                            Some(None) => kind == Kind::Open,
                            Some(Some(end)) if kind == Kind::Stuck => {
                                compiled.ended(word, player).is_none() && {
                                    found.ended[end] += 1;
                                    true
                                }
                            }
                            Some(Some(end)) => {
                                kind == Kind::Ended(end) && {
                                    found.ended[end] += 1;
                                    true
                                }
                            }
                            None => false,
                        };
                        if !right || images.smallest(word) != word || !table.insert(word) {
                            return Err(job.lacks(depth));
                        }
                        found.open += u64::from(kind == Kind::Open);
                        found.states += 1;
                        found.raw_states += images.orbit_size(word);
                    }
                    Ok(())
                })?;
            }
        }
    }
    match found.iter().zip(depths).position(|(found, entry)| *found != DepthEntry::report(entry)) {
        Some(depth) => Err(job.lacks(depth)),
        None => Ok(()),
    }
}

/// Checks that every word that a job of the sparse store has kept of the depth that is not done is a state of the kind that its
/// file says, and its own smallest image. Which of them are new is not known before the depth is done.
///
/// # Errors
///
/// As [`verify`].
pub fn verify_part<W: Word>(compiled: &Compiled<W>, images: &Images<W>, job: &Job, watch: Watch) -> Result<()> {
    let depth = job.manifest().depths.len();
    let player = depth % compiled.rules.player_count();
    let outcomes = compiled.rules.outcomes.len();
    let found =
        (0..=outcomes).map(Kind::of_place).flat_map(|kind| job.runs(kind).into_iter().map(move |run| (kind, run)));
    let found: Vec<_> = found.collect();
    if found.len() < job.partial().files.len() {
        return Err(job.lacks(depth));
    }
    for (kind, entry) in &found {
        let outcome = if let Kind::Ended(outcome) = *kind { Some(outcome) } else { None };
        let right = |&word: &W| {
            compiled.layout.fits(word) && images.smallest(word) == word && compiled.ended(word, player) == outcome
        };
        let (mut reader, mut words): (_, Vec<W>) = (job.words_of(entry)?, Vec::new());
        while reader.next(&mut words)? {
            if watch(&Progress { depth: depth as u64, ..Progress::default() }).is_break() {
                return Err(Error::Stopped);
            }
            if !words.iter().all(right) {
                return Err(job.lacks(depth));
            }
            words.clear();
        }
    }
    Ok(())
}
