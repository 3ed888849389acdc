//! Linear inequalities over the rational numbers, solved by the simplex method without rounding.
//!
//! Each inequality `a·x ≥ 1` has a *slack*, the variable `a·x - 1`, which must not be negative. The variables are the
//! unknowns and the slacks. At any time, some variables are *basic*, and the others are 0. A row gives each basic
//! variable as a sum of multiples of the others, plus a constant. If a basic slack is negative, it is exchanged with
//! another variable that can raise it. If no variable can raise it, the inequalities have no solution. The first
//! negative slack and the first such variable are taken (Bland's rule), so that this is sure to end.

use super::fraction::Fraction;

/// A list of inequalities `a·x ≥ 1`. The unknowns may be negative.
pub(super) struct Inequalities {
    unknowns: usize,
    /// The basic variables. Numbers below `unknowns` are unknowns, and the others are slacks.
    basic: Vec<usize>,
    /// The row of each basic variable: its factors of the other variables, and its constant.
    rows: Vec<Vec<Fraction>>,
    /// The variables that are not basic, in the order of the factors in a row.
    others: Vec<usize>,
    /// The number of factors that may still be changed before the search is given up.
    work: u64,
}

impl Inequalities {
    /// An empty list. At most `work` factors may be changed in all.
    pub fn new(unknowns: usize, work: u64) -> Self {
        Self { unknowns, basic: Vec::new(), rows: Vec::new(), others: (0..unknowns).collect(), work }
    }

    /// The number of inequalities in the list.
    pub fn len(&self) -> usize {
        self.basic.iter().chain(&self.others).filter(|&&variable| variable >= self.unknowns).count()
    }

    /// Adds the inequality that a sum of unknowns, each with a factor, is at least one. `None` if a number overflows,
    /// or if the work is used up.
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

    /// Returns `true` if the inequalities have a solution; [`Self::solution`] then gives it. `None` if a number
    /// overflows, or if the work is used up.
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

    /// Makes the sum of all slacks as small as possible. [`Self::have_solution`] must have returned `true`. `None` if a
    /// number overflows, or if the work is used up.
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
            // Variables that are not basic are 0. A slack may only grow from there, and an unknown may also fall.
            let lowers = |column: &usize| {
                let factor = sum[*column].numerator;
                factor < 0 || (factor > 0 && self.others[*column] < self.unknowns)
            };
            let Some(column) = (0..constant).filter(lowers).min_by_key(|&column| self.others[column]) else {
                return Some(());
            };
            // Finds the basic slack that is the first to become 0 as the variable grows or falls.
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

    /// The values of the unknowns in the solution that [`Self::have_solution`] has found.
    pub fn solution(&self) -> Vec<Fraction> {
        let mut values = vec![Fraction::ZERO; self.unknowns];
        for (&variable, row) in self.basic.iter().zip(&self.rows) {
            if variable < self.unknowns {
                values[variable] = row[self.others.len()];
            }
        }
        values
    }

    /// Makes the variable of a column basic in place of the variable of a row. `None` if a number overflows, or if the
    /// work is used up.
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

/// Adds a multiple of one row to another. Returns the work: the number of factors. `None` if a number overflows.
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
                // A solution may be asked for after any inequality, and more inequalities may be added after that.
                if random.below(2) == 0 && !inequalities.have_solution().unwrap() {
                    break;
                }
            }
            // If these inequalities have a solution, they have one in small whole numbers.
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
