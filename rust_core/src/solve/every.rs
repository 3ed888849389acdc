//! Every solution of a length: depth-first, cut off by lower bounds. No sequence of moves is left out, so moves in another
//! order make another solution.

use super::clock::Clock;
use super::deepening::Bounds;
use super::patterns::PermutingRules;
use crate::rules::Symbol;

/// The solutions that were found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Every {
    /// Each solution: moves by their places in the rules. Solutions are in the order of their moves.
    pub solutions: Vec<Vec<usize>>,
    /// Whether there are no others.
    pub complete: bool,
}

/// Searches for all solutions of exactly so many moves, which is the fewest, up to `most` of them. `None` if the watch
/// stops it.
pub fn every(
    rules: &PermutingRules,
    bounds: &Bounds,
    state: &[Symbol],
    length: usize,
    most: usize,
    clock: &mut Clock,
) -> Option<Every> {
    let mut search =
        Search { rules, bounds, state: state.to_vec(), moves: Vec::new(), length, most, found: Every::default() };
    search.found.complete = true;
    search.go(clock)?;
    Some(search.found)
}

struct Search<'a> {
    rules: &'a PermutingRules,
    bounds: &'a Bounds<'a>,
    state: Vec<Symbol>,
    moves: Vec<usize>,
    length: usize,
    most: usize,
    found: Every,
}

impl Search<'_> {
    /// `None` if the watch stops it.
    fn go(&mut self, clock: &mut Clock) -> Option<()> {
        if clock.stops() {
            return None;
        }
        let left = self.length - self.moves.len();
        if left == 0 {
            if self.state == self.rules.goal {
                self.found.complete = self.found.solutions.len() < self.most;
                if self.found.complete {
                    self.found.solutions.push(self.moves.clone());
                }
            }
            return Some(());
        }
        let rules = self.rules;
        for &place in rules.moves_from(rules.pivot_cell(&self.state)) {
            let given = &rules.moves[place as usize];
            if !given.allows(&self.state) {
                continue;
            }
            given.make(&mut self.state, false);
            if self.bounds.of(&self.state) < left as u32 {
                self.moves.push(given.index);
                self.go(clock)?;
                self.moves.pop();
            }
            given.make(&mut self.state, true);
            if !self.found.complete {
                break;
            }
        }
        Some(())
    }
}
