//! Lists all states that satisfy a goal, for a search that begins at the goal.

use crate::rules::{Condition, Count, Goal, Rules, Symbol};

/// Adds all states that satisfy a goal to the list `states`. Gives up and returns `None` as soon as the list might get
/// more than `most` states.
///
/// The states are built cell by cell. The beginning of a state is given up as soon as no completion of it can satisfy a
/// count of the goal. For example, the goal "at most one `o`" on 33 cells of `.` and `o` has 34 states, and the search
/// never holds more than 34 beginnings.
pub fn list(rules: &Rules, goal: &Goal, most: usize, states: &mut Vec<Vec<Symbol>>) -> Option<()> {
    let (cells, symbols) = (rules.cells(), rules.symbols.len());
    // For each count of the goal and each cell: how many cells, from this cell to the last one, can still add to the
    // count.
    let counts: Vec<&Count> = goal.conditions.iter().filter_map(count_of).collect();
    let ahead: Vec<Vec<usize>> = counts.iter().map(|count| ahead(count, goal, cells, symbols)).collect();
    let mut partial: Vec<(Vec<Symbol>, Vec<usize>)> = vec![(Vec::new(), vec![0; counts.len()])];
    for cell in 0..cells {
        let allowed: Vec<Symbol> = goal.when.allowed(cell, symbols).iter().collect();
        let mut longer = Vec::new();
        for (state, counted) in &partial {
            for &symbol in &allowed {
                let mut counted = counted.clone();
                let fits = counts.iter().zip(&mut counted).zip(&ahead).all(|((count, counted), ahead)| {
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
    let satisfies = |state: &Vec<Symbol>| goal.conditions.iter().all(|condition| condition.holds(state));
    states.extend(partial.into_iter().map(|(state, _)| state).filter(satisfies));
    Some(())
}

fn count_of(condition: &Condition) -> Option<&Count> {
    match condition {
        Condition::Count(count) => Some(count),
        _ => None,
    }
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
