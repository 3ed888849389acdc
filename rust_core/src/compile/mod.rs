//! Compiled rules: states in words, moves as bit operations, symmetries as tables.

mod by_cells;
mod cell_images;
pub mod cpu;
mod goals;
mod guards;
mod image_deltas;
mod images;
mod layout;
mod members;
mod moves;
mod prefixes;
mod renaming_automaton;
mod scores;
mod steps;
mod word;

pub use image_deltas::ImageDelta;
pub use images::{Images, Lanes};
pub use layout::{Layout, bytes_of_all, pack_all, symbol_bits};
pub use prefixes::{LANES, smallest_lane};
pub use steps::Steps;
pub use word::{Slot, Word};

use std::sync::Arc;

use guards::Guard;
use scores::{EndTest, ScoreTest};

use crate::rules::{Rules, Symbol, Symmetry, Varying};
use crate::sorting;
use crate::structure::Structure;

/// Rules compiled for words of type `W`.
#[derive(Debug, Clone)]
pub struct Compiled<W> {
    /// The rules of the varying cells. Their moves have the numbers that they have in the whole rules.
    pub rules: Arc<Rules>,
    /// The varying cells, and the symbols of all other cells.
    pub varying: Arc<Varying>,
    /// The structure of the whole rules.
    pub structure: Arc<Structure>,
    /// The place of each cell in a word.
    pub layout: Layout,
    /// Each player's moves.
    pub steps: Vec<Steps<W>>,
    ends: Vec<EndTest<W>>,
    scoring: Option<ScoreTest>,
    /// For each player, the ends in the order in which they are tested after a move of that player. The first one that
    /// holds decides the outcome.
    by_precedence: Vec<Vec<usize>>,
    goal: Vec<Guard<W>>,
}

impl<W: Word> Compiled<W> {
    /// Compiles the varying part of rules; `None` if their states do not fit the word.
    pub fn new(structure: &Arc<Structure>, varying: &Arc<Varying>) -> Option<Self> {
        let rules = &varying.rules;
        let layout = Layout::new::<W>(rules)?;
        let steps = (0..rules.player_count()).map(|player| Steps::new(rules, &layout, player)).collect();
        let ends = rules.ends.iter().map(|end| EndTest::new(rules, &layout, end)).collect();
        let scoring = rules.scoring.as_ref().map(|scoring| ScoreTest::new(&layout, scoring));
        let by_precedence = (0..rules.player_count()).map(|mover| ends_by_precedence(rules, mover)).collect();
        let goal = rules.goal.iter().map(|goal| Guard::of_goal(rules, &layout, goal)).collect();
        Some(Self {
            rules: Arc::clone(rules),
            varying: Arc::clone(varying),
            structure: Arc::clone(structure),
            layout,
            steps,
            ends,
            scoring,
            by_precedence,
            goal,
        })
    }

    /// The start.
    pub fn start(&self) -> W {
        self.layout.pack(&self.rules.start)
    }

    /// Packs a state without a [stranger](Varying::stranger).
    pub fn pack(&self, state: &[Symbol]) -> W {
        if self.varying.is_whole() {
            return self.layout.pack(state);
        }
        let codes = self.varying.take(state).enumerate();
        codes.fold(W::ZERO, |word, (place, code)| word.or(self.layout.field(place, code)))
    }

    /// Unpacks a state into a slice that has one symbol for each cell.
    pub fn unpack(&self, word: W, state: &mut [Symbol]) {
        if self.varying.is_whole() {
            return self.layout.unpack(word, state);
        }
        self.varying.write_constants(state);
        for (place, &cell) in self.varying.cells.iter().enumerate() {
            state[cell] = self.varying.symbol(self.layout.get(word, place));
        }
    }

    /// The images of states under symmetries of the whole rules.
    pub fn images(&self, symmetries: &[Symmetry]) -> Images<W> {
        Images::new(&self.rules, &self.layout, &self.varying.symmetries(symmetries))
    }

    /// The outcome of the end that a state satisfies with `player` to move, if it satisfies one.
    pub fn ended(&self, word: W, player: usize) -> Option<usize> {
        // With two players, the one who has just moved is the other one.
        self.first_end(word, &self.by_precedence[self.rules.next_player(player)])
    }

    /// The outcome of the first of the given ends that a state satisfies.
    #[inline(always)]
    pub fn first_end(&self, word: W, ends: &[usize]) -> Option<usize> {
        for &end in ends {
            let end = &self.ends[end];
            if end.guard.holds(word) {
                return Some(self.scoring.as_ref().map_or(end.outcome, |scoring| {
                    self.rules.outcome_of_score(end.points.unwrap_or_else(|| scoring.of(word)))
                }));
            }
        }
        None
    }

    /// The points of the first player in a state in which play is over, if the rules have a score.
    #[inline(always)]
    pub fn score(&self, word: W, player: usize) -> Option<i32> {
        self.scoring.as_ref().map(|scoring| self.points(scoring, word, player))
    }

    #[inline(never)]
    fn points(&self, scoring: &ScoreTest, word: W, player: usize) -> i32 {
        let ends = &self.by_precedence[self.rules.next_player(player)];
        let counts = ends.iter().map(|&end| &self.ends[end]).find(|end| end.guard.holds(word));
        counts.and_then(|end| end.points).unwrap_or_else(|| scoring.of(word))
    }

    /// The outcome of a state in which `player` has no move.
    pub fn stuck_outcome(&self, word: W, player: usize) -> usize {
        match &self.scoring {
            Some(scoring) => self.rules.outcome_of_score(scoring.of(word)),
            None => self.rules.stuck_outcome(player, self.solved(word)),
        }
    }

    /// Returns `true` if a state satisfies the goal.
    pub fn solved(&self, word: W) -> bool {
        self.goal.iter().any(|goal| goal.holds(word))
    }

    /// The outcome of a state in which play is over: by an end, or because `player` has no move.
    pub fn outcome(&self, word: W, player: usize) -> Option<usize> {
        self.ended(word, player).or_else(|| (!self.steps[player].any(word)).then(|| self.stuck_outcome(word, player)))
    }

    /// The inverses of the moves; see [`Rules::inverse_moves`].
    pub fn inverse_steps(&self) -> Option<Steps<W>> {
        let moves = self.rules.inverse_moves()?;
        Some(Steps::of_moves(&self.rules, &self.layout, 0, moves.iter().enumerate().collect()))
    }

    /// The rules with their inverse moves in place of their moves, to search backward; see [`Rules::inverse_moves`]. A
    /// move leads nowhere from a state in which play is over. So each inverse move is compared with all ends, whatever
    /// it writes. No state is stuck.
    pub fn inverted(&self) -> Option<Self> {
        let moves = self.rules.inverse_moves()?;
        let rules = Arc::new(Rules { moves, backward: true, ..Rules::clone(&self.rules) });
        let mut steps = Steps::new(&rules, &self.layout, 0);
        steps.list.iter_mut().for_each(|step| step.ends = self.by_precedence[0].clone().into());
        Some(Self { rules, steps: vec![steps], ..self.clone() })
    }

    /// All states that satisfy the goal, reachable or not; `None` if there may be more than `most`. A state that
    /// satisfies several goals is listed once for each.
    pub fn goal_states(&self, most: usize) -> Option<Vec<W>> {
        let mut states = Vec::new();
        for goal in &self.rules.goal {
            goals::list(&self.rules, goal, most, &mut states)?;
        }
        Some(states.iter().map(|state| self.layout.pack(state)).collect())
    }
}

/// The ends of rules, in the order in which their outcomes count after a move of `mover`.
fn ends_by_precedence(rules: &Rules, mover: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rules.ends.len()).collect();
    sorting::sort_by_key(&mut order, |&end| rules.end_precedence(end, mover));
    order
}
