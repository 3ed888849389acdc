//! Shortest solutions by breadth-first search from both ends: forward from the state, and backward from the goal by
//! inverse moves. The method is right for directed graphs, too, because each half follows the moves in their own
//! direction.

use super::answer::{Solution, Solved};
use super::clock::Pace;
use crate::compile::{Compiled, Steps, Word};
use crate::graph::WordIndex;
use crate::instant::Instant;
use crate::run::{Budget, Progress, Watch};

/// The most states of the goal from which the backward half starts. If there are more, only the forward half runs.
pub(super) const MOST_GOALS: usize = 10_000;

/// The most bytes that a state takes in addition to three times its word. A state takes the most while a full list or
/// table is copied to one of twice the size: then it takes three entries of eight bytes in `ways`, and six slots of
/// four bytes in a hash table.
const STATE_BYTES: usize = 3 * 8 + 6 * 4;

/// A half of the search *closes* if its last depth has no more states than the one before, so that it will soon have
/// found all its states. As long as one half closes, both halves together may store this many states, even if the
/// parameter `first` of [`shortest`] allows fewer.
const MOST_CLOSING: usize = 1 << 20;

/// A shortest list of moves from a state of a puzzle to its goal, within a budget. Once `first` states are stored, the
/// search ends, unless a half closes: its last depth has no more states than the one before, so it will soon have found
/// all its states.
///
/// Depth by depth, the half with fewer states in its last depth is expanded. When a new state of one half is first
/// found in the other, all states of the two finished depths are known, so no shorter way exists.
pub fn shortest<W: Word>(compiled: &Compiled<W>, from: W, first: usize, budget: Budget, watch: Watch) -> Solved {
    let held = budget.states_of(STATE_BYTES + 3 * size_of::<W>());
    let allowed = |closes: bool| held.min(if closes { first.max(MOST_CLOSING) } else { first });
    if compiled.solved(from) {
        return Half::new(&[from]).ended(Solution::Moves(Vec::new(), true), None);
    }
    let mut clock = ExpansionClock { watch, begun: Instant::now(), expanded: 0, pace: Pace::new() };
    let (mut forward, steps) = (Half::new(&[from]), &compiled.steps[0]);
    let Some((goals, inverse)) = compiled.goal_states(MOST_GOALS).zip(compiled.inverse_steps()) else {
        loop {
            let room = allowed(forward.closes());
            match forward.expand(&Direction { compiled, steps, backward: false, other: None }, room, &mut clock) {
                Depth::Done => {}
                Depth::Met { here, .. } => {
                    return forward.ended(Solution::Moves(forward.moves_to(here), true), None);
                }
                Depth::Over(solution) => return forward.ended(solution, None),
            }
        }
    };
    let mut backward = Half::new(&goals);
    loop {
        let most = allowed(forward.closes() || backward.closes());
        let room = most.saturating_sub(forward.found.len() + backward.found.len());
        let is_forward = forward.edge() <= backward.edge();
        let expanded = if is_forward {
            let (room, other) = (forward.found.len() + room, Some(&backward.found));
            forward.expand(&Direction { compiled, steps, backward: false, other }, room, &mut clock)
        } else {
            let (room, other) = (backward.found.len() + room, Some(&forward.found));
            backward.expand(&Direction { compiled, steps: &inverse[0], backward: true, other }, room, &mut clock)
        };
        let (here, there) = match expanded {
            Depth::Done => continue,
            Depth::Met { here, there } if is_forward => (here, there),
            Depth::Met { here, there } => (there, here),
            Depth::Over(solution) => return forward.ended(solution, Some(&backward)),
        };
        let mut moves = forward.moves_to(here);
        moves.extend(backward.moves_to(there).into_iter().rev());
        return forward.ended(Solution::Moves(moves, true), Some(&backward));
    }
}

/// The differences between the forward and the backward half of the search. Both halves use this one type, so the loop
/// over states is compiled once.
struct Direction<'a, W> {
    compiled: &'a Compiled<W>,
    /// The moves, or for the backward half their inverses.
    steps: &'a Steps<W>,
    backward: bool,
    /// The states of the other half. `None` if this half runs alone, and looks for a state that satisfies the goal.
    other: Option<&'a WordIndex<W>>,
}

impl<W: Word> Direction<'_, W> {
    /// `true` if no move leads on from a state, because play is over there.
    #[inline(always)]
    fn is_over(&self, word: W) -> bool {
        !self.compiled.rules.ends.is_empty() && self.compiled.ended(word, 0).is_some()
    }

    /// The number that a state has in the other half; `None` if the other half has not found it. Without another half:
    /// `Some(0)` if the state satisfies the goal.
    #[inline(always)]
    fn met(&self, word: W) -> Option<u32> {
        self.other.map_or_else(|| self.compiled.solved(word).then_some(0), |other| other.get(word))
    }
}

/// The result of expanding the last depth of a half.
enum Depth {
    /// The depth has no state in common with the other half.
    Done,
    /// A state is in both halves: its number here, and its number in the other half.
    Met { here: u32, there: u32 },
    /// The search is over, with this result.
    Over(Solution),
}

/// One of the two searches: forward or backward.
struct Half<W> {
    found: WordIndex<W>,
    /// For each state but the roots: the number of the state from which it was reached, and the move that reached it.
    ways: Vec<(u32, u32)>,
    roots: usize,
    /// The number of the first state of the last depth. States are numbered in the order in which they are found.
    last: usize,
    /// The number of states of the depth before the last one.
    before: usize,
    /// The last depth of which all states are known.
    depth: u32,
}

impl<W: Word> Half<W> {
    fn new(roots: &[W]) -> Self {
        let mut found = WordIndex::new();
        for &root in roots {
            // A state may fit two patterns of the goal. Then it is a root only once.
            let _ = found.insert(root);
        }
        Self { roots: found.len(), found, ways: Vec::new(), last: 0, before: 0, depth: 0 }
    }

    /// The answer of the search, with the proof from this half and, if there is one, the other half.
    fn ended(&self, solution: Solution, other: Option<&Self>) -> Solved {
        let states = self.found.len() + other.map_or(0, |other| other.found.len());
        Solved::by_both_ends(solution, self.depth + other.map_or(0, |other| other.depth), states as u64)
    }

    /// The number of states of the last depth.
    fn edge(&self) -> usize {
        self.found.len() - self.last
    }

    /// `true` if the last depth has no more states than the one before it.
    fn closes(&self) -> bool {
        self.edge() <= self.before
    }

    /// Expands the states of the last depth. No move leads on from a state in which play is over: the forward half does
    /// not expand it, and the backward half does not keep it.
    fn expand(&mut self, direction: &Direction<W>, room: usize, clock: &mut ExpansionClock) -> Depth {
        let (begin, end) = (self.last, self.found.len());
        if begin == end {
            return Depth::Over(Solution::Unreachable);
        }
        (self.last, self.before) = (end, end - begin);
        for number in begin..end {
            if clock.stops(self.found.len()) {
                return Depth::Over(Solution::Stopped);
            }
            let word = self.found.words[number];
            if !direction.backward && direction.is_over(word) {
                continue;
            }
            let mut meeting = None;
            direction.steps.each_called(word, &mut |_, step| {
                let next = step.effect.apply(word);
                if !(direction.backward && direction.is_over(next))
                    && let Ok(here) = self.found.insert(next)
                {
                    self.ways.push((number as u32, step.index as u32));
                    meeting = direction.met(next).map(|there| (here, there));
                }
                meeting.is_none()
            });
            if let Some((here, there)) = meeting {
                return Depth::Met { here, there };
            }
            if self.found.len() > room {
                return Depth::Over(Solution::Full);
            }
        }
        self.depth += 1;
        Depth::Done
    }

    /// The moves that lead from a root to a state, in the order in which they are made.
    fn moves_to(&self, number: u32) -> Vec<usize> {
        let mut moves = Vec::new();
        let mut at = number as usize;
        while at >= self.roots {
            let (before, index) = self.ways[at - self.roots];
            moves.push(index as usize);
            at = before as usize;
        }
        moves.reverse();
        moves
    }
}

/// Asks the watch every few thousand expanded states.
struct ExpansionClock<'a> {
    watch: Watch<'a>,
    begun: Instant,
    expanded: u64,
    pace: Pace,
}

impl ExpansionClock<'_> {
    fn stops(&mut self, states: usize) -> bool {
        self.expanded += 1;
        self.pace.is_due(self.expanded)
            && (self.watch)(&Progress {
                expanded: self.expanded,
                states: states as u64,
                seconds: self.begun.elapsed().as_secs_f64(),
                ..Progress::default()
            })
            .is_break()
    }
}
