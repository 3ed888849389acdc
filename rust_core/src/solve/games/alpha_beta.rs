//! Alpha-beta search. It answers the question whether the score of a position is at least a given number.
//!
//! An answer is a proven bound of the score, which stays true for later questions. So all bounds are kept in one
//! transposition table, and every question uses the bounds of earlier questions, even of those about other positions. A
//! question about a win in at most `n` moves looks no further than `n` moves ahead. So it has an answer even if play
//! can come back to a position.

use super::board::{Board, Candidate, Glance, PositionKey};
use super::score::Score;
use super::transpositions::{NO_CELL, Proven, Transpositions};
use crate::rules::Symmetry;
use crate::run::Watch;
use crate::solve::clock::Clock;
use crate::sorting;

/// If keys take many images, the watch is asked each time that keys have taken this number of
/// images. That takes some hundredths of a second.
const IMAGES_AT_WATCH: usize = 1 << 20;

/// The most moves that the search looks ahead. It bounds the list of positions from the root to the present one.
const MOST_AHEAD: usize = 400;

/// A position with fewer moves to try than this is not looked up in the table.
const LEAST_CHOICE: usize = 2;

/// The largest number in a history. It takes the low 16 bits of a move's merit, and the merit that the board gives
/// takes the bits above.
const MOST_HISTORY: i32 = (1 << 16) - 1;

/// The reason why the search ended without an answer. The bounds that it has put into the table are proven all the
/// same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Left {
    /// The limit on positions, or on moves ahead, was reached.
    Limit,
    /// The watch stopped the search.
    Stopped,
}

/// A search of one game, with its transposition table.
pub struct AlphaBeta<'a, B: Board> {
    /// The game that is searched.
    board: B,
    /// The bounds of scores that have been proven so far.
    table: Transpositions<B::Key>,
    candidates: Vec<Candidate>,
    /// The history heuristic: for each player and each move of that player, how often the move has settled a question.
    /// It counts more if there were many moves to choose from.
    history: [Vec<i32>; 2],
    clock: Clock<'a>,
    /// The number of images that were made for keys since their number last made the search ask the watch.
    images_made: usize,
    /// The most positions that the search may look at, over all questions.
    most: u64,
    left: Option<Left>,
    /// The stack of the search: the positions from the root to the present one.
    way: Vec<Branch<B>>,
}

/// A question about a position. If the score is between `alpha` and `beta`, the answer is the score. Otherwise the
/// answer need only be a bound: that the score is at most `alpha`, or at least `beta`.
#[derive(Clone, Copy)]
struct Asking<S> {
    spot: S,
    player: usize,
    alpha: Score,
    beta: Score,
}

/// A position on the stack of the search, some of whose moves have been tried.
struct Branch<B: Board> {
    asking: Asking<B::Spot>,
    glance: Glance,
    /// The best score of the moves that have been tried.
    best: Score,
    /// The range of the moves to be tried, in the list of candidates.
    begin: usize,
    end: usize,
    /// `true` if the move that was tried last keeps the turn.
    again: bool,
    /// The next move to be tried, in the list of candidates. All candidates of the position before it have been tried.
    at: usize,
    /// The data for the position's entry in the table; `None` if the position has too few moves to be looked up.
    entry: Option<NotedEntry<B::Key>>,
}

/// The data that a position on the stack keeps for its entry in the table.
struct NotedEntry<K> {
    key: PositionKey<K>,
    /// The hint that the table had before this search: the first cell that the best move writes.
    hint: u16,
    /// The number of positions that the search had looked at before it tried the moves of this position.
    looked: u64,
    /// The best move, if it scores more than `alpha`; otherwise `None`.
    step: Option<u32>,
    /// The end, in the list of candidates, of the moves that the table hints at. They are tried first, and the others
    /// get their merits only after them.
    hinted: usize,
}

/// A search of one game, without the type of its positions, so that the code that asks is compiled only once.
pub trait PositionSearch<W> {
    /// Decides whether a position scores at least `score`, by a search with a null window. If the returned number is at
    /// least `score`, it is a lower bound of the position's score. Otherwise it is an upper bound.
    ///
    /// # Errors
    ///
    /// [`Left`] if the search ended without an answer.
    fn ask(&mut self, word: W, player: usize, score: Score) -> Result<Score, Left>;

    /// The moves of a position that need a search, most promising first, as places in the list of the player's moves.
    fn in_order(&mut self, word: W, player: usize) -> Vec<u32>;

    /// The search with the methods that need no position.
    fn limited(&mut self) -> &mut dyn LimitedSearch;
}

/// The work of a search of one game, and its limit.
pub trait LimitedSearch {
    /// The number of positions that the search has looked at so far.
    fn looked(&self) -> u64;

    /// The number of positions that have proven bounds in the table.
    fn known(&self) -> u64;

    /// Sets the most positions that the search may look at, over all questions.
    fn look_at_most(&mut self, positions: u64);
}

/// A search that is asked about positions as packed words, which `unpack` unpacks.
struct ByWords<'a, B: Board, F> {
    search: AlphaBeta<'a, B>,
    unpack: F,
}

impl<W, B: Board, F: Fn(W) -> B::Spot> PositionSearch<W> for ByWords<'_, B, F> {
    fn ask(&mut self, word: W, player: usize, score: Score) -> Result<Score, Left> {
        self.search.ask(&(self.unpack)(word), player, score)
    }

    fn in_order(&mut self, word: W, player: usize) -> Vec<u32> {
        self.search.in_order(&(self.unpack)(word), player)
    }

    fn limited(&mut self) -> &mut dyn LimitedSearch {
        &mut self.search
    }
}

impl<B: Board> LimitedSearch for AlphaBeta<'_, B> {
    fn looked(&self) -> u64 {
        self.clock.states
    }

    fn known(&self) -> u64 {
        self.table.len() as u64
    }

    fn look_at_most(&mut self, positions: u64) {
        self.most = positions;
    }
}

impl<'a, B: Board> AlphaBeta<'a, B> {
    /// A search that has answered no question yet. `moves` has the number of moves of each player, and `most` limits
    /// the positions that are looked at.
    pub fn new(board: B, moves: [usize; 2], table: Transpositions<B::Key>, most: u64, watch: Watch<'a>) -> Self {
        let history = moves.map(|count| vec![0; count]);
        let (candidates, clock) = (Vec::new(), Clock::new(watch));
        let way = Vec::new();
        Self { board, table, candidates, history, clock, images_made: 0, most, left: None, way }
    }

    /// The search as one that is asked about packed words. `unpack` unpacks a word.
    pub fn by_words<W>(self, unpack: impl Fn(W) -> B::Spot + 'a) -> Box<dyn PositionSearch<W> + 'a>
    where
        B: 'a,
    {
        Box::new(ByWords { search: self, unpack })
    }

    /// Does what [`PositionSearch::ask`] does. It is not inlined, so a search that several widths of words share is
    /// compiled only once.
    #[inline(never)]
    fn ask(&mut self, spot: &B::Spot, player: usize, score: Score) -> Result<Score, Left> {
        self.left = None;
        let begin = self.candidates.len();
        let found = self.search(Asking { spot: *spot, player, alpha: score - 1, beta: score });
        self.candidates.truncate(begin);
        self.left.map_or(Ok(found), Err)
    }

    /// Does what [`PositionSearch::in_order`] does.
    #[inline(never)]
    fn in_order(&mut self, spot: &B::Spot, player: usize) -> Vec<u32> {
        let begin = self.candidates.len();
        self.board.look(spot, player, &mut self.candidates);
        let mut found = self.candidates.split_off(begin);
        self.board.rank(spot, player, false, &mut found);
        by_merit(found)
    }

    /// Counts the images that a key takes, and returns `true` if the search is to stop. With many symmetries, keys take
    /// so long that the clock alone would ask the watch too seldom.
    #[inline(always)]
    fn stops_sooner(&mut self, ahead: usize) -> bool {
        let images = self.board.images(ahead);
        if images == 0 {
            return false;
        }
        self.images_made += images;
        if self.images_made < IMAGES_AT_WATCH {
            return false;
        }
        self.images_made = 0;
        self.clock.asks()
    }

    /// The hint for a move after a symmetry: the cell to which the symmetry carries the first cell that the move
    /// writes.
    fn image_of(&self, symmetry: &Symmetry, player: usize, step: u32) -> u16 {
        symmetry.cells[self.board.cell(player, step)] as u16
    }

    /// Answers a question: the score if it is between `alpha` and `beta`, a lower bound if it is at least `beta`, and
    /// an upper bound if it is at most `alpha`. The caller must remove the candidates that the search has added. The
    /// search is not recursive, so play of any length fits the stack of a thread.
    fn search(&mut self, root: Asking<B::Spot>) -> Score {
        self.way.clear();
        let mut next = root;
        loop {
            let mut score = self.look(next);
            // The search goes back from positions whose moves have all been tried, and from those whose question is
            // settled. `note`, `try_next` and `finish` are each called at one place only, because they are inlined.
            next = loop {
                let settled = match score {
                    None => false,
                    Some(_) if self.left.is_some() => return 0,
                    Some(score) => {
                        let Some(branch) = self.way.last() else { return score };
                        let (found, again) = (self.board.before(score), branch.again);
                        self.note(if again { -found } else { found })
                    }
                };
                match if settled { None } else { self.try_next() } {
                    Some(asking) => break asking,
                    None => score = Some(self.finish()),
                }
            };
        }
    }

    /// Looks at a position, and at the bounds that the table has of it. Returns its score, or a bound of the score that
    /// answers the question. `None` if its moves must be tried; then the position is put on the stack.
    #[inline(always)]
    fn look(&mut self, asking: Asking<B::Spot>) -> Option<Score> {
        let Asking { spot, player, alpha, beta } = asking;
        // Without room between the bounds, an answer could not tell a lower bound from an upper one.
        debug_assert!(alpha < beta, "the bounds {alpha} and {beta} leave no room");
        let ahead = self.way.len();
        if self.clock.stops() || self.stops_sooner(ahead) {
            self.left = Some(Left::Stopped);
        } else if self.clock.states >= self.most || ahead > MOST_AHEAD {
            self.left = Some(Left::Limit);
        }
        if self.left.is_some() {
            return Some(0);
        }
        // A key that takes little time is found before the look, so that its entry is fetched during the look.
        let key = self.board.keys_are_quick().then(|| self.board.key(&spot, ahead));
        if let Some(key) = &key {
            self.table.prefetch(key.word, player);
        }
        let begin = self.candidates.len();
        let glance = self.board.look(&spot, player, &mut self.candidates);
        let end = self.candidates.len();
        debug_assert!(glance.least >= glance.best, "a move scores {}, so the position scores no less", glance.best);
        if glance.least >= beta || glance.least == glance.most {
            return Some(glance.least);
        }
        if glance.most <= alpha {
            return Some(glance.most);
        }
        let mut branch = Branch { asking, glance, best: glance.best, begin, end, again: false, at: begin, entry: None };
        if end - begin >= LEAST_CHOICE {
            let key = key.unwrap_or_else(|| self.board.key(&spot, ahead));
            let known = self.table.get(key.word, player).unwrap_or(Proven::NOTHING);
            if known.least >= beta || known.least == known.most {
                return Some(known.least);
            }
            if known.most <= alpha {
                return Some(known.most);
            }
            if let Some(settled) = self.look_after(&mut branch) {
                return Some(settled);
            }
            let looked = self.clock.states;
            let hinted = self.put_hinted_first(player, begin, known.hint, &key);
            branch.entry = Some(NotedEntry { key, hint: known.hint, looked, step: None, hinted });
        }
        self.way.push(branch);
        None
    }

    /// Looks at the bounds that the table has of the positions after the moves of a position, if their keys take little
    /// time ("enhanced transposition cutoff", J. Schaeffer and A. Plaat 1996). Returns the score of a
    /// move that answers the question, or the best score if none of the moves does better than `alpha`. Otherwise,
    /// moves that do no better than `alpha` are removed from the list of candidates.
    #[inline(always)]
    fn look_after(&mut self, branch: &mut Branch<B>) -> Option<Score> {
        let Asking { spot, player, alpha, beta } = branch.asking;
        for candidate in &self.candidates[branch.begin..branch.end] {
            let key = self.board.key_after(&spot, player, candidate.step)?;
            self.table.prefetch(key.word, 1 - player);
        }
        let mut kept = branch.begin;
        for at in branch.begin..branch.end {
            let candidate = self.candidates[at];
            let key = self.board.key_after(&spot, player, candidate.step)?;
            let known = self.table.get(key.word, 1 - player).unwrap_or(Proven::NOTHING);
            let (least, most) = (self.board.before(known.most), self.board.before(known.least));
            if least >= beta {
                return Some(least);
            }
            if most <= alpha {
                branch.best = branch.best.max(most);
            } else {
                self.candidates[kept] = candidate;
                kept += 1;
            }
        }
        self.candidates.truncate(kept);
        branch.end = kept;
        (kept == branch.begin).then(|| branch.best.max(branch.glance.least))
    }

    /// Takes the next move of the last position on the stack, and returns the question about the position after that
    /// move. `None` if all moves have been tried.
    #[inline(always)]
    fn try_next(&mut self) -> Option<Asking<B::Spot>> {
        let branch = self.way.last_mut().expect("a position is on the way");
        let (at, end) = (branch.at, branch.end);
        if at == end {
            return None;
        }
        branch.at += 1;
        let hinted = branch.entry.as_ref().map_or(usize::MAX, |entry| entry.hinted);
        if at == hinted {
            let asking = branch.asking;
            self.rank(&asking, at);
        }
        if at >= hinted {
            // Of moves with the same merit, the first comes first.
            let rest = &mut self.candidates[at..end];
            let mut most = 0;
            for other in 1..rest.len() {
                most = if rest[other].merit > rest[most].merit { other } else { most };
            }
            rest.swap(0, most);
        }
        let branch = self.way.last_mut().expect("a position is on the way");
        let Asking { spot, player, alpha, beta } = branch.asking;
        let spot = self.board.follow(&spot, player, self.candidates[at].step);
        let next = self.board.next_player(&spot, player);
        branch.again = next == player;
        let (alpha, beta) = (self.board.after(beta), self.board.after(alpha.max(branch.best)));
        if next == player {
            return Some(Asking { spot, player, alpha: -beta, beta: -alpha });
        }
        Some(Asking { spot, player: next, alpha, beta })
    }

    /// Notes the score of the move that was tried last. Returns `true` if it settles the question about the position.
    #[inline(always)]
    fn note(&mut self, found: Score) -> bool {
        let branch = self.way.last_mut().expect("a position is on the way");
        let (tried, Asking { player, alpha, beta, .. }) = (self.candidates[branch.at - 1].step, branch.asking);
        self.candidates.truncate(branch.end);
        if found > branch.best {
            branch.best = found;
            if let Some(entry) = &mut branch.entry {
                entry.step = (found > alpha).then_some(tried);
            }
        }
        let settled = branch.best >= beta;
        if settled && branch.entry.is_some() {
            let candidates = branch.end - branch.begin;
            self.praise(player, tried, candidates);
        }
        settled
    }

    /// Removes the last position from the stack, and puts its proven bounds into the table. Returns its score, or the
    /// bound of the score that is proven.
    #[inline(always)]
    fn finish(&mut self) -> Score {
        let Branch { asking, glance, best, entry, .. } = self.way.pop().expect("a position is on the way");
        let best = best.max(glance.least);
        let Some(NotedEntry { key, hint, looked, step, .. }) = entry else { return best };
        let Asking { player, alpha, beta, .. } = asking;
        let hint =
            step.zip(key.symmetry).map_or(hint, |(step, at)| self.image_of(self.board.symmetry(at), player, step));
        let proven = if best >= beta {
            Proven { least: best, most: glance.most, hint }
        } else if best <= alpha {
            Proven { least: glance.least, most: best, hint }
        } else {
            Proven { least: best, most: best, hint }
        };
        let work = u64::BITS - (self.clock.states - looked).leading_zeros();
        self.table.add(key.word, player, proven, work as u8);
        best
    }

    /// Puts the moves that the table hints at before the other moves. Returns the place after them in the list of
    /// candidates.
    #[inline(always)]
    fn put_hinted_first(&mut self, player: usize, begin: usize, hint: u16, key: &PositionKey<B::Key>) -> usize {
        let Some(symmetry) = key.symmetry.filter(|_| hint != NO_CELL) else { return begin };
        let mut hinted = begin;
        for at in begin..self.candidates.len() {
            if self.image_of(self.board.symmetry(symmetry), player, self.candidates[at].step) == hint {
                self.candidates.swap(hinted, at);
                hinted += 1;
            }
        }
        hinted
    }

    /// Gives each move to be tried its merit, by which the moves are ordered: first those that the board prefers. Among
    /// equals, the move with the larger history comes first.
    #[inline(always)]
    fn rank(&mut self, asking: &Asking<B::Spot>, begin: usize) {
        let Asking { spot, player, beta, .. } = *asking;
        self.board.rank(&spot, player, beta > 0, &mut self.candidates[begin..]);
        for candidate in &mut self.candidates[begin..] {
            let past = self.history[player][candidate.step as usize];
            candidate.merit = candidate.merit.saturating_mul(MOST_HISTORY + 1).saturating_add(past);
        }
    }

    /// Adds to the history of a move that has settled a question. `candidates` is the number of moves to choose from.
    #[inline(always)]
    fn praise(&mut self, player: usize, step: u32, candidates: usize) {
        let history = &mut self.history[player];
        history[step as usize] += (candidates * candidates).min(1 << 12) as i32;
        if history[step as usize] > MOST_HISTORY {
            for past in history {
                *past /= 2;
            }
        }
    }
}

/// The moves of some candidates, the most promising first.
fn by_merit(mut candidates: Vec<Candidate>) -> Vec<u32> {
    sorting::sort_by_key(&mut candidates, |candidate| -candidate.merit);
    candidates.into_iter().map(|candidate| candidate.step).collect()
}
