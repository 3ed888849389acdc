//! Finds a state that satisfies the guards of two moves, to show why the moves may not share a name.

use super::compare;
use super::model::{Condition, Move};
use super::pattern::{Comparison, Pattern, Symbol, SymbolSet};

/// The search for a state gives up after this many choices.
const MOST_CHOICES: usize = 10_000;

/// If a state has more cells than this, it is not shown.
const MOST_CELLS: usize = 128;

/// Finds a state that allows both moves; `None` if none is found, or if the board is too large to be shown. If
/// possible, each conserved symbol, which is one whose number of cells no move changes, is in as many cells as at the
/// start. As many cells as possible hold what they hold at the start.
pub(super) fn find(one: &Move, other: &Move, start: &[Symbol], conserved: &[Option<usize>]) -> Option<Vec<Symbol>> {
    if start.len() > MOST_CELLS {
        return None;
    }
    let (when, compares) = compare::together(one, other, conserved.len())?;
    let conditions: Vec<&Condition> = one.conditions.iter().chain(&other.conditions).collect();
    let found = |conserved: &[Option<usize>]| {
        let (when, compares, conditions) = (&when, &compares[..], &conditions[..]);
        Witnesses { when, compares, conditions, start, conserved, choices: 0 }.run()
    };
    found(conserved).or_else(|| found(&vec![None; conserved.len()]))
}

/// A state as text: symbols side by side, or with commas if some symbol is longer than a character.
pub(super) fn text(state: &[Symbol], names: &[String]) -> String {
    let single = names.iter().all(|name| name.chars().count() == 1);
    let names: Vec<&str> = state.iter().map(|&symbol| names[symbol as usize].as_str()).collect();
    names.join(if single { "" } else { "," })
}

/// A search for a state that satisfies guards. It tries symbols in one cell after the other.
struct Witnesses<'a> {
    when: &'a Pattern,
    compares: &'a [Comparison],
    conditions: &'a [&'a Condition],
    start: &'a [Symbol],
    /// For each symbol, the number of cells that must hold it; `None` if any number may.
    conserved: &'a [Option<usize>],
    choices: usize,
}

impl Witnesses<'_> {
    fn run(mut self) -> Option<Vec<Symbol>> {
        let mut guarded: Vec<usize> = self.when.0.iter().map(|&(cell, _)| cell).collect();
        guarded.extend(self.compares.iter().flat_map(|compare| [compare.first, compare.second]));
        guarded.extend(self.conditions.iter().flat_map(|condition| condition.looks()).map(|(cell, _)| cell));
        guarded.sort_unstable();
        guarded.dedup();
        let mut state = vec![None; self.start.len()];
        self.choose(&guarded, &mut state)
    }

    /// Chooses symbols for the given cells, and then fills all other cells. It is called recursively once for each
    /// cell, so at most [`MOST_CELLS`] deep. `None` if no choice satisfies the guards, or if too many choices were
    /// tried.
    fn choose(&mut self, cells: &[usize], state: &mut Vec<Option<Symbol>>) -> Option<Vec<Symbol>> {
        let Some((&cell, rest)) = cells.split_first() else { return self.filled(state) };
        let allowed = self.when.allowed(cell, self.conserved.len());
        let first: SymbolSet = [self.start[cell]].into_iter().collect();
        for symbol in allowed.and(first).iter().chain(allowed.minus(first).iter()) {
            self.choices += 1;
            if self.choices > MOST_CHOICES {
                return None;
            }
            state[cell] = Some(symbol);
            if self.compares.iter().all(|compare| holds(*compare, state))
                && let Some(found) = self.choose(rest, state)
            {
                return Some(found);
            }
        }
        state[cell] = None;
        None
    }

    /// Completes a state: fills the cells that no guard reads. `None` if some conserved symbol cannot get its number of
    /// cells, or if a condition does not hold.
    fn filled(&self, state: &[Option<Symbol>]) -> Option<Vec<Symbol>> {
        let mut left = self.conserved.to_vec();
        for &symbol in state.iter().flatten() {
            if let Some(left) = &mut left[symbol as usize] {
                *left = left.checked_sub(1)?;
            }
        }
        let mut state = state.to_vec();
        // As far as possible, these cells hold what they hold at the start.
        for (held, &symbol) in state.iter_mut().zip(self.start) {
            if let (None, Some(left @ 1..)) = (*held, &mut left[symbol as usize]) {
                *left -= 1;
                *held = Some(symbol);
            }
        }
        let mut missing = (0..).zip(&left).flat_map(|(symbol, left)| vec![symbol; left.unwrap_or(0)]);
        for (held, &symbol) in state.iter_mut().zip(self.start).filter(|(held, _)| held.is_none()) {
            let any = || left.iter().position(Option::is_none).map(|symbol| symbol as Symbol);
            *held = missing.next().or_else(|| left[symbol as usize].is_none().then_some(symbol)).or_else(any);
        }
        let state: Vec<Symbol> = if missing.next().is_some() { None } else { state.into_iter().collect() }?;
        self.conditions.iter().all(|condition| condition.holds(&state)).then_some(state)
    }
}

fn holds(compare: Comparison, state: &[Option<Symbol>]) -> bool {
    match (state[compare.first], state[compare.second]) {
        (Some(one), Some(other)) => (one == other) == compare.equal,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(symbols: &[Symbol]) -> SymbolSet {
        symbols.iter().copied().collect()
    }

    fn guarded(when: &[(usize, SymbolSet)], compares: &[Comparison]) -> Move {
        let (when, compares) = (Pattern(when.to_vec()), compares.to_vec());
        let (conditions, then) = (Vec::new(), Vec::new());
        Move { name: String::new(), player: None, when, compares, conditions, then, forced: false, again: false }
    }

    #[test]
    fn a_state_is_near_the_start_and_keeps_what_is_conserved() {
        let (one, other) = (guarded(&[(0, set(&[1]))], &[]), guarded(&[(1, set(&[0, 1]))], &[]));
        // There are three cells, and always one `1`. So the two other cells hold `0` or `2`.
        assert_eq!(find(&one, &other, &[0, 0, 1], &[None, Some(1), None]), Some(vec![1, 0, 0]));
        // There is only one `1`, and then no state allows both moves. So the state that is shown has two.
        let third = guarded(&[(1, set(&[1]))], &[]);
        assert_eq!(find(&one, &third, &[0, 0, 1], &[None, Some(1), None]), Some(vec![1, 1, 1]));
        let different = guarded(&[], &[Comparison::new(0, 1, false), Comparison::new(1, 2, false)]);
        assert_eq!(find(&one, &different, &[1, 1, 1], &[None; 3]), Some(vec![1, 0, 1]));
        assert_eq!(find(&one, &guarded(&[(0, set(&[0]))], &[]), &[0, 0, 0], &[None; 3]), None);
    }

    #[test]
    fn long_symbols_have_commas() {
        let names = |names: [&str; 2]| names.map(String::from);
        assert_eq!(text(&[0, 1, 0], &names(["a", "b"])), "aba");
        assert_eq!(text(&[0, 1, 0], &names(["a", "10"])), "a,10,a");
    }
}
