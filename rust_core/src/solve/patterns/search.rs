//! The depth-first search of iterative deepening, for rules whose moves permute cells. Pattern databases and the gap
//! heuristic cut it off.

use super::{GapHeuristic, Looked, MOST_LOOKUPS, Patterns, PermutationMove, PermutationRules};
use crate::rules::Symbol;
use crate::run::Watch;
use crate::solve::answer::Proof;
use crate::solve::ida_star::{BoundedSearch, Deepened, Effort, SUBTREES, Split, Visited, deepen};
use crate::solve::move_pruning::{MovePruning, MoveSet};
use crate::solve::subtrees::{Ended, Meter, StateLimit, search};

/// Subtrees begin after at most this many moves. If there are fewer than [`SUBTREES`] of them even then, hardly any
/// state has two moves that need to be tried, and more threads would find nothing to do.
const MOST_SPLIT: u32 = 64;

/// The sources of lower bounds on the number of moves. A state's bound is the largest that they give.
#[derive(Debug)]
pub struct LowerBounds<'a> {
    /// Pattern databases, if some are made.
    pub patterns: Option<&'a Patterns>,
    /// The gap heuristic, which counts pairs of cells whose symbols are not neighbours in the goal.
    pub gap: Option<&'a GapHeuristic>,
}

impl LowerBounds<'_> {
    /// A lower bound for a state; [`u32::MAX`] if the goal cannot be reached.
    pub fn of(&self, state: &[Symbol]) -> u32 {
        let looked = |patterns: &Patterns| Looked::<MOST_LOOKUPS>::new(Some(patterns), state).bound(patterns);
        let apart = |gap: &GapHeuristic| gap.bound(gap.count(state));
        self.patterns.map_or(0, looked).max(self.gap.map_or(0, apart))
    }
}

/// Searches for the fewest moves from a state to the goal, and notes in `proof` what it proves.
pub fn fewest_moves(
    rules: &PermutationRules,
    bounds: &LowerBounds,
    state: &[Symbol],
    proof: &mut Proof,
    effort: &mut Effort,
    watch: Watch,
) -> Deepened {
    // Moves never change how many cells hold a symbol. If these numbers differ from the goal's, there is no solution.
    let sorted = |state: &[Symbol]| {
        let mut symbols = state.to_vec();
        symbols.sort_unstable();
        symbols
    };
    let first = bounds.of(state);
    if first == u32::MAX || sorted(state) != sorted(&rules.goal) || rules.parity_rules_out(state) {
        return Deepened::Unreachable;
    }
    if state == rules.goal {
        return Deepened::Solved(Vec::new());
    }
    proof.lower_bound = proof.lower_bound.max(first);
    let pruning = &pruning(rules);
    // The search is compiled for three numbers of look-ups, so that a node takes no more memory than its look-ups need.
    match bounds.patterns.map_or(0, Patterns::lookups) {
        0..=3 => deepen(&PatternSearch::<3> { rules, bounds, pruning, state }, proof, effort, watch),
        4..=6 => deepen(&PatternSearch::<6> { rules, bounds, pruning, state }, proof, effort, watch),
        _ => deepen(&PatternSearch::<MOST_LOOKUPS> { rules, bounds, pruning, state }, proof, effort, watch),
    }
}

/// A search for the fewest moves from a state, with room for `L` look-ups.
struct PatternSearch<'a, const L: usize> {
    rules: &'a PermutationRules,
    bounds: &'a LowerBounds<'a>,
    pruning: &'a MovePruning,
    state: &'a [Symbol],
}

impl<const L: usize> BoundedSearch for PatternSearch<'_, L> {
    type Subtree = PermutationSubtree<L>;

    const MOST_MOVES: u32 = u32::MAX - 1;

    const MOVE_BYTES: usize = size_of::<PermutationNode<L>>();

    fn root(&self) -> Self::Subtree {
        let (bounds, state) = (self.bounds, self.state);
        let step = TriedStep {
            apart: bounds.gap.map_or(0, |gap| gap.count(state)),
            pivot: self.rules.pivot_cell(state) as u32,
            last: None,
            refused: 0,
            made: 0,
            tried: 0,
        };
        let node = PermutationNode { looked: Looked::<L>::new(bounds.patterns, state), step };
        PermutationSubtree { node, state: state.to_vec(), moves: Vec::new() }
    }

    fn split(&self, bound: u32, spent: u64, watch: Watch) -> Option<Split<Self::Subtree>> {
        let begin = [self.root()];
        let mut split = Split { subtrees: begin.to_vec(), next: u32::MAX };
        let mut depth = 0;
        while split.subtrees.len() < SUBTREES && depth + 4 < bound.min(MOST_SPLIT) && !split.subtrees.is_empty() {
            depth += 2;
            let list = |subtree: &Self::Subtree, meter: &mut Meter| {
                let mut walk = self.walk(subtree, bound, depth, meter);
                walk.go(subtree.node);
                Some(Split { subtrees: walk.found, next: walk.next })
            };
            match search(&begin, StateLimit { spent, most: u64::MAX }, watch, list).0 {
                Ended::Found(found) => split = found,
                _ => return None,
            }
        }
        Some(split)
    }

    fn visit(&self, subtree: &Self::Subtree, bound: u32, meter: &mut Meter) -> Visited {
        let mut walk = self.walk(subtree, bound, u32::MAX, meter);
        let places = walk.go(subtree.node);
        let index = |place: usize| self.rules.moves[place].index;
        Visited { solution: places.map(|places| places.into_iter().map(index).collect()), next: walk.next }
    }
}

impl<const L: usize> PatternSearch<'_, L> {
    fn walk<'b, 'c>(
        &'b self,
        subtree: &PermutationSubtree<L>,
        bound: u32,
        deepest: u32,
        meter: &'b mut Meter<'c>,
    ) -> PatternWalk<'b, 'c, L> {
        let PermutationSubtree { state, moves, .. } = subtree.clone();
        let Self { rules, bounds, pruning, .. } = self;
        let (next, begin, found) = (u32::MAX, moves, Vec::new());
        let (steps, looked) = (Vec::new(), Vec::new());
        PatternWalk { rules, bounds, pruning, state, bound, next, begin, steps, looked, deepest, found, meter }
    }
}

/// A subtree of the search: the state where it begins, and the moves that led there.
#[derive(Clone)]
struct PermutationSubtree<const L: usize> {
    node: PermutationNode<L>,
    state: Vec<Symbol>,
    moves: Vec<usize>,
}

/// A state on the path of the search, without its symbols, which are in [`PatternWalk::state`].
///
/// It has two parts, and the path is two lists: a copy of at most 32 bytes is four loads and stores in a page, and a
/// longer one is a call.
#[derive(Debug, Clone, Copy)]
struct PermutationNode<const L: usize> {
    looked: Looked<L>,
    step: TriedStep,
}

/// The part of a [`PermutationNode`] that has nothing to do with tables.
#[derive(Debug, Clone, Copy)]
struct TriedStep {
    /// The moves that are not tried from this state, because other sequences of moves do the same.
    refused: MoveSet,
    apart: u32,
    pivot: u32,
    /// The move that led to this state; `None` in the first state of the search.
    last: Option<u32>,
    made: u32,
    /// The number of moves that were tried from this state. The last of them leads to the next state on the path.
    tried: u32,
}

struct PatternWalk<'a, 'b, const L: usize> {
    rules: &'a PermutationRules,
    bounds: &'a LowerBounds<'a>,
    pruning: &'a MovePruning,
    state: Vec<Symbol>,
    bound: u32,
    /// The smallest bound that would have admitted a state which was cut off.
    next: u32,
    /// The moves to the state where the subtree begins.
    begin: Vec<usize>,
    /// The stack of the search: the states on the path from the first state of the subtree to the present state,
    /// without the present state. It is on the heap, because a path may have more moves than a thread's stack has room
    /// for calls.
    steps: Vec<TriedStep>,
    /// For each state on the stack, what was looked up.
    looked: Vec<Looked<L>>,
    /// The most moves of a path. States after this many moves are put into `found`, and not searched.
    deepest: u32,
    found: Vec<PermutationSubtree<L>>,
    meter: &'a mut Meter<'b>,
}

impl<const L: usize> PatternWalk<'_, '_, L> {
    /// Searches the states that can be reached from a state within the bound. Returns a solution; `None` if there is
    /// none, or if the meter has stopped the search.
    fn go(&mut self, begin: PermutationNode<L>) -> Option<Vec<usize>> {
        let LowerBounds { patterns, gap } = self.bounds;
        let rules = self.rules;
        if begin.step.made == self.deepest {
            self.found.push(PermutationSubtree { node: begin, state: self.state.clone(), moves: self.begin.clone() });
            return None;
        }
        if self.meter.stops() {
            return None;
        }
        let PermutationNode { mut looked, mut step } = begin;
        let mut moves = rules.moves_from(step.pivot as usize);
        loop {
            let Some(&place) = moves.get(step.tried as usize) else {
                (step, looked) = (self.steps.pop()?, self.looked.pop()?);
                moves = rules.moves_from(step.pivot as usize);
                rules.moves[moves[step.tried as usize - 1] as usize].make(&mut self.state, true);
                continue;
            };
            step.tried += 1;
            let given = &rules.moves[place as usize];
            if self.pruning.leaves_out(step.refused, step.last, place as usize) || !given.allows(&self.state) {
                continue;
            }
            let room = self.bound - step.made - 1;
            let (mut apart, mut bound) = (0, 0);
            if let Some(pairs) = gap {
                apart = pairs.after(step.apart, place as usize, &self.state);
                bound = pairs.bound(apart);
            }
            // This copy is made before the look-ups write single bytes of the node: a copy of whole registers right
            // after such writes would wait for them. Only a state that is not cut off needs the copy.
            let mut next = looked;
            if let Some(patterns) = patterns
                && bound <= room
            {
                // A bound above the room cuts the state off. If it is no smaller than the bounds that cut off others
                // before, nothing else depends on it.
                let enough = (room + 1).max(self.next.saturating_sub(step.made + 1));
                bound = bound.max(next.follow(patterns, given, &self.state, enough));
            }
            if bound > room {
                self.next = self.next.min(bound.saturating_add(step.made + 1));
                continue;
            }
            given.make(&mut self.state, false);
            if bound == 0 && self.state == rules.goal {
                return Some(self.moves_to(&step, place));
            }
            if room == 0 {
                self.next = self.next.min(self.bound + 1);
                given.make(&mut self.state, true);
                continue;
            }
            let pivot = given.pivot.map_or(0, |(_, cell)| cell.into());
            let refused = self.pruning.after(step.refused, place as usize);
            let child = TriedStep { refused, apart, pivot, last: Some(place), made: step.made + 1, tried: 0 };
            if child.made == self.deepest {
                let moves = self.moves_to(&step, place);
                let node = PermutationNode { looked: next, step: child };
                self.found.push(PermutationSubtree { node, state: self.state.clone(), moves });
                given.make(&mut self.state, true);
                continue;
            }
            if self.meter.stops() {
                return None;
            }
            self.steps.push(step);
            self.looked.push(looked);
            (step, looked) = (child, next);
            moves = rules.moves_from(step.pivot as usize);
        }
    }

    /// The moves to the state of `last`, followed by the move at `place`.
    #[cold]
    fn moves_to(&self, last: &TriedStep, place: u32) -> Vec<usize> {
        let made = self.steps.iter().chain([last]).skip(1).filter_map(|step| step.last).chain([place]);
        self.begin.iter().copied().chain(made.map(|place| place as usize)).collect()
    }
}

/// Finds which sequences of moves need not be searched. A move needs the cells that its guard looks at.
pub(super) fn pruning(rules: &PermutationRules) -> MovePruning {
    let image = |given: &PermutationMove| -> Vec<u8> { (0..rules.cells).map(|cell| given.image(cell as u8)).collect() };
    let images: Vec<Vec<u8>> = rules.moves.iter().map(image).collect();
    let needed = |given: &PermutationMove| -> Vec<u8> {
        given.guard.iter().map(|&(cell, _)| cell).chain(given.pivot.map(|(cell, _)| cell)).collect()
    };
    let needed: Vec<Vec<u8>> = rules.moves.iter().map(needed).collect();
    MovePruning::of_images(&images, &vec![1; images.len()], &needed)
}
