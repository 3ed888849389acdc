//! Perfect play: the value of a position, by retrograde analysis of all positions that can follow it.

use std::collections::{HashSet, VecDeque};
use std::time::Instant;

use super::answer::{Limit, Technique};
use crate::compile::{Compiled, Images, Word};
use crate::graph::{WordIndex, bytes_of};
use crate::run::{Budget, Progress, Watch, of_mover};
use crate::sorting;
use crate::structure::Window;
use crate::values::{ScoreSpread, UNKNOWN, Value};

/// The result of asking for the value of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Play {
    /// The position is solved under perfect play.
    Solved {
        /// The value of the position.
        value: Value,
        /// The moves that keep the value, and neither hasten a loss nor put off a win. They are places in the rules, in
        /// order.
        moves: Vec<usize>,
        /// The first such move, the first answer to it, and so on, until play is over or repeats itself.
        line: Vec<usize>,
        /// `true` if all this was found. If not, the value is right, but a win or a loss may come in fewer moves than
        /// it says; `moves` has one move that keeps the value, and there is no line if one is too much work.
        exact: bool,
    },
    /// A limit came before the value was known, or the watch stopped the search.
    Unknown {
        /// The move that looked best so far, if there is a move.
        best: Option<usize>,
        /// All play was searched this many moves ahead before `best` was chosen.
        ahead: u32,
    },
    /// The budget of positions or bytes is used up, and more positions can follow.
    Full,
    /// Play may go on for ever, and the rules do not say what that scores.
    Endless,
    /// The watch stopped the search.
    Stopped,
}

/// What a search has found about a position of a game, with its cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The value and best moves.
    pub found: Play,
    /// The number of positions that were stored for it, up to symmetry; 0 if no search was needed.
    pub states: u64,
    /// The technique that found it.
    pub technique: Technique,
    /// Without a value: the limit that came first.
    pub limit: Option<Limit>,
}

/// The values of positions.
struct PlayValues {
    /// The value of each position.
    of: Vec<Value>,
    /// With a score, for each position, a number that falls along best play to the end; empty without one. It is
    /// [`u32::MAX`] where play may never end.
    left: Vec<u32>,
}

/// The number of positions that are expanded between two looks at the watch.
const LOOK_EVERY: usize = 4096;

/// The most bytes that a position takes in addition to three times its word. While positions are found, a full list may
/// be being copied to one of twice the size. So its number, its outcome and its begin count three times; and it has six
/// slots of a table. After that come the begins of the reversed edges, how many successors are left, the value, the
/// length, and a place in the queue.
const STATE_BYTES: usize =
    3 * (4 + size_of::<Option<Value>>() + 8) + 6 * 4 + (8 + 8 + 2 * size_of::<Option<Value>>() + 8 + 16);

/// The most bytes that an edge takes: three times its end, and once its begin.
const EDGE_BYTES: usize = 16;

/// A position of a game, with the rules by which play goes on.
#[derive(Clone, Copy)]
pub struct Position<'a, W> {
    /// The moves and ends.
    pub compiled: &'a Compiled<W>,
    /// The symmetries. Positions of an orbit have one value.
    pub images: &'a Images<W>,
    /// The player to move.
    pub player: usize,
    /// The state.
    pub word: W,
}

/// The value of a position of a game and its best moves, within a budget of positions up to symmetry.
pub fn best_moves<W: Word>(position: Position<W>, budget: Budget, watch: Watch) -> Judged {
    let Position { compiled, images, player, word } = position;
    let from = (player, word);
    let mut graph = PlayGraph::new(compiled, images);
    let explored = graph.explore(from, budget, watch);
    let states = graph.found.iter().map(|(words, _)| words.len() as u64).sum();
    let judged = |found, limit| Judged { found, states, technique: Technique::Retrograde, limit };
    match explored {
        Explored::Whole => {}
        Explored::Full => return judged(Play::Full, Some(Limit::of_budget(budget, states))),
        Explored::Stopped => return judged(Play::Stopped, Some(Limit::Watch)),
    }
    let values = match &compiled.rules.scoring {
        Some(scoring) => match graph.edges.scores(scoring.endless) {
            Some(values) => values,
            None => return judged(Play::Endless, None),
        },
        None => graph.edges.values(compiled.structure.window() == Window::Layered),
    };
    let moves = graph.best(&values, from).into_iter().map(|(index, _)| index).collect();
    let key = |(player, word): (usize, W)| (player, bytes_of(word));
    let (mut line, mut at, mut seen) = (Vec::new(), from, HashSet::from([key(from)]));
    while let Some(&(index, after)) = graph.best(&values, at).first() {
        line.push(index);
        at = after;
        if !seen.insert(key(at)) {
            break;
        }
    }
    judged(Play::Solved { value: values.of[0], moves, line, exact: true }, None)
}

enum Explored {
    Whole,
    Full,
    Stopped,
}

/// The positions that can follow a given one, up to symmetry, and the moves between them.
struct PlayGraph<'a, W> {
    compiled: &'a Compiled<W>,
    images: &'a Images<W>,
    /// For each player, the positions in which that player is to move, and their numbers in the whole graph.
    found: Vec<(WordIndex<W>, Vec<u32>)>,
    edges: PlayEdges,
}

/// Positions as numbers, and the moves between them.
#[derive(Default)]
struct PlayEdges {
    /// For each position, its value if play is over there.
    over: Vec<Option<Value>>,
    /// For each position, `true` if the second player is to move.
    second: Vec<bool>,
    /// For each position, where its successors begin.
    begins: Vec<usize>,
    successors: Vec<u32>,
}

impl<'a, W: Word> PlayGraph<'a, W> {
    fn new(compiled: &'a Compiled<W>, images: &'a Images<W>) -> Self {
        let found = (0..compiled.rules.player_count()).map(|_| (WordIndex::new(), Vec::new())).collect();
        Self { compiled, images, found, edges: PlayEdges::default() }
    }

    /// The number of a position that is in the graph.
    fn number(&self, (player, word): (usize, W)) -> u32 {
        let (words, numbers) = &self.found[player];
        numbers[words.get(self.images.smallest(word)).expect("every successor was explored") as usize]
    }

    /// The best moves of a position in the graph, in order, with the positions after them.
    fn best(&self, values: &PlayValues, (player, word): (usize, W)) -> Vec<(usize, (usize, W))> {
        let at = self.number((player, word)) as usize;
        let value = values.of[at];
        let mut moves = Vec::new();
        if self.compiled.ended(word, player).is_none() {
            self.compiled.steps[player].each(word, |_, step| {
                let after = (self.compiled.rules.next_player(player), step.effect.apply(word));
                let number = self.number(after) as usize;
                let kept = match (values.of[number], value) {
                    (Value::Draw(_), Value::Draw(_)) => true,
                    // Points that are only kept, and never come, are no best play.
                    (Value::Score(points), Value::Score(now)) => {
                        points == -now && (values.left[at] == u32::MAX || values.left[number] < values.left[at])
                    }
                    (after, value) => after.before() == value,
                };
                if kept {
                    moves.push((step.index, after));
                }
                true
            });
        }
        sorting::sort_by_key(&mut moves, |&(index, _)| index);
        moves
    }

    /// Finds all positions that can follow a given one, in breadth-first order.
    fn explore(&mut self, from: (usize, W), budget: Budget, watch: Watch) -> Explored {
        let max_states = budget.states_of(STATE_BYTES + 3 * size_of::<W>());
        let begun = Instant::now();
        let mut pending = VecDeque::from([(from.0, self.images.smallest(from.1))]);
        let _ = self.found[from.0].0.insert(pending[0].1);
        self.found[from.0].1.push(0);
        let mut count: u32 = 1;
        while let Some((player, word)) = pending.pop_front() {
            self.edges.begins.push(self.edges.successors.len());
            let over = self.compiled.outcome(word, player).map(|outcome| self.worth(word, outcome, player));
            self.edges.over.push(over);
            self.edges.second.push(player == 1);
            if self.edges.over.last().is_some_and(Option::is_some) {
                continue;
            }
            let next = self.compiled.rules.next_player(player);
            let Self { compiled, images, found, edges: PlayEdges { successors, .. } } = self;
            let (words, numbers) = &mut found[next];
            compiled.steps[player].each(word, |_, step| {
                let after = images.smallest(step.effect.apply(word));
                match words.insert(after) {
                    Ok(_) => {
                        numbers.push(count);
                        successors.push(count);
                        pending.push_back((next, after));
                        count += 1;
                    }
                    Err(known) => successors.push(numbers[known as usize]),
                }
                true
            });
            let edges = (self.edges.successors.len() * EDGE_BYTES) as u64;
            let bytes = u64::from(count) * (STATE_BYTES + 3 * size_of::<W>()) as u64 + edges;
            if count as usize > max_states || bytes > budget.bytes {
                return Explored::Full;
            }
            if self.edges.begins.len().is_multiple_of(LOOK_EVERY) {
                let progress = Progress {
                    expanded: self.edges.begins.len() as u64,
                    states: u64::from(count),
                    seconds: begun.elapsed().as_secs_f64(),
                    ..Progress::default()
                };
                if watch(&progress).is_break() {
                    return Explored::Stopped;
                }
            }
        }
        self.edges.begins.push(self.edges.successors.len());
        Explored::Whole
    }

    /// The value of a position in which play is over with an outcome, for the player to move.
    fn worth(&self, word: W, outcome: usize, player: usize) -> Value {
        if let Some(points) = self.compiled.score(word, player) {
            return Value::Score(of_mover(points, player));
        }
        let name = &self.compiled.rules.outcomes[outcome];
        match self.compiled.rules.players.iter().position(|other| other == name) {
            Some(winner) if winner == player => Value::Win(0),
            Some(_) => Value::Loss(0),
            None => Value::Draw(Some(0)),
        }
    }
}

impl PlayEdges {
    /// The value of each position. Losses and wins spread backward in order of their lengths; all other positions are
    /// draws. If play is `layered`, it cannot repeat itself.
    fn values(&self, layered: bool) -> PlayValues {
        let count = self.over.len();
        let (begins, predecessors) = self.reversed();
        let mut left: Vec<usize> = (0..count).map(|at| self.begins[at + 1] - self.begins[at]).collect();
        let mut values: Vec<Option<Value>> = self.over.clone();
        let mut pending: VecDeque<usize> =
            (0..count).filter(|&at| matches!(values[at], Some(Value::Win(_) | Value::Loss(_)))).collect();
        while let Some(at) = pending.pop_front() {
            let value = values[at].expect("only positions with a value are pending");
            for &before in &predecessors[begins[at]..begins[at + 1]] {
                let before = before as usize;
                left[before] -= 1;
                let decided = matches!(value, Value::Loss(_)) || left[before] == 0;
                if values[before].is_none() && decided {
                    values[before] = Some(value.before());
                    pending.push_back(before);
                }
            }
        }
        let mut lengths = vec![None; count];
        // If play cannot repeat itself, successors have larger numbers.
        for at in (0..count).rev() {
            let draws = self.successors[self.begins[at]..self.begins[at + 1]].iter().map(|&after| after as usize);
            lengths[at] = match values[at] {
                Some(Value::Draw(length)) => length,
                None if layered => draws.filter_map(|after| lengths[after]).max().map(|length: u32| length + 1),
                _ => None,
            };
        }
        let of = values.iter().zip(lengths).map(|(value, length)| value.unwrap_or(Value::Draw(length))).collect();
        PlayValues { of, left: Vec::new() }
    }

    /// The score of each position; `None` if play may never end, and nothing says what that scores.
    fn scores(&self, endless: Option<i32>) -> Option<PlayValues> {
        let distinct = self.distinct();
        let (begins, predecessors) = distinct.reversed();
        let points = |(over, &second): (&Option<Value>, &bool)| match over {
            Some(Value::Score(points)) => of_mover(*points, usize::from(second)),
            _ => UNKNOWN,
        };
        let mut spread = ScoreSpread {
            points: self.over.iter().zip(&self.second).map(points).collect(),
            second: self.second.clone(),
            elsewhere: vec![UNKNOWN; self.over.len()],
            successors: distinct.begins.windows(2).map(|pair| (pair[1] - pair[0]) as u32).collect(),
            begins: begins[..=self.over.len()].iter().map(|&begin| begin as u64).collect(),
            predecessors,
        };
        let left = spread.spread(endless, &mut |_| false)?;
        if spread.points.contains(&UNKNOWN) {
            return None;
        }
        let of_mover = |(&points, &second): (&i32, &bool)| Value::Score(of_mover(points, usize::from(second)));
        Some(PlayValues { of: spread.points.iter().zip(&self.second).map(of_mover).collect(), left })
    }

    /// The same positions, with each successor once.
    fn distinct(&self) -> Self {
        let mut all =
            Self { over: self.over.clone(), second: self.second.clone(), begins: vec![0], successors: vec![] };
        for pair in self.begins.windows(2) {
            let mut after = self.successors[pair[0]..pair[1]].to_vec();
            after.sort_unstable();
            after.dedup();
            all.successors.extend(after);
            all.begins.push(all.successors.len());
        }
        all
    }

    /// The edges reversed: where the predecessors of each position begin, and the predecessors.
    fn reversed(&self) -> (Vec<usize>, Vec<u32>) {
        let mut begins = vec![0; self.over.len() + 2];
        for &after in &self.successors {
            begins[after as usize + 2] += 1;
        }
        for at in 2..begins.len() {
            begins[at] += begins[at - 1];
        }
        let mut predecessors = vec![0; self.successors.len()];
        for before in 0..self.over.len() {
            for &after in &self.successors[self.begins[before]..self.begins[before + 1]] {
                let place = &mut begins[after as usize + 1];
                predecessors[*place] = before as u32;
                *place += 1;
            }
        }
        (begins, predecessors)
    }
}
