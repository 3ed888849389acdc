//! Random states: the same seed gives the same state for ever.

use super::compiled::Engine;
use super::state::State;
use crate::error::{Error, Result};
use crate::random::Random;

/// The most states that are gathered so that one can be chosen.
const MOST_GATHERED: usize = 200_000;

/// The number of moves of a long walk for each cell, if there are too many states to gather and their structure is not
/// known.
const WALK_PER_CELL: usize = 100;

/// The number of attempts, if scrambles come out solved or over.
const TRIES: usize = 1000;

/// The way in which a state was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Each state that play can reach was equally likely, except states that are solved or over.
    Uniform,
    /// By random moves.
    Walk,
}

/// A random state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scramble {
    /// The state.
    pub state: State,
    /// The moves that a walk made, by their places in the rules.
    pub moves: Option<Vec<usize>>,
    /// The way in which the state was chosen.
    pub method: Method,
}

impl Engine {
    /// A random state that is not solved, and in which play is not over. It comes after `moves` random moves. If
    /// `moves` is `None`, each such state is equally likely, as far as possible.
    ///
    /// A walk begins at the start. Each move is chosen evenly among the moves that can be made and do not lead back to
    /// the state before, or among all if each would. If the walk ends badly, another one is made with the numbers that
    /// follow. A walk of no moves is the start, even if that is solved.
    ///
    /// Without a number of moves, the puzzle decides. In a permutation puzzle, the elements of the group are equally
    /// likely. In a puzzle of toggles, the sums of the presses are. The states of other puzzles are gathered and
    /// sorted, and one is chosen, if there are at most 200,000. Otherwise the state comes from a walk of 100 moves for
    /// each cell. If play is over before that, it is one of the states that the walk passed.
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
        let mut draw: Box<dyn FnMut(&mut Random) -> State> = if let Some(group) = self.structure.group() {
            Box::new(move |random| cells(group.random_state(&rules.start, random)))
        } else if let Some(toggles) = self.structure.toggles() {
            Box::new(move |random| cells(toggles.random_state(random)))
        } else if let Some(mut states) = self.machine.gather(MOST_GATHERED) {
            states.retain(|state| self.is_open(state));
            if states.is_empty() {
                return Err(Error::Options("every state is solved or over, so there is none to begin from".to_owned()));
            }
            return Ok(uniform(random.choose(&states).clone()));
        } else {
            for _ in 0..TRIES {
                let passed = self.walk(rules.cells() * WALK_PER_CELL, random)?;
                let whole = passed.len() > rules.cells() * WALK_PER_CELL;
                // If play was over early, all open states that the walk passed are as good as the last one.
                let from = if whole { passed.len() - 1 } else { 1.min(passed.len() - 1) };
                let open: Vec<_> =
                    passed[from..].iter().map(|(_, state)| state).filter(|state| self.is_open(state)).collect();
                if !open.is_empty() {
                    let state = State::clone(random.choose::<&State>(&open));
                    return Ok(Scramble { state, moves: None, method: Method::Walk });
                }
            }
            return Err(Error::Options("random moves always end solved or over; say how many to make".to_owned()));
        };
        (0..TRIES)
            .map(|_| draw(random))
            .find(|state| self.is_open(state))
            .map(uniform)
            .ok_or_else(|| Error::Options("every state is solved or over, so there is none to begin from".to_owned()))
    }

    fn is_open(&self, state: &State) -> bool {
        self.machine_of(state).is_ok_and(|machine| !machine.solved(state) && machine.outcome(state).is_none())
    }

    /// The states of a walk of `length` moves, each with the move that led to it. It is shorter if no move is left.
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
