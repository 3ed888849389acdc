//! Finds scores if play may come back to a state: they spread backward from the states in which play is over.
//!
//! All points here are those of the first player. Let 5 be the highest score with which play can end. A state in which
//! the first player moves is worth 5 if some successor is worth 5. A state in which the second player moves is worth 5
//! if all successors are. When no more states turn out to be worth 5, the same is done for the next lower score, say 4.
//! There, a successor that is worth 5 counts as worth at least 4. So each state is decided once, and each move is
//! looked at once. This stops above the score of play that never ends, because only what is worth more has to be
//! forced. Then the same is done from the lowest score upward, with the players exchanged. All states that are left get
//! the score of play that never ends.
//!
//! For example, take two states with the moves a → b and b → a. The first player moves in a, and the second in b. Play
//! can also end from a with 1 point and from b with 3. Play that never ends scores 0. The second player goes from b
//! back to a rather than end play with 3, and the first player then ends play with 1 rather than go on for ever. So a
//! and b are both worth 1.

use std::collections::BTreeMap;

use crate::error::Error;

/// Stands for a score that is not known.
pub const UNKNOWN: i32 = i32::MIN;

/// The number of states that are decided between two calls of `look`.
const LOOK_EVERY: u64 = 1 << 14;

/// A graph of states with their scores, as far as these are known. A state is given by its place in the lists.
#[derive(Debug, Default)]
pub struct ScoreSpread {
    /// For each state, its points, or [`UNKNOWN`]. At first, only states in which play is over have points.
    pub points: Vec<i32>,
    /// For each state, `true` if the second player is to move.
    pub second: Vec<bool>,
    /// For each state, the best points for the player to move among those successors that are not in these lists, such
    /// as successors in later tiers. [`UNKNOWN`] if there are no such successors.
    pub elsewhere: Vec<i32>,
    /// For each state, the number of its different successors that are in these lists.
    pub successors: Vec<u32>,
    /// For each state, the place in [`Self::predecessors`] where its predecessors begin; and as the last entry, the
    /// length of that list.
    pub begins: Vec<u64>,
    /// The predecessors of all states, one state after the other. Each state has each predecessor once.
    pub predecessors: Vec<u32>,
}

/// The error if play may never end, and the rules do not say what that scores.
pub fn endless() -> Error {
    Error::Options(
        "play may go on for ever, and the rules do not say what that scores; say it: Rules(score=..., endless=0)"
            .to_owned(),
    )
}

/// The work that is left for one player: for each number of points, the states that are known to bring at least that
/// many.
type Levels = BTreeMap<i32, Vec<u32>>;

impl ScoreSpread {
    /// Finds all scores. `endless` is the score of play that never ends. If it is `None`, a state whose score depends
    /// on it stays [`UNKNOWN`]. From time to time, `look` is told how many more states have been decided. If it returns
    /// `true`, the search stops and the result is `None`. Otherwise, the result has a number for each state that gets
    /// smaller with each move of best play: the order in which the states were decided, 0 where play is over, and
    /// [`u32::MAX`] where play may never end.
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
            // The rules do not say what play that never ends scores. `least` has the points that the first player can
            // force if such play is worth less than anything. Now the same is found for the second player. If the two
            // agree on a state, that is its score. If not, the score depends on play that never ends.
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

    /// Finds the states from which one player can force more than `floor` points: the second player if `second` is
    /// `true`, otherwise the first. `floor` counts as points of that player. If `floor` is `None`, all such states are
    /// found, whatever their points. The result is `None` if `look` stops the search.
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
                        // If a successor that is not in the lists has fewer points for the player who forces, the
                        // opponent chooses that one.
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

    /// A random graph: for each state, whether the second player moves, its successors, and the points if play is over.
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

    /// The scores by their definition. For each `wanted`, finds the set of states from which the first player can force
    /// at least `wanted` points. If play that never ends is worth that much, it is the largest set in which the first
    /// player can keep play. If not, it is the set from which the first player can force such an end in some number of
    /// moves.
    fn plain(drawn: &Drawn, endless: i32) -> Vec<i32> {
        let count = drawn.after.len();
        let mut found = vec![-4; count];
        for wanted in -3..=3 {
            // The largest set is found by removing states from all, the other one by adding states to none.
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
            // In some rounds, the last states count as states of a later tier, whose points are known.
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
