//! Fills a table: gives each state that can be reached its value, by a search backward from the goal, depth by depth.
//!
//! Each row has few lines of memory, and its states lead to one row for each move. So the rows to which the moves lead
//! are fetched while the states of the move before are looked at.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::colouring::StickerColouring;
use crate::compile::cpu;
use crate::instant::Instant;
use crate::run::{Progress, Watch, parallel};

/// The largest value of a table: four bits hold the values 0 to 14, and the code for no value.
pub const LARGEST: u8 = 14;

/// The number of values in a word.
pub const IN_WORD: usize = 16;

/// A mask of the lowest bit of each value of a word.
const LOW: u64 = 0x1111_1111_1111_1111;

/// The number of words that the processor fetches at once.
const LINE_WORDS: usize = 8;

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
}

/// The moves, forward or backward.
struct TailSteps {
    /// For each move and each tail state, the tail state to which it leads.
    tails: Vec<Vec<u16>>,
    backward: bool,
}

impl Filling<'_> {
    /// Gives every state that can be reached its value. Returns `false` if some values are too large for the table.
    /// `None` if the watch stops the search.
    pub fn fill(&self, moves: usize, watch: Watch) -> Option<bool> {
        let steps = |backward: bool| {
            let step = |given, number| joint(self.tail, given, backward, number) as u16;
            let tails = (0..moves).map(|given| (0..self.tail_len).map(|number| step(given, number)).collect());
            TailSteps { tails: tails.collect(), backward }
        };
        let (next, before) = (steps(false), steps(true));
        let begun = Instant::now();
        let (stopped, looked) = (AtomicBool::new(false), AtomicU64::new(0));
        let (row, symmetry) = self.row(0);
        let mut last = self.set(row, self.tails[symmetry * self.tail_len].into(), 0, self.fixing(row));
        let all = self.first.len() as u64 * self.tail_len as u64;
        let mut left = all - last;
        for depth in 0..LARGEST {
            // Either the states of the last depth give their predecessors a value (push), which takes a step for each
            // state and move. Or each state without a value looks for a successor in the last depth (pull). It stops at
            // the first one, so the more states the last depth has, the fewer steps that takes.
            let tries = (all / last).min(moves as u64);
            let pull = left.saturating_mul(tries) < last.saturating_mul(moves as u64);
            let found = parallel::map(self.first.len(), 64, |rows| {
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
                return Some(true);
            }
        }
        Some(false)
    }

    /// For each state of a row with the value `depth`, gives the value `depth + 1` to the states without a value from
    /// which a move leads to it. Returns the number of states that got a value.
    fn push(&self, row: usize, depth: u8, before: &TailSteps) -> u64 {
        let states = self.states(row, depth + 1);
        let mut found = 0;
        if states.is_empty() {
            return 0;
        }
        let few = states.len() < FEW_IN_ROW || states.len() * FEW_IN_ROW < self.row_words;
        let mut marks = vec![0; if few { 0 } else { self.row_words }];
        self.each_move(row, before, |steps, (row, symmetry)| {
            let tails = &self.tails[symmetry * self.tail_len..][..self.tail_len];
            let fixing = self.fixing(row);
            let led = states.iter().map(|&state| tails[steps[state as usize] as usize].into());
            if few {
                found += led.map(|tail| self.set(row, tail, depth + 1, fixing)).sum::<u64>();
                return true;
            }
            for tail in led {
                mark(&mut marks, tail);
                let images = fixing.iter().map(|symmetry| self.tails[symmetry * self.tail_len + tail]);
                images.for_each(|image| mark(&mut marks, image.into()));
            }
            found += self.set_marked(row, &mut marks, depth + 1);
            true
        });
        found
    }

    /// Gives the value `depth + 1` to those states of a row without a value from which a move leads to a state with the
    /// value `depth`. Returns the number of states that got a value.
    fn pull(&self, row: usize, depth: u8, next: &TailSteps) -> u64 {
        let mut states = self.states(row, 0);
        if states.is_empty() {
            return 0;
        }
        let mut marks = vec![0; self.row_words];
        self.each_move(row, next, |steps, (other, symmetry)| {
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

    /// Calls `each` for each move with its steps of tail states, and with the row and the symmetry of the head state to
    /// which it leads, until `each` returns `false`. Meanwhile, the processor fetches the row of the next move.
    fn each_move(&self, row: usize, steps: &TailSteps, mut each: impl FnMut(&[u16], (usize, usize)) -> bool) {
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
            if !each(own, present) {
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

    /// The tail states in a row whose four bits are `code`.
    fn states(&self, row: usize, code: u8) -> Vec<u16> {
        let mut states: Vec<u16> = Vec::new();
        for (at, word) in self.words[row * self.row_words..][..self.row_words].iter().enumerate() {
            // In `other`, exactly the values that equal `code` have four zero bits.
            let mut other = word.load(Ordering::Relaxed) ^ (LOW * u64::from(code));
            other |= other >> 1;
            let mut same = !(other | other >> 2) & LOW;
            if (at + 1) * IN_WORD > self.tail_len {
                same &= (1 << (self.tail_len % IN_WORD * 4)) - 1;
            }
            while same != 0 {
                states.push((at * IN_WORD) as u16 + (same.trailing_zeros() / 4) as u16);
                same &= same - 1;
            }
        }
        states
    }

    /// Gives a value to a state that has none, and to the state's images under the symmetries `fixing`, which fix its
    /// row's head state. Returns the number of states that got a value.
    #[inline(always)]
    fn set(&self, row: usize, tail: usize, value: u8, fixing: &[usize]) -> u64 {
        let mut found = self.set_one(row, tail, value);
        if found > 0 {
            for &symmetry in fixing {
                found += self.set_one(row, self.tails[symmetry * self.tail_len + tail].into(), value);
            }
        }
        found
    }

    /// Gives a value to those marked states of a row that have none, and clears the marks. Returns the number of states
    /// that got a value.
    fn set_marked(&self, row: usize, marks: &mut [u64], value: u8) -> u64 {
        let without_value = |word: u64| {
            let set = word | word >> 1;
            !(set | set >> 2) & LOW
        };
        let mut found = 0;
        for (word, marks) in self.words[row * self.row_words..].iter().zip(marks) {
            let marked = std::mem::take(marks);
            let new = without_value(word.load(Ordering::Relaxed)) & marked;
            if new != 0 {
                let known = word.fetch_or(new * u64::from(value + 1), Ordering::Relaxed);
                // If threads give a value to one state at the same time, they give the same value.
                found += u64::from((without_value(known) & new).count_ones());
            }
        }
        found
    }

    /// Gives a value to a state, unless it has one. Returns the number of states that got a value.
    #[inline(always)]
    fn set_one(&self, row: usize, tail: usize, value: u8) -> u64 {
        let word = &self.words[row * self.row_words + tail / IN_WORD];
        let shift = tail % IN_WORD * 4;
        let mask = 15 << shift;
        if word.load(Ordering::Relaxed) & mask != 0 {
            return 0;
        }
        // If threads give a value to one state at the same time, they give the same value, and one of them is first.
        let known = word.fetch_or(u64::from(value + 1) << shift, Ordering::Relaxed);
        u64::from(known & mask == 0)
    }
}

/// Marks a state of a row: sets the lowest of the four bits of its value.
#[inline(always)]
fn mark(marks: &mut [u64], tail: usize) {
    marks[tail / IN_WORD] |= 1 << (tail % IN_WORD * 4);
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
