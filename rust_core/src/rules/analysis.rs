//! What can be known of a graph before it is searched: which earlier depths can hold the target of a move.

use super::{Move, Rules, Source, SymbolSet};

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

/// The smallest window that is right for the rules.
pub(super) fn window(rules: &Rules) -> Window {
    if depth_weights(rules).is_some() {
        return Window::Layered;
    }
    // A state that ended is never expanded, so no move leads back from it and it may be met again at any depth.
    let returns = rules.ends.is_empty() && rules.inverses().iter().all(Option::is_some);
    if returns { Window::InverseClosed } else { Window::Directed }
}

/// A weight for each symbol such that every move raises the weight of a state by one, if there are such weights.
///
/// With them, the depth of a reachable state is its weight less that of the start.
fn depth_weights(rules: &Rules) -> Option<Vec<Fraction>> {
    let mut rows: Vec<Vec<i128>> = Vec::new();
    for given in &rules.moves {
        let mut row = composition_change(given, rules.symbols.len())?;
        row.push(1);
        if !rows.contains(&row) {
            rows.push(row);
        }
    }
    solve(rows, rules.symbols.len())
}

impl Rules {
    /// The depth of a state, read off its symbols; `None` where the rules are not layered, or no play leads there.
    ///
    /// Every reachable state of layered rules has one. A state that has one need not be reachable.
    pub fn depth_by_composition(&self, state: &[super::Symbol]) -> Option<u64> {
        let weights = depth_weights(self)?;
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

/// Any solution of a linear system, one row an equation with its right side last; free unknowns are zero.
fn solve(rows: Vec<Vec<i128>>, unknowns: usize) -> Option<Vec<Fraction>> {
    let mut rows: Vec<Vec<Fraction>> =
        rows.into_iter().map(|row| row.into_iter().map(|x| Fraction::new(x, 1)).collect()).collect();
    let mut pivots = Vec::new();
    for column in 0..unknowns {
        let top = pivots.len();
        let Some(found) = (top..rows.len()).find(|&row| rows[row][column] != Fraction::ZERO) else {
            continue;
        };
        rows.swap(top, found);
        let scale = rows[top][column].inverse();
        rows[top] = rows[top].iter().map(|x| x.times(scale)).collect::<Option<_>>()?;
        let pivot = rows[top].clone();
        for (index, row) in rows.iter_mut().enumerate() {
            let factor = row[column].negated();
            if index != top && factor != Fraction::ZERO {
                *row = row.iter().zip(&pivot).map(|(&x, &p)| x.add(p.times(factor)?)).collect::<Option<_>>()?;
            }
        }
        pivots.push(column);
    }
    if rows[pivots.len()..].iter().any(|row| row[unknowns] != Fraction::ZERO) {
        return None;
    }
    let mut solution = vec![Fraction::ZERO; unknowns];
    for (row, &column) in rows.iter().zip(&pivots) {
        solution[column] = row[unknowns];
    }
    Some(solution)
}

#[cfg(test)]
mod tests {
    use super::*;

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
