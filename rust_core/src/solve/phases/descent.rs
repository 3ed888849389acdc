//! The search through phases: a path through one phase is followed by a path through the next, as long as that can make
//! the answer shorter.
//!
//! H. Kociemba's algorithm for the 3x3x3 cube has two phases that people found by hand. Here the same algorithm works
//! for any chain. The first phase is searched for paths of 0, 1, 2 and more moves, because after a longer path through
//! the first phase, the others may take fewer moves. Each further phase takes the shortest path that it finds.

use super::super::anytime::Enough;
use super::super::clock::Clock;
use super::super::cosets::{Sticker, Stickers};
use super::super::move_pruning::MoveSet;
use super::phase::{NEVER, Phase, PhaseNumbers};
use crate::instant::Instant;
use crate::structure::permuting::{carried, is_identity, then};

/// After each path through a phase, the search for a path through the next phase is given up if it has visited
/// `LEAST_STATES` states, or the `SHARE`th part of all states so far, if that is more.
const LEAST_STATES: u64 = 20_000;
const SHARE: u64 = 16;

/// The number of tried moves after which the watch and the time are checked again: some milliseconds of work.
const LOOK_EVERY: u64 = 1 << 13;

/// A state from which the search begins: the given state, its image, or an inverse; and how a solution of this state
/// becomes a solution of the given state.
pub struct Beginning {
    /// For each cell, the sticker that it holds.
    pub held: Vec<Sticker>,
    /// For each move of a solution of this state, the move that takes its place in the solution of the given state.
    pub moves: Vec<usize>,
    /// `true` if this state is the inverse of the given state or of its image. Then the order of a solution's moves is
    /// reversed, too.
    pub backward: bool,
}

/// The reason why a part of the search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    /// All paths were searched.
    Through,
    /// A path was found, or the search has visited as many states as it may.
    Enough,
    /// The whole search is to end.
    Stop,
}

/// A search through phases.
pub struct Descent<'a> {
    pub phases: &'a [Phase],
    pub stickers: &'a Stickers,
    pub clock: Clock<'a>,
    pub enough: Enough,
    pub begun: Instant,
    /// `true` if the watch has stopped the search.
    pub stopped: bool,
    /// The number of moves of the shortest answer that is known; `None` if no answer is known.
    pub length: Option<usize>,
    /// The shortest answer that the search has found, by the places of its moves in [`Stickers::moves`]. `None` if it
    /// has found none.
    pub best: Option<Vec<usize>>,
    /// Called with the length of each answer that is shorter than all before.
    pub tell: &'a dyn Fn(usize),
    way: Vec<(usize, usize)>,
    beginning: usize,
    /// The number of moves that were tried, also those that lead to no state worth counting.
    tried: u64,
}

/// The search for a path through one phase.
struct PhasePart<'a> {
    phase: usize,
    /// The state in which the phase begins.
    held: &'a [Sticker],
    /// The number of moves of the rules that were made before the phase.
    used: usize,
    /// The number of entries of [`Descent::way`] before the phase. An entry may stand for several moves of the rules.
    begin: usize,
    /// The search is given up when the clock has counted this many states in all.
    end: u64,
}

/// A state on the path through a phase, and the moves from it that are still to be tried.
struct OnWay {
    numbers: PhaseNumbers,
    refused: MoveSet,
    last: Option<u32>,
    /// The number of moves of the rules that the path may still take.
    left: usize,
    /// The move of the phase that is tried next.
    next: usize,
}

impl<'a> Descent<'a> {
    pub fn new(
        phases: &'a [Phase],
        stickers: &'a Stickers,
        clock: Clock<'a>,
        enough: Enough,
        length: Option<usize>,
        tell: &'a dyn Fn(usize),
    ) -> Self {
        let (way, begun) = (Vec::new(), Instant::now());
        Self {
            phases,
            stickers,
            clock,
            enough,
            begun,
            stopped: false,
            length,
            best: None,
            tell,
            way,
            beginning: 0,
            tried: 0,
        }
    }

    /// Searches from all beginnings, for paths of 0, 1, 2 and more moves through the first phase.
    pub fn go(&mut self, beginnings: &[Beginning]) {
        let roots: Vec<Option<PhaseNumbers>> =
            beginnings.iter().map(|from| self.phases[0].read(self.stickers, &from.held)).collect();
        let mut depth = 0;
        while depth <= self.limit() && depth < usize::from(NEVER) {
            for (at, (from, root)) in beginnings.iter().zip(&roots).enumerate() {
                let Some(root) = root else { continue };
                self.beginning = at;
                let part = PhasePart { phase: 0, held: &from.held, used: 0, begin: 0, end: u64::MAX };
                if usize::from(self.phases[0].bound(root)) <= depth
                    && self.search(&part, root, depth, beginnings) == Flow::Stop
                {
                    return;
                }
            }
            depth += 1;
        }
    }

    /// The most moves of an answer that is shorter than the best one so far.
    fn limit(&self) -> usize {
        self.length.map_or(usize::MAX, |length| length.saturating_sub(1))
    }

    fn is_over(&self) -> bool {
        self.length.is_some_and(|length| length <= self.enough.moves)
            || self.enough.states.is_some_and(|states| self.clock.states >= states)
            || self.is_out_of_time()
    }

    fn is_out_of_time(&self) -> bool {
        self.enough.seconds.is_some_and(|seconds| self.begun.elapsed().as_secs_f64() >= seconds)
    }

    /// Returns `true` if the time is over, or if the watch stops the search. It may be that few tried moves lead to
    /// states that the clock counts. So this is checked after a number of tried moves, too, and not only by the clock.
    #[cold]
    fn is_late(&mut self) -> bool {
        self.stopped = self.clock.asks();
        self.stopped || self.is_out_of_time()
    }

    /// Searches for paths of exactly `depth` moves through a phase, and goes on to the next phase after each of them.
    fn search(&mut self, part: &PhasePart, root: &PhaseNumbers, depth: usize, beginnings: &[Beginning]) -> Flow {
        self.way.truncate(part.begin);
        if depth == 0 {
            return self.finish(part, beginnings);
        }
        let phases = self.phases;
        let phase = &phases[part.phase];
        let bound_tells = phase.bound_tells();
        let mut states = vec![OnWay { numbers: *root, refused: 0, last: None, left: depth, next: 0 }];
        while let Some(state) = states.last_mut() {
            let given = state.next;
            if given == phase.moves.len() {
                states.pop();
                // The first state has no entry in `way`, because no move led to it.
                if !states.is_empty() {
                    self.way.pop();
                }
                continue;
            }
            state.next += 1;
            self.tried += 1;
            if self.tried.is_multiple_of(LOOK_EVERY) && self.is_late() {
                return Flow::Stop;
            }
            let cost = phase.moves[given].word.len();
            if cost > state.left || phase.sequences.leaves_out(state.refused, state.last, given) {
                continue;
            }
            let numbers = phase.after(&state.numbers, given);
            let (bound, left) = (usize::from(phase.bound(&numbers)), state.left - cost);
            // A path that reaches the smaller subgroup before its end is left out: its first part is a shorter path,
            // and its last part belongs to the next phase. If the bound may be 0 outside that subgroup, too, a bound of
            // 0 does not show that the path has reached the subgroup. Then the path may go on.
            if bound > left || (bound == 0 && left > 0 && bound_tells) {
                continue;
            }
            let refused = phase.sequences.after(state.refused, given);
            match self.counted(part) {
                Flow::Through => {}
                flow => return flow,
            }
            self.way.push((part.phase, given));
            if left > 0 {
                states.push(OnWay { numbers, refused, last: Some(given as u32), left, next: 0 });
                continue;
            }
            let flow = self.finish(part, beginnings);
            if flow != Flow::Through {
                return flow;
            }
            self.way.pop();
        }
        Flow::Through
    }

    /// Counts a state. Returns whether the search may go on.
    #[inline(always)]
    fn counted(&mut self, part: &PhasePart) -> Flow {
        if self.clock.stops() {
            self.stopped = true;
            return Flow::Stop;
        }
        if self.clock.states.is_multiple_of(1 << 10) && self.is_over() {
            return Flow::Stop;
        }
        if self.clock.states > part.end { Flow::Enough } else { Flow::Through }
    }

    /// Called at the end of a path through a phase: searches the next phase, or keeps the answer if this was the last
    /// phase.
    fn finish(&mut self, part: &PhasePart, beginnings: &[Beginning]) -> Flow {
        let phase = &self.phases[part.phase];
        let mut held = part.held.to_vec();
        let mut used = part.used;
        for &(_, given) in &self.way[part.begin..] {
            let own = &phase.moves[given];
            used += own.word.len();
            held = carried(&held, &own.image);
        }
        if !phase.is_done(&held) {
            return Flow::Through;
        }
        if part.phase + 1 == self.phases.len() {
            self.keep(beginnings);
            return if self.is_over() { Flow::Stop } else { Flow::Enough };
        }
        let next = &self.phases[part.phase + 1];
        let Some(root) = next.read(self.stickers, &held) else { return Flow::Through };
        let share = LEAST_STATES.max(self.clock.states / SHARE);
        let end = part.end.min(self.clock.states + share);
        let (begin, phase) = (self.way.len(), part.phase + 1);
        let part = PhasePart { phase, held: &held, used, begin, end };
        let mut depth = usize::from(next.bound(&root));
        while used + depth <= self.limit() && depth < usize::from(NEVER) {
            match self.search(&part, &root, depth, beginnings) {
                Flow::Stop => return Flow::Stop,
                // All phases but the first go on only with the first path that they find, which is the shortest.
                Flow::Enough => break,
                Flow::Through => depth += 1,
            }
        }
        self.way.truncate(begin);
        if phase == 1 { Flow::Through } else { Flow::Enough }
    }

    /// Keeps the present path if it is the shortest answer so far.
    fn keep(&mut self, beginnings: &[Beginning]) {
        let from = &beginnings[self.beginning];
        let words = self.way.iter().flat_map(|&(phase, given)| &self.phases[phase].moves[given].word);
        let mut moves: Vec<usize> = words.map(|&given| from.moves[given]).collect();
        if from.backward {
            moves.reverse();
        }
        let moves = simplified(self.stickers, &moves);
        if self.length.is_none_or(|length| moves.len() < length) {
            (self.tell)(moves.len());
            self.length = Some(moves.len());
            self.best = Some(moves);
        }
    }
}

/// Moves that do the same as the given ones, but fewer if possible: two moves that undo each other are dropped, and two
/// that one move can replace are replaced, even if moves that commute stand between them.
pub fn simplified(stickers: &Stickers, moves: &[usize]) -> Vec<usize> {
    let image = |given: usize| &stickers.moves[given].image[..];
    let then = |a: usize, b: usize| then(image(a), image(b));
    let mut made: Vec<usize> = Vec::new();
    for &given in moves {
        let mut pending = Some(given);
        let mut at = made.len();
        while let Some(next) = pending.filter(|_| at > 0) {
            at -= 1;
            let product = then(made[at], next);
            let single = stickers.moves.iter().position(|other| other.image == product);
            if is_identity(&product) || single.is_some() {
                made.remove(at);
                pending = single;
                // The moves after the removed one commute with the pending move, so the new move may be put at the end.
                at = made.len();
            } else if then(next, made[at]) != product {
                break;
            }
        }
        made.extend(pending);
    }
    made
}
