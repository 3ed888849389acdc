//! Finds values under layered rules, in which a state tells its own depth, by one sweep over the depths, from the last
//! to the first. Only two depths have values in memory at a time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use super::allowance::{Allowance, each_block};
use super::tally::{BlockTally, Tallies};
use super::value_code::{Best, ValueCode};
use crate::error::Result;
use crate::graph::{Edges, FoundStates, Graph, bytes_of_pair};
use crate::run::Monitor;

/// The most bytes that the sweep takes beside the words of the states: a value for each state of two neighbouring
/// depths, and the table that finds the states of the later depth.
pub fn bytes(counts: &[u64], word_bytes: usize) -> u64 {
    let of_pair = |pair: &[u64]| bytes_of_pair(pair[0], pair[1], word_bytes) - (pair[0] + pair[1]) * word_bytes as u64;
    let alone = counts.iter().map(|&count| count * size_of::<ValueCode>() as u64).max().unwrap_or(0);
    counts.windows(2).map(of_pair).max().unwrap_or(0).max(alone)
}

/// Finds the values of all states, which are in memory, and counts them. `None` if the watch stops the sweep.
///
/// # Errors
///
/// [`crate::Error::Corrupt`], like [`FoundStates::sweep`].
pub fn sweep(states: &mut dyn FoundStates, allowed: &Allowance, tally: &mut Tallies) -> Result<Option<()>> {
    let all: u64 = states.counts().iter().sum();
    let mut later = Vec::new();
    for depth in (0..states.counts().len()).rev() {
        let monitor = allowed.monitor(depth as u64, states.counts()[depth], tally.states(), all);
        let swept = sweep_depth(&*states.sweep(depth, None)?, allowed.grundy, &later, &monitor, tally);
        let Some(values) = swept else { return Ok(None) };
        later = values;
    }
    Ok(Some(()))
}

/// Finds the values of states of one depth, and counts them. `None` if the monitor stops the work. `graph` has these
/// states and all of their successors, which are states of the next depth and have the values `later`. With `grundy`,
/// values are Grundy numbers.
pub fn sweep_depth(
    graph: &dyn Graph,
    grundy: bool,
    later: &[ValueCode],
    monitor: &Monitor,
    tally: &mut Tallies,
) -> Option<Vec<ValueCode>> {
    let range = &graph.depths()[1];
    let (first, none) = (range.states.start, Best::new(graph, grundy));
    let values: Vec<AtomicU32> = range.states.clone().map(|_| AtomicU32::new(0)).collect();
    let (counts, keeps_turns) = (Mutex::new(&mut *tally), graph.keeps_turns());
    each_block(graph, &range.states, monitor, &|block| {
        let (mut edges, mut orbits, mut counted) = (Edges::default(), Vec::new(), BlockTally::default());
        graph.successors(block.clone(), &mut edges);
        graph.orbits(block.clone(), &mut orbits);
        for ((number, (over, after)), &orbit) in block.zip(edges.iter()).zip(&orbits) {
            let code = over.map_or_else(
                || {
                    let mut best = none.anew();
                    for &after in after {
                        best.take(later[after as usize].of_other(keeps_turns && graph.keeps_turn(number, after)));
                    }
                    best.code()
                },
                ValueCode::at_end,
            );
            values[(number - first) as usize].store(code.0, Ordering::Relaxed);
            counted.add(number, code, orbit);
        }
        counted.add_to(&counts, graph, range.depth);
    })?;
    let values: Vec<ValueCode> = values.into_iter().map(|value| ValueCode(value.into_inner())).collect();
    if range.depth == 0 {
        tally.start = values.first().copied().unwrap_or(ValueCode::DRAW);
    }
    Some(values)
}
