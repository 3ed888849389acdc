//! The value of a position of a game, its best moves, and a line of best play. This file decides which searches are
//! made in which order, and what is answered if a limit ends them.
//!
//! A game of few positions is searched as a whole. Otherwise, if play cannot come back to a position, alpha-beta finds
//! the value, and then, as far as the limits allow, the number of moves to the end and all best moves. If play can come
//! back to a position, alpha-beta looks for a near win or loss, and after that the game is searched as a whole.

use std::ops::ControlFlow;

use super::alpha_beta::Left;
use super::judged_game::{GameOfWords, JudgedGame, Moved, Next, SeenPosition};
use super::points::PointsToCome;
use super::score::{Score, WIN, after, before, moves_of};
use super::set_board::KeptBoard;
use crate::compile::{Compiled, Word};
use crate::error;
use crate::run::{Budget, Progress, Watch, of_mover};
use crate::solve::answer::{Limit, Technique};
use crate::solve::play::{Judged, Play, Position, best_moves};
use crate::sorting;
use crate::values::Value;

/// All positions of a game are searched before anything else is tried, if there are at most this many. That takes some
/// milliseconds.
const FEW_POSITIONS: usize = 4096;

/// If play cannot come back to a position, a search looks at no more positions than this before the game is searched as
/// a whole. That takes some milliseconds.
const FEW_LOOKS: u64 = 4096;

/// The limit of a search: it may look at this many positions for each position that it may keep in memory.
const LOOKS_FOR_ONE: u64 = 16;

/// If only the value was asked for, the search for the number of moves and for all best moves is limited. It may look
/// at as many positions as the search for the value did, and at this many more.
const MORE: u64 = 100_000;

/// The number of positions that a short search may look at, which takes some hundredths of a second. There are two
/// short searches. One looks for a near win before all positions of a game are searched. The other finds the best move
/// so far after a limit has ended the search for the value.
const QUICK: u64 = 50_000;

/// The most moves that a look ahead in a game with a score goes.
const MOST_AHEAD: u32 = 64;

/// The number of positions that a look ahead in a game with a score visits between two calls of the watch.
const LOOK_AT_WATCH: u64 = 1 << 12;

/// A near win or loss is one within this many moves.
const NEAR_WIN: Score = 40;

/// The limits of a search about a position, and how much it is to find out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Question {
    /// The memory and positions that may be used. The search looks at no more than sixteen positions for each that it
    /// may keep in memory.
    pub budget: Budget,
    /// `true` if the number of moves to the end and all best moves are wanted, however long they take.
    pub exact: bool,
}

/// The result of a look some moves ahead, for one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreseen {
    /// The number of the move in the rules.
    pub index: usize,
    /// The win or loss that the move forces for the player who makes it; `None` if there is none within the moves
    /// looked ahead. With a score: the points of that player if play ended where the look ends.
    pub end: Option<Value>,
}

/// Finds the value of a position of a game, its best moves and a line of best play.
///
/// # Errors
///
/// The errors of [`best_moves`].
pub fn judge<W: Word>(
    position: Position<W>,
    board: &KeptBoard<W>,
    question: Question,
    watch: Watch,
) -> error::Result<Judged> {
    let Position { compiled, player, word, .. } = position;
    let in_order = compiled.rules.scoring.is_none() && compiled.structure.never_repeats();
    let over = compiled.outcome(word, compiled.mover(word, player)).is_some();
    let mut judge = (in_order && !over).then(|| Judge::new(position, board, None, question.budget, watch));
    if let Some(judge) = judge.as_mut() {
        match judge.decide_at_once() {
            Ok(judged) => return Ok(judged),
            Err(Left::Stopped) => return Ok(judge.decide(question.exact)),
            Err(Left::Limit) => {}
        }
    }
    let few = Budget { states: question.budget.states.min(FEW_POSITIONS), ..question.budget };
    let whole = best_moves(position, few, watch)?;
    if matches!(whole.found, Play::Solved { .. }) {
        return Ok(whole);
    }
    match judge {
        Some(mut judge) => Ok(judge.decide(question.exact)),
        None => search(position, board, question, watch),
    }
}

/// Does the same as [`judge`], without first trying the searches that look at few positions.
pub(super) fn search<W: Word>(
    position: Position<W>,
    board: &KeptBoard<W>,
    question: Question,
    watch: Watch,
) -> error::Result<Judged> {
    if position.compiled.rules.scoring.is_some() {
        return search_for_points(position, board, question, watch);
    }
    let mut judge = Judge::new(position, board, None, question.budget, watch);
    if position.compiled.structure.never_repeats() {
        return Ok(judge.decide(question.exact));
    }
    let soon = judge.decide_soon();
    if matches!(soon.found, Play::Solved { .. }) {
        return Ok(soon);
    }
    let whole = best_moves(position, question.budget, watch)?;
    Ok(match whole.found {
        Play::Solved { .. } => whole,
        _ => Judged { states: whole.states.max(soon.states), limit: whole.limit, ..soon },
    })
}

/// The case of [`search`] for games with a score.
fn search_for_points<W: Word>(
    position: Position<W>,
    board: &KeptBoard<W>,
    question: Question,
    watch: Watch,
) -> error::Result<Judged> {
    let points = PointsToCome::new(&position.compiled.rules);
    if points.is_none() || !position.compiled.structure.never_repeats() {
        let whole = best_moves(position, question.budget, watch)?;
        if matches!(whole.found, Play::Solved { .. }) {
            return Ok(whole);
        }
        return Ok(Judged { found: best_so_far(position), technique: Technique::LookAhead, ..whole });
    }
    let judged = Judge::new(position, board, points, question.budget, watch).decide_points(question.exact);
    let Play::Unknown { .. } = judged.found else { return Ok(judged) };
    Ok(Judged { found: best_so_far(position), ..judged })
}

/// The answer about a position of a game with a score, if a limit ended the search before the value was known: the move
/// that is best in a short look ahead.
fn best_so_far<W: Word>(position: Position<W>) -> Play {
    let seen = PointsAhead { compiled: position.compiled, left: QUICK, watch: &|_| ControlFlow::Continue(()) };
    let seen = seen.look(position, MOST_AHEAD);
    let points = |each: &&Foreseen| if let Some(Value::Score(points)) = each.end { points } else { i32::MIN };
    // Among moves with equal points, the first one is taken.
    let best = seen.found.iter().rev().max_by_key(points).map(|each| each.index);
    Play::Unknown { best, ahead: seen.moves }
}

/// The result of a look some moves ahead, for all moves of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LookAhead {
    /// The number of moves that the search looked ahead. It is the number that was asked for, unless the limit on
    /// positions came first.
    pub moves: u32,
    /// For each move of the position, what it forces within [`Self::moves`] moves.
    pub found: Vec<Foreseen>,
}

/// Looks `ahead` moves ahead: for each move of a position, finds the win or loss that it forces, or its points.
pub fn foresee<W: Word>(
    position: Position<W>,
    board: &KeptBoard<W>,
    ahead: u32,
    positions: u64,
    watch: Watch,
) -> LookAhead {
    if position.compiled.rules.scoring.is_some() {
        return PointsAhead { compiled: position.compiled, left: positions, watch }.look(position, ahead);
    }
    let ahead = Score::try_from(ahead).unwrap_or(Score::MAX).min(WIN / 2);
    let mut judge = Judge::new(position, board, None, Budget::default(), watch);
    let (reached, found) = judge.look_ahead(judge.from, ahead, positions);
    let seen = |&(index, score): &(usize, Score)| Foreseen { index, end: (score != 0).then(|| value_of(score)) };
    LookAhead { moves: reached.unsigned_abs().into(), found: found.iter().map(seen).collect() }
}

/// A look some moves ahead in a game with a score. A position where the look ends counts as if play were over there.
struct PointsAhead<'a, W> {
    compiled: &'a Compiled<W>,
    /// The number of positions that may still be looked at.
    left: u64,
    watch: Watch<'a>,
}

impl<W: Word> PointsAhead<'_, W> {
    /// The points that each move of a position forces, by iterative deepening: the first look goes one move ahead, and
    /// each further look one move more than the last, until one has gone `most` moves, or a limit ends it.
    fn look(mut self, position: Position<W>, most: u32) -> LookAhead {
        let mut seen = LookAhead { moves: 0, found: Vec::new() };
        for ahead in 1..=most.min(MOST_AHEAD) {
            let (mut found, mut moves) = (Vec::new(), Vec::new());
            let player = self.compiled.mover(position.word, position.player);
            self.compiled.moves_from(position.word, position.player, &mut moves);
            for (index, after) in moves {
                found.push(self.points_after(player, after, ahead - 1).map(|points| (index, points)));
            }
            let Some(found) = found.into_iter().collect::<Option<Vec<(usize, i32)>>>() else { break };
            let seen_of = |(index, points)| Foreseen { index, end: Some(Value::Score(points)) };
            seen = LookAhead { moves: ahead, found: found.into_iter().map(seen_of).collect() };
        }
        seen
    }

    /// The points of `player`, who has just made a move that led to the position `word`. `None` if a limit ends the
    /// look.
    fn points_after(&mut self, player: usize, word: W, ahead: u32) -> Option<i32> {
        let next = self.compiled.mover(word, 1 - player);
        let points = self.points((next, word), ahead)?;
        Some(if next == player { points } else { -points })
    }

    /// The points of the player to move, if both play as well as they can for `ahead` moves. `None` if a limit ends the
    /// look.
    fn points(&mut self, (player, word): (usize, W), ahead: u32) -> Option<i32> {
        self.left = self.left.checked_sub(1)?;
        if self.left.is_multiple_of(LOOK_AT_WATCH) && (self.watch)(&Progress::default()).is_break() {
            self.left = 0;
        }
        let here = of_mover(self.compiled.score(word, player).unwrap_or(0), player);
        if ahead == 0 || self.compiled.ended(word, player).is_some() {
            return Some(here);
        }
        let mut after = Vec::new();
        self.compiled.steps[self.compiled.table_of(player)].after(word, &mut after);
        let mut best = None;
        for (_, word) in after {
            best = best.max(Some(self.points_after(player, word, ahead - 1)?));
        }
        Some(best.unwrap_or(here))
    }
}

/// The value that a score stands for.
fn value_of(score: Score) -> Value {
    match score.signum() {
        1 => Value::Win(moves_of(score)),
        0 => Value::Draw(None),
        _ => Value::Loss(moves_of(score)),
    }
}

/// A search for the value and best play of one position.
struct Judge<'a> {
    game: Box<dyn JudgedGame + 'a>,
    /// The position.
    from: SeenPosition,
    /// `true` in a game with a score, where scores are points.
    points: bool,
    /// The most positions that the search may look at.
    most: u64,
}

impl<'a> Judge<'a> {
    fn new<W: Word>(
        position: Position<'a, W>,
        board: &'a KeptBoard<W>,
        points: Option<PointsToCome>,
        budget: Budget,
        watch: Watch<'a>,
    ) -> Self {
        let most = (budget.states as u64).saturating_mul(LOOKS_FOR_ONE);
        let scored = points.is_some();
        let game = GameOfWords::new(position, board, points, budget, most, watch);
        Self { from: game.first(position.player), game: Box::new(game), points: scored, most }
    }

    /// The value and best play of the position, if play cannot come back to a position, and if few looks at positions
    /// tell all that there is to tell. Otherwise, what ended the search.
    fn decide_at_once(&mut self) -> Result<Judged, Left> {
        self.game.search().look_at_most(self.most.min(FEW_LOOKS));
        let play = self.score(self.from).and_then(|score| self.whole_play(self.from, score));
        self.game.search().look_at_most(self.most);
        play.map(|found| self.judged(found, None))
    }

    /// The value and best play of the position, if play cannot come back to a position.
    fn decide(&mut self, exact: bool) -> Judged {
        let from = self.from;
        let (found, left) = match self.score(from) {
            Ok(score) => (self.play(from, score, exact), None),
            Err(left) => (self.unknown(from), Some(left)),
        };
        self.judged(found, left)
    }

    /// The points and best play of the position, in a game with a score whose play cannot come back to a position.
    fn decide_points(&mut self, exact: bool) -> Judged {
        let from = self.from;
        let (found, left) = match self.points_from(from) {
            Ok(points) => (self.play(from, points, exact), None),
            Err(left) => (Play::Unknown { best: None, ahead: 0 }, Some(left)),
        };
        self.judged(found, left)
    }

    /// The points that the player to move can force, by MTD(f) (A. Plaat 1996): each null-window question asks whether
    /// the points reach a guess, and the bound that it returns is the next guess.
    fn points_from(&mut self, from: SeenPosition) -> Result<Score, Left> {
        let (mut least, mut most) = (-WIN, WIN);
        let mut guess = self.game.points(from);
        while least < most {
            let asked = if guess == least { guess + 1 } else { guess };
            guess = self.ask(from, asked)?;
            if guess < asked {
                most = guess;
            } else {
                least = guess;
            }
        }
        Ok(least)
    }

    /// The most that the position after a move may score for the other player, if the move is to be worth at least
    /// `score`.
    fn after(&self, score: Score) -> Score {
        if self.points { -score } else { after(score) }
    }

    /// The value that a score stands for.
    fn value_of(&self, score: Score) -> Value {
        if self.points { Value::Score(score.into()) } else { value_of(score) }
    }

    /// The value and best play of the position, if a short search finds a near win or loss.
    fn decide_soon(&mut self) -> Judged {
        let (from, mut ahead, mut score) = (self.from, 0, Ok(0));
        self.game.search().look_at_most(self.most.min(QUICK));
        while matches!(score, Ok(0)) && ahead < NEAR_WIN {
            ahead += 1;
            score = self.ask_within(from, ahead);
        }
        let (found, left) = match score {
            Ok(score) if score != 0 => {
                self.game.search().look_at_most(self.most);
                let found = match self.exact_play(from, score) {
                    Ok((moves, line)) => Play::Solved { value: value_of(score), moves, line, exact: true },
                    Err(_) => self.some_play(from, score),
                };
                (found, None)
            }
            _ => (self.unknown(from), Some(score.err().unwrap_or(Left::Limit))),
        };
        self.judged(found, left)
    }

    /// The answer with what was found. `left` tells why the search ended without the value; `None` if it found the
    /// value. A limit is always the limit on positions: a lack of memory ends no search, but makes the table keep fewer
    /// positions.
    fn judged(&mut self, found: Play, left: Option<Left>) -> Judged {
        let limit = left.map(|left| if left == Left::Stopped { Limit::Watch } else { Limit::States });
        Judged { found, states: self.game.search().known(), technique: Technique::AlphaBeta, limit }
    }

    /// The score of a position if it is won or lost within `moves` moves; 0 if it is neither.
    fn ask_within(&mut self, from: SeenPosition, moves: Score) -> Result<Score, Left> {
        for moves in 0..=moves {
            if self.ask(from, WIN - moves)? >= WIN - moves {
                return Ok(WIN - moves);
            }
            if self.ask(from, moves - WIN + 1)? <= moves - WIN {
                return Ok(moves - WIN);
            }
        }
        Ok(0)
    }

    fn ask(&mut self, at: SeenPosition, score: Score) -> Result<Score, Left> {
        self.game.ask(at, score)
    }

    /// A number with the sign of the score of a position. It is a proven bound of the score: if it is `WIN - 7`, the
    /// player to move wins in at most 7 moves. It is 0 if the position is a draw.
    fn score(&mut self, from: SeenPosition) -> Result<Score, Left> {
        let found = self.ask(from, 1)?;
        if found > 0 {
            return Ok(found);
        }
        Ok(self.ask(from, 0)?.min(0))
    }

    /// The exact score of a position, which tells how soon the winner can win. `score` is what [`Self::score`] found:
    /// the winner wins in at most as many moves as it says.
    ///
    /// Each question is about a number of moves in the middle between those that are not ruled out. So few questions
    /// are about nearly as many moves as the winner needs, which take longest.
    fn exact_score(&mut self, from: SeenPosition, score: Score) -> Result<Score, Left> {
        let (mut least, mut most) = (0, WIN - score.abs());
        while score != 0 && least < most {
            let asked = WIN - Score::midpoint(least, most);
            // A proven bound of the score for the winner: a lower bound if it is at least `asked`, otherwise an upper
            // bound. It may tell more than was asked about.
            let bound = if score > 0 { self.ask(from, asked)? } else { -self.ask(from, 1 - asked)? };
            if bound >= asked {
                most = WIN - bound;
            } else {
                least = WIN - bound;
            }
        }
        Ok(score.signum() * (WIN - most))
    }

    /// Best play from a position, with all best moves and the number of moves to the end if they are not too much work.
    fn play(&mut self, from: SeenPosition, score: Score, exact: bool) -> Play {
        if !exact {
            let looked = self.game.search().looked();
            self.game.search().look_at_most(self.most.min(2 * looked + MORE));
        }
        self.whole_play(from, score).unwrap_or_else(|_| self.some_play(from, score))
    }

    /// Best play from a position, with all best moves and the number of moves to the end.
    fn whole_play(&mut self, from: SeenPosition, score: Score) -> Result<Play, Left> {
        let score = if self.points { score } else { self.exact_score(from, score)? };
        let (moves, line) = self.exact_play(from, score)?;
        Ok(Play::Solved { value: self.value_of(score), moves, line, exact: true })
    }

    /// One best move and a line of best play, if it is too much work to find all best moves or the number of moves.
    fn some_play(&mut self, from: SeenPosition, score: Score) -> Play {
        let looked = self.game.search().looked();
        self.game.search().look_at_most(looked * 2 + MORE);
        let (line, whole) = self.some_line(from, if self.points { score } else { score.signum() });
        let moves = line.first().copied().into_iter().collect();
        Play::Solved { value: self.value_of(score), moves, line: if whole { line } else { Vec::new() }, exact: false }
    }

    /// All best moves of a position whose score is known, and a line of best play.
    fn exact_play(&mut self, from: SeenPosition, score: Score) -> Result<(Vec<usize>, Vec<usize>), Left> {
        let mut best = Vec::new();
        for (index, next) in self.game.moves(from) {
            if self.reaches(from.player, next, score)? {
                best.push(index);
            }
        }
        let (mut line, mut at, mut score) = (Vec::new(), from, score);
        'play: loop {
            for (index, next) in self.game.moves(at) {
                if self.reaches(at.player, next, score)? {
                    line.push(index);
                    let Next::Open(next) = next else { break 'play };
                    (at, score) = (next, self.bound_after(at.player, next, score));
                    continue 'play;
                }
            }
            break;
        }
        Ok((best, line))
    }

    /// A line of play that keeps the value: the points in a game with a score, otherwise win, loss or draw (1, -1, 0).
    /// The second result is `true` if the line goes on until play is over, and `false` if a limit ended the search
    /// first.
    fn some_line(&mut self, from: SeenPosition, value: Score) -> (Vec<usize>, bool) {
        let (mut line, mut at, mut value) = (Vec::new(), from, value);
        'play: loop {
            let least = if value < 0 && !self.points { -WIN } else { value };
            for (index, next) in self.promising(at) {
                match self.reaches(at.player, next, least) {
                    Ok(true) => {
                        line.push(index);
                        let Next::Open(next) = next else { return (line, true) };
                        (at, value) = (next, if next.player == at.player { value } else { -value });
                        continue 'play;
                    }
                    Ok(false) => {}
                    Err(_) => return (line, false),
                }
            }
            return (line, true);
        }
    }

    /// Returns `true` if `player` has a score of at least `least` after a move. `next` is what follows the move.
    fn reaches(&mut self, player: usize, next: Next, least: Score) -> Result<bool, Left> {
        match next {
            Next::Over(score) => Ok(score >= least),
            Next::Open(_) if least <= -WIN => Ok(true),
            Next::Open(at) => {
                let bound = self.bound_after(player, at, least);
                if at.player == player {
                    return Ok(self.ask(at, bound)? >= bound);
                }
                Ok(self.ask(at, bound + 1)? <= bound)
            }
        }
    }

    /// A bound of the score of the position `at`, to which a move of `player` leads, for the player to move there. The
    /// move is worth at least `score` to `player` if the other player scores at most the bound; or, if the move keeps
    /// the turn, if `player` scores at least the bound.
    fn bound_after(&self, player: usize, at: SeenPosition, score: Score) -> Score {
        let bound = self.after(score);
        if at.player == player { -bound } else { bound }
    }

    /// The moves that can be made in a position. Moves that win at once come first, then the others in the order in
    /// which the search would try them.
    fn promising(&mut self, at: SeenPosition) -> Vec<Moved> {
        let order = self.game.in_order(at);
        let place = |index: usize| order.iter().position(|&other| other == index);
        let moves = self.game.moves(at);
        let rank = |&(index, next): &Moved| match next {
            Next::Over(score) => (score <= 0, usize::MAX),
            Next::Open(_) => (true, place(index).unwrap_or(usize::MAX - 1)),
        };
        let mut ranked: Vec<((bool, usize), usize)> = moves.iter().map(rank).zip(0..).collect();
        sorting::sort(&mut ranked);
        ranked.into_iter().map(|(_, at)| moves[at]).collect()
    }

    /// The answer if a limit ended the search for the value: the move that is best in a short look ahead.
    fn unknown(&mut self, from: SeenPosition) -> Play {
        let order = self.promising(from);
        let looked = self.game.search().looked();
        let (ahead, seen) = self.look_ahead(from, WIN / 2, looked + QUICK);
        let seen_of = |index: usize| seen.iter().find(|&&(other, _)| other == index).map_or(0, |&(_, score)| score);
        // Among moves with equal scores, the most promising one is taken.
        let best = order.iter().rev().max_by_key(|&&(index, _)| seen_of(index));
        Play::Unknown { best: best.map(|&(index, _)| index), ahead: ahead.unsigned_abs().into() }
    }

    /// Looks up to `most` moves ahead. Returns how many moves ahead it came within the limit on positions, and for each
    /// move the score that it forces within that many moves.
    fn look_ahead(&mut self, from: SeenPosition, most: Score, positions: u64) -> (Score, Vec<(usize, Score)>) {
        let moves = self.game.moves(from);
        let mut seen: Vec<(usize, Score)> = moves.iter().map(|&(index, _)| (index, 0)).collect();
        self.game.search().look_at_most(positions);
        for ahead in 1..=most {
            let found: Result<Vec<(usize, Score)>, Left> = moves
                .iter()
                .map(|&(index, next)| match next {
                    Next::Over(score) => Ok((index, score)),
                    Next::Open(at) => {
                        let score = before(self.ask_within(at, ahead - 1)?);
                        Ok((index, if at.player == from.player { -score } else { score }))
                    }
                })
                .collect();
            let Ok(found) = found else { return (ahead - 1, seen) };
            seen = found;
        }
        (most, seen)
    }
}
