//! Checks the files of a job that the sparse store wrote, state by state.

use super::close::nothing_of;
use super::hash::{partition_of, shard_of, summand};
use super::state_graph::player_at;
use super::word_set::WordSet;
use crate::compile::{Compiled, Images, Word};
use crate::error::{Error, Result};
use crate::job::{FileEntry, Job, Kind};
use crate::run::{DepthReport, Progress, Watch};
use crate::structure::Window;

/// The binary logarithm of the most times that the files are read.
const MOST_PASS_BITS: u32 = 20;

/// Checks that every state of a job is the smallest of its images and of the kind of its file, that no state comes
/// twice, and that each depth has the counts of the manifest.
///
/// The check takes about `memory` bytes: if not all states fit, the files are read several times, and each pass looks
/// at the states of one partition. Two equal states are in the same partition, so none is missed.
///
/// # Errors
///
/// [`Error::Corrupt`] if a check fails, [`Error::Stopped`] if the watch stops it.
pub fn verify<W: Word>(compiled: &Compiled<W>, images: &Images<W>, job: &Job, memory: u64, watch: Watch) -> Result<()> {
    let (rules, depths) = (&compiled.rules, &job.manifest().depths);
    // The same cells may come with either player to move, for example after a pass. So each player has a set of states
    // that were seen.
    let sets = if compiled.structure.window() == Window::Layered { 1 } else { rules.alternating() };
    // A set of narrow words needs as much memory again while it grows.
    let bits = pass_bits(job, 2 * WordSet::<W>::MOST_BYTES, memory);
    let mut found = nothing_of_each(depths.len(), rules.outcomes.len());
    let (shards, shard) = (job.manifest().subject.shards, job.manifest().subject.shard);
    let belongs = |word: W| shard.is_none_or(|shard| shard_of(word, shards.unwrap_or(1)) as u64 == shard);
    let mut sums = vec![0u128; depths.len()];
    for pass in 0..1usize << bits {
        let mut seen: Vec<_> = (0..sets).map(|_| WordSet::new(bits)).collect();
        for (depth, found) in found.iter_mut().enumerate() {
            let seen = &mut seen[player_at(compiled, depth as u64) % sets];
            for kind in Kind::of_words(rules.outcomes.len()) {
                job.read_words(depth, kind, &mut |words: &[W]| {
                    ask(watch, depth)?;
                    for &word in words.iter().filter(|&&word| partition_of(word, bits) == pass) {
                        let right = compiled.layout.fits(word)
                            && belongs(word)
                            && count(compiled, word, kind, found)
                            && images.smallest(word) == word
                            && seen.insert(word);
                        if !right {
                            return Err(job.lacks(depth));
                        }
                        found.raw_states += images.orbit_size(word);
                        if shard.is_some() {
                            sums[depth] = sums[depth].wrapping_add(summand(word));
                        }
                    }
                    Ok(())
                })?;
            }
        }
    }
    compare(job, &found, &sums)
}

/// The binary logarithm of the number of times that the files are read.
fn pass_bits(job: &Job, bytes_of_word: usize, memory: u64) -> u32 {
    let total: u64 = job.manifest().depths.iter().map(|depth| depth.states).sum();
    let passes = total.saturating_mul(bytes_of_word as u64) / memory.max(1);
    passes.next_power_of_two().ilog2().min(MOST_PASS_BITS)
}

/// For each depth, a report with nothing counted yet.
fn nothing_of_each(depths: usize, outcomes: usize) -> Vec<DepthReport> {
    (0..depths).map(|depth| nothing_of(depth as u64, outcomes)).collect()
}

/// Compares the counts and sums of all depths with those of the manifest.
fn compare(job: &Job, found: &[DepthReport], sums: &[u128]) -> Result<()> {
    let (depths, of_shard) = (&job.manifest().depths, job.manifest().subject.shard.is_some());
    let summed = |depth: usize| of_shard.then(|| format!("{:032x}", sums[depth]));
    let wrong = |&depth: &usize| found[depth] != depths[depth].report() || summed(depth) != depths[depth].sum;
    match (0..depths.len()).find(wrong) {
        Some(depth) => Err(job.lacks(depth)),
        None => Ok(()),
    }
}

/// Counts a state with its depth. Returns `true` if it is of the given kind.
fn count<W: Word>(compiled: &Compiled<W>, word: W, kind: Kind, found: &mut DepthReport) -> bool {
    let player = player_at(compiled, found.depth);
    found.states += 1;
    let outcome = compiled.outcome(word, player);
    match outcome {
        None => found.open += 1,
        Some(outcome) => found.ended[outcome] += 1,
    }
    match kind {
        Kind::Open => outcome.is_none(),
        Kind::Stuck => outcome.is_some() && compiled.ended(word, player).is_none(),
        Kind::Ended(end) => outcome == Some(end) && compiled.ended(word, player) == Some(end),
        Kind::States
        | Kind::Part
        | Kind::Values
        | Kind::Distances
        | Kind::Sums
        | Kind::Spread
        | Kind::Listing
        | Kind::Asked(_)
        | Kind::Told
        | Kind::Passed(_) => false,
    }
}

/// Returns [`Error::Stopped`] if the watch wants to stop.
fn ask(watch: Watch, depth: usize) -> Result<()> {
    let stops = watch(&Progress { depth: depth as u64, ..Progress::default() }).is_break();
    if stops { Err(Error::Stopped) } else { Ok(()) }
}

/// Checks the runs of the depth that is not done: every word is a state of the kind of its run, and the smallest of its
/// images. Which of the words are new is not known before the depth is done, and is not checked.
///
/// # Errors
///
/// The errors of [`verify`].
pub fn verify_part<W: Word>(compiled: &Compiled<W>, images: &Images<W>, job: &Job, watch: Watch) -> Result<()> {
    let depth = job.manifest().depths.len();
    let player = player_at(compiled, depth as u64);
    for (kind, entry) in &runs_of_part(job, compiled.rules.outcomes.len())? {
        let outcome = if let Kind::Ended(outcome) = *kind { Some(outcome) } else { None };
        let right = |&word: &W| {
            compiled.layout.fits(word) && images.smallest(word) == word && compiled.ended(word, player) == outcome
        };
        let (mut reader, mut words): (_, Vec<W>) = (job.words_of(entry)?, Vec::new());
        while reader.next(&mut words)? {
            ask(watch, depth)?;
            if !words.iter().all(right) {
                return Err(job.lacks(depth));
            }
            words.clear();
        }
    }
    Ok(())
}

/// The runs of the depth that is not done, with their kinds.
///
/// # Errors
///
/// [`Error::Corrupt`] if there is a run of a kind that the rules do not have.
fn runs_of_part(job: &Job, outcomes: usize) -> Result<Vec<(Kind, FileEntry)>> {
    let kinds = (0..=outcomes).map(Kind::of_place);
    let runs: Vec<_> = kinds.flat_map(|kind| job.runs(kind).into_iter().map(move |run| (kind, run))).collect();
    // `runs` has only runs of the kinds that the rules have. If the job lists more files, it has a run of another kind.
    if runs.len() < job.partial().files.len() {
        return Err(job.lacks(job.manifest().depths.len()));
    }
    Ok(runs)
}
