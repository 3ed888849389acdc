//! Random states: the same seed gives the same state for ever.

use std::ops::ControlFlow;

use super::compiled::Engine;
use super::drawn::{Gathered, Method, Scramble};
use super::machine::ReachedStates;
use super::state::State;
use crate::error::{Error, Result};
use crate::random::Random;
use crate::run::{Options, Progress, Store};
use crate::sorting;
use crate::structure::Window;
use crate::values::{WordState, states_in_memory};

/// The most states that are gathered to choose one of them.
const MOST_GATHERED: u64 = 200_000;

/// The number of moves of a long walk for each cell. A long walk is made if there are too many states to gather, and
/// their structure is not known.
const WALK_PER_CELL: usize = 100;

/// The most tries, each with other random numbers, to find a state that is neither solved nor over.
const TRIES: usize = 1000;

/// The message if no state is left to choose.
const NONE_TO_BEGIN_FROM: &str =
    "every state that play reaches is solved or over, so there is none to begin from; begin at the start";

impl Engine {
    /// A random state that is not solved, and in which play is not over, after `moves` random moves. If `moves` is
    /// `None`, all such states are equally likely, as far as possible.
    ///
    /// A walk begins at the start. Each move is chosen evenly among the moves that can be made and do not lead back to
    /// the state before; if each would, among all moves. If the walk ends in a state that is solved or over, another
    /// walk is made with the random numbers that follow. A walk of no moves is the start, even if that is solved.
    ///
    /// Without a number of moves, the kind of the rules decides. In a permutation puzzle, the elements of the group are
    /// equally likely. The same holds if moves permute and twist pieces. In a puzzle of lamps with two symbols, or of
    /// dials with more than 200,000 states, the sums of moves are equally likely. For other rules, the states are
    /// gathered and sorted, if there are at most 200,000, and one is chosen; in a puzzle, one that can be solved.
    /// Otherwise the state comes from a walk of 100 moves for each cell,
    /// or, at random, of one move more. So both parities come up, even if each move changes the parity of a state. If
    /// play is over before the end of the walk, the state is one that the walk passed.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] if no state was found that is neither solved nor over.
    pub fn scramble(&self, seed: &str, moves: Option<usize>) -> Result<Scramble> {
        let mut random = Random::new(seed);
        let Some(length) = moves else { return self.scramble_evenly(&mut random) };
        if length == 0 {
            return Ok(Scramble { state: self.start(), moves: Some(Vec::new()), method: Method::Walk });
        }
        for _ in 0..TRIES {
            let passed = self.walk(length, &mut random)?;
            let (_, state) = &passed[passed.len() - 1];
            if passed.len() > length && self.is_open(state) {
                let moves = passed[1..].iter().map(|&(index, _)| index).collect();
                return Ok(Scramble { state: state.clone(), moves: Some(moves), method: Method::Walk });
            }
        }
        Err(Error::Options(format!(
            "no walk of {length} moves that was tried ends in a state that is neither solved nor over; \
             give another number"
        )))
    }

    fn scramble_evenly(&self, random: &mut Random) -> Result<Scramble> {
        let rules = self.rules();
        let uniform = |state| Scramble { state, moves: None, method: Method::Uniform };
        let cells = |cells| State { cells, player: 0 };
        let none = || Error::Options(NONE_TO_BEGIN_FROM.to_owned());
        let mut draw: Box<dyn FnMut(&mut Random) -> State> = if let Some(group) = self.structure.group() {
            Box::new(move |random| cells(group.random_state(&rules.start, random)))
        } else if let Some(lamps) = self.structure.dials().filter(|_| rules.symbols.len() == 2) {
            Box::new(move |random| cells(lamps.random_state(random)))
        } else if let Some(twisted) = self.structure.twisted() {
            Box::new(move |random| cells(twisted.random_state(&rules.start, random)))
        } else if let Some(dials) = self.structure.dials().filter(|dials| dials.states() > MOST_GATHERED) {
            Box::new(move |random| cells(dials.random_state(random)))
        } else if let Some(gathered) = self.gathered()? {
            return gathered.choose(random).ok_or_else(none);
        } else {
            return self.scramble_by_moves(random);
        };
        (0..TRIES).map(|_| draw(random)).find(|state| self.is_open(state)).map(uniform).ok_or_else(none)
    }

    /// All states that a scramble may be; `None` if there are too many to gather.
    fn gathered(&self) -> Result<Option<&Gathered>> {
        if self.gathered.get().is_none() {
            let found = self.gather()?;
            _ = self.gathered.set(found); // another thread may have been sooner, with the same states
        }
        Ok(self.gathered.get().and_then(Option::as_ref))
    }

    fn gather(&self) -> Result<Option<Gathered>> {
        let open = |states: Vec<State>| states.into_iter().filter(|state| self.is_open(state)).collect::<Vec<_>>();
        // If all moves can be undone, either all states can be solved or none can. Then there is no need to find out
        // which can.
        let one_way = self.goes_one_way();
        let Some(states) = self.few_states(MOST_GATHERED, one_way)? else { return Ok(None) };
        let (mut states, mut method) = (open(states), if one_way { Method::Solvable } else { Method::Uniform });
        if one_way && states.is_empty() {
            (states, method) = (open(self.few_states(MOST_GATHERED, false)?.unwrap_or_default()), Method::Unsolvable);
        }
        Ok(Some(Gathered::new(&states, method)))
    }

    /// `true` if it may be that some states of a puzzle can be solved, and others cannot.
    fn goes_one_way(&self) -> bool {
        let rules = self.rules();
        rules.player_count() == 1 && !rules.goal.is_empty() && self.window() != Window::InverseClosed
    }

    /// The states that play can reach, in order, if there are at most `most`; if `solvable`, only those from which
    /// moves lead to the goal.
    pub(crate) fn few_states(&self, most: u64, solvable: bool) -> Result<Option<Vec<State>>> {
        let watch = |progress: &Progress| {
            if progress.states > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let options = &Options { symmetry: false, threads: 1, store: Store::Sparse, ..Options::default() };
        let ReachedStates { report, mut states, .. } = self.machine.found_states(None, options, &watch)?;
        if report.stop.is_some() || report.states() > most {
            return Ok(None);
        }
        let go_on = |_: &Progress| ControlFlow::Continue(());
        let words = states_in_memory(&mut *states, solvable, options, &go_on)?.unwrap_or_default();
        let state = |WordState { word, player }| self.machine.state_of_word(&word, player);
        let mut found: Vec<State> = words.into_iter().map(state).collect();
        sorting::sort_by_key(&mut found, |state| (state.player, state.cells.clone()));
        Ok(Some(found))
    }

    /// A random state, reached by a long walk of random moves.
    fn scramble_by_moves(&self, random: &mut Random) -> Result<Scramble> {
        for _ in 0..TRIES {
            let length = self.rules().cells() * WALK_PER_CELL + random.below(2) as usize;
            let passed = self.walk(length, random)?;
            // If play was over before the end of the walk, any state of the walk in which play was not over is taken.
            let from = if passed.len() > length { passed.len() - 1 } else { 1.min(passed.len() - 1) };
            let open: Vec<_> =
                passed[from..].iter().map(|(_, state)| state).filter(|state| self.is_open(state)).collect();
            if !open.is_empty() {
                let state = State::clone(random.choose::<&State>(&open));
                let method = if self.goes_one_way() { Method::OneWay } else { Method::Walk };
                return Ok(Scramble { state, moves: None, method });
            }
        }
        Err(Error::Options("random moves always end solved or over; say how many to make".to_owned()))
    }

    fn is_open(&self, state: &State) -> bool {
        self.machine_of(state).is_ok_and(|machine| !machine.solved(state) && machine.outcome(state).is_none())
    }

    /// The states of a walk of `length` moves, each with the move that led to it. The walk is shorter if no move is
    /// left.
    fn walk(&self, length: usize, random: &mut Random) -> Result<Vec<(usize, State)>> {
        let mut passed = vec![(usize::MAX, self.start())];
        while passed.len() <= length {
            let now = passed.len() - 1;
            let all = self.expand(&passed[now].1)?;
            let back = now.checked_sub(1).map(|before| &passed[before].1.cells);
            let onward: Vec<_> = all.iter().filter(|(_, after)| Some(&after.cells) != back).collect();
            let choices = if onward.is_empty() { all.iter().collect() } else { onward };
            if choices.is_empty() {
                break;
            }
            let (index, after) = random.choose::<&(usize, State)>(&choices);
            passed.push((*index, after.clone()));
        }
        Ok(passed)
    }
}
