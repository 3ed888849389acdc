//! Fractions, and systems of linear equations over the rational numbers, without rounding.

/// A fraction in lowest terms with a positive denominator. Operations that may overflow return `None` if they do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fraction {
    pub numerator: i128,
    pub denominator: i128,
}

impl Fraction {
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    pub fn new(numerator: i128, denominator: i128) -> Self {
        if denominator == 1 {
            return Self { numerator, denominator };
        }
        let (mut a, mut b) = (numerator.unsigned_abs(), denominator.unsigned_abs());
        while b != 0 {
            (a, b) = (b, a % b);
        }
        let divisor = a.max(1).cast_signed() * denominator.signum();
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    pub fn negated(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }

    pub fn add(self, other: Self) -> Option<Self> {
        let left = self.numerator.checked_mul(other.denominator)?;
        let right = other.numerator.checked_mul(self.denominator)?;
        Some(Self::new(left.checked_add(right)?, self.denominator.checked_mul(other.denominator)?))
    }

    pub fn times(self, other: Self) -> Option<Self> {
        Some(Self::new(self.numerator.checked_mul(other.numerator)?, self.denominator.checked_mul(other.denominator)?))
    }

    pub fn inverse(self) -> Self {
        Self::new(self.denominator, self.numerator)
    }
}

/// A system of linear equations over unknowns. An equation is a row of factors, with its right side at the end.
pub(super) struct System {
    unknowns: usize,
    /// The equations, each with its pivot: an unknown that has the factor 1 in this row and 0 in all others.
    rows: Vec<(usize, Vec<Fraction>)>,
}

impl System {
    /// A system without equations.
    pub fn new(unknowns: usize) -> Self {
        Self { unknowns, rows: Vec::new() }
    }

    /// Adds an equation. `None` if it contradicts the others, or if a number overflows.
    pub fn add(&mut self, mut row: Vec<Fraction>) -> Option<()> {
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

    /// The solution in which every unknown that is no pivot is zero.
    pub fn solution(&self) -> Vec<Fraction> {
        let mut solution = vec![Fraction::ZERO; self.unknowns];
        for (pivot, row) in &self.rows {
            solution[*pivot] = row[self.unknowns];
        }
        solution
    }
}

/// Subtracts a multiple of `known` from `row`, so that the pivot has the factor 0 in `row`. In `known`, the pivot must
/// have the factor 1. `None` if a number overflows.
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
        let mut system = System::new(unknowns);
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
