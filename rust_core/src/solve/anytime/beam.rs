//! Beam search: a breadth-first search that keeps only the most promising states of each depth. It needs little memory,
//! and its answers are not proven to be shortest.

use super::heuristic::{Guide, Marks};
use super::perimeter::Perimeter;
use super::subgoals::Subgoals;
use crate::rules::Symbol;
use crate::solve::clock::Clock;
use crate::solve::patterns::PermutationRules;

/// The search remembers the *marks* (hashes) of the states that it has met. The table has room for this many marks for
/// each state of the width. A newer mark may overwrite an older one.
const MET_FOR_EACH: usize = 16;

/// The table of marks has room for at least this many marks.
const LEAST_MET: usize = 1 << 12;

/// The table of marks has room for at most this many marks.
const MOST_MET: usize = 1 << 22;

/// The number of candidates that are gone through before the watch may be asked.
const AT_ONCE: usize = 1 << 12;

/// So many candidates are divided without asking the watch, which takes some milliseconds.
const DIVIDED_AT_ONCE: usize = 1 << 20;

/// The number of candidates that are compared to find one that is about in the middle.
const SAMPLED: usize = 31;

/// The input of a beam search.
#[derive(Clone, Copy)]
pub struct Look<'a> {
    /// The rules of the puzzle, with moves that permute cells.
    pub rules: &'a PermutationRules,
    /// The state to which the search looks for a path.
    pub target: &'a [Symbol],
    /// The heuristic: an estimate of the distance from a state to the target.
    pub guide: &'a Guide,
    /// `true` if the estimate of the guide is a lower bound on the number of moves.
    pub bounds: bool,
    /// The random numbers from which the mark (hash) of a state is made. A mark identifies a state.
    pub marks: &'a Marks,
    /// The order in which symbols are brought home, if the search is to follow one.
    pub stages: Option<&'a Subgoals>,
    /// All states near the target with their distances, if these are known.
    pub perimeter: Option<&'a Perimeter>,
    /// A number that decides which of several states with the same estimated cost are kept.
    pub salt: u64,
}

/// The result of a beam search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beamed {
    /// The moves of a path, by their places in [`PermutationRules::moves`].
    Found(Vec<u32>),
    /// The search found no path with at most the allowed number of moves. The field is `true` if no state was ever left
    /// out, which proves that there is no such path.
    Nothing(bool),
    /// The watch stopped the search.
    Stopped,
}

/// A state of the present depth, without its symbols, which are kept elsewhere.
#[derive(Clone, Copy)]
struct BeamNode {
    mark: u64,
    sum: u32,
    stage: u16,
    pivot: u8,
    held: [u8; 2],
}

/// A successor that may be kept: its estimated cost, and the move that makes it.
struct BeamCandidate {
    key: u32,
    parent: u32,
    place: u32,
    node: BeamNode,
}

/// Looks for a path from a state to the target with at most `most` moves. It keeps `width` states in each depth.
pub fn beam(look: &Look, from: &[Symbol], width: usize, most: usize, clock: &mut Clock) -> Beamed {
    let Look { rules, guide, marks, .. } = *look;
    let cells = rules.cells;
    let target = marks.of(look.target);
    let mut met = Met::new(width);
    let mut first = BeamNode {
        mark: marks.of(from),
        sum: guide.of(from),
        stage: 0,
        pivot: rules.pivot_cell(from) as u8,
        held: [0; 2],
    };
    if let Some(stages) = look.stages {
        first.held = stages.list.first().map_or([0; 2], |stage| stage.held(from));
        enter(stages, &mut first, |cell| cell, from);
    }
    if first.mark == target {
        return Beamed::Found(Vec::new());
    }
    met.is_new(first.mark);
    let (mut states, mut nodes) = (from.to_vec(), vec![first]);
    let mut ways: Vec<Vec<(u32, u32)>> = Vec::new();
    let mut complete = true;
    for depth in 0..most {
        let mut candidates: Vec<BeamCandidate> = Vec::with_capacity(nodes.len() * 3);
        let mut best: Option<(u32, u32, u32)> = None;
        for (number, node) in nodes.iter().enumerate() {
            if clock.stops() {
                return Beamed::Stopped;
            }
            let state = &states[number * cells..(number + 1) * cells];
            let allowed =
                look.stages.and_then(|stages| stages.list.get(node.stage as usize)).map(|stage| &stage.allowed);
            for &place in rules.moves_from(node.pivot as usize) {
                let given = &rules.moves[place as usize];
                if allowed.is_some_and(|allowed| !allowed[place as usize]) || !given.allows(state) {
                    continue;
                }
                let mut next = *node;
                for &(from, to) in &given.pairs {
                    let symbol = state[from as usize];
                    next.sum = next.sum + guide.at(symbol, to) - guide.at(symbol, from);
                    next.mark ^= marks.at(symbol, to) ^ marks.at(symbol, from);
                }
                if look.bounds && depth + 1 + next.sum as usize > most {
                    complete &= look.stages.is_none();
                    continue;
                }
                if !met.is_new(next.mark) {
                    continue;
                }
                let left = if next.mark == target { Some(0) } else { left_of(look, &next) };
                if let Some(left) = left.filter(|&left| depth + 1 + left as usize <= most) {
                    if best.is_none_or(|(known, ..)| left < known) {
                        best = Some((left, number as u32, place));
                    }
                    continue;
                }
                next.pivot = given.pivot.map_or(0, |(_, cell)| cell);
                let key = look.stages.map_or(next.sum, |stages| {
                    next.held = node.held.map(|cell| given.image(cell));
                    enter(stages, &mut next, |cell| given.image(cell), state)
                });
                candidates.push(BeamCandidate { key, parent: number as u32, place, node: next });
            }
        }
        if let Some((_, parent, place)) = best {
            let mut moves = way(&ways, parent, place);
            let mut state = from.to_vec();
            for &place in &moves {
                rules.moves[place as usize].make(&mut state, false);
            }
            if let Some(perimeter) = look.perimeter {
                moves.extend(perimeter.descend(rules, marks, &mut state));
            }
            // In the very unlikely case that two states share a mark, the path leads to another state than the target.
            return if state == look.target { Beamed::Found(moves) } else { Beamed::Nothing(false) };
        }
        if candidates.len() > width {
            complete = false;
            if !keep_best(&mut candidates, width, look.salt, clock) {
                return Beamed::Stopped;
            }
        }
        if candidates.is_empty() {
            break;
        }
        let Some(next) = next_states(rules, &states, &candidates, clock) else { return Beamed::Stopped };
        states = next;
        nodes = candidates.iter().map(|found| found.node).collect();
        ways.push(candidates.iter().map(|found| (found.parent, found.place)).collect());
    }
    Beamed::Nothing(complete && look.stages.is_none())
}

/// The symbols of the next depth's states, one state after the other. `None` if the watch stops it.
fn next_states(
    rules: &PermutationRules,
    states: &[Symbol],
    candidates: &[BeamCandidate],
    clock: &mut Clock,
) -> Option<Vec<Symbol>> {
    let mut next = Vec::with_capacity(candidates.len() * rules.cells);
    for some in candidates.chunks(AT_ONCE) {
        if clock.stops_work() {
            return None;
        }
        for found in some {
            let begin = next.len();
            next.extend_from_slice(&states[found.parent as usize * rules.cells..][..rules.cells]);
            rules.moves[found.place as usize].make(&mut next[begin..], false);
        }
    }
    Some(next)
}

/// Keeps the `width` best of more candidates than that: those with the lowest costs. Returns `false` if the watch stops
/// it.
///
/// One of the candidates, about in the middle, divides them into the better ones and the others. Then only one of the
/// two parts has to be divided further: the one in which the last candidate that is kept must be.
fn keep_best(candidates: &mut Vec<BeamCandidate>, width: usize, salt: u64, clock: &mut Clock) -> bool {
    let cost = |found: &BeamCandidate| (found.key, found.node.mark ^ salt);
    let mut part = 0..candidates.len();
    while part.len() > DIVIDED_AT_ONCE {
        let mut sample: [_; SAMPLED] =
            std::array::from_fn(|at| cost(&candidates[part.start + at * part.len() / SAMPLED]));
        sample.sort_unstable();
        let (middle, mut better) = (sample[SAMPLED / 2], part.start);
        for at in part.clone() {
            if at % AT_ONCE == 0 && clock.stops_work() {
                return false;
            }
            if cost(&candidates[at]) < middle {
                candidates.swap(at, better);
                better += 1;
            }
        }
        if better == part.start {
            // Half of the sample has the least cost, which is very unlikely: costs contain a hash of the state.
            break;
        }
        part = if width <= better { part.start..better } else { better..part.end };
    }
    candidates[part.clone()].select_nth_unstable_by_key(width - part.start - 1, cost);
    candidates.truncate(width);
    true
}

/// If a state has finished its stage, moves it on to the first stage that is not done. Returns the state's estimated
/// cost. The state is given by the cells of its parent, and by the function `image` that the last move applies to
/// cells.
fn enter(stages: &Subgoals, node: &mut BeamNode, image: impl Fn(u8) -> u8, parent: &[Symbol]) -> u32 {
    while let Some(stage) = stages.list.get(node.stage as usize) {
        let moves = stage.moves(node.held, node.pivot);
        if moves > 0 {
            let to_come = (stages.list.len() - node.stage as usize) as u32;
            return node.sum + u32::from(moves) + to_come * stages.each;
        }
        node.stage += 1;
        if let Some(next) = stages.list.get(node.stage as usize) {
            node.held = next.held(parent).map(&image);
        }
    }
    node.sum
}

/// The fewest moves from a state to the target, if the state is in the perimeter of states near the target; otherwise
/// `None`.
#[inline(always)]
fn left_of(look: &Look, node: &BeamNode) -> Option<u32> {
    let perimeter = look.perimeter?;
    if node.sum > perimeter.largest_sum {
        return None;
    }
    perimeter.moves(node.mark).map(u32::from)
}

/// The moves on the path to a state: the state after the move `place` from the state `parent` of the last depth. `ways`
/// has, for each depth and each of its states, the number of the state before it and the move that led from there.
fn way(ways: &[Vec<(u32, u32)>], parent: u32, place: u32) -> Vec<u32> {
    let (mut moves, mut at) = (vec![place], parent as usize);
    for depth in ways.iter().rev() {
        let (before, place) = depth[at];
        moves.push(place);
        at = before as usize;
    }
    moves.reverse();
    moves
}

/// The marks of the states that the search has met: a table in which a newer mark overwrites an older one of the same
/// slot.
struct Met(Vec<u64>);

impl Met {
    fn new(width: usize) -> Self {
        Self(vec![0; width.saturating_mul(MET_FOR_EACH).next_power_of_two().clamp(LEAST_MET, MOST_MET)])
    }

    #[inline(always)]
    fn is_new(&mut self, mark: u64) -> bool {
        let slots = self.0.len() - 1;
        let slot = &mut self.0[mark as usize & slots];
        let new = *slot != mark;
        *slot = mark;
        new
    }
}
