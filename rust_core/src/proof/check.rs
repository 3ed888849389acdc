//! The check of a job's claims: each claim about a state is derived from the claims about the states one move away.
//!
//! One pass goes over all states, on all cores. It plays the rules in each state and in its images, looks up the
//! successors, and compares the claims. For example, if a state is claimed to be a win in three moves, a successor must
//! be claimed to be a loss in two, and none a loss in fewer.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::claims::{Claim, ClaimedValue, Claims};
use super::forced::LevelMoves;
use super::found::{Doubt, ProvenClaims, Run};
use super::player::{CellCodes, PlainImage, PlainState, Player};
use crate::run::{Progress, Watch, parallel};
use crate::sorting;

/// The number of states that a thread takes at a time.
const AT_ONCE: usize = 256;

pub(super) struct Check<'a> {
    player: &'a Player,
    run: &'a Run,
    claims: &'a Claims,
    watch: Watch<'a>,
    /// For each state with a claim, `true` if a move leads to it from the depth before.
    reached: Vec<AtomicBool>,
    /// The number of states whose claims have been derived.
    done: AtomicU64,
    moves: AtomicU64,
    /// `true` as long as every move that was made led to the next depth.
    layered: AtomicBool,
    /// In a run that counts backward: the successors that have no claim, and so must be unsolvable.
    others: Mutex<BTreeSet<PlainState>>,
}

impl<'a> Check<'a> {
    pub fn new(player: &'a Player, run: &'a Run, claims: &'a Claims, watch: Watch<'a>) -> Self {
        let mut reached = Vec::new();
        reached.resize_with(claims.len(), || AtomicBool::new(false));
        let (done, moves, layered) = (AtomicU64::new(0), AtomicU64::new(0), AtomicBool::new(true));
        Self { player, run, claims, watch, reached, done, moves, layered, others: Mutex::default() }
    }

    pub fn all(&self) -> Result<ProvenClaims, Doubt> {
        self.whole_run()?;
        let doubt = parallel::find_first(self.claims.len(), AT_ONCE, |places| {
            let progress = Progress {
                states: self.claims.len() as u64,
                expanded: self.done.fetch_add(places.len() as u64, Ordering::Relaxed),
                ..Progress::default()
            };
            if (self.watch)(&progress).is_break() {
                return Some(Doubt::Stopped);
            }
            places.into_iter().find_map(|place| self.one(place).err())
        });
        if let Some(doubt) = doubt {
            return Err(doubt);
        }
        if self.run.backward {
            self.unsolvable()?;
        } else if let Some(place) = (0..self.claims.len()).find(|&place| !self.is_reached(place)) {
            let depth = self.claims.said[place].depth;
            let what = format!("is not reached in {depth} moves: no move leads there from the depth before");
            return Err(self.wrong(place, &what));
        }
        let values = if self.run.backward { 0 } else { self.valued() as u64 };
        let settled = |claim: &Claim| {
            let without_moves = matches!(claim.value, None | Some(ClaimedValue::Draw | ClaimedValue::Unsolvable));
            claim.distance.is_some() || without_moves
        };
        // Without distances, wrong values could confirm each other along a cycle of moves. So it is checked that moves
        // form no cycle, or that points can be forced.
        if values > 0 && !self.claims.said.iter().all(settled) && !self.layered.load(Ordering::Relaxed) {
            if self.player.is_scored() { self.points_are_forced() } else { self.no_way_back() }?;
        }
        let raw_states = self.claims.said.iter().map(|claim| u64::from(claim.orbit_size)).sum();
        let (states, moves) = (self.claims.len() as u64, self.moves.load(Ordering::Relaxed));
        Ok(ProvenClaims { states, raw_states, moves, values })
    }

    fn valued(&self) -> usize {
        self.claims.said.iter().filter(|claim| claim.value.is_some()).count()
    }

    fn is_reached(&self, place: usize) -> bool {
        self.claims.said[place].depth == 0 || self.reached[place].load(Ordering::Relaxed)
    }

    /// The doubt that says: a claim about the state at `place` is false. `what` says what is true.
    fn wrong(&self, place: usize, what: &str) -> Doubt {
        let text = self.player.text(self.claims.cells(place), self.claims.player(place));
        Doubt::Wrong(format!("{text} {what}"))
    }

    /// Checks those claims about the whole run for which no move need be made: the start, and the numbers of states.
    fn whole_run(&self) -> Result<(), Doubt> {
        let unproven = |what: &str| Err(Doubt::Unproven(what.to_owned()));
        if self.run.backward && !self.run.complete {
            return unproven("a count backward is proven only when it is complete");
        }
        let (start, mut image) = (&self.player.start, Vec::new());
        for each in &self.player.group {
            each.of(start, &mut image);
            if image != *start {
                return unproven("a symmetry moves the start");
            }
        }
        let mut counts = vec![(0, 0); self.run.counts.len()];
        for claim in &self.claims.said {
            let Some((states, raw)) = counts.get_mut(claim.depth as usize) else { break };
            (*states, *raw) = (*states + 1, *raw + u64::from(claim.orbit_size));
        }
        let there: u64 = counts.iter().map(|&(states, _)| states).sum();
        let none_solved = self.run.backward && counts == [(0, 0)];
        let empty_depth = counts.iter().any(|&(states, _)| states == 0) && !none_solved;
        if counts != self.run.counts || there != self.claims.len() as u64 || empty_depth {
            return Err(Doubt::Wrong("the job tells other numbers of states for its depths than it has".to_owned()));
        }
        if self.run.backward {
            return Ok(());
        }
        let first = self.claims.find(start, 0).filter(|&place| self.claims.said[place].depth == 0);
        if first.is_none() || self.run.counts[0].0 != 1 {
            let start = self.player.text(start, 0);
            return Err(Doubt::Wrong(format!("depth 0 must have the start {start}, and nothing else")));
        }
        match self.valued() {
            0 => Ok(()),
            valued if valued < self.claims.len() => {
                Err(Doubt::Wrong("some states have a value, and others have none".to_owned()))
            }
            _ if !self.run.complete => unproven("values are proven only when the job has all states"),
            _ => Ok(()),
        }
    }

    /// Checks all claims about one state.
    fn one(&self, place: usize) -> Result<(), Doubt> {
        let (claim, cells, player) = (self.claims.said[place], self.claims.cells(place), self.claims.player(place));
        let after = self.orbits_after(cells, player, Some(&claim)).map_err(|what| self.wrong(place, &what))?;
        self.moves.fetch_add(after.len() as u64, Ordering::Relaxed);
        let mut there = Vec::with_capacity(after.len());
        for each in after {
            if let Some(found) = self.claims.find(&each.cells, each.player) {
                there.push(found);
            } else if self.run.backward {
                self.others.lock().unwrap_or_else(PoisonError::into_inner).insert(each);
            } else if self.run.complete || u64::from(claim.depth) + 1 < self.run.counts.len() as u64 {
                let (to, from) = (self.player.text(&each.cells, each.player), self.player.text(cells, player));
                return Err(Doubt::Wrong(format!("{to} is missing: a move leads there from {from}")));
            }
        }
        if self.run.backward {
            return self.distance(place, claim.depth, &there);
        }
        for &found in &there {
            let depth = self.claims.said[found].depth;
            match depth.checked_sub(claim.depth + 1) {
                Some(0) => self.reached[found].store(true, Ordering::Relaxed),
                Some(_) => {
                    return Err(self.wrong(found, &format!("has the depth {} or less, not {depth}", claim.depth + 1)));
                }
                None => self.layered.store(false, Ordering::Relaxed),
            }
        }
        let Some(value) = claim.value else { return Ok(()) };
        match value {
            ClaimedValue::Points(points) => self.points(place, points, &there),
            ClaimedValue::Solvable | ClaimedValue::Unsolvable => self.solvable(place, &there),
            ClaimedValue::Win | ClaimedValue::Draw | ClaimedValue::Loss => self.position(place, value, &there),
        }
    }

    /// The successors of a state, up to symmetry: the smallest image of each. If the state has a claim, it must be the
    /// smallest of its images, and must have the claimed orbit size and outcome. Each of its images must play as the
    /// state does.
    fn orbits_after(&self, cells: &CellCodes, player: usize, claim: Option<&Claim>) -> Result<Vec<PlainState>, String> {
        let rules = self.player;
        let after = rules.after(cells, player);
        let (outcome, solved) = (rules.outcome(cells, player, !after.is_empty()), rules.solved(cells));
        let image_of = |place: usize, of: &CellCodes| {
            let mut image = Vec::with_capacity(of.len());
            rules.group[place].of(of, &mut image);
            image
        };
        let mut images: Vec<Vec<u8>> = (0..rules.group.len()).map(|place| image_of(place, cells)).collect();
        for (place, image) in images.iter().enumerate().skip(1) {
            // The successors and the outcome of the image must be the images of the state's successors and outcome.
            // Otherwise the symmetry is false.
            let theirs = rules.after(image, player);
            let same = rules.outcome(image, player, !theirs.is_empty()) == outcome && rules.solved(image) == solved;
            let carried = |each: &PlainState| PlainState { cells: image_of(place, &each.cells), player: each.player };
            if !same || set(theirs) != set(after.iter().map(carried).collect()) {
                return Err("has an image that does not play as it does: a symmetry is none".to_owned());
            }
        }
        if let Some(claim) = claim {
            if images.iter().any(|image| **image < *cells) {
                return Err("does not stand for its orbit: an image of it is smaller".to_owned());
            }
            images = set(images);
            if images.len() != claim.orbit_size as usize {
                return Err(format!("stands for {} states, not for {}", images.len(), claim.orbit_size));
            }
            let outcome = outcome.filter(|_| !self.run.is_from_goal());
            if claim.outcome != outcome {
                let word = |outcome: Option<u16>| match outcome {
                    None => "None",
                    Some(place) => rules.outcomes.get(usize::from(place)).map_or("another word", String::as_str),
                };
                return Err(format!("has the outcome {}, not {}", word(outcome), word(claim.outcome)));
            }
        }
        let smallest = |each: PlainState| {
            let least = (0..rules.group.len()).map(|place| image_of(place, &each.cells)).min();
            PlainState { cells: least.unwrap_or(each.cells), player: each.player }
        };
        Ok(set(after.into_iter().map(smallest).collect()))
    }

    /// Checks a distance to the goal: 0 if the state is solved, and otherwise one more than that of its nearest
    /// successor.
    fn distance(&self, place: usize, distance: u32, after: &[usize]) -> Result<(), Doubt> {
        let far = |&place: &usize| {
            let claim = &self.claims.said[place];
            if self.run.backward {
                return Some(claim.depth);
            }
            claim.distance.filter(|_| claim.value == Some(ClaimedValue::Solvable))
        };
        let solved = self.player.solved(self.claims.cells(place));
        let least = if solved { Some(0) } else { after.iter().filter_map(far).min().map(|least| least + 1) };
        if least == Some(distance) {
            return Ok(());
        }
        let needed = least.map_or("no number of".to_owned(), |least| least.to_string());
        Err(self.wrong(place, &format!("needs {needed} moves, not {distance}")))
    }

    fn solvable(&self, place: usize, after: &[usize]) -> Result<(), Doubt> {
        let claim = &self.claims.said[place];
        let can = self.player.solved(self.claims.cells(place))
            || after.iter().any(|&each| self.claims.said[each].value == Some(ClaimedValue::Solvable));
        let (is, other) = if can { ("solvable", "unsolvable") } else { ("unsolvable", "solvable") };
        if can != (claim.value == Some(ClaimedValue::Solvable)) {
            return Err(self.wrong(place, &format!("is {is}, not {other}")));
        }
        claim.distance.filter(|_| can).map_or(Ok(()), |distance| self.distance(place, distance, after))
    }

    fn position(&self, place: usize, value: ClaimedValue, after: &[usize]) -> Result<(), Doubt> {
        let (claim, player) = (&self.claims.said[place], self.claims.player(place));
        let after: Vec<&Claim> = after.iter().map(|&each| &self.claims.said[each]).collect();
        // The value of a successor is for the player to move there, which is the opponent unless the move keeps the
        // turn.
        let same_player = |each: &Claim| each.player == claim.player;
        let winning = |each: &Claim| if same_player(each) { ClaimedValue::Win } else { ClaimedValue::Loss };
        let losing = |each: &Claim| if same_player(each) { ClaimedValue::Loss } else { ClaimedValue::Win };
        let away = |each: &Claim| each.distance.unwrap_or(0);
        let nearest_win = after.iter().filter(|each| each.value == Some(winning(each))).map(|each| away(each)).min();
        let losses = after.iter().filter(|each| each.value == Some(losing(each))).map(|each| away(each));
        let (count_of_losses, farthest) = (losses.clone().count(), losses.max().unwrap_or(0));
        let (derived, moves) = match nearest_win {
            _ if after.is_empty() => match claim.outcome {
                Some(winner) if usize::from(winner) == player => (ClaimedValue::Win, 0),
                Some(winner) if usize::from(winner) == self.player.other(player) => (ClaimedValue::Loss, 0),
                _ => (ClaimedValue::Draw, 0),
            },
            Some(nearest) => (ClaimedValue::Win, nearest + 1),
            None if count_of_losses == after.len() => (ClaimedValue::Loss, farthest + 1),
            None => (ClaimedValue::Draw, 0),
        };
        let name = |value| match value {
            ClaimedValue::Win => "win",
            ClaimedValue::Loss => "loss",
            _ => "draw",
        };
        let whose = &self.player.outcomes[player];
        if derived != value {
            let what = format!("is a {} for {whose}, not a {}", name(derived), name(value));
            return Err(self.wrong(place, &what));
        }
        match claim.distance {
            Some(distance) if derived != ClaimedValue::Draw && distance != moves => {
                let what = format!("is a {} in {moves} moves, not in {distance}", name(derived));
                Err(self.wrong(place, &what))
            }
            _ => Ok(()),
        }
    }

    fn points(&self, place: usize, points: i32, after: &[usize]) -> Result<(), Doubt> {
        let player = self.claims.player(place);
        let best = after.iter().map(|&each| match self.claims.said[each].value {
            Some(ClaimedValue::Points(points)) if self.claims.player(each) == player => i64::from(points),
            Some(ClaimedValue::Points(points)) => -i64::from(points),
            _ => i64::MIN,
        });
        let own =
            || self.player.points(self.claims.cells(place), player).map(|all| if player == 0 { all } else { -all });
        let derived = best.max().or_else(own);
        if derived == Some(i64::from(points)) {
            return Ok(());
        }
        let worth = derived.map_or("no number of".to_owned(), |derived| derived.to_string());
        let mover = &self.player.outcomes[player];
        Err(self.wrong(place, &format!("is worth {worth} points to {mover}, not {points}")))
    }

    /// Checks, in a run that counts backward, that no state of play without a claim can be solved, and that their
    /// number is as claimed.
    fn unsolvable(&self) -> Result<(), Doubt> {
        let mut seen = std::mem::take(&mut *self.others.lock().unwrap_or_else(PoisonError::into_inner));
        if self.claims.find(&self.player.start, 0).is_none() {
            seen.insert(PlainState { cells: self.player.start.clone(), player: 0 });
        }
        let mut new: Vec<PlainState> = seen.iter().cloned().collect();
        while let Some(PlainState { cells, player }) = new.pop() {
            let text = self.player.text(&cells, player);
            let after = self.orbits_after(&cells, player, None);
            let after = after.map_err(|what| Doubt::Wrong(format!("{text} {what}")))?;
            self.moves.fetch_add(after.len() as u64, Ordering::Relaxed);
            let claimed = |each: &PlainState| self.claims.find(&each.cells, each.player).is_some();
            if self.player.solved(&cells) || after.iter().any(claimed) {
                return Err(Doubt::Wrong(format!("{text} is missing: it can be solved")));
            }
            let progress = Progress { states: self.claims.len() as u64, ..Progress::default() };
            if (self.watch)(&progress).is_break() {
                return Err(Doubt::Stopped);
            }
            for each in after {
                if seen.insert(each.clone()) {
                    new.push(each);
                }
            }
        }
        let Some((claimed, claimed_raw)) = self.run.unsolvable else { return Ok(()) };
        let (states, raw) = (seen.len() as u64, seen.iter().map(|each| self.orbit_size(&each.cells)).sum::<u64>());
        if (states, raw) != (claimed, claimed_raw) {
            let what = format!("{states} states ({raw} raw) cannot be solved, not {claimed} ({claimed_raw} raw)");
            return Err(Doubt::Wrong(what));
        }
        self.all_of_play()
    }

    /// Checks that play reaches each state with a claim, from the start.
    fn all_of_play(&self) -> Result<(), Doubt> {
        let mut seen = vec![false; self.claims.len()];
        let mut new: Vec<usize> = self.claims.find(&self.player.start, 0).into_iter().collect();
        while let Some(place) = new.pop() {
            if !std::mem::replace(&mut seen[place], true) {
                new.extend(self.after_claim(place)?.into_iter().filter(|&each| !seen[each]));
            }
        }
        let never = seen.iter().position(|&reached| !reached);
        never.map_or(Ok(()), |place| Err(self.wrong(place, "is not reached from the start")))
    }

    /// The number of different images of a state.
    fn orbit_size(&self, cells: &CellCodes) -> u64 {
        let image_of = |image: &PlainImage| {
            let mut made = Vec::with_capacity(cells.len());
            image.of(cells, &mut made);
            made
        };
        set(self.player.group.iter().map(image_of).collect()).len() as u64
    }

    /// Checks that play can never come back to a state. States are removed one after another, each after all its
    /// predecessors. The states of a cycle could never be removed.
    fn no_way_back(&self) -> Result<(), Doubt> {
        let mut into = vec![0_u32; self.claims.len()];
        for place in 0..self.claims.len() {
            self.after_claim(place)?.into_iter().for_each(|each| into[each] += 1);
        }
        let mut free: Vec<usize> = (0..into.len()).filter(|&place| into[place] == 0).collect();
        let mut taken = 0;
        while let Some(place) = free.pop() {
            taken += 1;
            for each in self.after_claim(place)? {
                into[each] -= 1;
                if into[each] == 0 {
                    free.push(each);
                }
            }
        }
        if taken == into.len() {
            return Ok(());
        }
        Err(Doubt::Unproven("the job keeps no distances, and play can come back to a state".to_owned()))
    }

    /// Checks that each player can force the points of all states. What each state is worth by the states after it has
    /// been checked before.
    fn points_are_forced(&self) -> Result<(), Doubt> {
        let moves = LevelMoves::new(self.claims, &|place| self.after_claim(place))?;
        for (forcer, name) in self.player.outcomes.iter().enumerate().take(2) {
            if let Some((place, points)) = moves.never_settled(forcer, self.player.endless) {
                let what = format!("is not worth {points} points to {name}, who cannot force them: play may never end");
                return Err(self.wrong(place, &what));
            }
        }
        Ok(())
    }

    /// The places of the claims about the successors of a state, whose own claim is at `place` and has been checked
    /// before. Successors without a claim are left out.
    fn after_claim(&self, place: usize) -> Result<Vec<usize>, Doubt> {
        let (cells, player) = (self.claims.cells(place), self.claims.player(place));
        let after = self.orbits_after(cells, player, None).map_err(|what| self.wrong(place, &what))?;
        if place.is_multiple_of(AT_ONCE) && (self.watch)(&Progress::default()).is_break() {
            return Err(Doubt::Stopped);
        }
        Ok(after.iter().filter_map(|each| self.claims.find(&each.cells, each.player)).collect())
    }
}

/// Sorts a list, and removes items that are there twice.
fn set<T: Ord>(mut states: Vec<T>) -> Vec<T> {
    sorting::sort(&mut states);
    states.dedup();
    states
}
