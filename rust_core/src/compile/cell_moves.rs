//! Moves by cell: there is one move for each cell that holds the pivot, such as a mark that is put into an empty cell.
//!
//! Then a search only has to find these cells. What the move in a cell does to a state and to its images is one entry
//! of a table. The number of the cell's top bit is the place of the entry.
//!
//! For example, take a board of 3 by 3 with one mark on it. Its images under a mirror have the same mark in another
//! cell. The eight empty cells are the eight moves, and each of them flips the bits of one cell in each image.

use super::end_screen::EndScreen;
use super::images::Lanes;
use super::prefixes::LANES;
use super::steps::Steps;
use super::word::Word;

/// The number of places of a table: one for each bit of a word.
const BITS: usize = u64::BITS as usize;

/// The move that is made in one cell.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct CellMove<W> {
    /// The bits that it flips in each image of a state. The first image is the state itself.
    pub flips: Lanes<W>,
    /// The top bits of the cells that must not hold the pivot. A cell without a move has all bits instead, so that
    /// nothing is made there.
    pub without: W,
    /// The screen of the ends that it may complete. If there are no screens, it rules out no state.
    pub screen: EndScreen<W>,
    /// The place of the move in [`Steps::list`].
    pub place: usize,
}

/// The moves of a player who has one move for each cell that may hold the pivot. Each move is at the number of the top
/// bit of its cell.
#[derive(Debug)]
pub struct CellMoves<W>(Box<[CellMove<W>; BITS]>);

impl<W: Word> CellMoves<W> {
    /// The moves of a player. For each move in [`Steps::list`], `flips` has the bits that it flips in the images of a
    /// state, and `screens` the screen of the ends that it may complete, if there are screens. `None` if the player's
    /// moves are not such moves, if there are no flips, or if words have more than 64 bits.
    #[inline(never)]
    pub fn new(steps: &Steps<W>, flips: &[Lanes<W>], screens: &[EndScreen<W>]) -> Option<Self> {
        if W::BYTES > 8 || flips.is_empty() {
            return None;
        }
        let mut moves = Vec::with_capacity(BITS);
        moves.resize_with(BITS, || CellMove {
            flips: [W::ZERO; LANES],
            without: W::ZERO.not(),
            screen: EndScreen::open(),
            place: 0,
        });
        for (bit, place) in steps.by_cell()? {
            moves[bit] = CellMove {
                flips: flips[place],
                without: steps.list[place].without,
                screen: screens.get(place).cloned().unwrap_or_else(EndScreen::open),
                place,
            };
        }
        Some(Self(moves.try_into().ok()?))
    }

    /// The move that is made in the cell whose top bit has the given number.
    #[inline(always)]
    pub fn of_bit(&self, bit: usize) -> &CellMove<W> {
        &self.0[bit % BITS]
    }
}
