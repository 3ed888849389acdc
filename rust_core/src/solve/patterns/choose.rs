//! Which symbols are tracked together: those that get in each other's way.

use super::permuting::PermutingRules;
use super::table::{Cost, Table};
use crate::random::Random;
use crate::rules::Symbol;
use crate::solve::clock::Clock;

/// How many states of a random walk a choice is judged by.
const SAMPLES: usize = 400;

/// How many moves of the walk lie between two of them, for each cell.
const MOVES_BETWEEN: usize = 4;

/// The most symbols whose pairs are compared.
const MOST_COMPARED: usize = 48;

/// How many random divisions are improved. The best counts.
const TRIES: usize = 24;

/// How many of the best divisions are improved by the states that a search is predicted to see.
const PREDICTED: usize = 4;

/// Divides the symbols that can be tracked into patterns of at most `largest` symbols. The same for the same rules on
/// every machine: the choice costs the same number of steps, and its random numbers have a fixed seed. `None` if the
/// watch stops it.
///
/// Two symbols belong together if the table of both says more than the sum (or, if costs cannot be added, the maximum)
/// of the tables of each. That gain is measured on states of a random walk, for each pair. Divisions whose pairs gain
/// most on average are found by exchanging symbols between patterns, from several random beginnings. The best of them
/// are improved in the same way, now by how many states a search is [predicted](Gains::predicted) to see.
pub fn choose(rules: &PermutingRules, cost: Cost, largest: usize, clock: &mut Clock) -> Option<Vec<Vec<Symbol>>> {
    let symbols = rules.trackable();
    if symbols.len() > MOST_COMPARED || largest < 2 {
        return Some(symbols.chunks(largest).map(<[Symbol]>::to_vec).collect());
    }
    let gains = Gains::new(rules, &symbols, cost, clock)?;
    let mut random = Random::new("puzzlekit patterns");
    let mut divisions: Vec<(f64, Vec<usize>)> = Vec::with_capacity(TRIES);
    for _ in 0..TRIES {
        let mut order: Vec<usize> = (0..symbols.len()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, random.below(last as u64 + 1) as usize);
        }
        let lost = improve(&mut order, largest, |order| -gains.average(order, largest));
        divisions.push((lost, order));
    }
    divisions.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    divisions.truncate(PREDICTED);
    for (predicted, order) in &mut divisions {
        *predicted = improve(order, largest, |order| gains.predicted(order, largest));
    }
    let (_, order) = divisions.into_iter().min_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let pattern = |places: &[usize]| {
        let mut pattern: Vec<Symbol> = places.iter().map(|&place| symbols[place]).collect();
        pattern.sort_unstable();
        pattern
    };
    Some(order.chunks(largest).map(pattern).collect())
}

/// Exchanges symbols of two patterns of the given size as long as that costs less. Returns the cost.
fn improve(order: &mut [usize], size: usize, cost: impl Fn(&[usize]) -> f64) -> f64 {
    let mut least = cost(order);
    loop {
        let before = least;
        for a in 0..order.len() {
            for b in (a / size + 1) * size..order.len() {
                order.swap(a, b);
                let then = cost(order);
                if then < least - 1e-9 * least.abs() {
                    least = then;
                } else {
                    order.swap(a, b);
                }
            }
        }
        if least >= before {
            return least;
        }
    }
}

/// The pairs of symbols that each pattern of a division holds.
fn pairs(order: &[usize], size: usize) -> impl Iterator<Item = (usize, usize)> {
    let within = |pattern: &'_ [usize]| -> Vec<(usize, usize)> {
        pattern.iter().enumerate().flat_map(|(at, &a)| pattern[..at].iter().map(move |&b| (a, b))).collect()
    };
    order.chunks(size).flat_map(within)
}

/// For each pair of symbols, how much more the table of both says than the tables of each.
struct Gains {
    /// In each sampled state.
    sampled: Vec<Vec<Vec<f32>>>,
    /// On average.
    mean: Vec<Vec<f64>>,
    /// In each sampled state, what the tables of the symbols alone say.
    alone: Vec<f64>,
    /// The logarithm of the number of moves that do not lead back, on average.
    growth: f64,
}

impl Gains {
    /// Makes the table of each pair. `None` if the watch stops it.
    fn new(rules: &PermutingRules, symbols: &[Symbol], cost: Cost, clock: &mut Clock) -> Option<Self> {
        let samples = samples(rules);
        let cells = |state: &[Symbol], symbol: Symbol| state.iter().position(|&held| held == symbol).unwrap_or(0);
        let places: Vec<Vec<u32>> =
            samples.iter().map(|state| symbols.iter().map(|&symbol| cells(state, symbol) as u32).collect()).collect();
        let single: Vec<Table> =
            symbols.iter().map(|&symbol| Table::new(rules, &[symbol], cost, clock)).collect::<Option<_>>()?;
        let own = |cells: &[u32], at: usize| f64::from(single[at].value(cells[at]));
        let together = |values: &mut dyn Iterator<Item = f64>| -> f64 {
            if cost == Cost::Own { values.sum() } else { values.fold(0.0, f64::max) }
        };
        let count = symbols.len();
        let (mut sampled, mut mean) = (vec![vec![Vec::new(); count]; count], vec![vec![0.0; count]; count]);
        for a in 0..count {
            for b in 0..a {
                let both = Table::new(rules, &[symbols[a], symbols[b]], cost, clock)?;
                let gain = |cells: &Vec<u32>| {
                    let value = both.value(cells[a] + cells[b] * Table::weight(rules.cells, 1));
                    (f64::from(value) - together(&mut [own(cells, a), own(cells, b)].into_iter())) as f32
                };
                let gained: Vec<f32> = places.iter().map(gain).collect();
                let average = gained.iter().copied().map(f64::from).sum::<f64>() / samples.len() as f64;
                (mean[a][b], mean[b][a]) = (average, average);
                sampled[a][b].clone_from(&gained);
                sampled[b][a] = gained;
            }
        }
        let alone = places.iter().map(|cells| together(&mut (0..count).map(|at| own(cells, at)))).collect();
        let moves: usize = samples.iter().map(|state| moves_of(rules, state).len()).sum();
        let growth = (moves as f64 / samples.len() as f64 - 1.0).max(1.5).ln();
        Some(Self { sampled, mean, alone, growth })
    }

    /// How much the patterns of a division gain on average.
    fn average(&self, order: &[usize], size: usize) -> f64 {
        pairs(order, size).map(|(a, b)| self.mean[a][b]).sum()
    }

    /// How many states a search is predicted to see, up to a factor that is the same for all divisions. A lower bound of
    /// h spares a search the last h moves. So the states at some depth cost the sum of the growth to the power of -h;
    /// R. Korf, M. Reid and S. Edelkamp, "Time complexity of iterative-deepening-A*" (2001). The bound of a pattern is
    /// taken for what its symbols say alone, and what each pair of them gains.
    fn predicted(&self, order: &[usize], size: usize) -> f64 {
        let mut bounds = self.alone.clone();
        for (a, b) in pairs(order, size) {
            for (bound, &gain) in bounds.iter_mut().zip(&self.sampled[a][b]) {
                *bound += f64::from(gain);
            }
        }
        bounds.iter().map(|bound| (-self.growth * bound).exp()).sum()
    }
}

/// States of a random walk from the goal.
fn samples(rules: &PermutingRules) -> Vec<Vec<Symbol>> {
    let mut random = Random::new("puzzlekit samples");
    let mut state = rules.goal.clone();
    let mut samples = Vec::with_capacity(SAMPLES);
    for _ in 0..SAMPLES {
        for _ in 0..MOVES_BETWEEN * rules.cells {
            let moves = moves_of(rules, &state);
            let Some(&place) = moves.get(random.below(moves.len().max(1) as u64) as usize) else {
                return if samples.is_empty() { vec![state] } else { samples };
            };
            rules.moves[place as usize].make(&mut state, false);
        }
        samples.push(state.clone());
    }
    samples
}

/// The moves that can be made in a state.
fn moves_of(rules: &PermutingRules, state: &[Symbol]) -> Vec<u32> {
    let all = rules.moves_from(rules.pivot_cell(state)).iter().copied();
    all.filter(|&place| rules.moves[place as usize].allows(state)).collect()
}
