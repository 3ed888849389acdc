//! Games of at most 64 cells whose moves replace known symbols, with positions as bit masks of cells.
//!
//! A move replaces a known symbol if its guard says what the cell holds. The guards and ends of the rules mention sets
//! of symbols. For each of these sets, a position has a mask: the cells that hold a symbol of the set. With masks, a
//! move flips bits, and guards and ends are tested by a few operations.
//!
//! For example, take a row of four cells, `XX.O`, and the end "`X` in cells 0, 1 and 2". Cells 0 and 1 hold `X`, so the
//! end lacks only cell 2. If X is to move, a move there completes the end. If O is to move, X threatens to complete it.
//! Another end, "`X` in cells 1, 2 and 3", is dead, because no move turns `O` into `X`. An end that is not dead is
//! open.

use std::sync::{Arc, OnceLock};

use super::board::{Board, Candidate, Glance, PositionKey};
use super::chain_codes::{ChainCodes, CodePair};
use super::keys::WordKeys;
use super::masks::{CellChange, MOST_CELLS, SETS};
use super::outcomes::Outcomes;
use super::set_game::{SetGame, changes};
use crate::compile::{Compiled, Images, Word};
use crate::rules::Symmetry;

/// A position: its word, and for each set of symbols the mask of the cells that hold a symbol of the set.
#[derive(Debug, Clone, Copy)]
pub struct CellSets<W> {
    word: W,
    sets: [u64; SETS],
}

/// A game whose positions are masks of cells, as a search sees it.
pub struct SetBoard<W> {
    compiled: Arc<Compiled<W>>,
    pub(super) game: SetGame,
    /// For each player and each move of that player, the bits that the move flips in the word.
    words: [Vec<W>; 2],
    /// The short codes of positions; `None` if the cells are not in chains, or if there are many symmetries.
    pub codes: Option<ChainCodes>,
}

impl<W: Word> SetBoard<W> {
    /// `true` if games with words of this type are searched by masks. A larger word has room for more cells than a
    /// mask, even with four bits a cell. Rules use the narrowest word that holds a state, so rules with a larger word
    /// have too many cells, or more than sixteen symbols. Few games have so many symbols and few sets of them, and
    /// those are searched like any other rules.
    const SERVES: bool = 2 * size_of::<W>() <= MOST_CELLS;

    /// Prepares a game. `None` if its rules do not fit: too many cells or sets of symbols, forced passes, moves that
    /// keep the turn or write what depends on the state, or ends and guards with further conditions.
    pub fn new(compiled: &Arc<Compiled<W>>, images: &Images<W>) -> Option<Self> {
        let rules = &*compiled.rules;
        if rules.turn.is_some() {
            return None;
        }
        let steps = |player: usize| compiled.steps[player].list.iter().map(|step| (step.index, &*step.ends)).collect();
        let game = SetGame::new(rules, Outcomes::new(compiled), &[steps(0), steps(1)])?;
        let flipped = |&(cell, old, new): &CellChange| compiled.layout.field::<W>(cell, old ^ new);
        let word = |index: usize| Some(changes(&rules.moves[index])?.iter().map(flipped).fold(W::ZERO, W::or));
        let words = |player: usize| compiled.steps[player].list.iter().map(|step| word(step.index)).collect();
        let [first, second]: [Option<Vec<W>>; 2] = [words(0), words(1)];
        // The symmetry that is not the identity, if there is one.
        let codes = (images.order <= 2).then(|| game.codes(images.symmetry(0, images.order - 1))).flatten();
        Some(Self { compiled: Arc::clone(compiled), game, words: [first?, second?], codes })
    }
}

/// A game as masks of cells, made when a position is first asked about.
pub struct KeptBoard<W>(OnceLock<Option<SetBoard<W>>>);

impl<W: Word> KeptBoard<W> {
    /// A game that is not made yet.
    pub fn new() -> Self {
        Self(OnceLock::new())
    }

    /// The game, which must always be the same, with the same symmetries; `None` if it is not searched by masks.
    pub fn of(&self, compiled: &Arc<Compiled<W>>, images: &Images<W>) -> Option<&SetBoard<W>> {
        if !SetBoard::<W>::SERVES {
            return None;
        }
        self.0.get_or_init(|| SetBoard::new(compiled, images)).as_ref()
    }
}

impl<W: Word> SetBoard<W> {
    /// `true` if the search by masks gives the right value of this position. It does not if a cell of a chain is taken
    /// while one before it is free. A board that was set up by hand may have such a disk, which hangs over a free cell.
    pub fn serves(&self, word: W) -> bool {
        self.game.chains_are_filled_in_order(&self.sets(word))
    }

    /// A position with its word.
    pub fn spot(&self, word: W) -> CellSets<W> {
        CellSets { word, sets: self.sets(word) }
    }

    /// A position with its codes.
    pub fn coded_spot(&self, codes: &ChainCodes, word: W) -> CodedSets {
        let sets = self.sets(word);
        CodedSets { codes: codes.of(&sets), sets }
    }

    /// The masks of a position.
    fn sets(&self, word: W) -> [u64; SETS] {
        let mut sets = [0; SETS];
        for cell in 0..self.compiled.layout.cells() {
            let symbol = self.compiled.layout.get(word, cell);
            for (cells, set) in sets.iter_mut().zip(&self.game.sets) {
                *cells |= u64::from(set.contains(symbol)) << cell;
            }
        }
        sets
    }
}

/// A game as masks of cells, as a search sees it whose table keeps words.
pub struct SetSpots<'a, W> {
    pub board: &'a SetBoard<W>,
    pub keys: WordKeys<'a, W>,
}

impl<W: Word> Board for SetSpots<'_, W> {
    type Spot = CellSets<W>;
    type Key = W;

    fn keys_are_quick(&self) -> bool {
        self.keys.are_quick()
    }

    #[inline(always)]
    fn images(&self, ahead: usize) -> usize {
        self.keys.images(ahead)
    }

    #[inline(always)]
    fn key(&self, spot: &CellSets<W>, ahead: usize) -> PositionKey<W> {
        self.keys.key(spot.word, ahead)
    }

    fn symmetry(&self, number: usize) -> &Symmetry {
        self.keys.symmetry(number)
    }

    #[inline(always)]
    fn look(&self, spot: &CellSets<W>, player: usize, found: &mut Vec<Candidate>) -> Glance {
        self.board.game.look(&spot.sets, player, found)
    }

    #[inline(always)]
    fn rank(&self, spot: &CellSets<W>, player: usize, to_win: bool, found: &mut [Candidate]) {
        self.board.game.rank(&spot.sets, player, to_win, found);
    }

    #[inline(always)]
    fn follow(&self, spot: &CellSets<W>, player: usize, step: u32) -> CellSets<W> {
        let sets = self.board.game.after(&spot.sets, player, step);
        CellSets { word: spot.word.xor(self.board.words[player][step as usize]), sets }
    }

    #[inline(always)]
    fn cell(&self, player: usize, step: u32) -> usize {
        self.board.game.cell(player, step)
    }
}

/// A game as masks of cells, as a search sees it whose table keeps the short codes of [`ChainCodes`].
pub struct CodedSpots<'a> {
    pub game: &'a SetGame,
    pub codes: &'a ChainCodes,
    /// The two symmetries; the identity twice if there is no other.
    pub symmetries: [&'a Symmetry; 2],
}

/// A position: its codes, and for each set of symbols the mask of the cells that hold a symbol of the set.
#[derive(Debug, Clone, Copy)]
pub struct CodedSets {
    codes: CodePair,
    sets: [u64; SETS],
}

#[inline(always)]
fn key_of([code, image]: CodePair) -> PositionKey<u64> {
    PositionKey { word: code.min(image), symmetry: Some(usize::from(image < code)) }
}

impl Board for CodedSpots<'_> {
    type Spot = CodedSets;
    type Key = u64;

    #[inline(always)]
    fn keys_are_quick(&self) -> bool {
        true
    }

    #[inline(always)]
    fn images(&self, _ahead: usize) -> usize {
        0
    }

    #[inline(always)]
    fn key(&self, spot: &CodedSets, _ahead: usize) -> PositionKey<u64> {
        key_of(spot.codes)
    }

    #[inline(always)]
    fn key_after(&self, spot: &CodedSets, player: usize, step: u32) -> Option<PositionKey<u64>> {
        Some(key_of(self.codes.after(spot.codes, player, self.game.cell(player, step))))
    }

    fn symmetry(&self, number: usize) -> &Symmetry {
        self.symmetries[number]
    }

    #[inline(always)]
    fn look(&self, spot: &CodedSets, player: usize, found: &mut Vec<Candidate>) -> Glance {
        self.game.look(&spot.sets, player, found)
    }

    #[inline(always)]
    fn rank(&self, spot: &CodedSets, player: usize, to_win: bool, found: &mut [Candidate]) {
        self.game.rank(&spot.sets, player, to_win, found);
    }

    #[inline(always)]
    fn follow(&self, spot: &CodedSets, player: usize, step: u32) -> CodedSets {
        let codes = self.codes.after(spot.codes, player, self.game.cell(player, step));
        CodedSets { codes, sets: self.game.after(&spot.sets, player, step) }
    }

    #[inline(always)]
    fn cell(&self, player: usize, step: u32) -> usize {
        self.game.cell(player, step)
    }
}
