//! The values of the states that can follow a position of a game, and a test of whether a move is best play.

use std::sync::atomic::{AtomicU32, Ordering};

use super::allowance::Allowance;
use super::retrograde::{PredecessorWay, Retrograde, nothing_known};
use super::value_code::{Value, ValueCode};
use crate::error::Result;
use crate::graph::{Edges, Graph};
use crate::instant::Instant;
use crate::run::{Monitor, Watch, Worth};

/// The most bytes that a state takes while values spread: for the value, the length of a draw, the number of
/// predecessors and where their list begins, and the number of successors; with a score, also for two numbers of points
/// and the moves to the end.
pub const STATE_BYTES: usize = 64;

/// The most bytes that a move takes while values spread.
pub const MOVE_BYTES: usize = size_of::<u32>();

/// The answer to the question whether play can come back to a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recurrence {
    /// It cannot: each move leads to the next depth.
    Layered,
    /// It cannot, but several numbers of moves may lead to a state.
    Never,
    /// It can, or nothing is known.
    Possible,
}

/// The values of all states of a graph of a game.
pub struct ValuesAfter {
    codes: Vec<AtomicU32>,
    /// For each state, the moves until play is over, if the player who has to force the score hurries and the other one
    /// delays; [`u32::MAX`] if best play may never end. The list is empty if the rules have no score, or if play cannot
    /// come back to a state.
    to_end: Vec<u32>,
    /// For each state that is a draw, the most moves until play is over. The list is empty if play can come back to a
    /// state, or if the rules have a score.
    lengths: Vec<u32>,
    scored: bool,
}

/// Finds the values of all states of a graph of a game. `None` if the watch stops the work. If play is layered, a
/// sweep is enough.
///
/// # Errors
///
/// [`crate::Error::Options`] if play may never end, and the rules do not say what that scores.
pub fn values_after(graph: &dyn Graph, recurrence: Recurrence, watch: Watch) -> Result<Option<ValuesAfter>> {
    let allowed = &Allowance { watch, begun: Instant::now(), room: u64::MAX, grundy: false, advanced: None };
    let scored = graph.scored();
    let mut found = ValuesAfter {
        codes: nothing_known(graph.len()),
        to_end: Vec::new(),
        lengths: Vec::new(),
        scored: scored.is_some(),
    };
    let values = &found.codes;
    let way = PredecessorWay::Listed;
    let of = |states, leads_on| Retrograde { graph, states, values, leads_on, way, listing: None, allowed };
    if recurrence == Recurrence::Layered {
        for of_depth in graph.depths().iter().rev() {
            if of(of_depth.states.clone(), true).sweep()?.is_none() {
                return Ok(None);
            }
        }
        if scored.is_none() {
            let monitor = allowed.monitor(0, graph.len(), graph.len(), graph.len());
            let Some(lengths) = draws(graph, &found.codes, &monitor) else { return Ok(None) };
            found.lengths = lengths;
        }
        return Ok(Some(found));
    }
    let all = of(0..graph.len(), false);
    let to_end = match scored {
        Some(scored) => all.scores(scored, &mut |_| Ok(true))?,
        None => all.values(0, &mut |_| Ok(true))?.map(|()| Vec::new()),
    };
    // Where play cannot come back, each move that keeps the points leads to an end at which they are won.
    let ranked = recurrence == Recurrence::Possible;
    Ok(to_end.map(|to_end| ValuesAfter { to_end: if ranked { to_end } else { Vec::new() }, ..found }))
}

/// For each state that is a draw, the most moves that drawn play can take until it is over; 0 for other states. Each
/// move must lead to a state with a larger number. `None` if the monitor stops the work.
fn draws(graph: &dyn Graph, codes: &[AtomicU32], monitor: &Monitor) -> Option<Vec<u32>> {
    let (mut lengths, mut edges) = (vec![0; codes.len()], Edges::default());
    let drawn = |state: u64| ValueCode(codes[state as usize].load(Ordering::Relaxed)).worth() == Worth::Draw;
    for block in graph.blocks(&(0..graph.len())).into_iter().rev() {
        monitor.add(block.end - block.start);
        if monitor.stopped() {
            return None;
        }
        if !block.clone().any(drawn) {
            continue;
        }
        graph.successors(block.clone(), &mut edges);
        // All states of a block are of one depth, so no move leads from one to another.
        for (state, (_, after)) in block.zip(edges.iter()).filter(|&(state, _)| drawn(state)) {
            let longest = after.iter().filter(|&&after| drawn(after)).map(|&after| lengths[after as usize] + 1).max();
            lengths[state as usize] = longest.unwrap_or(0);
        }
    }
    Some(lengths)
}

impl ValuesAfter {
    /// The value of a state for the player to move.
    pub fn value(&self, state: u64) -> Value {
        let code = ValueCode(self.codes[state as usize].load(Ordering::Relaxed));
        match code.value_of(self.scored) {
            Value::Draw(_) if !self.lengths.is_empty() => Value::Draw(Some(self.lengths[state as usize])),
            // Among draws, only a state in which play is over has this code.
            Value::Draw(_) if code == ValueCode::DRAW => Value::Draw(Some(0)),
            value => value,
        }
    }

    /// Returns `true` if a move from one state to another is best play: it keeps the value, does not delay a win, and
    /// does not hasten a loss.
    pub fn is_best(&self, graph: &dyn Graph, before: u64, after: u64) -> bool {
        let again = graph.keeps_turn(before, after);
        let to_end = |state: u64| self.to_end.get(state as usize).copied();
        match (self.value(after), self.value(before)) {
            (Value::Draw(_), Value::Draw(_)) => true,
            // A move that keeps the points is best play only if it also brings the end nearer. Of the moves of the
            // player who has to force the points, only the quickest do.
            (Value::Score(points), Value::Score(now)) => {
                let leads_on = to_end(before).is_none_or(|now| now == u32::MAX) || to_end(after) < to_end(before);
                points == (if again { now } else { -now }) && leads_on
            }
            (after, before) if again => after.before_again() == before,
            (after, before) => after.before() == before,
        }
    }
}
