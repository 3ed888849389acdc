//! Compiled rules: states are packed into words, moves become bit operations, and symmetries become tables.

mod always;
mod by_cells;
mod carried_cells;
mod cell_moves;
mod completable_ends;
pub mod cpu;
mod end_runs;
mod end_screen;
mod goals;
mod guard_tree;
mod guards;
mod image_deltas;
mod image_limbs;
mod image_memo;
mod image_tree;
mod images;
mod lanes_of_bytes;
mod layout;
mod many_images;
mod members;
mod move_finder;
mod move_sets;
mod move_walks;
mod moves;
mod planted_steps;
mod prefixes;
mod ranks;
mod renaming_automaton;
mod scores;
mod shuffled_images;
mod shuffles;
mod steps;
mod steps_plan;
mod word;

pub use cell_moves::CellMoves;
pub use end_screen::EndScreen;
pub use guard_tree::ListedMoves;
pub use image_deltas::{ImageDelta, flips_of_block};
pub use image_limbs::SideBySide;
pub use images::{FEW_LANES, Images, Lanes};
pub use layout::{Layout, bytes_of_all, pack_all, symbol_bits};
pub use move_walks::{MoveWalks, MovesOfStates};
pub use prefixes::{LANES, Prefixes, flipped};
pub use shuffled_images::{ShuffledImages, UnpackedState, UnpackedSuccessors};
pub use steps::Steps;
pub use word::{Slot, Word};

use std::sync::Arc;

#[cfg(doc)]
use end_runs::EndRuns;
use guards::Guard;
use scores::{EndTest, ScoreTest};
use steps::CompiledMove;

use crate::random::Random;
use crate::rules::{Move, Rules, Symbol, Symmetry, Varying};
use crate::sorting;
use crate::structure::Structure;

/// The number of games that are played at random to learn how moves are best found, and the most moves of each.
const GAMES: usize = 8;
const MOST_MOVES_OF_A_GAME: usize = 32;

/// Rules that are compiled for words of type `W`. Only the cells that play may change are compiled; see [`Varying`].
#[derive(Debug)]
pub struct Compiled<W> {
    /// The rules of the varying part. Their moves have the same numbers as in the whole rules.
    pub rules: Arc<Rules>,
    /// The cells of the whole rules that vary, and the symbol that each constant cell holds.
    pub varying: Arc<Varying>,
    /// The knowledge about the whole rules that needs no search, such as their symmetries and tiers.
    pub structure: Arc<Structure>,
    /// The place of each cell of the varying part in a word.
    pub layout: Layout,
    /// The moves that each player can make, by player.
    pub steps: Vec<Steps<W>>,
    ends: Arc<[EndTest<W>]>,
    scoring: Option<ScoreTest>,
    /// For each player, the numbers of the ends in the order in which they are tested after a move of that player. The
    /// first end that holds decides the outcome.
    by_precedence: Vec<Vec<usize>>,
    goal: Arc<[Guard<W>]>,
}

impl<W: Word> Compiled<W> {
    /// Compiles the varying part of rules. `None` if a state does not fit a word of type `W`.
    #[inline(never)]
    pub fn new(structure: &Arc<Structure>, varying: &Arc<Varying>) -> Option<Self> {
        let rules = &varying.rules;
        let layout = Layout::new::<W>(rules)?;
        let steps = (0..rules.alternating()).map(|player| Steps::new(rules, &layout, player)).collect();
        let ends = rules.ends.iter().map(|end| EndTest::new(rules, &layout, end)).collect();
        let scoring = rules.scoring.as_ref().map(|scoring| ScoreTest::new(&layout, scoring));
        let by_precedence = (0..rules.player_count()).map(|mover| ends_by_precedence(rules, mover)).collect();
        let goal = rules.goal.iter().map(|goal| Guard::of_goal(rules, &layout, goal)).collect();
        let mut compiled = Self {
            rules: Arc::clone(rules),
            varying: Arc::clone(varying),
            structure: Arc::clone(structure),
            layout,
            steps,
            ends,
            scoring,
            by_precedence,
            goal,
        };
        if compiled.steps.iter().any(Steps::may_gain) {
            let words = compiled.play_at_random();
            for (player, (steps, words)) in std::mem::take(&mut compiled.steps).into_iter().zip(words).enumerate() {
                compiled.steps.push(steps.planted(rules, &compiled.layout, player, &words));
            }
        }
        Some(compiled)
    }

    /// The states of a few random games, by the index of the moves in [`Compiled::steps`].
    fn play_at_random(&self) -> Vec<Vec<W>> {
        let mut random = Random::new("guards");
        let (mut words, mut found) = (vec![Vec::new(); self.steps.len()], Vec::new());
        for _ in 0..GAMES {
            let (mut word, mut player) = (self.start(), 0);
            for _ in 0..MOST_MOVES_OF_A_GAME {
                self.moves_from(word, player, &mut found);
                if found.is_empty() || self.ended(word, player).is_some() {
                    break;
                }
                words[self.table_of(player)].push(word);
                word = random.choose(&found).1;
                player = self.rules.next_player(player);
            }
        }
        words
    }

    /// The start of play, packed into a word.
    pub fn start(&self) -> W {
        self.layout.pack(&self.rules.start)
    }

    /// The player to move in a state. If turns alternate, it is `given`. If a cell says whose turn it is, that cell is
    /// read, and `given` does not matter.
    #[inline(always)]
    pub fn mover(&self, word: W, given: usize) -> usize {
        match self.rules.turn {
            None => given,
            Some(turn) => usize::from(self.layout.get(word, turn.cell) == turn.symbols[1]),
        }
    }

    /// The index in [`Self::steps`], and in other tables with an entry for each player, for a state with `player` to
    /// move. It is the player; but if a cell says whose turn it is, one entry serves both players, and the index is 0.
    pub fn table_of(&self, player: usize) -> usize {
        self.rules.table_of(player)
    }

    /// Packs a state, as a user sees it, with `player` to move. It must have no [stranger](Varying::stranger): a symbol
    /// that words cannot hold.
    pub fn pack(&self, board: &[Symbol], player: usize) -> W {
        match self.structure.rules().turn {
            None => self.pack_cells(board),
            Some(turn) => {
                let mut cells = board.to_vec();
                cells.push(turn.symbols[player]);
                self.pack_cells(&cells)
            }
        }
    }

    /// Unpacks a word into a state, as a user sees it. The slice has a symbol for each cell but that of the turn.
    pub fn unpack(&self, word: W, board: &mut [Symbol]) {
        if self.rules.turn.is_none() {
            return self.unpack_cells(word, board);
        }
        let mut cells = vec![0; board.len() + 1];
        self.unpack_cells(word, &mut cells);
        board.copy_from_slice(&cells[..board.len()]);
    }

    /// Unpacks words into rows of `width` bytes. Each row begins with the state, as [`Self::unpack`] writes it. If a
    /// cell says whose turn it is, rows have one more byte, which may be written, too.
    pub fn unpack_rows(&self, words: &[W], rows: &mut [Symbol], width: usize) {
        if self.varying.is_whole() {
            return self.layout.unpack_rows(words, rows, width);
        }
        let board = self.structure.rules().board();
        for (number, &word) in words.iter().enumerate() {
            self.unpack(word, &mut rows[number * width..][..board]);
        }
    }

    /// Packs a state of the whole rules. It must have no [stranger](Varying::stranger): a symbol that words cannot
    /// hold.
    fn pack_cells(&self, state: &[Symbol]) -> W {
        if self.varying.is_whole() {
            return self.layout.pack(state);
        }
        let codes = self.varying.take(state).enumerate();
        codes.fold(W::ZERO, |word, (place, code)| word.or(self.layout.field(place, code)))
    }

    /// Unpacks a word into a state of the whole rules. The slice has a symbol for each cell of the whole rules.
    fn unpack_cells(&self, word: W, state: &mut [Symbol]) {
        if self.varying.is_whole() {
            return self.layout.unpack(word, state);
        }
        self.varying.write_constants(state);
        for (place, &cell) in self.varying.cells.iter().enumerate() {
            state[cell] = self.varying.symbol(self.layout.get(word, place));
        }
    }

    /// The tables that give the images of states under symmetries of the whole rules.
    pub fn images(&self, symmetries: &[Symmetry]) -> Images<W> {
        let samples = || self.play_at_random().concat();
        Images::new(&self.rules, &self.layout, &self.varying.symmetries(symmetries), &samples)
    }

    /// The outcome of the end that holds in a state with `player` to move; `None` if no end holds.
    pub fn ended(&self, word: W, player: usize) -> Option<usize> {
        // Of several ends that hold, the one that counts depends on who has just moved. If moves may keep the turn,
        // this does not follow from the state. So the opponent of the player to move is taken, and in a puzzle the only
        // player.
        self.first_called(word, &self.by_precedence[self.rules.opponent(self.mover(word, player))])
    }

    /// For each player, the numbers of all ends, in the order in which they count after a move of that player.
    pub fn by_precedence(&self) -> &[Vec<usize>] {
        &self.by_precedence
    }

    /// The outcome of the first end that holds in a state after a move; `None` if none holds.
    #[inline(always)]
    pub fn first_end(&self, word: W, step: &CompiledMove<W>) -> Option<usize> {
        let first = match &step.runs {
            None => self.first_of(word, &step.ends),
            Some(runs) => self.first_of_runs(word, &step.ends, &runs.0),
        };
        // The list of ends is in the order for a move that passes the turn on. If moves may keep the turn, the order
        // may be another one, so all ends are tested anew.
        if first.is_some() && self.rules.turn.is_some() { self.ended(word, 0) } else { first }
    }

    /// The outcome of the first of the ends that holds, by runs of them; see [`EndRuns`].
    #[inline(never)]
    fn first_of_runs(&self, word: W, ends: &[usize], runs: &[(W, W, usize)]) -> Option<usize> {
        let mut begin = 0;
        for &(mask, value, end) in runs {
            if word.masked_is(mask, value)
                && let Some(outcome) = self.first_of(word, &ends[begin..end])
            {
                return Some(outcome);
            }
            begin = end;
        }
        None
    }

    /// The outcome of the first of the given ends that holds in a state after a move, by code that is not inlined.
    pub fn first_end_called(&self, word: W, ends: &[usize]) -> Option<usize> {
        let first = self.first_called(word, ends);
        if first.is_some() && self.rules.turn.is_some() { self.ended(word, 0) } else { first }
    }

    #[inline(never)]
    fn first_called(&self, word: W, ends: &[usize]) -> Option<usize> {
        self.first_of(word, ends)
    }

    #[inline(always)]
    fn first_of(&self, word: W, ends: &[usize]) -> Option<usize> {
        for &end in ends {
            let end = &self.ends[end];
            if end.guard.holds(word) {
                return Some(self.outcome_at(end, word));
            }
        }
        None
    }

    /// The outcome of an end that holds in a state. Few states have one, so this is not inlined into each loop.
    #[inline(never)]
    fn outcome_at(&self, end: &EndTest<W>, word: W) -> usize {
        self.scoring
            .as_ref()
            .map_or(end.outcome, |scoring| self.rules.outcome_of_score(end.points.unwrap_or_else(|| scoring.of(word))))
    }

    /// The points of the first player in a state in which play is over, with `player` to move. `None` if the rules have
    /// no score.
    #[inline(always)]
    pub fn score(&self, word: W, player: usize) -> Option<i32> {
        self.scoring.as_ref().map(|scoring| self.points(scoring, word, player))
    }

    #[inline(never)]
    fn points(&self, scoring: &ScoreTest, word: W, player: usize) -> i32 {
        let ends = &self.by_precedence[self.rules.opponent(self.mover(word, player))];
        let counts = ends.iter().map(|&end| &self.ends[end]).find(|end| end.guard.holds(word));
        counts.and_then(|end| end.points).unwrap_or_else(|| scoring.of(word))
    }

    /// The outcome of a state in which `player` has no move.
    pub fn stuck_outcome(&self, word: W, player: usize) -> usize {
        match &self.scoring {
            Some(scoring) => self.rules.outcome_of_score(scoring.of(word)),
            None => self.rules.stuck_outcome(self.mover(word, player), self.solved(word)),
        }
    }

    /// Returns `true` if a state satisfies the goal.
    pub fn solved(&self, word: W) -> bool {
        self.goal.iter().any(|goal| goal.holds(word))
    }

    /// The outcome of a state with `player` to move, if play is over there because an end holds or the player has no
    /// move. `None` if play goes on.
    pub fn outcome(&self, word: W, player: usize) -> Option<usize> {
        self.ended(word, player).or_else(|| (!self.has_moves(word, player)).then(|| self.stuck_outcome(word, player)))
    }

    /// Returns `true` if a player has a move in a state. No end may hold there.
    #[inline(never)]
    pub fn has_moves(&self, word: W, player: usize) -> bool {
        self.steps[self.table_of(player)].some(word)
    }

    /// Lists in `found` the moves that a player can make in a state, in the order of the rules: the number of each move
    /// in the rules, and the state after it. No end may hold in the state.
    pub fn moves_from(&self, word: W, player: usize, found: &mut Vec<(usize, W)>) {
        let steps = &self.steps[self.table_of(player)];
        steps.after(word, found);
        for (place, _) in found.iter_mut() {
            *place = steps.list[*place].index;
        }
        // Moves are found from the last cell to the first, so they often come in the opposite order of the rules.
        if found.first().map(|first| first.0) > found.last().map(|last| last.0) {
            found.reverse();
        }
        if !found.is_sorted_by_key(|&(index, _)| index) {
            sorting::sort_by_key(found, |&(index, _)| index);
        }
    }

    /// For each player who moves in turn, the inverses of that player's moves, compiled. `None` if
    /// [`Rules::inverse_moves`] finds none.
    pub fn inverse_steps(&self) -> Option<Vec<Steps<W>>> {
        let moves = self.rules.inverse_moves()?;
        let steps = (0..self.rules.alternating()).map(|player| {
            let own = |given: &Move| given.player.is_none_or(|owner| owner == player);
            let moves = moves.iter().enumerate().filter(|(_, given)| own(given)).collect();
            Steps::of_moves(&self.rules, &self.layout, player, moves)
        });
        Some(steps.collect())
    }

    /// The compiled rules for a search backward: each move is replaced by its inverse, and no state is stuck. `None` if
    /// [`Rules::inverse_moves`] finds no inverses. No move can be made in a state in which play is over. So a search
    /// backward must drop such states: it tests every end in every state that it reaches, whatever cells the inverse
    /// move writes.
    pub fn inverted(&self) -> Option<Self> {
        let moves = self.rules.inverse_moves()?;
        let rules = Arc::new(Rules { moves, backward: true, ..Rules::clone(&self.rules) });
        let steps = Steps::new(&rules, &self.layout, 0);
        let words = if steps.may_gain() { self.play_at_random().concat() } else { Vec::new() };
        let mut steps = steps.planted(&rules, &self.layout, 0, &words);
        for step in &mut steps.list {
            (step.ends, step.runs) = (self.by_precedence[0].clone().into(), None);
        }
        Some(Self {
            rules,
            varying: Arc::clone(&self.varying),
            structure: Arc::clone(&self.structure),
            layout: self.layout.clone(),
            steps: vec![steps],
            ends: Arc::clone(&self.ends),
            scoring: self.scoring.clone(),
            by_precedence: self.by_precedence.clone(),
            goal: Arc::clone(&self.goal),
        })
    }

    /// All states that satisfy a goal, whether play can reach them or not. A state that satisfies several goals is
    /// listed once for each. `None` if there may be more than `most` states.
    pub fn goal_states(&self, most: usize) -> Option<Vec<W>> {
        let mut states = Vec::new();
        for goal in &self.rules.goal {
            goals::list(&self.rules, goal, most, &mut states)?;
        }
        Some(states.iter().map(|state| self.layout.pack(state)).collect())
    }
}

/// The numbers of the ends, in the order in which they count after a move of `mover`.
fn ends_by_precedence(rules: &Rules, mover: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..rules.ends.len()).collect();
    sorting::sort_by_key(&mut order, |&end| rules.end_precedence(end, mover));
    order
}
