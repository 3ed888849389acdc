//! Tests of several rooms at once: every fast path beside the obvious one, and jobs that fail at every step.

mod answers;
mod boards;
mod brute;
mod conditions;
mod counted_values;
mod counts;
mod deep;
mod faults;
mod fenced;
mod naive;
mod oracle;
mod scored;
mod tiered;
mod tiers;
mod walls;

use crate::rules::{EndData, MoveData, PatternData, RulesData, SourceData, SymmetryData};

/// The number of random cases for a test that tries `count` of them in every run. `make test-random` sets
/// `PUZZLEKIT_LONG`, and so asks for ten times as many.
pub fn cases(count: u32) -> u32 {
    if std::env::var_os("PUZZLEKIT_LONG").is_some() { 10 * count } else { count }
}
