//! `close`: counts the new states that one partition found in a depth, and separates those in which no move can be
//! made.

use super::seen::SeenOfOpen;
use super::state_graph::StateGraph;
use crate::compile::{Compiled, Images, Word, cpu};
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
    /// The states without a move.
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
/// list, and the result lists it.
///
/// For example, let only 5 of the open states 3, 5 and 8 have no move. Then 3 and 8 stay, `open` is 2, and 5 is counted
/// with the outcome that the rules give to a player without a move.
pub fn close<W: Word>(graph: &StateGraph<W>, depth: u64, found: &mut [Vec<W>]) -> Closed<W> {
    let mut closed = Closed::new(graph.outcomes());
    for (kind, words) in found.iter_mut().enumerate() {
        close_kind(graph, depth, (kind, words), &mut closed);
    }
    closed
}

/// Does the same as [`close()`] for new states of one kind.
pub fn close_one<W: Word>(graph: &StateGraph<W>, depth: u64, kind: usize, words: &mut Vec<W>) -> Closed<W> {
    let mut closed = Closed::new(graph.outcomes());
    close_kind(graph, depth, (kind, words), &mut closed);
    closed
}

/// Does the same as [`close()`], but leaves out what is seen of the open states when they are expanded: their images
/// are not counted, and those without a move stay in their list. See [`super::seen::SeenOfOpen`].
pub fn close_ended<W: Word>(graph: &StateGraph<W>, depth: u64, found: &mut [Vec<W>]) -> Closed<W> {
    let (open, ended) = found.split_at_mut(1);
    let mut closed = Closed { open: open[0].len() as u64, ..Closed::new(graph.outcomes()) };
    for (outcome, words) in ended.iter_mut().enumerate() {
        close_kind(graph, depth, (outcome + 1, words), &mut closed);
    }
    closed
}

/// Counts what [`close_ended`] leaves out, for some of the open states.
pub fn count_open<W: Word>(graph: &StateGraph<W>, depth: u64, words: &[W]) -> SeenOfOpen {
    let mut closed = Closed::new(graph.outcomes());
    count_kind(graph, depth, (0, words), &mut closed);
    SeenOfOpen { raw_states: closed.raw_states, stuck: closed.ended }
}

fn close_kind<W: Word>(graph: &StateGraph<W>, depth: u64, (kind, words): (usize, &mut Vec<W>), closed: &mut Closed<W>) {
    let before = closed.stuck.len();
    count_kind(graph, depth, (kind, words), closed);
    // The list of the states without a move has the order of the words, each of which is listed once.
    let mut stuck = closed.stuck[before..].iter().peekable();
    if stuck.len() > 0 {
        words.retain(|word| stuck.next_if_eq(&word).is_none());
    }
}

fn count_kind<W: Word>(graph: &StateGraph<W>, depth: u64, (kind, words): (usize, &[W]), closed: &mut Closed<W>) {
    let (compiled, images, player) = (graph.compiled, graph.images, graph.player(depth));
    cpu::run(CountKind { compiled, images, player, kind, words, closed });
}

struct CountKind<'a, W> {
    compiled: &'a Compiled<W>,
    images: &'a Images<W>,
    player: usize,
    kind: usize,
    words: &'a [W],
    closed: &'a mut Closed<W>,
}

impl<W: Word> cpu::Task for CountKind<'_, W> {
    const GAINS_BY_AVX512: bool = false;
    const GAINS_BY_AVX2: bool = !W::WIDE;

    #[inline(always)]
    fn run(self) {
        let images = self.images;
        self.with(
            #[inline(always)]
            |word| if W::WIDE { images.orbit_size(word) } else { images.orbit_size_inlined(word) },
        );
    }

    fn run_without_avx2(self) {
        let images = self.images;
        self.with(|word| images.orbit_size(word));
    }
}

impl<W: Word> CountKind<'_, W> {
    /// Does the work. `orbit_size` returns the number of different images of a state.
    #[inline(always)]
    fn with(self, orbit_size: impl Fn(W) -> u64) {
        let Self { compiled, images, player, kind, words, closed } = self;
        closed.raw_states += images.orbit_sizes(words, orbit_size);
        if let Some(outcome) = kind.checked_sub(1) {
            closed.ended[outcome] += words.len() as u64;
            return;
        }
        let before = closed.stuck.len();
        list_stuck(compiled, player, words, closed);
        closed.open += (words.len() - (closed.stuck.len() - before)) as u64;
    }
}

/// Lists and counts the states in which a player has no move.
#[inline(never)]
fn list_stuck<W: Word>(compiled: &Compiled<W>, player: usize, words: &[W], closed: &mut Closed<W>) {
    let steps = &compiled.steps[player];
    if steps.always {
        return;
    }
    for &word in words {
        if !steps.some(word) {
            closed.ended[compiled.stuck_outcome(word, player)] += 1;
            closed.stuck.push(word);
        }
    }
}
