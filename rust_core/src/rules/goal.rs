//! Goals: a pattern and other conditions. `docs/rules.md`, "Counts, paths, and what must not hold", explains them.

use std::ops::RangeInclusive;

use super::condition;
use super::data::CountData;
use super::model::{Condition, Count, Goal};
use super::pattern::{Pattern, Symbol};
use crate::error::{Result, rules_error};
use crate::sorting;

impl Count {
    /// The count in words, for a message, such as `at most 1 cell with o`.
    pub(super) fn describe(&self, cells: usize, symbols: &[String]) -> String {
        let names: Vec<&str> = self.symbols.iter().map(|symbol| symbols[symbol as usize].as_str()).collect();
        let (least, most) = (self.least, self.most);
        let of_cells = |number: usize| format!("{number} cell{}", if number == 1 { "" } else { "s" });
        let number = if most == 0 {
            "no cell".to_owned()
        } else if least == most {
            format!("exactly {}", of_cells(least))
        } else if most >= self.cells.len() {
            format!("at least {}", of_cells(least))
        } else if least == 0 {
            format!("at most {}", of_cells(most))
        } else {
            format!("between {least} and {most} cells")
        };
        let of = if self.cells.len() == cells { String::new() } else { format!(" of {:?}", self.cells) };
        format!("{number}{of} with {}", names.join(" or "))
    }
}

impl Goal {
    /// The only state that satisfies the goal, on a board of `cells` cells. `None` if the pattern allows several
    /// symbols in some cell, or if the goal has further conditions.
    pub fn single_state(&self, cells: usize, symbols: usize) -> Option<Vec<Symbol>> {
        let single = |cell| self.when.allowed(cell, symbols).single();
        if self.conditions.is_empty() { (0..cells).map(single).collect() } else { None }
    }

    /// Makes a goal of a pattern and conditions.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Rules`] if no state satisfies the goal. Each count is compared with the pattern alone, so two
    /// counts that contradict each other are not noticed.
    pub(super) fn new(
        when: &Pattern,
        conditions: Vec<Condition>,
        symbols: &[String],
        cells: usize,
        place: &str,
    ) -> Result<Self> {
        let (mut merged, mut others): (Vec<Count>, Vec<Condition>) = (Vec::new(), Vec::new());
        for condition in conditions {
            let Condition::Count(count) = condition else {
                others.push(condition);
                continue;
            };
            match merged.iter_mut().find(|known| (known.symbols, &known.cells) == (count.symbols, &count.cells)) {
                Some(known) => (known.least, known.most) = (known.least.max(count.least), known.most.min(count.most)),
                None => merged.push(count),
            }
        }
        for count in &mut merged {
            count.most = count.most.min(count.cells.len());
            let allowed = |cell: usize| when.allowed(cell, symbols.len());
            let sure = count.cells.iter().filter(|&&cell| allowed(cell).within(count.symbols)).count();
            let possible = count.cells.iter().filter(|&&cell| !allowed(cell).and(count.symbols).is_empty()).count();
            if count.least > count.most || count.least > possible || count.most < sure {
                let wanted = count.describe(cells, symbols);
                let there = if sure == possible { format!("{sure}") } else { format!("{sure} to {possible}") };
                return Err(rules_error!(
                    "{place} wants {wanted}, so it never holds: there can be {there}; give a number that there can be"
                ));
            }
        }
        merged.retain(|count| count.least > 0 || count.most < count.cells.len());
        let Some((when, mut conditions)) = condition::settle(when, &others, symbols.len()) else {
            return Err(rules_error!("{place} never holds, because of its other conditions; mend them"));
        };
        conditions.extend(merged.into_iter().map(Condition::Count));
        sorting::sort(&mut conditions);
        Ok(Self { when, conditions })
    }

    /// Refuses a count over all cells that the start does not satisfy, if no move ever changes the counted number.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Rules`].
    pub(super) fn check_conserved(
        &self,
        conserved: &[Option<usize>],
        names: &[String],
        cells: usize,
        place: &str,
    ) -> Result<()> {
        for condition in &self.conditions {
            let Condition::Count(count) = condition else { continue };
            let each = count.symbols.iter().map(|symbol| conserved[symbol as usize]);
            let Some(there) = each.sum::<Option<usize>>() else { continue };
            if count.cells.len() == cells && !(count.least..=count.most).contains(&there) {
                let wanted = count.describe(cells, names);
                return Err(rules_error!(
                    "{place} wants {wanted}, so it never holds: no move changes their number, which is {there}; \
                     give that number, or a move that changes it"
                ));
            }
        }
        Ok(())
    }
}

/// The range of a count as the data gives it; without a bound, the least is 0 and the most is unlimited.
///
/// # Errors
///
/// [`crate::Error::Rules`] if a bound is negative.
pub(super) fn counted_range(data: &CountData, place: &str) -> Result<RangeInclusive<usize>> {
    for number in [data.at_least, data.at_most].into_iter().flatten() {
        if number < 0 {
            return Err(rules_error!("{place} counts {number} cells; give a number from 0"));
        }
    }
    let bound = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    Ok(data.at_least.map_or(0, bound)..=data.at_most.map_or(usize::MAX, bound))
}
