//! The states of a job as rows: each state, the size of its orbit, and its outcome.

use std::ops::Range;

use super::state::State;
use crate::compile::{Compiled, Images, Word, bytes_of_all, pack_all};
use crate::error::Result;
use crate::job::DepthEntry;
use crate::rules::Rules;
use crate::run::parallel;
use crate::values::Value;

/// The number of states that one thread handles at a time.
pub(super) const AT_ONCE: usize = 1 << 12;

/// The depths of a job to read, and the number of states at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// The first depth to read.
    pub first: u64,
    /// The last depth. If the job has fewer depths that are done, reading ends with the last one.
    pub last: u64,
    /// The number of states in each list, except the last list of a depth.
    pub rows: usize,
}

impl Default for Span {
    fn default() -> Self {
        Self { first: 0, last: u64::MAX, rows: 1 << 18 }
    }
}

/// The most bytes that the states held at a time may take.
const MOST_BYTES: usize = 8 << 20;

impl Span {
    /// The same span with fewer states at a time, if states have many cells and would take much memory.
    pub(super) fn within(self, cells: usize) -> Self {
        // A state takes a byte for each symbol, and about as many bytes again for its packed word.
        Self { rows: self.rows.min(MOST_BYTES / (2 * cells)).max(AT_ONCE), ..self }
    }

    /// The depths of this span that are done.
    pub fn of(&self, depths: &[DepthEntry]) -> Range<usize> {
        let end = (self.last.saturating_add(1)).min(depths.len() as u64);
        self.first.min(end) as usize..end as usize
    }
}

/// A function that takes the rows that are read.
pub(super) type Found<'a> = &'a mut (dyn FnMut(Rows) -> Result<()> + Send);

/// Packed states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packed {
    /// Each state as a number, with cell 0 in the highest of the used bits.
    Numbers(Vec<u64>),
    /// Each state as the given number of bytes, the most significant first.
    Bytes(usize, Vec<u8>),
}

/// States of one depth, in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rows {
    /// The depth.
    pub depth: u64,
    /// The player to move, if turns alternate; see [`Self::player_of`].
    pub player: usize,
    /// For each row, the player to move, if a move may keep the turn. Otherwise it is empty.
    pub movers: Vec<u8>,
    /// The states as packed words of all cells, whether these vary or not. If a move may keep the turn, the player to
    /// move is one more cell, the last.
    pub packed: Packed,
    /// The states as symbols, one after the other.
    pub cells: Vec<u8>,
    /// For each row, the number of states in the orbit of its state.
    pub orbit_sizes: Vec<u32>,
    /// For each row, the outcome of its state, as a place among the outcomes; `None` if play goes on.
    pub outcomes: Vec<Option<u16>>,
    /// For each row, the value of its state for the player to move, if the job has the values of all states.
    pub values: Option<Vec<KeptValue>>,
}

/// The value of a state of a job for the player to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeptValue {
    /// A win, a draw or a loss; in a puzzle, a state that can be solved is a win.
    pub value: Value,
    /// `true` if the job has the number of moves to the end. If `false`, `value` has 0 in its place.
    pub has_distance: bool,
}

/// The result of looking up one state in a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookedUp {
    /// The value of the state for the player to move.
    pub value: KeptValue,
    /// The depth of the state in the job. `None` if play is over in the state: then its value follows from the rules
    /// alone, and no file is read.
    pub depth: Option<u32>,
}

impl KeptValue {
    /// 0 for a win, 1 for a draw, 2 for a loss; in a game with a score, 0, 1 or 2 for points above, at or below zero;
    /// in a puzzle, 0 for a state that can be solved and 1 for one that cannot.
    pub fn place(self) -> usize {
        match self.value {
            Value::Win(_) | Value::Score(1..) => 0,
            Value::Draw(_) | Value::Score(0) => 1,
            Value::Loss(_) | Value::Score(_) => 2,
        }
    }

    /// The points of the player to move; `None` if the game has no score.
    pub fn score(self) -> Option<i32> {
        if let Value::Score(points) = self.value { Some(points) } else { None }
    }

    /// The number of moves to the end, if it is known; in a game with a score, how many points one player is ahead.
    pub fn ahead(self) -> Option<u32> {
        self.score().map_or_else(|| self.distance(), |points| Some(points.unsigned_abs()))
    }

    /// The number of moves to the end, if there is an end and the number is known.
    pub fn distance(self) -> Option<u32> {
        match self.value {
            Value::Win(moves) | Value::Loss(moves) if self.has_distance => Some(moves),
            _ => None,
        }
    }
}

/// The columns of some rows that follow one another, which one thread fills.
struct RowChunk<'a> {
    cells: &'a mut [u8],
    /// The bytes of the packed words.
    bytes: &'a mut [u8],
    orbit_sizes: &'a mut [u32],
    outcomes: &'a mut [Option<u16>],
    movers: &'a mut [u8],
}

impl Rows {
    /// The rows of states of one depth, given as words.
    pub(super) fn new<W: Word>(
        compiled: &Compiled<W>,
        images: &Images<W>,
        words: &[W],
        depth: u64,
        player: usize,
    ) -> Self {
        let rules = compiled.structure.rules();
        let whole = compiled.varying.is_whole() && rules.turn.is_none();
        let mut rows = Self::empty(words.len(), rules, depth, player);
        rows.fill(rules, (W::BYTES, whole), &|first, chunk| {
            let width = chunk.cells.len() / chunk.movers.len();
            for (at, &word) in words[first..][..chunk.movers.len()].iter().enumerate() {
                compiled.unpack(word, &mut chunk.cells[at * width..][..width]);
                chunk.orbit_sizes[at] = images.orbit_size(word) as u32;
                chunk.outcomes[at] = compiled.outcome(word, player).map(|outcome| outcome as u16);
                chunk.movers[at] = compiled.mover(word, player) as u8;
                if whole {
                    word.to_bytes(&mut chunk.bytes[at * W::BYTES..][..W::BYTES]);
                }
            }
        });
        rows
    }

    /// Rows whose columns have zeros everywhere.
    fn empty(len: usize, rules: &Rules, depth: u64, player: usize) -> Self {
        Self {
            depth,
            player,
            movers: vec![0; len],
            packed: Packed::Numbers(Vec::new()),
            cells: vec![0; len * rules.board()],
            orbit_sizes: vec![0; len],
            outcomes: vec![None; len],
            values: None,
        }
    }

    /// Calls `read` for chunks of the rows, with the number of the first row of the chunk, to fill its columns. The
    /// words of the states take `word_bytes` bytes. If `whole` is `true`, they have the cells of the whole rules, and
    /// `read` writes their bytes. Otherwise the cells that it wrote are packed.
    fn fill(
        &mut self,
        rules: &Rules,
        (word_bytes, whole): (usize, bool),
        read: &(dyn Fn(usize, &mut RowChunk) + Sync),
    ) {
        let (width, symbols) = (rules.board(), rules.written_symbols().len());
        let word_bytes = if whole { word_bytes } else { word_bytes.max(bytes_of_all(rules.cells(), symbols)) };
        let mut bytes = vec![0; self.len() * word_bytes];
        let columns = self.orbit_sizes.chunks_mut(AT_ONCE).zip(self.outcomes.chunks_mut(AT_ONCE));
        let wide = self.cells.chunks_mut(AT_ONCE * width).zip(bytes.chunks_mut(AT_ONCE * word_bytes));
        let chunks = columns.zip(wide).zip(self.movers.chunks_mut(AT_ONCE));
        let mut chunks: Vec<RowChunk> = chunks
            .map(|(((orbit_sizes, outcomes), (cells, bytes)), movers)| RowChunk {
                cells,
                bytes,
                orbit_sizes,
                outcomes,
                movers,
            })
            .collect();
        parallel::each_mut(&mut chunks, |number, chunk| {
            read(number * AT_ONCE, chunk);
            if whole {
                return;
            }
            let states = chunk.cells.chunks_exact(width).zip(chunk.bytes.chunks_exact_mut(word_bytes));
            for ((cells, bytes), &mover) in states.zip(&*chunk.movers) {
                if rules.turn.is_some() {
                    // The player to move, 0 or 1, counts as one more cell.
                    pack_all(&[cells, &[mover]].concat(), symbols, bytes);
                } else {
                    pack_all(cells, symbols, bytes);
                }
            }
        });
        if rules.turn.is_none() {
            self.movers = Vec::new();
        }
        self.packed = if word_bytes > 8 {
            Packed::Bytes(word_bytes, bytes)
        } else {
            let number = |bytes: &[u8]| bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
            Packed::Numbers(bytes.chunks_exact(word_bytes).map(number).collect())
        };
    }

    /// The number of states.
    pub fn len(&self) -> usize {
        self.orbit_sizes.len()
    }

    /// Returns `true` if there are no states.
    pub fn is_empty(&self) -> bool {
        self.orbit_sizes.is_empty()
    }

    /// The state in a row.
    pub fn state(&self, row: usize) -> State {
        State { cells: self.cells_of(row).to_vec(), player: self.player_of(row) }
    }

    /// The player to move in the state in a row.
    pub fn player_of(&self, row: usize) -> usize {
        self.movers.get(row).map_or(self.player, |&mover| usize::from(mover))
    }

    /// The symbols of the state in a row.
    pub fn cells_of(&self, row: usize) -> &[u8] {
        let width = self.cells.len() / self.len();
        &self.cells[row * width..][..width]
    }
}
