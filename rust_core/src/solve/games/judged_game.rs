//! The game that a judge asks about, behind a trait that hides the width of words: positions have numbers there.

use super::alpha_beta::{AlphaBeta, Left, LimitedSearch, PositionSearch};
use super::keys::WordKeys;
use super::outcomes::Outcomes;
use super::plain_board::{PlainBoard, points_of};
use super::points::PointsToCome;
use super::score::{Score, score_of};
use super::set_board::{CodedSpots, KeptBoard, SetSpots};
use super::transpositions::Transpositions;
use crate::compile::{Compiled, Word};
use crate::run::{Budget, Watch};
use crate::solve::play::Position;
use crate::sorting;

/// A position of a game that is judged.
#[derive(Debug, Clone, Copy)]
pub struct SeenPosition {
    /// The player to move.
    pub player: usize,
    /// The number of the position among those that the judge has seen.
    number: usize,
}

/// The state of play after a move: it is over, with a score for the player who has moved, or it goes on in a position.
#[derive(Debug, Clone, Copy)]
pub enum Next {
    Over(Score),
    Open(SeenPosition),
}

/// The number of a move in the rules, and what follows the move.
pub type Moved = (usize, Next);

/// A game, as a judge needs it. The trait hides the width of words, so that the judge is compiled only once.
pub trait JudgedGame {
    /// The search that is asked about positions. It has the methods that need no position.
    fn search(&mut self) -> &mut dyn LimitedSearch;

    /// Decides whether a position scores at least `score`; see [`PositionSearch::ask`].
    fn ask(&mut self, at: SeenPosition, score: Score) -> Result<Score, Left>;

    /// The moves of a position that need a search, most promising first, by their numbers in the rules.
    fn in_order(&mut self, at: SeenPosition) -> Vec<usize>;

    /// The moves that can be made in a position, in the order of the rules.
    fn moves(&mut self, at: SeenPosition) -> Vec<Moved>;

    /// The points of the player to move, less those of the other player, if play ended in a position.
    fn points(&self, at: SeenPosition) -> Score;
}

/// A game whose positions are words.
pub struct GameOfWords<'a, W> {
    compiled: &'a Compiled<W>,
    outcomes: Outcomes,
    /// `true` in a game with a score, where scores are points.
    scored: bool,
    alpha_beta: Box<dyn PositionSearch<W> + 'a>,
    /// The words of the positions that the judge has seen, by number.
    words: Vec<W>,
}

impl<'a, W: Word> GameOfWords<'a, W> {
    /// The game of a position. The search about it may look at `most` positions. `points` are given in a game with a
    /// score.
    pub fn new(
        position: Position<'a, W>,
        board: &'a KeptBoard<W>,
        points: Option<PointsToCome>,
        budget: Budget,
        most: u64,
        watch: Watch<'a>,
    ) -> Self {
        let Position { compiled, images, word, .. } = position;
        let moves = [0, 1].map(|player: usize| compiled.steps[compiled.table_of(player)].list.len());
        let scored = points.is_some();
        let masks = if scored { None } else { board.of(compiled, images).filter(|board| board.serves(word)) };
        let alpha_beta = match masks {
            None => {
                let (board, table) = (PlainBoard::new(compiled, WordKeys(images), points), Transpositions::new(budget));
                AlphaBeta::new(board, moves, table, most, watch).by_words(|word| word)
            }
            Some(board) => match &board.codes {
                None => {
                    let (spots, table) = (SetSpots { board, keys: WordKeys(images) }, Transpositions::new(budget));
                    AlphaBeta::new(spots, moves, table, most, watch).by_words(move |word| board.spot(word))
                }
                Some(codes) => {
                    let symmetries = [0, images.order - 1].map(|at| images.symmetry(0, at));
                    let spots = CodedSpots { game: &board.game, codes, symmetries };
                    let table = Transpositions::new(budget);
                    AlphaBeta::new(spots, moves, table, most, watch).by_words(move |word| board.coded_spot(codes, word))
                }
            },
        };
        Self { compiled, outcomes: Outcomes::new(compiled), scored, alpha_beta, words: vec![word] }
    }

    /// The position that the game was made of.
    pub fn first(&self, player: usize) -> SeenPosition {
        SeenPosition { player: self.compiled.mover(self.words[0], player), number: 0 }
    }
}

impl<W: Word> JudgedGame for GameOfWords<'_, W> {
    fn search(&mut self) -> &mut dyn LimitedSearch {
        self.alpha_beta.limited()
    }

    fn ask(&mut self, at: SeenPosition, score: Score) -> Result<Score, Left> {
        self.alpha_beta.ask(self.words[at.number], at.player, score)
    }

    fn in_order(&mut self, at: SeenPosition) -> Vec<usize> {
        let order = self.alpha_beta.in_order(self.words[at.number], at.player);
        let steps = &self.compiled.steps[self.compiled.table_of(at.player)].list;
        order.into_iter().map(|step| steps[step as usize].index).collect()
    }

    fn moves(&mut self, at: SeenPosition) -> Vec<Moved> {
        let player = at.player;
        let steps = &self.compiled.steps[self.compiled.table_of(player)];
        let (mut after, mut moves) = (Vec::new(), Vec::new());
        steps.after(self.words[at.number], &mut after);
        for (place, next) in after {
            let step = &steps.list[place];
            let followed = match self.compiled.first_end(next, step) {
                Some(_) if self.scored => Next::Over(points_of(self.compiled, next, 1 - player, player)),
                Some(outcome) => Next::Over(score_of(self.outcomes.won(outcome, player), 1)),
                None => {
                    self.words.push(next);
                    Next::Open(SeenPosition {
                        player: self.compiled.mover(next, 1 - player),
                        number: self.words.len() - 1,
                    })
                }
            };
            moves.push((step.index, followed));
        }
        sort_by_index(&mut moves);
        moves
    }

    fn points(&self, at: SeenPosition) -> Score {
        points_of(self.compiled, self.words[at.number], at.player, at.player)
    }
}

/// Puts moves in the order of the rules. It is compiled once for all widths of words.
fn sort_by_index(moves: &mut [Moved]) {
    sorting::sort_by_key(moves, |&(index, _)| index);
}
