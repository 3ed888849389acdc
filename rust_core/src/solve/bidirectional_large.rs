//! Shortest solutions by breadth-first search from both ends, on all cores and up to symmetry: for searches that are
//! too large for [`shortest`].
//!
//! Each half is a search of the sparse store. It keeps only the words of states, not the moves that led to them. The
//! path is found again from the depths: a state of depth 7 has a predecessor among the states of depth 6.
//!
//! The symmetries keep the goal and the moves, but not the state. Take a ring of four lamps, where a move toggles a
//! lamp and its neighbours, and the state `1000`. Its canonical form under the turns of the ring is `0001`. All four
//! states of this orbit are equally far from `0000`. At the end, moves are chosen from the given state, `1000`, itself:
//! each leads to a state whose canonical form is the next one on the path.

use super::answer::{Solution, Solved};
use super::bidirectional::{MOST_GOALS, shortest};
use crate::compile::{Compiled, Images, Word};
use crate::error::Result;
use crate::run::{Budget, Options, Watch, in_pool, parallel};
use crate::sparse::{Advance, StateGraph, Stepwise};

/// The number of states that [`shortest`] stores before it is given up for [`meet`]. Up to here, it takes some
/// hundredths of a second.
const STORED_BEFORE_SYMMETRY: usize = 100_000;

/// The number of states that one thread handles at a time.
const AT_ONCE: usize = 1 << 12;

/// A shortest list of moves from a state of a puzzle to its goal, within a budget: by [`shortest`] as long as few
/// states are stored, and then by [`meet`]. If `first` is given, only [`shortest`] is tried, with so many states.
/// `images` returns the images under symmetries that keep the goal and the moves.
///
/// # Errors
///
/// [`crate::Error::Options`] if the threads cannot be started.
pub fn from_both_ends<'a, W: Word>(
    compiled: &Compiled<W>,
    images: &dyn Fn() -> &'a Images<W>,
    from: W,
    first: Option<usize>,
    budget: Budget,
    watch: Watch,
) -> Result<Solved> {
    let found = shortest(compiled, from, first.unwrap_or(STORED_BEFORE_SYMMETRY), budget, watch);
    if first.is_some() || found.solution != Solution::Full || found.states < STORED_BEFORE_SYMMETRY as u64 {
        return Ok(found);
    }
    meet(compiled, images(), from, budget, watch)
}

/// A shortest list of moves from a state of a puzzle to its goal, within a budget. The `images` are those of symmetries
/// that keep the goal and the moves.
///
/// The answer is the same for any number of threads.
///
/// # Errors
///
/// [`crate::Error::Options`] if the threads cannot be started.
fn meet<W: Word>(compiled: &Compiled<W>, images: &Images<W>, from: W, budget: Budget, watch: Watch) -> Result<Solved> {
    let options = Options { memory: budget.bytes, threads: budget.threads, ..Options::default() };
    in_pool(&options, || {
        let inverted = compiled.goal_states(MOST_GOALS).zip(compiled.inverted());
        let root = images.smallest(from);
        let kind = compiled.ended(root, 0).map_or(0, |outcome| outcome + 1);
        let graph = StateGraph::from_roots(compiled, images, vec![(kind, root)]);
        let forward = Stepwise::new(&graph, &options, watch)?;
        let search = LargeSearch { compiled, images, from, budget };
        let Some((goals, inverted)) = inverted else { return search.one_end(forward) };
        let mut goals: Vec<W> = goals.into_iter().map(|goal| images.smallest(goal)).collect();
        goals.sort_unstable();
        goals.dedup();
        // Play may be over in a goal, so that it has no moves. But the backward half makes inverse moves from it. So
        // each goal counts as open here.
        let roots = goals.into_iter().map(|goal| (0, goal)).collect();
        let graph = StateGraph::from_roots(&inverted, images, roots);
        search.both_ends(forward, Stepwise::new(&graph, &options, watch)?, &inverted)
    })?
}

struct LargeSearch<'a, W> {
    compiled: &'a Compiled<W>,
    images: &'a Images<W>,
    from: W,
    budget: Budget,
}

impl<W: Word> LargeSearch<'_, W> {
    /// Searches from the state alone, because the goal has too many states to list, or some move has no inverse: it
    /// destroys what it overwrites.
    fn one_end(&self, mut forward: Stepwise<W>) -> Result<Solved> {
        loop {
            if let Some(found) = first_of(forward.states(forward.depth()), &|word| self.compiled.solved(word)) {
                let moves = self.replay(&self.way_to(&forward, forward.depth(), found, None)).0;
                return Ok(ended(Solution::Moves(moves, true), &forward, None));
            }
            if let Some(solution) = self.advance(&mut forward, None)? {
                return Ok(ended(solution, &forward, None));
            }
        }
    }

    fn both_ends(&self, mut forward: Stepwise<W>, mut backward: Stepwise<W>, inverted: &Compiled<W>) -> Result<Solved> {
        loop {
            let (here, there) = (forward.states(forward.depth()), backward.states(backward.depth()));
            if let Some(common) = common(here, there) {
                let moves = self.moves_through(common, &forward, &backward, inverted);
                return Ok(ended(Solution::Moves(moves, true), &forward, Some(&backward)));
            }
            let solution = if forward.open() <= backward.open() {
                self.advance(&mut forward, Some(&backward))?
            } else {
                let depth = backward.depth();
                let solution = self.advance(&mut backward, Some(&forward))?;
                if backward.depth() > depth && !self.compiled.rules.ends.is_empty() {
                    // Forward, no move leads on from a state in which play is over, so the backward half drops such
                    // states.
                    backward.retain_last(|word| self.compiled.ended(word, 0).is_none());
                }
                solution
            };
            if let Some(solution) = solution {
                return Ok(ended(solution, &forward, Some(&backward)));
            }
        }
    }

    /// Finds the next depth of a half. `other` is the other half. Returns the answer of the search if there is no next
    /// depth; otherwise `None`.
    fn advance(&self, half: &mut Stepwise<W>, other: Option<&Stepwise<W>>) -> Result<Option<Solution>> {
        if half.open() == 0 {
            return Ok(Some(Solution::Unreachable));
        }
        let (depth, held) = (half.depth(), half.len() + other.map_or(0, Stepwise::len));
        let bytes = self.budget.bytes.saturating_sub(other.map_or(0, Stepwise::bytes));
        Ok(match half.next(bytes, self.budget.states.saturating_sub(held))? {
            Advance::Stopped => Some(Solution::Stopped),
            Advance::Outgrown => Some(Solution::Full),
            // All states that this half can reach are known, and none of them is in the other half.
            Advance::Done => (half.depth() == depth).then_some(Solution::Unreachable),
        })
    }

    /// The moves from the state to the goal through a state in which the halves meet.
    fn moves_through(
        &self,
        common: W,
        forward: &Stepwise<W>,
        backward: &Stepwise<W>,
        inverted: &Compiled<W>,
    ) -> Vec<usize> {
        let way = self.way_to(forward, forward.depth(), common, Some(inverted));
        let (mut moves, mut word) = self.replay(&way);
        for depth in (0..backward.depth()).rev() {
            let closer = |next: W| backward.states(depth).binary_search(&next).is_ok();
            moves.push(self.step(&mut word, &closer));
        }
        moves
    }

    /// The canonical states on a path from depth 0 of a half to the state `word` of depth `depth`, without the state of
    /// depth 0.
    fn way_to(&self, half: &Stepwise<W>, depth: usize, word: W, inverted: Option<&Compiled<W>>) -> Vec<W> {
        let mut way = vec![word];
        for depth in (1..depth).rev() {
            let (after, states) = (way[way.len() - 1], half.states(depth));
            let before = match inverted {
                Some(inverted) => self.undone(inverted, after, states),
                None => first_of(states, &|word| self.leads(word, after)),
            };
            way.push(before.expect("a state of a depth was found from one of the depth before"));
        }
        way.reverse();
        if depth == 0 { Vec::new() } else { way }
    }

    /// Finds a state among `states` from which a move leads to `after`, by making the inverse moves from `after`.
    /// `None` if there is none.
    fn undone(&self, inverted: &Compiled<W>, after: W, states: &[W]) -> Option<W> {
        let mut before = Vec::new();
        inverted.steps[0].after(after, &mut before);
        let mut before = before.into_iter().map(|(_, word)| self.images.smallest(word));
        before.find(|&word| self.compiled.ended(word, 0).is_none() && states.binary_search(&word).is_ok())
    }

    /// Returns `true` if a move leads from the canonical state `word` to one whose canonical form is `after`.
    fn leads(&self, word: W, after: W) -> bool {
        let differs = |next: W| self.images.smallest(next) != after;
        self.compiled.ended(word, 0).is_none()
            && !self.compiled.steps[0].each_called(word, &mut |_, step| differs(step.effect.apply(word)))
    }

    /// The moves that lead from the given state along the canonical states of a path, and the state at its end.
    fn replay(&self, way: &[W]) -> (Vec<usize>, W) {
        let mut word = self.from;
        let moves = way.iter().map(|&next| self.step(&mut word, &|canonical| canonical == next)).collect();
        (moves, word)
    }

    /// Makes the first move, in the order of the rules, for which the canonical form of the successor fits.
    fn step(&self, word: &mut W, fits: &dyn Fn(W) -> bool) -> usize {
        let mut found = Vec::new();
        self.compiled.moves_from(*word, 0, &mut found);
        let found = found.into_iter().find(|&(_, next)| fits(self.images.smallest(next)));
        let (index, next) = found.expect("a symmetric state has a symmetric move");
        *word = next;
        index
    }
}

/// The first word that fits.
fn first_of<W: Word>(words: &[W], fits: &(dyn Fn(W) -> bool + Sync)) -> Option<W> {
    parallel::find_first(words.len(), AT_ONCE, |range| words[range].iter().copied().find(|&word| fits(word)))
}

/// The smallest word that is in both lists. Both lists are sorted. `None` if they have no word in common.
fn common<W: Word>(one: &[W], other: &[W]) -> Option<W> {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    // Both lists are sorted. So for a range of the shorter list, the words of the longer list that can match are a
    // range, too.
    parallel::find_first(few.len(), AT_ONCE, |range| {
        let words = &few[range];
        let mut rest = &many[many.partition_point(|word| word < words.first().unwrap_or(word))..];
        words.iter().copied().find(|word| {
            rest = &rest[rest.iter().position(|other| other >= word).unwrap_or(rest.len())..];
            rest.first() == Some(word)
        })
    })
}

/// The answer of the search, with the proof from both halves.
fn ended<W: Word>(solution: Solution, forward: &Stepwise<W>, backward: Option<&Stepwise<W>>) -> Solved {
    let states = forward.len() + backward.map_or(0, Stepwise::len);
    let depths = forward.depth() + backward.map_or(0, Stepwise::depth);
    Solved::by_both_ends(solution, depths as u32, states as u64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::rules::{Rules, RulesData, Symbol, Varying};
    use crate::solve::goal_keeping;
    use crate::structure::Structure;
    use crate::tests::GO_ON;

    /// The number of cells of each ring.
    const CELLS: usize = 5;

    const SYMBOLS: [&str; 3] = ["a", "b", "c"];

    /// A part of a pattern: a cell, counted from the place where the pattern is put, and the symbols that it may hold.
    type Wanted = (usize, Vec<usize>);

    /// A move: the pattern that it wants, and the cells that it writes, each with its source: a symbol 0 to 2, or
    /// `3 + i` for a copy of cell `i`.
    type Given = (Vec<Wanted>, Vec<(usize, usize)>);

    fn wanted(at: usize, pattern: &[Wanted]) -> Value {
        let symbols = |set: &[usize]| set.iter().map(|symbol| SYMBOLS[symbol % 3]).collect::<Vec<_>>();
        let cells: BTreeMap<usize, _> = pattern.iter().map(|(cell, set)| ((cell + at) % CELLS, symbols(set))).collect();
        json!(cells.into_iter().collect::<Vec<_>>())
    }

    /// Rules on a ring of cells: each move, goal and end is put at every place of the ring. `None` if the rules are
    /// refused.
    fn ring(moves: &[Given], goal: &[Wanted], end: Option<&Vec<Wanted>>) -> Option<Rules> {
        let mut written = Vec::new();
        for at in 0..CELLS {
            for (number, (when, then)) in moves.iter().enumerate() {
                let source = |source: usize| match source.checked_sub(3) {
                    None => json!(SYMBOLS[source]),
                    Some(from) => json!({"copy": (from + at) % CELLS}),
                };
                let then: BTreeMap<usize, Value> =
                    then.iter().map(|&(cell, from)| ((cell + at) % CELLS, source(from))).collect();
                let then: Vec<_> = then.into_iter().collect();
                written.push(json!({"name": format!("{number}/{at}"), "when": wanted(at, when), "then": then}));
            }
        }
        // Goals that are the same at all places are listed once.
        let mut goals: Vec<Value> = (0..CELLS).map(|at| wanted(at, goal)).collect();
        goals.dedup();
        let ends: Vec<Value> =
            (0..CELLS).filter_map(|at| Some(json!({"outcome": "over", "when": wanted(at, end?)}))).collect();
        let data = json!({"symbols": SYMBOLS, "start": ["a", "b", "c", "a", "b"], "moves": written, "goal": goals,
            "ends": ends});
        let data: RulesData = serde_json::from_value(data).unwrap();
        Rules::new(&data).ok()
    }

    fn play<W: Word>(compiled: &Compiled<W>, from: W, moves: &[usize]) -> W {
        moves.iter().fold(from, |word, &index| {
            assert!(compiled.ended(word, 0).is_none());
            let mut next = None;
            compiled.steps[0].each_called(word, &mut |_, step| {
                next = (step.index == index).then(|| step.effect.apply(word));
                next.is_none()
            });
            next.expect("the move can be made")
        })
    }

    /// Compares the answers with those of the plain search, from every state. Returns the number of states with a
    /// solution, and the number of symmetries.
    fn compare(rules: Rules) -> (usize, usize) {
        let rules = Arc::new(rules);
        let structure = Arc::new(Structure::new(Arc::clone(&rules)).unwrap());
        let compiled = Compiled::<u32>::new(&structure, &Arc::new(Varying::whole(&rules))).unwrap();
        let images = compiled.images(&goal_keeping(&structure));
        let mut solved = 0;
        for number in 0..3usize.pow(CELLS as u32) {
            let cells: Vec<Symbol> = (0..CELLS).map(|cell| (number / 3usize.pow(cell as u32) % 3) as Symbol).collect();
            let from = compiled.pack(&cells, 0);
            let expected = shortest(&compiled, from, usize::MAX, Budget::default(), GO_ON).solution;
            let found = |threads: usize| {
                let budget = Budget { threads, ..Budget::default() };
                meet(&compiled, &images, from, budget, GO_ON).unwrap()
            };
            let one = found(1);
            if number % 16 == 0 {
                assert_eq!(found(2), one);
            }
            match (&expected, &one.solution) {
                (Solution::Moves(known, true), Solution::Moves(moves, true)) => {
                    assert_eq!(known.len(), moves.len(), "{cells:?}");
                    assert!(compiled.solved(play(&compiled, from, moves)));
                    assert_eq!(one.proof.lower_bound as usize, moves.len());
                    solved += 1;
                }
                (expected, found) => assert_eq!(expected, found, "{cells:?}"),
            }
        }
        (solved, images.order)
    }

    fn pattern(cells: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Wanted>> {
        prop::collection::vec((0..CELLS, prop::collection::vec(0..3usize, 1..3)), cells)
    }

    /// The cells that a move writes, each with its source, as in [`Given`].
    fn written() -> impl Strategy<Value = Vec<(usize, usize)>> {
        prop::collection::vec((0..CELLS, 0..3 + CELLS), 1..4)
    }

    /// The pattern in which all cells hold one symbol.
    fn uniform(symbol: usize) -> Vec<Wanted> {
        (0..CELLS).map(|cell| (cell, vec![symbol])).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::tests::quick_or_long(8, 24)))]

        #[test]
        fn both_ends_up_to_symmetry_find_as_few_moves_as_the_plain_search(
            moves in prop::collection::vec((pattern(0..3), written()), 1..4),
            goal in prop_oneof![pattern(1..4), (0..3usize).prop_map(uniform)],
            end in prop::option::weighted(0.4, pattern(1..4)),
        ) {
            if let Some(rules) = ring(&moves, &goal, end.as_ref()) {
                compare(rules);
            }
        }
    }

    #[test]
    fn a_state_without_symmetry_is_solved_up_to_the_symmetries_of_the_goal() {
        // The moves: `b` is copied to the next cell. `a` becomes `b` if the next cell holds `b` or `c`. `b` becomes `c`
        // if the next cell holds `c` or `a`. `c` becomes `a`.
        let copy = (vec![(0, vec![1])], vec![(1, 3)]);
        let turns = |from: usize| (vec![(0, vec![from]), (1, vec![from + 1, from + 2])], vec![(0, from + 1)]);
        let back = (vec![(0, vec![2])], vec![(0, 0)]);
        let (solved, order) = compare(ring(&[copy, turns(0), turns(1), back], &uniform(0), None).unwrap());
        assert!(solved > 200 && order == 5, "{solved} states, {order} symmetries");
    }

    #[test]
    fn limits_and_the_watch_stop_it() {
        let flip = |from: usize, to: usize| (vec![(0, vec![from])], vec![(0, to)]);
        let rules = ring(&[flip(0, 1), flip(1, 0), flip(1, 2), flip(2, 1)], &uniform(2), None);
        let rules = Arc::new(rules.unwrap());
        let structure = Arc::new(Structure::new(Arc::clone(&rules)).unwrap());
        let compiled = Compiled::<u32>::new(&structure, &Arc::new(Varying::whole(&rules))).unwrap();
        let images = compiled.images(&goal_keeping(&structure));
        let solve = |budget: Budget, watch: Watch| meet(&compiled, &images, 0, budget, watch).unwrap();
        let whole = solve(Budget::default(), GO_ON);
        assert!(matches!(whole.solution, Solution::Moves(ref moves, true) if moves.len() == 10));
        let few = solve(Budget { states: 6, ..Budget::default() }, GO_ON);
        assert_eq!((few.solution, few.states <= 12), (Solution::Full, true));
        assert!(few.proof.lower_bound > 1 && few.proof.lower_bound <= 10);
        let small = solve(Budget { bytes: 100, ..Budget::default() }, GO_ON);
        assert_eq!(small.solution, Solution::Full);
        assert_eq!(solve(Budget::default(), &|_| ControlFlow::Break(())).solution, Solution::Stopped);
    }

    /// A token on a line of twelve cells, which goes one step at a time; the goal is the last cell.
    fn line() -> Rules {
        let step = |from: usize, to: usize| {
            let then = json!([[from, "."], [to, "t"]]);
            json!({"name": format!("{from}-{to}"), "when": [[from, ["t"]]], "then": then})
        };
        let moves: Vec<_> = (0..11).flat_map(|at| [step(at, at + 1), step(at + 1, at)]).collect();
        let cells = |token: usize| (0..12).map(|cell| if cell == token { "t" } else { "." }).collect::<Vec<_>>();
        let goal: Vec<_> = cells(11).into_iter().enumerate().map(|(cell, symbol)| json!([cell, [symbol]])).collect();
        let data = json!({"symbols": [".", "t"], "start": cells(0), "moves": moves, "goal": [goal]});
        Rules::new(&serde_json::from_value::<RulesData>(data).unwrap()).unwrap()
    }

    #[test]
    fn a_search_that_runs_out_of_states_proves_what_its_whole_depths_show() {
        let structure = Arc::new(Structure::new(Arc::new(line())).unwrap());
        let compiled = Compiled::<u64>::new(&structure, &Arc::new(Varying::whole(structure.rules()))).unwrap();
        let mut bounds = Vec::new();
        for states in 2..12 {
            // The budget has no more states than `first`, so no half is followed to its end.
            let budget = Budget { states, threads: 1, ..Budget::default() };
            let found = shortest(&compiled, compiled.start(), states, budget, GO_ON);
            if found.solution != Solution::Full {
                assert!(matches!(&found.solution, Solution::Moves(moves, true) if moves.len() == 11));
                break;
            }
            bounds.push(found.proof.lower_bound);
        }
        // With the smallest budget, only the start and the goal are known, and no successor of either. So the proven
        // lower bound is two moves. Each further state in the budget raises it by one.
        assert_eq!(bounds, (2..2 + bounds.len() as u32).collect::<Vec<_>>());
        assert!(bounds.len() > 6, "{bounds:?}");
    }
}
