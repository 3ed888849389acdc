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
use super::fill_row::{FilledRow, Led, RowMarks, bit, mark_led};
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

/// The depths that are filled in a table.
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
            let (fixing, led) = (self.fixing(row), Led { steps, tails });
            let odd_move = self.odd >> given & 1 == 1;
            if few {
                let mut filled = self.lock(row);
                for (states, odd) in states.iter().zip([odd_move, !odd_move]) {
                    let set = |&state| self.set(&mut filled, led.to(state), odd, depth + 1, fixing);
                    found += states.iter().map(set).sum::<u64>();
                }
                return true;
            }
            marks.fill(0);
            for (states, odd) in states.iter().zip([odd_move, !odd_move]) {
                mark_led(states, led, odd, &mut marks);
                for symmetry in fixing {
                    let images = &self.tails[symmetry * self.tail_len..][..self.tail_len];
                    for &state in states {
                        let image = images[led.to(state)].into();
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
            self.lock(other).mark_depth(depth, odd_move, form, &mut closer);
            // The entries of which a state has no such successor yet are moved to the front.
            let left = marks.add(&closer, Led { steps, tails }, &mut states, all);
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
            // If another thread changes the row, it is fetched already.
            if let Ok(row) = self.filled[row].try_lock() {
                (0..row.words.len()).step_by(LINE_WORDS).for_each(|at| cpu::prefetch(row.words, at));
            }
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
        if !row.take_newest(depth) {
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
