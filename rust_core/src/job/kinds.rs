//! The kinds of files that a depth has, and what a manifest says of a depth as a report.

use super::job::Job;
use super::manifest::DepthEntry;
use crate::run::{DepthReport, Report, Store};

/// The name of the file of the open states.
pub const OPEN: &str = "open";

/// The name of the file of the states without a move.
pub const STUCK: &str = "stuck";

/// The name of the file of the states that ended with an outcome.
pub fn ended(outcome: usize) -> String {
    format!("ended-{outcome}")
}

/// The entry of a depth, without its files.
pub fn entry(report: &DepthReport, generated: u64) -> DepthEntry {
    let DepthReport { depth, states, raw_states, open, ref ended } = *report;
    DepthEntry { depth, states, raw_states, open, ended: ended.clone(), generated, files: Vec::new() }
}

/// The report of an entry.
pub fn report(entry: &DepthEntry) -> DepthReport {
    let DepthEntry { depth, states, raw_states, open, ref ended, .. } = *entry;
    DepthReport { depth, states, raw_states, open, ended: ended.clone() }
}

/// The report of a job that is complete.
pub fn report_of(job: &Job) -> Report {
    let depths = &job.manifest().depths;
    Report {
        depths: depths.iter().map(report).collect(),
        stop: None,
        store: Store::Auto,
        reason: String::new(),
        symmetry_order: 1,
        generated: job.manifest().generated,
        seconds: 0.0,
    }
}

/// The name of the file of a kind: 0 for open states, else one more than the outcome.
pub fn name_of(kind: usize) -> String {
    kind.checked_sub(1).map_or_else(|| OPEN.to_owned(), ended)
}
