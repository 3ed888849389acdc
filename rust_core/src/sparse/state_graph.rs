//! The graph of a search, which never changes during a run: states, moves, images, and the earlier depths whose states
//! may come again.

use super::end_tests::CompletableEnds;
use crate::compile::{CellMoves, Compiled, EndScreen, ImageDelta, Images, Lanes, Word, flips_of_block};
use crate::run::parallel;
use crate::structure::Window;

/// The number of words that one thread checks at a time.
const CHECKED_AT_ONCE: usize = 1 << 12;

/// The states of some rules up to symmetry, and the moves between them.
///
/// Each state of a depth has one *kind*: it is open (kind 0, play goes on), or it ended with outcome o (kind 1 + o).
pub struct StateGraph<'a, W> {
    /// The moves and ends, as bit operations.
    pub compiled: &'a Compiled<W>,
    /// The symmetries. A state stands for all its images, and is written as the smallest of them.
    pub images: &'a Images<W>,
    /// For each player and each of the player's moves: how the move changes the images of a state.
    pub changes: Vec<Vec<ImageDelta<W>>>,
    /// For each player: the [flips](flips_of_block) of the player's moves, if all moves have them.
    pub flips: Vec<Vec<Lanes<W>>>,
    /// For each player: the player's moves by cell, if there is one for each cell that holds the pivot.
    pub cell_moves: Vec<Option<CellMoves<W>>>,
    /// For each player and each of the player's moves: the screen of the ends that the move may complete. The list of a
    /// player is empty if there are no screens.
    pub screens: Vec<Vec<EndScreen<W>>>,
    /// The window: how many depths back a move can lead.
    pub window: Window,
    /// The states of depth 0, each with its kind.
    pub roots: Vec<(usize, W)>,
    /// For each player: the ends that moves of the player may complete.
    pub ends: Vec<CompletableEnds>,
    sets: usize,
}

impl<'a, W: Word> StateGraph<'a, W> {
    /// The graph of compiled rules, up to the symmetries of `images`.
    pub fn new(compiled: &'a Compiled<W>, images: &'a Images<W>) -> Self {
        let start = images.smallest(compiled.start());
        let roots = vec![(compiled.ended(start, 0).map_or(0, |outcome| outcome + 1), start)];
        Self::from_roots(compiled, images, roots)
    }

    /// The graph from other states than the start: `roots`, each with its kind.
    #[inline(never)]
    pub fn from_roots(compiled: &'a Compiled<W>, images: &'a Images<W>, roots: Vec<(usize, W)>) -> Self {
        let players = || 0..compiled.rules.alternating();
        let changes: Vec<_> = players().map(|player| compiled.image_deltas(images, player)).collect();
        let flips: Vec<_> = changes.iter().map(|changes| flips_of_block(images, changes)).collect();
        let screens: Vec<_> = players().map(|player| compiled.end_screens(player)).collect();
        let of_player = |player: usize| CellMoves::new(&compiled.steps[player], &flips[player], &screens[player]);
        let cell_moves = players().map(of_player).collect();
        // In layered rules, a state's depth is its weight minus that of the root. So if roots have different weights, a
        // state may be found at several depths, and all depths must be compared.
        let window = match compiled.structure.window() {
            Window::Layered if roots.len() > 1 => Window::Directed,
            window => window,
        };
        let of_move = |player: usize, place: usize| {
            let tests = screens[player].get(place).map(EndScreen::tests);
            compiled.steps[player].list.get(place).map(|step| (&*step.ends, tests.unwrap_or_else(|| step.end_tests())))
        };
        let ends = CompletableEnds::of_players(&compiled.by_precedence()[..compiled.steps.len()], &of_move);
        Self { compiled, images, changes, flips, cell_moves, screens, window, roots, ends, sets: set_count(compiled) }
    }

    /// The number of kinds of states: open ones, and those of each outcome.
    pub fn kinds(&self) -> usize {
        1 + self.outcomes()
    }

    /// The number of outcomes of the rules.
    pub fn outcomes(&self) -> usize {
        self.compiled.rules.outcomes.len()
    }

    /// The player to move at a depth.
    pub fn player(&self, depth: u64) -> usize {
        player_at(self.compiled, depth)
    }

    /// The outcome of a new state that a move from a depth has reached; `None` if play goes on. Only ends are tested.
    #[inline(never)]
    pub fn outcome_after(&self, depth: u64, word: W) -> Option<usize> {
        self.compiled.first_end_called(word, &self.ends[self.player(depth)].ends)
    }

    /// The number of sets of partitions that a search needs; see [`set_count`].
    pub fn sets(&self) -> usize {
        self.sets
    }

    /// The number of the set of partitions that holds the states of a depth.
    pub fn set(&self, depth: u64) -> usize {
        self.player(depth) % self.sets
    }

    /// The earlier depths whose states may come again at `depth`.
    pub fn compared(&self, depth: u64) -> Vec<u64> {
        compared(self.window, self.changes.len() as u64, self.sets as u64, depth)
    }

    /// Returns `true` if all words are states: every cell holds a symbol.
    pub fn are_states(&self, words: &[W]) -> bool {
        self.compiled.layout.fit_all(words)
    }

    /// Returns `true` if all words are states. It checks them on all cores.
    pub fn are_all_states(&self, words: &[W]) -> bool {
        parallel::all(words.len(), CHECKED_AT_ONCE, &|range| self.are_states(&words[range]))
    }
}

/// Does the work of [`StateGraph::compared`] for `players` players who move in turn, and `sets` sets of partitions.
fn compared(window: Window, players: u64, sets: u64, depth: u64) -> Vec<u64> {
    let set = |depth: u64| depth % players % sets;
    match window {
        Window::Layered => Vec::new(),
        // With two players, the states of the last depth have the other player to move, so only the depth before it
        // counts.
        Window::InverseClosed if players > 1 => depth.checked_sub(2).into_iter().collect(),
        Window::InverseClosed => (depth.saturating_sub(2)..depth).collect(),
        Window::Directed => (0..depth).filter(|&before| set(before) == set(depth)).collect(),
    }
}

/// The player to move at a depth.
pub fn player_at<W: Word>(compiled: &Compiled<W>, depth: u64) -> usize {
    (depth % compiled.rules.alternating() as u64) as usize
}

/// The number of sets of partitions that a search needs. Cells alone do not determine whose turn it is. A search of a
/// directed graph holds states of all depths, and the same cells may come again with the other player to move, so each
/// player to move has a set. Otherwise one set is enough: it holds states of one player to move at a time.
fn set_count<W: Word>(compiled: &Compiled<W>) -> usize {
    if compiled.structure.window() == Window::Directed { compiled.rules.alternating() } else { 1 }
}
