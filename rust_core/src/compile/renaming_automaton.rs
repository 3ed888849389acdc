//! The smallest image of a state by an automaton, for symmetries that rename symbols in many ways.
//!
//! The theory is in `docs/enumeration.md`, "How it works".
//!
//! Symmetries that move the cells alike differ only in their *renamings*, which say what each symbol becomes. The
//! automaton tries all these renamings at once. It reads the symbols of the state in the order in which they stand in
//! the image. Each of its nodes is a set of renamings: those that give the smallest image so far. Reading stops as soon
//! as the image is larger than the best one that is known.
//!
//! For example, take the symbols a to d, which may be renamed in all 24 ways, and the state `ca/cb` of four cells. Six
//! renamings turn c into a, the smallest symbol. Two of these turn a into b. The next c becomes a again, and one of the
//! two renamings turns b into c. So the smallest image is `ab/ac`, and one renaming leads to it.
//!
//! Nothing here depends on the width of words, so it is compiled once for all of them.

use std::collections::HashMap;

use crate::rules::{Symbol, Symmetry};

/// The fewest symmetries, on average, for each way to move the cells. With fewer, tables of images are quicker than the
/// automaton.
const LEAST_RENAMINGS: usize = 4;

/// The most bytes of the steps of an automaton, so that they fit the second-level cache.
const MOST_BYTES: usize = 1 << 20;

/// The number of bits of a step that hold a symbol. The bits above hold the number of the next node.
const SYMBOL_BITS: u32 = 8;

/// The automaton for a list of symmetries, and the ways in which these move the cells.
#[derive(Debug, Clone)]
pub struct RenamingAutomaton {
    /// The number of symbols.
    symbols: usize,
    /// For each node, and then for each symbol that may be read there: the symbol that it becomes and the next node,
    /// packed in one number.
    steps: Vec<u32>,
    /// For each node, the number of its renamings.
    sizes: Vec<u32>,
    /// One entry for each way to move the cells, in the order in which these ways first occur in the list of
    /// symmetries.
    moved: Vec<MovedCells>,
}

/// All symmetries of the list that carry each cell to the same place, and differ only in how they rename symbols.
#[derive(Debug, Clone)]
struct MovedCells {
    /// The node from which reading begins: the set of all renamings of these symmetries.
    node: u32,
    /// For each cell of an image, the cell of the state whose symbol goes there.
    sources: Box<[u16]>,
}

impl RenamingAutomaton {
    /// Builds the automaton for symmetries of a board with `symbols` symbols. `None` if too few symmetries move the
    /// cells alike, or if the automaton would take more than [`MOST_BYTES`].
    pub fn new(symmetries: &[Symmetry], symbols: usize) -> Option<Self> {
        let mut alike: Vec<(&[usize], Vec<u16>)> = Vec::new();
        let (mut places, mut numbers) = (HashMap::new(), HashMap::new());
        let mut renamings: Vec<&[Symbol]> = Vec::new();
        for symmetry in symmetries {
            let number = *numbers.entry(&symmetry.symbols[..]).or_insert_with(|| {
                renamings.push(&symmetry.symbols);
                (renamings.len() - 1) as u16
            });
            let place = *places.entry(&symmetry.cells[..]).or_insert_with(|| {
                alike.push((&symmetry.cells, Vec::new()));
                alike.len() - 1
            });
            alike[place].1.push(number);
        }
        if symmetries.len() < LEAST_RENAMINGS * alike.len() {
            return None;
        }
        let mut made = Self { symbols, steps: Vec::new(), sizes: Vec::new(), moved: Vec::new() };
        // `nodes` gives each set of renamings the number of its node; `sets` has the sets in the order of these
        // numbers.
        let mut nodes: HashMap<Vec<u16>, u32> = HashMap::new();
        let mut sets: Vec<Vec<u16>> = Vec::new();
        for (cells, mut set) in alike {
            set.sort_unstable();
            let node = numbered(set, &mut nodes, &mut sets);
            let mut sources = vec![0; cells.len()];
            cells.iter().enumerate().for_each(|(from, &to)| sources[to] = from as u16);
            made.moved.push(MovedCells { node, sources: sources.into() });
        }
        let becomes = |renaming: u16, symbol: usize| renamings[usize::from(renaming)][symbol];
        let mut node = 0;
        while let Some(set) = sets.get(node).cloned() {
            made.sizes.push(set.len() as u32);
            for symbol in 0..symbols {
                let image = |at: &u16| becomes(*at, symbol);
                let least = set.iter().map(image).min()?;
                let kept = set.iter().copied().filter(|at| image(at) == least).collect();
                let next = numbered(kept, &mut nodes, &mut sets);
                made.steps.push(next << SYMBOL_BITS | u32::from(least));
            }
            if made.steps.len() * size_of::<u32>() > MOST_BYTES {
                return None;
            }
            node += 1;
        }
        Some(made)
    }

    /// Writes the smallest image of a state into `least`, and returns the number of symmetries that lead to it. Both
    /// slices have a symbol for each cell.
    pub fn smallest(&self, state: &[Symbol], least: &mut [Symbol]) -> u64 {
        let mut count = 0;
        for (place, MovedCells { node, sources }) in self.moved.iter().enumerate() {
            // For the first way to move the cells, there is no image yet to compare with, so its image is taken in any
            // case.
            let (mut node, mut is_smaller, mut is_larger) = (*node, place == 0, false);
            for (least, &source) in least.iter_mut().zip(sources) {
                let step = self.steps[node as usize * self.symbols + usize::from(state[usize::from(source)])];
                let symbol = step as Symbol;
                node = step >> SYMBOL_BITS;
                if symbol != *least && !is_smaller {
                    is_larger = symbol > *least;
                    if is_larger {
                        break;
                    }
                    is_smaller = true;
                }
                *least = symbol;
            }
            if !is_larger {
                let leading = u64::from(self.sizes[node as usize]);
                count = if is_smaller { leading } else { count + leading };
            }
        }
        count
    }
}

/// The number of the node of a set of renamings. A set without a node gets the next number.
fn numbered(set: Vec<u16>, nodes: &mut HashMap<Vec<u16>, u32>, sets: &mut Vec<Vec<u16>>) -> u32 {
    *nodes.entry(set).or_insert_with_key(|set| {
        sets.push(set.clone());
        (sets.len() - 1) as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All orders of the given symbols.
    fn renamings(symbols: &[Symbol]) -> Vec<Vec<Symbol>> {
        let Some((&last, rest)) = symbols.split_last() else { return vec![Vec::new()] };
        let all = renamings(rest);
        let with = |at: usize| all.iter().map(move |one| [&one[..at], &[last], &one[at..]].concat());
        (0..symbols.len()).flat_map(with).collect()
    }

    #[test]
    fn four_pieces_are_renamed_in_the_order_in_which_they_come() {
        let renamed = |symbols: &Vec<Symbol>| Symmetry { symbols: symbols.clone().into(), ..Symmetry::identity(4, 4) };
        let all: Vec<Symmetry> = renamings(&[0, 1, 2, 3]).iter().map(renamed).collect();
        assert_eq!(all.len(), 24);
        let automaton = RenamingAutomaton::new(&all, 4).unwrap();
        let mut least = [9; 4];
        assert_eq!(automaton.smallest(&[2, 0, 2, 1], &mut least), 1);
        assert_eq!(least, [0, 1, 0, 2]);
        assert_eq!(automaton.smallest(&[3, 3, 3, 3], &mut least), 6);
        assert_eq!(least, [0; 4]);
        // If few symmetries move the cells alike, the automaton is refused, and tables of images are used instead.
        assert!(RenamingAutomaton::new(&all[..3], 4).is_none());
    }
}
