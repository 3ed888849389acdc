//! Moves as bits of a set. The moves that can be made in a state are found all at once, without a jump that depends on
//! which of them these are. No processor could foresee such a jump.
//!
//! Neighbouring cells that guards ask for are a chunk, and each chunk has a table. For all that these cells can hold, a
//! row of the table has the moves whose guards allow it, one bit for each move. The moves that can be made are in the
//! rows of all chunks.
//!
//! For example, let three moves demand "cell 0 is a", "cell 0 is b and cell 1 is a", and "cell 1 is b". The row of cell
//! 0 for `b` has the bits 011, as the first move does not allow it, and the row of cell 1 for `a` has 110. So in the
//! state `ba`, 011 and 110 leave 010: the second move.
//!
//! If all moves ask for the cell that says whose turn it is, those of each player have tables of their own.
//!
//! A set has at most 512 moves. If a list has more, a [tree](super::guard_tree) may find them.

use super::cpu;
use super::guard_tree::ListedMoves;
use super::layout::Layout;
use super::members::MembersTest;
use super::prefixes::Chunk;
use super::word::Slot;
use crate::rules::Pattern;
use crate::sorting;

/// The fewest integers of a row, with 64 moves each. Rows of this length are combined without a call.
pub const FEW_WORDS: usize = 2;

/// The most integers of a row.
const MOST_WORDS: usize = 8;

/// The number of bits of an integer.
const BITS: usize = u64::BITS as usize;

/// Places of moves are written to a list two at a time, whether or not two moves are left.
const AT_ONCE: usize = 2;

/// The tables of a set may take this many bytes. Then a chunk has several cells. They take more only if each chunk has
/// one.
const TABLE_BYTES: usize = 16 << 10;

/// The tables of all sets take at most so many bytes.
const MOST_BYTES: usize = 256 << 10;

/// The most bits of a chunk. Its table has a row for each number that these bits can make.
const MOST_CHUNK_BITS: u32 = 10;

/// The chunk of no cells. Its table has one row.
const NOTHING: Chunk = Chunk { view: 0, shift: 0, mask: 0, first: 0 };

/// Moves, as bits of a set.
#[derive(Debug)]
struct TabledMoves {
    /// The chunks of cells, with the places of their rows.
    chunks: Vec<Chunk>,
    /// The rows of all chunks. Each has [`Self::width`] integers.
    rows: Vec<u64>,
    /// The number of integers of a row: 2, 4 or 8.
    width: usize,
    /// For each shared condition, the moves that do not demand it.
    others: Vec<Vec<u64>>,
    /// `true` if some move demands a shared condition.
    is_tested: bool,
    /// The place of each move in the list of all moves, in the order of the bits, 64 at a time. What follows the last
    /// move has no meaning.
    places: Vec<[u32; BITS]>,
}

/// The sets of the moves of one list.
#[derive(Debug)]
pub struct MoveSets {
    /// The cell whose symbol chooses the set. It has no bits if there is one set alone.
    chooser: Chunk,
    /// The sets, by the code of the symbol.
    sets: Vec<TabledMoves>,
    /// The conditions that many moves share.
    tests: Vec<MembersTest>,
    /// The most moves of a set.
    most: usize,
}

/// The moves that are found in a state.
#[derive(Clone, Copy)]
pub enum FoundMoves<'a> {
    /// A bit for each, whose number is the place of the move.
    Bits([u64; FEW_WORDS]),
    /// Their places.
    List(&'a [u32]),
}

/// The guard of a move, as [`MoveSets`] need it.
#[derive(Clone, Copy)]
pub struct SetGuard<'a> {
    pub when: &'a Pattern,
    /// A bit for each shared condition that it demands.
    pub shared: u64,
}

/// The chunks of some cells.
struct CellChunks {
    /// The chunks, with the places of their rows.
    chunks: Vec<Chunk>,
    /// The number of rows of all chunks.
    rows: usize,
    /// The cells, and the number of the chunk of each.
    cells: Vec<(usize, usize)>,
}

impl TabledMoves {
    /// The set of the moves whose guards allow that the cell `chosen.0` has the code `chosen.1`. There are no tables
    /// for this cell. If `chosen` is `None`, the set has all moves. Returns `None` if the tables would take more than
    /// `most` bytes.
    fn new(
        layout: &Layout,
        guards: &[SetGuard],
        tests: usize,
        chosen: Option<(usize, u64)>,
        most: usize,
    ) -> Option<Self> {
        let mut own: Vec<u32> = Vec::new();
        for (place, guard) in guards.iter().enumerate() {
            if chosen.is_none_or(|(cell, code)| guard.allows(cell, code)) {
                own.push(place as u32);
            }
        }
        let width = words(own.len());
        let asks = |cell: usize| own.iter().any(|&place| guards[place as usize].when.get(cell).is_some());
        let is_chosen = |cell: usize| chosen.is_some_and(|(chosen, _)| chosen == cell);
        let mut cells: Vec<usize> = (0..layout.cells()).filter(|&cell| !is_chosen(cell) && asks(cell)).collect();
        sorting::sort_by_key(&mut cells, |&cell| (layout.views[cell].limb, layout.views[cell].shift));
        let chunks = CellChunks::longest(layout, &cells, TABLE_BYTES / (8 * width));
        if chunks.rows * 8 * width > most {
            return None;
        }
        // At first, every row has all moves.
        let mut row = vec![u64::MAX; width];
        for (word, bits) in row.iter_mut().enumerate() {
            let moves = own.len().saturating_sub(word * BITS);
            *bits = if moves < BITS { (1 << moves) - 1 } else { u64::MAX };
        }
        let mut rows = row.repeat(chunks.rows);
        let mut others: Vec<Vec<u64>> = vec![row.clone(); tests];
        for (bit, &place) in own.iter().enumerate() {
            let (guard, word, bit) = (guards[place as usize], bit / BITS, 1 << (bit % BITS));
            for &(cell, chunk) in &chunks.cells {
                let chunk = &chunks.chunks[chunk];
                let shift = layout.views[cell].shift - chunk.shift;
                for code in 0..=chunk.mask {
                    if !guard.allows(cell, code >> shift & layout.mask) {
                        rows[(chunk.first + code as usize) * width + word] &= !bit;
                    }
                }
            }
            for (test, others) in others.iter_mut().enumerate() {
                others[word] &= if guard.shared >> test & 1 == 1 { !bit } else { u64::MAX };
            }
        }
        let mut places = vec![[0; BITS]; own.len().div_ceil(BITS)];
        places.as_flattened_mut()[..own.len()].copy_from_slice(&own);
        let is_tested = others.iter().any(|others| *others != row);
        Some(Self { chunks: chunks.chunks, rows, width, others, is_tested, places })
    }

    /// The bits of the moves whose guards allow what the cells of a state hold. A row has `WIDTH` integers.
    #[inline(always)]
    fn words<const WIDTH: usize>(&self, views: &[u64]) -> [u64; WIDTH] {
        let mut words = [u64::MAX; WIDTH];
        let rows = self.rows.as_chunks::<WIDTH>().0;
        for chunk in &self.chunks {
            for (word, of_row) in words.iter_mut().zip(&rows[chunk.row(views)]) {
                *word &= of_row;
            }
        }
        words
    }

    /// Writes the result of [`Self::words`] to the front of a longer list of zeros.
    #[inline(always)]
    fn write_words(&self, views: &[u64], words: &mut [u64; MOST_WORDS]) {
        match self.width {
            FEW_WORDS => words[..FEW_WORDS].copy_from_slice(&self.words::<FEW_WORDS>(views)),
            4 => words[..4].copy_from_slice(&self.words::<4>(views)),
            _ => *words = self.words(views),
        }
    }

    /// The moves among `words` whose shared conditions a state satisfies.
    #[inline(never)]
    fn sift(&self, views: &[u64], tests: &[MembersTest], words: &mut [u64]) {
        for (test, others) in tests.iter().zip(&self.others) {
            if !test.holds(views) {
                words.iter_mut().zip(others).for_each(|(word, of_row)| *word &= of_row);
            }
        }
    }

    /// Lists the places of the moves that have a bit in some words, and returns their number.
    #[inline(always)]
    fn list(&self, words: &[u64], places: &mut [u32]) -> usize {
        let mut count = 0;
        for (word, of_word) in words.iter().zip(&self.places) {
            let (mut left, end) = (*word, count + word.count_ones() as usize);
            loop {
                // A few places are written, whether or not so many moves are left. The next ones are written over them.
                let room = places[count..].first_chunk_mut::<AT_ONCE>().expect("there is room after the last move");
                for place in room {
                    *place = of_word[left.trailing_zeros() as usize % BITS];
                    left &= left.wrapping_sub(1);
                }
                if end <= count + AT_ONCE {
                    break;
                }
                count += AT_ONCE;
            }
            count = end;
        }
        count
    }
}

/// The task that finds the moves of a state.
struct FindMoves<'a> {
    set: &'a TabledMoves,
    tests: &'a [MembersTest],
    views: &'a [u64],
    /// Becomes the bits of the moves.
    words: &'a mut [u64; MOST_WORDS],
    /// The list to which their places are written, with room for [`AT_ONCE`] places after the last one. If there is
    /// none, nothing is listed.
    places: &'a mut [u32],
    /// Becomes the number of the listed moves.
    count: &'a mut usize,
}

impl cpu::Task for FindMoves<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let Self { set, tests, views, words, places, count } = self;
        set.write_words(views, words);
        if set.is_tested {
            set.sift(views, tests, words);
        }
        if !places.is_empty() {
            *count = set.list(words, places);
        }
    }
}

/// The number of integers of a row with a bit for each of so many moves.
fn words(moves: usize) -> usize {
    moves.div_ceil(BITS).next_power_of_two().max(FEW_WORDS)
}

impl SetGuard<'_> {
    /// Returns `true` if the guard allows a symbol, given by its code, in a cell.
    fn allows(self, cell: usize, code: u64) -> bool {
        self.when.get(cell).is_none_or(|set| set.contains(code as u8))
    }
}

impl CellChunks {
    /// The longest chunks of the given cells that have at most `most` rows, or chunks of one cell each. A chunk has
    /// cells of one view, and may go over cells that are not given. There is at least one, which may have no cell and
    /// one row.
    fn longest(layout: &Layout, cells: &[usize], most: usize) -> Self {
        let mut found = Self::of_length(layout, cells, layout.bits);
        for bits in layout.bits + 1..=MOST_CHUNK_BITS {
            let longer = Self::of_length(layout, cells, bits);
            if longer.rows <= most {
                found = longer;
            }
        }
        found
    }

    /// The chunks of the given cells of at most so many bits. The cells must be in the order of their bits.
    fn of_length(layout: &Layout, cells: &[usize], bits: u32) -> Self {
        let mut made = Self { chunks: Vec::new(), rows: 0, cells: Vec::new() };
        for &cell in cells {
            let Slot { limb: view, shift } = layout.views[cell];
            match made.chunks.last_mut() {
                Some(chunk) if chunk.view == view && shift + layout.bits <= chunk.shift + bits => {
                    chunk.mask |= layout.mask << (shift - chunk.shift) | ((1 << (shift - chunk.shift)) - 1);
                }
                _ => made.chunks.push(Chunk { view, shift, mask: layout.mask, first: 0 }),
            }
            made.cells.push((cell, made.chunks.len() - 1));
        }
        if made.chunks.is_empty() {
            made.chunks.push(NOTHING);
        }
        for chunk in &mut made.chunks {
            chunk.first = made.rows;
            made.rows += chunk.mask as usize + 1;
        }
        made
    }
}

impl MoveSets {
    /// The sets of moves with the given guards. In the sets, a move is known by its place in this list. `tests` are
    /// the shared conditions, at most 64. `None` if there are too many moves, or if the tables would be too large.
    pub fn new(layout: &Layout, guards: &[SetGuard], tests: Vec<MembersTest>) -> Option<Self> {
        let (mut most, mut best) = (guards.len(), None);
        for cell in 0..layout.cells() {
            // All moves must ask for the cell that chooses the set, so that few are in many sets.
            if guards.iter().all(|guard| guard.when.get(cell).is_some()) {
                let size = |code| guards.iter().filter(|guard| guard.allows(cell, code)).count();
                let largest = (0..=layout.mask).map(size).max().unwrap_or(0);
                if words(largest) < words(guards.len()) && largest < most {
                    (most, best) = (largest, Some(cell));
                }
            }
        }
        if words(most) > MOST_WORDS {
            return None;
        }
        let chooser = best.map_or(NOTHING, |cell| {
            let Slot { limb: view, shift } = layout.views[cell];
            Chunk { view, shift, mask: layout.mask, first: 0 }
        });
        let (mut sets, mut left) = (Vec::new(), MOST_BYTES);
        for code in 0..=chooser.mask {
            let set = TabledMoves::new(layout, guards, tests.len(), best.map(|cell| (cell, code)), left)?;
            left -= set.rows.len() * 8;
            sets.push(set);
        }
        Some(Self { chooser, sets, tests, most })
    }

    /// The work of finding the moves of a state, roughly. The unit is the time to combine one row of two integers.
    pub fn work(&self) -> usize {
        self.sets.iter().map(|set| (set.chunks.len() + 2) * (8 + set.width) / 8).max().unwrap_or(0)
    }

    /// Finds the moves whose guards allow what the cells of a state hold, and whose shared conditions it satisfies.
    /// `views` are the views of its word. If the code that finds few moves is to be `inlined`, they come as bits.
    #[inline(always)]
    pub fn find<'a>(&self, views: &[u64], inlined: bool, listed: &'a mut ListedMoves) -> FoundMoves<'a> {
        let set = match &self.sets[..] {
            // The bit of a move has the number of its place.
            [set] if inlined && set.width == FEW_WORDS => set,
            _ => return FoundMoves::List(self.list(views, listed)),
        };
        let mut bits = set.words(views);
        if set.is_tested {
            set.sift(views, &self.tests, &mut bits);
        }
        FoundMoves::Bits(bits)
    }

    /// Lists the moves that [`Self::find`] finds by their places, in order.
    #[inline(never)]
    fn list<'a>(&self, views: &[u64], listed: &'a mut ListedMoves) -> &'a [u32] {
        let (set, places, mut count) = (self.chosen(views), listed.places(self.most + AT_ONCE), 0);
        let words = &mut [0; MOST_WORDS];
        cpu::run(FindMoves { set, tests: &self.tests, views, words, places, count: &mut count });
        &places[..count]
    }

    /// The set that has the moves of a state.
    fn chosen(&self, views: &[u64]) -> &TabledMoves {
        &self.sets[self.chooser.code(views) as usize]
    }

    /// Calls `found` with the place of each move that [`Self::find`] finds, until `found` returns `false`. Returns
    /// `true` if `found` never did.
    pub fn each(&self, views: &[u64], found: &mut dyn FnMut(usize) -> bool) -> bool {
        let (set, mut words) = (self.chosen(views), [0; MOST_WORDS]);
        cpu::run(FindMoves { set, tests: &self.tests, views, words: &mut words, places: &mut [], count: &mut 0 });
        words.iter().zip(&set.places).all(|(word, of_word)| {
            let mut left = *word;
            while left != 0 {
                if !found(of_word[left.trailing_zeros() as usize % BITS] as usize) {
                    return false;
                }
                left &= left - 1;
            }
            true
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::compile::Word;
    use crate::random::Random;
    use crate::rules::{Condition, Rules, Symbol};

    /// Compares the moves that sets find with the definition: the moves whose guards allow each cell of a state, and
    /// whose shared counts it satisfies. The first cell has one of two symbols in each guard if it `chooses`. Returns
    /// the number of sets and the number of integers of a row, or `None` if the moves are too many.
    fn compare<W: Word>(count: usize, cells: usize, chooses: bool, random: &mut Random) -> Option<(usize, usize)> {
        let mut below = |count: usize| random.below(count as u64) as usize;
        let symbols = 2 + below(4);
        let names: Vec<String> = (0..symbols).map(|symbol| symbol.to_string()).collect();
        // No guard asks for the cells that are counted. Otherwise it would leave them out, and few counts would be the
        // same.
        let counted: Vec<usize> = (cells - 3..cells).collect();
        let counts = [
            json!({"symbols": ["0"], "at_least": 2, "of": counted}),
            json!({"symbols": ["1"], "at_most": 1, "of": counted}),
            json!({"symbols": ["0", "1"], "at_least": 1, "of": counted}),
        ];
        let moves: Vec<_> = (0..count)
            .map(|at| {
                // Of 600 moves, some are in both sets.
                let both = count == 600 && at % 9 == 0;
                let chosen = if both { vec![&names[0], &names[1]] } else { vec![&names[at % 2]] };
                let first = chooses.then(|| json!([0, chosen]));
                let mut asked: Vec<usize> = (0..below(4)).map(|_| 1 + below(cells - 4)).collect();
                asked.sort_unstable();
                asked.dedup();
                let rest = asked.into_iter().map(|cell| {
                    let set: Vec<&String> = names.iter().filter(|_| below(2) == 0).collect();
                    json!([cell, if set.is_empty() { vec![&names[0]] } else { set }])
                });
                let when: Vec<_> = first.into_iter().chain(rest).collect();
                let counts: Vec<_> = counts.iter().filter(|_| below(4) == 0).collect();
                json!({"name": at.to_string(), "when": when, "then": [[1, "0"]], "counts": counts})
            })
            .collect();
        let data = json!({"symbols": names, "start": vec!["0"; cells], "moves": moves});
        let rules = Rules::new(&serde_json::from_value(data).unwrap()).unwrap();
        let layout = Layout::new::<W>(&rules)?;
        let mut conditions: Vec<&Condition> = rules.moves.iter().flat_map(|given| &given.conditions).collect();
        conditions.sort_unstable();
        conditions.dedup();
        let tests = conditions.iter().map(|condition| MembersTest::new(&layout, condition).unwrap()).collect();
        let guards: Vec<SetGuard> = rules
            .moves
            .iter()
            .map(|given| SetGuard {
                when: &given.when,
                shared: (0..conditions.len())
                    .filter(|&test| given.conditions.contains(conditions[test]))
                    .fold(0, |tests, test| tests | 1 << test),
            })
            .collect();
        assert!(conditions.len() <= 3);
        let sets = MoveSets::new(&layout, &guards, tests)?;
        let mut listed = ListedMoves::new();
        for _ in 0..50 {
            let state: Vec<Symbol> = (0..cells).map(|_| random.below(symbols as u64) as Symbol).collect();
            let word = layout.pack::<W>(&state);
            let holds = |place: &usize| {
                let given = &rules.moves[*place];
                given.when.holds(&state) && given.conditions.iter().all(|condition| condition.holds(&state))
            };
            let expected: Vec<usize> = (0..count).filter(holds).collect();
            for inlined in [false, true] {
                let found: Vec<usize> = match sets.find(word.views().as_ref(), inlined, &mut listed) {
                    FoundMoves::Bits(bits) => {
                        (0..FEW_WORDS * BITS).filter(|at| bits[at / BITS] >> (at % BITS) & 1 == 1).collect()
                    }
                    FoundMoves::List(places) => places.iter().map(|&place| place as usize).collect(),
                };
                assert_eq!(found, expected, "{state:?}");
            }
            for most in [1, 2, usize::MAX] {
                let mut found = Vec::new();
                let goes_on = sets.each(word.views().as_ref(), &mut |place| {
                    found.push(place);
                    found.len() < most
                });
                assert_eq!(found, expected[..expected.len().min(most)], "{state:?}");
                assert_eq!(goes_on, expected.len() < most, "{state:?}");
            }
        }
        Some((sets.sets.iter().filter(|set| !set.places.is_empty()).count(), sets.sets[0].width))
    }

    #[test]
    fn sets_find_the_moves_of_the_definition() {
        let mut random = Random::new("sets of moves");
        let random = &mut random;
        for count in [1, 7, 64, 65, 128] {
            assert_eq!(compare::<u32>(count, 8, false, random), Some((1, 2)));
            assert_eq!(compare::<u64>(count, 20, count % 2 == 0, random), Some((1, 2)));
        }
        assert_eq!(compare::<u64>(129, 20, false, random), Some((1, 4)));
        assert_eq!(compare::<u64>(256, 12, true, random), Some((2, 2)), "two sets of 128 moves");
        assert_eq!(compare::<u128>(256, 40, false, random), Some((1, 4)));
        assert_eq!(compare::<[u64; 4]>(257, 80, false, random), Some((1, 8)));
        assert_eq!(compare::<u64>(600, 20, true, random), Some((2, 8)));
        assert_eq!(compare::<[u64; 8]>(1024, 150, true, random), Some((2, 8)));
        assert_eq!(compare::<u64>(513, 20, false, random), None);
        assert_eq!(compare::<u64>(1025, 20, true, random), None);
    }

    #[test]
    fn a_run_has_neighbouring_cells_of_one_view() {
        let data = json!({"symbols": ["a", "b", "c"], "start": vec!["a"; 40], "moves": []});
        let layout = Layout::new::<[u64; 4]>(&Rules::new(&serde_json::from_value(data).unwrap()).unwrap()).unwrap();
        let mut cells: Vec<usize> = (0..40).collect();
        cells.sort_by_key(|&cell| (layout.views[cell].limb, layout.views[cell].shift));
        for most in [0, 100, 1000, 100_000] {
            let chunks = CellChunks::longest(&layout, &cells, most);
            assert!(chunks.rows <= most || chunks.chunks.len() == 40, "{} rows of {most}", chunks.rows);
            assert_eq!(chunks.cells.iter().map(|&(cell, _)| cell).collect::<Vec<_>>(), cells);
            for &(cell, chunk) in &chunks.cells {
                let (slot, chunk) = (layout.views[cell], &chunks.chunks[chunk]);
                assert_eq!(slot.limb, chunk.view);
                assert!(chunk.mask >> (slot.shift - chunk.shift) & layout.mask == layout.mask);
            }
        }
    }
}
