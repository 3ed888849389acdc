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
