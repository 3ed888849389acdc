//! The successors of states that have been expanded, kept in memory.
//!
//! For example, take four states with the numbers 0 to 3 and the moves 0 → 1, 1 → 0, 1 → 2 and 2 → 3. One list has the
//! successors, 1 | 0 2 | 3 | nothing. Another list has the place where the successors of each state begin: 0, 1, 3, 4,
//! and at last 4, the end. If the player to move in state 3 has lost, a third list says so.

use std::ops::Range;

use super::edges::Edges;
use crate::run::Final;

/// The successors of expanded states, and which of these states end play.
#[derive(Debug)]
pub(super) struct KeptMoves {
    /// For each expanded state, the place in [`Self::after`] where its successors begin. The last entry is the length
    /// of that list.
    begins: Vec<u64>,
    after: Vec<u32>,
    /// The expanded states in which play is over, in order, each with its value.
    ends: Vec<(u32, Final)>,
}

impl Default for KeptMoves {
    /// An empty list, before any state is expanded.
    fn default() -> Self {
        Self { begins: vec![0], after: Vec::new(), ends: Vec::new() }
    }
}

impl KeptMoves {
    /// The number of moves that are kept.
    pub fn len(&self) -> u64 {
        self.after.len() as u64
    }

    /// Adds a successor of the state that is being expanded.
    #[inline(always)]
    pub fn push(&mut self, after: u32) {
        self.after.push(after);
    }

    /// Ends the successors of the state that is being expanded. The ones that follow belong to the next state.
    #[inline(always)]
    pub fn close(&mut self) {
        self.begins.push(self.after.len() as u64);
    }

    /// Adds the values of states in which play is over. `over` has a value, or `None`, for each state from number
    /// `first` on.
    pub fn add_ends(&mut self, first: usize, over: &[Option<Final>]) {
        self.ends.extend((first as u32..).zip(over).filter_map(|(state, over)| Some((state, (*over)?))));
    }

    /// Finds the successors of each state of a range. A state that was not expanded has none.
    pub fn of(&self, states: Range<u64>, found: &mut Edges) {
        let expanded = self.begins.len() as u64 - 1;
        let (begin, end) = (states.start.min(expanded) as usize, states.end.min(expanded) as usize);
        let after = &self.after[self.begins[begin] as usize..self.begins[end] as usize];
        found.after.set(after, self.begins[begin + 1..=end].iter().map(|&end| end - self.begins[begin]));
        (expanded.max(states.start)..states.end).for_each(|_| found.after.close());
        self.over(states, &mut found.over);
    }

    /// Finds, for each state of a range, its value if play is over there.
    pub fn over(&self, states: Range<u64>, found: &mut Vec<Option<Final>>) {
        found.clear();
        found.resize((states.end - states.start) as usize, None);
        let first = self.ends.partition_point(|&(state, _)| u64::from(state) < states.start);
        for &(state, value) in self.ends[first..].iter().take_while(|&&(state, _)| u64::from(state) < states.end) {
            found[(u64::from(state) - states.start) as usize] = Some(value);
        }
    }
}
