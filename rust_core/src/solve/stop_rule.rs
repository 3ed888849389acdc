//! Decides whether a search that goes bound by bound can be expected to end.

use super::answer::Proof;

/// A bound predicts the cost of the next ones only if it took at least this many states.
const LEAST_STATES: u64 = 200_000;

/// The factor by which the cost can grow from one bound to the next. For small bounds, measured factors can be far off.
const GROWTH: std::ops::RangeInclusive<f64> = 2.5..=6.0;

/// What a search can be expected to cost. Each bound takes a multiple of the states of the bound before, so the cost of
/// earlier bounds predicts that of later ones.
#[derive(Debug, Clone, Copy)]
pub struct StopRule {
    /// The length of a known answer, if there is one. The fewest moves are assumed to be halfway between the lower
    /// bound and this length.
    pub length: Option<u32>,
    /// The most states that a search may be expected to take; if no answer is known, the most that it may take.
    pub states: f64,
    /// `true` if larger tables are to be made when there is no hope without them.
    pub in_larger_tables: bool,
}

impl Default for StopRule {
    /// A rule that never gives up.
    fn default() -> Self {
        Self { length: None, states: f64::INFINITY, in_larger_tables: true }
    }
}

impl StopRule {
    /// Returns `true` if the bounds that lie ahead will take too many states. Nothing is predicted if no answer is
    /// known: the search may have no end, so what it has taken counts.
    pub fn is_lost(&self, proof: &Proof) -> bool {
        let Some(length) = self.length else { return proof.states() as f64 > self.states };
        let Some(&(bound, states)) = proof.searched.last() else { return false };
        if states < LEAST_STATES {
            return false;
        }
        let before = proof.searched.iter().rev().nth(1).filter(|&&(earlier, _)| earlier < bound);
        let (step, growth) = before.map_or((1, *GROWTH.start()), |&(earlier, fewer)| {
            (bound - earlier, (states as f64 / fewer.max(1) as f64).clamp(*GROWTH.start(), *GROWTH.end()))
        });
        let ahead = length.saturating_sub(bound) / (2 * step);
        states as f64 * growth.powi(ahead as i32) > self.states
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hope_is_lost_if_the_bounds_ahead_take_too_many_states() {
        let proof = |searched: &[(u32, u64)]| Proof { lower_bound: 0, searched: searched.to_vec() };
        let hope = |length, states| StopRule { length: Some(length), states, in_larger_tables: true };
        // Each bound takes five times the states of the bound before: a million states for 52, and five million for 54,
        // which is halfway to the answer's 58.
        let searched = [(48, 40_000), (50, 200_000)];
        assert!(!hope(58, 5_000_001.0).is_lost(&proof(&searched)));
        assert!(hope(58, 4_999_999.0).is_lost(&proof(&searched)));
        // With a bound that took few states, nothing is predicted. Without an answer, all states count that were
        // searched.
        let without = |states| StopRule { length: None, states, in_larger_tables: true };
        assert!(!without(240_000.0).is_lost(&proof(&searched)));
        assert!(without(239_999.0).is_lost(&proof(&searched)));
        assert!(!hope(58, 0.0).is_lost(&proof(&searched[..1])));
        assert!(!StopRule::default().is_lost(&proof(&searched)));
        // With larger tables, the first bound is the last one of the smaller tables. Then its cost is not compared with
        // the cost before.
        assert!(hope(80, 1e9).is_lost(&proof(&[(50, 900_000), (50, 200_000)])));
    }
}
