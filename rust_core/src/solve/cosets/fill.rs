//! Fills a table: gives each state that can be reached its value, by a search backward from the goal, depth by depth.
//!
//! Each row has few lines of memory, and its states lead to one row for each move. So the rows to which the moves lead
//! are fetched while the states of the moves before are looked at. A thread has a row for itself while it changes it.
//! So it reads and writes whole words, several at once.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::colouring::StickerColouring;
use super::entries::{EntryForm, IN_WORD, LOW, has_code, older};
use crate::compile::cpu;
use crate::instant::Instant;
use crate::run::{Progress, Watch, parallel};
use crate::solve::move_pruning::MoveSet;

/// The number of words that the processor fetches at once.
const LINE_WORDS: usize = 8;

/// The number of rows that are looked at in one step, by one thread.
const ROWS_AT_ONCE: usize = 64;

/// If a row has fewer states of the last depth than this many, or than one for this many words, their predecessors get
/// their values one at a time. Otherwise those in each row are marked first, and all marked states of a word get their
/// values at once.
const FEW_IN_ROW: usize = 8;

/// A table that is being made.
pub struct Filling<'a> {
    /// The colourings of the head, whose states choose a row, and of the tail, whose states choose a place in it.
    pub head: &'a [Arc<StickerColouring>],
    pub tail: &'a [Arc<StickerColouring>],
    /// For each head state, the number of its row, and in the lowest eight bits the symmetry that carries the head
    /// state onto the one of that row.
    pub rows: &'a [u32],
    /// For each row, its head state.
    pub first: &'a [u32],
    /// For each symmetry and each tail state, the image of the tail state.
    pub tails: &'a [u16],
    pub tail_len: usize,
    pub row_words: usize,
    /// The entries of each row.
    pub filled: Vec<Mutex<FilledRow<'a>>>,
    /// For each row whose head state is a fixed point of symmetries other than the identity: the numbers of these
    /// symmetries.
    pub fixing: &'a HashMap<u32, Vec<usize>>,
    pub form: EntryForm,
    /// The moves that make an odd state of an even one.
    pub odd: MoveSet,
}

/// The entries of a row, and what is known of them, so that most rows need not be looked at for the first depths.
pub struct FilledRow<'a> {
    words: &'a mut [u64],
    /// `true` if any state has a value.
    is_used: bool,
    /// Whether states have the two newest values: while states of depth 7 are looked at, the second says that there are
    /// some of them, and the first that there are some of depth 8.
    newest: [bool; 2],
}

/// How far a table is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filled {
    /// The depth to which all states have their value.
    pub last: u8,
    /// `true` if all states that can be reached have their value.
    pub ended: bool,
}

/// The moves, forward or backward.
struct TailSteps {
    /// For each move and each tail state, the tail state to which it leads.
    tails: Vec<Vec<u16>>,
    backward: bool,
}

impl<'a> FilledRow<'a> {
    /// Divides words into rows without values.
    pub fn list(words: &'a mut [u64], row_words: usize) -> Vec<Mutex<Self>> {
        let rows = words.chunks_exact_mut(row_words);
        rows.map(|words| Mutex::new(Self { words, is_used: false, newest: [false; 2] })).collect()
    }

    /// Gives a value to those marked states that have none. Returns the number of states that got a value.
    fn set_marked(&mut self, marks: &[u64], value: u8, form: EntryForm) -> u64 {
        let mut found = 0;
        cpu::run(SetMarked { words: self.words, marks, value, form, found: &mut found });
        self.note(found, value);
        found
    }

    /// Gives a value to a state, unless it has one. Returns the number of states that got a value.
    #[inline(always)]
    fn set(&mut self, tail: usize, odd: bool, value: u8, form: EntryForm) -> u64 {
        let found = set_in_word(&mut self.words[tail / IN_WORD], bit(tail, odd), value, form);
        self.note(found, value);
        found
    }

    /// Notes that so many states got a value.
    #[inline(always)]
    fn note(&mut self, found: u64, value: u8) {
        self.is_used |= found > 0;
        self.newest[usize::from(value & 1)] |= found > 0;
    }
}

/// Marks of the states of a row: a byte for each entry, of which bit 0 marks its even state and bit 1 its odd one.
struct RowMarks(Vec<u8>);

impl RowMarks {
    /// No marks, for rows of so many words.
    fn new(row_words: usize) -> Self {
        Self(vec![0; row_words * IN_WORD])
    }

    /// The marks as words, with four bits for each entry.
    fn words(&self) -> Vec<u64> {
        let halves: &[[[u8; 8]; 2]] = self.0.as_chunks().0.as_chunks().0;
        halves.iter().map(|&[low, high]| packed(low) | packed(high) << 32).collect()
    }
}

/// The task that gives a value to those marked states of a row that have none.
struct SetMarked<'a> {
    words: &'a mut [u64],
    marks: &'a [u64],
    value: u8,
    form: EntryForm,
    /// The number of states that got a value.
    found: &'a mut u64,
}

impl cpu::Task for SetMarked<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let Self { words, marks, value, form, found } = self;
        // With a form that the compiler knows, several words are done at once.
        *found = match form {
            EntryForm::Single => set_in_words(words, marks, value, EntryForm::Single),
            EntryForm::Pair => set_in_words(words, marks, value, EntryForm::Pair),
        };
    }
}

/// The task that marks those states of a row that have a depth, without those whose value follows from the other state
/// of their entry. With an odd move, the marks of even states and of odd ones are exchanged.
struct MarkDepth<'a> {
    words: &'a [u64],
    depth: u8,
    odd_move: bool,
    form: EntryForm,
    marks: &'a mut [u8],
}

impl cpu::Task for MarkDepth<'_> {
    const GAINS_BY_AVX512: bool = false;

    #[inline(always)]
    fn run(self) {
        let Self { words, depth, odd_move, form, marks } = self;
        match form {
            EntryForm::Single => mark_depth(words, depth, odd_move, EntryForm::Single, marks),
            EntryForm::Pair => mark_depth(words, depth, odd_move, EntryForm::Pair, marks),
        }
    }
}

impl<'a> Filling<'a> {
    /// Gives states their value, depth by depth: every state that can be reached, if its value is not too large. With
    /// pairs of parities, the depth that most states have is the last one: few are left after it, and pairs forget
    /// small values. `None` if the watch stops the search.
    pub fn fill(&self, moves: usize, watch: Watch) -> Option<Filled> {
        let steps = |backward: bool| {
            let step = |given, number| joint(self.tail, given, backward, number) as u16;
            let tails = (0..moves).map(|given| (0..self.tail_len).map(|number| step(given, number)).collect());
            TailSteps { tails: tails.collect(), backward }
        };
        let (next, before) = (steps(false), steps(true));
        let begun = Instant::now();
        let (stopped, looked) = (AtomicBool::new(false), AtomicU64::new(0));
        let (row, symmetry) = self.row(0);
        let goal = self.tails[symmetry * self.tail_len].into();
        let mut last = self.set(&mut self.lock(row), goal, false, 0, self.fixing(row));
        let all = self.first.len() as u64 * self.tail_len as u64 * self.form.states();
        let mut left = all - last;
        let pairs = self.form == EntryForm::Pair;
        for depth in 0..self.form.largest() {
            // Either the states of the last depth give their predecessors a value (push), which takes a step for each
            // state and move. Or each state without a value looks for a successor in the last depth (pull). It stops at
            // the first one, so the more states the last depth has, the fewer steps that takes.
            let tries = (all / last).min(moves as u64);
            let pull = left.saturating_mul(tries) < last.saturating_mul(moves as u64);
            if pairs {
                self.make_older();
            }
            let found = parallel::map(self.first.len(), ROWS_AT_ONCE, |rows| {
                let states = looked.fetch_add((rows.len() * self.tail_len) as u64, Ordering::Relaxed);
                let seconds = begun.elapsed().as_secs_f64();
                let progress = Progress { expanded: states, states: all - left, seconds, ..Progress::default() };
                if watch(&progress).is_break() {
                    stopped.store(true, Ordering::Relaxed);
                }
                if stopped.load(Ordering::Relaxed) {
                    return 0;
                }
                rows.map(|row| if pull { self.pull(row, depth, &next) } else { self.push(row, depth, &before) })
                    .sum::<u64>()
            });
            last = found.into_iter().sum();
            left -= last;
            if stopped.load(Ordering::Relaxed) {
                return None;
            }
            if last == 0 {
                return Some(Filled { last: depth + 1, ended: true });
            }
            if pairs && pull {
                return Some(Filled { last: depth + 1, ended: false });
            }
        }
        Some(Filled { last: self.form.largest(), ended: false })
    }

    /// Makes all pairs older by one depth.
    fn make_older(&self) {
        parallel::map(self.first.len(), ROWS_AT_ONCE, |rows| {
            for row in rows {
                let mut row = self.lock(row);
                if row.is_used {
                    row.words.iter_mut().for_each(|word| *word = older(*word));
                }
            }
        });
    }

    /// For each state of a row with the value `depth`, gives the value `depth + 1` to the states without a value from
    /// which a move leads to it. Returns the number of states that got a value.
    fn push(&self, row: usize, depth: u8, before: &TailSteps) -> u64 {
        let Some((states, mut found)) = self.states_of_depth(row, depth) else { return 0 };
        let count = states[0].len() + states[1].len();
        if count == 0 {
            return found;
        }
        let few = count < FEW_IN_ROW || count * FEW_IN_ROW < self.row_words;
        let mut marks = vec![0; if few { 0 } else { self.row_words }];
        self.each_move(row, before, |given, steps, (row, symmetry)| {
            let tails = &self.tails[symmetry * self.tail_len..][..self.tail_len];
            let fixing = self.fixing(row);
            let odd_move = self.odd >> given & 1 == 1;
            if few {
                let mut filled = self.lock(row);
                for (states, odd) in states.iter().zip([odd_move, !odd_move]) {
                    let led = states.iter().map(|&state| tails[steps[state as usize] as usize].into());
                    found += led.map(|tail| self.set(&mut filled, tail, odd, depth + 1, fixing)).sum::<u64>();
                }
                return true;
            }
            marks.fill(0);
            for (states, odd) in states.iter().zip([odd_move, !odd_move]) {
                for &state in states {
                    let tail = tails[steps[state as usize] as usize].into();
                    marks[tail / IN_WORD] |= bit(tail, odd);
                    for symmetry in fixing {
                        let image = self.tails[symmetry * self.tail_len + tail].into();
                        marks[image / IN_WORD] |= bit(image, odd);
                    }
                }
            }
            found += self.lock(row).set_marked(&marks, depth + 1, self.form);
            true
        });
        found
    }

    /// Gives the value `depth + 1` to those states of a row without a value from which a move leads to a state with the
    /// value `depth`. Returns the number of states that got a value. Entries that have a value are passed over.
    ///
    /// If a state has the value `depth` because the other state of its entry has the value before, no move leads to it
    /// from an entry without a value: one that leads to the other state would have given it one.
    fn pull(&self, row: usize, depth: u8, next: &TailSteps) -> u64 {
        let (mut states, mut marks) = (self.without_value(row), RowMarks::new(self.row_words));
        if states.is_empty() {
            return 0;
        }
        let (all, form) = (if self.form == EntryForm::Single { 1 } else { 3 }, self.form);
        let mut closer = RowMarks::new(self.row_words);
        self.each_move(row, next, |given, steps, (other, symmetry)| {
            let tails = &self.tails[symmetry * self.tail_len..][..self.tail_len];
            let odd_move = self.odd >> given & 1 == 1;
            cpu::run(MarkDepth { words: self.lock(other).words, depth, odd_move, form, marks: &mut closer.0 });
            let mut left = 0;
            for at in 0..states.len() {
                let state = states[at];
                let mark = &mut marks.0[state as usize];
                *mark |= closer.0[tails[steps[state as usize] as usize] as usize];
                // The entries of which a state has no such successor yet are moved to the front.
                states[left] = state;
                left += usize::from(*mark != all);
            }
            states.truncate(left);
            left > 0
        });
        self.lock(row).set_marked(&marks.words(), depth + 1, form)
    }

    /// Calls `each` for each move with its number, its steps of tail states, and the row and the symmetry of the head
    /// state to which it leads, until `each` returns `false`. Meanwhile, the processor fetches the rows of the next two
    /// moves: first where the row is, and then the row.
    fn each_move(&self, row: usize, steps: &TailSteps, mut each: impl FnMut(usize, &[u16], (usize, usize)) -> bool) {
        let head = self.first[row] as usize;
        let moves = steps.tails.len();
        let lead = |given: usize| {
            let led = self.row(joint(self.head, given.min(moves - 1), steps.backward, head));
            cpu::prefetch(&self.filled, led.0);
            led
        };
        let fetch = |(row, _): (usize, usize)| {
            let row = self.lock(row);
            (0..row.words.len()).step_by(LINE_WORDS).for_each(|at| cpu::prefetch(row.words, at));
        };
        let (mut present, mut following) = (lead(0), lead(1));
        fetch(present);
        for (given, own) in steps.tails.iter().enumerate() {
            fetch(following);
            let later = lead(given + 2);
            if !each(given, own, present) {
                return;
            }
            (present, following) = (following, later);
        }
    }

    /// The entries of a row, which no other thread reads or writes meanwhile.
    fn lock(&self, row: usize) -> MutexGuard<'_, FilledRow<'a>> {
        self.filled[row].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The row of a head state, and the symmetry that carries the head state onto that of the row.
    fn row(&self, head: usize) -> (usize, usize) {
        let entry = self.rows[head];
        ((entry >> 8) as usize, (entry & 255) as usize)
    }

    /// The symmetries other than the identity that fix the head state of a row.
    fn fixing(&self, row: usize) -> &[usize] {
        self.fixing.get(&(row as u32)).map_or(&[], Vec::as_slice)
    }

    /// Calls `each` for each word of a row, with its place in the row and a mask of the entries that the row has.
    fn each_word(&self, row: &FilledRow, mut each: impl FnMut(usize, u64, u64)) {
        for (at, &word) in row.words.iter().enumerate() {
            let over = (at + 1) * IN_WORD > self.tail_len;
            let within = if over { LOW & ((1 << (self.tail_len % IN_WORD * 4)) - 1) } else { LOW };
            each(at, word, within);
        }
    }

    /// The tail states of the even states and of the odd states in a row that have the value `depth`, and the number of
    /// states whose value follows from that. `None` if there are none.
    fn states_of_depth(&self, row: usize, depth: u8) -> Option<([Vec<u16>; 2], u64)> {
        let mut row = self.lock(row);
        // This is next needed for the depth after the following one.
        if !std::mem::take(&mut row.newest[usize::from(depth & 1)]) {
            return None;
        }
        let (mut even, mut odd, mut implied) = (Vec::new(), Vec::new(), 0);
        self.each_word(&row, |at, word, within| {
            let [of_even, of_odd] = self.form.of_depth(word, depth);
            list(&mut even, at, of_even & within);
            list(&mut odd, at, of_odd & within);
            implied += self.form.implied(word);
        });
        Some(([even, odd], implied))
    }

    /// The tail states of the entries of a row that have no value.
    fn without_value(&self, row: usize) -> Vec<u16> {
        let mut states = Vec::new();
        self.each_word(&self.lock(row), |at, word, within| list(&mut states, at, has_code(word, 0) & within));
        states
    }

    /// Gives a value to a state that has none, and to the state's images under some symmetries, which fix its row's
    /// head state. Returns the number of states that got a value.
    #[inline(always)]
    fn set(&self, row: &mut FilledRow, tail: usize, odd: bool, value: u8, fixing: &[usize]) -> u64 {
        let mut found = row.set(tail, odd, value, self.form);
        if found > 0 {
            for &symmetry in fixing {
                found += row.set(self.tails[symmetry * self.tail_len + tail].into(), odd, value, self.form);
            }
        }
        found
    }
}

/// Gives a value to those marked states of some words that have none. Returns the number of states that got a value.
#[inline(always)]
fn set_in_words(words: &mut [u64], marks: &[u64], value: u8, form: EntryForm) -> u64 {
    let mut found = 0;
    for (word, &marks) in words.iter_mut().zip(marks) {
        found += set_in_word(word, marks, value, form);
    }
    found
}

/// Gives a value to those marked states of a word that have none. Returns the number of states that got a value.
#[inline(always)]
fn set_in_word(word: &mut u64, marks: u64, value: u8, form: EntryForm) -> u64 {
    let additions = form.additions(*word, marks, value);
    let found = form.added(*word, additions);
    *word |= additions;
    found
}

/// Marks the states of some words that have a depth, as [`MarkDepth`] says.
#[inline(always)]
fn mark_depth(words: &[u64], depth: u8, odd_move: bool, form: EntryForm, marks: &mut [u8]) {
    let halves: &mut [[[u8; 8]; 2]] = marks.as_chunks_mut().0.as_chunks_mut().0;
    let shift = u32::from(odd_move);
    for (&word, marks) in words.iter().zip(halves) {
        let [even, odd] = form.of_depth(word, depth);
        let bits = even << shift | odd << 1 >> shift;
        *marks = [unpacked(bits), unpacked(bits >> 32)];
    }
}

/// Eight marks, as four bits for each in the lower half of a word.
#[inline(always)]
fn packed(marks: [u8; 8]) -> u64 {
    let mut bits = u64::from_le_bytes(marks);
    bits = (bits | bits >> 4) & 0x00ff_00ff_00ff_00ff;
    bits = (bits | bits >> 8) & 0x0000_ffff_0000_ffff;
    (bits | bits >> 16) & 0xffff_ffff
}

/// The marks in the lower half of a word, as a byte for each.
#[inline(always)]
fn unpacked(word: u64) -> [u8; 8] {
    let mut bits = word & 0xffff_ffff;
    bits = (bits | bits << 16) & 0x0000_ffff_0000_ffff;
    bits = (bits | bits << 8) & 0x00ff_00ff_00ff_00ff;
    ((bits | bits << 4) & 0x0f0f_0f0f_0f0f_0f0f).to_le_bytes()
}

/// The mark of a state of a row, in its word.
#[inline(always)]
fn bit(tail: usize, odd: bool) -> u64 {
    1 << (tail % IN_WORD * 4 + usize::from(odd))
}

/// Adds the tail states of entries of a word to a list. `entries` has the lowest bit of each of them.
#[inline(always)]
fn list(states: &mut Vec<u16>, at: usize, mut entries: u64) {
    while entries != 0 {
        states.push((at * IN_WORD) as u16 + (entries.trailing_zeros() / 4) as u16);
        entries &= entries - 1;
    }
}

/// The number of the joint state to which a move leads from the joint state `number`; or, if `backward` is `true`, of
/// the joint state from which the move leads to `number`.
fn joint(factors: &[Arc<StickerColouring>], given: usize, backward: bool, number: usize) -> usize {
    let (mut left, mut unit, mut after) = (number, 1, 0);
    for factor in factors {
        let steps = if backward { &factor.before[given] } else { &factor.next[given] };
        after += steps[left % factor.len] as usize * unit;
        left /= factor.len;
        unit *= factor.len;
    }
    after
}
