//! Chooses which symbols each pattern database tracks together: those that hinder each other on their way home.

use super::by_blank_region;
use super::pattern_table::{Cost, PatternTable};
use super::permutation_rules::PermutationRules;
use crate::random::Random;
use crate::rules::Symbol;
use crate::solve::clock::Clock;

/// The number of states, taken from a random walk, on which the gains are measured.
const SAMPLES: usize = 400;

/// The number of moves of the walk between two of these states, divided by the number of cells.
const MOVES_BETWEEN: usize = 4;

/// With more symbols than this, the pairs are too many to measure, and patterns are made of the symbols in order.
const MOST_COMPARED: usize = 48;

/// The number of random divisions into patterns. Each is improved, and the best one is taken.
const TRIES: usize = 24;

/// Divides the symbols that can be tracked into patterns of at most `largest` symbols. The result is the same for the
/// same rules on every machine: the choice takes a fixed number of steps, and its random numbers have a fixed seed.
/// `None` if the watch stops the search.
///
/// Two symbols belong together if a table that tracks both gives a larger bound than a table for each gives: than the
/// sum of the two values, or than their maximum if costs cannot be added. This *gain* is measured for each pair, on
/// states of a random walk. The function looks for the division with the largest sum of gains within patterns, by hill
/// climbing: from several random divisions, it exchanges symbols between patterns as long as the sum grows.
pub fn choose(rules: &PermutationRules, cost: Cost, largest: usize, clock: &mut Clock) -> Option<Vec<Vec<Symbol>>> {
    let symbols = rules.trackable();
    if symbols.len() > MOST_COMPARED || largest < 2 {
        return Some(symbols.chunks(largest).map(<[Symbol]>::to_vec).collect());
    }
    let gains = gains(rules, &symbols, cost, clock)?;
    let mut random = Random::new("puzzlekit patterns");
    let mut best: Option<(f64, Vec<usize>)> = None;
    for _ in 0..TRIES {
        let mut order: Vec<usize> = (0..symbols.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last as u64 + 1) as usize);
        }
        improve(&mut order, largest, &gains);
        let total = order.chunks(largest).map(|pattern| inner(pattern, &gains)).sum();
        if best.as_ref().is_none_or(|&(known, _)| total > known) {
            best = Some((total, order));
        }
    }
    let order = best.map(|(_, order)| order).unwrap_or_default();
    let pattern = |places: &[usize]| {
        let mut pattern: Vec<Symbol> = places.iter().map(|&place| symbols[place]).collect();
        pattern.sort_unstable();
        pattern
    };
    Some(order.chunks(largest).map(pattern).collect())
}

/// The sum of the gains of all pairs of symbols in a pattern.
fn inner(pattern: &[usize], gains: &[Vec<f64>]) -> f64 {
    let pairs = pattern.iter().enumerate().flat_map(|(at, &a)| pattern[..at].iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| gains[a][b]).sum()
}

/// Exchanges symbols of two patterns as long as that increases the sum of gains.
fn improve(order: &mut [usize], size: usize, gains: &[Vec<f64>]) {
    let count = order.len();
    let joined = |order: &[usize], symbol: usize, at: usize, without: usize| -> f64 {
        let begin = at / size * size;
        let pattern = begin..(begin + size).min(count);
        pattern.filter(|&place| place != at && place != without).map(|place| gains[symbol][order[place]]).sum()
    };
    loop {
        let mut changed = false;
        for a in 0..count {
            for b in a + 1..count {
                if a / size == b / size {
                    continue;
                }
                let (x, y) = (order[a], order[b]);
                let now = joined(order, x, a, a) + joined(order, y, b, b);
                let then = joined(order, y, a, a) + joined(order, x, b, b);
                if then > now + 1e-9 {
                    order.swap(a, b);
                    changed = true;
                }
            }
        }
        if !changed {
            return;
        }
    }
}

/// For each pair of symbols, the gain: by how much, on average, the value of a table of both symbols exceeds the bound
/// that a table for each gives. `None` if the watch stops the search.
fn gains(rules: &PermutationRules, symbols: &[Symbol], cost: Cost, clock: &mut Clock) -> Option<Vec<Vec<f64>>> {
    let samples = samples(rules);
    let cells = |state: &[Symbol], symbol: Symbol| state.iter().position(|&held| held == symbol).unwrap_or(0) as u32;
    let places: Vec<Vec<u32>> =
        samples.iter().map(|state| symbols.iter().map(|&symbol| cells(state, symbol)).collect()).collect();
    let single: Vec<PatternTable> =
        symbols.iter().map(|&symbol| by_blank_region::table(rules, &[symbol], cost, clock)).collect::<Option<_>>()?;
    let mut gains = vec![vec![0.0; symbols.len()]; symbols.len()];
    for a in 0..symbols.len() {
        for b in 0..a {
            let both = by_blank_region::table(rules, &[symbols[a], symbols[b]], cost, clock)?;
            let gain = |cells: &Vec<u32>| {
                let (x, y) = (f64::from(single[a].value(cells[a])), f64::from(single[b].value(cells[b])));
                let alone = if cost == Cost::Own { x + y } else { x.max(y) };
                f64::from(both.value(cells[a] + cells[b] * PatternTable::weight(rules.cells, 1))) - alone
            };
            let total: f64 = places.iter().map(gain).sum();
            gains[a][b] = total / samples.len() as f64;
            gains[b][a] = gains[a][b];
        }
    }
    Some(gains)
}

/// States from a random walk that begins at the goal.
fn samples(rules: &PermutationRules) -> Vec<Vec<Symbol>> {
    let mut random = Random::new("puzzlekit samples");
    let mut state = rules.goal.clone();
    let mut samples = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        for _ in 0..MOVES_BETWEEN * rules.cells {
            let moves: Vec<u32> = (rules.moves_from(rules.pivot_cell(&state)).iter().copied())
                .filter(|&place| rules.moves[place as usize].allows(&state))
                .collect();
            let Some(&place) = moves.get(random.below(moves.len().max(1) as u64) as usize) else {
                return if samples.is_empty() { vec![state] } else { samples };
            };
            rules.moves[place as usize].make(&mut state, false);
        }
        samples.push(state.clone());
    }
    samples
}
