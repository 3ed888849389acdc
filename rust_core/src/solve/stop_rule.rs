//! Decides if a search that goes bound by bound can be expected to end.

use super::answer::Proof;

/// A bound predicts the next ones only if it took at least this many states.
const LEAST_STATES: u64 = 200_000;

/// The growth of the cost from one bound to the next. Measured values can be far off for small bounds.
const GROWTH: std::ops::RangeInclusive<f64> = 2.5..=6.0;

/// The expectation of a search. Each bound takes a multiple of the states of the one before it, so the cost of earlier
/// bounds predicts that of later ones.
#[derive(Debug, Clone, Copy)]
pub struct StopRule {
    /// The length of an answer that is known, if there is one. The fewest moves are assumed to be halfway between the
    /// lower bound and this.
    pub length: Option<u32>,
    /// The most states that a search may be expected to take.
    pub states: f64,
    /// `true` if larger tables are made if there is no hope without them.
    pub in_larger_tables: bool,
}

impl Default for StopRule {
    /// A rule that never gives up.
    fn default() -> Self {
        Self { length: None, states: f64::INFINITY, in_larger_tables: true }
    }
}

impl StopRule {
    /// Returns `true` if the bounds that lie ahead will take too many states.
    pub fn is_lost(&self, proof: &Proof) -> bool {
        let (Some(length), Some(&(bound, states))) = (self.length, proof.searched.last()) else { return false };
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
        // Each bound takes five times the states of the one before: a million for 52, and five for 54, which is
        // halfway.
        let searched = [(48, 40_000), (50, 200_000)];
        assert!(!hope(58, 5_000_001.0).is_lost(&proof(&searched)));
        assert!(hope(58, 4_999_999.0).is_lost(&proof(&searched)));
        // Without an answer, or with a bound that took few states, nothing is predicted.
        assert!(!StopRule { length: None, states: 0.0, in_larger_tables: true }.is_lost(&proof(&searched)));
        assert!(!hope(58, 0.0).is_lost(&proof(&searched[..1])));
        assert!(!StopRule::default().is_lost(&proof(&searched)));
        // The first bound of larger tables is the last of smaller ones, and then it is compared with none.
        assert!(hope(80, 1e9).is_lost(&proof(&[(50, 900_000), (50, 200_000)])));
    }
}
