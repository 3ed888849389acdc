//! Decides whether iterative deepening, which goes bound by bound, can be expected to end within its limits.

use super::answer::Proof;

/// The cost of a bound is used to predict that of the next bounds only if it took at least this many states.
const LEAST_STATES: u64 = 200_000;

/// The range of factors by which the cost is assumed to grow from one bound to the next. Measured factors are clamped
/// to it, because those of small bounds can be far off.
const GROWTH: std::ops::RangeInclusive<f64> = 2.5..=6.0;

/// The rule by which a search gives up because of its expected cost. Each bound takes a multiple of the states of the
/// bound before, so the cost of earlier bounds predicts that of later ones.
#[derive(Debug, Clone, Copy)]
pub struct StopRule {
    /// The length of a known answer, if there is one. The fewest moves are assumed to be halfway between the lower
    /// bound and this length.
    pub length: Option<u32>,
    /// A limit on states. If an answer is known, a search that is expected to exceed it is given up. If none is known,
    /// a search that has exceeded it is given up.
    pub states: f64,
    /// A bound that can be expected to take no more states than this is searched in any case: a first answer may be
    /// much longer than the fewest moves, and then it predicts far too many bounds.
    pub cheap: f64,
    /// `true` if larger tables are to be made when the search is given up with the present ones.
    pub in_larger_tables: bool,
}

impl Default for StopRule {
    /// A rule that never gives up.
    fn default() -> Self {
        Self { length: None, states: f64::INFINITY, cheap: 0.0, in_larger_tables: true }
    }
}

impl StopRule {
    /// Returns `true` if the search is to be given up. If an answer is known, the cost of the bounds that lie ahead is
    /// predicted. If no answer is known, nothing is predicted, because the search may have no end; the states that it
    /// has taken count instead.
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
        let (next, last) = (states as f64 * growth, states as f64 * growth.powi(ahead as i32));
        next > self.cheap && last > self.states
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hope_is_lost_if_the_bounds_ahead_take_too_many_states() {
        let proof = |searched: &[(u32, u64)]| Proof { searched: searched.to_vec(), ..Proof::default() };
        let rule = StopRule::default();
        let hope = |length, states| StopRule { length: Some(length), states, ..rule };
        // Each bound takes five times the states of the bound before: a million states for 52, and five million for 54,
        // which is halfway to the answer's 58.
        let searched = [(48, 40_000), (50, 200_000)];
        assert!(!hope(58, 5_000_001.0).is_lost(&proof(&searched)));
        assert!(hope(58, 4_999_999.0).is_lost(&proof(&searched)));
        // A bound that took few states predicts nothing. Without an answer, all states that were searched count.
        let without = |states| StopRule { states, ..rule };
        assert!(!without(240_000.0).is_lost(&proof(&searched)));
        assert!(without(239_999.0).is_lost(&proof(&searched)));
        assert!(!hope(58, 0.0).is_lost(&proof(&searched[..1])));
        // The next bound can be expected to take a million states.
        assert!(!StopRule { cheap: 1e6, ..hope(58, 0.0) }.is_lost(&proof(&searched)));
        assert!(StopRule { cheap: 999_999.0, ..hope(58, 0.0) }.is_lost(&proof(&searched)));
        assert!(!StopRule::default().is_lost(&proof(&searched)));
        // With larger tables, the first bound is the last one of the smaller tables. Then its cost is not compared with
        // the cost before.
        assert!(hope(80, 1e9).is_lost(&proof(&[(50, 900_000), (50, 200_000)])));
    }
}
