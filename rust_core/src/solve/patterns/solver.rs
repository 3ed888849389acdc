//! A solver by iterative deepening that makes larger tables only when they pay: first the gap heuristic, then small
//! pattern databases, and then, after much searching, large ones.

use std::sync::{Arc, OnceLock};

use super::every_solution::every;
use super::search::{LowerBounds, fewest_moves};
use super::{GapHeuristic, Patterns, PermutationRules};
use crate::error::Result;
use crate::job::TableCache;
use crate::rules::{Symbol, Symmetry};
use crate::run::{Budget, Options, Watch, in_pool};
use crate::solve::answer::{Every, Proof};
use crate::solve::clock::Clock;
use crate::solve::goal_keeping::goal_keeping;
use crate::solve::ida_star::{Deepened, Effort};
use crate::solve::table_ladder::{Climber, Rung, TableLadder};
use crate::structure::Structure;

/// The most abstract states that the search for one table may visit: for small tables, and for large ones.
const WORK: [u64; 2] = [1 << 23, 1 << 26];

/// The number of states that iterative deepening searches in the time in which the search for a table visits two
/// abstract states. The second number is for tables that are searched by regions. Larger tables are made as soon as the
/// search without them has taken as much time as making them will. For the large tables of the 15-puzzle, an abstract
/// state takes as long as a searched one, and in a page half as long, because searched states are slower there.
const STATES_FOR_TWO: u64 = 8;
const STATES_FOR_TWO_BY_REGIONS: u64 = if cfg!(target_family = "wasm") { 1 } else { 2 };

/// The number of table entries that count as one stored state of the budget: an entry takes a byte, and a stored state
/// some twenty bytes.
const PLACES_FOR_ONE: u64 = 16;

/// A solver by iterative deepening, for rules whose moves permute cells. It keeps its tables, and uses them again for
/// the next state.
#[derive(Debug)]
pub struct PatternSolver {
    structure: Arc<Structure>,
    rules: PermutationRules,
    gap: Option<GapHeuristic>,
    /// Symmetries that keep the moves and the goal, found when tables are first made.
    symmetries: OnceLock<Vec<Symmetry>>,
    ladder: TableLadder<Patterns>,
}

impl PatternSolver {
    /// The solver. `None` unless all moves permute cells, and the goal is one state.
    pub fn new(structure: &Arc<Structure>) -> Option<Self> {
        let rules = PermutationRules::new(structure)?;
        Some(Self {
            structure: Arc::clone(structure),
            gap: GapHeuristic::new(&rules),
            rules,
            symmetries: OnceLock::new(),
            ladder: TableLadder::new(WORK.len()),
        })
    }

    /// Returns `true` if the solver's bounds are known to be strong within a budget. Either the gap heuristic can give
    /// a bound of as many moves as there are cells, as with pancakes; or the costs of patterns may be added, and there
    /// is room for the small tables. If so, this solver soon takes over from a search that stores states.
    pub fn is_strong(&self, budget: Budget) -> bool {
        let tables = |budget| self.tracked(WORK[0], budget);
        let room = tables(budget).is_some() && tables(budget) == tables(Budget::default());
        let neighbours = self.gap.as_ref().is_some_and(|gap| gap.largest() as usize >= self.rules.cells);
        neighbours || (self.rules.displaces_one() && room)
    }

    /// Searches for the fewest moves from a state to the goal, and notes in `proof` what it proves. Tables take no more
    /// memory than the budget allows. With a cache, tables are read from it, and new ones are put there. The search
    /// itself stores no states. The answer is the same for any number of threads.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Options`] if the threads cannot be started.
    pub fn solve(
        &self,
        state: &[Symbol],
        budget: Budget,
        cache: Option<&TableCache>,
        proof: &mut Proof,
        effort: &mut Effort,
        watch: Watch,
    ) -> Result<Deepened> {
        let sizes = WORK.map(|work| self.tracked(work, budget));
        let climber = PatternClimber { solver: self, state, sizes, cache };
        let options = Options { threads: budget.threads, ..Options::default() };
        in_pool(&options, || self.ladder.climb(&climber, proof, effort, watch).unwrap_or(Deepened::Full))
    }

    /// All solutions of `length` moves, which is proven to be the fewest, up to `most` of them. The search makes no new
    /// tables. `None` if the watch stops it.
    pub fn every(&self, state: &[Symbol], length: usize, most: usize, watch: Watch) -> Option<Every> {
        let bounds = LowerBounds { patterns: self.ladder.made().next_back(), gap: self.gap.as_ref() };
        every(&self.rules, &bounds, state, length, most, &mut Clock::new(watch))
    }

    /// The number of symbols that each table may track, if the search for it may visit `work` abstract states; `None`
    /// if even one symbol is too many.
    fn tracked(&self, work: u64, budget: Budget) -> Option<usize> {
        let places = (budget.states as u64).saturating_mul(PLACES_FOR_ONE);
        Patterns::most_tracked(&self.rules, work, places, budget.bytes)
    }
}

/// The solver, with the state that it solves.
struct PatternClimber<'a> {
    solver: &'a PatternSolver,
    state: &'a [Symbol],
    /// For each size of tables, the number of symbols that each table tracks; `None` if not even tables of one symbol
    /// fit the limits.
    sizes: [Option<usize>; WORK.len()],
    cache: Option<&'a TableCache>,
}

impl Climber for PatternClimber<'_> {
    fn prepare(&self, rung: usize, watch: Watch) -> Rung {
        let solver = self.solver;
        let tracked = if rung == 0 { None } else { self.sizes[rung - 1] };
        // Rung 0 has no tables, only the gap heuristic. If the rules have no gap heuristic, rung 0 is skipped, unless
        // they can have no tables either.
        let missing = if rung == 0 { solver.gap.is_none() && self.sizes[0].is_some() } else { tracked.is_none() };
        if missing {
            return Rung::Missing;
        }
        if let Some(tracked) = tracked {
            let make = || {
                let symmetries = solver.symmetries.get_or_init(|| goal_keeping(&solver.structure));
                Patterns::new(&solver.rules, symmetries, tracked, self.cache, &mut Clock::new(watch))
            };
            if solver.ladder.tables_or(rung, make).is_none() {
                return Rung::Stopped;
            }
        }
        let larger = self.sizes.get(rung).copied().flatten().filter(|&size| tracked != Some(size));
        let for_two = if Patterns::has_regions(&solver.rules) { STATES_FOR_TWO_BY_REGIONS } else { STATES_FOR_TWO };
        Rung::Ready { next: larger.map(|tracked| Patterns::work(&solver.rules, tracked).saturating_mul(for_two) / 2) }
    }

    fn search(&self, rung: usize, proof: &mut Proof, effort: &mut Effort, watch: Watch) -> Deepened {
        let solver = self.solver;
        let patterns = if rung == 0 { None } else { solver.ladder.tables(rung) };
        let bounds = LowerBounds { patterns, gap: solver.gap.as_ref() };
        fewest_moves(&solver.rules, &bounds, self.state, proof, effort, watch)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, VecDeque};
    use std::ops::ControlFlow;
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::rules::{Rules, RulesData};
    use crate::solve::ida_star::Effort;
    use crate::solve::move_pruning::MovePruning;
    use crate::solve::patterns::search::pruning;
    use crate::solve::stop_rule::StopRule;

    /// A move of random rules: a permutation of the cells, and perhaps a guard.
    type Given = (Vec<usize>, Option<(usize, Vec<usize>)>);

    /// Rules with the given moves. At the start, the symbol of each cell is its number modulo `symbols`. With a pivot,
    /// each move needs the symbol 0 in one of the cells that it displaces. `None` if a pivot is wanted, and a move
    /// displaces no cell.
    fn rules(cells: usize, symbols: usize, moves: &[Given], pivot: bool) -> Option<RulesData> {
        let name = |symbol: usize| format!("s{symbol}");
        let start: Vec<String> = (0..cells).map(|cell| name(cell % symbols)).collect();
        let mut written = Vec::new();
        for (at, (image, guard)) in moves.iter().enumerate() {
            let displaced: Vec<usize> = (0..cells).filter(|&cell| image[cell] != cell).collect();
            let mut when: Vec<serde_json::Value> = Vec::new();
            if pivot {
                when.push(serde_json::json!([displaced.first()?, [name(0)]]));
            }
            if let Some((cell, set)) = guard.as_ref().filter(|(cell, _)| !pivot || displaced.first() != Some(cell)) {
                when.push(serde_json::json!([
                    cell,
                    set.iter().map(|&symbol| name(symbol % symbols)).collect::<Vec<_>>()
                ]));
            }
            let then: Vec<_> = displaced.iter().map(|&cell| serde_json::json!([image[cell], {"copy": cell}])).collect();
            written.push(serde_json::json!({"name": format!("m{at}"), "when": when, "then": then}));
        }
        let goal: Vec<_> = start.iter().enumerate().map(|(cell, symbol)| serde_json::json!([cell, [symbol]])).collect();
        let names: Vec<String> = (0..symbols).map(name).collect();
        let data = serde_json::json!({"symbols": names, "start": start, "moves": written, "goal": [goal]});
        serde_json::from_value(data).ok()
    }

    /// For every state from which moves lead to the goal, the fewest such moves, by a search over all arrangements.
    fn distances(rules: &Rules) -> HashMap<Vec<Symbol>, u32> {
        let mut all = vec![rules.start.clone()];
        let mut seen: std::collections::HashSet<Vec<Symbol>> = all.iter().cloned().collect();
        let mut at = 0;
        while at < all.len() {
            for a in 0..rules.cells() {
                for b in 0..a {
                    let mut other = all[at].clone();
                    other.swap(a, b);
                    if seen.insert(other.clone()) {
                        all.push(other);
                    }
                }
            }
            at += 1;
        }
        let mut before: HashMap<Vec<Symbol>, Vec<Vec<Symbol>>> = HashMap::new();
        for state in &all {
            for given in rules.moves.iter().filter(|given| given.when.holds(state)) {
                let mut next = state.clone();
                for (cell, source) in &given.then {
                    if let crate::rules::Source::Copy(from, _) = source {
                        next[*cell] = state[*from];
                    }
                    if let crate::rules::Source::Symbol(symbol) = source {
                        next[*cell] = *symbol;
                    }
                }
                before.entry(next).or_default().push(state.clone());
            }
        }
        let mut found = HashMap::from([(rules.start.clone(), 0)]);
        let mut queue = VecDeque::from([rules.start.clone()]);
        while let Some(state) = queue.pop_front() {
            let distance = found[&state];
            for earlier in before.get(&state).into_iter().flatten() {
                if !found.contains_key(earlier) {
                    found.insert(earlier.clone(), distance + 1);
                    queue.push_back(earlier.clone());
                }
            }
        }
        found
    }

    fn moves(cells: usize) -> impl Strategy<Value = Vec<Given>> {
        let image =
            (Just((0..cells).collect::<Vec<usize>>()).prop_shuffle(), 2..=cells).prop_map(move |(order, size)| {
                // The move is one cycle of the first cells of a random order.
                let mut image: Vec<usize> = (0..cells).collect();
                for at in 0..size {
                    image[order[at]] = order[(at + 1) % size];
                }
                image
            });
        let guard = prop::option::weighted(0.3, (0..cells, prop::collection::vec(0..6usize, 1..4)));
        prop::collection::vec((image, guard), 1..5)
    }

    /// Moves that displace two or three cells each, so that many of them are independent.
    fn small_moves(cells: usize) -> impl Strategy<Value = Vec<Given>> {
        let image = (Just((0..cells).collect::<Vec<usize>>()).prop_shuffle(), 2..4usize);
        let image = image.prop_map(move |(order, size)| {
            let mut image: Vec<usize> = (0..cells).collect();
            (0..size).for_each(|at| image[order[at]] = order[(at + 1) % size]);
            image
        });
        let guard = prop::option::weighted(0.3, (0..cells, prop::collection::vec(0..4usize, 1..3)));
        prop::collection::vec((image, guard), 2..6)
    }

    /// All sequences of at most `most` moves that can be made from a state. For each: its moves, as places in
    /// [`PermutationRules::moves`], and the state at its end. Shorter sequences come first; sequences of one length are
    /// in the order of the rules. If `pruned` is given, the sequences that it leaves out are missing.
    fn sequences_from(
        rules: &PermutationRules,
        pruned: Option<&MovePruning>,
        state: &[Symbol],
        most: usize,
    ) -> Vec<(Vec<usize>, Vec<Symbol>)> {
        let mut found = vec![(Vec::new(), state.to_vec())];
        let mut refused = vec![0];
        let mut at = 0;
        while at < found.len() {
            let (moves, state) = found[at].clone();
            let last = moves.last().map(|&last: &usize| last as u32);
            for &place in rules.moves_from(rules.pivot_cell(&state)) {
                let (place, given) = (place as usize, &rules.moves[place as usize]);
                let left_out = pruned.is_some_and(|pruned| pruned.leaves_out(refused[at], last, place));
                if moves.len() < most && !left_out && given.allows(&state) {
                    let (mut moves, mut state) = (moves.clone(), state.clone());
                    moves.push(place);
                    given.make(&mut state, false);
                    found.push((moves, state));
                    refused.push(pruned.map_or(0, |pruned| pruned.after(refused[at], place)));
                }
            }
            at += 1;
        }
        found
    }

    /// Checks two facts about pruning. Of the shortest sequences that lead to a state, the first in the order of the
    /// rules is not left out. Of sequences that differ only in the order of moves that do not touch each other, at most
    /// one is searched.
    fn check_sequences(cells: usize, symbols: usize, given: &[Given], pivot: bool) {
        let Some(data) = rules(cells, symbols, given, pivot) else { return };
        let Ok(rules) = Rules::new(&data) else { return };
        let structure = Arc::new(Structure::new(Arc::new(rules)).unwrap());
        let Some(permuting) = PermutationRules::new(&structure) else { return };
        let pruning = pruning(&permuting);
        let from = &structure.rules().start;
        let first = |found: &[(Vec<usize>, Vec<Symbol>)]| {
            let mut first: HashMap<Vec<Symbol>, Vec<usize>> = HashMap::new();
            for (moves, state) in found {
                first.entry(state.clone()).or_insert_with(|| moves.clone());
            }
            first
        };
        let all = sequences_from(&permuting, None, from, 5);
        let kept = sequences_from(&permuting, Some(&pruning), from, 5);
        assert_eq!(first(&kept), first(&all));
        let displaced = |place: usize| permuting.moves[place].pairs.iter().map(|&(from, _)| from).collect::<Vec<_>>();
        let needed = |place: usize| {
            let given = &permuting.moves[place];
            given.guard.iter().map(|&(cell, _)| cell).chain(given.pivot.map(|(cell, _)| cell)).collect::<Vec<_>>()
        };
        let apart = |a: usize, b: usize| {
            let touched = |place| [displaced(place), needed(place)].concat();
            displaced(a).iter().all(|cell| !touched(b).contains(cell))
                && displaced(b).iter().all(|cell| !touched(a).contains(cell))
        };
        let mut classes: HashMap<Vec<usize>, usize> = HashMap::new();
        for (moves, _) in &kept {
            // `alike` collects all sequences that come from this one if neighbouring moves are exchanged. The first of
            // them stands for all.
            let (mut alike, mut at) = (vec![moves.clone()], 0);
            while at < alike.len() {
                for place in 1..moves.len() {
                    let mut other = alike[at].clone();
                    other.swap(place - 1, place);
                    if apart(other[place - 1], other[place]) && !alike.contains(&other) {
                        alike.push(other);
                    }
                }
                at += 1;
            }
            *classes.entry(alike.into_iter().min().unwrap()).or_default() += 1;
        }
        assert!(classes.values().all(|&kept| kept == 1), "{classes:?}");
    }

    fn check(cells: usize, symbols: usize, given: &[Given], pivot: bool) {
        let Some(data) = rules(cells, symbols, given, pivot) else { return };
        let Ok(rules) = Rules::new(&data) else { return };
        let rules = Arc::new(rules);
        let structure = Arc::new(Structure::new(Arc::clone(&rules)).unwrap());
        let Some(permuting) = PermutationRules::new(&structure) else { return };
        let distances = distances(&rules);
        let go_on: Watch = &|_| ControlFlow::Continue(());
        let gap = GapHeuristic::new(&permuting);
        let symmetries = goal_keeping(&structure);
        for (tracked, symmetries) in [(1, &symmetries[..]), (2, &[]), (2, &symmetries), (4, &[])] {
            let patterns = Patterns::new(&permuting, symmetries, tracked, None, &mut Clock::new(go_on));
            let bounds = LowerBounds { patterns: patterns.as_ref(), gap: gap.as_ref() };
            let mut states: Vec<_> = distances.iter().collect();
            states.sort();
            for &(state, &distance) in states.iter().step_by(states.len() / 40 + 1) {
                let mut proof = Proof::default();
                let (stop, aside) = (&StopRule::default(), &mut |_| false);
                let mut effort = Effort { states: 30_000, bytes: u64::MAX, farthest: u64::MAX, stop, aside };
                let found = fewest_moves(&permuting, &bounds, state, &mut proof, &mut effort, go_on);
                prop_assert_holds(proof.lower_bound <= distance, state);
                match found {
                    Deepened::Solved(moves) => {
                        prop_assert_holds(moves.len() as u32 == distance, state);
                        prop_assert_holds(play(&rules, state, &moves) == rules.start, state);
                    }
                    end => prop_assert_holds(end == Deepened::Full, state),
                }
            }
        }
    }

    fn prop_assert_holds(holds: bool, state: &[Symbol]) {
        assert!(holds, "at {state:?}");
    }

    fn play(rules: &Rules, state: &[Symbol], moves: &[usize]) -> Vec<Symbol> {
        let mut state = state.to_vec();
        for &index in moves {
            let given = &rules.moves[index];
            assert!(given.when.holds(&state));
            let mut next = state.clone();
            for (cell, source) in &given.then {
                next[*cell] = match source {
                    crate::rules::Source::Copy(from, _) => state[*from],
                    crate::rules::Source::Symbol(symbol) => *symbol,
                };
            }
            state = next;
        }
        state
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(crate::tests::cases(50)))]

        #[test]
        fn no_bound_is_too_large_and_deepening_finds_the_fewest_moves(
            given in moves(6),
            symbols in 2..=6usize,
            pivot in any::<bool>(),
        ) {
            check(6, symbols, &given, pivot);
        }

        #[test]
        fn many_independent_moves_change_no_answer(
            given in small_moves(6),
            symbols in 2..=6usize,
            pivot in any::<bool>(),
        ) {
            check(6, symbols, &given, pivot);
        }

        #[test]
        fn the_first_of_the_shortest_ways_is_never_left_out(
            given in small_moves(7),
            symbols in 2..=7usize,
            pivot in any::<bool>(),
        ) {
            check_sequences(7, symbols, &given, pivot);
        }
    }

    #[test]
    fn a_sliding_puzzle_is_solved_from_every_state() {
        let (cells, symbols) = (6, 6);
        let name = |symbol: usize| format!("s{symbol}");
        let mut written = Vec::new();
        for (a, b) in [(0, 1), (1, 2), (3, 4), (4, 5), (0, 3), (1, 4), (2, 5)] {
            for (from, to) in [(a, b), (b, a)] {
                written.push(serde_json::json!({"name": format!("{from}-{to}"), "when": [[from, [name(0)]]],
                    "then": [[from, {"copy": to}], [to, {"copy": from}]]}));
            }
        }
        let names: Vec<String> = (0..symbols).map(name).collect();
        let goal: Vec<_> = (0..cells).map(|cell| serde_json::json!([cell, [name(cell)]])).collect();
        let data = serde_json::json!({"symbols": names, "start": names, "moves": written, "goal": [goal]});
        let rules = Arc::new(Rules::new(&serde_json::from_value(data).unwrap()).unwrap());
        let structure = Arc::new(Structure::new(Arc::clone(&rules)).unwrap());
        let solver = PatternSolver::new(&structure).unwrap();
        assert!(solver.is_strong(Budget::default()));
        let go_on: Watch = &|_| ControlFlow::Continue(());
        let solve = |state: &[Symbol]| {
            let (mut proof, stop, aside) = (Proof::default(), &StopRule::default(), &mut |_| false);
            let mut effort = Effort { states: u64::MAX, bytes: u64::MAX, farthest: u64::MAX, stop, aside };
            let found = solver.solve(state, Budget::default(), None, &mut proof, &mut effort, go_on).unwrap();
            (found, proof.lower_bound)
        };
        let distances = distances(&rules);
        assert_eq!(distances.len(), 360);
        for (state, distance) in &distances {
            let (Deepened::Solved(moves), proven) = solve(state) else { panic!("{state:?} was not solved") };
            assert_eq!(moves.len() as u32, *distance);
            assert_eq!(proven, *distance);
            assert_eq!(play(&rules, state, &moves), rules.start);
        }
        // The other half of the arrangements has the wrong parity, and no solution.
        let mut odd = rules.start.clone();
        odd.swap(1, 2);
        assert_eq!(solve(&odd).0, Deepened::Unreachable);
    }
}
