//! Checks that each player can force the points that a job claims, if play can come back to a state.
//!
//! Points that agree with those around them may still be wrong in a circle, where each state leads to another one that
//! is worth as much. So states are settled one after another, beginning with those in which play is over. If the player
//! who forces the points moves, one successor of the same worth settles a state. If the opponent moves, all such
//! successors must be settled. Successors that are worth more are settled by themselves. A state that is never settled
//! has points that nobody can force.
//!
//! Only points that are more than the worth of play that never ends need to be forced. All other states are left out:
//! their points follow from what the opponent cannot force.

use super::claims::{ClaimedValue, Claims};
use super::found::Doubt;

/// The moves between states that are worth as much, by the states that they lead to.
pub(super) struct LevelMoves<'a> {
    claims: &'a Claims,
    /// For each state, the number of its successors that are worth as much.
    same: Vec<u32>,
    /// For each state, where its predecessors begin in `before`; and as the last entry, the length of that list.
    begins: Vec<usize>,
    /// The predecessors that are worth as much, one state after the other.
    before: Vec<u32>,
}

impl<'a> LevelMoves<'a> {
    /// Lists the moves. `after` returns the successors of a state.
    pub fn new(claims: &'a Claims, after: &dyn Fn(usize) -> Result<Vec<usize>, Doubt>) -> Result<Self, Doubt> {
        let count = claims.len();
        let (mut same, mut level, mut begins) = (vec![0_u32; count], Vec::new(), vec![0; count + 1]);
        for (place, same) in same.iter_mut().enumerate() {
            let there = after(place)?;
            for each in there.into_iter().filter(|&each| worth_to(claims, 0, each) == worth_to(claims, 0, place)) {
                *same += 1;
                begins[each + 1] += 1;
                level.push(each as u32);
            }
        }
        for place in 0..count {
            begins[place + 1] += begins[place];
        }
        let (mut before, mut next, mut level) = (vec![0; level.len()], begins.clone(), level.into_iter());
        for (place, &moves) in same.iter().enumerate() {
            for each in level.by_ref().take(moves as usize) {
                before[next[each as usize]] = place as u32;
                next[each as usize] += 1;
            }
        }
        Ok(Self { claims, same, begins, before })
    }

    /// A state with points that a player cannot force although they are more than play that never ends, and these
    /// points. `endless` is the worth of such play to the first player.
    pub fn never_settled(&self, forcer: usize, endless: Option<i64>) -> Option<(usize, i64)> {
        let floor = endless.map(|points| if forcer == 0 { points } else { -points });
        let worth = |place: usize| worth_to(self.claims, forcer, place);
        let wanted = |place: usize| floor.is_none_or(|floor| worth(place) > floor);
        let needs = |place: usize| {
            let all = self.same[place];
            if self.claims.player(place) == forcer { all.min(1) } else { all }
        };
        let mut left: Vec<u32> = (0..self.same.len()).map(needs).collect();
        let mut settled: Vec<usize> = (0..left.len()).filter(|&place| left[place] == 0 && wanted(place)).collect();
        while let Some(place) = settled.pop() {
            for &before in &self.before[self.begins[place]..self.begins[place + 1]] {
                let before = before as usize;
                if left[before] > 0 {
                    left[before] -= 1;
                    if left[before] == 0 {
                        settled.push(before);
                    }
                }
            }
        }
        let place = (0..left.len()).find(|&place| left[place] > 0 && wanted(place))?;
        Some((place, worth(place)))
    }
}

/// The points that a state is worth to a player, as the job claims; 0 if it claims none.
fn worth_to(claims: &Claims, player: usize, place: usize) -> i64 {
    match claims.said[place].value {
        Some(ClaimedValue::Points(points)) if claims.player(place) == player => i64::from(points),
        Some(ClaimedValue::Points(points)) => -i64::from(points),
        _ => 0,
    }
}
