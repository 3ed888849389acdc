//! Rules whose moves permute cells, in the form that pattern databases use, and a test of whether the costs of patterns
//! may be added.

use crate::rules::{Move, Rules, Symbol, SymbolSet};
use crate::structure::{Action, Structure};

/// A move that carries the symbols of some cells to other cells.
#[derive(Debug, Clone)]
pub struct PermutationMove {
    /// The place of the move in the rules.
    pub index: usize,
    /// The cells that the move changes, each with the cell to which its symbol goes.
    pub pairs: Vec<(u8, u8)>,
    /// The cell of the pivot before the move and the cell of the pivot afterwards, if the rules have a pivot.
    pub pivot: Option<(u8, u8)>,
    /// The guard: cells other than the pivot's, each with the set of symbols of which it must hold one.
    pub guard: Vec<(u8, SymbolSet)>,
}

impl PermutationMove {
    /// The cell to which the symbol of a cell goes.
    pub fn image(&self, cell: u8) -> u8 {
        self.pairs.iter().find(|&&(from, _)| from == cell).map_or(cell, |&(_, to)| to)
    }

    /// Returns `true` if the guard allows the move. The caller must know that the pivot is in the right cell.
    #[inline(always)]
    pub fn allows(&self, state: &[Symbol]) -> bool {
        self.guard.is_empty() || self.guard.iter().all(|&(cell, set)| set.contains(state[cell as usize]))
    }

    /// Makes the move, or undoes it.
    #[inline(always)]
    pub fn make(&self, state: &mut [Symbol], undo: bool) {
        if let [(one, other), (back, _)] = self.pairs[..]
            && other == back
        {
            return state.swap(one as usize, other as usize);
        }
        let mut held = [0; MOST_CELLS];
        if undo {
            self.pairs.iter().zip(&mut held).for_each(|(&(_, to), held)| *held = state[to as usize]);
            self.pairs.iter().zip(&held).for_each(|(&(from, _), &held)| state[from as usize] = held);
        } else {
            self.pairs.iter().zip(&mut held).for_each(|(&(from, _), held)| *held = state[from as usize]);
            self.pairs.iter().zip(&held).for_each(|(&(_, to), &held)| state[to as usize] = held);
        }
    }
}

/// The most cells that rules in this form may have, since the number of a cell must fit a byte.
pub const MOST_CELLS: usize = 128;

/// Rules of a puzzle whose moves all permute cells, and whose goal is one state.
///
/// If every move needs a certain symbol in some cell, and only one cell holds that symbol, the symbol is the *pivot*,
/// such as the blank of a sliding puzzle. The cell of the pivot decides which moves may be possible.
#[derive(Debug)]
pub struct PermutationRules {
    /// The number of cells.
    pub cells: usize,
    /// The number of symbols.
    pub symbols: usize,
    /// The symbol that is the pivot, if there is one.
    pub pivot: Option<Symbol>,
    /// The moves, in the order of the rules.
    pub moves: Vec<PermutationMove>,
    /// The goal: the symbol of each cell.
    pub goal: Vec<Symbol>,
    /// For each cell, the moves that can be made only if the pivot is there. Without a pivot, the first list has all
    /// moves.
    from: Vec<Vec<u32>>,
    /// For each cell, the moves after which the pivot is there. Without a pivot, the first list has all moves.
    into: Vec<Vec<u32>>,
}

impl PermutationRules {
    /// Converts rules to this form. `None` if there are several players; if some move does not permute cells, or has a
    /// guard that compares cells or has further conditions; if play can end before the goal; if the goal is not one
    /// state; or if there are too many cells.
    pub fn new(structure: &Structure) -> Option<Self> {
        let rules: &Rules = structure.rules();
        let (cells, symbols) = (rules.cells(), rules.symbols.len());
        let [goal] = &rules.goal[..] else { return None };
        let wanted: Vec<Symbol> =
            (0..cells).map(|cell| goal.when.allowed(cell, symbols).single()).collect::<Option<_>>()?;
        let more = |given: &Move| !(given.compares.is_empty() && given.conditions.is_empty());
        let compared = rules.moves.iter().any(more);
        if rules.player_count() > 1
            || !rules.ends.is_empty()
            || !goal.conditions.is_empty()
            || compared
            || cells > MOST_CELLS
        {
            return None;
        }
        let mut moves = Vec::new();
        for (index, (given, (_, action))) in rules.moves.iter().zip(structure.actions()).enumerate() {
            match action {
                Action::Nothing => {}
                Action::Permutes(pairs) => moves.push(PermutationMove {
                    index,
                    pairs: pairs.iter().map(|&(from, to)| (from as u8, to as u8)).collect(),
                    pivot: None,
                    guard: given.when.0.iter().map(|&(cell, set)| (cell as u8, set)).collect(),
                }),
                _ => return None,
            }
        }
        let needs =
            |given: &PermutationMove, symbol| given.guard.iter().position(|(_, set)| set.single() == Some(symbol));
        let once = |symbol: &Symbol| is_once(&wanted, *symbol);
        let every = |symbol: &Symbol| !moves.is_empty() && moves.iter().all(|given| needs(given, *symbol).is_some());
        let pivot = (0..symbols).map(|symbol| symbol as Symbol).find(|symbol| once(symbol) && every(symbol));
        if let Some(symbol) = pivot {
            for given in &mut moves {
                let (cell, _) = given.guard.remove(needs(given, symbol)?);
                given.pivot = Some((cell, given.image(cell)));
            }
        }
        let lists = |cell_of: fn(&PermutationMove) -> usize| {
            let mut lists = vec![Vec::new(); cells];
            moves.iter().enumerate().for_each(|(place, given)| lists[cell_of(given)].push(place as u32));
            lists
        };
        let from = lists(|given| given.pivot.map_or(0, |(cell, _)| cell as usize));
        let into = lists(|given| given.pivot.map_or(0, |(_, cell)| cell as usize));
        Some(Self { cells, symbols, pivot, moves, goal: wanted, from, into })
    }

    /// The moves that may be possible if the pivot is in a cell, as places in the list of moves. Without a pivot, the
    /// cell is 0.
    #[inline(always)]
    pub fn moves_from(&self, pivot: usize) -> &[u32] {
        &self.from[pivot]
    }

    /// The moves that may have led to a state with the pivot in a cell, as places in the list of moves. Without a
    /// pivot, the cell is 0.
    pub fn moves_into(&self, pivot: usize) -> &[u32] {
        &self.into[pivot]
    }

    /// The cell of the pivot in a state; 0 without a pivot.
    pub fn pivot_cell(&self, state: &[Symbol]) -> usize {
        self.pivot.map_or(0, |pivot| state.iter().position(|&held| held == pivot).unwrap_or(0))
    }

    /// The symbols that a pattern may track: only one cell holds each, a move can displace it, and it is not the pivot.
    pub fn trackable(&self) -> Vec<Symbol> {
        let displaced = |cell: usize| self.moves.iter().any(|given| usize::from(given.image(cell as u8)) != cell);
        let moving = self.goal.iter().enumerate().filter(|&(cell, &symbol)| {
            Some(symbol) != self.pivot && is_once(&self.goal, symbol) && (self.pivot.is_some() || displaced(cell))
        });
        moving.map(|(_, &symbol)| symbol).collect()
    }

    /// Returns `true` if each move displaces at most one symbol beside the pivot. Then the costs of patterns that share
    /// no symbol may be added: a move counts only in the one pattern that tracks the symbol which it displaces.
    pub fn displaces_one(&self) -> bool {
        self.moves.iter().all(|given| {
            let others = given.pairs.iter().filter(|&&(from, _)| given.pivot.is_none_or(|(cell, _)| cell != from));
            others.count() <= 1
        })
    }

    /// Returns `true` if parity shows that no moves lead from a state to the goal. The test needs a pivot, and symbols
    /// that are all different.
    ///
    /// Each cell gets a bit. If a move is an odd permutation, the pivot's cells before and after it must have different
    /// bits, and if it is even, equal bits. If there are such bits, each move changes both the bit of the pivot's cell
    /// and the parity of the arrangement, or neither. In a sliding puzzle, the bits are the colours of a chessboard,
    /// and each slide is odd.
    pub fn parity_rules_out(&self, state: &[Symbol]) -> bool {
        let place = |symbol: &Symbol| self.goal.iter().position(|held| held == symbol);
        let Some(arrangement) = state.iter().map(place).collect::<Option<Vec<usize>>>() else { return false };
        let all_different = arrangement.iter().enumerate().all(|(at, place)| !arrangement[..at].contains(place));
        let Some(bits) = self.parity_bits().filter(|_| all_different) else { return false };
        let (here, there) = (bits[self.pivot_cell(state)], bits[self.pivot_cell(&self.goal)]);
        // The bits of two cells can be compared only if moves of the pivot connect these cells.
        here.0 == there.0 && is_odd(&arrangement) != (here.1 != there.1)
    }

    /// For each cell: the smallest cell to which moves of the pivot connect it, and its bit. `None` if there are no
    /// such bits.
    fn parity_bits(&self) -> Option<Vec<(usize, bool)>> {
        self.pivot?;
        let mut bits: Vec<(usize, bool)> = (0..self.cells).map(|cell| (cell, false)).collect();
        loop {
            let mut changed = false;
            for given in &self.moves {
                let (from, to) = given.pivot.map(|(from, to)| (from as usize, to as usize))?;
                let image: Vec<usize> = (0..self.cells).map(|cell| given.image(cell as u8).into()).collect();
                let odd = is_odd(&image);
                let (low, high) = if bits[from].0 <= bits[to].0 { (from, to) } else { (to, from) };
                if bits[low].0 < bits[high].0 {
                    bits[high] = (bits[low].0, bits[low].1 != odd);
                    changed = true;
                } else if (bits[from].1 != bits[to].1) != odd {
                    return None;
                }
            }
            if !changed {
                return Some(bits);
            }
        }
    }
}

/// Returns `true` if exactly one cell holds `symbol`.
fn is_once(state: &[Symbol], symbol: Symbol) -> bool {
    let mut holders = state.iter().filter(|&&held| held == symbol);
    holders.next().is_some() && holders.next().is_none()
}

/// Returns `true` if a permutation is odd: it has an odd number of cycles of even length.
fn is_odd(image: &[usize]) -> bool {
    let (mut seen, mut odd) = (vec![false; image.len()], false);
    for begin in 0..image.len() {
        let (mut at, mut length) = (begin, 0);
        while !seen[at] {
            seen[at] = true;
            at = image[at];
            length += 1;
        }
        odd ^= length > 0 && length % 2 == 0;
    }
    odd
}
