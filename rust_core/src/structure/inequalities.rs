//! Linear inequalities over the rational numbers, exactly: the simplex method.
//!
//! Each inequality `a·x ≥ 1` has a *slack* `a·x - 1`, which must not be negative. At any time some of the variables,
//! unknowns and slacks, are *basic*: a row gives each of them as a sum of the others, and the others are 0. If a basic
//! slack is negative, it changes places with a variable that can raise it. If there is none, no values satisfy all
//! inequalities. The first such slack and the first such variable are taken (Bland's rule), so this comes to an end.

use super::fraction::Fraction;

/// Inequalities `a·x ≥ 1`, whose unknowns may be negative.
pub(super) struct Inequalities {
    unknowns: usize,
    /// The basic variables. A number from `unknowns` on is a slack.
    basic: Vec<usize>,
    /// For each basic variable, its factors of the other variables, and its constant.
    rows: Vec<Vec<Fraction>>,
    /// The other variables, by column.
    others: Vec<usize>,
    /// The number of factors that may still be changed.
    work: u64,
}

impl Inequalities {
    /// No inequalities yet. `work` bounds the number of factors that are changed.
    pub fn new(unknowns: usize, work: u64) -> Self {
        Self { unknowns, basic: Vec::new(), rows: Vec::new(), others: (0..unknowns).collect(), work }
    }

    /// The number of inequalities.
    pub fn len(&self) -> usize {
        self.basic.iter().chain(&self.others).filter(|&&variable| variable >= self.unknowns).count()
    }

    /// Adds the inequality that a sum of unknowns with factors is at least one; `None` if a number overflows.
    pub fn add(&mut self, sum: &[(usize, i64)]) -> Option<()> {
        let slack = self.unknowns + self.len();
        let mut row = vec![Fraction::ZERO; self.others.len() + 1];
        row[self.others.len()] = Fraction::new(-1, 1);
        for &(unknown, factor) in sum {
            let factor = Fraction::new(factor.into(), 1);
            if let Some(at) = self.basic.iter().position(|&variable| variable == unknown) {
                self.work = self.work.checked_sub(add_times(&mut row, &self.rows[at], factor)?)?;
            } else {
                let column = self.others.iter().position(|&variable| variable == unknown)?;
                row[column] = row[column].add(factor)?;
            }
        }
        self.basic.push(slack);
        self.rows.push(row);
        Some(())
    }

    /// Returns `true` if some values satisfy all inequalities. `None` if a number overflows, or if it is too much work.
    pub fn have_solution(&mut self) -> Option<bool> {
        loop {
            let constant = self.others.len();
            let broken = (0..self.rows.len())
                .filter(|&row| self.basic[row] >= self.unknowns && self.rows[row][constant].numerator < 0)
                .min_by_key(|&row| self.basic[row]);
            let Some(row) = broken else { return Some(true) };
            let raises = |column: &usize| {
                let factor = self.rows[row][*column].numerator;
                factor > 0 || (factor < 0 && self.others[*column] < self.unknowns)
            };
            let Some(column) = (0..constant).filter(raises).min_by_key(|&column| self.others[column]) else {
                return Some(false);
            };
            self.exchange(row, column)?;
        }
    }

    /// Makes the sum of all slacks as small as can be, after [`Self::have_solution`] has found values. `None` if a
    /// number overflows, or if it is too much work.
    pub fn tighten(&mut self) -> Option<()> {
        loop {
            let constant = self.others.len();
            let mut sum = vec![Fraction::ZERO; constant + 1];
            for (column, _) in self.others.iter().enumerate().filter(|(_, variable)| **variable >= self.unknowns) {
                sum[column] = Fraction::new(1, 1);
            }
            for (_, row) in self.basic.iter().zip(&self.rows).filter(|(variable, _)| **variable >= self.unknowns) {
                self.work = self.work.checked_sub(add_times(&mut sum, row, Fraction::new(1, 1))?)?;
            }
            // A slack may only grow, and an unknown may fall as well.
            let lowers = |column: &usize| {
                let factor = sum[*column].numerator;
                factor < 0 || (factor > 0 && self.others[*column] < self.unknowns)
            };
            let Some(column) = (0..constant).filter(lowers).min_by_key(|&column| self.others[column]) else {
                return Some(());
            };
            // The basic slack that comes to 0 first, as the variable grows or falls.
            let direction = Fraction::new(-sum[column].numerator.signum(), 1);
            let mut first: Option<(Fraction, usize)> = None;
            for (row, factors) in self.rows.iter().enumerate().filter(|(row, _)| self.basic[*row] >= self.unknowns) {
                let falls = factors[column].times(direction)?.negated();
                if falls.numerator <= 0 {
                    continue;
                }
                let until = factors[constant].times(falls.inverse())?;
                let sooner = match first {
                    Some((least, other)) => {
                        let later = until.add(least.negated())?.numerator;
                        later < 0 || (later == 0 && self.basic[row] < self.basic[other])
                    }
                    None => true,
                };
                if sooner {
                    first = Some((until, row));
                }
            }
            self.exchange(first?.1, column)?;
        }
    }

    /// The values of the unknowns, after [`Self::have_solution`] has found some.
    pub fn solution(&self) -> Vec<Fraction> {
        let mut values = vec![Fraction::ZERO; self.unknowns];
        for (&variable, row) in self.basic.iter().zip(&self.rows) {
            if variable < self.unknowns {
                values[variable] = row[self.others.len()];
            }
        }
        values
    }

    /// Makes the variable of a column basic, and that of a row not.
    fn exchange(&mut self, row: usize, column: usize) -> Option<()> {
        let mut given = std::mem::take(&mut self.rows[row]);
        let scale = given[column].inverse();
        given[column] = Fraction::new(-1, 1);
        for factor in &mut given {
            *factor = factor.times(scale)?.negated();
        }
        for other in self.rows.iter_mut().filter(|other| !other.is_empty()) {
            let factor = std::mem::replace(&mut other[column], Fraction::ZERO);
            self.work = self.work.checked_sub(add_times(other, &given, factor)?)?;
        }
        self.rows[row] = given;
        std::mem::swap(&mut self.basic[row], &mut self.others[column]);
        Some(())
    }
}

/// Adds a multiple of a row to another one. Returns the number of factors that were looked at.
fn add_times(row: &mut [Fraction], more: &[Fraction], factor: Fraction) -> Option<u64> {
    if factor == Fraction::ZERO {
        return Some(1);
    }
    for (x, &y) in row.iter_mut().zip(more) {
        if y != Fraction::ZERO {
            *x = x.add(y.times(factor)?)?;
        }
    }
    Some(row.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_solution_satisfies_all_inequalities_or_they_contradict_each_other() {
        let (mut solved, mut contradictory, mut tightened) = (0, 0, 0);
        for seed in 0..600 {
            let mut random = Random::new(&format!("inequalities {seed}"));
            let unknowns = 1 + random.below(3) as usize;
            let mut inequalities = Inequalities::new(unknowns, u64::MAX);
            let mut sums: Vec<Vec<(usize, i64)>> = Vec::new();
            for _ in 0..=random.below(5) {
                sums.push((0..unknowns).map(|unknown| (unknown, random.below(5) as i64 - 2)).collect());
                inequalities.add(&sums[sums.len() - 1]).unwrap();
                // They may be asked for a solution at any time, and get more after that.
                if random.below(2) == 0 && !inequalities.have_solution().unwrap() {
                    break;
                }
            }
            // If some values satisfy them, so do some whole numbers that are not large.
            let most = 12;
            let tried = (0..(2 * most + 1_i64).pow(unknowns as u32)).any(|mut at| {
                let mut values = Vec::new();
                for _ in 0..unknowns {
                    values.push(at % (2 * most + 1) - most);
                    at /= 2 * most + 1;
                }
                sums.iter().all(|sum| sum.iter().map(|&(unknown, factor)| factor * values[unknown]).sum::<i64>() >= 1)
            });
            assert_eq!(inequalities.have_solution(), Some(tried), "{sums:?}");
            if !tried {
                contradictory += 1;
                continue;
            }
            solved += 1;
            let slacks = |inequalities: &Inequalities| {
                let row = |(_, row): (&usize, &Vec<Fraction>)| row[row.len() - 1];
                let slack = |(variable, _): &(&usize, _)| **variable >= unknowns;
                let slacks = inequalities.basic.iter().zip(&inequalities.rows).filter(slack).map(row);
                slacks.fold(Fraction::ZERO, |sum, slack| sum.add(slack).unwrap())
            };
            let before = slacks(&inequalities);
            inequalities.tighten().unwrap();
            let less = before.add(slacks(&inequalities).negated()).unwrap();
            assert!(less.numerator >= 0);
            tightened += usize::from(less.numerator > 0);
            let values = inequalities.solution();
            for sum in &sums {
                let term = |&(unknown, factor): &(usize, i64)| values[unknown].times(Fraction::new(factor.into(), 1));
                let terms: Vec<Fraction> = sum.iter().map(|each| term(each).unwrap()).collect();
                let sum = terms.iter().fold(Fraction::ZERO, |sum, &term| sum.add(term).unwrap());
                assert!(sum.numerator >= sum.denominator, "{sums:?} {values:?}");
            }
        }
        assert!(solved > 100 && contradictory > 100 && tightened > 10, "{solved} {contradictory} {tightened}");
    }

    #[test]
    fn too_much_work_is_left() {
        let mut inequalities = Inequalities::new(2, 3);
        inequalities.add(&[(0, 1), (1, -1)]).unwrap();
        inequalities.add(&[(0, -1), (1, 2)]).unwrap();
        assert_eq!(inequalities.have_solution(), None);
    }
}
