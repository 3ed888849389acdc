//! A row of a table that is being filled: its entries, and marks of its states.

use std::sync::Mutex;

use super::entries::{EntryForm, IN_WORD};
use crate::compile::cpu;

/// The entries of a row, and what is known of them, so that most rows need not be looked at for the first depths.
pub struct FilledRow<'a> {
    pub words: &'a mut [u64],
    /// `true` if any state has a value.
    pub is_used: bool,
    /// For each of the two newest values, `true` if some state has it. The place of a value is 0 if it is even and 1 if
    /// it is odd: while states of depth 7 are looked at, the second says that there are some of them, and the first
    /// that there are some of depth 8.
    newest: [bool; 2],
}

/// Marks of the states of a row: a byte for each entry, of which bit 0 marks its even state and bit 1 its odd one.
pub struct RowMarks(Vec<u8>);

/// The tail states to which a move leads from those of a row: `steps` is how the move changes them, and `tails` how the
/// symmetry that carries the new head state onto that of its row does.
#[derive(Debug, Clone, Copy)]
pub struct Led<'a> {
    pub steps: &'a [u16],
    pub tails: &'a [u16],
}

impl<'a> FilledRow<'a> {
    /// The bytes of what is known of a row, and of its lock, beside its entries.
    pub const BYTES: usize = size_of::<Mutex<Self>>();

    /// Divides words into rows without values.
    pub fn list(words: &'a mut [u64], row_words: usize) -> Vec<Mutex<Self>> {
        let rows = words.chunks_exact_mut(row_words);
        rows.map(|words| Mutex::new(Self { words, is_used: false, newest: [false; 2] })).collect()
    }

    /// Gives a value to those marked states that have none. Returns the number of states that got a value.
    pub fn set_marked(&mut self, marks: &[u64], value: u8, form: EntryForm) -> u64 {
        let mut found = 0;
        cpu::run(SetMarked { words: self.words, marks, value, form, found: &mut found });
        self.note(found, value);
        found
    }

    /// Gives a value to a state, unless it has one. Returns the number of states that got a value.
    #[inline(always)]
    pub fn set(&mut self, tail: usize, odd: bool, value: u8, form: EntryForm) -> u64 {
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

    /// Returns `true` if states may have the value `depth`, whose moves are made now. This is next needed for the depth
    /// after the following one.
    pub fn take_newest(&mut self, depth: u8) -> bool {
        std::mem::take(&mut self.newest[usize::from(depth & 1)])
    }

    /// Marks those states that have the value `depth`, and no others. If the value follows from the other state of the
    /// entry, it is not marked. With an odd move, the marks of even states and of odd ones are exchanged.
    pub fn mark_depth(&self, depth: u8, odd_move: bool, form: EntryForm, marks: &mut RowMarks) {
        cpu::run(MarkDepth { words: self.words, depth, odd_move, form, marks: &mut marks.0 });
    }
}

impl RowMarks {
    /// No marks, for rows of so many words.
    pub fn new(row_words: usize) -> Self {
        Self(vec![0; row_words * IN_WORD])
    }

    /// The marks as words, with four bits for each entry.
    pub fn words(&self) -> Vec<u64> {
        let halves: &[[[u8; 8]; 2]] = self.0.as_chunks().0.as_chunks().0;
        halves.iter().map(|&[low, high]| packed(low) | packed(high) << 32).collect()
    }

    /// Adds the marks in `closer` of the states to which a move leads from some tail states. Moves the tail states that
    /// lack any of the marks `all` even then to the front of their list, and returns their number.
    pub fn add(&mut self, closer: &Self, led: Led, states: &mut [u16], all: u8) -> usize {
        let (marks, closer) = (&mut self.0[..], &closer.0[..]);
        let mut left = 0;
        for at in 0..states.len() {
            let state = states[at];
            let mark = marks[state as usize] | closer[led.to(state)];
            marks[state as usize] = mark;
            states[left] = state;
            left += usize::from(mark != all);
        }
        left
    }
}

impl Led<'_> {
    /// The tail state to which the move leads, in the row to which it leads.
    #[inline(always)]
    pub fn to(self, state: u16) -> usize {
        self.tails[self.steps[state as usize] as usize].into()
    }
}

/// Marks the even or the odd states to which a move leads from some tail states.
pub fn mark_led(states: &[u16], led: Led, odd: bool, marks: &mut [u64]) {
    for &state in states {
        let tail = led.to(state);
        marks[tail / IN_WORD] |= bit(tail, odd);
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

/// The task of [`FilledRow::mark_depth`].
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

/// Marks the states of some words that have a depth, as [`FilledRow::mark_depth`] says.
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
pub fn bit(tail: usize, odd: bool) -> u64 {
    1 << (tail % IN_WORD * 4 + usize::from(odd))
}
