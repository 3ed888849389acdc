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
//!
//! A job can keep how far the scores have spread. A state has *told* its score when its predecessors have been looked
//! at. If the scores of all states that have told theirs are known, all else follows from them: these states tell
//! theirs once more, which decides the states that were waiting, and then the search goes on.

use std::collections::BTreeMap;

use super::value_code::ValueCode;
use crate::error::{Error, Result};
use crate::job::BY_SECOND;
use crate::run::of_mover;

/// Stands for a score that is not known.
pub const UNKNOWN: i32 = i32::MIN;

/// The most states that tell their scores between two calls of `look`.
const LOOK_EVERY: usize = 1 << 14;

/// The fewest calls of `look` while each state tells its score once.
const LEAST_LOOKS: usize = 64;

/// The bits of [`ScoreSpread::told`]: the state has told what the first player can force, and what the second one can.
const FIRST: u8 = 1;
const SECOND: u8 = 2;
/// Another bit: what the second player can force was compared with what the first one can.
const COMPARED: u8 = 4;

/// The most bytes that a state takes while scores spread, beside the list of its predecessors: for the entries in the
/// lists of [`ScoreSpread`], the count of its successors, its moves to the end, and two places among the states that
/// wait.
pub const SPREAD_BYTES: usize = 7 * size_of::<u32>() + size_of::<u64>() + 2;

/// A graph of states with their scores, as far as these are known. A state is given by its place in the lists.
#[derive(Debug, Default, Clone)]
pub struct ScoreSpread {
    /// For each state, its points, or [`UNKNOWN`]. At first, the states in which play is over have points, and those of
    /// which an earlier run has kept them.
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
    /// For each state, bits that say whether it has told its score.
    pub told: Vec<u8>,
    /// The number of times that a state has told its score, for the first player or for the second one.
    pub reached: u64,
}

/// The error if play may never end, and the rules do not say what that scores.
pub fn endless() -> Error {
    Error::Options(
        "play may go on for ever, and the rules do not say what that scores; say it: Rules(score=..., endless=0)"
            .to_owned(),
    )
}

/// From time to time, this function gets the scores so far, and how many more states have told theirs. It returns
/// `false` to end the search.
pub type LookAtScores<'a> = &'a mut dyn FnMut(&ScoreSpread, u64) -> Result<bool>;

/// The work that is left for one player: for each number of points, the states that are known to bring at least that
/// many.
type Levels = BTreeMap<i32, Vec<u32>>;

/// The search for the points that one player can force.
struct Forcing {
    /// `true` if that is the second player.
    second: bool,
    /// `true` if all points are known already, as those that the first player can force, and are only compared.
    compares: bool,
    /// `true` if some points differ. Then scores depend on play that never ends.
    differs: bool,
    /// For each state, the number of its successors that have not told their scores.
    left: Vec<u32>,
    levels: Levels,
}

impl Forcing {
    /// The bit of [`ScoreSpread::told`].
    fn bit(&self) -> u8 {
        if self.second { SECOND } else { FIRST }
    }

    /// Turns points of the first player into points of the player who forces, and back.
    fn of_player(&self, points: i32) -> i32 {
        if self.second { -points } else { points }
    }
}

impl ScoreSpread {
    /// Finds all scores. `endless` is the score of play that never ends. If it is `None`, a state whose score depends
    /// on it stays [`UNKNOWN`], and then others may, too. The result is `None` if `look` ends the search. Otherwise, it
    /// has a number for each state: the moves until play is over, if both players keep the score, and the one who has
    /// to force it hurries while the other one delays; [`u32::MAX`] where play may never end. If some successors are
    /// not in the lists, or an earlier run has kept some scores, the numbers mean nothing.
    ///
    /// # Errors
    ///
    /// Errors of `look`.
    pub fn spread(&mut self, endless: Option<i32>, look: LookAtScores) -> Result<Option<Vec<u32>>> {
        let mut to_end: Vec<u32> =
            (0..self.points.len()).map(|place| if self.is_over(place) { 0 } else { u32::MAX }).collect();
        if !self.force(false, endless, &mut to_end, look)? {
            return Ok(None);
        }
        // If the rules do not say what play that never ends scores, `points` has now what the first player can force if
        // such play is worth less than anything. The same is then found for the second player. If the two agree on a
        // state, that is its score. If not, the score depends on play that never ends.
        if endless.is_some() || !self.points.contains(&UNKNOWN) {
            if !self.force(true, endless.map(|points| -points), &mut to_end, look)? {
                return Ok(None);
            }
            for (points, told) in self.points.iter_mut().zip(&self.told) {
                match endless {
                    Some(endless) if *points == UNKNOWN => *points = endless,
                    None if told & SECOND == 0 => *points = UNKNOWN,
                    _ => {}
                }
            }
        }
        Ok(Some(to_end))
    }

    /// Returns `true` if play is over in a state.
    fn is_over(&self, place: usize) -> bool {
        self.successors[place] == 0 && self.elsewhere[place] == UNKNOWN
    }

    /// The score of a state for the player to move, as a job keeps it, or 0 if the state has not told it.
    pub fn code(&self, place: usize) -> u32 {
        let told = self.told[place];
        if told & (FIRST | SECOND) == 0 {
            return ValueCode::NOTHING.0;
        }
        let code = ValueCode::scored(of_mover(self.points[place], usize::from(self.second[place]))).0;
        if told & SECOND == 0 { code } else { code | BY_SECOND }
    }

    /// Takes the score of a state from what a job has kept. `endless` is that of [`Self::spread`].
    pub fn restore(&mut self, place: usize, code: u32, endless: Option<i32>) {
        self.points[place] = of_mover(ValueCode(code & !BY_SECOND).points(), usize::from(self.second[place]));
        let told = match (code & BY_SECOND == 0, endless) {
            (true, _) => FIRST,
            (false, Some(_)) => SECOND,
            // Before the second player's turn, all states have told what the first player can force.
            (false, None) => FIRST | SECOND | COMPARED,
        };
        self.told[place] = told;
        self.reached += u64::from((told & (FIRST | SECOND)).count_ones());
    }

    /// The number of states that have told their scores, and the most points by which a player is ahead in these.
    pub fn so_far(&self) -> (u64, u32) {
        let told = self.points.iter().zip(&self.told).filter(|(_, told)| **told != 0);
        told.fold((0, 0), |(count, most), (points, _)| (count + 1, most.max(points.unsigned_abs())))
    }

    /// Returns `true` if the points of a state are still to be found, or to be compared.
    fn is_open(&self, forcing: &Forcing, place: usize) -> bool {
        if forcing.compares { self.told[place] & COMPARED == 0 } else { self.points[place] == UNKNOWN }
    }

    /// Gives points to an open state: those of the player who forces.
    fn decide(&mut self, forcing: &mut Forcing, place: usize, points: i32) {
        let points = forcing.of_player(points);
        if forcing.compares {
            self.told[place] |= COMPARED;
            forcing.differs |= self.points[place] != points;
        } else {
            self.points[place] = points;
        }
    }

    /// Finds the states from which one player can force more than `floor` points: the second player if `second` is
    /// `true`, otherwise the first. `floor` counts as points of that player. If `floor` is `None`, all such states are
    /// found, whatever their points. Returns `false` if `look` ends the search.
    fn force(&mut self, second: bool, floor: Option<i32>, to_end: &mut [u32], look: LookAtScores) -> Result<bool> {
        let (compares, left) = (second && floor.is_none(), self.successors.clone());
        let mut forcing = Forcing { second, compares, differs: false, left, levels: Levels::new() };
        let count = self.points.len();
        for place in 0..count {
            let told = self.told[place] & forcing.bit() != 0;
            let points = if self.is_over(place) { self.points[place] } else { self.elsewhere[place] };
            let forces = self.second[place] == second || self.successors[place] == 0;
            if !told && points != UNKNOWN && forces && (self.is_over(place) || self.is_open(&forcing, place)) {
                forcing.levels.entry(forcing.of_player(points)).or_default().push(place as u32);
            }
        }
        if !self.tell_again(&mut forcing, look)? {
            return Ok(false);
        }
        let look_every = (count / LEAST_LOOKS).clamp(1, LOOK_EVERY);
        let mut told = 0;
        while let Some((level, list)) =
            forcing.levels.pop_last().filter(|(level, _)| floor.is_none_or(|at| *level > at))
        {
            let mut places = Vec::new();
            for place in list {
                if self.is_open(&forcing, place as usize) && !self.is_over(place as usize) {
                    self.decide(&mut forcing, place as usize, level);
                    places.push(place);
                } else if self.points[place as usize] == forcing.of_player(level) {
                    places.push(place);
                }
            }
            // The states of a level tell their scores in the order of their moves to the end.
            let mut next = 0;
            while let Some(&place) = places.get(next) {
                next += 1;
                // Then this state, or one after it, has not told its score, and never will.
                if forcing.differs {
                    return Ok(true);
                }
                let at = place as usize;
                if self.told[at] & forcing.bit() != 0 {
                    continue;
                }
                self.told[at] |= forcing.bit();
                (told, self.reached) = (told + 1, self.reached + 1);
                let known = places.len();
                self.tell(&mut forcing, at, level, &mut places);
                if !compares {
                    places[known..].iter().for_each(|&place| to_end[place as usize] = to_end[at].saturating_add(1));
                }
                if told % look_every == 0 && !forcing.differs && !look(self, look_every as u64)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Lets all states tell their scores once more that have done so in an earlier run. What follows from that was
    /// already decided, or waits at the fewest points of these states, since points are forced in falling order.
    /// Returns `false` if `look` ends the search.
    fn tell_again(&mut self, forcing: &mut Forcing, look: LookAtScores) -> Result<bool> {
        let told = self.points.iter().zip(&self.told).filter(|(_, told)| **told & forcing.bit() != 0);
        let Some(level) = told.map(|(&points, _)| forcing.of_player(points)).min() else { return Ok(true) };
        let mut places = Vec::new();
        for at in 0..self.points.len() {
            if self.told[at] & forcing.bit() != 0 {
                self.tell(forcing, at, level, &mut places);
            }
            if (at + 1).is_multiple_of(LOOK_EVERY) && !look(self, 0)? {
                return Ok(false);
            }
        }
        forcing.levels.entry(level).or_default().append(&mut places);
        Ok(true)
    }

    /// Lets the predecessors of a state know that it brings at least `level` points to the player who forces. Those
    /// that are then decided are added to `places`.
    fn tell(&mut self, forcing: &mut Forcing, at: usize, level: i32, places: &mut Vec<u32>) {
        for number in self.begins[at] as usize..self.begins[at + 1] as usize {
            let before = self.predecessors[number] as usize;
            if !self.is_open(forcing, before) {
                continue;
            }
            if self.second[before] != forcing.second {
                forcing.left[before] -= 1;
                if forcing.left[before] > 0 {
                    continue;
                }
                // If a successor that is not in the lists has fewer points for the player who forces, the opponent
                // chooses that one.
                let elsewhere = self.elsewhere[before];
                if elsewhere != UNKNOWN && forcing.of_player(elsewhere) < level {
                    forcing.levels.entry(forcing.of_player(elsewhere)).or_default().push(before as u32);
                    continue;
                }
            }
            self.decide(forcing, before, level);
            places.push(before as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    /// A random graph: for each state, whether the second player moves, its successors, and the points if play is over.
    #[derive(Debug)]
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
        let mut found = vec![-5; count];
        for wanted in -4..=4 {
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
        let (mut random, mut sure) = (Random::new("scores"), 0);
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
            let second = drawn.second[..inside].to_vec();
            let mut spread = ScoreSpread { begins: vec![0], second, told: vec![0; inside], ..Default::default() };
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
            let patience = 1 + round % 3;
            assert_eq!(in_slices(&spread, Some(endless), usize::MAX), expected[..inside], "{drawn:?}");
            assert_eq!(in_slices(&spread, Some(endless), patience), expected[..inside], "{drawn:?}");
            if inside < count {
                continue;
            }
            moves_fit(&drawn, endless, spread.clone());
            // If the score of play that never ends is not known, only scores that do not depend on it are.
            let known = plain(&drawn, -4);
            let depends = known != plain(&drawn, 4);
            for patience in [usize::MAX, patience] {
                let found = in_slices(&spread, None, patience);
                assert!(if depends { found.contains(&UNKNOWN) } else { found == known }, "{drawn:?}");
            }
            sure += usize::from(!depends);
        }
        assert!((100..2000).contains(&sure), "{sure}");
    }

    /// Checks the moves to the end: the player who has to force a score needs one more than after the quickest move
    /// that keeps it, and the other one has one more than after the slowest.
    fn moves_fit(drawn: &Drawn, endless: i32, mut spread: ScoreSpread) {
        let moves = spread.spread(Some(endless), &mut |_, _| Ok(true)).unwrap().unwrap();
        for (at, after) in drawn.after.iter().enumerate() {
            let points = spread.points[at];
            let kept = after.iter().map(|&after| after as usize).filter(|&after| spread.points[after] == points);
            let kept = kept.map(|after| moves[after].saturating_add(1));
            let forces = drawn.second[at] == (points < endless);
            let expected = match drawn.over[at] {
                Some(_) => 0,
                None if points == endless => u32::MAX,
                None if forces => kept.min().unwrap(),
                None => kept.max().unwrap(),
            };
            assert_eq!(moves[at], expected, "{at} of {drawn:?}");
        }
    }

    /// The points that are found in slices. Each ends after some looks, and the next one goes on from what was kept.
    fn in_slices(begun: &ScoreSpread, endless: Option<i32>, patience: usize) -> Vec<i32> {
        let mut kept = vec![0; begun.points.len()];
        loop {
            let (mut spread, mut looks) = (begun.clone(), 0);
            kept.iter().enumerate().filter(|(_, code)| **code > 0).for_each(|(at, &code)| {
                spread.restore(at, code, endless);
            });
            let before = spread.reached;
            let mut look = |spread: &ScoreSpread, _: u64| {
                looks += 1;
                kept = (0..begun.points.len()).map(|place| spread.code(place)).collect();
                Ok(looks < patience)
            };
            if spread.spread(endless, &mut look).unwrap().is_some() {
                return spread.points;
            }
            assert!(spread.reached > before);
        }
    }
}
