//! Answers without a proof that they are shortest: found fast, and made shorter as long as there is time (an anytime
//! search). See `docs/solving.md`.

mod beam;
mod heuristic;
mod perimeter;
mod subgoals;

use std::sync::{Arc, OnceLock};

use super::clock::Clock;
use super::patterns::PermutationRules;
use crate::instant::Instant;
use crate::rules::Symbol;
use crate::run::{Budget, Watch};
use crate::structure::Structure;
use beam::{Beamed, Look, beam};
use heuristic::{Guide, HomeDistances, Marks};
use perimeter::Perimeter;
use subgoals::Subgoals;

/// The number of states that the first round keeps in each depth (its width). Each round keeps twice as many as the one
/// before.
const FIRST_WIDTH: usize = 16;

/// If there are stages, each round searches twice: in stages, and free of them. From this width on, only one of the two
/// goes on: the one that has found the shorter answer. On boards of up to `FEW_CELLS` cells, the free search is better
/// once it is wide, so the choice is made later, from the width `DECIDED_ON_FEW`.
const DECIDED: usize = 256;
const DECIDED_ON_FEW: usize = 8192;
const FEW_CELLS: usize = 36;

/// A first answer may have this many moves for each cell of the board.
const MOVES_FOR_EACH_CELL: usize = 100;

/// The number of moves in a *window* at first. A window is a part of an answer that is searched again for fewer moves
/// between its two ends.
const WINDOW: usize = 40;

/// While a window is searched, each depth keeps this many states for each move of the window.
const WINDOW_WIDTH: usize = 5;

/// The number of window sizes that are tried before the whole answer is searched again. Each size is one and a half
/// times the one before.
const WINDOW_SIZES: u32 = 3;

/// If the caller gives a long answer, its windows (see [`WINDOW`]) are made shorter before the answer is searched again
/// as a whole. That search visits about this many states.
const PARTS_FIRST: u64 = 1 << 21;

/// The number of states nearest to the goal that are kept with their distances.
const PERIMETER: usize = 1 << 20;

/// A further round begins only if it can be expected to take at most this share of the remaining time.
const SHARE: f64 = 0.8;

/// The number that is added to a salt to make the next one. Any odd number whose ones and zeros are well mixed would
/// do.
const SALT: u64 = 0x9e37_79b9_7f4a_7c15;

/// The limits of a search for shorter answers, beside the watch and the budget.
#[derive(Debug, Clone, Copy, Default)]
pub struct Enough {
    /// The number of states to search; `None` for no limit. Unlike a time, it gives the same answer on every machine.
    pub states: Option<u64>,
    /// The time that the search may take, in seconds; `None` for no limit.
    pub seconds: Option<f64>,
    /// The search ends with an answer of this length, because no answer can be shorter.
    pub moves: usize,
    /// `true` if a given answer is so long that its parts are made shorter first.
    pub parts_first: bool,
}

/// The reason why a search for shorter answers ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnytimeEnd {
    /// The answer has the number of moves that was asked for, or nothing is left to try.
    Done,
    /// The allowed number of states was searched, or the time is over.
    Enough,
    /// There is no memory for wider searches.
    Memory,
    /// The watch stopped the search.
    Stopped,
}

/// A solver whose answers are not proven to be shortest, for rules whose moves permute cells, and whose goal is one
/// state. It keeps its tables and uses them again for the next state.
#[derive(Debug)]
pub struct Anytime {
    rules: PermutationRules,
    nearness: HomeDistances,
    guide: Guide,
    marks: Marks,
    /// The order in which symbols are brought home, if there is one.
    stages: OnceLock<Option<Subgoals>>,
    perimeter: OnceLock<Option<Perimeter>>,
}

impl Anytime {
    /// Makes the solver. `None` if some move does not permute cells, if no move changes anything, or if the goal is not
    /// one state.
    pub fn new(structure: &Arc<Structure>) -> Option<Self> {
        let rules = PermutationRules::new(structure).filter(|rules| !rules.moves.is_empty())?;
        let nearness = HomeDistances::new(&rules);
        let (guide, marks) = (nearness.guide(&rules.goal), Marks::new(&rules));
        Some(Self { nearness, guide, marks, rules, stages: OnceLock::new(), perimeter: OnceLock::new() })
    }

    /// A lower bound on the number of moves that a state needs.
    pub fn bound(&self, state: &[Symbol]) -> u32 {
        self.nearness.bound(state, &self.rules.goal)
    }

    /// Makes the answer in `best` shorter, or finds a first one if `best` is `None`, and puts the shortest answer that
    /// it finds there. Moves are places in the rules.
    pub fn run(
        &self,
        state: &[Symbol],
        best: &mut Option<Vec<usize>>,
        budget: Budget,
        enough: Enough,
        watch: Watch,
    ) -> AnytimeEnd {
        let mut sorted = [state.to_vec(), self.rules.goal.clone()];
        for symbols in &mut sorted {
            symbols.sort_unstable();
        }
        if sorted[0] != sorted[1] {
            return AnytimeEnd::Done;
        }
        let place = |index: usize| self.rules.moves.iter().position(|given| given.index == index).map(|at| at as u32);
        let mut run = AnytimeRun {
            with: self,
            state,
            // Moves that change nothing have no place in the list of moves, so they are dropped from the answer.
            moves: best.as_ref().map(|moves| moves.iter().filter_map(|&index| place(index)).collect()),
            budget,
            enough,
            clock: Clock::new(watch),
            begun: Instant::now(),
            salt: 0,
        };
        let ended = run.go();
        if let Some(moves) = run.moves {
            *best = Some(moves.iter().map(|&place| self.rules.moves[place as usize].index).collect());
        }
        ended
    }

    fn stages(&self, budget: Budget, clock: &mut Clock) -> Option<&Subgoals> {
        self.stages.get_or_init(|| Subgoals::new(&self.rules, budget.bytes / 4, clock)).as_ref()
    }
}

/// A search for shorter answers to one state, while it runs.
struct AnytimeRun<'a> {
    with: &'a Anytime,
    state: &'a [Symbol],
    /// The shortest answer so far, as places in [`PermutationRules::moves`]; `None` if there is none.
    moves: Option<Vec<u32>>,
    budget: Budget,
    enough: Enough,
    clock: Clock<'a>,
    begun: Instant,
    /// A number that decides which of several states with the same cost are kept; see [`Look::salt`].
    salt: u64,
}

/// A kind of search: in the order of the stages, or free.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchKind {
    Free,
    Staged,
}

impl AnytimeRun<'_> {
    fn go(&mut self) -> AnytimeEnd {
        if self.most_width() < FIRST_WIDTH {
            return AnytimeEnd::Memory;
        }
        let mut ways = vec![SearchKind::Free];
        if self.with.stages(self.budget, &mut self.clock).is_some() {
            // The staged search goes first. Its answer bounds the free search, which may otherwise go astray.
            ways.insert(0, SearchKind::Staged);
        }
        if self.enough.parts_first && self.moves.is_some() && !self.windows(WINDOW, PARTS_FIRST) {
            return if self.is_done() { AnytimeEnd::Done } else { AnytimeEnd::Stopped };
        }
        let decided = if self.with.rules.cells <= FEW_CELLS { DECIDED_ON_FEW } else { DECIDED };
        let mut width = FIRST_WIDTH;
        loop {
            let (begun, searched) = (self.begun.elapsed().as_secs_f64(), self.clock.states);
            let before = self.moves.as_ref().map_or(usize::MAX, Vec::len);
            let mut shortest: Option<(usize, SearchKind)> = None;
            let mut complete = false;
            for way in ways.clone() {
                match self.search(way, width) {
                    Beamed::Found(moves) => {
                        if shortest.is_none_or(|(length, _)| moves.len() <= length) {
                            shortest = Some((moves.len(), way));
                        }
                        self.keep(moves);
                    }
                    Beamed::Nothing(all) => complete |= all,
                    Beamed::Stopped => return AnytimeEnd::Stopped,
                }
                if self.is_done() {
                    return AnytimeEnd::Done;
                }
            }
            if complete {
                return AnytimeEnd::Done;
            }
            if let Some((_, way)) = shortest.filter(|_| width >= decided) {
                ways = vec![way];
            }
            // If the round has found a shorter answer, its windows are searched next, for at most as many states as the
            // round took.
            let found = self.moves.as_ref().is_some_and(|moves| moves.len() < before);
            if found && !self.windows(WINDOW, self.clock.states - searched) {
                return if self.is_done() { AnytimeEnd::Done } else { AnytimeEnd::Stopped };
            }
            if self.is_over() {
                return AnytimeEnd::Enough;
            }
            let (seconds, states) = (self.begun.elapsed().as_secs_f64() - begun, self.clock.states - searched);
            let wider = self.next_width(width, seconds, states);
            if wider > self.most_width() {
                return AnytimeEnd::Memory;
            }
            if wider < FIRST_WIDTH {
                return self.windows_to_the_end();
            }
            if wider <= width {
                // There is no time for a wider search, but for another search of this width. With another salt, it
                // keeps other states.
                self.salt = self.salt.wrapping_add(SALT);
            }
            width = wider;
        }
    }

    /// Searches from the state to the goal, for fewer moves than the shortest answer so far.
    fn search(&mut self, way: SearchKind, width: usize) -> Beamed {
        let solver = self.with;
        let stages = if way == SearchKind::Staged { solver.stages.get().and_then(Option::as_ref) } else { None };
        // The perimeter takes as long as the search of its states, so a short search goes without it.
        let has_time = self.enough.states.is_none_or(|all| all.saturating_sub(self.clock.states) >= PERIMETER as u64);
        if way == SearchKind::Free && width >= DECIDED && has_time && solver.perimeter.get().is_none() {
            let most = PERIMETER.min(self.budget.states_of(64 + 2 * solver.rules.cells));
            let made = Perimeter::new(&solver.rules, &solver.guide, &solver.marks, most, &mut self.clock);
            if made.is_none() {
                return Beamed::Stopped;
            }
            let _ = solver.perimeter.set(made);
        }
        let look = Look {
            rules: &solver.rules,
            target: &solver.rules.goal,
            guide: &solver.guide,
            bounds: solver.nearness.added,
            marks: &solver.marks,
            stages,
            perimeter: solver.perimeter.get().and_then(Option::as_ref),
            salt: self.salt,
        };
        let most = self.moves.as_ref().map_or(MOVES_FOR_EACH_CELL * solver.rules.cells, |moves| moves.len() - 1);
        beam(&look, self.state, width, most, &mut self.clock)
    }

    fn keep(&mut self, moves: Vec<u32>) {
        if self.moves.as_ref().is_none_or(|known| moves.len() < known.len()) {
            self.clock.at_most = moves.len() as u32;
            self.moves = Some(moves);
        }
    }

    fn is_done(&self) -> bool {
        self.moves.as_ref().is_some_and(|moves| moves.len() <= self.enough.moves)
    }

    fn is_over(&self) -> bool {
        self.enough.states.is_some_and(|states| self.clock.states >= states)
            || self.enough.seconds.is_some_and(|seconds| self.begun.elapsed().as_secs_f64() >= seconds)
    }

    /// The width of the next round: twice the width of this round, or less if there is no time for that.
    fn next_width(&self, width: usize, seconds: f64, states: u64) -> usize {
        let left = self.enough.seconds.map(|all| (all - self.begun.elapsed().as_secs_f64()) / seconds.max(1e-6));
        let states_left =
            self.enough.states.map(|all| all.saturating_sub(self.clock.states) as f64 / states.max(1) as f64);
        let left = [left, states_left].into_iter().flatten().fold(f64::INFINITY, f64::min);
        (width as f64 * (left * SHARE).min(2.0)) as usize
    }

    /// The largest width that fits the budget: the memory holds the states of two depths, and the moves that led to the
    /// states of all depths.
    fn most_width(&self) -> usize {
        let depth = self.moves.as_ref().map_or(MOVES_FOR_EACH_CELL * self.with.rules.cells, Vec::len);
        self.budget.states_of(8 * depth + 2 * self.with.rules.cells + 256)
    }

    /// Searches windows of the answer again, as long as that makes the answer shorter and takes no more than `states`
    /// states. Returns `true` if the search should go on.
    fn windows(&mut self, length: usize, states: u64) -> bool {
        let begun = self.clock.states;
        let mut length = length;
        for _ in 0..WINDOW_SIZES {
            let mut offset = 0;
            loop {
                let Some(before) = self.moves.as_ref().map(Vec::len).filter(|&moves| moves > 2) else { return true };
                length = length.min(before);
                if !self.pass(length, offset) {
                    return false;
                }
                let after = self.moves.as_ref().map_or(0, Vec::len);
                if self.is_over() || self.clock.states - begun > states {
                    return true;
                }
                if after == before {
                    break;
                }
                offset = (offset + length / 4) % length.max(1);
            }
            length += length / 2;
        }
        true
    }

    /// Searches ever larger windows until the time is over.
    fn windows_to_the_end(&mut self) -> AnytimeEnd {
        let mut length = WINDOW * 2;
        while !self.is_over() {
            let Some(moves) = self.moves.as_ref().map(Vec::len) else { return AnytimeEnd::Enough };
            if !self.windows(length.min(moves), u64::MAX) {
                return if self.is_done() { AnytimeEnd::Done } else { AnytimeEnd::Stopped };
            }
            if length > moves {
                return AnytimeEnd::Enough;
            }
            length *= 2;
        }
        AnytimeEnd::Enough
    }

    /// Searches each window of `length` moves once, for fewer moves from the state at its beginning to the state at its
    /// end. The first window begins after `offset` moves, and windows overlap by half. Returns `true` if the search
    /// should go on.
    fn pass(&mut self, length: usize, offset: usize) -> bool {
        let Some(mut moves) = self.moves.clone() else { return true };
        let with = self.with;
        let make = |state: &mut Vec<Symbol>, place: u32| with.rules.moves[place as usize].make(state, false);
        let mut begin = offset.min(moves.len());
        let mut state = self.state.to_vec();
        moves[..begin].iter().for_each(|&place| make(&mut state, place));
        let mut stopped = false;
        while begin + 1 < moves.len() && !stopped && !self.is_over() {
            let end = (begin + length).min(moves.len());
            let mut target = state.clone();
            moves[begin..end].iter().for_each(|&place| make(&mut target, place));
            let guide = with.nearness.guide(&target);
            let look = Look {
                rules: &with.rules,
                target: &target,
                guide: &guide,
                bounds: with.nearness.added,
                marks: &with.marks,
                stages: None,
                perimeter: None,
                salt: 0,
            };
            match beam(&look, &state, length * WINDOW_WIDTH, end - begin - 1, &mut self.clock) {
                Beamed::Found(shorter) => {
                    moves.splice(begin..end, shorter);
                }
                Beamed::Nothing(_) => {}
                Beamed::Stopped => stopped = true,
            }
            let next = (begin + length.div_ceil(2)).min(moves.len());
            moves[begin..next].iter().for_each(|&place| make(&mut state, place));
            begin = next;
        }
        self.keep(moves);
        !stopped && !self.is_done()
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::rules::Rules;

    /// A sliding puzzle: the symbol 0 changes places with a neighbour.
    fn slider(rows: usize, columns: usize) -> Arc<Structure> {
        let cells = rows * columns;
        let name = |symbol: usize| format!("s{symbol}");
        let mut moves = Vec::new();
        for a in 0..cells {
            for b in 0..cells {
                let apart = (a / columns).abs_diff(b / columns) + (a % columns).abs_diff(b % columns);
                if apart == 1 {
                    moves.push(serde_json::json!({"name": format!("{a}-{b}"), "when": [[a, [name(0)]]],
                        "then": [[a, {"copy": b}], [b, {"copy": a}]]}));
                }
            }
        }
        structure(cells, &moves)
    }

    /// Blocks of four cells that turn clockwise.
    fn turns(rows: usize, columns: usize) -> Arc<Structure> {
        let mut moves = Vec::new();
        for at in 0..(rows - 1) * columns {
            if at % columns < columns - 1 {
                let ring = [at, at + 1, at + columns + 1, at + columns];
                let then: Vec<_> =
                    (0..4).map(|of| serde_json::json!([ring[(of + 1) % 4], {"copy": ring[of]}])).collect();
                moves.push(serde_json::json!({"name": format!("{at}"), "then": then}));
            }
        }
        structure(rows * columns, &moves)
    }

    fn structure(cells: usize, moves: &[serde_json::Value]) -> Arc<Structure> {
        let names: Vec<String> = (0..cells).map(|symbol| format!("s{symbol}")).collect();
        let goal: Vec<_> = names.iter().enumerate().map(|(cell, name)| serde_json::json!([cell, [name]])).collect();
        let data = serde_json::json!({"symbols": names, "start": names, "moves": moves, "goal": [goal]});
        let rules = Rules::new(&serde_json::from_value(data).unwrap()).unwrap();
        Arc::new(Structure::new(Arc::new(rules)).unwrap())
    }

    /// The state after random moves from the goal.
    fn walked(shortener: &Anytime, moves: usize, seed: &str) -> Vec<Symbol> {
        let (rules, mut random) = (&shortener.rules, crate::random::Random::new(seed));
        let mut state = rules.goal.clone();
        for _ in 0..moves {
            let place = *random.choose(rules.moves_from(rules.pivot_cell(&state)));
            rules.moves[place as usize].make(&mut state, false);
        }
        state
    }

    fn solves(shortener: &Anytime, state: &[Symbol], moves: &[usize]) -> bool {
        let mut state = state.to_vec();
        for index in moves {
            let given = shortener.rules.moves.iter().find(|given| given.index == *index).unwrap();
            assert!(given.pivot.is_none_or(|(cell, _)| Some(state[cell as usize]) == shortener.rules.pivot));
            given.make(&mut state, false);
        }
        state == shortener.rules.goal
    }

    const ENOUGH: Enough = Enough { states: Some(60_000), seconds: None, moves: 0, parts_first: false };

    /// The input of a search without a perimeter.
    fn look<'a>(shortener: &'a Anytime, stages: Option<&'a Subgoals>) -> Look<'a> {
        Look {
            rules: &shortener.rules,
            target: &shortener.rules.goal,
            guide: &shortener.guide,
            bounds: true,
            marks: &shortener.marks,
            stages,
            perimeter: None,
            salt: 0,
        }
    }

    #[test]
    fn answers_solve_are_the_same_each_time_and_no_shorter_than_the_bound() {
        for (structure, longest) in [(slider(2, 3), 30), (slider(4, 4), 100), (slider(6, 5), 400), (turns(3, 4), 30)] {
            let shortener = Anytime::new(&structure).unwrap();
            for seed in &["a", "b", "c"][..crate::tests::quick_or_long(1, 3) as usize] {
                let state = walked(&shortener, 300, seed);
                let go_on: Watch = &|_| ControlFlow::Continue(());
                let (mut best, mut again) = (None, None);
                shortener.run(&state, &mut best, Budget::default(), ENOUGH, go_on);
                shortener.run(&state, &mut again, Budget::default(), ENOUGH, go_on);
                let moves = best.unwrap();
                assert!(solves(&shortener, &state, &moves), "{state:?}");
                assert!(moves.len() as u32 >= shortener.bound(&state) && moves.len() <= longest, "{}", moves.len());
                // The perimeter that the first run made may make the second answer shorter.
                assert!(again.unwrap().len() <= moves.len());
            }
        }
    }

    #[test]
    fn a_board_is_solved_in_stages_that_leave_alone_what_is_done() {
        let shortener = Anytime::new(&slider(5, 5)).unwrap();
        let mut clock = Clock::new(&|_| ControlFlow::Continue(()));
        let stages = Subgoals::new(&shortener.rules, u64::MAX, &mut clock).unwrap();
        let symbols: Vec<Symbol> = stages.list.iter().flat_map(|stage| stage.symbols.clone()).collect();
        assert_eq!(symbols.len(), 25 - 12);
        let look = look(&shortener, Some(&stages));
        let state = walked(&shortener, 2000, "stages");
        let Beamed::Found(moves) = beam(&look, &state, 20, 2000, &mut clock) else { panic!("it is solved") };
        // Once the symbols of the first stages are home, they do not move any more.
        let mut at = state.clone();
        let mut done = 0;
        for place in moves {
            shortener.rules.moves[place as usize].make(&mut at, false);
            let home = |symbol: &Symbol| at[*symbol as usize] == *symbol;
            assert!(stages.list[..done].iter().all(|stage| stage.symbols.iter().all(home)));
            done += stages.list[done..].iter().take_while(|stage| stage.symbols.iter().all(home)).count();
        }
        assert_eq!(at, shortener.rules.goal);
    }

    #[test]
    fn an_answer_that_is_given_is_made_shorter_and_never_lost() {
        let shortener = Anytime::new(&slider(4, 4)).unwrap();
        let state = walked(&shortener, 3, "three");
        let index = |place: u32| shortener.rules.moves[place as usize].index;
        // The long answer makes a move, undoes it, and then follows the short answer.
        let mut clock = Clock::new(&|_| ControlFlow::Continue(()));
        let look = look(&shortener, None);
        let Beamed::Found(short) = beam(&look, &state, 1000, 20, &mut clock) else { panic!("it is solved") };
        let short: Vec<usize> = short.into_iter().map(index).collect();
        let place = *shortener.rules.moves_from(shortener.rules.pivot_cell(&state)).first().unwrap();
        let there = &shortener.rules.moves[place as usize];
        let (from, to) = there.pivot.unwrap();
        let back = shortener.rules.moves.iter().find(|given| given.pivot == Some((to, from))).unwrap();
        let long: Vec<usize> = [there.index, back.index].into_iter().chain(short.clone()).collect();
        assert!(solves(&shortener, &state, &long));
        let mut best = Some(long.clone());
        shortener.run(&state, &mut best, Budget::default(), ENOUGH, &|_| ControlFlow::Continue(()));
        assert_eq!(best.map(|moves| moves.len()), Some(short.len()));
        // A watch that stops at once leaves the answer as it was.
        let mut best = Some(long.clone());
        let enough = Enough { moves: 0, ..Enough::default() };
        let hard = walked(&shortener, 1000, "hard");
        assert_eq!(
            shortener.run(&hard, &mut None, Budget::default(), enough, &|_| ControlFlow::Break(())),
            AnytimeEnd::Stopped
        );
        shortener.run(&state, &mut best, Budget::default(), enough, &|_| ControlFlow::Break(()));
        assert!(best.is_some_and(|moves| moves.len() <= long.len()));
    }

    #[test]
    fn states_of_other_symbols_have_no_answer() {
        let shortener = Anytime::new(&turns(3, 3)).unwrap();
        let mut best = None;
        let state = [0; 9];
        assert_eq!(
            shortener.run(&state, &mut best, Budget::default(), ENOUGH, &|_| ControlFlow::Continue(())),
            AnytimeEnd::Done
        );
        assert_eq!(best, None);
    }

    #[test]
    fn states_near_the_goal_are_known_with_their_distances() {
        let shortener = Anytime::new(&slider(2, 3)).unwrap();
        let mut clock = Clock::new(&|_| ControlFlow::Continue(()));
        let (rules, marks) = (&shortener.rules, &shortener.marks);
        let all = Perimeter::new(rules, &shortener.guide, marks, 1000, &mut clock).unwrap();
        let few = Perimeter::new(rules, &shortener.guide, marks, 20, &mut clock).unwrap();
        for seed in 0..50 {
            let mut state = walked(&shortener, 60, &format!("{seed}"));
            let moves = all.moves(marks.of(&state)).unwrap();
            assert!(moves <= 21, "no board of 2 by 3 needs more");
            assert!(few.moves(marks.of(&state)).is_none_or(|known| known == moves));
            let made = all.descend(rules, marks, &mut state);
            assert_eq!((made.len(), state), (moves as usize, rules.goal.clone()));
        }
    }
}
