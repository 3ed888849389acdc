//! The fewest moves by iterative deepening (IDA*): a depth-first search for each bound, cut off by lower bounds.
//!
//! R. Korf, "Depth-first iterative-deepening: an optimal admissible tree search" (1985). It stores nothing but the way to
//! the present state, so memory is what the tables of the lower bound take.

use std::collections::HashSet;

use super::answer::Proof;
use super::move_pruning::{MovePruning, MoveSet};
use super::patterns::{GapHeuristic, Looked, MOST_LOOKUPS, Patterns, PermutationMove, PermutationRules};
use super::stop_rule::StopRule;
use super::subtrees::{Ended, Meter, search, stops_between};
use crate::rules::Symbol;
use crate::run::Watch;

/// A bound that took this many states is followed by one on all cores.
const LARGE: u64 = 1 << 15;

/// How many subtrees the threads share out. They are of different sizes.
const SUBTREES: usize = 512;

/// Subtrees begin after at most this many moves. If there are not [`SUBTREES`] by then, hardly any state has two moves
/// that need to be tried, and more threads would find nothing to do.
const MOST_SPLIT: u32 = 64;

/// Lower bounds on the number of moves. A state's bound is the larger of those that there are.
#[derive(Debug)]
pub struct LowerBounds<'a> {
    /// Pattern databases.
    pub patterns: Option<&'a Patterns>,
    /// Pairs of neighbours.
    pub adjacency: Option<&'a GapHeuristic>,
}

/// How a search by iterative deepening ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deepened {
    /// The fewest moves, by their places in the rules.
    Solved(Vec<usize>),
    /// No moves lead to the goal.
    Unreachable,
    /// As many states were searched as were allowed, or the way to a state would take more memory than is allowed.
    Full,
    /// The bounds that lie ahead would take too many states.
    Hopeless,
    /// The watch stopped it.
    Stopped,
}

impl LowerBounds<'_> {
    /// A lower bound for a state; [`u32::MAX`] if the goal cannot be reached.
    pub fn of(&self, state: &[Symbol]) -> u32 {
        let looked = |patterns: &Patterns| Looked::<MOST_LOOKUPS>::new(patterns, state).bound(patterns);
        let adjacent = |pairs: &GapHeuristic| pairs.bound(pairs.count(state));
        self.patterns.map_or(0, looked).max(self.adjacency.map_or(0, adjacent))
    }
}

/// How much a search may take.
#[derive(Debug, Clone, Copy)]
pub struct Effort<'a> {
    /// The most states that it searches.
    pub states: u64,
    /// The most bytes that the ways to the present states of all threads take.
    pub bytes: u64,
    /// When it gives up before a bound.
    pub hope: &'a StopRule,
}

/// Searches for the fewest moves from a state to the goal, bound by bound, and adds to what is proven. It ends as well
/// before a bound for which there is no hope.
pub fn deepen(
    rules: &PermutationRules,
    bounds: &LowerBounds,
    state: &[Symbol],
    proof: &mut Proof,
    effort: Effort,
    watch: Watch,
) -> Deepened {
    match bounds.patterns.map_or(0, Patterns::lookups) {
        0..=3 => deepen_with::<3>(rules, bounds, state, proof, effort, watch),
        4..=6 => deepen_with::<6>(rules, bounds, state, proof, effort, watch),
        _ => deepen_with::<MOST_LOOKUPS>(rules, bounds, state, proof, effort, watch),
    }
}

/// The same with the number of look-ups known, so that nodes are small.
fn deepen_with<const L: usize>(
    rules: &PermutationRules,
    bounds: &LowerBounds,
    state: &[Symbol],
    proof: &mut Proof,
    effort: Effort,
    watch: Watch,
) -> Deepened {
    // Moves keep the number of each symbol.
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
    let sequences = sequences(rules);
    proof.lower_bound = proof.lower_bound.max(first).max(1);
    let (mut spent, mut large) = (0, false);
    let most_moves = effort.bytes / (size_of::<TriedNode<L>>() * rayon::current_num_threads()) as u64;
    loop {
        let bound = proof.lower_bound;
        if u64::from(bound) > most_moves {
            return Deepened::Full;
        }
        let begin = [PermutationSubtree::<L> {
            node: PermutationNode {
                looked: bounds.patterns.map(|patterns| Looked::<L>::new(patterns, state)),
                apart: bounds.adjacency.map_or(0, |pairs| pairs.count(state)),
                pivot: rules.pivot_cell(state),
                last: None,
                refused: 0,
                made: 0,
            },
            state: state.to_vec(),
            moves: Vec::new(),
        }];
        let walk = |subtree: &PermutationSubtree<L>, meter: &mut Meter, deepest: u32| {
            let PermutationSubtree { node, state, moves } = subtree.clone();
            let (begin, steps, found) = (moves, Vec::new(), Vec::new());
            let mut walk = DepthFirst {
                rules,
                bounds,
                sequences: &sequences,
                state,
                bound,
                next: u32::MAX,
                begin,
                steps,
                deepest,
                found,
                meter,
            };
            let solution = walk.go(node);
            (solution, walk.found, walk.next)
        };
        let mut subtrees = begin.to_vec();
        let mut next = u32::MAX;
        let mut depth = 0;
        while large && subtrees.len() < SUBTREES && depth + 4 < bound.min(MOST_SPLIT) && !subtrees.is_empty() {
            depth += 2;
            let split = |subtree: &PermutationSubtree<L>, meter: &mut Meter| Some(walk(subtree, meter, depth));
            match search(&begin, (spent, u64::MAX), watch, split).0 {
                Ended::Found((_, found, cut)) => (subtrees, next) = (found, cut),
                _ => return Deepened::Stopped,
            }
        }
        let cut = std::sync::atomic::AtomicU32::new(next);
        let visit = |subtree: &PermutationSubtree<L>, meter: &mut Meter| {
            let (solved, _, next) = walk(subtree, meter, u32::MAX);
            cut.fetch_min(next, std::sync::atomic::Ordering::Relaxed);
            solved
        };
        let (end, states) = search(&subtrees, (spent, effort.states - spent), watch, visit);
        spent += states;
        if let Ended::Nothing | Ended::Found(_) = end {
            proof.searched.push((bound, states));
        }
        let next = cut.into_inner();
        match end {
            Ended::Full => return Deepened::Full,
            Ended::Stopped => return Deepened::Stopped,
            Ended::Found(moves) => {
                return Deepened::Solved(moves.iter().map(|&place| rules.moves[place].index).collect());
            }
            Ended::Nothing if next == u32::MAX => return Deepened::Unreachable,
            Ended::Nothing => proof.lower_bound = next,
        }
        if effort.hope.is_lost(proof) {
            return Deepened::Hopeless;
        }
        if stops_between(watch, spent - states, spent) {
            return Deepened::Stopped;
        }
        large = states >= LARGE;
    }
}

/// A subtree: a state, and the moves that led to it.
#[derive(Clone)]
struct PermutationSubtree<const L: usize> {
    node: PermutationNode<L>,
    state: Vec<Symbol>,
    moves: Vec<usize>,
}

/// A state on the way, as far as it is not in [`DepthFirst::state`].
#[derive(Debug, Clone, Copy)]
struct PermutationNode<const L: usize> {
    looked: Option<Looked<L>>,
    apart: u32,
    pivot: usize,
    /// The move that led here.
    last: Option<u32>,
    /// The moves that need not follow.
    refused: MoveSet,
    made: u32,
}

/// A state on the way, and how many of its moves were tried. The last of these is the next one on the way.
#[derive(Debug, Clone, Copy)]
struct TriedNode<const L: usize> {
    node: PermutationNode<L>,
    tried: u32,
}

struct DepthFirst<'a, 'b, const L: usize> {
    rules: &'a PermutationRules,
    bounds: &'a LowerBounds<'a>,
    sequences: &'a MovePruning,
    state: Vec<Symbol>,
    bound: u32,
    /// The least bound that was cut off.
    next: u32,
    /// The moves to the state where it begins.
    begin: Vec<usize>,
    /// The states from there to the present one, which is not among them. They are on the heap: a way may have more
    /// moves than a thread's stack has room for calls.
    steps: Vec<TriedNode<L>>,
    /// The most moves. The states after this many moves are listed, and not searched.
    deepest: u32,
    found: Vec<PermutationSubtree<L>>,
    meter: &'a mut Meter<'b>,
}

impl<const L: usize> DepthFirst<'_, '_, L> {
    /// Searches the states that can be reached from a state within the bound. Returns a solution; `None` if there is
    /// none or the meter has stopped the search.
    fn go(&mut self, root: PermutationNode<L>) -> Option<Vec<usize>> {
        let LowerBounds { patterns, adjacency } = self.bounds;
        let rules = self.rules;
        if root.made == self.deepest {
            self.found.push(PermutationSubtree { node: root, state: self.state.clone(), moves: self.begin.clone() });
            return None;
        }
        if self.meter.stops() {
            return None;
        }
        let (mut node, mut tried) = (root, 0);
        let mut moves = rules.moves_from(node.pivot);
        loop {
            let Some(&place) = moves.get(tried) else {
                let step = self.steps.pop()?;
                (node, tried) = (step.node, step.tried as usize);
                moves = rules.moves_from(node.pivot);
                rules.moves[moves[tried - 1] as usize].make(&mut self.state, true);
                continue;
            };
            tried += 1;
            let given = &rules.moves[place as usize];
            if self.sequences.leaves_out(node.refused, node.last, place as usize) || !given.allows(&self.state) {
                continue;
            }
            let room = self.bound - node.made - 1;
            let (mut apart, mut bound) = (0, 0);
            if let Some(pairs) = adjacency {
                apart = pairs.after(node.apart, place as usize, &self.state);
                bound = pairs.bound(apart);
            }
            let mut looked = None;
            if let (Some(patterns), Some(before)) = (patterns, &node.looked)
                && bound <= room
            {
                let after = before.after(patterns, given, &self.state);
                bound = bound.max(after.bound(patterns));
                looked = Some(after);
            }
            if bound > room {
                self.next = self.next.min(bound.saturating_add(node.made + 1));
                continue;
            }
            given.make(&mut self.state, false);
            if bound == 0 && self.state == rules.goal {
                return Some(self.moves_to(&node, place));
            }
            if room == 0 {
                self.next = self.next.min(self.bound + 1);
                given.make(&mut self.state, true);
                continue;
            }
            let pivot = given.pivot.map_or(0, |(_, cell)| cell as usize);
            let refused = self.sequences.after(node.refused, place as usize);
            let child = PermutationNode { looked, apart, pivot, last: Some(place), refused, made: node.made + 1 };
            if child.made == self.deepest {
                let moves = self.moves_to(&node, place);
                self.found.push(PermutationSubtree { node: child, state: self.state.clone(), moves });
                given.make(&mut self.state, true);
                continue;
            }
            if self.meter.stops() {
                return None;
            }
            self.steps.push(TriedNode { node, tried: tried as u32 });
            (node, tried) = (child, 0);
            moves = rules.moves_from(pivot);
        }
    }

    /// The moves to a state on the way, and one more.
    #[cold]
    fn moves_to(&self, node: &PermutationNode<L>, place: u32) -> Vec<usize> {
        let nodes = self.steps.iter().map(|step| &step.node).chain([node]);
        let made = nodes.skip(1).filter_map(|node| node.last).chain([place]);
        self.begin.iter().copied().chain(made.map(|place| place as usize)).collect()
    }
}

/// Which sequences of moves are left out.
///
/// Moves are independent if the order of their permutations does not matter, and neither displaces what the other one's
/// guard looks at. A move is left out after one that it undoes, and if neither has a guard, after one with which it
/// makes what one move without a guard makes.
pub(super) fn sequences(rules: &PermutationRules) -> MovePruning {
    let image = |given: &PermutationMove| -> Vec<u8> { (0..rules.cells).map(|cell| given.image(cell as u8)).collect() };
    let images: Vec<Vec<u8>> = rules.moves.iter().map(image).collect();
    let needed = |given: &PermutationMove| -> Vec<u8> {
        given.guard.iter().map(|&(cell, _)| cell).chain(given.pivot.map(|(cell, _)| cell)).collect()
    };
    let needed: Vec<Vec<u8>> = rules.moves.iter().map(needed).collect();
    let then = |a: usize, b: usize| -> Vec<u8> { images[a].iter().map(|&cell| images[b][cell as usize]).collect() };
    let identity: Vec<u8> = (0..rules.cells).map(|cell| cell as u8).collect();
    let free = |given: usize| needed[given].is_empty();
    let singles: HashSet<&Vec<u8>> =
        images.iter().enumerate().filter(|&(given, _)| free(given)).map(|(_, image)| image).collect();
    let shortens = |a: usize, b: usize| {
        let product = then(a, b);
        product == identity || free(a) && free(b) && singles.contains(&product)
    };
    let leaves = |a: usize, b: usize| needed[b].iter().all(|&cell| images[a][cell as usize] == cell);
    let independent = |a: usize, b: usize| leaves(a, b) && leaves(b, a) && then(a, b) == then(b, a);
    MovePruning::new(rules.moves.len(), shortens, independent)
}
