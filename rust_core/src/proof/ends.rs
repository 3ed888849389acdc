//! Counts the claims about values by the number of moves to the end, or by points.

use super::claims::{Claim, ClaimedValue, Claims};

/// The numbers of states that a job claims to be won and lost, for each number of moves or of points.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimedEnds {
    /// For each number, how many states the player to move wins; in a puzzle, how many can be solved.
    pub wins: Vec<u64>,
    /// For each number, how many states the player to move loses.
    pub losses: Vec<u64>,
    /// The first depth with a state that is won in the largest number; `None` if there is none.
    pub longest_win: Option<u32>,
    /// The first depth with a state that is lost in the largest number.
    pub longest_loss: Option<u32>,
}

impl Claims {
    /// The counts of all claims.
    pub fn ends(&self) -> ClaimedEnds {
        let mut found = ClaimedEnds::default();
        for claim in &self.said {
            let Some((wins, number)) = end_of(claim) else { continue };
            let number = number as usize;
            if found.wins.len() <= number {
                found.wins.resize(number + 1, 0);
                found.losses.resize(number + 1, 0);
                (found.longest_win, found.longest_loss) = (None, None);
            }
            let counts = if wins { &mut found.wins } else { &mut found.losses };
            counts[number] += 1;
            if number + 1 == counts.len() {
                let first = if wins { &mut found.longest_win } else { &mut found.longest_loss };
                *first = Some(first.map_or(claim.depth, |first| first.min(claim.depth)));
            }
        }
        found
    }
}

/// A pair: `true` if a state is claimed to be won, and the claimed number of moves or points. `None` if there is no
/// such number, as for a draw.
fn end_of(claim: &Claim) -> Option<(bool, u32)> {
    match claim.value? {
        ClaimedValue::Points(0) | ClaimedValue::Draw | ClaimedValue::Unsolvable => None,
        ClaimedValue::Points(points) => Some((points > 0, points.unsigned_abs())),
        ClaimedValue::Loss => Some((false, claim.distance?)),
        ClaimedValue::Win | ClaimedValue::Solvable => Some((true, claim.distance?)),
    }
}
