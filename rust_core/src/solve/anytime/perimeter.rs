//! All states near the goal, with the moves that they need. A search that meets such a state need not go on.

use super::heuristic::{Guide, Marks};
use crate::rules::Symbol;
use crate::solve::clock::Clock;
use crate::solve::patterns::PermutationRules;

/// The mark of a free slot. A state with this mark, which is very unlikely, is not found.
const FREE: u64 = 0;

/// The states near the goal, by their marks, with the fewest moves from each to the goal.
#[derive(Debug)]
pub struct Perimeter {
    /// The largest estimate that the guide gives for any state of the perimeter.
    pub largest_sum: u32,
    /// The marks of the states, in a hash table with open addressing and linear probing. The moves that a state needs
    /// are in the same slot of `moves`.
    marks: Vec<u64>,
    moves: Vec<u8>,
}

impl Perimeter {
    /// Searches backward from the goal, depth by depth, and keeps at most `most` states. `None` if the watch stops it.
    pub fn new(rules: &PermutationRules, guide: &Guide, marks: &Marks, most: usize, clock: &mut Clock) -> Option<Self> {
        let slots = (most * 2).next_power_of_two();
        let mut found = Self { largest_sum: 0, marks: vec![FREE; slots], moves: vec![0; slots] };
        found.insert(marks.of(&rules.goal), 0);
        let cells = rules.cells;
        let (mut level, mut count) = (rules.goal.clone(), 1);
        for moves in 1..u8::MAX {
            let mut next: Vec<Symbol> = Vec::new();
            for state in level.chunks_exact(cells) {
                if clock.stops() {
                    return None;
                }
                let mark = marks.of(state);
                for &place in rules.moves_into(rules.pivot_cell(state)) {
                    let given = &rules.moves[place as usize];
                    let mut earlier = mark;
                    for &(from, to) in &given.pairs {
                        let symbol = state[to as usize];
                        earlier ^= marks.at(symbol, from) ^ marks.at(symbol, to);
                    }
                    if found.moves(earlier).is_some() {
                        continue;
                    }
                    let begin = next.len();
                    next.extend_from_slice(state);
                    given.make(&mut next[begin..], true);
                    if !given.allows(&next[begin..]) {
                        next.truncate(begin);
                        continue;
                    }
                    if count == most {
                        return Some(found);
                    }
                    found.largest_sum = found.largest_sum.max(guide.of(&next[begin..]));
                    found.insert(earlier, moves);
                    count += 1;
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
        Some(found)
    }

    /// The fewest moves to the goal from the state with this mark; `None` if the state is not in the perimeter.
    #[inline(always)]
    pub fn moves(&self, mark: u64) -> Option<u8> {
        let slot = self.slot(mark);
        (self.marks[slot] != FREE).then(|| self.moves[slot])
    }

    /// Makes the moves that lead from a state of the perimeter to the goal, and returns their places. It stops early if
    /// no move leads to a state that is known to be nearer.
    pub fn descend(&self, rules: &PermutationRules, marks: &Marks, state: &mut [Symbol]) -> Vec<u32> {
        let mut made = Vec::new();
        while let Some(left) = self.moves(marks.of(state)).filter(|&left| left > 0) {
            let nearer = rules.moves_from(rules.pivot_cell(state)).iter().copied().find(|&place| {
                let given = &rules.moves[place as usize];
                let mut next = state.to_vec();
                given.make(&mut next, false);
                given.allows(state) && self.moves(marks.of(&next)) == Some(left - 1)
            });
            let Some(place) = nearer else { break };
            rules.moves[place as usize].make(state, false);
            made.push(place);
        }
        made
    }

    fn insert(&mut self, mark: u64, moves: u8) {
        let slot = self.slot(mark);
        self.marks[slot] = mark;
        self.moves[slot] = moves;
    }

    /// The slot that holds a mark; if no slot does, the free slot into which it would be put.
    #[inline(always)]
    fn slot(&self, mark: u64) -> usize {
        let last = self.marks.len() - 1;
        let mut at = mark as usize & last;
        while self.marks[at] != FREE && self.marks[at] != mark {
            at = (at + 1) & last;
        }
        at
    }
}
