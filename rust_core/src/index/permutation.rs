//! Moves that permute cells, freely or where some cell holds a certain symbol.

use crate::rules::{Rules, Source, Symbol};

/// A move as a permutation of cells.
#[derive(Debug, Clone)]
pub struct Permutation {
    /// Where the symbol of each cell goes.
    pub image: Vec<usize>,
    /// The cell and the symbol that the move needs there, if it needs any.
    pub needs: Option<(usize, Symbol)>,
}

impl Permutation {
    /// A move of some rules, where it is one that permutes cells and needs at most one symbol in one cell.
    pub fn of_move(rules: &Rules, index: usize) -> Option<Self> {
        let given = &rules.moves[index];
        let needs = match &given.when.0[..] {
            [] => None,
            [(cell, set)] => Some((*cell, set.single()?)),
            _ => return None,
        };
        let mut image: Vec<Option<usize>> = vec![None; rules.cells()];
        for (to, source) in &given.then {
            let from = match source {
                Source::Copy(from, None) => *from,
                // The one cell that is known to hold the symbol.
                Source::Symbol(symbol) => needs.filter(|(_, needed)| needed == symbol)?.0,
                Source::Copy(_, Some(_)) => return None,
            };
            if image[from].replace(*to).is_some() {
                return None;
            }
        }
        let written: Vec<usize> = given.then.iter().map(|&(to, _)| to).collect();
        for (cell, to) in image.iter_mut().enumerate() {
            match to {
                None if written.contains(&cell) => return None,
                None => *to = Some(cell),
                Some(_) if !written.contains(&cell) => return None,
                Some(_) => {}
            }
        }
        Some(Self { image: image.into_iter().collect::<Option<_>>()?, needs })
    }
}
