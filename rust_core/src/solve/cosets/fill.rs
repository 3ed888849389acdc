//! Fills a table: gives each state that can be reached its value, by a search backward from the goal, depth by depth.
//!
//! Each row has few lines of memory, and its states lead to one row for each move. So the rows to which the moves lead
//! are fetched while the states of the move before are looked at.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};

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
    pub words: &'a [AtomicU64],
    pub row_words: usize,
    /// For each row whose head state is a fixed point of symmetries other than the identity: the numbers of these
    /// symmetries.
    pub fixing: &'a HashMap<u32, Vec<usize>>,
    pub form: EntryForm,
    /// The moves that make an odd state of an even one.
    pub odd: MoveSet,
    pub used: UsedRows,
}

/// The rows that have states with values, so that the others are not looked at: for the first depths, most rows.
pub struct UsedRows(Vec<AtomicU8>);

impl UsedRows {
    /// The bit of a row that has any value. The two bits below it are for the two newest values: while states of depth
    /// 7 are looked at, bit 1 says that a row has some of them, and bit 0 that it has some of depth 8.
    const EVER: u8 = 4;

    /// As many rows without values.
    pub fn new(rows: usize) -> Self {
        Self(std::iter::repeat_with(AtomicU8::default).take(rows).collect())
    }

    /// Notes that a row has a state with a value.
    #[inline(always)]
    fn note(&self, row: usize, value: u8) {
        let bits = Self::EVER | 1 << (value & 1);
        if self.0[row].load(Ordering::Relaxed) & bits != bits {
            self.0[row].fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Returns `true` if a row has any value.
    fn has_any(&self, row: usize) -> bool {
        self.0[row].load(Ordering::Relaxed) != 0
    }

    /// Returns `true` if a row may have states of a depth whose moves are made now, and clears their bit, which is next
    /// needed for the depth after the following one.
    fn take(&self, row: usize, value: u8) -> bool {
        let bit = 1 << (value & 1);
        let has = self.0[row].load(Ordering::Relaxed) & bit != 0;
        if has {
            self.0[row].fetch_and(!bit, Ordering::Relaxed);
        }
        has
    }
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

impl Filling<'_> {
    /// Gives states their value, depth by depth: every state that can be reached, if its value is not too large. With
    /// pairs of parities, ends as soon as most of the states that are left have the next value. `None` if the watch
    /// stops the search.
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
        let mut last = self.set(row, self.tails[symmetry * self.tail_len].into(), false, 0, self.fixing(row));
        let all = self.first.len() as u64 * self.tail_len as u64 * self.form.states();
        let mut left = all - last;
        let pairs = self.form == EntryForm::Pair;
        for depth in 0..self.form.largest() {
            // Either the states of the last depth give their predecessors a value (push), which takes a step for each
            // state and move. Or each state without a value looks for a successor in the last depth (pull). It stops at
            // the first one, so the more states the last depth has, the fewer steps that takes.
            let tries = (all / last).min(moves as u64);
            let pull = left.saturating_mul(tries) < last.saturating_mul(moves as u64);
            if pairs && pull {
                return Some(Filled { last: depth, ended: false });
            }
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
        }
        Some(Filled { last: self.form.largest(), ended: false })
    }

    /// Makes all pairs older by one depth.
    fn make_older(&self) {
        parallel::map(self.first.len(), ROWS_AT_ONCE, |rows| {
            for row in rows.filter(|&row| self.used.has_any(row)) {
                for word in &self.words[row * self.row_words..][..self.row_words] {
                    let known = word.load(Ordering::Relaxed);
                    if known != 0 {
                        word.store(older(known), Ordering::Relaxed);
                    }
                }
            }
        });
    }

    /// For each state of a row with the value `depth`, gives the value `depth + 1` to the states without a value from
    /// which a move leads to it. Returns the number of states that got a value.
    fn push(&self, row: usize, depth: u8, before: &TailSteps) -> u64 {
        if !self.used.take(row, depth) {
            return 0;
        }
        let (states, mut found) = self.states_of_depth(row, depth);
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
            for (states, odd) in states.iter().zip([odd_move, !odd_move]) {
                let led = states.iter().map(|&state| tails[steps[state as usize] as usize].into());
                if few {
                    found += led.map(|tail| self.set(row, tail, odd, depth + 1, fixing)).sum::<u64>();
                    continue;
                }
                for tail in led {
                    mark(&mut marks, tail, odd);
                    let images = fixing.iter().map(|symmetry| self.tails[symmetry * self.tail_len + tail]);
                    images.for_each(|image| mark(&mut marks, image.into(), odd));
                }
            }
            if !few {
                found += self.set_marked(row, &mut marks, depth + 1);
            }
            true
        });
        found
    }

    /// Gives the value `depth + 1` to those states of a row without a value from which a move leads to a state with the
    /// value `depth`. Returns the number of states that got a value. There are no parities.
    fn pull(&self, row: usize, depth: u8, next: &TailSteps) -> u64 {
        let mut states = Vec::new();
        self.each_word(row, |at, word, within| list(&mut states, at, has_code(word, 0) & within));
        if states.is_empty() {
            return 0;
        }
        let mut marks = vec![0; self.row_words];
        self.each_move(row, next, |_, steps, (other, symmetry)| {
            let tails = &self.tails[symmetry * self.tail_len..][..self.tail_len];
            let words = &self.words[other * self.row_words..][..self.row_words];
            let mut left = 0;
            for at in 0..states.len() {
                let state = states[at];
                let tail = tails[steps[state as usize] as usize] as usize;
                let value = words[tail / IN_WORD].load(Ordering::Relaxed) >> (tail % IN_WORD * 4) & 15;
                let closer = value == u64::from(depth + 1);
                // The states for which no successor is found yet are moved to the front.
                states[left] = state;
                left += usize::from(!closer);
                marks[state as usize / IN_WORD] |= u64::from(closer) << (state as usize % IN_WORD * 4);
            }
            states.truncate(left);
            left > 0
        });
        self.set_marked(row, &mut marks, depth + 1)
    }

    /// Calls `each` for each move with its number, its steps of tail states, and the row and the symmetry of the head
    /// state to which it leads, until `each` returns `false`. Meanwhile, the processor fetches the next move's row.
    fn each_move(&self, row: usize, steps: &TailSteps, mut each: impl FnMut(usize, &[u16], (usize, usize)) -> bool) {
        let head = self.first[row] as usize;
        let lead = |given: usize| {
            let (row, symmetry) = self.row(joint(self.head, given, steps.backward, head));
            for word in (0..self.row_words).step_by(LINE_WORDS) {
                cpu::prefetch(self.words, row * self.row_words + word);
            }
            (row, symmetry)
        };
        let mut following = lead(0);
        for (given, own) in steps.tails.iter().enumerate() {
            let present = following;
            if given + 1 < steps.tails.len() {
                following = lead(given + 1);
            }
            if !each(given, own, present) {
                return;
            }
        }
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
    fn each_word(&self, row: usize, mut each: impl FnMut(usize, u64, u64)) {
        for (at, word) in self.words[row * self.row_words..][..self.row_words].iter().enumerate() {
            let over = (at + 1) * IN_WORD > self.tail_len;
            let within = if over { LOW & ((1 << (self.tail_len % IN_WORD * 4)) - 1) } else { LOW };
            each(at, word.load(Ordering::Relaxed), within);
        }
    }

    /// The tail states of the even states and of the odd states in a row that have the value `depth`, and the number of
    /// states whose value follows from that.
    fn states_of_depth(&self, row: usize, depth: u8) -> ([Vec<u16>; 2], u64) {
        let (mut even, mut odd, mut implied) = (Vec::new(), Vec::new(), 0);
        self.each_word(row, |at, word, within| {
            let [of_even, of_odd] = self.form.of_depth(word, depth);
            list(&mut even, at, of_even & within);
            list(&mut odd, at, of_odd & within);
            implied += self.form.implied(word);
        });
        ([even, odd], implied)
    }

    /// Gives a value to a state that has none, and to the state's images under some symmetries, which fix its row's
    /// head state. Returns the number of states that got a value.
    #[inline(always)]
    fn set(&self, row: usize, tail: usize, odd: bool, value: u8, fixing: &[usize]) -> u64 {
        let mut found = self.set_one(row, tail, odd, value);
        if found > 0 {
            for &symmetry in fixing {
                found += self.set_one(row, self.tails[symmetry * self.tail_len + tail].into(), odd, value);
            }
        }
        found
    }

    /// Gives a value to those marked states of a row that have none, and clears the marks. Returns the number of states
    /// that got a value.
    fn set_marked(&self, row: usize, marks: &mut [u64], value: u8) -> u64 {
        let words = self.words[row * self.row_words..].iter().zip(marks);
        let found = words.map(|(word, marks)| self.set_in_word(word, std::mem::take(marks), value)).sum();
        if found > 0 {
            self.used.note(row, value);
        }
        found
    }

    /// Gives a value to a state, unless it has one. Returns the number of states that got a value.
    #[inline(always)]
    fn set_one(&self, row: usize, tail: usize, odd: bool, value: u8) -> u64 {
        let word = &self.words[row * self.row_words + tail / IN_WORD];
        let found = self.set_in_word(word, 1 << (tail % IN_WORD * 4 + usize::from(odd)), value);
        if found > 0 {
            self.used.note(row, value);
        }
        found
    }

    /// Gives a value to those marked states of a word that have none. Returns the number of states that got a value.
    #[inline(always)]
    fn set_in_word(&self, word: &AtomicU64, marks: u64, value: u8) -> u64 {
        let additions = self.form.additions(word.load(Ordering::Relaxed), marks, value);
        if additions == 0 {
            return 0;
        }
        // If threads give a value to one state at the same time, they give the same value, and one of them is first.
        self.form.added(word.fetch_or(additions, Ordering::Relaxed), additions)
    }
}

/// Adds the tail states of entries of a word to a list. `entries` has the lowest bit of each of them.
#[inline(always)]
fn list(states: &mut Vec<u16>, at: usize, mut entries: u64) {
    while entries != 0 {
        states.push((at * IN_WORD) as u16 + (entries.trailing_zeros() / 4) as u16);
        entries &= entries - 1;
    }
}

/// Marks a state of a row.
#[inline(always)]
fn mark(marks: &mut [u64], tail: usize, odd: bool) {
    marks[tail / IN_WORD] |= 1 << (tail % IN_WORD * 4 + usize::from(odd));
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
