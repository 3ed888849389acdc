//! Perfect play: the value of a position and best play from it, read from the graph of all positions that can follow.

use std::collections::HashSet;
use std::sync::Arc;

use super::answer::{Limit, Technique};
use crate::compile::{Compiled, Images, Word};
use crate::error::Result;
use crate::graph::{ExploreLimits, Explored, ExploredGraph, Graph, MoveFrom, WordRules, bytes_of, explore};
use crate::run::{Budget, Options, Watch, in_pool, parallel};
use crate::structure::Window;
use crate::values::{self, Recurrence, Value, ValuesAfter, values_after};

/// The result of asking for the value of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Play {
    /// The position is solved under perfect play.
    Solved {
        /// The value of the position.
        value: Value,
        /// The best moves, as places in the rules, in order: they keep the value, and neither hasten a loss nor put off
        /// a win.
        moves: Vec<usize>,
        /// A line of best play: the first best move, the first best reply, and so on, until play is over or repeats
        /// itself.
        line: Vec<usize>,
        /// `true` if value, moves and line are exact. If `false`, the value is right about who wins, but a win or a
        /// loss may come in fewer moves than it says. Then `moves` has one move that keeps the value, and `line` is
        /// empty if finding a line is too much work.
        exact: bool,
    },
    /// A limit came before the value was known, or the watch stopped the search.
    Unknown {
        /// The move that looked best when the search ended; `None` if there is no move.
        best: Option<usize>,
        /// All play was searched this many moves ahead before `best` was chosen.
        ahead: u32,
    },
    /// The budget of positions or bytes is used up, and more positions can follow.
    Full,
    /// The watch stopped the search.
    Stopped,
}

/// The answer about a position of a game, and the cost of finding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The value and best moves.
    pub found: Play,
    /// The number of positions that the search has stored, up to symmetry; 0 if no search was needed.
    pub states: u64,
    /// The technique that found the answer.
    pub technique: Technique,
    /// The limit that ended the search, if no value was found.
    pub limit: Option<Limit>,
}

impl Judged {
    /// An answer from retrograde analysis.
    fn by_retrograde(found: Play, states: u64, limit: Option<Limit>) -> Self {
        Self { found, states, technique: Technique::Retrograde, limit }
    }
}

/// The values of a graph with at most this many positions are found by one thread. That takes some milliseconds.
const FEW_STATES: u64 = 1 << 16;

/// A position of a game, with the rules by which play goes on.
#[derive(Clone, Copy)]
pub struct Position<'a, W> {
    /// The compiled rules, with the moves and ends.
    pub compiled: &'a Arc<Compiled<W>>,
    /// The symmetries. All positions of an orbit have the same value.
    pub images: &'a Arc<Images<W>>,
    /// The player to move; 0 if a cell of the state says whose turn it is.
    pub player: usize,
    /// The state of the board, as a packed word.
    pub word: W,
}

/// The value of a position of a game and its best moves, within a budget of positions up to symmetry.
///
/// # Errors
///
/// [`crate::Error::Options`] if play may never end, and the rules do not say what that scores; or if threads cannot be
/// started.
pub fn best_moves<W: Word>(position: Position<W>, budget: Budget, watch: Watch) -> Result<Judged> {
    let Position { compiled, images, player, word } = position;
    let rules = WordRules { compiled: Arc::clone(compiled), images: Arc::clone(images), past_goal: false };
    let (state_bytes, move_bytes) = (values::STATE_BYTES, values::MOVE_BYTES);
    let limits = ExploreLimits { state_bytes, move_bytes, ..ExploreLimits::new(budget) };
    let recurrence = match compiled.structure.window() {
        Window::Layered => Recurrence::Layered,
        // Only the best moves for points depend on it.
        _ if compiled.rules.scoring.is_some() && compiled.structure.never_repeats() => Recurrence::Never,
        _ => Recurrence::Possible,
    };
    match explore(rules, player, word, &limits, watch) {
        Explored::Whole(graph) => {
            PlayGraph { graph: &*graph, recurrence, threads: budget.threads }.solve(&bytes_of(word), player, watch)
        }
        Explored::Full(states) => Ok(Judged::by_retrograde(Play::Full, states, Some(Limit::of_budget(budget, states)))),
        Explored::Stopped(states) => Ok(Judged::by_retrograde(Play::Stopped, states, Some(Limit::Watch))),
    }
}

/// The graph of the positions that can follow a given position, which has the number 0.
struct PlayGraph<'a> {
    graph: &'a dyn ExploredGraph,
    recurrence: Recurrence,
    threads: usize,
}

impl PlayGraph<'_> {
    /// The value of the first position, and best play from there.
    fn solve(&self, word: &[u8], player: usize, watch: Watch) -> Result<Judged> {
        let states = (self.graph as &dyn Graph).len();
        let find = || values_after(self.graph, self.recurrence, watch);
        let options = Options { threads: self.threads, ..Options::default() };
        let values = if states > FEW_STATES { in_pool(&options, find)?? } else { parallel::alone(find)? };
        let Some(values) = values else { return Ok(Judged::by_retrograde(Play::Stopped, states, Some(Limit::Watch))) };
        let moves = self.best(&values, 0, word, player).iter().map(|best| best.index).collect();
        let (mut line, mut at, mut seen) =
            (Vec::new(), Followed { index: 0, word: word.to_vec(), number: 0 }, HashSet::new());
        let alternating = if self.graph.keeps_turns() { 1 } else { 2 };
        let mut player = player;
        while seen.insert((player, at.word.clone())) {
            let Some(best) = self.best(&values, at.number, &at.word, player).into_iter().next() else { break };
            line.push(best.index);
            (at, player) = (best, (player + 1) % alternating);
        }
        Ok(Judged::by_retrograde(Play::Solved { value: values.value(0), moves, line, exact: true }, states, None))
    }

    /// The best moves of a position, in order, with the positions after them.
    fn best(&self, values: &ValuesAfter, number: u64, word: &[u8], player: usize) -> Vec<Followed> {
        let mut moves = Vec::new();
        self.graph.moves_from(word, player, &mut moves);
        let after = |step: MoveFrom| {
            let after = step.number.expect("every move was followed");
            values.is_best(self.graph, number, after).then_some(Followed {
                index: step.index,
                word: step.word,
                number: after,
            })
        };
        moves.into_iter().filter_map(after).collect()
    }
}

/// A move, and the position after it.
struct Followed {
    index: usize,
    word: Vec<u8>,
    number: u64,
}
