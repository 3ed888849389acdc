//! Every shortest solution of a state, by a depth-first search that lower bounds cut off. No sequence of moves is
//! pruned, because the same moves in another order are another solution.

use super::permutation_rules::PermutationRules;
use super::search::LowerBounds;
use crate::rules::Symbol;
use crate::solve::answer::Every;
use crate::solve::clock::Clock;

/// Searches for all solutions of `length` moves, which is the fewest, up to `most` solutions. `None` if the watch stops
/// the search.
pub fn every(
    rules: &PermutationRules,
    bounds: &LowerBounds,
    state: &[Symbol],
    length: usize,
    most: usize,
    clock: &mut Clock,
) -> Option<Every> {
    let mut search =
        EverySearch { rules, bounds, state: state.to_vec(), moves: Vec::new(), length, most, found: Every::default() };
    search.found.complete = true;
    search.go(clock)?;
    Some(search.found)
}

struct EverySearch<'a> {
    rules: &'a PermutationRules,
    bounds: &'a LowerBounds<'a>,
    state: Vec<Symbol>,
    /// The moves that led to the present state, by their places in `rules`.
    moves: Vec<usize>,
    length: usize,
    most: usize,
    found: Every,
}

impl EverySearch<'_> {
    /// Does the search. `None` if the watch stops it. The search is not recursive: `tried` is its stack, with the
    /// number of tried moves for each state on the path.
    fn go(&mut self, clock: &mut Clock) -> Option<()> {
        let rules = self.rules;
        let mut tried: Vec<usize> = Vec::new();
        if self.enters(clock)? {
            tried.push(0);
        }
        while let Some(next) = tried.last_mut() {
            let moves = rules.moves_from(rules.pivot_cell(&self.state));
            let Some(&place) = moves.get(*next).filter(|_| self.found.complete) else {
                tried.pop();
                self.take_back();
                continue;
            };
            *next += 1;
            let given = &rules.moves[place as usize];
            if !given.allows(&self.state) {
                continue;
            }
            let left = (self.length - self.moves.len()) as u32;
            given.make(&mut self.state, false);
            self.moves.push(place as usize);
            if self.bounds.of(&self.state) < left && self.enters(clock)? {
                tried.push(0);
            } else {
                self.take_back();
            }
        }
        Some(())
    }

    /// Counts the present state, and keeps the moves that led to it if they are a solution. Returns `true` if moves are
    /// to be made from it. `None` if the watch stops the search.
    fn enters(&mut self, clock: &mut Clock) -> Option<bool> {
        if clock.stops() {
            return None;
        }
        if self.moves.len() < self.length {
            return Some(true);
        }
        if self.state == self.rules.goal {
            self.found.complete = self.found.solutions.len() < self.most;
            if self.found.complete {
                let moves = self.moves.iter().map(|&place| self.rules.moves[place].index);
                self.found.solutions.push(moves.collect());
            }
        }
        Some(false)
    }

    /// Undoes the last move, if there is one.
    fn take_back(&mut self) {
        if let Some(place) = self.moves.pop() {
            self.rules.moves[place].make(&mut self.state, true);
        }
    }
}
