//! What can be known of a graph before it is searched: which earlier depths can hold the target of a move.

use std::collections::HashSet;

use crate::rules::{Move, Rules, Source, SymbolSet};

/// Which earlier depths a new state must be compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// Each move adds one to a weighted count of the symbols, so a state tells its depth: the new depth alone.
    Layered,
    /// Each move can be taken back by the next one, so a state lies at most one depth back: the last two and the new.
    InverseClosed,
    /// Moves may lead back any number of depths: all of them.
    Directed,
}

impl Window {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Layered => "layered",
            Self::InverseClosed => "inverse-closed",
            Self::Directed => "directed",
        }
    }
}

/// What was worked out of some rules once, when they were checked.
#[derive(Debug, Clone)]
pub(super) struct Analysis {
    pub(super) window: Window,
    /// A weight for each symbol such that every move raises the weight of a state by one, where there are such weights.
    /// Then the depth of a reachable state is its weight less that of the start.
    weights: Option<Vec<Fraction>>,
}

impl Default for Analysis {
    fn default() -> Self {
        Self { window: Window::Directed, weights: None }
    }
}

impl Analysis {
    /// Works out the smallest window that is right for the rules.
    pub(super) fn new(rules: &Rules) -> Self {
        let weights = depth_weights(rules);
        // A state that ended is never expanded, so no move leads back from it and it may be met again at any depth.
        let returns = || rules.ends.is_empty() && rules.all_undone();
        let window = match &weights {
            Some(_) => Window::Layered,
            None if returns() => Window::InverseClosed,
            None => Window::Directed,
        };
        Self { window, weights }
    }
}

/// The weights of [`Analysis`]: a solution of one equation for each move.
fn depth_weights(rules: &Rules) -> Option<Vec<Fraction>> {
    let mut seen = HashSet::new();
    let mut system = System { unknowns: rules.symbols.len(), rows: Vec::new() };
    for given in &rules.moves {
        let mut row = composition_change(given, rules.symbols.len())?;
        row.push(1);
        if seen.insert(row.clone()) {
            system.add(row.into_iter().map(|x| Fraction::new(x, 1)).collect())?;
        }
    }
    Some(system.solution())
}

impl Rules {
    /// The depth of a state, read off its symbols; `None` where the rules are not layered, or no play leads there.
    ///
    /// Every reachable state of layered rules has one. A state that has one need not be reachable.
    pub fn depth_by_composition(&self, state: &[super::Symbol]) -> Option<u64> {
        let weights = self.analysis.weights.as_ref()?;
        let mut sum = Fraction::ZERO;
        for (&now, &before) in state.iter().zip(&self.start) {
            sum = sum.add(weights[now as usize])?.add(weights[before as usize].negated())?;
        }
        (sum.denominator == 1).then(|| u64::try_from(sum.numerator).ok()).flatten()
    }
}

/// How many more cells hold each symbol after a move, where that is the same in every state.
pub(super) fn composition_change(given: &Move, symbols: usize) -> Option<Vec<i128>> {
    let mut change = vec![0; symbols];
    let mut unknown: Vec<usize> = Vec::new(); // cells whose symbol leaves: it must arrive elsewhere
    for (cell, _) in &given.then {
        match given.when.get(*cell).and_then(SymbolSet::single) {
            Some(symbol) => change[symbol as usize] -= 1,
            None => unknown.push(*cell),
        }
    }
    for (_, source) in &given.then {
        match source {
            Source::Symbol(symbol) => change[*symbol as usize] += 1,
            Source::Copy(from, None) => {
                let left = unknown.iter().position(|cell| cell == from)?;
                unknown.swap_remove(left);
            }
            Source::Copy(_, Some(_)) => return None,
        }
    }
    unknown.is_empty().then_some(change)
}

/// A fraction in lowest terms with a positive denominator. Every operation is checked: overflow gives `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fraction {
    numerator: i128,
    denominator: i128,
}

impl Fraction {
    const ZERO: Self = Self { numerator: 0, denominator: 1 };

    fn new(numerator: i128, denominator: i128) -> Self {
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = a.max(1).cast_signed() * denominator.signum();
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    fn negated(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }

    fn add(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Some(Self::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?))
    }

    fn times(self, other: Self) -> Option<Self> {
        Some(Self::new(self.numerator.checked_mul(other.numerator)?, self.denominator.checked_mul(other.denominator)?))
    }

    fn inverse(self) -> Self {
        Self::new(self.denominator, self.numerator)
    }
}

/// Linear equations, each a row with its right side last, reduced as they come in.
struct System {
    unknowns: usize,
    /// Each row with its pivot: the one unknown that it has with factor one, and no other row has.
    rows: Vec<(usize, Vec<Fraction>)>,
}

impl System {
    /// Adds an equation; `None` where it contradicts the others, or the numbers grow too large.
    fn add(&mut self, mut row: Vec<Fraction>) -> Option<()> {
        for (pivot, known) in &self.rows {
            eliminate(&mut row, *pivot, known)?;
        }
        let Some(pivot) = (0..self.unknowns).find(|&column| row[column] != Fraction::ZERO) else {
            return (row[self.unknowns] == Fraction::ZERO).then_some(());
        };
        let scale = row[pivot].inverse();
        for x in &mut row {
            *x = x.times(scale)?;
        }
        for (_, known) in &mut self.rows {
            eliminate(known, pivot, &row)?;
        }
        self.rows.push((pivot, row));
        Some(())
    }

    /// The solution in which all unknowns that are free are zero.
    fn solution(&self) -> Vec<Fraction> {
        let mut solution = vec![Fraction::ZERO; self.unknowns];
        for (pivot, row) in &self.rows {
            solution[*pivot] = row[self.unknowns];
        }
        solution
    }
}

/// Subtracts a multiple of a row whose pivot has factor one, so that the pivot is gone.
fn eliminate(row: &mut [Fraction], pivot: usize, known: &[Fraction]) -> Option<()> {
    let factor = row[pivot].negated();
    if factor != Fraction::ZERO {
        for (x, &p) in row.iter_mut().zip(known) {
            *x = x.add(p.times(factor)?)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(rows: Vec<Vec<i128>>, unknowns: usize) -> Option<Vec<Fraction>> {
        let mut system = System { unknowns, rows: Vec::new() };
        for row in rows {
            system.add(row.into_iter().map(|x| Fraction::new(x, 1)).collect())?;
        }
        Some(system.solution())
    }

    fn integers(solution: Option<Vec<Fraction>>) -> Option<Vec<(i128, i128)>> {
        solution.map(|all| all.iter().map(|x| (x.numerator, x.denominator)).collect())
    }

    #[test]
    fn marks_on_a_board_have_weights() {
        let rows = vec![vec![-1, 1, 0, 1], vec![-1, 0, 1, 1]];
        let solution = solve(rows, 3).unwrap();
        let weight = |i: usize| solution[i];
        assert_eq!(weight(1).add(weight(0).negated()), Some(Fraction::new(1, 1)));
        assert_eq!(weight(2).add(weight(0).negated()), Some(Fraction::new(1, 1)));
    }

    #[test]
    fn a_move_and_its_opposite_have_none() {
        assert_eq!(integers(solve(vec![vec![-1, 1, 1], vec![1, -1, 1]], 2)), None);
        assert_eq!(integers(solve(vec![vec![0, 0, 1]], 2)), None);
    }

    #[test]
    fn fractions_are_exact() {
        assert_eq!(integers(solve(vec![vec![2, 1], vec![4, 2]], 1)), Some(vec![(1, 2)]));
    }
}
