//! Finds which placements of a row play can reach, and in which of these play is over.
//!
//! No search is needed to know this, because marks are never taken away:
//!
//! * A placement without a line is reachable if it has the marks of the start. Take away a mark of the player who has
//!   moved last, but none of the start. That makes no line. So the placement before has no line either, and so on back
//!   to the start.
//! * A placement with lines is reachable if play was not over before the last move. So the player who has moved last
//!   must have a mark, not one of the start, that is in all lines. The placement without this mark then has no line,
//!   and is reachable.
//!
//! Take a row of four cells in which two neighbours win. `XXO.` is reachable: one of the two X came last. In `XXX.` the
//! mark in the middle is in both lines, so that one came last. `XXOO` is not reachable: O has moved last, and the line
//! is of X.

use super::tier::Tier;
use crate::index::{Cells, PlacementIndex};
use crate::rules::Rules;
use crate::run::Worth;

/// A line of marks, and its value for the player to move.
#[derive(Clone, Copy)]
struct MarkLine {
    cells: Cells,
    worth: Worth,
}

/// A line, by places of the row, and those of 64 columns that have marks in all its places.
struct HeldLine {
    line: MarkLine,
    columns: u64,
}

/// The placements of a row that play reaches, and those of them in which play is over. Each is a set of columns, with a
/// bit for each column.
#[derive(Default)]
pub(super) struct RowStatus {
    /// The columns whose placement play reaches, and from which play goes on.
    pub open: Vec<u64>,
    /// The columns whose placement play reaches, and in which play is over.
    pub over: Vec<u64>,
    /// The columns in which play is over and the player to move has lost.
    pub lost: Vec<u64>,
    /// The columns in which play is over and the player to move has not won.
    pub unwon: Vec<u64>,
    /// The lines of second marks that do not touch the row's first marks.
    lines: Vec<MarkLine>,
    /// The lines among [`Self::lines`] that at least one of the current 64 columns contains.
    held: Vec<HeldLine>,
}

impl RowStatus {
    fn clear(&mut self, stride: usize) {
        for bits in [&mut self.open, &mut self.over, &mut self.lost, &mut self.unwon] {
            bits.clear();
            bits.resize(stride, 0);
        }
    }

    /// Notes that play is over in some of 64 columns, with a value for the player to move.
    #[inline(always)]
    fn end(&mut self, word: usize, columns: u64, worth: Worth) {
        self.over[word] |= columns;
        if worth != Worth::Win {
            self.unwon[word] |= columns;
        }
        if worth == Worth::Loss {
            self.lost[word] |= columns;
        }
    }
}

/// Decides which placements of one tier play can reach, and in which of these play is over.
pub(super) struct Terminals {
    cells: usize,
    start: [Cells; 2],
    /// The mark that was put last: 0 for the first mark, 1 for the second.
    pub last: usize,
    /// The lines of the mark that was put last, in order of precedence.
    ends: Vec<MarkLine>,
    /// The lines of the other mark.
    others: Vec<Cells>,
    /// The value, for the player to move, of a full board without a line; `None` if the board is not full.
    full: Option<Worth>,
}

impl Terminals {
    /// Prepares the decisions about the tier of a depth. Play must not be over at the start.
    pub fn new(index: &PlacementIndex, rules: &Rules, depth: u64) -> Self {
        let players = index.marks.len();
        let player = (depth % players as u64) as usize;
        let mover = (player + players - 1) % players;
        let (last, stuck) = (index.marks[mover], rules.stuck_outcome(player, false));
        let lines_of =
            |mover: usize| index.ends[mover].iter().flat_map(|(end, sets)| sets.iter().map(|&set| (*end, set)));
        let of_others = (0..players).filter(|&other| index.marks[other] != last);
        Self {
            cells: index.cells,
            start: index.start,
            last,
            ends: lines_of(mover)
                .map(|(end, cells)| MarkLine { cells, worth: Worth::of(rules, end, player) })
                .collect(),
            others: of_others.flat_map(|other| lines_of(other).map(|(_, cells)| cells)).collect(),
            full: (depth == index.last_depth()).then(|| Worth::of(rules, stuck, player)),
        }
    }

    /// The value for the player to move if `set` contains a line. `set` has the cells of the mark that was put last.
    #[inline(always)]
    pub fn ended(&self, set: Cells) -> Option<Worth> {
        self.ends.iter().find(|line| line.cells & !set == 0).map(|line| line.worth)
    }

    /// Returns `true` if play may reach states of a row, judged by the row's first marks alone.
    #[inline(always)]
    pub fn may_reach(&self, row: Cells) -> bool {
        if self.start[0] & !row != 0 || self.start[1] & row != 0 {
            return false;
        }
        if self.last != 0 {
            return !self.others.iter().any(|line| line & !row == 0);
        }
        let mut lines = self.ends.iter().filter(|line| line.cells & !row == 0).peekable();
        lines.peek().is_none() || lines.fold(row & !self.start[0], |common, line| common & line.cells) != 0
    }

    /// Finds out which states of a row play reaches, and in which of them play is over. Returns `true` if it reaches
    /// any.
    #[inline(always)]
    pub fn judge(&self, tier: &Tier, row: Cells, status: &mut RowStatus) -> bool {
        if !self.may_reach(row) {
            return false;
        }
        status.clear(tier.stride);
        let first_last = self.last == 0;
        let over = if first_last { self.ended(row) } else { None };
        let mut places = [0u8; 32];
        let free = (0..self.cells).filter(|cell| row >> cell & 1 == 0);
        free.enumerate().for_each(|(place, cell)| places[cell] = place as u8);
        let within = |set: Cells| {
            (0..self.cells).filter(|cell| set >> cell & 1 != 0).fold(0, |sum: Cells, cell| sum | 1 << places[cell])
        };
        status.lines.clear();
        if first_last {
            let lines = self.others.iter().filter(|&line| line & row == 0);
            status.lines.extend(lines.map(|&line| MarkLine { cells: within(line), worth: Worth::Draw }));
        } else {
            let lines = self.ends.iter().filter(|line| line.cells & row == 0);
            status.lines.extend(lines.map(|line| MarkLine { cells: within(line.cells), ..*line }));
        }
        let given = within(self.start[1]);
        let mut any = 0;
        for word in 0..tier.stride {
            let lineless = self.without_lines(tier, given, word, status);
            match over.or(self.full) {
                Some(worth) => status.end(word, lineless, worth),
                None => status.open[word] = lineless,
            }
            any |= lineless | status.over[word];
        }
        any != 0
    }

    /// Of the 64 columns of a word (a column is a set of cells with marks of the second player): those that have the
    /// second player's marks of the start, which are in the places `given`, and that have no line. If the second player
    /// has moved last, `status` notes which columns have a line and can be reached.
    #[inline(always)]
    fn without_lines(&self, tier: &Tier, given: Cells, word: usize, status: &mut RowStatus) -> u64 {
        let having = |set: Cells, columns: u64| {
            let mut rest = set;
            let mut columns = columns;
            while rest != 0 && columns != 0 {
                columns &= tier.having(rest.trailing_zeros() as usize)[word];
                rest &= rest - 1;
            }
            columns
        };
        let columns = having(given, tier.all[word]);
        let mut held = std::mem::take(&mut status.held);
        held.clear();
        // The columns with at least one line, and the columns with at least two lines.
        let (mut one, mut two) = (0, 0);
        for &line in &status.lines {
            let columns = having(line.cells, columns);
            if columns != 0 {
                two |= one & columns;
                one |= columns;
                held.push(HeldLine { line, columns });
            }
        }
        if self.last == 1 && one != 0 {
            // If there is only one line, it has a mark that is not in the start, since play was not over there.
            let mut rest = one & !two;
            if two != 0 {
                for place in (0..tier.places).filter(|place| given >> place & 1 == 0) {
                    let lacking = held.iter().filter(|held| held.line.cells >> place & 1 == 0);
                    rest |= two & !lacking.fold(0, |sum, held| sum | held.columns);
                }
            }
            for HeldLine { line, columns } in &held {
                status.end(word, rest & columns, line.worth);
                rest &= !columns;
            }
        }
        status.held = held;
        columns & !one
    }
}
