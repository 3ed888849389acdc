//! Finds the states that can follow a given one, breadth first and with one thread, and numbers them in the order in
//! which they are found. The moves between them can be kept, so that each state is expanded only once.
//!
//! For example, take four states with the moves a → b, b → a, b → c and c → d. From a on, they get the numbers 0 to 3.

use std::time::Duration;

use super::kept_moves::KeptMoves;
use super::word_graph::WordGraph;
use super::word_index::Slots;
use super::word_rules::{AHEAD, EXPANDED_AT_ONCE, SuccessorWords, WordRules};
use super::{DepthRange, ExploredGraph};
use crate::compile::Word;
use crate::instant::Instant;
use crate::run::{Budget, Final, Progress, Watch};

/// With more symmetries than this, fewer states are expanded at once and between two calls of the watch.
const FEW_SYMMETRIES: usize = 16;

/// The number of states that are expanded between two calls of the watch. If they take longer than `LOOK_AFTER`, as
/// with thousands of moves, the watch is called sooner.
const LOOK_EVERY: usize = 4096;
const LOOK_AFTER: Duration = Duration::from_millis(40);

/// The most bytes that a state takes, except for its word and its moves. Two lists have an entry for each state: where
/// its moves begin, and its value if play is over. They count three times, because a full list is copied to one of
/// twice the size while the old one still exists. For the same reason, a state has up to six slots in tables. For its
/// word, callers add three times its bytes.
const STATE_BYTES: usize = 3 * (size_of::<u64>() + size_of::<(u32, Final)>()) + 6 * size_of::<u32>();

/// The most bytes that a kept move takes: three times its number, because a full list is copied to one of twice the
/// size.
const MOVE_BYTES: usize = 3 * size_of::<u32>();

/// The limits of [`explore`], and what it does with the moves.
#[derive(Debug, Clone, Copy)]
pub struct ExploreLimits {
    /// The most states and bytes that the graph may have.
    pub budget: Budget,
    /// The bytes that the caller will need for each state, which count toward the budget.
    pub state_bytes: usize,
    /// The bytes that the caller will need for each move, which count toward the budget.
    pub move_bytes: usize,
    /// The largest depth to be found, whose states are not expanded; `None` if there is no such limit.
    pub depths: Option<usize>,
    /// `true` if a puzzle goes on from a solved state; `false` if play is over there.
    pub past_goal: bool,
    /// `true` if the moves of a state are tried in the order of the rules, so that its successors are numbered in this
    /// order. That takes longer.
    pub in_order: bool,
    /// `true` if the moves are kept. If not, a state is expanded whenever the graph is asked for its successors.
    pub keeps_moves: bool,
}

impl ExploreLimits {
    /// Limits with only a budget: play ends at the goal, the moves are kept, and the caller needs no memory of its own.
    pub fn new(budget: Budget) -> Self {
        Self {
            budget,
            state_bytes: 0,
            move_bytes: 0,
            depths: None,
            past_goal: false,
            in_order: false,
            keeps_moves: true,
        }
    }
}

/// The result of [`explore`]: a graph, or why there is none.
pub enum Explored {
    /// The graph of all states up to the limit of depth.
    Whole(Box<dyn ExploredGraph>),
    /// The budget ended the search when it had found this number of states.
    Full(u64),
    /// The watch stopped the search when it had found this number of states.
    Stopped(u64),
}

/// Finds the states that can follow the state `word` with `player` to move.
pub fn explore<W: Word>(rules: WordRules<W>, player: usize, word: W, limits: &ExploreLimits, watch: Watch) -> Explored {
    let slots = (0..rules.alternating()).map(|_| Slots::with_room(0)).collect();
    let (players, smallest) = (rules.alternating(), rules.images.smallest(word));
    let mut exploration = Exploration {
        graph: WordGraph { rules, words: Vec::new(), slots, depths: Vec::new(), inverse: None, kept: None },
        moves: KeptMoves::default(),
        counts: vec![0; players],
        most: limits.budget.states_of(STATE_BYTES + limits.state_bytes + 3 * size_of::<W>()),
        limits,
    };
    exploration.insert(smallest, player);
    let end = exploration.go(player, watch);
    let Exploration { mut graph, moves, .. } = exploration;
    let states = graph.words.len() as u64;
    match end {
        ExploreEnd::Whole => {
            graph.kept = limits.keeps_moves.then_some(moves);
            graph.inverse = if limits.keeps_moves { None } else { graph.rules.compiled.inverse_steps() };
            Explored::Whole(Box::new(graph))
        }
        ExploreEnd::Full => Explored::Full(states),
        ExploreEnd::Stopped => Explored::Stopped(states),
    }
}

enum ExploreEnd {
    Whole,
    Full,
    Stopped,
}

/// A graph that [`explore`] is still making.
struct Exploration<'l, W> {
    graph: WordGraph<W>,
    moves: KeptMoves,
    /// For each player, how many of the states have that player to move.
    counts: Vec<usize>,
    /// The most states for which the budget has room, if no moves are counted.
    most: usize,
    limits: &'l ExploreLimits,
}

impl<W: Word> Exploration<'_, W> {
    /// Finds depth after depth. `player` is to move in the first state.
    fn go(&mut self, mut player: usize, watch: Watch) -> ExploreEnd {
        let (clock, mut looked, mut depth, mut begin) = (Instant::now(), 0, 0, 0);
        let mut asked = clock;
        let mut made = SuccessorWords::default();
        // With many symmetries a successor takes long, so blocks are smaller and the watch is called more often.
        let share = (self.graph.rules.images.order / FEW_SYMMETRIES).max(1);
        let (at_once, look_every) = ((EXPANDED_AT_ONCE / share).max(1), (LOOK_EVERY / share).max(1));
        while begin < self.graph.words.len() {
            let end = self.graph.words.len();
            self.graph.depths.push(DepthRange { depth, player, states: begin as u64..end as u64 });
            if self.limits.depths == Some(depth) {
                break;
            }
            let next = self.graph.rules.compiled.rules.next_player(player);
            for first in (begin..end).step_by(at_once) {
                let block = first..end.min(first + at_once);
                let words = &self.graph.words[block.clone()];
                if self.limits.in_order {
                    self.graph.rules.expand_in_order(words, player, &mut made);
                } else {
                    self.graph.rules.expand(words, player, &mut made);
                }
                if self.limits.keeps_moves {
                    self.moves.add_ends(block.start, &made.over);
                }
                if !self.take(&made, next) {
                    return ExploreEnd::Full;
                }
                if block.end - looked >= look_every || asked.elapsed() > LOOK_AFTER {
                    (looked, asked) = (block.end, Instant::now());
                    let progress = Progress {
                        expanded: block.end as u64,
                        states: self.graph.words.len() as u64,
                        seconds: clock.elapsed().as_secs_f64(),
                        ..Progress::default()
                    };
                    if watch(&progress).is_break() {
                        return ExploreEnd::Stopped;
                    }
                }
            }
            (begin, player, depth) = (end, next, depth + 1);
        }
        ExploreEnd::Whole
    }

    /// Gives numbers to the successors of some states. Returns `false` if the budget is used up.
    fn take(&mut self, made: &SuccessorWords<W>, player: usize) -> bool {
        let each = (STATE_BYTES + self.limits.state_bytes + 3 * size_of::<W>()) as u64;
        let each_move = (MOVE_BYTES + self.limits.move_bytes) as u64;
        let mut begin = 0;
        for &end in &made.ends {
            for place in begin..end {
                if let Some(&later) = made.after.get(place + AHEAD) {
                    self.graph.slots[player].prefetch(later);
                }
                let number = self.insert(made.after[place], player);
                if self.limits.keeps_moves {
                    self.moves.push(number);
                }
            }
            begin = end;
            let (states, moves) = (self.graph.words.len(), self.moves.len());
            if self.limits.keeps_moves {
                self.moves.close();
            }
            if states > self.most || states as u64 * each + moves * each_move > self.limits.budget.bytes {
                return false;
            }
        }
        true
    }

    /// The number of a canonical word. A word that is new to the graph gets the next number.
    #[inline(always)]
    fn insert(&mut self, word: W, player: usize) -> u32 {
        let WordGraph { words, slots, .. } = &mut self.graph;
        match slots[player].insert(words, word) {
            Ok(number) => {
                self.counts[player] += 1;
                if slots[player].is_full(self.counts[player]) {
                    self.grow(player);
                }
                number
            }
            Err(known) => known,
        }
    }

    /// Replaces the table of one player's states by one of twice the size.
    #[inline(never)]
    fn grow(&mut self, player: usize) {
        let WordGraph { words, slots, depths, .. } = &mut self.graph;
        slots[player] = slots[player].twice();
        for range in depths.iter().filter(|range| range.player == player) {
            slots[player].fill(words, range.states.start as usize..range.states.end as usize);
        }
        // The range of the depth that is being found is not in `depths` yet. It begins after the last range there.
        let found = depths.last().map_or(0, |last| last.states.end as usize);
        slots[player].fill(words, found..words.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::{Edges, Graph, MoveFrom};
    use crate::run::{Final, Worth};
    use crate::tests::{self, GO_ON};

    /// Rules with the moves a → b, b → a, b → c, c → d and d → a, whose goal is d.
    fn four_states(past_goal: bool) -> WordRules<u32> {
        let (compiled, images) = tests::compiled(&tests::four_states(&["bc", "da", "ab", "ba", "cd"]), false);
        WordRules { compiled, images, past_goal }
    }

    fn explored(past_goal: bool, limits: &ExploreLimits) -> Explored {
        let rules = four_states(past_goal);
        let start = rules.compiled.start();
        explore(rules, 0, start, limits, GO_ON)
    }

    fn lists(graph: &dyn Graph) -> (Vec<Vec<u64>>, Vec<Option<Final>>) {
        let mut edges = Edges::default();
        // The successors are asked for in two blocks, since a block need not begin with the first state.
        let (mut after, mut over) = (Vec::new(), Vec::new());
        for block in [0..1, 1..graph.len()] {
            graph.successors(block, &mut edges);
            after.extend(edges.after.iter().map(<[u64]>::to_vec));
            over.extend(&edges.over);
        }
        (after, over)
    }

    #[test]
    fn four_states_are_numbered_in_the_order_in_which_they_are_found() {
        let won = Some(Final::Worth(Worth::Win));
        for keeps_moves in [true, false] {
            let limits = ExploreLimits { in_order: true, keeps_moves, ..ExploreLimits::new(Budget::default()) };
            let Explored::Whole(graph) = explored(false, &limits) else { panic!("no limit was set") };
            // In the rules, the move from b to c comes before the one from b to a. So c is listed before a.
            let after = vec![vec![1], vec![2, 0], vec![3], vec![]];
            assert_eq!(lists(&*graph), (after, vec![None, None, None, won]));
            assert_eq!((graph.depths().len(), graph.kept_moves()), (4, keeps_moves.then_some(4)));
            let Explored::Whole(graph) = explored(true, &limits) else { panic!("no limit was set") };
            assert_eq!(lists(&*graph), (vec![vec![1], vec![2, 0], vec![3], vec![0]], vec![None; 4]));
            let (mut moves, mut cells) = (Vec::new(), Vec::new());
            graph.moves_from(&graph.word(1), 0, &mut moves);
            let told = |step: &MoveFrom| (step.index, step.word.clone(), step.number);
            let expected = [(0, graph.word(2), Some(2)), (3, graph.word(0), Some(0))];
            assert_eq!(moves.iter().map(told).collect::<Vec<_>>(), expected);
            graph.cells(1..4, &mut cells);
            assert_eq!(cells, [1, 2, 3]);
        }
    }

    #[test]
    fn limits_end_the_search() {
        let limits = ExploreLimits::new(Budget::default());
        let Explored::Whole(graph) = explored(false, &ExploreLimits { depths: Some(2), ..limits }) else { panic!() };
        // The last state has the largest depth allowed, so it is not expanded.
        assert_eq!(lists(&*graph).0.last(), Some(&Vec::new()));
        assert_eq!((&*graph as &dyn Graph).len(), 3);
        let few = Budget { states: 2, ..Budget::default() };
        assert!(matches!(explored(false, &ExploreLimits::new(few)), Explored::Full(3)));
        let little = Budget { bytes: 300, ..Budget::default() };
        assert!(matches!(explored(false, &ExploreLimits::new(little)), Explored::Full(2..)));
    }
}
