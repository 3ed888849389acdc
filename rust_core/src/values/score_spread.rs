//! Scores spread backward from the states in which play is over, where play may come back to a state.
//!
//! Points are those of the first player. Take the highest score at which play can end, say 5. Where the first player is
//! to move and some successor is worth 5, the state is worth 5; where the second player is to move, it is if all
//! successors are. Once nothing follows any more, the same is done for 4, where 5 counts as at least 4, and so on. So
//! each state is decided once, and each move is looked at once. That ends at the score of play that never ends: what is
//! worth more than that can be forced. Then the same is done from the lowest score upward, with the players exchanged.
//! What is left is play that never ends, or ends with the same score.
//!
//! Take two states, a of the first player and b of the second, with moves a → b and b → a. From a play may also end
//! with 1 point, and from b with 3. Play without end scores 0. Then a is worth 1, since the second player does not go
//! from b to its end; and so is b.

use std::collections::BTreeMap;

use crate::error::Error;

/// No score is known.
pub const UNKNOWN: i32 = i32::MIN;

/// The number of states that are decided between two looks at the watch.
const LOOK_EVERY: u64 = 1 << 14;

/// States by their places, the moves between them, and their scores, as far as these are known.
#[derive(Debug, Default)]
pub struct ScoreSpread {
    /// For each state, its points, or [`UNKNOWN`]. At the beginning, only states in which play is over have points.
    pub points: Vec<i32>,
    /// For each state, `true` if the second player is to move.
    pub second: Vec<bool>,
    /// For each state, the best points for the player to move among the successors for which this struct has no place,
    /// or [`UNKNOWN`] if it has no such successors.
    pub elsewhere: Vec<i32>,
    /// For each state, the number of its different successors that have a place here.
    pub successors: Vec<u32>,
    /// For each state, the place in the list where its predecessors begin; and the end of the last ones.
    pub begins: Vec<u64>,
    /// The predecessors, each once.
    pub predecessors: Vec<u32>,
}

/// The error if play may never end, and the rules do not say what that scores.
pub fn endless() -> Error {
    Error::Options(
        "play may go on for ever, and the rules do not say what that scores; say it: Rules(score=..., endless=0)"
            .to_owned(),
    )
}

/// The work that is left for one of the players: for each number of points, the states that have or can get them.
type Levels = BTreeMap<i32, Vec<u32>>;

impl ScoreSpread {
    /// Finds all scores. `endless` is the score of play that never ends; if it is `None`, the scores that hang on it
    /// stay [`UNKNOWN`]. `look` is called with the number of states that are decided, now and then; `None` if it
    /// returns `true`, which stops this. Returns for each state a number that falls along best play to the end: the
    /// place at which it was decided, or [`u32::MAX`] if play may never end from there.
    pub fn spread(&mut self, endless: Option<i32>, look: &mut dyn FnMut(u64) -> bool) -> Option<Vec<u32>> {
        let over: Vec<u32> =
            (0..self.points.len() as u32).filter(|&place| self.points[place as usize] != UNKNOWN).collect();
        let mut order = vec![u32::MAX; self.points.len()];
        let known = if endless.is_none() { Some(self.points.clone()) } else { None };
        self.force(false, &over, endless, &mut order, look)?;
        if let Some(endless) = endless {
            self.force(true, &over, Some(-endless), &mut order, look)?;
            self.points.iter_mut().filter(|points| **points == UNKNOWN).for_each(|points| *points = endless);
        } else if let Some(known) = known {
            // The rules do not say what endless play scores. `least` is what the first player can force if endless play
            // is worth less than anything. The same is now found for the second player. Where both are equal, that is
            // the score; elsewhere, endless play decides it.
            let least = std::mem::replace(&mut self.points, known);
            self.force(true, &over, None, &mut vec![u32::MAX; least.len()], look)?;
            for (points, least) in self.points.iter_mut().zip(least) {
                *points = if *points == least { least } else { UNKNOWN };
            }
        }
        for place in over {
            order[place as usize] = 0;
        }
        Some(order)
    }

    /// Finds the states from which one player can force more than `floor`: the second player if `second` is `true`,
    /// otherwise the first. `floor` counts the points of that player.
    fn force(
        &mut self,
        second: bool,
        over: &[u32],
        floor: Option<i32>,
        order: &mut [u32],
        look: &mut dyn FnMut(u64) -> bool,
    ) -> Option<()> {
        let of_player = |points: i32| if second { -points } else { points };
        let mut levels = Levels::new();
        for &place in over {
            levels.entry(of_player(self.points[place as usize])).or_default().push(place);
        }
        for (place, &points) in self.elsewhere.iter().enumerate() {
            let open = self.points[place] == UNKNOWN && points != UNKNOWN;
            if open && (self.second[place] == second || self.successors[place] == 0) {
                levels.entry(of_player(points)).or_default().push(place as u32);
            }
        }
        let (mut left, mut told, mut count) = (self.successors.clone(), vec![false; self.points.len()], 0);
        while let Some((level, mut places)) = levels.pop_last().filter(|(level, _)| floor.is_none_or(|at| *level > at))
        {
            while let Some(place) = places.pop() {
                let at = place as usize;
                if self.points[at] == UNKNOWN {
                    self.points[at] = of_player(level);
                } else if self.points[at] != of_player(level) {
                    continue;
                }
                if std::mem::replace(&mut told[at], true) {
                    continue;
                }
                count += 1;
                order[at] = count as u32;
                if count % LOOK_EVERY == 0 && look(LOOK_EVERY) {
                    return None;
                }
                for &before in &self.predecessors[self.begins[at] as usize..self.begins[at + 1] as usize] {
                    let before = before as usize;
                    if self.points[before] != UNKNOWN {
                        continue;
                    }
                    if self.second[before] == second {
                        places.push(before as u32);
                        continue;
                    }
                    left[before] -= 1;
                    let elsewhere = self.elsewhere[before];
                    match (left[before], elsewhere) {
                        (0, UNKNOWN) => places.push(before as u32),
                        // If a successor elsewhere is worse for this player, the other player takes it.
                        (0, elsewhere) if of_player(elsewhere) >= level => places.push(before as u32),
                        (0, elsewhere) => levels.entry(of_player(elsewhere)).or_default().push(before as u32),
                        _ => {}
                    }
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A graph: for each state whether the second player is to move, its successors, and the points if play is over.
    struct Drawn {
        second: Vec<bool>,
        after: Vec<Vec<u32>>,
        over: Vec<Option<i32>>,
    }

    fn draw(random: &mut Random) -> Drawn {
        let mut below = |count: usize| random.below(count as u64) as usize;
        let count = 1 + below(9);
        let second = (0..count).map(|_| below(2) == 1).collect();
        let (mut after, mut over) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let mut list: Vec<u32> = (0..below(4)).map(|_| below(count) as u32).collect();
            list.sort_unstable();
            list.dedup();
            over.push(list.is_empty().then(|| below(7) as i32 - 3));
            after.push(list);
        }
        Drawn { second, after, over }
    }

    /// The scores by their definition: the first player can force at least `t` if play that never leaves the states in
    /// which that is possible is enough, or leads there in a number of moves.
    fn plain(drawn: &Drawn, endless: i32) -> Vec<i32> {
        let count = drawn.after.len();
        let mut found = vec![-4; count];
        for wanted in -3..=3 {
            // If endless play is enough, states are struck out; otherwise they are added.
            let enough = endless >= wanted;
            let mut can = vec![enough; count];
            loop {
                let next: Vec<bool> = (0..count)
                    .map(|at| match drawn.over[at] {
                        Some(points) => points >= wanted,
                        None if drawn.second[at] => drawn.after[at].iter().all(|&after| can[after as usize]),
                        None => drawn.after[at].iter().any(|&after| can[after as usize]),
                    })
                    .collect();
                if next == can {
                    break;
                }
                can = next;
            }
            (0..count).filter(|&at| can[at]).for_each(|at| found[at] = wanted);
        }
        found
    }

    #[test]
    fn scores_are_those_of_their_definition() {
        let mut random = Random::new("scores");
        for round in 0..3000 {
            let drawn = draw(&mut random);
            let endless = random.below(7) as i32 - 3;
            let expected = plain(&drawn, endless);
            // The points of the last states are known beforehand, as those of a later tier are.
            let count = drawn.after.len();
            let inside = if round % 2 == 0 { count } else { 1 + random.below(count as u64) as usize };
            let leads_back = drawn.after[inside..].iter().flatten().any(|&after| (after as usize) < inside);
            if leads_back {
                continue;
            }
            let mut spread =
                ScoreSpread { begins: vec![0], second: drawn.second[..inside].to_vec(), ..Default::default() };
            for at in 0..inside {
                let (here, there): (Vec<u32>, Vec<u32>) =
                    drawn.after[at].iter().partition(|&&after| (after as usize) < inside);
                let points = there.iter().map(|&after| expected[after as usize]);
                let best = if drawn.second[at] { points.min() } else { points.max() };
                spread.points.push(drawn.over[at].unwrap_or(UNKNOWN));
                spread.elsewhere.push(best.unwrap_or(UNKNOWN));
                spread.successors.push(here.len() as u32);
            }
            for at in 0..inside as u32 {
                let before = (0..inside).filter(|&before| drawn.after[before].contains(&at));
                spread.predecessors.extend(before.map(|before| before as u32));
                spread.begins.push(spread.predecessors.len() as u64);
            }
            spread.spread(Some(endless), &mut |_| false).unwrap();
            assert_eq!(spread.points, expected[..inside], "{:?} {:?} {:?}", drawn.second, drawn.after, drawn.over);
        }
    }
}
