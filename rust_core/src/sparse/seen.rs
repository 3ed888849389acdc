//! Counts that are taken of open states when they are expanded, so that they need not be taken before.

use crate::run::DepthReport;

/// The counts that the expansion of open states gives besides their successors: the number of their images, and of
/// states without a move.
///
/// A search in memory counts the open states of a depth by it. Their images are made for their successors anyway, and a
/// state without a move has none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeenOfOpen {
    /// The number of all images of the states.
    pub raw_states: u64,
    /// For each outcome, the number of states without a move that have it. The list may end before the last outcome.
    pub stuck: Vec<u64>,
}

impl SeenOfOpen {
    /// Counts a state without a move, with its outcome.
    #[cold]
    #[inline(never)]
    pub fn add_stuck(&mut self, outcome: usize) {
        if self.stuck.len() <= outcome {
            self.stuck.resize(outcome + 1, 0);
        }
        self.stuck[outcome] += 1;
    }

    /// Adds what was seen of other states.
    #[inline(never)]
    pub fn add(&mut self, other: &Self) {
        self.raw_states += other.raw_states;
        self.stuck.resize(self.stuck.len().max(other.stuck.len()), 0);
        self.stuck.iter_mut().zip(&other.stuck).for_each(|(sum, count)| *sum += count);
    }

    /// Completes the report of a depth in which nothing of this was counted.
    #[inline(never)]
    pub fn complete(&self, report: &mut DepthReport) {
        report.raw_states += self.raw_states;
        report.open -= self.stuck.iter().sum::<u64>();
        report.ended.iter_mut().zip(&self.stuck).for_each(|(sum, count)| *sum += count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_completed_by_what_was_seen() {
        let (mut seen, mut other) = (SeenOfOpen { raw_states: 5, stuck: vec![] }, SeenOfOpen::default());
        other.add_stuck(1);
        other.add_stuck(1);
        seen.add(&other);
        seen.add_stuck(0);
        assert_eq!(seen, SeenOfOpen { raw_states: 5, stuck: vec![1, 2] });
        let mut report = DepthReport { depth: 3, states: 9, raw_states: 2, open: 8, ended: vec![0, 1, 0] };
        seen.complete(&mut report);
        assert_eq!(report, DepthReport { depth: 3, states: 9, raw_states: 7, open: 5, ended: vec![1, 3, 0] });
    }
}
