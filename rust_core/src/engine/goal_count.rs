//! Counts back from the goal in memory. The count also finds how far the start is from the goal, and which of the
//! states that are farthest from the goal is the first.

use super::state::State;
use crate::compile::{Compiled, Images, Word};
use crate::error::Result;
use crate::run::{Options, Report, Watch, parallel};
use crate::sparse::{self, FoundWords, WordSearch};

/// The number of states that one thread handles in one step.
const AT_ONCE: usize = 1 << 12;

/// The result of a count back from the goal.
#[derive(Debug)]
pub(crate) struct GoalCount {
    /// The report. A depth is a number of moves to the goal.
    pub report: Report,
    /// The number of moves from the start to the nearest goal, if moves lead to one.
    pub start: Option<u64>,
    /// Of the states of the last depth, the first one by its symbols; `None` if the count stopped before.
    pub farthest: Option<State>,
}

/// Counts back from the goal in the sparse store: from `roots`, or else from the start of the compiled rules. The start
/// of play must have a move.
pub(super) fn goal_count<W: Word>(
    compiled: &Compiled<W>,
    images: &Images<W>,
    roots: Option<Vec<W>>,
    options: &Options,
    start: &State,
    watch: Watch,
) -> Result<GoalCount> {
    // If a cell of the start holds a symbol that no state of these rules has there, the count never reaches the start.
    let known = compiled.varying.stranger(&start.cells).is_none();
    let start = known.then(|| images.smallest(compiled.pack(&start.cells, start.player)));
    let mut met = None;
    // `see` is called only with the open states, which are all states with a move. The start has a move, so it is open.
    let mut see = |depth: u64, open: &[W]| {
        if let (Some(start), None) = (start, met) {
            // The words of a piece are compared without a jump for each.
            let has = |piece: &[W]| piece.iter().filter(|&&word| word == start).count() > 0;
            let lacks = parallel::all(open.len(), AT_ONCE, &|range| !open[range].chunks(32).any(has));
            met = (!lacks).then_some(depth);
        }
    };
    let asked = WordSearch { roots, see: Some(&mut see), ..WordSearch::default() };
    let FoundWords { report, last, .. } = sparse::search(compiled, images, asked, options, None, watch)?;
    let farthest = last.into_iter().min().filter(|_| report.stop.is_none()).map(|word| {
        let mut cells = vec![0; compiled.structure.rules().cells()];
        compiled.unpack(word, &mut cells);
        State { cells, player: 0 }
    });
    Ok(GoalCount { report, start: met, farthest })
}
