//! The earlier depths that can hold the successors of a depth, and the depth of a state, both found from the moves
//! before any search.
//!
//! The theory is in `docs/enumeration.md`, "How it works".

use std::collections::HashSet;

use super::fraction::{Fraction, System};
use crate::rules::{Rules, Symbol};

/// The earlier depths with which new states must be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Window {
    /// Each move adds one to a weighted count of the symbols, so a state's symbols determine its depth. New states are
    /// compared only with other states of their own depth.
    Layered,
    /// Each move can be taken back by a move, so a move leads at most one depth back. New states are compared with the
    /// last two depths and with their own depth.
    InverseClosed,
    /// Moves may lead back any number of depths. New states are compared with all depths.
    Directed,
}

impl Window {
    /// The name of the window in reports, such as `inverse-closed`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Layered => "layered",
            Self::InverseClosed => "inverse-closed",
            Self::Directed => "directed",
        }
    }
}

/// The window of rules; and for layered rules, the weights that give the depth of a state.
#[derive(Debug, Clone)]
pub(super) struct Depths {
    pub window: Window,
    /// A weight for each symbol, if there are weights with which every move raises the sum of the cells' weights by
    /// one. Then the depth of a reachable state is its sum minus the sum of the start.
    weights: Option<Vec<Fraction>>,
}

impl Depths {
    /// Finds the smallest window that is right for the rules.
    pub fn new(rules: &Rules) -> Self {
        let weights = weights_of(rules);
        // A state in which play is over is never expanded. So no move leads back from it to the depth before, and moves
        // may reach it again at any later depth. So rules with ends are not inverse-closed.
        let returns = || rules.ends.is_empty() && rules.all_undone();
        let window = match &weights {
            Some(_) => Window::Layered,
            None if returns() => Window::InverseClosed,
            None => Window::Directed,
        };
        Self { window, weights }
    }

    /// The depth of a state, from the weights of its symbols. `None` if there are no weights, or if the sum belongs to
    /// no depth.
    pub fn of_state(&self, start: &[Symbol], state: &[Symbol]) -> Option<u64> {
        let weights = self.weights.as_ref()?;
        let mut sum = Fraction::ZERO;
        for (&now, &before) in state.iter().zip(start) {
            sum = sum.add(weights[now as usize])?.add(weights[before as usize].negated())?;
        }
        (sum.denominator == 1).then(|| u64::try_from(sum.numerator).ok()).flatten()
    }
}

/// The weights of [`Depths`]: they solve one equation for each move. `None` if there are no such weights.
///
/// For example, let moves turn `.` into `X` or into `O`. The equations are `X - . = 1` and `O - . = 1`: a mark weighs
/// one more than an empty cell. So the depth of a state is the number of its marks.
fn weights_of(rules: &Rules) -> Option<Vec<Fraction>> {
    let mut seen = HashSet::new();
    let mut system = System::new(rules.symbols.len());
    for given in &rules.moves {
        let mut row = rules.composition_change(&rules.without_turn(given))?;
        row.push(1);
        if seen.insert(row.clone()) {
            system.add(row.into_iter().map(|x| Fraction::new(x, 1)).collect())?;
        }
    }
    Some(system.solution())
}
