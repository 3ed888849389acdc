//! `close`: counts the new states that one partition found in a depth, and separates those in which no move can be
//! made.

use super::graph::StateGraph;
use crate::compile::{Compiled, Images, Steps, Word, cpu};
use crate::run::DepthReport;

/// The counts of new states: of all that a partition found, or of a list of one kind.
#[derive(Debug)]
pub struct Closed<W> {
    /// The number of states from which play goes on.
    pub open: u64,
    /// The number of all states, in which all images of a state are counted.
    pub raw_states: u64,
    /// For each outcome, the number of states that ended with it, including those without a move.
    pub ended: Vec<u64>,
    /// The states without a move, if the caller asked for a list of them.
    pub stuck: Vec<W>,
}

impl<W> Closed<W> {
    /// The counts before anything is counted, of rules without outcomes.
    pub fn nothing() -> Self {
        Self::new(0)
    }

    fn new(outcomes: usize) -> Self {
        Self { open: 0, raw_states: 0, ended: vec![0; outcomes], stuck: Vec::new() }
    }

    /// Adds these counts to the report of a depth.
    pub fn add_to(&self, report: &mut DepthReport) {
        report.open += self.open;
        report.raw_states += self.raw_states;
        report.ended.iter_mut().zip(&self.ended).for_each(|(sum, count)| *sum += count);
        report.states += self.open + self.ended.iter().sum::<u64>();
    }
}

/// The report of a depth with nothing counted yet.
pub fn nothing_of(depth: u64, outcomes: usize) -> DepthReport {
    DepthReport { depth, states: 0, raw_states: 0, open: 0, ended: vec![0; outcomes] }
}

/// Counts the new states of a depth, a list for each kind. A state that is listed as open but has no move leaves its
/// list. If `list_stuck` is `true`, the result lists it.
///
/// For example, let only 5 of the open states 3, 5 and 8 have no move. Then 3 and 8 stay, `open` is 2, and 5 is counted
/// with the outcome that the rules give to a player without a move.
pub fn close<W: Word>(graph: &StateGraph<W>, depth: u64, found: &mut [Vec<W>], list_stuck: bool) -> Closed<W> {
    let mut closed = Closed::new(graph.outcomes());
    for (kind, words) in found.iter_mut().enumerate() {
        close_kind(graph, depth, (kind, words), list_stuck, &mut closed);
    }
    closed
}

/// Does the same as [`close()`] for new states of one kind.
pub fn close_one<W: Word>(graph: &StateGraph<W>, depth: u64, kind: usize, words: &mut Vec<W>) -> Closed<W> {
    let mut closed = Closed::new(graph.outcomes());
    close_kind(graph, depth, (kind, words), true, &mut closed);
    closed
}

fn close_kind<W: Word>(
    graph: &StateGraph<W>,
    depth: u64,
    (kind, words): (usize, &mut Vec<W>),
    list_stuck: bool,
    closed: &mut Closed<W>,
) {
    let (compiled, images, player) = (graph.compiled, graph.images, graph.player(depth));
    cpu::run(CloseKind { compiled, images, player, kind, words, list_stuck, closed });
}

struct CloseKind<'a, W> {
    compiled: &'a Compiled<W>,
    images: &'a Images<W>,
    player: usize,
    kind: usize,
    words: &'a mut Vec<W>,
    list_stuck: bool,
    closed: &'a mut Closed<W>,
}

impl<W: Word> cpu::Task for CloseKind<'_, W> {
    const GAINS_BY_AVX512: bool = false;
    const GAINS_BY_AVX2: bool = !W::WIDE;

    #[inline(always)]
    fn run(self) {
        let images = self.images;
        self.with(
            #[inline(always)]
            |word| if W::WIDE { images.orbit_size(word) } else { images.orbit_size_inlined(word) },
            Steps::any,
        );
    }

    fn run_without_avx2(self) {
        let images = self.images;
        self.with(|word| images.orbit_size(word), Steps::some);
    }
}

impl<W: Word> CloseKind<'_, W> {
    /// Does the work. `orbit_size` returns the number of different images of a state, and `any` returns `true` if some
    /// move can be made in it.
    #[inline(always)]
    fn with(self, orbit_size: impl Fn(W) -> u64, any: impl Fn(&Steps<W>, W) -> bool) {
        let Self { compiled, player, kind, words, list_stuck, closed, .. } = self;
        for &word in words.iter() {
            closed.raw_states += orbit_size(word);
        }
        if let Some(outcome) = kind.checked_sub(1) {
            closed.ended[outcome] += words.len() as u64;
            return;
        }
        let steps = &compiled.steps[player];
        if !steps.always {
            words.retain(|&word| {
                let goes_on = any(steps, word);
                if !goes_on {
                    closed.ended[compiled.stuck_outcome(word, player)] += 1;
                    if list_stuck {
                        closed.stuck.push(word);
                    }
                }
                goes_on
            });
        }
        closed.open += words.len() as u64;
    }
}
