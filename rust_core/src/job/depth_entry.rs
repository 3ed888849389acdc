//! The entries of a manifest for depths: the depths that are done, and the finished part of the depth that is not done.

use serde::{Deserialize, Serialize};

use super::disk::FileEntry;
use crate::run::DepthReport;

/// The entry of one depth that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DepthEntry {
    /// The depth: the number of moves from the start, or to the goal if the job counts backward.
    pub depth: u64,
    /// The number of states, up to symmetry.
    pub states: u64,
    /// The number of states; symmetric states count separately.
    pub raw_states: u64,
    /// The number of states from which play goes on, up to symmetry.
    pub open: u64,
    /// For each outcome, the number of states that ended with it.
    pub ended: Vec<u64>,
    /// The number of successors of the states of all earlier depths.
    pub generated: u64,
    /// In jobs with shards whose states are words: a checksum of the states, in hexadecimal digits. It is the sum of a
    /// number for each state. The sum does not depend on the order of the states, nor on the number of shards. `None`
    /// in other jobs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum: Option<String>,
    /// The number of bytes of the depth's files in all shards' folders, if these folders are on the disks of machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// In the job of a shard whose states are bits: for each state, how many symmetries other than the identity fix it,
    /// added up over all states. Then `states` and `open` count symmetric states separately. Otherwise `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fixed: Option<u64>,
    /// The files of the depth.
    pub files: Vec<FileEntry>,
}

impl DepthEntry {
    /// The entry of a depth, without its files.
    pub fn new(report: &DepthReport, generated: u64) -> Self {
        let DepthReport { depth, states, raw_states, open, ref ended } = *report;
        Self {
            depth,
            states,
            raw_states,
            open,
            ended: ended.clone(),
            generated,
            sum: None,
            bytes: None,
            fixed: None,
            files: Vec::new(),
        }
    }

    /// The sum of the entries of all shards for a depth; `None` if some entry is not of that depth. `order` is the
    /// number of symmetries.
    ///
    /// If shards count symmetric states separately, Burnside's lemma gives the number of orbits. Let a symmetry
    /// exchange the symbols of two cells, for example, and let one shard have `ab` and `cc`, and another one `ba`. The
    /// symmetry fixes one state of the first shard, and none of the second. So there are (2 + 1 + 1 + 0) / 2 = 2
    /// orbits.
    pub fn together(depth: u64, outcomes: usize, order: usize, parts: &[&Self]) -> Option<Self> {
        let nothing = DepthReport { depth, states: 0, raw_states: 0, open: 0, ended: vec![0; outcomes] };
        let mut all = Self::new(&nothing, 0);
        let (mut sum, mut fixed) = (Some(0u128), None);
        for part in parts {
            if part.depth != depth || part.ended.len() != outcomes {
                return None;
            }
            all.states = all.states.checked_add(part.states)?;
            all.raw_states = all.raw_states.checked_add(part.raw_states)?;
            all.open = all.open.checked_add(part.open)?;
            all.generated = all.generated.checked_add(part.generated)?;
            for (total, ended) in all.ended.iter_mut().zip(&part.ended) {
                *total = total.checked_add(*ended)?;
            }
            let own = match &part.sum {
                Some(text) => Some(u128::from_str_radix(text, 16).ok()?),
                None => None,
            };
            sum = sum.zip(own).map(|(sum, own)| sum.wrapping_add(own));
            if let Some(own) = part.fixed {
                fixed = Some(own.checked_add(fixed.unwrap_or(0))?);
            }
        }
        if let Some(fixed) = fixed {
            all.states = all.raw_states.checked_add(fixed)? / order.max(1) as u64;
            all.open = all.states;
        }
        Some(Self { sum: sum.map(|sum| format!("{sum:032x}")), ..all })
    }

    /// The number of bytes of the files that all shards have of a depth.
    pub fn bytes_of(parts: &[&Self]) -> u64 {
        parts.iter().flat_map(|part| &part.files).fold(0, |sum, file| sum.saturating_add(file.bytes))
    }

    /// The counts of the entry, as a report.
    pub fn report(&self) -> DepthReport {
        let Self { depth, states, raw_states, open, ref ended, .. } = *self;
        DepthReport { depth, states, raw_states, open, ended: ended.clone() }
    }
}

/// The part of a depth that is not done: the progress through the depth before it, and the files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partial {
    /// The number of open states of the last depth that were expanded, in the order of its file; in the dense store,
    /// the number of stretches of the index that were filled.
    pub expanded: u64,
    /// The number of generated successors, over all depths.
    pub generated: u64,
    /// The number of files that have ever been written for the depth.
    pub runs: u64,
    /// The files that the part has now.
    pub files: Vec<FileEntry>,
}
