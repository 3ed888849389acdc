//! Goals as tests of a word, and the list of all states that satisfy a goal.

use super::guards::Guard;
use super::layout::Layout;
use super::word::{Slot, Word};
use crate::rules::{Count, Goal, Rules, Symbol, SymbolSet};

/// A compiled goal.
#[derive(Debug, Clone)]
pub struct GoalTest<W> {
    guard: Guard<W>,
    counts: Box<[CountTest]>,
    cell_mask: u64,
}

/// A compiled count: a bound on the number of cells that hold one of some symbols.
#[derive(Debug, Clone)]
struct CountTest {
    slots: Box<[Slot]>,
    symbols: SymbolSet,
    least: usize,
    most: usize,
}

impl<W: Word> GoalTest<W> {
    /// Compiles a goal.
    pub fn new(rules: &Rules, layout: &Layout, goal: &Goal) -> Self {
        let count = |count: &Count| CountTest {
            slots: count.cells.iter().map(|&cell| layout.slots[cell]).collect(),
            symbols: count.symbols,
            least: count.least,
            most: count.most,
        };
        Self {
            guard: Guard::new(rules, layout, &goal.when),
            counts: goal.counts.iter().map(count).collect(),
            cell_mask: layout.mask,
        }
    }

    /// Returns `true` if a state satisfies the goal.
    pub fn holds(&self, word: W) -> bool {
        self.guard.holds(word)
            && self.counts.iter().all(|count| {
                let holds = |slot: &&Slot| count.symbols.contains(word.bits(**slot, self.cell_mask) as Symbol);
                let there = count.slots.iter().filter(holds).count();
                (count.least..=count.most).contains(&there)
            })
    }
}

/// Adds all states that satisfy a goal to a list, cell by cell; `None` if there may be more than `most` in the list.
///
/// The search gives up a beginning of a state as soon as no completion of it can satisfy a count. So a goal of at most
/// one `o` on 33 cells of `.` and `o` lists 34 states, and never holds more beginnings than that.
pub fn list(rules: &Rules, goal: &Goal, most: usize, states: &mut Vec<Vec<Symbol>>) -> Option<()> {
    let (cells, symbols) = (rules.cells(), rules.symbols.len());
    // For each count and each cell: the number of cells from there on that may still count.
    let ahead: Vec<Vec<usize>> = goal.counts.iter().map(|count| ahead(count, goal, cells, symbols)).collect();
    let mut partial: Vec<(Vec<Symbol>, Vec<usize>)> = vec![(Vec::new(), vec![0; goal.counts.len()])];
    for cell in 0..cells {
        let allowed: Vec<Symbol> = goal.when.allowed(cell, symbols).iter().collect();
        let mut longer = Vec::new();
        for (state, counted) in &partial {
            for &symbol in &allowed {
                let mut counted = counted.clone();
                let fits = goal.counts.iter().zip(&mut counted).zip(&ahead).all(|((count, counted), ahead)| {
                    *counted += usize::from(count.symbols.contains(symbol) && count.cells.binary_search(&cell).is_ok());
                    *counted <= count.most && *counted + ahead[cell + 1] >= count.least
                });
                if fits {
                    let mut state = state.clone();
                    state.push(symbol);
                    longer.push((state, counted));
                }
                if states.len() + longer.len() > most {
                    return None;
                }
            }
        }
        partial = longer;
    }
    states.extend(partial.into_iter().map(|(state, _)| state));
    Some(())
}

fn ahead(count: &Count, goal: &Goal, cells: usize, symbols: usize) -> Vec<usize> {
    let mut ahead = vec![0; cells + 1];
    for cell in (0..cells).rev() {
        let may =
            count.cells.binary_search(&cell).is_ok() && !goal.when.allowed(cell, symbols).and(count.symbols).is_empty();
        ahead[cell] = ahead[cell + 1] + usize::from(may);
    }
    ahead
}
